# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_keyboard.py - each workflow by the keyboard alone: Tab, arrows, Space, Enter and digits; no mouse, no script.
import json

import pytest
from dashboard import open_at, wait_for


class Keyboard:
    def __init__(self, page):
        self.page, self.pressed = page, 0

    def press(self, *names):
        self.page.press(*names)
        self.pressed += len(names)

    def to(self, test, most=150):
        """Tab until the focused element passes; every stop on the way has a visible focus."""
        for _ in range(most):
            self.press("Tab")
            if self.page.run(f"const e = document.activeElement; return {test}"):
                assert self.page.run("const style = getComputedStyle(document.activeElement); return style.outlineStyle !== 'none' || style.boxShadow !== 'none'"), test
                return
        raise AssertionError(f"no Tab leads to {test}")

    def push(self, text, within=""):
        self.to(f"e.matches('button, a, summary') && e.textContent.trim() === {json.dumps(text)} && !e.disabled{within}")
        self.press("Enter")


@pytest.fixture
def keyboard(page):
    return Keyboard(page)


@pytest.mark.seconds(200)
def test_a_torque_question(daemon, page, keyboard):
    open_at(page, daemon, "robots", ".cards")
    keyboard.to("e.matches('.card a') && e.textContent.includes('planar-2r')")
    keyboard.press("Enter")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    keyboard.to("e.matches('a') && e.getAttribute('href').includes('planar-2r/torque')")
    keyboard.press("Enter")
    wait_for(page, "document.querySelector('.bar') && document.querySelector('.view3d[data-state=ready]')")
    keyboard.to("e.type === 'range' && e.closest('[aria-label=\"Joint positions\"]')")
    keyboard.press("ArrowRight", "ArrowRight")
    wait_for(page, "/[?&]q=0\\.0/.test(location.hash)")
    keyboard.to("e.type === 'number' && e.closest('[aria-label=\"Payload\"]')")
    keyboard.press("3", "Tab")
    wait_for(page, "location.hash.includes('payload=')")


@pytest.mark.seconds(200)
def test_a_simulation_is_run_judged_and_played(daemon, page, keyboard):
    open_at(page, daemon, "robots/planar-2r/simulate", ".view3d[data-state=ready]")
    keyboard.push("Simulate 3 s")
    assert "ran to its end" in wait_for(page, "document.querySelector('.verdicts')?.textContent")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]') && document.querySelectorAll('.plot canvas').length > 2")
    keyboard.to("e.matches('.player button')")
    keyboard.press("Space")
    wait_for(page, "document.querySelector('.player button').getAttribute('aria-label') === 'Pause'")
    keyboard.press("Space")
    wait_for(page, "document.querySelector('.player button').getAttribute('aria-label') === 'Play'")
    keyboard.to("e.matches('.player input[type=range]')")
    keyboard.press("End")
    wait_for(page, "document.querySelector('.clock').textContent.startsWith('3.00')")


@pytest.mark.seconds(200)
def test_a_calibration_is_run_and_read(daemon, page, keyboard):
    open_at(page, daemon, "robots/panda/calibrate", ".checks input")
    for name in ("sample-panda-1", "sample-panda-2"):
        keyboard.to(f"e.matches('.checks input') && e.closest('label').textContent.includes('{name}')")
        keyboard.press("Space")
    wait_for(page, "document.querySelectorAll('.checks input:checked').length === 2")
    keyboard.push("Calibrate with 2 logs")
    assert wait_for(page, "document.querySelector('.banner h2')?.textContent")
    keyboard.push("Store")
    wait_for(page, "document.querySelector('[href=\"#/robots/panda-calibrated\"]')")


