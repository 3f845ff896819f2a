# SPDX-License-Identifier: Apache-2.0
# tests/long/calibrations/drawn.py - a synthetic calibration by its seed alone: arm, motion, rate, noise, delay, what the user knows.
"""A `Case` is a Bench of tests/contract/test_diagnosis.py, so that the faults there can be planted in it, with everything drawn:

  joints      2 to 7; one case in twelve 8 to 40
  rate        50 Hz to 10 kHz (more than 7 joints: to 500 Hz), 1 to 4 logs of 8 to 24 s
  motion      four harmonics up to 0.17 to 1.7 Hz, other speeds in other logs
  friction    viscous and Coulomb's, that turns within 5 to 50 mrad/s; in half of the cases with an offset. Half of the users' files know its
              law and not its size, half know nothing
  noise       of position: white, coloured below 5 to 100 Hz, or counts of an encoder; 0.3 to 3 % in torque; half of the logs have rates
  delay       in a third of the cases in which the daemon looks for one: positions -5 to 40 ms late
"""
import io
import json
import os

import numpy as np
from test_calibrate_cutoff import coloured, counted, npy, white
from test_diagnosis import JSON, NPY, Bench, arm

HARMONICS = np.array([0.1, 0.2, 0.35, 0.6])  # Hz at speed 1
VALUES_MAX = int(os.environ.get("VALUES_MAX", "160000"))  # rows times joints of all logs, where that leaves 8 s a log
SECONDS_MIN = 8
PARAMETERS = ["rotor", "viscous", "coulomb", "offset"]


