# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_tendon_stiction.py - dry friction of tendons that holds: motion in closed form, beside joints' own, along paths and around solids.
import copy
import json
import math

import pytest

JSON = {"Content-Type": "application/json"}
G = 9.81


def mass(name, kg=1.0):
    return {"name": name, "mass": kg, "com": [0, 0, 0]}


# two slides beside each other, without gravity: x1, x2 along x
PAIR = {"gravity": [0, 0, 0], "links": [{"name": "base"}, mass("one"), mass("two")],
        "joints": [{"name": name, "kind": "prismatic", "parent": "base", "child": child, "axis": [1, 0, 0]} for name, child in (("x1", "one"), ("x2", "two"))],
        "tendons": [{"name": "tie", "coefficients": {"x1": 1, "x2": -1}, "friction": 2}]}
EXACT = {"method": "dopri87", "rtol": 1e-11, "atol": 1e-12}


def put(daemon, document, name="held"):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), JSON)
    assert got in (200, 201), text
    return json.loads(text)


def run(daemon, q, qd, duration, name="held", interval=0.05, **more):
    body = {"initial": {"q": q, "qd": qd}, "duration_s": duration, "output": {"interval_s": interval}, "solver": EXACT, "include": ["energy"], **more}
    got, _, text = daemon.request("POST", f"/v1/robots/{name}/simulate", json.dumps(body), JSON)
    assert got == 200, text
    answer = json.loads(text)
    assert answer["verdict"]["outcome"] == "completed", answer["verdict"]
    return answer


def push(force, link="one"):
    return {"link": link, "force": [force, 0, 0], "moment": [0, 0, 0], "at": [0, 0, 0], "applied_to": "robot", "expressed_in": "world"}


@pytest.mark.parametrize("force, sticks", [(3.0, True), (3.999, True), (4.001, False), (6.0, False), (-3.0, True), (-6.0, False)])
def test_two_masses_go_together_up_to_the_friction_between_them(daemon, force, sticks):
    """The tension that holds them together is half of the force: at most 2 N."""
    put(daemon, PAIR)
    a = run(daemon, [0, 0.3], [0, 0], 1, external_wrenches=[push(force)])
    first, second = (force / 2, force / 2) if sticks else (force - math.copysign(2, force), math.copysign(2, force))
    assert a["q"][-1] == pytest.approx([first / 2, 0.3 + second / 2], abs=1e-9)
    assert a["events"][:1] == ([{"t": 0, "on": "stick", "tendon": "tie", "value": pytest.approx(-force / 2, abs=1e-9)}] if sticks else [])


def test_they_slide_on_each_other_until_they_stick(daemon):
    """x1'' = -2, x2'' = 2 until both have half the speed, at 1/4 s."""
    put(daemon, PAIR)
    a = run(daemon, [0, 0], [1, 0], 1)
    assert [(one["on"], one.get("tendon")) for one in a["events"]] == [("stick", "tie")] and a["events"][0]["t"] == pytest.approx(0.25, abs=1e-9)
    for t, (x1, x2) in zip(a["t"], a["q"], strict=True):
        s = min(t, 0.25)
        assert x1 == pytest.approx(s - s * s + 0.5 * (t - s), abs=1e-9) and x2 == pytest.approx(s * s + 0.5 * (t - s), abs=1e-9)
    assert a["audit"]["energy"]["dissipated"] == pytest.approx(0.25, abs=1e-7)


def test_a_tendon_of_one_joint_is_that_joint(daemon):
    """With coefficient -0.5 its friction F holds the joint as F / 2 of its own: the same motion, the same events."""
    swing = copy.deepcopy(PAIR)
    swing["joints"][0]["spring"] = {"stiffness": 30, "rest": 0.1}
    own = copy.deepcopy(swing)
    del own["tendons"]
    own["joints"][0]["friction"] = {"coulomb": 0.7}
    swing["tendons"] = [{"name": "brake", "coefficients": {"x1": -0.5}, "friction": 1.4}]
    put(daemon, swing)
    put(daemon, own, "own")
    a, b = run(daemon, [0.4, 0], [0, 0.1], 5), run(daemon, [0.4, 0], [0, 0.1], 5, "own")
    for ours, theirs in zip(a["q"], b["q"], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-8)
    assert [one["on"] for one in a["events"]] == [one["on"] for one in b["events"]] and len(a["events"]) > 0
    for ours, theirs in zip(a["events"], b["events"], strict=True):
        assert ours["t"] == pytest.approx(theirs["t"], abs=1e-8) and ours["tendon"] == "brake" and theirs["joint"] == "x1"
        assert abs(ours["value"]) == pytest.approx(2 * abs(theirs["value"]), abs=1e-6)
    assert a["qd"][-1][0] == pytest.approx(0, abs=1e-12)


