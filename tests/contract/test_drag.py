# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_drag.py - a medium around a robot: motion in closed form, formats, operations that refuse it.
import json
import math

import pytest

JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/xml"}
MASS, BOX = 2.0, [0.3, 0.2, 0.1]
RHO, MU = 1000.0, 4.0


def put(daemon, name, body, kind=JSON, status=(200, 201)):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", body if isinstance(body, (str, bytes)) else json.dumps(body), kind)
    assert got in status, text
    return json.loads(text)


def call(daemon, name, operation, status=200, **body):
    got, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert got == status, text
    return json.loads(text)


def slider(medium, gravity=(0, 0, 0), drag=None, axis=(1, 0, 0)):
    """One body on a rail along `axis` through its centre of mass."""
    body = {"name": "b", "mass": MASS, "com": [0, 0, 0], "inertia": [[0.02, 0, 0], [0, 0.03, 0], [0, 0, 0.04]], "inertia_about": "com"}
    body["drag"] = drag or {"box": BOX}
    return {"gravity": list(gravity), "medium": medium, "links": [{"name": "world"}, body],
            "joints": [{"name": "rail", "kind": "prismatic", "parent": "world", "child": "b", "axis": list(axis)}]}


def test_stokes_drag_decays(daemon):
    """m dv/dt = -3 pi d mu v."""
    answer = put(daemon, "slow", slider({"viscosity": MU}))
    assert answer["medium"] == {"density": 0, "viscosity": MU} and answer["links"][1]["drag"] == {"box": BOX, "position": [0, 0, 0]}
    run = call(daemon, "slow", "simulate", duration_s=0.5, initial={"q": [0], "qd": [1.0]}, output={"interval_s": 0.1}, include=["energy"])
    rate = 3 * math.pi * 0.2 * MU / MASS
    for t, row in zip(run["t"], run["qd"]):
        assert row[0] == pytest.approx(math.exp(-rate * t), rel=1e-6)
    energy = run["audit"]["energy"]
    assert energy["dissipated"] == pytest.approx(0.5 * MASS * (1 - math.exp(-rate)), rel=1e-6) and abs(energy["relative"]) < 1e-6


def test_fall_to_terminal_velocity(daemon):
    """m dv/dt = m g - rho A v^2 / 2, A across z: v = vt tanh(g t / vt)."""
    put(daemon, "fall", slider({"density": RHO}, gravity=(0, 0, -9.81), axis=(0, 0, 1)))
    run = call(daemon, "fall", "simulate", duration_s=1.0, initial={"q": [0], "qd": [0]}, output={"interval_s": 0.1}, include=["energy"])
    last = math.sqrt(2 * MASS * 9.81 / (RHO * BOX[0] * BOX[1]))
    for t, row in zip(run["t"], run["qd"]):
        assert row[0] == pytest.approx(-last * math.tanh(9.81 * t / last), rel=1e-6, abs=1e-9)
    assert abs(run["audit"]["energy"]["relative"]) < 1e-6


def test_wind_carries_along(daemon):
    """A box at rest in wind u: v = u - u / (1 + k u t), k = rho A / (2 m)."""
    put(daemon, "sail", slider({"density": RHO, "velocity": [2.0, 0, 0]}))
    run = call(daemon, "sail", "simulate", duration_s=0.4, initial={"q": [0], "qd": [0]}, output={"interval_s": 0.1}, include=["energy", "momentum"])
    k = RHO * BOX[1] * BOX[2] / (2 * MASS)
    for t, row in zip(run["t"], run["qd"]):
        assert row[0] == pytest.approx(2 - 2 / (1 + 2 * k * t), rel=1e-6, abs=1e-9)
    assert run["audit"]["energy"]["dissipated"] < 0 and abs(run["audit"]["energy"]["relative"]) < 1e-6
    hold = call(daemon, "sail", "inverse-dynamics", q=[0], qd=[0], qdd=[0], include=["reactions", "friction", "ledger"])
    pull = 0.5 * RHO * BOX[1] * BOX[2] * 4
    assert hold["tau"] == pytest.approx([-pull]) and hold["friction"] == pytest.approx([-pull]) and hold["ledger"]["friction"] == pytest.approx([-pull])
    bare = call(daemon, "sail", "inverse-dynamics", q=[0], qd=[0], qdd=[0], without=["friction"])
    assert bare["tau"] == [0]


