# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_framing.py - a message that two parsers could read differently is refused, and no hidden
# request runs.
"""The cases are those of HTTP request smuggling: each message contains a second request, /v1/version, that must
not be answered."""

import pytest
from conftest import problem, read_all

HOST = b"Host: localhost\r\n"
SECOND = b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(headers, body=b"", host=HOST, path=b"/healthz", version=b"HTTP/1.1"):
    return b"POST " + path + b" " + version + b"\r\n" + host + headers + b"\r\n" + body


# refused by the daemon's own check of the header: a problem document, then close
GATE = {
    "content-length and transfer-encoding": post(
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SECOND),
    "transfer-encoding and content-length": post(
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", b"0\r\n\r\n" + SECOND),
    "two content-lengths": post(b"Content-Length: 0\r\nContent-Length: 44\r\n", SECOND),
    "the same content-length twice": post(b"Content-Length: 3\r\nContent-Length: 3\r\n", b"abc" + SECOND),
    "gzip, chunked": post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n" + SECOND),
    "chunked, gzip": post(b"Transfer-Encoding: chunked, gzip\r\n", b"0\r\n\r\n" + SECOND),
    "xchunked": post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n" + SECOND),
    "identity": post(b"Transfer-Encoding: identity\r\n", SECOND),
    "chunked twice": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SECOND),
    "chunked and identity": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", b"0\r\n\r\n" + SECOND),
    "space before the colon": post(b"Content-Length : 0\r\n", SECOND),
    "tab before the colon": post(b"Content-Length\t: 0\r\n", SECOND),
    "transfer-encoding with space before the colon": post(
        b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + SECOND),
    "no host in HTTP/1.0": b"GET /healthz HTTP/1.0\r\n\r\n" + SECOND,
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n" + SECOND,
    "host of another site": b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n" + SECOND,
    "host that begins like ours": b"GET /healthz HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n" + SECOND,
    "host with text after its port": b"GET /healthz HTTP/1.1\r\nHost: localhost:1@evil\r\n\r\n" + SECOND,
    "bracket in a name": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX(y: z\r\n\r\n" + SECOND,
    "control byte in a value": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Y: a\x01b\r\n\r\n" + SECOND,
    "delete byte in a value": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Y: a\x7fb\r\n\r\n" + SECOND,
}


@pytest.mark.parametrize("name", GATE)
def test_gate_refuses_and_closes(daemon, name):
    replies, closed = daemon.raw(GATE[name])
    assert len(replies) == 1, replies
    problem(replies[0], 400)
    assert closed


# refused by libmicrohttpd before the daemon's code runs: its own error page, closed, no hidden request run
LIBRARY = {
    "no host": (b"GET /healthz HTTP/1.1\r\nAccept: */*\r\n\r\n" + SECOND, {400}),
    "content-length with a sign": (post(b"Content-Length: +3\r\n", b"abc" + SECOND), {400}),
    "content-length list": (post(b"Content-Length: 3, 3\r\n", b"abc" + SECOND), {400}),
    "negative content-length": (post(b"Content-Length: -1\r\n", SECOND), {400}),
    "content-length of words": (post(b"Content-Length: many\r\n", SECOND), {400}),
    "content-length overflow": (post(b"Content-Length: 99999999999999999999999\r\n", SECOND), {400, 413}),
    "HTTP/2.0": (b"GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n" + SECOND, {505}),
    "no version": (b"GET /healthz\r\nHost: localhost\r\n\r\n" + SECOND, {400, 505}),
    "header without a colon": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n" + SECOND, {400}),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_library_refuses_and_closes(daemon, name):
    data, statuses = LIBRARY[name]
    with daemon.socket() as s:
        s.sendall(data)
        got, closed = read_all(s)
    assert closed
    # libmicrohttpd 0.9.75 may print its header block twice: the status counts, and that the second request
    # did not run
    assert not got or int(got.split()[1]) in statuses, got[:200]
    assert b'"name":"torqued"' not in got


def test_chunk_size_overflow(daemon):
    with daemon.socket() as s:
        s.sendall(post(b"Transfer-Encoding: chunked\r\n", b"fffffffffffffffff\r\nabc\r\n0\r\n\r\n" + SECOND))
        got, closed = read_all(s)
    assert closed and b'"name":"torqued"' not in got


PATHS = {
    "dot": b"/./healthz",
    "dot dot": b"/v1/../healthz",
    "dot dot at the end": b"/v1/..",
    "encoded dot dot": b"/v1/%2e%2E/healthz",
    "half encoded dot dot": b"/v1/.%2e/healthz",
    "NUL": b"/healthz%00",
    "NUL inside": b"/heal%00thz",
    "control": b"/healthz%0a",
    "delete": b"/healthz%7f",
    "encoded slash": b"/v1%2Fversion",
    "encoded backslash": b"/v1%5cversion",
    "broken percent": b"/healthz%4",
    "percent alone": b"/healthz%",
    "percent of no digits": b"/healthz%zz",
    "not UTF-8": b"/v1/robots/%ff%fe",
    "cut UTF-8": b"/v1/robots/%c3",
    "raw high byte": b"/v1/robots/\xc3\xa9",
    "absolute form of another host": b"http://evil.example/healthz",
    "absolute form with a user": b"http://localhost@evil.example/healthz",
    "absolute form of another scheme": b"ftp://localhost/healthz",
    "absolute form without a host": b"http:///healthz",
    "dots in absolute form": b"http://localhost/v1/../healthz",
    "asterisk": b"*",
    "no slash": b"healthz",
    "high byte in the query": b"/healthz?a=\xc3\xa9",
}


@pytest.mark.parametrize("name", PATHS)
def test_bad_target_is_a_problem(daemon, name):
    replies, _ = daemon.raw(b"GET " + PATHS[name] + b" HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert len(replies) == 1
    problem(replies[0], 400)


@pytest.mark.parametrize("path, status", [
    (b"/healthz?", 200), (b"/healthz?a=b&c=%20", 200), (b"/health%7a", 404), (b"/healthz/", 404), (b"//healthz", 404),
    (b"http://localhost/healthz", 200), (b"HTTP://127.0.0.1:80/healthz?a=b", 200), (b"http://localhost", 200), (b"/...", 404), (b"/v1/robots/..a", 404), (b"/", 200)])
def test_odd_but_good_target(daemon, path, status):
    replies, _ = daemon.raw(b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert [r[0] for r in replies] == [status]


@pytest.mark.parametrize("host", [b"localhost", b"LOCALHOST:8420", b"127.0.0.1", b"127.0.0.1:1", b"[::1]", b"[::1]:8420"])
def test_hosts_that_are_served(daemon, host):
    replies, closed = daemon.raw(b"GET /healthz HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert [r[0] for r in replies] == [200] and not closed


def test_hosts_can_be_added(start):
    one = start({"hosts": "robots.example, lab"})
    for host, status in ((b"robots.example", 200), (b"Lab:80", 200), (b"lab2", 400), (b"localhost", 200)):
        replies, _ = one.raw(b"GET /healthz HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
        assert [r[0] for r in replies] == [status]


def test_pages_of_other_sites_cannot_send(daemon):
    status, headers, body = daemon.request("POST", "/v1/inertia", b"{}", {"Origin": "http://evil.example"})
    assert status in (403, 404)  # the page is refused, or the route is unknown
    status, headers, body = daemon.request("GET", "/healthz", headers={"Origin": "http://evil.example"})
    assert status == 200 and "access-control-allow-origin" not in headers


def test_pipelined_requests_are_answered_in_order(daemon):
    replies, closed = daemon.raw(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n" + b"GET /nothing HTTP/1.1\r\n" + HOST +
                                 b"\r\n" + SECOND, 3)
    assert [r[0] for r in replies] == [200, 404, 200] and not closed


def test_headers_above_4_kib(daemon):
    # within the library's memory pool: the daemon answers, with a problem document
    replies, closed = daemon.raw(b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * 4200 + b"\r\n\r\n" + SECOND)
    assert closed and len(replies) == 1
    problem(replies[0], 431)


@pytest.mark.parametrize("size", [8_000, 40_000, 1_000_000])
def test_headers_beyond_the_pool(daemon, size):
    with daemon.socket() as s:
        try:
            s.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * size + b"\r\n\r\n" + SECOND)
        except (BrokenPipeError, ConnectionResetError):
            pass
        got, closed = read_all(s)
    assert closed and b'"name":"torqued"' not in got


def test_binary_noise(daemon):
    import random
    noise = random.Random(1)
    for _ in range(50):
        with daemon.socket() as s:
            try:
                s.sendall(noise.randbytes(noise.randrange(1, 3000)) + b"\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass
    assert daemon.request("GET", "/healthz")[0] == 200
