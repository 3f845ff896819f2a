# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_paths.py - spatial tendons through sites and pulleys, against MuJoCo.
"""Trees with hinges, slides, balls and free bodies, tendons with every form of springlength, dampers, dry friction and branches behind pulleys: lengths,
qfrc_passive, inverse and forward dynamics at random states within 1e-9; the same after export and as a document."""
import json

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401
from test_mujoco_tendons import rows  # noqa: E402

TREE = """<mujoco><compiler angle="radian"/><option>%s</option><default><tendon damping="0.3"/><default class="stiff"><tendon stiffness="9"/></default></default>
<worldbody><site name="w" pos=".3 -.2 1"/><site name="v" fromto="0 1 0 .4 1 .2" type="capsule" size=".01"/>
<body name="a" euler=".1 .2 .3"><joint name="a" axis="0 1 0" ref="0.3" springref="0.7"/><geom size=".1" mass="1" pos=".2 0 0"/><site name="sa" pos=".1 .2 .05"/>
<body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 0" ref="0.1" springref="-0.2" stiffness="2"/><joint axis="1 1 0" pos=".1 .1 0"/><geom size=".1" mass="1"/>
<frame pos=".1 0 0" euler="0 .4 0"><site name="sb" pos="0 .1 .1"/></frame>
<body pos=".2 0 0"><joint name="c" type="ball" pos=".05 0 0" stiffness="1"/><geom size=".1" mass="0.5" pos=".1 .1 0"/><site name="sc" pos=".3 0 .1"/></body></body>
<body pos="0 .4 .1"><joint name="d" axis="0 0 1" pos="0 .1 0" armature=".1"/><geom size=".1" mass=".7" pos=".1 0 .1"/><site name="sd" pos=".2 .1 0"/></body></body>
<body name="f" pos="1 .5 .3" euler=".3 .1 0"><freejoint/><geom type="box" size=".1 .2 .3" mass="2" pos=".1 0 0"/><site name="sf" pos=".1 .1 .1"/><site name="sg" pos="-.1 0 .2"/></body>
</worldbody><tendon>%s</tendon></mujoco>"""


def path(*names):
    return "".join(f'<pulley divisor="{n}"/>' if isinstance(n, (int, float)) else f'<site site="{n}"/>' for n in names)


TENDONS = [
    f'<spatial stiffness="3">{path("sa", "sb")}</spatial>',
    f'<spatial stiffness="3" springlength="0.2">{path("w", "sc")}</spatial>',
    f'<spatial stiffness="3" springlength="0.2 0.9">{path("sc", "sd")}</spatial>',
    f'<spatial stiffness="3" springlength="0.9">{path("sf", "sc")}</spatial>',
    f'<spatial stiffness="3" springlength="-1">{path("sf", "w")}</spatial>',
    f'<spatial stiffness="3">{path("sf", "sc", "w", "sa", "v")}</spatial><spatial class="stiff">{path("sb", "sd")}</spatial>',
    f'<spatial stiffness="3" springlength="-1 4">{path("sf", "sg", "sb")}</spatial><fixed class="stiff"><joint joint="a" coef="2"/></fixed>',
    f'<spatial class="stiff" damping="2">{path("v", "sc")}</spatial><spatial damping="0">{path("sa", "sf")}</spatial>',
    f'<spatial name="x" class="stiff" frictionloss="0.4">{path("sd", "sc")}</spatial>',
    f'<spatial class="stiff">{path("w", "sa", 2, "sa", "sb", 2, "sa", "sd")}</spatial>',
    f'<spatial class="stiff" springlength="0.3">{path(3, "sf", "sc", "sb", 0.5, "w", "sa")}</spatial>',
    f'<spatial stiffness="0.5" limited="true" range="0 1" width=".01" rgba="1 0 0 1">{path("sa", "sc")}</spatial>',
]
FLAGS = ["", '<flag spring="disable"/>', '<flag damper="disable"/>', '<flag frictionloss="disable"/>']


def put(daemon, text, kind="application/xml"):  # noqa: F811
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": kind})
    assert status in (200, 201), answer
    return json.loads(answer)


