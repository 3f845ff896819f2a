# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_compliant_contacts.py - contacts that give way, against closed forms, the same equations in scipy, and the rigid law.
import json
import math

import pytest
from conftest import problem
from test_contacts import BALL, GROUND, ball_of, flat, post

np = pytest.importorskip("numpy")
integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")

G = 9.81
MASS, RADIUS = 2.0, 0.1
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def slides(gravity=(0, 0, -G)):
    """A point mass that slides along x and z and does not turn; q = (x, z)."""
    return {"name": "slides", "gravity": list(gravity),
            "links": [{"name": "world"}, {"name": "cart"}, {"name": "body", "mass": MASS, "com": [0, 0, 0]}],
            "joints": [{"name": "x", "kind": "prismatic", "parent": "world", "child": "cart", "axis": [1, 0, 0]},
                       {"name": "z", "kind": "prismatic", "parent": "cart", "child": "body", "axis": [0, 0, 1]}]}


@pytest.fixture(scope="module")
def put(daemon):
    def one(robot):
        status, _, text = daemon.request("PUT", f"/v1/robots/{robot['name']}", json.dumps(robot), {"Content-Type": "application/json"})
        assert status in (200, 201), text
        return robot["name"]
    return one


def ask(daemon, robot, q, qd, duration, contacts, shapes=(BALL, GROUND), interval=None, **more):
    question = {"initial": {"q": q, "qd": qd}, "duration_s": duration, "output": {"interval_s": interval or duration}, "solver": TIGHT,
                "contacts": {"law": "compliant", "shapes": list(shapes), **contacts}, "include": ["energy"], **more}
    status, _, text = post(daemon, robot, question)
    assert status == 200, text
    answer = json.loads(text)
    assert answer["verdict"]["outcome"] == "completed", answer["verdict"]
    assert answer["contacts"]["law"] == "compliant" and answer["stats"]["method"] == "dopri87"
    closes(answer)
    return answer


def closes(answer):
    """No input does work: what is left of the energy is in the contacts."""
    energy = answer["audit"]["energy"]
    size = max(1.0, energy["kinetic_max"])
    lost = energy["contact_damping"] + energy["contact_friction"]
    assert energy["work"] == 0 and abs(energy["external"]) < 1e-8 * size, energy
    assert energy["contact_damping"] >= -1e-12 and energy["contact_friction"] >= -1e-12
    assert energy["dissipated"] == pytest.approx(lost, abs=1e-12 * size)
    change = energy["kinetic_end"] - energy["kinetic_start"] + energy["potential_change"]
    assert change == pytest.approx(-lost, abs=1e-8 * size), energy
    assert energy["residual_max"] < 1e-8 * size


def normal_force(law, depth, rate):
    k, n, c = law["stiffness"], law.get("exponent", 1), law.get("dissipation", 0)
    return k * depth**n * max(0.0, 1 + c * rate) if depth > 0 else 0.0


def test_a_body_rests_its_weight_over_the_stiffness_deep(daemon, put):
    robot = put(ball_of(MASS, RADIUS))
    for law in ({"stiffness": 1e4, "dissipation": 2.0}, {"stiffness": 3e5, "dissipation": 2.0, "exponent": 1.5}):
        depth = (MASS * G / law["stiffness"]) ** (1 / law.get("exponent", 1))
        answer = ask(daemon, robot, flat(z=RADIUS - 0.5 * depth), [0] * 6, 4.0, {"friction": 0.5, **law})
        assert answer["contact_gap"][-1][0] == pytest.approx(-depth, abs=1e-9)
        (a, b), force = [(pair["a"], pair["b"]) for pair in answer["contacts"]["pairs"]][0], answer["contact_force"][-1]
        assert {a, b} == {"ball", "ground"}
        assert force == pytest.approx([0, 0, MASS * G * (-1 if b == "ground" else 1)], abs=1e-6)
        stored = law["stiffness"] * depth ** (law.get("exponent", 1) + 1) / (law.get("exponent", 1) + 1)
        half = (0.5 * depth) ** (law.get("exponent", 1) + 1) * law["stiffness"] / (law.get("exponent", 1) + 1)
        assert answer["audit"]["energy"]["contact_stored"] == pytest.approx(stored - half, abs=1e-9)


