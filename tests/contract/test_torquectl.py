# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_torquectl.py - the command line client against the real daemon: tables, JSON, exit codes, backups.
import contextlib
import hashlib
import io
import json
import os
import platform
import pty
import socket
import sqlite3
import subprocess
import tarfile
import threading
import tty
import unicodedata

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


def test_help_of_a_command_with_its_arguments_is_that_of_the_command():
    whole = good(None, "help", "id")
    for words in (["id", "panda", "--help"], ["id", "--help"], ["--help", "id", "panda", "q=[0]"]):
        assert good(None, *words) == whole, words
    assert b"usage: torquectl [OPTION]" in good(None, "--help")
    assert ctl(None, "nonsense", "--help").returncode == 2


def test_datasets(daemon, log, tmp_path):
    answer = json.loads(good(daemon, "-o", "json", "datasets", "put", "d", log))
    assert answer["sha256"] == hashlib.sha256(CSV).hexdigest()
    rows = good(daemon, "datasets", "list").decode().splitlines()
    assert rows[0].split()[:3] == ["name", "rows", "columns"]
    assert next(r for r in rows if r.startswith("d ")).split()[:4] == ["d", "2", "2", str(len(CSV))]
    assert good(daemon, "datasets") == good(daemon, "datasets", "list"), "a noun alone lists"
    described = good(daemon, "datasets", "describe", "d").decode().splitlines()
    assert [line.split() for line in described] == [["#", "name", "min", "max", "mean", "not_finite"],
                                                    ["0", "t", "0.0", "1.0", "0.5", "0"], ["1", "q", "1.0", "2.5", "1.75", "0"]]
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
    status, headers, answer = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body,
                                        {"Content-Type": "application/json", "Prefer": "respond-async"})
    assert status == 202, answer
    job = headers["Location"].rsplit("/", 1)[1]
    assert b"succeeded" in good(daemon, "jobs", "wait", job)
    assert any(line.startswith(job) for line in good(daemon, "jobs").decode().splitlines())
    assert len(json.loads(good(daemon, "jobs", "result", job))["tau"]) == 10
    assert good(daemon, "jobs", "request", job).decode() == body
    good(daemon, "jobs", "delete", job)
    assert ctl(daemon, "jobs", "get", job).returncode == 1


def test_jobs_by_age_and_state(daemon):
    job = daemon.request("POST", "/v1/robots/planar-2r/inverse-dynamics", b'{"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}',
                         {"Prefer": "respond-async"})[1]["Location"].rsplit("/", 1)[1]
    good(daemon, "jobs", "wait", job)
    assert good(daemon, "jobs", "list", "--state", "succeeded", "--newer-than", "1h").decode().splitlines()[1].startswith(job)
    assert job not in good(daemon, "jobs", "list", "--older-than", "1h").decode()
    counted = ctl(daemon, "jobs", "delete", "--state", "succeeded,failed", "--newer-than", "1h")
    assert counted.returncode == 1 and b"1 jobs match, 0 deleted" in counted.stdout and b"--yes" in counted.stderr
    assert ctl(daemon, "jobs", "delete", "--yes").returncode == 2
    assert ctl(daemon, "jobs", "delete", "--state", "running", "--yes").returncode == 1
    assert ctl(daemon, "robots", "delete", "x", "--yes").returncode == 2
    assert json.loads(good(daemon, "-o", "json", "jobs", "delete", "--state", "succeeded", "--yes")) == {"matched": 1, "deleted": 1}
    assert ctl(daemon, "jobs", "get", job).returncode == 1


@pytest.mark.parametrize("args", [(), ("nothing",), ("datasets", "put", "x"), ("robots", "fly"), ("-o", "xml", "status"),
                                  ("--timeout", "x", "status"), ("--no-such-option",), ("jobs", "list", "--older-than", "7 d"), ("robots", "get", "a/b")])
def test_usage(daemon, args):
    assert ctl(daemon, *args).returncode == 2


