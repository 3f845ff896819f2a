# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_local.py - a daemon of one's own: starts, answers, and ends with its program however that ends.
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest
import torqued
from conftest import contract
from torqued import _local

SOURCE = pathlib.Path(torqued.__file__).parents[1]


def daemon_of(folder):
    """Ids of processes whose command line names a folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(str(folder).encode() in word for word in words):
                found.append(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def binary(monkeypatch):
    monkeypatch.setenv("TORQUED", contract.TORQUED)


def test_with_a_daemon_of_ones_own():
    with torqued.local(settings={"workers": 1}) as t:
        folder = t.folder
        tau = t.robot("pendulum").inverse_dynamics([0.1], [0.2], [0.3])
        assert tau.shape == (1,) and daemon_of(folder) and t.url == f"unix:{folder}/socket"
        assert t.version()["version"] and t.health()["status"] == "alive" and t.index()["name"] == "torqued"
        with torqued.Client(t.url) as second:
            assert np.array_equal(second.robot("pendulum").inverse_dynamics([0.1], [0.2], [0.3]), tau)
    assert not folder.exists() and not daemon_of(folder)


def test_its_state_may_stay(tmp_path):
    with torqued.local(state=tmp_path / "state") as t:
        t.put_dataset("kept", np.arange(6.0).reshape(3, 2))
    with torqued.local(state=tmp_path / "state") as t:
        assert t.dataset("kept")["rows"] == 3


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, None])
def test_it_ends_with_the_program(how):
    code = "import sys, torqued\nt = torqued.local()\nprint(t.folder, flush=True)\nsys.stdin.readline()\n"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "PYTHONPATH": str(SOURCE)}) as program:
        folder = program.stdout.readline().strip()
        assert daemon_of(folder)
        if how is None:
            program.stdin.close()  # it comes to its end without closing
        else:
            program.send_signal(how)
        program.wait(contract.PATIENCE)
    contract.eventually(lambda: not daemon_of(folder))


def test_a_long_temporary_folder(tmp_path, monkeypatch):
    """As on clusters: a socket's path has 107 bytes."""
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr(_local.tempfile, "tempdir", str(deep))
    with torqued.local() as t:
        assert t.is_ready() and len(str(t.folder)) < 40


def test_what_does_not_start(tmp_path, monkeypatch):
    with pytest.raises(torqued.LocalError, match="does not start(.|\n)*worker_count"):
        torqued.local(settings={"worker_count": 1})
    with pytest.raises(torqued.LocalError, match="no program"):
        torqued.local(binary=tmp_path / "nothing")
    monkeypatch.delenv("TORQUED")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_local, "__file__", str(tmp_path / "_local.py"))
    with pytest.raises(torqued.LocalError, match="wheel"):
        _local.find_binary()
    (tmp_path / "torqued").symlink_to(contract.TORQUED)
    assert _local.find_binary() == str(tmp_path / "torqued")
    (tmp_path / "_daemon").mkdir()
    (tmp_path / "_daemon" / "torqued").symlink_to(contract.TORQUED)
    assert _local.find_binary() == str(tmp_path / "_daemon" / "torqued")
