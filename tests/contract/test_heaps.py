# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_heaps.py - thirty bodies of which any two may touch: a pyramid of balls, a wall, stacks, and the bounds.
import json
import math

import pytest
from test_contacts import G, GROUND, energy, never_creates, post, run
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
    turns = {"east": ([-half * -1, 0, 0], [0, -math.pi / 2, 0]), "west": ([-half, 0, 0], [0, math.pi / 2, 0]),
             "north": ([0, half, 0], [math.pi / 2, 0, 0]), "south": ([0, -half, 0], [-math.pi / 2, 0, 0])}
    return [{"name": name, "shape": "half-space", "pose": {"position": p, "rpy": rpy}} for name, (p, rpy) in turns.items()]


def test_a_pyramid(daemon, put):  # noqa: F811
    import time
    balls = pyramid()
    names = [f"b{k}" for k in range(30)]
    robot = put(pile_of(*((n, MASS, [0.4 * MASS * R * R] * 3) for n in names)))
    shapes = [GROUND] + walls() + [{"name": n, "link": n, "shape": "sphere", "size": [R]} for n in names]
    q = [x for p in balls for x in (*p, 1, 0, 0, 0)]
    t = time.time()
    a = run(daemon, robot, q, [0] * 180, 0.05, shapes, 0.3, interval=0.01)
    print("time", time.time() - t, a["contacts"]["violation"], a["stats"], energy(a))
    print(len(a["contacts"]["pairs"]), min(min(g) for g in a["contact_gap"]))
    f = a["contact_force"][-1]
    print(sum(f[3 * k + 2] for k, p in enumerate(a["contacts"]["pairs"]) if p["a"] in ("ground", "east", "west", "north", "south")), 30 * G)
    print(max(abs(v) for v in a["qd"][-1]))


def test_a_wall(daemon, put):  # noqa: F811
    import time
    names = [f"b{k}" for k in range(30)]
    robot = put(pile_of(*(brick(n, MASS, 0.2, 0.1, 0.1) for n in names)))
    shapes = [GROUND] + [{"name": n, "link": n, "shape": "box", "size": [0.2, 0.1, 0.1]} for n in names]
    q = [x for layer, n in enumerate((8, 7, 6, 5, 4)) for i in range(n) for x in (0.21 * (i - (n - 1) / 2), 0, 0.05 + 0.1 * layer, 1, 0, 0, 0)]
    t = time.time()
    a = run(daemon, robot, q, [0] * 180, 0.01, shapes, 0.3, interval=0.001, violation=1)
    print("time", time.time() - t, a["contacts"]["violation"], a["stats"], energy(a))
    print(len(a["contacts"]["pairs"]), min(min(g) for g in a["contact_gap"]))
    f = a["contact_force"][-1]
    print(sum(f[3 * k + 2] for k, p in enumerate(a["contacts"]["pairs"]) if p["a"] == "ground"), 30 * G)
    print(max(abs(v) for v in a["qd"][-1]))
