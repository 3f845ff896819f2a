# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_jobs.py - computations that outlive their connection: submit, wait, list, fetch, cancel, delete.
import contextlib
import io
import json
import os
import sqlite3
import struct
import threading
import time
import zipfile

import pytest
from conftest import PATIENCE, eventually, problem
from test_robots import put, urdf

ASYNC = {"Prefer": "respond-async", "Content-Type": "application/json"}
PATH = "/v1/robots/panda/inverse-dynamics"
ENDED = ("succeeded", "failed", "cancelled")


def body(n=1, seed=0.0):
    rows = [[0.01 * (k % 50) + 0.1 * i + seed for i in range(7)] for k in range(n)]
    zeros = [[0.0] * 7] * n
    return json.dumps({"q": rows, "qd": zeros, "qdd": zeros}).encode()


def submit(daemon, data=None, path=PATH, **headers):
    status, got, text = daemon.request("POST", path, data or body(), {**ASYNC, **{k.replace("_", "-"): v for k, v in headers.items()}})
    assert status == 202, text
    job = json.loads(text)
    assert got["Location"] == f"/v1/jobs/{job['id']}"
    return job


def get(daemon, job_id):
    status, _, text = daemon.request("GET", f"/v1/jobs/{job_id}")
    assert status == 200, text
    return json.loads(text)


def ended(daemon, job_id):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        job = get(daemon, job_id)
        if job["state"] in ENDED:
            return job
        time.sleep(0.02)
    raise AssertionError(f"still {job['state']}")


ONE = {"jobs": 1, "jobs_spare": 0, "workers": 1}  # without spare runners, which help where a job takes long


def occupy(daemon):
    """Submits a job that lasts longer than the test: with one runner, all later jobs wait for it."""
    job = submit(daemon, simulation(90000), "/v1/robots/planar-2r/simulate")["id"]
    eventually(lambda: get(daemon, job)["state"] == "running")
    return job


def cancel(daemon, job_id):
    return daemon.request("POST", f"/v1/jobs/{job_id}/cancel")


def test_submitted_job_has_the_immediate_result(daemon):
    data = body(3)
    now = daemon.request("POST", PATH, data, {"Content-Type": "application/json"})
    assert now[0] == 200
    job = submit(daemon, data)
    assert job["kind"] == "inverse-dynamics" and job["robot"] == "panda" and job["attempts"] == 0
    job = ended(daemon, job["id"])
    assert job["state"] == "succeeded" and job["progress"]["fraction"] == 1.0 and job["attempts"] == 1
    assert job["created"] <= job["started"] <= job["finished"]
    status, headers, result = daemon.request("GET", f"/v1/jobs/{job['id']}/result")
    assert status == 200 and headers["Content-Type"] == "application/json"
    assert result == now[2]
    assert json.loads(result)["provenance"]["robot_digest"] == job["robot_digest"]
    status, headers, request = daemon.request("GET", f"/v1/jobs/{job['id']}/request")
    assert status == 200 and request == data and headers["Content-Type"] == "application/json"


def test_preferences(daemon):
    status, headers, text = daemon.request("POST", PATH, body(), {**ASYNC, "Prefer": "respond-async, wait=3600"})
    assert status == 200 and len(json.loads(text)["tau"]) == 1
    assert headers["Content-Location"].startswith("/v1/jobs/")
    status, headers, _ = daemon.request("POST", PATH, body(), ASYNC)
    assert status == 202 and headers["Preference-Applied"] == "respond-async"


def test_refused_like_an_immediate_call(daemon):
    for data, status in ((b'{"q": [1,', 400), (b'{"q": [0], "qd": [0], "qdd": [0]}', 422), (b'{"nonsense": 1}', 400)):
        assert problem(daemon.request("POST", PATH, data, ASYNC), status)["type"]
    problem(daemon.request("POST", "/v1/robots/nobody/inverse-dynamics", body(), ASYNC), 404)


