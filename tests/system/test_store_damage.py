# SPDX-License-Identifier: Apache-2.0
# tests/system/test_store_damage.py - a database lost, emptied, put back older, or damaged: nothing is deleted, nothing wrong is answered.
import collections
import contextlib
import datetime
import hashlib
import http.client
import io
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile

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
    return [line for line in (json.loads(x) for x in daemon.log if x.startswith("{")) if line["event"] == event]


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
    # a file that is renamed between the two listings is in neither: the union is waited for
    expected = sorted(sha(recording(k)) for k in range(12))
    conftest.eventually(lambda: lost_of(state) and sorted(lost_of(state) + files_of(state)) == expected)
    daemon.stop()
    daemon = start(state=str(state))
    assert metric(daemon, "store_commits_missing") == 0


def test_lost_files_stay_over_restarts(start, state):
    daemon = start(state=str(state))
    put(daemon, "a", recording(1))
    daemon.stop()
    drop_database(state)
    daemon = start(state=str(state), args=("--adopt",))
    conftest.eventually(lambda: lost_of(state) == [sha(recording(1))])
    daemon.stop()
    start(state=str(state)).stop()
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


# ------------------------------------------------------------------------------------------------- damaged bytes

def path_of(state, data):
    return state / "files" / sha(data)[:2] / sha(data)


def flip(path, at, bit=0):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ (1 << bit)]))


def cut(path, size):
    os.truncate(path, size)


