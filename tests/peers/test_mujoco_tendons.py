# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_tendons.py - fixed tendons: springs with and without a dead band, dampers, dry friction, against MuJoCo.
"""Arms with tendons of every form of springlength, in defaults and elements, with references and springrefs of the joints: qfrc_passive and inverse
dynamics at random states within 1e-9; the same after export and PATCH."""
import json

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401

ARM = """<mujoco><compiler angle="radian"/><option>%s</option><default><tendon damping="0.3"/><default class="stiff"><tendon stiffness="9"/></default></default><worldbody>
<body><joint name="a" axis="0 1 0" ref="0.3" springref="0.7"/><geom size=".1" mass="1" pos=".2 0 0"/>
<body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 0" ref="0.1" springref="-0.2" stiffness="2"/><geom size=".1" mass="1"/>
<body pos=".2 0 0"><joint name="c" axis="0 0 1"/><geom size=".1" mass="0.5" pos=".1 .1 0"/></body></body></body></worldbody><tendon>%s</tendon></mujoco>"""
ALL = '<joint joint="a" coef="2"/><joint joint="b" coef="-3"/><joint joint="c" coef="0.5"/>'
TWO = '<joint joint="c" coef="-1.5"/><joint joint="a" coef="1"/>'
TENDONS = [
    f'<fixed stiffness="3">{ALL}</fixed>',
    f'<fixed stiffness="3" springlength="0.2">{ALL}</fixed>',
    f'<fixed stiffness="3" springlength="0.2 0.9">{ALL}</fixed>',
    f'<fixed stiffness="3" springlength="-5 0.1">{TWO}</fixed>',
    f'<fixed stiffness="3" springlength="-1">{ALL}</fixed>',
    f'<fixed stiffness="3" springlength="-1 4">{ALL}</fixed><fixed class="stiff">{TWO}</fixed>',
    f'<fixed class="stiff" damping="2">{TWO}</fixed><fixed damping="0">{ALL}</fixed>',
    f'<fixed name="x" class="stiff" frictionloss="0.4">{TWO}</fixed>',
    f'<fixed stiffness="0.5" limited="true" range="-1 1">{TWO}</fixed>',
]
FLAGS = ["", '<flag spring="disable"/>', '<flag damper="disable"/>', '<flag frictionloss="disable"/>']


def rows(model, q):
    """J of each tendon at q, along MuJoCo's velocities, and its dry friction as far as it is on."""
    j, data = np.zeros((model.ntendon, model.nv)), mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_fwdPosition(model, data)
    for t in range(model.ntendon):
        at = slice(model.ten_J_rowadr[t], model.ten_J_rowadr[t] + model.ten_J_rownnz[t])
        j[t, model.ten_J_colind[at]] = data.ten_J[at]
    on = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    return j, model.tendon_frictionloss * on


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("tendons", TENDONS)
def test_fixed_tendons(daemon, tendons, flag):  # noqa: F811
    text = ARM % (flag, tendons)
    model = mujoco.MjModel.from_xml_string(text)
    jacobian, dry = rows(model, model.qpos0)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)  # soft there: added by its definition
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status in (200, 201), answer
    rng = np.random.default_rng(2)
    states = [peer.state_of(model, rng) for _ in range(5)]
    forms = [None] + [daemon.request("GET", f"/v1/robots/all?format={form}") for form in ("mjcf", "json")]
    for form in forms:
        if form is not None:
            assert form[0] == 200
            kind = "application/xml" if form[2].lstrip().startswith((b"<", "<")[isinstance(form[2], str)]) else "application/json"
            assert daemon.request("PUT", "/v1/robots/all", form[2], {"Content-Type": kind})[0] in (200, 201)
        for q, qd, turn, free in states:
            want = peer.theirs(model, q, qd, turn, free)["tau"] + jacobian.T @ (dry * np.sign(jacobian @ qd))
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = q, qd
            mujoco.mj_forward(model, data)
            status, _, answer = daemon.request("POST", "/v1/robots/all/terms", json.dumps({"q": list(q), "qd": list(qd), "include": ["ledger"]}),
                                               {"Content-Type": "application/json"})
            ledger = json.loads(answer)["ledger"]
            passive = np.array(ledger["spring"]) + np.array(ledger["friction"]) - jacobian.T @ (dry * np.sign(jacobian @ qd))
            assert np.abs(passive + data.qfrc_passive).max() < 1e-9 * (1 + np.abs(data.qfrc_passive).max())
            got = np.array(peer.ours(daemon, q, qd)["tau"])
            assert np.abs(got - want).max() < 1e-9 * (1 + np.abs(want).max()), (tendons, flag, form)


def test_what_is_not_read_is_refused(daemon):  # noqa: F811
    for tendon, word in ((f'<fixed stiffness="3 1">{TWO}</fixed>', "not linear"), (f'<fixed damping="2 1">{TWO}</fixed>', "not linear"),
                         (f'<fixed armature="2">{TWO}</fixed>', "inertia of a tendon"), (f'<fixed stiffness="2" springlength="0.9 0.2">{TWO}</fixed>', "slack"),
                         ('<fixed stiffness="2"><joint joint="z" coef="1"/></fixed>', '"z"'), ('<fixed stiffness="2"/>', "without joints"),
                         ('<fixed stiffness="2"><joint joint="a" coef="1"/><joint joint="a" coef="1"/></fixed>', "twice")):
        status, _, answer = daemon.request("PUT", "/v1/robots/all", ARM % ("", tendon), {"Content-Type": "application/xml"})
        assert status == 422 and word in (answer if isinstance(answer, str) else answer.decode()).replace('\\"', '"'), answer
