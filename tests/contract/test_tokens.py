# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_tokens.py - roles and expiry of tokens; torquectl creates, lists, revokes and rotates
# tokens.
import datetime
import hashlib
import json
import os
import signal
import stat
import subprocess

import pytest
from conftest import PATIENCE, TORQUED, eventually, problem

CTL = os.path.join(os.path.dirname(os.path.realpath(TORQUED)), "torquectl")
BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
JSON = {"Content-Type": "application/json"}
COMPUTE = ("POST", "/v1/robots/planar-2r/inverse-dynamics", BODY)
READ = ("GET", "/v1/robots", None)
WRITE = ("DELETE", "/v1/datasets/none", None)
CANCEL = ("POST", "/v1/jobs/none/cancel", None)
BACKUP = ("POST", "/v1/backup", None)
KINDS = {"read": [READ, ("GET", "/metrics", None), ("POST", "/v1/tickets", None), ("POST", "/v1/session", None)],
         "compute": [COMPUTE, CANCEL], "write": [WRITE, ("PUT", "/v1/datasets/none", b"\x00"), ("DELETE", "/v1/jobs", None)], "admin": [BACKUP]}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def line(name, attributes=""):
    return f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} {attributes}\n"


def ready(one):
    return json.loads(next(text for text in one.log if '"listening"' in text))


def ask(one, what, token):
    method, path, body = what
    return one.request(method, path, body, {**bearer(token), **(JSON if body else {})})


@pytest.mark.parametrize(
    ("roles", "admits"),
    [("read", {"read"}), ("compute", {"read", "compute"}), ("write", {"read", "write"}), ("compute,write", {"read", "compute", "write"}),
     ("admin", set(KINDS)), (None, set(KINDS))])
def test_a_token_does_what_its_roles_say(start, tmp_path, roles, admits):
    path = tmp_path / "tokens"
    path.write_text(line("t", f"roles={roles}" if roles else ""))
    one = start({"credentials": path})
    for kind, requests in KINDS.items():
        for what in requests:
            reply = ask(one, what, "t")
            if kind in admits:
                assert reply[0] not in (401, 403), (what, reply)
            else:
                assert kind in problem(reply, 403)["detail"] and '"t"' in problem(reply, 403)["detail"]
                assert reply[1]["WWW-Authenticate"] == f'Bearer realm="torqued", error="insufficient_scope", scope="{kind}"'


def test_a_session_and_a_ticket_have_the_roles_of_their_token(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("viewer", "roles=read"))
    one = start({"credentials": path})
    cookie = {"Cookie": one.request("POST", "/v1/session", headers=bearer("viewer"))[1]["Set-Cookie"].split(";")[0]}
    assert one.request("GET", "/v1/robots", headers=cookie)[0] == 200
    problem(one.request("POST", COMPUTE[1], BODY, {**cookie, **JSON}), 403)
    # a session lasts as long as its token: a change of another token does not end it, removal of its own does
    for text, status in ((line("viewer", "roles=compute") + line("more"), 200), (line("more"), 401)):
        path.write_text(text)
        before = sum('"reloaded"' in entry for entry in one.log)
        os.kill(one.process.pid, signal.SIGHUP)
        eventually(lambda n=before: sum('"reloaded"' in entry for entry in one.log) > n)
        assert one.request("POST", COMPUTE[1], BODY, {**cookie, **JSON})[0] == status


def test_a_token_expires(start, tmp_path):
    path = tmp_path / "tokens"
    day = datetime.datetime.now(datetime.timezone.utc).date()
    path.write_text(line("gone", f"expires={day - datetime.timedelta(days=1)}") + line("today", f"expires={day}T00:00:00Z") +
                    line("good", f"expires={day + datetime.timedelta(days=2)} roles=read"))
    one = start({"credentials": path})
    assert ask(one, READ, "good")[0] == 200
    for name in ("gone", "today"):
        reply = ask(one, READ, name)
        assert f'token of "{name}" has expired' in problem(reply, 401)["detail"]


@pytest.mark.parametrize(
    ("attributes", "says"),
    [("roles=", ":1: roles: of read"), ("roles=reed", ':1: there is no role "reed": read, compute, write or admin'), ("role=read", ':1: there is no attribute "role"'),
     ("requests=0", ":1: a number from 1 on"), ("streams=many", ":1: a number from 1 on"), ("bodies=5MB", ":1: a number from 1 on"),
     ("requests=2000000", ":1: requests: at most 1000000"), ("kept=none", ":1: a number from 1 on"), ("connections=-1", ":1: a number from 1 on"), ("bytes=", ":1: a number from 1 on"), ("expires=tomorrow", ":1: expires: 2027-01-31"), ("expires=2027-13-01", ":1: expires:"), ("expires=2027-01-01T00:00:00+01:00", ":1: expires:")])
