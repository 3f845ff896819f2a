# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate.py - identification from logs: exact recovery, noise, validation, insufficient
# excitation, wrong requests.
import html.parser
import json
import math
import random
import re
import subprocess

import pytest
from conftest import eventually, numbers, problem

ROBOT = "puma560"


def post(daemon, path, body, **headers):
    return daemon.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def ask(daemon, robot, operation, body):
    code, _, reply = post(daemon, f"/v1/robots/{robot}/{operation}", body, Prefer="wait=3600")
    assert code == 200, reply[:2000]
    return json.loads(reply)


def calibrate(daemon, body, want=200, robot=ROBOT):
    reply = post(daemon, f"/v1/robots/{robot}/calibrate", body, Prefer="wait=3600")
    if want != 200:
        return problem(reply, want)
    assert reply[0] == 200, reply[2][:2000]
    return json.loads(reply[2])


def last_job(daemon):
    return json.loads(daemon.request("GET", "/v1/jobs?kind=calibrate&limit=1")[2])["jobs"][0]["id"]




def moving(document):
    return [joint for joint in document["joints"] if joint["kind"] != "fixed"]


def true_robot(daemon):
    """The built-in arm with other masses, rotor inertias and friction, as robot `truth`."""
    document = json.loads(daemon.request("GET", f"/v1/robots/{ROBOT}")[2])
    for j, joint in enumerate(moving(document)):
        joint.pop("drive", None)
        joint["damping"] = 0.4 + 0.1 * j
        joint["friction"] = {"coulomb": 1.2 - 0.1 * j, "offset": 0.05 * j, "smoothing": 0.02}
        joint["rotor"] = {"inertia": 0.02 + 0.01 * j, "ratio": 1}
    for link in document["links"]:
        link["mass"] *= 1.3
    return document


def motion(t, n, seed, shake=0.0):
    """Harmonics of low frequency; `shake`: amplitude of a sinusoidal acceleration of 12 Hz or more, with a
    different frequency for each joint."""
    rnd = random.Random(seed)
    q, qd, qdd = [], [], []
    for j in range(n):
        f = [0.1 * k * 2 * math.pi for k in (1, 2, 3, 5)]
        a = [rnd.uniform(-0.4, 0.4) for _ in f]
        p = [rnd.uniform(0, 6) for _ in f]
        q.append(sum(x * math.sin(w * t + y) for x, w, y in zip(a, f, p)))
        qd.append(sum(x * w * math.cos(w * t + y) for x, w, y in zip(a, f, p)))
        qdd.append(sum(-x * w * w * math.sin(w * t + y) for x, w, y in zip(a, f, p)))
        w = 2 * math.pi * (12 + 1.7 * j)
        q[j] -= shake / w / w * math.sin(w * t)
        qd[j] -= shake / w * math.cos(w * t)
        qdd[j] += shake * math.sin(w * t)
    return q, qd, qdd


