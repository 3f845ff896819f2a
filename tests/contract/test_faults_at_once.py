# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_faults_at_once.py - one answer names all missing and unknown members of an object;
# optional members.
import json
import math

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1]


def post(daemon, call, body, robot="panda"):
    return daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), {"Content-Type": "application/json"})


def ask(daemon, call, body, robot="panda"):
    status, _, text = post(daemon, call, body, robot)
    assert status == 200, text
    return json.loads(text)


FORCE = {"link": "flange", "force": [0, 0, -20]}
START = {"initial": {"q": Q}, "duration_s": 0.01}


def one_disturbance(fields):
    return START | {"disturbance": [fields]}


LACKS = [("inverse-dynamics", {"q": Q, "external_wrenches": [FORCE]}, "/external_wrenches/0", "at applied_to expressed_in"),
         ("inverse-dynamics", {"q": Q, "external_wrenches": [{}]}, "/external_wrenches/0", "link at applied_to expressed_in force"),
         ("statics", {"q": Q, "endpoint_wrench": FORCE}, "/endpoint_wrench", "at applied_to expressed_in"),
         ("simulate", one_disturbance({"kind": "pulse", "wrench": FORCE}), "/disturbance/0/wrench", "at applied_to expressed_in"),
         ("simulate", one_disturbance({"kind": "table", "t": [0, 1], "wrench": {"link": "flange"}}), "/disturbance/0/wrench",
          "at applied_to expressed_in force"),
         ("simulate", one_disturbance({"kind": "noise", "torque": QD}), "/disturbance/0", "interval_s seed"),
         ("inverse-dynamics", {"q": Q, "payload": {"mass": 3}}, "/payload", "link com"),
         ("simulate", START | {"payload": {"mass": 3}}, "/payload", "link com"),
         ("terms", {"q": Q, "include": ["mass_matrix_bounds"], "box": {}}, "/box", "lower upper"),
         ("manipulability", {"q": Q, "frame": {}}, "/frame", "link"),
         ("statics", {}, "", "q endpoint_wrench"),
         ("simulate", {}, "", "initial duration_s"),
         ("ensemble", {}, "", "initial duration_s vary"),
         ("ensemble", START | {"vary": [{"of": "payload_mass", "link": "flange", "grid": {}}]}, "/vary/0/grid", "from to count"),
         ("simulate", START | {"input": {"kp": 1}}, "/input", "kind reference"),
         ("simulate", START | {"input": {"kind": "pd"}}, "/input", "reference kp kd"),
         ("simulate", START | {"input": {"kind": "passivity-based"}}, "/input", "reference kd lambda"),
         ("simulate", START | {"input": {"kind": "torque"}}, "/input", "t tau"),
         ("trajectory", {"waypoints": [Q, Q], "timing": "quintic"}, "", "times_s"),
         ("/v1/compare", {}, "", "a b"),
         ("/v1/drive", {"drive": {"motor": {}}}, "/drive/motor", "constant_nm_a resistance"),
         ("/v1/rigid-body", {"axis_motion": {}}, "/axis_motion", "axis rate_rad_s"),
         ("/v1/rigid-body", {"lie_bracket": {}}, "/lie_bracket", "a b")]


@pytest.mark.parametrize("call, body, pointer, names", LACKS)
def test_every_missing_field_of_an_object_is_named_at_once(daemon, call, body, pointer, names):
    path = call if call.startswith("/") else f"/v1/robots/panda/{call}"
    said = problem(daemon.request("POST", path, json.dumps(body), {"Content-Type": "application/json"}), 422)
    assert said["type"] == "/problems/missing-field"
    assert [fault["pointer"] for fault in said["errors"]] == [f"{pointer}/{name}" for name in names.split()]
    assert all(fault["hint"].startswith(("add ", "say ")) for fault in said["errors"])


def test_unknown_and_missing_fields_are_named_together_and_a_meant_one_once(daemon):
    said = problem(post(daemon, "simulate", {"initial": {"q": Q}, "duratoin_s": 1, "sample_rate": 10, "inptu": {}}), 400)
    assert [fault["pointer"] for fault in said["errors"]] == ["/duratoin_s", "/sample_rate", "/inptu"]
    assert [fault["hint"] for fault in said["errors"]][::2] == ['did you mean "duration_s"?', 'did you mean "input"?']


def test_what_may_be_left_out_of_a_run_and_of_a_trajectory(daemon):
    run = ask(daemon, "simulate", START)
    assert len(run["t"]) == 1001 and run["t"][-1] == pytest.approx(0.01, rel=1e-12)
    path = ask(daemon, "trajectory", {"waypoints": [Q, QD], "timing": "quintic", "times_s": [0, 0.05]})
    assert path["t"] == pytest.approx([0, 0.01, 0.02, 0.03, 0.04, 0.05], abs=1e-15)


@pytest.mark.parametrize("angles, unit", [("rad", 1.0), ("deg", math.degrees(1.0))])
def test_limits_by_the_names_of_joints_leave_the_others_as_they_are(daemon, angles, unit):
    own = [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61]
    path = {"waypoints": [[x * unit for x in Q], [x * unit + 0.3 * unit for x in Q]], "angles": angles, "interval_s": 0.1}
    limits = {"kind": "trapezoid", "acceleration": [unit] * 7}
    by_name = ask(daemon, "trajectory", path | {"limits": limits | {"velocity": {"joint2": 0.1 * unit}}})
    whole = ask(daemon, "trajectory", path | {"limits": limits | {"velocity": [x * unit for x in [own[0], 0.1, *own[2:]]]}})
    assert by_name["duration_s"] == pytest.approx(whole["duration_s"], rel=1e-12) and by_name["duration_s"] > 3  # 0.3 rad at 0.1 rad/s
    fault = problem(post(daemon, "trajectory", path | {"limits": limits | {"velocity": {"joint2": 0}}}), 422)["errors"][0]
    assert fault["pointer"] == "/limits/velocity/joint2"
