# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_torque.py - the dashboard's torques: a payload, limits, the sums of terms, a motion with its time cursor.
import json
import re

from dashboard import faults_of, fill, fits, open_at, press, wait_for


def test_a_motion_between_kept_poses_is_played_and_judged(daemon, page):
    page.shape(1600, "dark")
    open_at(page, daemon, "robots/ur5e/torque?q=0,-1.2,1.4,-0.5,-1.57,0", ".bar")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    press(page, "Keep this pose")
    fill(page, "[aria-label='Joint positions'] .slider:nth-of-type(2) input[type=number]", "3")
    wait_for(page, "document.querySelector('.motion .panel-head .dim').textContent.includes('1 pose')")
    fill(page, ".motion input[type=number]", "0.5")
    press(page, "Torques along it")
    # 3 rad in half a second: a quintic's peak is 15/8 of the mean, 11.25 rad/s, and the joint has 3.14
    said = wait_for(page, "document.querySelector('.verdicts')?.textContent")
    assert "shoulder_pan_joint passes its velocity limit" in said and "11.25" in said
    assert wait_for(page, "document.querySelectorAll('.plot canvas').length") == 3
    fill(page, ".player input[type=range]", "0.25")
    wait_for(page, "document.querySelector('.clock').textContent.startsWith('0.25')")
    assert page.run("return document.querySelector('[aria-label=\"Torque by term\"] h2').textContent") == "Torque at the time cursor"
    # at half time the speeds of all plots are at their peak
    peak = page.run("return [...document.querySelectorAll('.plot')].at(-1).querySelector('.legend b').textContent")
    assert abs(float(peak) - 11.25) < 0.01
    assert not faults_of(page)


def test_a_fault_is_shown_at_its_field(daemon, page):
    page.shape(360, "light")
    open_at(page, daemon, "robots/panda/torque", ".bar")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    press(page, "Keep this pose")
    wait_for(page, "document.querySelector('.motion .panel-head .dim').textContent.includes('1 pose')")
    fill(page, ".motion input[type=number]", "0")
    press(page, "Torques along it")
    assert "times" in wait_for(page, "document.querySelector('.motion .fault .place code')?.textContent")
    assert page.run("return document.querySelector('.motion label .field-fault')?.textContent")
    fill(page, ".motion input[type=number]", "1")
    press(page, "Torques along it")
    wait_for(page, "document.querySelector('.verdicts') && !document.querySelector('.fault, .field-fault')")
    assert fits(page, 360)


def test_the_torque_along_a_log_is_beside_what_was_measured(daemon, page):
    open_at(page, daemon, "robots/panda/torque", ".bar")
    page.run("const box = document.querySelector('[aria-label=\"Along a log\"] select'); box.value = 'sample-panda-1'; box.dispatchEvent(new Event('change', { bubbles: true }))")
    names = wait_for(page, "document.querySelector('[aria-label=\"Along a log\"] .plot canvas') && [...document.querySelectorAll('[aria-label=\"Along a log\"] .legend span')].map((one) => one.textContent)")
    assert names[-2:] == ["sum", "measured"] and "gravity" in names
    assert not faults_of(page) and fits(page, 1280)


def test_forces_and_moments_of_joints_are_arrows_with_their_sizes(daemon, page):
    """planar-2r stretched out along x, gravity along -y: its first joint carries the weight, and the moment that its motor holds."""
    robot = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    open_at(page, daemon, "robots/planar-2r/torque", ".bar")
    page.run("document.querySelector('.stage .check input').click()")
    said = wait_for(page, "document.querySelector('.stage .check .dim')?.textContent")
    force, moment = (float(one) for one in re.findall(r"([\d.]+) N", said))
    weight = 9.81 * sum(link["mass"] for link in robot["links"])
    held = 9.81 * (2 * 0.4 + 1.5 * (0.8 + 0.3))
    assert abs(force - weight) < 0.01 * weight and abs(moment - held) < 0.01 * held, (said, weight, held)


