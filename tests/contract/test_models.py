# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_models.py - robots over HTTP: round trip of every built-in robot, as document and as
# URDF.
import json

import pytest
from conftest import problem

BUILTIN = ["humanoid", "mls-3dof", "panda", "pendulum", "planar-2r", "planar-3r", "puma560", "quadruped", "rrp", "scara",
           "spherical-pendulum", "sprung-pendulum", "ur10e", "ur5e"]
# URDF cannot represent closed loops
CONSTRAINED = ["arm-on-sphere-rolling", "arm-on-sphere-slipping", "cartesian-pendulum", "four-bar", "parallel-2dof", "rolling-disk"]
XML = {"Accept": "application/xml"}


def get(daemon, name, headers=None, query=""):
    status, answer, body = daemon.request("GET", f"/v1/robots/{name}{query}", headers=headers or {})
    assert status == 200, body
    return answer, body


def put(daemon, name, body, **headers):
    status, answer, text = daemon.request("PUT", f"/v1/robots/{name}", body, headers)
    assert status in (200, 201), text
    return answer, json.loads(text)


def same(document):
    """The content of a robot document, without name, source and digest."""
    return {k: v for k, v in document.items() if k not in ("name", "source", "digest")}


def test_every_builtin_is_listed(daemon):
    listed = json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]
    assert [r["name"] for r in listed if r["builtin"]] == sorted(BUILTIN + CONSTRAINED)


@pytest.mark.parametrize("name", BUILTIN + CONSTRAINED)
def test_a_document_can_be_put_again_unchanged(daemon, name):
    _, first = get(daemon, name)
    _, report = put(daemon, "again", first)
    assert same(report) | {"understood": 0, "ignored": 0, "doctor": 0} == \
        same(json.loads(first)) | {"understood": 0, "ignored": 0, "doctor": 0}
    assert all("computed anew" in row["text"] for row in report["ignored"])
    tag, second = get(daemon, "again")
    assert same(json.loads(second)) == same(json.loads(first))
    # the second round trip reproduces the document, hence its digest
    put(daemon, "again", second)
    third = json.loads(get(daemon, "again")[1])
    assert {**third, "digest": ""} == {**json.loads(second), "digest": ""}


@pytest.mark.parametrize("name", BUILTIN)
def test_urdf_there_and_back(daemon, name):
    headers, text = get(daemon, name, XML)
    assert headers["Content-Type"] == "application/xml" and "Accept" in headers["Vary"]
    tag, report = put(daemon, name + "-urdf", text.replace(f'"{name}"'.encode(), f'"{name}-urdf"'.encode(), 1))
    assert report["ignored"] == []
    assert get(daemon, name + "-urdf", XML)[1] == text.replace(f'"{name}"'.encode(), f'"{name}-urdf"'.encode(), 1)
    document, original = json.loads(get(daemon, name + "-urdf")[1]), json.loads(get(daemon, name)[1])
    assert document["links"] == original["links"] and document["gravity"] == original["gravity"]


def torque(daemon, name, nq, nv):
    q = [0.1 * (k + 1) for k in range(nq)]
    if nq != nv:
        q[3:7] = [0.5, 0.5, -0.5, 0.5]
    body = json.dumps({"q": q, "qd": [0.2 * (k % 3 - 1) for k in range(nv)], "qdd": [0.3] * nv}).encode()
    status, _, answer = daemon.request("POST", f"/v1/robots/{name}/inverse-dynamics", body,
                                       {"Content-Type": "application/json"})
    assert status == 200, answer
    return json.loads(answer)["tau"]


@pytest.mark.parametrize("name", BUILTIN)
def test_the_urdf_moves_as_the_robot(daemon, name):
    """Rotation matrices become three angles: their rounding is about 1e-16 of the terms of each torque."""
    original = json.loads(get(daemon, name)[1])
    put(daemon, "mover", get(daemon, name, query="?format=urdf")[1])
    a = torque(daemon, name, original["nq"], original["nv"])
    b = torque(daemon, "mover", original["nq"], original["nv"])
    scale = max(map(abs, a))
    assert all(abs(x - y) <= 1e-13 * scale for x, y in zip(a, b, strict=True))


def test_the_type_is_negotiated(daemon):
    for accept, kind in [("application/xml, */*;q=0.1", "application/xml"), ("*/*", "application/json"),
                         ("application/xml;q=0.1, application/json", "application/json")]:
        assert get(daemon, "panda", {"Accept": accept})[0]["Content-Type"] == kind
    assert get(daemon, "panda", XML, "?format=json")[0]["Content-Type"] == "application/json"
    problem(daemon.request("GET", "/v1/robots/panda?format=dae"), 422)
    tag = get(daemon, "panda", XML)[0]["ETag"]
    assert tag == "W/" + get(daemon, "panda")[0]["ETag"]
    assert daemon.request("GET", "/v1/robots/panda", headers={**XML, "If-None-Match": tag})[0] == 304


def test_what_urdf_cannot_say_is_406(daemon):
    ball = {"gravity": [0, 0, 0], "links": [{"name": "a"}, {"name": "b", "mass": 1, "com": [1, 1, 1]}],
            "joints": [{"name": "hip", "kind": "spherical", "parent": "a", "child": "b"}]}
    put(daemon, "ball", json.dumps(ball).encode())
    reply = problem(daemon.request("GET", "/v1/robots/ball", headers=XML), 406)
    assert "hip" in reply["detail"]