def test_a_free_body_feels_no_reaction_of_the_base(daemon):
    """Momentum goes into the medium, and the audit knows."""
    text = (f'<mujoco><option density="{RHO}" viscosity="{MU}" gravity="0 0 0" wind="0.3 0 -0.1"/><worldbody><body name="b"><joint name="j" type="free"/>'
            f'<inertial pos="0.01 0 0.02" mass="{MASS}" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>')
    put(daemon, "adrift", text, XML)
    run = call(daemon, "adrift", "simulate", duration_s=0.5, initial={"q": [0, 0, 0, 1, 0, 0, 0], "qd": [1, 0.5, -0.2, 2, -1, 3]}, output={"interval_s": 0.1},
               include=["energy", "momentum"])
    audit = run["audit"]
    assert abs(audit["energy"]["relative"]) < 1e-6, audit
    assert audit["momentum"]["residual"] == pytest.approx([0, 0, 0], abs=1e-6), audit
    assert audit["momentum"]["base_impulse"] == pytest.approx([0, 0, 0], abs=1e-6), audit
    assert max(map(abs, audit["momentum"]["external_impulse"])) > 0.1, audit
    state = {"q": run["q"][-1], "qd": run["qd"][-1]}
    free = call(daemon, "adrift", "forward-dynamics", tau=[0] * 6, **state)
    base = call(daemon, "adrift", "inverse-dynamics", qdd=free["qdd"], include=["reactions"], **state)
    assert base["tau"] == pytest.approx([0] * 6, abs=1e-9)
    assert [e for row in base["reactions"]["joint_wrenches"] for e in row] == pytest.approx([0] * 6, abs=1e-9)


def chain():
    return f"""<mujoco><option density="{RHO}" viscosity="{MU}" wind="0.2 -0.1 0.3"/><worldbody><body name="a" pos="0 0 1">
      <joint name="one" axis="0 1 0.2"/><geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 -0.4"/>
      <body name="b" pos="0.1 0.2 -0.4" quat="0.9 0.1 0.3 -0.2"><joint name="two" type="ball"/><inertial pos="0.1 0 0" quat="0.8 0.1 0 0.3" mass="1.5" diaginertia="0.01 0.02 0.015"/>
      <body name="c" pos="0.2 0 0"><joint name="three" type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.1 0.02" pos="0 0.1 0"/><geom size="0.03" pos="0.1 0 0"/></body>
      </body></body></worldbody></mujoco>"""


STATE = {"q": [0.3, 0.8, 0.36, 0.48, 0.0, 0.1], "qd": [1.0, -0.5, 0.7, 1.3, -0.4], "qdd": [0.0] * 5}


def test_it_travels_with_the_robot(daemon):
    """Document and MJCF hold it; URDF and SDF have no words, and say of which link."""
    put(daemon, "there", chain(), XML)
    want = call(daemon, "there", "inverse-dynamics", **STATE)["tau"]
    assert want != call(daemon, "there", "inverse-dynamics", without=["friction"], **STATE)["tau"]
    for query, kind in (("", JSON), ("?format=mjcf", XML)):
        status, _, text = daemon.request("GET", f"/v1/robots/there{query}")
        assert status == 200, text
        put(daemon, "back", text, kind)
        assert call(daemon, "back", "inverse-dynamics", **STATE)["tau"] == pytest.approx(want, rel=1e-12), query
    for form in ("urdf", "sdf"):
        put(daemon, "no-ball", chain().replace('type="ball"', 'type="hinge"'), XML)
        status, _, text = daemon.request("GET", f"/v1/robots/no-ball?format={form}")
        assert status == 406 and b'\\"a\\" is dragged by a medium' in text, text


def test_another_box_is_not_written_for_mujoco(daemon):
    put(daemon, "other", slider({"density": RHO}))
    status, _, text = daemon.request("GET", "/v1/robots/other?format=mjcf")
    assert status == 406 and b'\\"b\\" is another box' in text, text


