# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_heaps.py - thirty bodies of which any two may touch: a pyramid of balls, a wall, stacks, and the bounds.
import json
import math
import random

import pytest
from test_contacts import GROUND, G, energy, never_creates, post, run, turned
from test_stacks import brick, pile_of, put  # noqa: F401

R, MASS = 0.1, 1.0
PITCH = 2.02 * R  # balls of a layer do not touch
RISE = math.sqrt(4 * R * R - PITCH**2 / 2)  # of a layer over the one below


def pyramid():
    """16 + 9 + 4 + 1 balls: each rests on the four below it."""
    return [((i - (n - 1) / 2) * PITCH, (j - (n - 1) / 2) * PITCH, R + layer * RISE) for layer, n in enumerate((4, 3, 2, 1)) for i in range(n) for j in range(n)]


def walls():
    """Half-spaces around the lowest layer, whose balls touch them."""
    half = 1.5 * PITCH + R
    turns = {"east": ([half, 0, 0], [0, -math.pi / 2, 0]), "west": ([-half, 0, 0], [0, math.pi / 2, 0]),
             "north": ([0, half, 0], [math.pi / 2, 0, 0]), "south": ([0, -half, 0], [-math.pi / 2, 0, 0])}
    return [{"name": name, "shape": "half-space", "pose": {"position": p, "rpy": rpy}} for name, (p, rpy) in turns.items()]


NAMES = [f"b{k}" for k in range(30)]
WORLD = ("ground", "east", "west", "north", "south")


def balls(put):  # noqa: F811
    robot = put(pile_of(*((n, MASS, [0.4 * MASS * R * R] * 3) for n in NAMES)))
    return robot, [GROUND] + walls() + [{"name": n, "link": n, "shape": "sphere", "size": [R]} for n in NAMES]


def bricks(put):  # noqa: F811
    robot = put(pile_of(*(brick(n, MASS, 0.2, 0.1, 0.1) for n in NAMES)))
    return robot, [GROUND] + [{"name": n, "link": n, "shape": "box", "size": [0.2, 0.1, 0.1]} for n in NAMES]


def on_the_world(a, row=-1):
    """The load on ground and walls, N."""
    return [-sum(a["contact_force"][row][3 * k + i] for k, p in enumerate(a["contacts"]["pairs"]) if p["a"] in WORLD) for i in range(3)]


def momentum_of_each(a, t):
    """Of each body m (v - v0) is what its contacts and gravity gave it."""
    given = {n: [0, 0, -MASS * G * t] for n in NAMES}
    for k, p in enumerate(a["contacts"]["pairs"]):
        for i in range(3):
            given[p["b"]][i] += a["contact_impulse"][-1][3 * k + i]
            if p["a"] not in WORLD:
                given[p["a"]][i] -= a["contact_impulse"][-1][3 * k + i]
    for k, n in enumerate(NAMES):
        before, after = (turned(a["q"][row][7 * k + 3:7 * k + 7], a["qd"][row][6 * k:6 * k + 3]) for row in (0, -1))
        assert [MASS * (y - x) for x, y in zip(before, after)] == pytest.approx(given[n], abs=1e-8)  # velocities are along the axes of a body that turns


def rests(a, q):
    assert a["q"][-1] == pytest.approx(q, abs=1e-12)
    assert max(abs(v) for v in a["qd"][-1]) < 1e-12
    assert max(energy(a)) - min(energy(a)) < 1e-11
    assert min(min(g) for g in a["contact_gap"]) > -1e-12
    assert on_the_world(a) == pytest.approx([0, 0, -30 * MASS * G], abs=1e-9)


def test_a_pyramid_of_balls_stands(daemon, put):  # noqa: F811
    """Each ball on four below it, held by friction and walls: 88 points of 585 pairs."""
    robot, shapes = balls(put)
    q = [x for p in pyramid() for x in (*p, 1, 0, 0, 0)]
    a = run(daemon, robot, q, [0] * 180, 0.02, shapes, 0.3, interval=0.01)
    pairs = a["contacts"]["pairs"]
    assert len(pairs) == 30 * 29 // 2 + 5 * 30 and sum(g < 1e-9 for g in a["contact_gap"][-1]) == 88
    rests(a, q)
    momentum_of_each(a, 0.02)
    for k, p in enumerate(pairs):
        force = a["contact_force"][-1][3 * k:3 * k + 3]
        on, off = (q[7 * int(p[n][1:]):7 * int(p[n][1:]) + 3] if p[n] not in WORLD else None for n in "ba")
        if off is not None:
            normal = [(x - y) / (2 * R) for x, y in zip(on, off)]
            load = sum(x * y for x, y in zip(normal, force))
            assert load > -1e-12 and math.hypot(*(f - load * x for f, x in zip(force, normal))) <= 0.3 * load + 1e-9


