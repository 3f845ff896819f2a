# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_simulation.py - the dashboard's simulations, from an empty state to the result; and its jobs, live.
import json

from dashboard import faults_of, fill, fits, open_at, press, wait_for

PICK = """const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event('change', { bubbles: true }));"""


def jobs_of(daemon, query=""):
    return json.loads(daemon.request("GET", f"/v1/jobs{query}")[2])["jobs"]


def test_a_run_is_set_up_followed_and_played(daemon, page):
    open_at(page, daemon, "jobs", ".empty")
    press(page, "simulation", "document.querySelector('.empty')")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    fill(page, "[aria-label='Joint positions'] .slider:nth-of-type(3) input[type=number]", "-1.2")
    page.run(PICK, "[aria-label='Controller'] select", "computed-torque")
    press(page, "Set the goal")
    wait_for(page, "document.querySelector('.stage > p').textContent.includes('is to reach')")
    fill(page, "[aria-label='Joint positions'] .slider:nth-of-type(2) input[type=number]", "0.8")
    page.run(PICK, "[aria-label='Disturbance'] select", "pulse")
    fill(page, "[aria-label='Run'] input[type=number]", "2")
    press(page, "Simulate 2 s")
    said = wait_for(page, "document.querySelector('.verdicts')?.textContent")
    assert "ran to its end at 2 s" in said and "Energy balances" in said and "Small errors die out" in said
    job = jobs_of(daemon)[0]
    assert page.run("return location.hash").startswith(f"#/jobs/{job['id']}")
    sent = json.loads(daemon.request("GET", f"/v1/jobs/{job['id']}/request")[2])
    assert sent["initial"]["q"][1] == -1.2 and sent["input"]["reference"]["waypoints"][1][0] == 0.8 and sent["disturbance"][0]["kind"] == "pulse"
    # one cursor: the end of the run has the goal on the curve of positions
    wait_for(page, "document.querySelector('.view3d[data-state=ready]') && document.querySelectorAll('.plot canvas').length === 5")
    fill(page, ".player input[type=range]", "2")
    assert abs(float(wait_for(page, "document.querySelector('.clock').textContent.startsWith('2.00') && document.querySelector('.plot .legend b').textContent")) - 0.8) < 1e-3
    before = page.run("return Number(document.querySelector('canvas').dataset.frames)")
    press(page, "\u25b6")
    wait_for(page, f"Number(document.querySelector('.view3d canvas').dataset.frames) > {before} + 5")
    assert not faults_of(page)
    page.shape(360, "dark")
    assert fits(page, 360)


def test_what_diverges_and_what_an_event_stops_is_said(daemon, page):
    setup = {"limits": "stop", "duration": 5}
    open_at(page, daemon, "robots/ur5e/simulate?q=0,6,0,0,0,0&s=" + json.dumps(setup).replace('"', "%22").replace(" ", ""), ".view3d[data-state=ready]")
    press(page, "Simulate 5 s")
    assert "An event stopped it" in wait_for(page, "document.querySelector('.verdicts')?.textContent")
    assert "limit" in page.run("return document.querySelector('.events li').textContent")


def test_a_fault_is_shown_at_its_field(daemon, page):
    open_at(page, daemon, "robots/planar-2r/simulate", ".view3d[data-state=ready]")
    fill(page, "[aria-label='Run'] input[type=number]", "-1")
    page.run("document.querySelector('form').noValidate = true")
    press(page, "Simulate \u22121 s")
    assert wait_for(page, "document.querySelector('[aria-label=\"Run\"] label .field-fault')?.textContent")


def test_jobs_are_live_and_can_be_cancelled_repeated_and_removed(daemon, page):
    open_at(page, daemon, "jobs", ".jobs, .empty")
    wait_for(page, "document.querySelector('.title .good')?.textContent.includes('live')")
    body = {"initial": {"q": [0, -1, 1, 0, 0, 0]}, "duration_s": 90000, "output": {"interval_s": 1}, "solver": {"method": "rk4", "step_s": 0.0001}}
    status, _, text = daemon.request("POST", "/v1/robots/ur5e/simulate", json.dumps(body).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})
    assert status == 202
    ident = json.loads(text)["id"]
    # its row comes by the stream, without a reload; there may be rows of other jobs
    row = f"document.querySelector('.jobs tr:has(a[href*=\"{ident}\"])')"
    click = "[...document.querySelectorAll('[aria-label=\"%s simulate " + ident + "\"]')].map((one) => (one.click(), true))[0]"
    wait_for(page, f"{row}.querySelector('.state.running')")
    wait_for(page, f"{row}.querySelector('progress')?.value > 0")
    wait_for(page, click % "Cancel")
    wait_for(page, f"{row}.querySelector('.state.cancelled')")
    wait_for(page, click % "Remove")
    wait_for(page, f"!{row}")
    press(page, "Undo")
    wait_for(page, f"{row}?.querySelector('.state.cancelled')")
    assert daemon.request("GET", f"/v1/jobs/{ident}")[0] == 200
    assert not faults_of(page)


