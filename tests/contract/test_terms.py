# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_terms.py - inverse and forward dynamics and terms over HTTP: every name, every refusal, every law.
import decimal
import json
import math

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1]
QDD = [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
WRENCH = {"link": "flange", "force": [3, -2, 5], "moment": [0.1, 0.2, -0.3], "at": [0.01, 0.02, 0.03],
          "applied_to": "robot", "expressed_in": "world"}
PAYLOAD = {"link": "flange", "mass": 1.5, "com": [0.01, 0, 0.05], "inertia": [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.015]]}
ENTRIES = ["inertia", "coriolis", "centrifugal", "gravity", "friction", "rotor", "spring", "external"]
CALLS = {"inverse-dynamics": ("InverseDynamicsResult", {"q": Q, "qd": QD, "qdd": QDD}),
         "forward-dynamics": ("ForwardDynamicsResult", {"q": Q, "qd": QD, "tau": QDD}),
         "terms": ("TermsResult", {"q": Q, "qd": QD, "qdd": QDD})}
REST = {"qd_ref": QD, "qdd_ref": QDD, "frame": {"link": "flange", "at": "com"}, "axes": ["x", "y", "z"],
        "box": {"lower": Q, "upper": [x + 0.05 for x in Q]}}


def post(daemon, robot, call, body):
    return daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body),
                          {"Content-Type": "application/json"})


def ask(daemon, robot, call, body):
    status, _, text = post(daemon, robot, call, body)
    assert status == 200, text
    return json.loads(text)


@pytest.fixture(scope="module")
def contract(daemon):
    return json.loads(daemon.request("GET", "/openapi.json")[2])


@pytest.fixture(scope="module")
def names(contract):
    known = contract["components"]["schemas"]["TermsRequest"]["properties"]["include"]["items"]["enum"]
    constrained = ("multipliers", "constraint_power", "actuation", "constraint_jacobian", "projectors", "integrability")
    # the panda has none of these: test_drives.py, test_constraints.py
    return [name for name in known if name not in ("drive", *constrained)]


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def close(a, b, within):
    a, b = flat(a), flat(b)
    assert len(a) == len(b)
    scale = max([1.0] + [abs(x) for x in b])
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0.0)
    assert worst <= within * scale, (worst, a, b)


def times(matrix, x):
    return [sum(a * b for a, b in zip(row, x)) for row in matrix]


def has_schema(schema, value, where):
    """The members are exactly those of the contract, with all required ones."""
    assert set(value) <= set(schema["properties"]), where
    assert set(schema.get("required", ())) <= set(value), where
    for name, member in value.items():
        if isinstance(member, dict) and "properties" in schema["properties"][name]:
            has_schema(schema["properties"][name], member, f"{where}.{name}")


@pytest.mark.parametrize("call", CALLS)
def test_every_name_is_answered_as_the_contract_says(daemon, contract, names, call):
    schema, body = CALLS[call]
    schema = contract["components"]["schemas"][schema]
    for name in names:
        answer = ask(daemon, "panda", call, body | {"include": [name]} | REST)
        assert name in answer
        has_schema(schema, answer, name)
    answer = ask(daemon, "panda", call, body | {"include": names} | REST)
    assert set(names) <= set(answer)
    assert all(math.isfinite(x) for x in flat(answer["mass_matrix"]))


def test_every_example_of_the_contract_works(daemon, contract, example_data):
    n = 0
    for call in CALLS:
        content = contract["paths"][f"/v1/robots/{{name}}/{call}"]["post"]["requestBody"]["content"]
        for name, example in content["application/json"]["examples"].items():
            schema = contract["components"]["schemas"][CALLS[call][0]]
            has_schema(schema, ask(daemon, "panda", call, example["value"]), name)
            n += 1
    assert n >= 20


