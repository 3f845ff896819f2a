# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/conftest.py - the fixtures of tests/clients/python, for tests of minutes.
import importlib.util
import pathlib

_path = pathlib.Path(__file__).resolve().parents[1] / "python" / "conftest.py"
_spec = importlib.util.spec_from_file_location("python_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})
