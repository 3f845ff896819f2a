# SPDX-License-Identifier: Apache-2.0
# tests/peers/test_mujoco_mjcf.py - every attribute of MuJoCo's own schema: read as MuJoCo does, or refused by name.
"""One model has an element of every kind that matters. Each attribute that MuJoCo's schema (mj_printSchema) names is set on each of
them, and in default classes, to values that MuJoCo takes. What we then accept has MuJoCo's mass matrix, gravity torque and inverse
dynamics (springs, dampers, dry friction, fluid and compensation of gravity in it) to 1e-9; what we refuse names the attribute."""
import importlib.util
import json
import pathlib
import re
import xml.etree.ElementTree as ET

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco")
mujoco.set_mju_user_warning(lambda text: None)  # or it writes a file where we stand

BASE = """<mujoco model="all">
<compiler angle="radian"/><option><flag/></option>
<default>
 <joint armature="0.01"/><geom/><site/><tendon/><equality/><general/><motor/>
 <default class="k"><joint/><geom/><tendon/><equality/><motor/></default>
</default>
<worldbody>
 <geom name="floor" type="plane" size="1 1 1" pos="0 0 -9"/>
 <body name="a" pos="0.1 0.2 0.3" childclass="k"><joint name="ja" axis="1 0.2 0" pos="0.05 0 0"/>
  <geom name="ga" type="capsule" size="0.05 0.2" pos="0 0.1 0.1"/><geom name="gb" size="0.1" pos="0.2 0 0.1"/><site name="sa" pos="0.1 0 0"/>
  <frame pos="0 0 0.1"><body name="b" pos="0 0 0.4" quat="1 0.2 0.1 0"><joint name="jb" type="slide" axis="0 1 0.4"/>
   <inertial name="ib" pos="0.1 0 0.02" mass="1.5" diaginertia="0.02 0.03 0.04" quat="1 0 0.2 0.1"/>
   <geom name="gc" type="box" size="0.1 0.2 0.05"/><site name="sb" pos="0 0.1 0"/>
   <body name="c" pos="0 0.2 0"><joint name="jc" type="ball" armature="0"/><geom name="gd" type="ellipsoid" size="0.1 0.2 0.15" pos="0.1 0 0"/></body>
   <body name="d" pos="0.2 0 0"><joint name="jd" axis="0 0 1"/><geom name="ge" type="cylinder" size="0.1 0.2" pos="0.1 0 0.2"/></body>
  </body></frame></body>
 <body name="f" pos="1 1 1"><freejoint name="jf"/><geom name="gf" type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0"/></body>
 <body name="g" pos="2 1 1"><joint name="jg" type="free" armature="0"/><geom name="gg" type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0"/></body>
 <body name="still" pos="0 3 0"><geom name="gs" type="sphere" size="0.2"/></body>
</worldbody>
<contact><exclude name="ex" body1="a" body2="d"/></contact>
<tendon><spatial name="ta"><site site="sa"/><site site="sb"/></spatial><fixed name="tb"><joint joint="jd" coef="2"/></fixed></tendon>
<equality><connect name="ea" body1="a" body2="f" anchor="0 0 0" active="false"/><joint name="ej" joint1="ja" joint2="jd" active="false"/></equality>
<actuator><general name="aa" joint="ja"/><motor name="ab" tendon="tb"/><position name="ac" joint="jd"/><velocity name="ad" joint="jb"/>
 <damper name="ae" joint="ja" ctrlrange="0 1"/><cylinder name="af" joint="jb"/><muscle name="ag" joint="jd" ctrllimited="false" lengthrange="0 1"/></actuator>
</mujoco>"""

# numbers of every length, words of every choice, names of what there is
TAKEN = 4  # values of one attribute, of those that MuJoCo takes
VALUES = ["0.4", "2", "1", "5", "0.4 0.3", "1 2", "0.1 0.2 0.3", "1 0.3 0.2 0.1", "0.1 0.2 0.3 0.4 0.5 0.6", "0 0 0 0.1 0.2 0.3 0.4", "0.1 0.5",
          "true", "false", "auto", "disable", "enable", "degree", "mesh", "shell", "ellipsoid", "sphere", "cylinder", "capsule", "box", "hinge", "ball",
          "affine", "RK4", "none", "k", "zyx", "XYZ", "local", "never"]