def test_a_batch_has_the_rows_of_single_samples(daemon, names):
    body = {"include": names, "frame": "flange"}
    second = [[x + 0.1 for x in Q], [2 * x for x in QD], QDD]
    batch = ask(daemon, "panda", "terms", body | {
        "q": [Q, second[0]] * 9, "qd": [QD, second[1]] * 9, "qdd": [QDD, second[2]] * 9,
        "qd_ref": [QD] * 18, "qdd_ref": [QDD] * 18})
    for k, (q, qd, qdd) in enumerate(((Q, QD, QDD), second)):
        one = ask(daemon, "panda", "terms", body | {"q": q, "qd": qd, "qdd": qdd, "qd_ref": QD, "qdd_ref": QDD})
        for name in names:
            if name == "limits":
                continue  # one for all samples: test_requests_people_write.py
            if isinstance(one[name], dict):
                for key, value in one[name].items():
                    stated = isinstance(value, (str, dict)) or (isinstance(value, list) and flat(value)
                                                        and isinstance(flat(value)[0], str))
                    assert (batch[name][key] if stated else batch[name][key][16 + k]) == value, (name, key)
            else:
                assert batch[name][16 + k] == one[name], name


# -- laws ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("robot", ["panda", "ur5e", "ur10e", "planar-3r", "scara", "rrp", "puma560"])
def test_forward_after_inverse_returns_qdd(daemon, robot):
    document = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])
    n = document["nv"]
    state = {"q": Q[:n], "qd": QD[:n]}
    link = document["links"][-1]["name"]
    loads = {"external_wrenches": [WRENCH | {"link": link}], "payload": PAYLOAD | {"link": link},
             "gravity": [1.0, -2.0, -9.0]}
    inverse = ask(daemon, robot, "inverse-dynamics", state | loads | {"qdd": QDD[:n], "include": ["ledger", "mass_matrix"]})
    forward = ask(daemon, robot, "forward-dynamics", state | loads | {"tau": inverse["tau"]})
    # compared as torques: the rounding of tau, multiplied by M^-1, may be large in qdd
    error = [a - b for a, b in zip(forward["qdd"], QDD)]
    scale = max(abs(x) for e in ENTRIES for x in inverse["ledger"][e])
    assert max(abs(x) for x in times(inverse["mass_matrix"], error)) <= 1e-12 * scale
    close(inverse["ledger"]["sum"], inverse["tau"], 1e-12)


@pytest.mark.parametrize("term", ["friction", "rotor", "spring", "gravity", "external", "velocity", "inertia"])
def test_without_removes_exactly_its_term(daemon, term):
    body = {"q": Q, "qd": QD, "qdd": QDD, "external_wrenches": [WRENCH], "include": ["ledger"]}
    whole = ask(daemon, "panda", "inverse-dynamics", body)
    less = ask(daemon, "panda", "inverse-dynamics", body | {"without": [term]})
    entries = {"velocity": ["coriolis", "centrifugal"]}.get(term, [term])
    for name in ENTRIES:
        assert less["ledger"][name] == ([0.0] * 7 if name in entries else whole["ledger"][name])
    removed = [sum(whole["ledger"][e][i] for e in entries) for i in range(7)]
    close([a - b for a, b in zip(whole["tau"], less["tau"])], removed, 1e-12)


def test_item_047_numbers_of_the_planar_arm(daemon):
    answer = ask(daemon, "planar-2r", "terms", {
        "q": [0.5, -0.9], "qd": [0.7, -1.1], "qdd": [1.3, -0.4],
        "include": ["mass_matrix", "coriolis_vector", "gravity_torque", "energy", "ledger"]})
    close(answer["mass_matrix"], [[2.0142258438215457, 0.4037795885774391], [0.4037795885774391, 0.18]], 1e-14)
    close(answer["coriolis_vector"], [-0.093059236864, -0.138178866858], 1e-12)
    close(answer["gravity_torque"], [21.284193622315, 4.066023758026], 1e-12)
    close(answer["energy"]["kinetic"], 0.2914750485316505, 1e-14)
    close(answer["ledger"]["sum"], [23.648116146988, 4.380758356318], 1e-12)


