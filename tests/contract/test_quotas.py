# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_quotas.py - limits of each client, by its token: 429 names the limit, other clients are
# not affected.
import contextlib
import hashlib
import json
import os
import select
import signal

import pytest
from conftest import eventually, metric, problem

BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
PATH = "/v1/robots/planar-2r/inverse-dynamics"
JSON = {"Content-Type": "application/json"}
GOOD, GREEDY = "good", "greedy"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def line(name, attributes=""):
    return f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} {attributes}\n"


@pytest.fixture
def service(start, tmp_path):
    def make(attributes, settings=None):
        path = tmp_path / "tokens"
        path.write_text(line(GOOD, "roles=compute,write") + line(GREEDY, f"roles=compute,write {attributes}") + line("admin"))
        one = start({"credentials": path, **(settings or {})})
        one.counter = lambda name: next(float(row.split()[1]) for row in one.request("GET", "/metrics", headers=bearer("admin"))[2].decode().splitlines()
                                        if row.startswith(f"torqued_{name} "))
        return one

    return make


def post(path, body, token, length=None, **headers):
    fields = "".join(f"{name}: {value}\r\n" for name, value in {**JSON, **bearer(token), **headers}.items())
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {length or len(body)}\r\n\r\n".encode() + body


def test_requests_a_second(service):
    one = service("requests=1")
    with one.socket() as s:  # 60 at once: they cannot take a minute
        s.sendall(post(PATH, BODY, GREEDY) * 60)
        got = b""
        while got.count(b"HTTP/1.1 ") < 60 or not got.rstrip().endswith(b"}"):
            got += s.recv(65536)
    answers = got.split(b"HTTP/1.1 ")[1:]
    limited = [a for a in answers if a.startswith(b"429")]
    assert answers[0].startswith(b"200") and limited and {a[:3] for a in answers} == {b"200", b"429"}
    head, _, body = limited[0].decode().partition("\r\n\r\n")
    assert 'RateLimit-Policy: "requests";q=1;w=1' in head and 'RateLimit: "requests";r=0;t=' in head and "Retry-After: " in head
    answer = json.loads(body)
    assert answer["type"] == "/problems/too-many-requests" and answer["status"] == 429 and "greedy" in answer["detail"] and "requests=" in answer["detail"]
    for _ in range(20):
        assert one.request("POST", PATH, BODY, {**JSON, **bearer(GOOD)})[0] == 200
    assert one.counter("requests_limited_total") == len(limited)


def test_streams(service):
    one = service("streams=2")
    with contextlib.ExitStack() as open_ones:
        def stream(token):
            s = open_ones.enter_context(one.socket())
            s.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            return s.recv(4096)[:12]

        assert [stream(GREEDY) for _ in range(3)] == [b"HTTP/1.1 200", b"HTTP/1.1 200", b"HTTP/1.1 429"]
        assert [stream(GOOD) for _ in range(3)] == [b"HTTP/1.1 200"] * 3
        detail = problem(one.request("GET", "/v1/events", headers=bearer(GREEDY)), 429)["detail"]
        assert "streams=" in detail
    eventually(lambda: one.counter("connections_open") == 1)


