# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_owners.py - what a token makes is its own: others are refused by name, an admin is not; and what it may keep.
"""tests/cluster/test_owners_shared.py runs these on PostgreSQL."""
import hashlib
import io
import json
import tarfile

import pytest
from conftest import eventually, problem

JSON = {"Content-Type": "application/json"}
SIMULATE = "/v1/robots/planar-2r/simulate"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
MINE, OTHER, ADMIN = "ann", "bob", "root"


def line(name, attributes):
    return f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} {attributes}\n"


@pytest.fixture
def tokens(tmp_path):
    def write(attributes=""):
        path = tmp_path / "tokens"
        path.write_text(line(MINE, f"roles=compute,write {attributes}") + line(OTHER, "roles=compute,write") + line(ADMIN, "roles=admin"))
        return path

    return write


@pytest.fixture
def state(tmp_path):
    """Of a test's daemons, one after the other."""
    return str(tmp_path / "state")


def ask(one, token, method, path, body=None, **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    return one.request(method, path, body, sent)


def fetch(one, path, token=ADMIN):
    status, _, text = ask(one, token, "GET", path)
    assert status == 200, text
    return json.loads(text)


def robot(mass):
    return (f'<robot name="r"><link name="l0"/><link name="l1"><inertial><mass value="{mass}"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            '<joint name="j" type="revolute"><parent link="l0"/><child link="l1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>').encode()


def put_robot(one, token, name, mass, query=""):
    return ask(one, token, "PUT", f"/v1/robots/{name}{query}", robot(mass), Content_Type="application/xml")


def put_data(one, token, name, data):
    return ask(one, token, "PUT", f"/v1/datasets/{name}", data, Content_Type="text/csv")


def submit(one, token, **headers):
    body = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode()
    status, _, text = ask(one, token, "POST", SIMULATE, body, Content_Type="application/json", Prefer="respond-async", **headers)
    assert status == 202, text
    return json.loads(text)["id"]


def ended(one, job):
    eventually(lambda: fetch(one, f"/v1/jobs/{job}")["state"] == "succeeded")
    return job


def owner_of(one, kind, name):
    rows = {row["name"]: row["owner"] for row in fetch(one, f"/v1/{kind}")[kind]}
    if kind == "datasets":
        assert fetch(one, f"/v1/datasets/{name}")["owner"] == rows[name]
    return rows[name]


def assert_refused(reply, what):
    detail = problem(reply, 403)["detail"]
    assert f'{what} belongs to "ann"' in detail and "admin" in detail, detail
    return detail


def test_robots(start, tokens, state):
    settings = {"credentials": tokens()}
    one = start(settings, state=state)
    assert put_robot(one, MINE, "arm", 0.5)[0] == 201
    assert owner_of(one, "robots", "arm") == MINE and owner_of(one, "robots", "panda") is None
    for reply in (put_robot(one, OTHER, "arm", 0.6), put_robot(one, OTHER, "arm", 0.6, "?dry_run=true"), ask(one, OTHER, "DELETE", "/v1/robots/arm"),
                  ask(one, OTHER, "PATCH", "/v1/robots/arm", b'{"operations": [{"op": "gravity", "gravity": [0, 0, -1]}]}', Content_Type="application/json")):
        assert_refused(reply, 'robot "arm"')
    assert put_robot(one, OTHER, "arm", 0.5)[0] == 200, "as it is already: a script that puts it each morning goes on"
    assert put_robot(one, MINE, "arm", 0.7)[0] == 200
    assert put_robot(one, ADMIN, "arm", 0.8)[0] == 200 and owner_of(one, "robots", "arm") == MINE
    assert put_robot(one, OTHER, "other", 0.6)[0] == 201
    before = fetch(one, "/v1/robots")
    one.stop()
    again = start(settings, state=state)
    assert fetch(again, "/v1/robots") == before
    assert_refused(put_robot(again, OTHER, "arm", 0.6), 'robot "arm"')
    assert ask(again, MINE, "DELETE", "/v1/robots/arm")[0] == 204
    assert put_robot(again, OTHER, "arm", 0.6)[0] == 201 and owner_of(again, "robots", "arm") == OTHER


def test_datasets(start, tokens, state):
    settings = {"credentials": tokens()}
    one = start(settings, state=state)
    assert put_data(one, MINE, "run", b"t,q\n0,1\n1,2\n")[0] == 201
    assert owner_of(one, "datasets", "run") == MINE
    assert_refused(put_data(one, OTHER, "run", b"t,q\n0,1\n1,3\n"), 'dataset "run"')
    assert_refused(ask(one, OTHER, "DELETE", "/v1/datasets/run"), 'dataset "run"')
    assert ask(one, OTHER, "GET", "/v1/datasets/run/content")[2] == b"t,q\n0,1\n1,2\n"
    assert put_data(one, ADMIN, "run", b"t,q\n0,1\n1,4\n")[0] == 200 and owner_of(one, "datasets", "run") == MINE
    one.stop()
    again = start(settings, state=state)
    assert_refused(put_data(again, OTHER, "run", b"t,q\n0,1\n1,3\n"), 'dataset "run"')
    assert put_data(again, MINE, "run", b"t,q\n0,1\n1,5\n")[0] == 200
    assert ask(again, ADMIN, "DELETE", "/v1/datasets/run")[0] == 204


def test_jobs(start, tokens, state):
    settings = {"credentials": tokens()}
    one = start(settings, state=state)
    job, other = ended(one, submit(one, MINE)), ended(one, submit(one, OTHER))
    assert fetch(one, f"/v1/jobs/{job}")["owner"] == MINE
    assert_refused(ask(one, OTHER, "POST", f"/v1/jobs/{job}/cancel", b""), f'job "{job}"')
    assert_refused(ask(one, OTHER, "DELETE", f"/v1/jobs/{job}"), f'job "{job}"')
    assert ask(one, OTHER, "GET", f"/v1/jobs/{job}/result")[0] == 200
    one.stop()
    again = start(settings, state=state)
    for dry, n in (("&dry_run=true", 0), ("", 1)):  # of many the own ones
        reply = ask(again, OTHER, "DELETE", f"/v1/jobs?state=succeeded{dry}")
        assert json.loads(reply[2]) == {"matched": 1, "deleted": n}
    assert [row["id"] for row in fetch(again, "/v1/jobs")["jobs"]] == [job] and other != job
    assert ask(again, ADMIN, "DELETE", f"/v1/jobs/{job}")[0] == 204


def test_a_job_that_runs_is_cancelled_by_its_owner(start, tokens):
    one = start({"credentials": tokens()})
    body = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 1e6, "output": {"interval_s": 1e5}}).encode()
    job = json.loads(ask(one, MINE, "POST", SIMULATE, body, Content_Type="application/json", Prefer="respond-async")[2])["id"]
    eventually(lambda: fetch(one, f"/v1/jobs/{job}")["state"] == "running")
    assert_refused(ask(one, OTHER, "POST", f"/v1/jobs/{job}/cancel", b""), f'job "{job}"')
    assert not fetch(one, f"/v1/jobs/{job}")["cancel_asked"]
    assert ask(one, MINE, "POST", f"/v1/jobs/{job}/cancel", b"")[0] == 202
    eventually(lambda: fetch(one, f"/v1/jobs/{job}")["state"] == "cancelled")


