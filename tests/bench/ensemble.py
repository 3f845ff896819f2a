# SPDX-License-Identifier: Apache-2.0
# tests/bench/ensemble.py - 1,000 arms let go, over HTTP, against MuJoCo's threaded rollout: wall time to the same error.
"""Usage: ensemble.py TORQUED JSON_FILE. Both on every core, in turn; contacts, limits and everything else that we lack is off.
Each side takes its fastest method, with the longest step or loosest tolerance that reaches the error, to a fifth."""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROUNDS, TRIES, MEMBERS, SECONDS, THREADS = 11, 5, 1000, 0.5, os.cpu_count()
ERRORS = (1e-4, 1e-6, 1e-7)  # rad, the worst coordinate of the worst member at the end
LEAST_STEP = 3e-4  # s: seconds of rollout
Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]


class Torqued:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        self.process = subprocess.Popen([binary, "--listen", "127.0.0.1:0", "--workers", str(THREADS), "--state-dir",
                                         os.path.join(self.folder, "state")], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r'"url":"(http://[^"]*)"', line)
            if found:
                self.url = found.group(1)
                return
        raise SystemExit("torqued does not start")

    def get(self, path, accept):
        request = urllib.request.Request(self.url + path, headers={"Accept": accept})
        return urllib.request.urlopen(request).read().decode()

    def post(self, path, document):
        request = urllib.request.Request(self.url + path, json.dumps(document).encode(),
                                         {"Content-Type": "application/json", "Prefer": "wait=60"})
        return json.load(urllib.request.urlopen(request))

    def ensemble(self, solver, **more):
        return self.post("/v1/robots/panda/ensemble", {
            "initial": {"q": Q}, "duration_s": SECONDS, "output": {"interval_s": SECONDS}, "members": MEMBERS, "seed": 1,
            "vary": [{"of": "q", "joint": f"joint{k + 1}", "uniform": [-0.3, 0.3]} for k in range(7)],
            "without": ["friction"], "solver": solver, "end_states": True, **more})

    def cpu(self):
        """s that its threads have run: what a busy machine does not change."""
        home, total = f"/proc/{self.process.pid}/task", 0
        for task in os.listdir(home):
            with open(f"{home}/{task}/schedstat") as f:
                total += int(f.read().split()[0])
        return total / 1e9

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Mujoco:
    """The same arm, from our own URDF."""

    def __init__(self, urdf):
        import mujoco
        from mujoco import rollout
        self.mujoco, self.rollout = mujoco, rollout
        self.model = mujoco.MjModel.from_xml_string(urdf)
        for bit in ("CONTACT", "LIMIT", "CONSTRAINT", "FRICTIONLOSS", "DAMPER", "ACTUATION", "SENSOR"):
            flag = getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}", 0)
            self.model.opt.disableflags |= int(flag)
        self.model.dof_damping[:] = 0
        self.model.dof_frictionloss[:] = 0
        self.data = [mujoco.MjData(self.model) for _ in range(THREADS)]
        self.size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.version = mujoco.__version__
        self.pool = rollout.Rollout(nthread=THREADS)

    def run(self, q, integrator, step):
        import numpy
        n = round(SECONDS / step)
        self.model.opt.integrator = integrator
        self.model.opt.timestep = step
        initial = numpy.zeros((MEMBERS, self.size))
        initial[:, 1:8] = q
        state = numpy.empty((MEMBERS, n, self.size))  # written by the rollout; not part of its time
        start = time.perf_counter()
        self.pool.rollout(self.model, self.data, initial, nstep=n, state=state, skip_checks=False)
        return time.perf_counter() - start, state[:, -1, 1:8]


def worst(a, b):
    import numpy
    return float(numpy.max(numpy.abs(numpy.asarray(a) - numpy.asarray(b))))


def find_step(run, target, start):
    """The longest step of start / 1.19 ... that divides SECONDS and reaches the target; None: not above LEAST_STEP."""
    step, tried = start, set()
    while step >= LEAST_STEP:
        n = math.ceil(SECONDS / step)
        if n not in tried and run(SECONDS / n) <= target:
            return SECONDS / n
        tried.add(n)
        step /= 2 ** 0.25
    return None


