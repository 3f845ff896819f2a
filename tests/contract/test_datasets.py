# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_datasets.py - datasets over HTTP: put, get, ranges, points, bounds, and that a cut
# upload leaves nothing.
import contextlib
import hashlib
import json
import os
import random
import socket
import struct
import subprocess
import threading

import pytest
from conftest import PATIENCE, SLOW, eventually, problem

CSV = b"t,q1,q2\n0,1,10\n0.1,,20\n0.2,-3,30\n"


def npy(values, columns, kind="d"):
    """An NPY file with these numbers in rows of `columns`."""
    rows = len(values) // columns
    head = f"{{'descr': '<f{struct.calcsize(kind)}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head = head.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{kind}", *values)


def put(daemon, name, data, query="", **headers):
    return daemon.request("PUT", f"/v1/datasets/{name}{query}", data, {k.replace("_", "-"): v for k, v in headers.items()})


def get(daemon, name, **headers):
    return daemon.request("GET", f"/v1/datasets/{name}", headers={k.replace("_", "-"): v for k, v in headers.items()})


def sha(data):
    return hashlib.sha256(data).hexdigest()


def files(daemon):
    """(complete files, files still being written)."""
    complete, coming = [], []
    for folder, _, names in os.walk(os.path.join(daemon.state, "files")):
        if not folder.endswith("sums"):
            (coming if folder.endswith("tmp") else complete).extend(names)
    return sorted(complete), coming


def test_put_get_list_delete(daemon):
    status, headers, body = put(daemon, "log", CSV)
    answer = json.loads(body)
    assert status == 201 and headers["Location"] == "/v1/datasets/log"
    assert headers["ETag"] == f'"{sha(CSV)}"'
    assert (answer["name"], answer["sha256"], answer["bytes"], answer["rows"], answer["columns"]) == ("log", sha(CSV), len(CSV), 3, 3)
    assert answer["media_type"] == "text/csv" and answer["delimiter"] == "comma" and answer["truncated_last_line"] is False
    assert answer["statistics"][1] == {"name": "q1", "min": -3.0, "max": 1.0, "mean": -1.0, "not_finite": 1}
    assert answer["statistics"][2] == {"name": "q2", "min": 10.0, "max": 30.0, "mean": 20.0, "not_finite": 0}
    again = put(daemon, "log", CSV)
    assert again[0] == 200 and "Location" not in again[1]
    status, headers, body = get(daemon, "log")
    assert status == 200 and json.loads(body)["sha256"] == sha(CSV) and headers["ETag"] == f'"{sha(CSV)}"'
    listed = json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"]
    mine = next(d for d in listed if d["name"] == "log")
    assert mine["rows"] == 3 and mine["columns"] == 3 and "statistics" not in mine
    assert daemon.request("DELETE", "/v1/datasets/log")[0] == 204
    problem(get(daemon, "log"), 404)
    problem(daemon.request("DELETE", "/v1/datasets/log"), 404)
    assert sha(CSV) not in files(daemon)[0]


@pytest.mark.parametrize("data, query, rows, columns, names", [
    (b"1;2\n3;4\n", "", 2, 2, [None, None]),
    (b"a b\r\n1 2\r\n", "", 1, 2, ["a", "b"]),
    (b"# t q\n1\t2\n", "", 1, 2, [None, None]),
    (b"a;b\n1,5;2\n", "?delimiter=semicolon", 1, 2, ["a", "b"]),
    (npy([1, 2, 3, 4, 5, 6], 2), "", 3, 2, [None, None]),
    (npy([1, 2, 3], 1, "f"), "?format=npy", 3, 1, [None]),
])
def test_formats(daemon, data, query, rows, columns, names):
    status, _, body = put(daemon, "format", data, query)
    answer = json.loads(body)
    assert status in (200, 201), answer
    assert (answer["rows"], answer["columns"], [s["name"] for s in answer["statistics"]]) == (rows, columns, names)


@pytest.mark.parametrize("data, query, type, status, says", [
    (b"1,2\n3\n4,5\n", "", None, 400, "line 2"),
    (b"", "", None, 400, "empty"),
    (b"1,2\n", "?format=npy", None, 400, "NPY"),
    (npy([1, 2], 1)[:-1], "", None, 400, "cut"),
    (npy([1, 2], 1) + b"x", "", None, 400, "after"),
    (b"1\n", "?delimiter=pipe", None, 422, "delimiter"),
    (b"1\n", "", "image/png", 415, "text/csv"),
])
def test_refusals(daemon, data, query, type, status, says):
    headers = {"Content_Type": type} if type else {}
    document = problem(put(daemon, "refused", data, query, **headers), status)
    assert says in document["detail"], document
    problem(get(daemon, "refused"), 404)
    eventually(lambda: files(daemon)[1] == [])


