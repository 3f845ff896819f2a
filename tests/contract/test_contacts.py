# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_contacts.py - contacts in simulate against closed forms: sliding, sticking, rolling, bouncing, rocking, resting.
import json
import math

import pytest

G = 9.81
GROUND = {"name": "ground", "shape": "half-space"}


def body(name, mass, inertia, gravity=(0, 0, -G)):
    """One rigid body with a free joint."""
    return {"name": name, "gravity": list(gravity),
            "links": [{"name": "world"}, {"name": "body", "mass": mass, "com": [0, 0, 0], "inertia_about": "com",
                                          "inertia": [[inertia[0], 0, 0], [0, inertia[1], 0], [0, 0, inertia[2]]]}],
            "joints": [{"name": "free", "kind": "floating", "parent": "world", "child": "body"}]}


def box_of(mass, x, y, z):
    return body("box", mass, [mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)])


def ball_of(mass, radius):
    return body("ball", mass, [0.4 * mass * radius**2] * 3)


@pytest.fixture(scope="module")
def put(daemon):
    def one(robot):
        status, _, text = daemon.request("PUT", f"/v1/robots/{robot['name']}", json.dumps(robot), {"Content-Type": "application/json"})
        assert status in (200, 201), text
        return robot["name"]
    return one


def post(daemon, robot, question):
    return daemon.request("POST", f"/v1/robots/{robot}/simulate", json.dumps(question), {"Content-Type": "application/json"})


def run(daemon, robot, q, qd, duration, shapes, friction, restitution=0.0, step=1e-3, interval=None, violation=1e-9, **more):
    contacts = {"shapes": shapes, "friction": friction, "restitution": restitution, **more.pop("contacts", {})}
    question = {"initial": {"q": q, "qd": qd}, "duration_s": duration, "output": {"interval_s": interval or duration},
                "solver": {"step_s": step}, "contacts": contacts, "include": ["energy"], **more}
    status, _, text = post(daemon, robot, question)
    assert status == 200, text
    answer = json.loads(text)
    assert answer["verdict"]["outcome"] == "completed", answer["verdict"]
    assert answer["stats"]["method"] == "moreau-jean"
    assert answer["contacts"]["violation"] < violation, answer["contacts"]
    return answer


def flat(x=0.0, y=0.0, z=0.0):
    return [x, y, z, 1, 0, 0, 0]


BOX = {"name": "block", "link": "body", "shape": "box", "size": [0.4, 0.3, 0.2]}
BALL = {"name": "ball", "link": "body", "shape": "sphere", "size": [0.1]}


def energy(a):
    return [k + p for k, p in zip(a["kinetic_energy"], a["potential_energy"])]


def never_creates(a, within):
    e = energy(a)
    assert all(y - x <= within for x, y in zip(e, e[1:])), max(y - x for x, y in zip(e, e[1:]))


def turned(q, v):
    """R(q) v of a unit quaternion w x y z."""
    w, u = q[0], q[1:]
    once = [2 * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3)]
    return [v[k] + w * once[k] + u[(k + 1) % 3] * once[(k + 2) % 3] - u[(k + 2) % 3] * once[(k + 1) % 3] for k in range(3)]


