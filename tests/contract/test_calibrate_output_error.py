# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_output_error.py - output error as the method of a calibration: against numpy and the
# true arm, intervals, what every result has, what else is compared, refusals.
import json

import numpy as np
import pytest
from conftest import numbers
from test_calibrate import ask, calibrate, last_job, truth  # noqa: F401, truth is a fixture
from test_calibrate_commanded import (BARS, GAINS, PLANAR, didim, planar_columns, planar_torque, planar_truth, put_log, refused, run)

METHOD = "feasible-didim"
MODEL = {"friction": ["viscous"], "rotor": False}


def planar_log(daemon, name, seed, noise=5e-4):
    log = run(daemon, "planar-true", seed, "pd", GAINS["kp"], GAINS["kd"])
    log["q"] = log["q"] + np.random.default_rng([seed, 1]).normal(0, noise, log["q"].shape)
    put_log(daemon, name, {"t": log["t"], "q": log["q"], "q_cmd": log["q_cmd"]})
    return log


@pytest.fixture(scope="module")
def logs(daemon):
    for name, scale in (("planar-true", 1.0), ("planar-guess", 0.6)):
        bars = {k: x * (scale if k[0] in "mid" else 1) for k, x in BARS.items()}
        reply = daemon.request("PUT", f"/v1/robots/{name}", PLANAR.format(**bars).encode(), {"Content-Type": "application/xml"})
        assert reply[0] in (200, 201), reply[2]
    return [planar_log(daemon, f"loop{k}", 100 + k) for k in range(2)]


BODY = {"datasets": ["loop0", "loop1"], "controller": GAINS, "delay_s": 0, "model": MODEL, "method": METHOD}


def off_of(daemon, found, values=None):
    """Error of the parameters in torque at random states, relative to it; and that torque, with the states."""
    values = [p["value"] for p in found["parameters"]] if values is None else values
    torque, states = planar_torque(daemon, [p["name"] for p in found["parameters"]], values)
    want = planar_columns(*states) @ planar_truth()
    return float(np.sqrt(((torque - want) ** 2).mean() / (want**2).mean())), torque, states


