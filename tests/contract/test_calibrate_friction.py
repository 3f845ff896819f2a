# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_friction.py - friction with memory of the joint's path (presliding,
# relaxation): found if present, not if absent.
import json
import math
import random

import pytest
from conftest import SLOW
from test_calibrate import ask, calibrate, last_job, motion, moving, truth, write_run  # noqa: F401

RATE, N, YIELD, FADES, COULOMB, VISCOUS = 200, 2, 2e-4, 2.0, (6.0, 4.0), (3.0, 2.0)

def stop_and_go(seed, seconds):
    """Rows (q, qd, qdd): every two seconds a smooth step of 1.2 s, each with another direction and length."""
    rnd = random.Random(seed)
    rows = []
    at, way = [0.0] * N, [0.0] * N
    for k in range(seconds * RATE):
        t = k % (2 * RATE) / RATE
        if t == 0:
            at = [a + 0.6 * w for a, w in zip(at, way)]
            way = [rnd.choice((-1, 1)) * rnd.uniform(0.5, 2) for _ in range(N)]
        s = min(t, 1.2)
        w = 2 * math.pi / 1.2
        rows.append(([a + v * (s / 2 - math.sin(w * s) / (2 * w)) for a, v in zip(at, way)], [v * (1 - math.cos(w * s)) / 2 for v in way],
                     [v * w / 2 * math.sin(w * s) if t < 1.2 else 0.0 for v in way]))
    return rows


def dahl(rows, j, fades, steps=200):
    """Dahl's friction with Maxwell relaxation, by small steps of the differential equation."""
    s, found, before = 0.0, [], rows[0][0][j]
    for q, _, _ in rows:
        way = (q[j] - before) / steps
        for _ in range(steps):
            s += (math.copysign(1, way) - s) * (1 - math.exp(-abs(way) / YIELD)) - s / (RATE * steps * fades)
        before = q[j]
        found.append(s)
    return found


def write(daemon, name, seed, fades, noise_qd=0.0, width=0.01):
    """fades: relaxation time in s; 0: friction is coulomb tanh(v / width), without memory."""
    rows = stop_and_go(seed, 24)
    tau = ask(daemon, "pair-bare", "inverse-dynamics", {"q": [r[0] for r in rows], "qd": [r[1] for r in rows], "qdd": [r[2] for r in rows]})["tau"]
    rnd = random.Random(seed + 50)
    signs = [dahl(rows, j, fades) if fades else [math.tanh(r[1][j] / width) for r in rows] for j in range(N)]
    lines = ["t,q0,q1,qd0,qd1,tau0,tau1"]
    for k, (q, qd, _) in enumerate(rows):
        torque = [tau[k][j] + VISCOUS[j] * qd[j] + COULOMB[j] * signs[j][k] + rnd.gauss(0, 0.02) for j in range(N)]
        lines.append(",".join(repr(x) for x in (k / RATE, *q, *(v + rnd.gauss(0, noise_qd) for v in qd), *torque)))
    assert daemon.request("PUT", f"/v1/datasets/{name}", "\n".join(lines).encode())[0] in (200, 201)


def of_kind(found, kind):
    return [p["value"] for p in found["parameters"] if p["kind"] == kind]


