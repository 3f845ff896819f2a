# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_same_fault.py - the same fault in a field gives the same problem in each operation with
# that field, synchronously or as a job.
"""Fields and operations are read from the contract: a field of a new operation is tested without a line here."""

import copy
import json

import pytest
from test_wrong_input import OPERATIONS, ROBOT_OF, Raw, dump, resolved

ROBOT = "panda"
JSON = {"Content-Type": "application/json", "Prefer": "wait=3600"}
JOB = {"Content-Type": "application/json", "Prefer": "respond-async"}
MAY_OUTLIVE = ("simulate", "ensemble", "calibrate", "excitation", "payload", "residual")
JOINTS = [f"joint{k}" for k in range(1, 8)]
PAYLOAD = {"link": "flange", "mass": 1, "com": [0, 0, 0.1]}
PLACE = {"link": "flange", "at": "origin", "applied_to": "robot", "expressed_in": "world"}
WRENCH = {**PLACE, "force": [0, 0, 1], "moment": [0, 0, 0]}
TENSOR = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def without(document, key):
    return {k: v for k, v in document.items() if k != key}


def wrench_faults():
    """Faults of a wrench object, wherever an operation takes one."""
    for key in WRENCH:
        if key in ("force", "moment"):
            continue  # only one of them is required
        yield f"no {key}", without(WRENCH, key), "missing-field", f"/{key}"
    yield "neither force nor moment", without(without(WRENCH, "force"), "moment"), "missing-field", "/force"
    yield "unknown link", {**WRENCH, "link": "flang"}, "unknown-name", "/link"
    yield "link is a number", {**WRENCH, "link": 3}, "wrong-type", "/link"
    yield "point of two", {**WRENCH, "at": [0, 0]}, "wrong-length", "/at"
    yield "point of texts", {**WRENCH, "at": [0, "0", 0]}, "wrong-type", "/at/1"
    yield "unknown place", {**WRENCH, "at": "orign"}, "unknown-name", "/at"
    yield "place is a number", {**WRENCH, "at": 3}, "wrong-type", "/at"
    yield "unknown side", {**WRENCH, "applied_to": "robt"}, "unknown-name", "/applied_to"
    yield "unknown axes", {**WRENCH, "expressed_in": "worl"}, "unknown-name", "/expressed_in"
    yield "unknown member", {**WRENCH, "torque": [0, 0, 0]}, "unknown-field", "/torque"
    yield "no wrench at all", 3, "wrong-type", ""


def number_faults():
    """Faults of a field that is one number."""
    yield "text", "1", "wrong-type", ""
    yield "null", None, "wrong-type", ""
    yield "array", [1], "wrong-type", ""
    yield "object", {}, "wrong-type", ""
    yield "true", True, "wrong-type", ""
    yield "too large", Raw("1e999"), "not-finite", ""
    yield "NaN", Raw("NaN"), "malformed", ""


def object_faults():
    """Faults of a field that is an object with known members."""
    yield "number", 3, "wrong-type", ""
    yield "null", None, "wrong-type", ""
    yield "unknown member", {"xyz": 1}, "unknown-field", "/xyz"


