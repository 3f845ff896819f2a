# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_namespaces.py - what a namespace has is absent for all others, on every route of the contract.
"""tests/cluster/test_owners_shared.py runs these on PostgreSQL."""
import contextlib
import hashlib
import io
import json
import re
import tarfile

import pytest
from conftest import eventually, problem
from test_owners import ADMIN, SIMULATE, ask, ended, line, put_data, put_robot, robot
from test_torquectl import ctl, good

# of other letters than any built-in robot, so that no answer suggests a similar name
HERS, NONE, MARK = "zqxj-orchid-77", "wvkk-violet-33", "zqxj"
TOKENS = {"ann": "roles=compute,write namespace=lab-a", "bea": "roles=compute,write namespace=lab-b", "cid": "roles=compute,write", "root": "roles=admin"}
JSON = "application/json"
ROWS = b"t,q\n0,1.5\n1,2.25\n"
# answers of the whole service, to whoever may ask, and those that never end
OPEN = {"/metrics", "/v1/backup", "/v1/session", "/v1/tickets", "/v1/nodes/{name}/drain", "/v1/nodes/{name}/resume"}
STREAMS = {"/v1/events"}


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("".join(line(name, attributes) for name, attributes in TOKENS.items()))
    return {"credentials": path}


def show(one, token, path):
    status, _, text = ask(one, token, "GET", path)
    assert status == 200, (path, text)
    return json.loads(text)