def test_an_attribute_that_is_none_is_refused(tmp_path, attributes, says):
    path = tmp_path / "tokens"
    path.write_text(line("t", attributes))
    assert says in check(path, tmp_path)


def check(path, tmp_path):
    config = tmp_path / "torqued.conf"
    config.write_text(f"[torqued]\ncredentials = {path}\n")
    done = subprocess.run([TORQUED, "--check-config", "--config", str(config), "--state-dir", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 78) and done.stderr.count("\n") == (done.returncode != 0)
    return done.stderr


def test_a_file_that_every_user_can_write_is_refused(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("t"))
    path.chmod(0o646)
    assert "can be written by every user" in check(path, tmp_path)
    path.chmod(0o660)
    assert check(path, tmp_path) == ""


# --------------------------------------------------------------------------------------------------------------------- torquectl


@pytest.fixture
def token(tmp_path):
    path = tmp_path / "tokens"

    def run(verb, *args, status=0):
        done = subprocess.run([CTL, "token", verb, "--credentials", str(path), *args], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == status, done
        return done.stdout.strip() if status == 0 else done.stderr

    run.path = path
    return run


def test_tokens_are_made_listed_and_revoked(token, start, tmp_path):
    made = token("create", "cell", "roles=read,compute", "expires=90d")
    assert made.startswith("tq_") and len(made) == 46 and made not in token.path.read_text()
    assert stat.S_IMODE(token.path.stat().st_mode) == 0o600
    token.path.write_text("# who may come in\n" + token.path.read_text())
    viewer = token("create", "viewer", "roles=read")
    assert check(token.path, tmp_path) == ""
    rows = {row["name"]: row for row in json.loads(token("list", "-o", "json"))["tokens"]}
    assert rows["cell"]["roles"] == "read,compute" and rows["cell"]["state"] == "valid" and rows["viewer"]["expires"] == "never"
    ends = datetime.datetime.fromisoformat(rows["cell"]["expires"].replace("Z", "+00:00"))
    assert datetime.timedelta(days=89) < ends - datetime.datetime.now(datetime.timezone.utc) <= datetime.timedelta(days=90)
    one = start({"credentials": token.path})
    assert ask(one, COMPUTE, made)[0] == 200 and ask(one, READ, viewer)[0] == 200
    problem(ask(one, COMPUTE, viewer), 403)
    assert "there is a token" in token("create", "cell", "roles=read", status=1)
    token("revoke", "cell")
    assert [row["name"] for row in json.loads(token("list", "-o", "json"))["tokens"]] == ["viewer"] and "# who may come in" in token.path.read_text()
    assert "no such token" in token("revoke", "cell", status=1)
    assert os.listdir(tmp_path).count("tokens.new") == 0


def test_quotas_of_a_made_token_are_read(token, tmp_path):
    """Each attribute that the service reads is made by torquectl, and no other."""
    quotas = ["requests=200", "bodies=256MiB", "streams=8", "jobs=500", "running=2", "cpu_s=3600", "kept=100", "bytes=2GiB", "connections=16", "namespace=lab-a"]
    token("create", "cell", "roles=compute", "expires=2099-01-01", *quotas)
    assert check(token.path, tmp_path) == ""
    assert json.loads(token("list", "-o", "json"))["tokens"][0]["attributes"].split()[2:] == quotas


def test_a_rotation_has_two_valid_tokens(token, start):
    old = token("create", "cell", "roles=compute")
    one = start({"credentials": token.path})
    assert ready(one)["credentials"] == "1 tokens" and ready(start())["credentials"] == "none"
    new = token("rotate", "cell", "7d")
    problem(ask(one, READ, new), 401)
    os.kill(one.process.pid, signal.SIGHUP)
    eventually(lambda: ask(one, COMPUTE, new)[0] == 200)
    assert ask(one, COMPUTE, old)[0] == 200
    problem(ask(one, WRITE, new), 403)
    rows = json.loads(token("list", "-o", "json"))["tokens"]
    assert [row["expires"] == "never" for row in rows] == [False, True] and len({row["id"] for row in rows}) == 2
    token("revoke", "cell", rows[0]["id"])
    os.kill(one.process.pid, signal.SIGHUP)
    eventually(lambda: ask(one, COMPUTE, old)[0] == 401)
    assert ask(one, COMPUTE, new)[0] == 200


@pytest.mark.parametrize("args", [("a b", "roles=read"), ("a",), ("a", "roles=reed"), ("a", "roles=read", "x"), ("a", "roles=read", "keep=5"), ("a", "roles=read", "kept=0"), ("a", "roles=read", "bytes=5MB"), ("a", "roles=read", "jobs="), ("a", "roles=read", "namespace=a/b"), ("a", "roles=read,admin", "namespace=lab"), ("a", "roles=read", "expires=1d # x")])
def test_what_would_be_no_line_is_not_written(token, args):
    token("create", *args, status=2)
    assert not token.path.exists()
