# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_ends.py - logs that begin or end in a jerk, or are cut in the middle of a motion: parameters
# against the true robot; how much is left out at the ends of long and of short stretches.
"""A zero-phase filter needs what is beyond the ends of a log, and guesses it. Its low-pass feels the guess for more than a period of the
cut-off, which is all that used to be left out, and the guess of torque hung on the first value: a slow arm whose log began with the jerk
of its controller had a rotor 131 % off without any noise. Reference: the robot that made the logs; least squares in SciPy with the
signals continued as the service says (test_calibrate_reversals)."""
import io
import json

import numpy as np
import pytest
from conftest import numbers
from test_calibrate import ask, calibrate
from test_calibrate_cutoff import NPY, npy, true  # noqa: F401, true is a fixture

RATE = 500
SECONDS = 20


def put(daemon, name, t, q, tau):
    """As columns t, q and torque."""
    n = q.shape[1]
    assert daemon.request("PUT", f"/v1/datasets/{name}", npy(np.column_stack([t, q, tau])), NPY)[0] in (200, 201)
    return {"time": 0, "q": list(range(1, n + 1)), "tau": list(range(n + 1, 2 * n + 1))}


def slow(seed, seconds=SECONDS):
    """Harmonics of 0.1 to 0.5 Hz, 0.06 rad: t, q, qd, qdd."""
    rng = np.random.default_rng(seed)
    t = np.arange(seconds * RATE) / RATE
    w = 2 * np.pi * 0.1 * np.array([1, 2, 3, 5])
    a, p = rng.uniform(-0.06, 0.06, (2, 4)), rng.uniform(0, 6, (2, 4))
    x = w * t[:, None, None] + p
    return t, (a * np.sin(x)).sum(2), (a * w * np.cos(x)).sum(2), (-a * w * w * np.sin(x)).sum(2)


def jerked(motion, where):
    """Adds 4 mrad that die down within hundredths of a second from an end inwards: torque of up to 20 N m, of 2 in the motion."""
    t, q, qd, qdd = motion
    fast, size = 0.02, np.array([4e-3, -3e-3])
    for end in ("start", "end") if where == "both" else (where,):
        since, sign = (t, -1) if end == "start" else (t[-1] - t, 1)
        x = (size * np.exp(-since / fast)[:, None])
        q, qd, qdd = q + x, qd + sign * x / fast, qdd + x / fast**2
    return t, q, qd, qdd


def log(daemon, name, motion):
    t, q, qd, qdd = motion
    status, _, tau = daemon.request("POST", "/v1/robots/rubbed/inverse-dynamics", npy(np.hstack([q, qd, qdd])), NPY)
    assert status == 200, tau
    return put(daemon, name, t, q, np.load(io.BytesIO(tau)))


def off(found, true):  # noqa: F811
    """Per cent of the true value, or of 0.1 where that is more."""
    return {p["name"]: 100 * abs(p["value"] - true[p["name"]]) / max(abs(true[p["name"]]), 0.1) for p in found["parameters"]}


MODEL = {"model": {"friction": ["viscous", "coulomb", "offset"]}, "validate": "none", "delay_s": 0}


@pytest.mark.parametrize("where,before", [("start", 2.6), ("end", 3.1), ("both", 2.5), ("none", 0.21)])
def test_a_jerk_at_an_end(daemon, true, where, before):  # noqa: F811
    """Two logs without noise; the second has the jerk. `none` is a motion that is cut."""
    for k in (1, 2):
        columns = log(daemon, f"end{k}", slow(k) if where == "none" or k == 1 else jerked(slow(k), where))
    found = calibrate(daemon, {"datasets": ["end1", "end2"], "columns": columns, **MODEL}, robot="rubbed")
    errors = off(found, true)
    assert max(x for name, x in errors.items() if name[:2] != "fo") < 0.1 < before, errors
    assert max(errors.values()) < 2, errors  # offsets of friction: 6 to 161
    assert found["verdict"] == "usable"


@numbers
def test_the_jerk_of_a_controller(daemon, true):  # noqa: F811
    """A loop by PD has no torque at first: the arm falls until the controller holds it, with 28 N m where the motion takes 1.4. All defaults.
    Before: viscous friction 7.6 % off, the rotor of joint 2 17.7 %, a moment of link 1 19 % of 0.1, and "incomplete"."""
    for k in (1, 2):
        t, q, qd, qdd = slow(k)
        body = {"initial": {"q": q[0].tolist(), "qd": qd[0].tolist()}, "duration_s": float(t[-1]), "output": {"times_s": t.tolist()},
                "input": {"kind": "pd", "kp": [1000, 500], "kd": [60, 30],
                          "reference": {"table": {"t": t[::5].tolist(), "q": q[::5].tolist(), "qd": qd[::5].tolist(), "qdd": qdd[::5].tolist()}}},
                "solver": {"rtol": 1e-8, "atol": 1e-10}}
        run = ask(daemon, "rubbed", "simulate", body)
        until = len(t) - 10  # the table ends before
        columns = put(daemon, f"loop{k}", t[:until], np.array(run["q"])[:until], np.array(run["tau"])[:until])
    found = calibrate(daemon, {"datasets": ["loop1", "loop2"], "columns": columns, "validate": "none"}, robot="rubbed")
    errors = off(found, true)
    assert max(x for name, x in errors.items() if name[:2] != "fo") < 0.1, errors
    assert max(errors.values()) < 10, errors  # offsets of friction: 402
    assert found["verdict"] == "usable"


def test_short_logs_keep_three_quarters(daemon, true):  # noqa: F811
    """At 2 Hz the filter feels what is beyond an end for 1.21 s: by log(3e-3) over that of the largest pole of SciPy's butter(4, 2, fs=500),
    604.04 samples. No more than an eighth is left out, and no less than a period of the cut-off; such a log says so."""
    columns = log(daemon, "short", slow(3))
    for seconds, border, short in ((20, 605, 0), (6, 375, 1), (3, 250, 1)):
        body = {"datasets": [{"dataset": "short", "rows": [[0, seconds * RATE]]}], "columns": columns, "filter": {"cutoff_hz": 2}, **MODEL}
        (source,) = calibrate(daemon, body, robot="rubbed")["datasets"]
        assert source["samples_at_borders_left_out"] == 2 * border
        assert source["samples"] == seconds * RATE - 2 * border
        assert source.get("short_segments", 0) == short
