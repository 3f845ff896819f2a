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
