# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_signs.py - signs of torque: right logs are never refused or blamed for them, turned ones are named.
"""Work over a closed path is friction's only as the sum over the joints: one joint may take out what another puts in."""
import io
import json
import os
import re

import pytest
from conftest import SLOW, numbers
from test_calibrate import calibrate

np = pytest.importorskip("numpy")
JSON = {"Content-Type": "application/json"}
NPY = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}
RATE, PERIOD = 100, 8
# built-in ones without friction
JOINTS = {"panda": 7, "planar-2r": 2, "planar-3r": 3, "ur5e": 6}
ROBOTS = list(JOINTS) if SLOW == 1 else ["planar-2r", "ur5e"]
SEEDS = int(os.environ.get("SIGN_SEEDS", "0"))  # of each robot; else 30 in all
FEW = {"panda": 10, "planar-2r": 10, "planar-3r": 6, "ur5e": 4}


def motion(rng, n):
    """Whole periods of random harmonics: the path ends where it began, in position and velocity."""
    t = np.arange(RATE * PERIOD + 1) / RATE
    w = 2 * np.pi / PERIOD * np.array([1, 2, 3, 5])
    a, p = rng.uniform(-0.4, 0.4, (n, 4)), rng.uniform(0, 6, (n, 4))
    x = w * t[:, None, None] + p
    return (a * np.sin(x)).sum(2), (a * w * np.cos(x)).sum(2), (-a * w * w * np.sin(x)).sum(2)


def put(daemon, path, body, headers):
    reply = daemon.request("PUT", path, body, headers)
    assert reply[0] in (200, 201), reply[2][:1000]


def log_of(daemon, robot, friction, rng, noise=0.05):
    """Name of a dataset of q and tau of a built-in robot, without friction or with it; and tau itself."""
    n, truth = JOINTS[robot], robot
    if friction:
        document = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])
        document = {k: v for k, v in document.items() if k not in ("digest", "source", "name")}
        for joint in document["joints"]:
            if joint["kind"] != "fixed":
                joint.pop("drive", None)
                joint["damping"], joint["friction"] = friction, {"coulomb": friction, "smoothing": 0.02}
        truth = f"{robot}-rubs"
        put(daemon, f"/v1/robots/{truth}", json.dumps(document).encode(), JSON)
    q, qd, qdd = motion(rng, n)
    out = io.BytesIO()
    np.save(out, np.hstack([q, qd, qdd]))
    status, _, reply = daemon.request("POST", f"/v1/robots/{truth}/inverse-dynamics", out.getvalue(), NPY)
    assert status == 200, reply
    tau = np.load(io.BytesIO(reply))
    return q, tau + noise * rng.normal(size=tau.shape), float((tau * qd).sum() / RATE)


def body(daemon, q, tau, name="signs", **more):
    n, out = q.shape[1], io.BytesIO()
    np.save(out, np.hstack([q, tau]))
    put(daemon, f"/v1/datasets/{name}", out.getvalue(), NPY)
    return {"datasets": [name], "rate_hz": RATE, "columns": {"q": list(range(n)), "tau": list(range(n, 2 * n))}, "validate": "none", **more}


def of_signs(found):
    return [f for f in found["findings"] if f["kind"] == "torque-sign"]


@pytest.mark.parametrize("robot", ROBOTS)
def test_right_logs_are_neither_refused_nor_blamed(daemon, robot):
    some = 0
    for seed in range(SEEDS or FEW[robot]):
        rng = np.random.default_rng([4, seed])
        friction = (0, 0.02, 0.5)[seed % 3]
        q, tau, work = log_of(daemon, robot, friction, rng)
        if friction == 0:  # the sum over the joints vanishes, by the numbers of the log
            assert abs(work) < 0.02 * np.abs(tau).mean() * np.abs(np.diff(q, axis=0)).sum(), work
        found = calibrate(daemon, body(daemon, q, tau), robot=robot)
        assert of_signs(found) == [], (seed, found["findings"])
        # the work of one joint is a proof of nothing: some joint takes more out than its own friction takes in
        some += any((tau[:, j] - tau[:, j].mean()) @ np.gradient(q[:, j]) < -0.5 for j in range(q.shape[1]))
    assert some > 0


