# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_advice.py - advice on missing friction: none on logs that lack none, and the size of
# what is beyond friction at rest against numpy.
import io
import json
import re

import numpy as np
import pytest
from conftest import SLOW
from test_calibrate import calibrate

JSON = {"Content-Type": "application/json"}
NPY = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}
ADVICE = ("add ", "static friction", "depends on", "at standstill")


def put(daemon, path, body, headers):
    reply = daemon.request("PUT", path, body, headers)
    assert reply[0] in (200, 201), reply[2][:1000]


def torque(daemon, robot, *motion):
    out = io.BytesIO()
    np.save(out, np.hstack(motion))
    status, _, reply = daemon.request("POST", f"/v1/robots/{robot}/inverse-dynamics", out.getvalue(), NPY)
    assert status == 200, reply
    return np.load(io.BytesIO(reply))


def log(daemon, name, rate, **columns):
    """Stores the columns, and says where they are."""
    out, at, where = io.BytesIO(), 0, {}
    np.save(out, np.hstack(list(columns.values())))
    for word, x in columns.items():
        where[word] = list(range(at, at + x.shape[1]))
        at += x.shape[1]
    put(daemon, f"/v1/datasets/{name}", out.getvalue(), NPY)
    return {"datasets": [name], "rate_hz": rate, "columns": where, "validate": "none"}


def harmonics(rng, n, rate, seconds, slow=0.1):
    t = np.arange(int(rate * seconds)) / rate
    w = 2 * np.pi * slow * np.array([1, 2, 3, 5])
    a, p = rng.uniform(-0.4, 0.4, (n, 4)), rng.uniform(0, 6, (n, 4))
    x = w * t[:, None, None] + p
    return (a * np.sin(x)).sum(2), (a * w * np.cos(x)).sum(2), (-a * w * w * np.sin(x)).sum(2)


@pytest.mark.seconds(120)
def test_a_sharp_sign_of_velocity_is_no_static_friction(daemon):
    """puma560 has Coulomb friction with a sharp sign. At a reversal the filtered velocity changes sign a sample too early or too late, and
    the residual there is twice the friction: within what friction at rest may be."""
    sharp = 0
    for seed in (2, 4, 7) if SLOW == 1 else (4,):
        rng = np.random.default_rng(seed)
        q, qd, qdd = harmonics(rng, 6, 333, 10)
        tau = torque(daemon, "puma560", q, qd, qdd) + rng.normal(0, 0.02, q.shape)
        found = calibrate(daemon, log(daemon, "sharp", 333, q=q, tau=tau), robot="puma560")
        assert found["verdict"] == "usable" and found["findings"] == []
        assert not any(word in reason for reason in found["reasons"] for word in ADVICE), found["reasons"]
        rest = [(j["standing"]["rmse"], j["moving"]["rmse"]) for j in found["fit"]["by_joint"] if "standing" in j]
        sharp += sum(standing > 3 * moving for standing, moving in rest)
    assert sharp > 0  # the residuals that were taken for static friction are there


def stops(rng, n, rate, seconds):
    """From pose to pose, at rest between."""
    t = np.arange(int(rate * seconds)) / rate
    q, qd, qdd = (np.zeros((len(t), n)) for _ in range(3))
    start, since = rng.uniform(-1, 1, n), 0.0
    while since < t[-1]:
        to = rng.uniform(-1, 1, n)
        q[t >= since] = start
        at = (t >= since + 0.5) & (t < since + 2)
        x = ((t[at] - since - 0.5) / 1.5)[:, None]
        q[at] = start + (to - start) * (10 * x**3 - 15 * x**4 + 6 * x**5)
        qd[at] = (to - start) / 1.5 * (30 * x**2 - 60 * x**3 + 30 * x**4)
        qdd[at] = (to - start) / 2.25 * (60 * x - 180 * x**2 + 120 * x**3)
        start, since = to, since + 2
    return q, qd, qdd


