# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_commanded.py - calibration without torque sensors: torque by the law of the
# controller against numpy and the simulated torque, parameters against the true robot; output error against an
# implementation in numpy; what cannot be such a log.
import json
import math

import numpy as np
import pytest
from test_calibrate import ask, calibrate, last_job, truth  # noqa: F401, truth is a fixture

KP = [4000, 6000, 3000, 300, 300, 200]
KD = [200, 300, 150, 12, 12, 8]
RATE = 200
SECONDS = 20


def put_log(daemon, name, columns):
    """CSV: t and named arrays of (samples, joints), as they are in the header."""
    head = ["t"] + [f"{word}{j}" for word, x in columns.items() if word != "t" for j in range(x.shape[1])]
    table = np.column_stack([columns["t"]] + [x for word, x in columns.items() if word != "t"])
    text = "\n".join([",".join(head)] + [",".join(map(repr, row)) for row in table.tolist()])
    reply = daemon.request("PUT", f"/v1/datasets/{name}", text.encode())
    assert reply[0] in (200, 201), reply[2]


def fourier(n, seed, seconds=SECONDS, rate=RATE, size=0.4):
    """Commanded motion: t, position, rate, acceleration."""
    rnd = np.random.default_rng(seed)
    t = np.arange(seconds * rate) / rate
    q, qd, qdd = (np.zeros((len(t), n)) for _ in range(3))
    for k in (1, 2, 3, 5):
        w = 2 * math.pi * 0.1 * k
        a, p = rnd.uniform(-size, size, n), rnd.uniform(0, 6, n)
        q += a * np.sin(w * t[:, None] + p)
        qd += a * w * np.cos(w * t[:, None] + p)
        qdd -= a * w * w * np.sin(w * t[:, None] + p)
    return t, q, qd, qdd