MESH = '<asset><mesh name="mesh" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>'
# as written, of a mesh: what the shape weighs is not known here
WHOLE = ["<body name='n' pos='0 0 1'><joint axis='0 1 0'/><geom type='mesh' mesh='mesh'/></body>",
         "<body name='n' pos='0 0 1'><joint axis='0 1 0'/><geom type='box' mesh='mesh'/></body>",
         "<body name='n' pos='0 0 1'><joint axis='0 1 0'/><geom type='mesh' mesh='mesh' mass='0'/><geom size='0.1' pos='1 0 0'/></body>",
         "<body name='n' pos='0 0 1'><joint axis='0 1 0'/><geom type='mesh' mesh='mesh'/><inertial pos='1 0 0' mass='1' diaginertia='1 1 1'/></body>",
         "<replicate count='3' offset='1 0 0'><body name='n'><joint axis='0 1 0'/><geom size='0.1' pos='1 0 0'/></body></replicate>",
         "<body name='n'><joint axis='0 1 0'/><geom size='0.1' pos='1 0 0'/></body>"]


def compiled(text):
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None


def schema():
    """element path -> attributes, as MuJoCo prints them."""
    found, path = {}, []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head = re.match(r"^( *)(\S+) \((.)\) *(.*)$", line)
        if head:
            depth = len(head[1]) // 3
            path[depth:] = [head[2].replace("(world)", "")]
            found["/".join(path)] = head[4].split()
        else:
            found["/".join(path)] += line.split()
    return found


def path_of(parents, element):
    names = []
    while element is not None:
        names.append(element.tag)
        element = parents.get(element)
    text = "/".join(reversed(names))
    text = re.sub(r"(mujoco/default)(/default)+", r"\1", text)
    return re.sub(r"mujoco/worldbody(/(body|frame))*", "mujoco/body", text)


def cases():
    known = schema()
    base = ET.fromstring(BASE)
    parents = {child: parent for parent in base.iter() for child in parent}
    for number, element in enumerate(base.iter()):
        path = path_of(parents, element)
        own = "mujoco/body" if element.tag in ("body", "frame", "worldbody") else path
        for attribute in known.get(own, []):
            # a constraint that is active takes part in inverse dynamics: test_mujoco_constraints.py
            if attribute not in ("name", "class", "file", "plugin", "instance", "active") and element.tag != "worldbody":
                yield number, element.tag, attribute


def mutants():
    for number, tag, attribute in cases():
        taken = 0
        for value in VALUES:
            if taken == TAKEN:
                break
            tree = ET.fromstring(BASE)
            element = list(tree.iter())[number]
            if element.get(attribute) == value:
                continue
            element.set(attribute, value)
            if attribute == "autolimits" or attribute == "range":
                element.set("limited", "false") if tag in ("joint", "tendon", "spatial", "fixed") else None
            text = ET.tostring(tree, encoding="unicode")
            model = compiled(text)
            if model is not None:
                taken += 1
                yield f"{tag}@{attribute}={value}", attribute, text, model
    for body in WHOLE:
        for more in ("", "<compiler settotalmass='3'/>", "<compiler boundinertia='0.5' boundmass='2'/>", "<compiler inertiagrouprange='1 2' boundmass='1' boundinertia='1'/>"):
            text = BASE.replace("</worldbody>", body + "</worldbody>" + MESH + more)
            yield body + more, "", text, compiled(text)
    spread = BASE.replace("diaginertia=\"0.02 0.03 0.04\"", "diaginertia=\"0.02 0.03 0.4\"")
    text = spread.replace("<compiler ", "<compiler balanceinertia=\"true\" boundinertia=\"0.025\" ")
    yield "balanceinertia", "", text, compiled(text)


