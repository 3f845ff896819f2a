# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_reversals.py - friction of a closed loop whose joints turn back fast: the true robot, and the same
# columns in numpy and SciPy.
"""A loop turns a joint back within hundredths of a second, its rate has a kink there, and a low-pass of 8 Hz moves that kink:
friction as a function of rates that have passed it was 0.5 to 0.8 % off, whatever the noise. Now its rates pass a low-pass of four times
that cut-off, or of less where positions are noisy, and its columns then pass the same filter as torque."""
import math

import numpy as np
import pytest
from conftest import numbers
from scipy.signal import butter, sosfiltfilt
from test_calibrate import ask, calibrate, truth  # noqa: F401, truth is a fixture
from test_calibrate_commanded import RATE, put_log, run

PARAMETERS = ["rotor", "viscous", "coulomb", "offset"]
CUTOFF = 8.0


@pytest.fixture(scope="module")
def loops(daemon, truth):  # noqa: F811
    logs = {}
    for k in (1, 2):
        log = run(daemon, "truth", k, solver={"rtol": 1e-8, "atol": 1e-10})
        logs[k] = {word: x[200:] for word, x in log.items()}  # without the jerk of the start
        put_log(daemon, f"turns{k}", {word: logs[k][word] for word in ("t", "q", "tau")})
    answer = ask(daemon, "truth", "regressor?form=base", {"parameters": PARAMETERS})
    return logs, dict(zip((c["name"] for c in answer["columns"]), answer["parameter_values"]))


def test_friction_of_a_loop_without_noise(daemon, loops):
    """All defaults. Before: Coulomb friction of the wrist 0.50 to 0.77 % off, viscous 0.68 to 0.89 %, the rotor of joint 4 3.0 %."""
    _, true = loops
    found = calibrate(daemon, {"datasets": ["turns1", "turns2"], "validate": "none"}, robot="guess")
    off = {kind: [] for kind in ("coulomb", "viscous", "rotor")}
    for p in found["parameters"]:
        if p["kind"] in off:
            off[p["kind"]].append(abs(p["value"] / true[p["name"]] - 1))
    assert len(off["coulomb"]) == len(off["viscous"]) == 6
    assert max(off["coulomb"]) < 0.002 and max(off["coulomb"][3:]) < 0.001, off
    assert max(off["viscous"]) < 0.004 and max(off["viscous"][3:]) < 0.001, off
    assert max(off["rotor"]) < 0.01, off


def low_pass(x, cutoff, ends="even"):
    return sosfiltfilt(butter(4, cutoff, fs=RATE, output="sos"), x, axis=0, padtype=ends, padlen=int(8 * RATE / CUTOFF))


def central(x):
    return np.gradient(x, 1 / RATE, axis=0)


@numbers
def test_the_columns_are_those_of_numpy(daemon, loops):
    """Least squares of one log. Beyond the ends positions, which are differentiated, continue as odd reflections, all else as even ones."""
    logs, _ = loops
    body = {"datasets": ["turns1"], "validate": "none", "delay_s": 0, "method": "ols", "filter": {"cutoff_hz": CUTOFF}}
    found = calibrate(daemon, body, robot="guess")
    assert found["filter"]["cutoff_hz"] == CUTOFF
    raw, tau = logs[1]["q"], low_pass(logs[1]["tau"], CUTOFF)
    q = low_pass(raw, CUTOFF, "odd")
    qd = central(q)
    qdd = central(qd)
    motion = {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "parameters": PARAMETERS}
    answer = ask(daemon, "guess", "regressor?form=base", motion)
    stack = np.array(answer["regressor"]).reshape(*q.shape, -1)
    names = [c["name"] for c in answer["columns"]]
    signs = low_pass(np.tanh(low_pass(central(raw), 4 * CUTOFF) / 0.02), CUTOFF)
    coulomb = [c for c, name in enumerate(names) if name.startswith("fc")]  # in the order of joints
    for j, c in enumerate(coulomb):
        assert np.allclose(stack[:, j, c], np.tanh(qd[:, j] / 0.02)) and not stack[:, [i for i in range(6) if i != j], c].any()
        stack[:, j, c] = signs[:, j]
    # left out at either end: until 3e-3 of the impulse response are left, by its largest pole
    border = math.ceil(math.log(3e-3) / math.log(max(abs(butter(4, CUTOFF, fs=RATE, output="zpk")[1]))))
    assert found["datasets"][0]["samples_at_borders_left_out"] == 2 * border
    inside = slice(border, -border)
    a, b = stack[inside].reshape(-1, len(names)), tau[inside].reshape(-1)
    value = np.linalg.lstsq(a, b, rcond=None)[0]
    assert [p["name"] for p in found["parameters"]] == names
    got = np.array([p["value"] for p in found["parameters"]])
    scale = np.maximum(np.abs(value), 0.1)
    assert np.abs((got - value) / scale).max() < 1e-6, dict(zip(names, (got - value) / scale))
    # the negative control: friction of filtered rates is another estimate
    for j, c in enumerate(coulomb):
        stack[:, j, c] = low_pass(np.tanh(qd[:, j] / 0.02), CUTOFF)
    other = np.linalg.lstsq(stack[inside].reshape(-1, len(names)), b, rcond=None)[0]
    assert max(abs(other[c] / value[c] - 1) for c in coulomb) > 0.004
