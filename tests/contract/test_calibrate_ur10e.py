# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_ur10e.py - measured logs of an arm: errors on runs that were left out, delay,
# logs with poor motion, damaged logs.
import json
import pathlib

import pytest
from conftest import SLOW, numbers
from test_calibrate import ask, calibrate, last_job, moving

# measured logs that are not in the repository: next to it, or next to the folder of its work trees
NEAR = [p / "shared" / "data" / "ur10e" for p in pathlib.Path(__file__).resolve().parents[3:5]]
UR10E = next((p for p in NEAR if p.is_dir()), NEAR[0])


def ur10e_daemon(daemon):
    if not UR10E.is_dir():
        pytest.skip("no UR10E logs beside the repository")
    reply = daemon.request("PUT", "/v1/robots/ur10e-lab", (UR10E / "ur10e.urdf").read_bytes(), {"Content-Type": "application/xml"})
    assert reply[0] in (200, 201)


def put_ur10e(daemon, folder):
    names = []
    for file in sorted((UR10E / folder).glob("*.csv")):
        names.append(file.stem)
        assert daemon.request("PUT", f"/v1/datasets/{file.stem}", file.read_bytes())[0] in (200, 201)
    return names


COLUMNS = {"columns": {"time": 0, "q": [1, 2, 3, 4, 5, 6], "qd": [7, 8, 9, 10, 11, 12], "tau": [13, 14, 15, 16, 17, 18]},
           "units": {"tau": "A"}, "scale": {"tau": [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]}}


def test_ur10e_leave_one_run_out(daemon):
    ur10e_daemon(daemon)
    runs = put_ur10e(daemon, "excitation")
    found = calibrate(daemon, {"datasets": runs, **COLUMNS}, robot="ur10e-lab")
    # 58 base parameters with viscous, Coulomb and offset friction; 12 more: Stribeck and load-dependent
    # friction of each joint
    assert found["rank"]["structural"] == found["rank"]["data"] == 70
    assert "load" in found["robot_note"] and "yield" in found["robot_note"] and found["robot"] is not None
    assert found["validation"]["kind"] == "leave-one-out"
    # bounds for the default settings, N m
    for got, most in zip(found["validation"]["rmse"], (3.0, 3.4, 1.55, 0.39, 0.51, 0.38)):
        assert got < most, found["validation"]["rmse"]
    assert found["friction_sign"] == {"smoothing": 0.01, "presliding": 2e-4, "relaxation_s": 2, "from_data": True}
    assert {d["friction_way"] for d in found["datasets"]} == {"velocity"}
    # the rms of all logs follows from those of the logs: friction memory is not carried from one log to the
    # next
    parts = [(d["samples"], e["rmse"]) for d, e in zip(found["datasets"], found["validation"]["by_dataset"])]
    for r, whole in enumerate(found["validation"]["rmse"]):
        assert whole**2 == pytest.approx(sum(n * rmse[r] ** 2 for n, rmse in parts) / sum(n for n, _ in parts), rel=1e-9)
    plain = calibrate(daemon, {"datasets": runs, **COLUMNS, "model": {"friction": ["viscous", "coulomb", "offset"], "smoothing": 0.01}},
                      robot="ur10e-lab")
    assert plain["rank"]["structural"] == plain["rank"]["data"] == 58
    # presliding explains more than the sign of velocity does, on every joint
    assert all(x < y for x, y in zip(found["validation"]["rmse"], plain["validation"]["rmse"]))
    assert found["feasibility"]["objective"] <= 1.005 * found["feasibility"]["objective_unconstrained"]
    # positions are recorded a little later than the torque; vibration faster than the arm's motion
    # accelerates the rotor of joint 1 alone
    assert found["delay"]["from_data"] and 0.005 < found["delay"]["delay_s"] < 0.009
    rotor = next(p["value"] for p in found["parameters"] if p["kind"] == "rotor" and p["joint"] == found["joints"][0])
    assert found["beyond_cutoff"][0]["inertia"] == pytest.approx(rotor, rel=0.15)
    # a leave-one-out result equals a fit without that run: delay, load and weights do not depend on the run
    # left out
    for left in (runs[0], runs[4]) if SLOW == 1 else runs[:1]:
        alone = calibrate(daemon, {"datasets": [r for r in runs if r != left], "validate": [left], **COLUMNS}, robot="ur10e-lab")
        once = next(d["rmse"] for d in found["validation"]["by_dataset"] if d["name"] == left)
        assert alone["validation"]["rmse"] == pytest.approx(once, rel=0.01)
        assert alone["delay"]["delay_s"] == pytest.approx(found["delay"]["delay_s"], abs=0.0005)
    repairs = {r["kind"] for d in found["datasets"] for r in d["repairs"]}
    assert "bridged" in repairs  # the gap of 34 ms


@numbers
def test_ur10e_each_run_alone_shows_the_delay(daemon):
    ur10e_daemon(daemon)
    for run in put_ur10e(daemon, "excitation")[:None if SLOW == 1 else 2]:
        delay = calibrate(daemon, {"datasets": [run], **COLUMNS, "validate": "none"}, robot="ur10e-lab")["delay"]
        assert delay["from_data"] and 0.004 < delay["delay_s"] < 0.009, (run, delay)


