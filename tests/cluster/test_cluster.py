# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_cluster.py - three daemons on one PostgreSQL: killed, frozen, cut off from it; no acknowledged job is lost.
"""Run by `make check-cluster` (tests/run/postgres.sh). KILLS of daemons (15), POSTGRES_KILLS of the server (4) and CLUSTER_KILLS of all at once (2) under load."""

import http.client
import itertools
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import test_jobs_survive as single  # noqa: E402

conftest, PATH, ASYNC, ENDED, PATIENCE = single.conftest, single.PATH, single.ASYNC, single.ENDED, single.PATIENCE
KILLS, POSTGRES_KILLS, CLUSTER_KILLS = (int(os.environ.get(name, n)) for name, n in (("KILLS", 15), ("POSTGRES_KILLS", 4), ("CLUSTER_KILLS", 2)))
URI = os.environ.get("TORQUED_POSTGRESQL")
pytestmark = pytest.mark.skipif(URI is None, reason="no PostgreSQL: make check-cluster")
JSON = {"Content-Type": "application/json"}
numbers = itertools.count()


class Postgres:
    """A server: the one of tests/run/postgres.sh, or another (servers.py)."""

    folder, programs = os.environ.get("TORQUED_POSTGRESQL_FOLDER"), os.environ.get("TORQUED_POSTGRESQL_PROGRAMS")
    user = shlex.split(os.environ.get("TORQUED_POSTGRESQL_AS", ""))
    uri = URI

    def control(self, *words):
        subprocess.run([*self.user, f"{self.programs}/pg_ctl", "-D", f"{self.folder}/data", "-l", f"{self.folder}/log", "-w", *words],
                       check=True, stdout=subprocess.DEVNULL, cwd="/")

    def query(self, text):
        got = subprocess.run([f"{self.programs}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.uri, "-c", text], capture_output=True, text=True)
        if got.returncode != 0:
            raise OSError(got.stderr)
        return got.stdout.strip()

    def kill(self):
        self.end()
        self.restart()

    def end(self):
        with open(f"{self.folder}/data/postmaster.pid") as f:
            process = int(f.readline())
        os.kill(process, signal.SIGKILL)

    def restart(self):
        def restart():  # the former server's children end by themselves, and hold its memory until then
            try:
                self.control("start")
            except subprocess.CalledProcessError:
                return False
            return True
        conftest.eventually(restart)


class Cluster:
    """Nodes with a state folder and a port each, on one schema of the server; `way`: to it, if that is not the server's own address."""

    def __init__(self, n=3, settings=None, started=True, postgres=None, way=None):
        self.postgres, self.schema = postgres or Postgres(), f"cluster_{os.getpid()}_{next(numbers)}"
        self.postgres.query(f"CREATE SCHEMA {self.schema}")
        self.store = f"{way or self.postgres.uri}&options=-c%20client_min_messages%3Dwarning%20-c%20search_path%3D{self.schema}"
        self.nodes = [single.House({"store": self.store, "lease": 2000, "workers": 1, "jobs": 1, "node": f"node-{i}", **(settings or {})})
                      for i in range(n)]
        for node in self.nodes if started else ():
            node.start()

    def request(self, method, path, data=None, headers=None):
        """From any node that answers, a random one first."""
        until, chance = time.monotonic() + 2 * PATIENCE, random.Random()
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", chance.choice(self.nodes).port, timeout=PATIENCE)
            try:
                connection.request(method, path, body=data, headers=headers or {})
                response = connection.getresponse()
                got = response.status, response.headers, response.read()
                if got[0] != 503:
                    return got
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            assert time.monotonic() < until, f"{method} {path}: no answer"
            time.sleep(0.01)

    json, ended = single.House.json, single.House.ended

    def close(self):
        for node in self.nodes:
            if node.daemon is not None and not node.daemon.closed:
                node.daemon.stop()
            node.folder.cleanup()
        self.postgres.query(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {self.schema} CASCADE")


@pytest.fixture
def cluster():
    made = []

    def make(*arguments, **named):
        made.append(Cluster(*arguments, **named))
        return made[-1]

    yield make
    for one in made:
        one.close()


def check_all(home, jobs):
    """Each ended once, with the bits of an immediate answer, and there is no other."""
    expected, nodes = {}, set()
    for job, data in jobs.items():
        document = home.ended(job)
        assert document["state"] == "succeeded", document
        nodes.add(document.get("node"))
        if data not in expected:
            expected[data] = home.request("POST", PATH, data, JSON)[2]
        assert home.request("GET", f"/v1/jobs/{job}/result")[2] == expected[data]
        assert home.request("GET", f"/v1/jobs/{job}/request")[2] == data
        states = single.states_of(home, job)
        assert states[0] == "queued" and states[-1] == "succeeded" and states.count("succeeded") == 1, states
    listed, cursor = set(), ""
    while cursor is not None:
        page = home.json("/v1/jobs?limit=200" + cursor)
        listed |= {job["id"] for job in page["jobs"]}
        cursor = page["cursor"] and "&cursor=" + page["cursor"]
    assert listed == set(jobs), "a key made two jobs, or a job is not listed"
    return nodes


class Reader(threading.Thread):
    """Reads all events of jobs, a few from one node and the next from another, by Last-Event-ID, until there are `until` of them."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.home, self.seen, self.until = home, [], None

    def read(self, node, n):
        connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=5)
        try:
            connection.request("GET", "/v1/events", headers={"Last-Event-ID": str(self.seen[-1] if self.seen else 0)})
            response = connection.getresponse()
            event = {}
            while n > 0 and response.status == 200 and len(self.seen) != self.until and (line := response.readline()):
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                    continue
                if event.get("event") == "state":
                    self.seen.append(int(event["id"]))
                    n -= 1
                event = {}
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(0.01)
        finally:
            connection.close()

    def run(self):
        chance, last = random.Random(1), None
        while len(self.seen) != self.until:
            last = chance.choice([node for node in self.home.nodes if node is not last])
            self.read(last, chance.randrange(1, 40))


def under_load(home, blows, chance, least=3):
    """Clients submit while each of the blows falls; then nothing that was acknowledged is missing, twice, or other than it should be."""
    stop = threading.Event()
    clients, reader = [single.Client(home, i, stop) for i in range(4)], Reader(home)
    for c in [*clients, reader]:
        c.start()
    for i, blow in enumerate(blows):
        conftest.eventually(lambda i=i: sum(len(c.jobs) for c in clients) > least * i or any(c.fault for c in clients))
        time.sleep(0.05 + 0.3 * chance.random())
        blow()
    conftest.eventually(lambda: sum(len(c.jobs) for c in clients) > least * len(blows) or any(c.fault for c in clients))
    stop.set()
    for c in clients:
        c.join(2 * PATIENCE)
        assert not c.is_alive() and c.fault is None, c.fault
    jobs = {job: data for c in clients for job, data in c.jobs.items()}
    assert len(jobs) == sum(len(c.jobs) for c in clients)
    check_all(home, jobs)
    reader.until = check_events(home)
    reader.join(PATIENCE)
    assert reader.seen == list(range(1, reader.until + 1)), "an event is missing, or came twice"
    for c in clients:
        for name, tag in c.robots.items():
            for node in home.nodes:
                conftest.eventually(lambda: node.request("GET", f"/v1/robots/{name}")[1]["ETag"] == tag)
    return jobs


def check_events(home):
    numbered = home.postgres.query(f"SELECT count(*), max(seq), min(seq) FROM {home.schema}.job_event").split("|")
    assert numbered[0] == numbered[1] and numbered[2] == "1", "events are numbered without a hole"
    return int(numbered[0])


@pytest.mark.seconds(240 + 8 * (KILLS + POSTGRES_KILLS))
def test_killed_under_load(cluster):
    home, chance = cluster(), random.Random(KILLS)

    def kill_a_node():
        node = chance.choice(home.nodes)
        node.kill()
        node.start()

    blows = [kill_a_node] * KILLS + [home.postgres.kill] * POSTGRES_KILLS
    chance.shuffle(blows)
    under_load(home, blows, chance)


@pytest.mark.seconds(120 + 30 * CLUSTER_KILLS)
def test_the_whole_cluster_killed_under_load(cluster):
    """As a power cut does: daemons and PostgreSQL together."""
    home, chance = cluster(), random.Random(CLUSTER_KILLS)

    def kill_all():
        victims = [node.daemon.process.kill for node in home.nodes] + [home.postgres.end]
        chance.shuffle(victims)
        for victim in victims:
            victim()
        for node in home.nodes:
            node.kill()
        home.postgres.restart()
        for node in home.nodes:
            node.start()

    under_load(home, [kill_all] * CLUSTER_KILLS, chance, 20)


# seconds, with a checkpoint each
SIMULATE = "/v1/robots/planar-2r/simulate"
LONG = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 600, "output": {"interval_s": 10}, "solver": {"method": "rk4", "step_s": 1e-4}}).encode()


def test_what_one_node_stores_the_others_serve(cluster):
    home = cluster(2)
    first, second = home.nodes
    arm = single.test_robots.urdf(3)
    tag = first.request("PUT", "/v1/robots/arm", arm)[1]["ETag"]
    conftest.eventually(lambda: second.request("GET", "/v1/robots/arm")[1].get("ETag") == tag)
    rows = b"t,a\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(200000))
    status, _, text = first.request("PUT", "/v1/datasets/run", rows, {"Content-Type": "text/csv"})
    assert status == 201, text
    assert second.request("GET", "/v1/datasets/run/content")[2] == rows
    status, _, part = second.request("GET", "/v1/datasets/run/content", headers={"Range": "bytes=1000000-1000009"})
    assert status == 206 and part == rows[1000000:1000010]
    second.request("DELETE", "/v1/robots/arm")
    conftest.eventually(lambda: first.request("GET", "/v1/robots/arm")[0] == 404)
    for node in home.nodes:
        conftest.eventually(lambda: [n["name"] for n in node.json("/v1/nodes")["nodes"]] == ["node-0", "node-1"])
    # jobs of both are run by both: waiting jobs are taken by an idle node
    jobs = {}
    for i in range(40):
        data = single.body(900, i % 3)
        jobs[json.loads(first.request("POST", PATH, data, ASYNC)[2])["id"]] = data
    assert len(check_all(second, jobs)) == 2, "one node has run all of them"


@pytest.mark.seconds(120)
def test_without_the_database_nothing_is_acknowledged(cluster):
    home = cluster(1)
    node, data = home.nodes[0], single.body(1, 1)
    job = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
    home.ended(job)
    home.postgres.control("stop", "-m", "immediate")
    try:
        for _ in range(3):
            status, headers, text = node.daemon.request("POST", PATH, data, ASYNC)
            assert status == 503 and int(headers["Retry-After"]) > 0, text
        assert node.daemon.request("GET", f"/v1/jobs/{job}")[0] == 503
        assert node.daemon.request("POST", PATH, data, JSON)[0] == 200, "what needs no store goes on"
    finally:
        home.postgres.control("start")
    again = json.loads(node.request("POST", PATH, data, ASYNC)[2])["id"]
    assert home.ended(again)["state"] == "succeeded"
    assert {j["id"] for j in home.json("/v1/jobs")["jobs"]} == {job, again}
