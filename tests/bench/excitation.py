# SPDX-License-Identifier: Apache-2.0
# tests/bench/excitation.py - what a designed motion gains: calibrations of its logs beside those of random motions.
"""Usage: excitation.py TORQUED JSON_FILE [ROBOT ...]. Each robot gets friction; a motion is recorded for two periods at 100 Hz, with white noise of
1 % of the limit of effort (of the largest torque, where there is none) in each torque and 1e-5 rad in each position, and calibrated by default.
The error is the rms over joints and logs, in parts of that noise, of the torque along other random motions; columns are over that of the median random one.
One log of a motion says little: its error has a deviation of 10 to 18 % (the squares of some thirty directions), so that the ratio of medians of a
few logs is off by as much.
Random motions have the limits, the period, the harmonics and the rows of the designed ones, and are as large as the limits allow. One design knows
nothing of the motions that the model is for, another has further random ones as its task, and the wide one twice the harmonics as well.

By numpy: what least squares expects on the same motions, and its least value over all distributions of states within the limits, which no motion
is below (Cramer and Rao): the minimum of tr(D N^-1) over weights of random states, by the multiplicative algorithm (Titterington 1976)."""

import contextlib
import http.client
import json
import math
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    np = None

RANDOM, UNSEEN, RATE = 21, 5, 100
LOGS_OF_RANDOM, LOGS_OF_DESIGNED = 3, 30
FRICTION = ["viscous", "coulomb", "offset"]
SETTINGS = {
    "default": {},
    "2 rad/s^2": {"acceleration": 2.0},
}


class Daemon:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        self.process = subprocess.Popen([binary, "--listen", "127.0.0.1:0", "--state-dir", self.folder], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r'"url":"http://127.0.0.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit("torqued does not start")

    def ask(self, method, path, body, media="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": media, "Prefer": "wait=60"})
        reply = connection.getresponse()
        answer = reply.read()
        connection.close()
        if reply.status not in (200, 201):
            raise SystemExit(f"{method} {path}: {reply.status} {answer[:300]}")
        return json.loads(answer) if answer else None

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stderr.close()
        shutil.rmtree(self.folder)


