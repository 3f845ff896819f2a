# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_compare.py - differences between two results or recordings.
import json
import math

import pytest
from conftest import problem
from test_jobs import ended, npy, simulation, submit

JSON = {"Content-Type": "application/json"}


def compare(daemon, **request):
    status, _, text = daemon.request("POST", "/v1/compare", json.dumps(request).encode(), JSON)
    assert status == 200, text
    return json.loads(text)


def refused(daemon, status=422, **request):
    return problem(daemon.request("POST", "/v1/compare", json.dumps(request).encode(), JSON), status)


def put(daemon, name, text):
    assert daemon.request("PUT", f"/v1/datasets/{name}", text.encode(), {"Content-Type": "text/csv"})[0] in (200, 201)
    return {"dataset": name}


def table(rows, header="t,x,y"):
    return header + "\n" + "".join(",".join(repr(v) for v in row) + "\n" for row in rows)


def column(answer, name):
    return next(c for c in answer["columns"] if c["name"] == name)


def test_differences_over_time(daemon):
    n = 1001
    a = put(daemon, "a", table([(0.001 * k, math.sin(0.01 * k), 1.0) for k in range(n)]))
    b = put(daemon, "b", table([(0.001 * k, math.sin(0.01 * k) + (0.5 if k == 300 else 0.0), 0.75) for k in range(n)]))
    answer = compare(daemon, a=a, b=b)
    assert (answer["rows"], answer["unmatched_rows_a"], answer["rows_interpolated"]) == (n, 0, 0)
    assert answer["t"] == [0.0, 0.001 * (n - 1)] and [c["name"] for c in answer["columns"]] == ["x", "y"]
    x, y = column(answer, "x"), column(answer, "y")
    # two roundings: of sin + 0.5 and of the difference
    assert abs(x["max"] - 0.5) <= 2 ** -52 and x["max_row"] == 300 and x["max_t"] == 0.3 and x["rows"] == n
    assert abs(x["rms"] - 0.5 / math.sqrt(n)) <= 1e-15 and abs(x["mean"] + 0.5 / n) <= 1e-15
    assert y["max"] == y["rms"] == y["mean"] == 0.25
    assert "series" not in answer


def test_other_times_are_interpolated(daemon):
    a = put(daemon, "fine", table([(0.1 * k, 0.2 * k, 0.0) for k in range(-2, 13)]))  # from -0.2 s to 1.2 s
    b = put(daemon, "coarse", table([(0.25 * k, 0.5 * k, 0.0) for k in range(5)]))  # 0 to 1 s, samples of the same line
    answer = compare(daemon, a=a, b=b, include=["series"])
    assert (answer["rows"], answer["unmatched_rows_a"], answer["rows_interpolated"]) == (11, 4, 8)
    assert column(answer, "x")["max"] <= 4 * 2 ** -52
    assert len(answer["series"]["t"]) == len(answer["series"]["x"]) == 11 and answer["series"]["t"][0] == 0.0
    rows = compare(daemon, a=a, b=b, by="row")
    assert (rows["rows"], rows["unmatched_rows_a"]) == (5, 10) and "max_t" not in column(rows, "x") and "t" not in rows
    assert abs(column(rows, "x")["max"] - 1.6) <= 1e-15  # 2.0 against 0.4, in the last row


