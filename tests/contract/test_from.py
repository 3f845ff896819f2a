# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_from.py - inverse dynamics along a log: columns, units, clocks, repairs, filters,
# residual.
import io
import json
import math
import random
import struct

import pytest
from conftest import problem

JOINTS = 7
STEP = 0.002


def motion(t):
    """q, qd, qdd of a smooth motion of the panda: a few harmonics for each joint."""
    q, qd, qdd = [], [], []
    for j in range(JOINTS):
        w = 2 * math.pi * 0.25
        a = [0.3, 0.1, 0.05]
        f = [1 + j % 3, 2 + j % 2, 3]
        centre = -1.5 if j == 3 else 1.6 if j == 5 else 0.0
        q.append(centre + sum(a[k] * math.sin(f[k] * w * t + j) for k in range(3)))
        qd.append(sum(a[k] * f[k] * w * math.cos(f[k] * w * t + j) for k in range(3)))
        qdd.append(sum(-a[k] * (f[k] * w) ** 2 * math.sin(f[k] * w * t + j) for k in range(3)))
    return q, qd, qdd


def ask(daemon, body, want=200, **headers):
    reply = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps(body).encode(),
                           {"Content-Type": "application/json", **headers})
    if want != 200:
        found = problem(reply, want)
        return found["errors"][0] if found.get("errors") else found
    assert reply[0] == 200, reply[2][:2000]
    return json.loads(reply[2])


