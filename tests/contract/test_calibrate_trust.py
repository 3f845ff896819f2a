# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_trust.py - what a calibration reports against its own result: gravity errors
# at rest, bias by position noise.
import json
import math
import random

import pytest
from conftest import numbers
from test_calibrate import EXACT, ask, calibrate, last_job, motion, moving, truth, write_run  # noqa: F401, truth is a fixture


def write_poses(daemon, name, n, robot, grip=0.7, turns=14, brakes=None):
    """The robot rests half a second in each of some poses, approached alternately from both sides; at rest
    friction holds up to `grip` times its Coulomb torque, and the motions between are slow. At the end the
    robot moves away, since rest at the ends of a log is cut. brakes: standard deviation of the torque at rest
    while the brakes hold the robot and the motors are off."""
    rnd = random.Random(11)
    q, qd, qdd, held = [], [], [], []
    pose = [0.0] * n
    for k in range(turns + 1):
        side = 1 if k % 2 == 0 else -1
        pose = [rnd.uniform(-1, 1) for _ in range(n)] if side == 1 else pose
        start = q[-1] if q else [x - 0.3 for x in pose]
        through = [x - 0.3 * side for x in pose]
        part = rnd.uniform(0.8 * grip, grip) * side
        for a, b, rests in ((start, through, False), (through, pose, True)):
            for i in range(100):
                p = math.pi / 100
                c, s = math.cos(p * i), math.sin(p * i)
                q.append([x + (y - x) * (1 - c) / 2 for x, y in zip(a, b)])
                qd.append([(y - x) * s * p * 100 / 2 for x, y in zip(a, b)])
                qdd.append([(y - x) * c * (p * 100) ** 2 / 2 for x, y in zip(a, b)])
                held.append(None)
        for _ in range(60 if k < turns else 0):
            q.append(list(pose)), qd.append([0.0] * n), qdd.append([0.0] * n), held.append(part)
    tau = ask(daemon, robot, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    coulomb = [joint["friction"]["coulomb"] for joint in moving(json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2]))]
    tau = [[x + (part or 0) * c + rnd.gauss(0, 0.02) for x, c in zip(row, coulomb)] for row, part in zip(tau, held)]
    if brakes is not None:
        tau = [[rnd.gauss(0, brakes) for _ in row] if part is not None else row for row, part in zip(tau, held)]
    lines = [",".join(["t"] + [f"{w}{j}" for w in ("q", "qd", "tau") for j in range(n)])]
    lines += [",".join(repr(x) for x in [0.01 * k, *a, *b, *c]) for k, (a, b, c) in enumerate(zip(q, qd, tau))]
    assert daemon.request("PUT", f"/v1/datasets/{name}", "\n".join(lines).encode())[0] in (200, 201)


def test_poses_hold_their_gravity(daemon, truth):
    """With the right model every residual at rest is within the friction band; an unstated tool is found with
    its mass."""
    document = json.loads(daemon.request("GET", "/v1/robots/truth")[2])
    for field in ("digest", "source", "name"):
        document.pop(field, None)
    document["links"][-1]["mass"] += 1.5
    reply = daemon.request("PUT", "/v1/robots/gripping", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2][:1000]
    write_poses(daemon, "poses", truth, "truth")
    write_poses(daemon, "poses-gripping", truth, "gripping")
    body = {"datasets": ["run1", "run2"], "filter": EXACT}
    right = calibrate(daemon, {**body, "validate": ["poses"]}, robot="guess")["gravity_check"]
    assert right["used_in_fit"] is False and right["poses"] == 14
    assert [j["joint"] for j in right["by_joint"]] == [j["name"] for j in moving(document)]
    for joint in right["by_joint"]:
        assert joint["poses_outside"] == 0 and joint["relative_error"] < 0.01, joint
        assert joint["pairs"] >= 5 and joint["pair_rmse"] < 0.3 * joint["friction_band"], joint
        assert joint["rmse"] <= joint["worst"] < joint["friction_band"] and joint["excess"] == 0, joint
    assert abs(right["payload"]["mass"]) < 3 * right["payload"]["standard_deviation_kg"]
    found = calibrate(daemon, {**body, "validate": ["poses-gripping"]}, robot="guess")
    payload = found["gravity_check"]["payload"]
    assert payload["mass"] == pytest.approx(1.5, abs=3 * payload["standard_deviation_kg"])
    assert payload["standard_deviation_kg"] < 0.3 and payload["link"] == document["links"][-1]["name"]
    assert any("behaves as if it carried 1." in r and "kg more" in r for r in found["reasons"]), found["reasons"]
    assert any("at standstill its torque differs" in r for r in found["reasons"]), found["reasons"]
    page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()
    assert "Standing still" in page and "14 poses, by a fit that has not seen them" in page
    assert "What is left" in page and "autocorrelation after" in page
    for joint in found["validation"]["by_joint"]:
        assert joint["all"]["white_autocorrelation"] == pytest.approx(2 / math.sqrt(joint["all"]["samples"]))
        assert all(0 <= share <= 1 for share in joint["explained_by"].values()) and len(joint["explained_by"]) == 3
    # the runs alone contain no rest
    none = calibrate(daemon, body, robot="guess")
    assert none["gravity_check"] is None and "never at standstill" in none["gravity_check_reason"]
    assert b"Standing still" not in daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2]


