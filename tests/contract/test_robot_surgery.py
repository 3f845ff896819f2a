# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robot_surgery.py - PATCH of a robot: against Pinocchio's buildReducedModel and
# appendModel, and invariants.
import json
import math
import random

import pytest

JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/xml"}


def patch(daemon, name, *operations, query="", status=(200, 201), headers=None):
    got, _, text = daemon.request("PATCH", f"/v1/robots/{name}{query}", json.dumps({"operations": operations}), {**JSON, **(headers or {})})
    assert got in ((status,) if isinstance(status, int) else status), text
    return json.loads(text)


def get(daemon, name, query=""):
    status, _, text = daemon.request("GET", f"/v1/robots/{name}{query}")
    assert status == 200, text
    return text if query else json.loads(text)


def terms(daemon, name, **body):
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/terms", json.dumps(body), JSON)
    assert status == 200, text
    return json.loads(text)


def post(daemon, name, operation, **body):
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert status == 200, text
    return json.loads(text)


def worst(a, b):
    flat = [[x for row in m for x in (row if isinstance(row, list) else [row])] for m in (a, b)]
    return max(abs(x - y) for x, y in zip(*flat, strict=True)) / max(map(abs, flat[1]))


def names(robot):
    return [j["name"] for j in robot["joints"] if j["v"]["count"] > 0]


def bodies(daemon, name, pin):
    """The robot as Pinocchio builds it from the URDF, without friction and rotor inertias."""
    text = get(daemon, name, "?format=urdf")
    return pin.buildModelFromXML(text.decode() if isinstance(text, bytes) else text)


def matrices(pin, np, model, q):
    data = model.createData()
    m = pin.crba(model, data, q)
    return (np.triu(m) + np.triu(m, 1).T).tolist(), pin.computeGeneralizedGravity(model, data, q).tolist()


def test_lock_is_pinocchios_reduced_model(daemon):
    pin, np = pytest.importorskip("pinocchio"), pytest.importorskip("numpy")
    whole = bodies(daemon, "panda", pin)
    arm = names(get(daemon, "panda"))
    reference = pin.neutral(whole)
    lock = {arm[1]: 0.4, arm[3]: -1.7, arm[6]: 0.9}
    for name, x in lock.items():
        reference[whole.joints[whole.getJointId(name)].idx_q] = x
    reduced = pin.buildReducedModel(whole, [whole.getJointId(name) for name in lock], reference)
    robot = patch(daemon, "panda", {"op": "lock", "joints": lock}, query="?name=reduced")
    assert names(robot) == [name for name in reduced.names if name != "universe"]
    assert robot["digest"] != get(daemon, "panda")["digest"] and robot["nv"] == reduced.nv
    assert {link["name"] for link in robot["links"]} == {link["name"] for link in get(daemon, "panda")["links"]}
    rng = random.Random(1)
    q = [rng.uniform(-1, 1) for _ in range(robot["nv"])]
    got = terms(daemon, "reduced", q=q, include=["mass_matrix", "gravity_torque"])
    m, g = matrices(pin, np, reduced, np.array(q))
    for k, joint in enumerate(j for j in robot["joints"] if j["v"]["count"]):
        m[k][k] += joint["rotor"]["inertia"] * joint["rotor"]["ratio"] ** 2
    assert worst(got["mass_matrix"], m) < 1e-12 and worst(got["gravity_torque"], g) < 1e-12