@pytest.fixture(scope="module")
def samples(daemon):
    """t, q, qd, qdd, tau of 4 s."""
    times = [0.5 + STEP * k for k in range(2001)]
    q, qd, qdd = zip(*(motion(t) for t in times))
    tau = ask(daemon, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    return times, q, qd, qdd, tau


def table(times, *groups, header=None, join=","):
    out = io.StringIO()
    if header:
        out.write(join.join(header) + "\n")
    for k, t in enumerate(times):
        out.write(join.join(repr(x) for x in [t, *(x for g in groups for x in g[k])]) + "\n")
    return out.getvalue().encode()


def names(*words):
    return ["t"] + [f"{w}{j}" for w in words for j in range(JOINTS)]


def put(daemon, name, data):
    reply = daemon.request("PUT", f"/v1/datasets/{name}", data)
    assert reply[0] in (200, 201), reply[2]


def worst(a, b):
    return max(abs(x - y) for u, v in zip(a, b, strict=True) for x, y in zip(u, v, strict=True))


def test_whole_rows_give_the_torques_of_the_same_samples(daemon, samples):
    times, q, qd, qdd, tau = samples
    put(daemon, "whole", table(times, q, qd, qdd, tau, header=names("q", "qd", "qdd", "tau")))
    found = ask(daemon, {"from": {"dataset": "whole", "filter": {"kind": "none"}}})
    # rest at the ends of a log is cut in blocks of 32 rows; this log moves everywhere
    assert found["log"]["source"]["samples"] == len(times)
    assert found["log"]["source"]["clock"] == "even"
    assert found["log"]["source"]["repairs"] == []
    assert found["tau"] == tau  # the same samples, bit for bit
    assert found["tau_measured"] == tau
    assert all(j["rmse"] == 0 for j in found["residual"]["by_joint"])
    assert [j["joint"] for j in found["residual"]["by_joint"]][0] == "joint1"
    assert abs(found["log"]["t"][-1] - 4.0) < 1e-9


def test_derivatives_are_found_when_they_were_not_logged(daemon, samples):
    times, q, _, _, tau = samples
    put(daemon, "positions", table(times, q, tau, header=names("q", "tau")))
    found = ask(daemon, {"from": {"dataset": "positions", "filter": {"kind": "none"}}})
    # central differences, twice: relative error 2 (w h)^2 / 6 at w = 2 pi 0.75 Hz, h = 2 ms, of 30 N m;
    # larger at the ends
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 5e-3
    smooth = ask(daemon, {"from": {"dataset": "positions"}})
    assert smooth["log"]["filter"]["kind"] == "butterworth"
    assert smooth["log"]["filter"]["from_spectra"] is True
    assert smooth["log"]["source"]["bandwidth"]["cutoff_above_10_motion"] is True
    assert max(j["rmse"] for j in smooth["residual"]["by_joint"]) < 0.3
    golay = ask(daemon, {"from": {"dataset": "positions",
                                  "filter": {"kind": "savitzky-golay", "window": 21, "degree": 4}}})
    assert max(j["rmse"] for j in golay["residual"]["by_joint"]) < 5e-3
    first = ask(daemon, {"from": {"dataset": "positions", "filter": {"kind": "first-order", "tau_f_s": 0.001}}})
    assert max(j["rmse"] for j in first["residual"]["by_joint"]) < 0.1


def test_columns_by_number_units_scale_and_order(daemon, samples):
    times, q, qd, qdd, tau = samples
    degrees = [[math.degrees(x) for x in row] for row in q]
    currents = [[x / 2.5 for x in row] for row in tau]
    put(daemon, "odd", table([1000 * t for t in times], currents, degrees, qd, qdd, join=";"))
    body = {"from": {"dataset": "odd", "filter": {"kind": "none"}, "units": {"time": "ms", "q": "deg", "tau": "A"},
                     "scale": {"tau": [2.5] * JOINTS},
                     "columns": {"time": 0, "tau": list(range(1, 8)), "q": list(range(8, 15)),
                                 "qd": list(range(15, 22)), "qdd": list(range(22, 29))}}}
    found = ask(daemon, body)
    # to degrees and milliseconds and back: a few roundings
    assert worst(found["tau"], tau) < 1e-10
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 1e-10
    # joints in another order in the file
    order = [3, 0, 6, 1, 5, 2, 4]
    joints = [f"joint{j + 1}" for j in order]
    turn = [[row[j] for j in order] for row in q], [[row[j] for j in order] for row in qd], \
        [[row[j] for j in order] for row in qdd], [[row[j] for j in order] for row in tau]
    put(daemon, "turned", table(times, *turn, header=names("q", "qd", "qdd", "tau")))
    found = ask(daemon, {"joints": joints, "from": {"dataset": "turned", "filter": {"kind": "none"}}})
    assert found["tau"] == turn[3]
    assert [j["joint"] for j in found["residual"]["by_joint"]] == joints


def test_broken_clocks_are_repaired_and_reported(daemon, samples):
    times, q, qd, qdd, tau = samples
    rows = [[t, *a, *b, *c, *d] for t, a, b, c, d in zip(times, q, qd, qdd, tau, strict=True)]
    rnd = random.Random(3)
    for row in rows:
        row[0] += 0.0004 * rnd.random()  # jitter: times are late by up to a fifth of a period
    rows[100], rows[101] = rows[101], rows[100]  # out of order
    rows.insert(300, list(rows[299]))  # repeated
    del rows[500:512]  # a gap of 26 ms
    rows[700][3] = float("nan")
    rows[800][5] = 1e177
    rows[900][2] += 0.5  # a spike
    del rows[1200:1300]  # 0.2 s: a new segment
    put(daemon, "broken", table([r[0] for r in rows], [r[1:] for r in rows], header=names("q", "qd", "qdd", "tau")))
    found = ask(daemon, {"from": {"dataset": "broken"}})
    repairs = {r["kind"]: r for r in found["log"]["source"]["repairs"]}
    assert found["log"]["source"]["clock"] == "resampled"
    assert repairs["out-of-order"]["first_rows"] == [101]
    assert repairs["repeated-time"]["first_rows"] == [300]
    assert repairs["not-finite"]["first_rows"] == [700]
    assert repairs["absurd"]["first_rows"] == [800]
    assert repairs["spike"]["first_rows"] == [900]
    assert repairs["bridged"]["longest_s"] == pytest.approx(0.026, abs=1e-3)
    assert repairs["split"]["count"] == 1
    assert found["log"]["source"]["segments"] == 2
    # 0.4 ms of jitter at 60 N m/s, after the filter
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3


def test_impossible_logs_are_refused_with_a_hint(daemon, samples):
    times, q, qd, qdd, tau = samples
    put(daemon, "milliseconds", table([1000 * t for t in times], q, tau, header=names("q", "tau")))
    fault = ask(daemon, {"from": {"dataset": "milliseconds"}}, 422)
    assert '"units": {"time": "ms"}' in fault["hint"]
    ask(daemon, {"from": {"dataset": "milliseconds", "units": {"time": "ms"}}})
    degrees = [[math.degrees(x) for x in row] for row in q]
    put(daemon, "degrees", table(times, degrees, tau, header=names("q", "tau")))
    fault = ask(daemon, {"from": {"dataset": "degrees"}}, 422)
    assert '"units": {"q": "deg"}' in fault["hint"]
    ask(daemon, {"from": {"dataset": "degrees", "units": {"q": "deg"}}})
    rpm = [[x * 30 / math.pi for x in row] for row in qd]
    put(daemon, "rpm", table(times, q, rpm, tau, header=names("q", "qd", "tau")))
    fault = ask(daemon, {"from": {"dataset": "rpm"}}, 422)
    assert "9.5" in fault["detail"] and "units" in fault["hint"]
    ask(daemon, {"from": {"dataset": "rpm", "units": {"qd": "rpm"}}})
    put(daemon, "shuffled", table(random.Random(1).sample(times, len(times)), q, tau, header=names("q", "tau")))
    assert "time decreases" in ask(daemon, {"from": {"dataset": "shuffled"}}, 422)["detail"]
    put(daemon, "stopped", table([1.0] * len(times), q, tau, header=names("q", "tau")))
    assert "does not change" in ask(daemon, {"from": {"dataset": "stopped"}}, 422)["detail"]
    put(daemon, "holes", table(times, [[math.nan, *x[1:]] if k % 3 == 0 else x for k, x in enumerate(q)], tau,
                               header=names("q", "tau")))
    assert "667 have a number that is NaN or infinite" in ask(daemon, {"from": {"dataset": "holes"}}, 422)["detail"]


def test_wrong_requests(daemon, samples):
    times, q, qd, qdd, tau = samples
    put(daemon, "plain", table(times, q, qd, tau))
    put(daemon, "named", table(times, q, tau, header=names("q", "tau")))
    good = ask(daemon, {"from": {"dataset": "plain"}})
    assert "residual" in good
    cases = [
        ({"dataset": "nothing"}, 422, "/from", "there is no dataset"),
        ({"dataset": "named", "columns": {"time": "t", "q": "p"}}, 422, "/from/columns/q", 'no columns "p0"'),
        ({"dataset": "named", "columns": {"time": "x", "q": "q"}}, 422, "/from/columns/time", 'no column "x"'),
        ({"dataset": "plain", "columns": {"q": "1-7"}}, 422, "/from/columns", "no clock"),
        ({"dataset": "named", "columns": {"time": "t"}}, 422, "/from/columns", "hold q"),
        ({"dataset": "plain", "columns": {"time": 0, "q": [1, 2, 3, 4, 5, 6, 22]}}, 422, "/from/columns/q/6", "22 columns"),
        ({"dataset": "plain", "columns": {"time": 0, "q": [1, 2]}}, 422, "/from/columns/q", ""),
        ({"dataset": "plain", "units": {"q": "grad"}}, 422, "/from/units/q", "not a unit"),
        ({"dataset": "plain", "units": {"tau": "A"}}, 422, "/from/units/tau", "drive gains"),
        ({"dataset": "plain", "filter": {"kind": "none", "order": 4}}, 422, "/from/filter/order", "belongs to"),
        ({"dataset": "plain", "filter": {"cutoff_hz": 300}}, 422, "/from/filter/cutoff_hz", "cut-off"),
        ({"dataset": "plain", "filter": {"kind": "first-order"}}, 422, "/from/filter/tau_f_s", ""),
        ({"dataset": "plain", "rows": [5, 5]}, 422, "/from/rows", "range"),
        ({"dataset": "plain", "rows": [0, 10]}, 422, "/from", "10 rows"),
        ({"dataset": "plain", "job": "x"}, 422, "/from", "either"),
        ({"columns": {}}, 422, "/from", "no dataset"),
        ({"dataset": "plain", "colums": {}}, 400, "/from/colums", ""),
        ({"dataset": True}, 400, "/from/dataset", ""),
        ({"dataset": None}, 400, "/from/dataset", ""),
        ({"dataset": "plain", "filter": {"cutoff_hz": 0.001}}, 422, "/from/filter/cutoff_hz", "too slow"),
        ({"dataset": "plain", "filter": {"kind": "first-order", "tau_f_s": 1000}}, 422, "/from/filter/tau_f_s", "too slow"),
    ]
    for body, status, pointer, detail in cases:
        fault = ask(daemon, {"from": body}, status)
        assert fault["pointer"] == pointer, (body, fault)
        assert detail in fault["detail"], (body, fault)
    fault = ask(daemon, {"from": {"dataset": "plain"}, "q": q[0]}, 422)
    assert '"q" is there as well' in fault["detail"]
    assert ask(daemon, {"from": [1]}, 400)["pointer"] == "/from"
    rows = ask(daemon, {"from": {"dataset": "plain", "rows": [[100, 600], [1000, 1500]], "filter": {"kind": "none"}}})
    assert rows["log"]["source"]["segments"] == 2
    assert len(rows["tau"]) == 1000
    assert rows["log"]["t"][0] == pytest.approx(0.2)


def test_presets(daemon, samples):
    times, q, qd, _, tau = samples
    stamp = [1.7e9 + t for t in times]
    ros = ["Time", "header.seq", "header.stamp.secs", "header.stamp.nsecs", "header.frame_id"] + \
        [f"{w}_{j}" for w in ("name", "position", "velocity", "effort") for j in range(JOINTS)]
    lines = [",".join(ros)]
    for k, t in enumerate(stamp):
        lines.append(",".join([repr(t), str(k), str(int(t)), str(round((t - int(t)) * 1e9)), "base",
                               *(f"panda_joint{j + 1}" for j in range(JOINTS)),
                               *map(repr, q[k]), *map(repr, qd[k]), *map(repr, tau[k])]))
    put(daemon, "ros", "\n".join(lines).encode())
    found = ask(daemon, {"from": {"dataset": "ros", "columns": {"preset": "ros-joint-state"}}})
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3
    assert found["log"]["source"]["period_s"] == pytest.approx(STEP, rel=1e-4)
    franka = ["time", "success_rate"] + [f" state.{w}[{j}]" for w in ("q", "q_d", "dq", "dq_d", "tau_J") for j in range(JOINTS)]
    put(daemon, "franka", (",".join(franka) + "\n").encode() +
        table([1000 * t for t in times], [[1.0]] * len(times), q, q, qd, qd, tau))
    found = ask(daemon, {"from": {"dataset": "franka", "columns": {"preset": "libfranka"}}})
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3
    rtde = ["timestamp"] + [f"{w}_{j}" for w in ("actual_q", "actual_qd", "actual_current") for j in range(JOINTS)]
    put(daemon, "rtde", (" ".join(rtde) + "\n").encode() + table(times, q, qd, tau, join=" "))
    body = {"from": {"dataset": "rtde", "columns": {"preset": "ur-rtde"}}}
    assert "scale" in ask(daemon, body, 422)["hint"]
    body["from"]["scale"] = {"tau": 1.0}
    found = ask(daemon, body)
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3
    # one file for each quantity, as NPY
    def npy(rows):
        n = len(rows[0])
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {n}), }}".ljust(117) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + \
            b"".join(struct.pack(f"<{n}d", *r) for r in rows)
    put(daemon, "split-q", npy(q))
    put(daemon, "split-tau", npy(tau))
    put(daemon, "split-t", npy([[t] for t in times]))
    body = {"from": {"q": "split-q", "tau": "split-tau", "time": "split-t", "filter": {"kind": "none"}}}
    assert max(j["rmse"] for j in ask(daemon, body)["residual"]["by_joint"]) < 5e-3
    del body["from"]["time"]
    body["from"]["rate_hz"] = 1 / STEP
    assert max(j["rmse"] for j in ask(daemon, body)["residual"]["by_joint"]) < 5e-3


