# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_ball_terms.py - damping, springs and rotor inertias of spherical and free joints,
# springdamper of MJCF: against closed forms.
import json
import math

import pytest

JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/xml"}
MASS, MOMENTS = 2.0, (0.02, 0.03, 0.04)
D, K, A = 0.7, 3.0, 0.25  # damping, stiffness, armature
REST = [0.1, -0.2, 0.3]


def put(daemon, name, body, kind=XML, status=(200, 201)):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", body, kind)
    assert got in status, text
    return json.loads(text)


def call(daemon, name, operation, **body):
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert status == 200, text
    return json.loads(text)


def body_of(kind, more):
    """One body; its frame's origin is at its centre of mass."""
    return (f'<mujoco><option gravity="0 0 0"/><worldbody><body name="b" pos="{" ".join(map(str, REST))}"><joint name="j" type="{kind}" {more}/>'
            f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{" ".join(map(str, MOMENTS))}"/></body></worldbody></mujoco>')


def cross(a, b):
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def turned(angle):
    return [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]


@pytest.mark.parametrize("kind", ["free", "ball"])
def test_torque_of_one_body(daemon, kind):
    answer = put(daemon, f"one-{kind}", body_of(kind, f'damping="{D}" stiffness="{K}" armature="{A}"'))
    joint = answer["joints"][0]
    assert (joint["damping"], joint["spring"]["stiffness"], joint["rotor"]["inertia"]) == (D, K, A)
    angle, x = 0.8, [0.3, 0.5, -0.1]
    v, w, a, alpha = [0.4, -1.0, 0.6], [0.9, 0.2, -0.5], [1.0, 0.3, -0.7], [-0.2, 0.5, 0.8]
    away = [x[k] - REST[k] for k in range(3)]
    c, s = math.cos(angle), math.sin(angle)
    away = [c * away[0] + s * away[1], -s * away[0] + c * away[1], away[2]]  # in body axes
    spin = cross(w, [MOMENTS[k] * w[k] for k in range(3)])
    moment = [(MOMENTS[k] + A) * alpha[k] + spin[k] + D * w[k] + K * (0.0, 0.0, angle)[k] for k in range(3)]
    bend = cross(w, v)
    force = [(MASS + A) * (a[k] + bend[k]) + D * v[k] + K * away[k] for k in range(3)]
    q, qd, qdd, want = ((x + turned(angle), v + w, a + alpha, force + moment) if kind == "free" else (turned(angle), w, alpha, moment))
    # the spring's rotation vector has the angle 0.8 rad, not 2 pi - 0.8: q and -q are the same orientation
    for sign in (1.0, -1.0):
        here = q[:-4] + [sign * e for e in q[-4:]]
        got = call(daemon, f"one-{kind}", "inverse-dynamics", q=here, qd=qd, qdd=qdd)
        assert got["tau"] == pytest.approx(want, rel=1e-12, abs=1e-12)
    back = call(daemon, f"one-{kind}", "forward-dynamics", q=q, qd=qd, tau=want)
    assert back["qdd"] == pytest.approx(qdd, rel=1e-11, abs=1e-12)
    terms = call(daemon, f"one-{kind}", "terms", q=q, qd=qd, include=["friction", "energy", "mass_matrix"])
    assert terms["friction"] == pytest.approx([D * e for e in qd])
    fast = sum(e * e for e in w) * A + sum(MOMENTS[k] * w[k] ** 2 for k in range(3))
    fast += (MASS + A) * sum(e * e for e in v) if kind == "free" else 0.0
    stretch = angle ** 2 + (sum(e * e for e in away) if kind == "free" else 0.0)
    assert [terms["energy"]["kinetic"], terms["energy"]["potential"]] == pytest.approx([fast / 2, K * stretch / 2], rel=1e-12)


def test_laws_that_know_the_rotor_alone(daemon):
    """M is diagonal here: a control law with the rotor inertia alone lacks exactly the body's own inertia."""
    put(daemon, "decoupled", body_of("ball", f'armature="{A}"'))
    status, _, text = daemon.request("POST", "/v1/robots/decoupled/inverse-dynamics", json.dumps(
        {"q": [1, 0, 0, 0], "qd": [0, 0, 0], "qdd": [1, 2, 3], "include": ["decoupling"]}), JSON)
    assert status == 200, text
    assert json.loads(text)["decoupling"]["inertia_rotor"] == pytest.approx([-MOMENTS[k] * (k + 1) for k in range(3)], rel=1e-12)


def test_a_damper_slows_a_free_body_and_a_ball(daemon):
    put(daemon, "slow", body_of("free", f'damping="{D}" armature="{A}"'))
    body = {"duration_s": 1.0, "initial": {"q": [0, 0, 0, 1, 0, 0, 0], "qd": [1.0, 0.5, 0, 0, 0, 0]}, "output": {"interval_s": 0.1}, "include": ["energy"]}
    run = call(daemon, "slow", "simulate", **body)
    left = math.exp(-D / (MASS + A))
    assert run["qd"][-1][:2] == pytest.approx([left, 0.5 * left], rel=1e-6)
    energy = run["audit"]["energy"]
    lost = 0.5 * (MASS + A) * 1.25 * (1 - left ** 2)
    assert energy["dissipated"] == pytest.approx(lost, rel=1e-6)
    assert abs(energy["relative"]) < 1e-6


def test_a_ball_is_slowed_beside_a_joint_that_sticks(daemon):
    """The solver treats joints with dry friction separately; damping of the ball joint must be in that path too."""
    text = (f'<mujoco><option gravity="0 0 0"/><worldbody><body name="a"><joint name="dry" axis="0 0 1" frictionloss="9"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
            f'<body name="b"><joint type="ball" damping="{D}"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>')
    put(daemon, "sticks", text)
    run = call(daemon, "sticks", "simulate", duration_s=1.0, initial={"q": [0, 1, 0, 0, 0], "qd": [0, 1, 0, 2]}, output={"interval_s": 0.5})
    assert run["qd"][-1] == pytest.approx([0.0, math.exp(-D), 0.0, 2 * math.exp(-D)], rel=1e-5, abs=1e-9)
    assert run["audit"]["energy"]["dissipated"] == pytest.approx(2.5 * (1 - math.exp(-2 * D)), rel=1e-5)


def test_springs_keep_energy(daemon):
    """A heavy ball joint with a spring and an off-centre child: the sum of potential and kinetic energy is constant."""
    text = (f'<mujoco><worldbody><body name="a" pos="0 0 1"><joint type="ball" stiffness="{K}" armature="{A}"/><inertial pos="0 0.1 -0.2" mass="1" diaginertia="0.1 0.2 0.15"/>'
            '<body name="b" pos="0 0 -0.4"><joint type="ball" stiffness="1"/><inertial pos="0.1 0 -0.2" mass="1" diaginertia="0.1 0.2 0.15"/></body></body></worldbody></mujoco>')
    put(daemon, "springs", text)
    run = call(daemon, "springs", "simulate", duration_s=2.0, initial={"q": [1, 0, 0, 0, 1, 0, 0, 0], "qd": [1, 2, 0, 0, -1, 2]}, output={"interval_s": 0.1})
    assert abs(run["audit"]["energy"]["relative"]) < 1e-6, run["audit"]


def test_springdamper_is_of_the_inertia_at_the_reference_pose(daemon):
    """time 0.1 s, ratio 0.5: k = I / (time ratio)^2, d = 2 I / time, with I at the pose `ref`, where the second
    link is stretched out."""
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="one" axis="0 1 0" armature="0.3" springdamper="0.1 0.5" springref="0.2"/>
      <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.2 0.15"/></body>
      <body name="f" pos="3 0 0"><joint name="ball" type="ball" springdamper="0.1 0.5"/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.4"/></body>
      <body name="s" pos="0 4 0"><joint name="slide" type="slide" axis="1 0 0" springdamper="0.1 0.5"/><inertial pos="0 0 0" mass="7" diaginertia="0.1 0.2 0.4"/></body>
      </worldbody></mujoco>"""
    joints = {joint["name"]: joint for joint in put(daemon, "spring-dampers", text)["joints"]}
    felt = {"one": 0.2 + 2 * 0.25 + 0.3, "ball": 3 / (1 / 0.1 + 1 / 0.2 + 1 / 0.4), "slide": 7.0}
    for name, inertia in felt.items():
        assert joints[name]["spring"]["stiffness"] == pytest.approx(inertia / 0.05 ** 2, rel=1e-12), name
        assert joints[name]["damping"] == pytest.approx(2 * inertia / 0.1, rel=1e-12), name
    assert joints["one"]["spring"]["rest"] == 0.2


@pytest.mark.parametrize("kind", ["free", "ball"])
def test_they_travel_with_the_robot(daemon, kind):
    """Document and MJCF represent them; export to URDF and SDF, which cannot, is refused and names the joint."""
    put(daemon, "there", body_of(kind, f'damping="{D}" stiffness="{K}" armature="{A}"'))
    shift, n = ([0.3, 0.5, -0.1], 6) if kind == "free" else ([], 3)
    state = {"q": [*shift, *turned(0.8)], "qd": [0.4, -1.0, 0.6, 0.9, 0.2, -0.5][:n], "qdd": [0.0] * n}
    want = call(daemon, "there", "inverse-dynamics", **state)["tau"]
    for query, media in (("", JSON), ("?format=mjcf", XML)):
        status, _, text = daemon.request("GET", f"/v1/robots/there{query}")
        assert status == 200, text
        put(daemon, "back", text, media)
        assert call(daemon, "back", "inverse-dynamics", **state)["tau"] == pytest.approx(want, rel=1e-14), query
    for form in ("urdf", "sdf"):
        status, _, text = daemon.request("GET", f"/v1/robots/there?format={form}")
        assert status == 406, text
        assert (b'\\"j\\" is a spherical joint' if (form, kind) == ("urdf", "ball") else b'\\"j\\" has a damper') in text, text


@pytest.mark.parametrize("stiffness,angle,status", [(K, 0.0, 200), (K, 0.5, 406), (0.0, 0.5, 200)])
def test_where_a_ball_rests_in_mjcf(daemon, stiffness, angle, status):
    """MJCF has springs of ball joints that rest at the identity alone; without stiffness a rest pose is nothing."""
    joint = {"name": "j", "kind": "spherical", "parent": "world", "child": "b", "damping": D, "spring": {"stiffness": stiffness, "rest_pose": turned(angle)}}
    document = {"gravity": [0, 0, 0], "links": [{"name": "world"}, {"name": "b", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "inertia_about": "com"}],
                "joints": [joint]}
    put(daemon, "rests", json.dumps(document), JSON)
    got, _, text = daemon.request("GET", "/v1/robots/rests?format=mjcf")
    assert got == status, text
    if status == 200:
        put(daemon, "rests-back", text)
        # k times the rotation vector
        tau = call(daemon, "rests-back", "inverse-dynamics", q=turned(0.8), qd=[0, 0, 0], qdd=[0, 0, 0])["tau"]
        assert tau == pytest.approx([0, 0, 0.8 * stiffness], abs=1e-13)
    else:
        assert b'\\"j\\" has a spring that does not rest at the identity' in text, text


@pytest.mark.parametrize("change,said", [({"spring": {"stiffness": 1, "rest_pose": [1, 0, 0]}}, "rest_pose"), ({"spring": {"stiffness": 1, "rest_pose": [2, 0, 0, 0]}}, "length 2"),
                                         ({"spring": {"stiffness": 1, "rest": 0.1}}, "rest"), ({"friction": {"coulomb": 1}}, "only a revolute"), ({"rotor": {"inertia": "x"}}, "inertia")])
def test_what_a_ball_cannot_have(daemon, change, said):
    joint = {"name": "j", "kind": "spherical", "parent": "world", "child": "b", "damping": 1.0, **change}
    document = {"gravity": [0, 0, 0], "links": [{"name": "world"}, {"name": "b", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "inertia_about": "com"}],
                "joints": [joint]}
    assert said in json.dumps(put(daemon, "cannot", json.dumps(document), JSON, status=(400, 422)))


def test_another_root_would_move_where_a_free_joint_pulls(daemon):
    text = body_of("free", f'damping="{D}"').replace("</body>", '<body name="c" pos="0.5 0 0"><joint axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>')
    put(daemon, "free-two", text)
    operations = json.dumps({"operations": [{"op": "root", "link": "c"}]})
    status, _, text = daemon.request("PATCH", "/v1/robots/free-two", operations, JSON)
    assert status == 422 and b"free joint" in text, text


def test_a_fit_has_none_of_them(daemon):
    put(daemon, "fitted", body_of("ball", f'damping="{D}"'))
    status, _, text = daemon.request("POST", "/v1/robots/fitted/calibrate", json.dumps({"datasets": ["sample-panda-1"]}), JSON)
    assert status == 422 and b'\\"j\\" has a damper' in text, text
