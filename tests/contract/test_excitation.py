# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_excitation.py - motion to record: judged anew by numpy, sent on to other calls as it stands.
import json
import time

import pytest

JSON = {"Content-Type": "application/json"}
FRICTION = ["viscous", "coulomb", "offset"]


def post(daemon, path, document, **headers):
    status, _, body = daemon.request("POST", path, json.dumps(document), {**JSON, **headers})
    return status, json.loads(body)


@pytest.mark.parametrize("robot", ["panda", "ur10e"])
def test_condition_and_information_are_those_of_the_regressor(daemon, robot):
    np = pytest.importorskip("numpy")
    status, found = post(daemon, f"/v1/robots/{robot}/excitation", {"parameters": FRICTION, "tries": 60, "interval_s": 0.1})
    assert status == 200, found
    assert found["samples_judged"] == 100 and len(found["t"]) == 101
    states = {k: found[k][:-1] for k in ("q", "qd", "qdd")}
    status, told = post(daemon, f"/v1/robots/{robot}/regressor?form=base", {"parameters": FRICTION, **states})
    assert status == 200
    assert [c["name"] for c in told["columns"]] == found["base_parameters"]
    y = np.array(told["regressor"]).reshape(-1, told["n_base"])
    # through a normal matrix: its rounding times the square of a condition near 10
    assert found["score"]["condition"] == pytest.approx(np.linalg.cond(y / np.linalg.norm(y, axis=0)), rel=1e-11)
    assert found["score"]["log_determinant"] == pytest.approx(2 * np.sum(np.log(np.linalg.svd(y)[1])), rel=1e-11)
    assert found["score"]["condition"] < found["first_random"]["condition"]
    tau = abs(y @ np.array(told["parameter_values"])).reshape(100, -1).max(axis=0)
    efforts = [j["limits"].get("effort") for j in json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"] if j["kind"] != "fixed"]
    assert found["score"]["effort_used"] == pytest.approx(max(t / e for t, e in zip(tau, efforts, strict=True)), rel=1e-9)


def test_the_motion_may_be_sent_on_as_it_stands(daemon):
    """With joints in another order: trajectory breaks no limit, simulate follows it."""
    joints = [f"joint{k}" for k in (7, 6, 5, 4, 3, 2, 1)]
    request = {"joints": joints, "tries": 20, "harmonics": 3, "frequency_hz": 0.5}
    status, found = post(daemon, "/v1/robots/panda/excitation", request)
    assert status == 200, found
    assert found["joints"] == joints
    status, path = post(daemon, "/v1/robots/panda/trajectory", {"joints": joints, "fourier": found["fourier"], "interval_s": 0.01})
    assert status == 200 and path["violations"] == []
    assert max(map(abs, path["qd"][0] + path["qdd"][0] + path["qd"][-1])) < 1e-12  # at rest: rounding of a few rad/s
    run = {
        "joints": joints, "initial": {"q": path["q"][0]}, "duration_s": 0.1, "output": {"interval_s": 0.05},
        "input": {"kind": "computed-torque", "reference": {"fourier": found["fourier"]}, "kp": 100, "kd": 20},
    }
    status, told = post(daemon, "/v1/robots/panda/simulate", run)
    assert status == 200, told
    assert told["q"][-1] == pytest.approx(path["q"][10], abs=1e-4)
    status, again = post(daemon, "/v1/robots/panda/excitation", request)
    assert again["fourier"] == found["fourier"]
    status, other = post(daemon, "/v1/robots/panda/excitation", {**request, "seed": 1})
    assert other["fourier"] != found["fourier"]


@pytest.mark.parametrize(
    ("robot", "request_", "pointer"),
    [
        ("scara", {}, "/limits"),
        ("scara", {"limits": {"lower": [-1, -1, 0], "upper": [1, 1, 0]}}, "/limits"),
        ("four-bar", {}, ""),
        ("quadruped", {}, ""),
        ("panda", {"limits": {"velocity": [1, 1, 0, 1, 1, 1, 1]}}, "/limits/velocity/2"),
        ("panda", {"limits": {"velocity": [1]}}, "/limits/velocity"),
        ("panda", {"interval_s": 1e-9}, "/interval_s"),
        ("panda", {"harmonics": 1}, "/harmonics"),
        ("panda", {"tries": 1e6}, "/tries"),
    ],
)
def test_what_cannot_be_excited_is_refused(daemon, robot, request_, pointer):
    status, body = post(daemon, f"/v1/robots/{robot}/excitation", request_)
    assert status == 422, body
    assert body["errors"][0]["pointer"] == pointer
    assert body["errors"][0]["hint"]


def test_limits_make_a_sliding_joint_possible(daemon):
    request = {"tries": 10, "limits": {"lower": [-1, -1, 0], "upper": [1, 1, 0.2]}, "interval_s": 0.5}
    status, body = post(daemon, "/v1/robots/scara/excitation", request)
    assert status == 200, body
    assert all(0 <= q[2] <= 0.2 for q in body["q"])


def test_a_long_search_is_a_job_that_can_be_cancelled(daemon):
    status, body = post(daemon, "/v1/robots/panda/excitation", {"tries": 100000}, Prefer="respond-async")
    assert status == 202
    status, _, _ = daemon.request("POST", f"/v1/jobs/{body['id']}/cancel")
    assert status in (200, 202)
    state = "queued"
    while state in ("queued", "running"):  # the test's own time limit ends it
        time.sleep(0.05)
        state = json.loads(daemon.request("GET", f"/v1/jobs/{body['id']}")[2])["state"]
    assert state == "cancelled"
