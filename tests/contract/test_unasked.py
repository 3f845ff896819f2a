# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_unasked.py - what answers say unasked: bases without motors, limits that a run exceeds, arrays that a table leaves out.
import io
import json

import numpy
import pytest
from conftest import problem
from test_requests_people_write import ask, expected_limits, panda_limits, refused


# What a run says about its robot


def run_of(daemon, robot, target, **more):
    body = {"initial": {"q": target}, "duration_s": 0.02, "output": {"interval_s": 0.01},
            "input": {"kind": "pd-gravity", "kp": 60, "kd": 2, "reference": {"setpoint": target}}}
    return ask(daemon, "simulate", body | more, robot)


@pytest.fixture(scope="module")
def legs(daemon):
    """The quadruped, whose revolute joints are the only driven ones; as `hung`, with a motor at all of them, its base too; and its weight."""
    document = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    assert document.pop("actuated") == [joint["name"] for joint in document["joints"] if joint["kind"] == "revolute"]
    assert daemon.request("PUT", "/v1/robots/hung", json.dumps(document), {"Content-Type": "application/json"})[0] in (200, 201)
    return "quadruped", 9.81 * sum(link.get("mass", 0) for link in document["links"])


HOVER = {"base": [0, 0, 0.4, 1, 0, 0, 0]}


def test_a_controller_that_drives_a_floating_base_is_warned_of(daemon, legs):
    driven, weight = legs
    answer = run_of(daemon, "hung", HOVER)
    (said,) = answer["warnings"]
    assert said["joint"] == "base" and 'the floating joint "base"' in said["text"] and '"actuated"' in said["text"]
    assert f"(up to {weight:.6g} N m or N)" in said["text"] and answer["tau"][0][2] == pytest.approx(weight, rel=1e-12)
    assert "warnings" not in run_of(daemon, driven, HOVER)
    # torques that are given: of the base too, or of the legs alone
    for tau, n in ((1.5, 1), (0.0, 0)):
        table = {"kind": "torque", "t": [0, 1], "tau": [[0, tau] + [0] * 16] * 2}
        found = run_of(daemon, "hung", HOVER, input=table).get("warnings", [])
        assert len(found) == n and all("up to 1.5 N" in one["text"] for one in found)
    many = {"initial": {"q": HOVER}, "duration_s": 0.01, "output": {"interval_s": 0.01}, "vary": [{"of": "mass_factor", "link": "trunk", "list": [1, 1.1]}],
            "input": {"kind": "pd-gravity", "kp": 60, "kd": 2, "reference": {"setpoint": HOVER}}}
    many["vary"][0]["link"] = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])["joints"][0]["child"]
    assert [one["joint"] for one in ask(daemon, "ensemble", many, "hung")["warnings"]] == ["base"]
    assert "warnings" not in ask(daemon, "ensemble", many, driven)


def test_forward_dynamics_warns_of_torque_on_a_floating_base(daemon, legs):
    """As simulate does of the same torque."""
    q = [0, 0, 0.4, 1, 0, 0, 0] + [0] * 12
    for robot in ("hung", legs[0]):
        for base, n in (([0, 0, 1.5, 0, 0, -2.5], 1), ([0] * 6, 0)):
            answer = ask(daemon, "forward-dynamics", {"q": q, "tau": base + [3.0] * 12}, robot)
            assert len(answer.get("warnings", [])) == n
            assert all(one["joint"] == "base" and "up to 2.5 N" in one["text"] for one in answer.get("warnings", []))
    # a batch that is computed while it arrives: the worst is in its first, a middle and its last block
    for worst in (3, 7000, 19999):
        tau = [[0, 0, 0.25 if i % 5 == 0 else 0, 0, 0, 0] + [1.0] * 12 for i in range(20000)]
        tau[worst][4] = -4.75
        (said,) = ask(daemon, "forward-dynamics", {"q": [q] * 20000, "qd": [[0] * 18] * 20000, "tau": tau}, "quadruped")["warnings"]
        assert "up to 4.75 N" in said["text"]
    assert "warnings" not in ask(daemon, "forward-dynamics", {"q": [0] * 7, "tau": [1] * 7})


def test_torque_that_driven_joints_cannot_produce_is_said_unasked(daemon, legs):
    driven, weight = legs
    (said,) = ask(daemon, "inverse-dynamics", {"q": HOVER}, driven)["warnings"]
    assert said["sample"] == 0 and f"up to {weight:.6g} N m or N are missing" in said["text"] and "actuation" in said["text"]
    asked = ask(daemon, "inverse-dynamics", {"q": HOVER, "include": ["actuation"]}, driven)
    assert asked["actuation"]["missing"] == pytest.approx(weight, rel=1e-12) and len(asked["warnings"]) == 1
    # in free fall nothing is missing; of a batch the worst sample is named
    fall = {"base": [0, 0, -9.81, 0, 0, 0]}
    assert "warnings" not in ask(daemon, "inverse-dynamics", {"q": HOVER, "qdd": fall}, driven)
    q = [0, 0, 0.4, 1, 0, 0, 0] + [0] * 12
    batch = {"q": [q] * 200, "qdd": [[0, 0, -9.81 if i != 130 else -4.0] + [0] * 15 for i in range(200)]}
    assert [one["sample"] for one in ask(daemon, "inverse-dynamics", batch, driven)["warnings"]] == [130]
    assert "warnings" not in ask(daemon, "inverse-dynamics", {"q": HOVER}, "hung")


