# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_failover.py - a streaming replica of PostgreSQL takes over from a primary that is killed, while jobs run.
"""FAILOVER_JOBS: how many jobs are acknowledged, half of them before (200); FAILOVERS: how often, on a pair of its own each time (1)."""

import json
import os
import random
import threading
import time

import pytest
from servers import Server, kept  # noqa: F401
from test_cluster import ASYNC, PATH, PATIENCE, Postgres, check_all, check_events, cluster, conftest, pytestmark, single  # noqa: F401

JOBS, TIMES = int(os.environ.get("FAILOVER_JOBS", "200")), int(os.environ.get("FAILOVERS", "1"))


class Pair(Postgres):
    """A primary and its replica. Both are in the address: whoever takes writes is asked."""

    def __init__(self, keep, synchronous):
        self.primary = keep(Server())
        self.replica = keep(Server(of=self.primary))
        self.way = f"postgresql://torqued@127.0.0.1:{self.primary.port},127.0.0.1:{self.replica.port}/postgres?sslmode=disable"
        self.uri = f"{self.way}&connect_timeout=5&target_session_attrs=read-write"  # daemons ask for that by themselves
        if synchronous:
            self.primary.set(synchronous_standby_names="*")
        conftest.eventually(lambda: self.primary.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
                            == ("sync" if synchronous else "async"))

    def promote(self):
        self.replica.control("promote")


@pytest.mark.seconds(180 + JOBS // 2)
@pytest.mark.parametrize("time_", range(TIMES))
def test_promoted_while_jobs_run(kept, cluster, time_):  # noqa: F811
    pair, stop, chance = Pair(kept, True), threading.Event(), random.Random(time_)
    home = cluster(3, postgres=pair, way=pair.way)
    processes = [node.daemon.process.pid for node in home.nodes]
    clients = [single.Client(home, i, stop) for i in range(4)]
    for c in clients:
        c.start()

    def acknowledged():
        return sum(len(c.jobs) for c in clients)

    def come(n):
        until = time.monotonic() + PATIENCE + n
        while acknowledged() < n and not any(c.fault for c in clients):
            assert time.monotonic() < until, f"{acknowledged()} of {n} jobs"
            time.sleep(0.02)

    come(JOBS // 2)
    before = {job for c in clients for job in c.jobs}
    pair.primary.kill_all()
    time.sleep(3 * chance.random())
    pair.promote()
    come(JOBS)
    stop.set()
    for c in clients:
        c.join(2 * PATIENCE)
        assert not c.is_alive() and c.fault is None, c.fault
    jobs = {job: data for c in clients for job, data in c.jobs.items()}
    assert len(before) >= JOBS // 2 and before < set(jobs)
    check_all(home, jobs)
    check_events(home)
    assert [node.daemon.process.pid for node in home.nodes if node.daemon.process.poll() is None] == processes, "no daemon was started again"
    for c in clients:
        for name, tag in c.robots.items():
            assert home.request("GET", f"/v1/robots/{name}")[1]["ETag"] == tag
    print(f"{len(before)} jobs before, {len(jobs)} in all")


@pytest.mark.seconds(180)
def test_without_its_synchronous_replica_nothing_is_acknowledged(kept, cluster):  # noqa: F811
    pair = Pair(kept, True)
    home = cluster(2, postgres=pair, way=pair.way)
    data = single.body(2, 1)
    first = json.loads(home.request("POST", PATH, data, ASYNC)[2])["id"]
    assert home.ended(first)["state"] == "succeeded"
    pair.replica.control("stop", "-m", "fast")
    for node in home.nodes:
        status, headers, text = node.daemon.request("POST", PATH, data, {**ASYNC, "Idempotency-Key": node.settings["node"]})
        assert status == 503 and int(headers["Retry-After"]) > 0, text
        assert node.daemon.request("GET", f"/v1/jobs/{first}")[0] == 200, "reads go on"
    pair.replica.control("start")
    jobs = {first: data}
    for node in home.nodes:  # the same keys: what the primary had committed meanwhile is found
        jobs[json.loads(home.request("POST", PATH, data, {**ASYNC, "Idempotency-Key": node.settings["node"]})[2])["id"]] = data
    assert len(jobs) == 3
    check_all(home, jobs)


@pytest.mark.seconds(180)
def test_an_administrator_who_cancels_the_wait_for_a_replica_acknowledges_nothing(kept, cluster):  # noqa: F811
    """The server answers such a commit with COMMIT and a warning."""
    pair = Pair(kept, True)
    home = cluster(1, postgres=pair, way=pair.way)
    node, data, waiting = home.nodes[0], single.body(2, 1), "wait_event = 'SyncRep'"
    pair.replica.control("stop", "-m", "fast")
    asked = threading.Thread(target=lambda: got.append(node.daemon.request("POST", PATH, data, ASYNC)), daemon=True)
    got = []
    asked.start()
    while asked.is_alive():
        pair.query(f"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE {waiting}")
        asked.join(0.1)
    assert got[0][0] == 503, got
    pair.replica.control("start")
    assert home.ended(json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"])["state"] == "succeeded"


@pytest.mark.seconds(180)
def test_asynchronous_replication_loses_the_last_moments_and_says_so(kept, cluster):  # noqa: F811
    """What docs/cluster.md warns of, and what a node reports with its next commit; or at its next start, from its mark."""
    pair = Pair(kept, False)
    home = cluster(1, postgres=pair, way=pair.way)
    node, data = home.nodes[0], single.body(2, 1)
    first = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
    assert home.ended(first)["state"] == "succeeded"
    there = f"SELECT count(*) FROM {home.schema}.job WHERE id = '{first}' AND state = 2"
    conftest.eventually(lambda: pair.replica.query(f"SELECT to_regclass('{home.schema}.job')") != "")  # it lags
    conftest.eventually(lambda: pair.replica.query(there) == "1")
    pair.replica.set_offline()
    lost = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
    assert home.ended(lost)["state"] == "succeeded"
    pair.primary.kill_all()
    pair.promote()
    assert node.request("GET", f"/v1/jobs/{lost}")[0] == 404 and home.ended(first)["state"] == "succeeded"
    last = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]  # its commit has a number that another had
    assert home.ended(last)["state"] == "succeeded"
    said = '"acknowledged work is missing"'
    conftest.eventually(lambda: any(said in line for line in node.daemon.log))
    assert conftest.metric(node.daemon, "torqued_store_commits_missing") > 0
    # a node that was down meanwhile
    node.daemon.stop()
    with open(os.path.join(node.state, "torqued.commit")) as f:
        identity, number = f.read().split()
    with open(os.path.join(node.state, "torqued.commit"), "w") as f:
        f.write(f"{identity} {int(number) + 5:020d}\n")
    node.start()
    conftest.eventually(lambda: any(said in line for line in node.daemon.log))
