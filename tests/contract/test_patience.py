# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_patience.py - requests of closed clients or past their deadline are not computed; a busy
# daemon still answers the watchdog.
"""No assertion is about times: work that must not be done would take far longer than the patience of these tests."""

import contextlib
import json
import os
import select
import socket
import threading

import pytest
from conftest import PATIENCE, SLOW, eventually, metric, parse_replies, problem

# an unreachable pose, so that every seed takes all its iterations: seconds of one core for 200 bytes
HARD = json.dumps({"frame": "flange", "pose": {"position": [9, 9, 9], "quaternion_wxyz": [1, 0, 0, 0]}, "seeds": 1024, "iterations": 1000}).encode()
PATH = "/v1/robots/panda/inverse-kinematics"
EASY = b'{"q":[%s],"qd":[%s],"qdd":[%s]}' % ((b",".join([b"[0,0,0,0,0,0,0]"] * 500),) * 3)
WAITS = {"workers": 1, "run_timeout": 3600000, "queue_timeout": 3600000}


def post(path, body, headers=b""):
    return b"POST " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\n" + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def cpu_s(one):
    fields = open(f"/proc/{one.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def waiting(one, n, request=None):
    """n clients that wait for a hard computation."""
    clients = [socket.create_connection(one.address, timeout=PATIENCE) for _ in range(n)]
    before = metric(one, "torqued_requests_queued_total")
    for c in clients:
        c.sendall(request or post(PATH, HARD))
    eventually(lambda: metric(one, "torqued_requests_queued_total") >= before + n)
    try:
        yield clients
    finally:
        for c in clients:
            c.close()


def easy(one, headers=None):
    return one.request("POST", "/v1/robots/panda/inverse-dynamics", EASY, {"Content-Type": "application/json", **(headers or {})})


def test_hard_is_hard_and_out_of_reach(start):
    one = start(WAITS)
    status, _, body = one.request("POST", PATH, HARD)
    assert status == 200, body
    assert json.loads(body)["solutions"] == []


def test_nothing_is_computed_for_clients_that_have_gone(start):
    one = start(WAITS)
    begun = cpu_s(one)
    assert one.request("POST", PATH, HARD)[0] == 200
    each = cpu_s(one) - begun
    begun = cpu_s(one)
    with waiting(one, 64):
        pass
    assert easy(one)[0] == 200
    assert cpu_s(one) - begun < 16 * each, "most of 64 were computed for clients that had left"


def test_reset_connections_are_noticed(start):
    one = start(WAITS)
    with waiting(one, 64) as clients:
        for c in clients:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert easy(one)[0] == 200


def test_gone_clients_of_a_unix_socket_are_noticed(start, tmp_path):
    path = str(tmp_path / "torqued.sock")
    one = start(WAITS, listen=f"unix:{path}")

    def ask(request):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            s.connect(path)
            s.sendall(request)
            return s.recv(65536)

    for _ in range(64):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            s.sendall(post(PATH, HARD))
    assert ask(post("/v1/robots/panda/inverse-dynamics", EASY)).startswith(b"HTTP/1.1 200")


def test_a_client_that_only_ends_its_own_stream_is_answered(start):
    """As `nc -N` does. The daemon may send "100 Continue" in the meantime, which a client skips."""
    one = start(WAITS)
    with waiting(one, 2) as clients:
        for c in clients:
            c.shutdown(socket.SHUT_WR)
        for c in clients:
            got = b""
            while piece := c.recv(65536):
                got += piece
            replies = parse_replies(got)
            assert [r[0] for r in replies if r[0] != 100] == [200]
            assert json.loads(replies[-1][2])["solutions"] == []


def test_time_of_a_computation_is_bounded(start):
    one = start({**WAITS, "run_timeout": 100 * SLOW})
    connection = one.connect()
    for _ in range(2):  # on one kept connection
        connection.request("POST", PATH, HARD)
        response = connection.getresponse()
        document = problem((response.status, response.headers, response.read()), 504)
        assert document["type"] == "/problems/took-too-long" and "respond-async" in document["detail"]
    connection.close()
    # as a job it has no such bound
    status, _, body = one.request("POST", PATH, HARD, {"Prefer": "respond-async"})
    assert status == 202
    eventually(lambda: json.loads(one.request("GET", f"/v1/jobs/{json.loads(body)['id']}")[2])["state"] == "succeeded")


def test_deadline_of_an_immediate_call(start):
    """The computation must begin before the deadline, as a job must."""
    one = start(WAITS)
    for text in ("0", "-1", "1.5", "soon", "99999999"):
        problem(easy(one, {"Torqued-Deadline": text}), 422)
    assert easy(one, {"Torqued-Deadline": "60"})[0] == 200
    with waiting(one, 64):
        reply = easy(one, {"Torqued-Deadline": "1"})
        assert "begin" in problem(reply, 503)["detail"] and int(reply[1]["Retry-After"]) >= 1


def test_too_much_that_waits_is_refused_early(start):
    """The expected wait is estimated from the times of recent computations and may fall below the bound when one
    of them ends: then the test repeats."""
    one = start({**WAITS, "queue_timeout": 2000})
    assert one.request("GET", "/readyz")[0] == 200

    def refuses():
        with waiting(one, 16):
            eventually(lambda: one.request("GET", "/readyz")[0] == 503)
            reply = easy(one)
        eventually(lambda: one.request("GET", "/readyz")[0] == 200)
        return reply[0] == 503 and int(reply[1]["Retry-After"]) >= 1

    eventually(refuses)
    assert easy(one)[0] == 200


def test_readyz_says_how_long_computations_wait(start):
    one = start({**WAITS, "queue_timeout": 3600000})
    with waiting(one, 16):
        assert one.request("GET", "/readyz")[0] == 200
    one = start({**WAITS, "queue_timeout": 5000})
    with waiting(one, 16):
        def answer():
            reply = one.request("GET", "/readyz")
            return reply[0] == 503 and "wait about" in problem(reply, 503)["detail"]
        eventually(answer)


def test_reads_do_not_wait_for_computations(start):
    """Computations of minutes are queued: robots, jobs and datasets are still served."""
    one = start(WAITS)
    assert one.request("PUT", "/v1/datasets/d", b"t,q\n0,1\n1,2\n")[0] == 201
    with waiting(one, 64) as clients:
        for _ in range(3):
            assert one.request("GET", "/v1/datasets")[0] == 200
            assert one.request("GET", "/v1/datasets/d/content")[0] == 200
            assert one.request("GET", "/v1/jobs")[0] == 200
            assert one.request("PUT", "/v1/datasets/d", b"t,q\n0,1\n1,2\n")[0] in (200, 201)
        # no test may rely on an order: each I/O thread has its own queue
        answered, _, _ = select.select(clients, [], [], 0)
        assert len(answered) < len(clients)


class Systemd(threading.Thread):
    """Receives the messages sent to NOTIFY_SOCKET."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.signs = 0
        self.start()

    def run(self):
        while True:
            self.signs += b"WATCHDOG=1" in self.socket.recv(4096)


@pytest.mark.parametrize("stays", (False, True), ids=("gone", "patient"))
def test_watchdog_is_fed_while_much_work_waits(start, tmp_path, monkeypatch, stays):
    path = str(tmp_path / "notify")
    systemd = Systemd(path)
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")  # a keep-alive is due each second; the daemon sends four
    one = start({**WAITS, "io_threads": 2})
    eventually(lambda: systemd.signs >= 4)
    with waiting(one, 64) as clients:
        if not stays:
            for c in clients:
                c.close()
        begun = systemd.signs
        eventually(lambda: systemd.signs >= begun + 12)
        if stays:
            # no test may rely on an order: each I/O thread has its own queue
            answered, _, _ = select.select(clients, [], [], 0)
            assert len(answered) < len(clients)