@contextlib.contextmanager
def answering(reply):
    """A server that sends the same bytes on every connection. It has ended at the end of `with`: a thread that still
    accepted could take a connection of a later server with the same descriptor."""
    over = threading.Event()

    def serve():
        with contextlib.suppress(OSError):
            while True:
                one, _ = s.accept()
                with one:
                    one.recv(65536)
                    if reply is None:
                        over.wait(PATIENCE)
                    else:
                        one.sendall(reply)

    with socket.create_server(("127.0.0.1", 0)) as s:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{s.getsockname()[1]}"
        finally:
            over.set()
            s.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE)


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
    with answering(reply) as url:
        assert ctl(url, *args).returncode == status


def test_no_server():
    with socket.create_server(("127.0.0.1", 0)) as s:
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
    done = ctl(url, "robots")
    assert done.returncode == 1 and done.stderr


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="LD_DEBUG is glibc's")
def test_libcurl_is_loaded_by_a_request_alone(daemon):
    """It brings some 30 shared libraries, which took the loader longer than help takes as a whole."""
    for args in (("--help",), ("completion", "bash"), ("no-such-command",), ("--curl", "robots")):
        assert b"libcurl" not in ctl(daemon, *args, env={"LD_DEBUG": "files"}).stderr, args
    assert b"libcurl" in ctl(daemon, "robots", env={"LD_DEBUG": "files"}).stderr


