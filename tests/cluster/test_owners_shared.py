# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_owners_shared.py - owners, namespaces, traces and what clients keep on PostgreSQL: the tests of SQLite, another node, an older schema.
import importlib.util
import io
import itertools
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tarfile

import pytest
from test_cluster import URI, Postgres, pytestmark  # noqa: F401

CONTRACT = pathlib.Path(__file__).resolve().parents[1] / "contract"
STEPS = CONTRACT.parents[1] / "daemon" / "store" / "postgresql"
_spec = importlib.util.spec_from_file_location("contract_owners", CONTRACT / "test_owners.py")
owners = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(owners)
for _name in ("test_robots", "test_datasets", "test_jobs", "test_a_job_that_runs_is_cancelled_by_its_owner", "test_without_tokens_nobody_owns",
              "test_what_was_nobodys_stays_everybodys", "test_a_job_keeps_its_trace", "test_jobs_that_are_kept", "test_bytes_that_are_kept", "tokens", "state"):
    globals()[_name] = getattr(owners, _name)
sys.modules.setdefault("test_owners", owners)
_spec = importlib.util.spec_from_file_location("contract_namespaces", CONTRACT / "test_namespaces.py")
namespaces = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(namespaces)
for _name in ("test_every_route_answers_as_if_there_were_nothing", "test_names_in_bodies_are_of_the_namespace", "test_a_namespace_is_used_as_the_whole_service",
              "test_events_are_of_the_namespace", "test_an_administrator_enters_any_namespace", "settings"):
    globals()[_name] = getattr(namespaces, _name)
conftest = sys.modules["conftest"]
numbers = itertools.count()


