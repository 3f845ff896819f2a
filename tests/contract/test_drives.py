# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_drives.py - drives of a robot over HTTP: put, get, quantities along a motion.
import json
import math

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1]
QDD = [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
JSON = {"Content-Type": "application/json"}


def drive(k):
    return {"motor": {"constant_nm_a": 0.05, "resistance": 0.6, "inductance": 6e-4, "inertia": 2e-5, "viscous": 1e-5},
            "gear": {"ratio": 100.0 + k}, "amplifier": {"kind": "pwm", "supply_v": 48.0},
            "current_limit": {"continuous_a": 5.0, "peak_a": 15.0, "foldback_time_s": 2.0}}


@pytest.fixture(scope="module")
def driven(daemon):
    """A panda with a drive on five of its seven joints."""
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    moving = [j for j in document["joints"] if j["v"]["count"] == 1]
    for k, joint in enumerate(moving):
        joint.pop("rotor")
        if k not in (2, 5):
            joint["drive"] = drive(k)
    status, _, body = daemon.request("PUT", "/v1/robots/driven", json.dumps(document), JSON)
    assert status == 201, body
    report = json.loads(body)
    assert {"where": "robot", "text": "joints with drives", "count": 5} in report["understood"]
    return [j["name"] for k, j in enumerate(moving)]


def ask(daemon, robot, call, body):
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), JSON)
    return status, json.loads(text)


