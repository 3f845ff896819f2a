# SPDX-License-Identifier: Apache-2.0
# tests/system/test_store_damage.py - a database lost, emptied, put back older, or damaged: nothing is deleted, nothing wrong is told.
import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contract"))
import conftest  # noqa: E402

PATIENCE = conftest.PATIENCE


def recording(k, rows=200):
    return b"t,q\n" + b"".join(b"%d,%d.5\n" % (i, (i * 7 + k) % 90) for i in range(rows))


def sha(data):
    return hashlib.sha256(data).hexdigest()


def put(daemon, name, data):
    assert daemon.request("PUT", f"/v1/datasets/{name}", data)[0] in (200, 201)


def get(daemon, name):
    return daemon.request("GET", f"/v1/datasets/{name}/content")


def kill(daemon):
    daemon.closed = True
    daemon.process.kill()
    daemon.process.wait()


def metric(daemon, name):
    for line in daemon.request("GET", "/metrics")[2].decode().splitlines():
        if line.startswith(f"torqued_{name} "):
            return int(line.split()[1])
    raise AssertionError(f"no metric {name}")


def logged(daemon, event):
    return [line for line in (json.loads(x[3:]) for x in daemon.log if x.startswith("<")) if line["event"] == event]


def refused(state, *args):
    """What torqued says that does not start."""
    done = subprocess.run([conftest.TORQUED, "--listen", "127.0.0.1:0", "--state-dir", str(state), *args], timeout=PATIENCE,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return "".join(line for line in done.stderr.splitlines(True) if not conftest.is_log_line(line.rstrip("\n")))


def files_of(state):
    return sorted(p.name for p in (state / "files").glob("??/*"))


def lost_of(state):
    return sorted(p.name for p in (state / "files" / "lost").glob("*"))


def drop_database(state):
    for name in ("torqued.db", "torqued.db-wal", "torqued.db-shm"):
        (state / name).unlink(missing_ok=True)


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.mark.parametrize("how", ["missing", "empty", "without tables", "missing after kill", "missing with its mark"])
def test_a_lost_database_deletes_nothing(start, state, how):
    daemon = start(state=str(state))
    data = [recording(k) for k in range(4)]
    for k, d in enumerate(data):
        put(daemon, f"d{k}", d)
    if "kill" in how:
        kill(daemon)
    else:
        daemon.stop()
    drop_database(state)
    if how == "empty":
        (state / "torqued.db").write_bytes(b"")
    elif how == "without tables":
        subprocess.run([sys.executable, "-c", "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]);"
                        "d.execute('PRAGMA journal_mode=WAL'); d.execute('VACUUM')", str(state / "torqued.db")], check=True)
    elif how == "missing with its mark":
        (state / "torqued.commit").unlink()
    for _ in range(2):  # and again: the refusal itself has made nothing that would do for a database
        said = refused(state)
        assert "--adopt" in said and "torqued.db" in said and said.count("\n") == 1, said
        assert files_of(state) == sorted(sha(d) for d in data)
    daemon = start(state=str(state), args=("--adopt",))
    conftest.eventually(lambda: metric(daemon, "store_files_lost") == 4)
    conftest.eventually(lambda: logged(daemon, "files without a row moved to files/lost"))
    assert lost_of(state) == sorted(sha(d) for d in data) and files_of(state) == []
    for k, d in enumerate(data):  # the documented way back: put it again, under its name
        assert sha((state / "files" / "lost" / sha(d)).read_bytes()) == sha(d)
        put(daemon, f"d{k}", (state / "files" / "lost" / sha(d)).read_bytes())
        assert get(daemon, f"d{k}")[2] == d
    daemon.stop()
    start(state=str(state)).stop()  # --adopt is for once


def test_an_empty_folder_and_a_restored_backup_are_no_loss(start, state, tmp_path):
    daemon = start(state=str(state))
    assert metric(daemon, "store_files_lost") == metric(daemon, "store_commits_missing") == 0
    put(daemon, "a", recording(1))
    daemon.stop()
    again = tmp_path / "again"  # as the man page says: database and files, into an empty folder
    again.mkdir(mode=0o700)
    shutil.copy(state / "torqued.db", again)
    shutil.copytree(state / "files", again / "files")
    daemon = start(state=str(again))
    assert get(daemon, "a")[2] == recording(1)
    assert metric(daemon, "store_commits_missing") == 0
    assert not [line for line in daemon.log if '"level":"warning"' in line or '"level":"error"' in line]


def test_an_older_database_is_noticed_and_newer_files_are_kept(start, state, tmp_path):
    daemon = start(state=str(state))
    put(daemon, "old", recording(1))
    daemon.stop()
    shutil.copy(state / "torqued.db", tmp_path / "older.db")
    daemon = start(state=str(state))
    for k in range(3):
        put(daemon, f"new{k}", recording(10 + k))
    daemon.request("DELETE", "/v1/datasets/old")
    put(daemon, "old", recording(1))  # in the older database it is garbage, once it is deleted there
    daemon.stop()
    newer = tmp_path / "newer.db"
    shutil.move(state / "torqued.db", newer)
    shutil.copy(tmp_path / "older.db", state / "torqued.db")

    daemon = start(state=str(state))
    said, = logged(daemon, "acknowledged work is missing")
    assert said["level"] == "error" and "older copy" in said["detail"]
    assert metric(daemon, "store_commits_missing") >= 5
    conftest.eventually(lambda: metric(daemon, "store_files_lost") == 3)
    assert lost_of(state) == sorted(sha(recording(10 + k)) for k in range(3))
    assert get(daemon, "old")[2] == recording(1)
    daemon.stop()

    shutil.copy(newer, state / "torqued.db")  # the right one is put back: its files come back by themselves
    daemon = start(state=str(state))
    for k in range(3):
        assert get(daemon, f"new{k}")[2] == recording(10 + k)
    assert lost_of(state) == [] and metric(daemon, "store_files_lost") == 0


def test_a_damaged_journal_is_noticed(start, state):
    daemon = start(state=str(state))
    for k in range(12):
        put(daemon, f"d{k}", recording(k))
    kill(daemon)
    wal = bytearray((state / "torqued.db-wal").read_bytes())
    at = len(wal) * 2 // 3
    wal[at] ^= 4
    (state / "torqued.db-wal").write_bytes(wal)
    daemon = start(state=str(state))
    assert logged(daemon, "acknowledged work is missing")
    lost = metric(daemon, "store_commits_missing")
    assert lost > 0
    for k in range(12):
        status, _, got = get(daemon, f"d{k}")
        assert status == 404 or got == recording(k)
    conftest.eventually(lambda: lost_of(state))
    assert sorted(lost_of(state) + files_of(state)) == sorted(sha(recording(k)) for k in range(12))
    daemon.stop()
    daemon = start(state=str(state))
    assert metric(daemon, "store_commits_missing") == 0


def test_lost_files_go_after_their_time(start, state):
    daemon = start({"jobs_keep": 1000}, state=str(state))
    put(daemon, "a", recording(1))
    daemon.stop()
    drop_database(state)
    daemon = start({"jobs_keep": 1000000}, state=str(state), args=("--adopt",))
    conftest.eventually(lambda: lost_of(state) == [sha(recording(1))])
    daemon.stop()
    assert lost_of(state) == [sha(recording(1))]


@pytest.mark.parametrize("before", [0o755, 0o700])
def test_the_state_is_of_its_owner_only(start, state, before):
    state.mkdir()
    state.chmod(before)
    mask = os.umask(0o022)
    try:
        daemon = start(state=str(state))
    finally:
        os.umask(mask)
    put(daemon, "a", recording(1))
    assert state.stat().st_mode & 0o77 == 0
    for path in state.rglob("*"):
        assert path.stat().st_mode & 0o77 == 0, path
    assert bool(logged(daemon, "others could read the state folder")) == (before == 0o755)
