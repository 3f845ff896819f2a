# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robot_export.py - URDF -> document -> MJCF -> SDF -> URDF: the same dynamics after each
# step, also in MuJoCo and Pinocchio.
"""Robots with the structure of real ones (trees, prismatic joints, a free base, rotated inertias, ball joints,
planar bases) are built from a seed. Coordinates are matched by joint names; a free joint, whose name SDF does
not keep, is the only one of its kind."""
import importlib
import json
import math
import random

import pytest

JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/xml"}
TERMS = ["mass_matrix", "gravity_torque", "tau"]


def numbers(xs):
    return " ".join(f"{x:.17g}" for x in xs)


def tree(seed, n, kinds, branch):
    """URDF with n joints; each inertia is that of two small boxes, rotated in the link."""
    rng = random.Random(seed)
    text = '<robot name="r"><link name="base"><inertial><origin xyz="0 0.01 0"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>'
    for k in range(n):
        kind = kinds[k % len(kinds)]
        a, b, c = (rng.uniform(0.02, 0.05) for _ in range(3))
        parent = "base" if k == 0 else f"l{max(0, k - 1 - (rng.randrange(3) if branch else 0))}"
        rpy = [rng.uniform(-1.5, 1.5) for _ in range(3)]
        axis = [rng.uniform(-1, 1) for _ in range(3)] if k % 2 else [0, 0, 1]
        text += (f'<link name="l{k}"><inertial><origin xyz="{numbers([rng.uniform(-0.1, 0.1) for _ in range(3)])}" rpy="{numbers([rng.uniform(-1, 1) for _ in range(3)])}"/>'
                 f'<mass value="{rng.uniform(0.3, 4)!r}"/><inertia ixx="{b + c!r}" iyy="{a + c!r}" izz="{a + b!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                 f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>'
                 f'<origin xyz="{numbers([rng.uniform(-0.4, 0.4) for _ in range(3)])}" rpy="{numbers(rpy)}"/><axis xyz="{numbers(axis)}"/>'
                 f'<limit lower="-2" upper="2.5" effort="9" velocity="7"/>')
        if kind not in ("fixed", "floating", "planar"):
            text += (f'<dynamics damping="{rng.uniform(0, 2)!r}" friction="{rng.uniform(0, 1)!r}"/>'
                     f'<torqued:friction breakaway="{rng.uniform(1, 2)!r}" stribeck_velocity="0.4" smoothing="0.01" offset="0.05"/>'
                     f'<torqued:spring stiffness="{rng.uniform(0, 9)!r}" rest="0.2"/><torqued:rotor inertia="{rng.uniform(0, 1e-3)!r}" ratio="30"/>')
        text += "</joint>"
    return text.replace("<robot ", '<robot xmlns:torqued="urn:torqued:robot" ') + "</robot>"


ROBOTS = {
    "arm": tree(1, 7, ["revolute"], False),
    "gantry": tree(2, 5, ["prismatic", "prismatic", "continuous", "fixed", "revolute"], False),
    "tree": tree(3, 14, ["revolute", "prismatic", "fixed", "continuous"], True),
    "hand": tree(4, 20, ["revolute", "revolute", "continuous"], True),
    "cart": tree(5, 5, ["planar", "revolute", "fixed", "prismatic", "revolute"], False),
    "deep": tree(6, 40, ["revolute", "fixed"], False),
}
BASES = {"walker": "tree", "hovering-arm": "arm", "carrier": "tree"}
BUILTIN = ["panda", "quadruped", "humanoid", "spherical-pendulum", "ur10e", "sprung-pendulum"]


def put(daemon, name, body, kind=XML):
    status, _, text = daemon.request("PUT", f"/v1/robots/{name}", body, kind)
    assert status in (200, 201), text
    return json.loads(text.decode() if isinstance(text, bytes) else text)


def get(daemon, name, form):
    status, headers, text = daemon.request("GET", f"/v1/robots/{name}?format={form}")
    assert status == 200, text
    assert headers["ETag"].startswith("W/") == (form not in ("json", "document"))
    return text


def begin(daemon, name):
    if name in BASES:
        base = "planar" if name == "carrier" else "floating"
        return put(daemon, f"x-{name}?base={base}", ROBOTS[BASES[name]].encode())
    if name == "balls":
        robot = put(daemon, "x-tree", ROBOTS["tree"].encode())
        for joint in robot["joints"]:
            if joint["name"] in ("j1", "j8"):
                joint["kind"] = "spherical"
                for key in ("axis", "limits", "damping", "friction", "spring", "rotor"):
                    del joint[key]
        return put(daemon, "x-balls", json.dumps(robot), JSON)
    if name in ROBOTS:
        return put(daemon, f"x-{name}", ROBOTS[name].encode())
    return put(daemon, f"x-{name}", get(daemon, name, "json"), JSON)


