# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_wraps.py - spatial tendons around spheres and cylinders, against MuJoCo.
"""Trees with hinges, slides, balls, free bodies and the world, tendons around geoms on any of them, with and without a side site, from inside, behind pulleys:
qfrc_passive, inverse and forward dynamics at random states where they touch and where they do not, within 1e-9, and within 1e-5 from inside, where MuJoCo's
search for the touching point ends at 1e-6 rad; lengths at rest; the same after export and as a document; torques as differences of MuJoCo's lengths."""
import json

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401
from test_mujoco_paths import ask, put  # noqa: E402
from test_mujoco_tendons import rows  # noqa: E402

TREE = """<mujoco><compiler angle="radian"/><option>%s</option><default><tendon damping="0.3"/><default class="round"><geom type="cylinder"/></default></default>
<worldbody><site name="w" pos=".9 -.2 1"/><site name="v" pos="0 1 .2"/><geom name="gw" size=".35" pos=".3 .2 .3"/><site name="w_side" pos=".3 .9 .3"/>
<geom class="round" name="cw" fromto=".2 .1 0 .3 .3 .9" size=".3"/>
<body name="a" euler=".1 .2 .3"><joint name="a" axis="0 1 0" ref="0.3" springref="0.7"/><geom name="ga" size=".12" mass="1" pos=".25 0 0"/><site name="sa" pos=".1 .3 .05"/>
<site name="a_in" pos=".25 .05 0"/>
<body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 0" ref="0.1" springref="-0.2" stiffness="2"/><joint axis="1 1 0" pos=".1 .1 0"/>
<geom class="round" name="cb" size=".2 .1" pos=".1 0 0" euler=".3 .2 0" mass="1"/><frame pos=".1 0 0" euler="0 .4 0"><site name="sb" pos="0 .3 .1"/><site name="b_in" pos=".05 0 .05"/>
<geom name="cf" type="cylinder" size=".15 .3" zaxis="1 .2 .1" pos=".1 .1 0" mass=".2"/></frame>
<body pos=".2 0 0"><joint name="c" type="ball" pos=".05 0 0" stiffness="1"/><geom name="gc" size=".2" mass="0.5" pos=".1 .1 0"/><site name="sc" pos=".5 0 .1"/><site name="c_side" pos=".1 .9 0"/></body></body>
<body pos="0 .4 .1"><joint name="d" axis="0 0 1" pos="0 .1 0" armature=".1"/><geom size=".1" mass=".7" pos=".1 0 .1"/><site name="sd" pos=".2 .4 0"/></body></body>
<body name="f" pos="1 .5 .3" euler=".3 .1 0"><freejoint/><geom type="box" size=".1 .2 .3" mass="2" pos=".1 0 0"/><site name="sf" pos=".1 .4 .1"/><site name="sg" pos="-.1 0 .5"/>
<geom name="gf" size=".3" mass=".1" pos=".1 0 .1"/><site name="f_in" pos=".1 .1 .1"/></body>
</worldbody><tendon>%s</tendon></mujoco>"""


def path(*steps):
    """Sites, numbers for pulleys, geoms as "geom:NAME" or "geom:NAME/SIDESITE"."""
    text = ""
    for step in steps:
        if isinstance(step, (int, float)):
            text += f'<pulley divisor="{step}"/>'
        elif step.startswith("geom:"):
            geom, _, side = step[5:].partition("/")
            text += f'<geom geom="{geom}"' + (f' sidesite="{side}"/>' if side else "/>")
        else:
            text += f'<site site="{step}"/>'
    return text


OUTSIDE = [
    f'<spatial stiffness="3">{path("sa", "geom:gw", "sb")}</spatial>',
    f'<spatial stiffness="3" springlength="0.2">{path("w", "geom:gw", "sc")}</spatial>',
    f'<spatial stiffness="3" springlength="0.2">{path("w", "geom:cw", "sc")}</spatial>',
    f'<spatial stiffness="3">{path("sa", "geom:cb", "sc")}</spatial>',
    f'<spatial stiffness="3" springlength="0.2 0.9">{path("w", "geom:cf", "sc")}</spatial>',
    f'<spatial stiffness="3" springlength="0.1">{path("v", "geom:gf", "sg")}</spatial>',
    f'<spatial stiffness="3">{path("sd", "geom:ga", "sf")}</spatial>',
    f'<spatial stiffness="3" springlength="0.4">{path("sa", "geom:gw/w_side", "sb")}</spatial>',
    f'<spatial stiffness="3">{path("v", "geom:cw/w_side", "sf")}</spatial>',
    f'<spatial stiffness="3">{path("sd", "geom:gc/c_side", "sb")}</spatial>',
    f'<spatial stiffness="3">{path("sd", "geom:cb/c_side", "sf")}</spatial>',  # the side on another body
    f'<spatial stiffness="3" frictionloss=".4">{path("w", "geom:cw", "sa", "geom:ga", "sd", "geom:gf/sf", "sg")}</spatial>',
    f'<spatial stiffness="3" springlength="0.3">{path(2, "w", "geom:gw", "sa", 0.5, "sa", "sb", "geom:gc", "sc", 3, "sd", "geom:cf", "sf")}</spatial>',
    f'<spatial damping="2">{path("w", "geom:gw", "sc")}</spatial><spatial stiffness="2">{path("sc", "sd")}</spatial>',
]
INSIDE = [
    f'<spatial stiffness="3" springlength="0.3">{path("sf", "geom:gf/f_in", "w")}</spatial>',
    f'<spatial stiffness="3" springlength="0.3">{path("sd", "geom:cb/b_in", "sc")}</spatial>',
    f'<spatial stiffness="3">{path("sa", "geom:ga/a_in", "sd", "geom:cw/a_in", "sc")}</spatial>',
]
FLAGS = ["", '<flag damper="disable"/>']


