# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_cutoff.py - choice of the cut-off for logs of 500 Hz to 4 kHz with white,
# coloured or quantisation noise of the encoder.
"""The motion has no content above 1 Hz, which the torque shows. The spectrum of positions alone takes coloured
noise below its corner frequency of tens of Hz for motion: the cut-off was 200 Hz or more, and masses were
wrong by any factor. Reference: the robot that made the logs, by the service itself; noise by numpy."""
import io
import json

import pytest

np = pytest.importorskip("numpy")
JSON = {"Content-Type": "application/json"}
NPY = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}
SECONDS = 20


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.fixture(scope="module")
def true(daemon):
    """Uploads planar-2r with friction as robot `rubbed`; returns its base parameters by name."""
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    for k, joint in enumerate(j for j in document["joints"] if j["kind"] != "fixed"):
        joint.update(damping=0.3 + 0.1 * k, rotor={"inertia": 0.05, "ratio": 1},
                     friction={"coulomb": 0.5 - 0.1 * k, "offset": 0.05, "smoothing": 0.02})
    assert daemon.request("PUT", "/v1/robots/rubbed", json.dumps(document).encode(), JSON)[0] == 201
    body = {"parameters": ["rotor", "viscous", "coulomb", "offset"]}
    status, _, text = daemon.request("POST", "/v1/robots/rubbed/regressor?form=base", json.dumps(body).encode(), JSON)
    assert status == 200, text
    answer = json.loads(text)
    return dict(zip((c["name"] for c in answer["columns"]), answer["parameter_values"]))


def log(daemon, rate, disturb):
    """A log with q as `disturb` measures it, and the true torque plus white noise of 0.02 N m."""
    rng = np.random.default_rng(3)
    t = np.arange(rate * SECONDS) / rate
    w = 2 * np.pi * np.array([0.2, 0.4, 0.6, 1.0])
    a, p = rng.uniform(0.3, 0.9, (2, 4)), rng.uniform(0, 6, (2, 4))
    x = w[:, None, None] * t + p.T[:, :, None]
    q = np.einsum("jk,kjt->tj", a, np.sin(x))
    qd = np.einsum("jk,kjt->tj", a * w, np.cos(x))
    qdd = np.einsum("jk,kjt->tj", -a * w * w, np.sin(x))
    status, _, tau = daemon.request("POST", "/v1/robots/rubbed/inverse-dynamics", npy(np.hstack([q, qd, qdd])), NPY)
    assert status == 200, tau
    tau = np.load(io.BytesIO(tau)) + 0.02 * rng.normal(size=q.shape)
    assert daemon.request("PUT", "/v1/datasets/log", npy(np.hstack([disturb(rng, q, rate), tau])), NPY)[0] in (200, 201)
    return {"datasets": ["log"], "rate_hz": rate, "columns": {"q": [0, 1], "tau": [2, 3]}, "model": {"friction": ["viscous", "coulomb", "offset"]}}


def white(rms):
    return lambda rng, q, rate: q + rms * rng.normal(size=q.shape)


def coloured(knee, rms, order=2):
    """Noise filtered by a low-pass of this order."""
    def disturb(rng, q, rate):
        f = np.fft.rfftfreq(len(q), 1 / rate)
        x = np.fft.irfft(np.fft.rfft(rng.normal(size=q.shape), axis=0) / np.sqrt(1 + (f / knee) ** (2 * order))[:, None], len(q), axis=0)
        return q + rms * x / x.std(axis=0)
    return disturb


def counted(counts):
    step = 2 * np.pi / counts
    return lambda rng, q, rate: np.round(q / step) * step


CASES = [(500, white(2e-4)), (500, coloured(30, 1e-4)), (1000, coloured(30, 2e-4)), (1000, coloured(100, 2e-4)), (1000, counted(4096)),
         (2000, coloured(30, 2e-4, 1)), (4000, coloured(100, 2e-4)), (4000, counted(4096)), (4000, white(2e-4))]


@pytest.mark.parametrize("rate,disturb", CASES)
def test_coloured_noise_is_not_taken_for_motion(daemon, true, rate, disturb):
    body = log(daemon, rate, disturb)
    status, _, text = daemon.request("POST", "/v1/robots/rubbed/calibrate", json.dumps(body).encode(), JSON)
    assert status == 200, text[:500]
    found = json.loads(text)
    assert 1.0 <= found["datasets"][0]["bandwidth"]["motion_hz"] < 2.0
    assert found["filter"]["cutoff_hz"] == pytest.approx(10 * found["datasets"][0]["bandwidth"]["motion_hz"])
    # relative to the true value, or to 0.1 where the true value is smaller
    off = {p["name"]: abs(p["value"] - true[p["name"]]) / max(abs(true[p["name"]]), 0.1) for p in found["parameters"]}
    assert max(x for name, x in off.items() if name[0] != "f") < 0.025, off
    assert sorted(off.values())[len(off) // 2] < 0.01, off