def test_large_request_and_result_are_files(daemon):
    data = body(4000)
    job = ended(daemon, submit(daemon, data)["id"])
    assert job["state"] == "succeeded"
    status, headers, result = daemon.request("GET", f"/v1/jobs/{job['id']}/result")
    now = daemon.request("POST", PATH, data, {"Content-Type": "application/json"})
    assert status == 200 and result == now[2] and len(result) > 1 << 18
    tag = headers["ETag"]
    assert daemon.request("GET", f"/v1/jobs/{job['id']}/request")[2] == data
    for text, first, last in (("bytes=0-99", 0, 99), (f"bytes={1 << 18}-", 1 << 18, len(result) - 1),
                              ("bytes=-10", len(result) - 10, len(result) - 1), ("bytes=300000-300001", 300000, 300001)):
        status, headers, part = daemon.request("GET", f"/v1/jobs/{job['id']}/result", None, {"Range": text})
        assert status == 206 and headers["Content-Range"] == f"bytes {first}-{last}/{len(result)}", text
        assert part == result[first:last + 1] and headers["ETag"] == tag
    assert daemon.request("GET", f"/v1/jobs/{job['id']}/result", None, {"Range": f"bytes={len(result)}-"})[0] == 416


def test_idempotency_key(daemon):
    first = submit(daemon, body(1, 0.5), Idempotency_Key="key-1")
    assert submit(daemon, body(1, 0.5), Idempotency_Key="key-1")["id"] == first["id"]
    problem(daemon.request("POST", PATH, body(1, 0.6), {**ASYNC, "Idempotency-Key": "key-1"}), 409)
    other = submit(daemon, body(1, 0.6), Idempotency_Key="key-1", Torqued_Client="someone-else")
    assert other["id"] != first["id"]
    # the same key again, with a wait: the result of the first job
    status, headers, _ = daemon.request("POST", PATH, body(1, 0.5), {**ASYNC, "Prefer": "respond-async, wait=3600", "Idempotency-Key": "key-1"})
    assert status == 200 and headers["Content-Location"] == f"/v1/jobs/{first['id']}/result"
    problem(daemon.request("POST", PATH, body(), {**ASYNC, "Idempotency-Key": "x" * 256}), 422)


