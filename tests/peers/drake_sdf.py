# SPDX-License-Identifier: Apache-2.0
# tests/peers/drake_sdf.py - what Drake, by libsdformat, makes of SDF: masses, mass matrix, gravity torque and inverse dynamics in our coordinates.
"""Drake's velocities v are T of ours: the base's twist is in the axes of the world there and in those of the base here, as is a ball's rate; what
follows another joint is a multiple of its rate. So M is T' M T, and torques are T' tau with dv/dt = dT/dt v."""

import logging
import xml.etree.ElementTree as ET

import numpy as np
import pydrake.math
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

logging.getLogger("drake").setLevel(logging.ERROR)


def rotation(quaternion):
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def is_of_a_body(inertial):
    """Mass above 0, and no principal moment above the sum of the others."""
    xx, xy, xz, yy, yz, zz = (float(inertial.findtext(f"inertia/{name}", "1" if name[1] == name[2] else "0")) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(inertial.findtext("mass", "1")) > 0.0 and moments[0] > 0.0 and moments[2] <= moments[0] + moments[1]


def plain(text):
    """The file in words that libsdformat and Drake take, for both readers: (text, what was changed).

    Shapes, sensors and plugins go, which have no effect here; masses of 0 and moments that no body has, for which Drake takes others, become the format's
    defaults; a second model of one name, and a link named "world", get other names; joints that close loops, and gearboxes, go: Drake has no such models."""
    tree, changes = ET.fromstring(text), set()
    parents = {part: parent for parent in tree.iter() for part in parent}
    for tag in ("collision", "visual", "contact", "sensor", "plugin", "light", "gui", "physics", "scene", "state", "include", "audio"):
        for part in list(tree.iter(tag)):
            parents[part].remove(part)
    for link in list(tree.iter("link")):
        inertial = link.find("inertial")
        if inertial is not None and not is_of_a_body(inertial):
            link.remove(inertial)
            changes.add("inertias of no body")
        if link.get("name") == "world":
            link.set("name", "earth")
            changes.add("a link named world")
            for end in [end for tag in ("parent", "child") for end in parents[link].iter(tag) if (end.text or "").strip() == "world"]:
                end.text = "earth"
    names = set()
    for model in tree.iter("model"):
        while model.get("name") in names:
            model.set("name", model.get("name") + "_again")
            changes.add("models of one name")
        names.add(model.get("name"))
        carried = set()
        for joint in model.findall("joint"):
            child = joint.findtext("child")
            if child in carried or joint.get("type") == "gearbox":
                model.remove(joint)
                changes.add("loops")
            carried.add(child)
    return ET.tostring(tree, encoding="unicode"), changes


class Peer:
    """robot: our document of the same text. Raises what Drake raises where it does not read it."""

    def __init__(self, text, robot):
        self.robot, self.plant = robot, MultibodyPlant(0.0)
        own = "{urn:torqued:robot}name"
        self.own = {part.get("name"): part.findtext(own) for part in ET.fromstring(text).iter() if part.find(own) is not None}
        Parser(self.plant).AddModelsFromString(text, "sdf")
        self.plant.mutable_gravity_field().set_gravity_vector(robot["gravity"])
        world = self.plant.world_body().index()
        carried = {self.plant.get_joint(i).child_body().index() for i in self.plant.GetJointIndices()}
        free = {joint["child"] for joint in robot["joints"] if joint["kind"] == "floating"}
        for k in range(self.plant.num_bodies()):
            body = self.plant.get_body(BodyIndex(k))
            if body.index() != world and body.index() not in carried and self.name(body) not in free:
                self.plant.WeldFrames(self.plant.world_frame(), body.body_frame(), self.plant.GetDefaultFloatingBaseBodyPose(body))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        self.bodies = {self.name(body): body for k in range(1, self.plant.num_bodies()) for body in [self.plant.get_body(BodyIndex(k))]}
        self.joints = {self.name(joint): joint for i in self.plant.GetJointIndices() for joint in [self.plant.get_joint(i)]}

    def name(self, thing):
        """The robot's: with the model, where the file has several."""
        model = self.plant.GetModelInstanceName(thing.model_instance())
        names = {joint["name"] for joint in self.robot["joints"]} | {link["name"] for link in self.robot["links"]}
        whole = f"{model}::{thing.name()}"
        return whole if whole in names else self.own.get(thing.name(), thing.name())

    def masses(self):
        """(ours, Drake's) of each link that both have."""
        return [(link["mass"], self.bodies[link["name"]].default_mass()) for link in self.robot["links"] if link["name"] in self.bodies]

    def state(self, rng):
        """(q, v) of ours, and Drake's context set to the same."""
        robot, plant, context = self.robot, self.plant, self.context
        q, v = np.zeros(robot["nq"]), np.zeros(robot["nv"])
        self.T, self.bias = np.zeros((plant.num_velocities(), robot["nv"])), np.zeros(plant.num_velocities())
        positions = np.zeros(plant.num_positions())
        followers = []
        for joint in robot["joints"]:
            at, k = joint["q"]["index"], joint["v"]["index"]
            if joint.get("mimic"):
                followers.append(joint)
            elif joint["kind"] == "floating":
                body = self.bodies[joint["child"]]
                quaternion, x, twist = rng.normal(size=4), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 6)
                quaternion /= np.linalg.norm(quaternion)
                q[at:at + 7], v[k:k + 6], r = [*x, *quaternion], twist, rotation(quaternion)
                i, d = body.floating_positions_start(), body.floating_velocities_start_in_v()
                positions[i:i + 7] = [*quaternion, *x]
                self.T[d:d + 3, k + 3:k + 6] = self.T[d + 3:d + 6, k:k + 3] = r
                self.bias[d + 3:d + 6] = r @ np.cross(twist[3:], twist[:3])
            elif joint["kind"] == "spherical":
                theirs = self.joints[joint["name"]]
                quaternion, rate = rng.normal(size=4), rng.uniform(-1, 1, 3)
                quaternion /= np.linalg.norm(quaternion)
                q[at:at + 4], v[k:k + 3], r = quaternion, rate, rotation(quaternion)
                i, d = theirs.position_start(), theirs.velocity_start()
                positions[i:i + 3] = pydrake.math.RollPitchYaw(pydrake.math.RotationMatrix(r)).vector()
                self.T[d:d + 3, k:k + 3] = r
            elif joint["v"]["count"] == 1:
                theirs = self.joints[joint["name"]]
                q[at], v[k] = rng.uniform(-1, 1, 2)
                positions[theirs.position_start()], self.T[theirs.velocity_start(), k] = q[at], 1.0
        for joint in followers:
            leader = next(one for one in robot["joints"] if one["name"] == joint["mimic"]["joint"])
            theirs = self.joints[joint["name"]]
            positions[theirs.position_start()] = joint["mimic"]["multiplier"] * q[leader["q"]["index"]] + joint["mimic"]["offset"]
            self.T[theirs.velocity_start(), leader["v"]["index"]] = joint["mimic"]["multiplier"]
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, self.T @ v)
        return q, v

    def terms(self, q, v):
        """Of the state that was set last; friction, springs and rotors of our document by definition."""
        plant, context, robot = self.plant, self.context, self.robot
        full = plant.CalcMassMatrixViaInverseDynamics(context)
        gravity = -plant.CalcGravityGeneralizedForces(context)
        m, g = self.T.T @ full @ self.T, self.T.T @ gravity
        tau = self.T.T @ (full @ self.bias + plant.CalcBiasTerm(context)) + g
        for joint in robot["joints"]:
            k = joint["v"]["index"]
            if joint["v"]["count"] == 1 and not joint.get("mimic"):
                m[k, k] += joint["rotor"]["inertia"] * joint["rotor"]["ratio"] ** 2
                tau[k] += joint["damping"] * v[k] + joint["friction"]["coulomb"] * np.sign(v[k])
                tau[k] += joint["spring"]["stiffness"] * (q[joint["q"]["index"]] - joint["spring"]["rest"])
        return {"tau": tau, "mass_matrix": m, "gravity_torque": g}

    def damping(self):
        """(ours, Drake's) of each joint of one freedom."""
        return [(joint["damping"], float(self.joints[joint["name"]].default_damping_vector()[0])) for joint in self.robot["joints"]
                if joint["v"]["count"] == 1 and joint["name"] in self.joints]
