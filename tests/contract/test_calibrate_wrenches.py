# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_wrenches.py - logs with columns of external forces: a quadruped on its feet, a humanoid
# on its soles, an arm that presses; against the true robots, and against the same logs without these columns.
"""Motion of base and joints is given, and the forces at the feet are those with which no wrench acts on the base: the least ones and a part of
the null space, so that the legs press against each other as well. Torque is by inverse dynamics with and without wrenches."""
import io
import json

import numpy as np
import pytest
from conftest import SLOW
from test_calibrate import ask, calibrate
from test_calibrate_commanded import refused

JSON = {"Content-Type": "application/json"}
NPY = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}
RATE = 200
MODEL = {"friction": ["viscous"], "rotor": False}
FEET = ["fr_foot", "fl_foot", "hr_foot", "hl_foot"]
SOLES = ["left_foot", "right_foot"]


def document_of(daemon, name):
    document = json.loads(daemon.request("GET", f"/v1/robots/{name}")[2])
    document = {k: v for k, v in document.items() if k not in ("digest", "source", "name", "actuated")}
    for joint in document["joints"]:
        if joint["kind"] == "revolute":
            for word in ("friction", "rotor", "drive", "limits"):
                joint.pop(word, None)
            joint["damping"] = 0.5
    return document


def put(daemon, name, document):
    reply = daemon.request("PUT", f"/v1/robots/{name}", json.dumps({**document, "name": name}).encode(), JSON)
    assert reply[0] in (200, 201), reply[2][:1000]


def heavier(document, seed):
    """Each link's mass and tensor times a factor of its own."""
    rng = np.random.default_rng(seed)
    links = []
    for link in document["links"]:
        by = float(rng.uniform(0.8, 1.3))
        links.append({**link, "mass": by * link["mass"], **({"inertia": (by * np.array(link["inertia"])).tolist()} if "inertia" in link else {})})
    return {**document, "links": links}


def torque(daemon, robot, *motion):
    out = io.BytesIO()
    np.save(out, np.hstack(motion))
    status, _, reply = daemon.request("POST", f"/v1/robots/{robot}/inverse-dynamics", out.getvalue(), NPY)
    assert status == 200, reply
    return np.load(io.BytesIO(reply))


def turned(q, w):
    """The quaternion q turned by the rotation vector w of its own axes."""
    angle = np.linalg.norm(w)
    v = np.sin(angle / 2) * w / angle if angle > 0 else w / 2
    a, u = np.cos(angle / 2), q[1:]
    return np.array([q[0] * a - u @ v, *(q[0] * v + a * u + np.cross(u, v))])


def rotated(q, x):
    return x + 2 * np.cross(q[1:], np.cross(q[1:], x) + q[0] * x)


def moved(posture, seed, seconds, size=1.0):
    """Sines of all joints about a posture, and of the base's twist, whose pose is integrated in steps of 1 / 20 of a row."""
    rng = np.random.default_rng(seed)
    n, fine = len(posture), 20
    t = np.arange(int(seconds * RATE)) / RATE
    f = np.array([0.2, 0.45, 0.8])
    a = rng.uniform(0.3, 1, (n + 6, 3)) * size
    p = rng.uniform(0, 2 * np.pi, (n + 6, 3))
    a[:3] *= 0.1
    a[3:6] *= 0.25

    def sines(rows, t, order):
        w = 2 * np.pi * f
        x = w * np.asarray(t)[..., None, None] + p[rows]
        return (a[rows] * (np.cos(x), -w * np.sin(x))[order]).sum(-1)

    base, joints = slice(0, 6), slice(6, None)
    q, qd, qdd = np.zeros((len(t), n + 7)), np.zeros((len(t), n + 6)), np.zeros((len(t), n + 6))
    qd[:, :6], qdd[:, :6] = sines(base, t, 0), sines(base, t, 1)
    w = 2 * np.pi * f
    x = w * t[:, None, None] + p[joints]
    a_joint = 0.12 * a[joints]
    q[:, 7:] = posture + (a_joint * np.sin(x)).sum(-1)
    qd[:, 6:], qdd[:, 6:] = (a_joint * w * np.cos(x)).sum(-1), (-a_joint * w * w * np.sin(x)).sum(-1)
    place, turn, h = np.array([0, 0, 0.6]), np.array([1.0, 0, 0, 0]), 1 / RATE / fine
    twists = sines(base, (np.arange(len(t) * fine) + 0.5) * h, 0)
    for k in range(len(t)):
        q[k, :3], q[k, 3:7] = place, turn
        for twist in twists[k * fine : (k + 1) * fine]:
            middle = turned(turn, 0.5 * h * twist[3:])
            place, turn = place + h * rotated(middle, twist[:3]), turned(turn, h * twist[3:])
    return t, q, qd, qdd


