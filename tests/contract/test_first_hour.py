# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_first_hour.py - docs/first-hour.md: every block of code prints the text below it.
"""The printed text was written from a run; numbers that the page derives are derived here independently."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import pytest
from conftest import PATIENCE, ROOT, TORQUED

sys.path.insert(0, str(ROOT / "docs/site"))
import blocks  # noqa: E402

PAGE = (ROOT / "docs/first-hour.md").read_text()
# with curl; tests/clients/docs/test_how_to.py runs the other clients
TASKS = {task.title: (task.common + task.clients.get("curl", ("sh", ""))[1], task.printed) for task in blocks.tasks(PAGE)}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """{task title: printed text} in the order of the page, since later tasks use files and robots of earlier ones."""
    if shutil.which("jq") is None:
        pytest.skip("no jq (make deps-check)")
    from conftest import Daemon
    folder = tmp_path_factory.mktemp("first-hour")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        other = free.getsockname()[1]
    (folder / "build").mkdir()
    for name in ("torqued", "torquectl"):
        (folder / "build" / name).symlink_to(pathlib.Path(TORQUED).resolve().with_name(name))
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    daemon = Daemon({"wait": "60s"})  # for a reader ten seconds are enough; not under a sanitizer
    ret = {}
    try:
        for title, (code, _) in TASKS.items():
            code = code.replace("127.0.0.1:8420", daemon.url.removeprefix("http://")).replace("127.0.0.1:8421", f"127.0.0.1:{other}")
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", code], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=2 * PATIENCE, check=False)
            ret[title] = (done.returncode, done.stdout, done.stderr)
    finally:
        daemon.stop()
    return ret


def test_every_block_is_a_task():
    assert len(TASKS) == len(re.findall(r"^```text$", PAGE, re.M)) == len(re.findall(r"^### ", PAGE, re.M)) == 32
    assert all(code and printed for code, printed in TASKS.values())
    assert [title.split(".")[0] for title in TASKS] == [str(n + 1) for n in range(len(TASKS))]


@pytest.mark.seconds(600)
@pytest.mark.parametrize("title", TASKS)
def test_task_prints_what_the_page_says(printed, title):
    status, out, error = printed[title]
    assert (status, error) == (0, ""), out
    assert out == TASKS[title][1]


def lines(title):
    found = next(printed for name, (_, printed) in TASKS.items() if title in name)
    return [json.loads(line) for line in found.splitlines()]


def test_the_numbers_of_the_page_are_those_of_the_texts_around_them():
    g = 9.81
    assert lines("A URDF")[1] == pytest.approx([-(3 * 0.2 + 2 * 0.55) * g, -2 * 0.15 * g], abs=1e-9)
    assert lines("quadruped drops")[1] == round(g * (3.3 + 4 * (0.54 + 0.634 + 0.064)))
    assert lines("Position and Jacobian")[0] == [0.7, 0, 0.3]
    fit = {name: value for name, value, _ in (line for line in lines("Calibrate") if len(line) == 3 and isinstance(line[1], float))}
    assert (fit["mx_1"], fit["mx_2"]) == pytest.approx((3 * 0.2 + 2.3 * 0.4, 2.3 * 0.15), abs=1e-3)
    assert (fit["fc_1"], fit["fc_2"], fit["fv_1"], fit["fv_2"]) == pytest.approx((1.5, 1.5, 0.5, 0.5), abs=2e-3)
