# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_stacks.py - contact between solids with edges: beside half-spaces, which find all corners, and closed forms.
import json
import math
import random

import pytest
from test_contacts import BALL, BOX, G, GROUND, ball_of, body, box_of, corners_of, energy, flat, never_creates, post, run

TABLE = {"name": "ground", "shape": "box", "size": [4, 6, 0.2], "pose": {"position": [0.1, 0.2, -0.1]}}
HULL_TABLE = {"name": "ground", "shape": "hull", "points": corners_of(4, 6, 0.2), "pose": {"position": [0.1, 0.2, -0.1]}}
HULL = {"name": "block", "link": "body", "shape": "hull", "points": corners_of(0.4, 0.3, 0.2)}
ROD = {"name": "block", "link": "body", "shape": "capsule", "size": [0.05, 0.4]}


@pytest.fixture(scope="module")
def put(daemon):
    def one(robot):
        status, _, text = daemon.request("PUT", f"/v1/robots/{robot['name']}", json.dumps(robot), {"Content-Type": "application/json"})
        assert status in (200, 201), text
        return robot["name"]
    return one


def pile_of(*bodies, name="pile"):
    """Bodies with a free joint each; (name, mass, three moments of inertia)."""
    return {"name": name, "gravity": [0, 0, -G],
            "links": [{"name": "world"}] + [{"name": n, "mass": m, "com": [0, 0, 0], "inertia_about": "com", "inertia": [[i[0], 0, 0], [0, i[1], 0], [0, 0, i[2]]]}
                                            for n, m, i in bodies],
            "joints": [{"name": f"free {n}", "kind": "floating", "parent": "world", "child": n} for n, m, i in bodies]}


def brick(name, mass, x, y, z):
    return name, mass, (mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y))


def same(ours, theirs, within, names=("q", "qd")):
    for name in names:
        for a, b in zip(ours[name], theirs[name], strict=True):
            assert a == pytest.approx(b, abs=within), name


MOTIONS = {
    "rests": (flat(z=0.1), [0] * 6, 2.0, 0.4, 0.0),
    "slides": (flat(z=0.1), [0.6, 0.8, 0, 0, 0, 0], 0.6, 0.3, 0.0),
    "spins": (flat(z=0.1), [0.6, 0.2, 0, 0, 0, 6], 0.4, 0.3, 0.0),
    "tumbles": ([0, 0, 0.35, math.cos(0.3), 0.5 * math.sin(0.3), math.sqrt(0.75) * math.sin(0.3), 0], [0.3, 0, 0, 0.5, -1, 0.2], 0.4, 0.4, 0.3),
}


@pytest.mark.parametrize("ground", [TABLE, HULL_TABLE])
@pytest.mark.parametrize("solid", [BOX, HULL])
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_box_on_a_box_moves_as_on_a_half_space(daemon, put, motion, solid, ground):
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    q, qd, duration, mu, e = MOTIONS[motion]
    ours, theirs = (run(daemon, robot, q, qd, duration, [floor, shape], mu, e, interval=0.05) for floor, shape in ((ground, solid), (GROUND, BOX)))
    assert ours["contacts"]["impacts"] == theirs["contacts"]["impacts"] and (motion != "tumbles" or ours["contacts"]["impacts"] > 0)
    same(ours, theirs, 1e-9)
    if motion != "tumbles":
        same(ours, theirs, 1e-9, ("contact_force", "contact_impulse"))
    never_creates(ours, 1e-9)


@pytest.mark.parametrize("ground", [TABLE, HULL_TABLE])
def test_a_capsule_on_a_box_moves_as_on_a_half_space(daemon, put, ground):
    """Lies and slides along itself, rolls, falls over."""
    robot = put(body("rod", 1.0, [0.02, 0.02, 0.00125]))
    lying = [math.cos(math.pi / 4), 0, math.sin(math.pi / 4), 0]
    tilt = [math.cos(0.3), 0, math.sin(0.3), 0]
    for q, qd, duration in (([0, 0, 0.05] + lying, [0, 0, 0.5, 0, 0, 0], 0.4), ([0, 0, 0.05] + lying, [0, 0.6, 0, 0, 0, 0.5], 0.4),
                            ([0, 0, 0.05 + 0.2 * math.cos(0.6)] + tilt, [0] * 6, 0.6)):
        ours, theirs = (run(daemon, robot, q, qd, duration, [floor, ROD], 0.3, 0.2, interval=0.05, violation=1e-8) for floor in (ground, GROUND))
        same(ours, theirs, 1e-6 if duration > 0.5 else 1e-9)  # 194 impacts double what rounding differs by
        assert ours["contacts"]["impacts"] == theirs["contacts"]["impacts"]
        never_creates(ours, 1e-8)


