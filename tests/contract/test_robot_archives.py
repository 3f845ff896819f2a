# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robot_archives.py - robots of several files: zip archives, includes, masses of meshes.
"""Expected masses and tensors are closed forms of boxes, and sums over pyramids written out here."""
import io
import json
import struct
import zipfile

import pytest

SCENE = '<mujoco model="scene"><include file="parts/arm.xml"/></mujoco>'
ARM = """<mujoco><compiler angle="radian" meshdir="meshes"/><asset><mesh name="m" file="box.%s" scale="2 1 1"/></asset>
<default><geom density="500"/></default>
<worldbody><body name="link"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="m" pos="0 0 1"/></body></worldbody></mujoco>"""
# a box of 0.1 x 0.2 x 0.4 m with one corner at the origin; normals point outwards
CORNERS = [(x, y, z) for x in (0, 0.125) for y in (0, 0.25) for z in (0, 0.5)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [(q[0], q[i], q[i + 1]) for q in QUADS for i in (1, 2)]


def stl():
    faces = b"".join(struct.pack("<12fH", 0, 0, 0, *[x for c in t for x in CORNERS[c]], 0) for t in TRIANGLES)
    return b"\0" * 80 + struct.pack("<I", len(TRIANGLES)) + faces


def stl_text():
    rows = "".join("facet normal 0 0 0\n outer loop\n" + "".join("  vertex %g %g %g\n" % CORNERS[c] for c in t) + " endloop\nendfacet\n" for t in TRIANGLES)
    return ("solid box\n" + rows + "endsolid box\n").encode()


def obj(quads=True):
    faces = QUADS if quads else TRIANGLES
    text = "# box\no box\n" + "".join("v %+.4e %g %g\n" % c for c in CORNERS) + "vn 0 0 1\n"
    return (text + "".join("f " + " ".join(f"{c + 1}//1" if quads else str(c - 8) for c in f) + "\n" for f in faces)).encode()


def msh():
    numbers = [x for c in CORNERS for x in c]
    return struct.pack("<4i", 8, 0, 0, len(TRIANGLES)) + struct.pack("<24f", *numbers) + struct.pack("<36i", *[c for t in TRIANGLES for c in t])


MESHES = {"stl": stl(), "STL": stl_text(), "obj": obj(), "OBJ": obj(False), "msh": msh()}


def pack(files, comment="", method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as whole:
        for name, data in files.items():
            whole.writestr(name, data)
        whole.comment = comment.encode()
    return packed.getvalue()


def put(daemon, body, name="packed"):
    status, _, text = daemon.request("PUT", "/v1/robots/" + name, body, {"Content-Type": "application/zip"})
    return status, json.loads(text)


def files(ending="stl", folder=""):
    return {folder + "scene.xml": SCENE, folder + "parts/arm.xml": ARM % ending, folder + "meshes/box." + ending: MESHES[ending]}


@pytest.mark.parametrize("ending", MESHES)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_box_of_triangles_weighs_as_a_box(daemon, ending, method):
    status, robot = put(daemon, pack(files(ending, "below/"), method=method))
    assert status in (200, 201), robot
    link = next(one for one in robot["links"] if one["name"] == "link")
    size, mass = (0.25, 0.25, 0.5), 500 * 0.25 * 0.25 * 0.5
    assert abs(link["mass"] - mass) < 1e-12 * mass
    assert max(abs(a - b) for a, b in zip(link["com"], (0.125, 0.125, 1.25))) < 1e-12
    for k in range(3):
        moment = mass / 12 * sum(s * s for i, s in enumerate(size) if i != k)
        assert abs(link["inertia"][k][k] - moment) < 1e-12
    answer = json.loads(daemon.request("POST", "/v1/robots/packed/inverse-dynamics",
                                       json.dumps({"q": [0.3], "qd": [0.0], "qdd": [0.0]}), {"Content-Type": "application/json"})[2])
    from math import cos, sin
    assert abs(answer["tau"][0] + mass * 9.81 * (1.25 * sin(0.3) + 0.125 * cos(0.3))) < 1e-9


def test_a_hollow_is_weighed_as_the_kind_of_inertia_says(daemon):
    """An L-shaped prism: inertia "exact" is that of the solid; otherwise all pyramids count as positive, as in
    MuJoCo."""
    outline = [(0, 0), (2, 0), (2, 0.25), (0.25, 0.25), (0.25, 1.5), (0, 1.5)]
    corners = [(x, y, z) for z in (0, 0.75) for x, y in outline]
    faces = [f for a, b, c in ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)) for f in ((a, c, b), (a + 6, b + 6, c + 6))]
    faces += [f for k in range(6) for j in ((k + 1) % 6,) for f in ((k, j, j + 6), (k, j + 6, k + 6))]

    def volume(origin, absolute):
        total = 0.0
        for f in faces:
            a, b, c = [[x - o for x, o in zip(corners[i], origin)] for i in f]
            one = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
            total += abs(one) if absolute else one
        return total

    text = """<mujoco><asset><mesh name="m" vertex="%s" face="%s" %s/></asset><worldbody><body name="link"><joint/>
      <geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"""
    lists = " ".join(f"{x:g}" for c in corners for x in c), " ".join(str(i) for f in faces for i in f)
    for kind, absolute in (('inertia="exact"', False), ("", True), ('inertia="legacy"', True)):
        status, _, answer = daemon.request("PUT", "/v1/robots/hollow", text % (*lists, kind), {"Content-Type": "application/xml"})
        assert status in (200, 201), answer
        link = json.loads(answer)["links"][-1]
        assert abs(link["mass"] - volume(link["com"], absolute)) < 1e-12, kind
    solid = (2 * 0.25 + 0.25 * 1.25) * 0.75
    assert abs(volume((0, 0, 0), False) - solid) < 1e-12 < volume(link["com"], True) - solid


