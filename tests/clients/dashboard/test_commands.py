# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_commands.py - the lines that the page gives to copy, run as they are: by a shell and Python, with the answer that the page had.
import ast
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import Daemon
from dashboard import URDF, drop, fill, open_at, press, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[3]
LINE = "document.querySelector('.calls pre')?.textContent"


def line(page, language):
    """The last call in a language."""
    if not page.run("return Boolean(document.querySelector('.calls pre'))"):
        press(page, "As a command")
    wait_for(page, LINE)
    press(page, language, "document.querySelector('.calls')")
    wait_for(page, f"[...document.querySelectorAll('.calls .choice button')].find((one) => one.textContent === {json.dumps(language)}).getAttribute('aria-pressed') === 'true'")
    return page.run(f"return {LINE}")


def shell(text, folder, **variables):
    path = f"{ROOT / 'build'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", text], cwd=folder, env={**os.environ, "PATH": path, **variables}, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, (text, done.stderr)
    return done.stdout


def python(text, folder, **variables):
    pytest.importorskip("httpx", reason="no httpx (make deps-clients)")
    # the last statement is an expression or an assignment to `result`: what it has is printed
    *before, last = ast.parse(text).body
    shown = "result" if isinstance(last, ast.Assign) else ast.unparse(last)
    source = "\n".join([*map(ast.unparse, before), *([ast.unparse(last)] if isinstance(last, ast.Assign) else []), f"print({shown})"])
    done = subprocess.run([sys.executable, "-c", source], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src"), **variables}, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, (text, done.stderr)
    return done.stdout


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
@pytest.mark.seconds(200)
def test_each_line_repeats_the_call(daemon, page, tmp_path):
    open_at(page, daemon, "robots/planar-2r/torque?q=0.3,0.4&payload=2", ".bar")
    wait_for(page, "document.querySelector('.call-line')?.textContent.includes('inverse-dynamics')")
    tau = wait_for(page, "[...document.querySelectorAll('.bar-value b')].map((one) => Number(one.textContent.replace('\\u2212', '-')))")
    answer = json.loads(shell(line(page, "curl"), tmp_path))["tau"]
    assert len(tau) == 2 and all(abs(a - b) <= 1e-3 * abs(b) for a, b in zip(answer, tau)), (answer, tau)
    # the other two print tables and objects of their own: the same numbers
    for text in (shell(line(page, "torquectl"), tmp_path), python(line(page, "Python"), tmp_path)):
        numbers = [float(one) for one in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]
        assert all(any(abs(one - value) <= 1e-3 * abs(value) for one in numbers) for value in answer), (text, answer)
    # a job that the page sent: the line sends another one
    open_at(page, daemon, "robots/planar-2r/simulate?q=0.5,0", ".view3d[data-state=ready]")
    press(page, "Simulate 3 s")
    wait_for(page, "document.querySelector('.verdicts') && document.querySelector('.call-line').textContent.includes('simulate')")
    count = len(json.loads(daemon.request("GET", "/v1/jobs?kind=simulate")[2])["jobs"])
    assert json.loads(shell(line(page, "curl"), tmp_path))["kind"] == "simulate"
    python(line(page, "Python"), tmp_path)
    assert len(json.loads(daemon.request("GET", "/v1/jobs?kind=simulate")[2])["jobs"]) == count + 2


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
@pytest.mark.seconds(200)
def test_lines_of_robots_jobs_and_datasets(daemon, page, tmp_path):
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "taken along.urdf", URDF.format(parent="base", izz="0.01"))
    wait_for(page, "document.querySelector('.understood')")
    text = daemon.request("GET", "/v1/robots/taken-along")[2]
    # the file that was dropped lies in the folder, under the name that the line has
    (tmp_path / "taken-along.urdf").write_text(URDF.format(parent="base", izz="0.01"))
    page.run("location.hash = '#/robots/taken-along?show=pose'")
    open_at(page, daemon, "robots/taken-along", ".view3d[data-state=ready]")
    digest = json.loads(text)["digest"]
    assert json.loads(shell(line(page, "curl"), tmp_path))["digest"] == digest
    assert digest in shell(line(page, "torquectl"), tmp_path)
    assert digest in python(line(page, "Python"), tmp_path)
    for address, ready, key in (("jobs", ".title .good", "jobs"), ("datasets", ".jobs", "datasets"), ("robots", ".cards", "robots")):
        open_at(page, daemon, address, ready)
        wait_for(page, f"document.querySelector('.call-line code')?.textContent.startsWith('/v1/{key}')")
        assert key in json.loads(shell(line(page, "curl"), tmp_path))
        assert shell(line(page, "torquectl"), tmp_path)
        python(line(page, "Python"), tmp_path)


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
@pytest.mark.seconds(200)
def test_lines_of_a_service_with_credentials_have_the_token_from_its_file(page, tmp_path):
    """Never the token itself: whoever copies the line has it in a file."""
    token = "correct-horse-battery-staple-0123456789"
    (tmp_path / "tokens").write_text(f"lab {hashlib.blake2b(token.encode(), digest_size=32).hexdigest()}\n")
    (tmp_path / "mine").write_text(token + "\n")
    for name in ("tokens", "mine"):
        (tmp_path / name).chmod(0o600)
    one = Daemon({"credentials": str(tmp_path / "tokens")})
    try:
        open_at(page, one, "robots/planar-2r/torque", ".login")
        fill(page, ".login input", token)
        press(page, "Open")
        wait_for(page, "document.querySelector('.bar') && document.querySelector('.call-line').textContent.includes('inverse-dynamics')")
        for address, ready in ((None, None), ("robots", ".cards")):
            if address:
                open_at(page, one, address, ready)
            for language, run in (("curl", shell), ("torquectl", shell), ("Python", python)):
                text = line(page, language)
                assert token not in text
                assert ("tau" if address is None else "planar-2r") in run(text, tmp_path, TORQUED_TOKEN_FILE=str(tmp_path / "mine")), text
    finally:
        one.stop()