def run(daemon, robot, seed, kind="pd", kp=KP, kd=KD, **more):
    """A run of the closed loop: measured motion, torque and commanded motion."""
    n = len(kp)
    t, q, qd, qdd = fourier(n, seed)
    table = {"t": t.tolist(), "q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}
    body = {
        "initial": {"q": q[0].tolist(), "qd": qd[0].tolist()},
        "duration_s": float(t[-1]),
        "output": {"times_s": t.tolist()},
        "input": {"kind": kind, "reference": {"table": table}, "kp": kp, "kd": kd},
        "solver": more.pop("solver", {"rtol": 1e-7, "atol": 1e-9}),
    }
    body["input"] |= more
    found = ask(daemon, robot, "simulate", body)
    log = {"t": t, "q": np.array(found["q"]), "qd": np.array(found["qd"]), "tau": np.array(found["tau"]), "q_cmd": q, "qd_cmd": qd}
    return {word: x[:-1] for word, x in log.items()}  # at its end the table stops


def but(log, *words):
    return {word: x for word, x in log.items() if word not in words}


def central(t, x):
    """Differences in numpy: of second order within, of first at the ends."""
    return np.gradient(x, t, axis=0)


@pytest.fixture(scope="module")
def runs(daemon, truth):
    """Two runs of the true arm by PD: as logs with torque, and without it with and without rates."""
    logs = {}
    for k in (1, 2):
        log = run(daemon, "truth", k)
        logs[k] = log
        put_log(daemon, f"with{k}", log)
        put_log(daemon, f"without{k}", but(log, "tau"))
        put_log(daemon, f"positions{k}", but(log, "tau", "qd", "qd_cmd"))
    return logs


CONTROLLER = {"kind": "pd", "kp": KP, "kd": KD}
NO_FILTER = {"kind": "none"}


def torque_of(found, k=0):
    one = found["prediction"][k]
    return np.array(one["t"]), np.array(one["tau_measured"])


def test_torque_is_the_law_of_the_controller(daemon, runs):
    """With logged rates it is the simulated torque; without, that of central differences in numpy."""
    log = runs[1]
    law = KP * (log["q_cmd"] - log["q"]) + KD * (log["qd_cmd"] - log["qd"])
    assert np.abs(law - log["tau"]).max() < 1e-9 * np.abs(law).max()  # the run's own
    body = {"filter": NO_FILTER, "delay_s": 0, "controller": CONTROLLER, "points": 100000, "method": "ols"}
    found = calibrate(daemon, {**body, "datasets": ["without1"]}, robot="guess")
    t, tau = torque_of(found)
    at = np.searchsorted(log["t"], t - 1e-9)
    assert len(at) > 3000 and np.abs(tau - law[at]).max() < 1e-9 * np.abs(law).max()
    assert found["controller"]["torque_of"] == [{"name": "without1", "rates": "logged", "rows_saturated": 0}]
    assert found["controller"]["kp"] == KP and found["controller"]["law"] == "kp (q_cmd - q) + kd (qd_cmd - qd)"
    assert "1 %" in found["controller"]["note"] and "not measured" in found["controller"]["note"]
    # differences of the error; the first and the last row have one neighbour
    error = log["q_cmd"] - log["q"]
    law = KP * error + KD * central(log["t"], error)
    found = calibrate(daemon, {**body, "datasets": ["positions1"]}, robot="guess")
    t, tau = torque_of(found)
    at = np.searchsorted(log["t"], t - 1e-9)
    assert np.abs(tau - law[at]).max() < 1e-9 * np.abs(law).max()
    assert found["controller"]["torque_of"][0]["rates"] == "differences"
    # a log that has torque keeps it
    found = calibrate(daemon, {**body, "datasets": ["with1"]}, robot="guess")
    assert found["controller"]["torque_of"] == [] and "logs' own" in found["controller"]["note"]


def test_feed_forward_torque_is_a_part_of_the_law(daemon, runs):
    """A controller that adds the torque of a model, with gains for the rest: its log is as good as measured torque."""
    log = runs[1]
    model = np.array(ask(daemon, "guess", "inverse-dynamics", {"q": log["q"].tolist(), "qd": log["qd"].tolist()})["tau"])
    ff = 0.8 * model + [1, -2, 3, 0, 0.5, -0.5]
    plain = {word: log[word] for word in ("t", "q", "qd")}
    stiff = {"kind": "pd", "kp": KP, "kd": 0}
    body = {"filter": NO_FILTER, "delay_s": 0, "points": 100000, "method": "ols"}
    want = calibrate(daemon, {**body, "datasets": ["with1"]}, robot="guess")
    t, measured = torque_of(want)
    gravity = np.array(ask(daemon, "guess", "inverse-dynamics", {"q": log["q"].tolist(), "qd": np.zeros_like(log["q"]).tolist()})["tau"])
    for kind, known, law in (("pd", 0, "kp (q_cmd - q) + kd (qd_cmd - qd) + tau_ff"),
                             ("pd-gravity", gravity, "kp (q_cmd - q) + kd (qd_cmd - qd) + gravity(q) + springs(q) + tau_ff")):
        put_log(daemon, f"ff-{kind}", {**plain, "q_cmd": log["q"] + (log["tau"] - known - ff) / KP, "tau_ff": ff})
        found = calibrate(daemon, {**body, "datasets": [f"ff-{kind}"], "controller": {**stiff, "kind": kind}}, robot="guess")
        at, tau = torque_of(found)
        assert np.array_equal(at, t) and np.abs(tau - measured).max() < 1e-9 * np.abs(measured).max(), kind
        assert np.allclose(values_of(found), values_of(want), rtol=1e-6, atol=1e-8), kind
        assert found["controller"]["law"] == law and found["controller"]["torque_of"][0]["feed_forward"] is True
        assert found["datasets"][0]["columns"]["tau_ff"] == [f"tau_ff{j}" for j in range(6)]
    # without the column the fit is another one
    bare = {"time": "t", "q": "q", "qd": "qd", "q_cmd": "q_cmd"}
    found = calibrate(daemon, {**body, "datasets": ["ff-pd"], "controller": stiff, "columns": bare}, robot="guess")
    assert "feed_forward" not in found["controller"]["torque_of"][0] and "tau_ff" not in found["controller"]["law"]
    assert np.abs(torque_of(found)[1] - measured).max() > 0.1 * np.abs(measured).max()
    # other names, units and signs; rows without it are left out
    named = {**plain, "q_cmd": log["q"] + (log["tau"] - ff) / KP, "feed": -1e3 * ff}
    named["feed"][500:505, 2] = np.nan
    put_log(daemon, "ff-named", named)
    said = {"columns": {**bare, "tau_ff": "feed"}, "units": {"tau_ff": "mNm"}, "scale": {"tau_ff": -1}}
    found = calibrate(daemon, {**body, **said, "datasets": ["ff-named"], "controller": stiff}, robot="guess")
    assert any(one["kind"] == "not-finite" and one["count"] == 5 for one in found["datasets"][0]["repairs"])
    assert np.allclose(values_of(found), values_of(want), rtol=1e-2, atol=1e-2)
    # currents need drive gains; without a controller it says nothing
    refused(daemon, {**body, **said, "units": {"tau_ff": "A"}, "scale": {}, "datasets": ["ff-named"], "controller": stiff}, "/units/tau_ff", "scale", robot="guess")
    refused(daemon, {**body, "columns": {**bare, "tau_ff": "feed"}, "datasets": ["ff-named"]}, "/columns/q_cmd", "controller", robot="guess")


def values_of(found):
    return np.array([p["value"] for p in found["parameters"]])


def effect_of(daemon, found, log, names=("rotor", "viscous", "coulomb", "offset")):
    """Error of the parameters in the unfiltered torque of the true run, relative to it."""
    pick = slice(None, None, 20)
    q, qd = log["q"][pick], log["qd"][pick]
    qdd = central(log["t"], log["qd"])[pick]
    answer = ask(daemon, "guess", "regressor?form=base", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "parameters": list(names)})
    assert [c["name"] for c in answer["columns"]] == [p["name"] for p in found["parameters"]]
    stack = np.array(answer["regressor"]).reshape(len(q), q.shape[1], -1)
    want = np.array(ask(daemon, "truth", "regressor?form=base", {"parameters": list(names)})["parameter_values"])
    off = stack @ (values_of(found) - want)
    return np.sqrt((off**2).mean(axis=0) / (log["tau"][pick] ** 2).mean(axis=0))