@numbers
def test_ur10e_the_whole_way_to_a_run_not_seen(daemon):
    ur10e_daemon(daemon)
    runs = put_ur10e(daemon, "excitation")
    found = calibrate(daemon, {"datasets": runs[:-1], **COLUMNS}, robot="ur10e-lab")
    urdf = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/robot.urdf")[2]
    reply = daemon.request("PUT", "/v1/robots/ur10e-found", urdf, {"Content-Type": "application/xml"})
    assert reply[0] in (200, 201), reply[2]
    along = ask(daemon, "ur10e-found", "inverse-dynamics", {"from": {"dataset": runs[-1], **COLUMNS}})
    rmse = [j["rmse"] for j in along["residual"]["by_joint"]]
    # of the fit itself: 2.51 2.31 1.15 0.31 0.43 0.33 N m; with friction as a function of each sample alone:
    # 3.75 4.68 1.64 0.46 0.56 0.50
    alone = calibrate(daemon, {"datasets": runs[:-1], "validate": [runs[-1]], **COLUMNS}, robot="ur10e-lab")
    assert along["log"]["friction"] == "along_log"
    assert along["log"]["delay_s"] == found["delay"]["delay_s"]
    assert along["log"]["filter"]["cutoff_hz"] == found["filter"]["cutoff_hz"]
    for got, fit in zip(rmse, alone["validation"]["rmse"]):
        assert got == pytest.approx(fit, rel=0.01), rmse


def test_ur10e_static_poses_hold_the_gravity_found(daemon):
    ur10e_daemon(daemon)
    runs, poses = put_ur10e(daemon, "excitation"), put_ur10e(daemon, "static")
    found = calibrate(daemon, {"datasets": runs, "validate": poses, **COLUMNS}, robot="ur10e-lab")
    check = found["gravity_check"]
    assert check["poses"] == len(poses) and check["used_in_fit"] is False
    for joint in check["by_joint"]:
        # the residual is within the friction band at every pose
        assert joint["poses_outside"] == 0 and joint["worst"] < joint["friction_band"], joint
    # nothing was mounted: payload mass 0, with a deviation below 0.17 kg
    assert abs(check["payload"]["mass"]) < 3 * check["payload"]["standard_deviation_kg"] < 0.5
    assert found["verdict"] == "usable" and found["reasons"] == []


def test_ur10e_poor_and_broken_logs(daemon):
    ur10e_daemon(daemon)
    for folder in ("single-joint", "static"):
        found = calibrate(daemon, {"datasets": put_ur10e(daemon, folder)[:1], **COLUMNS}, robot="ur10e-lab")
        assert found["verdict"] == "insufficient-excitation", folder
        assert found["unidentifiable"]
    # not a log of this arm: 19 columns, numbers such as 1e111
    broken = put_ur10e(daemon, "broken")[0]
    found = calibrate(daemon, {"datasets": [broken], **COLUMNS}, robot="ur10e-lab")
    repairs = {r["kind"]: r for r in found["datasets"][0]["repairs"]}
    assert repairs["absurd"]["first_rows"][0] == 2
    assert found["verdict"] != "usable"
    fault = calibrate(daemon, {"datasets": [broken], **COLUMNS, "columns": {**COLUMNS["columns"], "tau": list(range(25, 31))}},
                      422, robot="ur10e-lab")
    assert "has 19 columns" in fault["errors"][0]["detail"]


def test_forward_after_inverse_along_a_measured_log_returns_the_torque(daemon):
    """The model has friction, springs and rotors; samples with a joint at rest are left out, since static
    friction is not a function of the state."""
    ur10e_daemon(daemon)
    document = json.loads(daemon.request("GET", "/v1/robots/ur10e-lab")[2])
    for j, joint in enumerate(moving(document)):
        joint["damping"] = 5 + j
        joint["friction"] = {"coulomb": 4 - 0.5 * j, "offset": 0.1 * j, "breakaway": 6, "stribeck_velocity": 0.2}
        joint["rotor"] = {"inertia": 1 + 0.1 * j, "ratio": 1}
        joint["spring"] = {"stiffness": 20 + j, "rest": 0.1 * j}
    document.pop("digest"), document.pop("source"), document.pop("name")
    reply = daemon.request("PUT", "/v1/robots/ur10e-whole", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2][:1000]
    rows = [[float(x) for x in line.split(",")] for line in next(iter(sorted((UR10E / "excitation").glob("*.csv")))).read_text().split()]
    motion = []
    for before, here, after in zip(rows, rows[1:], rows[2:]):
        qdd = [(b - a) / (after[0] - before[0]) for a, b in zip(before[7:13], after[7:13])] if after[0] > before[0] else None
        if qdd is not None and min(abs(v) for v in here[7:13]) > 1e-3:
            motion.append((here[1:7], here[7:13], qdd))
    assert len(motion) > 1000
    q, qd, qdd = ([m[k] for m in motion] for k in range(3))
    tau = ask(daemon, "ur10e-whole", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
    again = ask(daemon, "ur10e-whole", "forward-dynamics", {"q": q, "qd": qd, "tau": tau})["qdd"]
    back = ask(daemon, "ur10e-whole", "inverse-dynamics", {"q": q, "qd": qd, "qdd": again})["tau"]
    for row, other in zip(tau, back):
        # 100 times the rounding error of terms of some hundred N m
        assert max(abs(x - y) for x, y in zip(row, other)) <= 100 * 2.2e-16 * 6 * max(100, max(map(abs, row)))