def test_rest_on_brakes_is_left_out(daemon, truth):
    """With the motors off, torque at rest does not show gravity: such rests are left out and reported."""
    body = {"datasets": ["run1", "run2"], "filter": EXACT, "method": "wls"}
    # motors that hold the arm are not mistaken for brakes in any pose
    write_poses(daemon, "held", truth, "truth", grip=0)
    held = calibrate(daemon, {**body, "validate": ["held"]}, robot="guess")
    assert not any(r["kind"] == "braked" for d in held["datasets"] for r in d["repairs"])
    assert held["gravity_check"]["poses"] == 14
    for name, noise in (("braked", 0.0), ("braked-noisy", 0.01)):
        write_poses(daemon, name, truth, "truth", brakes=noise)
        found = calibrate(daemon, {**body, "validate": [name]}, robot="guess")
        repair = next(r for r in found["datasets"][2]["repairs"] if r["kind"] == "braked")
        assert repair["count"] == 14 and repair["rows"] == 14 * 60, repair
        assert repair["first_rows"] == [200 + 260 * k for k in range(8)]
        assert found["gravity_check"] is None and "brakes" in found["gravity_check_reason"]
        # the motion is predicted as well as in the log without brakes
        for got, want in zip(found["validation"]["by_joint"], held["validation"]["by_joint"]):
            assert got["moving"]["rmse"] < 1.1 * want["moving"]["rmse"] + 0.01, got["joint"]
        page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/report")[2].decode()
        assert "14 braked (rows 200, 460," in page
        # the same in a log that is fitted
        alone = calibrate(daemon, {"datasets": ["run1", name], "method": "wls", "filter": EXACT, "validate": "none"}, robot="guess")
        assert any(r["kind"] == "braked" and r["rows"] == 14 * 60 for r in alone["datasets"][1]["repairs"])
        assert max(alone["fit"]["rmse"]) < 1.1 * max(held["validation"]["rmse"])
        # a log that is all rest on brakes
        fault = calibrate(daemon, {**body, "validate": [{"dataset": name, "rows": [205, 255]}]}, 422, robot="guess")["errors"][0]
        assert fault["pointer"] == "/validate/0" and "brakes hold" in fault["detail"] and "leave the log out" in fault["hint"], fault


