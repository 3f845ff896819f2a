# SPDX-License-Identifier: Apache-2.0
# tests/browser/test_dashboard.py - the dashboard at /: each workflow once, from nothing to its result, in seconds; the rest is in tests/clients/dashboard.
import json
import math

from dashboard import URDF, drop, faults_of, fill, fits, open_at, press, wait_for

VALUES = "[...document.querySelectorAll('.bar-value b')].map((one) => one.textContent.replace('\\u2212', '-')).map(Number)"


def test_a_dropped_urdf_is_seen_read_and_mended(daemon, page):
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "my arm.urdf", URDF.format(parent="bass", izz="0.9"))
    # refused: the line of the fault is marked, and what would mend it is said
    marked = wait_for(page, "document.querySelector('.gutter .error')?.textContent")
    assert marked.split()[-1] == "8"
    assert "add <link name" in page.run("return document.querySelector('.said').textContent")
    fill(page, "textarea.code", URDF.format(parent="base", izz="0.9"))
    press(page, "Put the changed text")
    # taken: what it ignored and doubts is beside its lines
    lines = wait_for(page, "document.querySelector('.gutter .doubt') && [...document.querySelectorAll('.gutter .doubt, .gutter .ignored')].map((one) => Number(one.textContent.split(' ').at(-1)))")
    assert lines == [3, 5]
    assert "Understood: 2 links" in page.run("return document.querySelector('.understood').textContent")
    robot = json.loads(daemon.request("GET", "/v1/robots/my-arm")[2])
    assert robot["joints"][0]["name"] == "shoulder"
    wait_for(page, "document.querySelector('.view3d[data-state=ready] canvas').dataset.frames > 0")
    assert fits(page, 1280) and not faults_of(page)


def test_markup_in_names_stays_text(daemon, page):
    """Names of links and joints are free text: tags, handlers of events, right-to-left marks."""
    evil = "<img src=x onerror=window.hacked=1>\u202e\"'&"
    document = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": evil, "mass": 1, "com": [0, 0, 0.1]}],
                "joints": [{"name": "<script>window.hacked=2</script>", "kind": "revolute", "parent": "base", "child": evil, "axis": [0, 1, 0]}]}
    status, _, body = daemon.request("PUT", "/v1/robots/evil", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert status == 201, body
    page.shape(400, "light")
    open_at(page, daemon, "robots/evil?show=text", ".view3d[data-state=ready]")
    press(page, "Pose")
    wait_for(page, "document.querySelector('.slider-name')?.textContent === '<script>window.hacked=2</script>'")
    page.run("[...document.querySelectorAll('.tree button')].at(-1).click()")
    wait_for(page, "document.querySelector('.details h2')?.textContent.startsWith('<img')")
    assert page.run("return window.hacked === undefined && document.querySelectorAll('main img, main script').length === 0")
    assert fits(page, 400)


def test_the_torque_that_holds_a_payload_and_its_limit(daemon, page):
    """planar-2r stretched out, of two links: each m kg at its centre; a payload of P kg at its end adds P g times the lever."""
    robot = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    open_at(page, daemon, "robots/planar-2r/torque", ".bar")
    bare = wait_for(page, f"{VALUES}.length === 2 && {VALUES}")
    fill(page, "[aria-label='Payload'] input[type=number]", "3")
    held = wait_for(page, f"{VALUES}[0] !== {bare[0]} && {VALUES}")
    g = math.hypot(*robot["gravity"])
    # the lever of the end of the chain, from the daemon's own kinematics of the link that carries it
    link = page.run("return document.querySelector('[aria-label=\"Payload\"] select').value")
    poses = json.loads(daemon.request("POST", "/v1/robots/planar-2r/kinematics", json.dumps({"q": [0, 0], "frames": [link]}).encode())[2])
    lever = math.hypot(*poses["frames"][0]["position"])
    assert abs(abs(held[0] - bare[0]) - 3 * g * lever) < 2e-3 * abs(held[0]), (bare, held, lever)
    assert "payload=3" in page.run("return location.hash")


def test_a_simulation_runs_and_is_judged(daemon, page):
    page.shape(360, "dark")
    open_at(page, daemon, "robots/ur5e/simulate?q=0,-1,1,0,0,0", "form button.first")
    press(page, "Simulate 3 s")
    said = wait_for(page, "document.querySelector('.verdicts')?.textContent")
    assert "ran to its end at 3 s" in said and "Energy balances" in said
    wait_for(page, "document.querySelectorAll('.plot canvas').length === 4 && document.querySelector('.view3d[data-state=ready]')")
    assert fits(page, 360)


def test_a_model_is_its_own_experiment(daemon, page):
    open_at(page, daemon, "robots/planar-2r/calibrate", ".drop")
    press(page, "Record two simulated runs")
    press(page, "Calibrate with 2 logs")
    assert wait_for(page, "document.querySelector('.banner h2')?.textContent")
    errors = page.run("return [...document.querySelectorAll('.plot + p')].map((one) => one.textContent)")
    assert len(errors) == 2 and all("RMS of the difference" in one for one in errors)