def supported(daemon, robot, motion, supports, seed):
    """Torques of the joints, and the wrench on the robot at each support: (link, at, expressed_in, components) with n numbers."""
    t, q, qd, qdd = motion
    still = np.zeros_like(qd)
    free, gravity = torque(daemon, robot, q, qd, qdd), torque(daemon, robot, q, still, still)
    columns = []
    for link, at, axes, n in supports:
        for k in range(n):
            unit = np.eye(6)[k]
            one = {"link": link, "at": at, "applied_to": "robot", "expressed_in": axes, "force": unit[:3].tolist(), "moment": unit[3:].tolist()}
            columns.append(gravity - np.array(ask(daemon, robot, "inverse-dynamics", {"q": q.tolist(), "external_wrenches": [one]})["tau"]))
    j = np.stack(columns, axis=2)  # J^T, (samples, nv, components)
    least = np.linalg.pinv(j[:, :6])
    more = np.random.default_rng(seed).normal(size=(3, j.shape[2])) * 0.05 * np.abs(gravity[:, 2]).mean()
    sines = np.stack([np.sin(2 * np.pi * f * t + f) for f in (0.3, 0.5, 0.7)], axis=1)
    w = np.einsum("ikb,ib->ik", least, free[:, :6])
    w += np.einsum("ikl,il->ik", np.eye(j.shape[2]) - least @ j[:, :6], sines @ more)
    tau = free - np.einsum("irk,ik->ir", j, w)
    assert np.abs(tau[:, :6]).max() < 1e-8 * np.abs(gravity).max()
    return tau[:, 6:], w


def log(daemon, name, **columns):
    out, at, where = io.BytesIO(), 0, {}
    np.save(out, np.hstack(list(columns.values())))
    for word, x in columns.items():
        where[word] = list(range(at, at + x.shape[1]))
        at += x.shape[1]
    reply = daemon.request("PUT", f"/v1/datasets/{name}", out.getvalue(), NPY)
    assert reply[0] in (200, 201), reply[2]
    return where


def request(where, supports, names, **more):
    """Of logs with q (base first), tau of the joints, w."""
    wrenches, at = [], where["w"][0]
    for link, point, axes, n in supports:
        parts = {"force": [at, at + 1, at + 2], **({"moment": [at + 3, at + 4, at + 5]} if n == 6 else {})}
        wrenches.append({"link": link, "at": point, "applied_to": "robot", "expressed_in": axes, **parts})
        at += n
    return {"datasets": names, "rate_hz": RATE, "columns": {"q": where["q"], "tau": where["tau"]}, "external_wrenches": wrenches, "model": MODEL, "delay_s": 0, **more}


def errors(daemon, true, file, found, posture, seed):
    """Error of torque on a motion that was not fitted, relative to it: of all rows of the base together, and of the worst joint; and the same of the file."""
    _, q, qd, qdd = moved(posture, seed, 3)
    put(daemon, "found", found["robot"])
    want = torque(daemon, true, q, qd, qdd)
    out = []
    for robot in ("found", file):
        off = torque(daemon, robot, q, qd, qdd) - want
        rms, size = np.sqrt((off**2).mean(0)), np.sqrt((want**2).mean(0))
        out.append([float(np.linalg.norm(rms[:6]) / np.linalg.norm(size[:6])), float((rms[6:] / np.maximum(size[6:], 0.05 * size[6:].max())).max())])
    return out


def weight(document):
    return sum(link["mass"] for link in document["links"])


QUADRUPED = {"file": "quadruped", "posture": np.array(4 * [0.0, -0.8, 1.6]),
             "supports": [(f, [0, 0, -0.02] if k % 2 else "origin", "world" if k < 2 else "link", 3) for k, f in enumerate(FEET)]}