def test_connections(service):
    """Those above the quota are closed; the others go on, and a closed one makes room."""
    one = service("connections=2")

    def get(s, token=GREEDY):
        s.sendall(f"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        return s.recv(65536)

    with contextlib.ExitStack() as open_ones:
        first, second, third = (open_ones.enter_context(one.socket()) for _ in range(3))
        assert [get(s)[:12] for s in (first, second)] == [b"HTTP/1.1 200"] * 2
        head, _, body = get(third).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 429") and b"Connection: close" in head and b"Retry-After: 1" in head
        assert b'RateLimit-Policy: "connections";q=2' in head and b'RateLimit: "connections";r=0' in head
        assert json.loads(body)["type"] == "/problems/too-many-requests" and '"greedy" has 2 connections already (connections= of its token)' in json.loads(body)["detail"]
        assert third.recv(1) == b"", "it is closed"
        assert [get(s)[:12] for s in (first, second) for _ in range(3)] == [b"HTTP/1.1 200"] * 6
        good = [open_ones.enter_context(one.socket()) for _ in range(8)]
        assert [get(s, GOOD)[:12] for s in good] == [b"HTTP/1.1 200"] * 8
        assert get(good[0])[:12] == b"HTTP/1.1 429", "a connection counts for whom it speaks"
        assert get(first, GOOD)[:12] == b"HTTP/1.1 200", "it is the other client's now"
        fourth = open_ones.enter_context(one.socket())
        assert get(fourth)[:12] == b"HTTP/1.1 200"
        second.close()
        eventually(lambda: one.request("GET", "/v1/version", headers=bearer(GREEDY))[0] == 200)
    eventually(lambda: one.counter("connections_open") == 1)


@pytest.mark.parametrize(("attributes", "settings"), [("bodies=60KiB", {}), ("", {"body_budget": "120KiB"})])
def test_bytes_of_bodies(service, attributes, settings):
    one = service(attributes, {"rate_grace": 3600000, **settings})
    with one.socket() as first:
        first.sendall(post(PATH, b'{"q":[' + b" " * 49000, GREEDY, length=50000))
        eventually(lambda: one.counter("body_bytes_total") >= 49000)
        reply = one.request("POST", PATH, BODY + b" " * 20000, {**JSON, **bearer(GREEDY)})
        assert ("bodies=" if attributes else "client_share") in problem(reply, 429)["detail"] and reply[1]["Retry-After"] == "1"
        assert one.request("POST", PATH, BODY + b" " * 20000, {**JSON, **bearer(GOOD)})[0] == 200
    eventually(lambda: one.request("POST", PATH, BODY + b" " * 20000, {**JSON, **bearer(GREEDY)})[0] == 200)


SLOW = json.dumps({"frame": {"link": "flange", "at": "origin"}, "pose": {"position": [9, 9, 9]}, "seeds": 64, "iterations": 300}).encode()
IK = "/v1/robots/panda/inverse-kinematics"


def test_calls_of_one_client_let_those_of_another_pass(service):
    """240 computations are queued; the other client's computation begins after the few that the first client may
    run at once."""
    one = service("", {"workers": 1})
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(one.socket()) for _ in range(240)]
        for s in sockets:
            s.sendall(post(IK, SLOW, GREEDY))
        eventually(lambda: one.counter("requests_queued_total") >= 240)
        body = json.dumps({name: [[0.1] * 2] * 3000 for name in ("q", "qd", "qdd")}).encode()
        assert one.request("POST", PATH, body, {**JSON, **bearer(GOOD)})[0] == 200
        answered = select.select(sockets, [], [], 0)[0]
        assert len(answered) < 200
        assert all(s.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 422") for s in answered)
    eventually(lambda: one.counter("connections_open") == 1)
    assert one.request("POST", PATH, BODY, {**JSON, **bearer(GREEDY)})[0] == 200, "its turns are free again"


def test_more_calls_than_its_share_of_the_queue_are_refused(service):
    one = service("", {"workers": 1, "queue": 8})
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(one.socket()) for _ in range(40)]
        for s in sockets:
            s.sendall(post(IK, SLOW, GREEDY))
        eventually(lambda: one.counter("requests_limited_total") > 0)
        assert one.request("POST", PATH, BODY + b" " * 70000, {**JSON, **bearer(GOOD)})[0] == 200


def simulation(duration_s):
    return json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": duration_s, "output": {"interval_s": duration_s / 10}}).encode()


def job(one, token, body=None, **headers):
    body = body or simulation(0.01)
    reply = one.request("POST", "/v1/robots/planar-2r/simulate", body, {**JSON, **bearer(token), "Prefer": "respond-async", **headers})
    assert reply[0] == 202, reply
    return json.loads(reply[2])


