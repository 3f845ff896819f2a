# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_gravcomp.py - bodies whose weight is carried in part, against MuJoCo's gravcomp.
"""Random trees of every joint, each body with its own share, below 0 and above 1 too: mass matrix, gravity torque (qfrc_bias - qfrc_gravcomp) and
inverse dynamics at random states, as read and as exported again, within 1e-9 of MuJoCo's; and a motion beside MuJoCo's Runge-Kutta."""
import json

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401

ROBOTS, STATES = 40, 4
XML, JSON = {"Content-Type": "application/xml"}, {"Content-Type": "application/json"}


def numbers(x):
    return " ".join(f"{e:.17g}" for e in np.atleast_1d(x))


def tree(rng, n, kinds=("hinge", "slide", "ball")):
    parents = [-1] + [int(rng.integers(-1, k)) for k in range(1, n)]
    shares = rng.choice([0.0, 1.0, 0.35, 1.6, -0.4], n)
    shares[rng.integers(n)] = 1.0  # without one above 0 MuJoCo passes over all

    def body(k):
        kind = "free" if k == 0 and len(kinds) == 3 and rng.uniform() < 0.4 else rng.choice(kinds)
        place = f' axis="{numbers(rng.normal(size=3))}" pos="{numbers(rng.uniform(-0.1, 0.1, 3))}"' if kind in ("hinge", "slide") else ""
        sides = rng.uniform(0.05, 0.4, 3)
        moments = np.array([sides[1] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[1] ** 2]) / 6
        mass = (f'<inertial pos="{numbers(rng.uniform(-0.2, 0.2, 3))}" quat="{numbers(rng.normal(size=4))}" mass="{numbers(rng.uniform(0.5, 3))}" '
                f'diaginertia="{numbers(moments)}"/>')
        inside = "".join(body(c) for c in range(n) if parents[c] == k)
        # a body without a joint is a link of its own, with its own share
        inside += f'<body name="f{k}" pos="0.2 0 0.1" gravcomp="{shares[k] / 2 + 0.3:.17g}"><inertial pos="0.1 0 0" mass="0.7" diaginertia="1e-3 1e-3 1e-3"/></body>'
        return (f'<body name="b{k}" pos="{numbers(rng.uniform(-0.3, 0.3, 3))}" quat="{numbers(rng.normal(size=4))}" gravcomp="{shares[k]:.17g}">'
                f'<joint name="j{k}" type="{kind}"{place}/>{mass}{inside}</body>')

    return "".join(body(k) for k in range(n) if parents[k] == -1)


def compare(daemon, model, rng):  # noqa: F811
    worst, felt = 0.0, 0
    for _ in range(STATES):
        q, qd, turn, free = peer.state_of(model, rng)
        want, got = peer.theirs(model, q, qd, turn, free), peer.ours(daemon, q, qd)
        for name, value in want.items():
            worst = max(worst, np.abs(np.array(got[name]) - value).max() / max(1.0, np.abs(value).max()))
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        felt += np.abs(data.qfrc_gravcomp).max() > 1e-2 * np.abs(data.qfrc_bias).max()
        body = {"q": list(q), "qd": list(qd), "tau": list(want["tau"])}
        status, _, answer = daemon.request("POST", "/v1/robots/all/forward-dynamics", json.dumps(body), JSON)
        assert status == 200 and np.abs(json.loads(answer)["qdd"]).max() < 1e-6, answer
    return worst, felt


def test_random_trees(daemon):  # noqa: F811
    rng = np.random.default_rng(11)
    worst, felt = 0.0, 0
    for case in range(ROBOTS):
        gravity = numbers(rng.uniform(-9, 9, 3))
        text = f'<mujoco><compiler angle="radian"/><option gravity="{gravity}"/><worldbody>{tree(rng, int(rng.integers(1, 6)))}</worldbody></mujoco>'
        for turn in range(2):
            model = mujoco.MjModel.from_xml_string(text)
            status, _, answer = daemon.request("PUT", "/v1/robots/all", text, XML)
            assert status in (200, 201), answer
            links = {link["name"]: link.get("gravity_compensation", 0.0) for link in json.loads(answer)["links"]}
            for k in range(1, model.nbody):
                assert links[model.body(k).name] == model.body_gravcomp[k], (case, turn, k)
            error, some = compare(daemon, model, rng)
            assert error < 1e-9, (case, turn, error, text)
            worst, felt = max(worst, error), felt + some
            status, _, answer = daemon.request("GET", "/v1/robots/all?format=mjcf")
            assert status == 200, answer
            text = answer.decode()
    print(f"largest difference {worst:.1e}, compensation is above 1 % of gravity in {felt} of {2 * ROBOTS * STATES} states")
    assert felt > ROBOTS * STATES


