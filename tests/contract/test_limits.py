# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_limits.py - slow clients, large bodies, many connections: each client's share is
# bounded.
import contextlib
import http.client
import json
import os
import select
import selectors
import socket
import subprocess
import threading
import time

import pytest
from conftest import FILES_MAX, PATIENCE, SLOW, TORQUED, eventually, parse_replies, problem, read_all

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
FAR = 3600000  # ms: this deadline closes no connection here


def deadlines(**near):
    """Settings in which only the given deadlines can end a connection."""
    return {**dict.fromkeys(("header_timeout", "idle_timeout", "body_timeout", "run_timeout", "rate_grace"), FAR), **near}


def closed_after(s, begun, send=b"", every=0.1):
    """Seconds from `begun` until the daemon closes, while the bytes of `send` are sent one by one."""
    s.setblocking(False)
    at = 0
    while time.monotonic() - begun < PATIENCE:
        try:
            if s.recv(4096) == b"":
                return time.monotonic() - begun
        except BlockingIOError:
            pass
        except ConnectionResetError:
            return time.monotonic() - begun
        if at < len(send):
            try:
                s.send(send[at:at + 1])
                at += 1
            except (BrokenPipeError, ConnectionResetError):
                return time.monotonic() - begun
        time.sleep(every)
    raise AssertionError("still open")


# more bytes than are sent one by one within PATIENCE
DRIPPED = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 10000


def test_dripped_header_is_closed_in_time(start):
    one = start(deadlines(header_timeout=3000))
    begun = time.monotonic()
    with one.socket() as s:
        assert closed_after(s, begun, DRIPPED) > 1.0
    assert one.request("GET", "/healthz")[0] == 200


def test_silent_connection_is_closed_in_time(start):
    one = start(deadlines(header_timeout=3000))
    begun = time.monotonic()
    with one.socket() as s:
        assert closed_after(s, begun) > 1.0


def test_dripped_second_header_is_closed_in_time(start):
    """On a kept connection the deadline runs from the first byte of the next request."""
    one = start(deadlines(header_timeout=3000))
    with one.socket() as s:
        s.sendall(GET)
        assert s.recv(4096)
        time.sleep(4)  # the header deadline does not run while the connection is idle
        s.sendall(DRIPPED[:1])
        closed_after(s, time.monotonic(), DRIPPED[1:])


def test_dripped_request_line_is_closed_in_time(start):
    one = start(deadlines(header_timeout=3000))
    with one.socket() as s:
        s.sendall(GET)
        assert s.recv(4096)
        closed_after(s, time.monotonic(), b"GET /" + b"a" * 100000)


def test_idle_connection_is_closed_in_time(start):
    one = start(deadlines(idle_timeout=3000))
    with one.socket() as s:
        begun = time.monotonic()
        s.sendall(GET)
        assert s.recv(4096)
        assert closed_after(s, begun) > 1.0


def test_slow_body_is_closed_in_time(start):
    """10 bytes a second where at least 1,000 are required, after a grace period of a second."""
    one = start(deadlines(rate_grace=1000, rate_least=1000))
    with one.socket() as s:
        begun = time.monotonic()
        s.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n")
        assert closed_after(s, begun, b"x" * 50000) > 0.5


def test_slow_body_is_answered_408(start):
    one = start(deadlines(rate_grace=1000, rate_least=1000))
    path = b"/v1/robots/panda/inverse-dynamics"
    with one.socket() as s:
        s.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{\"q\"")
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 408)


def test_half_of_a_large_body_is_answered_408(start):
    """Above 64 KiB, where the daemon reads the socket itself."""
    one = start(deadlines(rate_grace=3000, rate_least=100_000_000))
    with one.socket() as s:
        s.sendall(b"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n"
                  b'{"q": [' + b"[0, 0, 0, 0, 0, 0, 0], " * 2500)  # the daemon reads all of it at once
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 408)