def test_a_box_turns_about_a_corner(daemon, put):
    """The corner sticks: it stays where it is, its force does no work, whatever the step; the motion has order 2."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    n = math.sqrt(0.9**2 + 0.3**2 + 0.25**2 + 0.1**2)
    attitude = [x / n for x in (0.9, 0.3, 0.25, 0.1)]
    corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]
    r = min(corners, key=lambda c: turned(attitude, c)[2])
    omega = [2.0, -1.5, 3.0]
    v = [r[(k + 1) % 3] * omega[(k + 2) % 3] - r[(k + 2) % 3] * omega[(k + 1) % 3] for k in range(3)]  # - omega x r
    at = turned(attitude, r)
    runs = [run(daemon, robot, [0, 0, -at[2]] + attitude, v + omega, 0.04, [GROUND, BOX], 20.0, step=h, interval=h) for h in (4e-3, 2e-3, 1e-3)]
    for a in runs:
        e = energy(a)
        assert max(abs(x - e[0]) for x in e) < 1e-13, max(abs(x - e[0]) for x in e)
        foot = [x + y for x, y in zip(a["q"][-1], turned(a["q"][-1][3:], r))]
        assert foot == pytest.approx([at[0], at[1], 0], abs=1e-14)
        assert a["contacts"]["impacts"] == 0 and abs(a["kinetic_energy"][-1] - a["kinetic_energy"][0]) > 0.2
    first, second = (max(abs(x - y) for x, y in zip(a["q"][-1], b["q"][-1])) for a, b in zip(runs, runs[1:]))
    assert 3.5 < first / second < 4.5


def test_a_sliding_block_stops(daemon, put):
    """It stops after v / (mu g) at v^2 / (2 mu g); the friction force mu m g dissipates all of its energy."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    mu, v = 0.3, 1.0
    a = run(daemon, robot, flat(z=0.1), [0.6 * v, 0.8 * v, 0, 0, 0, 0], 0.6, [GROUND, BOX], mu, interval=0.1)
    way = v * v / (2 * mu * G)
    assert abs(a["q"][-1][0] - 0.6 * way) < 1e-6 and abs(a["q"][-1][1] - 0.8 * way) < 1e-6
    assert abs(a["q"][-1][2] - 0.1) < 1e-12 and max(abs(x) for x in a["qd"][-1]) < 1e-12
    moving = a["contact_force"][2]  # sliding at 0.2 s; it stops at 0.34 s
    assert abs(moving[2] - 2 * G) < 1e-9 and abs(math.hypot(*moving[:2]) - mu * 2 * G) < 1e-9
    assert abs(moving[0] + 0.6 * mu * 2 * G) < 1e-9
    audit = a["audit"]["energy"]
    assert abs(audit["contact_friction"] - 0.5 * 2 * v * v) < 1e-9 and abs(audit["contact_impacts"]) < 1e-9
    assert abs(audit["residual"]) < 1e-9
    never_creates(a, 1e-12)