LEGS = [0, 0, -0.3, 0.6, -0.3, 0]
HUMANOID = {"file": "humanoid", "posture": np.array([0, 0.1, 0, 0.1, *LEGS, 0.2, 0.3, 0, 0.9, 0, 0.2, 0, *LEGS, 0.2, -0.3, 0, 0.9, 0, 0.2, 0]),
            "supports": [(f, [0.05, 0, -0.05], "link" if k else "world", 6) for k, f in enumerate(SOLES)]}


def prepared(daemon, what, seconds):
    file, true = what["file"] + "-file", what["file"] + "-true"
    document = document_of(daemon, what["file"])
    put(daemon, file, document)
    put(daemon, true, heavier(document, 3))
    names = []
    for k in range(2):
        motion = moved(what["posture"], 10 + k, seconds)
        tau, w = supported(daemon, true, motion, what["supports"], k)
        names.append(f"{what['file']}{k}")
        where = log(daemon, names[-1], q=motion[1], tau=tau, w=w)
    return file, true, where, names


@pytest.mark.seconds(240)
def test_a_quadruped_on_its_feet(daemon):
    file, true, where, names = prepared(daemon, QUADRUPED, 12)
    body = request(where, QUADRUPED["supports"], names)
    found = calibrate(daemon, body, robot=file)
    assert found["rank"]["data"] == found["rank"]["structural"] and found["torques_left_out"] == []
    of_fit, of_file = errors(daemon, true, file, found, QUADRUPED["posture"], 99)
    assert max(of_fit) < 1e-3 and max(of_file) > 0.1, (of_fit, of_file)
    truth = json.loads(daemon.request("GET", f"/v1/robots/{true}")[2])
    assert weight(found["robot"]) == pytest.approx(weight(truth), rel=2e-3)
    # forces on the environment are the negative ones
    turned_round = [{**one, "applied_to": "environment", "force": one["force"]} for one in body["external_wrenches"]]
    wrong = calibrate(daemon, {**body, "external_wrenches": turned_round}, robot=file)
    assert max(wrong["fit"]["rmse"]) > 20 * max(found["fit"]["rmse"])
    # with the legs' forces unknown, their torques and the base's are left out: nothing is left to fit
    bare = {k: v for k, v in body.items() if k != "external_wrenches"}
    refused(daemon, {**bare, "contacts": FEET}, "/contacts", "no joint is left", robot=file)
    # one foot without sensor: its leg and the base's rows are left out, and the other legs are as before
    three = calibrate(daemon, {**body, "contacts": [FEET[0]], "external_wrenches": body["external_wrenches"][1:]}, robot=file)
    assert set(three["torques_left_out"]) == {"base", "fr_abad", "fr_hip", "fr_knee"}
    viscous = {p["joint"]: p["value"] for p in three["parameters"] if p["kind"] == "viscous"}
    assert set(viscous) == {f"{leg}_{joint}" for leg in ("fl", "hr", "hl") for joint in ("abad", "hip", "knee")}
    assert all(value == pytest.approx(0.5, rel=0.02) for value in viscous.values()), viscous


@pytest.mark.seconds(300)
@pytest.mark.skipif(SLOW > 1, reason="the same code as the quadruped's")
def test_a_humanoid_on_its_soles(daemon):
    file, true, where, names = prepared(daemon, HUMANOID, 12)
    found = calibrate(daemon, request(where, HUMANOID["supports"], names), robot=file)
    assert found["rank"]["data"] == found["rank"]["structural"]
    of_fit, of_file = errors(daemon, true, file, found, HUMANOID["posture"], 99)
    assert max(of_fit) < 1e-2 and max(of_file) > 0.1, (of_fit, of_file)
    truth = json.loads(daemon.request("GET", f"/v1/robots/{true}")[2])
    assert weight(found["robot"]) == pytest.approx(weight(truth), rel=2e-3)