def test_balls_fall_into_a_heap(daemon, put):  # noqa: F811
    """Layers above each other, each ball a little off its place: nothing gains energy, nothing sinks in, momentum is kept."""
    rng = random.Random(4)
    robot, shapes = balls(put)
    q = [x for p in pyramid() for x in (*(0.996 * p[0], 0.996 * p[1], p[2] + 2e-3 + 0.02 * (p[2] - R)), 1, 0, 0, 0)]
    q = [x + rng.uniform(-3e-4, 3e-4) if k % 7 < 3 else x for k, x in enumerate(q)]
    a = run(daemon, robot, q, [0] * 180, 0.03, shapes, 0.3, restitution=0.1, step=2e-3, interval=0.003, violation=1e-6)
    assert a["contacts"]["impacts"] > 10
    assert min(min(g) for g in a["contact_gap"]) > -1e-7
    never_creates(a, 1e-7)
    momentum_of_each(a, 0.03)


def test_a_wall_of_bricks_stands(daemon, put):  # noqa: F811
    """Five rows; a brick on two others meets them at eight corners: 208 points, of which any distribution of the load will do."""
    robot, shapes = bricks(put)
    q = [x for row, n in enumerate((8, 7, 6, 5, 4)) for i in range(n) for x in (0.21 * (i - (n - 1) / 2), 0, 0.05 + 0.1 * row, 1, 0, 0, 0)]
    a = run(daemon, robot, q, [0] * 180, 3e-3, shapes, 0.3, interval=1e-3)
    assert len(a["contacts"]["pairs"]) == 465
    rests(a, q)
    momentum_of_each(a, 3e-3)


def test_stacks_do_not_disturb_each_other(daemon, put):  # noqa: F811
    """Ten stacks of three are ten islands; the uppermost brick of the first slides. Alone it does the same."""
    robot, shapes = bricks(put)
    q = [x for stack in range(10) for row in range(3) for x in (0.4 * stack, 0, 0.05 + 0.1 * row, 1, 0, 0, 0)]
    qd = [0.0] * 180
    qd[12:15] = [0.2, 0.1, 0]
    a = run(daemon, robot, q, qd, 0.03, shapes, 0.3, interval=0.01, violation=1e-8)
    three = put(pile_of(*(brick(n, MASS, 0.2, 0.1, 0.1) for n in NAMES[:3]), name="three"))
    b = run(daemon, three, q[:21], qd[:18], 0.03, shapes[:4], 0.3, interval=0.01, violation=1e-8)
    assert a["q"][-1][14] > 0.004
    assert a["q"][-1][:21] == pytest.approx(b["q"][-1], abs=1e-12)
    assert a["q"][-1][21:] == pytest.approx(q[21:], abs=1e-12)
    momentum_of_each(a, 0.03)


def feet(n):
    return [{"name": f"f{k}", "link": "b0", "shape": "box", "size": [0.02, 0.02, 0.1], "pose": {"position": [0.03 * (k % 12), 0.03 * (k // 12), 0]}}
            for k in range(n)]


def test_a_plate_on_many_feet(daemon, put):  # noqa: F811
    """128 feet of four corners each are as many as may touch, 129 end the run, which says where and how many."""
    robot = put(pile_of(("b0", 2.0, [0.1, 0.1, 0.2]), name="plate"))
    a = run(daemon, robot, [0, 0, 0.05, 1, 0, 0, 0], [0] * 6, 2e-3, [GROUND] + feet(128), 0.3, violation=1e-8)
    assert sum(a["contact_force"][-1][2::3]) == pytest.approx(2.0 * G, abs=1e-6)
    question = {"initial": {"q": [0, 0, 0.05, 1, 0, 0, 0]}, "duration_s": 0.01, "solver": {"step_s": 1e-3}, "contacts": {"friction": 0.3, "shapes": [GROUND] + feet(129)}}
    status, _, text = post(daemon, robot, question)
    assert status == 200, text
    verdict = json.loads(text)["verdict"]
    assert verdict["outcome"] != "completed" and "t = 0 s" in verdict["reason"] and "516" in verdict["reason"] and "512" in verdict["reason"], verdict


def test_pairs_have_a_bound(daemon, put):  # noqa: F811
    robot = put(pile_of(("b0", 1.0, [0.1] * 3), ("b1", 1.0, [0.1] * 3), name="two"))
    shapes = [{"link": f"b{i}", "shape": "sphere", "size": [0.01], "pose": {"position": [0.03 * k, 0, 0]}} for i in range(2) for k in range(65)]
    question = {"initial": {"q": [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]}, "duration_s": 2e-3, "solver": {"step_s": 1e-3},
                "contacts": {"friction": 0.3, "shapes": shapes}}
    status, _, text = post(daemon, robot, question)
    assert status == 413 and json.loads(text)["errors"][0]["pointer"] == "/contacts/shapes" and b"4096" in text, text
    question["contacts"]["shapes"] = shapes[1:65] + shapes[66:]  # 64 x 64
    status, _, text = post(daemon, robot, question)
    assert status == 200 and json.loads(text)["verdict"]["outcome"] == "completed", text
