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
