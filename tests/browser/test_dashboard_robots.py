# SPDX-License-Identifier: Apache-2.0
# tests/browser/test_dashboard_robots.py - the dashboard's robots: a file becomes a robot one can look at, with what is wrong in it marked.
import json

import pytest
from dashboard import drop, faults_of, fill, fits, open_at, press, wait_for

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.1 0.1 0.4"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="{parent}"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="40" velocity="3"/>
  </joint>
</robot>
"""


def test_a_dropped_urdf_is_seen_read_and_mended(daemon, page):
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "my arm.urdf", URDF.format(parent="bass", izz="0.9"))
    # refused: the line of the fault is marked, and what would mend it is said
    marked = wait_for(page, "document.querySelector('.gutter .error')?.textContent")
    assert marked.split()[-1] == "8"
    assert "add <link name" in page.execute_script("return document.querySelector('.said').textContent")
    fill(page, "textarea.code", URDF.format(parent="base", izz="0.9"))
    press(page, "Put the changed text")
    # taken: what it ignored and doubts is beside its lines
    lines = wait_for(page, "document.querySelector('.gutter .doubt') && [...document.querySelectorAll('.gutter .doubt, .gutter .ignored')].map((one) => Number(one.textContent.split(' ').at(-1)))")
    assert lines == [3, 5]
    assert "Understood: 2 links" in page.execute_script("return document.querySelector('.understood').textContent")
    robot = json.loads(daemon.request("GET", "/v1/robots/my-arm")[2])
    assert robot["joints"][0]["name"] == "shoulder"
    wait_for(page, "document.querySelector('.view3d[data-state=ready] canvas').dataset.frames > 0")
    assert fits(page, 1280) and not faults_of(page)


def test_a_slider_moves_the_robot_and_the_address_has_the_pose(daemon, page):
    page.shape(1280, "dark")
    open_at(page, daemon, "robots/ur5e", ".view3d[data-state=ready]")
    before = page.execute_script("return document.querySelector('canvas').toDataURL()")
    fill(page, ".slider:nth-of-type(2) input[type=number]", "-1.25")
    wait_for(page, f"document.querySelector('canvas').toDataURL() !== {json.dumps(before)}")
    assert page.execute_script("return location.hash") == "#/robots/ur5e?q=-1.25%2C0%2C0%2C0%2C0%2C0"
    press(page, "rad")
    wait_for(page, "document.querySelector('.slider input[type=number]').value === '-71.62'")
    # the address alone brings the pose back
    page.refresh()
    wait_for(page, "document.querySelector('.slider input[type=number]')?.value === '-71.62'")
    press(page, "deg")


def test_what_was_asked_can_be_taken_along(daemon, page):
    open_at(page, daemon, "robots/panda", ".view3d[data-state=ready]")
    press(page, "As a command")
    assert wait_for(page, "document.querySelector('.calls pre')?.textContent") == f"curl -s '{daemon.url}/v1/robots/panda'"
    press(page, "Python")
    assert wait_for(page, "document.querySelector('.calls pre')?.textContent.includes('requests') && document.querySelector('.calls pre').textContent").endswith(
        f'requests.get("{daemon.url}/v1/robots/panda").json()')


def test_a_removed_robot_comes_back_by_undo(daemon, page):
    assert daemon.request("PUT", "/v1/robots/mine", URDF.format(parent="base", izz="0.01").encode(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots", ".cards")
    wait_for(page, "[...document.querySelectorAll('[aria-label=\"Remove mine\"]')].map((one) => (one.click(), true))[0]")
    wait_for(page, "document.querySelector('.note')?.textContent.includes('mine is removed')")
    assert daemon.request("GET", "/v1/robots/mine")[0] == 404
    press(page, "Undo")
    wait_for(page, "[...document.querySelectorAll('.card b')].some((one) => one.textContent === 'mine')")
    assert json.loads(daemon.request("GET", "/v1/robots/mine")[2])["links"][1]["name"] == "upper"


@pytest.mark.parametrize("width, scheme", [(360, "dark"), (3840, "light")])
def test_robots_fit_and_are_accessible(daemon, page, width, scheme):
    page.shape(width, scheme)
    open_at(page, daemon, "robots", ".cards")
    assert fits(page, width) and not faults_of(page)
    open_at(page, daemon, "robots/humanoid?link=torso", ".view3d[data-state=ready]")
    assert fits(page, width) and not faults_of(page)


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
    page.execute_script("[...document.querySelectorAll('.tree button')].at(-1).click()")
    wait_for(page, "document.querySelector('.details h2')?.textContent.startsWith('<img')")
    assert page.execute_script("return window.hacked === undefined && document.querySelectorAll('main img, main script').length === 0")
    assert fits(page, 400)
