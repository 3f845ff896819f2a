# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_long.py - long logs, of which only a part is used in the search for delay and
# friction: the report states it, and the result is the same.
import json
import math
import struct

import pytest
from test_calibrate import ask, calibrate, last_job

ROBOT = "planar-2r"
RATE, PERIOD, TIMES = 1000, 10000, 30  # rows of one period; repeated: 300,000 rows
LATE = 3  # rows by which q and qd lag tau


def motion(t):
    q, qd, qdd = [], [], []
    for j in range(2):
        waves = [(0.5 / k, 2 * math.pi * 0.1 * k, 1.3 * k + j) for k in (1, 3, 4, 7)]
        w = 2 * math.pi * (40 + 7 * j)  # beyond the cut-off: this component determines the delay
        waves.append((4 / w / w, w, 0.4 + j))
        q.append(sum(a * math.sin(w * t + p) for a, w, p in waves))
        qd.append(sum(a * w * math.cos(w * t + p) for a, w, p in waves))
        qdd.append(sum(-a * w * w * math.sin(w * t + p) for a, w, p in waves))
    return q, qd, qdd


def put_npy(daemon, name, rows, times):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows) * times}, {len(rows[0])}), }}".ljust(117) + "\n"
    one = b"".join(struct.pack(f"<{len(row)}d", *row) for row in rows)
    body = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + one * times
    reply = daemon.request("PUT", f"/v1/datasets/{name}", body, {"Content-Type": "application/x-npy"})
    assert reply[0] in (200, 201), reply[2]


