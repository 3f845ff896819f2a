# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_base.py - robots with a floating base, from logs that contain the base's motion:
# flight, where nothing pushes the base, and contacts, whose torques are left out. Parameters and ranks are
# compared with those of a Newton-Euler recursion of this file's own.
import json

import numpy as np
import pytest
from conftest import numbers
from test_calibrate import ask, calibrate

RATE = 1000.0
BASE = {"base_position": ["x", "y", "z"], "base_quaternion_wxyz": ["qw", "qx", "qy", "qz"]}
TWIST = {"base_twist": ["vx", "vy", "vz", "wx", "wy", "wz"]}
ARM = [("shoulder", "body", "upper", [0, 1, 0], [0.12, 0.02, -0.05]), ("elbow", "upper", "fore", [1, 0, 0], [0.02, 0.03, -0.25])]
MODEL = {"friction": ["viscous"], "rotor": False}


def flyer(masses=(1.0, 1.0, 1.0), viscous=0.03):
    """A flying arm: a body and two links on crossing axes; each link's mass and tensor times `masses`."""
    links = [{"name": "world"}]
    for name, mass, com, inertia, factor in (("body", 3.0, [0.02, -0.01, 0.03], [0.03, 0.025, 0.04], masses[0]),
                                             ("upper", 0.9, [0.01, 0.02, -0.12], [0.006, 0.005, 0.002], masses[1]),
                                             ("fore", 0.6, [0.02, 0.01, -0.1], [0.003, 0.0025, 0.001], masses[2])):
        tensor = np.diag(inertia)
        tensor[0, 1] = tensor[1, 0] = 0.1 * inertia[2]
        links.append({"name": name, "mass": mass * factor, "com": com, "inertia": (tensor * factor).tolist(), "inertia_about": "com"})
    joints = [{"name": "free", "kind": "floating", "parent": "world", "child": "body"}]
    for name, parent, child, axis, at in ARM:
        joints.append({"name": name, "kind": "continuous", "parent": parent, "child": child, "axis": axis, "origin": {"position": at}, "damping": viscous})
    return {"gravity": [0, 0, -9.81], "links": links, "joints": joints}


def put(daemon, name, document):
    bare = {k: v for k, v in document.items() if k not in ("digest", "source", "name", "along_log")}
    reply = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(bare).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]


def put_log(daemon, name, columns):
    head = ",".join(columns)
    rows = np.column_stack(list(columns.values()))
    text = head + "\n" + "\n".join(",".join(repr(float(x)) for x in row) for row in rows) + "\n"
    reply = daemon.request("PUT", f"/v1/datasets/{name}", text.encode(), {"Content-Type": "text/csv"})
    assert reply[0] in (200, 201), reply[2]