@pytest.mark.parametrize("name", ["without", "positions"])
def test_parameters_are_those_of_the_robot(daemon, runs, name):
    """Without a column of torque the fit is as good as with one: the law is exact, and the rest is the filter."""
    body = {"delay_s": 0, "datasets": [f"{name}1", f"{name}2"], "controller": CONTROLLER}
    found = calibrate(daemon, body, robot="guess")
    assert found["verdict"] == "usable" and found["findings"] == [], found["reasons"]
    assert found["feasibility"]["least_eigenvalue"] > 0 and found["robot"] is not None
    assert effect_of(daemon, found, runs[1]).max() < 0.01
    page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()
    assert "not measured" in page
    measured = calibrate(daemon, {"delay_s": 0, "datasets": ["with1", "with2"]}, robot="guess")
    if name == "without":  # the same numbers as with the simulated torque
        assert np.allclose(values_of(found), values_of(measured), rtol=1e-6, atol=1e-8)


def test_gravity_is_that_of_the_robot_of_the_request(daemon, truth):
    # the controller believes in `guess`: its masses are those of the truth over 1.3
    log = run(daemon, "truth", 3, "pd-gravity", KP, KD, model={"mass_scale": 1 / 1.3})
    put_log(daemon, "loop-gravity", but(log, "tau"))
    body = {"datasets": ["loop-gravity"], "filter": NO_FILTER, "delay_s": 0, "points": 100000, "method": "ols"}
    found = calibrate(daemon, {**body, "controller": {"kind": "pd-gravity", "kp": KP, "kd": KD}}, robot="guess")
    t, tau = torque_of(found)
    at = np.searchsorted(log["t"], t - 1e-9)
    assert np.abs(tau - log["tau"][at]).max() < 1e-9 * np.abs(log["tau"]).max()
    assert effect_of(daemon, found, log).max() < 0.02


