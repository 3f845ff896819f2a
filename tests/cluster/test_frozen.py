# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_frozen.py - nodes that are stopped for longer than their lease and go on afterwards: they change nothing.
"""FREEZES: how often a node is frozen under load (4)."""

import json
import os
import random
import signal
import time

import pytest
from test_cluster import ASYNC, ENDED, SIMULATE, cluster, conftest, pytestmark, single, under_load  # noqa: F401

FREEZES = int(os.environ.get("FREEZES", "4"))


def rows_of(home, job):
    """All that the database has of one job, as one digest."""
    seq = f"(SELECT seq FROM {home.schema}.job WHERE id = '{job}')"
    parts = [f"SELECT md5(j::text) FROM {home.schema}.job j WHERE j.id = '{job}'"]
    parts += [f"SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM {home.schema}.{table} t WHERE t.job = {seq}"
              for table in ("job_body", "job_attachment", "job_event", "job_spool")]
    parts += [f"SELECT md5(coalesce(string_agg(c.bytes::text, '' ORDER BY c.n), '')) FROM {home.schema}.file_chunk c JOIN {home.schema}.job_body b"
              f" ON b.file = c.digest WHERE b.job = {seq}"]
    return home.postgres.query(" UNION ALL ".join(f"({part})" for part in parts))


def motion(interval_s):
    return json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 60, "output": {"interval_s": interval_s}, "solver": {"method": "rk4", "step_s": 1e-4}}).encode()


@pytest.mark.seconds(300)
@pytest.mark.parametrize("interval_s", (1, 0.002), ids=("few-rows", "files"))
def test_a_frozen_node_comes_back_and_changes_nothing(cluster, interval_s):  # noqa: F811
    """With many rows the spool of the run and its result are files."""
    home, request_ = cluster(2), motion(interval_s)
    alone = json.loads(home.request("POST", SIMULATE, request_, ASYNC)[2])["id"]
    conftest.eventually(lambda: home.json(f"/v1/jobs/{alone}")["progress"]["fraction"] > 0.1)
    owner = int(home.json(f"/v1/jobs/{alone}")["node"].removeprefix("node-"))
    frozen, other = home.nodes[owner], home.nodes[1 - owner]
    frozen.daemon.process.send_signal(signal.SIGSTOP)
    try:
        conftest.eventually(lambda: other.json(f"/v1/jobs/{alone}")["attempts"] > 1 or other.json(f"/v1/jobs/{alone}")["state"] in ENDED)
        while other.json(f"/v1/jobs/{alone}")["state"] not in ENDED:
            time.sleep(0.05)
        before = rows_of(home, alone)
    finally:
        frozen.daemon.process.send_signal(signal.SIGCONT)
    document = home.ended(alone)
    assert document["state"] == "succeeded" and document["node"] == f"node-{1 - owner}", document
    # the frozen one has noticed, and given its run up
    conftest.eventually(lambda: {n["name"]: n["running"] for n in frozen.json("/v1/nodes")["nodes"]} == {"node-0": 0, "node-1": 0})
    assert rows_of(home, alone) == before
    result = home.request("GET", f"/v1/jobs/{alone}/result")[2]
    again = json.loads(home.request("POST", SIMULATE, request_, ASYNC)[2])["id"]
    assert home.ended(again)["state"] == "succeeded"
    assert home.request("GET", f"/v1/jobs/{again}/result")[2] == result, "the same bits as in one go"
    assert single.states_of(home, alone).count("succeeded") == 1


@pytest.mark.seconds(240 + 20 * FREEZES)
def test_frozen_under_load(cluster):  # noqa: F811
    home, chance = cluster(), random.Random(FREEZES)

    def freeze():
        process = chance.choice(home.nodes).daemon.process
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5 + 2 * chance.random())  # the lease is 2 s; a group of writes that is cut off within it is rolled back after 5 s
        process.send_signal(signal.SIGCONT)

    under_load(home, [freeze] * FREEZES, chance)