def fly(daemon, robot, n, seed, seconds=4.0, push=0.25, rate=RATE, q0=None):
    """A motion in flight under joint torques of several sines: t, q, qd, tau."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate) + 1) / rate
    tau = np.zeros((t.size, 6 + n))
    for j in range(n):
        for f in (0.4, 0.9, 1.7, 2.6):
            f *= rng.uniform(0.9, 1.1)
            tau[:, 6 + j] += push * rng.uniform(0.4, 1) * np.cos(2 * np.pi * f * t + rng.uniform(0, 6))
    q = [0, 0, 0, 1, 0, 0, 0, *(rng.uniform(-0.5, 0.5, n) if q0 is None else q0)]
    qd = [*rng.uniform(-0.3, 0.3, 3), *rng.uniform(-1.5, 1.5, 3), *np.zeros(n)]
    run = ask(daemon, robot, "simulate", {"initial": {"q": q, "qd": qd}, "duration_s": t[-1], "output": {"times_s": t.tolist()},
                                          "input": {"kind": "torque", "t": t.tolist(), "tau": tau.tolist(), "interpolation": "cubic"}})
    return t, np.array(run["q"]), np.array(run["qd"]), tau


def columns_of(t, q, qd, tau, signs=1.0):
    n = q.shape[1] - 7
    named = {"t": t, "x": q[:, 0], "y": q[:, 1], "z": q[:, 2]}
    for k, name in enumerate(BASE["base_quaternion_wxyz"]):
        named[name] = signs * q[:, 3 + k]
    for k, name in enumerate(TWIST["base_twist"]):
        named[name] = qd[:, k]
    for j in range(n):
        named.update({f"q{j}": q[:, 7 + j], f"qd{j}": qd[:, 6 + j], f"tau{j}": tau[:, 6 + j]})
    return named


def columns(n, *more, **base):
    names = {"time": "t", **{k: [f"{k}{j}" for j in range(n)] for k in ("q", "tau", *more)}}
    return {**names, **BASE, **base}


@pytest.fixture(scope="module")
def flown(daemon):
    put(daemon, "flyer", flyer())
    put(daemon, "flyer-true", flyer((1.3, 0.8, 1.2), 0.05))
    runs = [fly(daemon, "flyer-true", 2, seed) for seed in (1, 2, 3)]
    for k, (t, q, qd, tau) in enumerate(runs):
        put_log(daemon, f"flight{k}", columns_of(t, q, qd, tau))
    return runs


# --------------------------------------------------------------------------------- a recursion of its own


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation(axis, angle):
    k = skew(np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def of_quaternion(q):
    w, u = q[0], np.asarray(q[1:])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * skew(u)


def inverse(document, q, qd, qdd):
    """Newton-Euler for the flying arm, bodies as (m, m c, I about the link's origin): eight generalised forces."""
    bodies = []
    for link in document["links"][1:]:
        m, c = link["mass"], np.array(link["com"], float)
        bodies.append((m, m * c, np.array(link["inertia"]) + m * (c @ c * np.eye(3) - np.outer(c, c))))
    w, a = [np.array(qd[3:6])], [np.array(qdd[:3]) + np.cross(qd[3:6], qd[:3]) - of_quaternion(q[3:7]).T @ np.array(document["gravity"])]
    dw, turns = [np.array(qdd[3:6])], []
    for j, (_, _, _, axis, at) in enumerate(ARM):
        r, axis, at = rotation(axis, q[7 + j]), np.array(axis, float), np.array(at)
        a.append(r.T @ (a[j] + np.cross(dw[j], at) + np.cross(w[j], np.cross(w[j], at))))
        dw.append(r.T @ dw[j] + axis * qdd[6 + j] + np.cross(r.T @ w[j], axis * qd[6 + j]))
        w.append(r.T @ w[j] + axis * qd[6 + j])
        turns.append(r)
    tau = np.zeros(8)
    force, moment = np.zeros(3), np.zeros(3)
    for k in (2, 1, 0):
        m, h, tensor = bodies[k]
        if k < 2:
            r, at = turns[k], np.array(ARM[k][4])
            force, moment = r @ force, r @ moment
            moment = moment + np.cross(at, force)
        force = force + m * a[k] + np.cross(dw[k], h) + np.cross(w[k], np.cross(w[k], h))
        moment = moment + np.cross(h, a[k]) + tensor @ dw[k] + np.cross(w[k], tensor @ w[k])
        if k > 0:
            tau[5 + k] = moment @ ARM[k - 1][3] + document["joints"][k].get("damping", 0.0) * qd[5 + k]
    tau[:3], tau[3:6] = force, moment
    return tau


def unit_bodies():
    """Robots of one of the thirty inertial parameters each, none of which a body has: mass, moment, tensor."""
    for link in range(3):
        for k in range(10):
            yield link, k


def regressor(q, qd, qdd):
    """(8 x 30), by the forces of mass, first moment and tensor alone: `inverse` is linear in these."""
    columns = []
    for link, k in unit_bodies():
        document = flyer()
        for one in document["links"][1:]:
            one.update(mass=0.0, com=[0, 0, 0], inertia=np.zeros((3, 3)).tolist())
        for joint in document["joints"]:
            joint["damping"] = 0.0
        one = document["links"][1 + link]
        if k == 0:
            one["mass"] = 1.0
            columns.append(inverse(document, q, qd, qdd))
            continue
        if k < 4:  # a first moment of 1: a light body far away, less its tensor and mass
            far = 1e4
            one.update(mass=1 / far, com=[far * (i == k - 1) for i in range(3)])
            c = np.array(one["com"])
            one["inertia"] = (-one["mass"] * (c @ c * np.eye(3) - np.outer(c, c))).tolist()
            with_mass = inverse(document, q, qd, qdd)
            one.update(com=[0, 0, 0], inertia=np.zeros((3, 3)).tolist())
            columns.append(with_mass - inverse(document, q, qd, qdd))
            continue
        tensor = np.zeros((3, 3))
        i, j = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))[k - 4]
        tensor[i, j] = tensor[j, i] = 1.0
        one["inertia"] = tensor.tolist()
        columns.append(inverse(document, q, qd, qdd))
    return np.array(columns).T