def test_rows_at_the_limit_are_left_out(daemon, truth):
    free = run(daemon, "truth", 4)
    limit = [float(x) for x in np.array([0.8, 0.97, 0.97, 0.97, 0.97, 0.97]) * np.abs(free["tau"]).max(axis=0)]
    log = run(daemon, "truth", 4, effort_limits=limit)
    law = KP * (log["q_cmd"] - log["q"]) + KD * (log["qd_cmd"] - log["qd"])
    saturated = (np.abs(law) >= limit).any(axis=1)
    assert 5 < saturated.sum() < 0.3 * len(law)
    put_log(daemon, "limited", but(log, "tau"))
    body = {"datasets": ["limited"], "delay_s": 0}
    found = calibrate(daemon, {**body, "controller": {**CONTROLLER, "effort_limits": limit}}, robot="guess")
    report = found["datasets"][0]
    counts = {one["kind"]: one["count"] for one in report["repairs"]}
    # rounding decides rows that are at the limit to the last bit
    assert abs(counts["saturated"] - int(saturated.sum())) <= 3
    assert found["controller"]["torque_of"][0]["rows_saturated"] == counts["saturated"]
    assert found["controller"]["effort_limits"] == pytest.approx(limit)
    with_limit = effect_of(daemon, found, log).max()
    blind = calibrate(daemon, {**body, "controller": {**CONTROLLER, "effort_limits": [1e6] * 6}}, robot="guess")
    assert with_limit < 0.02 < effect_of(daemon, blind, log).max()


