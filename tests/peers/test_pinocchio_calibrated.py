# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_pinocchio_calibrated.py - a quadruped calibrated from logs with forces of its feet, judged by
# Pinocchio's regressor and frame Jacobians instead of our own.
import json
import pathlib
import sys

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
from conftest import Daemon  # noqa: E402
from test_calibrate import calibrate  # noqa: E402
from test_calibrate_wrenches import QUADRUPED, moved, prepared, request, supported  # noqa: E402


@pytest.fixture(scope="module")
def daemon():
    one = Daemon()
    yield one
    one.stop()


def peer(daemon, name):
    """Pinocchio's model of our URDF."""
    urdf = daemon.request("GET", f"/v1/robots/{name}", headers={"Accept": "application/xml"})[2].decode()
    model = pin.buildModelFromXML(urdf)
    return model, model.createData()


def state(model, order, q, v, a):
    """Our q (base: position, w x y z) and rates as Pinocchio's; joints without limits are a cosine and a sine there."""
    to = pin.neutral(model)
    to[:3], to[3:7] = q[:3], [q[4], q[5], q[6], q[3]]
    rate, acceleration = np.zeros(model.nv), np.zeros(model.nv)
    rate[:6], acceleration[:6] = v[:6], a[:6]
    for k, name in enumerate(order):
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            to[joint.idx_q : joint.idx_q + 2] = np.cos(q[7 + k]), np.sin(q[7 + k])
        else:
            to[joint.idx_q] = q[7 + k]
        rate[joint.idx_v], acceleration[joint.idx_v] = v[6 + k], a[6 + k]
    return to, rate, acceleration


@pytest.mark.seconds(240)
def test_logs_and_result_are_those_of_pinocchio(daemon):
    file, true, where, names = prepared(daemon, QUADRUPED, 12)
    found = calibrate(daemon, request(where, QUADRUPED["supports"], names), robot=file)
    reply = daemon.request("PUT", "/v1/robots/found", json.dumps({**found["robot"], "name": "found"}).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    motion = moved(QUADRUPED["posture"], 77, 2)
    tau, w = supported(daemon, true, motion, QUADRUPED["supports"], 7)
    off = {}
    for name in (file, true, "found"):
        model, data = peer(daemon, name)
        pi = np.concatenate([model.inertias[j].toDynamicParameters() for j in range(1, model.njoints)])
        order = [j for j in found["joints"] if j != "base"]
        rows = [model.joints[model.getJointId(j)].idx_v for j in order]
        left = []
        for i in range(0, len(tau), 20):
            q, v, a = state(model, order, *(x[i] for x in motion[1:]))
            pushed = pin.computeJointTorqueRegressor(model, data, q, v, a) @ pi
            pin.forwardKinematics(model, data, q)
            pin.updateFramePlacements(model, data)
            for k, (link, at, axes, _) in enumerate(QUADRUPED["supports"]):
                frame = model.getFrameId(link, pin.BODY)
                j = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
                point = np.zeros(3) if at == "origin" else np.array(at)
                f = w[i, 3 * k : 3 * k + 3]
                f = data.oMf[frame].rotation.T @ f if axes == "world" else f
                pushed -= j.T @ np.concatenate([f, np.cross(point, f)])
            left.append(np.concatenate([pushed[:6], pushed[rows] + 0.5 * motion[2][i, 6:] - tau[i]]))
        off[name] = np.sqrt((np.array(left) ** 2).mean(0))
    size = np.sqrt((tau**2).mean())
    assert off[true].max() < 1e-8 * size  # the logs
    assert off["found"].max() < 2e-3 * size < 0.02 * off[file].max(), {k: x.max() / size for k, x in off.items()}
