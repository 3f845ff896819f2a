# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_contact.py - contact set up, drawn and simulated; what a robot carries; a robot changed by operations; a session driven by hand.
import json

from dashboard import faults_of, fill, fits, open_at, press, wait_for

PICK = """const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event('change', { bubbles: true }));"""


def test_a_robot_stands_on_a_floor_that_is_drawn(daemon, page):
    """A quadruped held stiff: its feet carry its weight."""
    setup = {"control": "pd", "kp": 60, "kd": 5, "duration": 0.5}
    open_at(page, daemon, "robots/quadruped/simulate?s=" + json.dumps(setup).replace('"', "%22").replace(" ", ""), ".view3d[data-state=ready]")
    before = page.run("return Number(document.querySelector('canvas').dataset.solids ?? 0)")
    page.run("document.querySelector('[aria-label=Contact] input[type=checkbox]').click()")
    # the floor, and a ball at each of the four feet
    wait_for(page, "document.querySelector('canvas').dataset.solids === '5'")
    assert before == 0 and page.run("return [...document.querySelectorAll('.solid summary')].map((one) => one.textContent)") == \
        ["floor half-space in the world", *(f"{one}_foot sphere on {one}_foot" for one in ("fr", "fl", "hr", "hl"))]
    press(page, "Add an obstacle")
    wait_for(page, "document.querySelector('canvas').dataset.solids === '6'")
    page.run("[...document.querySelectorAll('.solid')].at(-1).open = true")
    press(page, "Remove obstacle")
    wait_for(page, "document.querySelector('canvas').dataset.solids === '5'")
    # how many runs that differ: contact has none, and offers none
    assert not page.run("return document.querySelector('[aria-label=\"Many runs\"]')") and not faults_of(page)
    press(page, "Simulate 0.5 s")
    said = wait_for(page, "document.querySelector('.verdicts')?.textContent")
    assert "ran to its end" in said and "touched, with" in said
    wait_for(page, "document.querySelectorAll('.plot canvas').length === 6 && document.querySelector('canvas').dataset.solids === '5'")
    fill(page, ".player input[type=range]", "0.5")
    forces = wait_for(page, "document.querySelector('.clock').textContent.startsWith('0.50') && [...[...document.querySelectorAll('.plot')].find((one) => one.textContent.startsWith('Forces of contact')).querySelectorAll('.legend b')].map((one) => Number(one.textContent))")
    robot = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    weight = 9.81 * sum(link["mass"] for link in robot["links"])
    assert len(forces) >= 4 and abs(sum(forces) - weight) < 0.2 * weight, (forces, weight)
    assert fits(page, 1280) and not faults_of(page)
    page.shape(360, "dark")
    assert fits(page, 360)


def test_a_hull_is_drawn_as_the_hull_of_its_points(daemon, page):
    """An octahedron, of points inside of it too: eight triangles."""
    tips = [[s * 0.2 * (k == i) for k in range(3)] for i in range(3) for s in (1, -1)]
    solids = [{"name": "floor", "shape": "half-space"}, {"name": "stone", "shape": "hull", "points": [[0, 0, 0], [0.05, 0.02, 0.01], *tips, [-0.06, 0.06, 0.06]]}]
    setup = json.dumps({"contacts": {"friction": 0.5, "restitution": 0, "shapes": solids}}).replace('"', "%22").replace(" ", "")
    open_at(page, daemon, f"robots/planar-2r/simulate?s={setup}", ".view3d[data-state=ready]")
    wait_for(page, "document.querySelector('canvas').dataset.solids === '2'")
    assert page.run("return document.querySelector('canvas').dataset.hull") == "8" and not faults_of(page)


def test_a_fault_of_a_solid_is_at_the_solid(daemon, page):
    solids = [{"name": "floor", "shape": "half-space"}, {"name": "ball", "link": "tool", "shape": "sphere", "size": [-1]}]
    setup = json.dumps({"contacts": {"friction": 0.5, "restitution": 0, "shapes": solids}}).replace('"', "%22").replace(" ", "")
    open_at(page, daemon, f"robots/planar-2r/simulate?s={setup}", ".view3d[data-state=ready]")
    page.run("document.querySelector('form').noValidate = true")
    press(page, "Simulate 3 s")
    assert wait_for(page, "[...document.querySelectorAll('.solid')].at(-1).querySelector('.field-fault')?.textContent")


def test_what_a_robot_carries_is_found_and_taken_on(daemon, page):
    open_at(page, daemon, "robots/puma560/calibrate", ".drop")
    press(page, "What it carries")
    wait_for(page, "location.hash.includes('for=load')")
    press(page, "Record two simulated runs")
    # the first one carries 1.5 kg, the second nothing
    wait_for(page, "document.querySelectorAll('.bare input').length === 2 && document.querySelectorAll('.bare input:checked').length === 1 && document.querySelector('button.large:not([disabled])')")
    assert not faults_of(page)
    press(page, "Find the load with 2 logs")
    said = wait_for(page, "document.querySelector('.banner')?.textContent")
    assert "It carries a load" in said
    mass = wait_for(page, "Number(document.querySelector('[aria-label=\"What it carries\"] tbody td').textContent)")
    assert abs(mass - 1.5) < 0.02, mass
    assert fits(page, 1280) and not faults_of(page)
    press(page, "Store")
    wait_for(page, "document.querySelector('[href=\"#/robots/puma560-loaded\"]')")
    press(page, "Torques with this load \u2192")
    wait_for(page, "document.querySelector('.bar')")
    held = page.run("return Number(document.querySelector(\"[aria-label='Payload'] input[type=number]\").value)")
    assert abs(held - mass) < 1e-3


