# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_cut_off.py - the network between a node and PostgreSQL ends, or is silent: 503, no false answer, recovery alone.
"""The wire is a TCP proxy in this process. Silent, it acknowledges every byte, so that no keepalive of the kernel notices."""

import contextlib
import json
import os
import signal
import threading
import time

import pytest
from servers import Psql, Server, Wire, kept  # noqa: F401
from test_cluster import ASYNC, JSON, PATH, cluster, conftest, pytestmark, single  # noqa: F401

# a group that has everything but its COMMIT
IN_BETWEEN = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'ClientRead' AND backend_xid IS NOT NULL"
KEYED = {**ASYNC, "Idempotency-Key": "once"}


def behind_a_wire(kept, cluster, of_server="", n=1, settings=None):  # noqa: F811
    server = kept(Server(of_server))
    wire = kept(Wire(server.port))
    home = cluster(n, settings, postgres=server, way=server.uri.replace(str(server.port), str(wire.port)))
    return server, wire, home


def refused(got):
    status, headers, text = got
    assert status == 503 and int(headers["Retry-After"]) > 0, (status, text)


class Asked(threading.Thread):
    """A request whose answer takes its time."""

    def __init__(self, node, *what):
        super().__init__(daemon=True)
        self.node, self.what, self.got = node, what, None
        self.start()

    def run(self):
        self.got = self.node.daemon.request(*self.what)

    def answer(self):
        self.join(2 * conftest.PATIENCE)
        assert self.got is not None, "no answer"
        return self.got


def all_jobs(home):
    return {job["id"] for job in home.json("/v1/jobs?limit=200")["jobs"]}


