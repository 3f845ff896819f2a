# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_nodes.py - /v1/nodes of a daemon alone: its entry; drained, restarted, resumed.
import json
import pathlib
import subprocess

from conftest import TORQUED, eventually

TORQUECTL = str(pathlib.Path(TORQUED).parent / "torquectl")
LONG = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 60, "output": {"interval_s": 1}, "solver": {"method": "rk4", "step_s": 1e-4}})
ASYNC = {"Prefer": "respond-async", "Content-Type": "application/json"}


def node_of(one):
    (node,) = json.loads(one.request("GET", "/v1/nodes")[2])["nodes"]
    return node


def job_of(one, job):
    return json.loads(one.request("GET", f"/v1/jobs/{job}")[2])


def simulate(one):
    status, _, text = one.request("POST", "/v1/robots/planar-2r/simulate", LONG, ASYNC)
    assert status == 202, text
    return json.loads(text)["id"]


def test_a_node_says_what_it_is(start):
    one = start({"node": "north", "jobs": 3, "lane_width": 1})
    node = node_of(one)
    assert node["state"] == "active" and node["runners"] == 3 and node["lane_width"] == 1
    assert 1 << 20 < node["memory_bytes"] < 1 << 33
    text = one.request("GET", "/metrics")[2].decode()
    assert 'torqued_node_runners{node="north"} 3\n' in text and 'torqued_node_drained{node="north"} 0\n' in text


def test_drained_its_job_waits_over_a_restart_and_goes_on(start, tmp_path):
    state = str(tmp_path / "state")
    one = start({"node": "north", "jobs": 1}, state=state)
    job = simulate(one)
    eventually(lambda: job_of(one, job)["progress"]["fraction"] > 0)
    done = subprocess.run([TORQUECTL, "-s", one.url, "-o", "json", "nodes", "drain", "north"], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout)["state"] == "drained"
    eventually(lambda: node_of(one)["running"] == 0)
    eventually(lambda: job_of(one, job)["state"] == "queued")
    assert one.request("POST", "/v1/nodes/north/drain")[0] == 200, "repeated, it changes nothing"
    other = simulate(one)
    assert 'torqued_node_drained{node="north"} 1\n' in one.request("GET", "/metrics")[2].decode()
    one.stop()
    one = start({"node": "north", "jobs": 1}, state=state)
    assert node_of(one)["state"] == "drained"
    assert [job_of(one, j)["state"] for j in (job, other)] == ["queued", "queued"]
    listed = subprocess.run([TORQUECTL, "-s", one.url, "nodes"], capture_output=True, text=True, check=True, timeout=60)
    assert "north" in listed.stdout and "drained" in listed.stdout
    status, _, text = one.request("POST", "/v1/nodes/north/resume")
    assert status == 200 and json.loads(text)["state"] == "active"
    for each in (job, other):
        eventually(lambda each=each: job_of(one, each)["state"] == "succeeded")
    results = [one.request("GET", f"/v1/jobs/{each}/result")[2] for each in (job, other)]
    assert results[0] == results[1], "handed over and taken up again: the same bits"


def test_a_node_that_is_not_there(start):
    one = start({"node": "north"})
    node_of(one)
    status, _, text = one.request("POST", "/v1/nodes/nowhere/drain")
    assert status == 404 and "nowhere" in json.loads(text)["detail"]
