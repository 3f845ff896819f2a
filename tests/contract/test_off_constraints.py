# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_off_constraints.py - the answer states violated constraints of q and joints that were
# not named.
"""A planar four-bar: crank 0.2 m, coupler 0.5 m, rocker 0.4 m, ground 0.5 m; the residual of its pin by plane
geometry."""
import json
import math

import pytest
from conftest import problem

LINKAGE = {
    "name": "linkage", "gravity": [0, -9.81, 0],
    "links": [{"name": "base"}, *({"name": name, "mass": 1, "com": [0.1, 0, 0]} for name in ("crank", "coupler", "rocker"))],
    "joints": [{"name": name, "kind": "revolute", "parent": parent, "child": child, "axis": [0, 0, 1], "origin": {"position": [x, 0, 0]}}
               for name, parent, child, x in (("a", "base", "crank", 0), ("b", "crank", "coupler", 0.2), ("d", "base", "rocker", 0.5))],
    "constraints": [{"name": "pin", "kind": "loop", "axes": ["x", "y"], "a": {"link": "coupler", "position": [0.5, 0, 0]},
                     "b": {"link": "rocker", "position": [0.4, 0, 0]}}], "actuated": ["a"]}
AT_REST = {"link": "coupler", "force": [0, 0, 0], "moment": [0, 0, 0], "at": "origin", "applied_to": "robot", "expressed_in": "world"}
CALLS = [("inverse-dynamics", {}), ("forward-dynamics", {"tau": [0, 0, 0]}), ("terms", {"include": ["energy"]}), ("kinematics", {}),
         ("statics", {"endpoint_wrench": AT_REST}), ("regressor", {}), ("manipulability", {"frame": "coupler"})]


@pytest.fixture(scope="module")
def assembled(daemon):
    status, _, text = daemon.request("PUT", "/v1/robots/off-linkage", json.dumps(LINKAGE), {"Content-Type": "application/json"})
    assert status in (200, 201), text
    return json.loads(text)["assembled"]


def ask(daemon, call, body, robot="off-linkage"):
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    return json.loads(text)


def gap(q):
    """The vector from the coupler's pin to the rocker's, in coupler axes."""
    a, ab, d = q[0], q[0] + q[1], q[2]
    x = 0.5 + 0.4 * math.cos(d) - 0.2 * math.cos(a) - 0.5 * math.cos(ab)
    y = 0.4 * math.sin(d) - 0.2 * math.sin(a) - 0.5 * math.sin(ab)
    return math.cos(ab) * x + math.sin(ab) * y, math.cos(ab) * y - math.sin(ab) * x


@pytest.mark.parametrize("call, more", CALLS)
def test_a_constraint_that_q_is_off_is_named_with_its_error_and_unit(daemon, assembled, call, more):
    q = [0.5, 0.5, 0.5]
    (note,) = ask(daemon, call, {"q": q} | more)["off_constraints"]
    assert (note["constraint"], note["sample"], note["unit"]) == ("pin.y", 0, "m")
    assert note["residual"] == pytest.approx(abs(gap(q)[1]), rel=1e-12) and abs(gap(q)[1]) > abs(gap(q)[0])
    assert "assembled" in note["text"] and "simulate" in note["text"]
    assert "off_constraints" not in ask(daemon, call, {"q": assembled} | more)


def test_the_worst_sample_of_a_batch_is_named(daemon, assembled):
    batch = [assembled, [0.5, 0.5, 0.5], [0.5, 0.6, 0.5]]
    (note,) = ask(daemon, "inverse-dynamics", {"q": batch})["off_constraints"]
    worst = max(range(3), key=lambda i: max(map(abs, gap(batch[i]))))
    assert note["sample"] == worst and note["residual"] == pytest.approx(max(map(abs, gap(batch[worst]))), rel=1e-12)


def test_every_second_sample_of_a_large_batch_is_searched(daemon, assembled):
    for at, said in ((4096, True), (4095, False)):
        batch = [assembled] * 8192
        batch[at] = [0.5, 0.5, 0.5]
        answer = ask(daemon, "inverse-dynamics", {"q": batch})
        assert [note["sample"] for note in answer.get("off_constraints", [])] == [at] * said


def test_the_way_that_the_note_names_projects_q(daemon, assembled):
    assert max(map(abs, gap(assembled))) < 1e-9
    run = ask(daemon, "simulate", {"initial": {"q": [0.5, 0.5, 0.5]}, "duration_s": 0.001})
    assert max(map(abs, gap(run["q"][0]))) < 1e-9


def test_a_run_that_starts_off_its_constraints_says_that_q_moves(daemon, assembled):
    q = [0.5, 0.5, 0.5]
    body = {"initial": {"q": q}, "duration_s": 0.001}
    for call, more in (("simulate", {}), ("ensemble", {"vary": [{"of": "torque", "joint": "a", "list": [0, 1]}]})):
        (note,) = ask(daemon, call, body | more)["off_constraints"]
        assert (note["constraint"], note["unit"]) == ("pin.y", "m") and note["text"].startswith("the initial q is")
        assert note["residual"] == pytest.approx(abs(gap(q)[1]), rel=1e-12)
        assert "off_constraints" not in ask(daemon, call, body | more | {"initial": {"q": assembled}})
    session = daemon.request("POST", "/v1/sessions", json.dumps({"robot": "off-linkage", "initial": {"q": q}, "step_s": 0.001}), {"Content-Type": "application/json"})
    assert session[0] == 201, session


@pytest.mark.parametrize("call, more", [("inverse-dynamics", {}), ("regressor", {}), ("kinematics", {"expressed_in": "world"})])
def test_joints_that_are_not_named_are_stated(daemon, assembled, call, more):
    answer = ask(daemon, call, {"q": {"joint2": 0.3}} | more, "planar-2r")
    assert "q.joint1" in answer["assumed_zero"] and "q.joint2" not in answer["assumed_zero"]
    full = ask(daemon, call, {"q": {"joint1": 0, "joint2": 0.3}, "qd": {"joint1": 0, "joint2": 0}} | more, "planar-2r")
    assert not any("." in name for name in full.get("assumed_zero", []))
    assert problem(daemon.request("POST", f"/v1/robots/planar-2r/{call}", json.dumps({"q": {"elbow": 1}} | more),
                                  {"Content-Type": "application/json"}), 422)
