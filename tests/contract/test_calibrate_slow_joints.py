# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_slow_joints.py - joints that move slowly where others move fast: cut-offs of their own, against the true
# robot, and the same columns in numpy and SciPy.
"""The fastest joint chooses the cut-off, and the noise of a slow joint's acceleration grows with the fifth power of it. So noisy positions
of slow joints pass a low-pass of their own motion; torque and friction keep the cut-off of all. Reference: the robot that made the logs;
SciPy's filters and numpy's least squares."""
import io
import json
import math

import numpy as np
import pytest
from conftest import numbers
from scipy.signal import butter, sosfiltfilt
from test_calibrate import ask, calibrate, truth  # noqa: F401, truth is a fixture
from test_calibrate_cutoff import NPY, npy

RATE, SECONDS, JOINTS = 500, 34, 6
PARAMETERS = ["rotor", "viscous", "coulomb", "offset"]
COLUMNS = {"time": 0, "q": list(range(1, 7)), "tau": list(range(7, 13))}
SLOW = (0, 1, 2)


def motion(seed, shaken=0.0):
    """Four harmonics: up to 0.12 Hz for slow joints, up to 0.6 Hz for the others; `shaken`: rad of 1.5 Hz on all of them."""
    rng = np.random.default_rng(seed)
    t = np.arange(RATE * SECONDS) / RATE
    q, qd, qdd = (np.zeros((len(t), JOINTS)) for _ in range(3))
    for j in range(JOINTS):
        for hz, size in [((0.03 if j in SLOW else 0.15) * k, rng.uniform(-0.4, 0.4)) for k in (1, 2, 3, 4)] + [(1.5, shaken)]:
            w, p = 2 * math.pi * hz, rng.uniform(0, 6)
            q[:, j] += size * np.sin(w * t + p)
            qd[:, j] += size * w * np.cos(w * t + p)
            qdd[:, j] -= size * w * w * np.sin(w * t + p)
    return t, q, qd, qdd


def put(daemon, name, seed, noise, shaken=0.0):
    t, q, qd, qdd = motion(seed, shaken)
    status, _, tau = daemon.request("POST", "/v1/robots/truth/inverse-dynamics", npy(np.hstack([q, qd, qdd])), NPY)
    assert status == 200, tau
    rng = np.random.default_rng(500 + seed)
    tau = np.load(io.BytesIO(tau)) + 0.02 * rng.normal(size=q.shape)
    q = q + noise * rng.normal(size=q.shape)
    assert daemon.request("PUT", f"/v1/datasets/{name}", npy(np.column_stack([t, q, tau])))[0] in (200, 201)
    return q, tau


def unseen(daemon, found):
    """Torque of another motion by the parameters found, per cent off in each joint."""
    _, q, qd, qdd = motion(99)
    body = {"q": q[::50].tolist(), "qd": qd[::50].tolist(), "qdd": qdd[::50].tolist(), "parameters": PARAMETERS}
    answer = ask(daemon, "truth", "regressor?form=base", body)
    stack = np.array(answer["regressor"]).reshape(-1, JOINTS, len(answer["columns"]))
    value = {p["name"]: p["value"] for p in found["parameters"]}
    true = stack @ np.array(answer["parameter_values"])
    got = stack @ np.array([value.get(c["name"], 0) for c in answer["columns"]])
    return 100 * np.sqrt(((got - true) ** 2).mean(0) / (true**2).mean(0))


def two(daemon, noise, **more):
    for k in (1, 2):
        put(daemon, f"slow{k}", k + 4, noise, more.get("shaken", 0.0))
    body = {"datasets": ["slow1", "slow2"], "columns": COLUMNS, "validate": "none"}
    return calibrate(daemon, body | {word: x for word, x in more.items() if word != "shaken"}, robot="guess")


@pytest.mark.parametrize("noise,most,before", [(1e-4, 0.15, 0.3), (1e-3, 1.0, 5.0)])
def test_slow_joints_have_a_cutoff_of_their_own(daemon, truth, noise, most, before):  # noqa: F811
    found = two(daemon, noise)
    cutoff, own = found["filter"]["cutoff_hz"], found["filter"]["cutoffs_hz"]
    assert len(own) == JOINTS and own[3:] == [cutoff] * 3
    # ten times 0.12 Hz, to two resolutions of the spectra: 500 Hz of 16,384 samples
    assert all(1.2 - 0.61 <= x <= 1.2 + 0.61 for x in own[:3]), own
    errors = unseen(daemon, found)
    assert errors.max() < most < before, errors
    # a request that sets the cut-off has that one, and is as bad as before
    same = two(daemon, noise, filter={"cutoff_hz": cutoff})
    assert "cutoffs_hz" not in same["filter"]
    assert unseen(daemon, same).max() > before, unseen(daemon, same)


