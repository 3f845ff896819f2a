# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_log_layouts.py - 33 file layouts of one run of a six-axis arm: read without any option
# or with one, or refused with instructions for conversion.
"""The run is generated here. Each layout must give the generator's positions and torques joint by joint, so that
columns attributed to another joint fail. `words` counts the options in the request besides the dataset's
name."""
import gzip
import io
import json
import math
import pickle
import struct
import subprocess
import zipfile

import numpy as np
import pytest
from conftest import problem
from scipy.io import savemat

N = 6
ROWS = 1200
RATE = 125.0
JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
GAINS = [15.0, 13.0, 11.0, 10.5, 11.0, 11.5]


def motion():
    """t, q, qd of a few harmonics for each joint."""
    t = np.arange(ROWS) / RATE
    w = 2 * np.pi * 0.25 * np.array([1, 2, 3])
    a = np.array([0.5, 0.2, 0.1])
    q = np.stack([-1.2 * (j == 1) + (a * np.sin(np.outer(t, w) + j + 1)).sum(axis=1) for j in range(N)], axis=1)
    qd = np.stack([(a * w * np.cos(np.outer(t, w) + j + 1)).sum(axis=1) for j in range(N)], axis=1)
    qdd = np.stack([(-a * w * w * np.sin(np.outer(t, w) + j + 1)).sum(axis=1) for j in range(N)], axis=1)
    return t, q, qd, qdd