def test_limits_that_a_run_exceeds_are_named_and_change_nothing(daemon):
    goal = [0.3, -0.5, 0.2, -2.0, 0.1, 1.7, 3.5]
    body = {"initial": {"q": [0, -0.7854, 0, -2.3562, 0, 1.5708, 0.7854]}, "duration_s": 0.5, "output": {"interval_s": 0.001},
            "input": {"kind": "pd-gravity", "kp": 2000, "kd": 20, "reference": {"setpoint": goal}}}
    run = ask(daemon, "simulate", body)
    said = {(one.pop("joint"), one.pop("limit")): one for one in run["limits"]["exceeded"]}
    wanted = expected_limits(panda_limits(daemon), run)
    assert said.keys() == wanted.keys() and {limit for _, limit in said} == {"upper", "velocity", "torque"}
    for key, one in wanted.items():
        assert said[key].pop("t") == run["t"][one["sample"]]
        assert said[key] == pytest.approx(one, abs=1e-12), key
    (warning,) = run["warnings"]
    assert warning["joint"] == "joint7" and "torque limit" in warning["text"] and f'{said["joint7", "torque"]["by"]:.4g} N m' in warning["text"]
    # the same motion without limits, and none exceeded
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    for joint in document["joints"]:
        if joint.get("limits"):
            joint["limits"] = {"lower": -100, "upper": 100, "velocity": 1e6, "effort": 1e6}
    assert daemon.request("PUT", "/v1/robots/unbound", json.dumps(document), {"Content-Type": "application/json"})[0] in (200, 201)
    free = ask(daemon, "simulate", body, "unbound")
    assert "limits" not in free and "warnings" not in free and free["q"] == run["q"] and free["tau"] == run["tau"]
    # clipped torques are within
    body["input"]["effort_limits"] = "robot"
    assert "torque" not in {one["limit"] for one in ask(daemon, "simulate", body)["limits"]["exceeded"]}


def test_the_fastest_motion_meets_its_limits_and_exceeds_none(daemon):
    """Bounds are met to rounding: 2.175 rad/s came back as 2.1750000000000003, and was listed."""
    goals = [[-2.0, 1.2, 1.5, -2.3, 0.0, 1.7, 0.8], [1.5, 0.8, -1.2, -2.0, 0.4, 2.0, 1.0], [-1, 0.3, 1.1, -0.9, -0.7, 1.1, -2.0]]
    met = 0
    for goal in goals:
        path = ask(daemon, "trajectory", {"waypoints": [[0, 0, 0, -1.5, 0, 1.5, 0], goal], "limits": {"kind": "time-optimal", "acceleration": [10] * 7}, "interval_s": 0.01})
        assert path["violations"] == [] and {one["limit"] for one in path["binding"]} >= {"velocity"}
        met += max(abs(row[k]) / 2.175 for row in path["qd"] for k in range(4)) > 1
        assert "velocity" not in {one["limit"] for one in ask(daemon, "inverse-dynamics", path | {"include": ["limits"]})["limits"]["exceeded"]}
    assert met > 0  # by rounding alone


def test_six_axes_of_a_robot_of_fewer_joints_are_remarked_on(daemon):
    pose = {"position": [0.3, 0.2, 0.1], "rpy": [0.3, 0.2, 0.1]}
    answer = ask(daemon, "inverse-kinematics", {"pose": pose}, "scara")
    (said,) = answer["warnings"]
    assert answer["solutions"] == [] and "6 axes are asked of 3 degrees of freedom" in said["text"] and '"axes": ["x", "y", "z"]' in said["text"]
    # a pose that it reaches, and a robot that has the freedoms
    at = ask(daemon, "kinematics", {"q": [0.3, 0.4, 0.1]}, "scara")["frames"][-1]
    reached = ask(daemon, "inverse-kinematics", {"frame": at["link"], "pose": {"position": at["position"], "rotation": at["rotation"]}}, "scara")
    assert reached["solutions"] and "warnings" not in reached
    far = ask(daemon, "inverse-kinematics", {"pose": pose | {"position": [3, 0, 0]}}, "ur5e")
    assert far["solutions"] == [] and "warnings" not in far


# Tables of numbers