def test_a_rotor_inertia_less_that_of_a_mimicking_body_may_be_negative(daemon):
    """The data determine Ia_2 - 0.25 Iyy_3: the rotor inertia is 0, and the mimicking body turns by -1/2 of the
    joint."""
    arm = {"name": "mimics", "gravity": [0, 0, -9.81],
           "links": [{"name": "base"}] + [{"name": f"l{k}", "mass": 3, "com": [0.2, 0.02, 0.01], "inertia_about": "com",
                                           "inertia": [[0.02, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]} for k in range(3)],
           "joints": [{"name": name, "kind": "revolute", "parent": parent, "child": child, "axis": [0, 1, 0], "origin": {"position": [0.4, 0, 0]}}
                      for name, parent, child in (("a", "base", "l0"), ("b", "l0", "l1"), ("m", "l1", "l2"))]}
    arm["joints"][2]["mimic"] = {"joint": "b", "multiplier": -0.5, "offset": 0.1}
    assert daemon.request("PUT", "/v1/robots/mimics", json.dumps(arm).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
    q, qd, qdd = zip(*(motion(0.01 * k, 2, 5) for k in range(1500)))
    tau = ask(daemon, "mimics", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    lines = ["t,q0,q1,qd0,qd1,qdd0,qdd1,tau0,tau1"]
    lines += [",".join(map(repr, (0.01 * k, *a, *b, *c, *d))) for k, (a, b, c, d) in enumerate(zip(q, qd, qdd, tau))]
    assert daemon.request("PUT", "/v1/datasets/mimics", "\n".join(lines).encode())[0] in (200, 201)
    for method in ("ols", "bounded", "feasible"):
        found = calibrate(daemon, {"datasets": ["mimics"], "filter": EXACT, "method": method, "validate": "none",
                                   "model": {"smoothing": 0.01, "friction": ["offset"]}}, robot="mimics")
        assert max(found["fit"]["rmse"]) < 1e-6, (method, found["fit"]["rmse"])
        of_rotor = next(p for p in found["parameters"] if p["name"] == "Ia_2")
        assert of_rotor["value"] == pytest.approx(-0.0425750, abs=1e-6), (method, of_rotor)
        assert not any("cannot be negative" in r for r in found["reasons"]), (method, found["reasons"])


def test_rest_balanced_by_springs_is_not_on_brakes(daemon):
    """A spring of the robot balances the arm where it rests: the motor torque is zero there without brakes."""
    pull, rate, q, qd, qdd = 2 * 9.81 * 0.3, 200, [], [], []
    arm = {"name": "balanced", "gravity": [0, 0, -9.81],
           "links": [{"name": "base"}, {"name": "arm", "mass": 2, "com": [0.3, 0, 0], "inertia_about": "com",
                                        "inertia": [[0.01, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}],
           "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "arm", "axis": [0, 1, 0],
                       "spring": {"stiffness": 20, "rest": -pull / 20}}]}
    for k in range(10):
        size, w = (0.8 + 0.2 * math.sin(k)) * (-1) ** k, 2 * math.pi
        for i in range(rate):
            q.append([size * (1 - math.cos(w * i / rate)) / 2])
            qd.append([size * w * math.sin(w * i / rate) / 2])
            qdd.append([size * w * w * math.cos(w * i / rate) / 2])
        q += [[0.0]] * 120
        qd += [[0.0]] * 120
        qdd += [[0.0]] * 120
    for rest, braked in ((-pull / 20, False), (0, True)):
        arm["joints"][0]["spring"]["rest"] = -pull / 20
        assert daemon.request("PUT", "/v1/robots/balanced", json.dumps(arm).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
        tau = ask(daemon, "balanced", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
        assert abs(tau[-1][0]) < 1e-9
        lines = ["t,q0,qd0,tau0"] + [",".join(map(repr, (k / rate, a, b, c + 2 * math.tanh(b / 0.03) + b)))
                                     for k, ((a,), (b,), (c,)) in enumerate(zip(q, qd, tau))]
        assert daemon.request("PUT", "/v1/datasets/balanced", "\n".join(lines).encode())[0] in (200, 201)
        # the same log with a model that has no spring
        arm["joints"][0]["spring"] = {"stiffness": 0 if braked else 20, "rest": rest}
        assert daemon.request("PUT", "/v1/robots/balanced", json.dumps(arm).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
        found = calibrate(daemon, {"datasets": ["balanced"], "method": "wls", "validate": "none", "model": {"springs": True}}, robot="balanced")
        kinds = [r["kind"] for r in found["datasets"][0]["repairs"]]
        assert ("braked" in kinds) == braked, found["datasets"][0]["repairs"]


def test_the_reason_for_no_payload_is_reported(daemon, truth):
    write_poses(daemon, "few", truth, "truth", turns=1)
    body = {"datasets": ["run1", "run2"], "filter": EXACT, "method": "wls", "validate": ["few"]}
    few = calibrate(daemon, body, robot="guess")["gravity_check"]
    assert few["poses"] == 1 and few["payload"] is None and "too few different poses" in few["payload_reason"]
    alone = calibrate(daemon, {**body, "model": {"kind": "per-joint"}}, robot="guess")["gravity_check"]
    assert alone["payload"] is None and "no bodies" in alone["payload_reason"]


@numbers
def test_instruments_are_used_where_noise_requires_them(daemon, truth):
    for run in (1, 2):
        write_run(daemon, f"fine{run}", truth, run, noise=0.05, noise_q=3e-6, quantities=("q", "tau"))
        text = write_run(daemon, f"coarse{run}", truth, run, noise=0.05, noise_q=3e-4, quantities=("q", "tau"))
    body = {"filter": {"cutoff_hz": 15}}
    fine = calibrate(daemon, {**body, "datasets": ["fine1", "fine2"]}, robot="guess")
    assert fine["method"] == "feasible" and fine["noise"]["chose_instruments"] is False
    assert fine["noise"]["least_squares_bias"]["deviations"] < 1
    coarse = {**body, "datasets": ["coarse1", "coarse2"]}
    found = calibrate(daemon, coarse, robot="guess")
    assert found["method"] == "feasible-iv" and found["noise"]["chose_instruments"] is True
    assert found["instruments"]["lag_samples"] > 0 and found["noise"]["least_squares_bias"]["deviations"] > 1
    # noise variance is 100 times as large; tolerance for the noise floor of short spectra
    for a, b in zip(found["noise"]["acceleration"], fine["noise"]["acceleration"]):
        assert a == pytest.approx(100 * b, rel=0.5)
    assert found == {**calibrate(daemon, {**coarse, "method": "feasible-iv"}, robot="guess"), "noise": found["noise"],
                     "provenance": found["provenance"]}
    # an explicit request for least squares is obeyed, and the bias is reported
    asked = calibrate(daemon, {**coarse, "method": "feasible"}, robot="guess")
    assert asked["method"] == "feasible" and asked["noise"] == {**found["noise"], "chose_instruments": False}
    assert any(f"noise of position draws {p['name']} by about" in r and '"feasible-iv"' in r for p in asked["parameters"] for r in asked["reasons"])
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    true = dict(zip((c["name"] for c in want["columns"]), want["parameter_values"]))
    bias = found["noise"]["least_squares_bias"]
    off = next(p["value"] - true[p["name"]] for p in asked["parameters"] if p["name"] == bias["name"])
    assert off == pytest.approx(bias["expected"], rel=0.4)
    inside = {k: sum(p["interval"][0] <= true[p["name"]] <= p["interval"][1] for p in f["parameters"])
              for k, f in (("found", found), ("asked", asked))}
    assert inside["found"] >= 0.9 * len(true) and inside["found"] > inside["asked"], inside


def test_noise_is_distinguished_from_model_error(daemon, truth):
    """A wrist with torque that is small against its noise has a large relative residual although the model is right."""
    for run in (7, 8):
        write_run(daemon, f"hiss{run}", truth, run, noise=0.5, quantities=("q", "tau"))
    body = {"method": "wls", "validate": "none", "filter": {"cutoff_hz": 10}}
    reasons = [r for r in calibrate(daemon, {**body, "datasets": ["hiss7", "hiss8"]}, robot="guess")["reasons"] if "misses" in r]
    assert reasons and all("% of the torque, by white noise" in r for r in reasons), reasons
    # without Coulomb friction the residual is constant between reversals, hence not white
    lacks = calibrate(daemon, {**body, "datasets": ["run1", "run2"], "model": {"friction": ["viscous"]}}, robot="guess")
    reasons = [r for r in lacks["reasons"] if "misses" in r]
    assert reasons and all(r.endswith("% of the torque") for r in reasons), lacks["reasons"]


def test_total_least_squares_says_what_it_assumes(daemon, truth):
    # Total least squares attributes a part of the residual to the regressor. If the residual is small that
    # part is small whatever noise is assumed; with 0.5 N m it is not.
    for run in (3, 4):
        write_run(daemon, f"total{run}", truth, run, noise=0.5, noise_q=3e-6, quantities=("q", "tau"))
    body = {"datasets": ["total3", "total4"], "method": "tls"}
    found = calibrate(daemon, body, robot="guess")
    assert not any("total least squares" in r for r in found["reasons"]), found["reasons"]
    # the request states noise of a tenth of every regressor column; the logs contradict it
    wrong = calibrate(daemon, {**body, "column_noise": 0.1}, robot="guess")
    assert any("total least squares takes columns to be noisy by 0.1" in r for r in wrong["reasons"]), wrong["reasons"]
    assert wrong["verdict"] != "usable"
    for more, why in (({"column_noise": 1}, "range"), ({"column_noise": 0.1, "method": "wls"}, "invalid-value")):
        fault = calibrate(daemon, {**body, **more}, 422, robot="guess")
        assert fault["errors"][0]["pointer"] == "/column_noise", fault
        assert fault["type"] == f"/problems/{why}", fault


def test_covariance_and_draws(daemon, truth):
    for run in (5, 6):
        write_run(daemon, f"drawn{run}", truth, run, noise=0.05, noise_q=3e-6, quantities=("q", "tau"))
    body = {"datasets": ["drawn5", "drawn6"]}
    found = calibrate(daemon, {**body, "covariance": True, "bootstrap": 400}, robot="guess")
    parameters, covariance = found["parameters"], found["covariance"]
    assert [len(row) for row in covariance] == [len(parameters)] * len(parameters)
    for k, p in enumerate(parameters):
        assert math.sqrt(covariance[k][k]) == pytest.approx(p["standard_deviation"], rel=1e-9), p
        assert covariance[k] == pytest.approx([row[k] for row in covariance])
        assert p["bootstrap_interval"][0] < p["bootstrap_interval"][1]
    # two estimates of the deviation, from some seventy groups and from 400 draws: the median ratio is within
    # a fifth of 1
    ratio = sorted(p["bootstrap_deviation"] / p["standard_deviation"] for p in parameters)
    assert 0.8 < ratio[len(ratio) // 2] < 1.2 and ratio[0] > 0.5 and ratio[-1] < 2, ratio
    assert b"<th>by draws</th>" in daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2]
    # the same values again, and no covariance without the request for it
    again = calibrate(daemon, {**body, "bootstrap": 400}, robot="guess")
    assert again["parameters"] == parameters and "covariance" not in again
    assert "bootstrap_deviation" not in calibrate(daemon, body, robot="guess")["parameters"][0]
    fault = calibrate(daemon, {**body, "bootstrap": 2001}, 422, robot="guess")
    assert fault["errors"][0]["pointer"] == "/bootstrap"


@pytest.mark.parametrize("inertias", [(1, 10, 20), (1, 20), (10, 10, 10)])
def test_few_logs_that_disagree(daemon, inertias):
    """A wheel whose inertia is another one in each log, without noise: the deviation is the standard error of what each log alone gives,
    with as many degrees of freedom as logs but one, and above 80 % the model is incomplete; logs that agree leave nothing."""
    n, w = len(inertias), math.pi
    wheel = ('<robot name="wheel"><link name="b"/><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="10" ixy="0" ixz="0" '
             'iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0 0 1"/></joint></robot>')
    assert daemon.request("PUT", "/v1/robots/wheel", wheel.encode(), {"Content-Type": "application/xml"})[0] in (200, 201)
    for k, inertia in enumerate(inertias):
        lines = ["t,q_1,qd_1,qdd_1,tau_1"]
        for i in range(2000):
            t = 0.005 * i
            qdd = -w * w * math.sin(w * t) - 1.2 * w * w * math.cos(2 * w * t)
            lines.append(f"{t:.3f},{math.sin(w * t) + .3 * math.cos(2 * w * t)!r},{w * math.cos(w * t) - .6 * w * math.sin(2 * w * t)!r},{qdd!r},{inertia * qdd!r}")
        assert daemon.request("PUT", f"/v1/datasets/wheel{k}", "\n".join(lines).encode())[0] in (200, 201)
    answer = calibrate(daemon, {"datasets": [f"wheel{k}" for k in range(n)], "filter": {"kind": "none"}, "model": {"kind": "full"}}, robot="wheel")
    found = next(p for p in answer["parameters"] if p["kind"] == "rotor")
    mean = sum(inertias) / n
    error = math.sqrt(sum((x - mean) ** 2 for x in inertias) / (n - 1) / n)
    assert abs(found["value"] - mean) < 1e-3 * mean
    if error == 0:
        assert found["verdict"] == "usable" and found["standard_deviation"] < 1e-3
        return
    assert abs(found["standard_deviation"] - error) < 5e-3 * error
    assert found["degrees_of_freedom"] == n - 1 and found["verdict"] == "incomplete"
    assert abs(found["consistency_measure"] - error * math.sqrt(n) / mean) < 2e-3