def test_item_066_numbers_of_the_elbow_arm(daemon):
    answer = ask(daemon, "mls-3dof", "terms", {
        "q": [0.3, -0.7, 1.1], "qd": [0.5, -0.4, 0.8], "qdd": [0.2, 0.3, -0.6],
        "include": ["coriolis_matrix", "gravity_torque", "ledger"], "coriolis_form": "stacked"})
    close(times(answer["coriolis_matrix"]["matrix"], [0.5, -0.4, 0.8]),
          [-0.0624926233563144, -0.0197112480326320, 0.0196548432152203], 1e-13)
    close(answer["gravity_torque"], [0, -4.69501873221770, -1.58123146145445], 1e-13)
    close(answer["ledger"]["sum"], [-0.00907970775035950, -4.68367998025033, -1.56967609968930], 1e-13)
    # this factorisation of the Coriolis terms is not skew-symmetric, and the answer states that
    assert answer["coriolis_matrix"]["skew_residual"] > 0.01


@pytest.mark.parametrize("robot", ["mls-3dof", "panda", "scara", "rrp"])
def test_item_039_040_all_forms_give_one_vector_and_one_is_skew(daemon, robot):
    n = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["nv"]
    body = {"q": Q[:n], "qd": [x + 0.5 for x in QD[:n]]}
    vector = ask(daemon, robot, "terms", body | {"include": ["coriolis_vector"]})["coriolis_vector"]
    for form in ("christoffel", "c1", "c2", "stacked"):
        answer = ask(daemon, robot, "terms", body | {"include": ["coriolis_matrix"], "coriolis_form": form})
        close(times(answer["coriolis_matrix"]["matrix"], body["qd"]), vector, 1e-13)
        assert answer["coriolis_matrix"]["form"] == form
        assert (answer["coriolis_matrix"]["skew_residual"] < 1e-13) == (form == "christoffel"), form


def test_item_043_symbols_make_the_split(daemon):
    answer = ask(daemon, "puma560", "terms", {"q": Q[:6], "qd": QD[:6], "include": ["christoffel_symbols", "ledger"]})
    symbols = answer["christoffel_symbols"]
    for i in range(6):
        square = sum(symbols["symbols"][i][j][j] * QD[j] ** 2 for j in range(6))
        close([symbols["centrifugal"][i]], [square], 1e-14)
    close(symbols["coriolis"], answer["ledger"]["coriolis"], 1e-14)