def between(rng, low, high):
    """Log-uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


class Motion:
    """Harmonics of random amplitudes and phases, at any times."""
    def __init__(self, rng, n, speed):
        self.w = 2 * np.pi * HARMONICS * speed
        self.a, self.p = rng.uniform(-0.5, 0.5, (n, 4)), rng.uniform(0, 6, (n, 4))

    def __call__(self, t):
        x = self.w * t[:, None, None] + self.p
        s, c = np.sin(x), np.cos(x)
        return (self.a * s).sum(2), (self.a * self.w * c).sum(2), (-self.a * self.w**2 * s).sum(2)


class Case(Bench):
    """least: joints and logs that the fault needs; rates: True or False where it needs that."""
    def __init__(self, daemon, seed, least=(2, 1), rates=None):
        self.daemon, self.seed, self.rng = daemon, seed, np.random.default_rng([19, seed])
        rng = self.rng
        large = rng.random() < 1 / 12
        self.n = n = int(round(between(rng, 8, 40))) if large else int(rng.integers(least[0], 8))
        self.rate = round(between(rng, 50, 500 if large else 10000), 1)
        budget = VALUES_MAX / (3 if large else 1) / n / self.rate
        self.runs = max(least[1], min(int(rng.integers(1, 5)), int(budget / SECONDS_MIN)))
        self.seconds = max(SECONDS_MIN, min(rng.uniform(12, 24), budget / self.runs))
        self.speed = between(rng, 0.4, 2)
        self.draw_robot()
        self.draw_noise(rates)
        self.draw_motions()

    def draw_robot(self):
        rng = self.rng
        self.user, self.truth = arm(rng, self.n)
        self.width, self.is_known = between(rng, 0.005, 0.05), bool(rng.random() < 0.5)
        offset = rng.random() < 0.5
        for user, truth in zip(self.user["joints"], self.truth["joints"]):
            truth["friction"]["smoothing"] = user["friction"]["smoothing"] = self.width
            if offset:
                truth["friction"]["offset"] = truth["friction"]["coulomb"] * rng.uniform(-0.3, 0.3)
            if not self.is_known:
                del user["friction"]
        self.put("user", self.user)

    def draw_noise(self, rates):
        rng = self.rng
        self.noise = ("white", "coloured", "counts")[rng.integers(3)]
        if self.noise == "counts":
            self.counts = round(between(rng, 2**12, 2**20))
            self.disturb = counted(self.counts)
        else:
            self.rms, self.knee = between(rng, 1e-6, 5e-4), between(rng, 5, 100)
            self.disturb = white(self.rms) if self.noise == "white" else coloured(self.knee, self.rms)
        self.torque_noise = between(rng, 0.003, 0.03)
        self.rates_noise = between(rng, 1e-4, 1e-2)
        has = rng.random() < 0.5
        self.has_rates = has if rates is None else rates
        late = rng.uniform(-0.005, 0.04) if rng.random() < 1 / 3 else 0.0
        self.delay = 0.0 if self.is_known else late

    def draw_motions(self):
        rng = self.rng
        t = np.arange(int(self.seconds * self.rate)) / self.rate
        makers = [Motion(rng, self.n, self.speed * rng.uniform(0.7, 1.4)) for _ in range(self.runs)]
        self.band = max(m.w[-1] for m in makers) / 2 / np.pi
        self.motions = [(t, *m(t)) for m in makers]
        self.late = [m(t - self.delay) for m in makers] if self.delay else [m[1:] for m in self.motions]
        self.unseen = Motion(rng, self.n, self.speed)(np.arange(400) * 0.05 / self.speed)

    def logs(self, robot_of=lambda e: None):
        out, self.rates = [], []
        for e in range(self.runs):
            tau = self.torque(robot_of(e) or self.truth, e)
            q, qd, _ = self.late[e]
            out.append([self.disturb(self.rng, q, self.rate), tau + self.torque_noise * tau.std(0) * self.rng.normal(size=tau.shape)])
            self.rates.append(qd + self.rates_noise * self.rng.normal(size=qd.shape))
        return out

    def upload(self, logs):
        for e, (q, tau) in enumerate(logs):
            body = npy(np.hstack([q, tau] + ([self.rates[e]] if self.has_rates else [])))
            assert self.daemon.request("PUT", f"/v1/datasets/run{e}", body, NPY)[0] in (200, 201)

    def calibrate(self, rates=True, **more):
        n = self.n
        columns = {"q": list(range(n)), "tau": list(range(n, 2 * n))}
        if self.has_rates and rates:
            columns["qd"] = list(range(2 * n, 3 * n))
        body = {"datasets": [f"run{e}" for e in range(self.runs)], "rate_hz": self.rate, "columns": columns, "points": 2, **more}
        status, _, text = self.daemon.request("POST", "/v1/robots/user/calibrate", json.dumps(body).encode(), JSON)
        assert status in (200, 413, 422), (status, text[:500])
        return json.loads(text), status

    def torque_of(self, document, name):
        """Torque of the unseen motion."""
        self.put(name, document)
        status, _, tau = self.daemon.request("POST", f"/v1/robots/{name}/inverse-dynamics", npy(np.hstack(self.unseen)), NPY)
        assert status == 200, tau[:500]
        return np.load(io.BytesIO(tau))

    def base_parameters(self):
        """The truth by name."""
        self.put("truth", self.truth)
        status, _, text = self.daemon.request("POST", "/v1/robots/truth/regressor?form=base", json.dumps({"parameters": PARAMETERS}).encode(), JSON)
        assert status == 200, text[:500]
        answer = json.loads(text)
        return dict(zip((c["name"] for c in answer["columns"]), answer["parameter_values"]))

    def facts(self):
        size = {"counts": getattr(self, "counts", None), "rms": getattr(self, "rms", None), "knee": getattr(self, "knee", None)}
        return {"seed": self.seed, "joints": self.n, "rate": self.rate, "logs": self.runs, "seconds": round(self.seconds, 1), "band": round(self.band, 2),
                "noise": self.noise, **{k: v for k, v in size.items() if v}, "torque_noise": round(self.torque_noise, 4), "rates": self.has_rates,
                "known": self.is_known, "width": round(self.width, 4), "delay": round(self.delay, 4)}