def test_an_arm_that_presses(daemon):
    """A robot with a fixed base: the same field, and names for columns; bad numbers of a sensor leave their rows out."""
    t = np.arange(20 * RATE) / RATE
    rng = np.random.default_rng(4)
    x = 2 * np.pi * np.array([0.1, 0.2, 0.5]) * t[:, None, None] + rng.uniform(0, 6, (6, 3))
    a, w = rng.uniform(0.2, 0.5, (6, 3)), 2 * np.pi * np.array([0.1, 0.2, 0.5])
    q, qd, qdd = (a * np.sin(x)).sum(-1), (a * w * np.cos(x)).sum(-1), (-a * w * w * np.sin(x)).sum(-1)
    document = document_of(daemon, "ur5e")
    put(daemon, "presses-file", document)
    put(daemon, "presses", heavier(document, 5))
    tip = document["links"][-1]["name"]
    force = np.stack([20 * np.sin(t), 15 * np.cos(0.7 * t), 30 + 10 * np.sin(1.3 * t)], axis=1)
    wrench = {"link": tip, "at": [0.01, 0, 0.1], "applied_to": "robot", "expressed_in": "world", "force": force.tolist()}
    motion = {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}
    tau = np.array(ask(daemon, "presses", "inverse-dynamics", {**motion, "external_wrenches": [wrench]})["tau"])
    head = ["t"] + [f"q{k}" for k in range(6)] + [f"tau{k}" for k in range(6)] + ["fx", "fy", "fz"]
    table = np.column_stack([t, q, tau, force])
    table[700:710, -1] = np.nan
    reply = daemon.request("PUT", "/v1/datasets/presses", "\n".join([",".join(head)] + [",".join(map(repr, row)) for row in table.tolist()]).encode())
    assert reply[0] in (200, 201)
    body = {"datasets": ["presses"], "delay_s": 0, "model": MODEL, "external_wrenches": [{**wrench, "force": ["fx", "fy", "fz"]}]}
    found = calibrate(daemon, body, robot="presses-file")
    assert any(one["kind"] == "not-finite" and one["count"] == 10 for one in found["datasets"][0]["repairs"])
    free = torque(daemon, "presses", q, qd, qdd)
    put(daemon, "presses-found", found["robot"])
    off = np.sqrt(((torque(daemon, "presses-found", q, qd, qdd) - free) ** 2).mean(0) / (free**2).mean(0))
    blind = calibrate(daemon, {k: v for k, v in body.items() if k != "external_wrenches"}, robot="presses-file")
    assert max(found["fit"]["rmse"]) < 0.02 * max(blind["fit"]["rmse"])
    assert off[:3].max() < 0.01, off
    one = body["external_wrenches"][0]
    refused(daemon, {**body, "external_wrenches": [{**one, "force": ["fx", "fy", "fq"]}]}, "/external_wrenches/0/force/2", "fq", robot="presses-file")
    refused(daemon, {**body, "external_wrenches": [{**one, "force": ["fx", "fy"]}]}, "/external_wrenches/0/force", robot="presses-file")
    refused(daemon, {**body, "external_wrenches": [{k: v for k, v in one.items() if k != "force"}]}, "/external_wrenches/0/force", "columns", robot="presses-file")
    refused(daemon, {**body, "external_wrenches": [{**one, "link": "foot"}]}, "/external_wrenches/0/link", robot="presses-file")
    refused(daemon, {**body, "external_wrenches": []}, "/external_wrenches", robot="presses-file")


# ---------------------------------------------------------------------------------------------------------------
# Contacts without sensors, by dataset


@pytest.fixture(scope="module")
def three_feet(daemon):
    """Four logs, each with one leg in the air, of which no forces are known; 0.02 N m of noise. Not needed: w."""
    file, true = "quadruped-file", "quadruped-true"
    document = document_of(daemon, "quadruped")
    put(daemon, file, document)
    put(daemon, true, heavier(document, 3))
    datasets = []
    for k, free in enumerate(FEET):
        motion = moved(QUADRUPED["posture"], 40 + k, 8)
        supports = [one for one in QUADRUPED["supports"] if one[0] != free]
        tau, _ = supported(daemon, true, motion, supports, k)
        tau += np.random.default_rng(k).normal(0, 0.02, tau.shape)
        where = log(daemon, f"free-{free}", q=motion[1], tau=tau)
        datasets.append({"dataset": f"free-{free}", "contacts": [one[0] for one in supports]})
    return file, true, where, datasets


