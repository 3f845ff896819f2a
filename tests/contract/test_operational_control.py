# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_operational_control.py - control of a link in space: against closed forms, and against a simulation in numpy and scipy.
import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

G = 9.81
START = [0.1, -0.6, 0.2, -2.2, 0.1, 1.7, 0.5]
TIGHT = {"method": "dopri87", "rtol": 1e-11, "atol": 1e-12}


def post(daemon, path, question):
    status, _, text = daemon.request("POST", f"/v1/robots/{path}", json.dumps(question), {"Content-Type": "application/json", "Prefer": "wait=60"})
    return status, json.loads(text)


def run(daemon, robot, q, duration, controller, interval=None, **more):
    question = {"initial": {"q": q}, "duration_s": duration, "output": {"interval_s": interval or duration / 20}, "solver": TIGHT, "input": controller, **more}
    status, answer = post(daemon, f"{robot}/simulate", question)
    assert status == 200, answer
    assert answer["verdict"]["outcome"] == "completed", answer["verdict"]
    energy = answer["audit"]["energy"]  # what the controller does is work; nothing is left over
    assert energy["residual_max"] < 1e-7 * (1 + energy["kinetic_max"]) or "contacts" in question, energy
    return answer


def poses(daemon, robot, q, frame):
    status, answer = post(daemon, f"{robot}/kinematics", {"q": q, "frames": [frame]})
    assert status == 200, answer
    one = answer["frames"][0]
    return np.array(one["position"]), Rotation.from_matrix(np.array(one["rotation"]))


def document(name, links, joints, gravity):
    return {"name": name, "gravity": gravity, "links": links, "joints": joints}


MASS, LENGTH = [2.0, 1.5, 1.0], [0.5, 0.4, 0.3]


def planar():
    """Three revolute joints about z, a point mass at the end of each link."""
    links = [{"name": "base"}] + [{"name": f"l{k}", "mass": MASS[k], "com": [LENGTH[k], 0, 0], "inertia_about": "com", "inertia": [[0] * 3] * 3} for k in range(3)]
    joints = [{"name": f"j{k}", "kind": "revolute", "parent": links[k]["name"], "child": links[k + 1]["name"], "axis": [0, 0, 1],
               "origin": {"position": [LENGTH[k - 1] if k else 0, 0, 0]}} for k in range(3)]
    return document("planar-three", links, joints, [0, -G, 0])


def gantry():
    """Three prismatic joints that carry 2 kg."""
    links = [{"name": "base"}, {"name": "a"}, {"name": "b"}, {"name": "tool", "mass": 2.0, "com": [0, 0, 0], "inertia_about": "com", "inertia": np.eye(3).tolist()}]
    joints = [{"name": "xyz"[k], "kind": "prismatic", "parent": links[k]["name"], "child": links[k + 1]["name"], "axis": np.eye(3)[k].tolist()} for k in range(3)]
    return document("gantry", links, joints, [0, 0, -G])


@pytest.fixture(scope="module")
def robots(daemon):
    for robot in (planar(), gantry()):
        status, _, text = daemon.request("PUT", f"/v1/robots/{robot['name']}", json.dumps(robot), {"Content-Type": "application/json"})
        assert status in (200, 201), text
    return daemon


# ---------------------------------------------------------------- closed forms

def test_errors_are_six_oscillators(daemon):
    """e'' + kd e' + kp e = 0 along each axis, whatever the arm's inertia and its posture do."""
    position, rotation = poses(daemon, "panda", START, "flange")
    shift, turn = np.array([0.08, -0.1, 0.06]), np.array([0.3, -0.2, 0.4])
    goal = {"position": (position + shift).tolist(), "rotation": (Rotation.from_rotvec(turn) * rotation).as_matrix().tolist()}
    controller = {"kind": "operational-space", "frame": "flange", "pose": goal, "kp": [25, 36, 49, 16, 16, 16], "kd": [10, 12, 14, 8, 8, 8],
                  "posture": {"q": [0, 0, 0, -1.5, 0, 1.5, 0], "kp": 4, "kd": 4}}
    answer = run(daemon, "panda", START, 1.0, controller)
    for t, q in zip(answer["t"], answer["q"]):
        here, turned = poses(daemon, "panda", q, "flange")
        left = [(1 + w * t) * math.exp(-w * t) for w in (5, 6, 7, 4)]
        assert np.allclose(position + shift - here, shift * left[:3], atol=3e-9), t
        assert np.allclose((Rotation.from_rotvec(turn) * rotation * turned.inv()).as_rotvec(), turn * left[3], atol=3e-9), t
    task = answer["tracking"]["task"]
    assert task["axes"] == ["x", "y", "z", "rx", "ry", "rz"]
    assert np.allclose(task["final"], np.concatenate([shift * [(1 + w) * math.exp(-w) for w in (5, 6, 7)], turn * 5 * math.exp(-4)]), atol=3e-9)
    assert np.allclose(task["max"], np.abs(np.concatenate([shift, turn])), atol=1e-12)


