# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_drain.py - a node that is drained, or ends by SIGTERM, hands its running job to another by its checkpoint.
import json

import pytest
import test_cluster
from test_cluster import ASYNC, LONG, SIMULATE, cluster, conftest, pytestmark, single  # noqa: F401


def begun(home):
    """A job that runs and has a checkpoint, and the node that it runs on."""
    job = json.loads(home.request("POST", SIMULATE, LONG, ASYNC)[2])["id"]
    conftest.eventually(lambda: home.postgres.query(
        f"SELECT count(*) FROM {home.schema}.job_body b JOIN {home.schema}.job j ON j.seq = b.job WHERE j.id = '{job}' AND b.what = 2") == "1")
    return job, home.json(f"/v1/jobs/{job}")["node"]


def whole(home, job, former):
    """It ended once, elsewhere, with the bits of a run in one go; its second run began at the checkpoint."""
    document = home.ended(job)
    assert document["state"] == "succeeded" and document["node"] != former and document["attempts"] == 2, document
    again = json.loads(home.request("POST", SIMULATE, LONG, ASYNC)[2])["id"]
    assert home.ended(again)["state"] == "succeeded"
    assert home.request("GET", f"/v1/jobs/{job}/result")[2] == home.request("GET", f"/v1/jobs/{again}/result")[2]
    assert single.states_of(home, job) == ["queued", "running", "queued", "running", "succeeded"]


@pytest.mark.seconds(300)
def test_drained(cluster):  # noqa: F811
    home = cluster(2, {"lease": 600000})  # no lease runs out: what moves is handed over
    job, former = begun(home)
    owner, other = home.nodes if former == "node-0" else home.nodes[::-1]
    status, _, text = other.daemon.request("POST", f"/v1/nodes/{former}/drain")  # asked of another node
    assert status == 200 and json.loads(text)["state"] == "drained", text
    conftest.eventually(lambda: home.json(f"/v1/jobs/{job}")["node"] != former)
    conftest.eventually(lambda: {n["name"]: (n["state"], n["running"]) for n in other.json("/v1/nodes")["nodes"]}[former] == ("drained", 0))
    whole(home, job, former)
    jobs = {}
    for i in range(20):  # asked of the drained node, run by the other
        data = single.body(3, i)
        jobs[json.loads(owner.request("POST", test_cluster.PATH, data, ASYNC)[2])["id"]] = data
    assert {home.ended(j)["node"] for j in jobs} == {n for n in ("node-0", "node-1") if n != former}
    assert other.daemon.request("POST", f"/v1/nodes/{former}/resume")[0] == 200
    other.daemon.request("POST", "/v1/nodes/" + ("node-1" if former == "node-0" else "node-0") + "/drain")
    last = json.loads(other.request("POST", test_cluster.PATH, single.body(1, 1), ASYNC)[2])["id"]
    assert home.ended(last)["node"] == former, "resumed, it takes jobs again"


@pytest.mark.seconds(300)
def test_ended_by_sigterm(cluster):  # noqa: F811
    home = cluster(2, {"lease": 600000})
    job, former = begun(home)
    owner, other = home.nodes if former == "node-0" else home.nodes[::-1]
    owner.daemon.stop()
    home.nodes.remove(owner)  # questions go to the one that is left
    try:
        whole(home, job, former)
    finally:
        home.nodes.append(owner)