@pytest.mark.parametrize("ratio, slides", [(0.999, False), (1.001, True)])
def test_a_block_on_a_tilted_box(daemon, put, ratio, slides):
    """At rest if and only if tan a <= mu; otherwise it accelerates by g (sin a - mu cos a)."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    mu = 0.5
    a = math.atan(ratio * mu)
    up = [math.sin(a), 0, math.cos(a)]
    start = [0.1 * x for x in up] + [math.cos(a / 2), 0, math.sin(a / 2), 0]
    table = {**TABLE, "pose": {"rpy": [0, a, 0], "position": [-0.1 * x for x in up]}}
    for shapes in ([table, BOX], [BOX, table]):
        r = run(daemon, robot, start, [0] * 6, 1.0, shapes, mu)
        moved = math.dist(r["q"][-1][:3], start[:3])
        pull = max(0.0, G * (math.sin(a) - mu * math.cos(a)))
        assert abs(moved - 0.5 * pull) < 1e-9, (moved, pull)
        assert (moved > 1e-4) is slides and (slides or moved < 1e-12)


@pytest.mark.parametrize("solid", [BOX, HULL, {**BOX, "shape": "hull", "points": corners_of(0.4, 0.3, 0.2)}])
def test_a_block_beyond_the_edge_falls(daemon, put, solid):
    """1 mm on this side of the edge it rests, its foot at the edge carries nearly all; beyond it turns about the edge:
    I theta'' = m g (e cos theta - h sin theta), I = m (x^2 + 13 h^2 + ...)."""
    solid = {k: v for k, v in solid.items() if not (solid["shape"] == "hull" and k == "size")}
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    edge = 2.1
    a = run(daemon, robot, flat(edge - 0.001, z=0.1), [0] * 6, 1.0, [TABLE, solid], 0.8)
    assert a["q"][-1] == pytest.approx(flat(edge - 0.001, z=0.1), abs=1e-12)
    out, half, t, steps = 0.02, 0.1, 0.25, 4000
    inertia = 2 / 12 * (0.4**2 + 0.2**2) + 2 * (out**2 + half**2)
    a = run(daemon, robot, flat(edge + out, z=0.1), [0] * 6, t, [TABLE, solid], 0.8, step=2e-4)
    x, w, h = 0.0, 0.0, t / steps

    def rate(y):
        return 2 * G * (out * math.cos(y) + half * math.sin(y)) / inertia
    for _ in range(steps):  # Nystroem, order 4
        k1 = rate(x)
        k2 = rate(x + h * w / 2 + h * h * k1 / 8)
        k3 = rate(x + h * w + h * h * k2 / 2)
        x, w = x + h * w + h * h * (k1 + 2 * k2) / 6, w + h * (k1 + 4 * k2 + k3) / 6
    q = a["q"][-1]
    assert x > 0.05 and 2 * math.asin(q[5]) == pytest.approx(x, abs=1e-7), (2 * math.asin(q[5]), x)
    assert q[0] - edge == pytest.approx(out * math.cos(x) + half * math.sin(x), abs=2e-8)
    assert abs(a["contact_gap"][-1][0]) < 1e-8
    never_creates(a, 1e-8)


def test_a_stack_stays(daemon, put):
    """Four bricks, the same size and not, turned and aside: each carries those above it."""
    sizes = [(0.4, 0.3, 0.2), (0.4, 0.3, 0.2), (0.3, 0.3, 0.1), (0.2, 0.4, 0.1)]
    names = ["one", "two", "three", "four"]
    robot = put(pile_of(*(brick(n, 2.0, *s) for n, s in zip(names, sizes))))
    shapes = [GROUND] + [{"name": n, "link": n, "shape": "box", "size": list(s)} for n, s in zip(names, sizes)]
    start = flat(z=0.1) + flat(z=0.3) + [0.02, 0.01, 0.45, math.cos(0.2), 0, 0, math.sin(0.2)] + [0, 0, 0.55, math.cos(0.5), 0, 0, math.sin(0.5)]
    a = run(daemon, robot, start, [0] * 24, 3.0, shapes, 0.5, step=0.005, interval=1.0)
    assert max(abs(x - y) for q in a["q"] for x, y in zip(q, start)) < 1e-9
    load = {(p["a"], p["b"]): a["contact_force"][-1][3 * k + 2] for k, p in enumerate(a["contacts"]["pairs"])}
    for below, n in (("ground", 4), ("one", 3), ("two", 2), ("three", 1)):
        above = names[4 - n]
        assert load[below, above] == pytest.approx(2 * G * n, abs=1e-7), load
    assert a["audit"]["energy"]["kinetic_max"] < 1e-14


def test_a_log_pile(daemon, put):
    """Three capsules: the upper one presses each of the two fixed lower ones with m g / (2 cos 30 deg) along the line of their axes; no friction."""
    robot = put(body("rod", 1.0, [0.02, 0.02, 0.00125]))
    r, lying = 0.05, [math.cos(math.pi / 4), 0, math.sin(math.pi / 4), 0]
    logs = [{"name": f"log {k}", "shape": "capsule", "size": [r, 1.0], "pose": {"position": [0.1, k * r, 0], "rpy": [0, math.pi / 2, 0]}} for k in (-1, 1)]
    start = [0, 0, math.sqrt(3) * r] + lying
    a = run(daemon, robot, start, [0] * 6, 2.0, logs + [ROD], 0.0)
    assert a["q"][-1] == pytest.approx(start, abs=1e-7)
    force = a["contact_force"][-1]
    by_name = {p["a"]: force[3 * k:3 * k + 3] for k, p in enumerate(a["contacts"]["pairs"])}
    assert by_name["log -1"] == pytest.approx([0, G / 2 * math.tan(math.pi / 6), G / 2], abs=1e-6)
    assert by_name["log 1"] == pytest.approx([0, -G / 2 * math.tan(math.pi / 6), G / 2], abs=1e-6)


def test_a_capsule_across_a_beam(daemon, put):
    """It overhangs a beam on both sides, off its middle: at rest; 2 mm further its centre is beyond the edge, and it falls, turning the right way."""
    robot = put(body("rod", 1.0, [0.02, 0.02, 0.00125]))
    lying = [math.cos(math.pi / 4), 0, math.sin(math.pi / 4), 0]
    for shape in ({"shape": "box", "size": [0.1, 1, 0.2]}, {"shape": "hull", "points": corners_of(0.1, 1, 0.2)}):
        beam = {"name": "beam", **shape, "pose": {"position": [0, 0, -0.1]}}
        start = [0.049, 0, 0.05] + lying
        a = run(daemon, robot, start, [0] * 6, 1.0, [beam, ROD], 0.9)
        assert a["q"][-1] == pytest.approx(start, abs=1e-12)
        b = run(daemon, robot, [0.052, 0, 0.05] + lying, [0] * 6, 0.5, [ROD, beam], 0.9)
        assert 2 * math.asin(b["q"][-1][5]) > math.pi / 2 + 0.01 and min(g[0] for g in b["contact_gap"]) > -1e-7
        never_creates(b, 1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_crossing_edges_meet(daemon, put, e):
    """A beam on its edge falls on the edge of another across it: the impact is central, at sqrt(2 g d), and comes back with e of that."""
    robot = put(box_of(1.0, 0.6, 0.1, 0.1))
    ridge = 0.05 * math.sqrt(2)
    below = {"name": "below", "shape": "box", "size": [0.1, 0.6, 0.1], "pose": {"position": [0, 0, -ridge], "rpy": [0, math.pi / 4, 0]}}
    beam = {"name": "block", "link": "body", "shape": "box", "size": [0.6, 0.1, 0.1]}
    points = {"name": "block", "link": "body", "shape": "hull", "points": corners_of(0.6, 0.1, 0.1)}
    drop = 0.05
    hit = math.sqrt(2 * drop / G)
    start = [0, 0, ridge + drop, math.cos(math.pi / 8), math.sin(math.pi / 8), 0, 0]
    for shape in (beam, points):
        a = run(daemon, robot, start, [0] * 6, 1.5 * hit, [below, shape], 0.3, e)
        touch = next(x for x in a["events"] if x["on"] == "touch")
        assert touch["t"] == pytest.approx(hit, abs=1e-9) and touch["value"] == pytest.approx(G * hit, abs=1e-9)
        after = 0.5 * hit
        height = ridge + e * G * hit * after - 0.5 * G * after**2 if e > 0 else ridge
        assert a["q"][-1][2] == pytest.approx(height, abs=1e-8)
        never_creates(a, 1e-9)


def test_an_edge_falls_flat(daemon, put):
    """A block that leans on the edge of a table with one of its own edges turns until the whole lower face meets the table's edge: the far edge arrives, unseen
    before, and does not sink in."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    roll, pitch = 0.15, 0.5
    cr, sr, cp, sp = math.cos(roll / 2), math.sin(roll / 2), math.cos(pitch / 2), math.sin(pitch / 2)
    turn = [cp * cr, cp * sr, sp * cr, -sp * sr]
    for solid in (BOX, HULL):
        a = run(daemon, robot, [2.1, 0, 0.28] + turn, [0] * 6, 0.5, [TABLE, solid], 0.9, interval=1e-3)
        gaps = [g[0] for g in a["contact_gap"]]
        assert min(gaps) > -1e-7, min(gaps)
        assert a["contacts"]["pairs"][0]["touches"] >= 2
        never_creates(a, 1e-6)


