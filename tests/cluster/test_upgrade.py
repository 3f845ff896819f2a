# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_upgrade.py - a step of the schema under load, and daemons of the schema before beside newer ones.
"""TORQUED_OLDER: the last daemon of the schema before (tests/run/older.sh)."""

import contextlib
import importlib.util
import json
import os
import threading
import time

import pytest
from servers import Psql, kept  # noqa: F401
from test_cluster import ASYNC, PATH, check_all, check_events, cluster, conftest, pytestmark, single  # noqa: F401
from test_rolling import Proxy, User

_spec = importlib.util.spec_from_file_location("system_parts", os.path.join(os.path.dirname(single.__file__), "test_parts.py"))
alone = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(alone)

OLDER = os.environ.get("TORQUED_OLDER") or None
# a step that waits for a lock: nothing else holds the advisory lock
WAITING = ("SELECT count(*) FROM pg_locks w JOIN pg_locks a ON a.pid = w.pid AND a.locktype = 'advisory' AND a.granted"
           " WHERE NOT w.granted")
needs_older = pytest.mark.skipif(OLDER is None, reason="no daemon of the schema before: tests/run/older.sh")

def start(node, program):
    node.program = program
    node.start()


@needs_older
def test_a_step_beside_a_group_of_writes(cluster):  # noqa: F811
    """The step needs locks that a group takes after the one that all groups take first: it takes that one first too."""
    home = cluster(2, started=False)
    older, newer = home.nodes
    start(older, OLDER)
    job = json.loads(older.request("POST", PATH, single.body(1, 1), ASYNC)[2])["id"]
    older.ended(job)
    before = home.postgres.query(f"SELECT version FROM {home.schema}.identity")
    with contextlib.closing(Psql(home)) as group:
        group.ask("BEGIN; SELECT tqd_begin()")
        starting = threading.Thread(target=newer.start, daemon=True)
        starting.start()
        conftest.eventually(lambda: home.postgres.query(WAITING) != "0")
        group.ask("UPDATE job SET fraction = 1; COMMIT")
    starting.join(conftest.PATIENCE)
    assert not starting.is_alive() and newer.json(f"/v1/jobs/{job}")["state"] == "succeeded"
    assert int(home.postgres.query(f"SELECT version FROM {home.schema}.identity")) > int(before)


def use_all(home, n):
    """Every node takes jobs, robots and datasets, and serves what the others have; a large ensemble has the same bits whoever helps."""
    jobs, arm, rows = {}, single.test_robots.urdf(3), b"t,a\n" + b"".join(b"%d,%d\n" % (i, i * i + n) for i in range(200000))
    large = [alone.begin(node) for node in home.nodes]
    for i, node in enumerate(home.nodes):
        tag = node.request("PUT", f"/v1/robots/arm-{n}-{i}", arm)[1]["ETag"]
        assert node.request("PUT", f"/v1/datasets/run-{n}-{i}", rows, {"Content-Type": "text/csv"})[0] == 201
        for other in home.nodes:
            conftest.eventually(lambda other=other, i=i, tag=tag: other.request("GET", f"/v1/robots/arm-{n}-{i}")[1].get("ETag") == tag)
            assert other.request("GET", f"/v1/datasets/run-{n}-{i}/content")[2] == rows
        for k in range(10):
            data = single.body(900 if k == 9 else 3, k)
            jobs[json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]] = data
    assert len({alone.result(home, job) for job in large}) == 1
    for job in large:
        assert single.states_of(home, job) == ["queued", "running", "succeeded"]
        assert home.request("DELETE", f"/v1/jobs/{job}")[0] == 204
    check_all(home, jobs)
    for job in jobs:
        assert home.request("DELETE", f"/v1/jobs/{job}")[0] == 204
    for i in range(len(home.nodes)):
        assert home.request("DELETE", f"/v1/robots/arm-{n}-{i}")[0] == home.request("DELETE", f"/v1/datasets/run-{n}-{i}")[0] == 204


@needs_older
@pytest.mark.seconds(600)
def test_an_older_daemon_beside_newer_ones(cluster):  # noqa: F811
    """One after another, the newer first on any of them; an older one starts again beside newer ones."""
    home = cluster(3, started=False)
    for node in home.nodes:
        start(node, OLDER)
    before = int(home.postgres.query(f"SELECT version FROM {home.schema}.identity"))
    use_all(home, 0)
    home.nodes[1].daemon.stop()
    start(home.nodes[1], None)
    assert int(home.postgres.query(f"SELECT version FROM {home.schema}.identity")) == before + 1
    use_all(home, 1)
    home.nodes[0].daemon.stop()
    start(home.nodes[0], OLDER)
    home.nodes[2].daemon.stop()
    start(home.nodes[2], None)
    use_all(home, 2)



@needs_older
@pytest.mark.seconds(300)
def test_rolling_update_of_the_schema_under_load(kept, cluster):  # noqa: F811
    """From the schema before to this one behind haproxy: no request fails, no job is lost."""
    home, stop = cluster(3, started=False), threading.Event()
    for node in home.nodes:
        start(node, OLDER)
    proxy = kept(Proxy(home.nodes))
    users = [User(proxy.port, i, stop, keyed=True) for i in range(6)]
    for u in users:
        u.start()
    time.sleep(1)
    for node in home.nodes:
        node.daemon.stop()
        time.sleep(0.5)
        start(node, None)
        conftest.eventually(lambda: proxy.states() == ["UP"] * len(home.nodes))
        time.sleep(0.5)
    stop.set()
    for u in users:
        u.join(2 * conftest.PATIENCE)
        assert not u.is_alive()
    failures = [failure for u in users for failure in u.failures]
    jobs = {job: data for u in users for job, data in u.jobs.items()}
    print(f"{sum(u.n for u in users)} requests, {len(jobs)} jobs, {len(failures)} failures")
    assert not failures, failures[:10]
    assert len(jobs) > 20
    check_all(home, jobs)
    check_events(home)
