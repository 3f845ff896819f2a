# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_types.py - mypy --strict over the package and over a program that uses it.
import subprocess
import sys

import pytest
from conftest import ROOT


def test_mypy_is_content():
    """The package, and a program that uses it: what its types promise."""
    pytest.importorskip("mypy")
    folder = ROOT / "clients" / "python"
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "src/torqued", str(ROOT / "tests/clients/python/typed.py")],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_pyright_is_content():
    pytest.importorskip("pyright")
    done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--pythonversion", "3.10", "src/torqued",
                           str(ROOT / "tests/clients/python/typed.py")], cwd=ROOT / "clients" / "python", capture_output=True, text=True)
    if "errors, " not in done.stdout:
        pytest.skip(f"pyright itself could not be fetched: {done.stderr[-200:]}")
    assert done.returncode == 0 and " 0 warnings" in " " + done.stdout.split("errors,")[-1], done.stdout