def test_many_at_once_with_one_key_are_one_job(daemon):
    ids = []

    def send():
        ids.append(submit(daemon, body(2, 0.25), Idempotency_Key="together")["id"])

    threads = [threading.Thread(target=send) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(ids) == 16 and len(set(ids)) == 1


def test_list_filters_and_pages(start):
    daemon = start()
    put(daemon, "listed", urdf())
    mine = [submit(daemon, body(1, 0.01 * i))["id"] for i in range(7)]
    two = json.dumps({"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}).encode()
    arm = submit(daemon, two, "/v1/robots/listed/inverse-dynamics")["id"]
    everything = mine + [arm]
    for one in everything:
        ended(daemon, one)

    def page(query):
        status, _, text = daemon.request("GET", "/v1/jobs" + query)
        assert status == 200, text
        document = json.loads(text)
        return [job["id"] for job in document["jobs"]], document["cursor"]

    assert page("") == (everything[::-1], None)
    assert page("?robot=listed") == ([arm], None)
    assert page("?robot=listed&state=succeeded&kind=inverse-dynamics") == ([arm], None)
    assert page("?kind=simulate") == ([], None)
    assert page("?state=running") == ([], None)
    got, cursor, pages = [], "", 0
    while cursor is not None:
        ids, cursor = page(f"?state=succeeded&limit=3{'&cursor=' + cursor if cursor else ''}")
        got += ids
        pages += 1
    assert got == everything[::-1] and pages == 3
    for first in "123456789":  # cursors and limits may begin with any digit except 0
        assert page(f"?cursor={first}000000") == (everything[::-1], None)
        assert page(f"?limit={first}0") == (everything[::-1], None)
    for query in ("?state=lost", "?limit=0", "?limit=x", "?limit=:", "?cursor=-1", "?cursor=0", "?cursor=:1", "?cursor=/1", "?unknown=1", "?state"):
        assert daemon.request("GET", "/v1/jobs" + query)[0] in (400, 422), query


def test_cancel_and_delete(start):
    daemon = start({"jobs": 1, "workers": 1})
    running = occupy(daemon)
    waiting = [submit(daemon, body(1000))["id"] for _ in range(2)] + [submit(daemon)["id"]]
    problem(daemon.request("GET", f"/v1/jobs/{waiting[-1]}/result"), 409)
    problem(daemon.request("DELETE", f"/v1/jobs/{waiting[-1]}"), 409)
    status, _, text = daemon.request("POST", f"/v1/jobs/{waiting[-1]}/cancel")
    assert status == 200 and json.loads(text)["state"] == "cancelled"
    assert daemon.request("POST", f"/v1/jobs/{waiting[-1]}/cancel")[0] == 200, "again: it is what was asked for"
    assert cancel(daemon, running)[0] == 202
    for one in waiting[:-1]:
        assert ended(daemon, one)["state"] == "succeeded"
    assert ended(daemon, running)["state"] == "cancelled"
    problem(daemon.request("GET", f"/v1/jobs/{waiting[-1]}/result"), 409)
    problem(daemon.request("POST", f"/v1/jobs/{waiting[0]}/cancel"), 409)
    assert daemon.request("DELETE", f"/v1/jobs/{waiting[0]}")[0] == 204
    problem(daemon.request("GET", f"/v1/jobs/{waiting[0]}"), 404)
    problem(daemon.request("DELETE", f"/v1/jobs/{waiting[0]}"), 404)
    problem(daemon.request("POST", "/v1/jobs/nothing/cancel"), 404)


def test_a_cancelled_job_says_how_far_it_came(start):
    daemon = start({"jobs": 1, "workers": 1, "lease": "600s"})  # no beat in between
    running = occupy(daemon)
    eventually(lambda: get(daemon, running)["progress"]["fraction"] > 0.0)
    seen = get(daemon, running)["progress"]["fraction"]
    assert cancel(daemon, running)[0] == 202
    progress = ended(daemon, running)["progress"]
    assert seen <= progress["fraction"] < 1.0 and progress["step"] == "simulate"


def test_priority_goes_first_and_clients_take_turns(start):
    daemon = start(ONE)
    running = occupy(daemon)
    many = [submit(daemon, Torqued_Client="greedy")["id"] for _ in range(6)]
    few = submit(daemon, Torqued_Client="modest")["id"]
    urgent = submit(daemon, Priority="u=0", Torqued_Client="greedy")["id"]
    cancel(daemon, running)
    begun = {one: ended(daemon, one)["started"] for one in many + [few, urgent]}
    assert begun[urgent] <= min(begun.values())
    assert begun[few] <= begun[many[2]], "the second client does not wait for all of the first's"


def test_full_queue_is_503(start):
    daemon = start({**ONE, "jobs_queued": 3})
    running = occupy(daemon)
    waiting = [submit(daemon)["id"] for _ in range(3)]
    for prefer in ("respond-async", "respond-async, wait=3600"):
        refused = daemon.request("POST", PATH, body(), {**ASYNC, "Prefer": prefer})
        assert "3 jobs wait already" in problem(refused, 503)["detail"] and int(refused[1]["Retry-After"]) > 0
    assert daemon.request("POST", PATH, body(), {"Content-Type": "application/json"})[0] == 200, "immediate calls have no queue of jobs"
    cancel(daemon, running)
    for one in waiting:
        assert ended(daemon, one)["state"] == "succeeded"
    submit(daemon)


def test_robot_version_is_pinned(start):
    daemon = start({"jobs": 1, "workers": 1})
    put(daemon, "pinned", urdf(1.0))
    two = json.dumps({"q": [0.3, 0.2], "qd": [0, 0], "qdd": [0, 0]}).encode()
    path = "/v1/robots/pinned/inverse-dynamics"
    expected = daemon.request("POST", path, two, {"Content-Type": "application/json"})[2]
    submit(daemon, body(60000))
    job = submit(daemon, two, path)
    assert put(daemon, "pinned", urdf(5.0))[0] == 200
    assert daemon.request("DELETE", "/v1/robots/pinned")[0] == 204
    assert ended(daemon, job["id"])["state"] == "succeeded"
    assert daemon.request("GET", f"/v1/jobs/{job['id']}/result")[2] == expected
    assert daemon.request("GET", f"/v1/robots/pinned@{job['robot_digest']}")[0] == 200


def test_stop_answers_clients_that_wait(start):
    daemon = start({"jobs": 1, "workers": 1, "stop_timeout": 600000})
    occupy(daemon)
    answers = []

    def wait():
        answers.append(daemon.request("POST", PATH, body(), {**ASYNC, "Prefer": "respond-async, wait=3600"})[0])

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: len(json.loads(daemon.request("GET", "/v1/jobs")[2])["jobs"]) == 2)
    daemon.stop()
    thread.join()
    assert answers == [202]


def test_one_array_of_a_result(daemon):
    for n in (3, 5000):  # the body is in the row of the database, or in a file
        job = ended(daemon, submit(daemon, body(n, 0.125))["id"])
        result = json.loads(daemon.request("GET", f"/v1/jobs/{job['id']}/result")[2])["tau"]
        path = f"/v1/jobs/{job['id']}/result/tau"
        status, headers, text = daemon.request("GET", path, None, {"Accept": "text/csv"})
        assert status == 200 and headers["Content-Type"] == "text/csv"
        lines = text.decode().splitlines()
        assert lines[0] == ",".join(f"tau_{i}" for i in range(7))
        assert [[float(x) for x in line.split(",")] for line in lines[1:]] == result
        status, headers, data = daemon.request("GET", path)
        assert status == 200 and headers["Content-Type"] == "application/x-npy"
        assert data[:6] == b"\x93NUMPY" and int(headers["Content-Length"]) == len(data)
        assert f"({n}, 7)" in data[:128].decode("latin-1") and "'<f8'" in data[:128].decode("latin-1")
        assert list(struct.unpack(f"<{7 * n}d", data[-56 * n:])) == [x for row in result for x in row]
        for text, first, last in (("bytes=0-9", 0, 9), ("bytes=127-135", 127, 135), ("bytes=150-", 150, len(data) - 1),
                                  ("bytes=-8", len(data) - 8, len(data) - 1), (f"bytes=1-{len(data) - 2}", 1, len(data) - 2)):
            status, headers, part = daemon.request("GET", path, None, {"Range": text})
            assert status == 206 and headers["Content-Range"] == f"bytes {first}-{last}/{len(data)}" and part == data[first:last + 1], text
        problem(daemon.request("GET", path, None, {"Range": f"bytes={len(data)}-"}), 416)
        problem(daemon.request("GET", path, None, {"Accept": "application/xml"}), 406)
        problem(daemon.request("GET", path.replace("tau", "nothing")), 404)
        problem(daemon.request("GET", path.replace("tau", "provenance")), 406)
        problem(daemon.request("GET", path.replace("tau", "provenance.engine")), 406)


def simulation(seconds, step=1e-4):
    return json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": seconds, "output": {"interval_s": seconds / 10},
                       "solver": {"method": "rk4", "step_s": step}}).encode()