def test_turns_and_keys_of_jobs_belong_to_the_token(service):
    """Torqued-Client and Priority have no effect between tokens."""
    one = service("", {"jobs": 1})
    first = job(one, GREEDY, simulation(1e6))
    eventually(lambda: json.loads(one.request("GET", f"/v1/jobs/{first['id']}", headers=bearer(GOOD))[2])["state"] == "running")
    greedy = [job(one, GREEDY, **{"Torqued-Client": f"name{k}", "Priority": "u=0", "Idempotency-Key": f"k{k}"}) for k in range(20)]
    good = job(one, GOOD, **{"Torqued-Client": "name0", "Idempotency-Key": "k0"})
    assert good["id"] != greedy[0]["id"], "a key of another client is no key of this one"
    assert job(one, GREEDY, **{"Torqued-Client": "another", "Idempotency-Key": "k0"})["id"] == greedy[0]["id"]
    one.request("POST", f"/v1/jobs/{first['id']}/cancel", b"", bearer(GREEDY))

    def of(j):
        return json.loads(one.request("GET", f"/v1/jobs/{j['id']}", headers=bearer(GOOD))[2])

    eventually(lambda: all(of(j)["state"] == "succeeded" for j in [*greedy, good]))
    earlier = [j for j in greedy if of(j)["started"] < of(good)["started"]]
    assert len(earlier) <= 2


def state(one, j):
    return json.loads(one.request("GET", f"/v1/jobs/{j['id']}", headers=bearer("admin"))[2])["state"]


def test_long_jobs_of_one_client_do_not_hold_all_runners(service):
    one = service("", {"jobs": 2})
    long = [job(one, GREEDY, simulation(1e6)) for _ in range(6)]
    eventually(lambda: [state(one, j) for j in long].count("running") == 2)
    for _ in range(3):  # one after another: the runner is free again
        mine = job(one, GOOD)
        eventually(lambda: state(one, mine) == "succeeded")
    also = job(one, GOOD, simulation(1e6))
    eventually(lambda: state(one, also) == "running")
    admins = job(one, "admin")
    eventually(lambda: state(one, admins) == "succeeded")
    assert [state(one, j) for j in long].count("running") == 2, "places that are kept for others are not the greedy one's"


def test_running_jobs_are_bounded(service):
    one = service("running=1", {"jobs": 3, "jobs_spare": 0})
    long = [job(one, GREEDY, simulation(1e6)) for _ in range(2)]
    eventually(lambda: state(one, long[0]) == "running")
    mine = [job(one, GOOD) for _ in range(4)]
    eventually(lambda: all(state(one, j) == "succeeded" for j in mine))
    assert state(one, long[1]) == "queued"
    one.request("POST", f"/v1/jobs/{long[0]['id']}/cancel", b"", bearer(GREEDY))
    eventually(lambda: state(one, long[1]) == "running")


def test_seconds_of_the_runners(service, tmp_path):
    """A client whose jobs have taken its hour's seconds gets no more; others do, and it does when its token says more."""
    one = service("cpu_s=1", {"jobs": 1, "jobs_spare": 0})
    long, waits = job(one, GREEDY, simulation(1e6)), job(one, GREEDY)
    eventually(lambda: state(one, long) == "running")

    def submit():
        return one.request("POST", "/v1/robots/planar-2r/simulate", simulation(0.01), {**JSON, **bearer(GREEDY), "Prefer": "respond-async"})

    eventually(lambda: submit()[0] == 429)
    reply = submit()
    detail = problem(reply, 429)["detail"]
    assert '"greedy"' in detail and "the 1 s an hour that cpu_s= of its token" in detail
    assert reply[1]["RateLimit-Policy"] == '"cpu_s";q=1;w=3600' and reply[1]["RateLimit"] == f'"cpu_s";r=0;t={reply[1]["Retry-After"]}'
    assert one.request("POST", PATH, BODY, {**JSON, **bearer(GREEDY)})[0] == 200, "immediate calls take turns"
    one.request("POST", f"/v1/jobs/{long['id']}/cancel", b"", bearer(GREEDY))
    mine = [job(one, GOOD) for _ in range(3)]
    eventually(lambda: all(state(one, j) == "succeeded" for j in mine))
    assert state(one, waits) == "queued"
    path = tmp_path / "tokens"
    path.write_text(path.read_text().replace("cpu_s=1", "cpu_s=1000000"))
    os.kill(one.process.pid, signal.SIGHUP)
    eventually(lambda: state(one, waits) == "succeeded")
    assert submit()[0] == 202


