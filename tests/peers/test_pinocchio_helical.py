# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_pinocchio_helical.py - helical and universal joints redone by Pinocchio's own, and by MuJoCo from what we write as MJCF.
"""Pinocchio has both as joints of one and two freedoms. In an MJCF the slide of a thread is a coordinate of its own, coupled by <equality>: MuJoCo's
torques and mass matrix there, times the slope of the coupling, are ours."""
import json
import math

import pytest

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")
mujoco = pytest.importorskip("mujoco")
from test_mujoco_mjcf import daemon  # noqa: E402, F401

GRAVITY = [0.5, -1.0, -9.0]
KINDS = ["helical", "helical", "universal", "revolute", "prismatic"]


def unit(rng):
    w = rng.normal(size=3)
    return w / np.linalg.norm(w)


def tree(rng, n):
    links, joints = [{"name": "base"}], []
    for k in range(n):
        kind = str(rng.choice(KINDS))
        axis = unit(rng)
        joints.append({"name": f"j{k}", "kind": kind, "parent": links[int(rng.integers(max(0, k - 2), k + 1))]["name"], "child": f"l{k}", "axis": list(axis),
                       "origin": {"position": list(rng.uniform(-0.4, 0.4, 3)), "rpy": list(rng.uniform(-2, 2, 3))}})
        if kind == "helical":
            joints[-1]["pitch"] = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-2.5, 0.3))
        if kind == "universal":
            joints[-1]["axis2"] = list(np.cross(axis, unit(rng)))
        root = rng.normal(size=(3, 4)) * 0.1
        points = root @ root.T
        tensor = np.trace(points) * np.eye(3) - points
        links.append({"name": f"l{k}", "mass": float(rng.uniform(0.1, 4)), "com": list(rng.uniform(-0.3, 0.3, 3)), "inertia_about": "com", "inertia": (0.5 * (tensor + tensor.T)).tolist()})
    return {"gravity": GRAVITY, "links": links, "joints": joints}


def depth_first(robot, name):
    """Joints with their links in the order that Pinocchio's mass matrix takes for granted."""
    for joint, link in zip(robot["joints"], robot["links"][1:], strict=True):
        if joint["parent"] == name:
            yield joint, link
            yield from depth_first(robot, link["name"])


def twin(robot):
    model = pin.Model()
    model.gravity.linear = np.array(robot["gravity"])
    joint_of = {"base": 0}
    for joint, link in depth_first(robot, "base"):
        axis = np.array(joint["axis"])
        made = {"helical": lambda: pin.JointModelHelicalUnaligned(axis, joint["pitch"] / (2 * math.pi)), "revolute": lambda: pin.JointModelRevoluteUnaligned(axis),
                "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
                "universal": lambda: pin.JointModelUniversal(axis, np.array(joint["axis2"]) / np.linalg.norm(joint["axis2"]))}[joint["kind"]]()
        at = pin.SE3(pin.rpy.rpyToMatrix(np.array(joint["origin"]["rpy"])), np.array(joint["origin"]["position"]))
        joint_of[link["name"]] = model.addJoint(joint_of[joint["parent"]], made, at, joint["name"])
        model.appendBodyToJoint(joint_of[link["name"]], pin.Inertia(link["mass"], np.array(link["com"]), np.array(link["inertia"])), pin.SE3.Identity())
    return model, joint_of


def ask(daemon, path, body, method="POST"):  # noqa: F811
    status, _, text = daemon.request(method, f"/v1/robots/{path}", json.dumps(body), {"Content-Type": "application/json"})
    assert status in (200, 201), text
    return json.loads(text)


def rows_of(model, robot):
    """Pinocchio's row of each of our rows: ours are in the order of the joints, theirs in that of the tree, depth first."""
    rows = []
    for joint in robot["joints"]:
        number = model.getJointId(joint["name"])
        rows += range(model.idx_vs[number], model.idx_vs[number] + model.nvs[number])
    return rows


