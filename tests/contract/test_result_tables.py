# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_result_tables.py - results as CSV and by ?format=: samples, runs, and a calibration's parameters, predictions and residuals.
import csv
import io
import json
import math

import numpy as np
import pytest
from conftest import problem

Q = [[0.1 * k, 0.2, 0.3 - 0.1 * k, 0.4, 0.5, 0.6] for k in range(4)]


def post(daemon, path, body, **headers):
    return daemon.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", "Prefer": "wait=3600", **headers})


def good(reply, media):
    assert reply[0] == 200 and reply[1]["Content-Type"] == media, (reply[0], reply[2][:500])
    return reply[2]


def table(reply):
    rows = list(csv.reader(io.StringIO(good(reply, "text/csv").decode())))
    return rows[0], rows[1:]


def numbers(rows):
    return [[float(x) if x else None for x in row] for row in rows]


@pytest.mark.parametrize("operation, body, names", [
    ("inverse-dynamics", {"q": Q}, ["tau"]),
    ("inverse-dynamics", {"q": Q, "include": ["gravity_torque", "mass_matrix"]}, ["tau", "gravity_torque", "mass_matrix"]),
    ("forward-dynamics", {"q": Q, "qd": Q, "tau": Q}, ["qdd"]),
    ("terms", {"q": Q, "include": ["gravity_torque", "mass_matrix"]}, ["gravity_torque", "mass_matrix"]),
    ("trajectory", {"waypoints": Q, "times_s": [0, 1, 2, 3], "interval_s": 0.1, "timing": "quintic"}, ["t", "q", "qd", "qdd"]),
])
def test_samples_come_as_lines(daemon, operation, body, names):
    """The same numbers as in JSON, one line for each sample, requested by Accept or by ?format=."""
    path = f"/v1/robots/ur10e/{operation}"
    plain = json.loads(good(post(daemon, path, body), "application/json"))
    for header, rows in (table(post(daemon, path, body, Accept="text/csv")), table(post(daemon, path + "?format=csv", body)),
                         table(post(daemon, path + "?format=csv", body, Accept="application/json"))):
        assert sorted({name.rsplit("_", 1)[0] if name.rsplit("_", 1)[-1].isdigit() else name for name in header}) == sorted(names)
        for name in names:
            columns = [c for c, word in enumerate(header) if word == name or (word.startswith(name + "_") and word[len(name) + 1:].isdigit())]
            got = [[row[c] for c in columns] for row in numbers(rows)]
            assert got == [np.array(sample).ravel().tolist() for sample in plain[name]], name
    arrays = np.load(io.BytesIO(good(post(daemon, path + "?format=npz", body), "application/x-npz")))
    assert all(np.array_equal(arrays[name], np.array(plain[name])) for name in names)
    assert json.loads(good(post(daemon, path + "?format=json", body, Accept="application/cbor"), "application/json")) == plain
    good(post(daemon, path + "?format=cbor", body), "application/cbor")


def test_one_sample_is_one_line(daemon):
    header, rows = table(post(daemon, "/v1/robots/ur10e/inverse-dynamics?format=csv", {"q": Q[0], "include": ["mass_matrix"]}))
    assert header == [*[f"tau_{j}" for j in range(6)], *[f"mass_matrix_{k}" for k in range(36)]] and len(rows) == 1
    assert np.load(io.BytesIO(good(post(daemon, "/v1/robots/ur10e/inverse-dynamics?format=npy", {"q": Q}), "application/x-npy"))).shape == (4, 6)


def test_accelerations_come_as_one_array(daemon):
    path, body = "/v1/robots/ur10e/forward-dynamics", {"q": Q, "qd": Q, "tau": Q}
    plain = json.loads(good(post(daemon, path, body), "application/json"))["qdd"]
    for reply in (post(daemon, path, body, Accept="application/x-npy"), post(daemon, path + "?format=npy", body)):
        assert np.array_equal(np.load(io.BytesIO(good(reply, "application/x-npy"))), np.array(plain))
    assert "one array" in problem(post(daemon, path, body | {"include": ["mass_matrix"]}, Accept="application/x-npy"), 406)["detail"]


def test_poses_come_as_lines(daemon):
    body = {"q": Q, "frames": ["wrist_3_link"]}
    header, rows = table(post(daemon, "/v1/robots/ur10e/kinematics?format=csv", body))
    assert len(rows) == len(Q) and any("position" in name for name in header), header


