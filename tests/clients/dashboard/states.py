# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/states.py - every page of the dashboard in each of its states: what is put into the daemon first, and how each state is reached.
import json

from dashboard import URDF, drop, fill, open_at, press, wait_for

READY = ".view3d[data-state=ready]"
JSON = {"Content-Type": "application/json"}
PICK = """const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event('change', { bubbles: true }));"""
LOG = "t,q,tau\n" + "".join(f"{k / 100},{0.5 + 0.3 * ((k * 7) % 100) / 100},{k % 5}\n" for k in range(400))
SOLIDS = [{"name": "floor", "shape": "half-space", "pose": {"position": [0, 0, -0.01]}}, {"name": "wrist", "link": "wrist_3_link", "shape": "sphere", "size": [0.05]},
          {"name": "post", "shape": "capsule", "size": [0.05, 0.6], "pose": {"position": [0.6, 0.3, 0.3]}}]


def setup(**fields):
    return json.dumps(fields).replace('"', "%22").replace(" ", "")


def run(daemon, path, body):
    """A finished job's id."""
    status, headers, answer = daemon.request("POST", f"/v1/robots/{path}", json.dumps(body).encode(), {**JSON, "Prefer": "wait=60"})
    assert status in (200, 422), answer
    named = {name.lower(): value for name, value in headers.items()}.get("content-location")
    if named is None:
        return json.loads(daemon.request("POST", f"/v1/robots/{path}", json.dumps(body).encode(), {**JSON, "Prefer": "respond-async"})[2])["id"]
    return named.split("/")[3]


