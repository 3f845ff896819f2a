# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robot_words.py - robot documents and changes in words of other tools: read where they have one meaning, and listed.
import json

import pytest
from test_other_words import ask

JSON = {"Content-Type": "application/json"}


def put(daemon, name, document):
    status, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), JSON)
    return status, json.loads(text)


def change(daemon, body, robot="panda", name="words-changed"):
    status, _, text = daemon.request("PATCH", f"/v1/robots/{robot}?name={name}", json.dumps(body), JSON)
    return status, json.loads(text)


def four_bar(kind, position):
    pin = {"name": "pin", kind: "loop", "axes": ["x", "z"], "a": {"link": "coupler", position: [0.3, 0, 0]}, "b": {"link": "rocker", position: [0.22, 0, 0]}}
    turn = {kind: "revolute", "axis": [0, -1, 0]}
    return {"gravity": [0, 0, -9.81], "constraints": [pin], "actuated": ["j1"],
            "links": [{"name": "ground"}, {"name": "crank", "mass": 0.4, "com": [0.06, 0, 0]}, {"name": "coupler", "mass": 0.9, "com": [0.15, 0, 0]},
                      {"name": "rocker", "mass": 0.7, "com": [0.11, 0, 0]}],
            "joints": [{"name": "j1", "parent": "ground", "child": "crank", **turn},
                       {"name": "j2", "parent": "crank", "child": "coupler", "origin": {position: [0.12, 0, 0]}, **turn},
                       {"name": "j3", "parent": "ground", "child": "rocker", "origin": {position: [0.35, 0, 0]}, **turn}]}


def model(answer):
    """All that answers depend on; the angles of a rotation are kept only as they were written."""
    for joint in answer["joints"]:
        joint["origin"].pop("rpy", None)
    return {key: answer.get(key) for key in ("joints", "links", "gravity", "root", "constraints", "actuated", "assembled")}


def listed(answer):
    return {one["text"]: (one["where"], one["count"]) for one in answer["understood"] if "is read as" in one["text"]}


def test_a_document_in_the_words_of_urdf_is_the_same_robot(daemon):
    status, ours = put(daemon, "fb-ours", four_bar("kind", "position"))
    assert status in (200, 201), ours
    status, read = put(daemon, "fb-read", four_bar("type", "xyz"))
    assert status in (200, 201), read
    assert model(read) == model(ours) and listed(ours) == {}
    assert listed(read) == {'"type" is read as "kind"': ("/joints/0/type", 4), '"xyz" is read as "position"': ("/joints/1/origin/xyz", 4)}