def test_a_document_with_drives_comes_back(daemon, driven):
    text = daemon.request("GET", "/v1/robots/driven")[2]
    document = json.loads(text)
    reply = [j["drive"] for j in document["joints"] if "drive" in j]
    assert len(reply) == 5 and reply[0]["gear"] == {"ratio": 100} and reply[0]["motor"] == drive(0)["motor"]
    status, _, body = daemon.request("PUT", "/v1/robots/driven-again", text, JSON)
    assert status == 201, body
    _, one = ask(daemon, "driven", "inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD})
    _, other = ask(daemon, "driven-again", "inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD})
    assert one["tau"] == other["tau"]
    status, _, urdf = daemon.request("GET", "/v1/robots/driven", headers={"Accept": "application/xml"})
    assert status == 200 and b"amplifiers of 5 joints" in (urdf if isinstance(urdf, bytes) else urdf.encode())


def test_what_a_motion_requires_of_the_drives(daemon, driven):
    body = {"q": [Q, Q], "qd": [QD, [40 * x for x in QD]], "qdd": [QDD, QDD], "include": ["drive"]}
    status, answer = ask(daemon, "driven", "inverse-dynamics", body)
    assert status == 200, answer
    reply = answer["drive"]
    with_drive = [k for k in range(7) if k not in (2, 5)]
    assert reply["joints"] == [driven[k] for k in with_drive]
    for s in range(2):
        for n, k in enumerate(with_drive):
            eta, qd = 100.0 + k, body["qd"][s][k]
            current = answer["tau"][s][k] / eta / 0.05
            voltage = 0.6 * current + 0.05 * eta * qd
            # inverse dynamics computes the torque in two ways: they differ by the rounding of 100 N m
            assert reply["current"][s][n] == pytest.approx(current, abs=1e-12, rel=1e-12)
            assert reply["voltage"][s][n] == pytest.approx(voltage, abs=1e-12, rel=1e-12)
            assert reply["duty"][s][n] == pytest.approx(0.5 + voltage / 96, abs=1e-13)
            assert reply["power"][s][n] == pytest.approx(voltage * current, abs=1e-10, rel=1e-11)
            assert reply["motor_speed"][s][n] == pytest.approx(eta * qd, abs=1e-12, rel=1e-12)
            assert reply["continuous_use"][s][n] == pytest.approx(abs(current) / 5, abs=1e-12, rel=1e-12)
    # 12 rad/s of joint 4 give 62 V of back-EMF at the motor
    assert reply["feasible"] == [1, 0] and max(reply["voltage_use"][1]) > 1


def test_terms_and_other_orders_have_the_same_result(daemon, driven):
    _, one = ask(daemon, "driven", "terms", {"q": Q, "qd": QD, "qdd": QDD, "include": ["drive", "decoupling"]})
    turned = list(reversed(range(7)))
    body = {"joints": [driven[k] for k in turned], "q": [Q[k] for k in turned], "qd": [QD[k] for k in turned],
            "qdd": [QDD[k] for k in turned], "include": ["drive", "decoupling"]}
    status, other = ask(daemon, "driven", "terms", body)
    assert status == 200, other
    assert one["drive"] == other["drive"]  # drives are in the robot's order, with their names
    assert one["decoupling"]["decoupled"] == [other["decoupling"]["decoupled"][k] for k in reversed(range(7))]


def test_decoupling_is_wrong_by_what_is_left_out(daemon, driven):
    names = ["decoupling", "mass_matrix", "coriolis_vector"]
    _, a = ask(daemon, "driven", "terms", {"q": Q, "qd": QD, "qdd": QDD, "include": names})
    for i in range(7):
        others = sum(a["mass_matrix"][i][j] * QDD[j] for j in range(7) if j != i)
        assert a["decoupling"]["inertia_diagonal"][i] == pytest.approx(-others, abs=1e-13)
        assert a["decoupling"]["decoupled"][i] == pytest.approx(-others - a["coriolis_vector"][i], abs=1e-13)


def test_without_drives_there_is_no_report(daemon):
    answer = daemon.request("POST", "/v1/robots/panda/terms", json.dumps({"q": Q, "include": ["drive"]}), JSON)
    fault = problem(answer, 422)["errors"][0]
    assert "drive" in fault["hint"]


# -- over time --------------------------------------------------------------------------------------------------------

MOTOR = {"constant_nm_a": 0.05, "resistance": 0.6, "inertia": 1e-4, "viscous": 2e-4}


def put_rig(daemon, name, **more):
    """One bar about z: inertia 0.05 kg m^2 about the joint, viscous friction 0.1 N m s/rad."""
    document = {"gravity": [0, 0, -9.81],
                "links": [{"name": "base"}, {"name": "bar", "mass": 1, "com": [0, 0, 0], "inertia_about": "com",
                                             "inertia": [[0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]}],
                "joints": [{"name": "j", "kind": "continuous", "parent": "base", "child": "bar", "axis": [0, 0, 1],
                            "damping": 0.1, "drive": {"gear": {"ratio": 100}, "motor": MOTOR, **more}}]}
    status, _, body = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), JSON)
    assert status in (200, 201), body


def test_a_step_of_voltage_is_an_exponential_without_inductance(daemon):
    put_rig(daemon, "rig")
    body = {"initial": {"q": [0]}, "duration_s": 0.2, "output": {"interval_s": 0.02},
            "drives": {"command": "voltage", "t": [0, 1], "values": [[24], [24]]}}
    status, answer = ask(daemon, "rig", "simulate", body)
    assert status == 200, answer
    stiff = 0.05**2 + 0.6 * 2.1e-4
    time, final = 1.05e-4 * 0.6 / stiff, 0.05 * 24 / stiff
    for t, qd, current in zip(answer["t"], answer["qd"], answer["drive_current"]):
        speed = final * (1 - math.exp(-t / time))
        assert 100 * qd[0] == pytest.approx(speed, rel=1e-8, abs=1e-7)
        assert current[0] == pytest.approx((24 - 0.05 * speed) / 0.6, rel=1e-7, abs=1e-7)
    assert answer["drives"] == {"command": "voltage", "reduced": False, "joints": ["j"]}
    assert all(x == [0] for x in answer["drive_limited"])


def test_inductance_costs_what_the_reduction_says(daemon):
    motor = {**MOTOR, "inductance": 6e-3}
    put_rig(daemon, "coil", motor=motor)
    body = {"initial": {"q": [0]}, "duration_s": 0.3, "output": {"interval_s": 0.0005},
            "drives": {"command": "voltage", "t": [0, 1], "values": [[24], [24]]}}
    runs = []
    for reduced in (False, True):
        body["drives"]["reduced"] = reduced
        status, answer = ask(daemon, "coil", "simulate", {**body, "solver": {"method": "bdf" if not reduced else "dopri45"}})
        assert status == 200, answer
        runs.append([100 * qd[0] for qd in answer["qd"]])
    final = 0.05 * 24 / (0.05**2 + 0.6 * 2.1e-4)
    seen = max(abs(a - b) for a, b in zip(*runs)) / final
    status, _, text = daemon.request("POST", "/v1/drive", json.dumps({
        "drive": {"motor": motor, "gear": {"ratio": 100}}, "load": {"inertia": 0.05, "viscous": 0.1}}), JSON)
    reply = json.loads(text)["reduction"]["speed_error"]
    assert status == 200 and seen == pytest.approx(reply, rel=1e-3) and reply > 0.05


def test_torque_asked_for_arrives_unless_a_limit_holds(daemon):
    put_rig(daemon, "free")
    put_rig(daemon, "held", amplifier={"supply_v": 48},
            current_limit={"continuous_a": 1, "peak_a": 3, "foldback_time_s": 0.1})
    body = {"initial": {"q": [0]}, "duration_s": 1, "output": {"interval_s": 0.01},
            "input": {"kind": "torque", "t": [0, 1], "tau": [[20], [20]]}}
    _, plain = ask(daemon, "free", "simulate", body)
    status, free = ask(daemon, "free", "simulate", {**body, "drives": {}})
    assert status == 200, free
    for a, b in zip(plain["q"], free["q"]):
        assert a[0] == pytest.approx(b[0], rel=1e-12, abs=1e-14)
    status, held = ask(daemon, "held", "simulate", {**body, "drives": {"command": "torque"}})
    assert status == 200, held
    current = [x[0] for x in held["drive_current"]]
    # time at which 9 (1 - exp(-t / 0.1 s)), the filtered square of 3 A, reaches 0.95 of the square of 1 A
    folds = -0.1 * math.log(1 - 0.95 / 9)
    for t, i in zip(held["t"], current):
        assert i == pytest.approx(3, abs=1e-12) if t < folds - 1e-6 else i < 3
    assert current[-1] == pytest.approx(1, abs=1e-3) and held["drive_limited"][-1] == [1]


def test_members_of_an_ensemble_have_drives_too(daemon):
    put_rig(daemon, "rig")
    common = {"duration_s": 0.1, "output": {"interval_s": 0.05}, "solver": {"method": "rk4", "step_s": 1e-3},
              "drives": {"command": "voltage", "t": [0, 1], "values": [[24], [24]]}}
    status, many = ask(daemon, "rig", "ensemble", {
        **common, "initial": {"q": [0]}, "vary": [{"of": "q", "joint": "j", "list": [0, 0.5]}], "return_members": [1]})
    assert status == 200, many
    _, one = ask(daemon, "rig", "simulate", {**common, "initial": {"q": [0.5]}})
    assert many["returned_members"][0]["q"] == one["q"]


@pytest.mark.parametrize("drives, pointer", [
    ({"command": "volt"}, "/drives/command"), ({"command": "voltage"}, "/drives/t"),
    ({"command": "voltage", "t": [0, 1]}, "/drives/values"),
    ({"command": "voltage", "t": [1, 0], "values": [[1], [1]]}, "/drives/t/1"),
    ({"command": "voltage", "t": [0, 1], "values": [[1], [1, 2]]}, "/drives/values/1"),
    ({"command": "duty", "t": [0, 1], "values": [[1], [1]]}, "/drives/command"),
    ({"command": "velocity", "t": [0, 1], "values": [[1], [1]]}, "/drives/command"),
    ({"t": [0, 1]}, "/drives/t")])
def test_wrong_drives_have_their_place(daemon, drives, pointer):
    put_rig(daemon, "rig")
    body = {"initial": {"q": [0]}, "duration_s": 1, "output": {"interval_s": 1}, "drives": drives}
    answer = daemon.request("POST", "/v1/robots/rig/simulate", json.dumps(body), JSON)
    assert problem(answer, 422)["errors"][0]["pointer"] == pointer
    answer = daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps({**body, "initial": {"q": [0, 0]}}), JSON)
    assert problem(answer, 422)["errors"][0]["pointer"] == "/drives"