def ask(daemon, operation, **body):  # noqa: F811
    status, _, answer = daemon.request("POST", f"/v1/robots/all/{operation}", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, answer
    return json.loads(answer)


def close(got, want, size=0.0):
    assert np.abs(np.array(got) - want).max() < 1e-9 * (1 + np.abs(want).max() + size)


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("tendons", TENDONS)
def test_paths(daemon, tendons, flag):  # noqa: F811
    text = TREE % (flag, tendons)
    model = mujoco.MjModel.from_xml_string(text)
    dry = rows(model, model.qpos0)[1]
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)  # soft there: added by its definition
    put(daemon, text)
    rng = np.random.default_rng(2)
    states = [peer.state_of(model, rng) for _ in range(5)]
    forms = [None] + [daemon.request("GET", f"/v1/robots/all?format={form}") for form in ("mjcf", "json")]
    for form in forms:
        if form is not None:
            assert form[0] == 200
            put(daemon, form[2], "application/xml" if form[2].lstrip().startswith((b"<", "<")[isinstance(form[2], str)]) else "application/json")
        for q, qd, turn, free in states:
            jacobian = rows(model, q)[0] @ turn
            friction = jacobian.T @ (dry * np.sign(jacobian @ qd))
            want = peer.theirs(model, q, qd, turn, free)["tau"] + friction
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = q, turn @ qd
            mujoco.mj_forward(model, data)
            ledger = ask(daemon, "terms", q=list(q), qd=list(qd), include=["ledger"])["ledger"]
            close(np.array(ledger["spring"]) + ledger["friction"] - friction, -turn.T @ data.qfrc_passive)
            close(peer.ours(daemon, q, qd)["tau"], want)
            # forward: acceleration of the free body's twist in its own frame
            qdd = ask(daemon, "forward-dynamics", q=list(q), qd=list(qd), tau=list(friction))["qdd"]
            theirs = turn.T @ data.qacc
            for v in free:
                theirs[v:v + 3] -= np.cross(qd[v + 3:v + 6], qd[v:v + 3])
            close(qdd, theirs, np.abs(data.qacc).max())


def test_lengths_at_rest_are_those_where_springs_rest(daemon):  # noqa: F811
    text = TREE % ("", "".join(TENDONS[k] for k in (0, 4, 5, 9)))
    model = mujoco.MjModel.from_xml_string(text)
    rest = [tendon["rest"] for tendon in put(daemon, text)["tendons"]]
    close(rest, model.tendon_lengthspring)


def test_sites_that_coincide_pull_at_nothing(daemon):  # noqa: F811
    """MuJoCo takes the x axis for the direction of a path without length; here it has none, as in every frame."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><site name="w"/><body><joint axis="0 0 1"/><geom size=".1" mass="1" pos="1 0 0"/><site name="s"/>
    </body></worldbody><tendon><spatial stiffness="3" springlength="1" damping="2"><site site="w"/><site site="s"/></spatial></tendon></mujoco>"""
    put(daemon, text)
    ledger = ask(daemon, "terms", q=[0.3], qd=[2], include=["ledger", "energy"])
    assert ledger["ledger"]["spring"] == [0] and ledger["ledger"]["friction"] == [0] and ledger["energy"]["potential"] == 1.5


@pytest.mark.parametrize("tendon, word", [
    (f'<spatial stiffness="3 1">{path("sa", "sb")}</spatial>', "not linear"), (f'<spatial damping="2 1">{path("sa", "sb")}</spatial>', "not linear"),
    (f'<spatial armature="2">{path("sa", "sb")}</spatial>', "inertia of a tendon"), (f'<spatial stiffness="2" springlength="0.9 0.2">{path("sa", "sb")}</spatial>', "slack"),
    (f'<spatial stiffness="2">{path("sa", "zz")}</spatial>', '"zz"'), ('<spatial stiffness="2"/>', "0 sites"), (f'<spatial stiffness="2">{path("sa")}</spatial>', "1 sites"),
    (f'<spatial stiffness="2">{path("sa", "sb", 0, "sa", "sd")}</spatial>', "divisor 0"),
    ('<spatial stiffness="2"><site site="sa"/><geom geom="g"/><site site="sb"/></spatial>', "no geom")])
def test_what_is_not_read_is_refused(daemon, tendon, word):  # noqa: F811
    status, _, answer = daemon.request("PUT", "/v1/robots/all", TREE % ("", tendon), {"Content-Type": "application/xml"})
    assert status == 422 and word in (answer if isinstance(answer, str) else answer.decode()).replace('\\"', '"'), answer
