# SPDX-License-Identifier: Apache-2.0
# tests/clients/javascript/conftest.py - a daemon and a Chromium as in tests/browser.
import importlib.util
import pathlib

_path = pathlib.Path(__file__).resolve().parents[2] / "browser" / "conftest.py"
_spec = importlib.util.spec_from_file_location("browser_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})