@pytest.mark.parametrize("takes", [0, 100_000])
def test_slow_reader_is_closed_and_delays_no_other(start, takes):
    """An answer of 14 MB that the client does not read, or reads slowly: its connection ends, others are served
    in the meantime."""
    one = start(deadlines(rate_grace=1000, rate_least=100_000_000, idle_timeout=2000))
    body = b'{"waypoints": [[0, 0], [1, 1]], "timing": "quintic", "durations_s": [10], "interval_s": 1e-4}'
    with one.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        s.sendall(b"POST /v1/robots/planar-2r/trajectory HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert select.select([s], [], [], PATIENCE)[0], "the answer begins"
        deadline = time.monotonic() + PATIENCE
        text = ""
        while "torqued_connections_open 1\n" not in text and time.monotonic() < deadline:
            time.sleep(0.1)
            with contextlib.suppress(ConnectionError):
                s.recv(takes)
            # this connection may be closed as too slow as well
            with contextlib.suppress(OSError, http.client.HTTPException):
                text = one.request("GET", "/metrics")[2].decode()
        assert "torqued_connections_open 1\n" in text


def test_descriptors_run_out(tmp_path):
    """64 descriptors and 200 clients at once: connections beyond the bound are closed, and afterwards the daemon
    serves again."""
    process = subprocess.Popen(["bash", "-c", 'ulimit -n 64; exec "$@"', "-", TORQUED, "--listen", "127.0.0.1:0",
                                "--workers", "2", "--state-dir", str(tmp_path)], stderr=subprocess.PIPE, text=True)
    try:
        url = json.loads(process.stderr.readline())["url"]
        address = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        for _ in range(3):
            held = [socket.create_connection(address, timeout=PATIENCE) for _ in range(200)]
            time.sleep(0.3)
            for s in held:
                s.close()
            deadline = time.monotonic() + PATIENCE
            got = b""
            # closed until the daemon has noticed the end of the earlier ones
            while not got and time.monotonic() < deadline:
                with contextlib.suppress(ConnectionError), socket.create_connection(address, timeout=PATIENCE) as s:
                    s.sendall(GET)
                    got = s.recv(4096)
            assert got.startswith(b"HTTP/1.1 200")
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_steady_body_is_bounded_in_total(start):
    one = start(deadlines(body_timeout=3000))
    with one.socket() as s:
        begun = time.monotonic()
        s.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n")
        assert closed_after(s, begun, b"x" * 50000) > 1.0


def half_requests(one, n):
    slow = [socket.create_connection(one.address, timeout=PATIENCE) for _ in range(n)]
    for s in slow:
        s.sendall(b"GET /healthz HTTP/1.1\r\nX-")
    return slow


def test_many_slow_clients_do_not_hold_up_others(start):
    """No slow client ends within an hour: a thread that waited for one would fail the test."""
    one = start({**deadlines(), "connections": 2000})
    slow = half_requests(one, 500)
    with one.socket() as probe:
        for _ in range(100):
            probe.sendall(GET)
            assert probe.recv(4096).startswith(b"HTTP/1.1 200")
    for s in slow:
        s.close()


def test_many_slow_clients_are_all_closed(start):
    one = start({**deadlines(header_timeout=3000), "connections": 2000})
    for s in half_requests(one, 500):
        with contextlib.suppress(ConnectionResetError):
            assert s.recv(100) == b""
        s.close()


def test_large_body_is_refused_before_it_is_sent(daemon, tmp_path):
    """curl sends the header first (Expect: 100-continue) and uploads nothing."""
    path = tmp_path / "large"
    with open(path, "wb") as f:
        f.truncate(100 << 20)
    done = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{size_upload}", "--expect100-timeout", str(PATIENCE), "-X", "GET",
         "-T", str(path), daemon.url + "/healthz"], capture_output=True, text=True, timeout=2 * PATIENCE)
    assert done.stdout == "413 0"


def test_large_body_without_asking_gets_its_answer(daemon):
    """A client that sends the body at once and reads afterwards still receives the problem document."""
    with daemon.socket() as s:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
        got = b""
        sent = 0
        try:
            while sent < 100_000_000:
                sent += s.send(b"x" * 65536)
        except (BrokenPipeError, ConnectionResetError):
            pass
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 413)
    assert daemon.request("GET", "/healthz")[0] == 200


def test_refusal_does_not_wait_for_a_large_body(start):
    one = start(deadlines())
    with one.socket() as s:
        s.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        got, _ = read_all(s)
    problem(parse_replies(got)[0], 404)