def test_long_operation_becomes_a_job_by_itself(daemon):
    path = "/v1/robots/planar-2r/simulate"
    status, headers, text = daemon.request("POST", path, simulation(0.1), {"Content-Type": "application/json"})
    assert status == 200, text
    assert headers["Content-Location"].endswith("/result")
    assert daemon.request("GET", headers["Content-Location"])[2] == text
    status, headers, text = daemon.request("POST", path, simulation(0.1), {"Prefer": "wait=0"})
    assert status == 202 and headers["Preference-Applied"] == "wait=0"
    job = ended(daemon, json.loads(text)["id"])
    assert job["state"] == "succeeded" and job["kind"] == "simulate"
    assert daemon.request("GET", f"/v1/jobs/{job['id']}/result/q")[2][:6] == b"\x93NUMPY"
    problem(daemon.request("POST", path, b'{"duration_s": 1}', {"Content-Type": "application/json"}), 422)


def test_cancelled_at_the_next_step(daemon):
    job = submit(daemon, simulation(10000), "/v1/robots/planar-2r/simulate")["id"]
    progress = {}
    eventually(lambda: progress.update(get(daemon, job)["progress"]) or progress["fraction"] > 0)
    assert progress["step"] == "simulate" and progress["eta_s"] > 0
    status, _, text = cancel(daemon, job)
    assert status == 202 and json.loads(text)["cancel_asked"] is True
    assert ended(daemon, job)["state"] == "cancelled"


