# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_exchange.py - the ways of a computation: on the I/O thread, on a worker, with a streamed
# answer, refused, cancelled.
import json
import os
import random
import socket
import subprocess
import threading
import time

import pytest
from conftest import PATIENCE, eventually, metric, parse_replies, problem, read_all

PATH = "/v1/robots/panda/inverse-dynamics"
JSON = {"Content-Type": "application/json"}


def batch(n, seed=1):
    chance = random.Random(seed)
    return {name: [[chance.uniform(-1, 1) for _ in range(7)] for _ in range(n)] for name in ("q", "qd", "qdd")}


def post(daemon, document, headers=JSON, path=PATH):
    return daemon.request("POST", path, body=json.dumps(document).encode(), headers=headers)


def torques(daemon, document, path=PATH):
    status, _, body = post(daemon, document, path=path)
    assert status == 200, body
    return json.loads(body)["tau"]


def test_worker_and_connection_thread_give_the_same_bits(daemon):
    many = batch(3000)
    together = torques(daemon, many)
    assert len(together) == 3000
    for i in (0, 1, 1499, 2999):
        alone = torques(daemon, {name: rows[i] for name, rows in many.items()})
        assert alone == together[i]


@pytest.mark.parametrize("settings", [{"workers": 1}, {"workers": 4}, {"lane_width": 1}, {"lane_width": 2},
                                      {"lane_width": 4}, {"lane_width": 8}], ids=str)
def test_bits_do_not_depend_on_workers_or_lanes(daemon, start, settings):
    try:
        one = start(settings)
    except AssertionError as error:
        if "no lanes of this width" in str(error):
            pytest.skip(f"this processor: {settings}")
        raise
    many = batch(5000, seed=2)
    assert torques(one, many) == torques(daemon, many)


def test_small_runs_inline_and_large_on_a_worker(start):
    one = start()
    post(one, batch(1))
    assert metric(one, "torqued_requests_queued_total") == 0
    post(one, batch(5000))
    assert metric(one, "torqued_requests_queued_total") == 1


def test_chunked_body_is_the_same_request(daemon):
    body = json.dumps(batch(300)).encode()

    def pieces():
        for i in range(0, len(body), 997):
            yield body[i:i + 997]

    whole = daemon.request("POST", PATH, body=body, headers=JSON)
    parts = daemon.request("POST", PATH, body=pieces(), headers=JSON)
    assert whole[0] == parts[0] == 200 and whole[2] == parts[2]


def test_body_byte_by_byte(daemon):
    body = json.dumps(batch(1)).encode()
    with daemon.socket() as s:
        s.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (PATH.encode(), len(body)))
        for i in range(len(body)):
            s.sendall(body[i:i + 1])
        got, closed = read_all(s)
    assert parse_replies(got)[0][0] == 200 and not closed


def test_streamed_answer_is_the_same_text(start, daemon):
    """An answer larger than reply_buffer is sent in chunks, without Content-Length."""
    document = batch(20000)
    streams = start({"reply_buffer": 16384})
    whole, pieces = post(daemon, document), post(streams, document)
    assert "Content-Length" in whole[1] and pieces[1]["Transfer-Encoding"] == "chunked"
    assert whole[2] == pieces[2] and len(whole[2]) > 1 << 20


