# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_waits.py - when a POST answers 200 and when 202; how long its job is kept; jobs by age
# and state.
import contextlib
import datetime
import json
import pathlib
import re
import sqlite3
import subprocess

import pytest
from conftest import PATIENCE, SLOW, eventually, problem
from test_jobs import ASYNC, PATH, body, cancel, ended, get, occupy, simulation, submit

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIMULATE = "/v1/robots/planar-2r/simulate"
HOUR, MONTH = datetime.timedelta(hours=1), datetime.timedelta(days=30)


def post(daemon, data=None, **headers):
    """POSTs a simulation with these headers only; returns (status, headers, document)."""
    headers = {"Prefer": "", "Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    status, got, text = daemon.request("POST", SIMULATE, data or simulation(0.1), headers)
    return status, got, json.loads(text)


def job_of(daemon, headers):
    return get(daemon, headers["Content-Location"].split("/")[3])


def lifetime(job):
    return datetime.datetime.fromisoformat(job["expires"][:-1]) - datetime.datetime.fromisoformat(job["finished"][:-1])


# ------------------------------------------------------------------------------------------------------------ 200 or 202

@pytest.mark.parametrize("prefer, applied", [("", None), ("wait=7", "wait=7"), ("wait=3600", "wait=60"),
                                             ("respond-async, wait=3600", "wait=60"), ("return=minimal", None)])
def test_a_200_states_the_wait_that_was_applied(daemon, prefer, applied):
    status, headers, document = post(daemon, Prefer=prefer)
    assert status == 200 and len(document["q"]) == 11
    assert headers["Preference-Applied"] == applied


@pytest.mark.parametrize("prefer, applied", [("wait=0", "wait=0"), ("respond-async", "respond-async"),
                                             ("respond-async, wait=0", "respond-async, wait=0")])
def test_a_202_states_it_too(daemon, prefer, applied):
    status, headers, job = post(daemon, Prefer=prefer)
    assert status == 202 and headers["Location"] == f"/v1/jobs/{job['id']}"
    assert headers["Preference-Applied"] == applied


def test_a_failed_job_states_it_too(daemon):
    stiff = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 1, "output": {"interval_s": 1}, "from_job": 1}).encode()
    status, headers, _ = post(daemon, stiff, Prefer="wait=9")
    assert status == 400 and headers["Preference-Applied"] is None, "refused before there is a job"


def test_without_a_preference_the_setting_decides(start):
    daemon = start({"wait": 0})
    status, headers, job = post(daemon)
    assert status == 202 and headers["Preference-Applied"] is None
    assert ended(daemon, job["id"])["state"] == "succeeded"
    assert post(daemon, Prefer="wait=60")[0] == 200


def recipe(daemon, wait):
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    line, = [one for block in blocks for one in block.splitlines() if "Idempotency-Key" in one]
    assert "wait=60" in line and "http://127.0.0.1:8420" in line
    return ["bash", "-ec", line.replace("http://127.0.0.1:8420", daemon.url).replace("wait=60", wait)]


def test_the_recipe_of_the_readme_handles_200(daemon, tmp_path):
    subprocess.run(recipe(daemon, "wait=60"), cwd=tmp_path, check=True, timeout=PATIENCE)
    assert len(json.loads((tmp_path / "motion.json").read_text())["q"]) == 101


def test_the_recipe_of_the_readme_handles_202(start, tmp_path):
    """The only runner is busy: the first answers are 202 until it is free."""
    daemon = start({"jobs": 1})
    first = occupy(daemon)
    answer = tmp_path / "motion.json"
    with subprocess.Popen(recipe(daemon, "wait=1"), cwd=tmp_path) as process:
        eventually(lambda: answer.exists() and '"state":"queued"' in answer.read_text())
        cancel(daemon, first)
        assert process.wait(PATIENCE) == 0
    assert len(json.loads(answer.read_text())["q"]) == 101
    assert len(listed(daemon, "?state=succeeded")[0]) == 1, "one job, however often it was asked for"


def test_run_timeout_does_not_bound_a_wait(start):
    """It bounds computations; the connection of a POST that waits for its job was closed without an answer."""
    daemon = start({"run_timeout": 100 * SLOW})
    status, headers, job = post(daemon, simulation(90000), Prefer=f"wait={1 + 3 * SLOW // 10}")
    assert status == 202 and job["state"] == "running" and "wait=" in headers["Preference-Applied"]
    cancel(daemon, job["id"])


# ----------------------------------------------------------------------------------------------------------
# retention

def test_a_result_that_its_post_returned_is_kept_for_an_hour(daemon):
    assert lifetime(job_of(daemon, post(daemon)[1])) == HOUR
    assert lifetime(job_of(daemon, post(daemon, Prefer="wait=60")[1])) == HOUR


def test_a_result_fetched_later_is_kept_for_a_month(daemon):
    assert lifetime(job_of(daemon, post(daemon, Idempotency_Key="keep")[1])) == MONTH
    assert lifetime(job_of(daemon, post(daemon, Prefer="respond-async, wait=60")[1])) == MONTH
    for prefer in ("wait=0", "respond-async"):
        job = post(daemon, Prefer=prefer)[2]
        assert job["expires"] is None, "it is not finished"
        assert lifetime(ended(daemon, job["id"])) == MONTH