def axes(robot):
    """{name that all formats keep: (rows of q, rows of qd)}; the three freedoms of a planar joint have a name each."""
    rows, several = {}, sum(joint["kind"] == "floating" for joint in robot["joints"]) > 1
    for joint in robot["joints"]:
        q, v = joint["q"], joint["v"]
        if v["count"] == 0 or joint.get("mimic"):
            continue
        if joint["kind"] == "planar":
            for k, ending in enumerate(("_x", "_y", "")):
                rows[joint["name"] + ending] = [q["index"] + k], [v["index"] + k]
        else:
            name = joint["name"] if joint["kind"] != "floating" else f"free {joint['child']}" if several else "free"
            rows[name] = list(range(q["index"], q["index"] + q["count"])), list(range(v["index"], v["index"] + v["count"]))
    return rows


def unit(rng):
    x = [rng.gauss(0, 1) for _ in range(4)]
    size = math.sqrt(sum(a * a for a in x))
    return [a / size for a in x]


def state(rows, seed):
    """q, qd, qdd of each axis."""
    rng = random.Random(seed)
    at = {}
    for name in sorted(rows):
        q, v = rows[name]
        xs = [rng.uniform(-1, 1) for _ in v]
        if len(q) != len(v):
            xs = xs[:len(q) - 4] + unit(rng)
        at[name] = xs, [rng.uniform(-1, 1) for _ in v], [rng.uniform(-1, 1) for _ in v]
    return at


def spread(robot, rows, at, which):
    xs = [0.0] * (robot["nq"] if which == 0 else robot["nv"])
    for name, axis in rows.items():
        for row, x in zip(axis[0 if which == 0 else 1], at[name][which], strict=True):
            xs[row] = x
    return xs


def dynamics(daemon, name, robot, rows, at):
    body = {"q": spread(robot, rows, at, 0), "qd": spread(robot, rows, at, 1), "qdd": spread(robot, rows, at, 2), "include": TERMS[:2]}
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/inverse-dynamics", json.dumps(body), JSON)
    assert status == 200, text
    answer, order = json.loads(text), [v for axis in sorted(rows) for v in rows[axis][1]]
    return {"tau": [answer["tau"][v] for v in order], "gravity_torque": [answer["gravity_torque"][v] for v in order],
            "mass_matrix": [answer["mass_matrix"][a][b] for a in order for b in order]}


def assert_near(got, want, bound, what):
    for term in TERMS:
        scale = max(map(abs, want[term])) or max(map(abs, want["tau"]))
        worst = max(abs(a - b) for a, b in zip(got[term], want[term], strict=True))
        assert worst <= bound * scale, (what, term, worst, scale)


@pytest.mark.parametrize("name", ["balls", *ROBOTS, *BASES, *BUILTIN])
def test_a_round_trip_through_all_formats_keeps_the_dynamics(daemon, name):
    robot = begin(daemon, name)
    rows = axes(robot)
    balls = any(joint["kind"] == "spherical" for joint in robot["joints"])
    forms = ["json", "mjcf", "sdf"] + ([] if balls else ["urdf"])
    wants = [dynamics(daemon, f"x-{name}", robot, rows, state(rows, seed)) for seed in range(3)]
    mass = sum(link["mass"] for link in robot["links"])
    last = f"x-{name}"
    for form in forms:
        text = get(daemon, last, form)
        again = put(daemon, f"{last[:60]}-{form}", text, JSON if form == "json" else XML)
        # motors are read as the joints that are driven, and their forces ignored
        assert form == "json" or all(one["where"].startswith("mujoco/actuator") for one in again["ignored"]), again["ignored"]
        assert form not in ("json", "mjcf") or sorted(again.get("actuated", [])) == sorted(robot.get("actuated", [])), form
        last = f"{last[:60]}-{form}"
        there = axes(again)
        assert set(there) == set(rows), form
        assert abs(sum(link["mass"] for link in again["links"]) - mass) <= 1e-12 * mass
        for seed, want in enumerate(wants):
            assert_near(dynamics(daemon, last, again, there, state(rows, seed)), want, 1e-12, form)