def test_length_required(daemon):
    """An upload needs a length; a POST without a length has no body (RFC 9112, 6.3), hence no fields."""
    replies, _ = daemon.raw(b"PUT /v1/robots/no-body HTTP/1.1\r\nHost: localhost\r\n\r\n")
    problem(replies[0], 411)
    replies, _ = daemon.raw(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert problem(replies[0], 422)["errors"][0]["pointer"] == "/q"


@pytest.mark.parametrize("headers, status", [
    ({"Content-Type": "text/html"}, 415), ({"Content-Type": "image/png"}, 415),
    ({**JSON, "Content-Encoding": "gzip"}, 415), ({**JSON, "Accept": "image/png"}, 406),
    ({"Content-Type": "application/json; charset=utf-8"}, 200), ({**JSON, "Accept": "text/html, */*;q=0.1"}, 200),
    ({**JSON, "Content-Encoding": "identity"}, 200), ({}, 200), ({"Content-Type": "application/x-www-form-urlencoded"}, 200),
    ({**JSON, "Origin": "http://evil.example"}, 403), ({**JSON, "Origin": "null"}, 403),
    ({**JSON, "Origin": "http://localhost:3000"}, 403)])
def test_types_and_origins(daemon, headers, status):
    reply = post(daemon, batch(1), headers)
    assert reply[0] == status
    if status != 200:
        problem(reply, status)


def test_upload_waits_for_100_continue(daemon, tmp_path):
    path = tmp_path / "body.json"
    path.write_text(json.dumps(batch(100)))

    def curl(url):
        return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{size_upload}", "-X", "POST", "-H",
                               "Expect: 100-continue", "--expect100-timeout", str(PATIENCE), "-T", str(path), daemon.url + url],
                              capture_output=True, text=True, timeout=2 * PATIENCE).stdout

    assert curl(PATH) == f"200 {path.stat().st_size}"
    assert curl("/v1/robots/nobody/inverse-dynamics") == "404 0"


def test_fault_in_the_middle_of_a_large_body(daemon):
    """Answered at once, with the pointer, although most of the body has not arrived."""
    body = b'{"q":[[0,0,0,0,0,0,0],[0,0,oops' + b" " * 3_000_000
    with daemon.socket() as s:
        s.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (PATH.encode(), len(body)))
        s.sendall(body[:2000])
        got, _ = read_all(s)
        document = problem(parse_replies(got)[0], 400)
        try:
            s.sendall(body[2000:])
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert "byte" in document["detail"]
    assert daemon.request("GET", "/healthz")[0] == 200


def test_queue_full_is_503(start):
    one = start({"workers": 1, "queue": 1, "io_threads": 1})
    body = json.dumps(batch(20000)).encode()
    answers = []

    def ask():
        answers.append(one.request("POST", PATH, body=body, headers=JSON))

    until = time.monotonic() + PATIENCE
    while not any(a[0] == 503 for a in answers) and time.monotonic() < until:
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert {a[0] for a in answers} == {200, 503}
    full = next(a for a in answers if a[0] == 503)
    problem(full, 503)
    assert int(full[1]["Retry-After"]) >= 1
    assert len({a[2] for a in answers if a[0] == 200}) == 1


def test_budget_of_bodies(start):
    """Two bodies of 40 kB do not fit into 64 KiB at the same time; one of 100 kB never fits."""
    one = start({"body_budget": "64 KiB", "rate_grace": 3600000})
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    with one.socket() as first:
        first.sendall(head % (PATH.encode(), 40000) + b'{"q":[')
        eventually(lambda: metric(one, "torqued_body_bytes_total") > 0)
        # announced bytes that have not arrived do not block other requests
        assert one.request("POST", PATH, body=json.dumps(batch(1)).encode() + b" " * 39000, headers=JSON)[0] == 200
        before = metric(one, "torqued_body_bytes_total")
        first.sendall(b" " * 39000)
        eventually(lambda: metric(one, "torqued_body_bytes_total") >= before + 39000)
        status, headers, body = one.request("POST", PATH, body=b" " * 40000, headers=JSON)
        problem((status, headers, body), 503)
        assert headers["Retry-After"] == "1"
        problem(one.request("POST", PATH, body=b" " * 100_000, headers=JSON), 413)
    # the first request has ended: its share of the budget is free
    eventually(lambda: one.request("POST", PATH, body=json.dumps(batch(1)).encode() + b" " * 39000, headers=JSON)[0] == 200)
    # the same budget applies to a body without a stated length
    problem(one.request("POST", PATH, body=(b" " * 1000 for _ in range(100)), headers=JSON), 503)


def test_stop_answers_what_is_computing(start):
    one = start({"workers": 1, "stop_timeout": 600000})
    body = json.dumps(batch(30000)).encode()
    answers = []

    def ask():
        answers.append(one.request("POST", PATH, body=body, headers=JSON)[0])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for t in threads:
        t.start()
    eventually(lambda: metric(one, "torqued_requests_queued_total") == 4)
    one.stop()
    for t in threads:
        t.join()
    assert answers == [200] * 4


