# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_wheel.py - the wheel that carries the daemon: built, installed apart, run without anything of this tree.
import email
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT, contract

PROGRAM = """
import torqued
from torqued import _local
print(_local.find_binary())
with torqued.local() as t:
    print(t.robot("pendulum").inverse_dynamics([0.1], [0.2], [0.3]).shape, t.version()["version"] == torqued.__version__)
    maps = open(f"/proc/{[int(p) for p in __import__('os').listdir('/proc') if p.isdigit() and is_daemon(p, t.folder)][0]}/maps").read()
print(sorted({line.split()[-1] for line in maps.splitlines() if ".so" in line}))
"""
IS_DAEMON = """
def is_daemon(pid, folder):
    try:
        words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\\0")
    except OSError:
        return False
    return words[0].endswith(b"/torqued") and any(str(folder).encode() in word for word in words)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    for module in ("hatchling", "auditwheel"):
        pytest.importorskip(module, reason=f"no {module} (make deps-clients)")
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([str(ROOT / "clients/python/wheel.sh"), contract.TORQUED, str(out)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = out.glob("torqued-*.whl")
    return found


def test_what_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(file.read(metadata))
        licenses = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
    assert said["Name"] == "torqued" and said["License-Expression"] == "Apache-2.0" and said["Requires-Python"] == ">=3.10"
    assert "py3-none-manylinux" in wheel.name
    libraries = [name for name in names if name.startswith("torqued.libs/") and ".so" in name]
    assert len(libraries) > 15 and {"LICENSE", "libgnutls30", "libsqlite3-0", "libmicrohttpd12", "libexpat1", "zlib1g"} <= licenses
    assert not [name for name in names if name.endswith((".pyc", ".c", ".o")) or "/tests/" in name]


def test_it_runs_by_itself(wheel, tmp_path):
    target = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target), str(wheel)], check=True)
    done = subprocess.run([sys.executable, "-c", IS_DAEMON + PROGRAM], cwd=tmp_path, capture_output=True, text=True,
                          env={"PYTHONPATH": str(target), "PATH": "/nowhere", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    binary, answer, libraries = done.stdout.strip().split("\n")
    assert binary == str(target / "torqued" / "_daemon" / "torqued") and answer == "(1,) True"
    # of the system only what glibc and gcc bring, and what Python needs
    outside = [path for path in eval(libraries) if str(target) not in path]
    assert all(path.rsplit("/", 1)[1].split(".so")[0] in ("libc", "libm", "libgcc_s", "ld-linux-x86-64", "libexpat", "libz", "libpthread", "libdl", "librt", "libnss_files")
               for path in outside), outside