def test_a_simulation_and_its_recording(daemon):
    path = "/v1/robots/planar-2r/simulate"
    job = ended(daemon, submit(daemon, simulation(0.5, 1e-3), path)["id"])["id"]
    other = ended(daemon, submit(daemon, simulation(0.5, 5e-4), path)["id"])["id"]
    same = compare(daemon, a={"job": job}, b={"job": job})
    assert {c["name"] for c in same["columns"]} >= {"q_0", "q_1", "qd_0"} and all(c["max"] == 0 for c in same["columns"])
    assert 0 < column(compare(daemon, a={"job": job}, b={"job": other}), "q_0")["max"] < 1e-6
    # the result saved as a table: the same numbers
    csv = daemon.request("GET", f"/v1/jobs/{job}/result", None, {"Accept": "text/csv"})[2].decode()
    recording = put(daemon, "recording", csv)
    answer = compare(daemon, a={"job": job}, b=recording)
    assert {c["name"] for c in answer["columns"]} == {c["name"] for c in same["columns"]} and all(c["max"] == 0 for c in answer["columns"])
    # one array of the result as NPY has no column names: columns are numbered
    q = daemon.request("GET", f"/v1/jobs/{job}/result/q")[2]
    assert daemon.request("PUT", "/v1/datasets/q", q, {"Content-Type": "application/x-npy"})[0] == 201
    answer = compare(daemon, a={"job": job}, b={"dataset": "q"}, columns=[{"a": "q[1]", "b": 1}], by="row", include=["series"])
    assert answer["columns"][0] == {"name": "q_1", "rows": npy(q)[0][0], "max": 0.0, "max_row": 0, "rms": 0.0, "mean": 0.0}
    assert answer["series"]["row"] == list(range(npy(q)[0][0]))


def test_gaps_are_counted(daemon):
    a = put(daemon, "gaps", "t,x,y\n0,1,nan\n1,nan,nan\n2,3,nan\n")
    answer = compare(daemon, a=a, b=a)
    assert answer["not_finite"] == 4 and column(answer, "x")["rows"] == 2
    assert column(answer, "y")["max"] is None and column(answer, "y")["max_reason"]


@pytest.mark.parametrize("request_, pointer", [
    ({"b": {"dataset": "wrong"}}, "/a"),
    ({"a": {}, "b": {"dataset": "wrong"}}, "/a"),
    ({"a": {"dataset": "wrong", "job": "x"}, "b": {"dataset": "wrong"}}, "/a"),
    ({"a": {"dataset": "none"}, "b": {"dataset": "wrong"}}, "/a/dataset"),
    ({"a": {"dataset": "wrong"}, "b": {"job": "none"}}, "/b/job"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}}, "/a"),  # its time decreases
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}, "columns": ["x", "z"]}, "/columns/1"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}, "columns": [3]}, "/columns/0"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}, "columns": [{"a": "x"}]}, "/columns/0/b"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}, "include": ["all"]}, "/include/0"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "unlike"}}, "/columns"),
    ({"a": {"dataset": "wrong"}, "b": {"dataset": "wrong"}, "by": "row", "time": "t"}, "/time"),
    ({"a": {"dataset": "late"}, "b": {"dataset": "wrong"}, "by": "time"}, "/by"),
])
def test_what_is_wrong_is_named_with_its_place(daemon, request_, pointer):
    put(daemon, "wrong", "t,x,y\n0,1,1\n1,1,1\n0.5,1,1\n")
    put(daemon, "unlike", "t,u\n0,1\n")
    put(daemon, "late", "when,x\n0,1\n")
    document = refused(daemon, **request_)
    assert document["errors"][0]["pointer"] == pointer, document
    if pointer not in ("/columns/0", "/include/0"):
        assert document["errors"][0]["hint"], document


def test_rows_with_unordered_times_are_compared_by_row(daemon):
    one = put(daemon, "wrong", "t,x,y\n0,1,1\n1,1,1\n0.5,1,1\n")
    assert compare(daemon, a=one, b=one, by="row")["rows"] == 3


def test_series_has_a_bound(daemon):
    one = put(daemon, "long", "t," + ",".join(f"c{i}" for i in range(60)) + "\n" + "".join(f"{k}" + ",0" * 60 + "\n" for k in range(70000)))
    assert compare(daemon, a=one, b=one)["rows"] == 70000
    assert refused(daemon, a=one, b=one, include=["series"])["errors"][0]["pointer"] == "/include"
