# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_drag.py - fluid forces on random trees, against MuJoCo's inertia-box model.
"""Random trees of every joint, bodies with <inertial>, one geom or several, in fluids with and without density, viscosity and wind: inverse and
forward dynamics at random states within 1e-9 of MuJoCo's, the numbers of the fluid in them and not negligible."""
import json

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401

ROBOTS, STATES = 40, 5
FLAGS = {5: 'damper="disable"', 6: 'spring="disable"', 7: 'spring="disable" damper="disable"'}  # without both there is no fluid either


def numbers(x):
    return " ".join(f"{e:.17g}" for e in np.atleast_1d(x))


def rotated(rng):
    return f'quat="{numbers(rng.normal(size=4))}"'


def mass_of(rng):
    """What a body weighs: stated along its axes or not, one solid, or some."""
    kind = rng.integers(6)
    place = f'pos="{numbers(rng.uniform(-0.2, 0.2, 3))}"'
    sides = rng.uniform(0.05, 0.4, 3)
    moments = np.array([sides[1] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[1] ** 2]) / 6
    if kind == 0:
        return f'<inertial {place} {rotated(rng)} mass="2" diaginertia="{numbers(moments)}"/>'
    if kind == 1:
        turn = peer.rotation(np.array([1, *rng.uniform(-0.4, 0.4, 3)]) / 1.3)
        turn = np.linalg.qr(turn)[0]
        full = turn @ np.diag(moments) @ turn.T
        return f'<inertial {place} mass="2" fullinertia="{numbers([full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]])}"/>'
    if kind == 2:  # two equal moments: the axes across are those of the geom
        return f'<geom type="{rng.choice(["capsule", "cylinder"])}" size="{numbers(rng.uniform(0.05, 0.2, 2))}" {place} {rotated(rng)}/>'
    if kind == 3:
        return f'<geom type="capsule" size="0.07" fromto="{numbers(rng.uniform(-0.3, 0.3, 6))}"/>'
    if kind == 4:
        return f'<geom type="cylinder" size="{numbers(rng.uniform(0.05, 0.2, 2))}" {place} {rotated(rng)}/><geom size="0.05" mass="0" pos="0.3 0 0"/>'
    return (f'<geom type="box" size="{numbers(sides / 2)}" {place} {rotated(rng)}/><geom type="ellipsoid" size="{numbers(rng.uniform(0.05, 0.2, 3))}" {rotated(rng)}/>')


def tree(rng, n):
    parents = [int(rng.integers(-1, k)) for k in range(n)]
    parents[0] = -1

    def body(k):
        kind = "free" if k == 0 and rng.uniform() < 0.5 else rng.choice(["hinge", "slide", "ball"])
        joint = f'<joint type="{kind}"' + (f' axis="{numbers(rng.normal(size=3))}" pos="{numbers(rng.uniform(-0.1, 0.1, 3))}"' if kind in ("hinge", "slide") else "") + "/>"
        inside = "".join(body(c) for c in range(n) if parents[c] == k)
        return f'<body name="b{k}" pos="{numbers(rng.uniform(-0.3, 0.3, 3))}" {rotated(rng)}>{joint}{mass_of(rng)}{inside}</body>'

    return "".join(body(k) for k in range(n) if parents[k] == -1)


def option(rng, case):
    words = {"density": rng.uniform(1, 1500), "viscosity": rng.uniform(0.1, 5)}
    chosen = [("density",), ("viscosity",), ("density", "viscosity")][case % 3]
    wind = f' wind="{numbers(rng.uniform(-3, 3, 3))}"' if case % 2 else ""
    return "<option " + " ".join(f'{name}="{numbers(words[name])}"' for name in chosen) + wind + f"><flag {FLAGS.get(case % 8, '')}/></option>"


def test_random_trees_in_fluids(daemon):  # noqa: F811
    rng = np.random.default_rng(7)
    worst, felt = 0.0, 0
    for case in range(ROBOTS):
        bodies = tree(rng, int(rng.integers(1, 6)))
        text = f'<mujoco><compiler angle="radian"/>{option(rng, case)}<worldbody>{bodies}</worldbody></mujoco>'
        model = mujoco.MjModel.from_xml_string(text)
        status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
        assert status in (200, 201), answer
        if case % 8 == 7:
            assert "medium" not in json.loads(answer)
        else:
            exact(model, json.loads(answer))
        for _ in range(STATES):
            q, qd, turn, free = peer.state_of(model, rng)
            want, got = peer.theirs(model, q, qd, turn, free), peer.ours(daemon, q, qd)
            scale = np.abs(want["tau"]).max()
            error = np.abs(np.array(got["tau"]) - want["tau"]).max() / scale
            assert error < 1e-9, (case, error, text)
            worst = max(worst, error)
            body = {"q": list(q), "qd": list(qd), "tau": got["tau"]}
            status, _, answer = daemon.request("POST", "/v1/robots/all/forward-dynamics", json.dumps(body), {"Content-Type": "application/json"})
            assert status == 200 and np.abs(json.loads(answer)["qdd"]).max() < 1e-6, answer
            body = {"q": list(q), "qd": list(qd), "qdd": [0.0] * len(qd), "without": ["friction"]}
            status, _, answer = daemon.request("POST", "/v1/robots/all/inverse-dynamics", json.dumps(body), {"Content-Type": "application/json"})
            felt += np.abs(np.array(json.loads(answer)["tau"]) - want["tau"]).max() > 1e-3 * scale
    print(f"largest difference {worst:.1e}, the fluid is above 0.1 % of torque in {felt} of {ROBOTS * STATES} states")
    assert felt > ROBOTS * STATES // 2


def exact(model, robot):
    """MuJoCo's search for axes ends 1.4e-6 rad early; it gets the axes of the boxes read, if its own are as near as that."""
    links = {link["name"]: link for link in robot["links"]}
    for k in range(1, model.nbody):
        link = links[model.body(k).name]
        axes = np.array(link["drag"].get("rotation", np.eye(3)))
        seen = axes.T @ peer.rotation(model.body_iquat[k])
        order = np.abs(seen).argmax(axis=0)
        assert sorted(order) == [0, 1, 2] and np.abs(np.abs(seen[order, range(3)]) - 1).max() < 1e-10 and np.abs(seen).min(axis=0).max() < 1e-5, (k, seen)
        ours = axes[:, order] * np.sign(seen[order, range(3)])
        mujoco.mju_mat2Quat(model.body_iquat[k], np.ascontiguousarray(ours).flatten())
        model.body_inertia[k] = np.diag(ours.T @ np.array(link["inertia"]) @ ours)
