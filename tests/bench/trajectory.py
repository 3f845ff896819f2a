# SPDX-License-Identifier: Apache-2.0
# tests/bench/trajectory.py - wall time of one trajectory to the same error: ours, MuJoCo, scipy with Pinocchio.
"""Usage: trajectory.py OUR_BINARY URDF JSON_FILE. A panda falls freely for 1 s; the error is the largest of q at the end."""

import json
import math
import os
import re
import subprocess
import sys
import time

import numpy as np

START = np.array([0, -0.8, 0, -2.3, 0, 1.6, 0.8])
DURATION, ROUNDS = 1.0, 5
TARGETS = (1e-2, 1e-4, 1e-6)
rows = []


def best_of(rounds, run):
    best, result = math.inf, None
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - begin)
    return best, result


def scipy_with_pinocchio(urdf):
    try:
        import pinocchio as pin
        from scipy.integrate import solve_ivp
    except ImportError:
        return None
    model = pin.buildModelFromUrdf(urdf)
    data = model.createData()
    model.armature[:] = 0
    n = model.nv

    def rate(_, y):
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], np.zeros(n))])

    points = []
    for digits in range(3, 13):
        took, end = best_of(3, lambda: solve_ivp(rate, (0, DURATION), np.concatenate([START, np.zeros(n)]), method="DOP853",
                                                 rtol=10.0**-digits, atol=10.0**-digits).y[:n, -1])
        points.append((took, end, f"DOP853 1e-{digits}"))
    return points


def mujoco_points(urdf):
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return None
    with open(urdf) as f:
        text = f.read()
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="true" discardvisual="true"/></mujoco>', text, count=1)
    model = mujoco.MjModel.from_xml_string(text)
    model.dof_damping[:] = 0
    model.dof_frictionloss[:] = 0
    model.dof_armature[:] = 0
    model.opt.disableflags |= (mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT |
                               mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)
    points = []
    integrators = {"RK4": mujoco.mjtIntegrator.mjINT_RK4, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
                   "Euler": mujoco.mjtIntegrator.mjINT_EULER}
    for name, integrator in integrators.items():
        model.opt.integrator = integrator
        for k in range(9 if name == "RK4" else 11):
            steps = 100 << k
            model.opt.timestep = DURATION / steps
            mujoco.mj_resetData(model, data)
            data.qpos[:] = START
            size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            state = np.zeros(size)
            mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            took, end = best_of(ROUNDS if k < 7 else 2,
                                lambda: rollout.rollout(model, data, state[None, :], nstep=steps)[0][0, -1, 1:1 + model.nq])
            points.append((took, end, f"{name} {steps} steps"))
    return points


def time_to(points, reference, target):
    """Least time over all settings that reach the error; None: none does."""
    good = [(took, what) for took, end, what in points if np.max(np.abs(np.asarray(end) - reference)) <= target]
    return min(good) if good else None


def main():
    binary, urdf, result = sys.argv[1:]
    text = subprocess.run([binary], check=True, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    lines = [json.loads(line) for line in text.stdout.splitlines()]
    ours = [(line["seconds"], line["q"], f"{line['method']} {line['precision']:g}") for line in lines]
    reference = np.array(next(line["q"] for line in lines if line["method"] == "dopri87" and line["precision"] == 1e-13))
    peers = {"MuJoCo": (mujoco_points(urdf), 4), "scipy with Pinocchio": (scipy_with_pinocchio(urdf), None)}
    for name, (points, least) in peers.items():
        if points is None:
            print(f"one trajectory, {name}: not measured")
            rows.append({"what": f"one trajectory vs {name}", "ratio": None})
            continue
        nearest = min(np.max(np.abs(np.asarray(end) - reference)) for _, end, _ in points)
        print(f"one trajectory, {name}: ends within {nearest:.1e} rad of ours")
        for target in TARGETS:
            own, other = time_to(ours, reference, target), time_to(points, reference, target)
            what = f"1 s of a panda to {target:g} rad vs {name}"
            if own is None or other is None:
                print(f"{what:52} not reached")
                rows.append({"what": what, "ratio": None})
                continue
            ratio = other[0] / own[0]
            print(f"{what:52} {own[0] * 1e6:10.1f} us ({own[1]})  peer {other[0] * 1e6:10.1f} us ({other[1]})  {ratio:6.1f}x"
                  f"{'' if least is None else f'  target {least}'}")
            rows.append({"what": what, "ours": own[0], "peer": other[0], "unit": "s", "ratio": ratio, "target": least})
    with open(result, "w") as f:
        json.dump(rows, f)


main()