SMALL, LARGE = recording(1), recording(2, 40000)  # one chunk of 64 KiB; several
DAMAGES = {
    "a bit in a small file": (SMALL, lambda path: flip(path, 99)),
    "a bit in the first chunk": (LARGE, lambda path: flip(path, 1000)),
    "the last bit": (LARGE, lambda path: flip(path, len(LARGE) - 1, 7)),
    "cut to half": (LARGE, lambda path: cut(path, len(LARGE) // 2)),
    "cut at a chunk": (LARGE, lambda path: cut(path, 2 << 16)),
    "cut by a byte": (SMALL, lambda path: cut(path, len(SMALL) - 1)),
    "cut to nothing": (LARGE, lambda path: cut(path, 0)),
    "a small one cut to nothing": (SMALL, lambda path: cut(path, 0)),
    "grown": (LARGE, lambda path: path.write_bytes(path.read_bytes() + b"9,9\n")),
    "gone": (LARGE, lambda path: path.unlink()),
}


def got_whole(daemon, path, headers=None):
    """What a client takes for the whole body; None when the connection ended before its end or it was refused."""
    try:
        status, headers, body = daemon.request("GET", path, None, headers)
    except (OSError, http.client.HTTPException):
        return None
    if status == 503:
        document = json.loads(body)
        assert document["type"] == "/problems/damaged" and "backup" in document["detail"], document
        return None
    assert status in (200, 206), status
    return body


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_file_is_refused_and_named(start, state, what):
    data, harm = DAMAGES[what]
    daemon = start(state=str(state))
    put(daemon, "d", data)
    put(daemon, "good", LARGE[:-4])
    harm(path_of(state, data))
    assert got_whole(daemon, "/v1/datasets/d/content") is None
    assert got_whole(daemon, "/v1/datasets/d?points=9") is None
    assert json.loads(daemon.request("GET", "/v1/datasets/d?points=9")[2])["type"] == "/problems/damaged"
    status, _, body = daemon.request("GET", "/v1/datasets/d/content")  # it is known now: at once
    document = json.loads(body)
    assert status == 503 and "dataset \"d\"" in document["errors"][0]["detail"], document
    status, _, body = daemon.request("POST", "/v1/compare", json.dumps({"a": {"dataset": "d"}, "b": {"dataset": "d"}}),
                                     {"Content-Type": "application/json"})
    assert status == 503 and json.loads(body)["type"] == "/problems/damaged", body
    assert metric(daemon, "store_files_damaged") == 1
    said, = logged(daemon, "a stored file is damaged")
    assert said["level"] == "error" and sha(data) in said["detail"]
    assert got_whole(daemon, "/v1/datasets/good/content") == LARGE[:-4]
    put(daemon, "d", data)  # and it heals
    assert got_whole(daemon, "/v1/datasets/d/content") == data
    daemon.stop()
    daemon = start(state=str(state))
    assert got_whole(daemon, "/v1/datasets/d/content") == data and metric(daemon, "store_files_damaged") == 0


def test_damage_after_the_sent_part_cuts_the_answer(start, state):
    data = recording(3, 400000)
    daemon = start(state=str(state))
    put(daemon, "d", data)
    flip(path_of(state, data), len(data) - 9)
    with daemon.socket() as s:
        s.sendall(b"GET /v1/datasets/d/content HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got, closed = conftest.read_all(s, least=1, silence=conftest.PATIENCE)
    head, _, body = got.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200") and closed and f"Content-Length: {len(data)}".encode() in head
    assert 0 < len(body) < len(data) and data.startswith(body)
    part = f"bytes={len(data) - 20}-"
    assert got_whole(daemon, "/v1/datasets/d/content", {"Range": part}) is None


def test_sums_are_a_cache(start, state):
    daemon = start(state=str(state))
    put(daemon, "d", LARGE)
    sums = state / "files" / "sums" / sha(LARGE)
    for harm in (lambda: sums.unlink(), lambda: flip(sums, 9), lambda: cut(sums, 8), lambda: cut(sums, 0)):
        harm()
        assert got_whole(daemon, "/v1/datasets/d/content") == LARGE
        assert sums.stat().st_size == 8 * -(-len(LARGE) // (1 << 16))
    assert metric(daemon, "store_files_damaged") == 0
    daemon.request("DELETE", "/v1/datasets/d")
    conftest.eventually(lambda: not sums.exists())


def test_sums_that_find_no_room_are_done_without(start, state):
    daemon = start(state=str(state))
    put(daemon, "d", LARGE)
    shutil.rmtree(state / "files" / "sums")
    (state / "files" / "sums").write_bytes(b"")  # a folder that takes no file, as a full disk
    assert got_whole(daemon, "/v1/datasets/d/content") == LARGE
    assert got_whole(daemon, "/v1/datasets/d/content", {"Range": "bytes=70000-70009"}) == LARGE[70000:70010]
    flip(path_of(state, LARGE), 70000)
    assert got_whole(daemon, "/v1/datasets/d/content", {"Range": "bytes=70000-70009"}) is None
    (state / "files" / "sums").unlink()
    (state / "files" / "sums").mkdir()


def test_a_damaged_result_or_request_is_refused(start, state):
    q = [[0.001 * k] * 7 for k in range(6000)]
    body = json.dumps({"q": q, "qd": q, "qdd": q})
    daemon = start(state=str(state))
    headers = {"Prefer": "respond-async", "Content-Type": "application/json"}
    job = json.loads(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, headers)[2])["id"]
    conftest.eventually(lambda: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "succeeded")
    result = daemon.request("GET", f"/v1/jobs/{job}/result")[2]
    daemon.stop()
    for data, what in ((result, "result"), (body.encode(), "request")):
        flip(path_of(state, data), len(data) // 2)
        daemon = start(state=str(state))
        assert got_whole(daemon, f"/v1/jobs/{job}/{what}") is None
        if what == "result":
            assert got_whole(daemon, f"/v1/jobs/{job}/result", {"Accept": "application/cbor"}) is None
            assert got_whole(daemon, f"/v1/jobs/{job}/result/tau", {"Accept": "text/csv"}) is None
        daemon.stop()


def test_flipped_rows_are_refused(start, state):
    """Every bit of a small result in its row, every eighth of a dataset's row: answered right, or not at all."""
    daemon = start(state=str(state))
    put(daemon, "row", SMALL)
    body = json.dumps({"q": [0.1] * 7, "qd": [0.2] * 7, "qdd": [0.3] * 7})
    headers = {"Prefer": "respond-async", "Content-Type": "application/json"}
    job = json.loads(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, headers)[2])["id"]
    conftest.eventually(lambda: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "succeeded")
    paths = [f"/v1/jobs/{job}/result", f"/v1/jobs/{job}/request", "/v1/datasets/row"]
    right = {path: daemon.request("GET", path)[2] for path in paths}
    daemon.stop()
    database = state / "torqued.db"
    whole = database.read_bytes()
    places = [whole.index(right[paths[0]]) + k for k in (0, 100, 200)]
    places += [whole.index(body.encode()) + 30, whole.index(b"text/csv", whole.index(sha(SMALL).encode())) + 3]
    served = 0
    for at in places:
        database.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        daemon = start(state=str(state))
        for path in paths:
            got = got_whole(daemon, path)
            assert got is None or got == right[path], path
            served += got is not None
        daemon.stop()
    assert served == 2 * len(places)  # what is not damaged is answered


def ctl(daemon, *args):
    where = ["-s", daemon.url] if daemon else []
    return subprocess.run([str(pathlib.Path(conftest.TORQUED).parent / "torquectl"), *where, *args], capture_output=True, text=True,
                          timeout=PATIENCE)


@pytest.mark.parametrize("what", ["gone", "cut to half", "the last bit"])
def test_a_backup_without_a_file_is_no_good(start, state, tmp_path, what):
    data, harm = DAMAGES[what]
    daemon = start(state=str(state))
    put(daemon, "d", data)
    put(daemon, "other", SMALL)
    path = tmp_path / "b.tar"
    mask = os.umask(0o022)
    try:
        done = ctl(daemon, "backup", str(path))
        assert done.returncode == 0 and path.stat().st_mode & 0o777 == 0o600, done.stderr
        assert ctl(None, "verify", str(path)).returncode == 0
    finally:
        os.umask(mask)
    harm(path_of(state, data))
    done = ctl(daemon, "backup", str(path))
    assert done.returncode == 1 and "is written, but" in done.stderr and sha(data) in done.stderr, done.stderr
    done = ctl(None, "verify", str(path))
    assert done.returncode == 1 and sha(data) in done.stderr
    with tarfile.open(path) as archive:
        assert f"files/{sha(SMALL)[:2]}/{sha(SMALL)}" in archive.getnames()


def test_verify_holds_an_older_archive_against_its_database(start, state, tmp_path):
    """An archive as former versions made it of such a store: sound in itself, and without a file that its database needs."""
    daemon = start(state=str(state))
    put(daemon, "d", LARGE)
    path = tmp_path / "b.tar"
    assert ctl(daemon, "backup", str(path)).returncode == 0
    with tarfile.open(path) as archive:
        members = {m.name: archive.extractfile(m).read() for m in archive.getmembers()}
    manifest = json.loads(members.pop("manifest.json"))
    manifest["files"] = [f for f in manifest["files"] if f["name"] == "torqued.db"]
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in (("manifest.json", json.dumps(manifest).encode()), ("torqued.db", members["torqued.db"])):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    done = ctl(None, "verify", str(path))
    assert done.returncode == 1 and sha(LARGE) in done.stderr, (done.stdout, done.stderr)


# ------------------------------------------------------------------------------------------------- looked for

def check_store(state):
    done = subprocess.run([conftest.TORQUED, "--check-store", "--state-dir", str(state)], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout + done.stderr


def test_damage_is_found_before_it_is_needed(start, state):
    daemon = start({"scrub": 200}, state=str(state))
    put(daemon, "d", LARGE)
    conftest.eventually(lambda: logged(daemon, "stored files checked"))
    assert metric(daemon, "store_files_damaged") == 0
    flip(path_of(state, LARGE), len(LARGE) // 2)
    conftest.eventually(lambda: metric(daemon, "store_files_damaged") == 1)
    assert sha(LARGE) in logged(daemon, "a stored file is damaged")[0]["detail"]


def test_check_store(start, state):
    daemon = start(state=str(state))
    put(daemon, "d", LARGE)
    put(daemon, "e", SMALL)
    status, said = check_store(state)
    assert status == 1 and "in use" in said
    daemon.stop()
    shutil.copy(state / "torqued.db", str(state) + ".older")
    status, said = check_store(state)
    assert status == 0 and "2 files" in said and "0 damaged" in said, said
    flip(path_of(state, LARGE), 70000)
    status, said = check_store(state)
    assert status == 1 and "1 damaged" in said and sha(LARGE) in said, said
    flip(path_of(state, LARGE), 70000)
    daemon = start(state=str(state))
    put(daemon, "f", recording(7))
    daemon.stop()
    shutil.copy(str(state) + ".older", state / "torqued.db")
    for _ in range(2):  # to look changes nothing
        status, said = check_store(state)
        assert status == 1 and "acknowledged work is missing" in said, said
    daemon = start(state=str(state))
    assert logged(daemon, "acknowledged work is missing")
    conftest.eventually(lambda: lost_of(state))
    daemon.stop()
    status, said = check_store(state)
    assert status == 0 and f"lost: files/lost/{sha(recording(7))}" in said, said


SEED, STORES = 20261123, int(os.environ.get("STORES", "100"))


def damage(state, chance, older):
    """One damage at random; what it was."""
    files = sorted((state / "files").glob("??/*"))
    some = [p for p in (state / "torqued.db", state / "torqued.db", state / "torqued.db-wal", chance.choice(files), chance.choice(files),
                        *(state / "files" / "sums").glob("*"), state / "torqued.commit") if p.exists() and p.stat().st_size > 0]
    how = chance.choice(["flip"] * 6 + ["cut"] * 2 + ["zeros", "gone", "empty", "older"])
    if how == "older":
        drop_database(state)
        shutil.copy(older, state / "torqued.db")
        return how
    path = chance.choice(some)
    size = path.stat().st_size
    if how == "flip":
        flip(path, chance.randrange(size), chance.randrange(8))
    elif how == "cut":
        cut(path, size - min(size, chance.choice([1, 100, 4096, size // 2])))
    elif how == "zeros":
        at = chance.randrange(size)
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(bytes(min(512, size - at)))
    elif how == "gone":
        path.unlink()
    else:
        cut(path, 0)
    return f"{how} {path.name[:16]}"


@pytest.mark.seconds(max(120, 2 * STORES))
def test_damaged_at_random(state, tmp_path):
    """One damage in each of 100 stores: refused, or answered right, or answered as missing or damaged; no recording is ever deleted."""
    whole, chance = tmp_path / "whole", random.Random(SEED)
    daemon = conftest.Daemon(state=str(whole))
    right, older = {}, tmp_path / "older.db"
    for k in range(6):
        put(daemon, f"d{k}", recording(k, 100 + 9000 * (k % 2)))
        if k == 3:
            daemon.stop()
            shutil.copy(whole / "torqued.db", older)
            daemon = conftest.Daemon(state=str(whole))
    headers = {"Prefer": "respond-async", "Content-Type": "application/json"}
    for k in range(4):
        q = [[0.1 * k + 0.001 * i] * 7 for i in range(1 + 1500 * (k % 2))]
        job = json.loads(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps({"q": q, "qd": q, "qdd": q}), headers)[2])["id"]
        conftest.eventually(lambda job=job: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "succeeded")
        right[f"/v1/jobs/{job}/result"] = right[f"/v1/jobs/{job}/request"] = None
    for k in range(6):
        right[f"/v1/datasets/d{k}/content"] = right[f"/v1/datasets/d{k}"] = None
    right = {path: daemon.request("GET", path)[2] for path in right}
    kill(daemon)  # its journal is not yet in the database
    stopped = tmp_path / "stopped"
    shutil.copytree(whole, stopped)
    conftest.Daemon(state=str(stopped)).stop()
    recordings = {p.name: p.stat().st_size for p in (whole / "files").glob("??/*")}
    wrong, outcomes = [], collections.Counter()
    for n in range(STORES):
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree((whole, stopped)[n % 2], state)
        what = damage(state, chance, older)
        harmed = {p.name for p in (state / "files").glob("??/*")}
        try:
            daemon = conftest.Daemon(state=str(state))
            starts = hasattr(daemon, "address")
        except AssertionError as said:
            assert "torqued: " in str(said), (n, what, str(said))
            starts = False
        outcomes["refused"] += not starts
        if starts:
            for path, good in right.items():
                try:
                    status, _, got = daemon.request("GET", path)
                except (OSError, http.client.HTTPException):
                    status, got = 503, b""
                outcomes[status] += 1
                if (status == 200 and got != good) or status not in (200, 404, 409, 503):
                    wrong.append((n, what, path, status))
                elif status in (404, 409) and metric(daemon, "store_commits_missing") == 0:
                    wrong.append((n, what, path, "missing, and nothing said so"))
            daemon.stop()
        for name in harmed:  # wherever it is now
            if not (state / "files" / name[:2] / name).exists() and not (state / "files" / "lost" / name).exists():
                wrong.append((n, what, name, "deleted"))
    print(dict(outcomes), len(recordings), "recordings")
    assert not wrong, wrong
    assert outcomes["refused"] > 0 and outcomes[503] > 0 and outcomes[200] > STORES


# ------------------------------------------------------------------------------------------------- former stores

def test_a_store_of_a_former_release_steps_forward(start, state):
    state.mkdir(mode=0o700)
    old = {"kept": b"t,q\n0,1.5\n1,2.5\n", "other": b"1\n2\n"}
    with contextlib.closing(sqlite3.connect(state / "torqued.db")) as db, db:
        db.executescript((pathlib.Path(__file__).parent / "schema6.sql").read_text())
        db.execute("PRAGMA application_id = 1414612017")
        db.execute("PRAGMA user_version = 6")
        done, = db.execute("SELECT id FROM job").fetchone()
        result, = db.execute("SELECT bytes FROM job_body WHERE what = 1").fetchone()
        # and one that waited when the former release stopped
        db.execute("INSERT INTO job(id, kind, robot, robot_digest, client, priority, tag, created_ms, changed_ms)"
                   " SELECT substr(id, 1, 25) || 'w', kind, robot, robot_digest, client, priority, tag, created_ms, changed_ms FROM job")
        db.execute("INSERT INTO job_body SELECT 2, what, media, size, file, bytes FROM job_body WHERE what = 0")
    for data in old.values():
        path = path_of(state, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    daemon = start(state=str(state))
    assert not logged(daemon, "acknowledged work is missing")
    for name, data in old.items():
        assert get(daemon, name)[2] == data
    for job in (done, done[:25] + "w"):
        conftest.eventually(lambda job=job: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "succeeded")
        assert json.loads(daemon.request("GET", f"/v1/jobs/{job}/result")[2])["tau"] == json.loads(result)["tau"]
        shown = json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])
        expires, finished = (datetime.datetime.fromisoformat(shown[key][:-1]) for key in ("expires", "finished"))
        assert expires - finished == datetime.timedelta(days=30), "kept as long as when it was submitted"
    assert daemon.request("GET", f"/v1/jobs/{done}/result")[2] == result
    assert daemon.request("GET", "/v1/robots/own")[0] == 200
    daemon.stop()
    assert (state / "torqued-schema6.db").exists()
    with contextlib.closing(sqlite3.connect(state / "torqued.db")) as db:
        for table in ("job_body", "dataset", "robot_version"):
            assert db.execute(f"SELECT count(*) FROM {table} WHERE sum IS NULL").fetchone() == (0,), table
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