def test_small_refused_body_keeps_the_connection(daemon):
    replies, closed = daemon.raw(
        b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello" + GET, 2)
    assert [r[0] for r in replies] == [404, 200] and not closed


def test_chunked_body_where_none_is_taken(daemon):
    replies, _ = daemon.raw(
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    problem(replies[0], 413)


def exchange(address, n, rounds):
    """n keep-alive connections, each of which sends its next request on receipt of an answer, for `rounds` rounds."""
    chooser = selectors.DefaultSelector()
    sockets = []
    for _ in range(n):
        s = socket.create_connection(address, timeout=PATIENCE)
        s.setblocking(False)
        chooser.register(s, selectors.EVENT_READ)
        sockets.append(s)
    # all at once: in an earlier version the library's own loop stopped waking up here
    for s in sockets:
        s.send(GET)
    left = {s: rounds for s in sockets}
    stop = time.monotonic() + PATIENCE
    while any(left.values()) and time.monotonic() < stop:
        for key, _ in chooser.select(1):
            data = key.fileobj.recv(4096)
            assert data.startswith(b"HTTP/1.1 200"), data[:80]
            left[key.fileobj] -= 1
            if left[key.fileobj] > 0:
                key.fileobj.send(GET)
    chooser.close()
    for s in sockets:
        s.close()
    return sum(1 for n_left in left.values() if n_left > 0)


@pytest.mark.parametrize("n", [64, 127, 128, 129, 256, 384, 512, 768, 1024])
def test_no_stall_with_many_connections(start, n):
    if n + 100 > FILES_MAX:
        pytest.skip(f"{FILES_MAX} files may be open")
    one = start({**deadlines(), "io_threads": 1})  # one I/O thread: all connections in one epoll set
    assert exchange(one.address, n, 10) == 0, "connections without an answer"


def test_connections_beyond_the_bound_are_refused(start):
    one = start({"connections": 20, "io_threads": 1})
    held = []
    for _ in range(20):
        s = socket.create_connection(one.address, timeout=PATIENCE)
        s.sendall(GET)
        assert s.recv(4096).startswith(b"HTTP/1.1 200")
        held.append(s)
    with socket.create_connection(one.address, timeout=1) as extra:
        try:
            extra.sendall(GET)
            assert extra.recv(4096) == b""
        except (TimeoutError, ConnectionResetError, BrokenPipeError):
            pass  # waits in the backlog, or was closed
    held.pop().close()
    deadline = time.monotonic() + PATIENCE
    while True:  # refused until the daemon has noticed that the connection is closed
        try:
            assert one.request("GET", "/healthz")[0] == 200
            break
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    for s in held:
        s.close()


def test_clients_that_vanish(start):
    """Half requests, resets and half-closed connections, many at once; afterwards none remains."""
    one = start()

    def vanish(data, linger):
        for _ in range(50):
            s = socket.create_connection(one.address, timeout=PATIENCE)
            if linger:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            s.sendall(data)
            s.close()

    pieces = [GET, GET[:30], b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc", b"", GET * 20]
    threads = [threading.Thread(target=vanish, args=(p, linger)) for p in pieces for linger in (0, 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        text = one.request("GET", "/metrics")[2].decode()
        if "torqued_connections_open 1\n" in text:
            break
        time.sleep(0.2)
    assert "torqued_connections_open 1\n" in text
    fds = len(os.listdir(f"/proc/{one.process.pid}/fd"))
    assert fds < 60


def test_idle_daemon_sleeps(start):
    """No timer runs while no client is connected."""
    one = start()
    one.request("GET", "/healthz")

    def switches():
        total = 0
        for task in os.listdir(f"/proc/{one.process.pid}/task"):
            with open(f"/proc/{one.process.pid}/task/{task}/status") as f:
                total += sum(int(line.split()[1]) for line in f if "voluntary_ctxt" in line)
        return total

    def sleeps():
        before = switches()
        time.sleep(2)
        return switches() - before < (20 if SLOW == 1 else 60)  # a sanitizer has its own thread

    eventually(sleeps)  # as soon as the work of the start is done
