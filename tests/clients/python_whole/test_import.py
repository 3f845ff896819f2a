# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_import.py - what is imported when.
import subprocess
import sys

import pytest
from conftest import ROOT

HEAVY = {"numpy", "httpx", "pandas", "matplotlib", "click", "rich", "pygments", "h11", "httpcore", "asyncio"}


@pytest.mark.parametrize("first, may", [
    ("torqued.__version__", set()), ("torqued.Client", {"numpy"}), ("torqued.AsyncClient", {"numpy", "asyncio"}), ("torqued.local", {"numpy"}),
    ("torqued.Client('unix:/none')", {"numpy", "h11"}), ("torqued.AsyncClient()", {"numpy", "h11", "asyncio"}),
    ("torqued.Client('https://lab.example')", {"numpy", "httpx", "h11", "httpcore"}),
])
def test_nothing_is_imported_that_is_not_used(first, may):
    """`import torqued` alone takes none of them; a client of this machine numpy and h11; of another one httpx, without its command line,
    which takes as long again."""
    code = f"import sys, torqued; {first}; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "clients/python/src"), "PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(eval(done.stdout)) == may


def test_the_command_line_of_httpx_is_available():
    done = subprocess.run([sys.executable, "-c", "import torqued; torqued.Client('https://lab.example'); import httpx; import httpx._main"],
                          env={"PYTHONPATH": str(ROOT / "clients/python/src"), "PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0 or "No module named" in done.stderr and "httpx._main" not in done.stderr, done.stderr
