# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_drake_sdf.py - robots that we write as SDF, read by Drake (libsdformat): the same robot, and nothing refused.
"""Random trees of every joint kind that SDF has, with links without mass, joints and links of one name, names that SDF reserves, rotors, friction,
springs and mimicry: masses, mass matrix, gravity torque and inverse dynamics at random states within 1e-9; the same after we have read it again."""
import json

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("pydrake", reason="make deps-models")
import drake_sdf  # noqa: E402
import test_mujoco_mjcf as peer  # noqa: E402
from test_mujoco_mjcf import daemon  # noqa: E402, F401

KINDS = ("revolute", "continuous", "prismatic", "spherical", "fixed", "planar")


def inertia(rng):
    """Of a link with a body: moments of three points on axes of any direction."""
    r, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    square = np.diag(rng.uniform(0.01, 0.1, 3))
    return {"mass": rng.uniform(0.2, 2), "com": rng.uniform(-0.2, 0.2, 3).tolist(), "inertia": (r @ (np.trace(square) * np.eye(3) - square) @ r.T).tolist(),
            "inertia_about": "com"}


def tree(rng, n, floating):
    links = [{"name": "base", **(inertia(rng) if floating or rng.random() < 0.5 else {})}]
    joints, leaders = [], []
    if floating:
        links.insert(0, {"name": "world"})
        joints.append({"name": "free", "kind": "floating", "parent": "world", "child": "base"})
    names = [f"part{i}" for i in range(n)]
    for special, at in (("a::b", 1), ("__c__", 2), ("x joint", 3)):
        names[at] = special
    for i in range(n):
        kind = KINDS[rng.integers(len(KINDS))]
        massless = kind == "fixed" and rng.random() < 0.6
        parents = [link["name"] for link in links if link["name"] != "world"]
        links.append({"name": names[i], **({} if massless else inertia(rng))})
        r, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        r *= np.sign(np.linalg.det(r))
        axis = rng.normal(size=3)
        joint = {"name": names[i] if rng.random() < 0.3 else f"j{i}", "kind": kind, "parent": parents[rng.integers(len(parents))], "child": names[i],
                 "origin": {"position": rng.uniform(-0.5, 0.5, 3).tolist(), "rotation": r.tolist()}}
        if kind not in ("spherical", "fixed"):
            joint["axis"] = (axis / np.linalg.norm(axis)).tolist()
        if kind in KINDS[:3]:
            joint |= {"damping": rng.uniform(0, 1), "friction": {"coulomb": rng.uniform(0, 1)}, "rotor": {"inertia": rng.uniform(0, 1e-3), "ratio": 7.0},
                      "spring": {"stiffness": rng.uniform(0, 2), "rest": rng.uniform(-1, 1)}}
            if leaders and rng.random() < 0.2:
                joint = {key: value for key, value in joint.items() if key not in ("spring", "rotor", "friction", "damping")}
                joint["mimic"] = {"joint": leaders[rng.integers(len(leaders))], "multiplier": rng.uniform(-2, 2), "offset": rng.uniform(-1, 1)}
            else:
                leaders.append(joint["name"])
        joints.append(joint)
    return {"gravity": [0.3, -0.2, -9.7], "links": links, "joints": joints}


def put(daemon, body, media):  # noqa: F811
    status, _, text = daemon.request("PUT", "/v1/robots/all", body, {"Content-Type": media})
    assert status in (200, 201), text
    return json.loads(daemon.request("GET", "/v1/robots/all")[2])


def check(daemon, text, robot):  # noqa: F811
    """Drake's robot and ours, which the daemon has."""
    them = drake_sdf.Peer(text, robot)
    for mine, theirs in them.masses():
        assert mine == pytest.approx(theirs, rel=1e-12) or mine == 0.0
    for mine, theirs in them.damping():
        assert mine == pytest.approx(theirs, rel=1e-12)
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(3):
        q, v = them.state(rng)
        want, got = them.terms(q, v), peer.ours(daemon, q, v)
        for name, value in want.items():
            assert np.shape(got.get(name)) == np.shape(value), (name, got)
            worst = max(worst, np.abs(np.array(got[name]) - value).max() / max(1.0, np.abs(value).max()))
    return worst


@pytest.mark.parametrize("floating", (False, True))
def test_random_trees_are_the_same_robots_in_drake(daemon, floating):  # noqa: F811
    rng, worst = np.random.default_rng(11 + floating), 0.0
    for _ in range(40):
        robot = put(daemon, json.dumps(tree(rng, int(rng.integers(4, 12)), floating)).encode(), "application/json")
        status, _, text = daemon.request("GET", "/v1/robots/all?format=sdf")
        assert status == 200, text
        again = put(daemon, text, "application/xml")
        had = {joint["name"] for joint in robot["joints"] if joint["kind"] not in ("floating", "planar")}
        assert had <= {joint["name"] for joint in again["joints"]}, "a joint has lost its name"
        assert {link["name"] for link in robot["links"]} - {"world"} <= {link["name"] for link in again["links"]}, "a link has lost its name"
        worst = max(worst, check(daemon, text.decode(), again))
    print(f"worst {worst:.1e}")
    assert worst < 1e-9


def test_built_in_robots_are_read_by_drake(daemon):  # noqa: F811
    """The moments of puma560's links and of the quadruped's thighs, as published, are those of no body: Drake takes others, or refuses."""
    rows = json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]
    read, refused = [], {}
    for name in (row["name"] for row in rows if row["builtin"]):
        status, _, text = daemon.request("GET", f"/v1/robots/{name}?format=sdf")
        if status == 200 and name != "puma560":
            robot = put(daemon, text, "application/xml")
            try:
                assert check(daemon, text.decode(), robot) < 1e-9, name
                read.append(name)
            except RuntimeError as error:
                refused[name] = str(error)
    assert len(read) >= 12, refused
    assert set(refused) <= {"quadruped"}, refused