def test_a_drive_in_the_words_of_a_data_sheet_is_read(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    joint = next(one for one in document["joints"] if one["kind"] != "fixed")
    drives = [{"motor": {"constant_nm_a": 0.1, "resistance": 0.4, "inertia": 6e-5}, "gear": {"ratio": 100}, "amplifier": {"supply_v": 48}},
              {"motor": {"kt": 0.1, "R": 0.4, "rotor_inertia": 6e-5}, "gear": {"ratio": 100}, "amplifier": {"voltage": 48}}]
    models = []
    for drive in drives:
        joint["drive"] = drive
        status, answer = put(daemon, "driven-words", document)
        assert status in (200, 201), answer
        models.append(model(answer))
    assert models[0] == models[1] and len(listed(answer)) == 4
    joint["drive"] = {"motor": {"kt": 0.1, "constant_nm_a": 0.1, "resistance": 0.4}}  # two words for one field
    status, answer = put(daemon, "driven-words", document)
    assert status == 400 and answer["errors"][0]["pointer"].endswith("/motor/kt")


def test_a_table_needs_no_names_and_states_all_faults_that_it_can(daemon):
    rows = [{"d": 0.4, "alpha": -1.5707963, "link": {"mass": 4, "com": [0, 0, 0]}}, {"a": 0.6, "link": {"mass": 3, "com": [-0.3, 0, 0]}}]
    status, bare = put(daemon, "dh-bare", {"gravity": [0, 0, -9.81], "dh": {"convention": "standard", "joints": rows}})
    assert status in (200, 201), bare
    named = [{"name": f"j{k + 1}"} | row for k, row in enumerate(rows)]
    status, full = put(daemon, "dh-full", {"gravity": [0, 0, -9.81], "dh": {"convention": "standard", "joints": named}})
    assert model(bare) == model(full) and {"where": "/dh/joints", "text": 'rows without a name: "j" and their place, from 1', "count": 2} in bare["understood"]
    # at rest along x: shoulder 3 kg * 0.3 m
    assert ask(daemon, "inverse-dynamics", {"q": [0, 0]}, "dh-bare")["tau"][1] == pytest.approx(-9.81 * 0.9, rel=1e-9)
    del rows[0]["link"]["com"]
    status, answer = put(daemon, "dh-bare", {"gravity": [0, 0, -9.81], "dh": {"convention": "standard", "joints": rows}})
    assert status == 422 and 'add "com": [x, y, z]' in answer["errors"][0]["hint"]


# Changes


def test_one_operation_needs_no_list(daemon):
    one = {"op": "joint", "joint": "joint2", "friction": 3, "damping": 1.5}
    status, bare = change(daemon, one)
    assert status in (200, 201), bare
    whole = {"operations": [one | {"friction": {"coulomb": 3}}]}
    assert model(bare) == model(change(daemon, whole)[1])
    joint = next(joint for joint in bare["joints"] if joint["name"] == "joint2")
    assert joint["friction"]["coulomb"] == 3 and joint["damping"] == 1.5


def test_a_change_written_as_a_document_is_shown_a_change(daemon):
    status, answer = change(daemon, {"joints": {"joint2": {"damping": 1}}})
    (error,) = answer["errors"]
    assert status == 422 and error["pointer"] == "/operations"
    example = error["hint"].split('"operations": ', 1)[1].split(";")[0].replace("its name", '"joint2"')
    assert change(daemon, {"operations": json.loads(example)})[0] in (200, 201)


DRIVE = {"motor": {"constant_nm_a": 0.1, "resistance": 0.4, "inertia": 6e-5, "viscous": 1e-5}, "gear": {"ratio": 100}}


def with_drive(daemon, drive, more):
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    next(joint for joint in document["joints"] if joint["name"] == "joint2").update(more, drive=drive)
    return put(daemon, "drive-in-document", document)[1]


def test_a_change_gives_a_joint_a_drive_as_a_document_does(daemon):
    status, changed = change(daemon, {"op": "joint", "joint": "joint2", "damping": 0.7, "drive": DRIVE}, name="drive-changed")
    assert status in (200, 201), changed
    assert model(changed) == model(with_drive(daemon, DRIVE, {"damping": 0.7}))
    # another in its place: nothing of the first is left
    other = {"motor": {"constant_nm_a": 0.2, "resistance": 0.9, "inertia": 1e-4}, "gear": {"ratio": 50}}
    status, again = change(daemon, {"op": "joint", "joint": "joint2", "drive": other}, robot="drive-changed", name="drive-again")
    assert status in (200, 201), again
    assert model(again) == model(with_drive(daemon, other, {"damping": 0.7}))
    status, answer = change(daemon, {"op": "joint", "joint": "joint2", "drive": {"motor": {"constant_nm_a": -1, "resistance": 1}}})
    assert status == 422 and answer["errors"][0]["pointer"].endswith("/drive/motor/constant_nm_a")


# Files that are written: their first lines state what the format lacks, and nothing that the robot lacks


@pytest.mark.parametrize("form", ["urdf", "mjcf", "sdf"])
def test_the_head_of_a_file_counts_no_parts_that_are_not_there(daemon, form):
    def head(robot):
        return daemon.request("GET", f"/v1/robots/{robot}?format={form}")[2].decode().split("-->")[0]
    said = head("planar-2r")
    assert "Written by torqued" in said and " 0" not in said.replace("(0", ""), said
    status, answer = change(daemon, {"operations": [{"op": "joint", "joint": "joint1", "rotor": {"inertia": 0.01, "ratio": 10}, "friction": {"coulomb": 1, "offset": 0.2}}]},
                            robot="planar-2r", name="head-of-file")
    assert status in (200, 201), answer
    assert "rotors" in head("head-of-file") and "friction beyond damping" in head("head-of-file") and "1 joints" in head("head-of-file")