def states(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        quaternion = rng.normal(size=4)
        q = [*rng.uniform(-1, 1, 3), *(quaternion / np.linalg.norm(quaternion)), *rng.uniform(-3, 3, 2)]
        yield q, rng.uniform(-2, 2, 8), rng.uniform(-5, 5, 8)


def rank_of(rows):
    stacked = np.vstack([regressor(*state)[rows] for state in states(40, 5)])
    values = np.linalg.svd(stacked / np.maximum(np.linalg.norm(stacked, axis=0), 1e-12), compute_uv=False)
    return int((values > 1e-8 * values[0]).sum())


def worst_torque(document, truth=None, rows=slice(None), seed=9):
    """Largest error of generalised forces over states that were not fitted, over the largest of each row."""
    off, usual = np.zeros(8), np.zeros(8)
    for state in states(60, seed):
        want = inverse(truth or flyer((1.3, 0.8, 1.2), 0.05), *state)
        off = np.maximum(off, np.abs(inverse(document, *state) - want))
        usual = np.maximum(usual, np.abs(want))
    return float(np.max((off / usual)[rows]))


BODY = {"columns": columns(2), "contacts": [], "model": MODEL, "delay_s": 0}


def test_the_recursion_is_that_of_the_daemon(daemon, flown):
    some = list(states(20, 3))
    reply = ask(daemon, "flyer-true", "inverse-dynamics", {k: [list(map(float, s[i])) for s in some] for i, k in enumerate(("q", "qd", "qdd"))})
    document = flyer((1.3, 0.8, 1.2), 0.05)
    for got, state in zip(reply["tau"], some):
        assert np.allclose(got, inverse(document, *state), rtol=1e-9, atol=1e-9)


def test_flight_gives_every_parameter(daemon, flown):
    """The pose alone is logged, without noise. The scale of all masses comes from two joints' torques, six
    equations without torque give the rest."""
    found = calibrate(daemon, {"datasets": ["flight0", "flight1"], **BODY, "filter": {"kind": "none"}}, robot="flyer")
    assert found["verdict"] == "usable" and found["reasons"] == [], found["reasons"]
    assert found["rank"]["structural"] == found["rank"]["data"] == rank_of(slice(None)) + 2  # two dampers
    # the six rows of the base alone have the same base parameters (Ayusawa, Venture, Nakamura 2014)
    assert rank_of(slice(0, 6)) == rank_of(slice(None)) == 24
    assert found["torques_left_out"] == [] and found["joints"][0] == "free"
    assert worst_torque(found["robot"]) < 3e-4
    value = {p["name"]: p["value"] for p in found["parameters"]}
    assert value["m_1"] == pytest.approx(3.0 * 1.3 + 0.9 * 0.8 + 0.6 * 1.2, rel=3e-4)
    assert [one["columns"]["base_quaternion_wxyz"] for one in found["datasets"]] == [BASE["base_quaternion_wxyz"]] * 2


def test_the_default_filter_and_a_fall_of_seconds(daemon, flown):
    """At 40 m/s dv/dt and w x v cancel: they are filtered together."""
    found = calibrate(daemon, {"datasets": ["flight0", "flight1"], **BODY}, robot="flyer")
    assert found["filter"]["from_spectra"] and worst_torque(found["robot"]) < 5e-3


@pytest.mark.parametrize("twist", [False, True])
def test_noise(daemon, flown, twist):
    """1 % of noise in torque, 0.03 mm and 0.1 mrad at 1 kHz in the pose: torque of states not fitted is right to
    1 %, and intervals hold the truth."""
    rng = np.random.default_rng(11)
    for k, (t, q, qd, tau) in enumerate(flown):
        noisy = q + rng.normal(0, [3e-5] * 3 + [5e-5] * 4 + [2e-5] * 2, q.shape)
        rates = qd + rng.normal(0, 5e-4, qd.shape)
        torque = tau.copy()
        torque[:, 6:] += rng.normal(0, 0.01 * tau[:, 6:].std(), tau[:, 6:].shape)
        put_log(daemon, f"noisy{k}", columns_of(t, noisy, rates, torque))
    more = {"columns": columns(2, "qd", **TWIST) if twist else columns(2)}
    found = calibrate(daemon, {"datasets": ["noisy0", "noisy1", "noisy2"], **BODY, **more, "filter": {"cutoff_hz": 8}}, robot="flyer")
    assert found["verdict"] == "usable", found["reasons"]
    assert worst_torque(found["robot"]) < 0.01
    exact = calibrate(daemon, {"datasets": ["flight0", "flight1"], **BODY, "filter": {"kind": "none"}}, robot="flyer")
    true = {p["name"]: p["value"] for p in exact["parameters"]}
    inside = [p["interval"][0] <= true[p["name"]] <= p["interval"][1] for p in found["parameters"] if p["interval"]]
    assert len(inside) == 26 and sum(inside) >= 22, [p["name"] for p, good in zip(found["parameters"], inside) if not good]


def test_quaternions_of_either_sign_and_of_few_digits(daemon, flown):
    t, q, qd, tau = flown[0]
    rng = np.random.default_rng(2)
    signs = rng.choice([-1.0, 1.0], t.size)
    want = calibrate(daemon, {"datasets": ["flight0"], **BODY}, robot="flyer")
    put_log(daemon, "signs", columns_of(t, q, qd, tau, signs))
    got = calibrate(daemon, {"datasets": ["signs"], **BODY}, robot="flyer")
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=1e-9, atol=1e-12)
    # a length of 1.005 is scaled; rows of a tracker that lost the body are left out and counted
    longer = q * ([1] * 3 + [1.005] * 4 + [1] * 2)
    longer[[700, 701, 2000], 3:7] = 0.0
    put_log(daemon, "longer", columns_of(t, longer, qd, tau))
    got = calibrate(daemon, {"datasets": ["longer"], **BODY}, robot="flyer")
    repairs = {r["kind"]: r for r in got["datasets"][0]["repairs"]}
    assert repairs["not-unit"]["count"] == 3 and repairs["not-unit"]["first_rows"] == [700, 701, 2000], repairs
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=0.02, atol=1e-3)