def test_who_keeps_the_cutoff_of_all(daemon, truth):  # noqa: F811
    """Without noise nothing is gained, and a joint that is shaken at 1.5 Hz has motion there."""
    assert "cutoffs_hz" not in two(daemon, 0)["filter"]
    assert "cutoffs_hz" not in two(daemon, 1e-4, shaken=0.01)["filter"]
    assert "cutoffs_hz" not in two(daemon, 1e-4, method="feasible-iv")["filter"]


def low_pass(x, cutoff, ends="even"):
    return sosfiltfilt(butter(4, cutoff, fs=RATE, output="sos"), x, axis=0, padtype=ends, padlen=int(8 * RATE / cutoff))


def central(x):
    return np.gradient(x, 1 / RATE, axis=0)


@numbers
def test_the_columns_are_those_of_numpy(daemon, truth):  # noqa: F811
    """Least squares of one log: q, qd and qdd of slow joints by their own filters, torque and friction by that of all."""
    raw, torque = put(daemon, "slow1", 5, 1e-3)
    body = {"datasets": ["slow1"], "columns": COLUMNS, "validate": "none", "delay_s": 0, "method": "ols"}
    found = calibrate(daemon, body, robot="guess")
    cutoff, own = found["filter"]["cutoff_hz"], found["filter"]["cutoffs_hz"]
    assert sum(x < cutoff / 2 for x in own) == 3
    rates = central(low_pass(raw, cutoff, "odd"))
    signs = low_pass(np.tanh(rates / 0.02), cutoff)  # this much noise: rates of friction pass the filter of all alone
    tau = low_pass(torque, cutoff)
    q = np.column_stack([low_pass(raw[:, j], own[j], "odd") for j in range(JOINTS)])
    qd = central(q)
    qdd = central(qd)
    answers = []
    for part in range(0, len(q), 8000):
        one = {word: x[part:part + 8000].tolist() for word, x in (("q", q), ("qd", qd), ("qdd", qdd))}
        answers.append(ask(daemon, "guess", "regressor?form=base", one | {"parameters": PARAMETERS}))
    names = [c["name"] for c in answers[0]["columns"]]
    stack = np.concatenate([np.array(a["regressor"]).reshape(-1, JOINTS, len(names)) for a in answers])
    for j, c in enumerate(c for c, name in enumerate(names) if name.startswith("fc")):
        stack[:, j, c] = signs[:, j]
    # left out at either end: until 3e-3 of the slowest filter's impulse response are left
    border = math.ceil(math.log(3e-3) / math.log(max(abs(butter(4, min(own), fs=RATE, output="zpk")[1]))))
    assert found["datasets"][0]["samples_at_borders_left_out"] == 2 * border
    inside = slice(border, -border)
    value = np.linalg.lstsq(stack[inside].reshape(-1, len(names)), tau[inside].reshape(-1), rcond=None)[0]
    assert [p["name"] for p in found["parameters"]] == names
    got = np.array([p["value"] for p in found["parameters"]])
    assert np.abs((got - value) / np.maximum(np.abs(value), 0.1)).max() < 1e-6, dict(zip(names, got - value))


def test_cutoffs_are_in_the_order_of_the_joints(daemon, truth):  # noqa: F811
    names = [j["name"] for j in json.loads(daemon.request("GET", "/v1/robots/guess")[2])["joints"] if j["kind"] != "fixed"]
    turned = names[::-1]
    for k in (1, 2):
        put(daemon, f"slow{k}", k + 4, 1e-4)
    columns = {"time": 0, "q": list(range(6, 0, -1)), "tau": list(range(12, 6, -1))}
    body = {"datasets": ["slow1", "slow2"], "validate": "none"}
    plain = calibrate(daemon, body | {"columns": COLUMNS}, robot="guess")["filter"]["cutoffs_hz"]
    assert calibrate(daemon, body | {"columns": columns, "joints": turned}, robot="guess")["filter"]["cutoffs_hz"] == plain[::-1]
