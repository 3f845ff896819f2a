# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_integral.py - logs without torque of controllers with an integral: torque against
# numpy and the simulated torque, parameters and intervals against the true robot, output error, refusals.
import numpy as np
import pytest
from conftest import SLOW, numbers
from test_calibrate import ask, calibrate, truth  # noqa: F401, truth is a fixture
from test_calibrate_commanded import (BARS, KD, KP, NO_FILTER, PLANAR, but, effect_of, planar_columns, planar_torque, planar_truth, put_log,
                                      refused, run, torque_of, values_of)

KI = [9000, 20000, 8000, 400, 400, 300]
CONTROLLER = {"kind": "pd", "kp": KP, "kd": KD, "ki": KI}
EXACT = {"filter": NO_FILTER, "delay_s": 0, "points": 100000, "method": "ols"}


@pytest.fixture(scope="module")
def runs(daemon, truth):
    """Two runs of the true arm by a PID controller."""
    logs = {}
    for k in (1, 2):
        logs[k] = run(daemon, "truth", k, ki=KI)
        put_log(daemon, f"pid{k}", but(logs[k], "tau"))
    return logs


def integral(t, error):
    """Trapezoidal rule in numpy, from 0."""
    return np.vstack([np.zeros(error.shape[1]), np.cumsum(np.diff(t)[:, None] * (error[1:] + error[:-1]) / 2, axis=0)])


def rows_of(log, t):
    return np.searchsorted(log["t"], t - 1e-9)


def test_torque_is_the_law_with_its_integral(daemon, runs):
    log = runs[1]
    error = log["q_cmd"] - log["q"]
    law = KP * error + KD * (log["qd_cmd"] - log["qd"]) + KI * integral(log["t"], error)
    found = calibrate(daemon, {**EXACT, "datasets": ["pid1"], "controller": CONTROLLER}, robot="guess")
    t, tau = torque_of(found)
    at = rows_of(log, t)
    assert len(at) > 3000 and np.abs(tau - law[at]).max() < 1e-9 * np.abs(law).max()
    # the simulation integrates with steps of its own: what is left is the trapezoidal rule's error at 5 ms
    assert np.abs(tau - log["tau"][at]).max() < 1e-3 * np.abs(law).max()
    assert np.abs(KI * integral(log["t"], error)).max() > 0.05 * np.abs(law).max()
    said = found["controller"]
    assert said["ki"] == KI and said["law"] == "kp (q_cmd - q) + kd (qd_cmd - qd) + ki integral(q_cmd - q)"
    assert "integral is 0 at the first row" in said["note"]
    # one gain for all, none of them, and gains by name
    same = calibrate(daemon, {**EXACT, "datasets": ["pid1"], "controller": {**CONTROLLER, "ki": dict(zip(found["joints"], KI))}}, robot="guess")
    assert np.array_equal(torque_of(same)[1], tau)
    none = [calibrate(daemon, {**EXACT, "datasets": ["pid1"], "controller": c}, robot="guess") for c in (but(CONTROLLER, "ki"), {**CONTROLLER, "ki": 0})]
    assert np.allclose(torque_of(none[0])[1], torque_of(none[1])[1], rtol=1e-12, atol=1e-12)


@pytest.mark.seconds(120)
def test_parameters_are_those_of_the_robot(daemon, runs):
    body = {"delay_s": 0, "datasets": ["pid1", "pid2"]}
    found = calibrate(daemon, {**body, "controller": CONTROLLER}, robot="guess")
    assert found["verdict"] == "usable" and found["findings"] == [], found["reasons"]
    assert effect_of(daemon, found, runs[1]).max() < 0.01
    # without the integral it is another robot
    blind = calibrate(daemon, {**body, "controller": but(CONTROLLER, "ki")}, robot="guess")
    assert effect_of(daemon, blind, runs[1]).max() > 0.05


