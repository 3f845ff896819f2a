# SPDX-License-Identifier: Apache-2.0
# tests/contract/conftest.py - starts the real daemon on a free loopback port; HTTP to it, also byte by byte.
"""Fixtures: `daemon` (one per module, default settings), `start` (starts further daemons, with settings).

A daemon that does not end with status 0 after SIGTERM, or that wrote to its log a line that is not a log line
(for example a sanitizer's report), fails the test that used it.

No test asserts how long an operation takes: machines are slow and busy. Every wait is bounded by PATIENCE,
far beyond any reasonable time, so that a hang ends; a deadline of the daemon is tested with all other
deadlines out of reach."""

import contextlib
import email.message
import http.client
import json
import math
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import tempfile
import time

import pytest

TEST_SECONDS = 60
ROOT = pathlib.Path(__file__).resolve().parents[2]
TORQUED = os.environ.get("TORQUED", str(ROOT / "build" / "torqued"))
# slowdown by sanitizers and by valgrind: work is divided by it
SLOW = 30 if "/memcheck" in TORQUED else 5 if any(v in TORQUED for v in ("/asan", "/tsan", "/debug", "/coverage")) else 1
# of a document or an archive, not of the daemon: once, with the release build
once = pytest.mark.skipif(SLOW > 1, reason="tests no code of the daemon: the release build's run has it")
# of numbers by code that other tests run under the sanitizers: once, with the release build
numbers = pytest.mark.skipif(SLOW > 1, reason="numbers of code that other tests run under a sanitizer: the release build's run has them")
# s: a reply later than this counts as a hang; one call on a robot of 128 joints or more may take minutes
PATIENCE = 100 * SLOW * (30 if os.environ.get("TORQUED_SIZES") else 1)
# some tests open a thousand connections
FILES_MAX = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 65536)
resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_MAX, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"  # curl and torquectl honour proxy variables of the environment


