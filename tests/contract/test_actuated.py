# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_actuated.py - which joints have a motor: read from MJCF, kept by export and surgery, kept to by inverse dynamics and controllers.
import json

import pytest

ACROBOT = """<mujoco model="acrobot"><compiler angle="radian"/><default><motor ctrlrange="-1 1" ctrllimited="true"/></default>
<worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/>
<body name="lower" pos="0 0 1"><joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body></body></worldbody>
%s</mujoco>"""
ELBOW = '<actuator><motor name="m" joint="elbow" gear="2"/></actuator>'


@pytest.fixture(scope="module")
def put(daemon):
    def one(name, text, media="application/xml"):
        status, _, answer = daemon.request("PUT", f"/v1/robots/{name}", text, {"Content-Type": media})
        assert status in (200, 201), answer
        return json.loads(daemon.request("GET", f"/v1/robots/{name}")[2])
    return one


def ask(daemon, operation, robot, body):
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/{operation}", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    return json.loads(text)


def limit_of(document, joint):
    (found,) = [one for one in document["joints"] if one["name"] == joint]
    return found.get("limits", {}).get("effort")


@pytest.mark.parametrize("actuator, words", (('<motor joint="knee"/>', "no joint of this model"), ('<motor tendon="cable"/>', "no tendon of this model"),
                                             ("<motor/>", "no joint, tendon or site is named")))
def test_an_actuator_of_nothing_is_a_finding(daemon, actuator, words):
    status, _, text = daemon.request("PUT", "/v1/robots/of-nothing", ACROBOT % f"<actuator>{actuator}</actuator>", {"Content-Type": "application/xml"})
    assert status in (200, 201), text
    document = json.loads(text)
    assert document["actuated"] == [] and [one for one in document["doctor"] if words in json.dumps(one)], document["doctor"]


def test_one_motor_drives_one_joint(daemon, put):
    document = put("acrobot", ACROBOT % ELBOW)
    assert document["actuated"] == ["elbow"] and limit_of(document, "elbow") == 2 and limit_of(document, "shoulder") is None
    # a controller drives the elbow alone
    run = ask(daemon, "simulate", "acrobot", {"initial": {"q": [0.3, 0.2]}, "duration_s": 0.2, "output": {"interval_s": 0.05},
                                              "input": {"kind": "pd-gravity", "kp": 10, "kd": 1, "reference": {"setpoint": [0, 0]}}})
    assert all(row[0] == 0 for row in run["tau"]) and any(row[1] != 0 for row in run["tau"])
    # inverse dynamics has the torque of every joint, and says which of it no motor gives
    q = {"q": [0.3, 0.2], "qdd": [1.0, -2.0]}
    alone = put("acrobot-free", ACROBOT % "")
    assert "actuated" not in alone
    tau = ask(daemon, "inverse-dynamics", "acrobot-free", q)["tau"]
    answer = ask(daemon, "inverse-dynamics", "acrobot", q | {"include": ["actuation"]})
    assert answer["tau"] == tau
    assert answer["actuation"] == {"actuated": 1, "freedoms": 2, "internal": 0, "missing": abs(tau[0])} or answer["actuation"]["missing"] == abs(tau[0])
    (said,) = answer["warnings"]
    assert f"up to {abs(tau[0]):.6g} N m or N are missing" in said["text"] and "at the joints without a motor" in said["text"]
    # a motion that the elbow alone can produce: free fall of the shoulder
    free = ask(daemon, "forward-dynamics", "acrobot", {"q": [0.3, 0.2], "tau": [0, 1.5]})["qdd"]
    again = ask(daemon, "inverse-dynamics", "acrobot", {"q": [0.3, 0.2], "qdd": free})
    assert "warnings" not in again and again["tau"] == pytest.approx([0, 1.5], abs=1e-9)


MOTORS = [
    # actuators, joints that have a motor (None: all), limit of the elbow
    ("", None, None),
    ("<actuator/>", None, None),
    ('<actuator><motor joint="elbow"/><motor joint="shoulder" gear="3"/></actuator>', None, 1),
    ('<actuator><position joint="elbow" kp="10"/></actuator>', ["elbow"], None),
    ('<actuator><position joint="elbow" kp="10" forcerange="-7 5"/></actuator>', ["elbow"], 7),
    ('<actuator><motor joint="elbow" gear="4" forcerange="-0.5 0.5"/></actuator>', ["elbow"], 2),
    ('<actuator><motor joint="elbow" ctrllimited="false"/></actuator>', ["elbow"], None),
    ('<actuator><general joint="elbow" gainprm="6"/></actuator>', ["elbow"], 6),
    ('<actuator><general joint="elbow" gainprm="6" biastype="affine" biasprm="0 -6 0"/></actuator>', ["elbow"], None),
    ('<actuator><motor joint="elbow"/><motor joint="elbow" gear="-2"/></actuator>', ["elbow"], 3),
    ('<actuator><velocity jointinparent="shoulder"/></actuator>', ["shoulder"], None),
    ('<tendon><fixed name="t"><joint joint="elbow" coef="-0.5"/></fixed></tendon><actuator><motor tendon="t" gear="4"/></actuator>', ["elbow"], 2),
    ('<tendon><fixed name="t"><joint joint="elbow" coef="1"/><joint joint="shoulder" coef="1"/></fixed></tendon><actuator><motor tendon="t"/></actuator>',
     None, 1),
]