def test_a_robot_is_changed_and_the_change_undone(daemon, page):
    robot = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    assert daemon.request("PUT", "/v1/robots/mine", json.dumps(robot).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/mine?show=change&link=link2", "[aria-label=Change] input")
    page.run(PICK, "[aria-label=Change] select", "link")
    wait_for(page, "document.querySelector('[aria-label=Change] input').placeholder === '1.5'")
    fill(page, "[aria-label=Change] input", "2.5")
    press(page, "Add this change")
    words = wait_for(page, "document.querySelector('[aria-label=\"What it makes\"]')?.textContent")
    assert "3.5 kg in mine and 4.5 kg in the changed one" in words
    # what looks wrong in the second one is said before it is stored
    page.run(PICK, "[aria-label=Change] select", "joint")
    wait_for(page, "document.querySelector('[aria-label=Change] .fields + .fields label').textContent.startsWith('Viscous')")
    fill(page, "[aria-label=Change] input", "-1")
    press(page, "Add this change")
    assert "pushes instead of resisting" in wait_for(page, "document.querySelector('[aria-label=\"What looks wrong\"]')?.textContent")
    press(page, "Take back the last")
    wait_for(page, "document.querySelectorAll('.numbered li').length === 1 && !document.querySelector('[aria-label=\"What looks wrong\"]')")
    # the third one is refused, and the first stays
    page.run(PICK, "[aria-label=Change] select", "link")
    wait_for(page, "document.querySelector('[aria-label=Change] .fields + .fields label').textContent.startsWith('Mass')")
    fill(page, "[aria-label=Change] input", "-1")
    press(page, "Add this change")
    assert "not physically possible" in wait_for(page, "document.querySelector('[aria-label=Change] .fault')?.textContent")
    assert page.run("return document.querySelectorAll('.numbered li').length") == 1 and not faults_of(page)
    press(page, "Store")
    wait_for(page, "document.querySelector('.note')?.textContent.includes('mine is stored')")
    assert json.loads(daemon.request("GET", "/v1/robots/mine")[2])["links"][2]["mass"] == 2.5
    press(page, "Undo")
    wait_for(page, "document.querySelector('.tree')?.textContent.includes('3.5 kg')")
    # drawn anew, each version on a canvas of its own
    wait_for(page, "document.querySelector('.view3d[data-state=ready] canvas').dataset.frames > 0")
    assert json.loads(daemon.request("GET", "/v1/robots/mine")[2])["links"][2]["mass"] == 1.5
    # a built-in one stays: the change has a name of its own
    open_at(page, daemon, "robots/panda?show=change", "[aria-label=Change] input")
    page.run(PICK, "[aria-label=Change] select", "lock")
    press(page, "Add this change")
    assert wait_for(page, "document.querySelector('[name=name]')?.value") == "panda-changed"
    press(page, "Store")
    wait_for(page, "location.hash.startsWith('#/robots/panda-changed') && document.querySelector('.title')?.textContent.includes('6 degrees of freedom')")


def test_a_session_is_driven_by_hand_and_watched(daemon, page):
    open_at(page, daemon, "sessions", ".empty")
    open_at(page, daemon, "robots/pendulum/simulate?q=0.5", ".view3d[data-state=ready]")
    press(page, "Drive it by hand")
    wait_for(page, "document.querySelector('[aria-label=Torques] input') && document.querySelector('.view3d[data-state=ready]')")
    fill(page, "[aria-label=Torques] input[type=number]", "2")
    press(page, "Step")
    now = "document.querySelector('[aria-label=Time] h2').textContent"
    assert wait_for(page, f"{now} !== '0 s, step 0' && {now}") == "0.1 s, step 10"
    ident = page.run("return location.hash.split('/').at(-1)")
    state = json.loads(daemon.request("GET", f"/v1/sessions/{ident}")[2])["state"]
    assert state["step"] == 10 and state["tau"] == [2.0]
    # what a program does with it is followed
    assert daemon.request("POST", f"/v1/sessions/{ident}/step", json.dumps({"tau": [0], "steps": 5}).encode())[0] == 200
    wait_for(page, f"{now} === '0.15 s, step 15'")
    press(page, "Run in real time")
    wait_for(page, f"Number({now}.split(' ')[0]) > 0.3")
    press(page, "Hold still")
    assert not faults_of(page)
    press(page, "Back to the start")
    wait_for(page, f"{now} === '0 s, step 0'")
    press(page, "Fork")
    wait_for(page, f"!location.hash.includes('{ident}') && document.querySelector('.view3d[data-state=ready]')")
    press(page, "Close the session")
    wait_for(page, "location.hash === '#/sessions' && document.querySelectorAll('.jobs tbody tr').length === 1")
    # it is there until its note has gone: undone, it goes on
    press(page, "Undo")
    wait_for(page, f"location.hash.startsWith('#/sessions/') && !location.hash.includes('{ident}') && document.querySelector('[aria-label=Time] h2')")
    # one that has ended is said to have; where there is no room for the names of all pages, the present one is in sight
    daemon.request("DELETE", f"/v1/sessions/{ident}")
    page.shape(360, "dark")
    open_at(page, daemon, f"sessions/{ident}", ".fault")
    assert fits(page, 360) and not faults_of(page)
    assert page.run("const box = document.querySelector('nav [aria-current]').getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth")