@pytest.mark.seconds(120)
def test_intervals_hold_the_truth(daemon, truth):
    """Noise of the encoder is in what the controller saw: in its law, and not in the motion of the next row here."""
    inside = total = 0
    want = np.array(ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})["parameter_values"])
    for seed in range(3 if SLOW == 1 else 1):
        names = []
        for k in (1, 2):
            log = run(daemon, "truth", 20 + 2 * seed + k, ki=KI)
            noise = np.random.default_rng([seed, k]).normal(0, 1e-5, log["q"].shape)
            names.append(f"pid-noisy{k}")
            put_log(daemon, names[-1], {**but(log, "tau", "qd", "qd_cmd"), "q": log["q"] + noise})
        found = calibrate(daemon, {"delay_s": 0, "datasets": names, "controller": CONTROLLER}, robot="guess")
        low, high = np.array([p["interval"] for p in found["parameters"]], dtype=float).T
        inside += int(((low <= want) & (want <= high)).sum())
        total += len(want)
    # five such trials: 92 %, as without an integral and as with measured torque of 0.05 N m of noise (91 %)
    assert inside > 0.85 * total, (inside, total)


@numbers
def test_the_integral_does_not_grow_into_saturation(daemon, truth):
    free = run(daemon, "truth", 4, ki=KI)
    limit = [float(x) for x in np.array([0.8, 0.97, 0.97, 0.97, 0.97, 0.97]) * np.abs(free["tau"]).max(axis=0)]
    log = run(daemon, "truth", 4, ki=KI, effort_limits=limit, solver={"method": "rk4", "step_s": 2e-4})
    error = log["q_cmd"] - log["q"]
    windup = KP * error + KD * (log["qd_cmd"] - log["qd"]) + KI * integral(log["t"], error)
    put_log(daemon, "pid-limited", but(log, "tau"))
    body = {**EXACT, "datasets": ["pid-limited"], "controller": {**CONTROLLER, "effort_limits": limit}}
    found = calibrate(daemon, body, robot="guess")
    assert found["controller"]["torque_of"][0]["rows_saturated"] > 5
    t, tau = torque_of(found)
    at = rows_of(log, t)
    off = np.abs(tau - log["tau"][at]).max(axis=0)
    # a row's e is summed or not as a whole: h/2 ki e at each begin and end of saturation
    assert np.all(off < 2e-3 * np.abs(log["tau"]).max(axis=0) + 0.01 * np.array(KI) * np.abs(error).max(axis=0)), off
    assert np.any(np.abs(windup[at] - log["tau"][at]).max(axis=0) > 5 * off + 0.01)


def test_a_model_in_the_loop_takes_the_integral_through_its_masses(daemon):
    for name, scale, damping in (("planar-true", 1.0, 1.0), ("planar-model", 0.6, 0.0)):
        bars = {k: x * (damping if k[0] == "d" else scale if k[0] in "mi" else 1) for k, x in BARS.items()}
        reply = daemon.request("PUT", f"/v1/robots/{name}", PLANAR.format(**bars).encode(), {"Content-Type": "application/xml"})
        assert reply[0] in (200, 201), reply[2]
    gains = {"kp": [400, 900], "kd": [40, 60], "ki": [900, 3000]}
    log = run(daemon, "planar-true", 11, "computed-torque", gains["kp"], gains["kd"], ki=gains["ki"], model={"mass_scale": 0.6, "without": ["friction"]})
    put_log(daemon, "pid-model", but(log, "tau"))
    body = {**EXACT, "datasets": ["pid-model"], "model": {"friction": ["viscous"], "rotor": False}}
    found = calibrate(daemon, {**body, "controller": {"kind": "computed-torque", **gains}}, robot="planar-model")
    t, tau = torque_of(found)
    at = rows_of(log, t)
    assert np.abs(tau - log["tau"][at])[5:-5].max() < 2e-3 * np.abs(log["tau"]).max()
    torque, states = planar_torque(daemon, [p["name"] for p in found["parameters"]], values_of(found), robot="planar-model")
    want = planar_columns(*states) @ planar_truth()
    assert np.sqrt(((torque - want) ** 2).mean() / (want**2).mean()) < 0.01
    # M ki s in numpy: without it the torque is another one
    bare = torque_of(calibrate(daemon, {**body, "controller": {"kind": "computed-torque", **but(gains, "ki")}}, robot="planar-model"))[1]
    s = integral(log["t"], log["q_cmd"] - log["q"])[at] * gains["ki"]
    q = log["q"][at]
    mass = ask(daemon, "planar-model", "terms", {"include": ["mass_matrix"], "q": q[::50].tolist()})["mass_matrix"]
    part = np.einsum("iab,ib->ia", np.array(mass), s[::50])
    assert np.allclose((tau - bare)[::50], part, rtol=1e-6, atol=1e-7 * np.abs(tau).max())
    assert np.abs(part).max() > 0.05 * np.abs(tau).max()