def test_a_motion_of_the_joints_moves_the_point(daemon):
    """Every form of `reference` is a goal: its velocity and acceleration too, so that there is no lag."""
    reference = {"waypoints": [START, [0.4, -0.3, 0.1, -1.9, 0.3, 1.5, 0.2]], "times_s": [0, 1], "timing": "quintic"}
    for kind in ({"kind": "operational-space", "kp": 100, "kd": 20}, {"kind": "cartesian-impedance", "stiffness": [800] * 3 + [40] * 3, "damping_ratio": 1}):
        answer = run(daemon, "panda", START, 1.0, {**kind, "reference": reference, "posture": {"kp": 25, "kd": 10}})
        assert max(answer["tracking"]["task"]["max"]) < 1e-9
        assert np.allclose(answer["q"][-1], reference["waypoints"][1], atol=1e-8)  # and the posture is that of the reference
        assert answer["tracking"]["point"]["length"] > 0.1
        assert answer["tracking"]["point"]["max"] < 1e-9


def test_the_posture_does_not_move_the_tool(daemon):
    position, rotation = poses(daemon, "panda", START, "flange")
    goal = {"position": position.tolist(), "rotation": rotation.as_matrix().tolist()}
    for kind in ({"kind": "operational-space", "kp": 100, "kd": 20}, {"kind": "cartesian-impedance", "stiffness": 500, "damping": 50}):
        answer = run(daemon, "panda", START, 1.2, {**kind, "pose": goal, "posture": {"q": [1.5, 0, -1.5, -1.5, 0, 1.5, 0], "kp": 4, "kd": 4}})
        moved = np.abs(np.array(answer["q"][-1]) - START).max()
        assert moved > 0.3, moved
        assert max(answer["tracking"]["task"]["max"]) < 1e-9


def test_a_tool_with_stiffness_gives_way(daemon):
    """At rest stiffness e = load, about one axis too; the arm's other freedoms do not carry it."""
    position, rotation = poses(daemon, "panda", START, "flange")
    goal = {"position": position.tolist(), "rotation": rotation.as_matrix().tolist()}
    force, moment, stiffness = np.array([12.0, -8.0, 5.0]), np.array([0.0, 0.0, 1.5]), [400, 500, 600, 30, 40, 50]
    load = [{"link": "flange", "force": force.tolist(), "moment": moment.tolist(), "at": "origin", "applied_to": "robot", "expressed_in": "world"}]
    controller = {"kind": "cartesian-impedance", "pose": goal, "stiffness": stiffness, "damping_ratio": 1, "posture": {"kp": 25, "kd": 10}}
    answer = run(daemon, "panda", START, 8.0, controller, external_wrenches=load)
    assert np.allclose(answer["tracking"]["task"]["final"], -np.concatenate([force, moment]) / stiffness, atol=1e-7)


def test_damping_ratio_is_that_of_one_mass(robots):
    for ratio in (0.3, 1.0):
        controller = {"kind": "cartesian-impedance", "frame": "tool", "pose": {"position": [0.2, 0, 0.1]}, "stiffness": 50, "damping_ratio": ratio}
        answer = run(robots, "gantry", [0, 0, 0], 1.5, controller)
        w = math.sqrt(50 / 2.0)
        for t, q in zip(answer["t"], answer["q"]):
            wd = w * math.sqrt(1 - ratio**2)
            left = (1 + w * t) * math.exp(-w * t) if ratio == 1.0 else math.exp(-ratio * w * t) * (math.cos(wd * t) + ratio * w / wd * math.sin(wd * t))
            assert np.allclose(q, np.array([0.2, 0, 0.1]) * (1 - left), atol=1e-9)