@pytest.mark.parametrize("ratio, slides", [(0.999, False), (1.001, True)])
def test_a_block_on_an_incline(daemon, put, ratio, slides):
    """It rests if and only if tan a <= mu; otherwise it accelerates by g (sin a - mu cos a)."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    mu = 0.5
    a = math.atan(ratio * mu)
    turn = [0, a, 0]
    plane = {**GROUND, "pose": {"rpy": turn}}
    up = [math.sin(a), 0, math.cos(a)]
    start = [0.1 * x for x in up] + [math.cos(a / 2), 0, math.sin(a / 2), 0]
    r = run(daemon, robot, start, [0] * 6, 1.0, [plane, BOX], mu)
    moved = math.dist(r["q"][-1][:3], start[:3])
    pull = max(0.0, G * (math.sin(a) - mu * math.cos(a)))
    assert abs(moved - 0.5 * pull) < 1e-9, (moved, pull)
    assert (moved > 1e-4) is slides
    assert slides or moved < 1e-12


def test_a_sphere_begins_to_roll(daemon, put):
    """It rolls with 5/7 of its initial speed after 2 v / (7 mu g)."""
    robot = put(ball_of(1.5, 0.1))
    mu, v = 0.2, 0.7
    end = 2 * v / (7 * mu * G)
    a = run(daemon, robot, flat(z=0.1), [v, 0, 0, 0, 0, 0], 0.4, [GROUND, BALL], mu, step=2e-4, interval=0.05)
    assert end < 0.15
    q, qd = a["q"][-1], a["qd"][-1]
    spin = 2 * math.atan2(q[5], q[3])  # rotation about y
    world = math.cos(spin) * qd[0] + math.sin(spin) * qd[2]
    assert abs(world - 5 / 7 * v) < 1e-6 and abs(qd[4] - 5 / 7 * v / 0.1) < 1e-5
    way = v * end - 0.5 * mu * G * end**2 + 5 / 7 * v * (0.4 - end)
    assert abs(q[0] - way) < 1e-6, q[0] - way
    lost = 0.5 * 1.5 * v * v * (1 - 5 / 7)
    assert abs(a["audit"]["energy"]["contact_friction"] - lost) < 1e-6
    never_creates(a, 1e-7)


def test_a_ball_bounces(daemon, put):
    """Apexes h e^(2n); times between impacts 2 e^n sqrt(2 h / g)."""
    robot = put(ball_of(1.0, 0.1))
    e, h = 0.8, 0.5
    fall = math.sqrt(2 * h / G)
    a = run(daemon, robot, flat(z=0.1 + h), [0] * 6, 1.5, [GROUND, BALL], 0.3, e, interval=0.001)
    touches = [x for x in a["events"] if x["on"] == "touch"]
    at = fall
    for n in range(3):
        assert abs(touches[n]["t"] - at) < 1e-9 and touches[n]["a"] == "ground"
        assert abs(touches[n]["value"] - e**n * G * fall) < 1e-9
        apex = max(q[2] - 0.1 for t, q in zip(a["t"], a["q"]) if at < t < at + 2 * e**(n + 1) * fall)
        assert abs(apex - h * e**(2 * n + 2)) < 2e-6  # between two output times
        at += 2 * e**(n + 1) * fall
    assert sum(x["on"] == "lift" for x in a["events"]) == len(touches)
    lost = G * h * (1 - e**(2 * len(touches)))
    assert abs(a["audit"]["energy"]["contact_impacts"] - lost) < 1e-9
    never_creates(a, 1e-12)


def test_a_ball_comes_to_rest(daemon, put):
    """Infinitely many impacts end at sqrt(2 h / g) (1 + e) / (1 - e); then the ball is at rest."""
    robot = put(ball_of(1.0, 0.1))
    e, h = 0.5, 0.1
    end = math.sqrt(2 * h / G) * (1 + e) / (1 - e)
    a = run(daemon, robot, flat(z=0.1 + h), [0] * 6, 0.6, [GROUND, BALL], 0.3, e)
    assert end < 0.6 and abs(a["q"][-1][2] - 0.1) < 1e-7 and max(abs(x) for x in a["qd"][-1]) < 1e-9
    assert abs(a["contact_force"][-1][2] - G) < 1e-6
    assert a["contacts"]["impacts"] < 30
    assert abs(a["audit"]["energy"]["dissipated"] - G * h) < 1e-6


def test_a_box_at_rest_stays(daemon, put):
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    start = [0.3, -0.2, 0.1, math.cos(0.35), 0, 0, math.sin(0.35)]
    a = run(daemon, robot, start, [0] * 6, 10.0, [GROUND, BOX], 0.4, step=0.005, interval=1.0)
    assert max(abs(x - y) for q in a["q"] for x, y in zip(q, start)) < 1e-12
    assert abs(a["contact_impulse"][-1][2] - 2 * G * 10) < 1e-8 and abs(a["contact_gap"][-1][0]) < 1e-12
    assert a["audit"]["energy"]["kinetic_max"] < 1e-20


@pytest.mark.parametrize("push, moves", [(0.999, False), (1.001, True)])
def test_a_pushed_block(daemon, put, push, moves):
    """Friction laws that depend on the step fail here: with a force 0.1 % below the limit nothing moves."""
    robot = put(box_of(1.0, 0.4, 0.4, 0.1))
    mu = 0.5
    shape = {**BOX, "size": [0.4, 0.4, 0.1]}
    wrench = {"link": "body", "force": [push * mu * G, 0, 0], "moment": [0, 0, 0], "at": [0, 0, -0.05], "applied_to": "robot",
              "expressed_in": "world"}
    a = run(daemon, robot, flat(z=0.05), [0] * 6, 1.0, [GROUND, shape], mu, external_wrenches=[wrench])
    assert abs(a["q"][-1][0] - (0.5 * (push - 1) * mu * G if moves else 0)) < 1e-9
    assert abs(a["q"][-1][2] - 0.05) < 1e-9


def rod_angle(theta0, t, length, steps=20000):
    """The angle from the vertical of a rod on a pivot at its lower end: theta'' = 3 g sin(theta) / (2 length)."""
    h, x, w = t / steps, theta0, 0.0

    def f(y):
        return 1.5 * G / length * math.sin(y)
    for _ in range(steps):
        k1x, k1w = w, f(x)
        k2x, k2w = w + 0.5 * h * k1w, f(x + 0.5 * h * k1x)
        k3x, k3w = w + 0.5 * h * k2w, f(x + 0.5 * h * k2x)
        k4x, k4w = w + h * k3w, f(x + h * k3x)
        x, w = x + h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x), w + h / 6 * (k1w + 2 * k2w + 2 * k3w + k4w)
    return x, w


def tilted(theta, length):
    """q of a rod whose lower end is at the origin, tilted by theta about y towards +x."""
    return [0.5 * length * math.sin(theta), 0, 0.5 * length * math.cos(theta), math.cos(theta / 2), 0, math.sin(theta / 2), 0]


def falling_rod(daemon, put, step, t=0.5):
    length, theta = 1.0, 0.3
    robot = put(body("rod", 1.0, [1 / 12, 1 / 12, 1e-3]))
    tip = {"name": "tip", "link": "body", "shape": "sphere", "size": [1e-9], "pose": {"position": [0, 0, -0.5 * length]}}
    a = run(daemon, robot, tilted(theta, length), [0] * 6, t, [GROUND, tip], 2.0, step=step)
    q = a["q"][-1]
    want, rate = rod_angle(theta, t, length)
    return a, 2 * math.atan2(q[5], q[3]) - want, a["qd"][-1][4] - rate


def test_a_falling_rod_turns_about_its_foot(daemon, put):
    """While the foot sticks, the rod is a pendulum about it: second order, error 1e-6 at a step of 0.2 ms."""
    a, angle, rate = falling_rod(daemon, put, 2e-4)
    assert abs(angle) < 1e-6 and abs(rate) < 5e-6, (angle, rate)
    assert abs(a["contact_gap"][-1][0]) < 1e-9
    _, coarse, _ = falling_rod(daemon, put, 4e-3)
    _, fine, _ = falling_rod(daemon, put, 2e-3)
    assert 3.5 < coarse / fine < 4.5, (coarse, fine)
    assert abs(a["audit"]["energy"]["residual"]) < 1e-5


@pytest.mark.parametrize("step, duration, most", [(1e-3, 1.0, 1e-7), (5e-3, 2.0, 1e-5)])
def test_a_quadruped_without_motors_falls_and_gains_no_energy(daemon, step, duration, most):
    """Of 25 J that it has and loses; before balances of joints that bend the audit said 1.5e-3 and 2.8e-2 J. It shows what is left."""
    feet = [{"link": f"{one}_foot", "shape": "sphere", "size": [0.0175]} for one in ("fr", "fl", "hr", "hl")]
    turn = [0.99, 0.06, 0.1, 0.02]
    q = [0, 0, 0.36, *(x / math.hypot(*turn) for x in turn), *(4 * [0, -0.8, 1.6])]
    body = {"initial": {"q": q}, "duration_s": duration, "output": {"interval_s": duration / 10}, "solver": {"step_s": step},
            "contacts": {"friction": 0.7, "shapes": [GROUND, *feet]}}
    status, _, text = daemon.request("POST", "/v1/robots/quadruped/simulate", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    audit = json.loads(text)["audit"]["energy"]
    lost = audit["contact_friction"] + audit["contact_impacts"]
    assert lost > 20 and audit["residual_max"] < most, audit
    assert abs(audit["kinetic_end"] - audit["kinetic_start"] + audit["potential_change"] + lost - audit["residual"]) < 1e-10


def test_a_rocking_block(daemon, put):
    """Housner (1963): with e = 0 and no sliding, the impact on the other edge changes the angular velocity by
    the factor 1 - (3/2) sin^2 a."""
    b, h = 0.1, 0.2  # half width, half height
    r2 = b * b + h * h
    mass = 1.0
    alpha = math.atan2(b, h)
    robot = put(body("block", mass, [mass / 3 * (0.05**2 + h * h), mass / 3 * r2, mass / 3 * (0.05**2 + b * b)]))
    shape = {**BOX, "size": [2 * b, 0.1, 2 * h]}
    tilt = 0.1
    # rotation about the right edge, which is at the origin
    c, s = math.cos(tilt), math.sin(tilt)
    start = [-b * c + h * s, 0, b * s + h * c, math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]
    a = run(daemon, robot, start, [0] * 6, 0.5, [GROUND, shape], 5.0, step=5e-4, interval=5e-4)
    first = next(x["t"] for x in a["events"] if x["on"] == "touch" and x["t"] > 0)
    before = [qd[4] for t, qd in zip(a["t"], a["qd"]) if t < first - 6e-4][-1]
    after = next(qd[4] for t, qd in zip(a["t"], a["qd"]) if t > first + 6e-4)
    potential = mass * G * math.sqrt(r2) * (math.cos(alpha - tilt) - math.cos(alpha))
    rate = math.sqrt(2 * potential / (mass * 4 / 3 * r2))
    assert abs(abs(before) - rate) < 0.02 * rate
    assert abs(after / before - (1 - 1.5 * math.sin(alpha) ** 2)) < 0.01
    never_creates(a, 1e-6)


def test_impacts_with_friction_create_no_energy(daemon, put):
    """A rod that strikes obliquely: Newton's impact law alone can create energy (Kane and Levinson, 1985, 5.2)."""
    robot = put(body("rod", 1.0, [1 / 12, 1 / 12, 1e-3]))
    tip = {"name": "tip", "link": "body", "shape": "sphere", "size": [1e-9], "pose": {"position": [0, 0, -0.5]}}
    for theta in (0.3, 0.6, 0.9, 1.2):
        for slip in (-4.0, -1.0, 1.0, 4.0):
            q = tilted(theta, 1.0)
            q[2] += 0.01
            c, s = math.cos(theta), math.sin(theta)
            v = [slip * c + 1.0 * s, 0, slip * s - 1.0 * c]  # the world velocity (slip, 0, -1) in the rod's axes
            a = run(daemon, robot, q, v + [0] * 3, 0.05, [GROUND, tip], 0.8, 0.9, interval=0.005)
            assert a["contacts"]["impacts"] >= 1
            never_creates(a, 2e-6)
            assert a["audit"]["energy"]["dissipated"] > -1e-12


