# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_large_bodies.py - bodies that the daemon reads from the socket itself; the connection is
# kept.
"""For bodies above 64 KiB the daemon takes the socket over from its HTTP library (daemon/serve/direct.c); no
client may notice."""

import io
import json
import socket
import struct
import time

import pytest

from conftest import PATIENCE, eventually, metric, parse_replies, problem, read_all

PATH = b"/v1/robots/panda/inverse-dynamics"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def motion(n, seed=1):
    rows = [[((i * 7 + k) * 7919 + seed) % 2000 / 1000 - 1 for k in range(7)] for i in range(n)]
    return json.dumps({name: rows for name in ("q", "qd", "qdd")}).encode()


def post(body, *fields, version=b"1.1"):
    return (b"POST " + PATH + b" HTTP/" + version + b"\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(body)
            + b"".join(f + b"\r\n" for f in fields) + b"\r\n" + body)


def answers(s, n):
    """Reads until n answers are complete."""
    got = b""
    while True:
        try:
            replies = parse_replies(got)
            if len(replies) >= n and len(replies[-1][2]) == int(replies[-1][1].get("content-length", len(replies[-1][2]))):
                return replies
        except (AssertionError, ValueError, IndexError):
            pass
        piece = s.recv(1 << 20)
        assert piece, got[:300]
        got += piece


def test_connection_lives_on(daemon):
    """Three large bodies and a small request on one connection; the numbers equal those of small requests."""
    opened = metric(daemon, "torqued_connections_opened_total")
    with daemon.socket() as s:
        for seed in (1, 2, 3):
            s.sendall(post(motion(3000, seed)))
            status, headers, body = answers(s, 1)[0]
            assert status == 200 and headers["content-type"] == "application/json" and "date" in headers
            tau = json.loads(body)["tau"]
            assert len(tau) == 3000
        s.sendall(GET)
        assert answers(s, 1)[0][0] == 200
    last = json.loads(motion(3000, 3))
    alone = json.dumps({name: rows[2999] for name, rows in last.items()}).encode()
    assert json.loads(daemon.request("POST", PATH.decode(), alone)[2])["tau"] == tau[2999]
    # this connection, that of `alone`, and that of the second look at the metric
    assert metric(daemon, "torqued_connections_opened_total") == opened + 3


def test_next_requests_are_pipelined_after_the_body(daemon):
    """Pipelined: bytes after a large body belong to the next request."""
    replies, closed = daemon.raw(post(motion(2000)) + GET + post(motion(2500, 5)) + GET, 4)
    assert [r[0] for r in replies] == [200, 200, 200, 200] and not closed
    assert len(json.loads(replies[2][2])["tau"]) == 2500


@pytest.mark.parametrize("fields, version", [((b"Connection: close",), b"1.1"), ((), b"1.0")])
def test_connection_that_is_to_end(daemon, fields, version):
    replies, closed = daemon.raw(post(motion(2000), *fields, version=version))
    assert [r[0] for r in replies] == [200] and closed
    assert len(json.loads(replies[0][2])["tau"]) == 2000


def test_body_in_drips_and_bursts(daemon):
    body = motion(2000)
    with daemon.socket() as s:
        whole = post(body)
        for at in range(0, 2000, 200):
            s.sendall(whole[at:at + 200])
            time.sleep(0.005)
        for at in range(2000, len(whole), 50_000):
            s.sendall(whole[at:at + 50_000])
            time.sleep(0.002)
        assert answers(s, 1)[0][0] == 200


def test_fault_in_the_middle_is_answered_at_once(daemon):
    """The client continues to send; the answer has the pointer, and the connection ends."""
    body = motion(60000)
    at = body.index(b"[", 200_000)
    bad = body[:at] + b"x" + body[at + 1:]
    with daemon.socket() as s:
        try:
            s.sendall(post(bad))
        except (BrokenPipeError, ConnectionResetError):
            pass
        got, closed = read_all(s)
    assert closed
    assert problem(parse_replies(got)[0], 400)["type"].endswith("malformed")


