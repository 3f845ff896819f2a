# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_compare.py - other estimators beside a calibration: against numpy on the same
# columns, the bias of noise with and without simulated instruments, the price of feasibility.
import json

import numpy as np
import pytest
from test_calibrate import EXACT, ask, calibrate, last_job, truth, write_run  # noqa: F401, truth is a fixture

PARAMETERS = ["rotor", "viscous", "coulomb", "offset"]


def read_log(daemon, name, n):
    rows = daemon.request("GET", f"/v1/datasets/{name}", headers={"Accept": "text/csv"})[2].decode().split()
    table = np.array([[float(x) for x in row.split(",")] for row in rows[1:]])
    return [table[:, 1 + k * n : 1 + (k + 1) * n] for k in range(4)]  # q, qd, qdd, tau


def columns(daemon, robot, log):
    """The base regressor of every sample, (samples, joints, columns), and the torque."""
    q, qd, qdd, tau = log
    answer = ask(daemon, robot, "regressor?form=base", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "parameters": PARAMETERS})
    return np.array(answer["regressor"]).reshape(len(q), tau.shape[1], -1), tau


def weighted(stack, tau, rounds):
    """Least squares, joints weighted by their residuals `rounds` times."""
    weight = np.ones(tau.shape[1])
    for _ in range(rounds + 1):
        a = (stack * weight[:, None]).reshape(-1, stack.shape[2])
        b = (tau * weight).reshape(-1)
        value = np.linalg.lstsq(a, b, rcond=None)[0]
        left = tau - stack @ value
        weight = 1 / np.sqrt((left**2).mean(axis=0))
    return value


def test_estimators_and_their_errors_are_those_of_numpy(daemon, truth):
    for run in (7, 8, 9):
        write_run(daemon, f"noise{run}", truth, run, noise=0.05, noise_q=1e-4)
    names = [f"noise{run}" for run in (7, 8, 9)]
    body = {"datasets": names, "filter": EXACT, "compare": ["wls", "ols", "feasible", "entropic", "ridge"], "delay_s": 0}
    found = calibrate(daemon, body, robot="guess")
    table = {one["estimator"]: one for one in found["comparison"]["estimators"]}
    assert list(table) == ["feasible", "ols", "wls", "ridge", "entropic"]
    assert found["comparison"]["applied"] == "feasible" and found["comparison"]["judged_by"] == "leave-one-out"
    logs = [columns(daemon, "guess", read_log(daemon, name, truth)) for name in names]
    for name, rounds in (("ols", 0), ("wls", 4)):
        value = weighted(np.concatenate([y for y, _ in logs]), np.concatenate([t for _, t in logs]), rounds)
        assert np.allclose(table[name]["values"], value, rtol=1e-6, atol=1e-8)
        squares = []
        for k, (stack, tau) in enumerate(logs):  # each log by the others
            rest = [one for i, one in enumerate(logs) if i != k]
            value = weighted(np.concatenate([y for y, _ in rest]), np.concatenate([t for _, t in rest]), rounds)
            squares.append((tau - stack @ value) ** 2)
        assert np.allclose(table[name]["rmse"], np.sqrt(np.concatenate(squares).mean(axis=0)), rtol=1e-6)
    # the row of the result's own method is the result
    own = table["feasible"]
    assert own["values"] == found["parameter_values"] and own["feasible"] is True
    assert np.allclose(own["rmse"], found["validation"]["rmse"], rtol=1e-9)
    assert all(x in (0, None) for x in own["deviations"]) and all(x == 1 for x in own["rmse_ratio"])
    assert own["iterations"] == found["feasibility"]["iterations"] > 0 and table["ols"]["iterations"] == 0
    assert own["condition"] == pytest.approx(found["condition"]["column_scaled"], rel=1e-6)
    # differences in deviations of the result; the farthest is the largest of them
    far = table["ols"]["farthest"]
    off = [(v - p["value"]) / p["standard_deviation"] for v, p in zip(table["ols"]["values"], found["parameters"])]
    assert np.allclose(table["ols"]["deviations"], off, rtol=1e-9)
    assert abs(far["deviations"]) == pytest.approx(max(map(abs, off)))
    assert far["name"] == found["parameters"][int(np.argmax(np.abs(off)))]["name"]
    # a prior that weighs a thousand times as much costs more of the objective
    assert table["entropic"]["price_percent"] >= own["price_percent"] and table["entropic"]["feasible"]
    page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()
    assert "Other estimators" in page and "entropic" in page
    # nothing of the result depends on the comparison
    plain = calibrate(daemon, {k: v for k, v in body.items() if k != "compare"}, robot="guess")
    assert "comparison" not in plain
    for key in ("parameters", "validation", "verdict", "robot", "feasibility"):
        assert plain[key] == found[key], key


