# SPDX-License-Identifier: Apache-2.0
# tests/bench/landing.py - a quadruped that falls onto its four feet: time to the same error, ours over HTTP and MuJoCo's rollout.
"""Usage: landing.py JSON_FILE, with TORQUED the daemon's program. Both read one MJCF: the Mini Cheetah's masses, springs and dampers in its
joints, dropped by 50 mm with some roll and pitch, 0.4 s. Errors are the largest of the body's position at the end:

    own      against the same program's finest run: what the step costs
    rigid    against our finest run: MuJoCo's contacts are springs, with the shortest time constant that its step allows

Our time is that of a request, JSON and the answer included; MuJoCo's that of the C loop alone."""
import importlib.util
import json
import math
import pathlib
import sys
import time

import numpy as np

DURATION, ROUNDS, RADIUS = 0.4, 5, 0.02
TARGETS = (1e-3, 1e-4, 1e-5)
FEET = [f"{side}_shank" for side in ("fr", "fl", "hr", "hl")]


def leg(name, fore, side):
    joint = 'armature="{}" damping="{}" stiffness="{}" springref="{}"'
    stand = (0.0, 0.7, -1.4)
    return f"""<body name="{name}_abad" pos="{0.19 * fore} {0.049 * side} 0"><joint name="{name}_abad" axis="1 0 0" {joint.format(0.00227, 0.5, 40, stand[0])}/>
 <inertial pos="0 {0.036 * side} 0" mass="0.54" diaginertia="0.00038 0.00056 0.00044"/>
 <body name="{name}_thigh" pos="0 {0.062 * side} 0"><joint name="{name}_hip" axis="0 1 0" {joint.format(0.00227, 0.5, 60, stand[1])}/>
  <inertial pos="0 {0.016 * side} -0.02" mass="0.634" diaginertia="0.002 0.0021 0.0004"/>
  <body name="{name}_shank" pos="0 0 -0.209"><joint name="{name}_knee" axis="0 1 0" {joint.format(0.00548, 0.5, 60, stand[2])}/>
   <inertial pos="0 0 -0.09" mass="0.12" diaginertia="0.0003 0.0003 0.00002"/>{{}}</body></body></body>"""


def robot_of(foot="", floor="", option=""):
    legs = "".join(leg(name, fore, side).format(foot)
                   for name, fore, side in (("fr", 1, -1), ("fl", 1, 1), ("hr", -1, -1), ("hl", -1, 1)))
    return f"""<mujoco model="landing"><compiler angle="radian"/>{option}<worldbody>{floor}<body name="body"><freejoint name="base"/>
<inertial pos="0 0 0" mass="3.3" diaginertia="0.011253 0.036203 0.042673"/>{legs}</body></worldbody></mujoco>"""


def start_pose():
    roll, pitch = 0.06, 0.09
    a, b = (math.cos(roll / 2), math.sin(roll / 2)), (math.cos(pitch / 2), math.sin(pitch / 2))
    return [0, 0, 0.40, a[0] * b[0], a[1] * b[0], a[0] * b[1], -a[1] * b[1], *([0.0, 0.7, -1.4] * 4)]


def best_of(rounds, run):
    best, result = math.inf, None
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - begin)
    return best, result


def daemon_of():
    path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
    spec = importlib.util.spec_from_file_location("contract_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Daemon()


def our_points(daemon):
    status, _, text = daemon.request("PUT", "/v1/robots/landing", robot_of(), {"Content-Type": "application/xml"})
    assert status in (200, 201), text
    shapes = [{"shape": "half-space"}] + [{"link": f, "shape": "sphere", "size": [RADIUS], "pose": {"position": [0, 0, -0.175]}} for f in FEET]
    points, last = [], None
    for k in range(9):
        step = 4e-3 / 2**k
        body = {"initial": {"q": start_pose()}, "duration_s": DURATION, "output": {"interval_s": DURATION}, "solver": {"step_s": step},
                "contacts": {"friction": 0.7, "shapes": shapes}}
        took, answer = best_of(ROUNDS if k < 6 else 1, lambda body=body: daemon.request("POST", "/v1/robots/landing/simulate", json.dumps(body),
                                                                                        {"Content-Type": "application/json"}))
        assert answer[0] == 200, answer[2]
        last = json.loads(answer[2])
        if last["verdict"]["outcome"] == "completed":
            points.append((took, last["q"][-1][:3], f"step {step:g} s"))
    print(f"ours: {last['contacts']['impacts']} impacts, violation {last['contacts']['violation']:.1e} m/s")
    return points


def mujoco_points():
    import mujoco
    from mujoco import rollout
    points = []
    for integrator in ("implicitfast", "RK4"):
        for k in range(9 if integrator == "implicitfast" else 7):
            step = 4e-3 / 2**k
            soft = f'solref="{2 * step:g} 1" solimp="0.9999 0.9999 0.001" friction="0.7 0 0" condim="3"'
            model = mujoco.MjModel.from_xml_string(robot_of(
                f'<geom type="sphere" size="{RADIUS}" pos="0 0 -0.175" mass="0" {soft} contype="1" conaffinity="0"/>',
                f'<geom type="plane" size="5 5 1" {soft} contype="0" conaffinity="1"/>',
                f'<option timestep="{step:g}" integrator="{integrator}" cone="elliptic" impratio="100"/>'))
            data = mujoco.MjData(model)
            data.qpos[:] = start_pose()
            size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            state = np.zeros(size)
            mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            steps = round(DURATION / step)
            took, end = best_of(ROUNDS, lambda m=model, d=data, s=state, n=steps: rollout.rollout(m, d, s[None, :], nstep=n)[0][0, -1, 1:4])
            points.append((took, list(end), f"{integrator} {step:g} s"))
    return points


def error_of(end, reference):
    return float(np.max(np.abs(np.subtract(end, reference))))


def time_to(points, reference, target):
    good = [(took, what) for took, end, what in points if error_of(end, reference) <= target]
    return min(good) if good else None


def main():
    daemon = daemon_of()
    ours, rows = our_points(daemon), []
    daemon.stop()
    theirs = mujoco_points()
    finest = {"ours": ours[-1][1], "MuJoCo": [p for p in theirs if p[2].startswith("implicitfast")][-1][1]}
    print(f"finest runs differ by {error_of(finest['ours'], finest['MuJoCo']):.1e} m")
    for name, points in (("ours", ours), ("MuJoCo", theirs)):
        for took, end, what in points:
            print(f"{name:8} {what:22} {took * 1e3:9.2f} ms   own {error_of(end, finest[name]):.1e}   rigid {error_of(end, finest['ours']):.1e} m")
    for kind, reference in (("own", finest["MuJoCo"]), ("rigid", finest["ours"])):
        for target in TARGETS:
            own, other = time_to(ours[:-1], finest["ours"], target), time_to(theirs if kind == "rigid" else theirs[:8] + theirs[9:], reference, target)
            what = f"a quadruped lands, to {target:g} m ({kind})"
            ratio = other[0] / own[0] if own and other else None
            print(f"{what:44} ours {own and f'{own[0] * 1e3:.2f} ms ({own[1]})'}  MuJoCo {other and f'{other[0] * 1e3:.2f} ms ({other[1]})'}  "
                  f"{'not reached' if ratio is None else f'{ratio:.2f}x'}")
            rows.append({"what": what + " vs MuJoCo", "ours": own and own[0], "peer": other and other[0], "unit": "s", "ratio": ratio})
    with open(sys.argv[1], "w") as f:
        json.dump(rows, f)


main()
