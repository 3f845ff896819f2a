# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_confinement.py - Landlock and seccomp of a daemon started by hand, and the log line
# about them.
import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import PATIENCE, TORQUED, eventually

SANITIZED = any(v in TORQUED for v in ("/asan", "/tsan", "/coverage"))


def confinement(daemon):
    line = next(line for line in daemon.log if '"event":"listening"' in line)
    return json.loads(line)["confinement"]


def status(daemon, thread):
    text = pathlib.Path(f"/proc/{daemon.process.pid}/task/{thread}/status").read_text()
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


@pytest.mark.skipif(SANITIZED, reason="leak detection attaches by ptrace")
def test_every_thread_is_confined(start):
    daemon = start({"workers": 3})
    said = confinement(daemon)
    if "no seccomp" in said:
        pytest.skip(f"this kernel: {said}")
    threads = os.listdir(f"/proc/{daemon.process.pid}/task")
    assert len(threads) > 6
    for thread in threads:
        found = status(daemon, thread)
        assert (found["Seccomp"], found["NoNewPrivs"]) == ("2", "1"), (thread, said)
    # Landlock forbids to name another thread by /proc: each thread sets its own name
    names = lambda: {pathlib.Path(f"/proc/{daemon.process.pid}/task/{t}/comm").read_text().strip() for t in threads}
    eventually(lambda: {"io", "worker", "soon", "job", "keeper", "store"} <= names())
    # normal work is not affected: a computation, a stored file, a reload
    assert daemon.request("PUT", "/v1/datasets/log", b"t,q\n0,1\n1,2\n", {"Content-Type": "text/csv"})[0] in (200, 201)
    assert daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(
        {"initial": {"q": [0.1, 0.2]}, "duration_s": 1, "output": {"interval_s": 0.5}}).encode(), {"Content-Type": "application/json"})[0] == 200


def test_jobs_leave_the_cores_to_what_is_waited_for(start):
    """Jobs have a greater nice value than threads that answer, and those that are waited for a smaller one where the system
    admits it; also where system calls are confined."""
    daemon = start({"workers": 2})

    def nice():
        found = {}
        for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
            name, rest = (task / "stat").read_text().partition("(")[2].rsplit(")", 1)
            found.setdefault(name, set()).add(int(rest.split()[16]))
        return found

    own = os.getpriority(os.PRIO_PROCESS, 0)
    admitted = subprocess.run([sys.executable, "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -20)"], capture_output=True, check=False).returncode == 0
    wanted = {"job": {min(own + 5, 19)}, **dict.fromkeys(("worker", "keeper"), {own}),
              **dict.fromkeys(("io", "soon", "store"), {max(own - 10, -20) if admitted else own})}
    eventually(lambda: {name: nice().get(name) for name in wanted} == wanted)  # each thread names itself


@pytest.mark.skipif(SANITIZED, reason="leak detection attaches by ptrace")
def test_off_is_off(start):
    daemon = start({"confine": "off"})
    assert confinement(daemon) == "off"
    with open("/proc/self/status") as f:
        inherited = next(line.split()[1] for line in f if line.startswith("Seccomp:"))
    assert status(daemon, daemon.process.pid)["Seccomp"] == inherited


def test_an_invalid_value_is_refused(tmp_path):
    done = subprocess.run([TORQUED, "--confine", "perhaps", "--state-dir", str(tmp_path), "--check-config"], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 78 and 'confine must be auto, required or off, not "perhaps"' in done.stderr
