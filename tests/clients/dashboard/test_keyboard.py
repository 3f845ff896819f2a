# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_keyboard.py - each workflow by the keyboard alone: Tab, arrows, Space, Enter and digits; no mouse, no script.
import json

import pytest
from dashboard import URDF, open_at, wait_for


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


    def choose(self, *files):
        """Files by the system's dialog, which the focused button opens."""
        with self.page.tab.expect_file_chooser() as chooser:
            self.press("Enter")
        chooser.value.set_files([{"name": name, "mimeType": "", "buffer": text.encode()} for name, text in files])


@pytest.fixture
def keyboard(page):
    # the browser hands its dialogs over from the first listener on, a moment after it is there
    ignore = lambda _: None  # noqa: E731 - the same one is taken away
    page.tab.on("filechooser", ignore)
    yield Keyboard(page)
    page.tab.remove_listener("filechooser", ignore)


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


@pytest.mark.seconds(200)
def test_a_robot_is_chosen_refused_and_mended(daemon, page, keyboard):
    """From nothing: the button of the file's dialog, the fault that leads to its line, the text mended, the list, and back."""
    open_at(page, daemon, "robots", ".drop")
    keyboard.to("e.matches('.drop button')")
    keyboard.choose(("typed arm.urdf", URDF.format(parent="bass", izz="0.01")))
    wait_for(page, "document.querySelector('.gutter .error')")
    keyboard.to("e.matches('.said button')")
    keyboard.press("Enter")
    keyboard.to("e.matches('textarea.code')")
    keyboard.press("Control+Home", *["ArrowDown"] * 7)
    at = page.run("const box = document.activeElement; return box.value.slice(box.selectionStart).indexOf('bass')")
    keyboard.press(*["ArrowRight"] * at, *["Delete"] * 4)
    page.tab.keyboard.type("base")
    keyboard.push("Put the changed text")
    assert "2 links" in wait_for(page, "document.querySelector('.understood')?.textContent")
    keyboard.push("Differences")
    keyboard.to("e.matches('[aria-label=\"Against which robot\"]')")
    page.tab.keyboard.type("pendulum")
    wait_for(page, "document.querySelector('[aria-label=Differences] li')")
    keyboard.push("Robots")
    wait_for(page, "document.querySelector('[aria-label=\"Remove typed-arm\"]')")
    keyboard.to("e.getAttribute('aria-label') === 'Remove typed-arm'")
    keyboard.press("Enter")
    keyboard.push("Undo")
    wait_for(page, "document.querySelector('[aria-label=\"Remove typed-arm\"]')")


@pytest.mark.seconds(200)
def test_a_table_is_filled_in(daemon, page, keyboard):
    open_at(page, daemon, "robots", ".drop")
    keyboard.to("e.matches('summary')")
    keyboard.press("Enter")
    wait_for(page, "document.querySelector('table.dh')")
    keyboard.to("e.getAttribute('aria-label') === 'd of j1'")
    keyboard.press("Control+a", "0", ".", "7")
    keyboard.push("Make this robot")
    wait_for(page, "document.querySelector('.understood')")
    assert json.loads(daemon.request("GET", "/v1/robots/my-arm")[2])["nv"] == 2


@pytest.mark.seconds(200)
def test_logs_are_chosen_and_mapped_and_a_motion_designed(daemon, page, keyboard):
    rows = "".join(f"{k / 100},{0.5 + 0.3 * ((k * 7) % 100) / 100},{k % 5}\n" for k in range(400))
    open_at(page, daemon, "robots/pendulum/calibrate", ".drop")
    keyboard.to("e.matches('.drop button')")
    keyboard.choose(("hand.csv", "clock,angle,push\n" + rows))
    wait_for(page, "document.querySelector('.mapper')")
    for label, name in (("column of time", "clock"), ("q of", "angle"), ("tau of", "push")):
        keyboard.to(f"e.matches('select') && (e.getAttribute('aria-label') ?? '').startsWith('{label}')")
        page.tab.keyboard.type(name)
        wait_for(page, f"document.activeElement.selectedOptions[0].textContent === '{name}'")
    wait_for(page, "document.querySelector('.findings, .side .fault')")
    keyboard.push("Design a motion to record")
    wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"]')")
    keyboard.push("Design the motion")
    wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"] .verdicts')")
    keyboard.push("Simulate it as a log")
    wait_for(page, "document.querySelectorAll('.checks input:checked').length === 2")


