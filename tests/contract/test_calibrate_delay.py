# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_delay.py - delay of motion against torque, or torque that has passed a
# low-pass: found at any sample rate.
"""The reference is analytic: positions are those of the motion one delay earlier; torque is that of the arm at
the time of the row."""
import io
import json

import pytest

np = pytest.importorskip("numpy")
arms = pytest.importorskip("test_diagnosis")


def recorded(daemon, n, seed, rate, delay=0.0, lag=0.0):
    """Calibrates by a log of 16 s in which q is `delay` late and torque has passed 1 / (lag s + 1)."""
    rng = np.random.default_rng(seed)
    b = arms.Bench(daemon, rng, n, 1)
    t = np.arange(int(rate * 16)) / rate
    w = 2 * np.pi * np.array([0.1, 0.2, 0.35, 0.6])
    a, p = rng.uniform(-0.5, 0.5, (n, 4)), rng.uniform(0, 6, (n, 4))

    def motion(t):
        x = w * t[:, None, None] + p
        return (a * np.sin(x)).sum(2), (a * w * np.cos(x)).sum(2), (-a * w * w * np.sin(x)).sum(2)
    b.motions = [(t, *motion(t))]
    tau = b.torque(b.truth, 0)
    if lag:
        pole, state = np.exp(-1 / (rate * lag)), tau[0].copy()
        for k, row in enumerate(tau):
            state = pole * state + (1 - pole) * row
            tau[k] = state
    noise = 0.01 * tau.std(0) + 0.02
    logs = [[motion(t - delay)[0] + 1e-5 * rng.normal(size=tau.shape), tau + noise * rng.normal(size=tau.shape)]]
    out = io.BytesIO()
    np.save(out, np.hstack(logs[0]))
    assert daemon.request("PUT", "/v1/datasets/late", out.getvalue(), arms.NPY)[0] in (200, 201)
    body = {"datasets": ["late"], "rate_hz": rate, "validate": "none", "columns": {"q": list(range(n)), "tau": list(range(n, 2 * n))}}
    return b, body, ask(daemon, body)


def ask(daemon, body):
    status, _, text = daemon.request("POST", "/v1/robots/user/calibrate", json.dumps(body).encode(), {**arms.JSON, "Prefer": "wait=3600"})
    assert status == 200, text
    return json.loads(text)


@pytest.mark.parametrize("n, rate, delay", [(2, 100, 0.012), (3, 1000, -0.012), (2, 5000, 0.003), (4, 200, 0.04), (2, 100, -0.045)])
def test_a_delay_is_found_in_seconds(daemon, n, rate, delay):
    _, _, found = recorded(daemon, n, n + rate, rate, delay)
    assert found["delay"]["from_data"] and abs(found["delay"]["delay_s"] - delay) < 5e-4, found["delay"]
    assert found["verdict"] == "usable" and not found["findings"], found["reasons"]


def test_without_delay_none_is_found(daemon):
    for n, rate in ((2, 100), (3, 1000)):
        _, _, found = recorded(daemon, n, n, rate)
        assert found["delay"]["delay_s"] == 0.0 and not found["findings"], found["delay"]


def test_a_delay_stated_in_the_request(daemon):
    """12 ms at 1 kHz are twelve samples; the bound is 50 ms, not a number of samples."""
    _, body, free = recorded(daemon, 3, 5, 1000, 0.012)
    answer = ask(daemon, {**body, "delay_s": 0.012})
    assert answer["delay"] == {"delay_s": 0.012, "from_data": False} and answer["verdict"] == "usable"
    value = {p["name"]: p for p in answer["parameters"]}
    for p in free["parameters"]:
        assert abs(p["value"] - value[p["name"]]["value"]) < 3 * value[p["name"]]["standard_deviation"] + 1e-9, p
    status, _, text = daemon.request("POST", "/v1/robots/user/calibrate", json.dumps({**body, "delay_s": 0.06}).encode(), arms.JSON)
    assert status == 422 and b"50 ms" in text


@pytest.mark.parametrize("n, rate", [(2, 1000), (4, 500)])
def test_a_low_pass_of_the_torque_is_named(daemon, n, rate):
    _, _, found = recorded(daemon, n, n, rate, lag=1 / (2 * np.pi * 8))
    first = found["findings"][0]
    assert first["kind"] == "torque-lag" and first["gross"] and 6 < first["size"] < 11, found["findings"]
    assert found["verdict"] == "incomplete" and "8" in first["text"]