@pytest.mark.parametrize("name", ["arm", "gantry", "tree", "walker", "carrier", "panda", "balls"])
def test_mujoco_reads_the_same_robot(daemon, name):
    mujoco, np = pytest.importorskip("mujoco"), pytest.importorskip("numpy")
    robot = begin(daemon, name)
    text = get(daemon, f"x-{name}", "mjcf")
    again = put(daemon, f"x-{name}-mjcf", text)
    try:
        model = mujoco.MjModel.from_xml_string(text.decode() if isinstance(text, bytes) else text)
    except ValueError as why:
        pytest.fail(f"MuJoCo does not read it: {why}")
    rows, data = axes(again), mujoco.MjData(model)
    at = state(rows, 9)
    got = dynamics(daemon, f"x-{name}-mjcf", again, rows, at)
    for j in range(model.njnt):
        free = model.jnt_type[j] == 0
        kept = at["free" if free else model.joint(j).name][0]
        first = model.jnt_qposadr[j]
        data.qpos[first:first + len(kept)] = kept
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    turn, order = np.eye(model.nv), []
    names = {("free" if model.jnt_type[j] == 0 else model.joint(j).name): j for j in range(model.njnt)}
    for axis in sorted(rows):
        j = names[axis]
        first = model.jnt_dofadr[j]
        order += range(first, first + len(rows[axis][1]))
        if axis == "free":  # our linear velocity is in body axes, MuJoCo's in world axes
            w = np.zeros(9)
            mujoco.mju_quat2Mat(w, data.qpos[model.jnt_qposadr[j] + 3:model.jnt_qposadr[j] + 7])
            turn[first:first + 3, first:first + 3] = w.reshape(3, 3)
    matrix = (turn.T @ matrix @ turn)[np.ix_(order, order)]
    gravity = (turn.T @ data.qfrc_bias)[order]
    assert abs(model.body_mass.sum() - sum(link["mass"] for link in robot["links"])) < 1e-9
    assert np.abs(np.array(got["mass_matrix"]) - matrix.ravel()).max() <= 1e-9 * np.abs(matrix).max()
    assert np.abs(np.array(got["gravity_torque"]) - gravity).max() <= 1e-9 * np.abs(gravity).max()


