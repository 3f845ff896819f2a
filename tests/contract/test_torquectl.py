# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_torquectl.py - the command line client against the real daemon: tables, JSON, exit codes, backups.
import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import tarfile
import threading

import pytest
from conftest import PATIENCE, TORQUED

CTL = os.path.join(os.path.dirname(os.path.realpath(TORQUED)), "torquectl")
CSV = b"t,q\n0,1\n1,2.5\n"

pytestmark = pytest.mark.skipif(not os.path.exists(CTL), reason="torquectl is not built")


def ctl(server, *args, stdin=b"", env=None):
    clean = {k: v for k, v in os.environ.items() if k != "TORQUED_URL"}
    options = ["-s", getattr(server, "url", server)] if server else []
    return subprocess.run([CTL, *options, *args], input=stdin, capture_output=True, timeout=PATIENCE, env={**clean, **(env or {})})


def good(server, *args, **more):
    done = ctl(server, *args, **more)
    assert (done.returncode, done.stderr) == (0, b""), (args, done)
    return done.stdout


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(CSV)
    return str(path)


def test_datasets(daemon, log, tmp_path):
    told = json.loads(good(daemon, "-o", "json", "datasets", "put", "d", log))
    assert told["sha256"] == hashlib.sha256(CSV).hexdigest()
    rows = good(daemon, "datasets", "list").decode().splitlines()
    assert rows[0].split()[:3] == ["name", "rows", "columns"]
    assert next(r for r in rows if r.startswith("d ")).split()[:4] == ["d", "2", "2", str(len(CSV))]
    assert good(daemon, "datasets") == good(daemon, "datasets", "list"), "a noun alone lists"
    described = good(daemon, "datasets", "describe", "d").decode().splitlines()
    assert [line.split() for line in described] == [["name", "min", "max", "mean", "not_finite"],
                                                    ["t", "0.0", "1.0", "0.5", "0"], ["q", "1.0", "2.5", "1.75", "0"]]
    out = tmp_path / "back.csv"
    good(daemon, "datasets", "get", "d", str(out))
    assert out.read_bytes() == CSV == good(daemon, "datasets", "get", "d")
    assert sorted(os.listdir(tmp_path)) == ["back.csv", "log.csv"]
    good(daemon, "datasets", "put", "piped", "-", stdin=CSV)
    good(daemon, "datasets", "delete", "d")
    assert ctl(daemon, "datasets", "get", "d", str(tmp_path / "none")).returncode == 1
    assert not (tmp_path / "none").exists() and not (tmp_path / "none.part").exists()


def test_robots_and_status(daemon):
    assert b"torqued" in good(daemon, "status")
    rows = good(daemon, "robots", "list").decode().splitlines()
    assert any(row.split()[0] == "panda" for row in rows)
    assert json.loads(good(daemon, "-o", "json", "robots", "get", "panda"))["name"] == "panda"
    done = ctl(daemon, "robots", "delete", "panda")
    assert done.returncode == 1 and b"409" in done.stderr and b"built in" in done.stderr


def test_jobs(daemon):
    dof = next(r["nv"] for r in json.loads(daemon.request("GET", "/v1/robots")[2])["robots"] if r["name"] == "panda")
    row = [0.1] * dof
    body = json.dumps({"q": [row] * 10, "qd": [row] * 10, "qdd": [row] * 10})
    status, headers, told = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body,
                                        {"Content-Type": "application/json", "Prefer": "respond-async"})
    assert status == 202, told
    job = headers["Location"].rsplit("/", 1)[1]
    assert b"succeeded" in good(daemon, "jobs", "wait", job)
    assert any(line.startswith(job) for line in good(daemon, "jobs").decode().splitlines())
    assert len(json.loads(good(daemon, "jobs", "result", job))["tau"]) == 10
    assert good(daemon, "jobs", "request", job).decode() == body
    good(daemon, "jobs", "delete", job)
    assert ctl(daemon, "jobs", "get", job).returncode == 1


@pytest.mark.parametrize("args", [(), ("nothing",), ("datasets", "put", "x"), ("robots", "fly"), ("-o", "xml", "status"),
                                  ("--timeout", "x", "status"), ("--no-such-option",), ("robots", "get", "a/b")])
def test_usage(daemon, args):
    assert ctl(daemon, *args).returncode == 2


def answering(reply):
    """A server that gives every connection the same bytes."""
    s = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                one, _ = s.accept()
            except OSError:
                return
            with one:
                one.recv(65536)
                if reply is None:
                    threading.Event().wait(PATIENCE)
                else:
                    one.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return s, f"http://127.0.0.1:{s.getsockname()[1]}"


