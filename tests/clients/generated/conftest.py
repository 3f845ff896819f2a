# SPDX-License-Identifier: Apache-2.0
# tests/clients/generated/conftest.py - a daemon as in tests/contract, tools of npm, and where clients are generated.
import importlib.util
import pathlib
import subprocess

import pytest

_path = pathlib.Path(__file__).resolve().parents[2] / "contract" / "conftest.py"
_spec = importlib.util.spec_from_file_location("contract_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})

TOP = pathlib.Path(__file__).resolve().parents[3]
NODE = TOP / "build/node/node_modules"


@pytest.fixture(scope="session")
def npm_tool():
    """npm_tool(name): the path of a command that npm installed, or a skip."""
    def find(name):
        path = NODE / ".bin" / name
        if not path.exists():
            pytest.skip(f"no {name}: make deps-clients")
        return str(path)

    return find


@pytest.fixture(scope="session")
def run():
    """run(*command): its output; the test fails where the command does."""
    def ran(*command, **options):
        got = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, check=False, **options)
        assert got.returncode == 0, f"{command}: {got.stdout[-8000:]}{got.stderr[-8000:]}"
        return got.stdout + got.stderr

    return ran


@pytest.fixture(scope="module")
def contract_file(daemon, tmp_path_factory):
    """The contract for generators, as a user fetches it."""
    status, _, body = daemon.request("GET", "/openapi/clients.json")
    assert status == 200
    path = tmp_path_factory.mktemp("contract") / "clients.json"
    path.write_bytes(body)
    return path
