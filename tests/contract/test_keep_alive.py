# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_keep_alive.py - framing of answers on a kept connection: the byte after an answer begins
# the next status line.
"""A proxy sends the requests of many clients over one connection. If an answer is longer than its header states,
its rest is taken for the beginning of another client's answer. Therefore each request here is followed by
another on the same socket, and every byte of both answers is accounted for."""

import json
import socket
import time

import pytest
from conftest import PATIENCE

HOST = b"Host: localhost\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
ALIVE = b'{"status":"alive"}\n'
ASYNC = {"Prefer": "respond-async", "Content-Type": "application/json"}
MOTION = {"q": [0.1, 0.2], "qd": [0, 0], "qdd": [0, 0]}


def test_answers_of_workers_come_at_once_beside_idle_connections(start):
    """Each answer of a worker came with the next check of deadlines, 250 ms later, from 96 open connections on: the loop waited
    although the library had a connection to resume. 600 of these waits are more than the patience of all tests."""
    daemon = start({"idle_timeout": "1h"})
    idle = [Wire(daemon) for _ in range(110)]
    try:
        for one in idle:
            one.send(NEXT)
            assert one.file.readline() == b"HTTP/1.1 200 OK\r\n"
        until, reader = time.monotonic() + PATIENCE, daemon.connect()
        for k in range(600):
            reader.request("GET", "/v1/datasets")
            response = reader.getresponse()
            assert response.status == 200 and response.read()
            assert time.monotonic() < until, f"{k} answers"
        reader.close()
    finally:
        for one in idle:
            one.__exit__()


class Wire:
    """A socket with exact reads: a line, n bytes, a header block."""

    def __init__(self, daemon):
        self.socket = socket.create_connection(daemon.address, timeout=PATIENCE)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def head(self):
        """(status, headers), or None at the end of the stream."""
        line = self.file.readline()
        if not line:
            return None
        assert line.startswith(b"HTTP/1.1 "), f"the answer begins with {line!r}"
        headers = {}
        while (field := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode("ascii").partition(":")
            assert name.lower() not in headers, f"{name} twice"
            headers[name.lower()] = value.strip()
        return int(line.split()[1]), headers

    def body(self, method, status, headers):
        """The body, with its length by RFC 9112 section 6.3."""
        if method == "HEAD" or status in (204, 304) or status < 200:
            return b""
        if headers.get("transfer-encoding") == "chunked":
            whole = b""
            while n := int(self.file.readline(), 16):
                whole += self.file.read(n)
                assert self.file.readline() == b"\r\n"
            assert self.file.readline() == b"\r\n"
            return whole
        if "content-length" in headers:
            return self.file.read(int(headers["content-length"]))
        assert headers.get("connection") == "close", headers
        return self.file.read()


def stays_in_step(daemon, method, path, headers=b"", body=b""):
    """Sends the request, then another one; returns status and headers of the first answer. The connection may
    close only if that answer said so."""
    if body or method in ("POST", "PUT"):
        headers += b"Content-Length: %d\r\n" % len(body)
    with Wire(daemon) as wire:
        wire.send(f"{method} {path} HTTP/1.1\r\n".encode() + HOST + headers + b"\r\n" + body + NEXT)
        status, got = wire.head()
        while status == 100:
            status, got = wire.head()
        wire.body(method, status, got)
        following = wire.head()
        if got.get("connection") == "close":
            assert following is None, f"{method} {path}: closed in words only"
        else:
            assert following is not None, f"{method} {path} {status}: closed without a word"
            assert following[0] == 200 and wire.body("GET", *following) == ALIVE, (method, path)
        return status, got


@pytest.fixture(scope="module")
def filled(daemon):
    """Creates one resource of each kind, so that every path template has an existing resource."""
    assert daemon.request("PUT", "/v1/datasets/wire", b"t,q\n0,1\n1,2\n")[0] == 201
    motion = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration_s": 1, "output": {"interval_s": 0.1}}).encode()
    job = json.loads(daemon.request("POST", "/v1/robots/planar-2r/simulate", motion, ASYNC)[2])["id"]
    bad = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration_s": 100000, "output": {"interval_s": 100},
                      "solver": {"method": "rk4", "step_s": 1e-3}}).encode()
    running = json.loads(daemon.request("POST", "/v1/robots/planar-2r/simulate", bad, ASYNC)[2])["id"]
    state = None
    while state != "succeeded":
        state = json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"]
        assert state in ("queued", "running", "succeeded")
    yield {"{name}": "wire", "{id}": job, "{field}": "t", "running": running}
    daemon.request("POST", f"/v1/jobs/{running}/cancel")


def addresses(daemon):
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    return contract["paths"]


def fill(path, names):
    for word, value in names.items():
        path = path.replace(word, value)
    return path.replace("/robots/wire", "/robots/planar-2r")


@pytest.mark.seconds(120)
def test_head_then_get_on_every_address(daemon, filled):
    n = 0
    for path in addresses(daemon):
        for accept in ("*/*", "text/csv", "application/cbor", "application/x-npz", "application/x-npy", "text/event-stream"):
            stays_in_step(daemon, "HEAD", fill(path, filled), f"Accept: {accept}\r\n".encode())
            n += 1
    assert n > 200


