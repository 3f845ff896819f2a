# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_logs.py - logs with faults: repaired and reported, or refused; insufficient
# excitation.
import json
import math
import random
import re

import pytest
from test_calibrate import ask, calibrate, last_job, motion, truth  # noqa: F401, truth is a fixture


@pytest.fixture(scope="module")
def rows(daemon, truth):
    """Rows t, q, qd, tau as lists of numbers: a run of 20 s at 100 Hz that ends in its initial state."""
    times = [0.01 * k for k in range(2000)]
    q, qd, qdd = zip(*(motion(t, truth, 9) for t in times))
    tau = ask(daemon, "truth", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    return [[t, *a, *b, *c] for t, a, b, c in zip(times, q, qd, tau)]


def put_rows(daemon, name, rows, n, end="\n"):
    head = ",".join(["t"] + [f"{w}{j}" for w in ("q", "qd", "tau") for j in range(n)])
    text = "\n".join([head] + [",".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows]) + end
    reply = daemon.request("PUT", f"/v1/datasets/{name}", text.encode())
    assert reply[0] in (200, 201), reply[2]


def scaled(rows, first, end, factor):
    return [[x * factor if first <= k < end else x for k, x in enumerate(row)] for row in rows]


def without(rows, *cut):
    return [row for k, row in enumerate(rows) if k not in cut]


N = 6
REFUSED = {
    # fault: how rows are made from good ones, the expected detail, the expected hint
    "backwards": (lambda r: r[::-1], "the time decreases from the first row to the last", "reverse the order of the rows"),
    "unsorted": (lambda r: random.Random(1).sample(r, len(r)), r"the time decreases in \d+ of 2000 rows, first in row \d+", "sort the rows by time"),
    "no-clock": (lambda r: [[1.5, *row[1:]] for row in r], "the time does not change in 1999 of 2000 rows, first in row 1", '"rate_hz"'),
    "milliseconds": (lambda r: scaled(r, 0, 1, 1000), "the rows would be 10 s apart", '"units": {"time": "ms"}'),
    "microseconds": (lambda r: scaled(r, 0, 1, 1e6), "the rows would be 10000 s apart", '"units": {"time": "us"}'),
    "degrees": (lambda r: scaled(r, 1, 1 + N, 180 / math.pi), "would be at -?[0-9.]+ rad: its angles are probably not in radians", '"units": {"q": "deg"}'),
    "degrees-a-second": (lambda r: scaled(r, 1 + N, 1 + 2 * N, 180 / math.pi), r"is 57.\d+ times the slope of its position", "say the units"),
    "no-rates": (lambda r: scaled(r, 1 + N, 1 + 2 * N, 0), r"moves by its position, but its velocity stays at 0", 'leave "qd" out'),
    "another-clock": (lambda r: scaled(r, 1 + N, 1 + 2 * N, 1.25), r"velocities of all joints are 1.25 times the slopes .* rows come 1.25 times as fast", "rate_hz"),
    "backward-rates": (lambda r: scaled(r, 1 + N, 1 + 2 * N, -1), r"is -1 times the slope of its position", "reverse the sign"),
    "columns-mixed-up": (lambda r: [[row[0], row[2], row[1], *row[3:]] for row in r], "is unrelated to the slope of its position", "choose the columns"),
    "velocities-mixed": (lambda r: [[*row[:1 + N], 0.75 * row[1 + N] + 0.66 * row[2 + N], *row[2 + N:]] for row in r],
                         r"is not the slope of its position \(correlation 0\.[678]", "choose the columns"),
    "milli-newton-metres": (lambda r: scaled(r, 1 + 2 * N, 1 + 3 * N, 1000), "where gravity needs [0-9.]+ by the robot's masses", '"mNm"}'),
    "no-torque": (lambda r: scaled(r, 1 + 2 * N, 1 + 3 * N, 0), "the joints move, but no torque changes", "choose the columns of torque"),
    "nan-everywhere": (lambda r: [["nan" if k == 3 and i % 10 == 7 else x for k, x in enumerate(row)] for i, row in enumerate(r)],
                       r"of 2000 rows, 200 have a number that is NaN or infinite, 0 one beyond any robot \(rows 7, 17, 27", "choose other columns, or the good rows"),
    "too-short": (lambda r: r[:60], "nothing is left of the 60 rows", "record longer"),
    "ten-rows": (lambda r: r[:10], "has 10 rows here, too few for a motion", None),
}


@pytest.mark.parametrize("what", REFUSED)
def test_impossible_logs_are_refused_with_the_reason(daemon, truth, rows, what):
    make, detail, hint = REFUSED[what]
    put_rows(daemon, f"bad-{what}", make(rows), truth)
    fault = calibrate(daemon, {"datasets": [f"bad-{what}"]}, 422, robot="guess")["errors"][0]
    assert fault["pointer"] == "/datasets/0"
    assert re.search(detail, fault["detail"]), fault
    assert f"bad-{what}" in fault["detail"]
    assert hint is None or hint in fault["hint"], fault


def test_one_joint_may_give_what_another_has_put_in(daemon, truth, rows):
    """Only the work of all motors together must be friction's, and no log is refused for that of one: the fit compares the joints."""
    passed = [[x + (300 * row[1 + N] if k == 1 + 2 * N else -150 * row[2 + N] if k == 2 + 2 * N else 0) for k, x in enumerate(row)] for row in rows]
    put_rows(daemon, "passed-on", passed, truth)
    assert calibrate(daemon, {"datasets": ["passed-on"], "method": "wls"}, robot="guess")["verdict"]
    # more taken than put in: that friction drives is stated of the joint where it does
    taken = [[x - (150 * row[2 + N] if k == 2 + 2 * N else 0) for k, x in enumerate(row)] for row in rows]
    put_rows(daemon, "taken-out", taken, truth)
    found = calibrate(daemon, {"datasets": ["taken-out"], "method": "wls"}, robot="guess")
    assert found["verdict"] == "physically-inconsistent"
    assert any(re.match(r"fv_2 came out as -1[45][0-9.]+, which cannot be negative", r) for r in found["reasons"]), found["reasons"]


def test_torques_that_are_all_turned_are_named(daemon, truth, rows):
    put_rows(daemon, "backward-torques", scaled(rows, 1 + 2 * N, 1 + 3 * N, -1), truth)
    found = calibrate(daemon, {"datasets": ["backward-torques"]}, robot="guess")
    assert found["reasons"][0].startswith("all torques count against the positions") and found["findings"][0]["gross"], found["reasons"]


def swap_pairs(rows):
    rows = list(rows)
    for k in range(200, 1900, 100):
        rows[k], rows[k + 1] = rows[k + 1], rows[k]
    return rows


REPAIRED = {
    # fault: how rows are made, kind of repair, count, first rows named
    "nan": (lambda r: [["nan" if k == 3 and i in (7, 500) else x for k, x in enumerate(row)] for i, row in enumerate(r)], "not-finite", 2, [7, 500]),
    "absurd": (lambda r: [[1e177 if k == 3 and i == 700 else x for k, x in enumerate(row)] for i, row in enumerate(r)], "absurd", 1, [700]),
    "spike": (lambda r: [[row[3] + 3 if k == 3 and i == 700 else x for k, x in enumerate(row)] for i, row in enumerate(r)], "spike", 1, [700]),
    "gap-of-34-ms": (lambda r: without(r, 1000, 1001, 1002), "bridged", 1, [1000]),
    "gap-of-a-second": (lambda r: without(r, *range(1000, 1100)), "split", 1, [1000]),
    "out-of-order": (swap_pairs, "out-of-order", 17, [201, 301, 401, 501, 601, 701, 801, 901]),
    "repeated": (lambda r: r[:900] + [r[899]] + r[900:], "repeated-time", 1, [900]),
}


@pytest.mark.parametrize("what", REPAIRED)
def test_repairs_are_reported_with_their_rows(daemon, truth, rows, what):
    make, kind, count, first = REPAIRED[what]
    put_rows(daemon, f"mended-{what}", make(rows), truth)
    found = calibrate(daemon, {"datasets": [f"mended-{what}"], "method": "wls"}, robot="guess")
    repairs = {r["kind"]: r for r in found["datasets"][0]["repairs"]}
    assert repairs[kind]["count"] == count and repairs[kind]["first_rows"] == first, repairs
    assert kind in daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()
    # the repair changes the fit by no more than noise: the rms residual is that of the unchanged log
    whole = calibrate(daemon, {"datasets": ["run1"], "method": "wls"}, robot="guess")
    for x, y in zip(found["fit"]["rmse"], whole["fit"]["rmse"]):
        assert x < 3 * y + 0.2, (found["fit"]["rmse"], whole["fit"]["rmse"])


def test_a_line_that_was_cut_off_is_left_out(daemon, truth, rows):
    put_rows(daemon, "cut", rows[:-1] + [rows[-1][:9]], truth, end="")
    found = calibrate(daemon, {"datasets": ["cut"], "method": "wls"}, robot="guess")
    assert found["datasets"][0]["truncated_last_line"] is True and found["datasets"][0]["rows"] == 1999


def test_files_of_one_recording_may_end_apart(daemon, truth, rows):
    """One file per quantity: rows that only some of the files have are left out and reported; many such rows
    mean a different recording, and are refused."""
    parts = {"q": [row[1:1 + N] for row in rows], "tau": [row[1 + 2 * N:] for row in rows], "time": [row[:1] for row in rows][:-5]}
    for name, part in parts.items():
        text = "\n".join(",".join(repr(float(x)) for x in row) for row in part)
        assert daemon.request("PUT", f"/v1/datasets/apart-{name}", text.encode())[0] in (200, 201)
    log = {name: f"apart-{name}" for name in parts}
    found = calibrate(daemon, {"datasets": [log], "method": "wls"}, robot="guess")["datasets"][0]
    assert found["rows"] == 1995
    assert found["repairs"] == [{"kind": "unpaired", "meaning": "rows left out: another file of the recording has ended", "count": 5,
                                 "first_rows": [1995, 1996, 1997, 1998, 1999]}]
    text = "\n".join(repr(float(row[0])) for row in rows[:1000])
    assert daemon.request("PUT", "/v1/datasets/apart-short", text.encode())[0] in (200, 201)
    fault = calibrate(daemon, {"datasets": [{**log, "time": "apart-short"}]}, 422, robot="guess")["errors"][0]
    assert fault["pointer"] == "/datasets/0" and "1000 rows in common, and one has 1000 more" in fault["detail"], fault
    # following the hint: rows that all files have
    assert 'choose the "rows" of all' in fault["hint"]
    chosen = calibrate(daemon, {"datasets": [{**log, "time": "apart-short", "rows": [0, 900]}], "method": "wls"}, robot="guess")["datasets"][0]
    assert chosen["rows"] == 1000 and chosen["samples"] > 700, chosen
    assert {"kind": "unpaired", "count": 1000} in [{k: r[k] for k in ("kind", "count")} for r in chosen["repairs"]], chosen["repairs"]


def test_units_of_joints_that_slide(daemon, rows):
    """Millimetres given as metres are refused, and so is one unit for joints of both kinds."""
    q = [[0.3 * math.sin(0.02 * k), 0.4 * math.sin(0.03 * k), 0.05 + 0.04 * math.sin(0.025 * k)] for k in range(1500)]
    lines = ["t,q0,q1,q2,tau0,tau1,tau2"] + [",".join(repr(x) for x in (0.01 * k, a, b, 1000 * c, a, b, c)) for k, (a, b, c) in enumerate(q)]
    assert daemon.request("PUT", "/v1/datasets/slides", "\n".join(lines).encode())[0] in (200, 201)
    fault = calibrate(daemon, {"datasets": ["slides"]}, 422, robot="scara")["errors"][0]
    assert "its positions are probably not in metres" in fault["detail"] and '"mm"' in fault["hint"], fault
    for answer, pointer, hint in ((["deg"] * 3, "/units/q/2", 'one of "m" "mm"'), ("deg", "/units/q", 'one of "m" "mm"; or a list, one for each joint'),
                                (["mm"] * 3, "/units/q/0", 'one of "rad" "deg" "mrad" "rev"')):
        fault = calibrate(daemon, {"datasets": ["slides"], "units": {"q": answer}}, 422, robot="scara")["errors"][0]
        assert (fault["pointer"], fault["hint"]) == (pointer, hint), fault
    assert calibrate(daemon, {"datasets": ["slides"], "units": {"q": ["rad", "rad", "mm"]}, "method": "wls"}, robot="scara")["verdict"]


def test_names_of_a_known_program_are_recognised(daemon, truth, rows):
    head = ["time"] + [f"{w}[{j}]" for w in ("state.q", "state.dq", "state.tau_J") for j in range(N)]
    lines = [",".join(head)] + [",".join(repr(float(x)) for x in [1000 * row[0], *row[1:]]) for row in rows]
    assert daemon.request("PUT", "/v1/datasets/recorded", "\n".join(lines).encode())[0] in (200, 201)
    found = calibrate(daemon, {"datasets": ["recorded"], "method": "wls"}, robot="guess")
    assert found["verdict"] and found["datasets"][0]["layout"] == "libfranka"
    assert found["datasets"][0]["columns"]["tau"] == [f"state.tau_J[{j}]" for j in range(N)]
    said = calibrate(daemon, {"datasets": ["recorded"], "columns": {"preset": "libfranka"}, "method": "wls"}, robot="guess")
    assert said["parameters"] == found["parameters"]


def test_joints_that_stand_still_are_named(daemon, truth, rows):
    rnd = random.Random(3)
    one = [[row[0], row[1], *[0.3] * (N - 1), row[1 + N], *[0.0] * (N - 1), *(x + rnd.gauss(0, 0.1) for x in row[1 + 2 * N:])] for row in rows]
    put_rows(daemon, "one-joint", one, truth)
    found = calibrate(daemon, {"datasets": ["one-joint"]}, robot="guess")
    assert found["verdict"] == "insufficient-excitation"
    assert found["reasons"][0] == ", ".join(found["joints"][1:]) + " do not move: move all joints at once, far and fast"
    # the list of unidentified parameters is complete; the reasons name only the first six
    assert len(found["unidentifiable"]) > sum("the motion does not excite" in r for r in found["reasons"]) == 6
    poses = [[row[0], *[0.3 * (j + 1) for j in range(N)], *[0.0] * N, *(rnd.gauss(5, 0.1) for _ in range(N))] for row in rows]
    put_rows(daemon, "poses", poses, truth)
    found = calibrate(daemon, {"datasets": ["poses"]}, robot="guess")
    assert found["verdict"] == "insufficient-excitation"
    assert found["reasons"][0].startswith("no joint moves")


def test_poor_motion_is_reported(daemon, truth):
    rows = ["t," + ",".join(f"{w}{j}" for w in ("q", "tau") for j in range(truth))]
    rnd = random.Random(5)
    for k in range(1000):
        # one joint moves, the others are at rest
        q = [math.sin(0.02 * k)] + [0.3] * (truth - 1)
        rows.append(",".join(repr(x) for x in [0.01 * k, *q, *(rnd.gauss(0, 0.1) for _ in range(truth))]))
    daemon.request("PUT", "/v1/datasets/poor", "\n".join(rows).encode())
    found = calibrate(daemon, {"datasets": ["poor"]}, robot="guess")
    assert found["verdict"] == "insufficient-excitation"
    assert found["rank"]["data"] < found["rank"]["structural"]
    assert found["unidentifiable"] and found["unidentifiable"][0]["combination"]
    assert any("the motion does not excite" in r for r in found["reasons"])
    # all joints at rest: only gravity and offsets
    still = [rows[0]] + [",".join(repr(x) for x in [0.01 * k, *[0.3] * truth, *(rnd.gauss(1, 0.1) for _ in range(truth))])
                         for k in range(500)]
    daemon.request("PUT", "/v1/datasets/still", "\n".join(still).encode())
    assert calibrate(daemon, {"datasets": ["still"]}, robot="guess")["verdict"] == "insufficient-excitation"