def test_a_simulation_is_a_log(daemon):
    body = {"initial": {"q": [0, 0, 0, -1.5, 0, 1.6, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.01}, "include": ["qdd"],
            "input": {"kind": "torque", "t": [0, 0.25, 0.5], "interpolation": "linear",
                      "tau": [[0, -20, 0, 15, 0, 2, 0], [1, -25, 1, 20, 0.1, 2, 0.1], [0, -20, 0, 15, 0, 2, 0]]}}
    reply = daemon.request("POST", "/v1/robots/panda/simulate", json.dumps(body).encode(), {"Content-Type": "application/json"})
    assert reply[0] == 200, reply[2]
    jobs = json.loads(daemon.request("GET", "/v1/jobs?kind=simulate&limit=1")[2])["jobs"]
    found = ask(daemon, {"from": {"job": jobs[0]["id"], "filter": {"kind": "none"}}})
    assert len(found["tau"]) == 51
    # with the simulation's own accelerations the torque is the input torque
    assert max(j["worst"] for j in found["residual"]["by_joint"]) < 1e-9


def test_answers_in_cbor_and_npy(daemon, samples):
    times, q, qd, qdd, tau = samples
    put(daemon, "binary", table(times, q, qd, qdd, tau, header=names("q", "qd", "qdd", "tau")))
    body = json.dumps({"from": {"dataset": "binary", "filter": {"kind": "none"}}}).encode()
    head = {"Content-Type": "application/json"}
    cbor = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, {**head, "Accept": "application/cbor"})
    assert cbor[0] == 200 and b"residual" in cbor[2] and b"by_joint" in cbor[2]
    array = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, {**head, "Accept": "application/x-npy"})
    assert array[0] == 200
    assert array[2].endswith(struct.pack("<7d", *tau[-1]))


def test_rounding_of_times_takes_no_sample(daemon):
    """The last row is alone in its block of rows; the sample periods are not binary fractions."""
    for n in (1000, 3000):
        for name, time in (("sum", lambda k: 0.01 * k), ("quotient", lambda k: k / 100), ("later", lambda k: 5 + k / 100)):
            rows = [motion(time(k))[0] for k in range(n)]
            daemon.request("PUT", f"/v1/datasets/clock-{name}", table([time(k) for k in range(n)], rows, header=names("q")))
            source = ask(daemon, {"from": {"dataset": f"clock-{name}", "filter": {"cutoff_hz": 5}}})["log"]["source"]
            # at each end what the filter takes to forget what is beyond: log(3e-3) / log of the largest pole of SciPy's
            # butter(4, 5, fs=100) is 48.9 samples
            assert (source["samples"], source["samples_at_borders_left_out"], source["samples_at_rest_left_out"]) == (n - 98, 98, 0), (n, name)
