# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_named_batches.py - many samples by joints' names: an array for each joint, the others at zero.
import json
import math

import pytest
from conftest import problem
from test_other_words import ask, refused, without

SHOULDER, ELBOW = [0.1 * k for k in range(7)], [-0.2 + 0.05 * k for k in range(7)]
ROWS = [[0, a, 0, -1.5 + b, 0, 0, 0] for a, b in zip(SHOULDER, ELBOW)]
NAMED = {"joint2": SHOULDER, "joint4": [row[3] for row in ROWS]}
RATES = [[0, 0, 0, 0.3, 0, 0, 0] for _ in ROWS]


@pytest.mark.parametrize("call, rows, named", [
    ("inverse-dynamics", {"q": ROWS}, {"q": NAMED}),
    ("inverse-dynamics", {"q": ROWS, "qd": RATES}, {"q": NAMED, "qd": {"joint4": 0.3}}),
    ("inverse-dynamics", {"q": ROWS, "qd": RATES}, {"q": ROWS, "qd": {"joint4": [0.3] * 7}}),
    ("forward-dynamics", {"q": ROWS, "tau": RATES}, {"q": NAMED, "tau": {"joint4": [0.3] * 7}}),
    ("terms", {"q": ROWS, "include": ["gravity_torque"]}, {"q": NAMED, "include": ["gravity_torque"]}),
    ("regressor", {"q": ROWS, "qd": RATES, "qdd": RATES}, {"q": NAMED, "qd": {"joint4": [0.3] * 7}, "qdd": {"joint4": 0.3}}),
    ("kinematics", {"q": ROWS, "frames": ["flange"]}, {"q": NAMED, "frames": ["flange"]})])
def test_an_array_for_each_joint_is_a_batch(daemon, call, rows, named):
    assert without(ask(daemon, call, named), "assumed_zero") == without(ask(daemon, call, rows), "assumed_zero")


def test_what_is_left_out_is_said_and_degrees_hold_for_names_too(daemon):
    answer = ask(daemon, "inverse-dynamics", {"q": NAMED})
    assert answer["assumed_zero"] == [f"q.joint{k}" for k in (1, 3, 5, 6, 7)] + ["qd", "qdd"]
    turned = {name: [math.degrees(x) for x in values] for name, values in NAMED.items()}
    for mine, other in zip(ask(daemon, "inverse-dynamics", {"q": turned, "angles": "deg"})["tau"], answer["tau"]):
        assert mine == pytest.approx(other, abs=1e-12)
    # one sample stays one, and an array of one is a batch of one
    assert isinstance(ask(daemon, "inverse-dynamics", {"q": {"joint2": 0.1}})["tau"][0], float)
    assert len(ask(daemon, "inverse-dynamics", {"q": {"joint2": [0.1]}})["tau"]) == 1


def test_joints_of_several_numbers_have_an_array_for_each_sample(daemon):
    base = [[0, 0, 0.3 + 0.01 * k, 1, 0, 0, 0] for k in range(3)]
    named = {"base": base, "fr_hip": [0.1, 0.2, 0.3], "fl_knee": 0.5}
    joints = [one for one in json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])["joints"] if one["kind"] != "fixed"]
    at = {one["name"]: one["q"]["index"] for one in joints}
    rows = [row + [0] * 12 for row in base]
    for k, row in enumerate(rows):
        row[at["fr_hip"]], row[at["fl_knee"]] = named["fr_hip"][k], 0.5
    assert (without(ask(daemon, "inverse-dynamics", {"q": named}, "quadruped"), "assumed_zero")
            == without(ask(daemon, "inverse-dynamics", {"q": rows}, "quadruped"), "assumed_zero"))


@pytest.mark.parametrize("q, pointer, detail", [
    ({"joint2": [0, 1], "joint4": [0, 1, 2]}, "/q/joint4", '"joint4" has 3 samples, but "joint2" has 2'),
    ({"joint2": [0, "x"]}, "/q/joint2/1", "expected a number, got a string"),
    ({"joint2": [0, [1]]}, "/q/joint2/1", "expected a number, got an array"),
    ({"joint2": []}, "/q/joint2", "there is no sample here"),
    ({"jiont2": [0, 1]}, "/q/jiont2", 'there is no joint "jiont2"')])
@pytest.mark.parametrize("call", ["inverse-dynamics", "kinematics"])
def test_faults_of_such_a_batch_have_their_place(daemon, call, q, pointer, detail):
    error = refused(daemon, call, {"q": q})
    assert (error["pointer"], error["detail"]) == (pointer, detail) and error["hint"]


def test_lengths_that_differ_between_arrays_and_too_many_samples_are_refused(daemon):
    assert "samples" in refused(daemon, "inverse-dynamics", {"q": NAMED, "qd": {"joint4": [0.1, 0.2]}})["detail"]
    body = json.dumps({"q": {"joint2": [0] * (2**17 + 1)}})
    (error,) = problem(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, {}), 413)["errors"]
    assert error["detail"] == "at most 131072 samples are taken by name" and "rows" in error["hint"]


def test_objects_in_a_batch_and_a_part_of_the_joints_lead_to_it(daemon):
    hint = refused(daemon, "inverse-dynamics", {"q": [{"joint2": 0.1}, {"joint2": 0.2}]})["hint"]
    assert json.loads(hint.split(": ", 1)[1]) == {"elbow": [0.3, 0.4]}
    error = refused(daemon, "inverse-dynamics", {"joints": ["joint2", "joint4"], "q": [[0.1, 0.2]]})
    assert error["pointer"] == "/joints" and '"q": {"elbow": [0.3, 0.4]}' in error["hint"]


def test_a_joint_state_of_ros_is_read(daemon):
    names = [f"joint{k}" for k in (4, 2, 1, 3, 5, 6, 7)]
    state = {"name": names, "position": [-1.5, 0.2, 0.1, 0, 0, 1.2, 0], "velocity": [0.1, 0.2, 0.3, 0, 0, 0, 0]}
    ours = {"joints": names, "q": state["position"], "qd": state["velocity"]}
    answer = ask(daemon, "inverse-dynamics", state)
    assert answer["tau"] == ask(daemon, "inverse-dynamics", ours)["tau"]
    assert [(one["sent"], one["read"]) for one in answer["read_as"]] == [("name", "joints"), ("position", "q"), ("velocity", "qd")]
    assert problem(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps({"name": "my run", "q": [0] * 7}), {}), 422)["errors"][0]["pointer"] == "/name"
