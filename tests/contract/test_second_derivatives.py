# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_second_derivatives.py - second derivatives of torque and acceleration over HTTP: against differences of
# `derivatives`, their laws, formats, refusals and memory.
import io
import json
import math
import struct
import zipfile

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.4, -0.2, 0.1]
QDD = [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
WRENCH = {"link": "flange", "force": [3, -2, 5], "moment": [0.1, 0.2, -0.3], "at": [0.01, 0.02, 0.03],
          "applied_to": "robot", "expressed_in": "world"}
NAMES = {"d2tau_dq_dq": ("dtau_dq", "q"), "d2tau_dqd_dqd": ("dtau_dqd", "qd"), "d2tau_dqd_dq": ("dtau_dqd", "q"),
         "d2tau_dqdd_dq": ("dtau_dqdd", "q")}
ACCELERATION = {"d2qdd_dq_dq": ("dqdd_dq", "q"), "d2qdd_dqd_dqd": ("dqdd_dqd", "qd"), "d2qdd_dqd_dq": ("dqdd_dqd", "q"),
                "d2qdd_dtau_dq": ("dqdd_dtau", "q")}
HEADERS = {"Content-Type": "application/json"}


def post(daemon, robot, call, body, accept="application/json"):
    return daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), HEADERS | {"Accept": accept})


def ask(daemon, robot, call, body):
    status, _, text = post(daemon, robot, call, body)
    assert status == 200, text
    return json.loads(text)


def second(daemon, robot, body, call="terms"):
    return ask(daemon, robot, call, body | {"include": ["second_derivatives"]})["second_derivatives"]


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def chain(n, mimics=0):
    """A chain of hinges, the last ones of which mimic the first."""
    links, joints = ['<link name="l0"/>'], []
    for k in range(n + mimics):
        links.append(f'<link name="l{k + 1}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
                     '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>')
        tied = '<mimic joint="j0" multiplier="0.5"/>' if k >= n else ""
        joints.append(f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/><axis xyz="0 0 1"/>'
                      f'<origin xyz="0.2 0 0"/>{tied}</joint>')
    return f'<robot name="chain">{"".join(links + joints)}</robot>'


def put(daemon, name, text):
    status, _, answer = daemon.request("PUT", f"/v1/robots/{name}", text, {"Content-Type": "application/xml"})
    assert status in (200, 201), answer


def test_they_are_what_the_first_ones_change_by(daemon):
    """Central differences of the same service's `derivatives`, with a wrench and a payload: 1e-9 of the largest entry."""
    h = 1e-5
    body = {"q": Q, "qd": QD, "qdd": QDD, "external_wrenches": [WRENCH],
            "payload": {"link": "flange", "mass": 1.5, "com": [0.01, 0, 0.05]}}
    got = second(daemon, "panda", body)
    assert got["index_order"].startswith("[i][j][k]")
    for name, (first, field) in NAMES.items():
        largest = max(abs(x) for x in flat(got[name]))
        assert largest > 0.1, name
        for k in range(7):
            ends = []
            for sign in (1, -1):
                moved = list(body[field])
                moved[k] += sign * h
                ends.append(ask(daemon, "panda", "terms", body | {field: moved, "include": ["derivatives"]})["derivatives"][first])
            for i in range(7):
                for j in range(7):
                    want = (ends[0][i][j] - ends[1][i][j]) / (2 * h)
                    assert abs(got[name][i][j][k] - want) < 1e-7 * max(1, largest), (name, i, j, k)


@pytest.mark.parametrize("robot", ["panda", "puma560"])
def test_those_of_acceleration_are_what_its_first_ones_change_by(daemon, robot):
    """Central differences of `derivatives` of forward dynamics at the same torque: of friction, a wrench and the mass matrix."""
    h, n = 1e-5, 7 if robot == "panda" else 6
    body = {"q": Q[:n], "qd": QD[:n], "tau": [5, -20, 8, 12, -2, 3, 1][:n]}
    if robot == "panda":
        body |= {"external_wrenches": [WRENCH]}
    got = ask(daemon, robot, "forward-dynamics", body | {"include": ["acceleration_second_derivatives"]})["acceleration_second_derivatives"]
    assert got["index_order"].startswith("[i][j][k] is that of acceleration")
    for name, (first, field) in ACCELERATION.items():
        largest = max(abs(x) for x in flat(got[name]))
        assert largest > 0.01, name
        for k in range(n):
            ends = []
            for sign in (1, -1):
                moved = list(body[field])
                moved[k] += sign * h
                ends.append(ask(daemon, robot, "forward-dynamics", body | {field: moved, "include": ["derivatives"]})["derivatives"][first])
            for i in range(n):
                for j in range(n):
                    want = (ends[0][i][j] - ends[1][i][j]) / (2 * h)
                    assert abs(got[name][i][j][k] - want) < 3e-7 * max(1, largest), (name, i, j, k)