def test_without_tokens_nobody_owns(start):
    one = start()
    put_robot(one, None, "arm", 0.5)
    put_data(one, None, "run", b"t,q\n0,1\n")
    job = submit(one, None, Torqued_Client="script")
    assert owner_of(one, "robots", "arm") is None and owner_of(one, "datasets", "run") is None
    assert fetch(one, f"/v1/jobs/{job}", None)["owner"] == "script"
    ended(one, job)
    assert put_robot(one, None, "arm", 0.6)[0] == 200 and put_data(one, None, "run", b"t,q\n0,2\n")[0] == 200
    assert ask(one, None, "DELETE", f"/v1/jobs/{job}", Torqued_Client="another")[0] == 204


def test_what_was_nobodys_stays_everybodys(start, tokens, state):
    """Of before there were tokens, or of a release before there were owners."""
    one = start(state=state)
    put_robot(one, None, "arm", 0.5)
    put_data(one, None, "run", b"t,q\n0,1\n")
    one.stop()
    again = start({"credentials": tokens()}, state=state)
    assert put_robot(again, MINE, "arm", 0.6)[0] == 200 and owner_of(again, "robots", "arm") is None
    assert put_data(again, MINE, "run", b"t,q\n0,2\n")[0] == 200 and ask(again, OTHER, "DELETE", "/v1/datasets/run")[0] == 204