def test_a_wrong_gain_is_found_where_other_joints_contradict(daemon, runs):
    body = {"datasets": ["without1", "without2"], "delay_s": 0}
    wrong = [4000, 6000, 4500, 300, 300, 200]
    found = calibrate(daemon, {**body, "controller": {"kind": "pd", "kp": wrong, "kd": [200, 300, 225, 12, 12, 8]}}, robot="guess")
    assert [(one["kind"], one.get("joint")) for one in found["findings"]][:1] == [("torque-scale", found["joints"][2])], found["findings"]
    assert found["findings"][0]["size"] == pytest.approx(1.5, rel=0.05)
    # all gains off by one factor: no log shows it, the note says so, and everything scales
    half = {"kind": "pd", "kp": [x / 2 for x in KP], "kd": [x / 2 for x in KD]}
    whole = calibrate(daemon, {**body, "method": "ols", "controller": CONTROLLER}, robot="guess")
    found = calibrate(daemon, {**body, "method": "ols", "controller": half}, robot="guess")
    assert np.allclose(values_of(found), values_of(whole) / 2, rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# Output error


PLANAR = """<robot name="planar">
<link name="base"/>
<joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="10" effort="1000"/><dynamics damping="{d1}"/></joint>
<link name="one"><inertial><origin xyz="{c1} 0 0"/><mass value="{m1}"/>
<inertia ixx="0.01" iyy="{i1}" izz="{i1}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="b" type="revolute"><origin xyz="0.5 0 0"/><parent link="one"/><child link="two"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="10" effort="1000"/><dynamics damping="{d2}"/></joint>
<link name="two"><inertial><origin xyz="{c2} 0 0"/><mass value="{m2}"/>
<inertia ixx="0.01" iyy="{i2}" izz="{i2}" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
BARS = {"m1": 3, "c1": 0.2, "i1": 0.1, "d1": 0.8, "m2": 2, "c2": 0.25, "i2": 0.05, "d2": 0.5}
GAINS = {"kind": "pd", "kp": [150, 60], "kd": [15, 6]}


def planar_columns(q, qd, qdd):
    """Columns of the horizontal arm, by hand: total inertia of the first joint without the second link's own,
    the coupling m2 l1 c2, the second's inertia about its joint, viscous friction of both. (samples, 2, 5)"""
    c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
    zero = np.zeros_like(c)
    first = [qdd[:, 0], c * (2 * qdd[:, 0] + qdd[:, 1]) - s * (2 * qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2), qdd[:, 0] + qdd[:, 1], qd[:, 0], zero]
    second = [zero, c * qdd[:, 0] + s * qd[:, 0] ** 2, qdd[:, 0] + qdd[:, 1], zero, qd[:, 1]]
    return np.stack([np.stack(first, axis=1), np.stack(second, axis=1)], axis=1)


def planar_truth():
    b = BARS
    return np.array([b["m1"] * b["c1"] ** 2 + b["i1"] + b["m2"] * 0.25, b["m2"] * 0.5 * b["c2"], b["m2"] * b["c2"] ** 2 + b["i2"], b["d1"], b["d2"]])


def closed_loop(values, t, q_cmd, qd_cmd):
    """RK4 of the arm with these values under the PD law, from the commanded state, commands linear between rows:
    q, qd, qdd. Plain numbers: arrays of two take ten times as long."""
    a, b, c, f1, f2 = map(float, values)
    (kp1, kp2), (kd1, kd2) = GAINS["kp"], GAINS["kd"]
    h = float(t[1] - t[0])

    def rate_of(x, command):
        q1, q2, v1, v2 = x
        tau1 = kp1 * (command[0] - q1) + kd1 * (command[2] - v1)
        tau2 = kp2 * (command[1] - q2) + kd2 * (command[3] - v2)
        co, si = b * math.cos(q2), b * math.sin(q2)
        m11, m12, m22 = a + 2 * co + c, c + co, c
        r1 = tau1 + si * (2 * v1 * v2 + v2 * v2) - f1 * v1
        r2 = tau2 - si * v1 * v1 - f2 * v2
        det = m11 * m22 - m12 * m12
        return v1, v2, (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det

    def moved(x, by, rate):
        return tuple(one + by * r for one, r in zip(x, rate))

    commands = np.hstack([q_cmd, qd_cmd]).tolist()
    x, out = tuple(commands[0]), []
    for k, now in enumerate(commands):
        one = rate_of(x, now)
        out.append((*x, one[2], one[3]))
        if k + 1 == len(commands):
            break
        half = [(p + n) / 2 for p, n in zip(now, commands[k + 1])]
        two = rate_of(moved(x, h / 2, one), half)
        three = rate_of(moved(x, h / 2, two), half)
        four = rate_of(moved(x, h, three), commands[k + 1])
        x = moved(x, h / 6, tuple(p + 2 * q + 2 * r + s for p, q, r, s in zip(one, two, three, four)))
    out = np.array(out)
    return out[:, :2], out[:, 2:4], out[:, 4:]


def didim(start, t, log, rounds=8):
    """Gauss-Newton of Gautier, Janot and Vandanjon 2013: torque of the log against columns at simulated states."""
    kp, kd = np.array(GAINS["kp"]), np.array(GAINS["kd"])
    error = log["q_cmd"] - log["q"]
    tau = kp * error + kd * central(t, error)
    rate = central(t, log["q_cmd"])
    values = start
    for _ in range(rounds):
        q, qd, qdd = closed_loop(values, t, log["q_cmd"], rate)
        stack = planar_columns(q, qd, qdd)[200:]  # the start is not known to the simulation
        weight = 1 / (tau[200:] - stack @ values).std(axis=0)
        values = np.linalg.lstsq((stack * weight[:, None]).reshape(-1, 5), (tau[200:] * weight).reshape(-1), rcond=None)[0]
    return values


@pytest.fixture(scope="module")
def planar(daemon):
    for name, scale, damping in (("planar-true", 1.0, 1.0), ("planar-guess", 0.6, 0.6), ("planar-model", 0.6, 0.0)):
        bars = {k: x * (damping if k[0] == "d" else scale if k[0] in "mi" else 1) for k, x in BARS.items()}
        reply = daemon.request("PUT", f"/v1/robots/{name}", PLANAR.format(**bars).encode(), {"Content-Type": "application/xml"})
        assert reply[0] in (200, 201), reply[2]
    log = run(daemon, "planar-true", 5, "pd", GAINS["kp"], GAINS["kd"])
    log["q"] = log["q"] + np.random.default_rng(6).normal(0, 5e-4, log["q"].shape)
    put_log(daemon, "planar", {"t": log["t"], "q": log["q"], "q_cmd": log["q_cmd"]})
    return log


def planar_torque(daemon, columns, values, seed=8, robot="planar-guess"):
    """Torque by base parameters of the service, at random states, and those states."""
    rnd = np.random.default_rng(seed)
    q, qd, qdd = (rnd.uniform(-size, size, (50, 2)) for size in (2, 1.5, 4))
    body = {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "parameters": ["viscous"]}
    answer = ask(daemon, robot, "regressor?form=base", body)
    assert [c["name"] for c in answer["columns"]] == columns
    return np.array(answer["regressor"]).reshape(50, 2, -1) @ np.array(values), (q, qd, qdd)


@pytest.mark.seconds(120)
def test_output_error_is_that_of_numpy_from_any_start(daemon, planar):
    body = {
        "datasets": ["planar"],
        "controller": GAINS,
        "delay_s": 0,
        "filter": {"cutoff_hz": 20},
        "method": "wls",
        "model": {"friction": ["viscous"], "rotor": False},
        "compare": ["wls", "didim", "feasible-didim", "idim-iv"],
    }
    found = calibrate(daemon, body, robot="planar-guess")
    columns = [p["name"] for p in found["parameters"]]
    off, torque = {}, {}
    for one in found["comparison"]["estimators"]:
        assert "reason" not in one, one
        torque[one["estimator"]], states = planar_torque(daemon, columns, one["values"])
        want = planar_columns(*states) @ planar_truth()
        off[one["estimator"]] = float(np.sqrt(((torque[one["estimator"]] - want) ** 2).mean() / (want**2).mean()))
    # least squares takes the noise of position, in its columns and in the law's torque
    assert off["wls"] > 5 * off["didim"] and off["didim"] < 0.02 and off["feasible-didim"] < 0.02, off
    low, high = (didim(planar_truth() * start, planar["t"], planar) for start in (0.5, [2, 1.5, 2, 2, 2]))
    assert np.allclose(low, high, rtol=1e-4)
    ours = planar_columns(*states) @ low
    scale = np.sqrt((ours**2).mean())
    assert np.sqrt(((torque["didim"] - ours) ** 2).mean()) < 0.02 * scale
    simulated = next(one for one in found["comparison"]["estimators"] if one["estimator"] == "didim")
    assert 2 <= simulated["simulations"] <= 5 and simulated["windows"] > 0 and simulated["windows_lost"] == 0
    assert simulated["feasible"] and simulated["iterations"] == 0


def test_output_error_without_the_controller(daemon, planar):
    """Logs with torque: a simulation that is drawn to them, which needs no gains."""
    log = run(daemon, "planar-true", 9, "pd", GAINS["kp"], GAINS["kd"])
    rnd = np.random.default_rng(10)
    noisy = {"t": log["t"], "q": log["q"] + rnd.normal(0, 5e-4, log["q"].shape), "tau": log["tau"] + rnd.normal(0, 0.02, log["tau"].shape)}
    put_log(daemon, "planar-torque", noisy)
    body = {"datasets": ["planar-torque"], "delay_s": 0, "filter": {"cutoff_hz": 20}, "method": "wls"}
    found = calibrate(daemon, {**body, "model": {"friction": ["viscous"], "rotor": False}, "compare": ["wls", "didim"]}, robot="planar-guess")
    columns = [p["name"] for p in found["parameters"]]
    off = {}
    for one in found["comparison"]["estimators"]:
        torque, states = planar_torque(daemon, columns, one["values"])
        want = planar_columns(*states) @ planar_truth()
        off[one["estimator"]] = float(np.sqrt(((torque - want) ** 2).mean() / (want**2).mean()))
    assert off["wls"] > 3 * off["didim"] and off["didim"] < 0.02, off


def test_a_model_in_the_loop_is_the_robot_of_the_request(daemon, planar):
    """Computed torque: by the simulation's own torque with logged rates, and with rates and accelerations by differences."""
    kp, kd = [400, 900], [40, 60]
    model = {"mass_scale": 0.6, "without": ["friction"]}
    log = run(daemon, "planar-true", 11, "computed-torque", kp, kd, model=model)
    body = {"filter": NO_FILTER, "delay_s": 0, "points": 100000, "method": "ols", "model": {"friction": ["viscous"], "rotor": False}}
    body["controller"] = {"kind": "computed-torque", "kp": kp, "kd": kd}
    for name, without, most in (("logged", ["tau"], 2e-3), ("differences", ["tau", "qd", "qd_cmd"], 2e-3)):
        put_log(daemon, f"model-{name}", but(log, *without))
        found = calibrate(daemon, {**body, "datasets": [f"model-{name}"]}, robot="planar-model")
        t, tau = torque_of(found)
        at = np.searchsorted(log["t"], t - 1e-9)
        # commanded acceleration is a difference in both: 5 ms apart, of motion up to 0.5 Hz
        assert np.abs(tau - log["tau"][at])[5:-5].max() < most * np.abs(log["tau"]).max(), name
        torque, states = planar_torque(daemon, [p["name"] for p in found["parameters"]], values_of(found))
        want = planar_columns(*states) @ planar_truth()
        assert np.sqrt(((torque - want) ** 2).mean() / (want**2).mean()) < 0.01, name
    # feed-forward torque is added after the model
    more = np.stack([2 + np.sin(log["t"]), -np.cos(log["t"])], axis=1)
    put_log(daemon, "model-ff", {**but(log, "tau"), "tau_ff": more})
    t, tau = torque_of(calibrate(daemon, {**body, "datasets": ["model-ff"]}, robot="planar-model"))
    at = np.searchsorted(log["t"], t - 1e-9)
    assert np.abs(tau - log["tau"][at] - more[at])[5:-5].max() < 2e-3 * np.abs(log["tau"]).max()


# ---------------------------------------------------------------------------------------------------------------
# What is no such log


def refused(daemon, body, pointer, *words, robot="planar-guess", want=422):
    said = json.dumps(calibrate(daemon, body, want=want, robot=robot))
    assert f'"{pointer}"' in said, said
    for word in words:
        assert word in said, (word, said)


def test_wrong_controllers(daemon, planar):
    body = {"datasets": ["planar"]}
    refused(daemon, {**body, "controller": {"kp": 1, "kd": 1}}, "/controller/kind", "kind")
    refused(daemon, {**body, "controller": {"kind": "pid", "kp": 1, "kd": 1}}, "/controller/kind", "pd")
    refused(daemon, {**body, "controller": {"kind": "pd", "kd": 1}}, "/controller/kp", "kp")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": 1}}, "/controller/kd", "kd")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": [100, 0], "kd": 1}}, "/controller/kp/1", "joint \\\"b\\\"", "at_rest")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": {"a": 100}, "kd": 1}}, "/controller/kp", "b")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": 0, "kd": 1}}, "/controller/kp", "kp 0")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": [100, -5], "kd": 1}}, "/controller/kp/1", "-5")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": [100, 5], "kd": [1, -1]}}, "/controller/kd/1", "-1")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": [100], "kd": 1}}, "/controller/kp", "2")
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": "stiff", "kd": 1}}, "/controller/kp", want=400)
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": 1, "kd": 1, "kf": 3}}, "/controller/kf", "kf", want=400)
    refused(daemon, {**body, "controller": {"kind": "pd", "kp": 1, "kd": 1, "effort_limits": [5, 0]}}, "/controller/effort_limits/1")
    refused(daemon, {**body, "controller": []}, "/controller", want=400)
    # law at its limit in most rows: gains in other units
    refused(daemon, {**body, "controller": {**GAINS, "effort_limits": [1e-3, 1e-3]}}, "/datasets/0", "limit", "rows")