def test_motion(daemon):  # noqa: F811
    rng = np.random.default_rng(3)
    for case in range(4):
        text = (f'<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="1e-3"><flag contact="disable"/></option>'
                f'<worldbody>{tree(rng, 4, ("hinge",))}</worldbody></mujoco>')
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        status, _, answer = daemon.request("PUT", "/v1/robots/all", text, XML)
        assert status in (200, 201), answer
        data.qpos[:] = rng.uniform(-1, 1, model.nq)
        body = {"initial": {"q": list(data.qpos), "qd": [0.0] * model.nv}, "duration_s": 0.5, "output": {"interval_s": 0.5}, "include": ["energy", "momentum"]}
        status, _, answer = daemon.request("POST", "/v1/robots/all/simulate", json.dumps(body), JSON)
        assert status == 200, answer
        run = json.loads(answer)
        for _ in range(500):
            mujoco.mj_step(model, data)
        error = np.abs(np.array(run["q"][-1]) - data.qpos).max()
        assert error < 1e-8, (case, error)  # MuJoCo's fourth order at 1 ms: 3e-10 at most here
        assert abs(run["audit"]["energy"]["relative"]) < 1e-9 and np.abs(run["audit"]["momentum"]["residual"]).max() < 1e-9, run["audit"]


ACTUATED = ("", 'actuatorgravcomp="true"')


def test_by_actuators(daemon):  # noqa: F811
    """MuJoCo adds the compensation of some joints to its actuators' forces: with ctrl = 0 the accelerations are ours at no torque, and what its inverse asks
    of actuators is ours and that compensation."""
    rng = np.random.default_rng(5)
    felt = 0
    for case in range(20):
        n = int(rng.integers(1, 5))
        text = tree(rng, n, ("hinge", "slide"))
        for k in range(n):
            text = text.replace(f'<joint name="j{k}"', f'<joint name="j{k}" {ACTUATED[int(rng.integers(2))]}')
        motor = f'<motor joint="j{int(rng.integers(n))}" ctrllimited="true" ctrlrange="-2 2" forcelimited="true" forcerange="-1 1"/>'
        text = f'<mujoco><compiler angle="radian"/><worldbody>{text}</worldbody><actuator>{motor}</actuator></mujoco>'
        model = mujoco.MjModel.from_xml_string(text)
        status, _, answer = daemon.request("PUT", "/v1/robots/all", text, XML)
        assert status in (200, 201), answer
        some = any(model.jnt_actgravcomp)
        assert ("whose actuators compensate gravity" in answer.decode()) == some, answer
        data = mujoco.MjData(model)
        for _ in range(STATES):
            data.qpos[:], data.qvel[:], data.ctrl[:] = rng.uniform(-1, 1, model.nq), rng.uniform(-1, 1, model.nv), 0.0
            mujoco.mj_forward(model, data)
            at = {"q": list(data.qpos), "qd": list(data.qvel)}
            status, _, answer = daemon.request("POST", "/v1/robots/all/forward-dynamics", json.dumps({**at, "tau": [0.0] * model.nv}), JSON)
            assert status == 200, answer
            want = data.qacc.copy()
            assert np.abs(np.array(json.loads(answer)["qdd"]) - want).max() <= 1e-8 * max(1.0, np.abs(want).max()), (case, text)
            felt += np.abs(data.qfrc_actuator).max() > 1e-3
            data.qacc[:] = rng.uniform(-2, 2, model.nv)
            status, _, answer = daemon.request("POST", "/v1/robots/all/inverse-dynamics", json.dumps({**at, "qdd": list(data.qacc)}), JSON)
            assert status == 200, answer
            mujoco.mj_inverse(model, data)
            acts = np.array([model.jnt_actgravcomp[model.dof_jntid[v]] for v in range(model.nv)])
            got = np.array(json.loads(answer)["tau"]) + acts * data.qfrc_gravcomp
            assert np.abs(got - data.qfrc_inverse).max() <= 1e-9 * max(1.0, np.abs(got).max()), (case, text)
    assert felt > 20


@pytest.mark.parametrize(("joint", "more", "same"), [
    ("", "<actuator><motor joint='j'/></actuator>", True), ("", "", False), ("", "<actuator/>", False),
    ('actuatorfrcrange="-3 3"', "<actuator><motor joint='j'/></actuator>", False),
    ('actuatorfrcrange="-3 3" actuatorfrclimited="false"', "<actuator><motor joint='j'/></actuator>", True),
    ("", "<option><flag actuation='disable'/></option><actuator><motor joint='j'/></actuator>", False)])
def test_actuators_that_do_not_carry_are_refused(daemon, joint, more, same):  # noqa: F811
    """Refused exactly where MuJoCo's acceleration is another than with passive compensation."""
    text = (f'<mujoco><worldbody><body gravcomp="0.9"><joint name="j" axis="0 1 0" actuatorgravcomp="true" {joint}/><inertial pos="0.5 0 0" mass="2" '
            f'diaginertia="0.1 0.1 0.1"/></body></worldbody>{more}</mujoco>')
    found = []
    for xml in (text, text.replace('actuatorgravcomp="true"', "")):
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        found.append(float(data.qacc[0]))
    assert (abs(found[0] - found[1]) < 1e-12) == same, found
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, XML)
    assert status in ((200, 201) if same else (422,)), answer
    assert same or 'actuatorgravcomp="true"' in json.loads(answer)["errors"][0]["detail"], answer