def test_a_request_without_libcurl_is_refused_in_words(daemon, tmp_path):
    for name in ("libcurl-gnutls.so.4", "libcurl.so.4"):
        (tmp_path / name).touch()
    done = ctl(daemon, "robots", env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 1 and b"libcurl" in done.stderr and b"Debian: libcurl3-gnutls" in done.stderr, done


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

    def churn():  # datasets changed during the backup may be in it or not
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
        archive.extractall(state)  # our own archive: no filter needed; Python of Debian 12 has none
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
    mask = os.umask(0o022)
    try:
        good(daemon, "backup", str(path))
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o600, "all that the service knows"
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


# ------------------------------------------------------------------------------------------- output for
# people


def link(name, mass):
    return (f'<link name="{name}"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def joint(k, parent, child):
    return (f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 0.3"/>'
            '<axis xyz="0 0 1"/><limit effort="10" velocity="1" lower="-1" upper="1"/></joint>')


def arm(mass):
    return ('<robot name="r"><gazebo/><link name="base"/>' + link("a", 2) + link("b", mass) + link("c", 2) + joint(1, "base", "a")
            + joint(2, "a", "b") + joint(3, "b", "c") + "</robot>").encode()


def test_findings_of_a_robot_are_said(daemon, tmp_path):
    """1,400 kg with the inertia of 2 kg: a unit error of grams."""
    path = tmp_path / "heavy.urdf"
    path.write_bytes(arm(1400))
    for options, status in ((), 0), (("--strict",), 1):
        done = ctl(daemon, *options, "robots", "put", "heavy", str(path))
        answer = done.stderr.decode().splitlines()
        assert done.returncode == status
        assert [line for line in answer if line.startswith("doctor: link b: ") and "inertia" in line], answer
        assert "ignored: robot/gazebo (line 1): settings of another simulator" in answer
        assert "understood: robot: revolute joints (3)" in answer
        assert b"heavy" in done.stdout and b"nv" in done.stdout
    assert good(daemon, "robots", "get", "heavy"), "it is stored in any case"
    path.write_bytes(arm(2))
    done = ctl(daemon, "--strict", "-o", "json", "robots", "put", "light", str(path))
    assert done.returncode == 0 and json.loads(done.stdout)["doctor"] == [] and b"doctor" not in done.stderr


# characters that control a terminal or hide text
NASTY = {"escape": "\x1b[2J\x1b]0;title\x07", "return": "a\rb\nc\td", "delete": "a\x7fb", "c1": "\x9b2J\x85", "bidi": "\u202egnp.exe\u2066",
         "no width": "a\u200bb\ufeff\u00ad", "line": "a\u2028b", "tag": "\U000e0041x", "fine": "Grösse μ 名前 🤖"}


def is_visible(text):
    return not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") and c != "\n"]


@pytest.mark.parametrize("name", NASTY)
def test_names_reach_the_terminal_as_what_can_be_seen(daemon, tmp_path, name):
    nasty = NASTY[name]
    path = tmp_path / "log.csv"
    path.write_bytes(b't,"' + nasty.replace('"', "").encode() + b'"\n0,1\n1,2\n')
    done = ctl(daemon, "datasets", "put", "nasty", str(path))
    if done.returncode == 0:
        shown = good(daemon, "datasets", "describe", "nasty").decode()
        assert is_visible(shown) and len(shown.splitlines()) == 3, shown
        if name == "fine":
            assert nasty in shown
        assert is_visible(good(daemon, "datasets", "list").decode())
    else:
        assert is_visible(done.stderr.decode()), done.stderr


def served(document, status="200 OK", media="application/json"):
    body = document if isinstance(document, bytes) else json.dumps(document, ensure_ascii=False).encode()
    return answering(f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)


@pytest.mark.parametrize("name", NASTY)
def test_whatever_a_server_says_is_shown_and_not_obeyed(name):
    """Every text of an answer, keys and values, of success and of failure, is shown with control characters
    replaced."""
    nasty = NASTY[name]
    job = {"id": nasty, "kind": nasty, "robot": nasty, "state": nasty, "progress": {"fraction": nasty}, "created": [nasty, {nasty: nasty}]}
    for document, status, args in (({"jobs": [job, job]}, "200 OK", ("jobs", "list")),
                                   ({nasty: nasty, "inner": {nasty: [nasty]}}, "200 OK", ("status",)),
                                   ({"name": nasty, "doctor": [{"where": nasty, "text": nasty, "count": 2}]}, "201 Created", ("robots", "put", "x", "-")),
                                   ({"title": nasty, "detail": nasty}, "404 Not Found", ("jobs", "get", "x"))):
        with served(document, status) as url:
            done = ctl(url, *args)
        said = (done.stdout + done.stderr).decode()
        assert is_visible(said), (args, said)
        assert (nasty in said) == (name == "fine"), (args, said)


def test_what_a_bad_backup_holds_is_shown_and_not_obeyed(tmp_path):
    """A member name of an archive from a server, printed by `backup` and by `verify`."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in (("manifest.json", b'{"torqued-backup":1,"files":[]}'), ("\x1b[2Jnasty", b"abc")):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    path = tmp_path / "bad.tar"
    with served(archive.getvalue(), media="application/x-tar") as url:
        done = ctl(url, "backup", str(path))
    assert done.returncode == 1 and b"nasty" in done.stderr
    assert is_visible(done.stderr.decode()), done.stderr
    assert is_visible(ctl(None, "verify", str(path)).stderr.decode())


@pytest.mark.parametrize("body", [b"\x1b[2J not JSON \x9b \xff\xfe", json.dumps({"a": "\u202e\x7f\x85"}, ensure_ascii=False).encode(),
                                  b"x" * 9000 + "é".encode() * 9000 + b"\x1b" * 9000], ids=("bytes", "json", "long"))
def test_raw_answers_are_raw_in_a_pipe_and_seen_on_a_terminal(body):
    with served(body) as url:
        assert ctl(url, "-o", "json", "status").stdout == body
        master, slave = pty.openpty()
        tty.setraw(slave)
        done = subprocess.Popen([CTL, "-s", url, "-o", "json", "status"], stdout=slave, stderr=subprocess.PIPE)
        os.close(slave)
        said = b""
        with contextlib.suppress(OSError):  # end of the terminal's output
            while piece := os.read(master, 65536):
                said += piece
        os.close(master)
        assert done.wait(PATIENCE) == 0 and done.stderr.read() == b""
        done.stderr.close()
    assert is_visible(said.decode()), said[:200]
    if body.startswith(b"{"):
        assert json.loads(said) == json.loads(body)
    assert said.count("é".encode()) == body.count("é".encode())
    assert said.count(b"\\u001b") == body.count(b"\x1b")


def test_ready_is_an_exit_status(daemon):
    """The health check of a container runs this."""
    assert json.loads(good(daemon, "-o", "json", "ready")) == {"status": "ready"}
    assert ctl("http://127.0.0.1:9", "--retries", "0", "--timeout", "5", "ready").returncode == 1
