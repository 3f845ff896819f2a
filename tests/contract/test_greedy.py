# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_greedy.py - a greedy client takes as much of every shared resource as it can; another
# client is still served.
import contextlib
import hashlib
import http.client
import json
import os
import select
import threading
import time

import pytest
from conftest import eventually, metric

# duration of the load; 0: until the other client has been served
LONG_S = float(os.environ.get("TORQUED_GREEDY_S", "0"))
BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
PATH = "/v1/robots/planar-2r/inverse-dynamics"
SIMULATE = "/v1/robots/planar-2r/simulate"
IK = "/v1/robots/panda/inverse-kinematics"
JSON = {"Content-Type": "application/json"}
RUN = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode()
SLOW = json.dumps({"frame": {"link": "flange", "at": "origin"}, "pose": {"position": [9, 9, 9]}, "seeds": 32, "iterations": 200}).encode()
LARGE = json.dumps({name: [[0.1, 0.2]] * 20000 for name in ("q", "qd", "qdd")}).encode()


def head(method, path, token, length=0, **more):
    fields = "".join(f"{name}: {value}\r\n" for name, value in {"Authorization": f"Bearer {token}", **JSON, **more}.items())
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {length}\r\n\r\n".encode()


def metric_of(one, name):
    text = one.request("GET", "/metrics", headers={"Authorization": "Bearer good"})[2].decode()
    return next(float(row.split()[1]) for row in text.splitlines() if row.startswith(f"torqued_{name} "))


class Greedy:
    """Keeps its connections open and repeats each request that ends."""

    def __init__(self, one, stack):
        self.one, self.stack, self.over = one, stack, threading.Event()
        self.opened = [self.open(head("POST", IK, "greedy", len(SLOW)) + SLOW) for _ in range(40)]  # computations
        # more streams than the daemon allows
        self.opened += [self.open(head("GET", "/v1/events", "greedy")) for _ in range(24)]
        # announced bodies that never arrive
        self.opened += [self.open(head("POST", PATH, "greedy", 1 << 20) + b"{") for _ in range(24)]
        # answers that the client does not read
        self.opened += [self.open(head("POST", PATH, "greedy", len(LARGE)) + LARGE) for _ in range(8)]
        with self.one.socket() as s:
            for k in range(60):  # queued jobs under many client names
                s.sendall(head("POST", SIMULATE, "greedy", len(RUN), **{"Prefer": "respond-async", "Torqued-Client": f"n{k}", "Priority": "u=0"}) + RUN)
                s.recv(65536)
        self.thread = threading.Thread(target=self.refresh)
        self.thread.start()

    def open(self, data):
        s = self.stack.enter_context(self.one.socket())
        s.sendall(data)
        return s

    def refresh(self):
        while not self.over.wait(0.05):
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.one.request("POST", IK, SLOW, {**JSON, "Authorization": "Bearer greedy"})

    def stop(self):
        self.over.set()
        self.thread.join()


