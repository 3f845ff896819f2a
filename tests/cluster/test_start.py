# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_start.py - daemons that start at once on an empty database: one schema, all of them serve.
"""STARTS: how often (2), of DAEMONS at once (10)."""

import json
import os
import threading

import pytest
from test_cluster import ASYNC, PATH, Postgres, check_all, cluster, conftest, pytestmark, single  # noqa: F401

STARTS, DAEMONS = int(os.environ.get("STARTS", "2")), int(os.environ.get("DAEMONS", "10"))


def start_all(home):
    faults = []

    def start(node):
        try:
            node.start()
        except Exception as fault:  # noqa: BLE001 - reported by the test
            faults.append(fault)

    threads = [threading.Thread(target=start, args=(node,), daemon=True) for node in home.nodes]
    for t in threads:
        t.start()
    for t in threads:
        t.join(2 * conftest.PATIENCE)
    assert not faults and not any(t.is_alive() for t in threads), faults


@pytest.mark.seconds(60 * STARTS)
def test_daemons_start_at_once_on_an_empty_database(cluster):  # noqa: F811
    for _ in range(STARTS):
        home = cluster(DAEMONS, started=False)
        start_all(home)
        assert home.postgres.query(f"SELECT count(*), min(version) = max(version) FROM {home.schema}.identity") == "1|t"
        names = sorted(f"node-{i}" for i in range(DAEMONS))
        conftest.eventually(lambda home=home, names=names: [n["name"] for n in home.nodes[-1].json("/v1/nodes")["nodes"]] == names)
        jobs = {}
        for i, node in enumerate(home.nodes):  # each takes jobs
            data = single.body(2, i)
            jobs[json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]] = data
        check_all(home, jobs)
        for node in home.nodes:
            node.daemon.stop()


@pytest.mark.seconds(120)
def test_a_daemon_waits_for_another_that_makes_the_schema(cluster):  # noqa: F811
    """Another program holds the lock of the first steps, and lets go without having taken one."""
    home = cluster(2, started=False)
    lock = f"SET search_path = {home.schema}; BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('torqued.' || current_schema(), 0)); SELECT pg_sleep(4)"
    holder = threading.Thread(target=Postgres().query, args=(lock,), daemon=True)
    holder.start()
    conftest.eventually(lambda: home.postgres.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") != "0")
    start_all(home)
    holder.join(conftest.PATIENCE)
    data = single.body(2, 1)
    check_all(home, {json.loads(home.request("POST", PATH, data, ASYNC)[2])["id"]: data})