def near(got, want, tolerance, size=0.0):
    assert np.abs(np.array(got) - want).max() < tolerance * (1 + np.abs(want).max() + size), np.abs(np.array(got) - want).max()


def chosen(model, rng):
    """States where the tendons touch and where they do not: at most four for each number of points."""
    by_number = {}
    for _ in range(400):
        state = peer.state_of(model, rng)
        data = mujoco.MjData(model)
        data.qpos[:] = state[0]
        mujoco.mj_fwdPosition(model, data)
        some = by_number.setdefault(int(data.ten_wrapnum.sum()), [])
        some += [state] * (len(some) < 4)
    assert len(by_number) > 1, by_number.keys()
    return sum(by_number.values(), [])


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("tendons, tolerance", [(t, 1e-9) for t in OUTSIDE] + [(t, 1e-5) for t in INSIDE])
def test_wraps(daemon, tendons, tolerance, flag):  # noqa: F811
    text = TREE % (flag, tendons)
    model = mujoco.MjModel.from_xml_string(text)
    dry = rows(model, model.qpos0)[1]
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_CONTACT)
    rest = [one["rest"] for one in put(daemon, text)["tendons"]]
    forced = (model.tendon_stiffness != 0) | (np.ravel(model.tendon_damping) != 0) * ("damper" not in flag) | (dry != 0)
    near(rest, model.tendon_lengthspring[forced], 1e-9)
    rng = np.random.default_rng(2)
    states = chosen(model, rng)
    forms = [None] + [daemon.request("GET", f"/v1/robots/all?format={form}") for form in ("mjcf", "json")]
    for form in forms:
        if form is not None:
            assert form[0] == 200
            put(daemon, form[2], "application/xml" if form[2].lstrip().startswith((b"<", "<")[isinstance(form[2], str)]) else "application/json")
        for q, qd, turn, free in states:
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = q, turn @ qd
            mujoco.mj_forward(model, data)
            jacobian = rows(model, q)[0] @ turn
            friction = jacobian.T @ (dry * np.sign(jacobian @ qd))
            ledger = ask(daemon, "terms", q=list(q), qd=list(qd), include=["ledger"])["ledger"]
            near(np.array(ledger["spring"]) + ledger["friction"] - friction, -turn.T @ data.qfrc_passive, tolerance)
            near(peer.ours(daemon, q, qd)["tau"], peer.theirs(model, q, qd, turn, free)["tau"] + friction, tolerance)
            qdd = ask(daemon, "forward-dynamics", q=list(q), qd=list(qd), tau=list(friction))["qdd"]
            theirs = turn.T @ data.qacc
            for v in free:
                theirs[v:v + 3] -= np.cross(qd[v + 3:v + 6], qd[v:v + 3])
            near(qdd, theirs, tolerance, np.abs(data.qacc).max())


@pytest.mark.parametrize("tendons", OUTSIDE[:6] + INSIDE)
def test_springs_follow_lengths(daemon, tendons):  # noqa: F811
    """By MuJoCo's lengths alone: torque of the spring by differences of its energy, along hinges and slides."""
    text = TREE % ('<flag damper="disable" gravity="disable"/>', tendons)
    model = mujoco.MjModel.from_xml_string(text)
    put(daemon, text)
    rng = np.random.default_rng(5)

    def energy(q):
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_fwdPosition(model, data)
        low, high = model.tendon_lengthspring.T
        beyond = np.maximum(data.ten_length - high, 0) + np.minimum(data.ten_length - low, 0)
        return 0.5 * (model.tendon_stiffness * beyond**2).sum()

    for _ in range(10):
        q, qd, _, _ = peer.state_of(model, rng)
        spring = np.array(ask(daemon, "terms", q=list(q), qd=list(0 * qd), include=["ledger"])["ledger"]["spring"])
        for joint in range(model.njnt):
            if model.jnt_type[joint] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                at, row, h = model.jnt_qposadr[joint], model.jnt_dofadr[joint], 1e-6
                step = np.eye(model.nq)[at] * h
                own = model.jnt_stiffness[joint] * (q[at] - model.qpos_spring[at])
                want = (energy(q + step) - energy(q - step)) / (2 * h) + own
                assert spring[row] == pytest.approx(want, abs=1e-6 * (1 + abs(want)))


@pytest.mark.parametrize("tendon, word", [
    (f'<spatial stiffness="2">{path("geom:gw", "sb")}</spatial>', "between two sites"), (f'<spatial stiffness="2">{path("sa", "geom:gw")}</spatial>', "between two sites"),
    (f'<spatial stiffness="2">{path("sa", "geom:gw", "geom:cw", "sb")}</spatial>', "between two sites"),
    (f'<spatial stiffness="2">{path("sa", 2, "geom:gw", "sb")}</spatial>', "between two sites"),
    (f'<spatial stiffness="2">{path("sa", "geom:none", "sb")}</spatial>', '"none"'), (f'<spatial stiffness="2">{path("sa", "geom:gw/none", "sb")}</spatial>', '"none"')])
def test_what_mujoco_refuses_is_refused(daemon, tendon, word):  # noqa: F811
    text = TREE % ("", tendon)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status == 422 and word in (answer if isinstance(answer, str) else answer.decode()).replace('\\"', '"'), answer


def test_other_geoms_are_refused(daemon):  # noqa: F811
    """MuJoCo wraps around spheres and cylinders alone."""
    text = (TREE % ("", f'<spatial stiffness="2">{path("sa", "geom:gw", "sb")}</spatial>')).replace('name="gw" size=".35"', 'name="gw" type="box" size=".3 .3 .3"')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status == 422 and "does not wrap" in str(answer)