def fill_in(daemon):
    """Robots, data and jobs of every kind; the words that addresses of states have for them."""
    assert daemon.request("PUT", "/v1/robots/arm", URDF.format(parent="base", izz="0.01").encode(), {"Content-Type": "application/xml"})[0] == 201
    assert daemon.request("PUT", "/v1/datasets/swing", LOG.encode(), {"Content-Type": "text/csv"})[0] == 201
    start, goal = [0, -1.2, 1.4, -0.5, -1.57, 0], [0.8, -0.8, 1, -0.5, -1.57, 0]
    control = {"kind": "computed-torque", "kp": 100, "kd": 20, "reference": {"waypoints": [start, goal], "times_s": [0, 0.8], "timing": "quintic"}}
    return {
        "run": run(daemon, "ur5e/simulate", {"initial": {"q": start}, "duration_s": 1, "output": {"interval_s": 0.01}, "input": control, "include": ["energy", "tracking_error"]}),
        "contact": run(daemon, "ur5e/simulate", {"initial": {"q": [0, -0.5, 0.5, 0, 0, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.01}, "include": ["energy"], "contacts": {"friction": 0.7, "shapes": SOLIDS}}),
        "ensemble": run(daemon, "planar-2r/ensemble", {"initial": {"q": [0.5, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.01}, "members": 40, "seed": 1, "quantiles": [0.05, 0.5, 0.95],
                                                       "vary": [{"of": "q", "joint": "joint1", "normal": {"deviation": 0.02}}]}),
        "calibration": run(daemon, "panda/calibrate", {"datasets": ["sample-panda-1", "sample-panda-2"]}),
        "payload": run(daemon, "panda/payload", {"datasets": ["sample-panda-1"]}),
        "failed": run(daemon, "pendulum/calibrate", {"datasets": ["nowhere"]}),
        "session": json.loads(daemon.request("POST", "/v1/sessions", json.dumps({"robot": "planar-2r", "initial": {"q": [0.5, 0]}, "step_s": 0.01}).encode())[2])["id"],
    }


def sweep(daemon, words):
    """What a state has left in the daemon is no part of another state's picture, in whatever order they are reached."""
    kept = set(words.values())
    for job in json.loads(daemon.request("GET", "/v1/jobs?limit=100")[2])["jobs"]:
        if job["id"] not in kept:
            daemon.request("DELETE", f"/v1/jobs/{job['id']}")
    for robot in json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]:
        if not robot["builtin"] and robot["name"] != "arm":
            daemon.request("DELETE", f"/v1/robots/{robot['name']}")


def refused(page, daemon):
    drop(page, ".drop", "my arm.urdf", URDF.format(parent="bass", izz="0.9"))
    wait_for(page, "document.querySelector('.gutter .error')")


def read(page, daemon):
    drop(page, ".drop", "read arm.urdf", URDF.format(parent="base", izz="0.9"))
    wait_for(page, f"document.querySelector('.gutter .doubt') && document.querySelector('{READY}')")


def changed(page, daemon):
    fill(page, "[aria-label=Change] input", "3")
    press(page, "Add this change")
    wait_for(page, "document.querySelector('.numbered')")
    page.run("document.querySelector('[aria-label=Change] details').open = true")


def moved(page, daemon):
    wait_for(page, f"document.querySelector('{READY}')")
    fill(page, "[aria-label='Payload'] input[type=number]", "2")
    page.run("[...document.querySelectorAll('.check input')][0].click()")
    press(page, "Keep this pose")
    fill(page, "[aria-label='Joint positions'] .slider:nth-of-type(2) input[type=number]", "1")
    wait_for(page, "document.querySelector('.motion .panel-head .dim').textContent.includes('1 pose')")
    press(page, "Torques along it")
    wait_for(page, "document.querySelectorAll('.plot canvas').length === 3")
    page.run("document.querySelector('.numbers').open = true")


def played(page, daemon):
    wait_for(page, f"document.querySelector('{READY}') && document.querySelectorAll('.plot canvas').length >= 4")
    fill(page, ".player input[type=range]", "0.3")


def mapped(page, daemon):
    page.run("[...document.querySelectorAll('.checks label')].find((one) => one.textContent.startsWith('swing')).querySelector('input').click()")
    wait_for(page, "document.querySelector('.mapper') && document.querySelector('.plot canvas') && document.querySelector('.findings, .side .fault')")


def designed(page, daemon):
    press(page, "Design the motion")
    wait_for(page, f"document.querySelectorAll('[aria-label=\"Motion to record\"] .plot canvas').length === 2 && document.querySelector('{READY}')")


def opened(page, daemon):
    page.run("for (const one of document.querySelectorAll('details')) one.open = true")


def asked(page, daemon):
    press(page, "As a command")
    wait_for(page, "document.querySelector('.calls pre')")


def refused_setup(page, daemon):
    page.run("document.querySelector('form').noValidate = true")
    press(page, "Simulate \u22121 s")
    wait_for(page, "document.querySelector('.field-fault')")


def followed(page, daemon):
    """Curves of the load come with the third answer."""
    wait_for(page, "document.querySelectorAll('[aria-label=Load] .plot canvas').length === 2")


def changing(page, daemon):
    wait_for(page, "document.querySelector('textarea.code')?.value")


# name, address, what must be there, what is done then
STATES = [
    ("robots", "robots", ".cards", None),
    ("robots-table", "robots", ".drop", opened),
    ("robots-refused", "robots", ".drop", refused),
    ("robot-pose", "robots/ur5e?link=forearm_link&q=0,-1.2,1.4,-0.5,-1.57,0", READY, None),
    ("robot-text", "robots", ".drop", read),
    ("robot-change", "robots/panda?show=change&link=link4", "[aria-label=Change] input", changed),
    ("robot-differences", "robots/ur10e?show=differences&with=ur5e", "[aria-label=Differences] li", opened),
    ("robot-absent", "robots/nobody", ".fault", None),
    ("torque", "robots/ur5e/torque?q=0,-1.2,1.4,-0.5,-1.57,0", ".bar", moved),
    ("simulate", f"robots/ur5e/simulate?q=0,-1.2,1.4,-0.5,-1.57,0&s={setup(control='computed-torque', push='pulse')}", READY, None),
    ("simulate-contact", f"robots/ur5e/simulate?q=0,-1.2,1.4,-0.5,-1.57,0&s={setup(contacts={'friction': 0.7, 'restitution': 0, 'shapes': SOLIDS})}", READY, opened),
    ("simulate-refused", f"robots/planar-2r/simulate?s={setup(duration=-1)}", READY, refused_setup),
    ("run", "jobs/{run}", ".verdicts", played),
    ("run-contact", "jobs/{contact}", ".verdicts", played),
    ("run-changed", "jobs/{run}?change=1", ".verdicts", changing),
    ("ensemble", "jobs/{ensemble}", "[aria-label=Bands] .plot canvas", None),
    ("calibrate", "robots/panda/calibrate", ".checks input", None),
    ("calibrate-mapped", "robots/pendulum/calibrate", ".checks input", mapped),
    ("calibrate-designed", "robots/planar-2r/calibrate?design=1", "[aria-label=\"Motion to record\"] input", designed),
    ("calibrate-load", "robots/panda/calibrate?for=load", ".checks input", None),
    ("calibration", "jobs/{calibration}", ".parameters", opened),
    ("payload", "jobs/{payload}", ".banner", None),
    ("jobs", "jobs", ".jobs", None),
    ("job-failed", "jobs/{failed}", ".fault", None),
    ("job-absent", "jobs/0000000000000000000000000z", ".fault", None),
    ("sessions", "sessions", ".jobs", None),
    ("session", "sessions/{session}", READY, None),
    ("datasets", "datasets", ".jobs", asked),
    ("dataset", "datasets/sample-panda-1", ".plot canvas", None),
    ("service", "service", ".counters tr", followed),
]


def reach(page, daemon, words, state):
    name, address, ready, act = state
    open_at(page, daemon, address.format(**words) if "{run}" in address or "jobs/{" in address or "sessions/{" in address else address, ready)
    if act:
        act(page, daemon)
    if "view3d" in page.run("return document.querySelector('.view3d')?.className ?? ''"):
        wait_for(page, f"document.querySelector('{READY} canvas')?.dataset.frames > 0")
    return name
