# SPDX-License-Identifier: Apache-2.0
# tests/long/calibrations/planted.py - the faults of a log: those of tests/contract/test_diagnosis.py, and further ones.
"""FAULTS: kind -> (function of a Case that returns (logs, predicate of the finding), least joints and logs, rates needed). Kinds in
UNNAMED have no finding of their own in the daemon: their predicate is never true, and what counts is whether the verdict refuses."""
import json

import numpy as np
import test_diagnosis as some
from drawn import between
from test_diagnosis import Named


def lag(b):
    """Torque behind a first-order low-pass, whose start has died away."""
    logs, hz = b.logs(), between(b.rng, 4, 12) * b.speed
    a = np.exp(-2 * np.pi * hz / b.rate)
    for log in logs:
        y = np.empty_like(log[1])
        y[0] = log[1][0]
        for k in range(1, len(y)):
            y[k] = a * y[k - 1] + (1 - a) * log[1][k]
        log[1] = y
    return logs, Named(None, lambda f: f["kind"] == "torque-lag" and 0.6 < f["size"] / hz < 1.6, f"{hz:.1f} Hz")


def outliers(b):
    """2 to 10 % of the rows of one or all channels of torque or position."""
    logs, part, share = b.logs(), int(b.rng.integers(2)), b.rng.uniform(0.02, 0.1)
    for log in logs:
        x = log[part]
        hit = b.rng.random(x.shape) < share
        x += hit * x.std(0) * b.rng.uniform(1, 5) * b.rng.choice([-1, 1], x.shape)
    return logs, lambda f: f["kind"] == "outliers"


def time_base(b):
    """The rate that is stated is wrong; recorded rates contradict it."""
    logs = b.logs()
    b.rate *= b.rng.choice([0.1, 0.5, 0.8, 1.25, 2, 10])
    return logs, Named("j", lambda f: False)


def coupled(b):
    """The position of a joint is that of its motor, which another joint turns as well."""
    logs, j = b.logs(), int(b.rng.integers(1, b.n))
    c = b.rng.choice([-1, 1]) * b.rng.uniform(0.1, 1)
    for e, log in enumerate(logs):
        log[0][:, j] += c * b.late[e][0][:, j - 1]
        log[1][:, j - 1] -= c * log[1][:, j]
    return logs, lambda f: False


def push(b):
    """One or two seconds of 20 to 60 % of a joint's torque."""
    logs, j, e, long = b.logs(), b.rng.integers(b.n), b.rng.integers(b.runs), b.rng.uniform(1, 2)
    t = b.motions[e][0]
    at = b.rng.uniform(2, b.seconds - 4)
    logs[e][1][:, j] += (abs(t - at - long / 2) < long / 2) * b.rng.uniform(0.2, 0.6) * np.sqrt((logs[e][1][:, j]**2).mean())
    return logs, lambda f: False


def ripple(b):
    """A harmonic of the joint's angle, 3 to 10 % of its torque."""
    logs, j, order = b.logs(), b.rng.integers(b.n), b.rng.integers(4, 25)
    size, phase = b.rng.uniform(0.03, 0.1), b.rng.uniform(0, 6)
    for (_, q, _, _), log in zip(b.motions, logs):
        log[1][:, j] += size * np.sqrt(2) * log[1][:, j].std() * np.sin(order * q[:, j] + phase)
    return logs, lambda f: False


def backlash(b):
    """A joint's position is that of its motor, 5 to 30 mrad of play before the link."""
    logs, j, play = b.logs(), b.rng.integers(b.n), between(b.rng, 0.005, 0.03)
    for e, log in enumerate(logs):
        log[0][:, j] += play / 2 * np.tanh(b.late[e][1][:, j] / 0.01)
    return logs, lambda f: False


def kinematics(b):
    """A link of the user's file is 15 to 40 % too long or too short."""
    logs, j = b.logs(), int(b.rng.integers(1, b.n))
    wrong = json.loads(json.dumps(b.user))
    at = wrong["joints"][j]["origin"]["position"]
    factor = 1 + b.rng.choice([-1, 1]) * b.rng.uniform(0.15, 0.4)
    wrong["joints"][j]["origin"]["position"] = [x * factor for x in at]
    b.put("user", wrong)
    return logs, lambda f: False


def zero(b):
    """The zero of a joint is off by 5 to 20 degrees."""
    logs, j, off = b.logs(), b.rng.integers(1, b.n), np.radians(b.rng.uniform(5, 20)) * b.rng.choice([-1, 1])
    for log in logs:
        log[0][:, j] += off
    return logs, lambda f: False


UNNAMED = ("coupled", "push", "ripple", "backlash", "kinematics", "zero")
LEAST = {"tilt": (3, 1), "payload": (2, 2), "other": (2, 2), "zero": (3, 1), "kinematics": (3, 1)}
RATES = {"swap position": False, "stuck position": False, "outliers": False, "coupled": False, "backlash": False, "time base": True}
MAKERS = {**{kind: make for kind, make in some.KINDS.items() if kind != "clean"}, "lag": lag, "outliers": outliers, "time base": time_base,
          "coupled": coupled, "push": push, "ripple": ripple, "backlash": backlash, "kinematics": kinematics, "zero": zero}
FAULTS = {kind: (make, LEAST.get(kind, (2, 1)), RATES.get(kind)) for kind, make in MAKERS.items()}
