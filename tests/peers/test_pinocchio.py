# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_pinocchio.py - our torques and mass matrices redone by Pinocchio, robot by robot.
"""The program `dump` beside the daemon prints random robots with our answers. Each is built again in Pinocchio, which shares
no code and no formula with us. Friction, springs and the virtual work of mimicking joints are added here by their definition.
"""
import json
import os
import subprocess

import pytest

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")

N_ROBOT = 200
LIMIT = 100.0 * np.finfo(float).eps  # times joints and terms: tests/property/README.md


def dump():
    program = os.path.join(os.path.dirname(os.environ.get("TORQUED", "build/release/torqued")), "tests", "peers", "dump")
    if not os.path.exists(program):
        return []
    lines = subprocess.run([program, str(N_ROBOT)], check=True, capture_output=True, timeout=120).stdout
    return [json.loads(line) for line in lines.splitlines()]


ROBOTS = dump()
NOT_PLANAR = [robot for robot in ROBOTS if all(joint["kind"] != "planar" for joint in robot["joints"])]  # rates have another frame there


def plane(axis):
    """Columns e, f, axis of a planar joint, as core/model/model.h defines them."""
    a, b, c = axis
    s = -1.0 if c < 0 else 1.0
    k = 1.0 / (1.0 + s * c)
    return np.array([[1 - a * a * k, -s * a * b * k, a], [-a * b * k, s * (1 - b * b * k), b], [-s * a, -b, c]])


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def joint_model(joint):
    axis = np.array(joint["axis"])
    return {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(axis),
        "continuous": pin.JointModelRUBZ,
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
        "planar": pin.JointModelPlanar,
        "spherical": pin.JointModelSpherical,
        "floating": pin.JointModelFreeFlyer,
    }[joint["kind"]]()