# field of the request: (fault, value, slug, pointer below the field)
FAULTS = {
    "payload": [
        ("negative mass", {**PAYLOAD, "mass": -1}, "range", "/mass"),
        ("no mass", without(PAYLOAD, "mass"), "missing-field", "/mass"),
        ("no link", without(PAYLOAD, "link"), "missing-field", "/link"),
        ("no com", without(PAYLOAD, "com"), "missing-field", "/com"),
        ("com of two", {**PAYLOAD, "com": [0, 0]}, "wrong-length", "/com"),
        ("mass in quotes", {**PAYLOAD, "mass": "1"}, "wrong-type", "/mass"),
        ("mass is null", {**PAYLOAD, "mass": None}, "wrong-type", "/mass"),
        ("mass too large", {**PAYLOAD, "mass": Raw("1e999")}, "not-finite", "/mass"),
        ("mass NaN", {**PAYLOAD, "mass": Raw("NaN")}, "malformed", "/mass"),
        ("unknown link", {**PAYLOAD, "link": "flang"}, "unknown-name", "/link"),
        ("misspelt member", {**PAYLOAD, "mas": 1}, "unknown-field", "/mas"),
        ("not symmetric", {**PAYLOAD, "inertia": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}, "invalid-value", "/inertia"),
        ("impossible", {**PAYLOAD, "inertia": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "inertia", "/inertia"),
        ("tensor of two rows", {**PAYLOAD, "inertia": TENSOR[:2]}, "wrong-length", "/inertia"),
        ("no object", 3, "wrong-type", ""),
    ],
    "joints": [
        ("twice", [*JOINTS[:6], JOINTS[0]], "invalid-value", "/6"),
        ("too few", JOINTS[:6], "wrong-length", ""),
        ("too many", [*JOINTS, JOINTS[0]], "invalid-value", "/7"),
        ("unknown", [*JOINTS[:6], "joint77"], "unknown-name", "/6"),
        ("number", [*JOINTS[:6], 7], "wrong-type", "/6"),
        ("null", [*JOINTS[:6], None], "wrong-type", "/6"),
        ("one alone", "joint1", "wrong-length", ""),
    ],
    "gravity": [
        ("two numbers", [0, 0], "wrong-length", ""),
        ("four numbers", [0, 0, 0, 0], "wrong-length", ""),
        ("text", [0, 0, "-9.81"], "wrong-type", "/2"),
        ("null", [0, 0, None], "wrong-type", "/2"),
        ("true", [0, 0, True], "wrong-type", "/2"),
        ("one number", 9.81, "wrong-type", ""),
        ("too large", [0, 0, Raw("1e999")], "not-finite", "/2"),
        ("infinite", [0, 0, Raw("-Infinity")], "malformed", "/2"),
    ],
    "q": [
        ("two numbers", [0, 0], "wrong-length", ""),
        ("eight numbers", [0] * 8, "wrong-length", ""),
        ("text", [0, 0, 0, 0, 0, 0, "0"], "wrong-type", "/6"),
        ("null", [0, 0, 0, 0, 0, 0, None], "wrong-type", "/6"),
        ("text and too short", ["0"], "wrong-type", "/0"),
        ("too large", [0, 0, 0, 0, 0, 0, Raw("1e999")], "not-finite", "/6"),
    ],
    "external_wrenches": [(what, [value], slug, "/0" + below) for what, value, slug, below in wrench_faults()],
    "endpoint_wrench": [(what, value, slug, below) for what, value, slug, below in wrench_faults()],
    "axes": [("twice", ["x", "x"], "invalid-value", "/1"), ("unknown", ["xx"], "unknown-name", "/0"), ("number", [1], "wrong-type", "/0")],
    "without": [("twice", ["friction", "friction"], "invalid-value", "/1"), ("unknown", ["frction"], "unknown-name", "/0"),
                ("number", [1], "wrong-type", "/0"), ("number alone", 1, "wrong-type", "")],
    "frame": [("unknown link", "flang", "unknown-name", ""), ("null", None, "wrong-type", "")],
    "angles": [("unknown", "dg", "unknown-name", ""), ("number", 3, "wrong-type", ""), ("null", None, "wrong-type", ""),
               ("array", ["deg"], "wrong-type", "")],
    "qd": [("two numbers", [0, 0], "wrong-length", ""), ("text", [0, 0, 0, 0, 0, 0, "0"], "wrong-type", "/6"),
           ("null", [0, 0, 0, 0, 0, 0, None], "wrong-type", "/6"), ("a word", "x", "wrong-type", "")],
    "qdd": [("two numbers", [0, 0], "wrong-length", ""), ("text", [0, 0, 0, 0, 0, 0, "0"], "wrong-type", "/6")],
    "datasets": [("none", [], "wrong-length", ""), ("number", [3], "wrong-type", "/0"),
                 ("null", None, "wrong-type", ""), ("no name", [{}], "missing-field", "/0"),
                 ("unknown member", [{"dataset": "x", "xyz": 1}], "unknown-field", "/0/xyz")],
    "columns": [*object_faults(), ("unknown preset", {"preset": "ros-joint-stat"}, "unknown-name", "/preset")],
    "units": [*object_faults(), ("unknown unit", {"q": "furlong"}, "invalid-value", "/q")],
    "scale": [*object_faults(), ("none", {"tau": []}, "wrong-length", "/tau"), ("text", {"tau": ["1"] * 7}, "wrong-type", "/tau/0")],
    "rate_hz": [*number_faults(), ("negative", -1, "range", ""), ("zero", 0, "range", "")],
    "rows": [("one", [1], "wrong-length", ""), ("text", ["0", "1"], "wrong-type", "/0"), ("falling", [9, 3], "range", ""),
             ("number", 3, "wrong-type", ""), ("negative", [-1, 4], "range", "")],
    "filter": [*object_faults(), ("negative", {"cutoff_hz": -1}, "range", "/cutoff_hz")],
    "delay_s": [*number_faults()],
    "confidence": [*number_faults(), ("two", 2, "range", ""), ("zero", 0, "range", "")],
    "seed": [*number_faults(), ("negative", -1, "range", ""), ("half", 0.5, "range", "")],
    "duration_s": [*number_faults(), ("negative", -1, "range", ""), ("zero", 0, "range", "")],
    "output": [*object_faults(), ("negative", {"interval_s": -1}, "range", "/interval_s")],
    "input": [("number", 3, "wrong-type", ""), ("unknown kind", {"kind": "xyz"}, "unknown-name", "/kind"), ("no kind", {}, "missing-field", "/kind")],
    "disturbance": [("number", 3, "wrong-type", ""), ("unknown kind", [{"kind": "xyz"}], "unknown-name", "/0/kind"),
                    ("no kind", [{}], "missing-field", "/0/kind")],
    "events": [("number", 3, "wrong-type", ""), ("unknown", [{"on": "xyz"}], "unknown-name", "/0/on"), ("empty", [{}], "missing-field", "/0/on")],
    "solver": [*object_faults(), ("unknown method", {"method": "xyz"}, "unknown-name", "/method"),
               ("negative step", {"method": "rk4", "step_s": -1}, "range", "/step_s")],
    "drives": [("number", 3, "wrong-type", ""), ("null", None, "wrong-type", "")],
    "coriolis_form": [("unknown", "x", "unknown-name", ""), ("number", 3, "wrong-type", ""), ("null", None, "wrong-type", "")],
    "sample_rate_hz": [("negative", -1, "range", ""), ("text", "100", "wrong-type", "")],
}
# one sample or many, numbers or the names of columns: the text differs between operations
BY_SHAPE = {"q", "without", "axes", "columns", "external_wrenches"}
# operations that do not read the field like the others: only with poses; as a time law instead of the times
# of an example; as members of an answer sent back, which are ignored
TAKES_OTHERS = {"frame": {"trajectory"}, "axes": {"trajectory"}, "duration_s": {"trajectory", "inverse-dynamics", "terms"}}
SESSION = {"robot": ROBOT, "initial": {"q": [0, 0, 0, -1.5, 0, 1.5, 0]}}
IN_SESSIONS = ("payload", "joints", "gravity", "external_wrenches", "without", "disturbance", "events", "drives", "angles")


def takers(field):
    """(operation, schema of the field) for each operation that has the field at the root."""
    for name, (path, schema, examples) in OPERATIONS.items():
        properties = resolved(schema).get("properties", {})
        # assemble, of linkages, takes the joints by name: test_assemble.py has these faults
        if field in properties and "{name}" in path and name not in TAKES_OTHERS.get(field, ()) and name not in ROBOT_OF:
            yield name, shape(properties[field])


def base(name, field):
    """An example of the operation that has the field, else its first example."""
    examples = OPERATIONS[name][2]
    return copy.deepcopy(next((e for e in examples if field in e), examples[0]))


def shape(schema):
    """The schema without descriptions, examples and defaults: its types."""
    if isinstance(schema, list):
        return [shape(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: shape(v) for k, v in resolved(schema).items() if k not in ("description", "examples", "default", "example")}


def refusal(daemon, name, document, headers):
    path = OPERATIONS[name][0].replace("{name}", ROBOT)
    status, _, body = daemon.request("POST", path, dump(document), headers)
    found = json.loads(body)
    assert status >= 400, (name, document, status, found)
    one = found["errors"][0]
    return {"status": status, "type": found["type"], "title": found["title"], **{k: one.get(k) for k in ("pointer", "detail", "hint")}}


CASES = [(field, fault) for field, faults in FAULTS.items() for fault in faults]


@pytest.mark.parametrize("field,fault", CASES, ids=[f"{field}: {fault[0]}" for field, fault in CASES])
def test_one_fault_has_one_problem(daemon, example_data, field, fault):
    _, value, slug, below = fault
    groups = {}
    for name, kind in takers(field):
        document = {**base(name, field), field: value}
        group = groups.setdefault(json.dumps(kind, sort_keys=True) if field in BY_SHAPE else "", {})
        group[name] = refusal(daemon, name, document, JSON)
        if name in MAY_OUTLIVE:
            group[name + " as a job"] = refusal(daemon, name, document, JOB)
    for group in groups.values():
        for name, problem in group.items():
            assert problem["type"] == f"/problems/{slug}" and problem["pointer"] == f"/{field}{below}", (name, problem)
            assert problem["hint"], (name, problem)
        assert len({json.dumps(problem, sort_keys=True) for problem in group.values()}) == 1, json.dumps(group, indent=1)


@pytest.mark.parametrize("field", IN_SESSIONS)
def test_a_session_refuses_as_simulate_does(daemon, example_data, field):
    for what, value, _, _ in FAULTS[field]:
        want = refusal(daemon, "simulate", {**base("simulate", field), field: value}, JSON)
        status, _, body = daemon.request("POST", "/v1/sessions", dump({**SESSION, field: value}), JSON)
        found = json.loads(body)
        one = found["errors"][0]
        got = {"status": status, "type": found["type"], "title": found["title"], **{k: one.get(k) for k in ("pointer", "detail", "hint")}}
        assert got == want, (field, what)


def test_a_wrench_has_one_problem_in_every_field(daemon, example_data):
    """Alone as `endpoint_wrench` and as an element of `external_wrenches`."""
    alone = {fault[0]: fault for fault in FAULTS["endpoint_wrench"]}
    for what, listed, slug, below in FAULTS["external_wrenches"]:
        found = []
        for field, value, place in (("external_wrenches", listed, "/external_wrenches/0"),
                                    ("endpoint_wrench", alone[what][1], "/endpoint_wrench")):
            name = next(iter(takers(field)))[0]
            document = {**base(name, field), field: value}
            problem = refusal(daemon, name, document, JSON)
            assert problem["pointer"].startswith(place), (what, problem)
            found.append({**problem, "pointer": problem["pointer"][len(place):]})
        assert found[0] == found[1], (what, found)


def test_a_misspelt_field_names_the_nearest(daemon, example_data):
    for name, _ in takers("joints"):
        document = {**without(base(name, "joints"), "joints"), "joint": JOINTS}
        problem = refusal(daemon, name, document, JSON)
        assert (problem["status"], problem["pointer"], problem["detail"], problem["hint"]) == (
            400, "/joint", '"joint" is not known here', 'did you mean "joints"?'), (name, problem)


@pytest.mark.parametrize("body", ["[]", "3", "null", '"q"', '{"q":[0,0', '{"q":NaN}'])
def test_what_is_no_request_is_refused_in_the_same_words(daemon, body):
    found = {}
    for name, (path, _, _) in OPERATIONS.items():
        status, _, answer = daemon.request("POST", path.replace("{name}", ROBOT), body, JSON)
        problem = json.loads(answer)
        found[name] = (status, problem["type"], problem["title"], problem["detail"], json.dumps(problem.get("errors")))
    some = {name: value for name, value in found.items() if '"q"' not in body or "q" in resolved(OPERATIONS[name][1]).get("properties", {})}
    assert len(set(some.values())) == 1, json.dumps(some, indent=1)


def test_a_body_without_a_byte_is_a_request_without_fields(daemon):
    for name, (path, _, _) in OPERATIONS.items():
        path = path.replace("{name}", ROBOT)
        answers = [daemon.request("POST", path, body, headers) for body, headers in (("{}", JSON), ("", JSON), ("", {}))]
        statuses = {status for status, _, _ in answers}
        assert len(statuses) == 1, (name, statuses)
        found = [json.loads(body) for _, _, body in answers]
        if statuses != {200}:
            assert found[0]["errors"] == found[1]["errors"] == found[2]["errors"], name
        else:
            assert {k: v for k, v in found[0].items() if k != "provenance"} == {k: v for k, v in found[2].items() if k != "provenance"}, name