@pytest.mark.parametrize("more, driven, limit", MOTORS)
def test_actuators_name_joints_and_limits(put, more, driven, limit):
    document = put("motors", ACROBOT % more)
    assert document.get("actuated") == driven and limit_of(document, "elbow") == limit


def test_forces_between_sites_and_along_tendons(put):
    """What lies between the two points of a force has a motor: what carries both has none."""
    text = """<mujoco><worldbody><body name="base"><freejoint name="free"/><geom size="0.1"/><site name="s0" pos="0 0 0.1"/>
    <body name="arm"><joint name="one"/><geom size="0.1"/><site name="s1" pos="0.1 0 0"/>
    <body name="hand"><joint name="two"/><geom size="0.1"/><site name="s2" pos="0.1 0 0"/></body></body></body></worldbody>
    <tendon><spatial name="t"><site site="s0"/><site site="s1"/></spatial></tendon>
    <actuator>%s</actuator></mujoco>"""
    for actuator, driven in (('<motor site="s2" refsite="s1"/>', ["two"]), ('<motor tendon="t"/>', ["one"]), ('<motor site="s0"/>', ["free"]),
                             ('<motor site="s2" refsite="s0"/>', ["one", "two"]), ('<adhesion body="hand" ctrlrange="0 1"/>', [])):
        assert put("sites", text % actuator)["actuated"] == driven


def test_every_format_keeps_what_has_a_motor(daemon, put):
    acrobot = put("acrobot", ACROBOT % ELBOW)
    for form, media in (("urdf", "application/xml"), ("mjcf", "application/xml"), ("json", "application/json")):
        status, _, text = daemon.request("GET", f"/v1/robots/acrobot?format={form}")
        assert status == 200, text
        assert put(f"again-{form}", text, media)["actuated"] == acrobot["actuated"], form
    status, _, text = daemon.request("GET", "/v1/robots/panda?format=urdf")
    assert status == 200 and b"passive" not in (text if isinstance(text, bytes) else text.encode())


def test_surgery_keeps_what_has_a_motor(daemon, put):
    put("acrobot", ACROBOT % ELBOW)

    def patched(*operations, robot="acrobot"):
        status, _, text = daemon.request("PUT", "/v1/robots/patched", daemon.request("GET", f"/v1/robots/{robot}")[2], {"Content-Type": "application/json"})
        assert status in (200, 201), text
        status, _, text = daemon.request("PATCH", "/v1/robots/patched", json.dumps({"operations": list(operations)}), {"Content-Type": "application/json"})
        assert status in (200, 201), text
        return json.loads(daemon.request("GET", "/v1/robots/patched")[2])
    assert patched({"op": "lock", "joints": {"shoulder": 0.1}})["actuated"] == ["elbow"]
    assert patched({"op": "subchain", "link": "upper"})["actuated"] == ["elbow"]
    assert patched({"op": "root", "link": "lower"})["actuated"] == ["elbow"]
    put("all-driven", ACROBOT % "")
    joined = patched({"op": "join", "robot": "acrobot", "link": "lower", "prefix": "b_"}, robot="all-driven")
    assert sorted(joined["actuated"]) == ["b_elbow", "elbow", "shoulder"]
    joined = patched({"op": "join", "robot": "all-driven", "link": "lower", "prefix": "b_"})
    assert sorted(joined["actuated"]) == ["b_elbow", "b_shoulder", "elbow"]


def test_logs_of_a_robot_with_a_passive_joint_are_read(daemon, put):
    """It is no constraint: what needs an open tree takes it."""
    put("acrobot", ACROBOT % ELBOW)
    t = [0.01 * k for k in range(300)]
    body = {"q": [[0.1 * x, 0.2 * x] for x in t], "tau": [[0, 0.1] for _ in t], "t": t}
    status, _, text = daemon.request("POST", "/v1/robots/acrobot/residual", json.dumps(body), {"Content-Type": "application/json"})
    assert b"constrained robot" not in (text if isinstance(text, bytes) else text.encode()), text