def test_no_term_is_advised_for_what_rounding_leaves(daemon):
    """A frictionless robot without noise: what is left is interpolation's, 1e-5 of the torque, and no friction's."""
    for seed in range(3 if SLOW == 1 else 1):
        q, tau, _ = log_of(daemon, "panda", 0, np.random.default_rng([15, seed]), noise=0)
        found = calibrate(daemon, body(daemon, q, tau), robot="panda")
        assert not any("add " in r or "static friction" in r for r in found["reasons"]), found["reasons"]


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("friction", (0, 0.5))
def test_turned_torques_are_named(daemon, robot, friction):
    rng = np.random.default_rng(11)
    q, tau, _ = log_of(daemon, robot, friction, rng)
    found = calibrate(daemon, body(daemon, q, -tau), robot=robot)
    finding = found["findings"][0]
    assert finding["kind"] == "torque-sign"
    assert "joint" not in finding and finding["gross"] and found["verdict"] not in ("usable", "robust-control-only")
    assert "all torques count against the positions" in found["reasons"][0] and '"scale": {"tau": -1}' in found["reasons"][0], found["reasons"]
    # as the advice says
    mended = calibrate(daemon, body(daemon, q, -tau, scale={"tau": -1}), robot=robot)
    assert of_signs(mended) == [] and max(mended["fit"]["rmse"]) < 0.2 < 10 * max(found["fit"]["rmse"])


@numbers
def test_turned_torques_are_named_on_paths_that_are_not_closed(daemon):
    """What bodies take and give there is no work of friction. Before: 7 of 18 were named."""
    for robot, seeds in (("planar-2r", 12), ("ur5e", 6)):
        for seed in range(seeds):
            q, tau, _ = log_of(daemon, robot, 0, np.random.default_rng([21, seed]))
            cut = slice(37 + 11 * seed, -90)
            found = calibrate(daemon, body(daemon, q[cut], -tau[cut]), robot=robot)
            assert found["findings"] and of_signs(found)[0] == found["findings"][0] and "joint" not in found["findings"][0], (robot, seed)


@numbers
def test_one_turned_joint_is_named_and_its_cure_is_no_circle(daemon):
    rng = np.random.default_rng(12)
    for friction in (0, 0.3):
        q, tau, _ = log_of(daemon, "panda", friction, rng)
        for j in (1, 4, 5):
            turn = [-1 if k == j else 1 for k in range(7)]
            found = calibrate(daemon, body(daemon, q, tau * turn), robot="panda")
            assert [f["joint"] for f in of_signs(found)] == [f"joint{j + 1}"], found["findings"]
            assert of_signs(calibrate(daemon, body(daemon, q, tau * turn, scale={"tau": turn}), robot="panda")) == []


def test_one_turned_log_of_three_is_named(daemon):
    rng = np.random.default_rng(13)
    names = []
    for k in range(3):
        q, tau, _ = log_of(daemon, "ur5e", 0.5, rng)
        names.append(f"signs{k}")
        request = body(daemon, q, -tau if k == 1 else tau, names[-1])
    found = calibrate(daemon, {**request, "datasets": names}, robot="ur5e")
    assert [(f.get("joint"), f.get("datasets")) for f in of_signs(found)] == [(None, ["signs1"])], found["findings"]
    assert "all torques count against the positions in signs1" in found["reasons"][0]


def test_where_no_fit_compares_joints_the_work_of_all_decides(daemon):
    """`payload` holds the robot's parameters for true: torques that take work out together are refused, those of a right log are not."""
    rng = np.random.default_rng(14)
    for robot in ("panda", "planar-2r"):
        for friction in (0, 0.02, 0.5):
            for _ in range(5 if SLOW == 1 else 1):
                q, tau, work = log_of(daemon, robot, friction, rng)
                request = body(daemon, q, tau)
                request.pop("validate")
                status, _, reply = daemon.request("POST", f"/v1/robots/{robot}/payload", json.dumps(request).encode(), JSON)
                assert status == 200, reply
    q, tau, work = log_of(daemon, "planar-2r", 5, rng)
    request = body(daemon, q, -tau)
    request.pop("validate")
    status, _, reply = daemon.request("POST", "/v1/robots/planar-2r/payload", json.dumps(request).encode(), JSON)
    assert status == 422, reply
    fault = json.loads(reply)["errors"][0]
    taken = re.search(r"motors together take ([0-9.]+) J out, most by joint", fault["detail"])
    assert taken and float(taken[1]) == pytest.approx(work, rel=0.02) and '"scale"' in fault["hint"], fault