def test_words_that_are_no_format_are_refused(daemon):
    assert '"format=xml"' in problem(post(daemon, "/v1/robots/ur10e/inverse-dynamics?format=xml", {"q": Q}), 422)["detail"]
    problem(post(daemon, "/v1/robots/ur10e/inverse-dynamics?format=csv&form=x", {"q": Q}), 400)
    problem(post(daemon, "/v1/robots/ur10e/trajectory?format=npy", {"waypoints": Q, "times_s": [0, 1, 2, 3], "interval_s": 0.1, "timing": "quintic"}), 406)
    problem(daemon.request("GET", "/v1/jobs/nothing/result?format=tsv"), 404)


def test_a_run_comes_in_every_form(daemon):
    body = {"initial": {"q": [0.3]}, "duration_s": 0.5, "output": {"interval_s": 0.01}}
    header, rows = table(post(daemon, "/v1/robots/pendulum/simulate?format=csv", body))
    assert header[:2] == ["t", "q_0"] and len(rows) == 51 and float(rows[-1][0]) == 0.5
    job = json.loads(daemon.request("GET", "/v1/jobs?kind=simulate&limit=1")[2])["jobs"][0]["id"]
    get = lambda tail, **headers: daemon.request("GET", f"/v1/jobs/{job}/result{tail}", headers=headers)  # noqa: E731
    assert table(get("?format=csv")) == (header, rows) == table(get("", Accept="text/csv"))
    assert table(get("?format=csv&fields=t,q"))[0] == ["t", "q_0"] == table(get("?fields=t,q&format=csv"))[0]
    arrays = np.load(io.BytesIO(good(get("?format=npz"), "application/x-npz")))
    assert arrays["t"].tolist() == [float(row[0]) for row in rows]
    good(get("?format=cbor"), "application/cbor")
    assert json.loads(good(get("?format=json", Accept="text/csv"), "application/json"))["t"] == arrays["t"].tolist()
    assert table(get("/q?format=csv"))[0] == ["q_0"]
    assert np.load(io.BytesIO(good(get("/q?format=npy"), "application/x-npy"))).shape == (51, 1)
    problem(get("/q?format=npz"), 406)
    problem(get("?format=tsv"), 422)


@pytest.fixture(scope="module")
def calibrated(daemon):
    """Calibrates a two-joint arm by logs of its own torque."""
    t = np.arange(1000) / 100
    w = 2 * np.pi * 0.2
    q = np.stack([0.8 * np.sin(w * t) + 0.3 * np.sin(3 * w * t + 1), 0.7 * np.cos(2 * w * t) + 0.2 * np.sin(5 * w * t)], axis=1)
    qd = np.gradient(q, t, axis=0)
    qdd = np.gradient(qd, t, axis=0)
    tau = np.array(json.loads(good(post(daemon, "/v1/robots/planar-2r/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}),
                                   "application/json"))["tau"])
    tau += np.random.default_rng(5).normal(0, 0.01 * np.abs(tau).max(), tau.shape)
    for name, part in (("first", slice(0, 600)), ("second", slice(400, 1000))):
        text = "t,q1,q2,tau1,tau2\n" + "\n".join(",".join(repr(float(x)) for x in row) for row in np.column_stack([t, q, tau])[part])
        assert daemon.request("PUT", f"/v1/datasets/{name}", text.encode())[0] in (200, 201)
    body = {"datasets": ["first", "second"], "method": "wls"}
    plain = json.loads(good(post(daemon, "/v1/robots/planar-2r/calibrate", body), "application/json"))
    job = json.loads(daemon.request("GET", "/v1/jobs?kind=calibrate&limit=1")[2])["jobs"][0]["id"]
    return body, plain, job


def test_parameters_of_a_calibration_are_a_table(daemon, calibrated):
    body, plain, job = calibrated
    for reply in (daemon.request("GET", f"/v1/jobs/{job}/result?format=csv"), daemon.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "text/csv"}),
                  daemon.request("GET", f"/v1/jobs/{job}/result/parameters?format=csv"), daemon.request("GET", f"/v1/jobs/{job}/result/parameters.csv"),
                  post(daemon, "/v1/robots/planar-2r/calibrate?format=csv", body)):
        header, rows = table(reply)
        assert header[:8] == ["name", "kind", "link", "joint", "unit", "value", "standard_deviation", "low"]
        found = [dict(zip(header, row)) for row in rows]
        assert [f["name"] for f in found] == [p["name"] for p in plain["parameters"]]
        for f, p in zip(found, plain["parameters"]):
            assert (float(f["value"]) if f["value"] else None) == p["value"] and f["verdict"] == p["verdict"]
            assert (float(f["standard_deviation"]) if f["standard_deviation"] else None) == p["standard_deviation"]
            assert (f["link"] or None, f["joint"] or None) == (p.get("link"), p.get("joint"))