# ---------------------------------------------------------------- force

BALL = {"name": "tip", "link": "tool", "shape": "sphere", "size": [0.05]}
FLOOR = {"name": "floor", "shape": "half-space"}


def test_it_presses_on_the_floor_while_it_slides(robots):
    """A rigid floor, without friction: the force is the commanded one at rest and in motion, and motion along the floor is that of its own gains."""
    controller = {"kind": "operational-space", "frame": "tool", "axes": ["x", "y"], "pose": {"position": [0.3, -0.2, 0]}, "kp": 16, "kd": 8,
                  "force": {"axes": ["z"], "values": [-20], "kd": 30}}
    question = {"initial": {"q": [0, 0, 0.05]}, "duration_s": 1, "output": {"interval_s": 0.1}, "solver": {"step_s": 2e-4}, "input": controller,
                "contacts": {"shapes": [BALL, FLOOR], "friction": 0}}
    status, answer = post(robots, "gantry/simulate", question)
    assert status == 200, answer
    forces = np.array(answer["contact_force"])[:, 2]  # of the tip on the floor
    assert np.allclose(forces[1:], -20.0, atol=1e-8), forces
    left = [(1 + 4 * t) * math.exp(-4 * t) for t in answer["t"]]
    assert np.allclose(np.array(answer["q"])[:, 0], [0.3 * (1 - x) for x in left], atol=3e-4)  # the step's first order


@pytest.mark.parametrize("kind", ["operational-space", "cartesian-impedance"])
def test_an_arm_presses_on_a_slope(daemon, kind):
    """Seven joints, a frame of the task that is the slope's, a force that rises: at rest it is the commanded one. A model that is wrong by a payload
    is wrong by its weight across the slope (where errors of motion do not push, as accelerations do by lambda)."""
    q = [0.0, 0.3, 0.0, -1.9, 0.0, 2.2, 0.8]
    position, rotation = poses(daemon, "panda", q, "flange")
    slope = Rotation.from_euler("xyz", [0.1, -0.2, 0.3])
    foot = position - slope.apply([0, 0, 0.0502])  # a gap of 0.2 mm below the ball
    shapes = [{"name": "tip", "link": "flange", "shape": "sphere", "size": [0.05]}, {**FLOOR, "pose": {"position": foot.tolist(), "rotation": slope.as_matrix().tolist()}}]
    gains = {"kp": 100, "kd": 20} if kind[0] == "o" else {"stiffness": 400, "damping_ratio": 1}
    for payload, wrong in ((0.0, 0.0), (0.4, 0.4 * G))[: 1 if kind[0] == "o" else 2]:
        controller = {"kind": kind, "frame": "flange", "task_frame": {"rotation": slope.as_matrix().tolist()}, "axes": ["x", "y", "rx", "ry", "rz"], **gains,
                      "pose": {"position": position.tolist(), "rotation": rotation.as_matrix().tolist()}, "posture": {"kp": 25, "kd": 10},
                      "force": {"axes": ["z"], "t": [0, 0.5], "values": [[-5], [-15]], "kd": 40}}
        if payload:
            controller["model"] = {"payload": {"link": "flange", "mass": payload, "com": [0, 0, 0]}}
        question = {"initial": {"q": q}, "duration_s": 2, "output": {"interval_s": 0.5}, "solver": {"step_s": 1e-3}, "input": controller, "contacts": {"shapes": shapes, "friction": 0}}
        status, answer = post(daemon, "panda/simulate", question)
        assert status == 200 and answer["verdict"]["outcome"] == "completed", answer
        pressed = slope.inv().apply(np.array(answer["contact_force"])[-1])
        assert np.allclose(pressed[:2], 0, atol=1e-9)
        assert abs(pressed[2] + 15 - wrong * slope.as_matrix()[2, 2]) < (1e-4 if kind[0] == "o" else 1e-2), pressed