def planar(daemon, coulomb):
    document = json.loads(daemon.request("GET", "/v1/robots/planar-3r")[2])
    document = {k: v for k, v in document.items() if k not in ("digest", "source", "name")}
    for joint in document["joints"]:
        if joint["kind"] != "fixed":
            joint.pop("drive", None)
            joint["damping"], joint["friction"] = 1.0, {"coulomb": coulomb, "smoothing": 1e-3}
    put(daemon, "/v1/robots/rubs", json.dumps(document).encode(), JSON)


@pytest.mark.parametrize("held", (0.9, 2.0))
def test_torque_at_rest_counts_beyond_the_friction_band(daemon, held):
    """Joints that stop hold up to 0.9 of their Coulomb friction, which is no finding, or twice as much, which Coulomb friction is not."""
    coulomb, rate = 2.0, 200
    planar(daemon, coulomb)
    rng = np.random.default_rng(5)
    q, qd, qdd = stops(rng, 3, rate, 40)
    tau = torque(daemon, "rubs", q, qd, qdd) + rng.normal(0, 0.02, q.shape)
    rests = (qd == 0).all(axis=1)
    side = np.repeat(rng.choice([-1.0, 1.0], (len(q) // rate + 1, 3)), rate, axis=0)[: len(q)]
    tau[rests] += held * coulomb * side[rests]
    body = {**log(daemon, "stops", rate, q=q, qd=qd, qdd=qdd, tau=tau), "filter": {"kind": "none"}, "delay_s": 0, "method": "ols", "points": 100000,
            "model": {"friction": ["viscous", "coulomb", "offset"], "rotor": False}}
    found = calibrate(daemon, body, robot="rubs")
    said = {reason.split('"')[1]: float(re.search(r"by ([0-9.]+) times", reason)[1]) for reason in found["reasons"] if "static friction" in reason}
    if held < 1:
        assert said == {} and not any("stribeck" in reason for reason in found["reasons"]), found["reasons"]
        return
    assert set(said) == set(found["joints"]), found["reasons"]
    # |tau - model without Coulomb friction| beyond that friction, in numpy
    one = found["prediction"][0]
    at = np.round(np.array(one["t"]) * rate).astype(int)
    residual = np.array(one["tau_measured"]) - np.array(one["tau_predicted"])
    for r, joint in enumerate(found["joints"]):
        friction = next(p["value"] for p in found["parameters"] if p["kind"] == "coulomb" and p["joint"] == joint)
        rate_there = qd[at, r]
        standing = np.abs(rate_there) <= 0.01
        at_rest = residual[:, r] + friction * np.tanh(rate_there / 1e-3)
        beyond = np.sqrt((np.maximum(np.abs(at_rest) - abs(friction), 0)[standing] ** 2).mean())
        moving = np.sqrt((residual[~standing, r] ** 2).mean())
        assert said[joint] == pytest.approx(beyond / moving, rel=0.02, abs=0.06)


def test_friction_that_drives_within_the_noise_is_no_wrong_scale(daemon):
    """Slow motion: joint4 takes less than the noise, and the sign of its friction is chance. Its torque was called 20 and 100 times too large."""
    document = json.loads(daemon.request("GET", "/v1/robots/puma560")[2])
    document = {k: v for k, v in document.items() if k not in ("digest", "source", "name")}
    for joint in document["joints"]:
        for word in ("friction", "damping", "drive"):
            joint.pop(word, None)
    put(daemon, "/v1/robots/frictionless", json.dumps(document).encode(), JSON)
    for link in document["links"]:
        link["mass"] *= 1.2
    put(daemon, "/v1/robots/heavier", json.dumps(document).encode(), JSON)
    for slow in (0.02, 0.03):
        rng = np.random.default_rng(2)
        motion = harmonics(rng, 6, 333, 20, slow)
        tau = torque(daemon, "heavier", *motion) + rng.normal(0, 0.02, motion[0].shape)
        assert tau[:, 3].std() < 0.03
        found = calibrate(daemon, log(daemon, "slow", 333, q=motion[0], tau=tau), robot="frictionless")
        assert found["findings"] == [], found["findings"]
