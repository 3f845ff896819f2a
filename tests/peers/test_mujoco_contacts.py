# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_contacts.py - an arm whose tip drags over a floor, beside MuJoCo with stiff contacts.
"""MuJoCo's contacts are springs and dampers and its friction creeps; with a time constant of 0.4 ms and an elliptic cone of large
impratio they come near to rigid ones, ours. An impact would show more of its springs than of ours: the tip starts on the floor."""
import importlib.util
import json
import math
import pathlib

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")

BODIES = """<worldbody>{floor}
 <body name="upper" pos="0 0 0.6"><joint name="shoulder" axis="0 1 0" damping="0.3"/><inertial pos="0.25 0 0" mass="1.2" diaginertia="0.001 0.025 0.025"/>
  <body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0" damping="0.3"/><inertial pos="0.2 0 0" mass="0.8" diaginertia="0.001 0.011 0.011"/>{tip}
  </body></body></worldbody>"""
OURS = f'<mujoco model="dragging">{BODIES.format(floor="", tip="")}</mujoco>'
SOFT = 'solref="0.0004 1" solimp="0.9999 0.9999 0.001" friction="0.4 0 0" condim="3"'
THEIRS = f"""<mujoco model="dragging"><option timestep="0.0001" integrator="implicit" cone="elliptic" impratio="100" tolerance="0" iterations="100"/>
{BODIES.format(floor=f'<geom name="floor" type="plane" size="5 5 1" {SOFT}/>',
               tip=f'<geom name="tip" type="sphere" size="0.05" pos="0.4 0 0" mass="0" {SOFT}/>')}</mujoco>"""


@pytest.fixture(scope="module")
def daemon():
    path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
    spec = importlib.util.spec_from_file_location("contract_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.Daemon()
    status, _, text = one.request("PUT", "/v1/robots/dragging", OURS, {"Content-Type": "application/xml"})
    assert status == 201, text
    yield one
    one.stop()


def test_an_arm_drags_over_the_floor(daemon):
    lower = math.asin((0.6 - 0.05 - 0.5 * math.sin(0.6)) / 0.4)
    start = [0.6, lower - 0.6]
    body = {"initial": {"q": start}, "duration_s": 1.5, "output": {"interval_s": 0.05}, "solver": {"step_s": 5e-4},
            "contacts": {"friction": 0.4, "shapes": [{"shape": "half-space"}, {"link": "lower", "shape": "sphere", "size": [0.05],
                                                                               "pose": {"position": [0.4, 0, 0]}}]}}
    status, _, text = daemon.request("POST", "/v1/robots/dragging/simulate", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    run = json.loads(text)
    model = mujoco.MjModel.from_xml_string(THEIRS)
    data = mujoco.MjData(model)
    data.qpos[:] = start
    worst, way = 0.0, 0.0
    for t, q, gap in zip(run["t"], run["q"], run["contact_gap"]):
        while data.time < t - 5e-5:
            mujoco.mj_step(model, data)
        assert abs(gap[0]) < 1e-9
        way = max(way, float(np.abs(np.subtract(q, start)).max()))
        worst = max(worst, float(np.abs(data.qpos - q).max()))
    assert way > 1.0 and worst < 1e-3, (way, worst)