@pytest.mark.parametrize("name, status", [("a" * 129, 422), (".x", 422), ("a%20b", 422), ("UR-5e_v1.2.csv", 201)])
def test_names(daemon, name, status):
    assert put(daemon, name, b"1\n")[0] == status


def test_cut_last_line_is_reported(daemon):
    answer = json.loads(put(daemon, "cut", b"1,2\n3,4\n5")[2])
    assert answer["truncated_last_line"] is True and answer["rows"] == 2


def test_bytes_and_ranges(daemon):
    data = b"".join(b"%d,%d\n" % (i, i * i) for i in range(60000))
    put(daemon, "bytes", data)
    tag = f'"{sha(data)}"'
    for headers, path in (({"Accept": "text/csv"}, "bytes"), ({"Accept": "application/octet-stream"}, "bytes"), ({}, "bytes/content")):
        status, got, body = daemon.request("GET", f"/v1/datasets/{path}", headers=headers)
        assert (status, got["Content-Type"], got["ETag"], got["Content-Length"]) == (200, "text/csv", tag, str(len(data)))
        assert body == data
    status, got, body = daemon.request("HEAD", "/v1/datasets/bytes/content")
    assert (status, got["Content-Length"], got["Accept-Ranges"], body) == (200, str(len(data)), "bytes", b"")
    for text, first, end in (("0-0", 0, 1), ("100-299999", 100, 300000), ("-5", len(data) - 5, len(data)),
                             ("7-", 7, len(data)), ("5-99999999999", 5, len(data))):
        status, got, body = get(daemon, "bytes", Range=f"bytes={text}")
        assert (status, got["Content-Range"]) == (206, f"bytes {first}-{end - 1}/{len(data)}")
        assert body == data[first:end]
    reply = get(daemon, "bytes", Range=f"bytes={len(data)}-")
    problem(reply, 416)
    assert reply[1]["Content-Range"] == f"bytes */{len(data)}"
    for odd in ("bytes=5-2", "bytes=a-b", "bytes=0-1,4-5", "lines=1-2"):
        assert get(daemon, "bytes/content", Range=odd)[2] == data, odd
    assert get(daemon, "bytes/content", Range="bytes=0-3", If_Range='"other"')[0] == 200
    assert get(daemon, "bytes/content", Range="bytes=0-3", If_Range=tag)[0] == 206
    assert get(daemon, "bytes", If_None_Match=tag)[0] == 304
    problem(get(daemon, "bytes", Accept="image/png"), 406)


def test_points_keep_extremes(daemon):
    values = [0.0] * 1000
    values[137], values[801] = 9.0, -9.0
    put(daemon, "peaks", b"x\n" + b"".join(b"%g\n" % v for v in values))
    answer = json.loads(daemon.request("GET", "/v1/datasets/peaks?points=10")[2])
    assert (answer["points"], answer["rows_per_point"]) == (10, 100)
    series = answer["series"][0]
    assert series["max"] == [0.0, 9.0] + [0.0] * 8 and series["min"] == [0.0] * 8 + [-9.0, 0.0]
    # finer points of a part of the rows: rows 100 to 199, ten rows for each point
    part = json.loads(daemon.request("GET", "/v1/datasets/peaks?points=10&rows=100,200")[2])
    assert (part["rows"], part["first_row"], part["points"], part["rows_per_point"]) == (1000, 100, 10, 10)
    assert part["series"][0]["max"] == [0.0] * 3 + [9.0] + [0.0] * 6
    beyond = json.loads(daemon.request("GET", "/v1/datasets/peaks?points=10&rows=995,2000")[2])
    assert (beyond["points"], beyond["rows_per_point"], beyond["series"][0]["min"]) == (5, 1, [0.0] * 5)
    for query in ("points=0", "points=x", "points=20001", "pints=4", "rows=0,5", "points=4&rows=5", "points=4&rows=5,5", "points=4&rows=5,x", "points=4&rows=,5", "points=4&rows=1,2,3"):
        problem(daemon.request("GET", f"/v1/datasets/peaks?{query}"), 422)