@pytest.fixture(scope="module")
def daemon():
    path = pathlib.Path(__file__).resolve().parents[1] / "contract" / "conftest.py"
    spec = importlib.util.spec_from_file_location("contract_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.Daemon()
    yield one
    one.stop()


def rotation(quaternion):
    m = np.zeros(9)
    mujoco.mju_quat2Mat(m, quaternion)
    return m.reshape(3, 3)


def state_of(model, rng):
    """q, qd, and the turn from our velocities to MuJoCo's, whose free joints move along the world's axes."""
    q, turn = model.qpos0.copy(), np.eye(model.nv)
    free = []
    for j in range(model.njnt):
        at, v, kind = model.jnt_qposadr[j], model.jnt_dofadr[j], model.jnt_type[j]
        is_free = kind == int(mujoco.mjtJoint.mjJNT_FREE)
        if is_free or kind == int(mujoco.mjtJoint.mjJNT_BALL):
            at += 3 if is_free else 0
            q[at:at + 4] = rng.normal(size=4)
            q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
            if is_free:
                q[at - 3:at] = rng.uniform(-1, 1, 3)
                turn[v:v + 3, v:v + 3] = rotation(q[at:at + 4])
                free.append(v)
        else:
            q[at] += rng.uniform(-0.5, 0.5)
    return q, rng.uniform(0.5, 1.5, model.nv) * rng.choice([-1, 1], model.nv), turn, free


def theirs(model, q, qd, turn, free):
    data = mujoco.MjData(model)
    off = mujoco.mjtDisableBit
    for bit in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_EQUALITY, off.mjDSBL_ACTUATION):
        model.opt.disableflags |= int(bit)
    model.opt.enableflags = 0
    data.qpos[:], data.qvel[:] = q, turn @ qd
    for v in free:  # our qdd = 0: the frame turns
        data.qacc[v:v + 3] = turn[v:v + 3, v:v + 3] @ np.cross(qd[v + 3:v + 6], qd[v:v + 3])
    mujoco.mj_inverse(model, data)
    tau, m = turn.T @ data.qfrc_inverse, np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, m)
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    return {"mass_matrix": turn.T @ m @ turn, "gravity_torque": turn.T @ (data.qfrc_bias - data.qfrc_gravcomp), "tau": tau}


def ours(daemon, q, qd):
    body = {"q": list(q), "qd": list(qd), "qdd": [0.0] * len(qd), "include": ["mass_matrix", "gravity_torque"]}
    status, _, text = daemon.request("POST", "/v1/robots/all/inverse-dynamics", json.dumps(body), {"Content-Type": "application/json"})
    return json.loads(text) if status == 200 else {"status": status, "text": text}


def difference(daemon, model):
    """The worst relative difference, and of what."""
    rng = np.random.default_rng(1)
    worst = (0.0, "")
    q, qd, turn, free = state_of(model, rng)
    want, got = theirs(model, q, qd, turn, free), ours(daemon, q, qd)
    for name, value in want.items():
        if name not in got or np.shape(got[name]) != np.shape(value):
            return np.inf, f"{name}: {got}"
        error = np.abs(np.array(got[name]) - value).max() / max(1.0, np.abs(value).max())
        worst = max(worst, (error, name))
    return worst


def test_every_attribute_is_read_or_refused(daemon):
    counts, wrong = {"read": 0, "refused": 0}, []
    attributes = set()
    for name, attribute, text, model in mutants():
        if model is None:
            continue
        status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
        if status == 422:
            counts["refused"] += 1
            detail = json.dumps(json.loads(answer)["errors"])
            if attribute and attribute not in detail and not re.search(r'\w+=\\+".*is not read', detail):
                wrong.append((name, "refused without its name", detail))
        elif status in (200, 201):
            counts["read"] += 1
            error, what = difference(daemon, model)
            attributes.add(name.split("=")[0])
            if not error <= 1e-9:
                wrong.append((name, error, what))
        else:
            wrong.append((name, status, answer))
    print(counts, len(attributes), "attributes")
    assert counts["read"] > 500 and counts["refused"] > 30, counts
    assert not wrong, "\n".join(map(str, wrong))