@pytest.mark.seconds(240)
def test_each_log_has_its_own_contacts(daemon, three_feet):
    file, true, where, datasets = three_feet
    body = {"datasets": datasets, "rate_hz": RATE, "columns": where, "model": MODEL, "validate": "none"}
    found = calibrate(daemon, body, robot=file)
    legs = [foot.removesuffix("_foot") for foot in FEET]
    assert found["findings"] == [] and not any("not move" in reason for reason in found["reasons"]), found["reasons"]
    assert found["torques_left_out"] == ["base"] and found["delay"] == {"delay_s": 0, "from_data": False}
    assert [set(one["torques_left_out"]) for one in found["datasets"]] == [
        {"base"} | {f"{leg}_{joint}" for leg in legs if leg != free for joint in ("abad", "hip", "knee")} for free in legs]
    # residuals are those of the known torques: the noise, 8 s of one log each
    by_joint = {one["joint"]: one for one in found["fit"]["by_joint"]}
    for leg in legs:
        for joint in ("abad", "hip", "knee"):
            judged = by_joint[f"{leg}_{joint}"]["all"]
            assert judged["samples"] <= 8 * RATE and judged["rmse"] == pytest.approx(0.02, rel=0.1), (leg, joint, judged)
    viscous = {p["joint"]: p for p in found["parameters"] if p["kind"] == "viscous"}
    assert len(viscous) == 12 and sum(p["interval"][0] <= 0.5 <= p["interval"][1] for p in viscous.values()) >= 10
    assert all(p["value"] == pytest.approx(0.5, abs=0.05) for p in viscous.values())
    # the same as four calibrations of one log each, leg by leg, since legs share no parameter but those of the base
    _, q, qd, qdd = moved(QUADRUPED["posture"], 98, 3)
    want = torque(daemon, true, q, qd, qdd)[:, 6:]
    put(daemon, "found", found["robot"])
    size = np.sqrt((want**2).mean(0)).max()
    off = np.sqrt(((torque(daemon, "found", q, qd, qdd)[:, 6:] - want) ** 2).mean(0))
    before = np.sqrt(((torque(daemon, file, q, qd, qdd)[:, 6:] - want) ** 2).mean(0))
    assert off.max() < 0.02 * size < before.max(), (off / size, before / size)
    for k, leg in enumerate(legs):
        alone = calibrate(daemon, {**body, "datasets": [datasets[k]["dataset"]], "contacts": datasets[k]["contacts"], "delay_s": 0}, robot=file)
        for p in alone["parameters"]:
            if p["kind"] == "viscous":
                one = viscous[p["joint"]]
                assert abs(one["value"] - p["value"]) < 3 * np.hypot(one["standard_deviation"], p["standard_deviation"]), (leg, p, one)
    # all of them for all logs leave nothing
    refused(daemon, {**body, "datasets": [one["dataset"] for one in datasets], "contacts": FEET}, "/contacts", "no joint is left", robot=file)


def test_own_contacts_of_rows_and_what_is_missing(daemon, three_feet):
    file, _, where, datasets = three_feet
    body = {"rate_hz": RATE, "columns": where, "model": MODEL, "validate": "none"}
    parts = [{**datasets[0], "rows": [0, 800]}, {"dataset": datasets[0]["dataset"], "rows": [800, 1600], "contacts": FEET[:3]}]
    found = calibrate(daemon, {**body, "datasets": parts}, robot=file)
    assert set(found["torques_left_out"]) == {"base", *(f"{leg}_{joint}" for leg in ("fl", "hr") for joint in ("abad", "hip", "knee"))}
    # the request's are those of datasets without their own
    found = calibrate(daemon, {**body, "datasets": [datasets[0]["dataset"], datasets[1]], "contacts": datasets[0]["contacts"]}, robot=file)
    assert [len(one["torques_left_out"]) for one in found["datasets"]] == [10, 10]
    refused(daemon, {**body, "datasets": [datasets[0]["dataset"], datasets[1]]}, "/datasets/0", "other datasets", robot=file)
    refused(daemon, {**body, "datasets": [{**datasets[0], "contacts": FEET}]}, "/datasets", "no joint is left", robot=file)
    refused(daemon, {**body, "datasets": [{**datasets[0], "contacts": ["toe"]}]}, "/datasets/0/contacts/0", "toe", robot=file)
    refused(daemon, {"datasets": [{"dataset": datasets[0]["dataset"], "contacts": []}], "rate_hz": RATE}, "/datasets/0/contacts", "floating base", robot="ur5e")