class Twin:
    """A robot of ours in Pinocchio. Mimicking joints move freely there and are tied together afterwards."""

    def __init__(self, robot):
        self.robot = robot
        self.model = pin.Model()
        self.model.gravity.linear = np.array(robot["gravity"])
        self.joint_of = {robot["root"]: 0}  # link -> Pinocchio's joint
        self.place = {robot["root"]: pin.SE3.Identity()}  # link frame in that joint's frame
        self.index = {}
        for number in robot["order"]:
            self.add(number, robot["joints"][number])
        for link, inertia in enumerate(robot["links"]):
            if inertia["mass"] > 0 and self.joint_of[link] != 0:
                xx, xy, xz, yy, yz, zz = inertia["about_com"]
                moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                body = pin.Inertia(inertia["mass"], np.array(inertia["com"]), moments)
                self.model.appendBodyToJoint(self.joint_of[link], body, self.place[link])
        self.data = self.model.createData()

    def add(self, number, joint):
        origin = pin.SE3(np.array(joint["r"]).reshape(3, 3), np.array(joint["p"]))
        at = self.place[joint["parent"]] * origin
        parent = self.joint_of[joint["parent"]]
        if joint["kind"] == "fixed":
            self.joint_of[joint["child"]] = parent
            self.place[joint["child"]] = at
            return
        inside = pin.SE3.Identity()
        if joint["kind"] in ("planar", "continuous"):  # theirs has only z: rotate the frame there and back
            basis = pin.SE3(plane(joint["axis"]), np.zeros(3))
            at = at * basis
            inside = basis.inverse()
        made = self.model.addJoint(parent, joint_model(joint), at, "j%d" % number)
        self.index[number] = made
        self.joint_of[joint["child"]] = made
        self.place[joint["child"]] = inside
        if joint["kind"] in ("revolute", "continuous", "prismatic"):
            inertia, ratio = joint["rotor"]
            armature = self.model.armature
            armature[self.model.idx_vs[made]] = ratio * ratio * inertia
            self.model.armature = armature

    def rows(self, number):
        """Our q and v rows of a joint, through its master if it mimics, with the factor."""
        joint = self.robot["joints"][number]
        if joint["mimic"] < 0:
            return joint["q"], joint["v"], 1.0, 0.0
        master = self.robot["joints"][joint["mimic"]]
        return master["q"], master["v"], joint["follow"][0], joint["follow"][1]

    def state(self, q, qd, qdd):
        """Their q, v, a from ours."""
        their_q = pin.neutral(self.model)
        v = np.zeros(self.model.nv)
        a = np.zeros(self.model.nv)
        for number, made in self.index.items():
            kind = self.robot["joints"][number]["kind"]
            iq, iv = self.model.idx_qs[made], self.model.idx_vs[made]
            kq, kv, factor, offset = self.rows(number)
            if kind in ("revolute", "continuous", "prismatic"):
                x = factor * q[kq] + offset
                if kind == "continuous":
                    their_q[iq : iq + 2] = np.cos(x), np.sin(x)
                else:
                    their_q[iq] = x
                v[iv], a[iv] = factor * qd[kv], factor * qdd[kv]
            elif kind == "planar":
                back = turn(-q[kq + 2])  # their velocity is expressed in the moving frame
                w = qd[kv + 2]
                speed = back @ qd[kv : kv + 2]
                their_q[iq : iq + 4] = q[kq], q[kq + 1], np.cos(q[kq + 2]), np.sin(q[kq + 2])
                v[iv : iv + 3] = *speed, w
                a[iv : iv + 3] = *(back @ qdd[kv : kv + 2] - w * np.array([-speed[1], speed[0]])), qdd[kv + 2]
            else:
                n = 3 if kind == "floating" else 0
                h = q[kq + n : kq + n + 4] / np.linalg.norm(q[kq + n : kq + n + 4])
                their_q[iq : iq + n] = q[kq : kq + n]
                their_q[iq + n : iq + n + 4] = h[1], h[2], h[3], h[0]
                v[iv : iv + 3 + n] = qd[kv : kv + 3 + n]
                a[iv : iv + 3 + n] = qdd[kv : kv + 3 + n]
        return their_q, v, a

    def jacobian(self, q):
        """Their rates from ours, dv/dqd: mimicry and the planar joint's frame."""
        j = np.zeros((self.model.nv, self.robot["nv"]))
        for number, made in self.index.items():
            kind = self.robot["joints"][number]["kind"]
            iv = self.model.idx_vs[made]
            kq, kv, factor, _ = self.rows(number)
            if kind in ("revolute", "continuous", "prismatic"):
                j[iv, kv] = factor
            elif kind == "planar":
                j[iv : iv + 2, kv : kv + 2] = turn(-q[kq + 2])
                j[iv + 2, kv + 2] = 1.0
            else:
                n = 6 if kind == "floating" else 3
                j[iv : iv + n, kv : kv + n] = np.eye(n)
        return j

    def external(self, their_q):
        """The wrench as a spatial force on its joint, in that joint's frame."""
        wrench = self.robot["wrench"]
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        made = self.joint_of[wrench["link"]]
        pin.forwardKinematics(self.model, self.data, their_q)
        place = self.place[wrench["link"]]
        value = pin.Force(np.array(wrench["value"]))
        if wrench["frame"] == "world":
            back = (self.data.oMi[made] * place).rotation.T
            value = pin.Force(back @ value.linear, back @ value.angular)
        at = place * pin.SE3(np.eye(3), np.array(wrench["at"]))
        forces[made] = at.act(value)
        return forces

    def own_terms(self, q, qd):
        """Friction and springs of our rows."""
        tau = np.zeros(self.robot["nv"])
        for number, joint in enumerate(self.robot["joints"]):
            if joint["kind"] not in ("revolute", "continuous", "prismatic"):
                continue
            kq, kv, factor, offset = self.rows(number)
            x, rate = factor * q[kq] + offset, factor * qd[kv]
            viscous, coulomb, breakaway, stribeck, smoothing, constant = joint["friction"]
            level = coulomb
            if stribeck > 0:
                level += (breakaway - coulomb) * np.exp(-((rate / stribeck) ** 2))
            sign = np.tanh(rate / smoothing) if smoothing > 0 else np.sign(rate)
            stiffness, rest = joint["spring"]
            tau[kv] += factor * (viscous * rate + level * sign + constant + stiffness * (x - rest))
        return tau


