# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robot_constraints.py - each kind of constraint in a robot document matches exactly one
# branch of the contract's schema.
import copy
import json

import jsonschema
import pytest

ORIGIN = {"link": "base", "position": [0, 0, 0]}
POINT = {"link": "c", "position": [0.1, 0, 0]}
KINDS = {
    "loop": {"a": {"link": "base", "rpy": [0, 0, 0.5]}, "b": {"link": "c", "quaternion_wxyz": [1, 0, 0, 0]}, "axes": ["x", "z"]},
    "distance": {"a": ORIGIN, "b": POINT, "length": 0.5},
    "point-on-plane": {"plane": {**ORIGIN, "normal": [0, 0, 2]}, "point": POINT},
    "point-on-sphere": {"sphere": {**ORIGIN, "radius": 0.4}, "point": POINT},
    "rolling": {"body": {**POINT, "radius": 0.1}, "plane": {**ORIGIN, "normal": [0, 0, 1]}, "slips": True, "spins": True},
    "coupling": {"coefficients": {"x": 1, "y": -2}, "offset": 0.25},
    "pfaffian": {"rows": [{"x": 1, "y": "-sin(z)"}, {"z": 1}], "equals": [0, 0.5]},
    "equation": {"expression": "x - y^2"},
}


def robot(constraint):
    links = [{"name": "base"}] + [{"name": name, "mass": 1, "com": [0, 0, 0]} for name in "abc"]
    joints = [{"name": joint, "kind": "prismatic", "parent": parent, "child": child, "axis": axis}
              for joint, parent, child, axis in (("x", "base", "a", [1, 0, 0]), ("y", "a", "b", [0, 1, 0]), ("z", "b", "c", [0, 0, 1]))]
    return {"name": "slides", "gravity": [0, 0, -9.81], "links": links, "joints": joints, "constraints": [constraint]}


@pytest.fixture(scope="module")
def branches(daemon):
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    schemas = contract["components"]["schemas"]
    refs = [part["$ref"] for part in schemas["Constraint"]["oneOf"]]
    return {schemas[ref.rsplit("/", 1)[1]]["properties"]["kind"]["const"]:
            jsonschema.Draft202012Validator({"$ref": ref, "components": contract["components"]}) for ref in refs}


def put(daemon, constraint):
    return daemon.request("PUT", "/v1/robots/slides", json.dumps(robot(constraint)), {"Content-Type": "application/json"})


def test_every_kind_has_a_branch(branches):
    assert set(branches) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_and_answered_is_of_one_branch(daemon, branches, kind):
    sent = {"name": "c", "kind": kind, **KINDS[kind]}
    assert [name for name, branch in branches.items() if branch.is_valid(sent)] == [kind]
    status, _, text = put(daemon, sent)
    assert status in (200, 201), text
    answered = json.loads(daemon.request("GET", "/v1/robots/slides")[2])["constraints"][0]
    assert [name for name, branch in branches.items() if branch.is_valid(answered)] == [kind], answered


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_branch_refuses_is_refused(daemon, branches, kind):
    sent = {"kind": kind, **KINDS[kind]}
    optional = {"axes", "slips", "spins", "offset", "equals"}
    wrong = [{key: value for key, value in sent.items() if key != left} for left in sent if left not in optional]
    wrong.append({**sent, "stiffness": 1})
    for key, value in sent.items():
        if isinstance(value, dict) and "link" in value:
            changed = copy.deepcopy(sent)
            changed[key]["colour"] = 1
            wrong.append(changed)
    for document in wrong:
        assert not branches[kind].is_valid(document), document
        assert put(daemon, document)[0] in (400, 422), document