@pytest.mark.seconds(200)
def test_a_job_is_found_cancelled_and_repeated(daemon, page, keyboard):
    body = {"initial": {"q": [0.5]}, "duration_s": 1e6, "output": {"interval_s": 1e5}}
    job = json.loads(daemon.request("POST", "/v1/robots/pendulum/simulate", json.dumps(body).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})[2])["id"]
    open_at(page, daemon, "jobs", ".jobs")
    keyboard.to(f"e.matches('a') && (e.getAttribute('href') || '').includes('{job}')")
    keyboard.press("Enter")
    wait_for(page, "[...document.querySelectorAll('button')].some((one) => one.textContent.trim() === 'Cancel')")
    keyboard.push("Cancel")
    wait_for(page, "document.querySelector('.state.cancelled')")
    keyboard.push("Repeat with changes")
    wait_for(page, "document.querySelector('textarea.code')")


@pytest.mark.seconds(200)
def test_a_dataset_is_looked_at_closer(daemon, page, keyboard):
    open_at(page, daemon, "datasets", ".jobs a")
    keyboard.to("e.matches('a') && e.textContent.trim() === 'sample-panda-1'")
    keyboard.press("Enter")
    wait_for(page, "document.querySelector('.plot canvas')")
    keyboard.push("Closer")
    wait_for(page, "document.querySelector('.plot-tools .dim').textContent.includes('of these')")
    keyboard.push("All")
    wait_for(page, "!document.querySelector('.plot-tools .dim').textContent.includes('of these')")


@pytest.mark.seconds(200)
def test_a_robot_is_changed(daemon, page, keyboard):
    open_at(page, daemon, "robots/planar-2r", ".view3d[data-state=ready]")
    keyboard.push("Change")
    wait_for(page, "document.querySelector('[aria-label=Change]')")
    keyboard.to("e.type === 'number' && e.closest('[aria-label=Change]')")
    keyboard.press("2")
    keyboard.push("Add this change")
    wait_for(page, "document.querySelectorAll('.numbered li').length === 1")
    keyboard.push("Store")
    wait_for(page, "location.hash.startsWith('#/robots/planar-2r-changed')")


@pytest.mark.seconds(200)
def test_contact_is_set_up_and_simulated(daemon, page, keyboard):
    open_at(page, daemon, "robots/planar-2r/simulate?q=0,0&s=%7B%22duration%22%3A0.3%7D", ".view3d[data-state=ready]")
    keyboard.to("e.type === 'checkbox' && e.closest('[aria-label=Contact]')")
    keyboard.press("Space")
    wait_for(page, "document.querySelectorAll('.solid').length === 2")
    keyboard.to("e.matches('.solid summary')")
    keyboard.press("Enter")
    wait_for(page, "document.querySelector('.solid[open]')")
    keyboard.push("Simulate 0.3 s")
    assert "touched" in wait_for(page, "document.querySelector('.verdicts')?.textContent")


@pytest.mark.seconds(200)
def test_what_it_carries_is_found(daemon, page, keyboard):
    open_at(page, daemon, "robots/puma560/calibrate", ".checks input")
    keyboard.push("What it carries")
    wait_for(page, "location.hash.includes('for=load')")
    keyboard.push("Record two simulated runs")
    wait_for(page, "document.querySelectorAll('.bare input').length === 2 && document.querySelector('button.large:not([disabled])')")
    keyboard.push("Find the load with 2 logs")
    assert "It carries a load" in wait_for(page, "document.querySelector('.banner')?.textContent")


@pytest.mark.seconds(200)
def test_a_session_is_driven(daemon, page, keyboard):
    open_at(page, daemon, "robots/pendulum/simulate?q=0.5", ".view3d[data-state=ready]")
    keyboard.push("Drive it by hand")
    wait_for(page, "document.querySelector('[aria-label=Torques] input') && document.querySelector('.view3d[data-state=ready]')")
    keyboard.to("e.type === 'range' && e.closest('[aria-label=Torques]')")
    keyboard.press("ArrowRight", "ArrowRight")
    keyboard.push("Step")
    wait_for(page, "document.querySelector('[aria-label=Time] h2').textContent === '0.1 s, step 10'")
    keyboard.push("Close the session")
    wait_for(page, "location.hash === '#/sessions'")