def submit(one, token, body=None, path=SIMULATE, **headers):
    body = body or {"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}
    status, _, text = ask(one, token, "POST", path, json.dumps(body).encode(), Content_Type=JSON, Prefer="respond-async", **headers)
    assert status == 202, text
    return json.loads(text)["id"]


def end_of(one, token, job, query=""):
    eventually(lambda: show(one, token, f"/v1/jobs/{job}{query}")["finished"])
    return show(one, token, f"/v1/jobs/{job}{query}")


def fill(one, token="bea", mass=0.5):
    """Everything that a namespace can have. The ids of its job and its session."""
    assert put_robot(one, token, HERS, mass)[0] == 201
    assert put_data(one, token, HERS, ROWS)[0] == 201
    job = submit(one, token)
    end_of(one, token, job)
    status, _, text = ask(one, token, "POST", "/v1/sessions", json.dumps({"robot": HERS, "initial": {"q": [0.1]}}).encode(), Content_Type=JSON)
    assert status == 201, text
    return job, json.loads(text)["id"]


def of_absence(reply, *ids):
    """An answer without what differs between any two requests and the names in them."""
    status, headers, body = reply
    for text in ids:
        body = body.replace(text.encode(), b"NAME")
    body = re.sub(rb'"request_id":"[^"]*"', b"", body)
    kept = {name: value for name, value in headers.items() if name.lower() not in ("date", "x-request-id")}
    for text in ids:
        kept = {name: value.replace(text, "NAME") for name, value in kept.items()}
    return status, kept, body


def bodies(operation):
    """Bodies that the contract shows, of each media type, and none."""
    content = operation.get("requestBody", {}).get("content", {})
    for media, entry in content.items():
        for example in entry.get("examples", {}).values():
            value = example.get("value")
            if value is not None:
                yield media, (json.dumps(value) if media == JSON else str(value)).encode()
                break
    yield JSON, b"{}"


def operations(one):
    contract = json.loads(one.request("GET", "/openapi.json")[2])
    for path, methods in contract["paths"].items():
        for method in ("get", "head", "post", "put", "patch", "delete"):
            if method in methods or (method == "head" and "get" in methods):
                yield method.upper(), path, methods.get(method, {})


@pytest.mark.parametrize("viewer", ["ann", "cid"])
def test_every_route_answers_as_if_there_were_nothing(start, settings, viewer):
    """Twice each: by what is another namespace's, and by what nobody has. The answers are the same bytes."""
    one = start(settings)
    job, session = fill(one)
    digest = show(one, "bea", f"/v1/datasets/{HERS}")["sha256"]
    version = next(row["digest"] for row in show(one, "bea", "/v1/robots")["robots"] if row["name"] == HERS)
    before = {path: ask(one, "bea", "GET", path)[2] for path in (f"/v1/robots/{HERS}", f"/v1/datasets/{HERS}/content", f"/v1/jobs/{job}", f"/v1/jobs/{job}/result")}
    # the slot of a session's table is in its id, and its secret is not
    pairs = {"/v1/sessions/{id}": (session, session[:4] + "0" * (len(session) - 4)), "/v1/jobs/{id}": (job, "0" * len(job))}
    n_walked = 0
    for method, path, operation in operations(one):
        if path in OPEN | STREAMS:
            continue
        hers, none = next((pair for stem, pair in pairs.items() if path.startswith(stem)), (HERS, NONE))
        for suffix in ("", f"@{version}") if path.startswith("/v1/robots/{name}") else ("",):
            for media, body in bodies(operation) if method in ("POST", "PUT", "PATCH") else ((None, None),):
                headers = {"Content_Type": media} if body else {}
                if body and method == "POST":
                    headers["Prefer"] = "wait=1"
                replies = []
                for name in (hers, none):
                    target = re.sub(r"\{(name|id)\}", name + suffix, path)
                    target = re.sub(r"\{\w+\}", "q", target)
                    replies.append(of_absence(ask(one, viewer, method, target, body, **headers), name + suffix, name))
                    n_walked += 1
                if "{name}" in path or "{id}" in path:
                    is_same = replies[0] == replies[1]  # pytest would compare long answers line by line
                    assert is_same, (method, path, suffix, [(status, text[:300]) for status, _, text in replies])
                    assert replies[0][0] != 200 or method == "PUT", (method, path)
                for _, kept, text in replies:
                    for secret in (MARK, job, session, digest, version, "lab-b", '"bea"'):
                        shows = secret.encode() in text or secret in str(kept)
                        assert not shows, (method, path, secret, text[:400])
    assert n_walked > 100
    assert {path: ask(one, "bea", "GET", path)[2] for path in before} == before
    # two namespaces have each a robot and a dataset of one name
    assert put_robot(one, viewer, HERS, 0.75)[0] == 201 and put_data(one, viewer, HERS, b"t,q\n0,9\n1,8\n")[0] == 201
    assert {path: ask(one, "bea", "GET", path)[2] for path in before} == before
    assert ask(one, viewer, "DELETE", f"/v1/robots/{HERS}")[0] == 204 and ask(one, viewer, "DELETE", f"/v1/datasets/{HERS}")[0] == 204


@pytest.mark.parametrize("viewer", ["ann", "cid"])
def test_names_in_bodies_are_of_the_namespace(start, settings, viewer):
    one = start(settings)
    job, _ = fill(one)
    digest = show(one, "bea", f"/v1/datasets/{HERS}")["sha256"]

    def both(path, make):
        replies = [of_absence(ask(one, viewer, "POST", path, json.dumps(make(name)).encode(), Content_Type=JSON, Prefer="wait=20"), name, job, NONE)
                   for name in (HERS, NONE, f"lab-b/{HERS}")]
        assert replies[0] == replies[1], replies
        assert replies[2][0] == replies[0][0] >= 400
        return replies[0]

    both("/v1/sessions", lambda name: {"robot": name, "initial": {"q": [0.1]}})
    both("/v1/compare", lambda name: {"robot": name, "with": "panda"})
    # results of jobs and datasets, by name and by digest
    absent = "0" * len(job)
    for source, none in ((f"job:{job}", f"job:{absent}"), (HERS, NONE), (f"{HERS}@{digest}", f"{NONE}@{digest}"), (f"lab-b/{HERS}", f"lab-b/{NONE}")):
        ends = []
        for name in (source, none):
            body = {"datasets": [{"dataset": name, "columns": {"q": ["q"], "tau": ["q"], "t": "t"}}], "base": "fixed"}
            status, _, text = ask(one, viewer, "POST", "/v1/robots/planar-2r/calibrate", json.dumps(body).encode(), Content_Type=JSON, Prefer="wait=20")
            text = re.sub(rb'"request_id":"[^"]*"', b"", text.replace(name.encode(), b"NAME").replace(job.encode(), b"ID").replace(absent.encode(), b"ID"))
            ends.append((status, text))
        assert ends[0] == ends[1] and ends[0][0] >= 400, ends


def test_a_namespace_is_used_as_the_whole_service(start, settings, state):
    """Its names, built-in robots, jobs, keys and owners; also after a restart."""
    one = start(settings, state=state)
    job, _ = fill(one)
    names = [row["name"] for row in show(one, "bea", "/v1/robots")["robots"]]
    assert HERS in names and "panda" in names and names == sorted(names)
    assert [row["name"] for row in show(one, "bea", "/v1/datasets")["datasets"] if not row.get("built_in")] == [HERS]
    document = show(one, "bea", f"/v1/jobs/{job}")
    assert document["robot"] == "planar-2r" and document["owner"] == "lab-b/bea"
    own = submit(one, "bea", path=f"/v1/robots/{HERS}/simulate", body={"initial": {"q": [0.1]}, "duration_s": 0.01, "output": {"interval_s": 0.001}})
    assert end_of(one, "bea", own)["state"] == "succeeded"
    assert [row["id"] for row in show(one, "bea", f"/v1/jobs?robot={HERS}")["jobs"]] == [own]
    assert show(one, "bea", f"/v1/jobs/{own}")["robot"] == HERS
    assert problem(put_robot(one, "bea", "panda", 0.5), 409)["detail"].startswith('"panda" is built in')
    # one Idempotency-Key in two namespaces is two jobs
    keys = {token: submit(one, token, Idempotency_Key="k") for token in ("ann", "bea", "cid")}
    assert len(set(keys.values())) == 3 and submit(one, "bea", Idempotency_Key="k") == keys["bea"]
    for token, id in keys.items():
        end_of(one, token, id)
    one.stop()
    again = start(settings, state=state)
    assert show(again, "bea", f"/v1/jobs/{job}") == document
    assert [row["id"] for row in show(again, "ann", "/v1/jobs")["jobs"]] == [keys["ann"]]
    assert [row["id"] for row in show(again, "cid", "/v1/jobs")["jobs"]] == [keys["cid"]]
    # of many, those of the namespace
    assert json.loads(ask(again, "ann", "DELETE", "/v1/jobs?state=succeeded")[2]) == {"matched": 1, "deleted": 1}
    assert len(show(again, "bea", "/v1/jobs")["jobs"]) == 3


def test_events_are_of_the_namespace(start, settings):
    one = start(settings)
    resumed = {}
    for token in ("ann", "bea", "cid"):
        with one.socket() as s:
            s.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            assert s.recv(12) == b"HTTP/1.1 200"
            jobs = {name: end_of(one, name, submit(one, name))["id"] for name in ("ann", "bea", "cid")}
            got = b""
            while jobs[token].encode() not in got or b"succeeded" not in got:
                got += s.recv(65536)
            resumed.update({(token, name): id for name, id in jobs.items()})
            assert not [name for name, id in jobs.items() if name != token and id.encode() in got]
    # and those that a client has missed, from the store
    for token in ("ann", "bea", "cid"):
        with one.socket() as s:
            s.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nLast-Event-ID: 0\r\n\r\n".encode())
            got = b""
            while resumed[token, token].encode() not in got or not got.endswith(b"\n\n\r\n"):
                got += s.recv(65536)
            s.settimeout(0.3)
            with contextlib.suppress(TimeoutError):
                while True:
                    got += s.recv(65536)
        for (_, name), id in resumed.items():
            assert (id.encode() in got) == (name == token)


def test_an_administrator_enters_any_namespace(start, settings):
    one = start(settings)
    job, session = fill(one)
    ours = "?namespace=lab-b"
    assert ask(one, ADMIN, "GET", f"/v1/jobs/{job}")[0] == 404, "without it the default one"
    assert HERS in [row["name"] for row in show(one, ADMIN, f"/v1/robots{ours}")["robots"]]
    assert [row["id"] for row in show(one, ADMIN, f"/v1/jobs{ours}&state=succeeded")["jobs"]] == [job]
    assert [row["id"] for row in show(one, ADMIN, f"/v1/jobs?limit=5&namespace=lab-b")["jobs"]] == [job]
    assert [row["id"] for row in show(one, ADMIN, f"/v1/sessions{ours}")["sessions"]] == [session]
    assert ask(one, ADMIN, "GET", f"/v1/datasets/{HERS}/content{ours}")[2] == ROWS
    assert put_robot(one, ADMIN, HERS, 0.9, ours)[0] == 200
    mine = submit(one, ADMIN, path=SIMULATE + ours)
    assert end_of(one, "bea", mine)["owner"] == "lab-b/root"
    assert ask(one, ADMIN, "DELETE", f"/v1/jobs/{job}{ours}")[0] == 204
    for token in ("ann", "cid"):
        assert "needs the role admin" in problem(ask(one, token, "GET", f"/v1/robots{ours}"), 403)["detail"]
    assert ask(one, "ann", "GET", "/v1/robots?namespace=lab-a")[0] == 200
    problem(ask(one, "ann", "GET", "/v1/robots?namespace="), 403)
    problem(ask(one, ADMIN, "GET", "/v1/robots?namespace=a/b"), 422)
    problem(ask(one, None, "GET", "/v1/robots?namespace=a/b"), 401)


def test_namespaces_are_in_a_backup(start, settings, tmp_path):
    one = start(settings)
    fill(one)
    put_robot(one, "cid", HERS, 0.75)
    before = {(token, kind): show(one, token, f"/v1/{kind}") for token in ("ann", "bea", "cid") for kind in ("robots", "datasets", "jobs")}
    archive = ask(one, ADMIN, "POST", "/v1/backup", b"")[2]
    folder = tmp_path / "restored"
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    again = start(settings, state=str(folder))
    assert {key: show(again, key[0], f"/v1/{key[1]}") for key in before} == before


@pytest.mark.parametrize(("text", "says"), [
    ("a/b", ' a name has no "/"'), ("t namespace=", "namespace: 1 to 32"), ("t roles=read namespace=a/b", "namespace: 1 to 32"), ("t roles=read namespace=.a", "namespace: 1 to 32"),
    ("t namespace=lab", "no role admin"), ("t roles=admin namespace=lab", "no role admin"), (f"{'t' * 60} roles=read namespace=laboratory", "with its namespace")])
def test_a_line_that_is_none_is_refused(tmp_path, text, says):
    from test_tokens import check

    name, _, attributes = text.partition(" ")
    path = tmp_path / "tokens"
    path.write_text(f"{name} {hashlib.blake2b(b't', digest_size=32).hexdigest()} {attributes}\n")
    assert says in check(path, tmp_path)


def test_torquectl_enters_one(start, settings, tmp_path):
    """By the option or the context, in every command; curl's line has it too."""
    one = start(settings)
    job, _ = fill(one)
    secret, config = tmp_path / "secret", {"XDG_CONFIG_HOME": str(tmp_path), "TORQUED_URL": ""}
    secret.write_text("root\n")
    there = ("--token-file", str(secret))
    assert HERS not in good(one, *there, "robots", "list").decode()
    assert HERS in good(one, *there, "robots", "list", "-n", "lab-b").decode()
    assert HERS not in good(one, *there, "robots", "list", "--namespace", "lab-a").decode()
    assert job in good(one, *there, "jobs", "list", "--state", "succeeded", "--namespace", "lab-b").decode()
    assert json.loads(good(one, *there, "-n", "lab-b", "jobs", "get", job, "-o", "json"))["id"] == job
    tau = good(one, *there, "id", HERS, "q=[0.2]", "-n", "lab-b", "-o", "csv")
    assert tau and ctl(one, *there, "id", HERS, "q=[0.2]").returncode == 1
    good(None, "contexts", "set", "theirs", "-s", one.url, *there, "-n", "lab-b", env=config)
    assert HERS in good(None, "robots", "list", env=config).decode()
    assert HERS not in good(None, "robots", "list", "-n", "", env=config).decode(), "the option wins; empty: of none"
    assert json.loads(good(None, "contexts", "-o", "json", env=config))["contexts"][0]["namespace"] == "lab-b"
    assert good(one, "jobs", "list", "-n", "lab-b", "--curl").decode().endswith("/v1/jobs?namespace=lab-b'\n")
    for wrong in ("a b", "a/b", ".", "x" * 33):
        assert ctl(one, "robots", "list", "-n", wrong).returncode == 2