def pytest_configure(config):
    config.addinivalue_line("markers", "seconds(n): the test's own time limit")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    mark = item.get_closest_marker("seconds")
    limit = (mark.args[0] if mark else TEST_SECONDS) * 5 * SLOW

    def late(signum, frame):
        raise TimeoutError(f"{item.nodeid} took longer than {limit} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(limit)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# The time between two bytes that a test sends depends on the machine: deadlines for slow clients are out of
# reach, except in the tests of these deadlines.
UNHURRIED = {"rate_grace": "1h", "header_timeout": "1h", "log_format": "json"}


class Daemon:
    """One running torqued with its own state folder and settings file."""

    def __init__(self, settings=None, listen="127.0.0.1:0", args=(), state=None, program=None):
        self.folder = tempfile.TemporaryDirectory(prefix="torqued-test-")
        self.state = state or os.path.join(self.folder.name, "state")
        config = os.path.join(self.folder.name, "torqued.conf")
        with open(config, "w") as f:
            f.write("[torqued]\n")
            for name, value in {**UNHURRIED, **(settings or {})}.items():
                f.write(f"{name} = {value}\n")
        self.closed = False
        # a file, not a pipe: what the daemon wrote before its reply is in `log` when the reply is here
        self._stderr = open(os.path.join(self.folder.name, "stderr"), "x+", errors="replace")
        self._lines, self._partial = [], ""
        with open(self._stderr.name, "ab") as stderr:
            self.process = subprocess.Popen(
                [program or TORQUED, "--config", config, "--listen", listen, "--state-dir", self.state, *args],
                stderr=stderr, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not self._find_url() and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        if not hasattr(self, "url") or self.process.poll() is not None:
            self.process.kill()
            self.process.wait()
            raise AssertionError("torqued does not start:\n" + "\n".join(self.log))

    @property
    def log(self):
        """The lines that the daemon has written so far."""
        if not self._stderr.closed:
            *lines, self._partial = (self._partial + self._stderr.read()).split("\n")
            self._lines += lines
        return self._lines

    def _find_url(self):
        found = re.search(r'"event":"listening","url":"([^"]*)"', "\n".join(self.log))
        if found:
            self.url = found.group(1)
            if self.url.startswith("http://"):
                host, port = self.url[len("http://"):].rsplit(":", 1)
                self.address = (host.strip("[]"), int(port))
        return found

    def stop(self):
        """SIGTERM; asserts that the daemon ends with status 0 and a clean log."""
        if self.closed:
            return
        self.closed = True
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "none: it did not end"
        self.log  # the last lines
        self._stderr.close()
        self.folder.cleanup()
        assert status == 0, f"exit status {status}\n" + "\n".join(self._lines[-60:])
        strange = [line for line in self._lines if not is_log_line(line)]
        assert not strange, "\n".join(strange[:80])

    # -- HTTP, as a normal client -------------------------------------------------------------------------------

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPConnection(*self.address, timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        """One request on its own connection: (status, headers, bytes). For a POST that may become a job, the
        client states a wait longer than the default of ten seconds."""
        headers = dict(headers or {})
        if method == "POST" and path.endswith(("/simulate", "/excitation", "/ensemble", "/calibrate")):
            headers.setdefault("Prefer", "wait=3600")
        connection = self.connect()
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            reply = response.status, response.headers, response.read()
        finally:
            connection.close()
        # the service waits for at most a minute; under a sanitizer a busy machine takes longer
        if reply[0] == 202 and headers.get("Prefer") == "wait=3600":
            return self.outcome(response.headers["Location"], headers)
        return reply

    def outcome(self, job, headers):
        """The reply that the POST would have had if it had waited for this job."""
        def ended():
            return json.loads(self.request("GET", job)[2])["finished"]

        eventually(ended, 12 * PATIENCE)
        fault = json.loads(self.request("GET", job)[2]).get("problem")
        if not fault:
            return self.request("GET", job + "/result", None, {k: v for k, v in headers.items() if k == "Accept"})
        head = email.message.Message()
        for name, value in (("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"), ("X-Request-Id", fault["request_id"])):
            head[name] = value
        return fault["status"], head, json.dumps(fault).encode()

    # -- HTTP, byte by byte -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def socket(self):
        with socket.create_connection(self.address, timeout=PATIENCE) as s:
            yield s

    def raw(self, data, least=1):
        """Sends bytes and reads as read_all does; returns (replies, closed).

        replies: list of (status, headers, body). All bytes received must parse as replies."""
        with self.socket() as s:
            s.sendall(data)
            got, closed = read_all(s, least)
        return parse_replies(got), closed


def eventually(condition, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come true"
        time.sleep(0.02)


def metric(one, name):
    text = one.request("GET", "/metrics")[2].decode()
    return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))


def is_log_line(line):
    found = re.fullmatch(r"(\{.*\})", line)
    if not found:
        return False
    try:
        return {"time", "level", "event"} <= json.loads(found.group(1)).keys()
    except ValueError:
        return False


def read_all(s, least=1, silence=1.0):
    """Bytes received until the end of the stream (True), or until there are `least` complete replies, the last
    without `Connection: close`, followed by `silence` seconds without a byte (False)."""
    got = b""
    try:
        while True:
            s.settimeout(silence if may_stay_open(got, least) else PATIENCE)
            piece = s.recv(65536)
            if not piece:
                return got, True
            got += piece
    except ConnectionResetError:
        return got, True
    except TimeoutError:
        return got, False


def may_stay_open(got, least):
    try:
        replies = [r for r in parse_replies(got) if r[0] != 100]
    except (AssertionError, ValueError, IndexError):
        return False
    whole = len(replies) >= least and all(len(body) == int(headers.get("content-length", len(body))) for _, headers, body in replies)
    return whole and replies[-1][1].get("connection", "").lower() != "close"


def parse_replies(data):
    replies = []
    while data:
        head, separator, rest = data.partition(b"\r\n\r\n")
        assert separator, f"half a reply: {data[:200]!r}"
        lines = head.decode("ascii").split("\r\n")
        found = re.fullmatch(r"HTTP/1\.[01] (\d{3}) ?.*", lines[0])
        assert found, f"no status line: {lines[0]!r}"
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(found.group(1))
        if status == 100:
            length = 0
        elif headers.get("transfer-encoding") == "chunked":
            body, rest = unchunk(rest)
            replies.append((status, headers, body))
            data = rest
            continue
        else:
            length = int(headers.get("content-length", len(rest)))
        replies.append((status, headers, rest[:length]))
        data = rest[length:]
    return replies


def unchunk(data):
    body = b""
    while True:
        size, _, data = data.partition(b"\r\n")
        n = int(size, 16)
        body += data[:n]
        data = data[n + 2:]
        if n == 0:
            return body, data


def problem(reply, status):
    """Asserts that a reply is a complete problem document with this status; returns it."""
    code, headers, body = reply
    get = headers.get
    assert code == status, (code, body)
    assert get("content-type") == "application/problem+json"
    assert get("cache-control") == "no-store"
    document = json.loads(body)
    assert {"type", "title", "status", "detail", "request_id"} <= document.keys(), document
    assert document["status"] == status
    assert document["type"].startswith("/problems/")
    assert document["request_id"] == get("x-request-id")
    return document


@pytest.fixture(scope="module")
def daemon():
    one = Daemon()
    yield one
    one.stop()


def arm_run(phase):
    """A motion of seven joints and a torque signal, 4 s at 100 Hz."""
    lines = ["t," + ",".join(f"{word}{j}" for word in ("q", "tau") for j in range(1, 8))]
    for k in range(400):
        angle = [0.02 * k * (1 + 0.3 * j) + phase for j in range(7)]
        row = [0.4 * math.sin(a) for a in angle] + [2 * math.cos(a) + 0.1 * j for j, a in enumerate(angle)]
        lines.append(",".join(f"{x:.6f}" for x in [0.01 * k, *row]))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def example_data(daemon):
    """Uploads the datasets that the examples of the contract name."""
    assert {d["name"] for d in json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"]} >= {"sample-panda-1", "sample-panda-2"}


@pytest.fixture
def start():
    """start(settings, listen=..., args=...): starts a daemon for one test."""
    made = []

    def make(settings=None, **more):
        made.append(Daemon(settings, **more))
        return made[-1]

    yield make
    for one in made:
        one.stop()
