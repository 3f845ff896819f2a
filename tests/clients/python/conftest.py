# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/conftest.py - the package out of clients/python/src, and the daemon fixtures of the contract's tests.
"""Fixtures: `daemon`, `start` (of tests/contract), `client` of it, and `panda`, a robot of it."""
import importlib.util
import os
import pathlib
import sys

import pytest

pytest.importorskip("httpx")
ROOT = pathlib.Path(__file__).resolve().parents[3]
# TORQUED_PACKAGE=installed tests the package of the environment
if os.environ.get("TORQUED_PACKAGE") != "installed":
    sys.path.insert(0, str(ROOT / "clients" / "python" / "src"))
for name in ("TORQUED_URL", "TORQUED_TOKEN", "TORQUED_TOKEN_FILE"):
    os.environ.pop(name, None)


def contract_conftest():
    spec = importlib.util.spec_from_file_location("contract_conftest", ROOT / "tests" / "contract" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["contract_conftest"] = module
    spec.loader.exec_module(module)
    return module


contract = sys.modules.get("contract_conftest") or contract_conftest()
daemon, start = contract.daemon, contract.start
pytest_configure, pytest_runtest_protocol = contract.pytest_configure, contract.pytest_runtest_protocol


@pytest.fixture(scope="module")
def client(daemon):
    import torqued
    with torqued.Client(daemon.url) as one:
        yield one


@pytest.fixture(scope="module")
def panda(client):
    return client.robot("panda")