def test_two_runs_are_compared(daemon, page):
    idents = []
    for angle in (0.5, 0.6):
        body = {"initial": {"q": [angle, 0]}, "duration_s": 1, "output": {"interval_s": 0.01}}
        reply = daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(body).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})
        idents.append(json.loads(reply[2])["id"])
    open_at(page, daemon, f"jobs/{idents[0]}", "[aria-label=Comparison] select")
    wait_for(page, f"[...document.querySelector('[aria-label=Comparison] select').options].some((one) => one.value === '{idents[1]}')")
    page.run(PICK, "[aria-label=Comparison] select", idents[1])
    assert "101 rows compared" in wait_for(page, "document.querySelector('[aria-label=Comparison] p')?.textContent")
    assert wait_for(page, "[...document.querySelectorAll('.legend span')].some((one) => one.textContent.endsWith(', other run'))")
    assert f"with={idents[1]}" in page.run("return location.hash")
    # what the page says is what the service answers: the two began 0.1 apart
    rows = page.run("return [...document.querySelectorAll('[aria-label=Comparison] tbody tr')].map((one) => one.querySelector('th').textContent)")
    assert any(name.startswith(("q", "qd", "tau")) for name in rows), rows


def test_a_job_is_repeated_with_its_request_changed(daemon, page):
    body = {"initial": {"q": [0.5, 0]}, "duration_s": 1, "output": {"interval_s": 0.01}}
    ident = json.loads(daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(body).encode(), {"Prefer": "respond-async"})[2])["id"]
    open_at(page, daemon, f"jobs/{ident}", ".verdicts")
    press(page, "Repeat with changes")
    text = wait_for(page, "document.querySelector('textarea.code')?.value")
    assert json.loads(text) == body
    # refused: the place of the fault is selected in the text
    fill(page, "textarea.code", text.replace('"duration_s": 1', '"duration_s": -7'))
    press(page, "Send as a new simulate")
    wait_for(page, "document.querySelector('.form .fault')")
    assert wait_for(page, "document.querySelector('textarea.code').value.slice(document.querySelector('textarea.code').selectionStart, document.querySelector('textarea.code').selectionEnd)") == "-7"
    fill(page, "textarea.code", text.replace('"duration_s": 1', '"duration_s": 2'))
    press(page, "Send as a new simulate")
    wait_for(page, f"!location.hash.includes('{ident}') && document.querySelector('.verdicts')?.textContent.includes('ran to its end at 2 s')")
    assert daemon.request("GET", f"/v1/jobs/{ident}")[0] == 200
    assert not faults_of(page)


def test_many_runs_are_bands_and_members_come_on_demand(daemon, page):
    open_at(page, daemon, "robots/planar-2r/simulate?q=0.5,0&s=%7B%22duration%22%3A0.5%2C%22vary%22%3A%22q%22%2C%22spread%22%3A0.01%2C%22members%22%3A40%7D", ".view3d[data-state=ready]")
    press(page, "Simulate 0.5 s, 40 times")
    assert "Of 40 runs 40 came to their end" in wait_for(page, "document.querySelector('.verdicts')?.textContent")
    wait_for(page, "document.querySelectorAll('[aria-label=Bands] .plot canvas').length === 2")
    values = page.run("return [...document.querySelectorAll('[aria-label=Bands] .plot')[0].querySelectorAll('.legend b')].map((one) => Number(one.textContent))")
    low, high, least, largest, median = values
    # normally spread by 0.01 around 0.5: of forty, nine of ten lie within 1.6 deviations
    assert least < low < median < high < largest and abs(median - 0.5) < 0.01 and 0.02 < high - low < 0.05, values
    fill(page, "[aria-label=Bands] input[type=number]", "7")
    press(page, "Show it")
    wait_for(page, "document.querySelector('.members')?.textContent.startsWith('Member 7 completed')")
    # its curve begins where it was put: 0.5 and what it was given
    given, begun = page.run("const part = document.querySelector('.members').textContent.replaceAll('\\u2212', '-'); return [Number(/joint1 (\\S+?),/.exec(part)[1]), Number([...document.querySelectorAll('[aria-label=Bands] .plot')[0].querySelectorAll('.legend b')].at(-1).textContent)]")
    assert abs(0.5 + given - begun) < 2e-4 and least <= begun <= largest
    assert fits(page, 1280) and not faults_of(page)