@pytest.mark.seconds(300)
@pytest.mark.parametrize("how", ("silent", "ended", "frozen"))
def test_cut_off_from_the_database(kept, cluster, how):  # noqa: F811
    """Silent: nothing comes through any more. Ended: connections are reset and refused. Frozen: the server's processes are stopped."""
    server, wire, home = behind_a_wire(kept, cluster)
    node, data = home.nodes[0], single.body(2, 1)
    before = {json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"] for _ in range(3)}
    for job in before:
        assert home.ended(job)["state"] == "succeeded"
    stopped = server.processes() if how == "frozen" else []
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    if how == "silent":
        wire.hold(requests=True, answers=True)
    if how == "ended":
        wire.close()
    try:
        # all at once: none waits for another's patience
        asked = [Asked(node, "POST", PATH, data, ASYNC) for _ in range(3)] + [Asked(node, "GET", f"/v1/jobs/{job}") for job in before]
        assert node.daemon.request("POST", PATH, data, JSON)[0] == 200, "what needs no store goes on"
        for one in asked:
            refused(one.answer())
        for _ in range(3):
            refused(node.daemon.request("POST", PATH, data, ASYNC))
            refused(node.daemon.request("GET", "/v1/jobs"))
        assert node.daemon.request("POST", PATH, data, JSON)[0] == 200
    finally:
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
    wire.hold()
    if how == "ended":
        kept(Wire(server.port, wire.port))
    after = {json.loads(node.request("POST", PATH, data, KEYED)[2])["id"]}
    assert home.ended(*after)["state"] == "succeeded"
    # the server may have finished what it had received: such a job was not acknowledged, and runs like any
    assert before | after <= all_jobs(home)
    for job in all_jobs(home):
        assert home.ended(job)["state"] == "succeeded" and single.states_of(home, job).count("succeeded") == 1
    assert node.daemon.process.poll() is None


@pytest.mark.seconds(300)
def test_a_lost_answer_is_no_acknowledgement_and_no_second_job(kept, cluster):  # noqa: F811
    """The server commits and its answer does not come: 503, and the same key finds the job."""
    server, wire, home = behind_a_wire(kept, cluster)
    node, data = home.nodes[0], single.body(2, 1)

    before = set()

    def is_committed():  # not if a group of before is held instead: nothing else is sent then
        job = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
        before.add(job)
        home.ended(job)  # and the runner is idle
        wire.hold(answers=True)
        refused(node.daemon.request("POST", PATH, data, KEYED))
        committed = server.query(f"SELECT count(*) FROM {home.schema}.job") == str(len(before) + 1)
        wire.hold()
        wire.cut()
        return committed

    conftest.eventually(is_committed)
    job = json.loads(node.request("POST", PATH, data, KEYED)[2])["id"]
    assert home.ended(job)["state"] == "succeeded" and all_jobs(home) == before | {job}
    states = single.states_of(home, job)  # a claim whose answer was held too is given back
    assert states == ["queued", "running"] * (len(states) // 2) + ["succeeded"]


@pytest.mark.seconds(300)
def test_a_commit_whose_answer_was_cut_off_is_looked_up(kept, cluster):  # noqa: F811
    """The connection ends between the commit and its answer; on the next the server says that it is committed."""
    server, wire, home = behind_a_wire(kept, cluster)
    node, data = home.nodes[0], single.body(2, 1)
    home.ended(json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"])
    wire.hold_from(b"tqd_submit", b"COMMIT")  # answers before it pass
    asked = Asked(node, "POST", PATH, data, KEYED)
    assert wire.reached.wait(conftest.PATIENCE)
    conftest.eventually(lambda: server.query(IN_BETWEEN) == "1")
    time.sleep(0.2)  # what the server has said is here
    wire.hold(answers=True, of=wire.of)
    conftest.eventually(lambda: server.query(f"SELECT count(*) FROM {home.schema}.job") == "2")
    wire.hold()
    wire.cut()
    status, _, text = asked.answer()
    assert status == 202, text
    job = json.loads(text)["id"]
    assert home.ended(job)["state"] == "succeeded" and len(all_jobs(home)) == 2


@pytest.mark.seconds(300)
def test_a_group_that_is_cut_off_in_its_middle_does_not_hold_up_others(kept, cluster):  # noqa: F811
    """The server has all of a group but its COMMIT, and the lock of all nodes with it. No timeout of its own ends that."""
    server = kept(Server())
    wire = kept(Wire(server.port))
    home = cluster(2, started=False, postgres=server, way=server.uri.replace(str(server.port), str(wire.port)))
    behind, direct = home.nodes
    direct.settings["store"] = direct.settings["store"].replace(str(wire.port), str(server.port))
    for node in home.nodes:
        node.start()
    first = json.loads(behind.request("POST", PATH, single.body(2, 3), ASYNC)[2])["id"]  # the robot comes with it
    home.ended(first)
    wire.hold_from(b"tqd_submit", b"COMMIT")
    asked = Asked(behind, "POST", PATH, single.body(2, 1), KEYED)
    assert wire.reached.wait(conftest.PATIENCE)
    data = single.body(2, 2)
    job = json.loads(direct.request("POST", PATH, data, ASYNC)[2])["id"]  # until it is accepted
    refused(asked.answer())
    wire.hold()
    wire.cut()
    again = json.loads(behind.request("POST", PATH, single.body(2, 1), KEYED)[2])["id"]
    for one in (job, again):
        assert home.ended(one)["state"] == "succeeded"
    assert all_jobs(home) == {first, job, again}


@pytest.mark.seconds(300)
def test_a_number_given_again_is_no_acknowledgement(kept, cluster):  # noqa: F811
    """PostgreSQL crashes before the commit, and gives the number of the lost transaction to the next one, which commits."""
    server, wire, home = behind_a_wire(kept, cluster, "wal_writer_delay = 10s\nbgwriter_delay = 10s\nautovacuum = off")
    node, data = home.nodes[0], single.body(2, 1)
    for _ in range(20):
        home.ended(json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"])
        wire.hold_from(b"tqd_submit", b"COMMIT")
        asked = Asked(node, "POST", PATH, data, ASYNC)
        assert wire.reached.wait(conftest.PATIENCE)
        conftest.eventually(lambda: server.query(IN_BETWEEN) == "1")
        lost = server.query("SELECT backend_xid FROM pg_stat_activity WHERE backend_xid IS NOT NULL")
        time.sleep(0.2)  # what the server has said is here
        wire.hold(requests=True, answers=True, of=wire.of)
        server.kill_all()
        server.restart()
        other = server.query(f"SET search_path = {home.schema}; SELECT xid FROM tqd_begin()")
        wire.hold()
        wire.cut()
        status, headers, text = asked.answer()
        print(f"transaction {lost} was lost, {other} is another; answered {status}")
        assert status != 202 or json.loads(text)["id"] in all_jobs(home), "acknowledged, and not there"
        if lost == other:
            break
    assert lost == other, "the number was not given again"
    refused((status, headers, text))


@pytest.mark.seconds(300)
def test_a_connection_that_ends_in_a_write_is_no_acknowledgement(kept, cluster):  # noqa: F811
    """The server ends the connection while it executes the write, as in its shutdown, and then takes no other for a while."""
    server, wire, home = behind_a_wire(kept, cluster)
    node, data = home.nodes[0], single.body(2, 1)
    first = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
    home.ended(first)
    with contextlib.closing(Psql(home)) as other:
        other.ask("BEGIN; LOCK TABLE job IN SHARE MODE")
        asked = [Asked(node, "POST", PATH, data, KEYED), *(Asked(node, "POST", PATH, data, ASYNC) for _ in range(7))]
        conftest.eventually(lambda: server.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IS NOT NULL") != "0")
        wire.refuse()
        server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND backend_xid IS NOT NULL")
        for one in asked:
            refused(one.answer())
    kept(Wire(server.port, wire.port))
    job = json.loads(node.request("POST", PATH, data, KEYED)[2])["id"]
    assert home.ended(job)["state"] == "succeeded" and all_jobs(home) == {first, job}


@pytest.mark.seconds(300)
def test_a_write_that_could_not_be_sent_is_no_acknowledgement(kept, cluster):  # noqa: F811
    """The connection ends with the answer to a group, and the next group, which waits, finds that out while it is sent."""
    server, wire, home = behind_a_wire(kept, cluster, settings={"workers": 9})
    node = home.nodes[0]
    small = single.test_robots.urdf(2)  # the wire looks through 8 KiB
    node.request("PUT", "/v1/robots/before", small)
    large = single.test_robots.urdf(3).replace(b"</robot>", b"<!--" + b"x" * 50000 + b"--></robot>")  # libpq sends at each 8 KiB
    wire.hold_from(b"tqd_robot_put", b"COMMIT")
    first = Asked(node, "PUT", "/v1/robots/first", small)
    assert wire.reached.wait(conftest.PATIENCE)
    next_group = [Asked(node, "PUT", f"/v1/robots/arm-{i}", large) for i in range(8)]
    time.sleep(1)  # they are in the queue
    wire.hold(answers=True, of=wire.of)
    conftest.eventually(lambda: server.query(f"SELECT count(*) FROM {home.schema}.robot") == "2")
    wire.refuse()
    wire.answer_and_cut()
    assert first.answer()[0] == 201
    for one in next_group:
        refused(one.answer())
    for i in range(8):
        refused(node.daemon.request("GET", f"/v1/robots/arm-{i}"))  # not 404: this node cannot know
    kept(Wire(server.port, wire.port))
    assert node.request("PUT", "/v1/robots/arm-1", large)[0] == 201
