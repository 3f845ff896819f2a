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


@pytest.fixture
def browser():
    """browser(width, scheme): a headless Chromium; its console and errors are checked at the end."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium (make deps-check)")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no chromium or no chromedriver (make deps-check)")
    made = []

    def make(width, scheme):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--force-device-scale-factor=1"):
            options.add_argument(argument)
        if os.getuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        one = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        made.append(one)
        one.set_script_timeout(120)
        one.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        one.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        return one

    yield make
    for one in made:
        # a refused request is an entry of the network's, and no fault of the page
        log = [entry for entry in one.get_log("browser") if entry["level"] in ("SEVERE", "WARNING") and entry["source"] != "network"]
        one.quit()
        assert not log, log
