# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_compound_joints.py - helical and universal joints: poses by exponentials of twists, forces by Lagrange's equations in
# Python's own numbers, the same robot by each way to write it, and refusals.
"""The reference is an arm of screws: T_i(q) = exp(S_1 q_1) ... exp(S_i q_i) home_i, Rodrigues' formula written out. Its mass matrix is the sum of the
bodies' J^T I J from the twists, its energy that of masses and heights, and tau = d/dt dT/dqd - dT/dq + dV/dq with differences of M and V to the
fourth order. Nothing of it knows joints that are two."""
import json
import math
import random

import pytest
from conftest import numbers

XML = {"Content-Type": "application/xml"}
JSON = {"Content-Type": "application/json"}
G = 9.81


# ------------------------------------------------------------------------------------ rotations, twists, exponentials
def mul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def act(a, x):
    return [sum(p * q for p, q in zip(row, x)) for row in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def plus(*rows):
    return [sum(x) for x in zip(*rows)]


def by(s, a):
    return [s * x for x in a]


def turn(w, q):
    c, s = math.cos(q), math.sin(q)
    x, y, z = w
    return [[c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)]]


def exp(screw, q):
    """exp of the twist (v, w) q, |w| = 1 or w = 0: Lynch and Park, Modern Robotics, (3.88), its series summed as they do."""
    v, w = screw[:3], screw[3:]
    if not any(w):
        return by(q, v), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    wv, h = cross(w, v), dot(w, v)
    # (E q + (1 - cos) w^ + (q - sin) w^2) v, with w^2 v = w (w.v) - v
    return plus(by(q, v), by(1 - math.cos(q), wv), by(q - math.sin(q), plus(by(h, w), by(-1, v)))), turn(w, q)


def after(a, b):
    return plus(a[0], act(a[1], b[0])), mul(a[1], b[1])


def unit(rng):
    while True:
        w = [rng.uniform(-1, 1) for _ in range(3)]
        size = math.sqrt(dot(w, w))
        if 0.2 < size < 1:
            return by(1 / size, w)


