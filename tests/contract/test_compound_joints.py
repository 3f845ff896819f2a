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
            got = answer["frames"][f"l{k}"]
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
    t = run["columns"]["time"] if "columns" in run else run["t"]
    q = run["columns"]["q_thread"] if "columns" in run else [row[0] for row in run["q"]]
    assert near(q, [1 + 3 * x + 0.5 * qdd * x * x for x in t], 1e-9)