def test_join_is_pinocchios_appended_model(daemon):
    pin, np = pytest.importorskip("pinocchio"), pytest.importorskip("numpy")
    arm, hand = bodies(daemon, "panda", pin), bodies(daemon, "planar-3r", pin)
    flange = get(daemon, "panda")["links"][-1]["name"]
    frame = arm.getFrameId(flange, pin.FrameType.BODY)
    for f in arm.frames:  # appendModel identifies frames by their names alone
        if f.type == pin.FrameType.FIXED_JOINT:
            f.name = "fixed_" + f.name
    place = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.5), np.array([0.1, 0.02, 0.03]))
    for i in range(1, hand.njoints):
        hand.names[i] = "g_" + hand.names[i]
    for f in hand.frames:
        f.name = ("g_fixed_" if f.type == pin.FrameType.FIXED_JOINT else "g_joint_" if f.type == pin.FrameType.JOINT else "g_") + f.name
    both = pin.appendModel(arm, hand, frame, place)
    both = both[0] if isinstance(both, tuple) else both
    robot = patch(daemon, "panda", {"op": "join", "robot": "planar-3r", "link": flange, "prefix": "g_", "position": [0.1, 0.02, 0.03], "rpy": [0.3, -0.2, 0.5]},
                  query="?name=joined")
    assert robot["nv"] == both.nv == arm.nv + 3
    rng = random.Random(2)
    q, values = pin.neutral(both), []
    order = [both.joints[both.getJointId(name)] for name in names(robot)]
    for joint in order:
        x = rng.uniform(-1, 1)
        values.append(x)
        q[joint.idx_q:joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [math.cos(x), math.sin(x)]
    rows = [joint.idx_v for joint in order]
    got = terms(daemon, "joined", q=values, include=["mass_matrix", "gravity_torque"])
    m, g = matrices(pin, np, both, q)
    m = np.array(m)[np.ix_(rows, rows)]
    m += np.diag([j["rotor"]["inertia"] * j["rotor"]["ratio"] ** 2 for j in robot["joints"] if j["v"]["count"]])
    assert worst(got["mass_matrix"], m.tolist()) < 1e-12 and worst(got["gravity_torque"], np.array(g)[rows].tolist()) < 1e-12


def test_locked_joints_of_more_freedoms_and_followers(daemon):
    """With joints locked at q, the others move as in the whole robot at that q; joints that mimic a locked joint
    are locked too."""
    whole = get(daemon, "quadruped")
    base = next(j["name"] for j in whole["joints"] if j["kind"] == "floating")
    held = [0.1, -0.2, 0.3, 0.5, 0.5, -0.5, 0.5]
    robot = patch(daemon, "quadruped", {"op": "lock", "joints": {base: held}}, query="?name=standing")
    q = [0.1 * k for k in range(robot["nq"])]
    a = terms(daemon, "quadruped", q=held + q, include=["mass_matrix", "gravity_torque"])
    b = terms(daemon, "standing", q=q, include=["mass_matrix", "gravity_torque"])
    assert worst(b["gravity_torque"], a["gravity_torque"][6:]) < 1e-12
    assert worst(b["mass_matrix"], [row[6:] for row in a["mass_matrix"][6:]]) < 1e-12
    document = get(daemon, "planar-3r")
    document["joints"][2]["mimic"] = {"joint": document["joints"][0]["name"], "multiplier": 2, "offset": 0.1}
    assert daemon.request("PUT", "/v1/robots/follower", json.dumps(document), JSON)[0] == 201
    first, second, third = (j["name"] for j in document["joints"][:3])
    robot = patch(daemon, "follower", {"op": "lock", "joints": {first: 0.3}})
    straight = patch(daemon, "planar-3r", {"op": "lock", "joints": {first: 0.3, third: 0.7}}, query="?name=straight")
    assert names(robot) == names(straight) == [second]
    assert worst(*(terms(daemon, name, q=[0.4], include=["mass_matrix"])["mass_matrix"] for name in ("follower", "straight"))) < 1e-14
    patch(daemon, "planar-3r", {"op": "lock", "joints": {"elbow?": 1}}, query="?name=straight", status=422)


def test_another_root_of_a_free_robot_is_the_same_robot(daemon):
    """A free robot with another root link: the same torques and state give the same joint accelerations."""
    whole = get(daemon, "quadruped")
    base = next(j for j in whole["joints"] if j["kind"] == "floating")
    foot = next(link["name"] for link in whole["links"] if link["name"].endswith("shank"))
    robot = patch(daemon, "quadruped", {"op": "root", "link": foot}, query="?name=on-a-foot")
    assert sorted(names(robot)) == sorted(names(whole)) and robot["nv"] == whole["nv"]
    assert next(j for j in robot["joints"] if j["kind"] == "floating")["child"] == foot
    rng = random.Random(3)
    rows = [{j["name"]: j["v"]["index"] for j in r["joints"] if j["v"]["count"] == 1} for r in (whole, robot)]
    q, tau = {n: rng.uniform(-1, 1) for n in rows[0]}, {n: rng.uniform(-3, 3) for n in rows[0]}
    answers = []
    for k, name in enumerate(("quadruped", "on-a-foot")):
        r = (whole, robot)[k]
        x = [0.0] * r["nq"]
        free = next(j for j in r["joints"] if j["kind"] == "floating")["q"]["index"]
        x[free + 3] = 1.0
        t = [0.0] * r["nv"]
        for j in r["joints"]:
            if j["v"]["count"] == 1:
                x[j["q"]["index"]], t[j["v"]["index"]] = q[j["name"]], tau[j["name"]]
        qdd = post(daemon, name, "forward-dynamics", q=x, qd=[0.0] * r["nv"], tau=t)["qdd"]
        answers.append([qdd[rows[k][n]] for n in sorted(q)])
    assert base["name"] in names(whole)
    assert worst(answers[1], answers[0]) < 1e-9


def test_root_of_an_arm_turns_its_joints(daemon):
    """An arm fixed at its tip moves its former base by the inverse transform; with the root changed back it is
    the original arm."""
    arm = get(daemon, "ur5e")
    tip, root = arm["links"][-1]["name"], arm["root"]
    turned = patch(daemon, "ur5e", {"op": "root", "link": tip}, query="?name=hanging")
    assert turned["root"] == tip and names(turned) == names(arm)
    q = [0.3, -0.7, 0.9, 0.2, -0.4, 1.1]
    a = post(daemon, "ur5e", "kinematics", q=q, frames=[{"link": tip, "at": "origin"}])["frames"][0]
    b = post(daemon, "hanging", "kinematics", q=q, frames=[{"link": root, "at": "origin"}])["frames"][0]
    r, s = a["rotation"], b["rotation"]
    assert max(abs(r[i][k] - s[k][i]) for i in range(3) for k in range(3)) < 1e-12
    back = [-sum(r[k][i] * a["position"][k] for k in range(3)) for i in range(3)]
    assert max(abs(x - y) for x, y in zip(back, b["position"], strict=True)) < 1e-12
    patch(daemon, "hanging", {"op": "root", "link": root})
    got, want = (terms(daemon, name, q=q, qd=q, include=["mass_matrix", "gravity_torque"]) for name in ("hanging", "ur5e"))
    assert worst(got["mass_matrix"], want["mass_matrix"]) < 1e-12 and worst(got["gravity_torque"], want["gravity_torque"]) < 1e-12


def test_subchain(daemon):
    arm = get(daemon, "ur5e")
    moving = [j for j in arm["joints"] if j["v"]["count"] == 1]
    part = patch(daemon, "ur5e", {"op": "subchain", "link": moving[2]["parent"]}, query="?name=part")
    assert part["root"] == moving[2]["parent"] and names(part) == [j["name"] for j in moving[2:]]
    legs = get(daemon, "quadruped")
    tip = next(link["name"] for link in legs["links"] if link["name"].endswith("shank"))
    leg = patch(daemon, "quadruped", {"op": "subchain", "link": "body", "tips": [tip]}, query="?name=leg")
    assert leg["nv"] == 3 and leg["root"] == "body" and len(leg["links"]) == 5  # the foot is fixed to the shank
    assert abs(sum(link["mass"] for link in leg["links"]) - sum(link["mass"] for link in legs["links"] if link["name"] == "body" or link["name"].startswith(tip[:2]))) < 1e-12
    refused = patch(daemon, "leg", {"op": "subchain", "link": tip, "tips": ["body"]}, status=422)
    assert refused["errors"][0]["pointer"] == "/operations/0/tips/0"


def test_numbers_of_joints_and_links(daemon):
    """m g r sin q and friction of the pendulum, written out: a point payload at r adds m g r sin q; twice the
    mass doubles the torque."""
    pendulum = get(daemon, "pendulum")
    joint, link = pendulum["joints"][0]["name"], pendulum["links"][-1]
    patch(daemon, "pendulum", {"op": "joint", "joint": joint, "damping": 0.7, "friction": {"coulomb": 0.2}, "rotor": {"inertia": 0.01, "ratio": 10}}, query="?name=own")
    state = {"q": [0.8], "qd": [2.0], "qdd": [3.0]}
    bare, rubbed = (post(daemon, name, "inverse-dynamics", **state)["tau"][0] for name in ("pendulum", "own"))
    had = pendulum["joints"][0]
    more = (0.7 - had["damping"]) * 2 + 0.2 - had["friction"]["coulomb"] + 3 * (1 - had["rotor"]["inertia"] * had["rotor"]["ratio"] ** 2)
    assert abs(rubbed - bare - more) < 1e-12
    before = terms(daemon, "pendulum", q=[0.8], include=["mass_matrix", "gravity_torque"])
    robot = patch(daemon, "pendulum", {"op": "link", "link": link["name"], "mass": 2 * link["mass"]}, query="?name=heavy")
    patch(daemon, "pendulum", {"op": "joint", "joint": joint, "damping": 1.25}, query="?name=p")  # a name of one letter
    assert get(daemon, "p")["joints"][0]["damping"] == 1.25
    after = terms(daemon, "heavy", q=[0.8], include=["mass_matrix", "gravity_torque"])
    assert abs(after["gravity_torque"][0] / before["gravity_torque"][0] - 2) < 1e-12
    assert abs(after["mass_matrix"][0][0] / before["mass_matrix"][0][0] - 2) < 1e-12
    assert robot["links"][-1]["mass"] == 2 * link["mass"]
    loaded = patch(daemon, "pendulum", {"op": "payload", "link": link["name"], "name": "bag", "position": link["com"], "mass": link["mass"], "com": [0, 0, 0]}, query="?name=loaded")
    assert [x["name"] for x in loaded["links"]][-1] == "bag"
    assert abs(terms(daemon, "loaded", q=[0.8], include=["gravity_torque"])["gravity_torque"][0] / before["gravity_torque"][0] - 2) < 1e-12
    moon = patch(daemon, "pendulum", {"op": "gravity", "gravity": [g / 6 for g in pendulum["gravity"]]}, query="?name=moon")
    assert abs(terms(daemon, "moon", q=[0.8], include=["gravity_torque"])["gravity_torque"][0] / before["gravity_torque"][0] - 1 / 6) < 1e-12
    assert len({robot["digest"], loaded["digest"], moon["digest"], pendulum["digest"]}) == 4


def test_versions_and_refusals(daemon):
    first = patch(daemon, "ur10e", {"op": "gravity", "gravity": [0, 0, -1]}, query="?name=arm-p", status=201)
    second = patch(daemon, "arm-p", {"op": "gravity", "gravity": [0, 0, -2]}, status=200)
    assert first["digest"] != second["digest"]
    assert get(daemon, f"arm-p@{first['digest']}")["gravity"] == [0, 0, -1] and get(daemon, "arm-p")["gravity"] == [0, 0, -2]
    patch(daemon, "arm-p", {"op": "gravity", "gravity": [0, 0, -3]}, headers={"If-Match": f'"{first["digest"]}"'}, status=412)
    seen = patch(daemon, "arm-p", {"op": "gravity", "gravity": [0, 0, -3]}, query="?dry_run=true", status=200)
    assert seen["gravity"] == [0, 0, -3] and get(daemon, "arm-p")["gravity"] == [0, 0, -2]
    patch(daemon, "ur10e", {"op": "gravity", "gravity": [0, 0, -1]}, status=409)
    patch(daemon, "nobody", {"op": "gravity", "gravity": [0, 0, -1]}, status=404)
    assert "op is one of" in patch(daemon, "arm-p", {"op": "explode"}, status=422)["errors"][0]["hint"]
    patch(daemon, "arm-p", {"op": "joint", "joint": "none", "damping": 1}, status=422)
    patch(daemon, "arm-p", {"op": "gravity", "gravity": [0, 0, -1], "more": 1}, status=(400, 422))
    patch(daemon, "arm-p", status=422)
    answer = patch(daemon, "four-bar", {"op": "root", "link": get(daemon, "four-bar")["links"][-1]["name"]}, query="?name=turned", status=422)
    assert "constraints" in answer["errors"][0]["detail"]
    kept = patch(daemon, "four-bar", {"op": "joint", "joint": get(daemon, "four-bar")["joints"][0]["name"], "damping": 3}, query="?name=rusty")
    assert len(kept["constraints"]) == len(get(daemon, "four-bar")["constraints"]) and kept["joints"][0]["damping"] == 3
    # duplicate names
    patch(daemon, "arm-p", {"op": "join", "robot": "arm-p", "link": get(daemon, "arm-p")["links"][-1]["name"]}, status=422)
    assert daemon.request("PATCH", "/v1/robots/arm-p", "[1]", JSON)[0] in (400, 422)


def test_a_list_of_operations_alone_is_refused_as_a_change(daemon):
    """A bare array, as in RFC 6902: the refusal describes the form of a change, not that of a robot document."""
    status, _, text = daemon.request("PATCH", "/v1/robots/panda?name=other", json.dumps([{"op": "lock"}]), JSON)
    (error,) = json.loads(text)["errors"]
    assert status == 400 and error["detail"] == "a change is an object" and '{"operations": [...]}' in error["hint"]
