# SPDX-License-Identifier: Apache-2.0
# tests/system/test_parts.py - a large ensemble in parts, which idle runners of one process help to compute: the same bits, whoever helps and dies.
import json
import math
import os
import sqlite3
import sys
import time

import numpy
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_jobs_survive as single

conftest, ASYNC, ENDED = single.conftest, single.ASYNC, single.ENDED
PATH = "/v1/robots/planar-2r/ensemble"
N = 8500
LARGE = {"members": N, "seed": 5, "initial": {"q": [0.3, -0.2], "qd": [0, 0]}, "duration_s": 1, "output": {"interval_s": 0.25},
         "solver": {"method": "rk4", "step_s": 1e-3}, "quantiles": [0, 0.05, 0.5, 1], "end_states": True,
         "vary": [{"of": "q", "joint": "joint1", "normal": {"deviation": 0.2}}, {"of": "torque", "joint": "joint2", "uniform": [-1, 2]}]}


def begin(home, body=None):
    status, _, text = home.request("POST", PATH, json.dumps(body or LARGE).encode(), ASYNC)
    assert status == 202, text
    return json.loads(text)["id"]


def result(home, job):
    document = home.ended(job)
    assert document["state"] == "succeeded", document
    return home.request("GET", f"/v1/jobs/{job}/result")[2]


def check_members(home, text):
    """Some members in one piece, by themselves, have the same bits; the statistics are those of all."""
    whole, some = json.loads(text), [0, 1, 63, 64, 1023, 1024, 5000, N - 1]
    alone = json.loads(result(home, begin(home, {**LARGE, "only": some})))
    ends = whole["end_states"]
    assert ends["members"] == list(range(N)) and alone["end_states"]["members"] == some
    for field in ("values", "q", "qd"):
        assert alone["end_states"][field] == [ends[field][k] for k in some], field
    last = sorted(row[0] for row in ends["q"])
    found = whole["q"]
    assert found["mean"][-1][0] == pytest.approx(math.fsum(last) / N, rel=1e-12)
    assert [table[-1][0] for table in found["quantiles"]] == pytest.approx(list(numpy.quantile(last, LARGE["quantiles"])), rel=1e-12)


class Parts:
    """The rows of parts, read beside the daemon."""

    def __init__(self, home):
        self.path = f"file:{home.state}/torqued.db?mode=ro"

    def rows(self, what, where="true"):
        with sqlite3.connect(self.path, uri=True) as db:
            return db.execute(f"SELECT {what} FROM job_part WHERE {where}").fetchall()

    def count(self, where="true"):
        return self.rows("count(*)", where)[0][0]


@pytest.fixture
def house():
    made = []

    def make(jobs, **settings):
        made.append(single.House({"jobs": jobs, "workers": 1, "lease": 2000, **settings}))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.seconds(240)
def test_the_same_bits_by_any_number_of_runners(house):
    texts = []
    for jobs in (1, 3):
        home = house(jobs)
        parts, most, job = Parts(home), 0, begin(home)
        fractions = []
        while (document := home.json(f"/v1/jobs/{job}"))["state"] not in ENDED:
            most = max(most, parts.count("state = 1"))
            if document["state"] == "running":
                fractions.append(document["progress"]["fraction"])
            time.sleep(0.01)
        texts.append(result(home, job))
        assert most == jobs, "each runner has had a part of its own"
        assert fractions == sorted(fractions) and any(0 < f < 1 for f in fractions), "progress over all parts"
        assert parts.count() == 0, "they go with the end of the job"
        assert [one["id"] for one in home.json("/v1/jobs")["jobs"]] == [job], "no part is a job"
        assert single.states_of(home, job) == ["queued", "running", "succeeded"]
    assert texts[0] == texts[1]
    check_members(home, texts[0])


@pytest.mark.seconds(240)
def test_killed_it_goes_on_with_its_parts(house):
    home = house(2)
    expected, job = result(home, begin(home)), begin(home)
    parts = Parts(home)
    for killed in range(2):
        conftest.eventually(lambda killed=killed: parts.count("state = 2") > 2 * killed)
        home.kill()
        kept = parts.rows("part, fence", "state = 2")
        home.start()
        conftest.eventually(lambda killed=killed: home.json(f"/v1/jobs/{job}")["attempts"] == killed + 2)
        now = dict(parts.rows("part, fence"))
        assert not now or all(now[part] == fence for part, fence in kept), "what is done is not computed again"
    assert result(home, job) == expected
    assert home.json(f"/v1/jobs/{job}")["attempts"] == 3


@pytest.mark.seconds(240)
def test_cancelled_all_stop(house):
    home = house(3)
    parts, job = Parts(home), begin(home, {**LARGE, "duration_s": 30})
    conftest.eventually(lambda: parts.count("state = 1") == 3)
    assert home.request("POST", f"/v1/jobs/{job}/cancel")[0] in (200, 202)
    assert home.ended(job)["state"] == "cancelled"
    conftest.eventually(lambda: home.json("/v1/nodes")["nodes"][0]["running"] == 0)
    assert parts.count() == 0
    assert home.request("DELETE", f"/v1/jobs/{job}")[0] == 204


@pytest.mark.seconds(240)
def test_members_that_diverge_are_listed_in_their_order(house):
    values = [0.0] * N
    values[N // 2] = values[N - 1] = 1e300
    body = {key: value for key, value in LARGE.items() if key not in ("members", "seed", "end_states")}
    body["vary"] = [{"of": "torque", "joint": "joint2", "list": values}]
    texts = []
    for jobs in (1, 3):
        home = house(jobs)
        texts.append(result(home, begin(home, body)))
    assert texts[0] == texts[1]
    whole = json.loads(texts[0])
    assert [(one["member"], one["outcome"]) for one in whole["ended"]] == [(N // 2, "diverged"), (N - 1, "diverged")]


@pytest.mark.seconds(240)
def test_a_waiting_job_is_not_held_up(house):
    """Those who help take a job that waits before the next part."""
    home = house(2)
    parts, job = Parts(home), begin(home, {**LARGE, "duration_s": 20})
    conftest.eventually(lambda: parts.count("state = 1") == 2)
    short = json.loads(home.request("POST", single.PATH, single.body(1, 1), ASYNC)[2])["id"]
    assert home.ended(short)["state"] == "succeeded"
    assert home.json(f"/v1/jobs/{job}")["state"] == "running"
    home.request("POST", f"/v1/jobs/{job}/cancel")
    home.ended(job)
