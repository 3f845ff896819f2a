# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_pinocchio_second.py - second derivatives of torque beside Pinocchio's first ones, differenced.
"""Pinocchio's own second derivatives have no Python binding; `make bench-kernels` compares with those, of five robots. Here its
first derivatives are differenced to sixth order, on the random robots of up to 12 degrees of freedom that `dump` prints: every kind
of joint but planar ones, whose rates have another frame there, branching and mimicry. Displacements are its own `integrate`."""
import pytest
from test_pinocchio import ROBOTS, Twin

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")

SMALL = [robot for robot in ROBOTS if "by_q_q" in robot and all(joint["kind"] != "planar" for joint in robot["joints"])]
STEP = 1e-2
STENCIL = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}  # f' = sum of weight (f(k h) - f(-k h)) / h, up to h^6 f''''''' / 140


def first(twin, q, v, a):
    """dtau/dq, dtau/dqd and M of theirs, by their rates."""
    pin.computeRNEADerivatives(twin.model, twin.data, q, v, a)
    upper = np.triu(pin.crba(twin.model, twin.data, q))
    return np.array([twin.data.dtau_dq, twin.data.dtau_dv, upper + upper.T - np.diag(np.diag(upper))])


def differences(twin, state, j):
    """Of each by q, and by qd, [i][j][k] in our rates."""
    q, v, a = state
    n = j.shape[1]
    ret = np.zeros((2, 3, n, n, n))
    for k in range(n):
        for step, weight in STENCIL.items():
            for sign in (1, -1):
                by = sign * step * STEP * j[:, k]
                for row, at in enumerate(((pin.integrate(twin.model, q, by), v, a), (q, v + by, a))):
                    ret[row, :, :, :, k] += sign * weight / STEP * (j.T @ first(twin, *at) @ j)
    return ret


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("number", range(len(SMALL)))
def test_second_derivatives(number):
    robot = SMALL[number]
    twin = Twin(robot)
    q, qd, qdd = (np.array(robot[name]) for name in ("q", "qd", "qdd"))
    by_q, by_qd = differences(twin, twin.state(q, qd, qdd), twin.jacobian(q))
    for name, want in (("by_q_q", by_q[0]), ("by_qd_qd", by_qd[1]), ("by_qd_q", by_q[1]), ("by_qdd_q", by_q[2])):
        ours = np.reshape(robot[name], want.shape)
        # torque is of second degree in sines of each coordinate: a seventh derivative is at most 3^7 of it, times 1e-12 / 140
        scale = max(np.max(np.abs(want), initial=1.0), np.max(robot["terms"], initial=0.0))
        assert np.max(np.abs(ours - want), initial=0.0) <= 1e-10 * scale, name


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
def test_robots_of_every_kind_are_there():
    kinds = {joint["kind"] for robot in SMALL for joint in robot["joints"]}
    assert kinds >= {"revolute", "continuous", "prismatic", "spherical", "floating"}, kinds
    assert any(joint["mimic"] >= 0 for robot in SMALL for joint in robot["joints"])
    assert len(SMALL) > 10