def test_surgery_keeps_it(daemon):
    put(daemon, "whole", chain(), XML)
    operations = json.dumps({"operations": [{"op": "link", "link": "b", "mass": 3.0}, {"op": "lock", "joints": {"three": 0.1}}]})
    status, _, text = daemon.request("PATCH", "/v1/robots/whole", operations, JSON)
    assert status in (200, 201), text
    drag = call(daemon, "whole", "terms", q=STATE["q"][:5], qd=STATE["qd"][:4], include=["friction"])["friction"]
    put(daemon, "before", chain(), XML)
    want = call(daemon, "before", "terms", q=STATE["q"], qd=STATE["qd"][:4] + [0.0], include=["friction"])["friction"]
    assert drag == pytest.approx(want[:4], rel=1e-12)


def test_a_robot_is_put_into_water(daemon):
    document = slider({})
    del document["links"][1]["drag"]
    put(daemon, "dry", document)
    operations = json.dumps({"operations": [{"op": "medium", "medium": {"density": RHO, "viscosity": MU}}, {"op": "link", "link": "b", "drag": {"box": BOX}}]})
    status, _, text = daemon.request("PATCH", "/v1/robots/dry", operations, JSON)
    assert status in (200, 201), text
    want = (3 * math.pi * 0.2 * MU + 0.5 * RHO * 0.02 * 0.5) * 0.5
    assert call(daemon, "dry", "inverse-dynamics", q=[0], qd=[0.5], qdd=[0])["tau"] == pytest.approx([want], rel=1e-14)
    status, _, text = daemon.request("PATCH", "/v1/robots/dry", json.dumps({"operations": [{"op": "medium"}]}), JSON)
    assert status in (400, 422), text


def test_checks_and_derivatives_have_it(daemon):
    put(daemon, "checked", chain(), XML)
    answer = call(daemon, "checked", "terms", q=STATE["q"], qd=STATE["qd"], qdd=STATE["qdd"], include=["checks", "derivatives"])
    assert answer["checks"]["recursive_lagrangian"] < 1e-12 and answer["checks"]["recursive_stacked"] < 1e-12, answer["checks"]
    got = answer["derivatives"]["dtau_dqd"]
    for k in range(5):
        taus = []
        for by in (1e-6, -1e-6):
            qd = list(STATE["qd"])
            qd[k] += by
            taus.append(call(daemon, "checked", "inverse-dynamics", q=STATE["q"], qd=qd, qdd=STATE["qdd"])["tau"])
        for r in range(5):
            assert (taus[0][r] - taus[1][r]) / 2e-6 == pytest.approx(got[r][k], rel=1e-5, abs=1e-4)


def test_what_is_without_drag_says_so(daemon):
    put(daemon, "refused", slider({"density": RHO}))
    put(daemon, "refused-wind", slider({"density": RHO, "velocity": [1, 0, 0]}))
    for operation, body in (("calibrate", {"datasets": ["sample-panda-1"]}), ("payload", {"datasets": ["sample-panda-1"], "link": "b"}),
                            ("trajectory", {"waypoints": [[0], [1]], "limits": {"velocity": [1], "torque": [5]}})):
        answer = call(daemon, "refused", operation, status=422, **body)
        assert "a medium drags" in json.dumps(answer), (operation, answer)
    assert "a medium drags" in json.dumps(call(daemon, "refused-wind", "statics", status=422, q=[0], endpoint_wrench={"link": "b", "force": [0, 0, 1], "moment": [0, 0, 0], "at": "origin", "applied_to": "robot", "expressed_in": "world"}))


@pytest.mark.parametrize("change,said", [({"drag": {"box": [1, 1]}}, "box"), ({"drag": {"box": [1, -1, 1]}}, "negative"), ({"drag": {}}, "box"),
                                         ({"drag": {"box": BOX, "size": 1}}, "size"), ({"drag": {"box": BOX, "rotation": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}}, "link.drag")])
def test_faults_of_boxes(daemon, change, said):
    document = slider({"density": RHO})
    document["links"][1].update(change)
    assert said in json.dumps(put(daemon, "faulty", document, status=(400, 422)))


@pytest.mark.parametrize("medium,said", [({"density": -1}, "density"), ({"viscosity": -1}, "viscosity"), ({"velocity": [0, 0]}, "velocity"), ({"rho": 1}, "rho"), (3, "object")])
def test_faults_of_mediums(daemon, medium, said):
    assert said in json.dumps(put(daemon, "faulty", slider(medium), status=(400, 422)))