def test_item_041_bounds_over_a_box_enclose_those_inside(daemon):
    box = {"lower": [-0.2, -0.5], "upper": [0.3, 0.7]}
    q = [[-0.2 + 0.05 * (k % 11), -0.5 + 0.12 * (k // 11)] for k in range(121)]
    answer = ask(daemon, "planar-2r", "terms", {"q": q, "include": ["mass_matrix_bounds"], "box": box})
    bounds = answer["mass_matrix_bounds"]
    assert bounds["box_smallest_guaranteed"] <= bounds["box_smallest_attained"] <= min(bounds["smallest_eigenvalue"])
    assert bounds["box_largest_guaranteed"] >= bounds["box_largest_attained"] >= max(bounds["largest_eigenvalue"])
    assert bounds["box_smallest_guaranteed"] > 0.97 * bounds["box_smallest_attained"]


def test_item_041_a_travel_without_limits_is_not_bounded(daemon):
    answer = ask(daemon, "sprung-pendulum", "terms", {"q": [0.1, 0.2], "include": ["mass_matrix_bounds"], "box": "limits"})
    bounds = answer["mass_matrix_bounds"]
    assert bounds["box_largest_guaranteed"] is None and "no limits" in bounds["box_reason"]


def test_derivatives_are_those_of_the_answers(daemon):
    """Against central differences of the same service, whose error is about 1e-9."""
    h = 1e-5
    body = {"q": Q, "qd": QD, "tau": [0, -20, 0, 15, 0, 2, 0], "external_wrenches": [WRENCH], "payload": PAYLOAD}
    d = ask(daemon, "panda", "forward-dynamics", body | {"include": ["derivatives"]})["derivatives"]
    for field, key in (("q", "dqdd_dq"), ("qd", "dqdd_dqd"), ("tau", "dqdd_dtau")):
        for j in range(7):
            ends = []
            for sign in (1, -1):
                moved = list(body[field])
                moved[j] += sign * h
                ends.append(ask(daemon, "panda", "forward-dynamics", body | {field: moved})["qdd"])
            close([(a - b) / (2 * h) for a, b in zip(*ends)], [row[j] for row in d[key]], 1e-6)


def test_joints_order_permutes_every_term(daemon, names):
    order = [6, 2, 0, 5, 1, 4, 3]
    joints = [f"panda_joint{k + 1}" for k in order]
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    moving = [j["name"] for j in document["joints"] if j["v"]["count"] == 1]
    joints = [moving[k] for k in order]
    include = ["mass_matrix", "christoffel_symbols", "gravity_torque", "derivatives", "link_jacobians"]
    plain = ask(daemon, "panda", "terms", {"q": Q, "qd": QD, "qdd": QDD, "include": include})
    mixed = ask(daemon, "panda", "terms", {"joints": joints, "include": include, "q": [Q[k] for k in order],
                                           "qd": [QD[k] for k in order], "qdd": [QDD[k] for k in order]})
    assert mixed["gravity_torque"] == [plain["gravity_torque"][k] for k in order]
    for a, b in ((mixed["mass_matrix"], plain["mass_matrix"]),
                 (mixed["derivatives"]["dtau_dq"], plain["derivatives"]["dtau_dq"])):
        assert a == [[b[i][j] for j in order] for i in order]
    symbols = plain["christoffel_symbols"]["symbols"]
    assert mixed["christoffel_symbols"]["symbols"] == [[[symbols[i][j][k] for k in order] for j in order] for i in order]
    jacobians = plain["link_jacobians"]["jacobians"]
    assert mixed["link_jacobians"]["jacobians"] == [[[row[k] for k in order] for row in link] for link in jacobians]


def test_a_payload_is_a_body_on_its_link(daemon):
    """Equal to the robot whose document contains the payload as a body."""
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    link = next(x for x in document["links"] if x["name"] == "tool")
    link["mass"], link["com"], link["inertia"], link["inertia_about"] = 1.5, [0.1, 0, 0], [[0.01, 0, 0], [0, 0.02, 0],
                                                                                           [0, 0, 0.015]], "com"
    assert daemon.request("PUT", "/v1/robots/loaded", json.dumps(document), {"Content-Type": "application/json"})[0] < 300
    body = {"q": [0.5, -0.9], "qd": [0.7, -1.1], "qdd": [1.3, -0.4]}
    payload = {"link": "tool", "mass": 1.5, "com": [0.1, 0, 0], "inertia": link["inertia"]}
    fixed = ask(daemon, "loaded", "inverse-dynamics", body)["tau"]
    close(ask(daemon, "planar-2r", "inverse-dynamics", body | {"payload": payload})["tau"], fixed, 1e-14)
    for include in ("ledger", "mass_matrix", "momentum"):
        a = ask(daemon, "planar-2r", "terms", body | {"payload": payload, "include": [include]})[include]
        b = ask(daemon, "loaded", "terms", body | {"include": [include]})[include]
        if isinstance(a, dict):
            a, b = ([v for v in x.values() if not isinstance(v, str)] for x in (a, b))
        close(a, b, 1e-14)


def a_hand_on_a_long_arm():
    """A column of 60 kg and an arm of 2 m that ends in a finger of some milligrams: condition 1e9."""
    links, joints = ['<link name="world"/>'], []
    for k in range(7):
        mass, size = 60 * 10 ** (-1.1 * k), 0.4 * 10 ** (-0.28 * k)
        moment = mass * size * size / 3
        links.append(f'<link name="l{k}"><inertial><origin xyz="{size / 3} {-size / 5} {size / 4}"/><mass value="{mass!r}"/>'
                     f'<inertia ixx="{moment!r}" iyy="{1.2 * moment!r}" izz="{1.1 * moment!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>')
        axis = ("0 0 1", "0 1 0", "1 0 0")[k % 3]
        joints.append(f'<joint name="j{k}" type="continuous"><parent link="{"world" if k == 0 else f"l{k - 1}"}"/><child link="l{k}"/>'
                      f'<origin xyz="{(0, 0.9, 0.7, 0.3, 0.1, 0.03, 0.01)[k]} 0 {0.02 * k}"/><axis xyz="{axis}"/></joint>')
    return f'<robot name="hand">{"".join(links + joints)}</robot>'


def inverse_to_50_digits(m):
    decimal.getcontext().prec = 50
    n = len(m)
    a = [[decimal.Decimal(x) for x in row] + [decimal.Decimal(i == k) for k in range(n)] for i, row in enumerate(m)]
    for p in range(n):
        a[p] = [x / a[p][p] for x in a[p]]
        for r in range(n):
            if r != p:
                a[r] = [x - a[r][p] * y for x, y in zip(a[r], a[p])]
    return [[float(x) for x in row[n:]] for row in a]


@pytest.mark.parametrize("wrench", [None, WRENCH | {"link": "l3"}])
def test_the_inverse_is_that_of_the_mass_matrix_whatever_its_condition(daemon, wrench):
    """M as answered, inverted with 50 digits (decimal): M^-1 and dqdd/dtau agree to 1e-12 of the largest entry.

    The rounding of M itself permits no more: each of its entries is accurate to rounding. With an M of
    different rounding the difference is 1e-9."""
    status, _, text = daemon.request("PUT", "/v1/robots/hand", a_hand_on_a_long_arm(), {"Content-Type": "application/xml"})
    assert status in (200, 201), text
    body = {"q": [0.3, -0.8, 0.4, 0.9, -0.2, 0.5, 1.1], "qd": [0.1] * 7}
    body |= {"external_wrenches": [wrench]} if wrench else {}
    both = ask(daemon, "hand", "terms", body | {"include": ["mass_matrix", "mass_matrix_inverse"]})
    want = flat(inverse_to_50_digits(both["mass_matrix"]))
    largest = max(abs(x) for x in want)
    assert largest * max(abs(x) for x in flat(both["mass_matrix"])) > 1e9
    by_forward = ask(daemon, "hand", "forward-dynamics", body | {"tau": [0.1] * 7, "include": ["derivatives"]})
    for got in (both["mass_matrix_inverse"], by_forward["derivatives"]["dqdd_dtau"]):
        assert max(abs(x - y) for x, y in zip(flat(got), want)) <= 1e-12 * largest


# -- what cannot be computed -----------------------------------------------------------------------------------------

def test_item_023_the_pole_of_the_spherical_pendulum_names_its_joint(daemon):
    body = {"q": [0.0, 0.3], "qd": [0, 0]}
    for call, more in (("forward-dynamics", {"tau": [0, 0]}), ("terms", {"include": ["mass_matrix_inverse"]})):
        document = problem(post(daemon, "spherical-pendulum", call, body | more), 422)
        assert document["type"] == "/problems/singular"
        assert '"phi"' in document["errors"][0]["detail"], document
    # next to the singular point
    ask(daemon, "spherical-pendulum", "forward-dynamics", {"q": [0.1, 0.3], "qd": [0, 0], "tau": [0, 0]})
    assert ask(daemon, "spherical-pendulum", "terms", {"q": [0, 0.3], "include": ["mass_matrix"]})["mass_matrix"][1][1] == 0


def test_a_point_that_cannot_move_that_way_says_which_axes_to_name(daemon):
    body = {"q": [0.5, -0.9], "include": ["operational_space_inertia"], "frame": "tool"}
    document = problem(post(daemon, "planar-2r", "terms", body), 422)
    assert document["type"] == "/problems/singular" and "axes" in document["errors"][0]["hint"]
    lam = ask(daemon, "planar-2r", "terms", body | {"axes": ["x", "y"]})["operational_space_inertia"]
    assert lam["axes"] == ["x", "y"] and lam["frame"] == {"link": "tool", "at": [0, 0, 0]} and len(lam["matrix"]) == 2
    # fully extended, the arm cannot move along its own length
    problem(post(daemon, "planar-2r", "terms", body | {"q": [0.5, 0], "axes": ["x", "y"]}), 422)


def test_massless_leaf_is_a_clear_refusal(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    for link in document["links"]:
        if link["name"] == "link2":
            link["mass"], link["inertia"] = 0, [[0, 0, 0]] * 3
    status, _, text = daemon.request("PUT", "/v1/robots/light", json.dumps(document), {"Content-Type": "application/json"})
    assert status < 300, text
    answer = problem(post(daemon, "light", "forward-dynamics", {"q": [0, 0], "qd": [0, 0], "tau": [0, 0]}), 422)
    assert '"joint2"' in answer["errors"][0]["detail"]


WRONG = [  # body, status, pointer, replacement with which the request succeeds
    ({"include": ["passivity"], "qd_ref": [0, 0]}, 422, "/qdd_ref", {"qdd_ref": [0, 0]}),
    ({"include": ["operational_space_inertia"], "axes": ["x", "y"]}, 422, "/frame", {"frame": "tool"}),
    ({"include": ["mass_matrx"]}, 422, "/include/0", {"include": ["mass_matrix"]}),
    ({"include": ["energy"], "frame": "tol"}, 422, "/frame", {"frame": "tool"}),
    ({"include": ["energy"], "frame": {"link": "tool", "at": [0, 0]}}, 422, "/frame/at", {"frame": {"link": "tool", "at": [0, 0, 0]}}),
    ({"include": ["energy"], "frame": {"link": "tool", "at": "centre"}}, 422, "/frame/at", {"frame": {"link": "tool", "at": "com"}}),
    ({"include": ["energy"], "frame": 3}, 400, "/frame", {"frame": "tool"}),
    ({"include": ["energy"], "axes": ["w"]}, 422, "/axes/0", {"axes": ["x"]}),
    ({"include": ["coriolis_matrix"], "coriolis_form": "c3"}, 422, "/coriolis_form", {"coriolis_form": "c1"}),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": 1}}, 422, "/payload",
     {"payload": {"link": "tool", "mass": 1, "com": [0, 0, 0]}}),
    ({"include": ["energy"], "payload": {"link": "tol", "mass": 1, "com": [0, 0, 0]}}, 422, "/payload/link", None),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": -1, "com": [0, 0, 0]}}, 422, "/payload", None),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": 1, "com": [0, 0]}}, 422, "/payload/com", None),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": [1], "com": [0, 0, 0]}}, 400, "/payload/mass", None),
    ({"include": ["energy"], "payload": {"link": "tool", "masse": 1}}, 400, "/payload/masse", None),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": 1, "com": [0, 0, 0],
                                         "inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}}, 422, "/payload", None),
    ({"include": ["energy"], "payload": {"link": "tool", "mass": 1, "com": [0, 0, 0], "inertia": [1, 0, 0]}}, 400,
     "/payload/inertia", None),
    ({"include": ["mass_matrix_bounds"], "box": {"lower": [0, 0]}}, 422, "/box", {"box": {"lower": [0, 0], "upper": [1, 1]}}),
    ({"include": ["mass_matrix_bounds"], "box": {"lower": [0, 0], "upper": [1]}}, 422, "/box/upper", None),
    ({"include": ["mass_matrix_bounds"], "box": {"lower": [0, 2], "upper": [1, 1]}}, 422, "/box", None),
    ({"include": ["mass_matrix_bounds"], "box": "limitz"}, 422, "/box", {"box": "limits"}),
    ({"include": []}, 422, "", {"include": ["mass_matrix"]}),
    ({}, 422, "", {"include": ["mass_matrix"]}),
    ({"include": ["energy"], "from": "x"}, 400, "/from", None),
]


