# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_trouble.py - the dashboard when something goes away: the service, the token, a robot under the page.
import hashlib
import json

from conftest import Daemon
from dashboard import faults_of, fill, open_at, pixels, press, wait_for, wait_for_other_pixels


def test_a_token_is_asked_for_and_opens(page, tmp_path):
    token = "correct-horse-battery-staple-0123456789"
    (tmp_path / "tokens").write_text(f"lab {hashlib.blake2b(token.encode(), digest_size=32).hexdigest()}\n")
    (tmp_path / "tokens").chmod(0o600)
    one = Daemon({"credentials": str(tmp_path / "tokens")})
    try:
        open_at(page, one, "robots", ".login")
        assert not faults_of(page)
        fill(page, ".login input", "wrong-token-wrong-token-wrong-token-1")
        press(page, "Open")
        assert wait_for(page, "document.querySelector('.login .fault')?.textContent")
        fill(page, ".login input", token)
        press(page, "Open")
        wait_for(page, "document.querySelectorAll('.card').length > 5 && !document.querySelector('.login')")
        # what needs no header of ours: the stream of events, by the cookie
        open_at(page, one, "jobs", ".title .good")
    finally:
        one.stop()


def test_the_service_goes_and_comes_back_under_the_page(page, tmp_path):
    one = Daemon(state=str(tmp_path))
    port = one.url.rpartition(":")[2]
    open_at(page, one, "robots/planar-2r/torque", ".bar")
    one.stop()
    fill(page, "[aria-label='Payload'] input[type=number]", "2")
    assert "does not answer" in wait_for(page, "document.querySelector('.away-bar')?.textContent")
    again = Daemon(state=str(tmp_path), listen=f"127.0.0.1:{port}")
    try:
        wait_for(page, "!document.querySelector('.away-bar')")
        # the page is as it was left, and goes on
        assert page.execute_script("return document.querySelector(\"[aria-label='Payload'] input[type=number]\").value") == "2"
        fill(page, "[aria-label='Payload'] input[type=number]", "3")
        wait_for(page, "!document.querySelector('.fault') && document.querySelector('.calls .good')")
    finally:
        again.stop()


def test_what_is_deleted_under_the_page_is_said(daemon, page):
    document = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "rod", "mass": 1, "com": [0, 0, -0.5]}],
                "joints": [{"name": "pivot", "kind": "revolute", "parent": "base", "child": "rod", "axis": [0, 1, 0]}]}
    assert daemon.request("PUT", "/v1/robots/brief", json.dumps(document).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/brief/torque", ".bar")
    daemon.request("DELETE", "/v1/robots/brief")
    fill(page, "[aria-label='Joint positions'] input[type=number]", "1")
    assert "brief" in wait_for(page, "document.querySelector('.fault')?.textContent")
    open_at(page, daemon, "jobs/0000000000000000000000000z", ".fault")


def test_the_keyboard_alone_poses_a_robot(daemon, page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    open_at(page, daemon, "robots", ".cards")

    def tab_to(test, most=80):
        for _ in range(most):
            ActionChains(page).send_keys(Keys.TAB).perform()
            if page.execute_script(f"const e = document.activeElement; return {test}"):
                return
        raise AssertionError(test)

    tab_to("e.matches('.card a') && e.textContent.includes('planar-2r')")
    ActionChains(page).send_keys(Keys.ENTER).perform()
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    tab_to("e.tagName === 'CANVAS'")
    before = pixels(page)
    ActionChains(page).send_keys(Keys.ARROW_LEFT).perform()
    wait_for_other_pixels(page, before)
    tab_to("e.type === 'range'")
    ActionChains(page).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).perform()
    wait_for(page, "location.hash.includes('q=0.0')")
