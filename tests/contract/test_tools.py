# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_tools.py - every example of the contract is sent, every hint is applied as written.
import copy
import json
import math
import pathlib
import re

import jsonschema
import pytest
from conftest import ROOT

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def contract(daemon):
    status, _, body = daemon.request("GET", "/openapi.json")
    assert status == 200
    return json.loads(body)


def post(daemon, path, document, **headers):
    status, _, body = daemon.request("POST", path, json.dumps(document), {**JSON, **headers})
    return status, json.loads(body)


def check(contract, reference, document):
    """Validates a document against a schema of the contract; references start at the root."""
    schema = {"$ref": reference, "components": contract["components"]}
    jsonschema.Draft202012Validator(schema).validate(document)


def examples(contract):
    for path, item in contract["paths"].items():
        if "202" not in item.get("post", {}).get("responses", {}):
            continue  # not an operation
        body = item["post"].get("requestBody", {}).get("content", {}).get("application/json", {})
        for name, example in body.get("examples", {}).items():
            answer = item["post"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
            yield path.replace("{name}", example.get("x-robot", "panda")), name, example["value"], body["schema"]["$ref"], answer


def test_examples_and_their_answers_keep_the_contract(daemon, contract, example_data):
    seen = set()
    for path, name, value, request, answer in examples(contract):
        check(contract, request, value)
        status, body = post(daemon, path, value)
        assert status == 200, (path, name, body)
        check(contract, answer, body)
        seen.add(path.rsplit("/", 1)[1])
    assert seen == {path.rsplit("/", 1)[1] for path, item in contract["paths"].items() if "202" in item.get("post", {}).get("responses", {})
                    and "requestBody" in item["post"]}


def test_base_form_keeps_the_contract(daemon, contract):
    status, body = post(daemon, "/v1/robots/panda/regressor?form=base", {"parameters": ["viscous"]})
    assert status == 200
    check(contract, "#/components/schemas/RegressorResult", body)
    assert body["n_base"] == len(body["columns"]) == len(body["parameter_values"])


# -- hints ------------------------------------------------------------------------------------------------------------

LOAD = {"link": "tool", "force": [1, 0, 0], "moment": [0, 0, 0], "at": "origin", "applied_to": "robot",
        "expressed_in": "world"}
PLANAR = "/v1/robots/planar-2r/"
POSES = {"poses": [{"position": [1, 0, 0]}, {"position": [1, 0.1, 0]}], "axes": ["x", "y"], "initial": [0.5, -1]}


def without(document, *keys):
    return {k: v for k, v in document.items() if k not in keys}


WRONG = [
    *((PLANAR + "statics", {"q": [1, 2], "endpoint_wrench": without(LOAD, k)})
      for k in ("at", "applied_to", "expressed_in")),
    (PLANAR + "statics", {"q": [1, 2], "endpoint_wrench": without(LOAD, "force", "moment", "at", "applied_to")}),
    (PLANAR + "statics", {"q": [1, 2], "endpoint_wrench": {**LOAD, "link": "tol"}}),
    (PLANAR + "statics", {"q": [1, 2], "endpoint_wrench": {**LOAD, "applied_to": "robt"}}),
    (PLANAR + "kinematics", {"q": [1, 2], "frames": [{"link": "lnk2"}]}),
    (PLANAR + "kinematics", {"q": [1, 2], "joints": ["joint2", "jiont1"]}),
    (PLANAR + "kinematics", {"q": [1, 2], "expressed_in": "wrld"}),
    (PLANAR + "inverse-kinematics", {"frame": {"link": "tool"}, "axes": ["x", "y", "rz"],
                                     "pose": {"position": [0.8, 0.6, 0], "quaternion_wxyz": [2, 0, 0, 0.1]}}),
    (PLANAR + "inverse-kinematics", {"frame": "tool", "axes": ["rz"], "pose": {"position": [1, 0, 0]}}),
    (PLANAR + "trajectory", {"waypoints": [[0, 0], [1, 1]], "times_s": [0, 1], "timing": "quintik"}),
    (PLANAR + "trajectory", {**POSES, "frame": {"link": "tol"}, "times_s": [0, 1]}),
    (PLANAR + "regressor", {"q": [1, 2], "qd": [0, 0], "qdd": [0, 0], "parameters": ["viscos"]}),
    ("/v1/inertia", {}),
    ("/v1/inertia", {"bodies": [{}]}),
    ("/v1/inertia", {"bodies": [{"mass": 1, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}),
    ("/v1/inertia", {"bodies": [{"mass": 1, "shape": "sphre", "size": [1]}]}),
    (PLANAR + "ensemble", {"initial": {"q": [1, 2]}, "duration_s": 0.1, "output": {"interval_s": 0.1},
                           "vary": [{"of": "q", "joint": "joint1"}]}),
    ("/v1/drive", {}),
    ("/v1/drive", {"drive": {}}),
    ("/v1/drive", {"drive": {"motor": {"constant_nm_a": 0.05}}}),
    ("/v1/drive", {"drive": {"motor": {"constant_nm_a": 0.05, "resistance": 0.6, "inertia": 1e-4}}, "speed": [1]}),
    ("/v1/drive", {"drive": {"motor": {"constant_nm_a": 0.05, "resistance": 0.6, "inertia": 1e-4}}, "responses": ["speed"]}),
    ("/v1/rigid-body", {}),
    ("/v1/rigid-body", {"body": {"mass": 1, "shape": "point", "twist": [1, 0, 0, 0, 0, 0]}}),
]


def apply_hint(document, fault):
    """Applies the hint mechanically."""
    keys = [k.replace("~1", "/").replace("~0", "~") for k in fault["pointer"].split("/")[1:]]
    at = document
    for k in keys[:-1]:
        at = at[int(k)] if isinstance(at, list) else at[k]
    last = int(keys[-1]) if isinstance(at, list) else keys[-1]
    hint = fault["hint"]
    added = re.match(r'add "([^"]*)": (.*)', hint)
    meant = re.match(r'did you mean "([^"]*)"\?', hint)
    used = re.match(r"use (.*)", hint)
    if added:
        at[added.group(1)], _ = json.JSONDecoder().raw_decode(added.group(2))
    elif meant:
        at[last] = meant.group(1)
    elif used:
        at[last], _ = json.JSONDecoder().raw_decode(used.group(1))
    else:
        raise AssertionError(f"no way to apply: {hint}")


def test_hints_applied_make_it_work(daemon):
    for path, wrong in WRONG:
        document = copy.deepcopy(wrong)
        for step in range(8):
            status, body = post(daemon, path, document)
            if status == 200:
                break
            assert status == 422, (path, wrong, body)
            apply_hint(document, body["errors"][0])
        assert status == 200 and step > 0, (path, wrong, document, body)


# -- real robots ------------------------------------------------------------------------------------------------------

def test_base_parameter_counts_of_the_ur10e(daemon):
    file = ROOT.parent / "shared" / "data" / "ur10e" / "ur10e.urdf"
    if not file.exists():
        pytest.skip(f"no {pathlib.PurePath(*file.parts[-4:])}")
    status, _, body = daemon.request("PUT", "/v1/robots/ur10e-urdf", file.read_bytes(), {"Content-Type": "application/xml"})
    assert status in (200, 201), body
    friction = ["viscous", "coulomb", "offset"]
    for parameters, count in (([], 36), (["rotor"], 40), (["rotor", *friction], 58)):
        status, body = post(daemon, "/v1/robots/ur10e-urdf/regressor?form=base", {"parameters": parameters})
        assert status == 200 and body["n_base"] == count, (parameters, body.get("n_base"), body.get("detail"))


def wam():
    """A seven-joint arm with the kinematics of the WAM (standard DH parameters of its manual), as a robot document."""
    alpha = [-math.pi / 2, math.pi / 2, -math.pi / 2, math.pi / 2, -math.pi / 2, math.pi / 2, 0]
    a, d = [0, 0, 0.045, -0.045, 0, 0, 0], [0, 0, 0.55, 0, 0.3, 0, 0.06]
    links, joints = [{"name": "l0"}], []
    before = (0, 0, 0)
    for i in range(7):
        c, s = math.cos(before[0]), math.sin(before[0])
        links.append({"name": f"l{i + 1}", "mass": 1, "com": [0.01, 0.02, 0.03], "inertia_about": "com",
                      "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]})
        joints.append({"name": f"j{i + 1}", "kind": "continuous", "parent": f"l{i}", "child": f"l{i + 1}",
                       "axis": [0, 0, 1], "origin": {"position": [before[1], 0, before[2]],
                                                     "rotation": [[1, 0, 0], [0, c, -s], [0, s, c]]}})
        before = alpha[i], a[i], d[i]
    return {"name": "wam", "gravity": [0, 0, -9.81], "links": links, "joints": joints}


def test_base_parameter_counts_of_a_wam(daemon):
    status, _, body = daemon.request("PUT", "/v1/robots/wam", json.dumps(wam()), JSON)
    assert status == 201, body
    for parameters, count in (([], 43), (["rotor", "viscous", "coulomb", "offset"], 69)):
        status, body = post(daemon, "/v1/robots/wam/regressor?form=base", {"parameters": parameters})
        assert status == 200 and body["n_base"] == count, (parameters, body.get("n_base"), body.get("detail"))


def test_a_trajectory_is_ready_for_inverse_dynamics(daemon):
    status, path = post(daemon, "/v1/robots/panda/trajectory",
                        {"waypoints": [[0, 0, 0, -1.5, 0, 1.5, 0], [0.5, 0.2, 0, -1.2, 0, 1.5, 0]],
                         "timing": "quintic", "durations_s": [1], "interval_s": 0.001})
    assert status == 200 and len(path["t"]) == 1001 and path["violations"] == []
    status, body = post(daemon, "/v1/robots/panda/inverse-dynamics", {k: path[k] for k in ("q", "qd", "qdd")})
    assert status == 200 and len(body["tau"]) == 1001