def test_a_good_client_beside_a_greedy_one(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("".join(f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} roles=compute,write\n" for name in ("good", "greedy")))
    one = start({"credentials": path, "workers": 2, "jobs": 1, "streams": 32, "body_budget": "4MiB", "queue": 128, "rate_grace": 3600000})
    good = {**JSON, "Authorization": "Bearer good"}

    def ask(method, target, body=None, **more):
        return one.request(method, target, body, {**good, **more})

    with contextlib.ExitStack() as stack:
        greedy = Greedy(one, stack)
        stack.callback(greedy.stop)
        until = time.monotonic() + LONG_S
        kept = []
        while True:
            assert [ask("POST", PATH, BODY)[0] for _ in range(10)] == [200] * 10
            assert ask("POST", PATH, LARGE)[0] == 200, "a large body, computed by a worker"
            assert ask("PUT", "/v1/datasets/mine", b"t\n1\n2\n", **{"Content-Type": "text/csv"})[0] in (200, 201)
            status, _, body = ask("POST", SIMULATE, RUN, Prefer="respond-async")
            assert status == 202
            kept.append(json.loads(body)["id"])
            eventually(lambda: json.loads(ask("GET", f"/v1/jobs/{kept[-1]}")[2])["state"] == "succeeded")
            with one.socket() as s:
                s.sendall(head("GET", "/v1/events", "good"))
                assert s.recv(12) == b"HTTP/1.1 200", "a stream"
            if time.monotonic() >= until:
                break
        assert [ask("GET", f"/v1/jobs/{job}/result")[0] for job in kept] == [200] * len(kept), "nothing of it is evicted"
        assert ask("GET", "/v1/datasets/mine")[0] == 200


GREEDY = ("first", "second", "third")


@pytest.fixture
def beside(start, tmp_path):
    """A daemon with tokens of a good client and of three greedy ones; a stack for what these keep open."""
    path = tmp_path / "tokens"
    path.write_text("".join(f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} roles=compute,write\n" for name in ("good", *GREEDY)))
    far = dict.fromkeys(("rate_grace", "header_timeout", "idle_timeout"), 3600000)
    with contextlib.ExitStack() as stack:
        yield lambda **settings: start({"credentials": path, **far, **settings}), stack


def answered(s, data):
    s.sendall(data)
    return s.recv(12)[9:]


def test_uploads_of_others_leave_a_place(beside):
    """Three clients send as many datasets as they may, and none ends: one more client sends its own."""
    make, stack = beside
    one = make(uploads=16)
    for token in GREEDY:
        kept = 0
        while True:
            s = stack.enter_context(one.socket())
            s.sendall(head("PUT", f"/v1/datasets/{token}-{kept}", token, 1 << 20, **{"Expect": "100-continue", "Content-Type": "text/csv"}))
            if s.recv(12) != b"HTTP/1.1 100":
                break
            kept += 1
        assert kept == {"first": 8, "second": 4, "third": 2}[token]
    assert one.request("PUT", "/v1/datasets/mine", b"t\n1\n2\n", {"Authorization": "Bearer good", "Content-Type": "text/csv"})[0] == 201
    refused = one.request("PUT", "/v1/datasets/more", b"t\n1\n2\n", {"Authorization": "Bearer first", "Content-Type": "text/csv"})
    assert refused[0] == 429 and refused[1]["Retry-After"] == "1" and "client_share" in json.loads(refused[2])["detail"]


def test_bodies_of_others_leave_memory(beside):
    make, stack = beside
    one = make(body_budget="1MiB")
    for token in GREEDY:  # each sends more than all bodies may have, and ends none
        sockets = [stack.enter_context(one.socket()) for _ in range(30)]
        for s in sockets:
            s.sendall(head("POST", PATH, token, 500000) + b'{"q":[' + b" " * 60000)
        eventually(lambda: select.select(sockets, [], [], 0)[0])  # noqa: B023
        assert {s.recv(12) for s in select.select(sockets, [], [], 0)[0]} == {b"HTTP/1.1 429"}, "its share, not all of the memory"
    assert one.request("POST", PATH, BODY + b" " * 60000, {**JSON, "Authorization": "Bearer good"})[0] == 200


def test_queued_jobs_of_others_leave_places(beside):
    make, stack = beside
    one = make(jobs=1, jobs_spare=0, jobs_queued=16)
    endless = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 1e6, "output": {"interval_s": 1e5}}).encode()

    def submit(token):
        return one.request("POST", SIMULATE, endless, {**JSON, "Authorization": f"Bearer {token}", "Prefer": "respond-async"})[0]

    for token in GREEDY:
        while submit(token) == 202:
            pass
    assert submit("good") == 202


def test_bytes_of_queued_jobs_of_others_leave_room(beside):
    """No client has its share of the number of jobs, and all bytes are of jobs that have not begun: nothing that could give way."""
    make, stack = beside
    one = make(jobs=1, jobs_spare=0, jobs_bytes="1MiB")
    endless = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 1e6, "output": {"interval_s": 1e5}}).encode()
    large = endless[:-1] + b" " * 30000 + b"}"

    def submit(token, body=large):
        return one.request("POST", SIMULATE, body, {**JSON, "Authorization": f"Bearer {token}", "Prefer": "respond-async"})

    held = []
    for token in GREEDY:
        held.append(0)
        while (reply := submit(token))[0] == 202:
            held[-1] += 1
        assert reply[0] == 429 and reply[1]["Retry-After"] == "5" and "jobs_bytes" in json.loads(reply[2])["detail"], reply
    assert held[0] > held[1] > held[2] >= 3, held
    for _ in range(2):
        assert submit("good")[0] == 202


