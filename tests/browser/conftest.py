# SPDX-License-Identifier: Apache-2.0
# tests/browser/conftest.py - a daemon as in tests/contract, and a Chromium of one's own.
import importlib.util
import os
import pathlib
import shutil

import pytest

_path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
_spec = importlib.util.spec_from_file_location("contract_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("__")})


def _launch():
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium (make deps-check)")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no chromium or no chromedriver (make deps-check)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # WebGL alone by SwiftShader; pages composed by it too stop for minutes on a busy machine
    for argument in ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    if os.getuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    one = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    one.set_script_timeout(120)
    return one


def _shape(one, width, scheme, height=900):
    one.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    one.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def _complaints(one):
    """What the console holds; a refused request is an entry of the network's, a slow read-back of pixels one of the driver's: no fault of the page."""
    return [entry for entry in one.get_log("browser") if entry["level"] in ("SEVERE", "WARNING") and entry["source"] not in ("network", "rendering")]


@pytest.fixture
def browser():
    """browser(width, scheme): a headless Chromium; its console and errors are checked at the end."""
    made = []

    def make(width, scheme):
        one = _launch()
        made.append(one)
        _shape(one, width, scheme)
        return one

    yield make
    for one in made:
        log = _complaints(one)
        one.quit()
        assert not log, log


@pytest.fixture(scope="module")
def _shared_browser():
    one = _launch()
    yield one
    one.quit()


@pytest.fixture
def page(_shared_browser):
    """The file's one Chromium, 1280 px wide and light until `page.shape(width, scheme)`; its console is checked after each test."""
    one = _shared_browser
    one.shape = lambda width, scheme, height=900: _shape(one, width, scheme, height)
    one.shape(1280, "light")
    yield one
    log = _complaints(one)
    one.get("about:blank")
    assert not log, log