def solid(kind, name, rng):
    size = [rng.uniform(0.1, 0.3) for _ in range(3)]
    if kind == "hull":
        points = [[rng.uniform(-0.15, 0.15) for _ in range(3)] for _ in range(12)]
        return {"name": name, "link": name, "shape": "hull", "points": points}, size
    if kind == "capsule":
        return {"name": name, "link": name, "shape": "capsule", "size": [size[0] / 2, size[2]]}, size
    return {"name": name, "link": name, "shape": "box", "size": size}, size


def fall(daemon, put, kinds, seed, step=1e-3):
    """Two solids fall on each other and on a tilted table."""
    rng = random.Random(f"{kinds} {seed}")
    made = [solid(kind, name, rng) for kind, name in zip(kinds, ("one", "two"))]
    robot = put(pile_of(*(brick(name, 1.0 + k, *size) for k, (name, (_, size)) in enumerate(zip(("one", "two"), made)))))
    table = {"name": "table", "shape": "box", "size": [1, 1, 0.1], "pose": {"rpy": [0.15, -0.1, 0.3]}}

    def pose(height):
        q = [rng.gauss(0, 1) for _ in range(4)]
        n = math.sqrt(sum(x * x for x in q))
        return [rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), height] + [x / n for x in q]
    start = pose(0.4) + pose(0.9)
    rate = [rng.uniform(-1, 1) for _ in range(12)]
    return run(daemon, robot, start, rate, 0.8, [table] + [shape for shape, _ in made], 0.4, 0.3, step=step, interval=5e-3, violation=1e-7)