class Arm:
    """Screws (v, w) in the base frame, home poses of links, masses; pitches in m a turn, 0: it only turns, None: it slides."""

    def __init__(self, seed, pitches):
        rng = random.Random(seed)
        self.pitches, self.n = pitches, len(pitches)
        self.screws, self.homes, self.masses, self.coms, self.tensors = [], [], [], [], []
        for pitch in pitches:
            w, p = unit(rng), [rng.uniform(-0.4, 0.4) for _ in range(3)]
            self.screws.append([*w, 0, 0, 0] if pitch is None else [*plus(cross(p, w), by(pitch / (2 * math.pi), w)), *w])
            self.homes.append(([rng.uniform(-0.5, 0.5) for _ in range(3)], turn(unit(rng), rng.uniform(-2, 2))))
            self.masses.append(rng.uniform(0.5, 3))
            self.coms.append([rng.uniform(-0.2, 0.2) for _ in range(3)])
            r = turn(unit(rng), rng.uniform(-2, 2))
            moments = [rng.uniform(0.05, 0.08) for _ in range(3)]
            self.tensors.append(mul(mul(r, [[moments[i] if i == k else 0 for k in range(3)] for i in range(3)]), [list(x) for x in zip(*r)]))

    def poses(self, q):
        sofar, poses = ([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), []
        for screw, x, home in zip(self.screws, q, self.homes):
            sofar = after(sofar, exp(screw, x))
            poses.append(after(sofar, home))
        return poses

    def twists(self, q):
        """Of each joint at q, in the base frame: Ad(exp ... exp) of its screw."""
        sofar, twists = ([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), []
        for screw, x in zip(self.screws, q):
            w = act(sofar[1], screw[3:])
            twists.append((plus(act(sofar[1], screw[:3]), cross(sofar[0], w)), w))
            sofar = after(sofar, exp(screw, x))
        return twists

    def mass_matrix(self, q):
        m = [[0.0] * self.n for _ in range(self.n)]
        twists = self.twists(q)
        for k, (at, mass, com, tensor) in enumerate(zip(self.poses(q), self.masses, self.coms, self.tensors)):
            c = plus(at[0], act(at[1], com))
            world = mul(mul(at[1], tensor), [list(x) for x in zip(*at[1])])
            columns = [(plus(v, cross(w, c)), w) for v, w in twists[:k + 1]]
            for i, (a, u) in enumerate(columns):
                for j, (b, w) in enumerate(columns):
                    m[i][j] += mass * dot(a, b) + dot(u, act(world, w))
        return m

    def potential(self, q):
        return sum(mass * G * plus(at[0], act(at[1], com))[2] for at, mass, com in zip(self.poses(q), self.masses, self.coms))

    def slope(self, f, q, k, h=2e-3):
        """df/dq_k by differences of the sixth order: 1e-13 / h of rounding, h^6 of the rest."""
        def at(step):
            return f([x + (step * h if i == k else 0) for i, x in enumerate(q)])
        return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + at(3) - at(-3)) / (60 * h)

    def tau(self, q, qd, qdd):
        def momentum(x, i):
            return dot(self.mass_matrix(x)[i], qd)

        def kinetic(x):
            return 0.5 * dot(qd, act(self.mass_matrix(x), qd))
        m = self.mass_matrix(q)
        return [dot(m[i], qdd) + sum(qd[k] * self.slope(lambda x: momentum(x, i), q, k) for k in range(self.n)) - self.slope(kinetic, q, i)
                + self.slope(self.potential, q, i) for i in range(self.n)]

    def kind(self, k):
        return "prismatic" if self.pitches[k] is None else "helical" if self.pitches[k] else "revolute"

    def link(self, k):
        return {"name": f"l{k}", "mass": self.masses[k], "com": self.coms[k], "inertia": self.tensors[k], "inertia_about": "com"}

    def poe(self):
        return {"gravity": [0, 0, -G], "poe": {"joints": [
            {"name": f"j{k}", "kind": self.kind(k), "screw": self.screws[k],
             "link": self.link(k) | {"home": {"position": self.homes[k][0], "rotation": self.homes[k][1]}}} for k in range(self.n)]}}


def request(daemon, method, path, body, kind=JSON):
    status, _, text = daemon.request(method, path, body if isinstance(body, str) else json.dumps(body), kind)
    assert status in (200, 201), text
    return json.loads(text)


def put(daemon, name, body, kind=JSON):
    return request(daemon, "PUT", f"/v1/robots/{name}", body, kind)


def near(got, want, slack):
    size = max(1.0, max(map(abs, want)))
    return max(abs(a - b) for a, b in zip(got, want, strict=True)) <= slack * size


def flat(rows):
    return [x for row in rows for x in row]


def dynamics(daemon, name, q, qd, qdd):
    answer = request(daemon, "POST", f"/v1/robots/{name}/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd, "include": ["mass_matrix", "gravity_torque"]})
    return answer["tau"], answer["mass_matrix"], answer["gravity_torque"]


PITCHES = [[0.3], [-0.7, 0, 0.2], [0, 0.05, None, -1.5, 0], [0.4, -0.4, 0.3, 0, 0.02, 1]]


@pytest.mark.parametrize("pitches", PITCHES)
def test_poses_are_exponentials_of_screws(daemon, pitches):
    arm, rng = Arm(len(pitches), pitches), random.Random(1)
    robot = put(daemon, "screws", arm.poe())
    assert robot["nv"] == arm.n
    for _ in range(4):
        q = [rng.uniform(-9, 9) for _ in pitches]  # beyond a turn: an angle of a thread is not periodic
        answer = request(daemon, "POST", "/v1/robots/screws/kinematics", {"q": q, "frames": [f"l{k}" for k in range(arm.n)]})
        for k, (p, r) in enumerate(arm.poses(q)):
            got = answer["frames"][k]
            assert near(got["position"], p, 1e-13) and near(flat(got["rotation"]), flat(r), 1e-13), k


@numbers
@pytest.mark.parametrize("pitches", PITCHES)
def test_dynamics_are_lagranges(daemon, pitches):
    """Differences of the sixth order with steps of 2e-3: errors of some 1e-11 of the largest terms."""
    arm, rng = Arm(len(pitches), pitches), random.Random(2)
    put(daemon, "screws", arm.poe())
    for _ in range(3):
        q, qd, qdd = ([rng.uniform(-2, 2) for _ in pitches] for _ in range(3))
        tau, mass, gravity = dynamics(daemon, "screws", q, qd, qdd)
        assert near(flat(mass), flat(arm.mass_matrix(q)), 1e-13)
        want = arm.tau(q, qd, qdd)
        assert near(tau, want, 1e-9), (tau, want)
        assert near(gravity, [arm.slope(arm.potential, q, k) for k in range(arm.n)], 1e-9)
        back = request(daemon, "POST", "/v1/robots/screws/forward-dynamics", {"q": q, "qd": qd, "tau": want})
        assert near(back["qdd"], qdd, 1e-7), (back["qdd"], qdd)  # the errors above by the condition of M


def test_a_nut_falls_along_its_screw(daemon):
    """A nut of mass m and moment I on a vertical screw without friction: (I + m h^2) qdd = -m g h, h = pitch / (2 pi)."""
    m, moment, pitch = 2.0, 0.01, 0.25
    h = pitch / (2 * math.pi)
    put(daemon, "nut", {"gravity": [0, 0, -G], "links": [{"name": "screw"}, {"name": "nut", "mass": m, "com": [0, 0, 0.1], "inertia_about": "com",
                        "inertia": [[moment, 0, 0], [0, moment, 0], [0, 0, moment]]}],
                        "joints": [{"name": "thread", "kind": "helical", "parent": "screw", "child": "nut", "axis": [0, 0, 1], "pitch": pitch}]})
    qdd = request(daemon, "POST", "/v1/robots/nut/forward-dynamics", {"q": [1], "qd": [3], "tau": [0]})["qdd"][0]
    assert abs(qdd + m * G * h / (moment + m * h * h)) < 1e-12
    run = request(daemon, "POST", "/v1/robots/nut/simulate", {"initial": {"q": [1], "qd": [3]}, "duration_s": 2, "output": {"interval_s": 0.5}})
    assert len(run["t"]) == 5 and near([row[0] for row in run["q"]], [1 + 3 * t + 0.5 * qdd * t * t for t in run["t"]], 1e-9)


@numbers
def test_energy_stays_without_friction(daemon):
    """The arm of screws swings for 3 s: kinetic and potential energy by the test's own masses and heights."""
    pitches = [0.3, 0, -0.2, 0.5]
    arm = Arm(7, pitches)
    put(daemon, "swing", arm.poe())
    run = request(daemon, "POST", "/v1/robots/swing/simulate", {"initial": {"q": [0.3, -0.2, 0.5, 1], "qd": [1, -2, 0.5, 0]}, "duration_s": 3,
                                                                  "solver": {"rtol": 1e-11, "atol": 1e-12}, "output": {"interval_s": 0.25}})
    energies = [0.5 * dot(qd, act(arm.mass_matrix(q), qd)) + arm.potential(q) for q, qd in zip(run["q"], run["qd"])]
    span = max(abs(arm.potential(q)) for q in run["q"])
    assert len(energies) == 13 and max(energies) - min(energies) < 1e-8 * max(1, span), energies


def test_efforts_are_about_the_angle(daemon):
    """Friction, spring, damping, rotor and limits belong to the angle; the axial force F on the nut is F h of torque."""
    pitch = 0.1
    h = pitch / (2 * math.pi)
    joint = {"name": "thread", "kind": "helical", "parent": "screw", "child": "nut", "axis": [0, 0, 2], "pitch": -pitch, "damping": 0.3, "friction": 0.2,
             "spring": {"stiffness": 5, "rest": 0.5}, "rotor": {"inertia": 0.02, "ratio": 3}, "limits": {"lower": -20, "upper": 30, "velocity": 4, "effort": 9},
             "drive": {"motor": {"constant_nm_a": 0.05, "resistance": 0.6}, "gear": {"ratio": 3}}}
    robot = put(daemon, "nut", {"gravity": [0, 0, -G], "links": [{"name": "screw"}, {"name": "nut", "mass": 2, "com": [0, 0, 0]}], "joints": [joint]})
    thread, advance = robot["joints"]
    assert (thread["name"], thread["kind"], thread["child"], advance["name"], advance["kind"], advance["parent"], advance["child"]) == (
        "thread", "revolute", "thread_nut", "thread_advance", "prismatic", "thread_nut", "nut")
    assert thread["limits"] == {"lower": -20, "upper": 30, "velocity": 4, "effort": 9} and advance["limits"] == {}
    assert advance["mimic"]["joint"] == "thread" and advance["mimic"]["multiplier"] == pytest.approx(-h, rel=1e-15) and "drive" in thread
    wrench = {"link": "nut", "force": [0, 0, 7], "moment": [0, 0, 0.4], "at": "origin", "applied_to": "robot", "expressed_in": "world"}
    answer = request(daemon, "POST", "/v1/robots/nut/inverse-dynamics", {"q": [1.5], "qd": [2], "qdd": [3], "external_wrenches": [wrench]})
    want = (9 * 0.02 + 2 * h * h) * 3 + 0.3 * 2 + 0.2 + 5 * (1.5 - 0.5) - 2 * G * h + 7 * h - 0.4
    assert answer["tau"][0] == pytest.approx(want, rel=1e-12)


def same(daemon, a, b, n, seed=5):
    rng = random.Random(seed)
    for _ in range(2):
        q, qd, qdd = ([rng.uniform(-2, 2) for _ in range(n)] for _ in range(3))
        one, other = dynamics(daemon, a, q, qd, qdd), dynamics(daemon, b, q, qd, qdd)
        assert near(other[0], one[0], 1e-12) and near(flat(other[1]), flat(one[1]), 1e-12) and near(other[2], one[2], 1e-12)


def bare(robot):
    return {key: value for key, value in robot.items() if key not in ("name", "source", "digest", "understood", "ignored", "doctor")}


BODY = {"mass": 2, "com": [0.1, -0.2, 0.3], "inertia_about": "com", "inertia": [[0.1, 0.01, 0], [0.01, 0.12, 0.02], [0, 0.02, 0.09]]}
TREE = {"gravity": [0, 0, -G], "links": [{"name": "base"}, {"name": "a"} | BODY, {"name": "b"} | BODY, {"name": "c"} | BODY], "joints": [
    {"name": "lead", "kind": "helical", "parent": "base", "child": "a", "axis": [0.6, 0, 0.8], "pitch": 0.25, "damping": 0.1, "origin": {"rpy": [0.1, 0.2, 0.3], "position": [0, 0, 1]}},
    {"name": "hook", "kind": "universal", "parent": "a", "child": "b", "axis": [1, 0, 0], "axis2": [0.2, 1, 0], "damping": 0.3, "origin": {"position": [0.3, 0.1, 0]},
     "limits": {"lower": -2, "upper": 2}, "spring": {"stiffness": 4}},
    {"name": "back", "kind": "helical", "parent": "b", "child": "c", "axis": [0, 1, 0], "pitch": -0.125, "limits": {"lower": -9, "upper": 9}}]}


def test_the_printed_document_is_the_same_robot(daemon):
    robot = put(daemon, "first", TREE)
    assert [joint["name"] for joint in robot["joints"]] == ["lead", "lead_advance", "hook", "hook_axis2", "back", "back_advance"]
    assert [joint["kind"] for joint in robot["joints"]] == ["continuous", "prismatic", "revolute", "revolute", "revolute", "prismatic"]
    assert robot["nv"] == 4 and [one["name"] for one in robot["links"]][4:] == ["lead_nut", "hook_cross", "back_nut"]
    assert {one["where"] for one in robot["understood"] if "without mass" in one["text"]} == {"joint lead", "joint hook", "joint back"}
    assert not robot["ignored"] and not robot["doctor"], robot["doctor"]
    text = daemon.request("GET", "/v1/robots/first")[2].decode()
    again = put(daemon, "again", text)
    assert bare(again) == bare(robot)
    same(daemon, "first", "again", 4)


@pytest.mark.parametrize("format", ["sdf", "urdf", "mjcf"])
def test_round_trips_through_other_formats(daemon, format):
    put(daemon, "first", TREE)
    status, _, text = daemon.request("GET", f"/v1/robots/first?format={format}")
    assert status == 200
    there = put(daemon, "there", text.decode(), XML)
    assert there["nv"] == 4 and "constraints" not in there, there  # in MJCF beside a slide of its own, by the name of its <equality>
    same(daemon, "first", "there", 4)
    put(daemon, "back", daemon.request("GET", "/v1/robots/there")[2].decode())
    same(daemon, "first", "back", 4)


def test_a_universal_joint_is_two_hinges(daemon):
    """Height of a point mass l below the joint, axes x and y: -l cos q1 cos q2; and axes that are not at a right angle."""
    joint = {"name": "u", "kind": "universal", "parent": "a", "child": "b", "axis": [1, 0, 0], "axis2": [0, 1, 0], "damping": 0.5}
    robot = {"gravity": [0, 0, -G], "links": [{"name": "a"}, {"name": "b", "mass": 2, "com": [0, 0, -0.5]}], "joints": [joint]}
    put(daemon, "hooke", robot)
    tau, mass, gravity = dynamics(daemon, "hooke", [0.2, 0.4], [1, 2], [0, 0])
    assert near(gravity, [G * math.sin(0.2) * math.cos(0.4), G * math.cos(0.2) * math.sin(0.4)], 1e-14)
    assert near(flat(mass), [0.5 * math.cos(0.4) ** 2, 0, 0, 0.5], 1e-14)
    assert near(tau, plus(gravity, by(0.5, [1, 2]), [-math.sin(0.4) * math.cos(0.4) * 2, 0.5 * math.sin(0.4) * math.cos(0.4)]), 1e-13)
    joint["axis2"] = [0, 1, 1]
    put(daemon, "skew", robot)
    answer = request(daemon, "POST", "/v1/robots/skew/kinematics", {"q": [0.7, -0.9], "frames": ["b"]})["frames"][0]
    want = mul(turn([1, 0, 0], 0.7), turn([0, math.sqrt(0.5), math.sqrt(0.5)], -0.9))
    assert near(flat(answer["rotation"]), flat(want), 1e-14)


def test_a_follower_may_be_helical(daemon):
    """It follows a hinge: q = 2 q_hinge + 0.5, and its slide follows the same hinge. And one may follow it."""
    joints = [{"name": "hinge", "kind": "revolute", "parent": "base", "child": "a", "axis": [0, 0, 1]},
              {"name": "thread", "kind": "helical", "parent": "a", "child": "b", "axis": [0, 0, 1], "pitch": 0.5, "mimic": {"joint": "hinge", "multiplier": 2, "offset": 0.5}}]
    links = [{"name": name} | BODY for name in ("base", "a", "b", "c")]
    robot = put(daemon, "follow", {"gravity": [0, 0, -G], "links": links[:3], "joints": joints})
    h = 0.5 / (2 * math.pi)
    advance = robot["joints"][2]["mimic"]
    assert robot["nv"] == 1 and advance["joint"] == "hinge" and advance["multiplier"] == pytest.approx(2 * h) and advance["offset"] == pytest.approx(0.5 * h)
    answer = request(daemon, "POST", "/v1/robots/follow/kinematics", {"q": [0.3], "frames": ["b"]})["frames"][0]
    assert near(answer["position"], [0, 0, h * 1.1], 1e-14) and near(flat(answer["rotation"]), flat(turn([0, 0, 1], 0.3 + 1.1)), 1e-14)
    joints[1].pop("mimic")
    joints.append({"name": "lift", "kind": "prismatic", "parent": "b", "child": "c", "axis": [1, 0, 0], "mimic": {"joint": "thread", "multiplier": 3}})
    assert put(daemon, "follow", {"gravity": [0, 0, -G], "links": links, "joints": joints})["nv"] == 2
    tau = dynamics(daemon, "follow", [0.1, 0.2], [0, 0], [0, 0])[2]
    assert near(tau, [0, 2 * 2 * G * h], 1e-14)


def test_a_row_of_a_table_may_be_helical(daemon):
    """Standard rows: Rz(theta + q) Tz(d + pitch/(2 pi) q) Tx(a) Rx(alpha); modified ones, Rx(alpha) Tx(a) first."""
    x, z = [1, 0, 0], [0, 0, 1]
    for convention in ("standard", "modified"):
        rows = [{"name": "j1", "d": 0.3, "a": 0.2, "alpha": 0.7, "offset": 0.4}, {"name": "j2", "kind": "helical", "pitch": 0.8, "d": 0.1, "a": 0.4, "alpha": -0.9, "theta": 0.2, "link": {"name": "end"} | BODY}]
        put(daemon, "table", {"gravity": [0, 0, -G], "dh": {"convention": convention, "joints": rows}})
        q, at = [0.6, 3.1], ([0, 0, 0], turn(z, 0))
        for row, angle in zip(rows, q):
            twist = ([row["a"], 0, 0], turn(x, row["alpha"]))
            screw = ([0, 0, row["d"] + row.get("pitch", 0) / (2 * math.pi) * angle], turn(z, angle + row.get("theta", 0) + row.get("offset", 0)))
            at = after(after(at, screw), twist) if convention == "standard" else after(after(at, twist), screw)
        answer = request(daemon, "POST", "/v1/robots/table/kinematics", {"q": q, "frames": ["end"]})["frames"][0]
        assert near(answer["position"], at[0], 1e-14) and near(flat(answer["rotation"]), flat(at[1]), 1e-14)


# ------------------------------------------------------------------------------------ SDF
SDF = ('<sdf version="1.9"><model name="m"><link name="base"/><link name="a"><pose>0.1 0.2 0.3 0 0 0</pose><inertial><pose>0.1 -0.2 0.3 0 0 0</pose><mass>2</mass>'
       "<inertia><ixx>0.1</ixx><ixy>0.01</ixy><iyy>0.12</iyy><iyz>0.02</iyz><izz>0.09</izz></inertia></inertial></link>"
       '<joint name="lead" type="screw"><pose>0.5 0 0 0 0 0</pose><parent>base</parent><child>a</child>%s<axis><xyz>0 0.6 0.8</xyz>%s<dynamics><damping>0.1</damping></dynamics></axis></joint>%s</model></sdf>')
LIMIT = "<limit><lower>-9</lower><upper>8</upper><effort>3</effort></limit>"


def sdf(daemon, pitch, limit="", more="", name="screw"):
    return put(daemon, name, SDF % (pitch, limit, more), XML)


def test_sdf_screws_by_both_pitches(daemon):
    """The joint lies 0.5 m beside its child: the document's joint is there, and the child beside it by a fixed joint."""
    pitch = 0.25
    document = {"gravity": [0, 0, -G], "links": [{"name": "base"}, {"name": "lever"}, {"name": "a"} | BODY], "joints": [
        {"name": "lead", "kind": "helical", "parent": "base", "child": "lever", "axis": [0, 0.6, 0.8], "pitch": pitch, "damping": 0.1, "origin": {"position": [0.6, 0.2, 0.3]}},
        {"name": "offset", "kind": "fixed", "parent": "lever", "child": "a", "origin": {"position": [-0.5, 0, 0]}}]}
    put(daemon, "written", document)
    newer, older = f"<screw_thread_pitch>{pitch}</screw_thread_pitch>", f"<thread_pitch>{-2 * math.pi / pitch:.17g}</thread_pitch>"
    for text in (newer, older, "<thread_pitch>7</thread_pitch>" + newer):
        robot = sdf(daemon, text)
        assert [(j["name"], j["kind"]) for j in robot["joints"]] == [("lead", "continuous"), ("lead_advance", "prismatic")] and robot["nv"] == 1
        assert robot["joints"][1]["mimic"]["multiplier"] == pytest.approx(pitch / (2 * math.pi), rel=1e-15)
        same(daemon, "written", "screw", 1)
        answers = [request(daemon, "POST", f"/v1/robots/{name}/kinematics", {"q": [7.7], "frames": ["a"]})["frames"][0] for name in ("written", "screw")]
        assert near(answers[0]["position"], answers[1]["position"], 1e-14)
    bounded = sdf(daemon, newer, LIMIT)
    assert bounded["joints"][0]["kind"] == "revolute" and bounded["joints"][0]["limits"] == {"lower": -9, "upper": 8, "effort": 3}
    unsaid = sdf(daemon, "")
    assert unsaid["joints"][1]["mimic"]["multiplier"] == pytest.approx(1 / (2 * math.pi)) and any("1 m a turn" in one["text"] for one in unsaid["doctor"])


def test_inverse_kinematics_counts_the_turns_of_a_thread(daemon):
    """A SCARA arm on a spindle of 5 mm a turn without limits: 0.4 m are 80 turns, and the rotation chooses among them."""
    put(daemon, "spindle", {"gravity": [0, 0, -G], "links": [{"name": "base"}, {"name": "a"} | BODY, {"name": "b"} | BODY, {"name": "c"} | BODY], "joints": [
        {"name": "j1", "kind": "continuous", "parent": "base", "child": "a", "axis": [0, 0, 1]},
        {"name": "j2", "kind": "continuous", "parent": "a", "child": "b", "axis": [0, 0, 1], "origin": {"position": [0.4, 0, 0]}},
        {"name": "lead", "kind": "helical", "parent": "b", "child": "c", "axis": [0, 0, 1], "pitch": 0.005, "origin": {"position": [0.3, 0, 0]}}]})
    for q in ([0.3, 1.1, 2 * math.pi * 80.3], [-1.2, 0.7, -2 * math.pi * 123.45]):
        pose = request(daemon, "POST", "/v1/robots/spindle/kinematics", {"q": q, "frames": ["c"]})["frames"][0]
        answer = request(daemon, "POST", "/v1/robots/spindle/inverse-kinematics",
                         {"frame": "c", "pose": {"position": pose["position"], "rotation": pose["rotation"]}, "axes": ["x", "y", "z", "rz"]})
        assert answer["solutions"], answer
        for solution in answer["solutions"]:
            back = request(daemon, "POST", "/v1/robots/spindle/kinematics", {"q": solution["q"], "frames": ["c"]})["frames"][0]
            assert near(back["position"], pose["position"], 1e-6) and near(flat(back["rotation"]), flat(pose["rotation"]), 1e-6)
        assert any(near(solution["q"][2:], q[2:], 1e-5) for solution in answer["solutions"]), answer


def test_the_least_pitch_moves(daemon):
    document = {"gravity": [0, 0, -G], "links": [{"name": "base"}, {"name": "a"} | BODY],
                "joints": [{"name": "lead", "kind": "helical", "parent": "base", "child": "a", "axis": [0, 0, 1], "pitch": 1e-12}]}
    robot = put(daemon, "fine", document)
    assert robot["joints"][1]["mimic"]["multiplier"] == pytest.approx(1e-12 / (2 * math.pi), rel=1e-15)
    answer = request(daemon, "POST", "/v1/robots/fine/kinematics", {"q": [2e6 * math.pi], "frames": ["a"]})["frames"][0]
    assert answer["position"][2] == pytest.approx(1e-6, rel=1e-9)
    sdf(daemon, "<thread_pitch>1e12</thread_pitch>")


def test_sdf_screws_that_are_refused(daemon):
    loop = '<joint name="close" type="screw"><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>'
    for pitch, more, said in (("<screw_thread_pitch>0</screw_thread_pitch>", "", "screw_thread_pitch of 0"), ("<thread_pitch>0</thread_pitch>", "", "thread_pitch of 0"),
                              ("<screw_thread_pitch>5e-324</screw_thread_pitch>", "", "screw_thread_pitch of 4.94066e-324"), ("<thread_pitch>1e13</thread_pitch>", "", "thread_pitch of 1e+13"),
                              ("", loop, "a screw joint closes a loop")):
        status, _, text = daemon.request("PUT", "/v1/robots/screw", SDF % (pitch, "", more), XML)
        fault = json.loads(text)["errors"][0]
        assert status == 422 and said in fault["detail"] and fault["hint"], text


# ------------------------------------------------------------------------------------ refusals
def change(**fields):
    document = json.loads(json.dumps(TREE))
    where = fields.pop("where")
    for key, value in fields.items():
        if value is None:
            document["joints"][where].pop(key)
        else:
            document["joints"][where][key] = value
    return document


REFUSED = [
    (change(where=0, pitch=None), "missing-field", "/joints/0/pitch", "metres a turn"),
    (change(where=0, pitch=0), "range", "/joints/0/pitch", "metres a turn"),
    (change(where=0, pitch=5e-324), "range", "/joints/0/pitch", "1e-12 or more"),
    (change(where=0, pitch=-9e-13), "range", "/joints/0/pitch", "1e-12 or more"),
    (change(where=0, pitch="5 mm"), "wrong-type", "/joints/0/pitch", "a number"),
    (change(where=0, axis=[0, 0, 0]), "range", "/joints/0/axis", "direction"),
    (change(where=0, axis2=[0, 0, 1]), "invalid-value", "/joints/0/axis2", "universal"),
    (change(where=2, axis=[0, 0, 0]), "range", "/joints/2/axis", "direction"),
    (change(where=1, axis2=None), "missing-field", "/joints/1/axis2", "frame of the joint"),
    (change(where=1, axis2=[-2, 0, 0]), "invalid-value", "/joints/1/axis2", "right angle"),
    (change(where=1, axis2=[0, 0, 0]), "invalid-value", "/joints/1/axis2", "right angle"),
    (change(where=1, axis=[0, 0, 0]), "range", "/joints/1/axis", "direction"),
    (change(where=1, axis=[1e200, 0, 0], axis2=[0, 0, 0]), "invalid-value", "/joints/1/axis2", "right angle"),
    (change(where=1, pitch=1), "invalid-value", "/joints/1/pitch", "helical"),
    (change(where=1, mimic={"joint": "lead"}), "invalid-value", "/joints/1/mimic", "revolute joints"),
    (change(where=1, drive={"motor": {"constant_nm_a": 1, "resistance": 1}}), "invalid-value", "/joints/1/drive", "revolute joints"),
    (change(where=1, child="nobody"), "unknown-name", "/joints/1/child", "link"),
    (change(where=2, child="b"), "tree", "/joints/2", ""),
    (change(where=2, name="lead_advance"), "invalid-robot", "/joints/2", "own name"),
    (change(where=2, kind="screw"), "invalid-value", "/joints/2/kind", "helical"),
    (change(where=2, kind="revolute"), "invalid-value", "/joints/2/pitch", "helical"),
]


@pytest.mark.parametrize("document, slug, pointer, hint", REFUSED)
def test_faults_have_their_places(daemon, document, slug, pointer, hint):
    status, _, text = daemon.request("PUT", "/v1/robots/faulty", json.dumps(document), JSON)
    problem = json.loads(text)
    assert status in (400, 422) and problem["type"].endswith(slug), text
    fault = next((one for one in problem["errors"] if one["pointer"].startswith(pointer)), None)
    assert fault and hint in fault["hint"], text


@pytest.mark.parametrize("kind, screw, more, pointer, hint", [
    ("revolute", [0, 0, 0.1, 0, 0, 1], {}, "/poe/joints/0/screw", "helical"), ("helical", [0, 1, 0, 0, 0, 1], {}, "/poe/joints/0/screw", "revolute"),
    ("helical", [0, 0, 1, 0, 0, 0], {}, "/poe/joints/0/screw", "unit axis"), ("universal", [0, 0, 0, 0, 0, 1], {}, "/poe/joints/0/kind", "helical"),
    ("helical", [0, 0, 1, 0, 0, 1], {"pitch": 1}, "/poe/joints/0/pitch", "2 pi v.w")])
def test_faults_of_screws(daemon, kind, screw, more, pointer, hint):
    document = {"gravity": [0, 0, 0], "poe": {"joints": [{"name": "j", "kind": kind, "screw": screw} | more]}}
    status, _, text = daemon.request("PUT", "/v1/robots/faulty", json.dumps(document), JSON)
    fault = json.loads(text)["errors"][0]
    assert status == 422 and fault["pointer"] == pointer and hint in fault["hint"], text


def test_links_between_count_too(daemon):
    """2,100 links with as many helical joints are 4,200 links."""
    n = 2100
    document = {"gravity": [0, 0, 0], "links": [{"name": f"l{k}"} for k in range(n + 1)], "joints": [
        {"name": f"j{k}", "kind": "helical", "pitch": 1, "axis": [0, 0, 1], "parent": f"l{k}", "child": f"l{k + 1}"} for k in range(n)]}
    status, _, text = daemon.request("PUT", "/v1/robots/long", json.dumps(document), JSON)
    assert status in (413, 422) and "4096 links" in json.loads(text)["errors"][0]["hint"], text