def test_two_balls_collide(daemon, put):
    """A central collision: velocities after it by momentum and restitution; a pair of shapes may have its own
    coefficients."""
    robot = {"name": "balls", "gravity": [0, 0, 0],
             "links": [{"name": "rail"}, {"name": "one", "mass": 2.0, "com": [0, 0, 0]}, {"name": "two", "mass": 1.0, "com": [0, 0, 0]}],
             "joints": [{"name": "x1", "kind": "prismatic", "parent": "rail", "child": "one", "axis": [1, 0, 0]},
                        {"name": "x2", "kind": "prismatic", "parent": "rail", "child": "two", "axis": [1, 0, 0]}]}
    shapes = [{"name": "a", "link": "one", "shape": "sphere", "size": [0.1]}, {"name": "b", "link": "two", "shape": "sphere", "size": [0.2]}]
    e = 0.6
    r = run(daemon, put(robot), [0, 1], [1.0, -0.5], 1.0, shapes, 0.3, contacts={"pairs": [{"a": "b", "b": "a", "restitution": e}]})
    common = (2 * 1.0 - 0.5) / 3
    want = [common - e * 1.5 / 3, common + 2 * e * 1.5 / 3]
    assert all(abs(x - y) < 1e-12 for x, y in zip(r["qd"][-1], want))
    hit = 0.7 / 1.5
    assert abs(r["events"][0]["t"] - hit) < 1e-12 and abs(r["events"][0]["value"] - 1.5) < 1e-12
    assert abs(r["q"][-1][0] - (hit + want[0] * (1 - hit))) < 1e-12
    assert r["contacts"]["pairs"][0]["restitution"] == e and r["contacts"]["pairs"][0]["touches"] == 1