def near(a, b, slack):
    a, b = np.array(a), np.array(b)
    return np.abs(a - b).max() <= slack * max(1.0, np.abs(b).max())


def test_pinocchio_has_the_same_numbers(daemon):  # noqa: F811
    rng = np.random.default_rng(11)
    kinds = set()
    for _ in range(60):
        robot = tree(rng, int(rng.integers(1, 9)))
        kinds |= {joint["kind"] for joint in robot["joints"]}
        ask(daemon, "twin", robot, "PUT")
        model, joint_of = twin(robot)
        data, rows = model.createData(), rows_of(model, robot)
        q, qd, qdd = (rng.uniform(-4, 4, model.nv) for _ in range(3))
        theirs = [np.zeros(model.nv) for _ in range(3)]
        for mine, their in zip((q, qd, qdd), theirs, strict=True):
            their[rows] = mine
        tau = pin.rnea(model, data, *theirs)
        mass = pin.crba(model, data, theirs[0])
        mass = np.triu(mass) + np.triu(mass, 1).T
        ours = ask(daemon, "twin/inverse-dynamics", {"q": list(q), "qd": list(qd), "qdd": list(qdd), "include": ["mass_matrix", "gravity_torque"]})
        assert near(ours["tau"], tau[rows], 1e-12)
        assert near(ours["mass_matrix"], mass[np.ix_(rows, rows)], 1e-12)
        assert near(ours["gravity_torque"], pin.computeGeneralizedGravity(model, data, theirs[0])[rows], 1e-12)
        want = np.zeros(model.nv)
        want[rows] = rng.uniform(-1, 1, model.nv)
        fast = ask(daemon, "twin/forward-dynamics", {"q": list(q), "qd": list(qd), "tau": list(want[rows])})
        assert near(fast["qdd"], pin.aba(model, data, theirs[0], theirs[1], want)[rows], 1e-12 * max(1e2, np.linalg.cond(mass)))
        pin.forwardKinematics(model, data, theirs[0])
        names = [link["name"] for link in robot["links"][1:]]
        for row in ask(daemon, "twin/kinematics", {"q": list(q), "frames": names})["frames"]:
            at = data.oMi[joint_of[row["link"]]]
            assert near(row["position"], at.translation, 1e-13) and near(row["rotation"], at.rotation, 1e-13)
    assert kinds == set(KINDS)


def test_mujoco_has_the_same_numbers_of_the_export(daemon):  # noqa: F811
    """MuJoCo takes 1e-15 kg for the links without mass between: of that size are the differences."""
    rng = np.random.default_rng(12)
    for _ in range(30):
        about = ask(daemon, "twin", tree(rng, int(rng.integers(1, 7))), "PUT")
        status, _, text = daemon.request("GET", "/v1/robots/twin?format=mjcf")
        assert status == 200, text
        model = mujoco.MjModel.from_xml_string(text.decode())
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        data = mujoco.MjData(model)
        slope = np.zeros((model.nv, about["nv"]))  # of their coordinates by ours
        for joint in about["joints"]:
            row = model.joint(joint["name"]).dofadr[0]
            slope[row, joint["q"]["index"]] = joint["mimic"]["multiplier"] if "mimic" in joint else 1.0
        q, qd, qdd = (rng.uniform(-4, 4, about["nv"]) for _ in range(3))
        data.qpos[:], data.qvel[:], data.qacc[:] = slope @ q, slope @ qd, slope @ qdd
        mujoco.mj_inverse(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        ours = ask(daemon, "twin/inverse-dynamics", {"q": list(q), "qd": list(qd), "qdd": list(qdd), "include": ["mass_matrix"]})
        assert near(ours["tau"], slope.T @ data.qfrc_inverse, 1e-9)
        assert near(ours["mass_matrix"], slope.T @ full @ slope, 1e-9)
