# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_systemd.py - the units, readiness, watchdog and socket activation, without a running
# systemd.
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from conftest import PATIENCE, ROOT, TORQUED, once

UNITS = ROOT / "systemd"


@pytest.fixture
def notify(tmp_path):
    """Opens a notify socket; notify(seconds) returns the next message, or None."""
    path = str(tmp_path / "notify")
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(path)

    def take(seconds=PATIENCE):
        s.settimeout(seconds)
        try:
            return dict(line.split("=", 1) for line in s.recv(4096).decode().splitlines())
        except TimeoutError:
            return None

    take.path = path
    yield take
    s.close()


@pytest.fixture
def launch(tmp_path):
    made = []

    def start(environment, args=(), command=()):
        process = subprocess.Popen([*command, TORQUED, "--state-dir", str(tmp_path / "state"), *args], stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        made.append(process)
        return process

    yield start
    for process in made:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stderr.close()


def test_ready_is_notified_when_requests_are_answered_and_stopping_before_the_end(launch, notify):
    process = launch({"NOTIFY_SOCKET": notify.path}, ["--listen", "127.0.0.1:0"])
    state = notify()
    assert state["READY"] == "1"
    url = re.fullmatch(r"Serving http://(.*):(\d+)", state["STATUS"])
    connection = http.client.HTTPConnection(url[1], int(url[2]), timeout=PATIENCE)
    connection.request("GET", "/readyz")
    assert connection.getresponse().status == 200
    connection.close()
    process.send_signal(signal.SIGTERM)
    assert notify()["STOPPING"] == "1"
    assert process.wait(PATIENCE) == 0


def test_status_counts_jobs(launch, notify):
    launch({"NOTIFY_SOCKET": notify.path}, ["--listen", "127.0.0.1:0"])
    host, port = re.fullmatch(r"Serving http://(.*):(\d+)", notify()["STATUS"]).groups()
    connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
    connection.request("POST", "/v1/robots/planar-2r/simulate", headers={"Prefer": "respond-async"}, body=(
        b'{"initial": {"q": [0.3, 0.2]}, "duration_s": 90000, "output": {"interval_s": 9000}, "solver": {"method": "rk4", "step_s": 1e-4}}'))
    job = json.loads(connection.getresponse().read())
    while (state := notify()) is not None and "1 running, 0 queued" not in state["STATUS"]:
        pass
    assert state is not None
    connection.request("POST", f"/v1/jobs/{job['id']}/cancel")
    assert connection.getresponse().read()
    while (state := notify()) is not None and "0 running, 0 queued" not in state["STATUS"]:
        pass
    assert state is not None and state["STATUS"].startswith(f"Serving http://{host}:{port}; jobs: ")
    connection.close()


def test_watchdog_is_fed(launch, notify):
    process = launch({"NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "400000"}, ["--listen", "127.0.0.1:0"])
    assert notify()["READY"] == "1"
    for _ in range(5):
        assert notify() == {"WATCHDOG": "1"}
    # a stopped process sends no keep-alive
    process.send_signal(signal.SIGSTOP)
    while notify(0.5) is not None:
        pass
    assert notify(1) is None
    process.send_signal(signal.SIGCONT)
    assert notify() == {"WATCHDOG": "1"}


def test_socket_activation(launch, notify, tmp_path):
    activate = shutil.which("systemd-socket-activate")
    if activate is None:
        pytest.skip("no systemd-socket-activate")
    path = str(tmp_path / "torqued.sock")
    launch({}, command=[activate, "-l", path])
    end = time.monotonic() + PATIENCE
    for _ in range(3):  # the first connection starts the daemon and is served too
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            while s.connect_ex(path) != 0:  # the socket does not exist, or nobody listens yet
                assert time.monotonic() < end
                time.sleep(0.02)
            s.sendall(b"GET /readyz HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
            assert s.recv(4096).startswith(b"HTTP/1.1 200 ")
    assert os.path.exists(path)


@pytest.mark.parametrize("unit, most", [("torqued.service", 1.2), ("torqued-activated.service", 0.5)])
def test_units_are_hardened(unit, most, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    text = (UNITS / unit).read_text().replace("@bindir@", "/usr/bin").replace("@sysconfdir@", "/etc")
    (tmp_path / unit).write_text(text)
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(tmp_path / unit)],
                          capture_output=True, text=True, timeout=PATIENCE)
    score = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert score, done.stderr
    assert float(score[1]) <= most


def test_sample_settings_are_the_defaults(tmp_path):
    """Every line of the sample, uncommented, is accepted."""
    text = (UNITS / "torqued.conf").read_text()
    lines = [line[2:] if re.match(r"# \w+ =", line) else line for line in text.splitlines()]
    settings = [line for line in lines if re.match(r"\w+ =", line)]
    assert len(settings) >= 5
    path = tmp_path / "torqued.conf"
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run([TORQUED, "--config", str(path), "--state-dir", str(tmp_path), "--check-config"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")


def test_install_puts_units_with_real_paths_and_uninstall_removes_all(tmp_path):
    if "/release/" not in TORQUED:
        pytest.skip("installs the release build")
    done = subprocess.run(["make", "-s", "install", f"DESTDIR={tmp_path}", "PREFIX=/usr"], cwd=ROOT, capture_output=True,
                          text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    assert os.access(tmp_path / "usr/bin/torqued", os.X_OK) and os.access(tmp_path / "usr/bin/torquectl", os.X_OK)
    if shutil.which("scdoc"):
        assert ".TH \"torqued\" \"8\"" in (tmp_path / "usr/share/man/man8/torqued.8").read_text()
        page = (tmp_path / "usr/share/man/man5/torqued.conf.5").read_text()
        listed = subprocess.run([TORQUED, "--help"], capture_output=True, text=True, timeout=PATIENCE).stdout
        names = re.findall(r"^  ([a-z_]+)(?:,|$)", listed, re.M)
        assert len(names) > 30 and all(f"\\fB{name}\\fR" in page for name in names)
    for made in ("man/man1/torquectl.1", "bash-completion/completions/torquectl", "zsh/site-functions/_torquectl",
                 "fish/vendor_completions.d/torquectl.fish"):
        assert "simulate" in (tmp_path / "usr/share" / made).read_text(), made
    for made in ("include/tqc.h", "lib/libtqc.a", "lib/libtqc.so", "lib/pkgconfig/tqc.pc"):
        assert (tmp_path / "usr" / made).exists(), made
    for unit in ("torqued.service", "torqued-activated.service", "torqued-activated.socket"):
        text = (tmp_path / "usr/lib/systemd/system" / unit).read_text()
        assert "@" not in re.sub(r"@(system-service|privileged|resources)", "", text), unit
    assert "/usr/bin/torqued --config /etc/torqued/torqued.conf" in (tmp_path / "usr/lib/systemd/system/torqued.service").read_text()
    assert (tmp_path / "usr/lib/sysusers.d/torqued.conf").exists() and (tmp_path / "etc/torqued/torqued.conf").exists()
    # `make uninstall` keeps an administrator's settings
    done = subprocess.run(["make", "-s", "uninstall", f"DESTDIR={tmp_path}", "PREFIX=/usr"], cwd=ROOT, capture_output=True, text=True,
                          timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    assert [str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if not p.is_dir()] == ["etc/torqued/torqued.conf"]


@once
def test_the_tarball_is_the_same_bytes_anywhere(tmp_path):
    """The archive does not depend on folder, date, umask or the user's git settings."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    made = []
    for i, (umask, zone) in enumerate([(0o022, "UTC"), (0o077, "Pacific/Apia")]):
        clone, home = tmp_path / f"clone-{'x' * (1 + 20 * i)}", tmp_path / f"home{i}"
        home.mkdir()
        (home / ".gitconfig").write_text("[safe]\n directory = *\n" + "[tar]\n umask = user\n[core]\n autocrlf = false\n" * i)
        env = {**os.environ, "HOME": str(home), "TZ": zone, "LC_ALL": "C"}
        for command in (["git", "clone", "-q", "--shared", "--no-checkout", str(ROOT), str(clone)],
                        ["git", "-C", str(clone), "checkout", "-q", "HEAD", "--", "Makefile", "systemd", "tests/run", "tests/lint/lint.mk",
                         "tests/bench/bench.mk", "clients/c", "api/version.h"],
                        ["make", "-s", "-C", str(clone), "dist"]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=env, umask=umask)
            assert done.returncode == 0, done.stderr
        os.utime(clone, (1e9 + 864e5 * i, 1e9 + 864e5 * i))
        made.append(next((clone / "build").glob("torqued-*.tar.gz")).read_bytes())
    assert made[0] == made[1] and len(made[0]) > 1_000_000


def test_the_list_of_parts_names_every_library(tmp_path):
    if "/release/" not in TORQUED or shutil.which("dpkg-query") is None:
        pytest.skip("lists the release build, on Debian")
    done = subprocess.run([ROOT / "systemd/sbom.py", TORQUED], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    ids = {p["SPDXID"] for p in document["packages"]}
    assert len(ids) == len(document["packages"])
    assert all({r["spdxElementId"], r["relatedSpdxElement"]} <= ids | {"SPDXRef-DOCUMENT"} for r in document["relationships"])
    # the libraries that the linker recorded
    needed = re.findall(r"NEEDED.*\[(?:lib)?([a-z]+)", subprocess.run(["readelf", "-d", TORQUED], capture_output=True, text=True, timeout=PATIENCE).stdout)
    names = " ".join(p["name"] for p in document["packages"])
    assert {"microhttpd", "seccomp", "sodium"} <= set(needed) and all(n in names for n in needed if n not in ("c", "m", "z", "gcc_s"))
    assert "libsundials-dev" in names
