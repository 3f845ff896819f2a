# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_linearizable.py - clients of two nodes at once, daemons and database killed: one order explains every answer.
"""ROUNDS of clients (1), each OPERATIONS (60) on three robots and on shared keys of jobs."""

import collections
import dataclasses
import hashlib
import http.client
import json
import os
import random
import threading
import time

import pytest
from history import Operation, linearizable
from test_cluster import ASYNC, ENDED, PATH, cluster, conftest, pytestmark as needs_server, single  # noqa: F401
from test_jobs_survive import body, test_robots

ROUNDS, OPERATIONS, CLIENTS = int(os.environ.get("ROUNDS", "1")), int(os.environ.get("OPERATIONS", "60")), 6
NAMES = ("r-0", "r-1", "r-2")
STALE_S = 5.0  # docs/cluster.md: a write is on the other nodes after this time where the notification is lost
ANSWERS = {200: "replaced", 201: "created", 204: "deleted", 404: "absent", 412: "refused"}


# -- the checker itself ------------------------------------------------------------------------------------------

def op(kind, begin, end, answer, **more):
    return Operation(kind, begin, end, answer=answer, **more)


HELD = {
    "a read after the write": [op("put", 0, 1, "created", new="a"), op("read", 2, 3, "a")],
    "reads beside a write": [op("put", 0, 1, "created", new="a"), op("put", 2, 9, "replaced", new="b"), op("read", 3, 4, "a"), op("read", 5, 6, "b")],
    "a write without an answer that happened": [op("put", 0, 1e9, None, new="a"), op("read", 2, 3, "a")],
    "and one that did not": [Operation("put", 0, new="a"), op("read", 2, 3, "absent"), op("read", 4, 5, "absent")],
    "one of two that create": [op("create", 0, 5, "created", new="a"), op("create", 1, 6, "refused", new="b"), op("read", 7, 8, "a")],
    "a read of a cache": [op("put", 0, 1, "created", new="a"), op("put", 2, 3, "replaced", new="b"), op("read", 4, 5, "a", since=0.5, node=1)],
    "a cache behind another node's write, not its own": [op("put", 0, 1, "created", new="a", node=1), op("delete", 2, 5, "deleted"),
                                                         op("create", 3, 4, "created", new="b", node=1), op("read", 6, 7, "absent", since=1.5)],
}
BROKEN = {
    "a lost write": [op("put", 0, 1, "created", new="a"), op("read", 2, 3, "absent")],
    "a read that goes back": [op("put", 0, 1, "created", new="a"), op("put", 2, 9, "replaced", new="b"), op("read", 3, 4, "b"), op("read", 5, 6, "a")],
    "two that replace the same": [op("put", 0, 1, "created", new="a"), op("replace", 2, 5, "replaced", old="a", new="b"),
                                  op("replace", 3, 6, "replaced", old="a", new="c")],
    "a value that was never written": [op("read", 0, 1, "x")],
    "a write without an answer that comes and goes": [Operation("put", 0, new="a"), op("read", 2, 3, "a"), op("read", 4, 5, "absent")],
    "deleted twice": [op("put", 0, 1, "created", new="a"), op("delete", 2, 5, "deleted"), op("delete", 3, 6, "deleted")],
    "a cache that goes back": [op("put", 0, 1, "created", new="a"), op("put", 2, 3, "replaced", new="b"),
                               op("read", 4, 5, "b", since=0.5), op("read", 6, 7, "a", since=0.5)],
    "a node that does not read what it wrote": [op("put", 0, 1, "created", new="a", node=1), op("put", 2, 3, "replaced", new="b"),
                                                op("read", 4, 5, "a", since=0.5)],
    "a cache older than it may be": [op("put", 0, 1, "created", new="a"), op("put", 2, 3, "replaced", new="b"), op("read", 9, 10, "a", since=4)],
}


@pytest.mark.parametrize("name", HELD)
def test_the_checker_accepts(name):
    assert linearizable(HELD[name])[0]


@pytest.mark.parametrize("name", BROKEN)
def test_the_checker_refuses(name):
    assert not linearizable(BROKEN[name])[0]


# -- clients -----------------------------------------------------------------------------------------------------

class Record:
    """Histories of robots by name, answers to keys, states of jobs as they were read."""

    def __init__(self):
        self.lock, self.robots = threading.Lock(), collections.defaultdict(list)
        self.jobs, self.states = collections.defaultdict(set), collections.defaultdict(list)


