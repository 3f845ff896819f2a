# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_constraints.py - robots with constraints over HTTP: put, got, computed, moved, refused.
import json
import math

import pytest

from test_terms import ask, contract, has_schema  # noqa: F401  (a fixture)

FORCES = ("multipliers", "constraint_power", "actuation")
STATES = ("constraint_jacobian", "projectors", "integrability")
PENDULUM = {
    "gravity": [0, -9.81, 0],
    "links": [{"name": "base"}, {"name": "carrier"}, {"name": "bob", "mass": 1, "com": [0, 0, 0]}],
    "joints": [{"name": "x", "kind": "prismatic", "parent": "base", "child": "carrier", "axis": [1, 0, 0]},
               {"name": "y", "kind": "prismatic", "parent": "carrier", "child": "bob", "axis": [0, 1, 0]}],
    "constraints": [{"name": "wire", "kind": "equation", "expression": "y - x^2"}]}


def put(daemon, name, document):
    status, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), {"Content-Type": "application/json"})
    return status, json.loads(text)


def test_names_are_answered_as_the_contract_says(daemon, contract):
    q = json.loads(daemon.request("GET", "/v1/robots/four-bar")[2])["assembled"]
    zero = [0, 0, 0]
    for call, schema, more, names in (
            ("inverse-dynamics", "InverseDynamicsResult", {"qdd": zero}, FORCES + STATES),
            ("forward-dynamics", "ForwardDynamicsResult", {"tau": zero}, FORCES[:2] + STATES),
            ("terms", "TermsResult", {}, STATES)):
        answer = ask(daemon, "four-bar", call, {"q": q, "qd": zero, "include": list(names)} | more)
        assert set(names) <= set(answer)
        has_schema(contract["components"]["schemas"][schema], answer, call)


def test_a_bead_on_a_wire_goes_round_the_house(daemon, contract):
    status, report = put(daemon, "bead", PENDULUM)
    assert status == 201 and report["dof"] == 1
    document = json.loads(daemon.request("GET", "/v1/robots/bead")[2])
    assert document["constraints"] == PENDULUM["constraints"]
    status, again = put(daemon, "bead-again", document)
    assert status == 201 and again["constraints"] == document["constraints"]
    # the bead on y = x^2 at rest accelerates along the tangent: x'' = -2 g x / (1 + 4 x^2)
    answer = ask(daemon, "bead", "forward-dynamics", {"q": [0.5, 0.25], "qd": [0, 0], "tau": [0, 0]})
    assert answer["qdd"][0] == pytest.approx(-2 * 9.81 * 0.5 / 2, rel=1e-12)
    run = ask(daemon, "bead", "simulate", {"initial": {"q": [0.5, 0.25]}, "duration_s": 5, "output": {"interval_s": 0.05},
                                           "include": ["energy", "multipliers"]})
    has_schema(contract["components"]["schemas"]["SimulateResult"], run, "simulate")
    assert max(abs(y - x * x) for x, y in run["q"]) <= 1e-10
    energy = [k + p for k, p in zip(run["kinetic_energy"], run["potential_energy"])]
    assert max(abs(e - energy[0]) for e in energy) < 1e-7
    assert len(run["multipliers"]) == len(run["t"]) and run["constraints"]["rows"] == ["wire"]


@pytest.mark.parametrize("constraint, pointer, part", [
    ({"kind": "equation", "expression": "y - x^2)"}, "/constraints/0/expression", "+ - * / ^"),
    ({"kind": "equation", "expression": "y - z"}, "/constraints/0/expression", "joint"),
    ({"kind": "equation", "expression": "x^2 + y^2 + 1"}, "/constraints/0", "contradict"),
    ({"kind": "distance", "a": {"link": "base"}, "b": {"link": "bob"}, "length": -1}, "/constraints/0", "above 0"),
])
def test_impossible_constraints_are_refused(daemon, constraint, pointer, part):
    status, problem = put(daemon, "wrong", PENDULUM | {"constraints": [constraint]})
    assert status == 422
    fault = problem["errors"][0]
    assert fault["pointer"].lstrip("#") == pointer and part in fault["hint"]


def test_the_disk_rolls_in_a_circle(daemon):
    # radius 0.2 * 3 / 0.5; one turn takes 4 pi seconds
    run = ask(daemon, "rolling-disk", "simulate", {
        "initial": {"q": [0, 0, 0, 0], "qd": [0.6, 0, 0.5, 3]}, "duration_s": 4 * math.pi,
        "output": {"times_s": [math.pi * k for k in range(1, 5)]}})
    for x, y, _, _ in run["q"]:
        assert math.hypot(x, y - 1.2) == pytest.approx(1.2, abs=1e-8)
    assert run["q"][-1][0] == pytest.approx(0, abs=1e-7)