def test_an_archive_is_stored_and_read_again(start, tmp_path):
    daemon = start(state=str(tmp_path / "state"))
    several = pack({**files(), "other.urdf": '<robot name="o"><link name="a"/></robot>'}, "by hand")
    status, _, text = daemon.request("PUT", "/v1/robots/packed?main=scene.xml&format=zip", several)
    assert status == 201, text
    robot = json.loads(text)
    daemon.stop()
    status, headers, text = start(state=str(tmp_path / "state")).request("GET", "/v1/robots/packed")
    assert status == 200 and headers["ETag"].strip('"') == robot["digest"]
    assert json.loads(text)["links"] == robot["links"]


def test_the_main_file_is_found_or_named(daemon):
    several = {**files(), "other.urdf": '<robot name="o"><link name="a"/></robot>'}
    status, answer = put(daemon, pack(several))
    assert status == 422 and "scene.xml, other.urdf" in answer["errors"][0]["detail"], answer
    for name, source in (("scene.xml", "mjcf"), ("other.urdf", "urdf")):
        status, answer = put(daemon, pack(several, "main=" + name))
        assert status in (200, 201) and answer["source"] == source, answer
    status, answer = put(daemon, pack(several, "main=nothing.xml"))
    assert status == 422 and "nothing.xml" in answer["detail"]
    assert put(daemon, pack({"readme.txt": "x"}))[0] == 422
    assert put(daemon, pack({}))[0] in (400, 422)


def test_faults_name_file_and_line(daemon):
    def fault(changes):
        status, answer = put(daemon, pack({**files(), **changes}))
        assert status in (400, 422), answer
        return answer["errors"][0]["detail"]

    assert "parts/arm.xml, line 2" in fault({"parts/arm.xml": "<mujoco>\n<worldbody><body quat='0 0 0 0'/></worldbody></mujoco>"})
    assert "parts/arm.xml, line 1" in fault({"parts/arm.xml": "<mujoco"})
    assert "not in the archive" in fault({"parts/arm.xml": ARM % "ply"})
    assert "cut short" in fault({"meshes/box.stl": MESHES["stl"][:-1]})
    assert "second time" in fault({"parts/arm.xml": '<mujoco><include file="scene.xml"/></mujoco>', "top.xml": '<mujoco><include file="scene.xml"/></mujoco>'})
    assert "not in the archive" in fault({"scene.xml": '<mujoco><include file="../../etc/passwd"/></mujoco>', "parts/arm.xml": "<note/>"})


def test_a_single_file_says_first_that_it_names_others(daemon):
    text = '<mujoco><worldbody><body childclass="nowhere"/></worldbody><include file="x.xml"/></mujoco>'
    status, _, answer = daemon.request("PUT", "/v1/robots/packed", text, {"Content-Type": "application/xml"})
    first = json.loads(answer)["errors"][0]
    assert status == 422 and "x.xml" in first["detail"] and "zip" in first["hint"], first