@pytest.mark.parametrize("name", ["arm", "gantry", "tree", "panda"])
def test_pinocchio_reads_the_same_robot(daemon, name):
    pytest.importorskip("pinocchio")
    pin, np = importlib.import_module("pinocchio"), pytest.importorskip("numpy")
    robot = begin(daemon, name)
    put(daemon, f"x-{name}-sdf", get(daemon, f"x-{name}", "sdf"))
    text = get(daemon, f"x-{name}-sdf", "urdf")
    model = pin.buildModelFromXML(text.decode() if isinstance(text, bytes) else text)
    rows, data, q, order = axes(robot), model.createData(), pin.neutral(model), []
    at = state(rows, 5)
    for axis in sorted(rows):
        joint = model.joints[model.getJointId(axis)]
        x = at[axis][0][0]
        q[joint.idx_q:joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [math.cos(x), math.sin(x)]
        order.append(joint.idx_v)
    got = dynamics(daemon, f"x-{name}", robot, rows, at)
    gravity = pin.computeGeneralizedGravity(model, data, q)[order]
    rotors = np.diag([next(j["rotor"]["inertia"] * j["rotor"]["ratio"] ** 2 for j in robot["joints"] if j["name"] == axis) for axis in sorted(rows)])
    matrix = pin.crba(model, data, q)
    matrix = (np.triu(matrix) + np.triu(matrix, 1).T)[np.ix_(order, order)] + rotors
    assert np.abs(np.array(got["mass_matrix"]) - matrix.ravel()).max() <= 1e-9 * np.abs(matrix).max()
    assert np.abs(np.array(got["gravity_torque"]) - gravity).max() <= 1e-9 * np.abs(gravity).max()


def test_what_follows_another_joint(daemon):
    """SDF has mimic joints; MuJoCo has an equality constraint instead, hence one coordinate more: one that is named as ours is read as it was, one that is
    not, or is no line any more, or meets another, is a constraint."""
    text = tree(8, 3, ["revolute"], False).replace('<joint name="j2" type="revolute">', '<joint name="j2" type="revolute"><mimic joint="j0" multiplier="-0.5" offset="0.1"/>')
    robot = put(daemon, "x-follower", text.encode())
    rows = axes(robot)
    at = state(rows, 1)
    want = dynamics(daemon, "x-follower", robot, rows, at)
    for form in ("sdf", "mjcf"):
        again = put(daemon, f"x-follower-{form}", get(daemon, "x-follower", form))
        assert (again["nv"], "constraints" in again) == (2, False), again
        assert_near(dynamics(daemon, f"x-follower-{form}", again, axes(again), at), want, 1e-12, form)
    text = get(daemon, "x-follower", "mjcf").decode()
    name, line = 'name="torqued:follower:j2" ', "0.1 -0.5 0.0 0.0 0.0"
    assert text.count(name) == 1 and text.count(line) == 1, text
    other = text[text.index("<joint " + name):]
    other = other[:other.index("/>") + 2]
    for edited, n in ((text.replace(name, ""), 1), (text.replace(line, "0.1 -0.5 0.25 0.0 0.0"), 1), (text.replace(other, other + other.replace(":j2", ":again")), 2),
                      (text.replace(other, other + other.replace(":j2", ":back").replace("joint1", "joint3").replace("joint2", "joint1").replace("joint3", "joint2")), 2)):
        coupled = put(daemon, "x-follower-mjcf", edited)
        assert len(coupled["constraints"]) == n and coupled["constraints"][0]["kind"] == "equation", coupled
        assert all(word in coupled["constraints"][0]["expression"] for word in ("j2", "j0", "0.5", "0.1"))
        assert coupled["nv"] == 3, coupled
    faster = put(daemon, "x-follower-mjcf", text.replace(line, "0.1 -0.75 0 0 0"))
    assert next(joint for joint in faster["joints"] if joint["name"] == "j2")["mimic"] == {"joint": "j0", "multiplier": -0.75, "offset": 0.1}
    for motors, actuated in ((("j0", "j1"), None), (("j2", "j1"), None), (("j1",), ["j1"])):  # a follower's motor drives its leader
        driven = put(daemon, "x-follower-mjcf", text.replace("</mujoco>", "<actuator>" + "".join(f'<motor joint="{j}"/>' for j in motors) + "</actuator></mujoco>"))
        assert driven.get("actuated") == actuated, driven


@pytest.mark.parametrize("form", ["mjcf", "sdf"])
def test_what_a_format_cannot_express_is_406(daemon, form):
    status, _, text = daemon.request("GET", f"/v1/robots/four-bar?format={form}")
    assert status == 406 and b"constraints" in (text if isinstance(text, bytes) else text.encode())
    nested = json.loads(get(daemon, "quadruped", "json"))
    nested["links"].append({"name": "thrown", "mass": 1, "com": [0, 0, 0]})
    nested["joints"].append({"name": "flight", "kind": "floating", "parent": "body", "child": "thrown"})
    put(daemon, "x-nested", json.dumps(nested), JSON)
    status, _, text = daemon.request("GET", f"/v1/robots/x-nested?format={form}")
    assert status == 406 and b"flight" in (text if isinstance(text, bytes) else text.encode())
    status, _, text = daemon.request("GET", "/v1/robots/panda?format=collada")
    assert status == 422


def test_limits_come_back(daemon):
    begin(daemon, "gantry")
    first = {j["name"]: j["limits"] for j in begin(daemon, "gantry")["joints"] if j["v"]["count"] == 1}
    for form, lost in (("mjcf", {"velocity"}), ("sdf", set())):
        again = put(daemon, f"x-gantry-{form}", get(daemon, "x-gantry", form))
        got = {j["name"]: j["limits"] for j in again["joints"] if j["v"]["count"] == 1}
        assert got == {name: {k: x for k, x in limits.items() if k not in lost} for name, limits in first.items()}


def test_the_comment_lists_what_is_not_expressed(daemon):
    begin(daemon, "arm")
    text = get(daemon, "x-arm", "mjcf")
    text = text.decode() if isinstance(text, bytes) else text
    assert "limits of velocity of 7 joints" in text and "rotors of 7 joints are armature" in text


def test_the_comment_of_an_urdf_names_what_there_is(daemon):
    """Joints with a term, counted out of the document."""
    for name in ("panda", "planar-2r", "sprung-pendulum"):
        joints = json.loads(daemon.request("GET", f"/v1/robots/{name}")[2])["joints"]
        comment = daemon.request("GET", f"/v1/robots/{name}?format=urdf")[2].decode().split("<robot")[0]
        assert " of 0 " not in comment and "gravity" in comment
        for word, key, size in (("springs", "spring", "stiffness"), ("rotors", "rotor", "inertia")):
            n = sum(bool(joint.get(key, {}).get(size)) for joint in joints)
            assert (f"{word} of {n} joints" in comment) == (n > 0), (name, word, comment)
