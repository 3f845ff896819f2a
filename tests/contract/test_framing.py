# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_framing.py - a message that two parsers could read differently is refused, and no hidden
# request runs.
"""The cases are those of HTTP request smuggling: each message contains a second request, /v1/version, that must
not be answered."""

import socket

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
    "host with a port above 65535": b"GET /healthz HTTP/1.1\r\nHost: localhost:65536\r\n\r\n" + SECOND,
    "host with a port of many digits": b"GET /healthz HTTP/1.1\r\nHost: localhost:99999999999\r\n\r\n" + SECOND,
    "delete byte in a value": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Y: a\x7fb\r\n\r\n" + SECOND,
}


# refused by our own reading of the bytes, before libmicrohttpd takes them for something else
HEADER = b"GET /healthz HTTP/1.1\r\n" + HOST
STRICT = {
    "header without a name": (HEADER + b": value\r\n" + SECOND, "no name"),
    "header without a name and value": (HEADER + b":\r\n" + SECOND, "no name"),
    "header without a name first": (b"GET /healthz HTTP/1.1\r\n: value\r\n" + HOST + b"\r\n" + SECOND, "no name"),
    "content-length behind a header without a name": (post(b": value\r\nContent-Length: 44\r\n", SECOND), "no name"),
    "header line ended by LF": (HEADER + b"X: y\n\r\n" + SECOND, "LF without CR"),
    "request line ended by LF": (b"GET /healthz HTTP/1.1\n" + HOST + b"\r\n" + SECOND, "LF without CR"),
    "head ended by LF": (HEADER + b"\n" + SECOND, "LF without CR"),
    "all lines ended by LF": (HEADER.replace(b"\r", b"") + b"\n" + SECOND, "LF without CR"),
    "CR alone in a value": (HEADER + b"X: a\rY: b\r\n\r\n" + SECOND, "CR without LF"),
    "CR alone behind the head": (HEADER + b"\rX" + SECOND, "CR without LF"),
    "folded header": (HEADER + b"X: a\r\n b\r\n\r\n" + SECOND, "continues"),
    "folded by a tab": (HEADER + b"X: a\r\n\tb\r\n\r\n" + SECOND, "continues"),
    "space before the first header": (b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n" + SECOND, "continues"),
    "NUL behind content-length": (post(b"Content-Length: 0\0" + b"44\r\n", SECOND), "control"),
    "NUL behind chunked": (post(b"Transfer-Encoding: chunked\0x\r\n", b"0\r\n\r\n" + SECOND), "control"),
    "NUL in the host": (b"GET /healthz HTTP/1.1\r\nHost: localhost\0.evil\r\n\r\n" + SECOND, "control"),
    "NUL in the target": (b"GET /healthz\0x HTTP/1.1\r\n" + HOST + b"\r\n" + SECOND, "control"),
    "NUL in a name": (HEADER + b"X\0Y: z\r\n\r\n" + SECOND, "character"),
    "two spaces before the target": (b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n" + SECOND, "one space"),
    "two spaces before the version": (b"GET /healthz  HTTP/1.1\r\n" + HOST + b"\r\n" + SECOND, "request line"),
    "tab before the target": (b"GET\t/healthz HTTP/1.1\r\n" + HOST + b"\r\n" + SECOND, "one space"),
    "space behind the version": (b"GET /healthz HTTP/1.1 \r\n" + HOST + b"\r\n" + SECOND, "request line"),
    "text behind the version": (b"GET /healthz HTTP/1.1x\r\n" + HOST + b"\r\n" + SECOND, "request line"),
    "a line of LF first": (b"\n" + HEADER + b"\r\n" + SECOND, "method"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "method"),
    "method with a colon": (b"GE:T /healthz HTTP/1.1\r\n" + HOST + b"\r\n" + SECOND, "one space"),
    "chunks in HTTP/1.0": (post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SECOND, version=b"HTTP/1.0"), "HTTP/1.0"),
}
CHUNKED = post(b"Transfer-Encoding: chunked\r\n", path=b"/v1/inertia")
CHUNKS = {
    "size ended by LF": (b"5\nhello\r\n0\r\n\r\n", "size"),
    "extension ended by LF": (b"5;a\nhello\r\n0\r\n\r\n", "LF"),
    "last chunk ended by LF": (b"0\n\r\n", "size"),
    "chunk ended by LF": (b"5\r\nhello\n0\r\n\r\n", "longer"),
    "chunk that is longer than its size": (b"4\r\nhello\r\n0\r\n\r\n", "longer"),
    "size with a sign": (b"+5\r\nhello\r\n0\r\n\r\n", "size"),
    "size by 0x": (b"0x5\r\nhello\r\n0\r\n\r\n", "size"),
    "size with a space before it": (b" 5\r\nhello\r\n0\r\n\r\n", "size"),
    "size with a space behind it": (b"5 \r\nhello\r\n0\r\n\r\n", "size"),
    "no size": (b"\r\nhello\r\n0\r\n\r\n", "size"),
    "size of 16 digits": (b"0000000000000005\r\nhello\r\n0\r\n\r\n", "size"),
    "trailer ended by LF": (b"0\r\nX: y\n\r\n", "LF"),
    "trailer without a name": (b"0\r\n: y\r\n\r\n", "no name"),
    "folded trailer": (b"0\r\nX: y\r\n z\r\n\r\n", "continues"),
    "end by LF": (b"0\r\n\n", "LF"),
}


@pytest.mark.parametrize("name", GATE)
def test_gate_refuses_and_closes(daemon, name):
    replies, closed = daemon.raw(GATE[name])
    assert len(replies) == 1, replies
    problem(replies[0], 400)
    assert closed


@pytest.mark.parametrize("before", [b"", HEADER + b"\r\n"])
@pytest.mark.parametrize("name", STRICT)
def test_a_strict_reading_refuses_and_closes(daemon, name, before):
    """Also as the second request of a connection, the first of which is answered."""
    data, word = STRICT[name]
    replies, closed = daemon.raw(before + data, 2 if before else 1)
    assert [r[0] for r in replies] == [200, 400][not before:], replies
    assert word in problem(replies[-1], 400)["detail"]
    assert closed


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks_are_read_strictly(daemon, name):
    chunks, word = CHUNKS[name]
    replies, closed = daemon.raw(CHUNKED + chunks + SECOND)
    assert len(replies) == 1, replies
    assert word in problem(replies[0], 400)["detail"]
    assert closed


@pytest.mark.parametrize("name", [*STRICT, *CHUNKS])
def test_byte_by_byte_no_second_request_runs(daemon, name):
    """However the bytes are cut, by segments of one byte: refused or reset, and nothing behind it runs."""
    data = STRICT[name][0] if name in STRICT else CHUNKED + CHUNKS[name][0] + SECOND
    with daemon.socket() as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for k in range(len(data)):
                s.sendall(data[k:k + 1])
        except OSError:
            pass  # closed already
        try:
            got, closed = read_all(s)
        except ConnectionResetError:
            return
    assert closed and b'"name":"torqued"' not in got
    assert not got or int(got.split()[1]) == 400


GOOD = {
    "empty lines before": b"\r\n\r\n" + HEADER + b"\r\n",
    "no space behind the colon": b"GET /healthz HTTP/1.1\r\nHost:localhost\r\n\r\n",
    "an empty value": HEADER + b"X:\r\n\r\n",
    "tabs and spaces around a value": HEADER + b"X: \t y \t\r\n\r\n",
    "high bytes in a value": HEADER + b"X: \xc3\xa9\r\n\r\n",
    "a value longer than a word": HEADER + b"X: " + b"0123456789" * 30 + b"\r\n\r\n",
    "a minor version to come": b"GET /healthz HTTP/1.2\r\n" + HOST + b"\r\n",
    "a port": b"GET /healthz HTTP/1.1\r\nHost: localhost:65535\r\n\r\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_what_is_allowed_is_answered(daemon, name):
    replies, _ = daemon.raw(GOOD[name] + SECOND, 2)
    assert [r[0] for r in replies] == [200, 200] and b'"name":"torqued"' in replies[1][2]


BODY, DYNAMICS = b'{"q":[0.1,0.2],"qd":[0,0],"qdd":[0,0]}', b"/v1/robots/planar-2r/inverse-dynamics"


@pytest.mark.parametrize("framed", [
    post(b"Content-Length: %d \r\n" % len(BODY), BODY, path=DYNAMICS),
    post(b"Content-Length:%d\t \r\n" % len(BODY), BODY, path=DYNAMICS),
    post(b"Transfer-Encoding: chunked \r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), path=DYNAMICS),
    post(b"Transfer-Encoding: Chunked\r\n", b"%X;a=\"b\"\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(BODY), BODY), path=DYNAMICS),
    post(b"Transfer-Encoding: chunked\r\n", b"".join(b"1\r\n%c\r\n" % c for c in BODY) + b"000\r\n\r\n", path=DYNAMICS)])
def test_bodies_of_every_allowed_form_and_a_request_behind_them(daemon, framed):
    framed = framed.replace(HOST, HOST + b"Content-Type: application/json\r\n", 1)
    replies, _ = daemon.raw(framed + SECOND, 2)
    assert [r[0] for r in replies] == [200, 200], replies
    assert b'"name":"torqued"' in replies[1][2]


# refused by libmicrohttpd before the daemon's code runs: its own error page, closed, no hidden request run
LIBRARY = {
    "folded content-length": (post(b"Content-Length:\r\n 44\r\n", SECOND), {400}),
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


LAST = HOST + b"Connection: close\r\n"
HEADS = {
    "target": (b"GET /healthz?", b"a", b" HTTP/1.1\r\n" + LAST + b"\r\n"),
    "arguments": (b"GET /healthz?", b"a&", b" HTTP/1.1\r\n" + LAST + b"\r\n"),
    "a value": (b"GET /healthz HTTP/1.1\r\n" + LAST + b"X: ", b"a", b"\r\n\r\n"),
    "a name": (b"GET /healthz HTTP/1.1\r\n" + LAST, b"a", b": x\r\n\r\n"),
    "lines": (b"GET /healthz HTTP/1.1\r\n" + LAST, b"X:\r\n", b"\r\n"),
    "an answer with headers": (b"GET /v1/robots/panda HTTP/1.1\r\n" + LAST, b"X: 0123456789\r\n", b"\r\n"),
}


@pytest.mark.parametrize("kind", HEADS)
def test_a_head_of_any_size_is_answered(daemon, kind):
    """libmicrohttpd has 6 KiB for a connection: beyond them it answered in HTML, or closed without an answer."""
    begin, more, end = HEADS[kind]
    found = []
    for size in [*range(1, 8000, 131), 40_000, 250_000]:
        replies, closed = daemon.raw(begin + more * (size // len(more)) + end)
        assert len(replies) == 1, size
        found.append(replies[0][0])
        if found[-1] != 200:
            problem(replies[0], 431)
            assert closed
    assert found == sorted(found) and set(found) == {200, 431}
    assert found.count(200) > (20 if kind.startswith("a ") or kind == "target" else 1)


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