def test_points_of_a_long_log_are_the_extremes_of_its_rows(start, tmp_path):
    """The points come from block extremes that were gathered during the upload, from the rows themselves for a
    part, and from all rows after a restart: all equal numpy's."""
    numpy = pytest.importorskip("numpy", reason="no numpy (make deps-check)")
    values = numpy.random.default_rng(1).normal(size=(70_000, 3)).round(4)
    values[::101, 1] = numpy.nan
    text = "a;b;c\n" + "\n".join(";".join("" if numpy.isnan(x) else repr(float(x)) for x in row) for row in values)
    files = {"csv": text.encode(), "npy": npy(list(values.ravel()), 3)}
    state = str(tmp_path)
    first = start(state=state)
    for name, body in files.items():
        assert put(first, name, body)[0] == 201
    queries = [("points=500", 0, 70_000), ("points=300&rows=6400,70000", 6400, 70_000), ("points=300&rows=6401,70000", 6401, 70_000),
               ("points=100&rows=69000,69950", 69_000, 69_950), ("points=20&rows=69999,90000", 69_999, 70_000)]
    answers = []
    for one in (first, None):
        if one is None:
            first.stop()
            one = start(state=state)
        for name in files:
            for query, begin, end in queries + queries[:1]:
                status, _, body = one.request("GET", f"/v1/datasets/{name}?{query}")
                found = json.loads(body)
                each = found["rows_per_point"]
                assert (status, found["rows"], found["first_row"], found["points"]) == (200, 70_000, begin, -(-(end - begin) // each))
                assert found["points"] <= int(query.split("&")[0][7:])
                for c in range(3):
                    for k in range(found["points"]):
                        rows = values[begin + k * each:begin + (k + 1) * each, c]
                        rows = rows[~numpy.isnan(rows)]
                        expected = (rows.min(), rows.max()) if len(rows) else (None, None)
                        assert (found["series"][c]["min"][k], found["series"][c]["max"][k]) == expected, (name, query, c, k)
                answers.append((name, query, found["series"][1]))
    half = len(answers) // 2
    assert answers[:half] == answers[half:]
    # another log of the same name has its own points; a deleted one has none
    assert put(one, "npy", npy([1.0, 2.0], 1))[0] == 200
    assert json.loads(one.request("GET", "/v1/datasets/npy?points=1")[2])["series"][0]["max"] == [2]
    assert one.request("DELETE", "/v1/datasets/csv")[0] == 204
    problem(one.request("GET", "/v1/datasets/csv?points=500"), 404)


def test_conditions(daemon):
    one, two, three = b"11\n", b"22\n", b"33\n"
    problem(put(daemon, "cond", one, If_Match="*"), 412)
    assert put(daemon, "cond", one, If_None_Match="*")[0] == 201
    problem(put(daemon, "cond", two, If_None_Match="*"), 412)
    problem(put(daemon, "cond", two, If_Match=f'"{sha(two)}"'), 412)
    problem(put(daemon, "cond", three, If_Match="unquoted"), 400)
    assert put(daemon, "cond", two, If_Match=f'"{sha(one)}"')[0] == 200
    eventually(lambda: not {sha(one), sha(three)} & set(files(daemon)[0]))
    problem(daemon.request("DELETE", "/v1/datasets/cond", headers={"If-Match": f'"{sha(one)}"'}), 412)
    assert daemon.request("DELETE", "/v1/datasets/cond", headers={"If-Match": f'"{sha(two)}"'})[0] == 204


def expect(daemon, name, length):
    """Sends headers with Expect: 100-continue; returns the status that arrives before any byte of the body is sent."""
    with daemon.socket() as s:
        s.sendall(f"PUT /v1/datasets/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n"
                  "Expect: 100-continue\r\n\r\n".encode())
        return int(s.recv(4096).split()[1])


def test_bounds_are_answered_before_the_body(start):
    daemon = start({"dataset_size": 1 << 20, "files_size": 1500000, "datasets": 2, "rate_grace": 3600000})
    assert expect(daemon, "large", 1 << 20) == 100
    assert expect(daemon, "large", (1 << 20) + 1) == 413
    data = b"123456789\n" * 100000
    assert put(daemon, "a", data)[0] == 201
    assert expect(daemon, "b", 600000) == 507
    # the same without Content-Length: refused when the bound is reached, and no file remains
    connection = daemon.connect()
    connection.request("PUT", "/v1/datasets/b", iter([data[:250000]] * 4), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
    assert connection.getresponse().status == 507
    connection.close()
    eventually(lambda: files(daemon) == ([sha(data)], []))
    assert put(daemon, "b", b"1\n")[0] == 201
    problem(put(daemon, "c", b"2\n"), 507)
    eventually(lambda: sha(b"2\n") not in files(daemon)[0])
    assert put(daemon, "b", b"2\n")[0] == 200, "a name that is there may be replaced"


def test_uploads_are_bounded_in_number(start):
    daemon = start({"uploads": 2, "rate_grace": 3600000})
    with daemon.socket() as one, daemon.socket() as two:
        for i, s in enumerate((one, two)):
            s.sendall(f"PUT /v1/datasets/held{i} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                      "Expect: 100-continue\r\n\r\n".encode())
            assert s.recv(4096).startswith(b"HTTP/1.1 100 ")
        reply = put(daemon, "third", b"1\n")
        problem(reply, 503)
        assert reply[1]["Retry-After"] == "1"
        for s in (one, two):
            s.sendall(b"1\n2\n")
            assert s.recv(4096).startswith(b"HTTP/1.1 201 ")
    eventually(lambda: put(daemon, "third", b"1\n")[0] in (200, 201))


@pytest.mark.seconds(120)
def test_cut_uploads_leave_nothing(start):
    daemon = start({"uploads": 60, "rate_grace": 3600000, "idle_timeout": 3600000})
    chance = random.Random(1)
    data = b"0.123456789,1.5\n" * 200000
    for i in range(50):
        cut = chance.randrange(len(data))
        with daemon.socket() as s:
            if i % 5 == 4:  # the connection is reset, not closed
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.sendall(f"PUT /v1/datasets/cut{i} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode())
            s.sendall(data[:cut])
    eventually(lambda: files(daemon) == ([], []))
    assert all(d["built_in"] for d in json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"])

    def all_places_are_free():
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(daemon.socket()) for _ in range(60)]
            for i, s in enumerate(held):
                s.sendall(f"PUT /v1/datasets/held{i} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                          "Expect: 100-continue\r\n\r\n".encode())
            return all(s.recv(4096).startswith(b"HTTP/1.1 100 ") for s in held)

    eventually(all_places_are_free)


@pytest.mark.seconds(120)
def test_large_upload_stays_out_of_memory(daemon):
    line = b",".join(b"%.6f" % (0.1 * i) for i in range(20)) + b"\n"
    block = line * 4000
    count = 128 // (SLOW * SLOW) + 2

    def rss():
        with open(f"/proc/{daemon.process.pid}/status") as f:
            return next(int(row.split()[1]) for row in f if row.startswith("VmHWM")) * 1024

    before = rss()
    connection = daemon.connect()
    connection.putrequest("PUT", "/v1/datasets/large")
    connection.putheader("Content-Length", str(len(block) * count))
    connection.endheaders()
    for _ in range(count):
        connection.send(block)
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    connection.close()
    assert reply.status == 201 and answer["rows"] == 4000 * count
    if SLOW == 1:
        assert rss() - before < 32 << 20


def test_uploads_side_by_side(daemon):
    bodies = [b"".join(b"%d,%d\n" % (i * k, k) for i in range(30000)) for k in range(6)]
    replies = [None] * 6

    def one(k):
        replies[k] = put(daemon, f"side{k}", bodies[k])

    threads = [threading.Thread(target=one, args=(k,)) for k in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for k in range(6):
        assert replies[k][0] == 201 and json.loads(replies[k][2])["sha256"] == sha(bodies[k])
        assert get(daemon, f"side{k}/content")[2] == bodies[k]


def test_acknowledged_datasets_survive_kill(start, tmp_path):
    state = str(tmp_path / "state")
    daemon = start(state=state)
    assert put(daemon, "kept", CSV)[0] == 201
    with daemon.socket() as s:
        s.sendall(b"PUT /v1/datasets/half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n" + b"1\n" * 1000000)
        eventually(lambda: files(daemon)[1] != [])
        daemon.closed = True
        daemon.process.kill()
        daemon.process.wait()
    again = start(state=state)
    assert get(again, "kept/content")[2] == CSV
    assert files(again) == ([sha(CSV)], [])
    problem(get(again, "half"), 404)


def test_curl_uploads_and_pipes(daemon, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(CSV)
    for extra, stdin in ((["-T", str(path)], None), (["-T", "-"], CSV)):
        command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *extra, f"{daemon.url}/v1/datasets/curl"]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=PATIENCE)
        assert done.stdout in (b"201", b"200")