class Client(threading.Thread):
    """One request after another to random nodes; a request without an answer is not sent again."""

    def __init__(self, home, record, number, stop):
        super().__init__(daemon=True)
        self.home, self.record, self.number, self.stop, self.fault = home, record, number, stop, None
        self.chance, self.known = random.Random(f"{ROUNDS} {OPERATIONS} {number}"), {}

    def send(self, node, method, path, data=None, headers=None):
        """(status, headers, body); None: what became of it is unknown."""
        connection = http.client.HTTPConnection("127.0.0.1", self.home.nodes[node].port, timeout=30)
        try:
            connection.request(method, path, body=data, headers=headers or {})
            response = connection.getresponse()
            got = response.status, response.headers, response.read()
            return None if got[0] == 503 else got
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def robot(self):
        name, node, kind = self.chance.choice(NAMES), self.chance.randrange(2), self.chance.choice(("read", "read", "put", "create", "replace", "replace", "delete"))
        data = test_robots.urdf(mass=1 + self.number + self.chance.randrange(10**9) * 1e-10)
        tag = hashlib.blake2b(data, digest_size=32).hexdigest()
        old = self.known.get(name, tag)
        method = {"read": "GET", "delete": "DELETE"}.get(kind, "PUT")
        headers = {"create": {"If-None-Match": "*"}, "replace": {"If-Match": f'"{old}"'}}.get(kind)
        begin = time.monotonic()
        got = self.send(node, method, f"/v1/robots/{name}", data if method == "PUT" else None, headers)
        end = time.monotonic()
        this = Operation(kind, begin, new=tag if method == "PUT" else None, old=old, node=node)
        if got is not None:
            answer = got[1]["ETag"].strip('"') if kind == "read" and got[0] == 200 else ANSWERS[got[0]]
            this = dataclasses.replace(this, end=end, answer=answer)
            if answer not in ("refused", "absent", "deleted"):
                self.known[name] = answer if kind == "read" else tag
        with self.record.lock:
            if kind != "read":
                self.record.robots[name].append(this)
            elif got is not None:  # nothing that ended before its node's last write began is news
                wrote = [o.begin for o in self.record.robots[name] if o.node == node and o.answer in ("created", "replaced", "deleted") and o.end < begin]
                self.record.robots[name].append(dataclasses.replace(this, since=max([begin - STALE_S, *wrote])))
        if got is None:
            self.wait()

    def wait(self):
        """Operations without an answer make the search larger: no more of them while the database is away."""
        for node in range(2):
            conftest.eventually(lambda node=node: self.send(node, "PUT", f"/v1/robots/probe-{self.number}", test_robots.urdf()) is not None)

    def submit(self, k):
        """The same key by every client, to any node."""
        got = self.send(self.chance.randrange(2), "POST", PATH, body(5, k % 10), {**ASYNC, "Idempotency-Key": f"shared-{k}", "Torqued-Client": "shared"})
        if got is not None:
            assert got[0] in (200, 202), got
            with self.record.lock:
                self.record.jobs[k].add(json.loads(got[2])["id"])

    def look(self):
        with self.record.lock:
            jobs = [job for ids in self.record.jobs.values() for job in ids]
        if jobs:
            job, begin = self.chance.choice(jobs), time.monotonic()
            got = self.send(self.chance.randrange(2), "GET", f"/v1/jobs/{job}")
            if got is not None:
                assert got[0] == 200, f"{job}, which was acknowledged, is unknown: {got}"
                with self.record.lock:
                    self.record.states[job].append((begin, time.monotonic(), json.loads(got[2])["state"]))

    def run(self):
        try:
            for k in range(OPERATIONS):
                self.robot()
                if self.chance.random() < 0.3:
                    self.submit(k // 4)
                if self.chance.random() < 0.3:
                    self.look()
                if self.stop.is_set():
                    return
        except Exception as fault:  # noqa: BLE001 - reported by the test
            self.fault = fault


def check(record):
    for name, history in record.robots.items():
        holds, order = linearizable(history)
        assert holds, f"{name}: no order explains these {len(history)} operations:\n" + "\n".join(map(str, order))
    for k, ids in record.jobs.items():
        assert len(ids) == 1, f"key {k} made {ids}"
    for job, states in record.states.items():
        over = [(end, state) for _, end, state in states if state in ENDED]
        for begin, _, state in states:
            before = {was for end, was in over if end < begin}
            assert before <= {state}, f"{job} had ended as {before} and is {state}"


@pytest.mark.seconds(120 + 90 * ROUNDS)
@needs_server
@pytest.mark.parametrize("blows", ((), ("node",) * 4, ("node", "server") * 2), ids=("quiet", "nodes-killed", "server-killed-too"))
def test_one_order_explains_every_answer(cluster, blows):  # noqa: F811
    for n in range(ROUNDS):
        home, record, stop, chance = cluster(2), Record(), threading.Event(), random.Random(f"{len(blows)} {n}")
        clients = [Client(home, record, i + CLIENTS * n, stop) for i in range(CLIENTS)]
        for c in clients:
            c.start()
        for blow in blows:
            time.sleep(0.2 + 0.4 * chance.random())
            if blow == "server":
                home.postgres.kill()
            else:
                node = chance.choice(home.nodes)
                node.kill()
                node.start()
        for c in clients:
            c.join(conftest.PATIENCE * 3)
            stop.set() if c.is_alive() else None
            assert not c.is_alive() and c.fault is None, c.fault
        check(record)
        counts = collections.Counter((o.kind, "unknown" if o.answer is None else "answered") for h in record.robots.values() for o in h)
        assert counts["replace", "answered"] + counts["create", "answered"] > CLIENTS * OPERATIONS / 10, counts
        home.close()
        print(dict(counts), {k: len(v) for k, v in record.jobs.items()})
