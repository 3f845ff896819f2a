# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_rolling.py - daemons behind haproxy are restarted one after another under load: no request fails, no job is lost.
"""ROLLS: rounds of restarts of all daemons (1)."""

import http.client
import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time

import pytest
from servers import kept, program  # noqa: F401
from test_cluster import ASYNC, JSON, PATH, check_all, check_events, cluster, conftest, pytestmark, single  # noqa: F401

ROLLS = int(os.environ.get("ROLLS", "1"))
SETTINGS = pathlib.Path(__file__).resolve().parents[1] / "run/haproxy_cluster.sh"


class Proxy:
    """haproxy with the settings of `make run-cluster`."""

    def __init__(self, nodes):
        self.folder, self.port = tempfile.TemporaryDirectory(prefix="torqued-haproxy-"), single.free_port()
        self.admin = f"{self.folder.name}/admin"
        text = subprocess.run([SETTINGS, f"127.0.0.1:{self.port}", self.admin, *(f"127.0.0.1:{node.port}" for node in nodes)], check=True, capture_output=True)
        pathlib.Path(f"{self.folder.name}/cfg").write_bytes(text.stdout)
        self.process = subprocess.Popen([program("haproxy"), "-f", f"{self.folder.name}/cfg", "-db"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        conftest.eventually(lambda: self.states() == ["UP"] * len(nodes))

    def command(self, text):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.admin)
            s.sendall(text.encode() + b"\n")
            got = b""
            while piece := s.recv(65536):
                got += piece
        return got.decode()

    def rows(self):
        lines = self.command("show stat").splitlines()
        names = lines[0].lstrip("# ").split(",")
        return [row for row in (dict(zip(names, line.split(","))) for line in lines[1:]) if row.get("pxname") == "nodes" and row["svname"].startswith("node-")]

    def states(self):
        try:
            return [row["status"].split()[0] for row in self.rows()]
        except OSError:
            return []

    def close(self):
        self.process.terminate()
        self.process.wait(conftest.PATIENCE)
        self.folder.cleanup()


class User(threading.Thread):
    """Asks by the proxy and never again: whatever fails is noted. Half of them keep their connection."""

    def __init__(self, port, number, stop, keyed):
        super().__init__(daemon=True)
        self.port, self.number, self.stop, self.keyed = port, number, stop, keyed
        self.jobs, self.failures, self.n = {}, [], 0
        self.connection = None

    def ask(self, method, path, data=None, headers=None):
        if self.connection is None or self.number % 2:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=conftest.PATIENCE)
        self.n += 1
        try:
            self.connection.request(method, path, body=data, headers=headers or {})
            response = self.connection.getresponse()
            got = response.status, response.read()
            if got[0] < 400:
                return got
            self.failures.append((method, path, *got))
        except (OSError, http.client.HTTPException) as fault:
            self.failures.append((method, path, repr(fault)))
            self.connection = None
        return None

    def run(self):
        chance = random.Random(self.number)
        while not self.stop.is_set() and len(self.failures) < 20:
            data = single.body(chance.choice((1, 5, 40)), chance.randrange(10))
            what = chance.randrange(4)
            if what == 0:
                key = {"Idempotency-Key": f"{self.number}-{len(self.jobs)}"} if self.keyed else {}
                got = self.ask("POST", PATH, data, {**ASYNC, **key})
                if got is not None:
                    self.jobs[json.loads(got[1])["id"]] = data
            elif what == 1 and self.jobs:
                self.ask("GET", f"/v1/jobs/{chance.choice(list(self.jobs))}")
            else:
                self.ask("POST", PATH, data, JSON)
            time.sleep(chance.random() * 0.02)


def roll(home, proxy, announced):
    for i, node in enumerate(home.nodes, 1):
        if announced:  # haproxy sends nothing more there, and what it has sent is answered
            proxy.command(f"set server nodes/node-{i} state drain")
            conftest.eventually(lambda i=i: proxy.rows()[i - 1]["scur"] == "0")
        node.daemon.stop()
        time.sleep(0.5)
        node.start()
        if announced:
            proxy.command(f"set server nodes/node-{i} state ready")
        conftest.eventually(lambda: proxy.states() == ["UP"] * len(home.nodes))
        time.sleep(0.5)


@pytest.mark.seconds(120 + 60 * ROLLS)
@pytest.mark.parametrize("announced", (True, False), ids=("announced", "sigterm-only"))
def test_rolling_update_under_load(kept, cluster, announced):  # noqa: F811
    """Announced to the proxy, nothing depends on a repetition. By SIGTERM alone, the proxy repeats what it may."""
    home, stop = cluster(3), threading.Event()
    proxy = kept(Proxy(home.nodes))
    users = [User(proxy.port, i, stop, keyed=not announced) for i in range(6)]
    for u in users:
        u.start()
    time.sleep(1)
    for _ in range(ROLLS):
        roll(home, proxy, announced)
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