def test_margins_of_drives_and_the_second_opinion_are_beside(daemon, page):
    """A rod of 1 kg at 0.5 m, level: 4.905 N m by a motor of 0.1 N m/A and a gear of 50, 2 ohm, 24 V: 0.981 A of 2 and 1, 1.962 V of 24."""
    drive = {"motor": {"constant_nm_a": 0.1, "resistance": 2}, "gear": {"ratio": 50}, "amplifier": {"supply_v": 24}, "current_limit": {"continuous_a": 0.9, "peak_a": 2}}
    document = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "rod", "mass": 1, "com": [0.5, 0, 0]}],
                "joints": [{"name": "pivot", "kind": "revolute", "parent": "base", "child": "rod", "axis": [0, 1, 0], "drive": drive}]}
    assert daemon.request("PUT", "/v1/robots/driven", json.dumps(document).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
    open_at(page, daemon, "robots/driven/torque", "[aria-label=Drives] tbody tr")
    cells = page.run("return [...document.querySelectorAll('[aria-label=Drives] tbody tr > *')].map((one) => one.textContent.replace('\\u2212', '-'))")
    number = [float(re.search(r"-?[\d.]+", one)[0]) for one in cells[1:]]
    assert abs(abs(number[0]) - 0.981) < 2e-3 and abs(number[1] - 49.05) < 0.1 and abs(number[2] - 109) < 0.5 and abs(abs(number[3]) - 1.962) < 4e-3 and abs(number[4] - 8.175) < 0.02, cells
    # what is above its bound is marked without colour
    assert cells[3].startswith("\u2715") and not cells[2].startswith("\u2715")
    said = page.run("return document.querySelector('[aria-label=\"Second opinion\"]').textContent")
    assert "\u2713 agrees" in said and "recursion against Lagrange" in said, said
    # a drive without stated bounds has no share of them
    del drive["current_limit"], drive["amplifier"]
    assert daemon.request("PUT", "/v1/robots/driven", json.dumps(document).encode(), {"Content-Type": "application/json"})[0] == 200
    open_at(page, daemon, "robots/driven/torque", "[aria-label=Drives] tbody tr")
    cells = page.run("return [...document.querySelectorAll('[aria-label=Drives] tbody tr > *')].map((one) => one.textContent)")
    assert cells[2] == cells[3] == cells[5] == "none stated", cells
    assert not faults_of(page) and fits(page, 1280)


def test_a_link_has_the_motion_and_the_log(daemon, page):
    open_at(page, daemon, "robots/ur5e/torque?q=0,-1.2,1.4,-0.5,-1.57,0", ".bar")
    press(page, "Keep this pose")
    fill(page, "[aria-label='Joint positions'] .slider:nth-of-type(2) input[type=number]", "1")
    wait_for(page, "document.querySelector('.motion .panel-head .dim').textContent.includes('1 pose')")
    press(page, "Keep this pose")
    fill(page, ".motion input[type=number]", "0.7")
    wait_for(page, "location.hash.includes('each=0.7')")
    link = page.run("return location.hash")
    page.goto("about:blank")
    page.goto(f"{daemon.url}/{link}")
    wait_for(page, "document.querySelector('.motion .panel-head .dim')?.textContent.startsWith('2 poses kept')")
    press(page, "Torques along it")
    wait_for(page, "document.querySelector('.clock')?.textContent.endsWith('0.7 s')")
    open_at(page, daemon, "robots/panda/torque?log=sample-panda-1", "[aria-label='Along a log'] .plot canvas")
    assert page.run("return document.querySelector('[aria-label=\"Along a log\"] select').value") == "sample-panda-1"


def test_forces_are_drawn_as_arrows(daemon, page):
    """Counted by what is drawn: for each joint that carries something a line and a cone of its force, and of its moment."""
    counts = "Number(document.querySelector('.view3d canvas').dataset.calls)"
    open_at(page, daemon, "robots/planar-2r/torque", ".bar")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    before = wait_for(page, counts)
    page.run("document.querySelector('.stage .check input').click()")
    # both joints hold a force along y, and a moment about z
    assert wait_for(page, f"{counts} > {before} && {counts}") - before == 2 * 2 * 2