def test_wrong_commanded_motion(daemon, planar):
    body = {"controller": GAINS}
    plain = but(planar, "tau", "qd_cmd", "qd")
    # no column of it, and no torque either
    put_log(daemon, "nothing", but(plain, "q_cmd"))
    refused(daemon, {**body, "datasets": ["nothing"]}, "/datasets/0", "q_cmd")
    refused(daemon, {"datasets": ["planar"]}, "/datasets/0", "tau")
    # a column too few, an unknown one, and commands without a controller
    refused(daemon, {**body, "datasets": ["planar"], "columns": {"time": "t", "q": "q", "q_cmd": ["q_cmd0"]}}, "/columns/q_cmd")
    refused(daemon, {**body, "datasets": ["planar"], "columns": {"time": "t", "q": "q", "q_cmd": ["q_cmd0", "nine"]}}, "/columns/q_cmd/1", "nine")
    refused(daemon, {"datasets": ["planar"], "columns": {"time": "t", "q": "q", "q_cmd": "q_cmd"}}, "/columns/q_cmd", "controller")
    # degrees, or the columns of other joints: the robot does not follow
    put_log(daemon, "degrees", {**plain, "q_cmd": np.degrees(plain["q_cmd"])})
    refused(daemon, {**body, "datasets": ["degrees"]}, "/datasets/0", "follow", "units")
    put_log(daemon, "crossed", {**plain, "q_cmd": plain["q_cmd"][:, ::-1]})
    refused(daemon, {**body, "datasets": ["crossed"]}, "/datasets/0", "follow")
    good = {"datasets": ["degrees"], "units": {"q": "rad", "q_cmd": "deg"}, "delay_s": 0, "model": {"friction": ["viscous"]}}
    assert calibrate(daemon, {**body, **good}, robot="planar-guess")["controller"]["torque_of"]
    # rows of it that are no numbers, beyond a twentieth
    holes = plain["q_cmd"].copy()
    holes[::10] = np.nan
    put_log(daemon, "holes", {**plain, "q_cmd": holes})
    refused(daemon, {**body, "datasets": ["holes"]}, "/datasets/0", "NaN")


