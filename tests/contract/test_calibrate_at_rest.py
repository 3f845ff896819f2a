# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_at_rest.py - logs that contain only some of a robot's joints, the others at
# rest: parameters of the moving part, in the whole robot.
import json

import pytest
from test_calibrate import ask, calibrate, moving
from test_calibrate import motion as harmonics

MOVED = 3  # the last three joints of the arm
REST = [0.3, -0.9, 0.4]
STEP, SAMPLES = 0.01, 1200


def put(daemon, name, document):
    bare = {k: v for k, v in document.items() if k not in ("digest", "source", "name")}
    reply = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(bare).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]


@pytest.fixture(scope="module")
def arm(daemon):
    """puma560 with heavier links and friction, as `truth`: three joints at rest, three moving; the logs contain
    the moving joints only."""
    document = json.loads(daemon.request("GET", "/v1/robots/puma560")[2])
    for j, joint in enumerate(moving(document)):
        joint.pop("drive", None)
        joint["damping"], joint["friction"], joint["rotor"] = 0.3 + 0.1 * j, {"coulomb": 1 - 0.1 * j, "smoothing": 0.02}, {"inertia": 0.1, "ratio": 1}
    for link in document["links"]:
        link["mass"] *= 1.4
    put(daemon, "truth", document)
    names = [joint["name"] for joint in moving(document)]
    for run in range(2):
        rows = []
        for k in range(SAMPLES):
            rows.append(harmonics(k * STEP, MOVED, run))
        q = [REST + r[0] for r in rows]
        qd, qdd = ([[0.0] * len(REST) + r[k] for r in rows] for k in (1, 2))
        tau = ask(daemon, "truth", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
        head = ["t", *(f"{w}{j}" for w in ("q", "qd", "qdd", "tau") for j in range(MOVED))]
        text = ",".join(head) + "\n"
        for k, r in enumerate(rows):
            text += ",".join(repr(x) for x in [k * STEP, *r[0], *r[1], *r[2], *tau[k][len(REST):]]) + "\n"
        assert daemon.request("PUT", f"/v1/datasets/part{run}", text.encode(), {"Content-Type": "text/csv"})[0] in (200, 201)
    return names


def body(names, **more):
    return {"datasets": ["part0", "part1"], "at_rest": dict(zip(names, REST)), "filter": {"kind": "none"},
            "columns": {"time": "t", **{w: [f"{w}{j}" for j in range(MOVED)] for w in ("q", "qd", "qdd", "tau")}},
            "model": {"friction": ["viscous", "coulomb", "offset"], "smoothing": 0.02}, **more}


def test_moving_joints_are_identified_in_the_whole_robot(daemon, arm):
    found = calibrate(daemon, body(arm))
    assert found["joints"] == arm[3:]
    assert found["verdict"] == "usable", found["reasons"]
    got = {(p["kind"], p["joint"]): p["value"] for p in found["parameters"] if "joint" in p}
    for j, name in enumerate(arm[3:], 3):
        assert got["viscous", name] == pytest.approx(0.3 + 0.1 * j, rel=1e-3)
        assert got["coulomb", name] == pytest.approx(1 - 0.1 * j, rel=1e-3)
    # the result is the whole robot: joints at rest keep their parameters; the moving joints have the true
    # torque in a motion that was not fitted
    found["robot"].pop("along_log", None)
    before = {j["name"]: j for j in moving(json.loads(daemon.request("GET", "/v1/robots/puma560")[2]))}
    after = moving(found["robot"])
    assert [j["name"] for j in after] == arm
    for joint in after[:3]:
        assert joint["friction"] == before[joint["name"]]["friction"] and joint["origin"] == before[joint["name"]]["origin"]
    put(daemon, "found", found["robot"])
    rows = [harmonics(0.07 * k, MOVED, 9) for k in range(50)]
    unseen = {"q": [REST + r[0] for r in rows], "qd": [[0.0] * 3 + r[1] for r in rows], "qdd": [[0.0] * 3 + r[2] for r in rows]}
    truth, model = (ask(daemon, name, "inverse-dynamics", unseen)["tau"] for name in ("truth", "found"))
    for a, b in zip(truth, model):
        assert b[3:] == pytest.approx(a[3:], abs=2e-3 * max(map(abs, sum((t[3:] for t in truth), []))))


def test_the_same_as_of_a_robot_with_joints_locked(daemon, arm):
    """Locking the joints by a change of the robot gives the same fit; only the resulting robot differs: it lacks
    the locked joints."""
    lock = {"operations": [{"op": "lock", "joints": dict(zip(arm, REST))}]}
    reply = daemon.request("PATCH", "/v1/robots/puma560?name=locked", json.dumps(lock), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    request = body(arm)
    request.pop("at_rest")
    locked, held = calibrate(daemon, request, robot="locked"), calibrate(daemon, body(arm))
    assert [p["value"] for p in locked["parameters"]] == [p["value"] for p in held["parameters"]]
    assert len(moving(locked["robot"])) == MOVED and len(moving(held["robot"])) == len(arm)


def test_logs_of_some_joints_are_reminded_of_at_rest(daemon, arm):
    fault = calibrate(daemon, {"datasets": ["part0", "part1"]}, 422, robot="puma560")["errors"][0]
    assert fault["pointer"] == "/datasets/0" and 'that hold q are not named: it has 3, for 6 joints' in fault["detail"], fault
    assert 'add "columns": {"q": [the 6 columns of it' in fault["hint"] and f'"at_rest": {{"{arm[0]}": 0, ...}}' in fault["hint"], fault
    # an operation that has no such field does not name it
    reply = daemon.request("POST", "/v1/robots/puma560/payload", json.dumps({"datasets": ["part0"]}), {"Content-Type": "application/json"})
    assert reply[0] == 422 and "at_rest" not in reply[2].decode() and "it has 3, for 6 joints" in reply[2].decode(), reply[2]


def test_wrong_joints_at_rest_are_named(daemon, arm):
    for at_rest, pointer in (({"nothing": 1}, "/at_rest/nothing"), ({arm[0]: "high"}, f"/at_rest/{arm[0]}"), ([arm[0]], "/at_rest"),
                             (dict.fromkeys(arm, 0), "/at_rest")):
        for code in (400, 422):
            reply = daemon.request("POST", "/v1/robots/puma560/calibrate", json.dumps(body(arm, at_rest=at_rest)), {"Content-Type": "application/json"})
            if reply[0] == code:
                assert pointer in [e["pointer"] for e in json.loads(reply[2])["errors"]], reply[2]
                break
        else:
            raise AssertionError(reply)