def npy(array):
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def test_a_table_may_leave_out_its_last_arrays(daemon):
    rng = numpy.random.default_rng(3)
    q, qd, none = rng.uniform(-1, 1, (441, 7)), rng.uniform(-1, 1, (441, 7)), numpy.zeros((441, 7))
    headers = {"Content-Type": "application/x-npy"}
    for table, body, zeros in ((q, {"q": q.tolist()}, ["qd", "qdd"]), (numpy.asfortranarray(q), {"q": q.tolist()}, ["qd", "qdd"]),
                               (numpy.hstack([q, qd]), {"q": q.tolist(), "qd": qd.tolist()}, ["qdd"]), (q[0], {"q": q[0].tolist()}, ["qd", "qdd"]),
                               (numpy.hstack([q, qd, none]), {"q": q.tolist(), "qd": qd.tolist(), "qdd": none.tolist()}, None)):
        for call, last in (("inverse-dynamics", "tau"), ("forward-dynamics", "qdd")):
            written = {("tau" if key == "qdd" and call[0] == "f" else key): value for key, value in body.items()}
            status, _, text = daemon.request("POST", f"/v1/robots/panda/{call}", npy(table), headers)
            assert status == 200, text
            answer, plain = json.loads(text), ask(daemon, call, written)
            assert answer[last] == plain[last] and answer.get("assumed_zero") == plain.get("assumed_zero")
            assert answer.get("assumed_zero") == (zeros and [("tau" if key == "qdd" and call[0] == "f" else key) for key in zeros])
    for wrong in (6, 8, 13, 15, 20, 22):
        answer = problem(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", npy(numpy.zeros((2, wrong))), headers), 422)
        assert answer["errors"][0]["detail"] == f"expected 21 columns, got {wrong}" and "q 7 | qd 7 | qdd 7" in answer["errors"][0]["hint"]


def test_the_base_form_of_a_regressor_needs_no_state_in_the_contract_either(daemon):
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    assert "q" not in contract["components"]["schemas"]["RegressorRequest"].get("required", [])
    assert contract["paths"]["/v1/robots/{name}/regressor"]["post"]["requestBody"]["required"] is False
    assert contract["paths"]["/v1/robots/{name}/inverse-dynamics"]["post"]["requestBody"]["required"] is True
    answers = [daemon.request("POST", "/v1/robots/panda/regressor" + query, body, {"Content-Type": "application/json"})
               for query, body in (("", b'{"form": "base"}'), ("?form=base", b"{}"), ("?form=base", b""))]
    assert [status for status, _, _ in answers] == [200] * 3
    assert len({json.loads(text)["n_base"] for _, _, text in answers}) == 1
    assert refused(daemon, "regressor", {})["pointer"] == "/q"


@pytest.mark.parametrize("call, body, hint", [
    ("inverse-dynamics", {"q": {"base": [0, 0, 0.4]}}, "x y z, then the quaternion qw qx qy qz"),
    ("inverse-dynamics", {"q": HOVER, "qd": {"base": [0, 0, 0.4]}}, "linear x y z, then angular x y z"),
    ("simulate", {"initial": {"q": {"base": [0] * 6}}, "duration_s": 1}, "x y z, then the quaternion qw qx qy qz")])
def test_a_wrong_number_of_values_of_a_floating_joint_names_their_order(daemon, call, body, hint):
    assert hint in refused(daemon, call, body, "quadruped")["hint"]


# A load along the way


def test_the_least_time_with_a_payload_keeps_the_torques_of_the_loaded_robot(daemon):
    load = {"link": "flange", "mass": 3.0, "com": [0.02, 0.0, 0.1]}
    body = {"waypoints": [[0, -0.7854, 0, -2.3562, 0, 1.5708, 0.7854], [0.9, -0.3, 0.4, -1.8, 0.3, 1.9, 1.2]], "interval_s": 0.002,
            "limits": {"kind": "time-optimal", "tau": True, "torque_factor": 0.7}}
    empty, loaded = ask(daemon, "trajectory", body), ask(daemon, "trajectory", body | {"payload": load})
    assert loaded["duration_s"] > 1.01 * empty["duration_s"]
    motion = {key: loaded[key] for key in ("q", "qd", "qdd")}
    tau = ask(daemon, "inverse-dynamics", motion | {"payload": load})["tau"]
    scale = [0.7 * own["effort"] for own in panda_limits(daemon).values()]
    assert loaded["tau"] == [pytest.approx(row, abs=1e-9) for row in tau]
    parts = [max(abs(row[k]) for row in tau) / scale[k] for k in range(7)]
    assert 0.99 < max(parts) < 1.0 + 1e-5  # met and kept
    bare = ask(daemon, "inverse-dynamics", motion)["tau"]
    assert max(abs(a - b) for one, other in zip(tau, bare) for a, b in zip(one, other)) > 5
    timed = {"waypoints": body["waypoints"], "duration_s": 1, "payload": load}
    assert refused(daemon, "trajectory", timed)["pointer"] == "/payload"