@pytest.fixture(scope="module")
def truth(daemon):
    """Uploads the true robot and logs run1 to run3 of it: 20 s at 100 Hz, with derivatives, without noise."""
    document = true_robot(daemon)
    reply = daemon.request("PUT", "/v1/robots/truth", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    # the initial robot has the friction law of the true one, with other coefficients
    for joint in moving(document):
        joint["damping"] = 0
        joint["friction"] = {"coulomb": 1e-3, "smoothing": 0.02}
        joint["rotor"] = {"inertia": 0, "ratio": 1}
    for link in document["links"]:
        link["mass"] /= 1.3
    reply = daemon.request("PUT", "/v1/robots/guess", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    n = json.loads(daemon.request("GET", "/v1/robots/truth")[2])["nv"]
    for run in (1, 2, 3):
        write_run(daemon, f"run{run}", n, run)
    return n


def write_run(daemon, name, n, seed, noise=0.0, noise_q=0.0, quantities=("q", "qd", "qdd", "tau"), seconds=20, late=0.0, shake=0.0, rate=100):
    rnd = random.Random(100 + seed)
    times = [1 / rate * k for k in range(rate * seconds)]
    q, qd, qdd = zip(*(motion(t, n, seed, shake) for t in times))
    tau = ask(daemon, "truth", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    tau = [[x + rnd.gauss(0, noise) for x in row] for row in tau]
    if late:  # q, qd, qdd lag the torque by `late` seconds
        q, qd, qdd = zip(*(motion(t - late, n, seed, shake) for t in times))
    q = [[x + rnd.gauss(0, noise_q) for x in row] for row in q]
    columns = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    lines = [",".join(["t"] + [f"{w}{j}" for w in quantities for j in range(n)])]
    for k, t in enumerate(times):
        lines.append(",".join(repr(x) for x in [t, *(x for w in quantities for x in columns[w][k])]))
    text = "\n".join(lines).encode()
    reply = daemon.request("PUT", f"/v1/datasets/{name}", text)
    assert reply[0] in (200, 201), reply[2]
    return text


EXACT = {"kind": "none"}


def test_noise_free_recovery(daemon, truth):
    found = calibrate(daemon, {"datasets": ["run1", "run2"], "filter": EXACT, "validate": ["run3"], "method": "ols"}, robot="guess")
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    assert found["rank"]["data"] == found["rank"]["structural"] == want["n_base"] == found["rank"]["columns"]
    # the base set is the same: the same combinations of columns, tried in the same order
    assert [p["name"] for p in found["parameters"]] == [c["name"] for c in want["columns"]]
    for p, value in zip(found["parameters"], want["parameter_values"]):
        # derivatives are in the log: error 1e-10 for parameters up to 10
        assert p["value"] == pytest.approx(value, abs=1e-9), p["name"]
    assert max(found["fit"]["rmse"]) < 1e-9
    assert max(found["validation"]["rmse"]) < 1e-9
    assert found["validation"]["kind"] == "datasets"
    # the robot's model has friction: its joints keep their own law
    assert found["friction_sign"] == {"smoothing": None, "smoothing_reason": "the joints' own", "presliding": 0, "relaxation_s": 0,
                                      "from_data": False}
    # forward simulation under the log's torque: the remaining error is that of integration with steps of 10
    # ms
    forward = found["forward_simulation"]
    assert forward["windows"] >= 3 * 20 / 0.26 - 3 and forward["windows_lost"] == 0
    assert [j["joint"] for j in forward["by_joint"]] == found["joints"]
    for j in forward["by_joint"]:
        assert j["rmse_q"] < 0.05 * j["constant_velocity_rmse_q"] and j["relative_error"] < 0.05, j
    assert [d["name"] for d in forward["by_dataset"]] == ["run1", "run2", "run3"]


def test_feasible_fit_gives_a_robot_that_predicts_an_unseen_log(daemon, truth):
    for run in (4, 5, 6):
        write_run(daemon, f"noisy{run}", truth, run, noise=0.05, noise_q=1e-6, quantities=("q", "tau"))
    found = calibrate(daemon, {"datasets": ["noisy4", "noisy5"]}, robot="guess")
    assert found["method"] == "feasible"
    assert found["validation"]["kind"] == "leave-one-out"
    assert found["verdict"] == "usable", found["reasons"]
    # torque noise of 0.05 N m, plus the error of derivatives by a filter at ten times the motion's bandwidth
    assert max(found["validation"]["rmse"]) < 0.1
    assert found["feasibility"]["least_eigenvalue"] > 0
    assert found["feasibility"]["gap"] <= 1e-6 * found["feasibility"]["objective"]
    # most 95 % intervals contain the true value
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})["parameter_values"]
    inside = sum(p["interval"][0] <= v <= p["interval"][1] for p, v in zip(found["parameters"], want))
    assert inside >= 0.7 * len(want), [(p["name"], p["interval"], v) for p, v in zip(found["parameters"], want)]
    # the attachments of the result
    job = last_job(daemon)
    code, headers, page = daemon.request("GET", f"/v1/jobs/{job}/report")
    assert code == 200 and headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in headers["content-security-policy"]
    check_page(page.decode(), found)
    code, _, urdf = daemon.request("GET", f"/v1/jobs/{job}/result/robot.urdf")
    assert code == 200
    code, _, header = daemon.request("GET", f"/v1/jobs/{job}/result/parameters.h")
    numbers = re.findall(r"^    (-?[0-9][^,]*),$", header.decode(), re.M)
    n = len(found["parameters"])
    assert [float(x) for x in numbers[:n]] == [p["value"] for p in found["parameters"]]
    assert [float(x) for x in numbers[n:]] == [p["standard_deviation"] for p in found["parameters"]]
    assert all(f'"{p["name"]}", /* {p["unit"]}, {p["kind"]}, ' in header.decode() for p in found["parameters"])
    assert ": " + next(p["expression"] for p in found["parameters"] if p["expression"] != p["name"]) + " */" in header.decode()
    program = b'\nint main(void) { return sizeof robot_parameters / sizeof robot_parameters[0] == ROBOT_PARAMETER_COUNT ? 0 : 1; }\n'
    subprocess.run(["cc", "-std=c99", "-pedantic-errors", "-Werror", "-fsyntax-only", "-x", "c", "-"], input=header + program, check=True)
    # the result in another format, and one of its arrays
    assert daemon.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/cbor"})[0] == 200
    code, _, sigma = daemon.request("GET", f"/v1/jobs/{job}/result/sigma", headers={"Accept": "text/csv"})
    assert code == 200 and len(sigma.split()) >= len(found["joints"])
    # the identified robot, uploaded as document and as URDF, predicts a log that was not in the fit
    reply = daemon.request("PUT", "/v1/robots/found", json.dumps(found["robot"]).encode(), {"Content-Type": "application/json"})
    assert reply[0] == 201, reply[2]
    reply = daemon.request("PUT", "/v1/robots/found-urdf", urdf, {"Content-Type": "application/xml"})
    assert reply[0] == 201, reply[2]
    for name in ("found", "found-urdf"):
        along = ask(daemon, name, "inverse-dynamics", {"from": {"dataset": "noisy6"}})
        assert max(j["rmse"] for j in along["residual"]["by_joint"]) < 0.1
    before = ask(daemon, "guess", "inverse-dynamics", {"from": {"dataset": "noisy6"}})
    assert max(j["rmse"] for j in before["residual"]["by_joint"]) > 0.3


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in ("meta", "path", "rect", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


def check_page(text, found):
    page = Page()
    page.feed(text)
    assert page.open == []
    assert not any(tag in ("script", "link", "img", "iframe", "object") for tag, _ in page.seen)
    assert not any(k.startswith("on") or k in ("href", "src") for _, a in page.seen for k in a)
    words = "".join(page.words)
    assert f"Verdict: {found['verdict']}" in words
    assert all(p["name"] in words for p in found["parameters"])
    # next to each name its kind, and its link or joint
    assert all(f'{p["name"]}{p["kind"]}, {p.get("link") or p["joint"]}' in words for p in found["parameters"])
    n = len(found["joints"])
    # measured and predicted torque and the residual, for each joint and log, and one plot of the bands
    assert sum(tag == "svg" for tag, _ in page.seen) == 2 * n * len(found["prediction"]) + 1
    # distinguishable without colour: a dashed line, hatched bars
    assert any(a.get("class") == "dash" for tag, a in page.seen if tag == "path")
    assert "hatch" in [a.get("id") for tag, a in page.seen if tag == "pattern"]


def test_other_methods_and_models(daemon, truth):
    for method in ("wls", "irls", "tls", "ridge", "bounded", "iv", "feasible-iv"):
        found = calibrate(daemon, {"datasets": ["run1", "run2"], "filter": EXACT, "method": method}, robot="guess")
        # ridge shrinks towards the prior by 1e-4 of the value
        assert max(found["fit"]["rmse"]) < {"ridge": 1e-1, "tls": 1e-5}.get(method, 1e-6), method
    for gravity in ("constant", "cos", "sin-cos"):
        found = calibrate(daemon, {"datasets": ["run1", "run2"], "filter": EXACT, "method": "wls",
                                   "model": {"kind": "per-joint", "gravity": gravity, "friction": ["viscous", "coulomb"]}},
                          robot="guess")
        assert found["robot"] is None and "joint by joint" in found["robot_reason"]
        assert {"inertia", "viscous", "coulomb"} <= {p["kind"] for p in found["parameters"]}
    full = calibrate(daemon, {"datasets": ["run1", "run2"], "filter": EXACT, "model": {"kind": "full"}}, robot="guess")
    assert len(full["all_parameters"]) > len(full["parameters"])


def test_instruments_are_not_biased_by_noise_of_position(daemon, truth):
    """With a cut-off far above what the encoder noise allows, inertias by least squares are biased towards zero."""
    write_run(daemon, "coarse7", truth, 7, noise=0.05, noise_q=3e-4, quantities=("q", "tau"), seconds=40)
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    true = dict(zip((c["name"] for c in want["columns"]), want["parameter_values"]))
    # one run only: with two runs, least squares biases each run differently, so its intervals are wide and
    # contain the truth
    body = {"datasets": ["coarse7"], "filter": {"cutoff_hz": 15}}

    def off(found, key="value"):
        rotors = [p for p in found["parameters"] if p["kind"] == "rotor"]
        assert rotors
        return [(p[key] - true[p["name"]]) / max(p["standard_deviation"], 1e-12) for p in rotors]

    found = calibrate(daemon, {**body, "method": "iv"}, robot="guess")
    assert found["instruments"]["lag_samples"] == round(found["instruments"]["lag_s"] / 0.01)
    inside = sum(p["interval"][0] <= true[p["name"]] <= p["interval"][1] for p in found["parameters"])
    assert inside >= 0.7 * len(true)
    assert max(abs(x) for x in off(found)) < 3
    plain = calibrate(daemon, {**body, "method": "wls"}, robot="guess")
    assert sum(p["interval"][0] <= true[p["name"]] <= p["interval"][1] for p in plain["parameters"]) < 0.9 * inside
    assert sum(x < -3 for x in off(plain)) >= 3
    # the least-squares values are in the same answer, and a reason states the bias
    assert all(x < y for x, y in zip(off(found, "least_squares"), off(found)))
    assert any("noise of position biases least squares" in r for r in found["reasons"])
    bodies = calibrate(daemon, {**body, "method": "feasible-iv"}, robot="guess")
    assert bodies["robot"] is not None and bodies["feasibility"]["least_eigenvalue"] > 0


def test_instruments_of_two_runs_with_noise_of_position(daemon, truth):
    """The same with two short runs: their intervals are Student's t intervals of the difference between runs,
    which are wide, so the bias is asserted on the values."""
    for run in (7, 8):
        write_run(daemon, f"coarse{run}", truth, run, noise=0.05, noise_q=3e-4, quantities=("q", "tau"))
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    true = dict(zip((c["name"] for c in want["columns"]), want["parameter_values"]))
    body = {"datasets": ["coarse7", "coarse8"], "filter": {"cutoff_hz": 15}}

    def off(found):
        return [p["value"] / true[p["name"]] - 1 for p in found["parameters"] if p["kind"] == "rotor"]

    found = calibrate(daemon, {**body, "method": "iv"}, robot="guess")
    inside = sum(p["interval"][0] <= true[p["name"]] <= p["interval"][1] for p in found["parameters"])
    rotors = [p for p in found["parameters"] if p["kind"] == "rotor"]
    assert rotors and inside >= 0.7 * len(true)
    assert max(abs(p["value"] - true[p["name"]]) / p["standard_deviation"] for p in rotors) < 3
    plain = calibrate(daemon, {**body, "method": "wls"}, robot="guess")
    # measured: mean error 0.8 % with instruments; -10 % by least squares, negative for every rotor
    assert abs(sum(off(found))) < 0.02 * len(rotors)
    assert sum(off(plain)) < -0.08 * len(rotors) and max(off(plain)) < 0 and sum(x < -0.05 for x in off(plain)) >= 4
    assert any("noise of position biases least squares" in r for r in found["reasons"])


def test_wrong_requests(daemon, truth):
    cases = [
        ({}, "/datasets", "missing-field"),
        ({"datasets": []}, "/datasets", "wrong-length"),
        ({"datasets": ["nothing"]}, "/datasets/0", "unknown-name"),
        ({"datasets": [{"dataset": "run1", "row": [0, 1]}]}, "/datasets/0/row", "unknown-field"),
        ({"datasets": ["run1"], "validate": "leave-one-out"}, "/validate", "invalid-value"),
        ({"datasets": ["run1"], "validate": ["gone"]}, "/validate/0", "unknown-name"),
        ({"datasets": ["run1"], "method": "magic"}, "/method", None),
        ({"datasets": ["run1"], "lag_s": 0.1}, "/lag_s", "invalid-value"),
        ({"datasets": ["run1"], "method": "iv", "lag_s": 1e4}, "/lag_s", "range"),
        ({"datasets": ["run1"], "method": "iv", "lag_s": 11}, "/datasets/0", "wrong-length"),
        ({"datasets": ["run1", {"dataset": "run2", "rows": [0, 500]}], "method": "iv", "lag_s": 3}, "/datasets/1", "wrong-length"),
        ({"datasets": ["run1"], "model": {"kind": "per-joint", "friction": ["viscous", "load"]}}, "/model/friction", "invalid-value"),
        ({"datasets": ["run1"], "confidence": 1}, "/confidence", "range"),
        ({"datasets": ["run1"], "model": {"gravity": "cos"}}, "/model/gravity", "invalid-value"),
        ({"datasets": ["run1"], "model": {"smoothing": -1}}, "/model/smoothing", "range"),
        ({"datasets": ["run1"], "model": {"relaxation_s": -1}}, "/model/relaxation_s", "range"),
        ({"datasets": ["run1"], "model": {"couplings": [["a", "b"]]}}, "/model/couplings/0/0", "unknown-name"),
        ({"datasets": ["run1"], "prior": [1]}, "/prior", "wrong-length"),
        ({"datasets": ["run1"], "filter": {"cutoff_hz": 1}, "validate": [{"dataset": "run2", "rows": [0, 100]}]}, "/validate/0",
         "wrong-length"),
        ({"datasets": ["run1"], "points": 1}, "/points", "range"),
        # numbers for which floating-point arithmetic overflows
        ({"datasets": ["run1"], "model": {"presliding": 5e-324}}, "/model/presliding", "range"),
        ({"datasets": ["run1"], "model": {"presliding": 1e-3, "relaxation_s": 1e-320}}, "/model/relaxation_s", "range"),
        ({"datasets": ["run1"], "model": {"smoothing": 5e-324}}, "/model/smoothing", "range"),
        ({"datasets": ["run1"], "model": {"stribeck_speed": 5e-324}}, "/model/stribeck_speed", "range"),
        ({"datasets": ["run1"], "method": "ridge", "ridge": 1e308}, "/ridge", "range"),
        ({"datasets": ["run1"], "prior_weight": 1e308}, "/prior_weight", "range"),
        ({"datasets": ["run1"], "method": "tls", "column_noise": 1}, "/column_noise", "range"),
        # an error about a log's options has the pointer to that option
        ({"datasets": ["run1"], "units": {"tau": "A"}}, "/units/tau", "missing-field"),
        ({"datasets": ["run1"], "filter": {"decimate": 1000}}, "/filter/decimate", "wrong-length"),
        ({"datasets": ["run1"], "filter": {"cutoff_hz": 50}}, "/filter/cutoff_hz", "range"),
        ({"datasets": ["run1"], "filter": {"kind": "first-order", "tau_f_s": 10}}, "/filter/tau_f_s", "wrong-length"),
        ({"datasets": ["run1"], "filter": {"kind": "savitzky-golay", "window": 1023}, "rows": [0, 1000]}, "/datasets/0", "wrong-length"),
        ({"datasets": ["run1"], "delay_s": 10}, "/delay_s", "range"),
        # the same rows twice
        ({"datasets": ["run1", "run1"]}, "/datasets/1", "invalid-value"),
        ({"datasets": ["run1", {"dataset": "run2", "rows": [0, 500]}, {"dataset": "run2", "rows": [[499, 550], [600, 700]]}]}, "/datasets/2",
         "invalid-value"),
        ({"datasets": ["run1"], "validate": ["run2", "run1"]}, "/validate/1", "invalid-value"),
        ({"datasets": ["run1"], "filtre": {}}, "/filtre", "unknown-field"),
    ]
    for body, pointer, slug in cases:
        code, _, reply = post(daemon, "/v1/robots/guess/calibrate", body, Prefer="wait=3600")
        document = json.loads(reply)
        assert code in (400, 422), (body, reply)
        assert document["errors"][0]["pointer"] == pointer, (body, document)
        assert slug is None or document["type"] == f"/problems/{slug}", (body, document)
        assert document["errors"][0]["hint"], (body, document)
    # different rows of the same log are different logs
    halves = [{"dataset": "run1", "rows": [0, 1000]}, {"dataset": "run1", "rows": [1000, 2000]}]
    assert calibrate(daemon, {"datasets": halves, "validate": ["run2"], "filter": EXACT, "method": "ols"}, robot="guess")["verdict"]


BALL = {"name": "ball-arm", "gravity": [0, 0, -9.81],
        "links": [{"name": "base"},
                  {"name": "bob", "mass": 2.5, "com": [0.1, 0.05, -0.6], "inertia_about": "com", "inertia": [[0.05, 0, 0], [0, 0.04, 0], [0, 0, 0.02]]}],
        "joints": [{"name": "ball", "kind": "spherical", "parent": "base", "child": "bob"}]}


def tumble(t):
    """Orientation Rz(a) Rx(b), its angular velocity and acceleration in body axes."""
    a, da, dda = 2.5 * math.sin(0.8 * t), 2.0 * math.cos(0.8 * t), -1.6 * math.sin(0.8 * t)
    b, db, ddb = 1.5 * math.sin(1.3 * t + 1), 1.95 * math.cos(1.3 * t + 1), -2.535 * math.sin(1.3 * t + 1)
    ca, sa, cb, sb = math.cos(a / 2), math.sin(a / 2), math.cos(b / 2), math.sin(b / 2)
    q = [ca * cb, ca * sb, sa * sb, sa * cb]
    w = [db, da * math.sin(b), da * math.cos(b)]
    alpha = [ddb, dda * math.sin(b) + da * db * math.cos(b), dda * math.cos(b) - da * db * math.sin(b)]
    return q, w, alpha


def test_orientations_are_filtered_as_orientations(daemon):
    """The sign of a ball joint's quaternion may change at any row; it must be filtered as an orientation."""
    reply = daemon.request("PUT", "/v1/robots/ball-arm", json.dumps(BALL).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2][:1000]
    times = [0.01 * k for k in range(2000)]
    q, qd, qdd = zip(*map(tumble, times))
    tau = ask(daemon, "ball-arm", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    rnd = random.Random(4)
    lines = ["t,q0,q1,q2,q3," + ",".join(f"{w}{j}" for w in ("qd", "qdd", "tau") for j in range(3))]
    for k, t in enumerate(times):
        sign = -1 if k // 70 % 2 else 1
        noisy = [sign * x + rnd.gauss(0, 1e-5) for x in q[k]]
        lines.append(",".join(repr(x) for x in [t, *noisy, *qd[k], *qdd[k], *(x + rnd.gauss(0, 0.02) for x in tau[k])]))
    assert daemon.request("PUT", "/v1/datasets/tumble", "\n".join(lines).encode())[0] in (200, 201)
    for kind in ({"cutoff_hz": 10}, {"kind": "savitzky-golay", "window": 11}):
        found = calibrate(daemon, {"datasets": ["tumble"], "filter": kind, "method": "wls",
                                   "model": {"friction": [], "rotor": False}}, robot="ball-arm")
        assert found["datasets"][0]["repairs"] == []
        # the residual is the torque noise and nothing else
        assert max(found["fit"]["rmse"]) < 0.03, found["fit"]["rmse"]
        assert found["forward_simulation"] is None and "more than one freedom" in found["forward_simulation_reason"]


def test_constrained_robots_are_refused(daemon, truth):
    fault = calibrate(daemon, {"datasets": ["run1"]}, 422, robot="four-bar")
    assert "open tree" in fault["errors"][0]["hint"]


def test_every_filter_is_held_against_the_bandwidths(daemon, truth):
    """The condition 10 w_BW < w_f < 0.1 w_noise is checked for each kind of filter; w_f is the frequency of gain
    1/2."""
    for reported, hz in (({"kind": "savitzky-golay", "window": 21, "degree": 3}, 6.0995), ({"kind": "first-order", "tau_f_s": 0.02}, 7.9577),
                     ({"cutoff_hz": 9}, 9)):
        found = calibrate(daemon, {"datasets": ["run1"], "method": "wls", "filter": reported}, robot="guess")
        assert found["filter"]["cutoff_hz"] == pytest.approx(hz, rel=1e-4), found["filter"]
        band = found["datasets"][0]["bandwidth"]
        assert band["cutoff_above_10_motion"] == (10 * band["motion_hz"] <= found["filter"]["cutoff_hz"])
        assert band["cutoff_below_a_tenth_of_noise"] == (found["filter"]["cutoff_hz"] <= band["noise_hz"] / 10)
    none = calibrate(daemon, {"datasets": ["run1"], "method": "wls", "filter": EXACT}, robot="guess")
    assert "cutoff_hz" not in none["filter"] and "cutoff_above_10_motion" not in none["datasets"][0]["bandwidth"]


def test_decimation_does_not_fold_noise_down(daemon, truth):
    whole = calibrate(daemon, {"datasets": ["run1"], "method": "wls"}, robot="guess")
    assert whole["filter"]["cutoff_hz"] > 3  # ten times the motion's bandwidth
    few = calibrate(daemon, {"datasets": ["run1"], "method": "wls", "filter": {"decimate": 20}}, robot="guess")
    assert few["filter"]["cutoff_hz"] == pytest.approx(0.4 * 5)  # decimated to 5 Hz
    # of what is left between the ends, where the lower cut-off takes longer to forget what is beyond
    assert few["samples"] == pytest.approx((2000 - few["datasets"][0]["samples_at_borders_left_out"]) / 20, abs=1)
    assert few["datasets"][0]["samples_at_borders_left_out"] > whole["datasets"][0]["samples_at_borders_left_out"]


def test_as_a_job(daemon, truth):
    code, headers, _ = post(daemon, "/v1/robots/guess/calibrate", {"datasets": ["run1", "run2"], "filter": EXACT},
                            Prefer="respond-async")
    assert code == 202

    def state():
        return json.loads(daemon.request("GET", headers["location"])[2])["state"]

    eventually(lambda: state() not in ("queued", "running"))
    assert state() == "succeeded"
    assert json.loads(daemon.request("GET", headers["location"] + "/result")[2])["samples"] == 4000


@pytest.fixture(scope="module")
def bare(daemon, truth):
    """The robot without friction in its model: the fit chooses the friction terms."""
    document = true_robot(daemon)
    for joint in moving(document):
        joint["damping"] = 0
        joint.pop("friction")
        joint["rotor"] = {"inertia": 0, "ratio": 1}
    reply = daemon.request("PUT", "/v1/robots/bare", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    return truth


@pytest.mark.parametrize("late", [0.004, -0.013])
def test_late_position_is_found(daemon, bare, late):
    for run in (1, 2):
        write_run(daemon, f"late{run}", bare, run, noise=0.05, quantities=("q", "qd", "tau"), late=late, shake=2.0)
    body = {"datasets": ["late1", "late2"], "filter": {"cutoff_hz": 5}}
    found = calibrate(daemon, body, robot="bare")
    assert found["delay"]["from_data"] is True
    # interpolation by a parabola; the delay is no whole number of samples: error up to a tenth of a sample
    assert found["delay"]["delay_s"] == pytest.approx(late, abs=0.001)
    reported = calibrate(daemon, {**body, "delay_s": late}, robot="bare")
    assert reported["delay"] == {"delay_s": late, "from_data": False}
    assert max(a / b for a, b in zip(found["validation"]["rmse"], reported["validation"]["rmse"])) < 1.05
    # with the right delay, torque beyond the cut-off is inertia times acceleration; with a wrong one,
    # jerk_gain / inertia is the remaining delay
    for delay in (late, late - 0.003):
        beyond = calibrate(daemon, {**body, "delay_s": delay}, robot="bare")["beyond_cutoff"]
        for b in beyond[:3]:  # wrists have little inertia: their torque there is noise
            assert b["inertia"] > 0
            assert b["jerk_gain"] / b["inertia"] == pytest.approx(late - delay, abs=0.001)


@numbers
def test_a_delay_beyond_the_search_is_not_reported(daemon, bare):
    """The search ends at 50 ms: smaller delays are found; a minimum at the end of the search range is not reported."""
    for late, reported in [(0.0068, True), (0.012, True), (0.06, False)]:  # 2.7, 4.8 and 24 samples
        write_run(daemon, "fast", bare, 1, noise=0.05, quantities=("q", "qd", "tau"), late=late, shake=2.0, seconds=10, rate=400)
        found = calibrate(daemon, {"datasets": ["fast"], "filter": {"cutoff_hz": 5}}, robot="bare")
        assert found["delay"]["from_data"] is reported
        # without excitation above the cut-off that confirms it, the error is 1.9 ms; an earlier version did
        # not find it
        assert found["delay"]["delay_s"] == (pytest.approx(late, abs=0.001 if late < 0.01 else 0.002) if reported else 0)


def test_without_vibration_nothing_is_reported(daemon, bare):
    for run in (1, 2):
        write_run(daemon, f"calm{run}", bare, run, noise=0.05, noise_q=1e-5, quantities=("q", "qd", "tau"))
    found = calibrate(daemon, {"datasets": ["calm1", "calm2"], "filter": {"cutoff_hz": 5}}, robot="bare")
    assert found["delay"]["delay_s"] == 0
    assert [b["inertia"] for b in found["beyond_cutoff"]] == [0] * bare
    # this robot has no load-dependent friction: the term is tried and rejected
    assert "robot_note" not in found and not any(p["kind"] == "load" for p in found["parameters"])


def test_delay_within_the_log(daemon, bare):
    write_run(daemon, "on_time", bare, 4)
    answer = calibrate(daemon, {"datasets": ["on_time"], "delay_s": 0.06}, 422, robot="bare")
    assert "50 ms" in answer["detail"] and "whole rows" in json.dumps(answer)
    # for a large delay the velocity is uncorrelated with the motion: the refusal must still name the delay
    answer = calibrate(daemon, {"datasets": ["on_time"], "delay_s": 6}, 422, robot="bare")
    assert "50 ms" in answer["detail"]
    body = {"from": {"dataset": "on_time", "filter": {"kind": "none"}}}
    straight = ask(daemon, "truth", "inverse-dynamics", body)["residual"]["by_joint"]
    body["from"]["delay_s"] = 0.02
    shifted = ask(daemon, "truth", "inverse-dynamics", body)["residual"]["by_joint"]
    assert max(j["rmse"] for j in straight) < 1e-9
    assert all(j["rmse"] > 1e-3 for j in shifted)
    # without a filter there is no torque beyond the cut-off: no delay, no inertia from it
    found = calibrate(daemon, {"datasets": ["on_time"], "filter": {"kind": "none"}}, robot="guess")
    assert found["delay"] == {"delay_s": 0, "from_data": False}
    assert [b["inertia"] for b in found["beyond_cutoff"]] == [0] * bare


def test_no_note_on_friction_that_was_not_requested(daemon, truth, bare):
    found = calibrate(daemon, {"datasets": ["run1", "run2"], "model": {"friction": ["viscous"]}}, robot="bare")
    assert found["robot"] is not None and "robot_note" not in found