def test_an_arm_meets_the_floor(daemon):
    """A falling two-link arm: no penetration, no energy gain, at rest in the end."""
    shapes = [{"name": "floor", "shape": "half-space", "pose": {"rpy": [-math.pi / 2, 0, 0], "position": [0, -0.5, 0]}},
              {"name": "tip", "link": "tool", "shape": "sphere", "size": [0.05]}]
    a = run(daemon, "planar-2r", [0.2, 0.3], [0, 0], 2.0, shapes, 0.5, 0.3, interval=0.01)
    assert min(g[0] for g in a["contact_gap"]) > -1e-9
    assert any(x["on"] == "touch" for x in a["events"])
    never_creates(a, 1e-3)


def test_restitution_of_joint_limits_is_refused_with_contacts(daemon, put):
    """Restitution at joint limits has no effect together with contacts: it is refused, with its pointer."""
    robot = put({"name": "slider", "gravity": [0, 0, -G], "links": [{"name": "rail"}, {"name": "cart", "mass": 1.0, "com": [0, 0, 0]}],
                 "joints": [{"name": "x", "kind": "prismatic", "parent": "rail", "child": "cart", "axis": [1, 0, 0],
                             "limits": {"lower": -1, "upper": 1}}]})
    ball = {"name": "ball", "link": "cart", "shape": "sphere", "size": [0.1]}
    wall = {"name": "wall", "shape": "half-space", "pose": {"position": [0, 0, -0.5]}}
    question = {"initial": {"q": [0], "qd": [1]}, "duration_s": 0.01, "contacts": {"shapes": [wall, ball], "friction": 0.5}}
    for action, expected in (("report", 200), ("bounce", 422)):
        status, _, text = post(daemon, robot, {**question, "events": [{"on": "limits", "action": action}]})
        assert status == expected, text
    assert json.loads(text)["errors"][0]["pointer"] == "/events", text


