# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_lock_step_page.py - docs/lock-step.md: each block of code prints the text below it.
import os
import shutil
import subprocess
import sys

import pytest
from conftest import PATIENCE, ROOT

sys.path.insert(0, str(ROOT / "docs/site"))
import blocks  # noqa: E402

BLOCKS = blocks.blocks((ROOT / "docs/lock-step.md").read_text())
PRINTED = [code for language, _, code in BLOCKS if language == "text"]
# the first block with Python, and the table row of all clients with curl; tests/clients/docs runs the others
RUNS = [("python", BLOCKS[0][2], PRINTED[0]), ("sh", next(code for _, title, code in BLOCKS if title == "curl"), PRINTED[1])]


@pytest.mark.parametrize("language, code, printed", RUNS, ids=[language for language, _, _ in RUNS])
def test_block_prints_what_the_page_says(daemon, language, code, printed):
    if language == "sh" and shutil.which("jq") is None:
        pytest.skip("no jq (make deps-check)")
    if language == "python":
        pytest.importorskip("httpx")
    environment = {**os.environ, "TORQUED_URL": daemon.url, "PYTHONPATH": str(ROOT / "clients/python/src")}
    command = [sys.executable, "-c", code] if language == "python" else ["bash", "-e", "-c", code.replace("http://127.0.0.1:8420", daemon.url)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", printed)


def test_there_are_blocks_of_every_client():
    assert [title for _, title, _ in BLOCKS if title] == ["curl", "torquectl", "Python", "JavaScript", "C"] and len(PRINTED) == 2
