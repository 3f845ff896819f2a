# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_leaks.py - repeated rounds of all operations leave no open descriptor, job, file or
# memory.
"""Memory: LeakSanitizer reports it when the daemon ends (make asan runs this too; a daemon that ends with
another status than 0 fails the test that used it). Descriptors are counted here in every build, over rounds
of requests that succeed, are refused and are broken off. A leak grows by at least one in each round; since
readers of the database open when first needed, the bound is less than one in each round, not zero."""
import collections
import json
import os

from conftest import SLOW, eventually, metric
from test_wrong_input import JSON, OPERATIONS

ROUNDS = 12 if SLOW == 1 else 5


def descriptors(one):
    """Open descriptors, sockets included, counted by target."""
    folder, found = f"/proc/{one.process.pid}/fd", collections.Counter()
    for fd in os.listdir(folder):
        try:
            target = os.readlink(f"{folder}/{fd}")
        except FileNotFoundError:
            continue
        found["socket" if target.startswith("socket:") else target.removesuffix(" (deleted)")] += 1
    return found


def settled(one):
    """The descriptors as soon as no other connection is open."""
    eventually(lambda: metric(one, "torqued_connections_open") == 1)
    return descriptors(one)


def bounded_over(one, act):
    """Rounds of `act` leave less than one descriptor each: those opened in the first rounds may stay."""
    act()
    act()
    before = settled(one)
    for _ in range(ROUNDS):
        act()
    eventually(lambda: sum((settled(one) - before).values()) < ROUNDS)


def job_of(one, path, body):
    status, headers, text = one.request("POST", path, json.dumps(body), {**JSON, "Prefer": "respond-async"})
    assert status == 202, text
    return headers["Location"]


def test_each_file_is_opened_once(start, tmp_path):
    """A start closes each file that it only reads: the crash note, the settings, the database's folder."""
    state = str(tmp_path / "state")
    start(state=state).stop()
    with open(os.path.join(state, "crashed"), "w") as note:
        note.write("no job")
    one = start(state=state)
    eventually(lambda: os.path.join(state, "crashed") in descriptors(one))  # open for the next crash note
    files = {k: n for k, n in descriptors(one).items() if k.startswith(state) and os.path.isfile(k)}
    assert files, "the database at least"
    assert all(n == 1 for k, n in files.items() if not k.endswith((".db", "-wal", "-shm"))), files


def test_operations(daemon, example_data):
    """The contract's examples of every operation, on a robot that fits most of them, and three malformed requests."""
    answered = set()

    def act():
        for name, (path, _, examples) in OPERATIONS.items():
            here = path.replace("{name}", "panda")
            # the examples of these two take seconds; other tests check their daemon at the end too
            if name not in ("calibrate", "ensemble"):
                for example in examples:
                    if daemon.request("POST", here, json.dumps(example), JSON)[0] == 200:
                        answered.add(name)
            daemon.request("POST", path.replace("{name}", "nobody"), b"{}", JSON)
            daemon.request("POST", here, b'{"q": [', JSON)
            daemon.request("POST", here, b"\x00\xff", {"Content-Type": "application/cbor"})
    bounded_over(daemon, act)
    assert len(answered) > len(OPERATIONS) / 2, answered


def test_robots_datasets_and_backups(start):
    one = start()
    status, _, robot = one.request("GET", "/v1/robots/panda", None, {"Accept": "application/xml"})
    assert status == 200
    large = b"t,a\n" + b"".join(b"%d,%d\n" % (k, k) for k in range(30000))

    def act():
        assert one.request("PUT", "/v1/robots/mine", robot, {"Content-Type": "application/xml"})[0] in (200, 201)
        assert one.request("PUT", "/v1/robots/mine", robot[:-100], {"Content-Type": "application/xml"})[0] >= 400
        for name in ("one", "two"):
            assert one.request("PUT", f"/v1/datasets/{name}", large)[0] in (200, 201, 204)
            assert one.request("GET", f"/v1/datasets/{name}/content")[2] == large
        assert one.request("PUT", "/v1/datasets/no%20name", b"x")[0] >= 400
        with one.socket() as s:  # disconnects before the answer
            s.sendall(b"PUT /v1/datasets/three HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + large[:50000])
        status, _, tar = one.request("POST", "/v1/backup")
        assert status == 200 and len(tar) > len(large)
        with one.socket() as s:
            s.sendall(b"POST /v1/backup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            s.recv(100)
        assert one.request("DELETE", "/v1/datasets/one")[0] in (200, 204)
        assert one.request("DELETE", "/v1/robots/mine")[0] in (200, 204)
    bounded_over(one, act)


def test_jobs(start):
    one = start({"jobs": 2})
    swing = {"initial": {"q": [0.5, -0.2]}, "duration_s": 1, "output": {"interval_s": 0.01}}
    long = {**swing, "duration_s": 3000, "solver": {"method": "rk4", "step_s": 1e-4}}

    def ended(job):
        eventually(lambda: json.loads(one.request("GET", job)[2])["state"] in ("succeeded", "failed", "cancelled"))

    def act():
        done = job_of(one, "/v1/robots/planar-2r/simulate", swing)
        stopped = job_of(one, "/v1/robots/planar-2r/simulate", long)
        with one.socket() as s:  # opens an event stream and disconnects
            s.sendall(b"GET /v1/jobs/" + done.rsplit("/", 1)[1].encode() + b"/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            s.recv(100)
        ended(done)
        assert one.request("GET", done + "/result")[0] == 200
        one.request("POST", stopped + "/cancel")
        one.request("DELETE", stopped)
        ended_or_gone(stopped)
        for job in (done, stopped):
            one.request("DELETE", job)

    def ended_or_gone(job):
        eventually(lambda: one.request("GET", job)[0] == 404 or
                   json.loads(one.request("GET", job)[2]).get("state") in ("succeeded", "failed", "cancelled"))
    bounded_over(one, act)