def test_fault_near_the_end_keeps_the_connection(daemon):
    bad = motion(3000)[:-20] + b"x" * 20
    replies, closed = daemon.raw(post(bad) + GET, 2)
    problem(replies[0], 400)
    assert [r[0] for r in replies] == [400, 200] and not closed


def test_client_that_vanishes(daemon):
    """During the body, and while the answer is being sent."""
    body = post(motion(40000))
    for cut in (300_000, len(body)):
        s = socket.create_connection(daemon.address)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        s.sendall(body[:cut])
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
    eventually(lambda: metric(daemon, "torqued_connections_open") == 1)


def test_slow_large_body_is_answered_408(start):
    one = start({"rate_grace": 3000, "rate_least": 1000000})
    with one.socket() as s:
        s.sendall(post(motion(20000))[:200_000])
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 408)


def test_stop_while_a_large_body_arrives(start):
    one = start({"stop_timeout": 500})
    with one.socket() as s:
        s.sendall(post(motion(20000))[:200_000])
        eventually(lambda: metric(one, "torqued_body_bytes_total") > 100_000)
        one.stop()


def test_connections_at_their_bound_live_on(start):
    """A connection that returns to the HTTP library counts once."""
    one = start({"connections": 4})
    held = [socket.create_connection(one.address, timeout=PATIENCE) for _ in range(4)]
    for seed, s in enumerate(held):
        s.sendall(post(motion(2000, seed)))
    for s in held:
        assert answers(s, 1)[0][0] == 200
    for s in held:
        s.sendall(GET)
        assert answers(s, 1)[0][0] == 200
        s.close()


def test_data_after_the_samples_counts(daemon):
    """Samples are computed while the body arrives, and again if a later field changes the model."""
    body, moon = motion(20000), b'"gravity":[0,0,-1.62]'
    later = daemon.request("POST", PATH.decode(), body[:-1] + b"," + moon + b"}")
    before = daemon.request("POST", PATH.decode(), b"{" + moon + b"," + body[1:])
    assert later[0] == before[0] == 200
    assert json.loads(later[2])["tau"] == json.loads(before[2])["tau"] != json.loads(daemon.request("POST", PATH.decode(), body)[2])["tau"]
    bad = daemon.request("POST", PATH.decode(), body[:-1] + b',"speed":1}')
    assert problem(bad, 400)["errors"][0]["pointer"] == "/speed"


def test_answer_in_chunks(start):
    """An answer longer than the reply buffer is sent in chunks, and the connection is kept."""
    one = start({"reply_buffer": 65536})
    with one.socket() as s:
        for seed in (1, 2):
            s.sendall(post(motion(30000, seed)))
            status, headers, body = answers(s, 1)[0]
            assert status == 200 and headers.get("transfer-encoding") == "chunked"
            assert len(json.loads(body)["tau"]) == 30000


@pytest.mark.parametrize("kind", ["npy", "cbor"])
@pytest.mark.parametrize("reply_buffer", [67108864, 16384])
def test_binary_answer_has_a_length(start, reply_buffer, kind):
    """Binary numbers equal those in JSON and have a Content-Length, both by the library and by the daemon's own
    path."""
    numpy = pytest.importorskip("numpy")
    daemon = start({"reply_buffer": reply_buffer})
    # bodies of 336, 151 and 6.7 KB; answers of 112, 50 (formatted as far as the buffer allows) and 2 KB
    for n in (2000, 900, 40):
        rows = json.loads(motion(n))
        table = numpy.hstack([numpy.array(rows[name]) for name in ("q", "qd", "qdd")])
        file = io.BytesIO()
        numpy.save(file, table)
        with daemon.socket() as s:
            s.sendall(post(motion(n)))
            tau = numpy.array(json.loads(answers(s, 1)[0][2])["tau"])
            s.sendall(post(file.getvalue(), b"Content-Type: application/x-npy", b"Accept: application/" +
                           (b"x-npy" if kind == "npy" else b"cbor")))
            status, headers, body = answers(s, 1)[0]
            assert status == 200 and int(headers["content-length"]) == len(body)
            if kind == "npy":
                assert numpy.array_equal(numpy.load(io.BytesIO(body)), tau)
            else:
                assert tau.tobytes() in body