def test_a_run_says_how_long_it_will_take_and_marks_its_events(daemon, page):
    long = {"initial": {"q": [0, -1, 1, 0, 0, 0]}, "duration_s": 90000, "output": {"interval_s": 1}, "solver": {"method": "rk4", "step_s": 0.0001}}
    ident = json.loads(daemon.request("POST", "/v1/robots/ur5e/simulate", json.dumps(long).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})[2])["id"]
    open_at(page, daemon, f"jobs/{ident}", ".progress")
    # a share that grows, and the time that is left
    first = wait_for(page, "/^[\\d.e\\u2212-]+ %, .+ left/.test(document.querySelector('.progress .dim')?.textContent) && document.querySelector('progress').value")
    wait_for(page, f"document.querySelector('progress').value > {first}")
    press(page, "Cancel")
    wait_for(page, "document.querySelector('.state.cancelled')")
    # a pendulum let go passes its limits at times that the daemon states: marks at these times on every curve
    robot = json.loads(daemon.request("GET", "/v1/robots/pendulum")[2])
    robot["joints"][0 if len(robot["joints"]) == 1 else -1]["limits"] = {"lower": -0.3, "upper": 0.3}
    assert daemon.request("PUT", "/v1/robots/bounded", json.dumps({**robot, "name": "bounded"}).encode(), {"Content-Type": "application/json"})[0] == 201
    body = {"initial": {"q": [0.2], "qd": [2]}, "duration_s": 2, "output": {"interval_s": 0.01}, "events": [{"on": "limits", "action": "report"}], "include": ["energy"]}
    status, headers, text = daemon.request("POST", "/v1/robots/bounded/simulate", json.dumps(body).encode(), {"Prefer": "wait=60", "Content-Type": "application/json"})
    assert status == 200, text
    events = json.loads(text)["events"]
    assert len(events) >= 2
    ident = {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]
    open_at(page, daemon, f"jobs/{ident}", ".plot canvas")
    marks = wait_for(page, "[...document.querySelectorAll('.plot-box')].length >= 4 && [...document.querySelectorAll('.plot-box')].map((one) => one.dataset.marks)")
    assert all(len(one.split(", ")) == len(events) for one in marks), (marks, events)
    times = [float(one.split(" ")[0]) for one in marks[0].split(", ")]
    assert all(abs(a - one["t"]) <= 1e-3 * one["t"] for a, one in zip(times, events)) and "upper limit" in marks[0]
    # what arrives at a limit is a speed, and has its unit
    assert f"{events[0]['value']:.3g}"[:4] in page.run("return document.querySelector('.events li').textContent") and page.run("return document.querySelector('.events li').textContent").endswith(" rad/s")
    # one cursor for all: the button of an event leads there
    page.run("document.querySelector('.events').open = true; document.querySelectorAll('.events button')[1].click()")
    wait_for(page, f"document.querySelector('.clock').textContent.startsWith('{events[1]['t']:.2f}')")
    wait_for(page, "location.hash.includes('t=')")
    cursors = page.run("return new Set([...document.querySelectorAll('.now')].map((one) => one.style.transform)).size")
    assert cursors == 1
    assert not faults_of(page)


def test_a_link_shows_the_same_part_filter_and_member(daemon, page):
    body = {"initial": {"q": [0.5, 0]}, "duration_s": 20, "output": {"interval_s": 0.001}}
    status, headers, _ = daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(body).encode(), {"Prefer": "wait=60", "Content-Type": "application/json"})
    assert status == 200
    ident = {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]
    open_at(page, daemon, f"jobs/{ident}", ".plot-tools")
    press(page, "Closer")
    said = wait_for(page, "document.querySelector('.plot-tools p').textContent.includes('of these') && document.querySelector('.plot-tools p').textContent")
    assert "rows=" in page.run("return location.hash")
    page.reload()
    assert wait_for(page, "document.querySelector('.plot-tools p')?.textContent.includes('of these') && document.querySelector('.plot-tools p').textContent") == said
    open_at(page, daemon, "jobs", ".jobs")
    page.run(PICK, ".title select", "failed")
    wait_for(page, "location.hash.includes('state=failed')")
    page.reload()
    wait_for(page, "document.querySelector('.title select')?.value === 'failed'")