def test_it_breaks_away(daemon):
    """x2 = v / w sin(w t) pulls at x1 by a spring of 8 N/m until 8 x2 = 2 N."""
    held = copy.deepcopy(PAIR)
    held["tendons"] = [{"name": "spring", "coefficients": {"x1": 1, "x2": -1}, "stiffness": 8}, {"name": "brake", "coefficients": {"x1": 1}, "friction": 2}]
    put(daemon, held)
    w, v = math.sqrt(8), 1.5
    a = run(daemon, [0, 0], [0, v], 0.5)
    slip = [one for one in a["events"] if one["on"] == "slip"][0]
    assert slip["tendon"] == "brake" and slip["t"] == pytest.approx(math.asin(2 * w / 8 / v) / w, abs=1e-9) and abs(slip["value"]) == pytest.approx(2, abs=1e-6)
    for t, (x1, x2) in zip(a["t"], a["q"], strict=True):
        if t < slip["t"]:
            assert x1 == pytest.approx(0, abs=1e-12) and x2 == pytest.approx(v / w * math.sin(w * t), abs=1e-9)
    assert a["q"][-1][0] > 1e-3


# a pendulum of 1 kg at 1 m about y, and a rope from its bob to a point of the ground
PENDULUM = {"gravity": [0, 0, -G], "links": [{"name": "ground"}, {"name": "rod", "mass": 1, "com": [0, 0, -1]}],
            "joints": [{"name": "j", "kind": "revolute", "parent": "ground", "child": "rod", "axis": [0, 1, 0]}],
            "tendons": [{"name": "rope", "points": [{"link": "ground", "position": [0, 0, 1]}, {"link": "rod", "position": [0, 0, -1]}], "friction": 3}]}


@pytest.mark.parametrize("ratio, moves", [(0.999, False), (1.001, True)])
def test_a_rope_holds_a_pendulum(daemon, ratio, moves):
    """L = 2 cos(q/2), so that g sin q = F sin(q/2) where it lets go: the same at 2 g cos(q/2) = F."""
    held = copy.deepcopy(PENDULUM)
    held["tendons"][0]["friction"] = 2 * G * math.cos(0.4) / ratio
    put(daemon, held)
    a = run(daemon, [0.8], [0], 0.5)
    assert (abs(a["q"][-1][0] - 0.8) > 1e-5) is moves
    assert moves or abs(a["q"][-1][0] - 0.8) < 1e-12


def length_of(q1, q2):
    tip = (math.cos(q1) + math.cos(q1 + q2), -math.sin(q1) - math.sin(q1 + q2))
    return math.hypot(tip[0] - 0.5, tip[1] - 1.5)


