# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_sizes.py - robots of many joints: an answer or a refusal with a pointer, and the daemon
# continues.
"""Torques are computed by the service itself: the only requirement is that each size is computed."""
import json
import math
import random

import pytest
import test_sizes_walk as walk
from conftest import SLOW, eventually, problem
from test_calibrate_long import put_npy

JSON = {"Content-Type": "application/json"}
RATE = 100


def document(n, finger=None):
    """A chain of n joints, every seventh of which is prismatic; or parallel chains of `finger` joints each."""
    links = [{"name": "l0"}]
    joints = []
    for k in range(1, n + 1):
        links.append({"name": f"l{k}", "mass": 0.5, "com": [0.05, 0.01, 0.02], "inertia_about": "com",
                      "inertia": [[1e-3, 0, 0], [0, 2e-3, 0], [0, 0, 2e-3]]})
        parent = 0 if finger and k % finger == 1 else k - 1
        joints.append({"name": f"j{k}", "kind": "revolute" if k % 7 else "prismatic", "parent": f"l{parent}", "child": f"l{k}",
                       "origin": {"position": [0.1, 0, 0]}, "axis": [[1, 0, 0], [0, 1, 0], [0, 0, 1]][k % 3],
                       "limits": {"lower": -2, "upper": 2, "velocity": 3, "effort": 1000}})
    return {"name": f"chain-{n}", "gravity": [0, 0, -9.81], "links": links, "joints": joints}


def put(daemon, name, robot):
    status, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(robot), JSON)
    assert status in (200, 201), text


def post(daemon, robot, call, body):
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), JSON)
    return status, text


def put_log(daemon, robot, n, rows):
    """Harmonics of low frequency of all joints, and the torque for them."""
    waves = [[(0.4 / h, 2 * math.pi * 0.2 * h, 1.7 * j * h) for h in (1, 2, 3)] for j in range(n)]
    t = [k / RATE for k in range(rows)]
    q = [[sum(a * math.sin(w * x + p) for a, w, p in row) for row in waves] for x in t]
    qd = [[sum(a * w * math.cos(w * x + p) for a, w, p in row) for row in waves] for x in t]
    qdd = [[sum(-a * w * w * math.sin(w * x + p) for a, w, p in row) for row in waves] for x in t]
    status, text = post(daemon, robot, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})
    assert status == 200, text[:500]
    put_npy(daemon, f"log-{robot}", [a + b for a, b in zip(q, json.loads(text)["tau"])], 1)
    return {"datasets": [f"log-{robot}"], "rate_hz": RATE, "columns": {"q": list(range(n)), "tau": list(range(n, 2 * n))}}


@pytest.mark.seconds(120)
def test_calibrate_more_than_512_parameters(daemon):
    """The workspace of the singular value decomposition has 2^20 numbers and more, beyond the bound of a matrix
    dimension."""
    put(daemon, "hand", document(50, finger=5))
    log = put_log(daemon, "hand", 50, 400)
    status, text = post(daemon, "hand", "calibrate", {**log, "filter": {"cutoff_hz": 10}, "method": "wls", "validate": "none",
                                                      "model": {"friction": ["viscous", "coulomb", "offset", "stribeck"],
                                                                "springs": True, "stribeck_speed": 0.1}})
    assert status == 200, text[:500]
    assert json.loads(text)["rank"]["columns"] > 512


def test_a_model_that_runs_away(daemon):
    """Torques unrelated to the motion: the fitted robot, simulated, exceeds all bounds within a step. The answer
    states that; it is not refused."""
    n, rows = 20, 400
    put(daemon, "chain", document(n))
    rnd = random.Random(5)
    waves = [[(0.4 / h, 2 * math.pi * 0.2 * h, 1.7 * j * h) for h in (1, 2, 3)] for j in range(n)]
    q = [[sum(a * math.sin(w * k / RATE + p) for a, w, p in row) for row in waves] for k in range(rows)]
    put_npy(daemon, "noise", [row + [rnd.gauss(0, 1) for _ in row] for row in q], 1)
    status, text = post(daemon, "chain", "calibrate", {
        "datasets": ["noise"], "rate_hz": RATE, "columns": {"q": list(range(n)), "tau": list(range(n, 2 * n))}, "filter": {"cutoff_hz": 10},
        "method": "wls", "model": {"friction": ["viscous", "coulomb", "offset"]}})
    assert status == 200, text[:500]
    answer = json.loads(text)
    assert answer["forward_simulation"] is None and "runs away" in answer["forward_simulation_reason"]


