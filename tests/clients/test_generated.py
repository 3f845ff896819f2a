# SPDX-License-Identifier: Apache-2.0
# tests/clients/test_generated.py - the contract through other people's tools: validators are silent.
import os
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
NODE = TOP / "build/node/node_modules"


def tool(name):
    """A command of npm, or a skip."""
    path = NODE / ".bin" / name
    if not path.exists():
        pytest.skip(f"no {name}: make deps-clients")
    return path


def test_redocly_has_no_error():
    command = [tool("redocly"), "lint", "api/openapi/openapi.yaml", "--extends=minimal", "--format=summary"]
    quiet = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    got = subprocess.run(command, cwd=TOP, env=quiet, capture_output=True, text=True, timeout=120, check=False)
    assert got.returncode == 0, got.stdout + got.stderr