def test_all_coordinates_in_one_list_and_usual_names(daemon, flown):
    """Columns of q and tau for all coordinates of the robot, with the wrench on the base; columns by their names."""
    t, q, qd, tau = flown[0]
    want = calibrate(daemon, {"datasets": ["flight0"], **BODY}, robot="flyer")
    named = columns_of(t, q, qd, tau)
    named.update({f"f{k}": tau[:, k] for k in range(6)})
    put_log(daemon, "whole", named)
    body = {"model": MODEL, "delay_s": 0, "columns": {"time": "t", "q": ["x", "y", "z", "qw", "qx", "qy", "qz", "q0", "q1"],
                                                      "tau": [*(f"f{k}" for k in range(6)), "tau0", "tau1"]}}
    got = calibrate(daemon, {"datasets": ["whole"], **body}, robot="flyer")
    assert "torques_left_out" not in got
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=1e-9, atol=1e-12)
    usual = {"base_" + k if k in ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz") else k: v for k, v in columns_of(t, q, qd, tau).items()}
    put_log(daemon, "usual", {k: v for k, v in usual.items() if not k.startswith("qd")})
    got = calibrate(daemon, {"datasets": ["usual"], "contacts": [], "model": MODEL, "delay_s": 0}, robot="flyer")
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=1e-9, atol=1e-12)
    put_log(daemon, "usual", usual)
    got = calibrate(daemon, {"datasets": ["usual"], "contacts": [], "model": MODEL, "delay_s": 0}, robot="flyer")
    assert got["datasets"][0]["columns"]["base_twist"] == ["base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"]
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=0.02, atol=2e-3)


