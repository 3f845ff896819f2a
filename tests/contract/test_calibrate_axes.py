# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_axes.py - arms whose joint axes deviate slightly from right angles, as after a
# kinematic calibration.
"""Parameters that are identifiable only because of such small angles must neither count as insufficient
excitation nor make a fit impossible: verdict and errors of the arm are those of the same arm with exact right
angles."""
import json

import pytest

np = pytest.importorskip("numpy")
arms = pytest.importorskip("test_diagnosis")


def off_square(document, angle, seed):
    rng = np.random.default_rng(seed)
    document = json.loads(json.dumps(document))
    for joint in document["joints"]:
        axis = np.array(joint["axis"], float) + angle * rng.normal(size=3)
        joint["axis"] = (axis / np.linalg.norm(axis)).tolist()
    return document


def bench(daemon, seed, n, runs, angle):
    b = arms.Bench(daemon, np.random.default_rng(seed), n, runs)
    b.user, b.truth = off_square(b.user, angle, seed), off_square(b.truth, angle, seed)
    b.put("user", b.user)
    return b


def unseen_error(b, reply):
    """The largest ratio over the joints of rms torque error to rms torque, for the identified robot in a motion
    that was not fitted."""
    b.motions.append(arms.motion(np.random.default_rng(77), b.n))
    try:
        return max((b.torque(reply["robot"], -1) - (want := b.torque(b.truth, -1))).std(0) / want.std(0))
    finally:
        b.motions.pop()


@pytest.mark.parametrize("n, runs, seed, angle", [(3, 1, 1, 3e-4), (5, 2, 2, 1e-3), (6, 1, 3, 5e-3), (4, 1, 4, 4e-6)])
def test_axes_off_square_do_not_change_the_fit(daemon, n, runs, seed, angle):
    """The smallest deviation is that of a right angle written as 1.5708."""
    square, askew = bench(daemon, seed, n, runs, 0), bench(daemon, seed, n, runs, angle)
    square.put("user", square.user)
    want, status = square.ask(square.logs())
    assert status == 200 and want["verdict"] == "usable", want
    error = unseen_error(square, want)
    askew.put("user", askew.user)
    found, status = askew.ask(askew.logs())
    assert status == 200, found
    assert found["verdict"] == "usable" and not found["findings"], found["reasons"]
    assert not found["unidentifiable"]
    assert all(r["visible"] < 0.02 for r in found.get("regrouped", []))
    assert unseen_error(askew, found) < 1.2 * error + 0.002


def test_a_joint_at_rest_is_still_insufficient_excitation(daemon):
    b = bench(daemon, 3, 4, 1, 1e-3)
    t, q, qd, qdd = b.motions[0]
    for part in (q, qd, qdd):
        part[:, 2] = 0.0
    found, status = b.ask(b.logs())
    assert status == 200, found
    assert found["verdict"] == "insufficient-excitation" and found["unidentifiable"]
    assert any("j3" in reason for reason in found["reasons"])