def test_a_held_rope_keeps_its_length_while_the_arm_moves(daemon):
    """An arm of two links whose tip hangs from a rope that does not give: a four-bar; its energy is kept."""
    arm = {"gravity": [0, 0, -G], "links": [{"name": "ground"}, {"name": "upper", "mass": 2, "com": [0.5, 0, 0]}, {"name": "fore", "mass": 1, "com": [0.5, 0, 0]}],
           "joints": [{"name": "j1", "kind": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0]},
                      {"name": "j2", "kind": "revolute", "parent": "upper", "child": "fore", "axis": [0, 1, 0], "origin": {"position": [1, 0, 0]}}],
           "tendons": [{"name": "rope", "points": [{"link": "ground", "position": [0.5, 0, 1.5]}, {"link": "fore", "position": [1, 0, 0]}], "friction": 1000}]}
    put(daemon, arm)
    q = [0.3, 0.6]
    a = run(daemon, q, [0, 0], 1)
    assert a["events"] == [{"t": 0, "on": "stick", "tendon": "rope", "value": a["events"][0]["value"]}]
    assert max(abs(length_of(*one) - length_of(*q)) for one in a["q"]) < 1e-8 and max(abs(one[1] - 0.6) for one in a["q"]) > 0.05
    energies = [x + y for x, y in zip(a["kinetic_energy"], a["potential_energy"], strict=True)]
    assert max(abs(e - energies[0]) for e in energies) < 1e-7 and max(a["kinetic_energy"]) > 0.1
    # around a drum on the way
    arm["tendons"][0]["points"].insert(1, {"link": "upper", "position": [1, 0, 0.1], "radius": 0.15, "axis": [0, 1, 0]})
    put(daemon, arm)
    a = run(daemon, q, [0, 0], 0.6, include=["energy"])
    energies = [x + y for x, y in zip(a["kinetic_energy"], a["potential_energy"], strict=True)]
    assert max(abs(e - energies[0]) for e in energies) < 1e-7 and len(a["events"]) == 1


def test_two_ropes_that_hold_the_same(daemon):
    """Either would do alone: the motion is that of one that holds all."""
    double = copy.deepcopy(PAIR)
    double["tendons"] = [{"name": f"tie{k}", "coefficients": {"x1": k, "x2": -k}, "friction": 2} for k in (1, 2)]
    put(daemon, double)
    a = run(daemon, [0, 0], [0, 0], 1, external_wrenches=[push(3)])
    assert a["q"][-1] == pytest.approx([0.75, 0.75], abs=1e-9)


def test_a_held_tendon_and_a_held_joint(daemon):
    """The joint holds 5 N of its own, and the tendon the other mass at it: nothing moves at 6 N, though neither would hold it alone."""
    both = copy.deepcopy(PAIR)
    both["joints"][1]["friction"] = {"coulomb": 5}
    both["tendons"][0]["friction"] = 6.5
    put(daemon, both)
    a = run(daemon, [0, 0], [0, 0], 1, external_wrenches=[push(4.9)])
    assert a["q"][-1] == pytest.approx([0, 0], abs=1e-12) and {one["on"] for one in a["events"]} == {"stick"}
    a = run(daemon, [0, 0], [0, 0], 1, external_wrenches=[push(6)])
    assert a["q"][-1] == pytest.approx([0.25, 0.25], abs=1e-9)


def test_smooth_friction_creeps(daemon):
    smooth = copy.deepcopy(PAIR)
    smooth["tendons"][0]["friction"] = {"coulomb": 2, "smoothing": 0.1}
    put(daemon, smooth)
    a = run(daemon, [0, 0], [0, 0], 1, external_wrenches=[push(3)])
    assert a["events"] == [] and a["q"][-1][0] - a["q"][-1][1] > 0.01


def test_a_session_forks_with_what_is_held(daemon):
    """A branch from the middle of a hold goes on as the session does, and breaks away where it does."""
    put(daemon, PAIR)

    def post(path, body):
        status, _, text = daemon.request("POST", path, json.dumps(body), JSON)
        assert status in (200, 201), text
        return json.loads(text)
    session = f"/v1/sessions/{post('/v1/sessions', {'robot': 'held', 'initial': {'q': [0, 0]}, 'step_s': 0.01})['id']}"
    for _ in range(10):
        held = post(f"{session}/step", {"tau": [3, 0]})
    assert held["q"][0] == pytest.approx(held["q"][1], abs=1e-12) and held["q"][0] > 1e-3
    branch = f"/v1/sessions/{post(f'{session}/fork', {})['id']}"
    for _ in range(10):
        answers = [post(f"{one}/step", {"tau": [6, 0]}) for one in (session, branch)]
        assert answers[0]["q"] == answers[1]["q"] and answers[0]["qd"] == answers[1]["qd"]
    assert answers[0]["qd"][0] - answers[0]["qd"][1] == pytest.approx(0.2, abs=1e-9)
