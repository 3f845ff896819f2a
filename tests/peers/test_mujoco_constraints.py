# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_constraints.py - a four-bar closed by <equality>, beside MuJoCo within its softness.
"""MuJoCo's constraints are springs: solimp 0.9999 leaves a ten-thousandth of the violation's acceleration, solref 2 ms pulls
the pin shut again. Both read the same MJCF; ours are rigid."""
import importlib.util
import json
import pathlib

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")

MODEL = """<mujoco model="four-bar">
<compiler angle="radian"/><option gravity="0 -9.81 0" timestep="0.0002" integrator="RK4" tolerance="0" iterations="200"/>
<worldbody>
 <body name="crank"><joint name="crank" axis="0 0 1"/><inertial pos="0.1 0 0" mass="0.5" diaginertia="0.0001 0.0017 0.0017"/>
  <body name="coupler" pos="0.2 0 0" euler="0 0 1.0"><joint name="knee" axis="0 0 1"/>
   <inertial pos="0.25 0 0" mass="1.25" diaginertia="0.0001 0.026 0.026"/></body></body>
 <body name="rocker" pos="0.5 0 0" euler="0 0 1.2"><joint name="rocker" axis="0 0 1"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.0001 0.0133 0.0133"/></body>
</worldbody>
<equality>
 <connect name="pin" body1="coupler" body2="rocker" anchor="0.5 0 0" solref="0.002 1" solimp="0.9999 0.9999 0.001"/>
</equality></mujoco>"""


@pytest.fixture(scope="module")
def daemon():
    path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
    spec = importlib.util.spec_from_file_location("contract_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.Daemon()
    status, _, text = one.request("PUT", "/v1/robots/linkage", MODEL, {"Content-Type": "application/xml"})
    assert status == 201, text
    yield one
    one.stop()


def ask(daemon, call, body):
    status, _, text = daemon.request("POST", f"/v1/robots/linkage/{call}", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    return json.loads(text)


@pytest.fixture
def peer():
    model = mujoco.MjModel.from_xml_string(MODEL)
    return model, mujoco.MjData(model)


def test_accelerations(daemon, peer):
    model, data = peer
    run = ask(daemon, "simulate", {"initial": {"q": [0, 0, 0], "qd": [2, 0, 0]}, "duration_s": 1, "output": {"interval_s": 0.1}})
    for q, qd in zip(run["q"], run["qd"]):
        data.qpos[:], data.qvel[:] = q, qd
        data.qfrc_applied[:] = [0.7, 0, 0]
        mujoco.mj_forward(model, data)
        ours = ask(daemon, "forward-dynamics", {"q": q, "qd": qd, "tau": [0.7, 0, 0]})["qdd"]
        scale = max(1.0, np.abs(ours).max())
        assert np.abs(data.qacc - ours).max() < 1e-3 * scale, (ours, data.qacc)


def test_motion(daemon, peer):
    model, data = peer
    run = ask(daemon, "simulate", {"initial": {"q": [0, 0, 0], "qd": [2, 0, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.05}})
    data.qpos[:], data.qvel[:] = run["q"][0], run["qd"][0]
    for t, q in zip(run["t"][1:], run["q"][1:]):
        while data.time < t - 1e-9:
            mujoco.mj_step(model, data)
        assert np.abs(data.qpos - q).max() < 2e-3, (t, q, data.qpos)
