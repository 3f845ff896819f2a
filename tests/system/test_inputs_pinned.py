# SPDX-License-Identifier: Apache-2.0
# tests/system/test_inputs_pinned.py - what a job reads is what its names meant when it was acknowledged.
import hashlib
import json
import math
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contract"))
import conftest  # noqa: E402

JSON = {"Content-Type": "application/json"}
ASYNC = {**JSON, "Prefer": "respond-async"}
LONG = {"initial": {"q": [0.3, 0.2]}, "duration_s": 9e4, "solver": {"method": "rk4", "step_s": 1e-4}, "output": {"interval_s": 100}}


def motion(phase):
    """A joint that swings, with its torque: the two phases give other answers."""
    rows = ["t,q,tau"]
    for k in range(1500):
        t = 0.004 * k
        rows.append(f"{t:.6f},{math.sin(3 * t + phase) + 0.4 * math.cos(7.1 * t):.9f},{2.5 * math.sin(2.2 * t + phase):.9f}")
    return "\n".join(rows).encode()


def sha(data):
    return hashlib.sha256(data).hexdigest()


def put(daemon, name, data):
    assert daemon.request("PUT", f"/v1/datasets/{name}", data)[0] in (200, 201)


def submit(daemon, path, body):
    status, _, text = daemon.request("POST", path, json.dumps(body), ASYNC)
    assert status == 202, text
    return json.loads(text)["id"]


def ended(daemon, job):
    state = {}

    def over():
        state.update(json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2]))
        return state["state"] in ("succeeded", "failed", "cancelled")

    conftest.eventually(over)
    return state


def result(daemon, job):
    state = ended(daemon, job)
    assert state["state"] == "succeeded", state
    return json.loads(daemon.request("GET", f"/v1/jobs/{job}/result")[2])


def now(daemon, path, body):
    status, _, text = daemon.request("POST", path, json.dumps(body), JSON)
    assert status == 200, text
    return json.loads(text)


def occupy(daemon):
    """All later jobs wait for it: there is one runner."""
    job = submit(daemon, "/v1/robots/planar-2r/simulate", LONG)
    conftest.eventually(lambda: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "running")
    return job


FROM = {"dataset": "run", "filter": {"kind": "none"}}
ASKED = {
    "from": ("/v1/robots/pendulum/inverse-dynamics", {"from": FROM}),
    "split": ("/v1/robots/pendulum/inverse-dynamics", {"from": {"q": "run", "tau": "run", "time": "run", "filter": {"kind": "none"}}}),
    "calibrate": ("/v1/robots/pendulum/calibrate", {"datasets": ["run"], "method": "wls"}),
    "calibrate and validate": ("/v1/robots/pendulum/calibrate", {"datasets": [{"dataset": "run"}], "validate": ["run2"], "method": "wls"}),
    "compare": ("/v1/compare", {"a": {"dataset": "run"}, "b": {"dataset": "run2"}}),
}


@pytest.mark.parametrize("how", ["replaced", "deleted", "replaced, and the service killed"])
def test_datasets_of_waiting_jobs_stay_as_they_were(start, tmp_path, how):
    state = tmp_path / "state"
    daemon = start({"jobs": 1}, state=str(state))
    first, second = motion(0.0), motion(0.1)
    put(daemon, "run", first)
    put(daemon, "run2", second)
    right = {what: now(daemon, path, body) for what, (path, body) in ASKED.items()}
    busy = occupy(daemon)
    jobs = {what: submit(daemon, path, body) for what, (path, body) in ASKED.items()}
    if how == "deleted":
        for name in ("run", "run2"):
            assert daemon.request("DELETE", f"/v1/datasets/{name}")[0] == 204
    else:
        put(daemon, "run", motion(1.0))
        put(daemon, "run2", motion(1.3))
    if "killed" in how:
        daemon.closed = True
        daemon.process.kill()
        daemon.process.wait()
        daemon = start({"jobs": 1}, state=str(state))
    daemon.request("POST", f"/v1/jobs/{busy}/cancel")
    for what, job in jobs.items():
        assert result(daemon, job) == right[what], what
    # the version can be asked for as long as a job keeps it: at once, and by another job
    path, body = "/v1/robots/pendulum/inverse-dynamics", {"from": {**FROM, "dataset": f"run@{sha(first)}"}}
    assert now(daemon, path, body)["tau"] == right["from"]["tau"]
    again = submit(daemon, path, body)
    assert result(daemon, again)["tau"] == right["from"]["tau"]
    kept = state / "files" / sha(first)[:2] / sha(first)
    assert kept.exists()
    for job in json.loads(daemon.request("GET", "/v1/jobs?limit=100")[2])["jobs"]:  # a calibration is a job even when it is waited for
        assert ended(daemon, job["id"])
        assert daemon.request("DELETE", f"/v1/jobs/{job['id']}")[0] == 204
    conftest.eventually(lambda: not kept.exists())
    assert daemon.request("POST", path, json.dumps(body), JSON)[0] == 422


@pytest.mark.parametrize("rows", [20, 3000])  # a result in its row, and in a file
def test_results_that_waiting_jobs_read_stay(start, rows):
    daemon = start({"jobs": 1})
    motion_of = {"initial": {"q": [0.3, 0.2]}, "duration_s": 0.2, "solver": {"method": "rk4", "step_s": 1e-4},
                 "output": {"interval_s": 0.2 / rows}}
    source = submit(daemon, "/v1/robots/planar-2r/simulate", motion_of)
    result(daemon, source)
    size = len(daemon.request("GET", f"/v1/jobs/{source}/result")[2])
    assert (size > 65536) == (rows > 1000)
    asked = {"/v1/compare": {"a": {"job": source}, "b": {"job": source}},
             "/v1/robots/planar-2r/inverse-dynamics": {"from": {"job": source, "filter": {"kind": "none"}}}}
    right = {path: now(daemon, path, body) for path, body in asked.items()}
    busy = occupy(daemon)
    jobs = {path: submit(daemon, path, body) for path, body in asked.items()}
    assert daemon.request("DELETE", f"/v1/jobs/{source}")[0] == 204
    daemon.request("POST", f"/v1/jobs/{busy}/cancel")
    for path, job in jobs.items():
        assert result(daemon, job) == right[path]


def test_a_job_may_read_what_waits_before_it(start):
    daemon = start({"jobs": 1})
    busy = occupy(daemon)
    source = submit(daemon, "/v1/robots/planar-2r/simulate", {**LONG, "duration_s": 0.1, "output": {"interval_s": 0.01}})
    reader = submit(daemon, "/v1/compare", {"a": {"job": source}, "b": {"job": source}})
    daemon.request("POST", f"/v1/jobs/{busy}/cancel")
    assert all(c["max"] == 0 for c in result(daemon, reader)["columns"])


def test_a_damaged_input_fails_the_job_and_is_named(start, tmp_path):
    state = tmp_path / "state"
    daemon = start({"jobs": 1}, state=str(state))
    data = motion(0.0)
    put(daemon, "run", data)
    busy = occupy(daemon)
    jobs = [submit(daemon, path, body) for what, (path, body) in ASKED.items() if "run2" not in json.dumps(body)]
    path = state / "files" / sha(data)[:2] / sha(data)
    whole = path.read_bytes()
    path.write_bytes(whole[:3000] + bytes([whole[3000] ^ 1]) + whole[3001:])
    daemon.request("POST", f"/v1/jobs/{busy}/cancel")
    for job in jobs:
        state = ended(daemon, job)
        assert state["state"] == "failed" and state["problem"]["type"] == "/problems/damaged", state