def test_what_takes_minutes_can_be_stopped(start):
    """Base parameters among 1,920 take minutes: the only worker is free when the time limit is over, and a job
    ends when it is cancelled."""
    one = start({"workers": 1, "run_timeout": 100 * SLOW, "queue_timeout": 3600000})
    put(one, "chain", document(128))
    request = json.dumps({"form": "base", "parameters": ["rotor", "viscous", "coulomb", "offset", "stiffness"]}).encode()
    reply = one.request("POST", "/v1/robots/chain/regressor", request, JSON)
    assert problem(reply, 504)["type"] == "/problems/took-too-long"
    assert post(one, "panda", "inverse-dynamics", {"q": [0] * 7, "qd": [0] * 7, "qdd": [0] * 7})[0] == 200
    status, headers, text = one.request("POST", "/v1/robots/chain/regressor", request, {**JSON, "Prefer": "respond-async"})
    assert status == 202, text
    job = headers["location"]
    eventually(lambda: json.loads(one.request("GET", job)[2])["state"] == "running")
    assert one.request("POST", job + "/cancel")[0] == 202
    eventually(lambda: json.loads(one.request("GET", job)[2])["state"] == "cancelled")


def test_a_job_is_of_the_form_that_was_asked_for(daemon):
    """A job stores its body without the query: a job with `?form=base` once had all parameters instead of base
    parameters."""
    body = {"q": [0.1] * 7, "qd": [0.2] * 7, "qdd": [0.3] * 7}
    asynchronous = {**JSON, "Prefer": "respond-async"}
    reply = daemon.request("POST", "/v1/robots/panda/regressor?form=base", json.dumps(body), asynchronous)
    assert "form" in problem(reply, 422)["errors"][0]["hint"]
    assert post(daemon, "panda", "regressor", {**body, "form": "full-ish"})[0] == 422
    want = json.loads(post(daemon, "panda", "regressor?form=base", body)[1])
    del want["provenance"]  # contains the digest of the body
    assert want["form"] == "base"
    assert json.loads(post(daemon, "panda", "regressor", {**body, "form": "base"})[1]).items() >= want.items()
    status, headers, text = daemon.request("POST", "/v1/robots/panda/regressor", json.dumps({**body, "form": "base"}), asynchronous)
    assert status == 202, text
    eventually(lambda: json.loads(daemon.request("GET", headers["location"])[2])["state"] == "succeeded")
    reported = json.loads(daemon.request("GET", headers["location"] + "/result")[2])
    assert {k: reported[k] for k in want} == want


def test_too_few_samples_for_instruments(daemon):
    put(daemon, "short", document(7))
    log = put_log(daemon, "short", 7, 40)
    status, text = post(daemon, "short", "calibrate", {**log, "filter": {"cutoff_hz": 20}, "method": "iv", "validate": "none"})
    fault = json.loads(text)["errors"][0]
    assert status == 422 and fault["pointer"] == "/datasets" and "lag_s" in fault["hint"] and "7 joints cannot determine" in fault["detail"]


def test_the_sample_that_cannot_be_computed_has_its_place(daemon):
    robot = document(2)
    robot["joints"][0]["kind"] = "floating"
    for key in ("axis", "limits"):
        del robot["joints"][0][key]
    put(daemon, "afloat", robot)
    good, bad = [0, 0, 0, 1, 0, 0, 0, 0.1], [0, 0, 0, 2, 0, 0, 0, 0.1]
    v = [0.0] * 7
    for call, body in (("kinematics", {"expressed_in": "world"}), ("regressor", {"qd": [v, v], "qdd": [v, v]})):
        status, text = post(daemon, "afloat", call, {"q": [good, bad], **body})
        assert status == 422 and json.loads(text)["errors"][0]["pointer"] == "/q/1", text
    status, text = post(daemon, "afloat", "statics", {"q": bad, "endpoint_wrench": {
        "link": "l2", "at": "origin", "force": [1, 2, 3], "moment": [0, 0, 1], "expressed_in": "world", "applied_to": "robot"}})
    assert status == 422 and json.loads(text)["errors"][0]["pointer"] == "/q", text


@pytest.mark.seconds(120)
def test_working_arrays_beyond_the_bound_are_too_large_at_once_and_as_a_job(start):
    """A robot of 1,000 joints with a mimic joint gave 503 "try again" for ever, since its matrices never fit
    into a thread's memory. Here 200 freedoms and a bound of 1 MiB: 32 matrices of 199 x 199 are 10 MB."""
    daemon = start({"scratch": 1 << 20})
    assert daemon.request("PUT", "/v1/robots/walked", json.dumps(walk.document(200, "mimic")).encode(), walk.JSON)[0] == 201
    body = json.dumps({"q": [0.1] * 199, "qd": [0.1] * 199, "tau": [0.1] * 199}).encode()
    path, kind = "/v1/robots/walked/forward-dynamics", {"Content-Type": "application/json"}
    status, _, text = daemon.request("POST", path, body, kind)
    problem = json.loads(text)
    assert status == 413 and problem["type"] == "/problems/too-large" and problem["errors"][0]["pointer"] == "", text
    job = json.loads(daemon.request("POST", path, body, {**kind, "Prefer": "respond-async"})[2])["id"]
    eventually(lambda: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "failed")
    document = json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])
    assert document["problem"]["type"] == "/problems/too-large" and document["attempts"] == 1, document
