# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_move.py - a store from SQLite to PostgreSQL and back: the same bytes of everything, the same rows.
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest
import test_cluster
from test_cluster import ASYNC, SIMULATE, cluster, conftest, pytestmark, single  # noqa: F401

sys.path.insert(0, str(pathlib.Path(conftest.__file__).parents[1] / "system"))
from test_restore_drill import TORQUECTL, everything as everything_with_ids  # noqa: E402

SHORT = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 20, "output": {"interval_s": 0.002}}).encode()


def everything(daemon):
    """Without the request's id in what a failed job answers."""
    return {key: got if got[0] == 200 else got[0] for key, got in everything_with_ids(daemon).items()}


def fill(home):
    """Robots in several versions, datasets in a row and in chunks, jobs of which one keeps an input, results in rows and files."""
    for links in (3, 4):
        home.request("PUT", "/v1/robots/arm", single.test_robots.urdf(links))
    home.request("PUT", "/v1/robots/gone", single.test_robots.urdf(2))
    home.request("DELETE", "/v1/robots/gone")
    rows = {"small": b"t,q\n0,1\n1,2\n", "large": b"t,q\n" + b"".join(b"%d,%d\n" % (k, k * k % 97) for k in range(300_000))}
    for name, data in rows.items():
        assert home.request("PUT", f"/v1/datasets/{name}", data, {"Content-Type": "text/csv"})[0] == 201
    asked = [(SIMULATE, SHORT), (test_cluster.PATH, single.body(3, 1)), (test_cluster.PATH, single.body(900, 2)),
             ("/v1/compare", json.dumps({"a": "small", "b": "large"}).encode()),
             (SIMULATE, json.dumps({"initial": {"q": [0, 0]}, "duration_s": 1e6, "output": {"interval_s": 1e6}, "solver": {"method": "rk4", "step_s": 1}, "tau": [1e300, 0]}).encode())]
    jobs = []
    for k, (path, data) in enumerate(asked):
        status, _, text = home.request("POST", path, data, {**ASYNC, "Idempotency-Key": f"key-{k}"})
        if status == 202:
            jobs.append(json.loads(text)["id"])
    for job in jobs:
        home.ended(job)
    assert len(jobs) >= 3
    home.request("DELETE", f"/v1/jobs/{jobs[1]}")  # events that are gone, and numbers that are not used again
    return asked


def events(home):
    return {job["id"]: home.request("GET", f"/v1/jobs/{job['id']}/events")[2] for job in home.json("/v1/jobs?limit=200")["jobs"]}


def backup(home, archive):
    for command in (["backup", str(archive)], ["verify", str(archive)]):
        done = subprocess.run([TORQUECTL, "-s", f"http://127.0.0.1:{home.port}", *command], capture_output=True, text=True, timeout=conftest.PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
    folder = archive.with_suffix("")
    folder.mkdir(mode=0o700)
    subprocess.run(["tar", "-C", folder, "-xf", archive], check=True, timeout=conftest.PATIENCE)
    return folder


def rows_of(folder):
    with sqlite3.connect(f"file:{folder}/torqued.db?immutable=1", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        found = {name: sorted(database.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables if name not in ("garbage", "identity")}
        found["identity"] = database.execute("SELECT id FROM identity").fetchall()
        found["events"] = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'job_event'").fetchall()
    return found


def run(*words):
    return subprocess.run([conftest.TORQUED, *words], capture_output=True, text=True, timeout=conftest.PATIENCE, check=False)


@pytest.mark.seconds(240)
def test_to_postgresql_and_back(cluster, tmp_path):  # noqa: F811
    alone = single.House({"node": "alone"})
    alone.start()
    asked = fill(alone)
    before, told = everything(alone.daemon), events(alone)
    assert {got if isinstance(got, int) else got[0] for got in before.values()} <= {200, 409}
    folder = backup(alone, tmp_path / "sqlite.tar")
    alone.close()

    home = cluster(2, started=False)
    first, second = home.nodes
    words = ["--store", home.store, "--state-dir", first.state, "--restore"]
    done = run(*words, str(tmp_path))
    assert done.returncode == 1 and "torqued.db" in done.stderr
    copy = tmp_path / "damaged"
    shutil.copytree(folder, copy)
    victim = next(p for p in (copy / "files").rglob("*") if p.is_file() and p.stat().st_size > 1 << 20)
    with open(victim, "r+b") as f:
        f.seek(1000)
        f.write(b"?")
    done = run(*words, str(copy))
    assert done.returncode == 1 and victim.name in done.stderr, done.stderr
    assert home.postgres.query(f"SELECT count(*) FROM {home.schema}.job") == "0", "all rows or none"
    done = run(*words, str(folder))
    assert done.returncode == 0, done.stderr
    done = run(*words, str(folder))
    assert done.returncode == 1 and "not empty" in done.stderr, done.stderr

    for node in home.nodes:
        node.start()
        assert everything(node.daemon) == before
        assert events(node) == told
    again = backup(second, tmp_path / "postgresql.tar")
    assert rows_of(again) == rows_of(folder)
    # keys, numbers and files go on
    status, _, text = first.request("POST", asked[0][0], asked[0][1], {**ASYNC, "Idempotency-Key": "key-0"})
    assert (status, json.loads(text)["id"]) == (200, min(told, key=lambda j: first.json(f"/v1/jobs/{j}")["created"])) or status == 202
    more = json.loads(first.request("POST", test_cluster.PATH, single.body(900, 7), ASYNC)[2])["id"]
    assert home.ended(more)["state"] == "succeeded"
    after, told = everything(first.daemon), events(first)
    folder = backup(first, tmp_path / "later.tar")

    back = single.House({"node": "alone"})
    shutil.copytree(folder, back.state)
    os.chmod(back.state, 0o700)
    checked = run("--check-store", "--state-dir", back.state)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    back.start()
    assert everything(back.daemon) == after and events(back) == told
    last = json.loads(back.request("POST", test_cluster.PATH, single.body(2, 3), ASYNC)[2])["id"]
    assert back.ended(last)["state"] == "succeeded" and single.states_of(back, last) == ["queued", "running", "succeeded"]
    back.close()