def test_predictions_and_residuals_of_a_calibration_are_a_table(daemon, calibrated):
    _, plain, job = calibrated
    joints = plain["joints"]
    for reply in (daemon.request("GET", f"/v1/jobs/{job}/result/prediction?format=csv"), daemon.request("GET", f"/v1/jobs/{job}/result/prediction.csv")):
        header, rows = table(reply)
        assert header == ["log", "used_in_fit", "t", *[f"{w}_{j}" for w in ("tau_measured", "tau_predicted", "residual") for j in joints]]
        at = 0
        for log in plain["prediction"]:
            for k, t in enumerate(log["t"]):
                row = rows[at]
                measured, predicted = log["tau_measured"][k], log["tau_predicted"][k]
                assert row[:2] == [log["name"], str(int(log["used_in_fit"]))]
                assert [float(x) for x in row[2:]] == [t, *measured, *predicted, *[x - y for x, y in zip(measured, predicted)]]
                at += 1
        assert at == len(rows) > 500


def test_arrays_of_a_calibration_have_parameters_and_predictions(daemon, calibrated):
    _, plain, job = calibrated
    arrays = np.load(io.BytesIO(good(daemon.request("GET", f"/v1/jobs/{job}/result?format=npz"), "application/x-npz")))
    values = [math.nan if p["value"] is None else p["value"] for p in plain["parameters"]]
    assert np.array_equal(arrays["parameter_values"], values, equal_nan=True)
    assert np.array_equal(arrays["parameter_deviations"], [math.nan if p["standard_deviation"] is None else p["standard_deviation"] for p in plain["parameters"]],
                          equal_nan=True)
    for k, log in enumerate(plain["prediction"]):
        for name in ("t", "tau_measured", "tau_predicted", "residual"):
            assert np.array_equal(arrays[f"prediction.{k}.{name}"], np.array(log[name]))
        assert np.array_equal(log["residual"], np.array(log["tau_measured"]) - np.array(log["tau_predicted"]))


def test_lists_of_objects_are_tables(daemon):
    """Events of a run and members of an ensemble: one column for each key, one line for each object."""
    run = {"initial": {"q": [0.3, 0.2]}, "duration_s": 2, "output": {"interval_s": 0.5}, "events": [{"on": "qd", "joint": "joint1"}, {"on": "kinetic_energy", "level": 0.5}]}
    reply = daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(run), {"Content-Type": "application/json"})
    events = json.loads(good(reply, "application/json"))["events"]
    where = reply[1].get("Content-Location", reply[1].get("Location", "")).removesuffix("/result")
    header, rows = table(daemon.request("GET", f"{where}/result/events?format=csv"))
    assert {key for event in events for key in event} == set(header) and len(rows) == len(events) > 1
    for event, row in zip(events, rows, strict=True):
        got = dict(zip(header, row, strict=True))
        for key in header:
            assert got[key] == "" if key not in event else got[key] == event[key] if isinstance(event[key], str) else float(got[key]) == event[key]
    problem(daemon.request("GET", f"{where}/result/events", headers={"Accept": "application/x-npy"}), 406)
    many = {"initial": {"q": [0.3, 0.2]}, "duration_s": 0.1, "output": {"interval_s": 0.05}, "return_members": [0, 2], "members": 3,
            "vary": [{"of": "q", "joint": "joint1", "uniform": [-1, 1]}, {"of": "qd", "joint": "joint2", "uniform": [-1, 1]}]}
    reply = daemon.request("POST", "/v1/robots/planar-2r/ensemble", json.dumps(many), {"Content-Type": "application/json"})
    members = json.loads(good(reply, "application/json"))["returned_members"]
    where = reply[1].get("Content-Location", reply[1].get("Location", "")).removesuffix("/result")
    header, rows = table(daemon.request("GET", f"{where}/result/returned_members", headers={"Accept": "text/csv"}))
    assert header == ["member", "values_0", "values_1", "outcome"], "q and qd are tables of their own"
    assert [[float(r[0]), float(r[1]), float(r[2]), r[3]] for r in rows] == [[m["member"], *m["values"], m["outcome"]] for m in members]

