# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_hostile.py - names that are markup, right-to-left text or very long, of links, joints, columns and files: on every page that shows
# them nothing is executed, nothing is wider than the window, and what stands beside a name keeps its order.
import json

import pytest
from dashboard import drop, faults_of, fits, open_at, press, wait_for

TAG = "<img src=x onerror=window.hacked=1>"
TURNED = "\u202eevil"  # what follows in the paragraph would be drawn from right to left
WIDE = "W" * 120
HEBREW = "\u05d0\u05d1\u05d2 7"
JSON = {"Content-Type": "application/json"}
UNHARMED = "return window.hacked === undefined && document.querySelectorAll('main img, main script, main iframe').length === 0"


@pytest.fixture(scope="module")
def jobs(daemon):
    """A robot, a dataset and jobs with such names; {kind: id}."""
    document = {"gravity": [0, 0, 9.81], "links": [{"name": TAG}, {"name": WIDE, "mass": 1, "com": [0, 0, 0.1], "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], "inertia_about": "com"}, {"name": HEBREW, "mass": 1, "com": [0, 0, 0.1]}],
                "joints": [{"name": TURNED, "kind": "revolute", "parent": TAG, "child": WIDE, "axis": [0, 1, 0], "limits": {"lower": -1, "upper": 1, "effort": 5, "velocity": 1}},
                           {"name": f"</script>{WIDE[:60]}", "kind": "revolute", "parent": WIDE, "child": HEBREW, "axis": [1, 0, 0], "origin": {"position": [0, 0, 0.2]}, "damping": 0.2}]}
    assert daemon.request("PUT", "/v1/robots/evil", json.dumps(document).encode(), JSON)[0] == 201
    log = f'time,"{TAG}","{TURNED}",{WIDE},{HEBREW}\n' + "".join(f"{k / 100},{(k * 7) % 90 / 100},{(k * 5) % 70 / 100},{k % 5},{k % 3}\n" for k in range(400))
    assert daemon.request("PUT", "/v1/datasets/evil", log.encode(), {"Content-Type": "text/csv"})[0] == 201

    def done(operation, body):
        status, headers, answer = daemon.request("POST", f"/v1/robots/evil/{operation}", json.dumps(body).encode(), {**JSON, "Prefer": "wait=60"})
        assert status == 200, answer
        return {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]

    start = {"initial": {"q": [0.9, 0.2], "qd": [1.5, 0]}, "duration_s": 1, "output": {"interval_s": 0.01}}
    runs = [done("simulate", {**start, "events": [{"on": "limits", "action": "report"}], "include": ["energy"]}), done("simulate", {**start, "initial": {"q": [0.5, 0.1]}})]
    way = {"frequency_hz": 0.3, "offset": [0, 0], "a": [[0.3, 0.2], [0.1, -0.1]], "b": [[0.1, 0.1], [0.1, 0.05]]}
    driven = [done("simulate", {"initial": {"q": [0, 0]}, "duration_s": length, "output": {"interval_s": 0.01}, "input": {"kind": "computed-torque", "kp": 100, "kd": 20, "reference": {"fourier": way}}}) for length in (6, 7)]
    return {"run": runs[0], "other": runs[1], "ensemble": done("ensemble", {**start, "members": 20, "seed": 1, "quantiles": [0.05, 0.5, 0.95], "vary": [{"of": "q", "joint": TURNED, "normal": {"deviation": 0.01}}]}),
            "calibration": done("calibrate", {"datasets": [{"job": one} for one in driven], "model": {"rotor": False}})}


# address, what must be there
PAGES = [
    ("robots/evil?show=text", ".source textarea"), ("robots/evil?link=" + WIDE, ".details"), ("robots/evil?show=change", "[aria-label=Change] input"), ("robots/evil?show=differences&with=planar-2r", "[aria-label=Differences] li"),
    ("robots/evil/torque", ".bar"), ("robots/evil/torque?way=0.1,0.1;0.9,0.9&each=0.2", ".motion"), ("robots/evil/simulate", ".view3d[data-state=ready]"), ("jobs/{run}?with={other}", "[aria-label=Comparison] p"),
    ("jobs/{ensemble}", "[aria-label=Bands] .plot canvas"), ("jobs/{calibration}", ".parameters"), ("robots/evil/calibrate?logs=evil", ".mapper"), ("datasets/evil", ".plot canvas"), ("jobs", ".jobs"), ("datasets", ".jobs")]


@pytest.mark.seconds(120)
@pytest.mark.parametrize("address, ready", PAGES, ids=[address.split("&")[0][:40] for address, _ in PAGES])
def test_hostile_names_do_nothing_on_a_page(daemon, page, jobs, address, ready):
    open_at(page, daemon, address.format(**jobs), ready)
    if "way=" in address:
        press(page, "Torques along it")
        # what a name is said to pass, in words
        assert TURNED in wait_for(page, "document.querySelector('.motion .verdicts')?.textContent")
    page.run("for (const one of document.querySelectorAll('details')) one.open = true")
    for width, scheme in ((360, "dark"), (1280, "light")):
        page.shape(width, scheme)
        assert fits(page, width), (address, width)
        assert not faults_of(page), (address, width)
    assert page.run(UNHARMED)


def test_a_name_does_not_turn_what_is_beside_it(daemon, page, jobs):
    """The mass of a link is right of its name, the value of a bar right of its joint's, whatever the name has in it."""
    open_at(page, daemon, "robots/evil/torque", ".bar")
    rows = page.run("return [...document.querySelectorAll('.bar')].map((row) => [row.querySelector('.bar-name'), row.querySelector('.bar-value')].map((one) => one.getBoundingClientRect().left))")
    assert all(name < value for name, value in rows), rows
    # a sentence with the name within one paragraph: the words after it stay after it
    page.run("""const list = document.createElement('p'); list.id = 'probe'; list.innerHTML = '<span></span> <b>after</b>'; list.firstChild.textContent = arguments[0]; document.querySelector('main').append(list);""", TURNED)
    name, after = page.run("return [...document.querySelectorAll('#probe > *')].map((one) => one.getBoundingClientRect().left)")
    assert name < after


def test_files_with_hostile_names_and_contents_are_taken_or_refused(daemon, page):
    """A name of a file becomes a name that the service takes; what is no robot is refused with its text shown as text."""
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", f"{TAG}\u202e.urdf", f"<robot name='x'>{TAG}<script>window.hacked=2</script></robot>")
    wait_for(page, "document.querySelector('.source textarea')")
    assert TAG in page.run("return document.querySelector('.source textarea').value") and page.run(UNHARMED) and fits(page, 1280)
    open_at(page, daemon, "datasets", ".drop")
    drop(page, ".drop", f"../../{TAG}.csv", "t,q\n0,1\n1,2\n")
    wait_for(page, "[...document.querySelectorAll('.jobs a')].some((one) => one.textContent.includes('img-src'))")
    assert page.run(UNHARMED) and fits(page, 1280)
    # an address is typed by anyone: names that are no names
    for address in ("robots/%3Cimg%20src=x%20onerror=window.hacked=1%3E", "jobs/%3Cscript%3E", "datasets/..%2f..%2fetc", "sessions/%22%3E%3Cb%3E", "robots/ur5e/torque?q=NaN,1&qd=%3Cb%3E&payload=1e999", "robots/ur5e/simulate?s=%7B%22duration%22:%22%3Cb%3E%22",
                    "robots/panda/calibrate?s=%7B%22units%22:null,%22columns%22:%7B%7D&logs=%3Cb%3E,job:x", "datasets/sample-panda-1?rows=5,1&columns=99,-1"):
        open_at(page, daemon, address, "main h1, main .fault")
        assert page.run(UNHARMED) and fits(page, 1280), address