def put_table(daemon, name, table):
    text = "\n".join(",".join(map(repr, row)) for row in table.tolist())
    reply = daemon.request("PUT", f"/v1/datasets/{name}", text.encode())
    assert reply[0] in (200, 201), reply[2]


def test_commanded_motion_in_a_file_of_its_own(daemon, planar):
    for name, table in (("file-q", planar["q"]), ("file-cmd", planar["q_cmd"]), ("file-short", planar["q_cmd"][: len(planar["t"]) // 2])):
        put_table(daemon, name, table)
    body = {"controller": GAINS, "rate_hz": RATE, "delay_s": 0, "model": {"friction": ["viscous"], "rotor": False}}
    split = calibrate(daemon, {**body, "datasets": [{"q": "file-q", "q_cmd": "file-cmd"}]}, robot="planar-guess")
    whole = calibrate(daemon, {**body, "datasets": ["planar"]}, robot="planar-guess")
    assert np.allclose(values_of(split), values_of(whole), rtol=1e-6)
    refused(daemon, {**body, "datasets": [{"q": "file-q", "q_cmd": "file-short"}]}, "/datasets/0", "rows")
    refused(daemon, {**body, "datasets": [{"q": "file-q"}]}, "/datasets/0", "q_cmd")
    for operation in ("payload", "residual"):
        code, _, reply = daemon.request("POST", f"/v1/robots/planar-guess/{operation}", json.dumps({"datasets": [{"q": "file-q", "q_cmd": "file-cmd"}]}).encode(),
                                        {"Content-Type": "application/json"})
        assert code == 422 and b"controller" in reply and b"/datasets/0/q_cmd" in reply, reply


def test_joints_of_several_freedoms_have_no_such_law(daemon):
    document = {"name": "floats", "links": [{"name": "world"}, {"name": "body", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                                                                "inertia_about": "com"}],
                "gravity": [0, 0, -9.81],
                "joints": [{"name": "free", "kind": "floating", "parent": "world", "child": "body"}]}
    reply = daemon.request("PUT", "/v1/robots/floats", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    refused(daemon, {"datasets": ["planar"], "controller": {"kind": "pd", "kp": 1, "kd": 1}}, "/controller", "freedom", robot="floats")


def test_wrapped_angles_and_a_row_order_of_ones_own(daemon, planar):
    """Encoders that wrap at half a turn: the error of position is the short way round."""
    shift = 3.0  # the first joint passes pi
    wrapped = planar["q"].copy()
    wrapped[:, 0] = (wrapped[:, 0] + shift + math.pi) % (2 * math.pi) - math.pi
    command = planar["q_cmd"].copy()
    command[:, 0] += shift
    put_log(daemon, "wrapped", {"t": planar["t"], "q": wrapped, "q_cmd": command})
    body = {"controller": GAINS, "delay_s": 0, "filter": {"cutoff_hz": 10}, "model": {"friction": ["viscous"], "rotor": False}}
    found = calibrate(daemon, {**body, "datasets": ["wrapped"]}, robot="planar-guess")
    whole = calibrate(daemon, {**body, "datasets": ["planar"]}, robot="planar-guess")
    assert np.allclose(values_of(found), values_of(whole), rtol=0.02, atol=0.01)  # the first joint's angle does not matter to a horizontal arm
    # gains and columns in the order of the request's joints
    put_log(daemon, "turned", {"t": planar["t"], "q": planar["q"][:, ::-1], "q_cmd": planar["q_cmd"][:, ::-1]})
    turned = {**GAINS, "kp": GAINS["kp"][::-1], "kd": GAINS["kd"][::-1]}
    other = calibrate(daemon, {**body, "joints": ["b", "a"], "controller": turned, "datasets": ["turned"]}, robot="planar-guess")
    assert np.allclose(values_of(other), values_of(whole), rtol=1e-6) and other["controller"]["kp"] == turned["kp"]