def worst(ours, theirs, terms, n_joint):
    error = np.abs(np.asarray(ours) - theirs)
    allowed = LIMIT * n_joint * np.asarray(terms)
    assert np.all(np.isfinite(error))
    return np.max(np.where(error > 0, error - allowed, -1.0), initial=-1.0)


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("seed", range(N_ROBOT))
def test_inverse_dynamics(seed):
    robot = ROBOTS[seed]
    twin = Twin(robot)
    q, qd, qdd = (np.array(robot[name]) for name in ("q", "qd", "qdd"))
    their_q, v, a = twin.state(q, qd, qdd)
    tau = pin.rnea(twin.model, twin.data, their_q, v, a, twin.external(their_q))
    theirs = twin.jacobian(q).T @ tau + twin.own_terms(q, qd)
    assert worst(robot["tau"], theirs, robot["terms"], robot["n_joint"]) <= 0


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("seed", range(N_ROBOT))
def test_mass_matrix(seed):
    robot = ROBOTS[seed]
    twin = Twin(robot)
    q = np.array(robot["q"])
    zero = np.zeros(robot["nv"])
    their_q, _, _ = twin.state(q, zero, zero)
    upper = np.triu(pin.crba(twin.model, twin.data, their_q))
    mass = upper + upper.T - np.diag(np.diag(upper))
    j = twin.jacobian(q)
    assert worst(robot["mass"], (j.T @ mass @ j).ravel(), robot["mass_terms"], robot["n_joint"]) <= 0


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("seed", range(N_ROBOT))
def test_derivatives(seed):
    """Of the rigid bodies; a planar joint's rates stand in another frame there, so those robots have no twin here."""
    robot = ROBOTS[seed]
    if any(joint["kind"] == "planar" for joint in robot["joints"]):
        return
    twin = Twin(robot)
    q, qd, qdd = (np.array(robot[name]) for name in ("q", "qd", "qdd"))
    pin.computeRNEADerivatives(twin.model, twin.data, *twin.state(q, qd, qdd))
    j = twin.jacobian(q)
    n = robot["nv"]
    # sums over a chain of up to 40 joints, with arms from the world origin: some 1e4 eps of the largest
    for ours, theirs in (("by_q", twin.data.dtau_dq), ("by_qd", twin.data.dtau_dv)):
        theirs = j.T @ theirs @ j
        scale = max(np.max(np.abs(theirs), initial=1.0), np.max(robot["terms"], initial=0.0))
        assert np.max(np.abs(np.reshape(robot[ours], (n, n)) - theirs), initial=0.0) <= 1e-11 * scale


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("seed", range(N_ROBOT))
def test_the_jacobian_of_the_centre_of_mass(seed):
    """Theirs leaves the mass of what is fixed to the world out of the mean; ours counts every link."""
    robot = ROBOTS[seed]
    twin = Twin(robot)
    zero = np.zeros(robot["nv"])
    their_q, _, _ = twin.state(np.array(robot["q"]), zero, zero)
    theirs = np.reshape(pin.jacobianCenterOfMass(twin.model, twin.data, their_q), (3, twin.model.nv))  # of one joint it is flat
    theirs = theirs @ twin.jacobian(np.array(robot["q"]))
    mass = sum(link["mass"] for link in robot["links"])
    theirs = theirs * (twin.data.mass[0] / mass if mass > 0 else 0.0)
    ours = np.reshape(robot["com_jacobian"], (3, robot["nv"]))
    # means over chains of up to 40 links, with arms from the world origin
    scale = np.max(np.abs(theirs), initial=1.0)
    assert np.max(np.abs(ours - theirs), initial=0.0) <= 1e-12 * scale


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
def test_a_wrong_mass_is_seen():
    """The rule can fail: a mass wrong in its ninth digit."""
    robot = json.loads(json.dumps(ROBOTS[4]))
    last = robot["joints"][robot["order"][-1]]["child"]
    robot["links"][last]["mass"] *= 1 + 1e-8
    twin = Twin(robot)
    q, qd, qdd = (np.array(robot[name]) for name in ("q", "qd", "qdd"))
    their_q, v, a = twin.state(q, qd, qdd)
    tau = pin.rnea(twin.model, twin.data, their_q, v, a, twin.external(their_q))
    theirs = twin.jacobian(q).T @ tau + twin.own_terms(q, qd)
    assert worst(robot["tau"], theirs, robot["terms"], robot["n_joint"]) > 0


@pytest.mark.skipif(not ROBOTS, reason="tests/peers/dump is not built")
@pytest.mark.parametrize("number", range(len(NOT_PLANAR)))
def test_centroidal_momentum_and_its_rate(number):
    """Their centre of mass leaves out what is fixed to
    the world: L_c' = L_c + (c - c') x p."""
    robot = NOT_PLANAR[number]
    twin = Twin(robot)
    q, qd = np.array(robot["q"]), np.array(robot["qd"])
    their_q, v, _ = twin.state(q, qd, np.zeros(robot["nv"]))
    j = twin.jacobian(q)
    pin.dccrba(twin.model, twin.data, their_q, v)
    pin.centerOfMass(twin.model, twin.data, their_q, v)
    fixed = [(x["mass"], twin.place[link].act(np.array(x["com"]))) for link, x in enumerate(robot["links"]) if twin.joint_of[link] == 0]
    mass = sum(x["mass"] for x in robot["links"])
    moving = twin.data.mass[0]
    com, velocity = twin.data.com[0], twin.data.vcom[0]
    off = com - (moving * com + sum(m * c for m, c in fixed)) / mass
    off_rate = velocity * (1 - moving / mass)
    matrix, rate = (np.reshape(x, (6, -1)).copy() for x in (twin.data.Ag, twin.data.dAg))  # of one joint they are flat
    rate[3:] += np.cross(off_rate, matrix[:3].T).T + np.cross(off, rate[:3].T).T
    matrix[3:] += np.cross(off, matrix[:3].T).T
    scale = max(1.0, np.abs(matrix).max(initial=0.0), np.abs(rate).max(initial=0.0)) * max(1.0, np.abs(v).max(initial=0.0))
    for name, theirs in (("centroidal", matrix @ j), ("centroidal_rate", rate @ j), ("centroidal_bias", rate @ v)):
        ours = np.reshape(robot[name], theirs.shape)
        # sums over a chain of up to 40 joints, with arms from the world origin
        assert np.max(np.abs(ours - theirs), initial=0.0) <= 1e-11 * scale, name