def test_unknown_attributes_reach_the_doctor(daemon):
    text = BASE.replace('name="ja"', 'name="ja" dampimg="3"').replace("<contact>", "<wings/><contact>")
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status in (200, 201), answer
    places = [finding["where"] for finding in json.loads(answer)["doctor"]]
    assert any("joint@dampimg" in p for p in places) and any("wings" in p for p in places), places


def arm(bodies="", joint="", more="", option=""):
    return (f'<mujoco>{option}<worldbody><body name="floor"><geom size="0.3"/></body><body name="a" {bodies}><joint name="j" axis="0 1 0.2" {joint}/>'
            f'<geom size="0.1" pos="1 0.1 0"/><body name="empty"/><body name="b" pos="1 0 0" {bodies}><joint name="k" type="slide" axis="1 0 0" {joint}/>'
            f'<geom size="0.1" pos="0.3 0 0.2"/></body></body></worldbody>{more}</mujoco>')


ARMATURE = '<tendon><fixed armature="0.3"><joint joint="j" coef="-2"/></fixed></tendon>'


@pytest.mark.parametrize("text", [
    arm('gravcomp="1"'), arm('gravcomp="0.25"'), arm('gravcomp="3"'), arm('gravcomp="-1"'),
    arm('gravcomp="1"', option='<option><flag spring="disable"/></option>'), arm('gravcomp="1"', option='<option><flag spring="disable" damper="disable"/></option>'),
    arm('gravcomp="1"', option='<option gravity="0 0 0"/>'), arm('gravcomp="0"', 'actuatorgravcomp="true"'),
    arm('gravcomp="1"').replace('gravcomp="1"', "", 1), arm('gravcomp="1"').replace('gravcomp="1"', 'gravcomp="0.5"', 1),
    arm('gravcomp="-1"').replace('gravcomp="-1"', 'gravcomp="0.5"', 1), arm('gravcomp="-1"').replace('<body name="empty"', '<body name="empty" gravcomp="1"'),
    arm('gravcomp="-1"').replace('<body name="floor"', '<body name="floor" gravcomp="1"'),
    arm(more=ARMATURE), arm(joint='armature="0.1"', more=ARMATURE), arm(joint='springdamper="0.5 0.7"', more=ARMATURE),
    arm(more=ARMATURE.replace('"j"', '"k"')), arm(more=ARMATURE.replace("fixed armature", 'fixed springlength="0" stiffness="3" armature')),
    arm(more='<default><tendon armature="0.2"/></default>' + ARMATURE.replace(' armature="0.3"', ""))])
def test_compensation_of_bodies_and_armature_of_one_joint_are_read(daemon, text):
    model = compiled(text)
    assert model is not None
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status in (200, 201), answer
    error, what = difference(daemon, model)
    assert error <= 1e-12, what
    status, _, answer = daemon.request("GET", "/v1/robots/all?format=mjcf")
    again = compiled(answer.decode())
    assert status == 200 and again is not None
    error, what = difference(daemon, again)
    assert error <= 1e-12, what


@pytest.mark.parametrize(("text", "says"), [
    (arm('gravcomp="1"', 'actuatorgravcomp="true"'), "actuatorgravcomp"),
    (arm(more=ARMATURE.replace("</fixed>", '<joint joint="k" coef="1"/></fixed>')), "armature"),
    (arm(more='<tendon><spatial armature="1"><site site="s"/><site site="t"/></spatial></tendon>').replace("<geom", '<site name="s"/><site name="t" pos="1 1 1"/><geom', 1), "armature")])
def test_other_compensation_and_armature_are_refused(daemon, text, says):
    assert compiled(text) is not None
    status, _, answer = daemon.request("PUT", "/v1/robots/all", text, {"Content-Type": "application/xml"})
    assert status == 422 and f'{says}=' in json.loads(answer)["errors"][0]["detail"], answer