class Schema:
    def __init__(self):
        self.postgres, self.name = Postgres(), f"owners_{os.getpid()}_{next(numbers)}"
        self.postgres.query(f"CREATE SCHEMA {self.name}")
        self.store = f"{URI}&options=-c%20client_min_messages%3Dwarning%20-c%20search_path%3D{self.name}"

    def run(self, text):
        subprocess.run([f"{self.postgres.programs}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "--single-transaction", URI, "-f", "-"], input=f"SET search_path TO {self.name};\n{text}",
                       check=True, capture_output=True, text=True)


@pytest.fixture
def schema():
    one = Schema()
    yield one
    one.postgres.query(f"SET client_min_messages = warning; DROP SCHEMA {one.name} CASCADE")


@pytest.fixture
def start(schema, start):
    """Every daemon of a test has its one store; `node` is the same over restarts."""
    return lambda settings=None, **more: start({"store": schema.store, "node": "north", **(settings or {})}, **more)


def test_another_node_knows_the_owners(start, tokens, tmp_path):  # noqa: F811
    settings = {"credentials": tokens("kept=1")}
    north, south = start(settings), start({**settings, "node": "south"})
    owners.put_robot(north, owners.MINE, "arm", 0.5)
    conftest.eventually(lambda: owners.ask(south, owners.MINE, "GET", "/v1/robots/arm")[0] == 200)
    assert owners.owner_of(south, "robots", "arm") == owners.MINE
    owners.assert_refused(owners.put_robot(south, owners.OTHER, "arm", 0.6), 'robot "arm"')
    assert owners.ask(north, owners.MINE, "DELETE", "/v1/robots/arm")[0] == 204
    assert owners.put_robot(north, owners.OTHER, "arm", 0.5)[0] == 201  # the same bytes, another's
    conftest.eventually(lambda: {row["name"]: row["owner"] for row in owners.fetch(south, "/v1/robots")["robots"]}.get("arm") == owners.OTHER)
    job = owners.submit(north, owners.MINE)
    owners.ended(south, job)
    body = b'{"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}'
    conftest.problem(owners.ask(south, owners.MINE, "POST", owners.SIMULATE, body, Content_Type="application/json", Prefer="respond-async"), 403)


def test_a_store_of_the_former_schema_steps_forward(schema, start, tokens):  # noqa: F811
    """Schema 7, as its release left it: its names are anybody's, and what its clients keep is counted."""
    schema.run("".join(path.read_text() for path in sorted(STEPS.glob("step0[1-7]*.sql"))) + "UPDATE identity SET version = 7;")
    schema.run("""
        INSERT INTO job(id, kind, robot, robot_digest, client, state, priority, tag, waited, created_ms, finished_ms, changed_ms)
          SELECT lpad(k::text, 26, 'a'), 'drive', '', '', 'ann', 2, 0, k, k = 3, tqd_now(), tqd_now(), tqd_now() FROM generate_series(1, 3) k;
        INSERT INTO job_body(job, what, media, size, bytes) SELECT seq, 0, 'application/json', 100, '{}' FROM job;
        INSERT INTO job_attachment(job, name, media, size, bytes) SELECT seq, 'a', 'text/csv', 11, 'x' FROM job;""")
    one = start({"credentials": tokens("kept=2")})
    assert schema.postgres.query(f"SELECT n, bytes FROM {schema.name}.usage WHERE what = 'client:ann'") == "2|333"
    reply = owners.ask(one, owners.MINE, "POST", owners.SIMULATE, b'{"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}',
                       Content_Type="application/json", Prefer="respond-async")
    assert "keeps 2 jobs" in conftest.problem(reply, 403)["detail"]
    assert json.loads(owners.ask(one, owners.MINE, "DELETE", "/v1/jobs?state=succeeded")[2])["deleted"] == 3
    assert schema.postgres.query(f"SELECT count(*) FROM {schema.name}.usage WHERE what = 'client:ann'") == "0"
    # a daemon of that release goes on writing, in the statements that it knows
    schema.run("SELECT status FROM tqd_robot_put('old', 'd', 'application/xml', 'urdf', 1, 'x', NULL, NULL, 0, 0, 32);")
    assert schema.postgres.query(f"SELECT owner FROM {schema.name}.robot WHERE name = 'old'") == ""


def test_owners_move_from_sqlite(schema, tokens, tmp_path):  # noqa: F811
    """With the traces of jobs, and with what each client keeps: a quota of before the move refuses after it."""
    settings = {"credentials": tokens("kept=1"), "node": "north"}
    alone = conftest.Daemon(settings)
    owners.put_robot(alone, owners.MINE, "arm", 0.5)
    owners.put_data(alone, owners.MINE, "run", b"t,q\n0,1\n")
    owners.ended(alone, owners.submit(alone, owners.MINE, traceparent=f"00-{owners.TRACE}-{owners.PARENT}-01"))
    before = {kind: owners.fetch(alone, f"/v1/{kind}") for kind in ("robots", "datasets", "jobs")}
    assert before["datasets"]["datasets"][-1]["owner"] == owners.MINE and owners.TRACE in before["jobs"]["jobs"][0]["traceparent"]
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(owners.ask(alone, owners.ADMIN, "POST", "/v1/backup", b"")[2])) as tar:
        tar.extractall(folder, filter="data")
    kept = sqlite3.connect(folder / "torqued.db").execute("SELECT n, bytes FROM usage WHERE what = 'client:ann'").fetchone()
    alone.stop()
    done = subprocess.run([conftest.TORQUED, "--store", schema.store, "--state-dir", str(tmp_path / "north"), "--restore", str(folder)], capture_output=True, text=True,
                          timeout=conftest.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert schema.postgres.query(f"SELECT n, bytes FROM {schema.name}.usage WHERE what = 'client:ann'") == f"{kept[0]}|{kept[1]}" and kept[0] == 1
    moved = conftest.Daemon({**settings, "store": schema.store}, state=str(tmp_path / "north"))
    try:
        assert {kind: owners.fetch(moved, f"/v1/{kind}") for kind in before} == before
        owners.assert_refused(owners.put_data(moved, owners.OTHER, "run", b"t,q\n0,2\n"), 'dataset "run"')
        conftest.problem(owners.ask(moved, owners.MINE, "POST", owners.SIMULATE, b'{"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}',
                                    Content_Type="application/json", Prefer="respond-async"), 403)
    finally:
        moved.stop()