def test_a_wait_that_ended_with_202_keeps_the_job(start, tmp_path):
    """The client relies on the id from then on: the column `waited`, which permits early deletion, is cleared
    before the answer is sent."""
    daemon = start({"jobs": 1}, state=str(tmp_path / "state"))
    first = occupy(daemon)
    status, _, job = post(daemon, Prefer="wait=1")
    assert status == 202
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "torqued.db")) as db:
        assert db.execute("SELECT waited FROM job WHERE id = ?", (job["id"],)).fetchone() == (0,)
    cancel(daemon, first)
    assert lifetime(ended(daemon, job["id"])) == MONTH


def test_it_is_removed_after_that_time_and_the_rest_stays(start):
    daemon = start({"jobs_keep_waited": "1s"})
    kept = job_of(daemon, post(daemon, Idempotency_Key="kept")[1])["id"]
    waited = post(daemon)[1]["Content-Location"]
    eventually(lambda: daemon.request("GET", waited)[0] == 404)
    assert get(daemon, kept)["state"] == "succeeded"


# ---------------------------------------------------------------------------------------------- jobs by age and by state

@pytest.fixture
def aged(start, tmp_path):
    """A daemon with four finished jobs that are eight days old, one failed job and two of today; also returns
    the ids."""
    state = str(tmp_path / "state")
    first = start(state=state)
    ids = [ended(first, submit(first, body(1, 0.01 * k))["id"])["id"] for k in range(7)]
    first.stop()
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "torqued.db")) as db, db:
        db.execute("UPDATE job SET created_ms = created_ms - 8 * 86400000 WHERE seq <= 4")
        db.execute("UPDATE job SET state = 3 WHERE seq = 5")
    return start(state=state), ids


def listed(daemon, query):
    status, _, text = daemon.request("GET", "/v1/jobs" + query)
    assert status == 200, text
    return [job["id"] for job in json.loads(text)["jobs"]], json.loads(text)["cursor"]


def purge(daemon, query):
    status, _, text = daemon.request("DELETE", "/v1/jobs" + query)
    assert status == 200, text
    return json.loads(text)


def test_jobs_are_listed_by_age_and_by_several_states(aged):
    daemon, ids = aged
    assert listed(daemon, "?older_than=7d") == (ids[3::-1], None)
    assert listed(daemon, "?newer_than=7d") == (ids[:3:-1], None)
    assert listed(daemon, "?older_than=7d&newer_than=9d") == (ids[3::-1], None)
    assert listed(daemon, "?older_than=9d") == ([], None)
    assert listed(daemon, "?state=succeeded,failed&limit=200") == (ids[::-1], None)
    assert listed(daemon, "?state=failed,cancelled") == ([ids[4]], None)
    assert listed(daemon, "?kind=inverse-dynamics&robot=panda&newer_than=12h&state=succeeded") == (ids[:4:-1], None)
    first, cursor = listed(daemon, "?older_than=168h&limit=3")
    assert first == ids[3:0:-1] and listed(daemon, f"?older_than=168h&limit=3&cursor={cursor}") == ([ids[0]], None)


@pytest.mark.parametrize("query", ["?older_than=7", "?older_than=d", "?older_than=-7d", "?older_than=7y", "?newer_than=0s", "?state=",
                                   "?state=succeeded,", "?state=done", "?dry_run=true", "?older_than=99999999999d"])
def test_a_filter_that_cannot_be_read_is_refused(daemon, query):
    problem(daemon.request("GET", "/v1/jobs" + query), 422)


def test_jobs_are_deleted_by_age_and_state(aged):
    daemon, ids = aged
    assert purge(daemon, "?older_than=7d&dry_run=true") == {"matched": 4, "deleted": 0}
    assert len(listed(daemon, "")[0]) == 7
    assert purge(daemon, "?older_than=7d&state=failed") == {"matched": 0, "deleted": 0}
    assert purge(daemon, "?older_than=7d") == {"matched": 4, "deleted": 4}
    assert listed(daemon, "") == (ids[:3:-1], None)
    assert purge(daemon, "?state=failed") == {"matched": 1, "deleted": 1}
    assert purge(daemon, "?state=succeeded,failed,cancelled") == {"matched": 2, "deleted": 2}
    assert listed(daemon, "") == ([], None)


@pytest.mark.parametrize("query", ["", "?dry_run=true", "?state=running", "?state=succeeded,queued", "?limit=3", "?older_than=x", "?dry_run=1&state=failed"])
def test_a_deletion_without_a_filter_or_of_unfinished_jobs_is_refused(daemon, query):
    problem(daemon.request("DELETE", "/v1/jobs" + query), 422)


def test_more_jobs_than_one_transaction_takes_and_none_that_runs(start):
    daemon = start({"jobs": 1, "workers": 1})
    for k in range(150):
        submit(daemon, body(1, 0.01 * k))
    eventually(lambda: len(listed(daemon, "?state=succeeded&limit=200")[0]) == 150)
    running = occupy(daemon)
    waiting = submit(daemon)["id"]
    assert purge(daemon, "?newer_than=1d") == {"matched": 150, "deleted": 150}
    assert listed(daemon, "")[0] == [waiting, running]
    cancel(daemon, running)


def test_an_immediate_call_keeps_no_job(daemon):
    before = listed(daemon, "?limit=200")[0]
    assert daemon.request("POST", PATH, body(), {k: v for k, v in ASYNC.items() if k != "Prefer"})[0] == 200
    assert listed(daemon, "?limit=200")[0] == before
