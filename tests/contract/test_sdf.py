# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_sdf.py - SDF: the same numbers as the URDF of the same arm; closed forms; refusals that
# name the element.
"""The arm is defined here by numbers. It is written as URDF, which Pinocchio confirms (tests/peers), and as SDF
in the styles of several versions: poses relative to the model, to parents and to joints, in degrees and as
quaternions; axes in the model frame or in another frame."""
import json
import math
import random
import xml.etree.ElementTree as ET

import pytest

XML = {"Content-Type": "application/xml"}


# ------------------------------------------------------------------------------------ rotations, written out
def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def turned(a, x):
    return [sum(a[i][k] * x[k] for k in range(3)) for i in range(3)]


def transposed(a):
    return [list(row) for row in zip(*a)]


def rotation(rpy):
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(x), math.sin(x)) for x in rpy)
    x = [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]
    y = [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]
    z = [[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]
    return times(z, times(y, x))


def angles(r):
    return [math.atan2(r[2][1], r[2][2]), math.asin(-r[2][0]), math.atan2(r[1][0], r[0][0])]


def after(a, b):
    """The composition a b of two poses; a pose is (position, matrix)."""
    return [x + y for x, y in zip(a[0], turned(a[1], b[0]))], times(a[1], b[1])


def seen_from(a, b):
    back = transposed(a[1])
    return turned(back, [y - x for x, y in zip(a[0], b[0])]), times(back, b[1])


# ------------------------------------------------------------------------------------ the arm
def arm(seed, n=4):
    rng = random.Random(seed)

    def pose(size=0.5):
        return [rng.uniform(-size, size) for _ in range(3)], rotation([rng.uniform(-1, 1) for _ in range(3)])

    links = [{"name": f"l{k}", "mass": rng.uniform(0.5, 3), "at": pose(0.1), "moments": [rng.uniform(0.05, 0.08) for _ in range(3)]} for k in range(n + 1)]
    joints = []
    for k in range(n):
        axis = [rng.uniform(-1, 1) for _ in range(3)]
        size = math.sqrt(sum(x * x for x in axis))
        joints.append({"name": f"j{k}", "type": ("revolute", "prismatic", "revolute", "continuous")[k % 4], "parent": max(0, k - k % 2), "child": k + 1,
                       "at": pose(), "axis": [x / size for x in axis], "damping": rng.uniform(0, 2), "friction": rng.uniform(0, 1)})
    return links, joints


def six(pose):
    return " ".join(f"{x:.17g}" for x in [*pose[0], *angles(pose[1])])


def urdf(links, joints):
    text = '<robot name="arm">'
    for link in links:
        xyz, rpy = " ".join(f"{x:.17g}" for x in link["at"][0]), " ".join(f"{x:.17g}" for x in angles(link["at"][1]))
        a, b, c = link["moments"]
        text += (f'<link name="{link["name"]}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{link["mass"]}"/>'
                 f'<inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="0" ixz="0" iyz="0"/></inertial></link>')
    for joint in joints:
        xyz, rpy = " ".join(f"{x:.17g}" for x in joint["at"][0]), " ".join(f"{x:.17g}" for x in angles(joint["at"][1]))
        text += (f'<joint name="{joint["name"]}" type="{joint["type"]}"><parent link="l{joint["parent"]}"/><child link="l{joint["child"]}"/>'
                 f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{" ".join(map(str, joint["axis"]))}"/><limit lower="-2" upper="2" effort="9" velocity="9"/>'
                 f'<dynamics damping="{joint["damping"]}" friction="{joint["friction"]}"/></joint>')
    return text + "</robot>"


def sdf(links, joints, version, way):
    """way: model (all poses relative to the model), parent (relative_to the parent link), beside (joint frames
    away from link origins, axes expressed in another frame)."""
    places = {0: ([0.0, 0.0, 0.0], rotation([0, 0, 0]))}
    for joint in joints:
        places[joint["child"]] = after(places[joint["parent"]], joint["at"])
    text = f'<?xml version="1.0"?><sdf version="{version}"><model name="arm">'
    if way == "beside":
        text += '<frame name="aside"><pose>1 2 3 0.3 -0.2 0.1</pose></frame>'
    for k, link in enumerate(links):
        pose = f"<pose>{six(places[k])}</pose>"
        joint = next((j for j in joints if j["child"] == k), None)
        if way == "parent" and joint:
            relative = seen_from(places[joint["parent"]], places[k])
            degrees = " ".join(f"{x:.17g}" for x in [*relative[0], *(math.degrees(a) for a in angles(relative[1]))])
            pose = f'<pose relative_to="l{joint["parent"]}" degrees="true">{degrees}</pose>'
        a, b, c = link["moments"]
        text += (f'<link name="{link["name"]}">{pose}<inertial><pose>{six(link["at"])}</pose><mass>{link["mass"]}</mass><inertia><ixx>{a}</ixx><iyy>{b}</iyy>'
                 f"<izz>{c}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial><visual name='v'/></link>")
    for joint in joints:
        axis, attribute, pose = joint["axis"], "", ""
        if version == "1.4":  # 1.4 states axes in the model frame
            axis = turned(places[joint["child"]][1], axis)
        if way == "beside":  # the joint frame is elsewhere on its axis, and the axis is stated in another frame
            s = 0.3
            pose = f'<pose>{" ".join(f"{s * x:.17g}" for x in axis)} 0.5 0.4 0.3</pose>'
            axis = turned(transposed(rotation([0.3, -0.2, 0.1])), turned(places[joint["child"]][1], axis))
            attribute = ' expressed_in="aside"'
        limit = "<limit><lower>-2</lower><upper>2</upper><effort>9</effort><velocity>9</velocity></limit>" if joint["type"] != "continuous" else (
            "<limit><lower>-1e16</lower><upper>inf</upper></limit>")
        kind = "revolute" if joint["type"] == "continuous" else joint["type"]
        text += (f'<joint name="{joint["name"]}" type="{kind}">{pose}<parent>l{joint["parent"]}</parent><child>l{joint["child"]}</child><axis>'
                 f'<xyz{attribute}>{" ".join(f"{x:.17g}" for x in axis)}</xyz>{limit}<dynamics><damping>{joint["damping"]}</damping>'
                 f'<friction>{joint["friction"]}</friction></dynamics></axis></joint>')
    return text + "</model></sdf>"


def put(daemon, name, text, query=""):
    status, _, answer = daemon.request("PUT", f"/v1/robots/{name}{query}", text, XML)
    return status, json.loads(answer)


def numbers(daemon, name, q, qd, qdd):
    body = {"q": q, "qd": qd, "qdd": qdd, "include": ["mass_matrix", "gravity_torque"]}
    status, _, text = daemon.request("POST", f"/v1/robots/{name}/inverse-dynamics", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    answer = json.loads(text)
    return [*answer["tau"], *answer["gravity_torque"], *(x for row in answer["mass_matrix"] for x in row)]


@pytest.mark.parametrize("version,way", [("1.4", "model"), ("1.6", "model"), ("1.7", "parent"), ("1.9", "beside"), ("1.11", "beside")])
def test_the_same_arm_as_urdf_and_sdf(daemon, version, way):
    for seed in range(3):
        links, joints = arm(seed)
        assert put(daemon, "twin", urdf(links, joints))[0] in (200, 201)
        status, robot = put(daemon, "arm", sdf(links, joints, version, way))
        assert status in (200, 201) and robot["source"] == "sdf" and robot["nv"] == len(joints), robot
        assert [j["kind"] for j in robot["joints"] if j["v"]["count"]] == [j["type"] for j in joints]
        rng = random.Random(seed)
        state = [[rng.uniform(-1, 1) for _ in joints] for _ in range(3)]
        want, got = numbers(daemon, "twin", *state), numbers(daemon, "arm", *state)
        assert max(abs(a - b) for a, b in zip(want, got)) < 1e-11 * max(map(abs, want))


LINK = '<link name="%s">%s<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>'
HINGE = '<joint name="%s" type="%s"><parent>%s</parent><child>%s</child><axis><xyz>0 1 0</xyz>%s</axis>%s</joint>'


def test_what_holds_a_model(daemon):
    """A body 1 m from a hinge fixed to the world; a free body in a world and one without a world; a static one;
    a rotated one."""
    two = LINK % ("a", "<pose>0 0 -1 0 0 0</pose>")
    status, robot = put(daemon, "held", f'<sdf version="1.7"><world name="w"><gravity>0 0 -10</gravity><model name="m">{two}'
                        + HINGE % ("j", "revolute", "world", "a", "", "<pose>0 0 1 0 0 0</pose>") + "</model></world></sdf>")
    assert status in (200, 201) and robot["nv"] == 1, robot
    tau, gravity, mass = numbers(daemon, "held", [0.3], [0], [0])
    assert abs(gravity - 2 * 10 * math.sin(0.3)) < 1e-12 and abs(mass - (1 + 2)) < 1e-12 and tau == gravity
    free = f'<sdf version="1.7"><world name="w"><model name="m">{LINK % ("a", "")}</model><model name="n"><static>1</static>{LINK % ("a", "")}</model></world></sdf>'
    status, robot = put(daemon, "held", free)
    assert status in (200, 201) and robot["nv"] == 6 and {one["name"] for one in robot["links"]} == {"world", "m::a", "n::a"}, robot
    assert abs(numbers(daemon, "held", [0, 0, 0, 1, 0, 0, 0], [0] * 6, [0] * 6)[2] - 2 * 9.8) < 1e-12
    alone = f'<sdf version="1.7"><model name="m">{LINK % ("a", "<pose>0 0 0 1.5707963267948966 0 0</pose>")}{LINK % ("b", "<pose relative_to=%r>0 0 0 0 0 0</pose>" % "a")}%s</model></sdf>'
    slide = HINGE % ("j", "prismatic", "a", "b", "", "")
    status, robot = put(daemon, "held", alone % slide)  # the link's y axis points up
    assert status in (200, 201) and robot["nv"] == 1 and abs(numbers(daemon, "held", [0], [0], [0])[1] - 2 * 9.81) < 1e-12, robot
    status, robot = put(daemon, "held", alone % slide, "?base=floating")
    assert status in (200, 201) and robot["nv"] == 7 and robot["joints"][0]["kind"] == "floating"


def test_a_link_may_be_named_world(daemon):
    body = LINK % ("world", "") + LINK % ("a", "") + HINGE % ("j", "revolute", "world", "a", "", "")
    status, robot = put(daemon, "named", f'<sdf version="1.6"><world name="w"><model name="m"><static>0</static>{body}</model></world></sdf>')
    assert status in (200, 201) and robot["nv"] == 7 and robot["root"] == "universe", robot


def test_nested_models_universal_joints_springs_and_followers(daemon):
    inner = f'<model name="in"><pose>0 0 0 0 0 0</pose>{LINK % ("b", "<pose>0 0 -1 0 0 0</pose>")}</model>'
    cross = '<joint name="u" type="universal"><pose>0 0 1 0 0 0</pose><parent>a</parent><child>in::b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>'
    status, robot = put(daemon, "nested", f'<sdf version="1.8"><model name="m">{LINK % ("a", "")}{inner}{cross}</model></sdf>')
    assert status in (200, 201) and robot["nv"] == 2, robot
    got = numbers(daemon, "nested", [0.2, 0.4], [0, 0], [0, 0])
    # height of the body: -cos(q1) cos(q2)
    assert abs(got[2] - 2 * 9.81 * math.sin(0.2) * math.cos(0.4)) < 1e-12 and abs(got[3] - 2 * 9.81 * math.cos(0.2) * math.sin(0.4)) < 1e-12
    spring = "<dynamics><spring_stiffness>7</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>"
    follow = '<mimic joint="j"><multiplier>2</multiplier><offset>0.25</offset><reference>0.1</reference></mimic>'
    body = LINK % ("a", "") + LINK % ("b", "") + LINK % ("c", "") + HINGE % ("j", "revolute", "a", "b", spring, "") + HINGE % ("k", "revolute", "a", "c", follow, "")
    status, robot = put(daemon, "nested", f'<sdf version="1.11"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["nv"] == 1, robot
    mimic = next(one for one in robot["joints"] if one["name"] == "k")["mimic"]
    assert mimic["joint"] == "j" and mimic["multiplier"] == 2 and abs(mimic["offset"] - 0.05) < 1e-15
    tau, _, mass = numbers(daemon, "nested", [0.3], [0], [0])
    assert abs(tau - 7 * (0.3 - 0.5)) < 1e-12 and abs(mass - (1 + 4 * 1)) < 1e-12


def test_a_gearbox_couples_two_hinges(daemon):
    """th2 = -ratio th1 about the gearbox's axes; the second hinge turns the other way round. Moments 1: (1 + ratio^2) qdd1 = tau1."""
    turn = '<joint name="%s" type="revolute"><parent>%s</parent><child>%s</child><axis><xyz>0 0 %d</xyz></axis></joint>'
    gear = ('<joint name="box" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>0.25</gearbox_ratio><gearbox_reference_body>g</gearbox_reference_body>'
            '<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>')
    body = LINK % ("g", "") + LINK % ("a", "") + LINK % ("b", "") + gear + turn % ("one", "g", "a", 1) + turn % ("two", "g", "b", -1)
    status, robot = put(daemon, "geared", f'<sdf version="1.8"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["dof"] == 1, robot
    assert robot["constraints"][0]["name"] == "box" and robot["constraints"][0]["coefficients"] == {"one": 0.25, "two": -1}, robot["constraints"]
    status, _, text = daemon.request("POST", "/v1/robots/geared/forward-dynamics", json.dumps({"q": [0, 0], "qd": [0, 0], "tau": [1, 0]}), {"Content-Type": "application/json"})
    assert status == 200 and json.loads(text)["qdd"] == pytest.approx([1 / (1 + 0.25 ** 2), 0.25 / (1 + 0.25 ** 2)], rel=1e-12), text
    for wrong in (gear.replace(">g<", ">b<"), gear.replace("0 0 1", "0 1 0", 1)):
        status, answer = put(daemon, "geared", f'<sdf version="1.8"><model name="m">{body.replace(gear, wrong)}</model></sdf>')
        assert status == 422 and "couples no two hinges" in json.dumps(answer), answer


def test_a_second_model_of_a_name_is_called_otherwise(daemon):
    model = f'<model name="m"><pose>%d 0 0 0 0 0</pose>{LINK % ("a", "")}{LINK % ("b", "")}{HINGE % ("j", "revolute", "a", "b", "", "")}</model>'
    status, robot = put(daemon, "twins", f'<sdf version="1.6"><world name="w">{model % 0}{model % 3}</world></sdf>')
    assert status in (200, 201) and {"m::a", "m::b", "m_2::a", "m_2::b"} <= {link["name"] for link in robot["links"]}, robot
    assert any('it is called "m_2"' in one["text"] for one in robot["doctor"]), robot["doctor"]


def test_a_loop_that_closes_outside_of_limits(daemon):
    """Where the file has the links the loop is closed, and nowhere inside of the limits."""
    turn = '<joint name="%s" type="revolute"><parent>%s</parent><child>%s</child><axis><xyz>0 0 1</xyz>%s</axis></joint>'
    limit = "<limit><lower>-2.4</lower><upper>-0.6</upper></limit>"
    body = LINK % ("g", "") + LINK % ("a", "") + turn % ("one", "g", "a", limit) + "<joint name=\"weld\" type=\"fixed\"><parent>g</parent><child>a</child></joint>"
    status, robot = put(daemon, "outside", f'<sdf version="1.8"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["assembled"] == pytest.approx([0], abs=1e-9), robot


def test_a_joint_that_closes_a_loop_is_a_constraint(daemon):
    """A parallelogram of two cranks of 1 m along x, each 1 kg m^2 about its pin, and a coupler of 2 kg, which
    only translates: from rest with horizontal cranks, (1 + 1 + 2 L^2) qdd = -2 g L."""
    pin = "<axis><xyz>0 -1 0</xyz>%s</axis>"
    joint = '<joint name="%s" type="revolute"><pose%s>%s 0 0 0 0 0</pose><parent>%s</parent><child>%s</child>' + pin + "</joint>"
    body = (LINK % ("g", "") + LINK % ("a", "") + LINK % ("c", "<pose>0 0 -2 0 0 0</pose>") + LINK % ("b", "<pose>1 0 0 0 0 0</pose>")
            + joint % ("ja", "", 0, "g", "a", "") + joint % ("jc", "", 0, "g", "c", "") + joint % ("jb", "", 0, "a", "b", "")
            + '<joint name="close" type="revolute"><pose relative_to="c">1 0 0 0 0 0</pose><parent>c</parent><child>b</child>'
            + pin % "<dynamics><damping>1</damping></dynamics>" + "</joint>")
    status, robot = put(daemon, "looped", f'<sdf version="1.8"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["dof"] == 1, robot
    loop = robot["constraints"][0]
    assert (loop["kind"], loop["name"], loop["axes"]) == ("loop", "close", ["x", "y", "z", "rx", "ry"])
    assert any("closes a loop" in one["text"] for one in robot["doctor"])
    body = {"q": [0, 0, 0], "qd": [0, 0, 0], "tau": [0, 0, 0]}
    status, _, text = daemon.request("POST", "/v1/robots/looped/forward-dynamics", json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    rates = dict(zip([j["name"] for j in robot["joints"] if j["v"]["count"]], json.loads(text)["qdd"], strict=True))
    want = -2 * 9.81 / 4
    assert abs(rates["ja"] - want) < 1e-9 and abs(rates["jc"] - want) < 1e-9 and abs(rates["jb"] + want) < 1e-9


@pytest.mark.parametrize("first", ["rail", "screw"])
def test_a_screw_in_a_loop_carries_and_another_joint_closes_it(daemon, first):
    """A carriage of 2 kg on a vertical rail and a spindle of 1 kg m^2 along it: z = h q with h = pitch / (2 pi), q the angle of the carriage from the
    spindle, which falls by (1 + 2 h^2) qdd = -2 g h, whichever joint comes first in the file."""
    pitch = 0.5
    h = pitch / (2 * math.pi)
    joint = '<joint name="%s" type="%s"><pose relative_to="%s">%s 0 0 0 0 0</pose><parent>%s</parent><child>%s</child><axis><xyz>0 0 1</xyz></axis>%s</joint>'
    two = [joint % ("rail", "prismatic", "c", "0.3", "g", "c", ""),
           joint % ("screw", "screw", "c", "0", "n", "c", f"<screw_thread_pitch>{pitch}</screw_thread_pitch>")]
    body = LINK % ("g", "") + LINK % ("n", "") + LINK % ("c", "") + joint % ("turn", "revolute", "n", "0", "g", "n", "") + "".join(two if first == "rail" else two[::-1])
    status, robot = put(daemon, "press", f'<sdf version="1.10"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["dof"] == 1, robot
    loop = robot["constraints"][0]
    assert (loop["kind"], loop["name"], loop["axes"]) == ("loop", "rail", ["x", "y", "rx", "ry", "rz"])
    links = {link["name"]: link for link in robot["links"]}
    spin, mass = links["n"]["inertia"][2][2] + links["n"]["mass"] * sum(x * x for x in links["n"]["com"][:2]), links["c"]["mass"]
    status, _, text = daemon.request("POST", "/v1/robots/press/forward-dynamics", json.dumps({"q": [0, 0], "qd": [0, 0], "tau": [0, 0]}),
                                     {"Content-Type": "application/json"})
    assert status == 200, text
    rates = dict(zip([j["name"] for j in robot["joints"] if j["v"]["count"]], json.loads(text)["qdd"], strict=True))
    want = -mass * 9.81 * h / (spin + mass * h * h)
    assert rates["screw"] == pytest.approx(want, rel=1e-9) and rates["turn"] == pytest.approx(-want, rel=1e-9), (rates, want)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
@pytest.mark.parametrize("pitch", [0.5, -0.2])
def test_a_screw_whose_parent_hangs_from_its_child_is_read_the_other_way_round(daemon, order, pitch):
    """A nut that slides and turns on a body that stands, and a screw from the nut to that body: with h = pitch / (2 pi) it rises by h for each radian it
    turns, and the screw's angle, of the standing body as seen from the nut, is the opposite of that: (I + M h^2) qdd = M g h."""
    h = pitch / (2 * math.pi)
    joint = '<joint name="%s" type="%s"><pose relative_to="n"/><parent>%s</parent><child>%s</child><axis><xyz>0 0 1</xyz>%s</axis>%s</joint>'
    three = [joint % ("slide", "prismatic", "g", "s", "", ""), joint % ("turn", "revolute", "s", "n", "", ""),
             joint % ("screw", "screw", "n", "g", "<limit><lower>-3</lower><upper>5</upper></limit><dynamics><damping>0.25</damping></dynamics>",
                      f"<screw_thread_pitch>{pitch}</screw_thread_pitch>")]
    body = LINK % ("g", "") + LINK % ("s", "") + LINK % ("n", "") + "".join(three[k] for k in order)
    status, robot = put(daemon, "nut", f'<sdf version="1.10"><model name="m">{body}</model></sdf>')
    assert status in (200, 201) and robot["dof"] == 1, robot
    joints = {one["name"]: one for one in robot["joints"]}
    assert joints["screw"]["limits"]["lower"] == -3 and joints["screw"]["limits"]["upper"] == 5 and joints["screw"]["damping"] == 0.25, joints
    assert any("the other way round" in one["text"] for one in robot["understood"]), robot
    links = {link["name"]: link for link in robot["links"]}
    spin, mass = links["n"]["inertia"][2][2], links["n"]["mass"] + links["s"]["mass"]
    n = robot["nv"]
    status, _, text = daemon.request("POST", "/v1/robots/nut/forward-dynamics", json.dumps({"q": [0] * n, "qd": [0] * n, "tau": [0] * n}),
                                     {"Content-Type": "application/json"})
    assert status == 200, text
    rates = dict(zip([j["name"] for j in robot["joints"] if j["v"]["count"]], json.loads(text)["qdd"], strict=True))
    want = mass * 9.81 * h / (spin + mass * h * h)
    assert rates["screw"] == pytest.approx(want, rel=1e-9) and rates["slide"] == pytest.approx(-want * h, rel=1e-9), (rates, want)


def test_a_universal_joint_whose_parent_hangs_from_its_child_is_read_the_other_way_round(daemon):
    """From b to g, which b hangs from by a ball at the same point: as a file with parent and child exchanged, the axes in the other order and opposite; and
    seen from b, g is turned about the first axis and then about the second."""
    ball = '<joint name="ball" type="ball"><parent>g</parent><child>b</child></joint>'
    cross = '<joint name="u" type="universal"><parent>%s</parent><child>%s</child><axis><xyz>%s</xyz></axis><axis2><xyz>%s</xyz></axis2></joint>'
    bodies = LINK % ("g", "") + (LINK % ("b", "")).replace("<mass>2", "<pose>0.1 0.2 0.3 0 0 0</pose><mass>2")
    robots = []
    for name, joint in (("turned", cross % ("b", "g", "1 0 0", "0 1 0")), ("by-hand", cross % ("g", "b", "0 -1 0", "-1 0 0"))):
        status, robot = put(daemon, name, f'<sdf version="1.10"><model name="m">{bodies}{ball}{joint}</model></sdf>')
        assert status in (200, 201), robot
        robots.append(robot)
    order = [[j["name"] for j in robot["joints"] if j["v"]["count"]] for robot in robots]
    assert order == [["u_axis2", "u"], ["u", "u_axis2"]] and robots[0]["dof"] == robots[1]["dof"], robots
    body = {"q": [-0.7, 0.4], "qd": [0.5, -1], "tau": [1, 2]}
    answers = []
    for name in ("turned", "by-hand"):
        status, _, text = daemon.request("POST", f"/v1/robots/{name}/forward-dynamics", json.dumps(body), {"Content-Type": "application/json"})
        assert status == 200, text
        answers.append(json.loads(text)["qdd"])
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)
    status, _, text = daemon.request("POST", "/v1/robots/turned/kinematics", json.dumps({"q": body["q"], "frames": ["b"]}), {"Content-Type": "application/json"})
    assert status == 200, text
    w, x, y, z = json.loads(text)["frames"][0]["quaternion_wxyz"]
    got = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
           [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    want = transposed(times(rotation([0.4, 0, 0]), rotation([0, -0.7, 0])))
    assert all(abs(g - e) < 1e-12 for one, other in zip(got, want) for g, e in zip(one, other)), (got, want)


def test_a_link_without_inertial_weighs_what_the_format_says(daemon):
    status, robot = put(daemon, "default", '<sdf version="1.6"><model name="m"><link name="a"/></model></sdf>')
    link = robot["links"][-1]
    assert status in (200, 201) and link["mass"] == 1 and [link["inertia"][k][k] for k in range(3)] == [1, 1, 1]
    assert any("no <inertial>" in one["text"] for one in robot["doctor"])


REFUSED = [
    ("<include><uri>model://x</uri></include>", "include"),
    (LINK % ("a", "") + LINK % ("b", "") + LINK % ("c", "") + HINGE % ("j", "revolute", "a", "b", "", "") + HINGE % ("k", "screw", "b", "a", "", "")
     + HINGE % ("l", "screw", "b", "a", "", ""), "a screw joint closes a loop"),
    (LINK % ("a", "") + LINK % ("b", "") + HINGE % ("j", "universal", "a", "b", "", "<axis2><xyz>1 0 0</xyz></axis2>") + HINGE % ("k", "screw", "a", "b", "", ""), "a screw joint closes a loop"),
    (LINK % ("a", "") + LINK % ("b", "") + HINGE % ("j", "helix", "a", "b", "", ""), "helix"),
    (LINK % ("a", "") + LINK % ("b", "") + HINGE % ("j", "revolute", "a", "nobody", "", ""), "nobody"),
    (LINK % ("a", '<pose relative_to="nothing">0 0 0 0 0 0</pose>'), "nothing"),
    (LINK % ("a", '<pose relative_to="b">0 0 0 0 0 0</pose>') + LINK % ("b", '<pose relative_to="a">0 0 0 0 0 0</pose>'), "relative to itself"),
    (LINK % ("a", "<pose>0 0 0 0 0</pose>"), "6"),
    ('<link name="a"><inertial auto="true"/></link>', "shapes"),
    (LINK % ("a", "") + LINK % ("a", ""), "both named"),
    ("<link/>", "no name"),
    ("", "no link"),
    (LINK % ("a", "") + LINK % ("b", "") + HINGE % ("j", "revolute", "a", "b", "", "") + HINGE % ("k", "revolute", "b", "a", "", ""), "itself"),
]


@pytest.mark.parametrize("inside,word", REFUSED)
def test_what_is_not_read_is_refused_by_name(daemon, inside, word):
    status, answer = put(daemon, "bad", f'<sdf version="1.7"><model name="m">{inside}</model></sdf>')
    assert status in (400, 422) and any(word in one["detail"] for one in answer["errors"]), answer


def test_names_are_unique_as_libsdformat_asks(daemon):
    """Among links, joints and frames of a model, in every built-in robot that SDF can hold; the robot's own names come back."""
    written = 0
    for row in json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]:
        status, _, text = daemon.request("GET", f"/v1/robots/{row['name']}?format=sdf")
        if not row["builtin"] or status != 200:
            continue
        written += 1
        model = next(ET.fromstring(text).iter("model"))
        names = [part.get("name") for part in model if part.tag in ("link", "joint", "frame")]
        assert len(set(names)) == len(names) and not any("::" in name for name in names), row["name"]
        before = json.loads(daemon.request("GET", f"/v1/robots/{row['name']}")[2])
        status, _, answer = daemon.request("PUT", "/v1/robots/sdf-names", text, {"Content-Type": "application/xml"})
        assert status in (200, 201), answer
        after = json.loads(daemon.request("GET", "/v1/robots/sdf-names")[2])
        for part in ("links", "joints"):
            kept = {one["name"] for one in before[part] if one.get("kind") != "floating"} - {"world"}
            assert kept <= {one["name"] for one in after[part]}, row["name"]
    assert written >= 12
    daemon.request("DELETE", "/v1/robots/sdf-names")


@pytest.mark.parametrize("names,kinds", [
    (["n" * 127, "n" * 126 + "m"], ["revolute", "revolute"]),
    (["a::b", "a__b_link", "a__b_joint"], ["revolute", "prismatic", "revolute"]),
    (["__x__", "____", "<&\">"], ["revolute", "prismatic", "spherical"]),
    (["q" * 124 + "1", "q" * 124 + "2"], ["planar", "planar"]),
    (["c::d"], ["planar"]),
])
def test_any_names_are_written_and_read_again(daemon, names, kinds):
    """A link and a joint of each name, and a joint named as the world is; two that agree in all of a made name but its number."""
    body = {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], "inertia_about": "com"}
    rows = [*zip(names, names, kinds), ("world", "last", "revolute")]
    robot = {"gravity": [0, 0, -9.81], "links": [{"name": link, **body} for link in ("base", *(row[1] for row in rows))],
             "joints": [{"name": joint, "kind": kind, "parent": "base", "child": link, **({} if kind == "spherical" else {"axis": [0, 0, 1]})}
                        for joint, link, kind in rows]}
    assert daemon.request("PUT", "/v1/robots/sdf-names", json.dumps(robot).encode(), {"Content-Type": "application/json"})[0] in (200, 201)
    status, _, text = daemon.request("GET", "/v1/robots/sdf-names?format=sdf")
    assert status == 200, text
    parts = [part.get("name") for part in next(ET.fromstring(text).iter("model")) if part.tag in ("link", "joint", "frame")]
    assert len(set(parts)) == len(parts) and all(len(part) < 128 and "::" not in part for part in parts), parts
    status, _, text = daemon.request("PUT", "/v1/robots/sdf-names", text, {"Content-Type": "application/xml"})
    assert status == 200, text
    again = json.loads(daemon.request("GET", "/v1/robots/sdf-names")[2])
    assert {row[1] for row in rows} <= {link["name"] for link in again["links"]}
    assert {joint for joint, _, kind in rows if kind != "planar"} <= {joint["name"] for joint in again["joints"]}
    daemon.request("DELETE", "/v1/robots/sdf-names")
