# SPDX-License-Identifier: Apache-2.0
# tests/cluster/conftest.py - the contract tests' daemon, fixtures and time limits, for the tests of this folder.
import importlib.util
import pathlib

_path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
_spec = importlib.util.spec_from_file_location("contract_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})
