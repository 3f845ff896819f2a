# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_audit.py - one line for each write, refusal and login; bounded, rotated, separate from
# the log.
import hashlib
import json
import os
import stat

from conftest import eventually, metric

BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
PATH = "/v1/robots/planar-2r/inverse-dynamics"
JSON = {"Content-Type": "application/json"}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def lines(one, name="audit.log"):
    path = os.path.join(one.state, name)
    return [json.loads(line) for line in open(path)] if os.path.exists(path) else []


def test_who_did_what_from_where(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("".join(f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} roles={roles}\n" for name, roles in (("cell", "compute,write"), ("eye", "read"))))
    one = start({"credentials": path})
    done = [("PUT", "/v1/datasets/d", b"t\n1\n2\n", {**bearer("cell"), "Content-Type": "text/csv"}, "write", "cell"),
            ("GET", "/v1/datasets/d", None, bearer("cell"), None, None),
            ("POST", PATH, BODY, {**bearer("cell"), **JSON}, None, None),
            ("POST", PATH, BODY, {**bearer("cell"), **JSON, "Prefer": "respond-async"}, "write", "cell"),
            ("DELETE", "/v1/datasets/d", None, bearer("eye"), "refusal", "eye"),
            ("DELETE", "/v1/datasets/d", None, bearer("cell"), "write", "cell"),
            ("DELETE", "/v1/datasets/d", None, bearer("cell"), "write", "cell"),
            ("GET", "/v1/robots", None, bearer("wrong"), "refusal", ""),
            ("POST", "/v1/session", None, bearer("eye"), "login", "eye"),
            ("POST", "/v1/jobs/none/cancel", None, bearer("cell"), "write", "cell")]
    wanted = []
    for method, target, body, headers, kind, client in done:
        status, got, _ = one.request(method, target, body, headers)
        if kind is not None:
            wanted.append({"kind": kind, "client": client, "from": "127.0.0.1", "method": method, "path": target, "status": status, "request_id": got["X-Request-Id"]})
    eventually(lambda: len(lines(one)) == len(wanted))
    logged = lines(one)
    assert [{name: value for name, value in line.items() if name != "time"} for line in logged] == wanted
    assert [line["time"] for line in logged] == sorted(line["time"] for line in logged)
    assert [line["status"] for line in wanted] == [201, 202, 403, 204, 404, 401, 204, 404]
    assert stat.S_IMODE(os.stat(os.path.join(one.state, "audit.log")).st_mode) == 0o600
    assert "wrong" not in open(os.path.join(one.state, "audit.log")).read()


def test_files_are_rotated_and_bounded(start):
    one = start({"audit_size": 4096})
    n = 150
    for k in range(n):
        one.request("DELETE", f"/v1/datasets/none{k}")
    eventually(lambda: lines(one) and lines(one)[-1]["path"] == f"/v1/datasets/none{n - 1}")
    names = ["audit.log.4", "audit.log.3", "audit.log.2", "audit.log.1", "audit.log"]
    kept = [line["path"] for name in names for line in lines(one, name)]
    assert kept == [f"/v1/datasets/none{k}" for k in range(n - len(kept), n)] and 50 < len(kept) < n
    assert all(os.path.getsize(os.path.join(one.state, name)) <= 4096 for name in names) and not os.path.exists(os.path.join(one.state, "audit.log.5"))
    assert metric(one, "torqued_audit_lost") == 0


def test_guesses_do_not_fill_it(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"cell {hashlib.blake2b(b'cell', digest_size=32).hexdigest()}\n")
    one = start({"credentials": path})
    with one.socket() as s:  # 500 at once, on one connection
        s.sendall(b"GET /v1/robots HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess\r\n\r\n" * 500)
        got = b""
        while got.count(b"HTTP/1.1 401") < 500:
            got += s.recv(65536)

    def accounted():
        one.request("GET", "/v1/robots", headers=bearer("guess"))
        refused = [line for line in lines(one) if line["kind"] == "refusal"]
        return sum(line.get("suppressed", 0) + 1 for line in refused) >= 500 > len(refused)

    eventually(accounted)


def test_none_without_it(start, tmp_path):
    one = start({"audit_size": 0}, state=str(tmp_path / "state"))
    one.request("DELETE", "/v1/datasets/none")
    one.stop()
    assert os.path.exists(one.state)
    assert not os.path.exists(os.path.join(one.state, "audit.log"))


def test_the_last_lines_are_there_after_the_end(start, tmp_path):
    one = start(state=str(tmp_path / "state"))
    for k in range(20):
        one.request("DELETE", f"/v1/datasets/none{k}")
    one.stop()
    assert len(lines(one)) == 20