@pytest.mark.parametrize("row", range(len(WRONG)))
def test_wrong_uses_have_their_place_and_their_cure(daemon, row):
    body, status, pointer, cure = WRONG[row]
    body = {"q": [0.5, -0.9], "qd": [0.7, -1.1]} | body
    document = problem(post(daemon, "planar-2r", "terms", body), status)
    assert document["errors"][0]["pointer"].startswith(pointer), document
    if cure:
        ask(daemon, "planar-2r", "terms", body | cure)


def test_floating_robots_have_terms_too(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    q = [0.0] * document["nq"]
    q[3] = 1.0
    n = document["nv"]
    answer = ask(daemon, "quadruped", "terms", {"q": q, "qd": [0.1] * n, "qdd": [0.2] * n,
                                                "include": ["ledger", "derivatives", "checks", "momentum"]})
    assert answer["checks"]["recursive_lagrangian"] < 1e-12 and answer["checks"]["skew_symmetry"] < 1e-12
    body = {"q": q, "qd": [0.1] * n, "include": ["coriolis_matrix"], "coriolis_form": "c1"}
    assert problem(post(daemon, "quadruped", "terms", body), 422)["type"] == "/problems/range"
    body = {"q": q, "include": ["mass_matrix_bounds"], "box": {"lower": q, "upper": q}}
    assert "has no box" in problem(post(daemon, "quadruped", "terms", body), 422)["detail"]


def test_bounds_over_a_box_of_a_long_chain_are_refused(daemon):
    """Where hundreds of joints mimic four, bounds over a box are useless: the answer took a minute."""
    n, own = 300, 4
    text = '<robot name="r"><link name="l0"/>'
    for i in range(1, n + 1):
        mimic = "" if i <= own else f'<mimic joint="j{1 + i % own}" multiplier="0.5"/>'
        text += (f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                 f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>'
                 f'<limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>')
    status, _, said = daemon.request("PUT", "/v1/robots/chain", (text + "</robot>").encode(), {"Content-Type": "application/xml"})
    assert status == 201, said
    body = {"q": [0.1] * own, "include": ["mass_matrix_bounds"]}
    assert ask(daemon, "chain", "terms", body)["mass_matrix_bounds"]["smallest_eigenvalue"] > 0
    body["box"] = {"lower": [-1] * own, "upper": [1] * own}
    reply = post(daemon, "chain", "terms", body)
    assert reply[0] == 413 and b"chains of up to 180 joints" in reply[2], reply


def test_the_jacobian_of_the_centre_of_mass_is_its_derivative(daemon):
    """Columns by central differences of `center_of_mass.position`: truncation error h^2 |d3 com / dq3| / 6 =
    1e-10 m, rounding error 1e-16 / h."""
    h = 1e-5
    jacobian = ask(daemon, "panda", "terms", {"q": Q, "include": ["center_of_mass_jacobian"]})["center_of_mass_jacobian"]
    assert [len(row) for row in jacobian] == [7, 7, 7]
    for column in range(7):
        both = [[x + sign * h * (k == column) for k, x in enumerate(Q)] for sign in (1, -1)]
        ahead, back = ask(daemon, "panda", "terms", {"q": both, "include": ["center_of_mass"]})["center_of_mass"]["position"]
        close([row[column] for row in jacobian], [(a - b) / (2 * h) for a, b in zip(ahead, back)], 1e-9)