@pytest.fixture(scope="module")
def rows(daemon):
    """One period, sampled uniformly; q and qd are those of LATE rows earlier."""
    q, qd, qdd = zip(*(motion(k / RATE) for k in range(PERIOD)))
    tau = ask(daemon, ROBOT, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    return [[*q[k - LATE], *qd[k - LATE], *tau[k]] for k in range(PERIOD)]


REQUEST = {"rate_hz": RATE, "columns": {"q": [0, 1], "qd": [2, 3], "tau": [4, 5]}}


def test_a_long_log_is_searched_in_part(daemon, rows):
    put_npy(daemon, "long", rows, TIMES)
    answer = calibrate(daemon, {"datasets": ["long"], **REQUEST, "filter": {"cutoff_hz": 10}}, robot=ROBOT)
    log = answer["datasets"][0]
    assert log["rows"] == PERIOD * TIMES
    # at least 7,500 samples after decimation by two, and less than about twice as many rows
    assert 15000 <= log["rows_searched"] <= 32768 and log["rows_searched"] % 4096 in (0, PERIOD * TIMES % 4096)
    assert answer["filter"]["decimate"] == 2 and answer["filter"]["decimate_from_length"] is True
    assert log["samples"] > 0.99 * PERIOD * TIMES / 2  # every second row except at the ends
    # the filter attenuates the component of highest frequency by 16 ppm; the rest of the error is cubic
    # interpolation between rows
    assert answer["delay"] == {"delay_s": pytest.approx(LATE / RATE, abs=1e-4), "from_data": True}
    # filtered torque has no residual; beyond the cut-off only a joint's own acceleration is fitted
    assert max(answer["sigma"]) < 0.005
    found = {p["name"]: p["value"] for p in answer["parameters"]}
    # planar-2r's parameters
    assert [found["mx_1"], found["mx_2"], found["Izz_2"]] == pytest.approx([2.0, 0.45, 0.18], rel=1e-4)
    page = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/report")[2].decode()
    assert f"searched in {log['rows_searched']} rows" in page and "One in 2 filtered samples" in page

    reported = calibrate(daemon, {"datasets": ["long"], **REQUEST, "filter": {"cutoff_hz": 10, "decimate": 1}}, robot=ROBOT)
    assert reported["filter"]["decimate"] == 1 and reported["filter"]["decimate_from_length"] is False
    assert reported["datasets"][0]["samples"] > 0.99 * PERIOD * TIMES
    assert reported["rank"] == answer["rank"]
    for a, b in zip(answer["parameters"], reported["parameters"]):
        # half of the samples give the same result: each search finds the delay in its own rows to 1e-6 s, and
        # with dtau/dt up to 100 N m/s that is 1e-4 N m
        assert a["value"] == pytest.approx(b["value"], rel=1e-5, abs=1e-4), a["name"]
    assert answer["fit"]["rmse"] == pytest.approx(reported["fit"]["rmse"], rel=1e-4)


def test_a_short_log_is_read_as_a_whole(daemon, rows):
    put_npy(daemon, "short", rows, 6)
    answer = calibrate(daemon, {"datasets": ["short"], **REQUEST, "filter": {"cutoff_hz": 10}}, robot=ROBOT)
    assert answer["datasets"][0]["rows_searched"] == 6 * PERIOD
    assert answer["filter"]["decimate"] == 1 and answer["filter"]["decimate_from_length"] is False


def test_all_rows_are_searched_if_the_chosen_part_is_useless(daemon, rows):
    """With a cut-off so low that segments are all border, or an arm that moves in one part of the log only, the
    chosen part is useless: then all rows are searched."""
    answer = calibrate(daemon, {"datasets": ["long"], **REQUEST, "filter": {"cutoff_hz": 0.8}}, robot=ROBOT)
    assert answer["datasets"][0]["rows_searched"] == PERIOD * TIMES
    still = [[*rows[0][:2], 0, 0, *rows[0][4:]]]
    # of so long a log the segments 0, 8, 16 ... of 4,096 rows are kept: the arm is at rest in all of them
    put_npy(daemon, "once", still * 4096 + rows[:10000] + still * 300000, 1)
    answer = calibrate(daemon, {"datasets": ["once"], **REQUEST, "filter": {"cutoff_hz": 10}}, robot=ROBOT)
    assert answer["samples"] > 4000
    assert answer["datasets"][0]["rows_searched"] == answer["datasets"][0]["rows"]


def test_logs_for_validation_do_not_move_the_fit(daemon, rows):
    put_npy(daemon, "unseen", rows, 1)
    body = {"datasets": ["long"], **REQUEST, "filter": {"cutoff_hz": 10}}
    alone, held = (calibrate(daemon, {**body, **more}, robot=ROBOT) for more in ({}, {"validate": ["unseen"]}))
    fitted, unseen = held["datasets"]
    assert fitted["rows_searched"] == alone["datasets"][0]["rows_searched"] and "rows_searched" not in unseen
    assert held["parameters"] == alone["parameters"] and held["delay"] == alone["delay"]


def test_logs_for_validation_do_not_choose_the_filter(daemon, rows):
    """The validation log has faster motion and a lower sample rate: cut-off, decimation and lag are still those
    of the fitted log."""
    fast = [[*rows[(8 * k) % PERIOD][:2], *(8 * x for x in rows[(8 * k) % PERIOD][2:4]), *rows[(8 * k) % PERIOD][4:]] for k in range(2 * PERIOD)]
    lines = "\n".join(",".join(repr(x) for x in [k / RATE, *row]) for k, row in enumerate(rows * 2))
    assert daemon.request("PUT", "/v1/datasets/slow", lines.encode())[0] in (200, 201)
    lines = "\n".join(",".join(repr(x) for x in [5 * k / RATE, *row]) for k, row in enumerate(fast[::5]))
    assert daemon.request("PUT", "/v1/datasets/fast", lines.encode())[0] in (200, 201)
    for method in ("wls", "iv"):
        body = {"datasets": ["slow"], "method": method}
        alone, held = (calibrate(daemon, {**body, **more}, robot=ROBOT) for more in ({}, {"validate": ["fast"]}))
        assert held["datasets"][1]["bandwidth"]["motion_hz"] > 3 * held["datasets"][0]["bandwidth"]["motion_hz"]
        for field in ("filter", "parameters", "delay"):
            assert held[field] == alone[field], field
    assert held["instruments"] == alone["instruments"]


def test_rows_that_are_repaired_are_counted_in_the_whole(daemon, rows):
    spoilt = [list(row) for row in rows * TIMES]
    for k in range(100_000, 100_005):
        spoilt[k][0] = float("nan")
    spoilt[200_000][5] += 1e4
    put_npy(daemon, "spoilt", spoilt, 1)
    answer = calibrate(daemon, {"datasets": ["spoilt"], **REQUEST, "filter": {"cutoff_hz": 10}}, robot=ROBOT)
    repairs = {r["kind"]: r for r in answer["datasets"][0]["repairs"]}
    assert repairs["not-finite"]["count"] == 5 and repairs["not-finite"]["first_rows"] == list(range(100_000, 100_005))
    assert repairs["spike"]["count"] == 1 and repairs["spike"]["first_rows"] == [200_000]
    assert repairs["bridged"]["first_rows"] == [100_005]