def test_running_job_is_requeued_at_the_stop(start, tmp_path):
    first = start({"jobs": 1, "stop_timeout": 600000}, state=str(tmp_path / "state"))
    job = occupy(first)
    first.stop()
    second = start({"jobs": 1}, state=str(tmp_path / "state"))
    assert get(second, job)["state"] in ("queued", "running")
    second.request("POST", f"/v1/jobs/{job}/cancel")
    assert ended(second, job)["state"] == "cancelled"


def test_report_and_files_beside_a_result(start, tmp_path):
    # no operation used here makes attachments: the test writes them where the daemon keeps them, and GETs
    # them
    state = str(tmp_path / "state")
    daemon = start({}, state=state)
    job = ended(daemon, submit(daemon)["id"])
    assert "attachments" not in job
    problem(daemon.request("GET", f"/v1/jobs/{job['id']}/report"), 404)
    daemon.stop()
    page, log = b"<!doctype html><title>r</title>", b"t,q\n" * 9
    with contextlib.closing(sqlite3.connect(os.path.join(state, "torqued.db"))) as db, db:
        seq, = db.execute("SELECT seq FROM job WHERE id = ?", (job["id"],)).fetchone()
        for name, media, data in (("report", "text/html", page), ("log.csv", "text/csv", log)):
            db.execute("INSERT INTO job_attachment(job, name, media, size, bytes) VALUES (?, ?, ?, ?, ?)", (seq, name, media, len(data), data))
    daemon = start({"jobs": 1}, state=state)
    assert get(daemon, job["id"])["attachments"] == [
        {"name": "log.csv", "media_type": "text/csv", "bytes": len(log)},
        {"name": "report", "media_type": "text/html", "bytes": len(page)}]
    for path, media, data in ((f"/v1/jobs/{job['id']}/report", "text/html", page),
                              (f"/v1/jobs/{job['id']}/result/log.csv", "text/csv", log)):
        status, headers, got = daemon.request("GET", path)
        assert (status, headers["Content-Type"], got) == (200, media, data)
        assert headers["X-Content-Type-Options"] == "nosniff"
        rules = headers["Content-Security-Policy"]
        assert "default-src 'none'" in rules and "sandbox" in rules and "script" not in rules
    status, headers, got = daemon.request("GET", f"/v1/jobs/{job['id']}/result/log.csv", None, {"Range": "bytes=4-7"})
    assert status == 206 and got == log[4:8]
    problem(daemon.request("GET", f"/v1/jobs/{job['id']}/result/log.csv?points=9"), 422)
    submit(daemon, simulation(90000), "/v1/robots/planar-2r/simulate")
    waiting = submit(daemon)["id"]
    problem(daemon.request("GET", f"/v1/jobs/{waiting}/report"), 409)


def npy(data):
    """One NPY file as (shape, numbers)."""
    n = 10 + int.from_bytes(data[8:10], "little")
    header = data[10:n].decode("latin-1")
    shape = tuple(int(x) for x in header.split("'shape': (")[1].split(")")[0].split(",") if x.strip())
    assert data[:6] == b"\x93NUMPY" and "'<f8'" in header and "'fortran_order': False" in header
    return shape, list(struct.unpack(f"<{(len(data) - n) // 8}d", data[n:]))


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