def test_those_of_acceleration_are_the_same_in_every_operation(daemon):
    name = "acceleration_second_derivatives"
    plain = ask(daemon, "panda", "inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD, "include": [name]})
    terms = ask(daemon, "panda", "terms", {"q": Q, "qd": QD, "qdd": QDD, "include": [name]})
    assert plain[name] == terms[name]
    forward = ask(daemon, "panda", "forward-dynamics", {"q": Q, "qd": QD, "tau": plain["tau"], "include": [name]})
    for key in ACCELERATION:
        largest = max(abs(x) for x in flat(plain[name][key]))
        assert all(abs(a - b) < 1e-9 * largest for a, b in zip(flat(forward[name][key]), flat(plain[name][key])))
    order = [6, 2, 0, 5, 1, 4, 3]
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    moving = [j["name"] for j in document["joints"] if j["v"]["count"] == 1]
    mixed = ask(daemon, "panda", "terms", {"joints": [moving[k] for k in order], "q": [Q[k] for k in order], "qd": [QD[k] for k in order],
                                           "qdd": [QDD[k] for k in order], "include": [name]})[name]
    for key in ACCELERATION:
        assert mixed[key] == [[[plain[name][key][i][j][k] for k in order] for j in order] for i in order]
    # M (dM^-1/dq) M = -dM/dq
    both = ask(daemon, "panda", "terms", {"q": Q, "include": [name, "mass_matrix", "mass_matrix_derivatives"]})
    mass, rate = both["mass_matrix"], both["mass_matrix_derivatives"]["derivatives"]
    of_inverse, n = both[name]["d2qdd_dtau_dq"], range(7)
    for i in n:
        for j in n:
            for k in n:
                product = sum(mass[i][a] * of_inverse[a][b][k] * mass[b][j] for a in n for b in n)
                assert abs(product + rate[i][j][k]) < 1e-11


def test_pendulum_in_closed_form(daemon):
    """tau = (m l^2 + I) qdd + m g l sin q about a level axis: d2tau/dq2 = -m g l sin q, and nothing else."""
    put(daemon, "lone-pendulum", '<robot name="p"><link name="b"/><link name="l"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/></joint></robot>')
    got = second(daemon, "lone-pendulum", {"q": [0.7], "qd": [2.0], "qdd": [3.0]})
    assert abs(got["d2tau_dq_dq"][0][0][0] + 2 * 9.81 * 0.5 * math.sin(0.7)) < 1e-13
    assert [abs(got[name][0][0][0]) < 1e-13 for name in ("d2tau_dqd_dqd", "d2tau_dqd_dq", "d2tau_dqdd_dq")] == [True] * 3


def test_laws(daemon):
    """Symmetric in what commutes; dM/dq is that of mass_matrix_derivatives; products of rates are Christoffel's symbols."""
    answer = ask(daemon, "panda", "terms", {"q": Q, "qd": QD, "qdd": QDD, "without": ["friction"],
                                            "include": ["second_derivatives", "mass_matrix_derivatives", "christoffel_symbols"]})
    got, mass = answer["second_derivatives"], answer["mass_matrix_derivatives"]["derivatives"]
    symbols = answer["christoffel_symbols"]["symbols"]
    for i in range(7):
        for j in range(7):
            for k in range(7):
                for name in ("d2tau_dq_dq", "d2tau_dqd_dqd"):
                    assert abs(got[name][i][j][k] - got[name][i][k][j]) < 1e-12
                assert abs(got["d2tau_dqdd_dq"][i][j][k] - mass[i][j][k]) < 1e-12
                assert abs(got["d2tau_dqd_dqd"][i][j][k] - symbols[i][j][k] - symbols[i][k][j]) < 1e-12


def test_every_operation_and_every_order(daemon):
    body = {"q": Q, "qd": QD, "qdd": QDD}
    plain = ask(daemon, "panda", "inverse-dynamics", body | {"include": ["second_derivatives"]})
    forward = {"q": Q, "qd": QD, "tau": plain["tau"]}
    assert second(daemon, "panda", body) == plain["second_derivatives"]
    # at the acceleration of that torque, which is QDD to rounding
    for name, want in plain["second_derivatives"].items():
        got = second(daemon, "panda", forward, "forward-dynamics")[name]
        assert name == "index_order" or all(abs(a - b) < 1e-9 for a, b in zip(flat(got), flat(want)))
    order = [6, 2, 0, 5, 1, 4, 3]
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    moving = [j["name"] for j in document["joints"] if j["v"]["count"] == 1]
    mixed = second(daemon, "panda", {"joints": [moving[k] for k in order], **{x: [v[k] for k in order] for x, v in body.items()}})
    for name in NAMES:
        whole = plain["second_derivatives"][name]
        assert mixed[name] == [[[whole[i][j][k] for k in order] for j in order] for i in order]


def test_without_leaves_out_what_it_names(daemon):
    body = {"q": Q, "qd": QD, "qdd": QDD}
    still = second(daemon, "panda", body | {"without": ["velocity", "friction"]})
    assert not any(flat(still["d2tau_dqd_dqd"])) and not any(flat(still["d2tau_dqd_dq"])) and any(flat(still["d2tau_dq_dq"]))
    assert not any(flat(second(daemon, "panda", body | {"without": ["velocity", "friction", "gravity", "inertia"]})["d2tau_dq_dq"]))


def test_samples_and_formats(daemon):
    """A sample of a batch has the bits of that sample alone; CBOR and NPZ have those of JSON."""
    other = {"q": QD, "qd": QDD, "qdd": Q}
    batch = {x: [{"q": Q, "qd": QD, "qdd": QDD}[x], other[x]] for x in other} | {"include": ["second_derivatives"]}
    both = second(daemon, "panda", batch)
    one = second(daemon, "panda", other)
    cbor = post(daemon, "panda", "terms", batch, "application/cbor")
    npz = post(daemon, "panda", "terms", batch, "application/x-npz")
    assert cbor[0] == npz[0] == 200
    with zipfile.ZipFile(io.BytesIO(npz[2])) as archive:
        for name in NAMES:
            assert both[name][1] == one[name]
            values = struct.pack("<686d", *flat(both[name]))
            member = archive.read(next(x for x in archive.namelist() if x.endswith(f"{name}.npy")))
            assert b"(2, 7, 7, 7)" in member and member.endswith(values)
            assert name.encode() in cbor[2] and values in cbor[2]


def test_large_robots_are_refused(daemon):
    """64 degrees of freedom, whoever they belong to."""
    for name, n, mimics in (("chain-64", 64, 0), ("chain-65", 65, 0), ("chain-mimics", 60, 5)):
        put(daemon, name, chain(n, mimics))
        for include in ("second_derivatives", "acceleration_second_derivatives"):
            status, _, text = post(daemon, name, "terms", {"q": [0.01] * n, "include": [include]})
            if name == "chain-64":
                assert status == 200 and len(json.loads(text)[include]["d2tau_dq_dq" if include[0] == "s" else "d2qdd_dq_dq"]) == 64
                continue
            document = problem((status, _, text), 413)
            assert document["type"] == "/problems/too-large" and "this one has 65" in json.dumps(document)


def test_memory_is_bounded(daemon, start):
    """4 nv^3 numbers a sample are 8 MiB at 64 degrees of freedom: more than one request may have, and more than the process."""
    put(daemon, "chain-64", chain(64))
    document = problem(post(daemon, "chain-64", "terms", {"q": [[0.01] * 64] * 250, "include": ["second_derivatives"]}), 413)
    assert document["type"] == "/problems/too-large" and "fewer samples" in json.dumps(document)
    small = start({"sample_budget": "8 MiB"})
    document = problem(post(small, "panda", "terms", {"q": [Q] * 2000, "include": ["second_derivatives"]}), 503)
    assert document["type"] == "/problems/busy"
    assert len(second(small, "panda", {"q": [Q] * 100})["d2tau_dq_dq"]) == 100


def test_a_number_that_is_too_large_is_named(daemon):
    document = problem(post(daemon, "panda", "terms", {"q": Q, "qd": [1e200] * 7, "include": ["second_derivatives"]}), 422)
    assert "second_derivatives" in json.dumps(document)