def test_it_holds_a_spring(robots):
    """A spring of 300 N/m between tool and wall: z'' m = f - k z, so that the force of the spring ends at the commanded one."""
    robot = gantry()
    robot["name"] = "gantry-on-spring"
    robot["joints"][2]["spring"] = {"stiffness": 300.0}
    status, _, text = robots.request("PUT", "/v1/robots/gantry-on-spring", json.dumps(robot), {"Content-Type": "application/json"})
    assert status in (200, 201), text
    controller = {"kind": "operational-space", "frame": "tool", "axes": ["x"], "pose": {"position": [0, 0, 0]}, "kp": 16, "kd": 8, "model": {"without": ["spring"]},
                  "force": {"axes": ["z"], "values": [12], "kd": 10}}
    answer = run(robots, "gantry-on-spring", [0, 0, 0], 4.0, controller)
    wn, damping = math.sqrt(300 / 2.0), 5.0  # z'' + 10 z' + 150 z = 6
    wd = math.sqrt(wn**2 - damping**2)
    for t, q in zip(answer["t"], answer["q"]):
        assert abs(q[2] - 0.04 * (1 - math.exp(-damping * t) * (math.cos(wd * t) + damping / wd * math.sin(wd * t)))) < 1e-9


# ---------------------------------------------------------------- another simulation

def chain(q, qd):
    """Mass matrix, Coriolis and gravity torque of the three point masses; Jacobian of the tip and dJ/dt qd, rows x, y, rz."""
    a, w = np.cumsum(q), np.cumsum(qd)
    along, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    m, bias = np.zeros((3, 3)), np.zeros(3)
    for k in range(3):
        j, drift = np.zeros((2, 3)), np.zeros(2)
        for i in range(k + 1):
            j[:, : i + 1] += (LENGTH[i] * across[:, i])[:, None]
            drift -= LENGTH[i] * along[:, i] * w[i] ** 2
        m += MASS[k] * j.T @ j
        bias += MASS[k] * j.T @ (drift + [0, G])
    tip = sum(LENGTH[i] * along[:, i] for i in range(3))
    return m, bias, np.vstack([j, np.ones(3)]), np.append(drift, 0), tip


def law(q, qd, kind, goal, kp, kd, ratio, axes, pushed, f, damping, posture):
    m, bias, jacobian, drift, tip = chain(q, qd)
    rows = sorted(axes + pushed)
    jacobian, drift = jacobian[rows], drift[rows]
    a0 = 5 * (np.array(posture) - q) - 3 * qd
    inverse = jacobian @ np.linalg.solve(m, jacobian.T)
    lengths = [max(inverse[i, i] for i, r in enumerate(rows) if (r == 2) == (row == 2)) for row in rows]
    s = np.linalg.eigvalsh(inverse / np.sqrt(np.outer(lengths, lengths)))[0]
    if s < damping:
        inverse = inverse + np.diag(lengths) * damping * (1 - s / damping) ** 2
    inertia = np.linalg.inv(inverse)
    xd = jacobian @ qd
    e = np.where([r in axes for r in rows], (np.array(goal) - np.append(tip, np.sum(q)))[rows], 0)
    stiffness = np.diag([kp if r in axes else 0 for r in rows])
    if ratio is None:
        d = np.diag([kd] * len(rows))
    else:
        values, v = eigh(stiffness, inertia)  # v^T inertia v = 1
        u = inertia @ v
        d = 2 * ratio * u @ np.diag(np.sqrt(np.where(values > 1e-12 * values.max(), values, 0))) @ u.T  # not the root of rounding
    pull = stiffness @ e - d @ xd
    force = np.array([f if r in pushed else 0.0 for r in rows])
    stiff = kind == "cartesian-impedance"
    total = inertia @ ((0 if stiff else pull) - drift - jacobian @ a0) + force + (pull if stiff else 0)
    return m @ a0 + bias + jacobian.T @ total


@pytest.mark.parametrize("kind, axes, pushed, ratio, damping", [
    ("operational-space", [0, 1], [], None, 0), ("operational-space", [0], [1], None, 0), ("operational-space", [0, 1, 2], [], None, 0.3),
    ("cartesian-impedance", [0, 1], [], None, 0), ("cartesian-impedance", [0, 1], [], 0.7, 0), ("cartesian-impedance", [0, 2], [1], 0.7, 0.02), ("cartesian-impedance", [0], [1], 0.7, 0.3)])