@pytest.mark.seconds(120)
def test_output_error_simulates_the_integral(daemon):
    bars = {k: x * (0.6 if k[0] in "mid" else 1) for k, x in BARS.items()}
    for name, text in (("planar-true", PLANAR.format(**BARS)), ("planar-guess", PLANAR.format(**bars))):
        reply = daemon.request("PUT", f"/v1/robots/{name}", text.encode(), {"Content-Type": "application/xml"})
        assert reply[0] in (200, 201), reply[2]
    gains = {"kind": "pd", "kp": [150, 60], "kd": [15, 6], "ki": [300, 150]}
    log = run(daemon, "planar-true", 5, "pd", gains["kp"], gains["kd"], ki=gains["ki"])
    put_log(daemon, "pid-planar", {"t": log["t"], "q": log["q"] + np.random.default_rng(6).normal(0, 5e-4, log["q"].shape), "q_cmd": log["q_cmd"]})
    body = {"datasets": ["pid-planar"], "controller": gains, "delay_s": 0, "filter": {"cutoff_hz": 20}, "method": "wls",
            "model": {"friction": ["viscous"], "rotor": False}, "compare": ["wls", "didim"]}
    found = calibrate(daemon, body, robot="planar-guess")
    off = {}
    for one in found["comparison"]["estimators"]:
        torque, states = planar_torque(daemon, [p["name"] for p in found["parameters"]], one["values"])
        want = planar_columns(*states) @ planar_truth()
        off[one["estimator"]] = float(np.sqrt(((torque - want) ** 2).mean() / (want**2).mean()))
    assert off["wls"] > 5 * off["didim"] and off["didim"] < 0.02, off


def test_what_no_log_can_tell_of_an_integral(daemon, runs):
    body = {"delay_s": 0, "controller": CONTROLLER}
    late = [{"dataset": "pid1", "rows": [500, 3000]}]
    refused(daemon, {**body, "datasets": late}, "/datasets/0", "row 0", robot="guess")
    refused(daemon, {**body, "datasets": [{"dataset": "pid1", "rows": [[0, 1000], [2000, 3000]]}]}, "/datasets/0", "row 0", robot="guess")
    log = {word: np.delete(x, range(1500, 1900), axis=0) for word, x in but(runs[1], "tau").items()}
    put_log(daemon, "pid-gap", log)
    refused(daemon, {**body, "datasets": ["pid-gap"]}, "/datasets/0", "without a row", "tau_ff", robot="guess")
    first = calibrate(daemon, {**EXACT, **body, "datasets": [{"dataset": "pid-gap", "rows": [0, 1500]}]}, robot="guess")
    whole = calibrate(daemon, {**EXACT, **body, "datasets": ["pid1"]}, robot="guess")
    n = len(torque_of(first)[1])
    assert n > 1000 and np.allclose(torque_of(first)[1], torque_of(whole)[1][:n], rtol=1e-9)
    refused(daemon, {**body, "datasets": ["pid1"], "controller": {**CONTROLLER, "ki": -1}}, "/controller/ki", "0 or more", robot="guess")
    # without the integral, its torque may be a column
    s = integral(runs[1]["t"], runs[1]["q_cmd"] - runs[1]["q"])
    put_log(daemon, "pid-column", {**but(runs[1], "tau"), "tau_ff": KI * s})
    told = calibrate(daemon, {**EXACT, "datasets": [{"dataset": "pid-column", "rows": [500, 3000]}], "controller": but(CONTROLLER, "ki")}, robot="guess")
    t, tau = torque_of(told)
    assert np.abs(tau - runs[1]["tau"][rows_of(runs[1], t)]).max() < 1e-3 * np.abs(runs[1]["tau"]).max()
