# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_actuators.py - which joints MuJoCo's actuators move, and by how much torque, against `actuated` and limits of effort.
"""actuator_moment of MuJoCo has a row for each actuator and a column for each freedom: a joint has a motor where some entry is not 0 at some
state. With all controls at an end of their range, qfrc_actuator is the largest torque. Adhesion pulls at contacts only, which are off."""
import importlib.util
import json
import pathlib

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")

TREE = """<mujoco model="tree"><compiler angle="radian"/><option><flag contact="disable"/></option>
<default><motor ctrlrange="-2 2"/><position ctrllimited="false"/><default class="strong"><motor gear="5" forcerange="-3 3"/></default></default>
<worldbody><body name="base" pos="0 0 1"><freejoint name="free"/><geom size="0.1"/><site name="s0" pos="0.1 0 0.1"/>
 <body name="a" pos="0.2 0 0"><joint name="ja" axis="0 1 0"/><geom size="0.1"/><site name="s1" pos="0.1 0 0.05"/>
  <body name="b" pos="0.2 0 0"><joint name="jb" axis="0 0 1"/><geom size="0.1"/><site name="s2" pos="0.1 0.02 0"/>
   <body name="c" pos="0.2 0 0"><joint name="jc" type="slide" axis="1 0 0"/><geom size="0.1"/><site name="s3" pos="0 0.1 0.03"/></body></body></body>
 <body name="d" pos="-0.2 0 0"><joint name="jd" type="ball"/><geom size="0.1"/><site name="s4" pos="-0.1 0.03 0"/></body></body></worldbody>
<tendon><fixed name="both"><joint joint="ja" coef="0.5"/><joint joint="jb" coef="-2"/></fixed>
 <spatial name="rope"><site site="s1"/><site site="s3"/></spatial></tendon>
<actuator>%s</actuator></mujoco>"""

CASES = ['<motor joint="ja"/>', '<motor joint="ja" class="strong"/><motor joint="ja" gear="-3"/>', '<motor tendon="both"/><motor joint="jc"/>',
         '<motor tendon="rope"/>', '<motor site="s3" gear="1 0.2 0.3 0.1 0.2 0.3"/>', '<motor site="s3" refsite="s1" gear="1 0.2 0.3 0.1 0.2 0.3"/>',
         '<motor joint="jd" gear="0.1 0.2 0.3"/>', '<motor joint="free" gear="0 0 1 0 0 0"/><motor joint="jb"/>',
         '<position joint="jb" kp="3" forcerange="-4 1"/><motor joint="jc" class="strong"/>', '<velocity joint="jc" kv="2"/>',
         '<general joint="jb" gainprm="-7" ctrlrange="-1 0.5" ctrllimited="true"/>', '<general joint="jb" gainprm="-7" ctrlrange="-1 0.5" forcerange="-6 6"/>', '<motor cranksite="s2" slidersite="s0" cranklength="1"/>',
         '<adhesion body="c" ctrlrange="0 1"/>', '<muscle joint="ja" ctrlrange="0 1" lengthrange="0 1"/>']


@pytest.fixture(scope="module")
def daemon():
    path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
    spec = importlib.util.spec_from_file_location("contract_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.Daemon()
    yield one
    one.stop()


def moments(model):
    """(actuators x freedoms) the largest magnitudes at some states."""
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    most = np.zeros((model.nu, model.nv))
    for _ in range(8):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv) * 0.4, 1.0)
        mujoco.mj_forward(model, data)
        dense = np.zeros((model.nu, model.nv))
        mujoco.mju_sparse2dense(dense, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind)
        most = np.maximum(most, np.abs(dense))
    return most


@pytest.mark.parametrize("actuators", CASES)
def test_driven_joints_are_those_that_mujoco_moves(daemon, actuators):
    text = TREE % actuators
    model = mujoco.MjModel.from_xml_string(text)
    status, _, answer = daemon.request("PUT", "/v1/robots/motors", text, {"Content-Type": "application/xml"})
    assert status in (200, 201), answer
    document = json.loads(daemon.request("GET", "/v1/robots/motors")[2])
    most = moments(model)
    moved = {model.joint(int(model.dof_jntid[k])).name for k in range(model.nv) if most[:, k].max(initial=0) > 1e-9}
    assert set(document.get("actuated", [j["name"] for j in document["joints"] if j["kind"] != "fixed"])) == moved
    for joint in document["joints"]:
        if joint["name"] not in ("ja", "jb", "jc") or joint["name"] not in moved or "rope" in actuators or "site" in actuators:
            continue
        dof, total = model.joint(joint["name"]).dofadr[0], 0.0
        for k in range(model.nu):
            force = np.inf
            if model.actuator_forcelimited[k]:
                force = np.abs(model.actuator_forcerange[k]).max()
            plain = model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
            if model.actuator_ctrllimited[k] and plain:
                force = min(force, abs(model.actuator_gainprm[k][0]) * np.abs(model.actuator_ctrlrange[k]).max())
            total += most[k, dof] * force if most[k, dof] > 0 else 0.0
        limit = joint.get("limits", {}).get("effort")
        assert (np.inf if limit is None else limit) == pytest.approx(total, rel=1e-12), joint["name"]
