# SPDX-License-Identifier: Apache-2.0
# tests/browser/conftest.py - a daemon as in tests/contract, and a Chromium of one's own.
import importlib.util
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import driver  # noqa: E402 - of this folder

_path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
_spec = importlib.util.spec_from_file_location("contract_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})


def _complaints(one):
    """What the console holds; a refused request is an entry of the network's, a slow read-back of pixels one of the driver's: no fault of the page."""
    return [entry for entry in one.console() if entry["source"] not in ("network", "rendering")]


@pytest.fixture
def browser():
    """browser(width, scheme): a headless Chromium; its console and errors are checked at the end."""
    made = []

    def make(width, scheme):
        one = driver.Page()
        made.append(one)
        one.shape(width, scheme)
        return one

    yield make
    for one in made:
        log = _complaints(one)
        one.close()
        assert not log, log


@pytest.fixture(scope="module")
def _shared_browser():
    one = driver.Page()
    yield one
    one.close()


@pytest.fixture
def page(_shared_browser):
    """The file's one Chromium, 1280 px wide and light until `page.shape(width, scheme)`; its console is checked after each test."""
    one = _shared_browser
    one.shape(1280, "light")
    yield one
    log = _complaints(one)
    one.goto("about:blank")
    assert not log, log
