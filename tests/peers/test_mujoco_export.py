# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_export.py - what we write as MJCF, read by MuJoCo: built-in robots, and trees of points, rods, plates and links without mass.
"""MuJoCo asks of moving bodies a mass and moments of 1e-15 at least, compares sums of moments without slack, and takes no tensor with a moment below
1e-14. Sum of masses, mass matrix, gravity torque and inverse dynamics at five states within 1e-9 of MuJoCo's; read again here, every link is what it was."""
import json
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
models = pytest.importorskip("models")  # needs Pinocchio
from test_mujoco_mjcf import daemon  # noqa: E402, F401


def put(daemon, name, body):  # noqa: F811
    status, _, text = daemon.request("PUT", f"/v1/robots/{name}", body, {"Content-Type": "application/octet-stream"})
    assert status in (200, 201), text
    return json.loads(text)


def inertia(about):
    return {link["name"]: [link["mass"], *link["com"], *np.ravel(link["inertia"])] for link in about["links"] if link["name"] != "world"}


def check(daemon, first):  # noqa: F811
    """The robot `first` through MJCF: the worst difference from MuJoCo, what it is of, the text, and the worst one of a link's inertia."""
    status, _, text = daemon.request("GET", f"/v1/robots/{first['name']}?format=mjcf")
    assert status == 200, text
    again = put(daemon, "all", text)
    links, there = inertia(first), inertia(again)
    assert set(links) <= set(there)
    ours = max((np.abs(np.subtract(there[name], x)).max() / max(1.0, np.abs(x).max()) for name, x in links.items()), default=0.0)
    return *models.compare_mjcf(daemon, again, mujoco.MjModel.from_xml_string(text.decode())), text.decode(), ours


def there_and_back(text):
    """MuJoCo's accelerations of the torques that it finds for some: what bodies of 1e-15 kg leave of them."""
    model, rng = mujoco.MjModel.from_xml_string(text), np.random.default_rng(3)
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)
    q, data.qvel[:], _, _ = models.mjcf_peer.state_of(model, rng)
    data.qpos[:], data.qacc[:] = q, rng.uniform(-1, 1, model.nv)
    want = data.qacc.copy()
    mujoco.mj_inverse(model, data)
    data.qfrc_applied[:] = data.qfrc_inverse
    mujoco.mj_forward(model, data)
    return np.abs(data.qacc - want).max()


def test_built_in_robots_are_read_by_mujoco(daemon):  # noqa: F811
    """The moments of puma560's links and of the quadruped's thighs, as published, are those of no body: the file says so, and MuJoCo refuses them."""
    rows = json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]
    read, refused, bounded = [], set(), []
    for name in (row["name"] for row in rows if row["builtin"]):
        status, _, text = daemon.request("GET", f"/v1/robots/{name}?format=json")
        if daemon.request("GET", f"/v1/robots/{name}?format=mjcf")[0] == 406:
            continue  # it has constraints
        robot = put(daemon, "first", text)
        try:
            error, what, text, ours = check(daemon, robot | {"name": "first"})
        except ValueError as why:
            assert "A + B >= C" in str(why)
            assert "above the sum of the other two" in daemon.request("GET", f"/v1/robots/{name}?format=mjcf")[2].decode()
            refused.add(name)
            continue
        assert "MuJoCo refuses" not in text
        assert error < 1e-9, (name, error, what)
        assert ours < 1e-12, (name, ours)
        assert there_and_back(text) < 1e-9, name
        bounded += [name] if "boundmass" in text else []
        read.append(name)
    assert len(read) >= 12 and refused == {"puma560", "quadruped"}, (read, refused)
    assert {"humanoid", "pendulum", "planar-2r"} <= set(bounded) and "panda" not in bounded


def turned(rng, moments):
    """A tensor with these moments in any axes."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return (axes * moments) @ axes.T


def moments_of(rng, kind):
    a, b, c = rng.uniform(0.01, 0.5, 3)
    return {"point": [0, 0, 0], "rod": [0, a, a], "plate": [a, b, a + b], "solid": [b + c, c + a, a + b]}[kind]


KINDS = ["point", "rod", "plate", "solid"]


def tree(rng, n):
    """Links of every kind, some without mass between others: no leaf, or a motion would weigh nothing."""
    links, joints = [{"name": "base"}], []
    for k in range(n):
        parent = int(rng.integers(max(0, k - 2), k + 1))
        joint = str(rng.choice(["revolute", "revolute", "prismatic", "continuous", "fixed", "spherical"]))
        joints.append({"name": f"j{k}", "kind": joint, "parent": links[parent]["name"], "child": f"l{k}",
                       "origin": {"xyz": list(rng.uniform(-0.4, 0.4, 3)), "rpy": list(rng.uniform(-2, 2, 3))}})
        if joint not in ("fixed", "spherical"):
            joints[-1]["axis"] = list(rng.normal(size=3))
        links.append({"name": f"l{k}"})
    parents = {joint["parent"] for joint in joints}
    for link in links[1:]:
        if link["name"] in parents and rng.random() < 0.4:
            continue
        kind = str(rng.choice(KINDS))
        moments = moments_of(rng, kind)
        tensor = np.diag(rng.permutation(moments)) if rng.random() < 0.5 else turned(rng, moments)
        link |= {"mass": float(rng.uniform(0.1, 4)), "com": list(rng.uniform(-0.3, 0.3, 3)), "inertia_about": "com", "inertia": (0.5 * (tensor + tensor.T)).tolist()}
    return {"name": "first", "gravity": [0.5, -1, -9], "links": links, "joints": joints}


def test_trees_of_points_rods_and_plates_are_read_by_mujoco(daemon):  # noqa: F811
    rng = np.random.default_rng(5)
    worst, again, bounded = (0.0, ""), 0.0, 0
    for _ in range(80):
        robot = put(daemon, "first", json.dumps(tree(rng, int(rng.integers(3, 12)))).encode())
        error, what, text, ours = check(daemon, robot | {"name": "first"})
        worst, again, bounded = max(worst, (error, what)), max(again, ours), bounded + ("boundmass" in text)
    assert worst[0] < 1e-9, worst
    assert again < 1e-12
    assert 20 < bounded <= 80


def test_a_plate_in_a_row_of_rounding(daemon):  # noqa: F811
    """0.1 + 0.7 < 0.8 in the processor's numbers: MuJoCo refuses the three as they are."""
    robot = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "plate", "mass": 1, "com": [0, 0, 0], "inertia_about": "com", "inertia": np.diag([0.1, 0.7, 0.8]).tolist()}],
             "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "plate", "axis": [1, 0, 0]}]}
    put(daemon, "first", json.dumps(robot).encode())
    text = daemon.request("GET", "/v1/robots/first?format=mjcf")[2].decode()
    model = mujoco.MjModel.from_xml_string(text)
    assert np.abs(model.body_inertia[-1] - [0.1, 0.7, 0.8]).max() < 2e-16
    with pytest.raises(ValueError, match="A . B >= C"):
        mujoco.MjModel.from_xml_string(text.replace("0.7999999999999999", "0.8"))
