# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/conftest.py - a daemon and the browser of tests/browser.
import importlib.util
import pathlib
import sys

_folder = pathlib.Path(__file__).resolve().parents[2] / "browser"
sys.path.insert(0, str(_folder))
_spec = importlib.util.spec_from_file_location("browser_conftest", _folder / "conftest.py")
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})
