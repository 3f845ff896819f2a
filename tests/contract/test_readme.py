# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_readme.py - runs the curl lines of README.md unchanged against a daemon.
"""Readers copy these lines: they must work and print what the text around them states."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
LINES = [line for block in BLOCKS for line in block.splitlines() if line.startswith("curl ")]
DEFAULT = "http://127.0.0.1:8420"


def run(daemon, line):
    assert DEFAULT in line
    line = line.replace(DEFAULT, daemon.url).replace("curl ", "curl --fail-with-body --max-time 90 ", 1)
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_there_are_three_lines():
    assert len(LINES) == 3


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_line_works(daemon, line):
    assert run(daemon, line)


def test_the_torques_are_those_of_the_request(daemon):
    """One sample gives seven finite torques; a batch of two gives two rows."""
    one, batch = (run(daemon, line)["tau"] for line in LINES if "inverse-dynamics" in line)
    assert len(one) == 7 and all(isinstance(x, (int, float)) for x in one)
    # gravity exerts no torque on joint 1, whose axis is vertical, but loads the others
    assert abs(one[0]) < 2 < max(abs(x) for x in one)
    assert [len(row) for row in batch] == [2, 2]


def test_the_python_lines_work(daemon):
    """Unchanged, with the package of this work tree."""
    pytest.importorskip("httpx", reason="no httpx (make deps-check)")
    block = re.search(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S).group(1)
    program = block.replace(DEFAULT, daemon.url) + "print(*tau)\n"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src")},
                          capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    q = [0, -0.8, 0, -2.4, 0, 1.6, 0.8]
    _, _, body = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps({"q": q}))
    assert [float(x) for x in done.stdout.split()] == json.loads(body)["tau"]


def test_the_line_that_make_run_prints_works(daemon):
    """tests/run/serve.sh prints this request when the daemon is ready."""
    script = (ROOT / "tests/run/serve.sh").read_text()
    body = re.search(r"^body='(.*)'$", script, re.M).group(1)
    answer = run(daemon, f"curl -s {DEFAULT}/v1/robots/panda/inverse-dynamics -d '{body}' -H 'Content-Type: application/json'")
    assert len(answer["tau"]) == 7
    assert body in (ROOT / "README.md").read_text()