def test_results_that_come_faster_than_a_minute_make_room(beside):
    """Results of a few seconds are more than jobs_bytes: older ones give way, and no job is refused."""
    make, stack = beside
    one = make(jobs=1, jobs_spare=0, jobs_bytes="8MiB")
    run = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.0002}}).encode()
    who = {"Authorization": "Bearer good"}
    for _ in range(48):
        status, headers, _ = one.request("POST", SIMULATE, run, {**JSON, **who, "Prefer": "respond-async"})
        assert status == 202
        eventually(lambda: json.loads(one.request("GET", headers["Location"], headers=who)[2])["finished"])  # noqa: B023
        time.sleep(0.3)  # a quarter of the bound takes more than the second after which they are counted


def test_connections_of_others_leave_places(beside):
    """Each greedy client keeps its connections busy by requests; what the good one has had from the beginning stays."""
    make, stack = beside
    one = make(connections=256, io_threads=1)
    call = head("POST", PATH, "good", len(BODY)) + BODY
    kept = stack.enter_context(one.socket())
    assert answered(kept, call) == b"200" and kept.recv(65536)
    numbers = []
    for token in GREEDY:
        numbers.append(0)
        while True:
            s = stack.enter_context(one.socket())
            status = answered(s, head("GET", "/v1/version", token))
            if status == b"429":
                assert b'client_share' in b"".join(iter(lambda: s.recv(65536), b""))  # noqa: B023 - and it is closed
                break
            assert status == b"200"
            numbers[-1] += 1
        assert numbers[-1] < 140
    assert numbers[0] > numbers[1] > numbers[2]
    # and all that is left, by sockets that name no client
    for _ in range(300):
        with contextlib.suppress(OSError):
            stack.enter_context(one.socket())
    assert answered(kept, call) == b"200", "its idle connection is not the one that gives way"

    def served():
        with contextlib.suppress(OSError, http.client.HTTPException):
            return one.request("POST", PATH, BODY, {**JSON, "Authorization": "Bearer good"})[0] == 200
        return False

    eventually(served)

    def another():
        """One more connection of the good client, which stays open: idle ones of others give way to as many as a browser opens."""
        s = stack.enter_context(one.socket())
        with contextlib.suppress(OSError):
            return answered(s, call) == b"200"

    for _ in range(6):
        eventually(another)


def test_a_connection_stays_its_clients_after_a_large_body(beside):
    """A large body is received past the HTTP library, which then gets its socket as a new connection."""
    make, stack = beside
    one = make(connections=64)
    connection = one.connect()
    stack.callback(connection.close)
    for _ in range(200):  # each is counted once
        connection.request("PUT", "/v1/datasets/mine", b"t\n" + b"1\n" * 40000, {"Authorization": "Bearer good", "Content-Type": "text/csv"})
        response = connection.getresponse()
        assert response.status in (200, 201), response.read()
        response.read()


def test_idle_connections_give_way(start):
    """All connections are taken by a client that sends nothing: another client is still served."""
    one = start({"connections": 128, "io_threads": 1, "header_timeout": 3600000, "idle_timeout": 3600000})
    with contextlib.ExitStack() as stack:
        for _ in range(160):
            stack.enter_context(one.socket())

        def served():
            with contextlib.suppress(OSError, http.client.HTTPException):
                return one.request("POST", PATH, BODY, JSON)[0] == 200
            return False

        eventually(served)
    eventually(lambda: metric(one, "torqued_connections_open") == 1)