def test_a_job_keeps_its_trace(start, tokens, state):
    """In its document and in the log lines of its run, in a later process as well."""
    settings = {"credentials": tokens(), "jobs": 1}
    one = start(settings, state=state)
    traced = submit(one, MINE, traceparent=f"00-{TRACE}-{PARENT}-01")
    plain = submit(one, MINE)
    shown = fetch(one, f"/v1/jobs/{traced}")["traceparent"]
    version, trace, span, flags = shown.split("-")
    assert (version, trace, flags) == ("00", TRACE, "01") and span != PARENT
    assert fetch(one, f"/v1/jobs/{plain}")["traceparent"] is None

    def lines(daemon, job):
        return [json.loads(entry) for entry in daemon.log if f'"job":"{job}"' in entry and TRACE in entry and "of a trace" in entry]

    ended(one, traced)
    eventually(lambda: [entry["state"] for entry in lines(one, traced)] == ["running", "succeeded"])
    assert all(entry["traceparent"] == shown for entry in lines(one, traced)) and not lines(one, plain)
    # one that waits while the service stops
    body = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 1e6, "output": {"interval_s": 1e5}}).encode()
    long = json.loads(ask(one, MINE, "POST", SIMULATE, body, Content_Type="application/json", Prefer="respond-async", traceparent=f"00-{TRACE}-{PARENT}-00")[2])
    eventually(lambda: len(lines(one, long["id"])) == 1)
    one.stop()
    again = start(settings, state=state)
    eventually(lambda: len(lines(again, long["id"])) == 1)
    entry = lines(again, long["id"])[0]
    assert entry["traceparent"] == long["traceparent"] == fetch(again, f"/v1/jobs/{long['id']}")["traceparent"] and entry["attempts"] == 2
    assert fetch(again, f"/v1/jobs/{traced}")["traceparent"] == shown
    assert ask(again, MINE, "POST", f"/v1/jobs/{long['id']}/cancel", b"")[0] == 202


# ------------------------------------------------------------------------------------------------------------------------- what is kept


def test_jobs_that_are_kept(start, tokens, state):
    settings = {"credentials": tokens("kept=2")}
    one = start(settings, state=state)
    jobs = [ended(one, submit(one, MINE, Idempotency_Key=f"k{k}")) for k in range(2)]
    body = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode()

    def refused(daemon):
        reply = ask(daemon, MINE, "POST", SIMULATE, body, Content_Type="application/json", Prefer="respond-async")
        detail = problem(reply, 403)["detail"]
        assert '"ann" keeps 2 jobs of the 2 of kept=' in detail and "DELETE /v1/jobs" in detail
        assert reply[1]["RateLimit-Policy"] == '"kept";q=2' and reply[1]["RateLimit"] == '"kept";r=0' and reply[1]["Retry-After"] is None

    refused(one)
    assert submit(one, MINE, Idempotency_Key="k0") == jobs[0], "one of those"
    submit(one, OTHER)
    one.stop()
    again = start(settings, state=state)
    refused(again)
    assert ask(again, MINE, "DELETE", f"/v1/jobs/{jobs[0]}")[0] == 204
    submit(again, MINE)
    refused(again)


def test_bytes_that_are_kept(start, tokens):
    one = start({"credentials": tokens("bytes=4KiB")})
    rows = b"t,q\n" + b"0.125,1.0625\n" * 200  # 2604 bytes

    def refused(reply, left):
        detail = problem(reply, 403)["detail"]
        assert '"ann" keeps' in detail and "the 4096 of bytes=" in detail and "delete" in detail, detail
        assert reply[1]["RateLimit-Policy"] == '"bytes";q=4096' and reply[1]["RateLimit"] == f'"bytes";r={left}'

    refused(put_data(one, MINE, "huge", b"t,q\n" + b"0,1\n" * 2000), 4096)
    assert put_data(one, MINE, "a", rows)[0] == 201
    refused(put_data(one, MINE, "b", rows), 4096 - len(rows))
    assert put_data(one, MINE, "a", rows[:1304])[0] == 200 and put_data(one, MINE, "b", rows)[0] == 201, "what it replaces does not count"
    refused(put_data(one, MINE, "a", rows), 4096 - 1304 - len(rows))
    body = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode() + b" " * 500
    refused(ask(one, MINE, "POST", SIMULATE, body, Content_Type="application/json", Prefer="respond-async"), 4096 - 1304 - len(rows))
    assert put_data(one, OTHER, "c", rows)[0] == 201
    assert ask(one, MINE, "DELETE", "/v1/datasets/b")[0] == 204
    job = ended(one, submit(one, MINE))  # the job's request and result count
    kept = 1304 + sum(len(ask(one, MINE, "GET", f"/v1/jobs/{job}/{what}")[2]) for what in ("request", "result"))
    refused(put_data(one, MINE, "b", rows + b"0.125,1.0625\n" * 100), max(0, 4096 - kept))


def test_owners_are_in_a_backup(start, tokens, tmp_path):
    settings = {"credentials": tokens()}
    one = start(settings)
    put_robot(one, MINE, "arm", 0.5)
    put_data(one, MINE, "run", b"t,q\n0,1\n")
    ended(one, submit(one, MINE, traceparent=f"00-{TRACE}-{PARENT}-01"))
    before = {kind: fetch(one, f"/v1/{kind}") for kind in ("robots", "datasets", "jobs")}
    archive = ask(one, ADMIN, "POST", "/v1/backup", b"")[2]
    folder = tmp_path / "restored"
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    again = start(settings, state=str(folder))
    assert {kind: fetch(again, f"/v1/{kind}") for kind in before} == before
    assert_refused(put_robot(again, OTHER, "arm", 0.6), 'robot "arm"')