class Arm:
    def __init__(self, daemon, name, setting):
        self.daemon, self.name, self.setting = daemon, name, dict(setting)
        robot = daemon.ask("GET", f"/v1/robots/{name}", "")
        self.joints = [j for j in robot["joints"] if j["kind"] != "fixed"]
        self.n = len(self.joints)
        self.request = {"parameters": FRICTION, **self.setting}
        acceleration = self.request.pop("acceleration", None)
        if acceleration:
            self.request["limits"] = {"acceleration": [acceleration] * self.n}
        self.period = self.request.get("period_s", 10)
        effort = [j.get("limits", {}).get("effort") for j in self.joints]
        largest = [max(abs(row[k]) for row in self.rigid(self.motion(0))) for k in range(self.n)]
        self.noise = [0.01 * (e or m) for e, m in zip(effort, largest)]
        self.friction = [(8 * s, 5 * s) for s in self.noise]

    def ask(self, operation, body, robot=None):
        return self.daemon.ask("POST", f"/v1/robots/{robot or self.name}/{operation}", body)

    def motion(self, seed, **more):
        """A random one; with `tries` a designed one."""
        return self.ask("excitation", {**self.request, "tries": 1, "seed": seed, "interval_s": 1 / RATE, **more})

    def rigid(self, motion, robot=None):
        return self.ask("inverse-dynamics", {k: motion[k] for k in ("q", "qd", "qdd")}, robot)["tau"]

    def torque(self, motion):
        rows = self.rigid(motion)
        return [[t + fv * v + math.copysign(fc, v) * (v != 0) for t, v, (fv, fc) in zip(row, qd, self.friction)]
                for row, qd in zip(rows, motion["qd"])]

    def calibrated(self, motion, seed):
        """Name of the robot that is fitted to a log of two periods."""
        chance = random.Random(seed)
        rows = list(zip(motion["q"], self.torque(motion)))[:-1] * 2
        head = ",".join(["t"] + [f"q{k}" for k in range(self.n)] + [f"tau{k}" for k in range(self.n)])
        text = [head]
        for i, (q, tau) in enumerate(rows):
            cells = [i / RATE] + [x + chance.gauss(0, 1e-5) for x in q] + [x + chance.gauss(0, s) for x, s in zip(tau, self.noise)]
            text.append(",".join(f"{x:.9g}" for x in cells))
        self.daemon.ask("PUT", "/v1/datasets/log", "\n".join(text), "text/csv")
        found = self.ask("calibrate", {"datasets": ["log"], "delay_s": 0, "validate": "none",
                                       "model": {"friction": FRICTION, "smoothing": 0, "rotor": False}})
        self.daemon.ask("PUT", "/v1/robots/fitted", found["robot"])
        return "fitted"

    def error(self, motion, seed, unseen):
        robot, square, n = self.calibrated(motion, seed), 0.0, 0
        for other, wanted in unseen:
            for row, want, qd in zip(self.rigid(other, robot), wanted, other["qd"]):
                for t, w, s, v in zip(row, want, self.noise, qd):
                    if abs(v) > 1e-9:
                        square += ((t - w) / s) ** 2
                        n += 1
        return math.sqrt(square / n)

    def mean_error(self, motion, seeds, unseen):
        return math.sqrt(statistics.mean(self.error(motion, seed, unseen) ** 2 for seed in seeds))

    # -------------------------------------------------------------- expected errors
    def rows(self, states):
        """Base regressor over noise, (samples, joints, parameters)."""
        answer = self.ask("regressor?form=base", {"parameters": FRICTION, **{k: np.asarray(v).tolist() for k, v in zip(("q", "qd", "qdd"), states)}})
        return np.array(answer["regressor"]).reshape(len(states[0]), self.n, answer["n_base"]) / np.array(self.noise)[:, None]

    def rows_of(self, motion):
        return self.rows([motion[k][:-1][:: len(motion["q"]) // 100] for k in ("q", "qd", "qdd")])

    def demand(self, unseen):
        y = np.concatenate([self.rows_of(m) for m, _ in unseen])
        return np.einsum("ivc,ivd->cd", y, y) / y.shape[0] / self.n

    def expected(self, motion, demand):
        """sqrt(tr(D N^-1)) of one sample."""
        y = self.rows_of(motion)
        return math.sqrt(np.trace(np.linalg.solve(np.einsum("ivc,ivd->cd", y, y) / len(y), demand)))

    def bound(self, harmonics, demand):
        """Its least value over all weights of states within the limits, corners of the rates' ranges for the most part."""
        chance = np.random.default_rng(1)
        limit = [j.get("limits", {}) for j in self.joints]
        lower = np.array([x.get("lower") if x.get("lower") is not None else -math.pi for x in limit])
        upper = np.array([x.get("upper") if x.get("upper") is not None else math.pi for x in limit])
        w = 2 * math.pi / self.period * harmonics
        velocity = np.array([x.get("velocity") or 0.5 * (b - a) * w for x, a, b in zip(limit, lower, upper)])
        acceleration = np.array(self.request["limits"]["acceleration"]) if "limits" in self.request else velocity * w
        shape = (2500, self.n)
        ends = chance.choice([-1.0, 1.0], (2, *shape))
        rates = np.where(chance.random((2, *shape)) < 0.3, chance.uniform(-1, 1, (2, *shape)), ends)
        states = [chance.uniform(lower, upper, shape), rates[0] * velocity, rates[1] * acceleration]
        tau = np.array(self.ask("inverse-dynamics", {k: v.tolist() for k, v in zip(("q", "qd", "qdd"), states)})["tau"])
        effort = np.array([x.get("effort") or math.inf for x in limit])
        y = self.rows([s[(abs(tau) <= effort).all(axis=1)] for s in states])
        weight = np.full(len(y), 1 / len(y))
        for _ in range(100):
            inverse = np.linalg.inv(np.einsum("i,ivc,ivd->cd", weight, y, y, optimize=True))
            trace = np.trace(inverse @ demand)
            slope = np.einsum("ivc,cd,ivd->i", y, inverse @ demand @ inverse, y, optimize=True)
            weight *= np.sqrt(slope / trace)
            weight /= weight.sum()
        return math.sqrt(trace)


def measure(daemon, name, label, setting):
    arm = Arm(daemon, name, setting)
    unseen = [(m, arm.torque(m)) for m in (arm.motion(1000 + k) for k in range(UNSEEN))]
    motions = [arm.motion(100 + k) for k in range(RANDOM)]
    chance = [arm.mean_error(m, [RANDOM * i + k for i in range(LOGS_OF_RANDOM)], unseen) for k, m in enumerate(motions)]
    median = statistics.median(chance)
    row = {"robot": name, "setting": label, "random": median, "best_random": min(chance)}
    begin = time.perf_counter()
    designed = arm.motion(0, tries=200)
    row["design_s"] = time.perf_counter() - begin
    scores = statistics.median(m["score"]["torque_error"] for m in motions)
    row["expected_anywhere"] = designed["score"]["torque_error"] / scores
    task = [{"fourier": arm.motion(2000 + k)["fourier"]} for k in range(16)]
    wide = arm.motion(0, tries=100, task=task, harmonics=2 * setting.get("harmonics", 10))
    for key, motion in (("designed", designed), ("for_task", arm.motion(0, tries=200, task=task)), ("wide", wide)):
        row[key] = arm.mean_error(motion, range(500, 500 + LOGS_OF_DESIGNED), unseen) / median
        if np is not None:
            demand = arm.demand(unseen)
            expected = statistics.median(arm.expected(m, demand) for m in motions)
            row[f"expected_{key}"] = arm.expected(motion, demand) / expected
    if np is not None:
        row["bound"] = arm.bound(setting.get("harmonics", 10), demand) / expected
    print(f"{name:8} {label:10} random {median:.3f}  measured: designed {row['designed']:.2f}, for task {row['for_task']:.2f}, wide {row['wide']:.2f}  "
          f"expected: {row.get('expected_designed', math.nan):.2f}, {row.get('expected_for_task', math.nan):.2f}, {row.get('expected_wide', math.nan):.2f}, bound {row.get('bound', math.nan):.2f}; "
          f"at random states {row['expected_anywhere']:.2f}   {row['design_s']:.1f} s", flush=True)
    return row


def main():
    binary, result, *robots = sys.argv[1:]
    rows = []
    with contextlib.closing(Daemon(binary)) as daemon:
        for name in robots or ("panda", "ur10e", "ur5e"):
            for label, setting in SETTINGS.items():
                rows.append(measure(daemon, name, label, setting))
    with open(result, "w") as f:
        json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