def find_tolerance(run, target):
    """The loosest tolerance of 0.1, 0.056 ... that reaches the target; looser ones may fail by luck."""
    for k in range(4, 52):
        if run(10 ** (-k / 4)) <= target:
            return 10 ** (-k / 4)
    return None


def main(binary, path):
    rows = []
    daemon = Torqued(binary)
    try:
        peer = Mujoco(daemon.get("/v1/robots/panda", "application/xml"))
        import numpy
    except ImportError:
        print(f"{'ensembles':52} peer not measured: no MuJoCo (make deps-bench)")
        daemon.stop()
        return
    exact = daemon.ensemble({"method": "dopri87", "rtol": 1e-13, "atol": 1e-13})["end_states"]
    q0 = numpy.asarray(Q) + numpy.asarray(exact["values"])

    def ours(solver):
        """Statistics over the members; end states are asked for to judge the error, not while time is taken."""
        start = time.perf_counter()
        daemon.ensemble(solver, end_states=False)
        return time.perf_counter() - start

    def our_error(solver):
        return worst(daemon.ensemble(solver)["end_states"]["q"], exact["q"])

    def our_fastest(target):
        """(solver, its words) of the method that takes least time to the target; None: none reaches it."""
        found = []
        step = find_step(lambda h: our_error({"method": "rk4", "step_s": h}), target, SECONDS / 50)
        if step is not None:
            found.append(({"method": "rk4", "step_s": step}, f"rk4 {step * 1e3:.3g} ms"))
        for method in ("dopri45", "dopri87"):
            rtol = find_tolerance(lambda r, m=method: our_error({"method": m, "rtol": r, "atol": r}), target)
            if rtol is not None:
                found.append(({"method": method, "rtol": rtol, "atol": rtol}, f"{method} {rtol:.2g}"))
        return min(found, key=lambda f: min(ours(f[0]) for _ in range(TRIES)), default=None)

    for target in ERRORS:
        what = f"ensemble of {MEMBERS} pandas, {SECONDS:g} s, to {target:g} rad"
        fastest = our_fastest(target)
        if fastest is None:
            print(f"{what:52} not reached")
            continue
        integrators = {"Euler": 0, "RK4": 1, "implicitfast": 3}
        chosen = {}
        for name, integrator in integrators.items():
            if target < 1e-3 and name != "RK4":
                continue  # order 1: a hundred thousand steps
            h = find_step(lambda h, i=integrator: worst(peer.run(q0, i, h)[1], exact["q"]), target, SECONDS / 50)
            if h is not None:
                chosen[name] = (peer.run(q0, integrator, h)[0], integrator, h)
        if not chosen:
            print(f"{what:52} not reached by the peer")
            continue
        name = min(chosen, key=lambda k: chosen[k][0])
        _, integrator, h = chosen[name]
        pairs, spent = [], []
        for _ in range(ROUNDS):
            cpu, own = daemon.cpu(), time.process_time()
            mine = ours(fastest[0])
            cpu = daemon.cpu() - cpu
            client = time.process_time() - own
            pairs.append((mine, peer.run(q0, integrator, h)[0]))
            spent.append((time.process_time() - own - client) / cpu)
        ratios = sorted(b / a for a, b in pairs)
        middle = statistics.median(ratios)
        mine, theirs = (statistics.median(p[k] for p in pairs) for k in (0, 1))
        note = f"ours {fastest[1]} over HTTP, MuJoCo {peer.version} {name} {h * 1e3:.3g} ms, {THREADS} threads; {statistics.median(spent):.0f}x less CPU time"
        print(f"{what:52} {mine:9.4g} s  peer {theirs:9.4g} s  {middle:6.2f}x  ({ratios[len(ratios) // 4]:.2f} .. {ratios[-1 - len(ratios) // 4]:.2f})  target 25  {note}")
        rows.append({"what": what, "ours": mine, "peer": theirs, "unit": "s", "ratio": middle,
                     "quartiles": [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]], "target": 25, "note": note})
    daemon.stop()
    with open(path, "w") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