def test_bombs_and_damage_are_refused(daemon):
    """24 MiB of zeros in 24 kB; wrong sizes in headers; a small archive cut at any byte, and with any byte changed."""
    bomb = {**files(), "meshes/box.stl": b"\0" * (24 << 20)}
    status, answer = put(daemon, pack(bomb))
    assert status in (400, 413, 422), answer
    status, answer = put(daemon, pack({f"{k}.xml": " " * (1 << 20) for k in range(40)}))
    assert status in (400, 413, 422), answer
    whole = pack(files())
    for cut in range(0, len(whole), 97):
        assert put(daemon, whole[:cut] or b"PK\3\4")[0] in (400, 422)
    for at in range(0, len(whole), 53):
        status, _ = put(daemon, whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        assert status in (200, 201, 400, 413, 415, 422)
    liar = bytearray(whole)
    at = liar.index(b"PK\1\2")
    while at >= 0:  # every entry of the central directory states 200 MB
        liar[at + 24:at + 28] = struct.pack("<I", 200_000_000)
        at = liar.find(b"PK\1\2", at + 4)
    assert put(daemon, bytes(liar))[0] in (400, 413, 422)


ARM_URDF = """<robot name="arm"><link name="foot"><inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><origin xyz="0 0 1"/><mass value="3"/></inertial></link><link name="b"/>
<joint name="j" type="revolute"><parent link="foot"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="k" type="revolute"><parent link="a"/><child link="b"/><mimic joint="j" multiplier="2"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("base,nv", [("fixed", 1), ("planar", 4), ("floating", 7)])
def test_what_holds_the_root_is_chosen_with_the_request(daemon, base, nv):
    status, _, text = daemon.request("PUT", f"/v1/robots/held?base={base}", ARM_URDF, {"Content-Type": "application/xml"})
    robot = json.loads(text)
    assert status in (200, 201) and robot["nv"] == nv, text
    if base == "fixed":
        return
    assert robot["root"] == "world" and robot["joints"][0]["kind"] == base and robot["joints"][0]["v"]["index"] == 0
    body = {"q": ([0, 0, 0, 1, 0, 0, 0] if base == "floating" else [0, 0, 0]) + [0], "qd": [0] * nv, "qdd": [0] * nv}
    tau = json.loads(daemon.request("POST", "/v1/robots/held/inverse-dynamics", json.dumps(body), {"Content-Type": "application/json"})[2])["tau"]
    weight = [0, 0, 5 * 9.81] if base == "floating" else [0, 0]
    assert max(abs(a - b) for a, b in zip(tau, weight)) < 1e-12
    again = daemon.request("PUT", "/v1/robots/again", daemon.request("GET", "/v1/robots/held?format=urdf")[2], {"Content-Type": "application/xml"})
    assert again[0] in (200, 201) and json.loads(again[2])["nv"] == nv
    status, answer = put(daemon, pack({"arm.urdf": ARM_URDF}, f"base={base}"))
    assert status in (200, 201) and answer["nv"] == nv


def test_what_cannot_be_held_is_refused(daemon):
    for query, body in (("base=swinging", ARM_URDF), ("base=floating", '{"joints": []}'), ("base=floating", "<mujoco><worldbody/></mujoco>"),
                        ("main=a.xml", ARM_URDF)):
        status, _, text = daemon.request("PUT", "/v1/robots/held?" + query, body, {"Content-Type": "application/octet-stream"})
        assert status == 422 and query.split("=")[0] in json.loads(text)["detail"], text


def test_an_inertia_without_a_tensor_is_a_point_and_said_so(daemon):
    status, _, text = daemon.request("PUT", "/v1/robots/point", ARM_URDF, {"Content-Type": "application/xml"})
    robot = json.loads(text)
    link = next(one for one in robot["links"] if one["name"] == "a")
    assert link["mass"] == 3 and link["com"] == [0, 0, 1] and not any(map(any, link["inertia"]))
    assert any("no <inertia>" in finding["text"] for finding in robot["doctor"]), robot["doctor"]
    status, _, text = daemon.request("PUT", "/v1/robots/ball", ARM_URDF.replace('name="j" type="revolute"', 'name="j" type="spherical"').replace(
        '<mimic joint="j" multiplier="2"/>', ""), {"Content-Type": "application/xml"})
    assert status in (200, 201) and json.loads(text)["joints"][0]["kind"] == "spherical", text