def corners_of(x, y, z):
    """The vertices of a mesh of a box: corners, and points inside its faces and edges."""
    return [[x * i / 4, y * j / 4, z * k / 4] for i in (-2, 0, 1, 2) for j in (-2, 0, 2) for k in (-2, -1, 0, 2)]


HULL = {"name": "block", "link": "body", "shape": "hull", "points": corners_of(0.4, 0.3, 0.2)}


def test_a_hull_of_a_box_slides_as_the_box(daemon, put):
    """v^2 / (2 mu g) far; at every time the state and the force of the box itself."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    mu, v = 0.3, 1.0
    both = [run(daemon, robot, flat(z=0.1), [0.6 * v, 0.8 * v, 0, 0, 0, 0], 0.6, [GROUND, shape], mu, interval=0.1) for shape in (BOX, HULL)]
    way = v * v / (2 * mu * G)
    assert abs(both[1]["q"][-1][0] - 0.6 * way) < 1e-6 and abs(both[1]["q"][-1][1] - 0.8 * way) < 1e-6
    for name in ("q", "qd", "contact_force", "contact_impulse"):
        for ours, theirs in zip(both[1][name], both[0][name], strict=True):
            assert ours == pytest.approx(theirs, abs=1e-9), name
    never_creates(both[1], 1e-12)


def test_a_falling_hull_of_a_box_tumbles_as_the_box(daemon, put):
    """Corner, edge, face: impacts by Newton's law with restitution, until 0.4 s."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    start = [0, 0, 0.35, math.cos(0.3), 0.5 * math.sin(0.3), math.sqrt(0.75) * math.sin(0.3), 0]
    both = [run(daemon, robot, start, [0.3, 0, 0, 0.5, -1, 0.2], 0.4, [GROUND, shape], 0.4, 0.3, interval=0.05) for shape in (BOX, HULL)]
    assert both[1]["contacts"]["impacts"] == both[0]["contacts"]["impacts"] > 0
    for ours, theirs in zip(both[1]["q"], both[0]["q"], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    never_creates(both[1], 1e-9)


def test_a_tetrahedron_at_rest_stays(daemon, put):
    """On three feet around its centre of mass; they carry its weight."""
    side = 0.3
    low = -side * math.sqrt(2 / 3) / 4
    points = [[side / math.sqrt(3) * math.cos(2 * math.pi * k / 3), side / math.sqrt(3) * math.sin(2 * math.pi * k / 3), low] for k in range(3)] + [[0, 0, -3 * low]]
    robot = put(body("tetrahedron", 1.2, [1.2 * side**2 / 20] * 3))
    start = [0.1, 0.2, -low, math.cos(0.4), 0, 0, math.sin(0.4)]
    a = run(daemon, robot, start, [0] * 6, 5.0, [GROUND, {"name": "hull", "link": "body", "shape": "hull", "points": points}], 0.5, step=0.005, interval=1.0)
    assert max(abs(x - y) for q in a["q"] for x, y in zip(q, start)) < 1e-12
    assert abs(a["contact_force"][-1][2] - 1.2 * G) < 1e-9 and a["audit"]["energy"]["kinetic_max"] < 1e-20
    # on a slope below tan a = mu it stays, above it slides by g (sin a - mu cos a)
    for ratio in (0.99, 1.01):
        angle = math.atan(0.5 * ratio)
        plane = {**GROUND, "pose": {"rpy": [0, angle, 0]}}
        up = [math.sin(angle), 0, math.cos(angle)]
        start = [-low * x for x in up] + [math.cos(angle / 2), 0, math.sin(angle / 2), 0]
        a = run(daemon, robot, start, [0] * 6, 0.5, [plane, {"name": "hull", "link": "body", "shape": "hull", "points": points}], 0.5)
        pull = max(0.0, G * (math.sin(angle) - 0.5 * math.cos(angle)))
        assert abs(math.dist(a["q"][-1][:3], start[:3]) - 0.125 * pull) < 1e-9


def test_a_ball_falls_on_a_hull(daemon, put):
    """On the face of a wedge, at 30 degrees: without friction it goes along it by g sin a."""
    robot = put(ball_of(1.0, 0.1))
    a = math.pi / 6
    wedge = [[0, y, 0] for y in (-1, 1)] + [[2, y, 0] for y in (-1, 1)] + [[0, y, 2 * math.tan(a)] for y in (-1, 1)]
    normal = [math.sin(a), 0, math.cos(a)]
    start = [1 + 0.1 * normal[0], 0, math.tan(a) + 0.1 * normal[2], 1, 0, 0, 0]
    r = run(daemon, robot, start, [0] * 6, 0.4, [{"name": "wedge", "shape": "hull", "points": wedge}, BALL], 0.0)
    way = 0.5 * G * math.sin(a) * 0.16
    assert r["q"][-1][0] - start[0] == pytest.approx(way * math.cos(a), abs=1e-9)
    assert r["q"][-1][2] - start[2] == pytest.approx(-way * math.sin(a), abs=1e-9)
    never_creates(r, 1e-9)


def test_a_compliant_hull_rests_as_deep_as_its_corners_press(daemon, put):
    """Four corners of stiffness k: m g / (4 k) deep, as the box."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    for shape in (BOX, HULL):
        question = {"initial": {"q": flat(z=0.1 - 2 * G / 4e4)}, "duration_s": 0.5,
                    "contacts": {"law": "compliant", "stiffness": 1e4, "dissipation": 1, "friction": 0.3, "shapes": [GROUND, shape]}}
        status, _, text = post(daemon, robot, question)
        assert status == 200, text
        assert json.loads(text)["q"][-1][2] == pytest.approx(0.1 - 2 * G / 4e4, abs=1e-9)


def three_feet(feet, mass, moment, mu, state, duration, step=1e-4):
    """A body on three feet that slide, (x, y, angle, their rates): loads N_i with sum N_i = m g and no moment about x or y of N_i (z - mu v_i / |v_i|)
    at foot i; midpoint rule until it stops."""
    def loads(s):
        c, n = math.cos(s[2]), math.sin(s[2])
        arms = [(c * x - n * y, n * x + c * y, z) for x, y, z in feet]
        force = []
        for x, y, _ in arms:
            v = (s[3] - s[5] * y, s[4] + s[5] * x)
            speed = math.hypot(*v)
            force.append((-mu * v[0] / speed, -mu * v[1] / speed))
        rows = [[1, 1, 1], [y - z * f[1] for (x, y, z), f in zip(arms, force)], [z * f[0] - x for (x, y, z), f in zip(arms, force)]]

        def determinant(m):
            return sum(m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]) for k in range(3))
        whole = determinant(rows)
        n = [determinant([[(mass * G if r == 0 else 0) if c == k else rows[r][c] for c in range(3)] for r in range(3)]) / whole for k in range(3)]
        assert min(n) > 0
        fx, fy = (sum(w * f[k] for w, f in zip(n, force)) for k in (0, 1))
        turn = sum(w * (x * f[1] - y * f[0]) for w, (x, y, _), f in zip(n, arms, force))
        return [s[3], s[4], s[5], fx / mass, fy / mass, turn / moment]
    s = list(state)
    for _ in range(round(duration / step)):
        if math.hypot(s[3], s[4]) + 0.1 * abs(s[5]) < 1e-3:
            break
        first = loads(s)
        second = loads([a + 0.5 * step * b for a, b in zip(s, first)])
        s = [a + step * b for a, b in zip(s, second)]
    return s


def test_a_tetrahedron_slides_and_spins(daemon, put):
    """Loads and friction of three feet have one solution: as far, and turned as much, as they are integrated here; of order 1 in the step."""
    side = 0.3
    low = -side * math.sqrt(2 / 3) / 4
    points = [[side / math.sqrt(3) * math.cos(2 * math.pi * k / 3), side / math.sqrt(3) * math.sin(2 * math.pi * k / 3), low] for k in range(3)] + [[0, 0, -3 * low]]
    robot = put(body("tetrahedron", 1.2, [0.0054] * 3))
    shape = {"name": "hull", "link": "body", "shape": "hull", "points": points}
    a = run(daemon, robot, flat(z=-low), [0.8, 0.2, 0, 0, 0, 4], 0.4, [GROUND, shape], 0.4, step=1e-4, interval=0.1)
    for k, t in ((1, 0.1), (2, 0.2), (4, 0.4)):
        want = three_feet(points[:3], 1.2, 0.0054, 0.4, [0, 0, 0, 0.8, 0.2, 4], t)
        q = a["q"][k]
        assert q[:2] == pytest.approx(want[:2], abs=5e-6) and 2 * math.asin(q[6]) == pytest.approx(want[2], abs=1e-3 if t == 0.4 else 2e-4), (t, q, want)
    assert a["q"][-1][6] > 0.09
    never_creates(a, 1e-9)