def test_another_simulation_moves_alike(robots, kind, axes, pushed, ratio, damping):
    """The equations of the contract in numpy, with an arm of point masses written down by hand, integrated by scipy."""
    names, q0 = ["x", "y", "rz"], [0.3, 0.9, 0.7]
    goal, posture, kp, kd, f = [0.5, 0.75, 1.4], [0.1, 1.2, 0.5], 40.0, 9.0, -3.0
    controller = {"kind": kind, "frame": {"link": "l2", "at": [LENGTH[2], 0, 0]}, "axes": [names[k] for k in axes],
                  "pose": {"position": [goal[0], goal[1], 0], "rpy": [0, 0, goal[2]]}, "posture": {"q": posture, "kp": 5, "kd": 3}}
    controller.update({"kp": kp, "kd": kd} if kind[0] == "o" else {"stiffness": kp, **({"damping": kd} if ratio is None else {"damping_ratio": ratio})})
    if pushed:
        controller["force"] = {"axes": [names[k] for k in pushed], "values": [f], "kd": kd if ratio is None else 0}
    if damping:
        controller["singularity_damping"] = damping
    answer = run(robots, "planar-three", q0, 0.8, controller, interval=0.1)

    def rate(t, y):
        q, qd = y[:3], y[3:]
        m, bias, *_ = chain(q, qd)
        return np.append(qd, np.linalg.solve(m, law(q, qd, kind, goal, kp, kd, ratio, axes, pushed, f, damping, posture) - bias))

    other = solve_ivp(rate, (0, 0.8), np.append(q0, [0, 0, 0]), method="DOP853", rtol=1e-10, atol=1e-11, t_eval=answer["t"])
    assert np.allclose(answer["q"], other.y[:3].T, atol=2e-8), np.abs(np.array(answer["q"]) - other.y[:3].T).max()
    assert np.abs(np.array(answer["q"][-1]) - q0).max() > 0.05


# ---------------------------------------------------------------- singular states, samples, refusals

def test_a_singular_arm_says_so(robots):
    """Stretched, the arm cannot move along x: without damping the start is refused, and a run ends there; with it the tool goes on."""
    controller = {"kind": "operational-space", "frame": {"link": "l2", "at": [LENGTH[2], 0, 0]}, "axes": ["x", "y"], "pose": {"position": [0.9, 0.2, 0]}, "kp": 25, "kd": 10,
                  "posture": {"q": [0, 0.8, 0.4], "kp": 9, "kd": 6}}
    question = {"initial": {"q": [0, 0, 0]}, "duration_s": 3, "output": {"interval_s": 1.5}, "input": controller}
    status, problem = post(robots, "planar-three/simulate", question)
    assert status == 422 and problem["errors"][0]["pointer"] == "/input/axes" and "singularity_damping" in json.dumps(problem), problem
    controller["singularity_damping"] = 0.05
    status, answer = post(robots, "planar-three/simulate", question)
    assert status == 200 and answer["verdict"]["outcome"] == "completed", answer["verdict"]
    assert np.abs(answer["tau"]).max() < 1000
    assert max(np.abs(answer["tracking"]["task"]["final"])) < 1e-3
    # out of reach: stretched on the way there, and at rest as near as it gets
    question.update({"initial": {"q": [0.4, 0.5, 0.6]}, "duration_s": 8})
    controller.update({"pose": {"position": [1.5, 0, 0]}, "posture": {"kp": 0, "kd": 6}})
    status, answer = post(robots, "planar-three/simulate", question)
    assert status == 200 and answer["verdict"]["outcome"] == "completed", answer["verdict"]
    del controller["singularity_damping"]
    status, answer = post(robots, "planar-three/simulate", question)
    assert status == 200 and answer["verdict"]["outcome"] != "completed", answer["verdict"]
    assert "singularity_damping" in answer["verdict"]["reason"], answer["verdict"]