@pytest.mark.parametrize("exponent", [1, 1.5, 2.2])
def test_what_an_impact_gives_back(daemon, put, exponent):
    """Without gravity v/c - ln(1 + c v)/c^2 is the same on the way in and out, whatever k and n are."""
    robot = put(ball_of(MASS, RADIUS) | {"gravity": [0, 0, 0]})
    for c, v in ((0.05, 1.0), (0.3, 2.0), (1.5, 1.0)):
        answer = ask(daemon, robot, flat(z=RADIUS + 0.01), [0, 0, -v, 0, 0, 0], 1.0,
                     {"friction": 0.0, "stiffness": 1e5, "exponent": exponent, "dissipation": c})

        def kept(w):
            return w / c - math.log1p(c * w) / c**2
        out = optimize.brentq(lambda w: kept(-w) - kept(v), 1e-9, min(v, (1 - 1e-12) / c), xtol=1e-14)
        back = answer["qd"][-1][2]
        assert back == pytest.approx(out, rel=1e-7)
        if c * v < 0.1:
            assert back / v == pytest.approx(1 - 2 / 3 * c * v, abs=2 * (c * v) ** 2)
        assert answer["audit"]["energy"]["contact_damping"] == pytest.approx(0.5 * MASS * (v * v - out * out), rel=1e-7)


def test_a_sliding_body_slows_down_by_mu_g(daemon, put):
    mu, v0, s, k = 0.4, 3.0, 1e-3, 1e5
    answer = ask(daemon, put(slides()), [0, RADIUS - MASS * G / k], [v0, 0], 0.7, {"friction": mu, "stiffness": k, "slip_speed": s})
    assert answer["qd"][-1][0] == pytest.approx(v0 - mu * G * 0.7, abs=mu * G * s)
    path = integrate.solve_ivp(lambda t, x: [x[1], -mu * G * x[1] / math.hypot(x[1], s)], (0, 0.7), [0, v0], rtol=1e-12, atol=1e-14, method="DOP853")
    assert [answer["q"][-1][0], answer["qd"][-1][0]] == pytest.approx([path.y[0][-1], path.y[1][-1]], rel=1e-9)


def test_creep_on_a_slope(daemon, put):
    mu, s, slope = 0.6, 2e-3, 0.3
    answer = ask(daemon, put(slides([G * math.sin(slope), 0, -G * math.cos(slope)])), [0, RADIUS - MASS * G * math.cos(slope) / 1e5], [0, 0], 1.0,
                 {"friction": mu, "stiffness": 1e5, "slip_speed": s})
    assert answer["qd"][-1][0] == pytest.approx(s * math.tan(slope) / math.sqrt(mu**2 - math.tan(slope) ** 2), rel=1e-8)


def test_a_bouncing_spinning_ball_moves_as_scipy_says(daemon, put):
    """Planar ball: x, z, turn about y; spin makes it bounce forwards and backwards."""
    law, mu, s = {"stiffness": 4e4, "exponent": 1.5, "dissipation": 0.2}, 0.3, 0.01
    inertia = 0.4 * MASS * RADIUS**2

    def rate(t, x):
        at, height, turn, vx, vz, w = x
        depth = RADIUS - height
        normal = normal_force(law, depth, -vz)
        slip = vx - w * height  # of the ball's point on the plane
        tangent = -mu * normal * slip / math.hypot(slip, s)
        return [vx, vz, w, tangent / MASS, normal / MASS - G, -tangent * height / inertia]
    start = [0, 0.4, 0, 0.8, 0, -25.0]
    path = integrate.solve_ivp(rate, (0, 1.2), start, rtol=1e-12, atol=1e-13, method="DOP853", max_step=1e-3, t_eval=np.linspace(0, 1.2, 13))
    answer = ask(daemon, put(ball_of(MASS, RADIUS)), flat(z=0.4), [0.8, 0, 0, 0, -25.0, 0], 1.2, {"friction": mu, "slip_speed": s, **law}, interval=0.1)
    for k in range(13):
        q, turn = answer["q"][k], path.y[2][k]
        assert [q[0], q[2]] == pytest.approx([path.y[0][k], path.y[1][k]], abs=1e-6)
        assert [abs(q[3] * math.cos(turn / 2) + q[5] * math.sin(turn / 2)), q[1]] == pytest.approx([1, 0], abs=1e-9)
    assert answer["audit"]["energy"]["contact_friction"] > 0.1


def test_two_bodies_press_each_other(daemon, put):
    """Momentum is kept; what comes back is that of the reduced mass."""
    pair = {"name": "pair", "gravity": [0, 0, 0], "links": [{"name": "world"}, {"name": "one", "mass": 1.0, "com": [0, 0, 0]}, {"name": "two", "mass": 3.0, "com": [0, 0, 0]}],
            "joints": [{"name": n, "kind": "prismatic", "parent": "world", "child": n2, "axis": [1, 0, 0]} for n, n2 in (("a", "one"), ("b", "two"))]}
    shapes = [{"name": name, "link": name, "shape": "sphere", "size": [0.1]} for name in ("one", "two")]
    answer = ask(daemon, put(pair), [0, 0.3], [2.0, 0], 0.6, {"friction": 0, "stiffness": 1e5, "dissipation": 0.1}, shapes, include=["energy", "momentum"])

    def kept(w):
        return w / 0.1 - math.log1p(0.1 * w) / 0.01
    out = optimize.brentq(lambda w: kept(-w) - kept(2.0), 0.1, 2.0, xtol=1e-14)
    a, b = answer["qd"][-1]
    assert a + 3 * b == pytest.approx(2.0, abs=1e-10) and b - a == pytest.approx(out, rel=1e-7)
    assert answer["contact_impulse"][-1] == pytest.approx([3 * b, 0, 0], abs=1e-8)