def test_units(daemon, flown):
    t, q, qd, tau = flown[0]
    want = calibrate(daemon, {"datasets": ["flight0"], **BODY, "columns": columns(2, "qd", **TWIST)}, robot="flyer")
    other = columns_of(t, q * ([1e3] * 3 + [1] * 4 + [180 / np.pi] * 2), qd * ([1] * 3 + [180 / np.pi] * 5), 1e3 * tau)
    put_log(daemon, "units", other)
    body = {**BODY, "columns": columns(2, "qd", **TWIST),
            "units": {"q": "deg", "qd": ["deg/s", "deg/s"], "tau": "mNm", "base_position": "mm", "base_twist": "deg/s"}}
    got = calibrate(daemon, {"datasets": ["units"], **body}, robot="flyer")
    assert np.allclose([p["value"] for p in got["parameters"]], [p["value"] for p in want["parameters"]], rtol=1e-6, atol=1e-9)
    fault = calibrate(daemon, {"datasets": ["units"], **{**body, "units": {**body["units"], "base_twist": "rad/s"}}}, 422, robot="flyer")["errors"][0]
    assert fault["pointer"] == "/columns/base_twist" and "57.3 times" in fault["detail"], fault
    fault = calibrate(daemon, {"datasets": ["units"], **{**body, "units": {"base_position": "deg"}}}, 422, robot="flyer")["errors"][0]
    assert fault["pointer"] == "/units/base_position", fault


def refused(daemon, body, pointer, *words, code=422):
    fault = calibrate(daemon, body, code, robot="flyer")["errors"][0]
    assert fault["pointer"] == pointer, fault
    for word in words:
        assert word in fault["detail"] + " " + fault.get("hint", ""), fault


def test_what_is_not_meant_is_refused(daemon, flown):
    t, q, qd, tau = flown[0]
    flight = {"datasets": ["flight0"], **BODY}
    without = {k: v for k, v in flight.items() if k != "contacts"}
    refused(daemon, without, "", "contacts", "flight")
    names = columns(2)
    refused(daemon, {**flight, "columns": {k: v for k, v in names.items() if k != "base_position"}}, "/columns", "base_position")
    refused(daemon, {**flight, "columns": {k: v for k, v in names.items() if not k.startswith("base")}}, "/columns/q", "base_quaternion_wxyz", "at_rest")
    refused(daemon, {**flight, "columns": {**names, "base_position": ["x", "y"]}}, "/columns/base_position", "3")
    refused(daemon, {**flight, "columns": {**names, "base_quaternion_wxyz": ["qw", "qx", "qy", "nothing"]}}, "/columns/base_quaternion_wxyz/3", "nothing")
    refused(daemon, {**flight, "columns": {**names, **TWIST}}, "/columns/base_twist", '"qd"')
    refused(daemon, {**flight, "columns": {**names, "tau": ["tau0", "tau1", "tau0"]}}, "/columns/tau", "8")
    refused(daemon, {**flight, "contacts": ["hand"]}, "/contacts/0", "hand")
    refused(daemon, {**flight, "contacts": ["fore"]}, "/contacts", "no joint is left")
    refused(daemon, {**flight, "contacts": [3]}, "/contacts/0", code=400)
    # position columns instead of the quaternion's
    refused(daemon, {**flight, "columns": {**names, "base_quaternion_wxyz": ["x", "y", "z", "qw"]}}, "/columns/base_quaternion_wxyz", "length", "(rows ")
    # a twist in the axes of the world, as simulators write it
    world = qd.copy()
    for i in range(t.size):
        world[i, :3] = of_quaternion(q[i, 3:7]) @ qd[i, :3]
    put_log(daemon, "world", columns_of(t, q, world, tau))
    refused(daemon, {**flight, "datasets": ["world"], "columns": columns(2, "qd", **TWIST)}, "/columns/base_twist", "axes of the world")
    # x y z w for w x y z
    turned = {**names, **TWIST, "qd": ["qd0", "qd1"], "base_quaternion_wxyz": ["qx", "qy", "qz", "qw"]}
    refused(daemon, {**flight, "columns": turned}, "/columns/base_twist", "slope of its pose")
    # a robot without such a base
    fixed = calibrate(daemon, {"datasets": ["flight0"], "columns": names}, 422, robot="puma560")["errors"][0]
    assert fixed["pointer"].startswith("/columns/base_") and "no floating base" in fixed["detail"], fixed
    fixed = calibrate(daemon, {"datasets": ["flight0"], "contacts": []}, 422, robot="puma560")["errors"][0]
    assert fixed["pointer"] == "/contacts", fixed