def test_client_that_leaves_while_it_is_computed(start):
    one = start({"workers": 1})
    body = json.dumps(batch(20000)).encode()
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (PATH.encode(), len(body))
    for _ in range(8):
        with one.socket() as s:
            s.sendall(head + body)
    assert len(torques(one, batch(10))) == 10
    eventually(lambda: metric(one, "torqued_connections_open") == 1)


ARM = """<robot name="arm"><link name="a"/><link name="b"><inertial><origin xyz="0.5 0 0"/><mass value="{mass}"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">
<parent link="a"/><child link="b"/><axis xyz="0 -1 0"/></joint></robot>"""


def test_robot_that_is_not_in_memory(start, tmp_path):
    """An old version after a restart: a worker loads it, then reads the body that was buffered in the meantime."""
    state = str(tmp_path / "state")
    first = start(state=state)
    digests = []
    for mass in (2, 4):
        status, headers, body = first.request("PUT", "/v1/robots/arm", body=ARM.format(mass=mass).encode(),
                                              headers={"Content-Type": "application/xml"})
        assert status in (200, 201), body
        digests.append(headers["ETag"].strip('"'))
    first.stop()
    second = start(state=state)
    sample = {"q": [0.0], "qd": [0.0], "qdd": [0.0]}
    for digest, mass in zip(digests, (2, 4)):
        tau = torques(second, sample, f"/v1/robots/arm@{digest}/inverse-dynamics")
        # gravity may be 9.81 or 9.80665 m/s^2: the bound covers both
        assert abs(tau[0] - mass * 9.81 * 0.5) < 0.02 * mass
    assert torques(second, sample, "/v1/robots/arm/inverse-dynamics") == tau
    problem(post(second, sample, path="/v1/robots/arm@" + "0" * 64 + "/inverse-dynamics"), 404)
    problem(post(second, {"qd": [0.0]}, path=f"/v1/robots/arm@{digests[0]}/inverse-dynamics"), 422)


def test_two_daemons_cannot_share_a_state_folder(start, tmp_path):
    state = str(tmp_path / "state")
    start(state=state)
    from conftest import TORQUED
    second = subprocess.run([TORQUED, "--listen", "127.0.0.1:0", "--state-dir", state], capture_output=True, text=True,
                            timeout=PATIENCE)
    assert second.returncode == 1 and len(second.stderr.splitlines()) == 1 and second.stderr.startswith("torqued: ")
    assert os.stat(state).st_mode & 0o777 == 0o700


def test_answers_of_one_length_stay_apart_while_they_are_read_late(daemon):
    """One client sends all its requests and reads late while others send theirs: every answer must be that of
    its own request."""
    at_rest = {name: [0.0] * 7 for name in ("q", "qd", "qdd")}
    rows = [dict(at_rest, qdd=[round(0.001 * (k % 7 + 1), 3)] + [0.0] * 6) for k in range(4000)]
    expected = {json.dumps(row): torques(daemon, row) for row in rows[:7]}
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

    def send(s):
        for row in rows:
            body = json.dumps(row)
            s.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())

    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that the daemon cannot send all answers at once
        s.settimeout(PATIENCE)
        s.connect(daemon.address)
        sender = threading.Thread(target=send, args=(s,))
        sender.start()
        for row in rows[:7] * 10:
            assert torques(daemon, row) == expected[json.dumps(row)]
        data = b""
        while data.count(b"\"provenance\"") < len(rows) or not data.endswith(b"}}\n"):
            got = s.recv(1 << 20)
            assert got, "closed before the end"
            data += got
        sender.join()
    replies = parse_replies(data)
    assert len(replies) == len(rows)
    assert len({headers["x-request-id"] for _, headers, _ in replies}) == len(rows)
    for row, (status, _, body) in zip(rows, replies):
        assert status == 200 and json.loads(body)["tau"] == expected[json.dumps(row)]