@pytest.fixture(scope="module")
def bare(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    for field in ("digest", "source", "name"):
        document.pop(field, None)
    for joint in moving(document):
        joint.pop("friction", None), joint.pop("damping", None), joint.pop("drive", None)
        joint["rotor"] = {"inertia": 0.5, "ratio": 1}
    reply = daemon.request("PUT", "/v1/robots/pair-bare", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    for seed in (1, 2):
        write(daemon, f"fades{seed}", seed, FADES)
        write(daemon, f"keeps{seed}", seed, math.inf)
        write(daemon, f"plain{seed}", seed, 0)
        write(daemon, f"wide{seed}", seed, 0, width=0.035)
        write(daemon, f"sharp-pair{seed}", seed, 0, width=0.003)
        write(daemon, f"loud{seed}", seed, FADES, noise_qd=0.05)


def law(found):
    return found["friction_sign"]["presliding"], found["friction_sign"]["relaxation_s"]


def test_presliding_with_relaxation_is_found(daemon, bare):
    found = calibrate(daemon, {"datasets": ["fades1", "fades2"]}, robot="pair-bare")
    # Stribeck's friction, which is not there, was tried and left out again
    assert of_kind(found, "stribeck") == []
    header = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/parameters.h")[2].decode()
    assert "/* s replaces sign(v): ds/dt = (v - s |v|) / 0.0002 - s / 2 */" in header and "exp(" not in header
    assert "not simulated" in found["forward_simulation"]["friction_note"] and "smoothed sign" in found["robot_note"]
    assert b"are not simulated" in daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2]
    assert found["friction_sign"] == {"smoothing": 0.01, "presliding": YIELD, "relaxation_s": FADES, "from_data": True}
    page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()
    assert "gears yield over 0.2 mrad or mm at a reversal before they slip, and relax at rest within 2 s: selected by the data" in page
    assert {d["friction_way"] for d in found["datasets"]} == {"velocity"}
    for got, true in zip(of_kind(found, "coulomb"), COULOMB):
        assert got == pytest.approx(true, rel=0.1)  # a part is attributed to Stribeck and load-dependent friction
    assert "gears that yield" in found["robot_note"]
    # it stays where the request names it, and the law is from the data all the same
    named = calibrate(daemon, {"datasets": ["fades1", "fades2"], "model": {"friction": ["viscous", "coulomb", "offset", "stribeck"], "stribeck_speed": 0.3}},
                      robot="pair-bare")
    assert [p["stribeck_speed"] for p in named["parameters"] if p["kind"] == "stribeck"] == [0.3] * N
    assert named["friction_sign"] == found["friction_sign"]
    header = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/parameters.h")[2].decode()
    assert "sign(v) exp(-(v / 0.3)^2) */" in header
    never = calibrate(daemon, {"datasets": ["fades1", "fades2"], "model": {"relaxation_s": 0}}, robot="pair-bare")
    sharp = calibrate(daemon, {"datasets": ["fades1", "fades2"], "model": {"smoothing": 0.01}}, robot="pair-bare")
    assert law(never) == (YIELD, 0) and law(sharp) == (0, 0) and not sharp["friction_sign"]["from_data"]
    for r in range(N):
        assert found["validation"]["rmse"][r] < 0.7 * never["validation"]["rmse"][r]
        assert found["validation"]["rmse"][r] < 0.25 * sharp["validation"]["rmse"][r]


def test_displacement_between_decimated_samples_counts(daemon, bare):
    whole, fifth = (calibrate(daemon, {"datasets": ["fades1", "fades2"], "filter": {"cutoff_hz": 10, "decimate": n}}, robot="pair-bare")
                    for n in (1, 5))
    assert law(fifth) == law(whole) == (YIELD, FADES) and fifth["samples"] < 0.21 * whole["samples"]
    for found in (whole, fifth):
        # before false delays were refused: 6.39 and 4.18 N m, with a residual of 0.5 N m
        assert of_kind(found, "coulomb") == pytest.approx(COULOMB, rel=1e-3)
        assert max(found["validation"]["rmse"]) < 0.08
    # the residual is at reversals, of which the decimated log has other samples
    assert fifth["validation"]["rmse"] == pytest.approx(whole["validation"]["rmse"], rel=0.2)


def test_presliding_without_relaxation_is_found(daemon, bare):
    found = calibrate(daemon, {"datasets": ["keeps1", "keeps2"]}, robot="pair-bare")
    assert law(found) == (YIELD, 0) and found["friction_sign"]["from_data"]


def test_friction_without_memory_is_found(daemon, bare):
    found = calibrate(daemon, {"datasets": ["plain1", "plain2"]}, robot="pair-bare")
    right = calibrate(daemon, {"datasets": ["plain1", "plain2"], "model": {"smoothing": 0.01}}, robot="pair-bare")
    wrong = calibrate(daemon, {"datasets": ["plain1", "plain2"], "model": {"presliding": YIELD, "relaxation_s": FADES}}, robot="pair-bare")
    assert law(found) == (0, 0) and found["friction_sign"]["from_data"]
    assert "yield" not in found.get("robot_note", "")
    assert all("friction_way" not in d for d in found["datasets"])
    # the width is found to 5 %; without a false delay the residual is 0.04 N m, 0.02 of which are noise
    assert found["validation"]["rmse"] == pytest.approx(right["validation"]["rmse"], rel=2e-2)
    assert max(found["validation"]["rmse"]) < 0.05
    assert all(2 * x < y for x, y in zip(right["validation"]["rmse"], wrong["validation"]["rmse"]))


@pytest.mark.parametrize("logs", ["fades", "keeps", "plain"])
def test_steps_of_friction_are_no_delay(daemon, bare, logs):
    found = calibrate(daemon, {"datasets": [f"{logs}1", f"{logs}2"]}, robot="pair-bare")
    assert found["delay"] == {"delay_s": 0, "from_data": True}
    # nor without velocities in the log, where the friction laws are harder to distinguish
    quiet = {"columns": {"time": 0, "q": [1, 2], "tau": [5, 6]}}
    assert calibrate(daemon, {"datasets": [f"{logs}1", f"{logs}2"], **quiet}, robot="pair-bare")["delay"] == {"delay_s": 0, "from_data": True}
    # the same as with the delay stated as 0
    answer = calibrate(daemon, {"datasets": [f"{logs}1", f"{logs}2"], "delay_s": 0}, robot="pair-bare")
    assert found["fit"]["rmse"] == pytest.approx(answer["fit"]["rmse"], rel=1e-6)


def test_rounding_does_not_choose_a_law(daemon, bare):
    """Without friction, noise and filter every law leaves a residual of rounding: the default law must stay."""
    rows = stop_and_go(7, 24)
    tau = ask(daemon, "pair-bare", "inverse-dynamics", {"q": [r[0] for r in rows], "qd": [r[1] for r in rows], "qdd": [r[2] for r in rows]})["tau"]
    lines = ["t,q0,q1,qd0,qd1,qdd0,qdd1,tau0,tau1"]
    lines += [",".join(repr(x) for x in (k / RATE, *r[0], *r[1], *r[2], *t)) for k, (r, t) in enumerate(zip(rows, tau))]
    assert daemon.request("PUT", "/v1/datasets/exact", "\n".join(lines).encode())[0] in (200, 201)
    for method in ("feasible", "wls", "ols"):
        found = calibrate(daemon, {"datasets": ["exact"], "filter": {"kind": "none"}, "method": method}, robot="pair-bare")
        assert max(found["fit"]["rmse"]) < 1e-3
        assert law(found) == (YIELD, FADES) and found["friction_sign"]["from_data"], (method, found["friction_sign"])


# Stop-and-go motion has content above the cut-off: the width has an error of 4 %. The smallest width is
# crossed within a millisecond, a fifth of the sample period.
@pytest.mark.parametrize("name, width, near", [("plain", 0.01, 0.05), ("wide", 0.035, 0.1), ("sharp-pair", 0.003, 0.2)])
def test_width_of_the_friction_step_is_found(daemon, bare, name, width, near):
    logs = {"datasets": [f"{name}1", f"{name}2"]}
    found = calibrate(daemon, logs, robot="pair-bare")
    right = calibrate(daemon, {**logs, "model": {"smoothing": width}}, robot="pair-bare")
    assert law(found) == (0, 0) and found["friction_sign"]["smoothing"] == pytest.approx(width, rel=near)
    assert found["validation"]["rmse"] == pytest.approx(right["validation"]["rmse"], rel=near)
    if name == "wide":  # half or twice the width is distinguishably worse
        for other in (0.0175, 0.07):
            wrong = calibrate(daemon, {**logs, "model": {"smoothing": other}}, robot="pair-bare")
            assert sum(wrong["validation"]["rmse"]) > 1.02 * sum(found["validation"]["rmse"])


# the misfit is not a parabola over factors of two: a search that did not continue from the minimum of the
# parabola ended at 0.0288 and 0.0279
@pytest.mark.parametrize("seed", [4, 6])
def test_the_search_for_the_width_converges(daemon, seed):
    width, rate, rnd = 0.03, 250, random.Random(seed)
    arm = {"name": "pendulum", "gravity": [0, 0, -9.81],
           "links": [{"name": "base"}, {"name": "arm", "mass": 5, "com": [0.3, 0, 0], "inertia_about": "com",
                                        "inertia": [[0.01, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}],
           "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "arm", "axis": [0, 1, 0]}]}
    assert daemon.request("PUT", "/v1/robots/one-arm", json.dumps(arm).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
    q, qd, qdd = zip(*(motion(k / rate, 1, seed) for k in range(30 * rate)))
    tau = ask(daemon, "one-arm", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    lines = ["t,q0,tau0"] + [f"{k / rate!r},{a!r},{x + 2 * v + 4 * math.tanh(v / width) + rnd.gauss(0, 0.05)!r}"
                             for k, ((a,), (v,), (x,)) in enumerate(zip(q, qd, tau))]
    assert daemon.request("PUT", f"/v1/datasets/pendulum{seed}", "\n".join(lines).encode())[0] in (200, 201)
    found = calibrate(daemon, {"datasets": [f"pendulum{seed}"], "validate": "none"}, robot="one-arm")
    assert law(found) == (0, 0) and found["friction_sign"]["smoothing"] == pytest.approx(width, rel=0.02)
    assert of_kind(found, "stribeck") == [] or abs(of_kind(found, "stribeck")[0]) < 0.05 * 4


def test_terms_are_one_choice_and_the_law_of_their_sign_another(daemon, bare):
    """Advice to name the terms must not bring a wrong law with it, nor open directions of the bodies by what that leaves."""
    default = calibrate(daemon, {"datasets": ["plain1", "plain2"]}, robot="pair-bare")
    assert default["verdict"] == "usable" and of_kind(default, "stribeck") == [], default["reasons"]
    for friction in (["viscous", "coulomb"], ["viscous", "coulomb", "offset"]):
        found = calibrate(daemon, {"datasets": ["plain1", "plain2"], "model": {"friction": friction}}, robot="pair-bare")
        assert law(found) == (0, 0) and found["friction_sign"]["from_data"]
        assert found["verdict"] == "usable" and found["unidentifiable"] == [], found["reasons"]
        assert of_kind(found, "coulomb") == pytest.approx(COULOMB, rel=0.01)
    # terms without a sign leave nothing to select
    found = calibrate(daemon, {"datasets": ["plain1", "plain2"], "model": {"friction": ["viscous"]}}, robot="pair-bare")
    assert not found["friction_sign"] or not found["friction_sign"]["from_data"]


def test_relaxation_requires_presliding(daemon, bare):
    for model in ({"smoothing": 0.01}, {"presliding": 0}):
        fault = calibrate(daemon, {"datasets": ["plain1"], "model": {**model, "relaxation_s": 1}}, 422, robot="pair-bare")
        assert fault["errors"][0]["pointer"] == "/model/relaxation_s" and "presliding" in fault["errors"][0]["hint"]


def test_coarse_velocities_do_not_determine_the_direction(daemon, bare):
    found = calibrate(daemon, {"datasets": ["loud1", "loud2"], "model": {"presliding": YIELD, "relaxation_s": FADES}}, robot="pair-bare")
    assert {d["friction_way"] for d in found["datasets"]} == {"filtered position"}
    for got, true in zip(of_kind(found, "coulomb"), COULOMB):
        assert got == pytest.approx(true, rel=0.1)
    quiet = {"columns": {"time": 0, "q": [1, 2], "tau": [5, 6]}}  # without velocities
    answer = calibrate(daemon, {"datasets": ["fades1", "fades2"]}, robot="pair-bare")
    found = calibrate(daemon, {"datasets": ["fades1", "fades2"], **quiet}, robot="pair-bare")
    assert {d["friction_way"] for d in found["datasets"]} == {"filtered position"}
    assert law(found) == law(answer)
    # filtered positions ring where a joint stops: residual 0.21 N m, with velocities 0.04 (0.58 while
    # friction steps caused a false delay)
    assert max(answer["validation"]["rmse"]) < 0.05, answer["validation"]["rmse"]
    assert max(found["validation"]["rmse"]) < 0.25, found["validation"]["rmse"]


def test_sharp_friction_is_filtered_as_torque_is(daemon, truth):
    """Friction of width 0.02 rad/s, positions only, 500 Hz, cut-off of 6 Hz from the spectra: the 95 % intervals
    contain the truth."""
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    hits = []
    for seed in (31, 33, 35, 37) if SLOW == 1 else (31,):
        for log in (seed, seed + 1):
            write_run(daemon, f"sharp{log}", truth, log, noise=0.02, quantities=("q", "tau"), rate=500)
        found = calibrate(daemon, {"datasets": [f"sharp{seed}", f"sharp{seed + 1}"], "validate": "none"}, robot="guess")
        assert found["filter"]["from_spectra"] and found["filter"]["cutoff_hz"] < 8
        assert [p["name"] for p in found["parameters"]] == [c["name"] for c in want["columns"]]
        hits += [p["interval"][0] <= value <= p["interval"][1] for p, value in zip(found["parameters"], want["parameter_values"])]
    # noise and motion have fixed seeds; before the friction regressors passed the filter, 73 % of the
    # intervals contained the truth
    if SLOW == 1:  # under a sanitizer one of the four draws, with the same bits
        assert 0.92 <= sum(hits) / len(hits) <= 0.98, sum(hits) / len(hits)