def test_simulated_instruments_take_the_bias_of_noise_off(daemon, truth):
    """Positions with 1 mrad of noise at a cut-off far above the motion: least squares loses inertia, and every
    kind of instruments finds it."""
    names = []
    for run in (11, 12):
        names.append(f"coarse{run}")
        write_run(daemon, names[-1], truth, run, noise=0.02, noise_q=2e-4, quantities=("q", "tau"), seconds=40)
    body = {
        "datasets": names,
        "filter": {"cutoff_hz": 15},
        "delay_s": 0,
        "method": "wls",
        "compare": ["wls", "iv", "feasible-iv", "idim-iv", "feasible-idim-iv"],
    }
    found = calibrate(daemon, body, robot="guess")
    want = np.array(ask(daemon, "truth", "regressor?form=base", {"parameters": PARAMETERS})["parameter_values"])
    rotors = [k for k, p in enumerate(found["parameters"]) if p["kind"] == "rotor"]
    off = {}
    for one in found["comparison"]["estimators"]:
        assert "reason" not in one, one
        value = np.array(one["values"])
        off[one["estimator"]] = float(np.mean(value[rotors] / want[rotors] - 1))
    assert off["wls"] < -0.1, off
    for name in ("iv", "idim-iv"):
        assert abs(off[name]) < 0.3 * abs(off["wls"]), off
    simulated = next(one for one in found["comparison"]["estimators"] if one["estimator"] == "idim-iv")
    assert 2 <= simulated["simulations"] <= 5 and simulated["windows"] > 0 and simulated["windows_lost"] == 0


def test_wrong_comparisons(daemon, truth):
    body = {"datasets": ["run1"], "filter": EXACT}
    for compare, word in ((["irls"], "irls"), (["ols", "ols"], "ols")):
        wrong = calibrate(daemon, {**body, "compare": compare}, want=422, robot="guess")
        assert "/compare" in json.dumps(wrong) and word in json.dumps(wrong), wrong


def test_judged_on_the_fit_where_nothing_else_is_there(daemon, truth):
    found = calibrate(daemon, {"datasets": ["run1"], "filter": EXACT, "compare": ["bounded"]}, robot="guess")
    assert found["comparison"]["judged_by"] == "fitted"
    other = calibrate(daemon, {"datasets": ["run1"], "validate": ["run2"], "filter": EXACT, "compare": ["bounded"], "method": "bounded"}, robot="guess")
    assert other["comparison"]["judged_by"] == "datasets"
    assert np.allclose(other["comparison"]["estimators"][0]["rmse"], other["validation"]["rmse"], rtol=1e-6, atol=1e-12)


def test_the_price_of_feasibility_and_its_cause(daemon, truth):
    """A drive that pushes along with the motion: damping below zero fits, and is impossible."""
    names = ["pushed1", "pushed2"]
    damping = next(j["damping"] for j in json.loads(daemon.request("GET", "/v1/robots/truth")[2])["joints"] if j.get("damping"))
    for run, name in enumerate(names, 1):
        write_run(daemon, name, truth, run, noise=0.05)
        text = daemon.request("GET", f"/v1/datasets/{name}/content")[2].decode().split("\n")
        head, rows = text[0].split(","), [line.split(",") for line in text[1:] if line]
        tau, qd = head.index("tau0"), head.index("qd0")
        for row in rows:
            row[tau] = repr(float(row[tau]) - 1.2 * damping * float(row[qd]))
        lines = "\n".join([",".join(head), *(",".join(row) for row in rows)])
        assert daemon.request("PUT", f"/v1/datasets/{name}", lines.encode())[0] == 200
    found = calibrate(daemon, {"datasets": names, "filter": EXACT, "method": "feasible", "delay_s": 0}, robot="guess")
    paid = found["feasibility"]
    logs = [columns(daemon, "guess", read_log(daemon, name, truth)) for name in names]
    raw, torque = np.concatenate([y for y, _ in logs]), np.concatenate([t for _, t in logs])
    weight = 1 / np.sqrt(((torque - raw @ weighted(raw, torque, 20)) ** 2).mean(axis=0))  # of weighted least squares
    stack, tau = (raw * weight[:, None]).reshape(-1, raw.shape[2]), (torque * weight).reshape(-1)

    def least(kept):
        value, *_ = np.linalg.lstsq(stack[:, kept], tau, rcond=None)
        return float(((tau - stack[:, kept] @ value) ** 2).sum())

    every = list(range(stack.shape[1]))
    at = next(k for k, p in enumerate(found["parameters"]) if p["kind"] == "viscous")
    free, without = least(every), least([k for k in every if k != at])
    assert paid["objective_unconstrained"] == pytest.approx(free, rel=1e-6)
    assert paid["price_percent"] == pytest.approx(100 * (paid["objective"] / free - 1), rel=1e-3)
    # damping at its bound of zero costs as much; other constraints can only add to it
    assert without * (1 - 1e-6) <= paid["objective"] <= 1.02 * without and paid["price_percent"] > 2
    assert paid["costliest"]["name"] == found["parameters"][at]["name"]
    assert paid["costliest"]["unconstrained"] < 0 <= paid["costliest"]["value"] < 0.05 * damping