def test_base_at_rest_is_the_arm_alone(daemon, flown):
    """The base held: joints' columns alone, as of a bench."""
    rows = np.linspace(0, 8, 801)
    angles = np.column_stack([0.9 * np.sin(2.1 * rows), 0.8 * np.sin(3.3 * rows + 1)])
    rates = np.column_stack([0.9 * 2.1 * np.cos(2.1 * rows), 0.8 * 3.3 * np.cos(3.3 * rows + 1)])
    accelerations = -angles * [2.1**2, 3.3**2]
    document = flyer((1.3, 0.8, 1.2), 0.05)
    held = [0, 0, 1, 1, 0, 0, 0]
    tau = np.array([inverse(document, [*held, *a], [0] * 6 + list(b), [0] * 6 + list(c))[6:] for a, b, c in zip(angles, rates, accelerations)])
    put_log(daemon, "bench", {"t": rows, **{f"q{j}": angles[:, j] for j in range(2)}, **{f"tau{j}": tau[:, j] for j in range(2)}})
    found = calibrate(daemon, {"datasets": ["bench"], "at_rest": {"free": held}, "model": MODEL, "delay_s": 0}, robot="flyer")
    assert found["joints"] == ["shoulder", "elbow"]
    viscous = [p["value"] for p in found["parameters"] if p["kind"] == "viscous"]
    assert viscous == pytest.approx([0.05, 0.05], rel=0.02), viscous



def dog(daemon, name, factor, damping):
    document = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    for joint in document["joints"]:
        if joint["kind"] not in ("fixed", "floating"):
            for key in ("friction", "rotor", "drive", "spring"):
                joint.pop(key, None)
            joint["damping"] = damping
    for link in document["links"]:
        link["mass"] *= factor
    put(daemon, name, document)
    return [joint["name"] for joint in document["joints"] if joint["kind"] != "fixed"]


@numbers
def test_a_quadruped_leaps(daemon):
    """Twelve joints in flight, whose four legs are alike; torque of states that were not fitted, by the daemon's
    inverse dynamics, which tests/peers compares with Pinocchio's."""
    dog(daemon, "dog-true", 1.2, 0.5)
    dog(daemon, "dog-file", 1.0, 0.1)
    for k in range(2):
        t, q, qd, tau = fly(daemon, "dog-true", 12, 20 + k, seconds=3.0, push=0.8, q0=4 * [0, -0.8, 1.6])
        put_log(daemon, f"leap{k}", columns_of(t, q, qd, tau))
    body = {"datasets": ["leap0", "leap1"], "columns": columns(12), "contacts": [], "model": MODEL, "delay_s": 0, "filter": {"kind": "none"}}
    found = calibrate(daemon, body, robot="dog-file")
    assert found["rank"]["data"] == found["rank"]["structural"], found["rank"]
    put(daemon, "dog-found", found["robot"])
    rng = np.random.default_rng(8)
    quaternion = rng.normal(size=(40, 4))
    q = np.column_stack([rng.uniform(-1, 1, (40, 3)), quaternion / np.linalg.norm(quaternion, axis=1)[:, None], rng.uniform(-1, 1, (40, 12))])
    state = {"q": q.tolist(), "qd": rng.uniform(-2, 2, (40, 18)).tolist(), "qdd": rng.uniform(-5, 5, (40, 18)).tolist()}
    want, got = (np.array(ask(daemon, name, "inverse-dynamics", state)["tau"]) for name in ("dog-true", "dog-found"))
    assert np.all(np.abs(got - want).max(axis=0) < 2e-3 * np.abs(want).max(axis=0)), np.abs(got - want).max(axis=0) / np.abs(want).max(axis=0)


