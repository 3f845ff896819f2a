# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_gravity_compensation.py - links whose weight is carried in part: every operation beside the robot in less gravity, formats, payloads,
# what refuses it.
"""A robot of whose links half the weight is carried moves as the robot without, in half the gravity: all examples of the contract are asked of both,
and every number compared."""
import copy
import json
import math
import pathlib

import pytest
import yaml
from test_calibrate import EXACT, ask, calibrate, moving, true_robot, write_run

JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/xml"}
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "api/openapi/examples"
# of recordings, or of no robot; searches whose end depends on rounding
OTHER = {"assemble", "calibrate", "calibrate-kinematics", "compare", "drive", "inertia", "payload", "residual", "rigid-body", "excitation"}
# what depends on rounding, or says how something was computed
UNLIKE = {"provenance", "timings", "stats", "verdict"}
SHARES = [1.0, 0.0, 0.5, -0.5, 1.0, 1.5, 0.25, 0.0]


def put(daemon, name, body, kind=JSON, status=(200, 201)):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", body if isinstance(body, (str, bytes)) else json.dumps(body), kind)
    assert got in status, text
    return json.loads(text)


def post(daemon, name, operation, body):
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    return status, json.loads(text)


def call(daemon, name, operation, **body):
    status, answer = post(daemon, name, operation, body)
    assert status == 200, answer
    return answer


def differ(a, b, path=""):
    """Where two answers differ by more than 1e-7 of the largest number of a list; words and provenance aside."""
    if isinstance(a, dict) and isinstance(b, dict):
        assert set(a) == set(b), path
        return [x for key in a if key not in UNLIKE for x in differ(a[key], b[key], f"{path}/{key}")]
    if isinstance(a, list) and isinstance(b, list):
        assert len(a) == len(b), path
        if all(isinstance(x, (int, float)) for x in [*a, *b]):
            scale = max([1.0, *(abs(x) for x in b)])
            return [(f"{path}/{k}", x, y) for k, (x, y) in enumerate(zip(a, b)) if not abs(x - y) <= 1e-7 * scale]
        return [found for k, (x, y) in enumerate(zip(a, b)) for found in differ(x, y, f"{path}/{k}")]
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return [] if abs(a - b) <= 1e-7 * max(1.0, abs(b)) else [(path, a, b)]
    return [] if type(a) is type(b) else [(path, a, b)]


KEPT = ("gravity", "links", "joints", "constraints", "actuated", "tendons")


def put_pair(daemon, robot):
    """The built-in robot, half carried and in half the gravity."""
    plain = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])
    plain = {key: plain[key] for key in KEPT if key in plain}
    half = copy.deepcopy(plain)
    half["gravity"] = [x / 2 for x in half["gravity"]]
    for link in plain["links"]:
        link["gravity_compensation"] = 0.5
    put(daemon, f"half-{robot}", half)
    answer = put(daemon, f"carried-{robot}", plain)
    assert all(link["gravity_compensation"] == 0.5 for link in answer["links"])


@pytest.fixture(scope="module")
def pair(daemon):
    put_pair(daemon, "panda")
    return ("carried-panda", "half-panda")


def requests():
    for file in sorted(EXAMPLES.glob("*.yaml")):
        if file.stem not in OTHER:
            for name, example in yaml.safe_load(file.read_text()).items():
                yield pytest.param(file.stem, example.get("x-robot", "panda"), example["value"], id=f"{file.stem}-{name}")


@pytest.mark.parametrize(("operation", "robot", "body"), list(requests()))
def test_examples(daemon, operation, robot, body):
    if "gravity" in body:
        pytest.skip("has a gravity of its own")
    if "payload" in json.dumps(body):
        pytest.skip("a payload is not carried: test_payloads, test_calibration")
    put_pair(daemon, robot)
    answers = [post(daemon, f"{name}-{robot}", operation, body) for name in ("carried", "half")]
    assert answers[0][0] == answers[1][0] == 200, answers
    found = differ(answers[0][1], answers[1][1])
    assert not found, found[:5]