@pytest.fixture(scope="module")
def run(daemon):
    """t, q, qd, tau; torques are realistic for this arm, since units are checked against gravity."""
    t, q, qd, qdd = motion()
    reply = daemon.request("POST", "/v1/robots/ur10e/inverse-dynamics", json.dumps({"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}).encode(),
                           {"Content-Type": "application/json"})
    assert reply[0] == 200, reply[2][:500]
    return t, q, qd, np.array(json.loads(reply[2])["tau"])


def csv(columns, header=None, join=",", number=repr, end="\n", above=()):
    """CSV text of columns; header is a list of names."""
    lines = list(above) + ([join.join(header)] if header else [])
    return (end.join(lines + [join.join(number(float(x)) if not isinstance(x, str) else x for x in row) for row in zip(*columns)]) + end).encode()


def each(*arrays):
    return [column for array in arrays for column in (array.T if array.ndim == 2 else [array])]


def named(*words, first=1, form="{}{}"):
    return [form.format(w, j + first) for w in words for j in range(N)]


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(compressed=True, **arrays):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **arrays)
    return out.getvalue()


def german(x):
    return f"{x:.9f}".replace(".", ",")


def records(t, q, qd, tau):
    out = np.zeros(ROWS, dtype=[("stamp", "M8[ns]"), ("t", "<f8"), ("q", "<f8", (N,)), ("mode", "U8"), ("qd", "<f4", (N,)), ("ok", "?"), ("tau", "<f8", (N,))])
    out["t"], out["q"], out["qd"], out["tau"] = t, q, qd, tau
    out["stamp"] = np.datetime64("2026-11-22T23:59:55", "ns") + (t * 1e9).astype("m8[ns]")
    return npy(out)


def iso(t):
    return [str(np.datetime64("2026-11-22T23:59:55.000000", "us") + np.timedelta64(int(round(x * 1e6)), "us")) + "+00:00" for x in t]


def ros(t, q, qd, tau, name="{}[{}]"):
    """/joint_states: joints in alphabetical order, as drivers publish them, among them a gripper's joint."""
    order = np.argsort(JOINTS)
    names = [JOINTS[j] for j in order]
    sec, nano = np.floor(t) + 1.7e9, np.round(1e9 * (t % 1.0))
    words = [[n] * ROWS for n in names]
    header = ["header.stamp.sec", "header.stamp.nanosec", "header.frame_id"] + \
        [name.format(w, j) for w in ("name", "position", "velocity", "effort") for j in range(N)]
    return [[str(int(x)) for x in sec], [str(int(x)) for x in nano], ["base"] * ROWS, *words, *each(q[:, order], qd[:, order], tau[:, order])], header


def lists(t, q, qd, tau):
    order = np.argsort(JOINTS)
    cell = lambda row: '"array(\'d\', ' + str([float(x) for x in row]) + ')"'  # noqa: E731
    names = '"' + str([JOINTS[j] for j in order]) + '"'
    lines = ["time,name,position,velocity,effort"]
    lines += [f"{float(t[k])!r},{names},{cell(q[k, order])},{cell(qd[k, order])},{cell(tau[k, order])}" for k in range(ROWS)]
    return "\n".join(lines).encode()


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


PLOTJUGGLER = ["__time"] + [f"/joint_states/{j}/{w}" for w in ("effort", "position", "velocity") for j in sorted(JOINTS)]


def plotjuggler(t, q, qd, tau):
    order = np.argsort(JOINTS)
    return csv(each(t + 1.7e9, tau[:, order], q[:, order], qd[:, order]), PLOTJUGGLER)


# name: bytes (or {quantity: bytes}, one file each), options of the request, layout in the answer[, tolerance]
READ = {
    "headerless t q qd tau": (lambda t, q, qd, tau: csv(each(t, q, qd, tau)), {}, "plain"),
    "tab .dat with exponents": (lambda t, q, qd, tau: csv(each(t, q, qd, tau), join="\t", number="{:.12e}".format), {}, "plain"),
    "German Excel": (lambda t, q, qd, tau: csv(each(t, q, qd, tau), ["t", *named("q", "qd", "tau")], ";", german), {}, "the usual names"),
    "q1..q6 names": (lambda t, q, qd, tau: csv(each(t, q, qd, tau), ["t", *named("q", "qd", "tau")]), {}, "the usual names"),
    "a row of units below the header": (
        lambda t, q, qd, tau: csv(each(t, np.degrees(q), np.degrees(qd), tau),
                                  ["t", *named("q", "qd", "tau")[:-1], "tau6\ns," + ",".join(["deg"] * N + ["deg/s"] * N + ["Nm"] * N)]), {}, "the usual names"),
    "BOM, CRLF, quotes": (lambda t, q, qd, tau: b"\xef\xbb\xbf" + csv(each(t, q, qd, tau), [f'"{w}"' for w in ["time", *named("q", "qd", "tau")]], end="\r\n"),
                          {}, "the usual names"),
    "NPY float64": (lambda t, q, qd, tau: npy(np.column_stack([t, q, qd, tau])), {}, "plain"),
    "NPY float32": (lambda t, q, qd, tau: npy(np.column_stack([t, q, qd, tau]).astype("f4")), {}, "plain"),
    "ROS names position[0]": (lambda t, q, qd, tau: csv(*ros(t, q, qd, tau)), {}, "the usual names"),
    "bagpy": (lambda t, q, qd, tau: csv(each(t + 1.7e9, q, qd, tau), ["Time", *[f"{w}_{j}" for w in ("position", "velocity", "effort") for j in range(N)]]),
              {}, "the usual names"),
    "libfranka": (lambda t, q, qd, tau: csv(each(1e3 * t, q, qd, tau), ["time", *[f"state.{w}[{j}]" for w in ("q", "dq", "tau_J") for j in range(N)]]), {}, "libfranka"),
    "UR RTDE, currents": (lambda t, q, qd, tau: csv(each(t, q, qd, tau / GAINS), ["timestamp", *[f"actual_{w}_{j}" for w in ("q", "qd", "current") for j in range(N)]], " "),
                          {"scale": {"tau": GAINS}}, "ur-rtde"),
    "KUKA RSI, degrees without a clock": (lambda t, q, qd, tau: csv(each(np.degrees(q), tau), [*named("AIPos.A"), *named("Torque.A")]), {"rate_hz": RATE}, "kuka-rsi"),
    "KUKA FRI": (lambda t, q, qd, tau: csv(each(np.arange(ROWS), t, np.floor(t) + 1e9, 1e9 * (t % 1.0), q, q, tau),
                                           ["index", "time", "tsec", "tnsec", *named("mp", "ip", "mt")]), {}, "kuka-fri"),
    "KUKA LBR DataRecorder": (
        lambda t, q, qd, tau: csv(each(np.floor(t) + 1e9, 1e9 * (t % 1.0), q, tau),
                                  ["ZeitInSec", "ZeitInNanoSec", *[f"{w}_LBR_iiwa_7_R800_1[{j}]" for w in ("axisQMsr", "axisTauMsr") for j in range(N)]], " "),
        {}, "kuka-lbr"),
    "A1..A6 with decimal commas": (lambda t, q, qd, tau: csv(each(t, np.degrees(q), tau), ["Zeit", *named("A"), *named("M")], ";", german), {}, "kuka-rsi"),
    "one file a quantity": (lambda t, q, qd, tau: {"time": csv(each(t)), "q": csv(each(q)), "tau": csv(each(tau))}, {}, "plain"),
    "ros2 topic echo --csv": (lambda t, q, qd, tau: csv(ros(t, q, qd, tau)[0]), {}, "ros2-topic-echo"),
    "PlotJuggler": (plotjuggler, {}, "words and joints"),
    "joint1_pos": (lambda t, q, qd, tau: csv(each(t, q, qd, tau), ["t", *[f"joint{j + 1}_{w}" for w in ("pos", "vel", "torque") for j in range(N)]]), {}, "words and joints"),
    "31 columns without a header": (lambda t, q, qd, tau: csv(each(446.415 + t, q, qd, tau, tau / GAINS, 0 * tau)), {"columns": {"groups": "t q qd tau"}}, None),
    "pandas with an index and ISO times": (
        lambda t, q, qd, tau: csv([[str(k) for k in range(ROWS)], iso(t), *each(q, qd, tau)], ["", "stamp", *named("q", "qd", "tau")]), {}, "the usual names"),
    "arrays inside a cell": (lists, {}, "the usual names"),
    "structured NPY": (records, {}, "the usual names"),
    "NPZ": (lambda t, q, qd, tau: npz(t=t, q=q, qd=qd, tau=tau, dt=np.array([0.008]), order=np.asfortranarray(q)), {}, "the usual names"),
    "CSV.gz": (lambda t, q, qd, tau: gzip.compress(csv(each(t, q, qd, tau), ["t", *named("q", "qd", "tau")])), {}, "the usual names"),
    "CSV.zst": (lambda t, q, qd, tau: zstd(csv(each(t, q, qd, tau), ["t", *named("q", "qd", "tau")])), {}, "the usual names"),
    "JSON": (lambda t, q, qd, tau: json.dumps({"robot": "ur10e", "t": t.tolist(), "q": q.tolist(), "qd": qd.tolist(), "tau": tau.tolist()}, indent=1).encode(),
             {}, "the usual names"),
}


def matlab(t, q, qd, tau):
    out = io.BytesIO()
    savemat(out, {"t": t, "q": q})
    return out.getvalue()


# name: bytes (with the magic numbers of the format's specification), what the hint must name
REFUSED = {
    "Parquet": (b"PAR1\x15\x04\x15\x10" + bytes(200) + b"PAR1", "read_parquet"),
    "Arrow, Feather": (b"ARROW1\0\0\xff\xff\xff\xff" + bytes(200), "read_feather"),
    "HDF5": (b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0" + bytes(200), "h5py"),
    "MAT v5": (matlab, "loadmat"),
    "MAT v7.3": (b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(200), "h5py"),
    "JSON lines": (lambda t, q, qd, tau: "\n".join(json.dumps({"t": a, "q": b}) for a, b in zip(t.tolist(), q.tolist())).encode(), "lines=True"),
    "JSON records": (lambda t, q, qd, tau: json.dumps([{"t": a, "q": b} for a, b in zip(t.tolist(), q.tolist())]).encode(), "read_json"),
    "pickle": (lambda t, q, qd, tau: pickle.dumps({"t": t, "q": q}), "read_pickle"),
    "MCAP": (b"\x89MCAP0\r\n\x01" + bytes(200), "PlotJuggler"),
    "rosbag2": (b"SQLite format 3\0" + bytes(200), "ros2 topic echo --csv"),
    "rosbag": (b"#ROSBAG V2.0\n" + bytes(200), "rostopic echo"),
}
# the 33 most common layouts; the other entries of the two tables are variants
SHAPES = [*(k for k in READ if k not in ("CSV.zst", "KUKA FRI", "KUKA LBR DataRecorder")), *(k for k in REFUSED if k not in ("MAT v7.3", "JSON records", "rosbag"))]


def put(daemon, name, data):
    reply = daemon.request("PUT", f"/v1/datasets/{name}", data)
    assert reply[0] in (200, 201), reply[2]
    return json.loads(reply[2])


def along(daemon, log):
    reply = daemon.request("POST", "/v1/robots/ur10e/inverse-dynamics", json.dumps({"from": log}).encode(),
                           {"Content-Type": "application/json"})
    assert reply[0] == 200, reply[2][:1500]
    return json.loads(reply[2])


def test_number_of_layouts_that_are_read():
    read = [k for k in SHAPES if k in READ]
    assert len(SHAPES) == 33 and len(read) >= 24
    assert all(len(READ[k][1]) <= 1 for k in READ)


@pytest.mark.parametrize("shape", READ)
def test_a_log_of_this_shape_is_read(daemon, run, shape):
    make, said, layout = READ[shape]
    data = make(*run)
    if isinstance(data, dict):
        log = {}
        for quantity, part in data.items():
            put(daemon, f"shape-{quantity}", part)
            log[quantity] = f"shape-{quantity}"
    else:
        put_answer = put(daemon, "shape", data)
        assert put_answer["rows"] >= ROWS and put_answer["columns"] >= 2 * N, put_answer
        log = {"dataset": "shape"}
    found = along(daemon, {**log, **said, "filter": {"kind": "none"}})
    source = found["log"]["source"]
    assert source.get("layout") == layout, source
    # the generator's torques at the times of the answer; float32 and nine decimals are the coarsest formats
    t, q, qd, tau = run
    times = np.array(found["log"]["t"]) - found["log"]["t"][0]  # a row of units counts as a row of the file
    got = np.array(found["tau_measured"])
    want = np.stack([np.interp(times, t - t[0], tau[:, j]) for j in range(N)], axis=1)
    assert got.shape == want.shape and len(times) > 0.98 * ROWS
    assert np.abs(got - want).max() < 2e-3 * np.abs(tau).max(), np.abs(got - want).max(axis=0)
    # and the torques belong to the positions: those of another joint would give a large residual
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3


@pytest.mark.parametrize("shape", REFUSED)
def test_a_log_of_this_shape_is_refused_with_the_way_to_convert(daemon, run, shape):
    make, hint = REFUSED[shape]
    fault = problem(daemon.request("PUT", "/v1/datasets/refused", make(*run) if callable(make) else make), 415)["errors"][0]
    assert hint in fault["hint"], fault
    assert daemon.request("GET", "/v1/datasets/refused")[0] == 404


def test_words_in_the_first_line_of_a_log_without_a_header_are_reported(daemon, run):
    t, q, qd, tau = run
    columns = each(t, q, tau)
    found = put(daemon, "words", csv([columns[0], ["ok"] * ROWS, *columns[1:]]))
    assert found["rows"] == ROWS and 'cell 2: "ok"' in found["findings"][0] and "no header" in found["findings"][0]
    # a single word in the first line may be a name: the line is taken as the header, and the answer states
    # that
    text = csv(columns).decode().replace("0.0,", "0.0,ok,", 1).replace("\n", "\n", 1)
    first, rest = text.split("\n", 1)
    cells = first.split(",")
    cells[2:4] = []
    found = put(daemon, "word", ("\n".join([",".join([cells[0], "ok", *cells[2:], "0"]), rest])).encode())
    assert found["rows"] == ROWS - 1 and "taken for the header" in found["findings"][0], found["findings"]
    assert "findings" not in put(daemon, "words", csv(columns, ["t", *named("q", "tau")]))


def test_columns_by_pattern_range_and_joint(daemon, run):
    t, q, qd, tau = run
    header = ["clock", *[f"m{j + 1}/x" for j in range(N)], *[f"{j}:load" for j in reversed(JOINTS)]]
    put(daemon, "odd", csv(each(t, q, tau[:, ::-1]), header))
    found = along(daemon, {"dataset": "odd", "columns": {"time": "clock", "q": "m%/x", "tau": "%:load"}, "filter": {"kind": "none"}})
    assert found["log"]["source"]["columns"] == {"time": ["clock"], "q": [f"m{j + 1}/x" for j in range(N)], "tau": [f"{j}:load" for j in JOINTS]}
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3
    again = along(daemon, {"dataset": "odd", "columns": {"time": 0, "q": "1-6", "tau": "%:load"}, "filter": {"kind": "none"}})
    assert again["tau"] == found["tau"] and again["tau_measured"] == found["tau_measured"]
    for columns, detail in [({"time": 0, "q": "1-5"}, "expected 6 of the 13 columns"), ({"time": 0, "q": "m%/y"}, "in place of %"),
                            ({"time": 0, "q": "8-13"}, "expected 6 of the 13"), ({"groups": "t q nonsense"}, "no group of columns"),
                            ({"groups": "t q qd tau"}, "has 13 columns")]:
        reply = daemon.request("POST", "/v1/robots/ur10e/inverse-dynamics", json.dumps({"from": {"dataset": "odd", "columns": columns}}).encode(),
                               {"Content-Type": "application/json"})
        assert detail in problem(reply, 422)["errors"][0]["detail"], reply[2]


def test_units_in_names_are_taken(daemon, run):
    t, q, qd, tau = run
    header = ["time [ms]", *[f"q{j} [deg]" for j in range(N)], *[f"tau{j} [mNm]" for j in range(N)]]
    put(daemon, "units", csv(each(1e3 * t, np.degrees(q), 1e3 * tau), header))
    found = along(daemon, {"dataset": "units", "filter": {"kind": "none"}})
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3
    # options of the request take precedence; amperes need gains
    put(daemon, "units", csv(each(t, q, tau), ["t", *[f"q{j}" for j in range(N)], *[f"tau{j} [A]" for j in range(N)]]))
    assert "residual" not in along(daemon, {"dataset": "units"})
    reply = daemon.request("POST", "/v1/robots/ur10e/calibrate", b'{"datasets": ["units"]}', {"Content-Type": "application/json", "Prefer": "wait=3600"})
    assert "amperes" in problem(reply, 422)["errors"][0]["detail"]
    found = along(daemon, {"dataset": "units", "units": {"tau": "Nm"}, "filter": {"kind": "none"}})
    assert max(j["rmse"] for j in found["residual"]["by_joint"]) < 0.3


def test_an_archive_leaves_out_what_is_no_column(daemon, run):
    t, q, qd, tau = run
    found = put(daemon, "archive", npz(False, t=t, q=q, dt=np.array([0.008]), tau=tau))
    assert (found["rows"], found["columns"], found["left_out"], found["media_type"]) == (ROWS, 1 + 2 * N, ["dt"], "application/x-npz")
    assert [s["name"] for s in found["statistics"]][:3] == ["t", "q[0]", "q[1]"]
    assert found["statistics"][1]["max"] == q[:, 0].max()
    points = json.loads(daemon.request("GET", "/v1/datasets/archive?points=10")[2])
    assert len(points["series"]) == 1 + 2 * N and max(points["series"][1]["max"]) == q[:, 0].max()


def test_compressed_logs_keep_their_bytes_and_cannot_grow_without_bound(daemon):
    data = gzip.compress(b"t,q\n" + b"0,1\n" * 1000)
    assert put(daemon, "packed", data)["media_type"] == "application/gzip"
    reply = daemon.request("GET", "/v1/datasets/packed/content")
    assert reply[2] == data and reply[1]["Content-Type"] == "application/gzip"
    bomb = gzip.compress(b"0,1\n" * (20 << 20), 9)
    assert "256 times" in problem(daemon.request("PUT", "/v1/datasets/bomb", bomb), 413)["detail"]
    problem(daemon.request("PUT", "/v1/datasets/bomb", data[:-20]), 400)
    problem(daemon.request("PUT", "/v1/datasets/bomb", data[:40] + b"\0\1\2\3" + data[44:]), 400)
    assert "twice" in json.dumps(problem(daemon.request("PUT", "/v1/datasets/bomb", gzip.compress(data)), 415))
    window = subprocess.run(["zstd", "-q", "-c", "--ultra", "-22", "--long=27"], input=b"0,1\n" * (8 << 20), stdout=subprocess.PIPE, check=True).stdout
    assert "8 MiB" in problem(daemon.request("PUT", "/v1/datasets/bomb", window), 413)["detail"]
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as z:
        z.writestr("[Content_Types].xml", "<x/>")
    assert "Excel" in json.dumps(problem(daemon.request("PUT", "/v1/datasets/bomb", sheet.getvalue()), 415))