@pytest.mark.parametrize(("attributes", "settings"), [("jobs=2", {}), ("", {"jobs_queued": 4})])
def test_queued_jobs_are_bounded(service, attributes, settings):
    one = service(attributes, {"jobs": 1, "jobs_spare": 0, **settings})
    first = job(one, GREEDY, simulation(1e6))
    eventually(lambda: state(one, first) == "running")
    for k in range(2):
        job(one, GREEDY, **{"Idempotency-Key": f"k{k}"})
    reply = one.request("POST", "/v1/robots/planar-2r/simulate", simulation(0.01), {**JSON, **bearer(GREEDY), "Prefer": "respond-async"})
    assert ("jobs=" if attributes else "client_share") in problem(reply, 429)["detail"] and reply[1]["Retry-After"] == "5"
    job(one, GREEDY, **{"Idempotency-Key": "k1"})  # one of the queued jobs
    mine = [job(one, GOOD) for _ in range(2 if attributes else 1)]  # of four places: half of what the other one leaves
    assert {state(one, j) for j in mine} == {"queued"}


def test_run_time_of_a_job_is_bounded(service):
    one = service("", {"jobs": 1, "jobs_time": "1s"})
    long, short = job(one, GREEDY, simulation(1e6)), job(one, GOOD)

    def of(j):
        return json.loads(one.request("GET", f"/v1/jobs/{j['id']}", headers=bearer(GOOD))[2])

    eventually(lambda: of(short)["state"] == "succeeded")
    eventually(lambda: of(long)["state"] == "failed")
    assert of(long)["problem"]["type"] == "/problems/took-too-long" and "jobs_time" in of(long)["problem"]["detail"]


def test_one_backup_at_a_time(service):
    one = service("")
    rows = b"t,q\n" + b"0.125,1.0625\n" * 1_200_000  # more than the socket buffers hold
    assert one.request("PUT", "/v1/datasets/large", rows, {"Content-Type": "text/csv", **bearer(GOOD)})[0] in (200, 201)
    with one.socket() as first:
        first.sendall(b"POST /v1/backup HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin\r\nContent-Length: 0\r\n\r\n")
        assert first.recv(12) == b"HTTP/1.1 200"
        reply = one.request("POST", "/v1/backup", b"", bearer("admin"))
        assert "one at a time" in problem(reply, 429)["detail"] and reply[1]["Retry-After"] == "30"
    eventually(lambda: one.request("POST", "/v1/backup", b"", bearer("admin"))[0] == 200)


def test_refusals_are_counted_by_reason(service):
    one = service("")
    problem(one.request("GET", "/v1/robots"), 401)
    problem(one.request("POST", "/v1/backup", b"", bearer(GOOD)), 403)
    assert [one.counter(f"requests_{why}_total") for why in ("unauthenticated", "forbidden", "limited")] == [1, 1, 0]
    assert one.request("GET", "/livez")[0] == 200


def test_pages_of_other_origins_send_nothing(start):
    one = start()
    host, port = one.address

    def send(**headers):
        return one.request("POST", PATH, BODY, {**JSON, **{k.replace("_", "-"): v for k, v in headers.items()}})[0]

    assert send(Origin=f"http://{host}:{port}") == 200
    assert send(Origin=f"http://{host}:{port + 1}") == 403, "another port of this machine is another program"
    assert send(Origin="http://localhost") == 403
    assert [send(Sec_Fetch_Site=site) for site in ("cross-site", "same-site", "same-origin", "none")] == [403, 403, 200, 200]
    assert one.request("GET", "/v1/robots", headers={"Sec-Fetch-Site": "cross-site"})[0] == 200
    assert metric(one, "torqued_requests_forbidden_total") == 4