@pytest.mark.parametrize("rows", [11, 4001])  # in the row of the database, or in a file
def test_a_whole_result_in_other_forms(daemon, rows):
    body = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 0.5, "output": {"interval_s": 0.5 / (rows - 1)},
                       "solver": {"method": "rk4", "step_s": 1e-3}, "include": ["qdd"]})
    job = ended(daemon, submit(daemon, body, "/v1/robots/planar-2r/simulate")["id"])
    assert job["state"] == "succeeded", job
    path = f"/v1/jobs/{job['id']}/result"
    text = daemon.request("GET", path)[2]
    result = json.loads(text)
    names = [k for k in ("t", "q", "qd", "qdd", "tau") if k in result]
    assert len(result["t"]) == rows and "qdd" in names

    status, headers, data = daemon.request("GET", path, None, {"Accept": "application/x-npz"})
    assert status == 200 and headers["Content-Type"] == "application/x-npz" and "Accept" in headers["Vary"]
    assert int(headers["Content-Length"]) == len(data)
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        assert z.testzip() is None
        for name in names:
            shape, numbers = npy(z.read(f"{name}.npy"))
            assert shape == ((rows,) if name == "t" else (rows, 2)) and numbers == flat(result[name])
    for text_range, first, last in (("bytes=0-9", 0, 9), ("bytes=100-40000", 100, 40000), ("bytes=-30", len(data) - 30, len(data) - 1)):
        last = min(last, len(data) - 1)
        status, headers, part = daemon.request("GET", path, None, {"Accept": "application/x-npz", "Range": text_range})
        assert status == 206 and headers["Content-Range"] == f"bytes {first}-{last}/{len(data)}"
        assert part == data[first:last + 1], text_range
    assert daemon.request("GET", path, None, {"Accept": "application/x-npz", "Range": f"bytes={len(data)}-"})[0] == 416

    status, headers, data = daemon.request("GET", path, None, {"Accept": "text/csv"})
    assert status == 200 and headers["Content-Type"] == "text/csv"
    lines = data.decode().splitlines()
    assert lines[0].split(",") == [c for k in names for c in ([k] if k == "t" else [f"{k}_0", f"{k}_1"])]
    assert len(lines) == rows + 1
    for i in (0, 1, rows // 2, rows - 1):
        assert [float(x) for x in lines[1 + i].split(",")] == flat([result[k][i] for k in names])

    status, _, part = daemon.request("GET", path + "?fields=stats,t")
    assert status == 200 and json.loads(part) == {k: result[k] for k in ("stats", "t")}
    status, _, part = daemon.request("GET", path + "?fields=q,t", None, {"Accept": "text/csv"})
    assert part.decode().splitlines()[0] == "t,q_0,q_1"
    problem(daemon.request("GET", path + "?fields=t,none"), 422)
    problem(daemon.request("GET", path + "?field=t"), 422)
    problem(daemon.request("GET", path, None, {"Accept": "application/xml"}), 406)

    status, _, part = daemon.request("GET", path + "?points=10")
    points = json.loads(part)
    each = points["rows_per_point"]
    assert status == 200 and points["rows"] == rows and points["points"] <= 10 and each == -(-rows // 10)
    series = {s["name"]: s for s in points["series"]}
    column = [row[1] for row in result["qd"]]
    assert series["qd_1"]["min"] == [min(column[k:k + each]) for k in range(0, rows, each)]
    assert series["qd_1"]["max"] == [max(column[k:k + each]) for k in range(0, rows, each)]
    status, _, part = daemon.request("GET", path + "/qd?points=10")
    assert [s["name"] for s in json.loads(part)["series"]] == ["qd_0", "qd_1"]
    assert json.loads(part)["series"][1] == series["qd_1"]
    part = json.loads(daemon.request("GET", path + "?fields=t,qd&points=3&rows=4,10")[2])
    assert part["rows"] == rows and part["first_row"] == 4 and part["rows_per_point"] == 2
    assert part["series"][2]["max"] == [max(column[k:k + 2]) for k in (4, 6, 8)]
    problem(daemon.request("GET", path + "?rows=4,10"), 422)
    problem(daemon.request("GET", path + "?points=3&rows=10,4"), 422)
    problem(daemon.request("GET", path + "?points=0"), 422)
    problem(daemon.request("GET", path + "?points=3", None, {"Accept": "text/csv"}), 406)


def cbor(data, at=0):
    """One CBOR item as (value, end): the types used by results; typed arrays of doubles as lists."""
    kind, n, at = data[at] >> 5, data[at] & 31, at + 1
    if kind < 7 and 24 <= n <= 27:
        size = 1 << (n - 24)
        n, at = int.from_bytes(data[at:at + size], "big"), at + size
    if kind == 0:
        return n, at
    if kind in (2, 3):
        part = data[at:at + n]
        return part if kind == 2 else part.decode(), at + n
    if kind == 7:
        return {20: False, 21: True, 22: None}[n] if n < 24 else struct.unpack(">d", data[at:at + 8])[0], at if n < 24 else at + 8
    if kind == 6:
        value, at = cbor(data, at)
        if n == 40:
            shape, value = value
            for size in reversed(shape[1:]):
                value = [value[k:k + size] for k in range(0, len(value), size)]
            return value, at
        assert n == 86
        return list(struct.unpack(f"<{len(value) // 8}d", value)), at
    items = []
    while data[at] != 0xff if n == 31 else len(items) < n * (kind - 3):
        item, at = cbor(data, at)
        items.append(item)
    at += n == 31
    return items if kind == 4 else dict(zip(items[::2], items[1::2])), at


def test_cbor_of_a_result_is_the_same_document(daemon):
    for n in (1, 4, 3000):
        job = ended(daemon, submit(daemon, body(n))["id"])
        path = f"/v1/jobs/{job['id']}/result"
        status, headers, got = daemon.request("GET", path, None, {"Accept": "application/cbor"})
        assert status == 200 and headers["Content-Type"] == "application/cbor"
        now = daemon.request("POST", PATH, body(n), {"Content-Type": "application/json", "Accept": "application/cbor"})[2]
        assert cbor(got) == (cbor(now)[0], len(got)) and cbor(got)[0] == json.loads(daemon.request("GET", path)[2])
        assert cbor(daemon.request("GET", path + "?fields=tau", None, {"Accept": "application/cbor"})[2])[0] == {"tau": cbor(now)[0]["tau"]}


def test_a_result_that_is_waited_for_honours_accept(daemon):
    small = json.dumps({**json.loads(simulation(0.1)), "duration_s": 0.01, "output": {"interval_s": 1e-3}}).encode()
    large = json.dumps({**json.loads(simulation(1)), "output": {"interval_s": 5e-4}}).encode()
    planar = "/v1/robots/planar-2r/simulate"
    home = [0, -0.8, 0, -2.3, 0, 1.6, 0.8]
    members = json.dumps({"initial": {"q": home}, "duration_s": 0.01, "output": {"interval_s": 0.005}, "solver": {"method": "rk4", "step_s": 1e-3},
                          "vary": [{"of": "payload_mass", "link": "flange", "at": [0, 0, 0.1], "list": [0, 1]}]}).encode()
    for path, data, prefer in ((planar, small, "wait=3600"), (planar, large, "wait=3600"), (PATH, body(3000), "respond-async, wait=3600"),
                               ("/v1/robots/panda/ensemble", members, "wait=3600")):
        head = {"Content-Type": "application/json", "Prefer": prefer}
        status, headers, got = daemon.request("POST", path, data, {**head, "Accept": "application/cbor"})
        assert status == 200 and headers["Content-Type"] == "application/cbor" and headers["Vary"] == "Accept", got
        there = headers["Content-Location"]
        assert daemon.request("GET", there, None, {"Accept": "application/cbor"})[2] == got
        status, _, text = daemon.request("GET", there)
        assert status == 200 and (len(text) > 1 << 16) == (data not in (small, members))
        assert cbor(got) == (json.loads(text), len(got))
        status, headers, archive = daemon.request("POST", path, data, {**head, "Accept": "application/x-npz"})
        assert status == 200 and headers["Content-Type"] == "application/x-npz" and headers["Vary"] == "Accept"
        assert daemon.request("GET", headers["Content-Location"], None, {"Accept": "application/x-npz"})[2] == archive
        for accept in ("application/json", "*/*"):
            status, headers, _ = daemon.request("POST", path, data, {**head, "Accept": accept})
            assert status == 200 and headers["Content-Type"] == "application/json" and headers["Vary"] == "Accept"


def test_an_unavailable_format_is_refused_before_submission(start):
    daemon = start({"jobs": 1})
    path = "/v1/robots/planar-2r/simulate"
    for accept in ("text/tab-separated-values", "application/x-npy", "image/png"):
        head = {"Content-Type": "application/json", "Accept": accept}
        problem(daemon.request("POST", path, simulation(0.1), head), 406)
        problem(daemon.request("POST", PATH, body(), {**ASYNC, **head, "Prefer": "respond-async, wait=5"}), 406)
    assert json.loads(daemon.request("GET", "/v1/jobs")[2])["jobs"] == []
    # a client that does not wait chooses the format when it fetches the result; the job document is JSON
    for accept in ("text/csv", "application/cbor"):
        status, headers, text = daemon.request("POST", path, simulation(0.1), {"Prefer": "wait=0", "Accept": accept})
        assert status == 202 and headers["Content-Type"] == "application/json"
        assert ended(daemon, json.loads(text)["id"])["state"] == "succeeded"
    # an error is a problem document in any case: of a refused request, or of a failed job
    wrong = {"Content-Type": "application/json", "Accept": "application/cbor"}
    problem(daemon.request("POST", path, b'{"duration_s": 1}', wrong), 422)
    late = daemon.request("POST", "/v1/robots/panda/calibrate", b'{"datasets": ["nowhere"]}', wrong)
    assert "nowhere" in problem(late, 422)["detail"] and late[1]["Content-Location"].startswith("/v1/jobs/")


def test_deadline_of_a_job(start):
    daemon = start({"jobs": 1})
    submit(daemon, simulation(90000), "/v1/robots/planar-2r/simulate")
    late, patient = submit(daemon, Torqued_Deadline="1")["id"], submit(daemon, Torqued_Deadline="600")["id"]
    job = ended(daemon, late)
    assert job["state"] == "failed" and "deadline" in job["problem"]["detail"] and job["attempts"] == 0
    assert get(daemon, patient)["state"] == "queued"
    for wrong in ("0", "-1", "1.5", "soon", "99999999999"):
        problem(daemon.request("POST", PATH, body(), {**ASYNC, "Torqued-Deadline": wrong}), 422)


def test_files_go_with_their_last_reference(start, tmp_path):
    state = str(tmp_path / "state")
    daemon = start({}, state=state)
    jobs = [ended(daemon, submit(daemon, body(3000, seed))["id"])["id"] for seed in (0.0, 0.0, 1.0)]

    def files():
        return sum(len(names) for folder, _, names in os.walk(os.path.join(state, "files")) if len(os.path.basename(folder)) == 2)

    assert files() == 4  # two different requests and results, each stored once
    for job, left in zip(jobs, (4, 2, 0)):
        assert daemon.request("DELETE", f"/v1/jobs/{job}")[0] == 204
        eventually(lambda: files() == left)
    assert daemon.request("POST", PATH, body(3000), {**ASYNC, "Idempotency-Key": "k"})[0] == 202
    assert daemon.request("POST", PATH, body(3000, 2.0), {**ASYNC, "Idempotency-Key": "k"})[0] == 409
    eventually(lambda: files() == 2)  # nothing of the refused request remains


@pytest.mark.parametrize("method, path", [("GET", "/v1/robots?filter=x"), ("GET", "/v1/jobs/x?fields=id"), ("DELETE", "/v1/robots/x?force=1"),
                                          ("POST", "/v1/jobs/x/cancel?now=1"), ("GET", "/v1/version?x"), ("GET", "/v1/datasets?limit=3"),
                                          ("GET", "/v1/jobs?colour=red"), ("GET", "/v1/robots/panda?form=x")])
def test_an_unknown_query_is_refused(daemon, method, path):
    problem(daemon.request(method, path), 422)
