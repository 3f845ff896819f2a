# SPDX-License-Identifier: Apache-2.0
# tests/long/soak/mixed.py - mixed.py PORT [WARM_S]: requests of all sizes and kinds, in turn and at random; ends at the end of stdin.
"""As a part of the good client (tests/long/attacks/good.py): a line of JSON at the end. In the first WARM_S seconds pauses are a twentieth."""

import io
import json
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attacks"))
import good  # noqa: E402

JSON = {"Content-Type": "application/json"}
SIMULATE = {"initial": {"q": [0.3, -0.2], "qd": [0, 0]}, "duration_s": 1, "output": {"interval_s": 0.01}}
ENSEMBLE = {**SIMULATE, "members": 200, "seed": 1, "vary": [{"of": "q", "joint": "joint1", "normal": {"deviation": 0.2}}]}
URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="%g"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1"
velocity="1"/></joint></robot>"""


class Mixed(good.Good):
    def call(self, name, status, method, path, body=None, headers=None):
        begun = time.perf_counter()
        answer = self.ask(self.one, method, path, body, headers)
        self.time(name, time.perf_counter() - begun)
        self.expect(status, answer, name)
        return answer

    def expect(self, status, answer, what):
        good = super().expect(status, answer, what)
        if not good and len(self.lost) < 20:
            print(f"FAULT {self.lost[-1]}", file=sys.stderr, flush=True)
        return good

    def post(self, name, path, body, status=(200, 202)):
        return self.call(name, status, "POST", path, json.dumps(body), {**JSON, "Prefer": "wait=60"})

    def bulk(self, n):
        data = io.BytesIO()
        np.save(data, np.random.default_rng(n).uniform(-1, 1, (n, 21)))
        self.call("bulk", 200, "POST", "/v1/robots/panda/inverse-dynamics", data.getvalue(), {"Content-Type": "application/x-npy", "Accept": "application/x-npy"})

    def calibrate(self):
        """Of the log of a motion that the daemon has simulated."""
        t = np.arange(0, 10, 0.01)
        q = np.stack([0.8 * np.sin(2.1 * t + k) + 0.4 * np.sin(5.3 * t - k) for k in range(2)], 1)
        qd = np.gradient(q, t, axis=0)
        body = {"t": t.tolist(), "q": q.tolist(), "qd": qd.tolist(), "qdd": np.gradient(qd, t, axis=0).tolist()}
        tau = json.loads(self.post("long batch", "/v1/robots/planar-2r/inverse-dynamics", {k: v for k, v in body.items() if k != "t"}, 200)[2])["tau"]
        log = "t,q1,q2,tau1,tau2\n" + "".join(f"{a:.4f},{b[0]:.6f},{b[1]:.6f},{c[0]:.6f},{c[1]:.6f}\n" for a, b, c in zip(t, q, tau))
        self.call("log", (200, 201), "PUT", "/v1/datasets/soak-log", log.encode(), {"Content-Type": "text/csv"})
        self.post("calibrate", "/v1/robots/planar-2r/calibrate", {"datasets": ["soak-log"]})

    def job(self):
        path = self.call("job", 202, "POST", "/v1/robots/planar-2r/simulate", json.dumps(SIMULATE), {**JSON, "Prefer": "respond-async"})[1].get("Location")
        if path is None:
            return
        document = {"finished": None}
        while document.get("finished", "") is None:
            time.sleep(0.02)
            document = json.loads(self.ask(self.one, "GET", path)[2])
        if document.get("state") != "succeeded":
            self.lost.append(f"{path}: {document}")
        self.call("result", 200, "GET", path + "/result")

    def robots(self, k):
        for mass in (1, 1 + k % 7):
            self.call("robot", (200, 201), "PUT", f"/v1/robots/soak-{k % 5}", (URDF % mass).encode(), {"Content-Type": "application/xml"})
        self.call("no robot", 204, "DELETE", f"/v1/robots/soak-{k % 5}")

    def wrong(self):
        self.call("wrong", 400, "POST", "/v1/robots/panda/inverse-dynamics", b'{"q": [0.1, nan', JSON)
        self.call("wrong", 422, "POST", "/v1/robots/panda/inverse-dynamics", b'{"q": [0.1], "qd": [0], "qdd": [0]}', JSON)
        self.call("wrong", 404, "GET", "/v1/robots/none")

    def mixed(self, warm_s):
        self.one, k = self.connect(), 0
        until = time.monotonic() + warm_s
        while self.goes_on(self.chance.uniform(0.2, 0.6) / (20 if time.monotonic() < until else 1)):
            k += 1
            self.bulk(self.chance.choice((10, 1000, 20000, 100000)))
            self.post("simulate", "/v1/robots/planar-2r/simulate", SIMULATE)
            self.job()
            self.wrong()
            self.robots(k)
            if k % 5 == 0:
                self.post("ensemble", "/v1/robots/planar-2r/ensemble", ENSEMBLE)
                self.calibrate()
            if k % 20 == 0:
                self.one.close()
                self.one = self.connect()


def main():
    one = Mixed(int(sys.argv[1]))
    one.phase = sys.stdin.readline().strip()
    one.mixed(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(json.dumps({"times": one.times, "counts": one.counts, "lost": one.lost}))


if __name__ == "__main__":
    main()