DH = {"gravity": [0, 0, -9.81], "dh": {"convention": "standard", "joints": [
    {"name": "j1", "d": 0.3, "alpha": 1.5707963267948966, "link": {"solid": {"shape": "sphere", "size": [0.1], "mass": 2}}},
    {"name": "j2", "a": 0.4, "link": {"mass": 1, "com": [-0.2, 0, 0]}}]}}
POE = {"gravity": [0, 0, -9.81], "poe": {"joints": [
    {"name": "j1", "kind": "revolute", "screw": [0, 0, 0, 0, 0, 1], "link": {"home": {"position": [0, 0, 0.3]},
     "solid": {"shape": "sphere", "size": [0.1], "mass": 2}}},
    {"name": "j2", "kind": "revolute", "screw": [0.3, 0, 0, 0, -1, 0], "link": {"home": {"position": [0.4, 0, 0.3]},
     "mass": 1, "com": [-0.2, 0, 0]}}]}}
URDF = {"urdf": """<robot name="r"><link name="b"/><link name="l1"><inertial><mass value="2"/><inertia ixx="0.008" iyy="0.008"
 izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="l2"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
 <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="j1" type="continuous"><parent link="b"/><child link="l1"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/></joint>
 <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 -1 0"/></joint></robot>"""}


MJCF = b"""<mujoco model="m"><compiler angle="radian"/><worldbody><body name="l1" pos="0 0 0.3"><joint name="j1" armature="0"/>
<inertial pos="0 0 0" mass="2" diaginertia="0.008 0.008 0.008"/><body name="l2"><joint name="j2" axis="0 -1 0"/>
<inertial pos="0.2 0 0" mass="1" diaginertia="0 0 0"/></body></body></worldbody>
<actuator><motor joint="j1"/></actuator></mujoco>"""


@pytest.mark.parametrize("query", ["", "?format=mjcf"])
def test_mjcf(daemon, query):
    status, _, body = daemon.request("PUT", f"/v1/robots/by-mjcf{query}", MJCF)
    report = json.loads(body)
    assert status in (200, 201) and report["source"] == "mjcf"
    assert [(row["where"].split()[0], row["count"]) for row in report["ignored"]] == [("mujoco/actuator", 1)]
    put(daemon, "by-dh", json.dumps(DH).encode())
    a, b = torque(daemon, "by-mjcf", 2, 2), torque(daemon, "by-dh", 2, 2)
    assert all(abs(x - y) <= 1e-13 * 10 for x, y in zip(a, b, strict=True))


def test_one_arm_stated_three_ways(daemon):
    """DH parameters, screws and URDF of the same arm give the same torques."""
    taus = []
    for name, document in [("by-dh", DH), ("by-poe", POE), ("by-urdf", URDF)]:
        put(daemon, name, json.dumps(document).encode())
        taus.append(torque(daemon, name, 2, 2))
    assert all(abs(x - y) <= 1e-13 * 10 for row in taus for x, y in zip(row, taus[0], strict=True))


@pytest.mark.parametrize("change, pointer", [
    (lambda d: d["dh"].pop("convention"), "/dh/convention"),
    (lambda d: d["dh"]["joints"][0].update(kind="spherical"), "/dh/joints/0/kind"),
    (lambda d: d["dh"]["joints"][1].update(lenght=1), "/dh/joints/1/lenght"),
    (lambda d: d["dh"]["joints"][0]["link"]["solid"].update(shape="ball"), "/dh/joints/0/link/solid/shape"),
])
def test_faults_have_places_and_hints(daemon, change, pointer):
    document = json.loads(json.dumps(DH))
    change(document)
    status, _, body = daemon.request("PUT", "/v1/robots/faulty", json.dumps(document).encode())
    assert status in (400, 422)
    fault = json.loads(body)["errors"][0]
    assert fault["pointer"] == pointer and fault["hint"]


def test_a_skew_axis_is_met_where_it_is_nearest_to_the_link(daemon):
    """The joint's origin, of a screw of any direction: the foot of the perpendicular from the link's home."""
    axis, through, home = (2 / 7, 3 / 7, 6 / 7), (0.3, -0.2, 0.5), (0.9, 0.4, -0.1)
    moment = [through[1] * axis[2] - through[2] * axis[1], through[2] * axis[0] - through[0] * axis[2], through[0] * axis[1] - through[1] * axis[0]]
    put(daemon, "skew", json.dumps({"gravity": [0, 0, -9.81], "poe": {"joints": [{"name": "j", "kind": "revolute", "screw": [*moment, *axis],
                                                        "link": {"home": {"position": home}, "mass": 1, "com": [0.1, 0, 0]}}]}}).encode())
    document = json.loads(daemon.request("GET", "/v1/robots/skew")[2])
    along = sum(u * (h - p) for u, h, p in zip(axis, home, through))
    foot = [p + along * u for p, u in zip(through, axis)]
    joint = next(one for one in document["joints"] if one["name"] == "j")
    assert joint["origin"]["position"] == pytest.approx(foot, abs=1e-14)
    assert joint["axis"] == pytest.approx(axis, abs=1e-15)