def test_samples_hold_the_torque(robots):
    """Held for h, a torque acts as a delay of h / 2: the motion differs from the continuous one in proportion to h."""
    controller = {"kind": "operational-space", "frame": "tool", "pose": {"position": [0.2, 0.1, -0.1]}, "kp": 25, "kd": 10}
    whole = run(robots, "gantry", [0, 0, 0], 0.4, controller)["q"][-1][0]
    off = [abs(run(robots, "gantry", [0, 0, 0], 0.4, {**controller, "sample_time_s": h})["q"][-1][0] - whole) for h in (0.004, 0.002, 0.001)]
    assert 1e-5 < off[2] < off[1] < off[0] < 1e-2
    assert 1.9 < off[0] / off[1] < 2.1 and 1.9 < off[1] / off[2] < 2.1


def test_limits_of_torque_hold(robots):
    controller = {"kind": "cartesian-impedance", "frame": "tool", "pose": {"position": [1, 0, 0]}, "stiffness": 1000, "damping_ratio": 1, "effort_limits": [30, 30, 30]}
    answer = run(robots, "gantry", [0, 0, 0], 0.1, controller)
    assert np.abs(np.array(answer["tau"])[:, 0]).max() == 30
    assert abs(answer["q"][-1][0] - 0.5 * 30 / 2 * 0.1**2) < 1e-9


def test_self_motion_without_a_posture_is_remarked(robots):
    controller = {"kind": "operational-space", "axes": ["x", "y"], "pose": {"position": [0.5, 0.7, 0]}, "kp": 25, "kd": 10}
    answer = run(robots, "planar-three", [0.3, 0.9, 0.7], 0.1, controller)
    assert any("posture" in json.dumps(w) for w in answer["warnings"]), answer.get("warnings")


BASE = {"kind": "operational-space", "frame": "tool", "pose": {"position": [0, 0, 0]}, "kp": 25, "kd": 10}


@pytest.mark.parametrize("change, pointer, word", [
    ({"kp": None}, "/input/kp", "missing-field"), ({"pose": None}, "/input/reference", "missing-field"), ({"kp": [1, 2]}, "/input/kp", "wrong-length"),
    ({"kp": [1, -2, 3]}, "/input/kp/1", "range"), ({"stiffness": 3}, "/input/stiffness", "invalid-value"), ({"damping_ratio": 1}, "/input/damping_ratio", "invalid-value"),
    ({"force": {"axes": ["x"], "values": [1]}, "axes": ["x"]}, "/input/axes", "invalid-value"), ({"axes": ["rx"]}, "/input/pose", "missing-field"),
    ({"pose": {"rpy": [0, 0, 0], "position": [0, 0, 0]}}, "/input/axes", "invalid-value"), ({"force": {"values": [1]}}, "/input/force/axes", "missing-field"),
    ({"force": {"axes": ["z"]}}, "/input/force/values", "missing-field"), ({"force": {"axes": ["z"], "values": [1, 2]}}, "/input/force/values", "wrong-length"),
    ({"singularity_damping": 2}, "/input/singularity_damping", "range"), ({"frame": "nowhere"}, "/input/frame", "unknown-name"),
    ({"reference": {"setpoint": [0, 0, 0]}}, "/input/pose", "invalid-value"), ({"posture": {"k": 1}}, "/input/posture/k", "unknown-field"),
    ({"kind": "cartesian-impedance", "kp": None, "kd": None}, "/input/stiffness", "missing-field"),
    ({"kind": "cartesian-impedance", "kp": None, "kd": None, "stiffness": 1}, "/input/damping", "missing-field"),
    ({"kind": "cartesian-impedance", "kp": None, "kd": None, "stiffness": 1, "damping": 1, "damping_ratio": 1}, "/input/damping", "invalid-value")])
def test_refusals(robots, change, pointer, word):
    controller = {k: v for k, v in {**BASE, **change}.items() if v is not None}
    status, problem = post(robots, "gantry/simulate", {"initial": {"q": [0, 0, 0]}, "duration_s": 1, "input": controller})
    assert status in (400, 422), problem
    assert problem["errors"][0]["pointer"] == pointer and problem["type"].endswith(word), problem


@pytest.mark.parametrize("robot, q", [("arm-on-sphere-slipping", [0, -0.0179, -0.0569, 0, -1.4111, 0])])
def test_constraints_are_refused(daemon, robot, q):
    status, problem = post(daemon, f"{robot}/simulate", {"initial": {"q": q}, "duration_s": 1, "input": {**BASE, "frame": None}})
    assert status in (400, 422) and problem["errors"][0]["pointer"] == "/input/kind", problem