@pytest.mark.seconds(200)
def test_a_motion_is_timed_and_a_log_followed(daemon, page, keyboard):
    open_at(page, daemon, "robots/panda/torque", ".bar")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    keyboard.push("Keep this pose")
    keyboard.to("e.type === 'range' && e.closest('[aria-label=\"Joint positions\"]')")
    keyboard.press("PageUp", "PageUp")
    wait_for(page, "document.querySelector('.motion .panel-head .dim').textContent.includes('1 pose')")
    keyboard.push("Torques along it")
    wait_for(page, "document.querySelector('.motion .verdicts')")
    keyboard.to("e.matches('.motion .player input[type=range]')")
    keyboard.press("End")
    wait_for(page, "document.querySelector('.motion .clock').textContent.startsWith('1.50')")
    keyboard.to("e.matches('select') && e.closest('[aria-label=\"Along a log\"]')")
    page.tab.keyboard.type("sample-panda-1")
    wait_for(page, "document.querySelector('[aria-label=\"Along a log\"] .plot canvas')")


@pytest.mark.seconds(200)
def test_many_runs_are_made_one_is_shown_and_two_compared(daemon, page, keyboard):
    body = {"initial": {"q": [0.4]}, "duration_s": 0.5, "output": {"interval_s": 0.01}}
    first, second = (json.loads(daemon.request("POST", "/v1/robots/pendulum/simulate", json.dumps({**body, "initial": {"q": [q]}}).encode(), {"Prefer": "respond-async"})[2])["id"] for q in (0.4, 0.5))
    open_at(page, daemon, "robots/pendulum/simulate?q=0.5&s=%7B%22duration%22%3A0.5%2C%22members%22%3A20%7D", ".view3d[data-state=ready]")
    keyboard.to("e.matches('select') && e.closest('[aria-label=\"Many runs\"]')")
    page.tab.keyboard.type("the masses")
    wait_for(page, "document.activeElement.value === 'mass_factor'")
    keyboard.push("Simulate 0.5 s, 20 times")
    wait_for(page, "document.querySelector('[aria-label=Bands] .plot canvas')")
    keyboard.to("e.type === 'number' && e.closest('[aria-label=Bands]')")
    keyboard.press("ArrowUp", "ArrowUp")
    keyboard.push("Show it")
    wait_for(page, "document.querySelector('.members')?.textContent.startsWith('Member 2')")
    open_at(page, daemon, f"jobs/{first}", "[aria-label=Comparison] select")
    wait_for(page, f"[...document.querySelector('[aria-label=Comparison] select').options].some((one) => one.value === '{second}')")
    keyboard.to("e.matches('select') && e.closest('[aria-label=Comparison]')")
    page.tab.keyboard.type(second[:6])
    wait_for(page, "document.querySelector('[aria-label=Comparison] p')?.textContent.includes('51 rows compared')")
    keyboard.push("GIF")
    wait_for(page, "[...document.querySelectorAll('button')].some((one) => one.textContent === 'GIF' && !one.disabled)")


@pytest.mark.seconds(200)
def test_the_frame_its_switches_and_the_service(daemon, page, keyboard):
    """The first stop leads past the frame; degrees, colours, the command of the last call, the pages."""
    open_at(page, daemon, "robots/ur5e?q=1,0,0,0,0,0", ".view3d[data-state=ready]")
    keyboard.press("Tab")
    assert page.run("return document.activeElement.className") == "skip"
    keyboard.press("Enter", "Tab")
    assert page.run("return document.activeElement.closest('main') !== null")
    page.run("document.activeElement.blur()")
    keyboard.push("rad")
    wait_for(page, "document.querySelector('.slider input[type=number]').value === '57.296'")
    keyboard.push("auto")
    wait_for(page, "document.documentElement.dataset.theme === 'light'")
    keyboard.push("light")
    keyboard.push("dark")
    keyboard.push("deg")
    keyboard.push("As a command")
    keyboard.push("torquectl")
    assert wait_for(page, "document.querySelector('.calls pre')?.textContent").startswith("torquectl")
    keyboard.push("Copy")
    wait_for(page, "[...document.querySelectorAll('.calls button')].some((one) => one.textContent === 'Copied')")
    keyboard.push("Service")
    wait_for(page, "document.querySelector('[aria-label=Load] li') && document.querySelector('.counters tbody tr')")