Q, QD, QDD = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7], [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1], [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
START = {"initial": {"q": Q, "qd": QD}, "duration_s": 0.2, "output": {"interval_s": 0.05}, "include": ["energy", "momentum", "base_reaction", "qdd"]}


@pytest.mark.parametrize("include", ["energy", "gravity_torque", "ledger", "derivatives", "second_derivatives", "acceleration_second_derivatives", "reactions",
                                     "checks", "passivity"])
def test_terms(daemon, pair, include):
    for operation, body in (("inverse-dynamics", {"qdd": QDD}), ("forward-dynamics", {"tau": [5 * x for x in QDD]}), ("terms", {"qdd": QDD})):
        body = {"q": Q, "qd": QD, "qd_ref": QD, "qdd_ref": QDD, "include": [include], **body}
        a, b = (call(daemon, name, operation, **body) for name in pair)
        assert not differ(a, b), differ(a, b)[:5]
        a = call(daemon, pair[0], operation, **body, without=["gravity"])
        b = call(daemon, pair[1], operation, **body, without=["gravity"])
        assert not differ(a, b), differ(a, b)[:5]


@pytest.mark.parametrize("method", ["dopri87", "dopri45", "sdirk", "bdf", "rk4", "semi-implicit-euler", "implicit-midpoint"])
def test_motion(daemon, pair, method):
    body = {**START, "solver": {"method": method}}
    a, b = (call(daemon, name, "simulate", **body) for name in pair)
    found = [x for x in differ(a, b) if "audit" not in x[0]]
    assert not found, found[:5]
    for audit in (a["audit"], b["audit"]):
        assert abs(audit["energy"]["relative"]) < (1e-2 if method == "semi-implicit-euler" else 1e-5), audit
        if method not in ("semi-implicit-euler", "implicit-midpoint"):
            assert max(map(abs, audit["momentum"]["residual"])) < 1e-5, audit
    without = [call(daemon, name, "simulate", **body, without=["gravity"]) for name in pair]
    assert not [x for x in differ(*without) if x[0].startswith(("/q", "/qd"))]


def test_ensembles(daemon, pair):
    """Side by side on lanes, and member by member where masses differ."""
    for vary in ([{"of": "q", "joint": "joint2", "uniform": [-0.3, 0.3]}],
                 [{"of": "mass_factor", "link": "link4", "list": [1, 1.3, 0.8]}], [{"of": "viscous_factor", "joint": "joint1", "list": [1, 2]}]):
        body = {"initial": START["initial"], "duration_s": 0.1, "output": {"interval_s": 0.05}, "solver": {"method": "rk4", "step_s": 0.002}, "vary": vary, "seed": 1,
                "end_states": True}
        if "list" not in vary[0]:
            body["members"] = 20
        a, b = (call(daemon, name, "ensemble", **body) for name in pair)
        assert not differ(a, b), differ(a, b)[:5]


def test_sessions(daemon, pair):
    states = []
    for name in pair:
        status, _, text = daemon.request("POST", "/v1/sessions", json.dumps({"robot": name, "initial": START["initial"]}), JSON)
        assert status == 201, text
        status, _, text = daemon.request("POST", f"/v1/sessions/{json.loads(text)['id']}/step", json.dumps({"tau": [0] * 7, "steps": 100}), JSON)
        assert status == 200, text
        states.append(json.loads(text))
    assert not differ(*states), differ(*states)[:5]


def arm(shares=(0.0, 0.0), gravity=(0, 0, -9.81), **more):
    """Two links of 2 and 3 kg, the second one 1 m out; what is carried of each."""
    bodies = [{"name": f"b{k}", "mass": m, "com": [0.5, 0, 0], "inertia": [[0.02, 0, 0], [0, 0.03, 0], [0, 0, 0.04]], "inertia_about": "com",
               "gravity_compensation": c} for k, (m, c) in enumerate(zip((2.0, 3.0), shares))]
    return {"gravity": list(gravity), "links": [{"name": "world"}, *bodies],
            "joints": [{"name": "j0", "kind": "revolute", "parent": "world", "child": "b0", "axis": [0, 1, 0]},
                       {"name": "j1", "kind": "revolute", "parent": "b0", "child": "b1", "axis": [0, 1, 0], "origin": {"position": [1, 0, 0]}}], **more}


def test_torque_in_closed_form(daemon):
    """About y a weight m g at x turns by -m g x; carried is the share of it."""
    put(daemon, "two", arm((0.25, 1.0)))
    got = call(daemon, "two", "inverse-dynamics", q=[0.3, -0.7], qd=[0, 0], qdd=[0, 0], include=["gravity_torque", "energy", "reactions"])
    g = 9.81
    first, second = math.cos(0.3), math.cos(0.3 - 0.7)
    assert got["tau"] == pytest.approx([-0.75 * 2 * g * 0.5 * first, 0], abs=1e-12)
    assert got["gravity_torque"] == pytest.approx(got["tau"])
    assert got["energy"]["potential"] == pytest.approx(-0.75 * 2 * g * 0.5 * math.sin(0.3))
    changed = call(daemon, "two", "inverse-dynamics", q=[0.3, -0.7], qd=[0, 0], qdd=[0, 0], gravity=[0, 0, -2.0])
    assert changed["tau"] == pytest.approx([-0.75 * 2 * 2.0 * 0.5 * first, 0], abs=1e-12)
    status, _, text = daemon.request("PATCH", "/v1/robots/two", json.dumps({"operations": [{"op": "link", "link": "b1", "gravity_compensation": 0.5}]}), JSON)
    assert status == 200, text
    got = call(daemon, "two", "inverse-dynamics", q=[0.3, -0.7], qd=[0, 0], qdd=[0, 0])
    assert got["tau"] == pytest.approx([-g * (0.75 * 2 * 0.5 * first + 1.5 * (first + 0.5 * second)), -g * 1.5 * 0.5 * second])


def test_payloads(daemon):
    """A payload of a request, of an ensemble or by PATCH weighs all it has."""
    g, m, x = 9.81, 1.5, 0.8
    put(daemon, "two", arm((1.0, 1.0)))
    pose = {"q": [0.0, 0.0], "qd": [0, 0], "qdd": [0, 0]}
    want = [-m * g * (1 + x), -m * g * x]
    payload = {"link": "b1", "mass": m, "com": [x, 0, 0]}
    got = call(daemon, "two", "inverse-dynamics", **pose, payload=payload, include=["ledger", "energy", "checks"])
    assert got["tau"] == pytest.approx(want) and got["ledger"]["gravity"] == pytest.approx(want)
    start = {"initial": {"q": [0.0, 0.0]}, "duration_s": 0.3, "output": {"interval_s": 0.1}}
    one = call(daemon, "two", "simulate", **start, payload=payload, include=["energy", "momentum"])
    assert abs(one["audit"]["energy"]["relative"]) < 1e-7 and max(map(abs, one["audit"]["momentum"]["residual"])) < 1e-6, one["audit"]
    many = call(daemon, "two", "ensemble", **start, vary=[{"of": "payload_mass", "link": "b1", "at": [x, 0, 0], "list": [0, m]}], end_states=True)
    ends = json.dumps(many["end_states"])
    assert len(ends) > 10
    status, _, text = daemon.request("PATCH", "/v1/robots/two", json.dumps({"operations": [{"op": "payload", **payload}]}), JSON)
    assert status == 200, text
    got = call(daemon, "two", "inverse-dynamics", **pose)
    assert got["tau"] == pytest.approx(want)
    again = call(daemon, "two", "simulate", **start)
    assert again["q"][-1] == pytest.approx(one["q"][-1], abs=1e-8)
    assert again["q"][-1] == pytest.approx(many["end_states"]["q"][1], abs=1e-6)


@pytest.mark.parametrize("shares", [(1.0, 0.0), (0.5, -0.25), (0.0, 1.75)])
def test_xml_formats(daemon, shares):
    """Each writes every share and reads it again; SDF says in its own word what that word can, and there it counts first."""
    answer = put(daemon, "two", arm(shares))
    want_shares = [None, *(c or None for c in shares)]
    assert [link.get("gravity_compensation") for link in answer["links"]] == want_shares
    pose = {"q": [0.3, -0.7], "qd": [0.5, 1], "qdd": [1, 2]}
    want = call(daemon, "two", "inverse-dynamics", **pose)["tau"]
    for form in ("mjcf", "sdf", "urdf"):
        status, _, text = daemon.request("GET", f"/v1/robots/two?format={form}")
        if form == "mjcf" and min(shares) < 0:
            continue  # beside a share above 0 it is written: test_formats
        assert status == 200, text
        own = f"<torqued:gravity_compensation share=\"{shares[1]}\"/>" if form == "urdf" else f"<torqued:gravity_compensation>{shares[1]}<"
        assert form == "mjcf" or shares[1] == 0 or own in text.decode(), text
        assert (form == "sdf" and shares[0] == 1.0) == (b"<gravity>false</gravity>" in text), text
        assert form == "mjcf" or (b"gravity compensation of" in text) == (form == "urdf" or shares[0] != 1.0), text  # the comment for people
        again = put(daemon, "again", text, XML)
        assert not [found for found in again.get("findings", []) if "gravity_compensation" in json.dumps(found)], again
        links = {link["name"]: link.get("gravity_compensation") for link in again["links"]}
        assert [links[f"b{k}"] for k in range(2)] == want_shares[1:], links
        assert call(daemon, "again", "inverse-dynamics", **pose)["tau"] == pytest.approx(want)


def test_formats(daemon):
    put(daemon, "two", arm((0.5, 0.0)))
    text = daemon.request("GET", "/v1/robots/two?format=sdf")[2].decode()
    both = text.replace("<torqued:gravity_compensation>", "<gravity>false</gravity><torqued:gravity_compensation>")
    assert both != text and [link.get("gravity_compensation") for link in put(daemon, "again", both, XML)["links"]][-2:] == [1.0, None]
    text = daemon.request("GET", "/v1/robots/two?format=urdf")[2].decode()
    for wrong in ("", 'share="much"'):
        status, _, answer = daemon.request("PUT", "/v1/robots/bad", text.replace('share="0.5"', wrong), XML)
        fault = json.loads(answer)["errors"][0]
        assert status in (400, 422) and "share" in fault["detail"] and "b0" in fault["pointer"], answer
    twice = text.replace('<torqued:gravity_compensation share="0.5"/>', '<torqued:gravity_compensation share="0.5"/>' * 2)
    status, _, answer = daemon.request("PUT", "/v1/robots/bad", twice, XML)
    assert status in (400, 422) and "a second <torqued:gravity_compensation>" in answer.decode(), answer
    massless = arm((0.5, 0.5))
    massless["links"].append({"name": "tip", "gravity_compensation": 0.25})
    massless["joints"].append({"name": "t", "kind": "fixed", "parent": "b1", "child": "tip"})
    put(daemon, "two", massless)
    for form in ("sdf", "urdf"):  # a frame, and a link without <inertial>
        status, _, text = daemon.request("GET", f"/v1/robots/two?format={form}")
        assert status == 200, text
        links = {link["name"]: link.get("gravity_compensation") for link in put(daemon, "again", text, XML)["links"]}
        assert (links["b0"], links["b1"], links["tip"]) == (0.5, 0.5, 0.25), links
    put(daemon, "two", arm((-0.5, 0.0)))
    status, _, text = daemon.request("GET", "/v1/robots/two?format=mjcf")
    assert status == 406 and b"b0" in text and b"below 0" in text, text
    wrong = arm()
    wrong["links"][1]["gravity_compensation"] = "all"
    status, _, text = daemon.request("PUT", "/v1/robots/bad", json.dumps(wrong), JSON)
    assert status == 400 and json.loads(text)["errors"][0]["pointer"] == "/links/1/gravity_compensation", text
    wrong["links"][1]["gravity_compensation"] = 1e308  # times 2 kg
    status, _, text = daemon.request("PUT", "/v1/robots/bad", json.dumps(wrong), JSON)
    assert status == 422 and json.loads(text)["errors"][0]["pointer"] == "/links/1/gravity_compensation", text


def test_contacts_and_constraints(daemon):
    """Held in half and in half the gravity; with rigid and compliant contacts, and a loop."""
    ball = {"gravity": [0, 0, -9.81], "links": [{"name": "world"}, {"name": "b", "mass": 2, "com": [0, 0, 0.01], "inertia_about": "com",
                                                                      "inertia": [[0.02, 0, 0], [0, 0.03, 0], [0, 0, 0.04]]}],
            "joints": [{"name": "j", "kind": "floating", "parent": "world", "child": "b"}]}
    half = copy.deepcopy(ball)
    ball["links"][1]["gravity_compensation"], half["gravity"] = 0.5, [0, 0, -4.905]
    put(daemon, "a", ball), put(daemon, "b", half)
    shapes = [{"name": "floor", "shape": "half-space"}, {"name": "round", "link": "b", "shape": "sphere", "size": [0.1]}]
    for law in ({}, {"law": "compliant", "stiffness": 1e5, "dissipation": 0.5}):
        body = {"initial": {"q": [0, 0, 0.15, 1, 0, 0, 0], "qd": [0.3, 0, 0, 0, 1, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.1}, "include": ["energy"],
                "contacts": {"shapes": shapes, "friction": 0.3, **law}}
        a, b = (call(daemon, name, "simulate", **body) for name in ("a", "b"))
        for x, y in zip(a["q"], b["q"]):
            assert x == pytest.approx(y, abs=1e-6)
        assert a["audit"]["energy"]["dissipated"] > 1e-4 and abs(a["audit"]["energy"]["relative"]) < 1e-4, a["audit"]
    bars = arm((0.5, 0.5))
    loop = {"constraints": [{"kind": "distance", "a": {"link": "b1", "position": [1, 0, 0]}, "b": {"link": "world", "position": [1, 0, 0]}, "length": 1.0}]}
    light = arm(gravity=(0, 0, -4.905))
    for name, robot in (("a", {**bars, **loop}), ("b", {**light, **loop})):
        status, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(robot), JSON)
        assert status in (200, 201), text
    a, b = (call(daemon, name, "inverse-dynamics", q=[0.0, 0.0], qd=[0, 0], qdd=[0, 0], include=["gravity_torque"]) for name in ("a", "b"))
    assert not differ(a, b), differ(a, b)
    start = json.loads(daemon.request("GET", "/v1/robots/a")[2])["assembled"]
    a, b = (call(daemon, name, "simulate", initial={"q": start}, duration_s=0.3, output={"interval_s": 0.1}, include=["energy"]) for name in ("a", "b"))
    assert a["q"][-1] == pytest.approx(b["q"][-1], abs=1e-7) and abs(a["audit"]["energy"]["relative"]) < 1e-6, a["audit"]
    assert max(abs(x - y) for x, y in zip(a["q"][-1], start)) > 1e-3, a["q"]


def test_calibration(daemon):
    """Masses and friction of a robot some of whose links are carried, from its own torques."""
    document = true_robot(daemon)
    for k, link in enumerate(document["links"]):
        link["gravity_compensation"] = SHARES[k % len(SHARES)]
    put(daemon, "truth", document)
    true = [link["mass"] for link in document["links"]]
    for joint in moving(document):
        joint["damping"], joint["friction"], joint["rotor"] = 0, {"coulomb": 1e-3, "smoothing": 0.02}, {"inertia": 0, "ratio": 1}
    for link, mass in zip(document["links"], true):
        link["mass"] = mass / 1.3
    put(daemon, "guess", document)
    n = json.loads(daemon.request("GET", "/v1/robots/truth")[2])["nv"]
    for run in (1, 2):
        write_run(daemon, f"run{run}", n, run)
    found = calibrate(daemon, {"datasets": ["run1", "run2"], "filter": EXACT, "method": "ols"}, robot="guess")
    want = ask(daemon, "truth", "regressor?form=base", {"parameters": ["rotor", "viscous", "coulomb", "offset"]})
    assert found["rank"]["data"] == found["rank"]["structural"] == want["n_base"] == found["rank"]["columns"]
    assert [p["name"] for p in found["parameters"]] == [c["name"] for c in want["columns"]]
    for p, value in zip(found["parameters"], want["parameter_values"]):
        assert p["value"] == pytest.approx(value, abs=1e-9), p["name"]  # as in test_calibrate.py


# what fits a body on a link, or weighs one there: each field that names the link, and the operation's own choice, the last link
ON_A_LINK = {"payload": lambda link: ("payload", {"datasets": ["run"], **link}, "link"),
             "payload of poses": lambda link: ("static-poses", {"poses": 4, "identify": "payload", **link}, "link"),
             "load of poses": lambda link: ("static-poses", {"poses": 4, "load": {"mass": 1.0, **link}}, "load/link")}


@pytest.mark.parametrize("what", ON_A_LINK)
def test_bodies_on_carried_links(daemon, what):
    """Refused by name where the link is carried, named or not; accepted on a link that is not."""
    named, last, free = ON_A_LINK[what]({"link": "b0"}), ON_A_LINK[what]({}), ON_A_LINK[what]({"link": "b1"})
    for robot, shares in (("first", (0.5, 0.0)), ("truth", (0.5, 0.0)), ("last", (0.0, -0.5))):
        put(daemon, robot, arm(shares))
    write_run(daemon, "run", 2, 1)
    for robot, link, (operation, body, field) in (("first", "b0", named), ("last", "b1", last)):
        status, answer = post(daemon, robot, operation, body)
        assert status == 422, answer
        fault = answer["errors"][0]
        assert fault["pointer"] == f"/{field}" and link in fault["detail"] and "would carry the payload too" in fault["detail"], answer
        assert "gravity_compensation" in fault["hint"], answer
    operation, body, _ = free
    status, answer = post(daemon, "first", operation, body)
    assert status == 200, answer