def test_stiffer_and_stiffer_it_is_the_rigid_law(daemon, put):
    """A ball thrown along the ground slides, then rolls: the end of the rigid law is approached."""
    robot, where = put(ball_of(MASS, RADIUS)), []
    rigid = {"initial": {"q": flat(z=RADIUS), "qd": [2, 0, 0, 0, 0, 0]}, "duration_s": 1.0, "output": {"interval_s": 1.0}, "solver": {"step_s": 1e-3},
             "contacts": {"shapes": [BALL, GROUND], "friction": 0.3}}
    status, _, text = post(daemon, robot, rigid)
    assert status == 200 and json.loads(text)["contacts"]["law"] == "rigid"
    end = json.loads(text)["q"][-1][0]
    for k, s in ((1e4, 1e-2), (1e5, 1e-3), (1e6, 1e-4)):
        answer = ask(daemon, robot, flat(z=RADIUS - MASS * G / k), [2, 0, 0, 0, 0, 0], 1.0, {"friction": 0.3, "stiffness": k, "slip_speed": s})
        where.append(abs(answer["q"][-1][0] - end))
    assert where[2] < 2e-4 and where[0] > 3 * where[1] > 9 * where[2], where


def test_beside_dry_friction_and_a_controller(daemon, put):
    """Joints whose friction sticks, and a floor under the hand, which a controller presses: its force is k depth."""
    robot = slides()
    robot["joints"][0]["friction"] = {"coulomb": 0.5}
    question = {"initial": {"q": [0, RADIUS], "qd": [0, 0]}, "duration_s": 3.0, "output": {"interval_s": 0.5},
                "input": {"kind": "pd-gravity", "kp": 1000, "kd": 100, "reference": {"setpoint": [0.1, RADIUS - 0.05]}},
                "contacts": {"law": "compliant", "shapes": [BALL, GROUND], "friction": 0.2, "stiffness": 1e4, "dissipation": 1}}
    status, _, text = post(daemon, put(robot), question)
    assert status == 200, text
    answer = json.loads(text)
    depth = RADIUS - answer["q"][-1][1]
    assert 1e4 * depth == pytest.approx(1000 * (0.05 - depth), rel=1e-6)
    assert answer["tau"][-1][1] - MASS * G == pytest.approx(-1e4 * depth, rel=1e-6)


@pytest.mark.parametrize("field, change, words", [
    ("/contacts/restitution", {"restitution": 0.5}, "follows from its dissipation"),
    ("/contacts/stiffness", {"stiffness": None}, ""),
    ("/contacts/stiffness", {"stiffness": -1}, ""),
    ("/contacts/exponent", {"exponent": 0.5}, ""),
    ("/contacts/dissipation", {"dissipation": -1}, ""),
    ("/contacts/slip_speed", {"slip_speed": 0}, ""),
    ("/contacts/law", {"law": "soft"}, ""),
    ("/contacts/stiffness", {"law": "rigid"}, "rigid contacts have no \"stiffness\""),
    ("/contacts/pairs/0/restitution", {"pairs": [{"a": "ball", "b": "ground", "restitution": 0.1}]}, "dissipation"),
])
def test_fields_of_the_other_law_are_refused(daemon, put, field, change, words):
    contacts = {"law": "compliant", "shapes": [BALL, GROUND], "friction": 0.2, "stiffness": 1e4} | change
    question = {"initial": {"q": flat(z=RADIUS)}, "duration_s": 0.1, "contacts": {k: v for k, v in contacts.items() if v is not None}}
    said = problem(post(daemon, put(ball_of(MASS, RADIUS)), question), 422)
    assert said["errors"][0]["pointer"] == field and words in said["errors"][0]["detail"], said


def test_steps_of_one_size_are_refused(daemon, put):
    for solver, pointer in (({"step_s": 1e-3}, "/solver/step_s"), ({"method": "rk4"}, "/solver/method")):
        question = {"initial": {"q": flat(z=RADIUS)}, "duration_s": 0.1, "solver": solver,
                    "contacts": {"law": "compliant", "shapes": [BALL, GROUND], "friction": 0.2, "stiffness": 1e4}}
        said = problem(post(daemon, put(ball_of(MASS, RADIUS)), question), 422)
        assert said["errors"][0]["pointer"] == pointer and "stiff" in said["errors"][0]["detail"]