KINDS = [("box", "box"), ("box", "hull"), ("hull", "hull"), ("capsule", "box"), ("capsule", "hull"), ("capsule", "capsule")]


@pytest.mark.parametrize("kinds, seed", [(kinds, seed) for kinds in KINDS for seed in (1, 2, 3)] + [(KINDS[-1], 11)])
def test_falling_solids_create_no_energy(daemon, put, kinds, seed):
    """No gain, nothing sinks in. Gaps that count as closed tilt feet: velocities contradict each other by up to 1e-8 of the impact speed."""
    a = fall(daemon, put, kinds, seed)
    assert a["contacts"]["impacts"] > 2
    assert min(min(g) for g in a["contact_gap"]) > -1e-6
    never_creates(a, 5e-7)


def test_a_capsule_that_jams_is_not_thrown_off(daemon, put):
    """It slides along the table's edge, the normal force grows from 8 N to 150 N in 30 ms: the contact stays closed in every step, no step gains energy, and
    the last force is that of steps of a quarter."""
    long, short = (fall(daemon, put, KINDS[-1], 11, step) for step in (1e-3, 2.5e-4))
    since = next(k for k, t in enumerate(long["t"]) if t > 0.7599)
    for a in (long, short):
        assert max(abs(g[1]) for g in a["contact_gap"][since:]) < 1e-8
        never_creates(a, 1e-7)
    assert short["contact_force"][-1][5] > 140
    assert long["contact_force"][-1][5] == pytest.approx(short["contact_force"][-1][5], rel=0.03)
    assert energy(long)[-1] == pytest.approx(energy(short)[-1], abs=1e-4)


@pytest.mark.parametrize("solid", [BOX, HULL])
def test_compliant_faces_press_as_half_spaces_do(daemon, put, solid):
    """The corners of a face within the other's have the stiffness each that they have on a half-space: at rest m g / (4 k) deep, and sliding and turning the same."""
    robot = put(box_of(2.0, 0.4, 0.3, 0.2))
    law = {"law": "compliant", "stiffness": 1e4, "dissipation": 1, "friction": 0.3}
    for ground in (TABLE, HULL_TABLE):
        both = []
        for floor, shape in ((ground, solid), (GROUND, BOX)):
            question = {"initial": {"q": flat(z=0.11), "qd": [0.6, 0.2, 0, 0.3, 0.4, 3]}, "duration_s": 0.6, "output": {"interval_s": 0.1},
                        "solver": {"rtol": 1e-10, "atol": 1e-12}, "contacts": {**law, "shapes": [floor, shape]}, "include": ["energy"]}
            status, _, text = post(daemon, robot, question)
            assert status == 200, text
            both.append(json.loads(text))
        same(*both, 1e-7)
        assert both[0]["q"][-1][2] == pytest.approx(0.1 - 2 * G / 4e4, abs=1e-3)
        assert both[0]["audit"]["energy"]["residual_max"] < 1e-7


def test_a_ball_is_as_before(daemon, put):
    """Spheres have one point with boxes and hulls."""
    robot = put(ball_of(1.0, 0.1))
    ours, theirs = (run(daemon, robot, flat(z=0.5), [0.3, 0, 0, 0, 0, 0], 1.0, [floor, BALL], 0.3, 0.5, interval=0.1) for floor in (TABLE, GROUND))
    same(ours, theirs, 1e-9)