@pytest.mark.parametrize("path", ["/v1/events", "/v1/jobs/{id}/events", "/v1/jobs/running/events", "/v1/jobs/{id}/result?fields=t",
                                  "/v1/jobs/{id}/result?points=3", "/v1/jobs/{id}/result/t?points=3"])
@pytest.mark.parametrize("accept", ["*/*", "text/csv", "application/cbor"])
def test_head_of_what_has_no_known_length(daemon, filled, path, accept):
    stays_in_step(daemon, "HEAD", fill(path, filled), f"Accept: {accept}\r\n".encode())
    for ending in (b"Connection: close\r\n", b"Connection: keep-alive\r\n"):
        stays_in_step(daemon, "HEAD", fill(path, filled), ending)


@pytest.mark.seconds(120)
def test_every_method_on_every_address(daemon, filled):
    """Most are refused: 404, 405, 406, 411, 413, 415, 422; each without a body, with a malformed one and with
    one that is too large."""
    seen = set()
    for path in addresses(daemon):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            if path.endswith("events") and method == "GET":
                continue  # an event stream has no end
            where = fill(path, {**filled, "{name}": "none", "{id}": "01M838T2RSDG89J4YSBJ1SJWT5"} if method == "DELETE" else filled)
            if path == "/v1/backup" and method == "POST":
                continue  # tested separately
            for body in (b"", b"{", b"x" * 70000):
                status, _ = stays_in_step(daemon, method, where, body=body)
                seen.add(status)
    assert {200, 404, 405} <= seen, seen


def test_answers_without_a_body(daemon, filled):
    status, headers = stays_in_step(daemon, "GET", "/v1/datasets/wire/content")
    assert status == 200
    tag = headers["etag"].encode()
    for method in ("GET", "HEAD"):
        robot = stays_in_step(daemon, method, "/v1/robots/planar-2r")
        tagged = robot[1].get("etag", tag.decode()).encode()
        assert stays_in_step(daemon, method, "/v1/robots/planar-2r", b"If-None-Match: " + tagged + b"\r\n")[0] in (200, 304)
        stays_in_step(daemon, method, "/v1/datasets/wire/content", b"Range: bytes=1-2\r\n")
        stays_in_step(daemon, method, "/v1/datasets/wire/content", b"Range: bytes=900-\r\n")
    assert daemon.request("PUT", "/v1/datasets/gone", b"t,q\n0,1\n1,2\n")[0] == 201
    assert stays_in_step(daemon, "DELETE", "/v1/datasets/gone")[0] == 204
    assert stays_in_step(daemon, "GET", f"/v1/jobs/{filled['{id}']}/events", b"Last-Event-ID: 999999\r\n")[0] == 204


def test_refused_bodies_after_the_head(daemon):
    """A body with HEAD is refused, early if it is large: the refusal has the header of one, and no body."""
    for n in (10, 70000, 1 << 30):
        with Wire(daemon) as wire:
            wire.send(b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % n + b"x" * min(n, 70000) + NEXT)
            status, headers = wire.head()
            assert status == 413
            following = wire.head()
            if headers.get("connection") == "close":
                assert following is None
            else:
                assert following[0] == 200


# ------------------------------------------------------------------------------------------- ranges, events, deadlines


def test_range_is_for_get_only(daemon, filled):
    """RFC 9110 section 14.2: a server ignores Range with any other method."""
    path = "/v1/robots/planar-2r/simulate"
    good = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration_s": 1, "output": {"interval_s": 0.1}}).encode()
    whole = daemon.request("POST", path, good)
    assert daemon.request("PUT", "/v1/datasets/ranged", b"t,q\n0,1\n1,2\n")[0] == 201
    for text in ("bytes=0-9", "bytes=5-", "bytes=-3", "bytes=99999999-"):
        status, headers, got = daemon.request("POST", path, good, {"Range": text})
        assert status == 200 and "Content-Range" not in headers and len(got) == len(whole[2]), text
        assert json.loads(got)["t"] == json.loads(whole[2])["t"]
        for accept in ("application/cbor", "application/x-npz"):
            assert daemon.request("POST", path, good, {"Range": text, "Accept": accept})[0] == 200
        status, headers, got = daemon.request("HEAD", "/v1/datasets/ranged/content", None, {"Range": text})
        assert status == 200 and headers["Content-Length"] == "12"
    # a computation that fails while it runs gives a problem document; Range must not change its status
    unbounded = json.dumps({"initial": {"q": [0.3, 0.2], "qd": [1e300, 1e300]}, "duration_s": 1, "output": {"interval_s": 0.1}}).encode()
    plain = daemon.request("POST", path, unbounded)
    assert plain[0] == 422, plain
    for text in ("bytes=0-9", "bytes=3-40", "bytes=-5", "bytes=99999999-"):
        assert daemon.request("POST", path, unbounded, {"Range": text})[0] == 422, text
    assert daemon.request("GET", "/v1/datasets/ranged/content", None, {"Range": "bytes=0-2"})[0] == 206


@pytest.mark.parametrize("text", ["-1", "0.5", "1e3", " 7 8", "0x10", "abc", "9" * 19])
def test_last_event_id_is_a_number_of_an_event(daemon, filled, text):
    for path in ("/v1/events", f"/v1/jobs/{filled['{id}']}/events"):
        assert daemon.request("GET", path, None, {"Last-Event-ID": text})[0] == 422, path