def http_reply(status, document):
    body = json.dumps(document).encode()
    return b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


@pytest.mark.parametrize("reply, args, status", [
    (http_reply(401, {"title": "Credentials are needed"}), ("robots",), 4),
    (http_reply(403, {"title": "no"}), ("robots",), 4),
    (http_reply(500, {"title": "no"}), ("robots",), 1),
    (http_reply(200, {"id": "x", "state": "failed"}), ("jobs", "wait", "x"), 5),
    (http_reply(200, {"id": "x", "state": "cancelled"}), ("jobs", "wait", "x"), 5),
    (http_reply(200, {"id": "x", "state": "running"}), ("--timeout", "1", "jobs", "wait", "x"), 6),
    (None, ("--timeout", "1", "robots"), 6),
])
def test_exit_status(reply, args, status):
    server, url = answering(reply)
    with server:
        assert ctl(url, *args).returncode == status


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as s:
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
    done = ctl(url, "robots")
    assert done.returncode == 1 and done.stderr


def test_unix_socket_and_environment(start, tmp_path):
    path = str(tmp_path / "t.sock")
    start(listen=f"unix:{path}")
    assert b"torqued" in good(f"unix:{path}", "status")
    assert b"torqued" in good(None, "status", env={"TORQUED_URL": f"unix:{path}"})


def test_token_is_sent_from_a_file(tmp_path):
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as s:
        def serve():
            one, _ = s.accept()
            with one:
                heard.append(one.recv(65536))
                one.sendall(http_reply(200, {"robots": []}))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        token = tmp_path / "token"
        token.write_text("s3cret\n")
        good(f"http://127.0.0.1:{s.getsockname()[1]}", "--token-file", str(token), "robots")
        thread.join(PATIENCE)
    assert b"Authorization: Bearer s3cret\r\n" in heard[0]


def test_backup_is_restorable_while_the_service_runs(start, tmp_path):
    daemon = start()
    bodies = {f"d{i}": b"x\n" + b"%d.5\n" % i * 1000 * (i + 1) for i in range(5)}
    for name, body in bodies.items():
        good(daemon, "datasets", "put", name, "-", stdin=body)
    stop = threading.Event()

    def churn():  # what comes and goes meanwhile may be in the backup or not
        i = 0
        while not stop.is_set():
            i += 1
            daemon.request("PUT", f"/v1/datasets/churn{i % 3}", b"%d\n" % i)

    thread = threading.Thread(target=churn)
    thread.start()
    path = tmp_path / "backup.tar"
    try:
        for _ in range(5):
            good(daemon, "backup", str(path))
            assert b"good" in good(None, "verify", str(path))
    finally:
        stop.set()
        thread.join()
    state = tmp_path / "restored"
    with tarfile.open(path) as archive:
        archive.extractall(state)  # our own archive; Debian 12's Python knows no filter yet
    with sqlite3.connect(state / "torqued.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    again = start(state=str(state))
    for name, body in bodies.items():
        assert good(again, "datasets", "get", name) == body
    for row in json.loads(again.request("GET", "/v1/datasets")[2])["datasets"]:
        body = again.request("GET", f"/v1/datasets/{row['name']}/content")[2]
        assert hashlib.sha256(body).hexdigest() == row["sha256"]


def test_verify_finds_every_kind_of_damage(daemon, tmp_path):
    good(daemon, "datasets", "put", "v", "-", stdin=CSV * 100)
    path = tmp_path / "backup.tar"
    good(daemon, "backup", str(path))
    whole = path.read_bytes()
    at = whole.index(b"0,1\n1,2.5\nt,q")
    db = whole.index(b"SQLite format 3")
    damaged = {
        "a changed byte of a file": whole[:at] + b"9" + whole[at + 1:],
        "a changed byte of the database": whole[:db + 5000] + bytes([whole[db + 5000] ^ 1]) + whole[db + 5001:],
        "cut in the middle": whole[:len(whole) // 2],
        "cut at a block": whole[:len(whole) // 2 // 512 * 512],
        "without its end": whole[:-1024],
        "a changed header": whole[:512 - 512 + 3] + b"X" + whole[4:],
        "something else": CSV,
        "nothing": b"",
    }
    for what, data in damaged.items():
        bad = tmp_path / "bad.tar"
        bad.write_bytes(data)
        done = ctl(None, "verify", str(bad))
        assert done.returncode == 1 and done.stderr, what
    assert ctl(None, "verify", str(tmp_path / "none")).returncode == 1
    assert ctl(None, "verify", str(path)).returncode == 0