def test_a_leg_on_the_floor_and_a_free_arm(daemon):
    """A quadruped whose front left foot is held by an unknown force: torques of that leg and the wrench on the base
    are left out, the other legs' dampers are found, and what has no equation stays as it was."""
    document = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    moving = [j for j in document["joints"] if j["kind"] not in ("fixed", "floating")]
    n = len(moving)
    names = [j["name"] for j in moving]
    for j in moving:
        j["damping"] = 0.4
        j.pop("friction", None)
        j.pop("rotor", None)
        j.pop("drive", None)
    base = next(j["name"] for j in document["joints"] if j["kind"] == "floating")
    put(daemon, "dog", document)
    for j in moving:
        j["damping"] = 0.2
    put(daemon, "dog-guess", document)
    foot = json.loads(daemon.request("GET", "/v1/robots/dog")[2])
    parent = {j["child"]: j for j in foot["joints"]}
    leaf = next(link["name"] for link in foot["links"] if link["name"] not in {j["parent"] for j in foot["joints"]} and link["name"] in parent)
    leg, at = [], leaf
    while at in parent:
        leg += [parent[at]["name"]] if parent[at]["kind"] not in ("fixed", "floating") else []
        at = parent[at]["parent"]
    t = np.arange(0, 6, 0.005)
    rng = np.random.default_rng(4)
    f, phase = rng.uniform(0.3, 1.2, (3, n)), rng.uniform(0, 6, (3, n))
    middle = np.array([0.0, -0.8, 1.6] * (n // 3))
    angles = middle + 0.2 * sum(np.sin(2 * np.pi * np.outer(t, f[k]) + phase[k]) for k in range(3))
    rates = 0.2 * sum(2 * np.pi * f[k] * np.cos(2 * np.pi * np.outer(t, f[k]) + phase[k]) for k in range(3))
    accelerations = -0.2 * sum((2 * np.pi * f[k])**2 * np.sin(2 * np.pi * np.outer(t, f[k]) + phase[k]) for k in range(3))
    half = 0.5 * np.array([0.1 * np.sin(3 * t), 0.1 * np.sin(2 * t + 1), 0.2 * np.sin(1.3 * t)]).T
    quaternion = np.column_stack([np.sqrt(1 - (half**2).sum(1)), half])
    # the base's twist by its quaternion's exact derivative: w = 2 vec(conj(q) dq/dt), differences of 1e-6 s
    def pose(at):
        h = 0.5 * np.array([0.1 * np.sin(3 * at), 0.1 * np.sin(2 * at + 1), 0.2 * np.sin(1.3 * at)]).T
        return np.column_stack([np.sqrt(1 - (h**2).sum(1)), h])

    def spin(at, h=1e-4):
        d = (pose(at + h) - pose(at - h)) / (2 * h)
        w, v, dw, dv = pose(at)[:, :1], pose(at)[:, 1:], d[:, :1], d[:, 1:]
        return 2 * (w * dv - dw * v - np.cross(v, dv))

    q = np.column_stack([0 * t, 0 * t, 0.3 + 0 * t, quaternion, angles])
    qd = np.column_stack([0 * t, 0 * t, 0 * t, spin(t), rates])
    qdd = np.column_stack([0 * t, 0 * t, 0 * t, (spin(t + 1e-3) - spin(t - 1e-3)) / 2e-3, accelerations])
    tau = np.array(ask(daemon, "dog", "inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})["tau"])
    touched = [6 + names.index(name) for name in leg]
    tau[:, touched] += 8 * np.sin(7 * t)[:, None]  # the floor
    log = {"t": t, "x": q[:, 0], "y": q[:, 1], "z": q[:, 2], **{c: quaternion[:, k] for k, c in enumerate(BASE["base_quaternion_wxyz"])},
           **{f"q{j}": angles[:, j] for j in range(n)}, **{f"tau{j}": tau[:, 6 + j] for j in range(n)}}
    put_log(daemon, "stands", log)
    body = {"datasets": ["stands"], "columns": columns(n), "contacts": [leaf], "model": MODEL, "delay_s": 0}
    found = calibrate(daemon, body, robot="dog-guess")
    assert set(found["torques_left_out"]) == {base, *leg}
    judged = {one["joint"]: one for one in found["fit"]["by_joint"]}
    rmse = dict(zip([one["joint"] for one in found["fit"]["by_joint"]], found["fit"]["rmse"]))
    viscous = {p["joint"]: p["value"] for p in found["parameters"] if p["kind"] == "viscous"}
    for name in names:
        if name in leg:
            assert name not in viscous and rmse[name] == 0 and "all" not in judged[name]
        else:
            assert viscous[name] == pytest.approx(0.4, rel=0.02), (name, viscous)
    after = {j["name"]: j for j in found["robot"]["joints"]}
    assert all(after[name]["damping"] == 0.2 for name in leg)
    # all torques used, the floor's force would be the robot's
    wrong = calibrate(daemon, {**body, "contacts": []}, robot="dog-guess")
    assert wrong["verdict"] != "usable" or max(x for x in wrong["fit"]["rmse"]) > 1