@pytest.mark.seconds(120)
def test_the_result_is_that_of_numpy_with_all_that_a_result_has(daemon, logs):
    found = calibrate(daemon, BODY, robot="planar-guess")
    assert found["method"] == METHOD and found["findings"] == [], found["findings"]
    off, torque, states = off_of(daemon, found)
    assert off < 0.005
    ours = planar_columns(*states) @ didim(planar_truth() * 0.7, logs[0]["t"], logs[0])
    assert np.sqrt(((torque - ours) ** 2).mean()) < 0.01 * np.sqrt((ours**2).mean())
    assert 2 <= found["output_error"]["simulations"] <= 30 and found["output_error"]["windows"] >= 12 and found["output_error"]["windows_lost"] == 0
    assert "instruments" not in found and not any("least_squares" in p for p in found["parameters"])
    # unseen logs, forward simulation, feasibility, robot, URDF, page, header
    assert found["validation"]["kind"] == "leave-one-out" and len(found["validation"]["rmse"]) == 2
    # what is left is at most the noise of the law: kp noise and kd times its central difference, 5 ms apart
    expected = 5e-4 * np.hypot(GAINS["kp"], np.array(GAINS["kd"]) / (np.sqrt(2) * 0.005))
    assert np.all(np.array(found["validation"]["rmse"]) < 1.05 * expected)
    assert found["forward_simulation"]["windows"] > 0 and found["feasibility"]["least_eigenvalue"] > 0
    job = last_job(daemon)
    assert f"method {METHOD}" in daemon.request("GET", f"/v1/jobs/{job}/report")[2].decode()
    assert METHOD in daemon.request("GET", f"/v1/jobs/{job}/result/parameters.h")[2].decode()
    code, _, urdf = daemon.request("GET", f"/v1/jobs/{job}/result/robot.urdf")
    assert code == 200
    q, qd, qdd = states
    for name, text, kind in (("planar-found", json.dumps(found["robot"]).encode(), "application/json"), ("planar-found-urdf", urdf, "application/xml")):
        reply = daemon.request("PUT", f"/v1/robots/{name}", text, {"Content-Type": kind})
        assert reply[0] in (200, 201), reply[2]
        tau = np.array(ask(daemon, name, "inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})["tau"])
        assert np.abs(tau - torque).max() < 1e-3 * np.abs(torque).max(), name


@numbers
@pytest.mark.seconds(240)
def test_intervals_hold_the_truth(daemon, logs):
    want = {"fv_1": 0.8, "fv_2": 0.5, "Izz_1": planar_truth()[0], "mx_2": 0.5, "my_2": 0, "Izz_2": planar_truth()[2]}
    inside = total = 0
    for seed in range(6):
        names = [f"trial{k}" for k in range(2)]
        for k, name in enumerate(names):
            planar_log(daemon, name, 200 + 10 * seed + k)
        found = calibrate(daemon, {**BODY, "datasets": names}, robot="planar-guess")
        inside += sum(p["interval"][0] <= want[p["name"]] <= p["interval"][1] for p in found["parameters"])
        total += len(found["parameters"])
        assert off_of(daemon, found)[0] < 0.005
    # 69 of 72 in twelve such trials; 66 by the default there
    assert inside >= 0.85 * total, (inside, total)


@pytest.mark.seconds(120)
def test_others_beside_it_are_those_of_measured_motion(daemon, logs):
    beside = ["wls", "feasible", METHOD]
    found = calibrate(daemon, {**BODY, "compare": beside}, robot="planar-guess")
    plain = calibrate(daemon, {**BODY, "method": "feasible", "compare": beside}, robot="planar-guess")
    values = [{one["estimator"]: np.array(one["values"]) for one in x["comparison"]["estimators"]} for x in (found, plain)]
    assert found["comparison"]["applied"] == METHOD and plain["comparison"]["applied"] == "feasible"
    for name in ("wls", "feasible"):
        assert np.allclose(values[0][name], values[1][name], rtol=1e-6, atol=1e-9), name
    assert np.allclose([p["value"] for p in plain["parameters"]], values[1]["feasible"], rtol=1e-6)
    assert off_of(daemon, found)[0] < 0.2 * off_of(daemon, plain)[0]
    # the comparison's ends after five simulations
    assert off_of(daemon, found, values[0][METHOD])[0] < 0.01


@pytest.mark.seconds(120)
def test_bounds_hold_in_it(daemon, logs):
    free = calibrate(daemon, BODY, robot="planar-guess")
    mass = next(one["mass"] for one in free["robot"]["links"] if one["name"] == "two")
    near = calibrate(daemon, {**BODY, "bounds": {"links": {"two": {"mass_kg": [1.3 * mass, None]}}}}, robot="planar-guess")
    assert next(one["mass"] for one in near["robot"]["links"] if one["name"] == "two") >= 1.3 * mass * (1 - 1e-6)
    assert off_of(daemon, near)[0] < 0.01  # torque does not show that mass


def test_what_is_not_simulated_is_refused(daemon, logs):
    refused(daemon, {**BODY, "lag_s": 0.1}, "/lag_s", "instruments")
    q = np.zeros((300, 19))
    q[:, 3] = 1
    table = {"t": np.arange(300) / 100, "q": q, "tau": np.zeros((300, 18))}
    put_log(daemon, "float", table)
    said = json.dumps(calibrate(daemon, {"datasets": ["float"], "method": METHOD, "filter": {"kind": "none"}}, want=422, robot="quadruped"))
    assert "/method" in said or "/datasets" in said, said


@numbers
@pytest.mark.seconds(120)
def test_noise_of_accelerations_is_no_fault(daemon, logs):
    """At 25 times the motion's frequency accelerations are mostly noise: it is in the columns, and what is left of the torque was
    called a tilt of gravity by 6 to 13 degrees in sixteen of sixteen trials."""
    for seed in range(4):
        names = [f"noisy{k}" for k in range(2)]
        for k, name in enumerate(names):
            planar_log(daemon, name, 200 + 10 * seed + k)
        for more in ({"method": METHOD}, {"method": "feasible"}):
            found = calibrate(daemon, {**BODY, **more, "datasets": names, "filter": {"cutoff_hz": 20}}, robot="planar-guess")
            assert found["findings"] == [], (seed, more, found["findings"])
    # the sign of a torque, in one such log: not named, and not passed
    log = run(daemon, "planar-true", 230, "pd", GAINS["kp"], GAINS["kd"])
    q = log["q"] + np.random.default_rng(3).normal(0, 5e-4, log["q"].shape)
    tau = log["tau"] * [1, -1]
    put_log(daemon, "turned", {"t": log["t"], "q": q, "tau": tau})
    found = calibrate(daemon, {"datasets": ["turned"], "delay_s": 0, "model": MODEL, "filter": {"cutoff_hz": 20}}, robot="planar-guess")
    assert found["verdict"] not in ("usable", "robust-control-only"), found["reasons"]
