# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_robots.py - the dashboard's robots: a file becomes a robot one can look at, with what is wrong in it marked.
import base64
import io
import json
import zipfile

import pytest
from dashboard import URDF, drop, faults_of, fill, fits, open_at, pixels, press, wait_for, wait_for_other_pixels

def test_a_slider_moves_the_robot_and_the_address_has_the_pose(daemon, page):
    page.shape(1280, "dark")
    open_at(page, daemon, "robots/ur5e", ".view3d[data-state=ready]")
    before = pixels(page)
    fill(page, ".slider:nth-of-type(2) input[type=number]", "-1.25")
    wait_for_other_pixels(page, before)
    assert page.run("return location.hash") == "#/robots/ur5e?q=-1.25%2C0%2C0%2C0%2C0%2C0"
    press(page, "rad")
    wait_for(page, "document.querySelector('.slider input[type=number]').value === '-71.62'")
    # the address alone brings the pose back
    page.reload()
    wait_for(page, "document.querySelector('.slider input[type=number]')?.value === '-71.62'")
    press(page, "deg")


def test_what_was_asked_can_be_taken_along(daemon, page):
    open_at(page, daemon, "robots/panda", ".view3d[data-state=ready]")
    press(page, "As a command")
    assert wait_for(page, "document.querySelector('.calls pre')?.textContent") == f"curl -s '{daemon.url}/v1/robots/panda'"
    press(page, "torquectl")
    assert wait_for(page, "document.querySelector('.calls pre').textContent.startsWith('torquectl') && document.querySelector('.calls pre').textContent") == f"torquectl -s '{daemon.url}' robots get 'panda'"
    open_at(page, daemon, "robots/planar-2r/torque", ".bar")
    press(page, "As a command")
    press(page, "Python")
    line = wait_for(page, "document.querySelector('.calls pre')?.textContent.includes('inverse_dynamics') && document.querySelector('.calls pre').textContent")
    assert f'torqued.Client("{daemon.url}")' in line and 'client.robot("planar-2r").inverse_dynamics(q=[0, 0], qd=[0, 0]' in line


def test_a_removed_robot_comes_back_by_undo(daemon, page):
    assert daemon.request("PUT", "/v1/robots/mine", URDF.format(parent="base", izz="0.01").encode(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots", ".cards")
    wait_for(page, "[...document.querySelectorAll('[aria-label=\"Remove mine\"]')].map((one) => (one.click(), true))[0]")
    wait_for(page, "document.querySelector('.note')?.textContent.includes('mine is removed')")
    assert daemon.request("GET", "/v1/robots/mine")[0] == 404
    press(page, "Undo")
    wait_for(page, "[...document.querySelectorAll('.card b')].some((one) => one.textContent === 'mine')")
    assert json.loads(daemon.request("GET", "/v1/robots/mine")[2])["links"][1]["name"] == "upper"


@pytest.mark.parametrize("width, scheme", [(360, "dark"), (3840, "light")])
def test_robots_fit_and_are_accessible(daemon, page, width, scheme):
    page.shape(width, scheme)
    open_at(page, daemon, "robots", ".cards")
    assert fits(page, width) and not faults_of(page)
    open_at(page, daemon, "robots/humanoid?link=torso", ".view3d[data-state=ready]")
    assert fits(page, width) and not faults_of(page)


def test_shapes_of_a_urdf_are_drawn_and_meshes_where_they_are_dropped(daemon, page):
    text = URDF.format(parent="base", izz="0.01").replace('<link name="base"/>', '<link name="base"><visual><geometry><mesh filename="package://arm/Foot.stl"/></geometry></visual></link>')
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "drawn.urdf", text)
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    press(page, "Shapes")
    assert "foot.stl" in wait_for(page, "document.querySelector('.missing')?.textContent")
    before = pixels(page)
    corners = ["-0.3 -0.3 0", "0.3 -0.3 0", "0 0.3 0.1"]
    facet = "facet normal 0 0 1\nouter loop\n" + "".join(f"vertex {one}\n" for one in corners) + "endloop\nendfacet\n"
    drop(page, ".view3d", "Foot.STL", f"solid foot\n{facet}endsolid foot\n")
    wait_for(page, "!document.querySelector('.missing')")
    wait_for_other_pixels(page, before)


def test_a_robot_of_ten_megabytes_is_refused_or_read_without_harm(daemon, page):
    links = "".join(f'<link name="l{k}"><!-- {"x" * 1000} --></link>' for k in range(10_000))
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "large.urdf", f'<robot name="large">\n{links}\n</robot>')
    wait_for(page, "document.querySelector('.fault, .said .error') || location.hash.includes('large')")
    assert page.run("return document.querySelectorAll('.gutter span').length") <= 400
    assert fits(page, 1280)


CUBE = """<COLLADA><asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="9">0 0 0 300 0 0 0 300 100</float_array><technique_common><accessor count="3" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><translate>0 0 50</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"""


@pytest.mark.parametrize("name, text", [("Foot.OBJ", "v -0.3 -0.3 0\nv 0.3 -0.3 0\nv 0.3 0.3 0.1\nv -0.3 0.3 0.1\nf 1/1 2/2 3/3 4//4\n"), ("foot.dae", CUBE)])
def test_meshes_of_other_kinds_are_drawn(daemon, page, name, text):
    urdf = URDF.format(parent="base", izz="0.01").replace('<link name="base"/>', f'<link name="base"><visual><geometry><mesh filename="package://arm/{name}"/></geometry></visual></link>')
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "drawn.urdf", urdf)
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    press(page, "Shapes")
    assert name.lower() in wait_for(page, "document.querySelector('.missing')?.textContent")
    before = page.run("return Number(document.querySelector('canvas').dataset.triangles)")
    drop(page, ".view3d", name, text)
    # a polygon of four corners is two triangles, one of three is one
    wait_for(page, f"Number(document.querySelector('canvas').dataset.triangles) === {before} + {2 if name.endswith('OBJ') else 1}")


def test_two_robots_are_compared_in_words_and_numbers(daemon, page):
    for name, mass, upper in (("first", 2, 2), ("second", 2.5, 1.5)):
        text = URDF.format(parent="base", izz="0.01").replace('mass value="2"', f'mass value="{mass}"').replace('upper="2"', f'upper="{upper}"')
        assert daemon.request("PUT", f"/v1/robots/{name}", text.encode(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots/second?show=differences&with=first", "[aria-label=Differences] li")
    words = page.run("return document.querySelector('[aria-label=Differences] ul').textContent")
    assert "2 kg in first and 2.5 kg in second (+25 %)" in words and "Other limits: shoulder" in words and "Other masses: upper" in words
    rows = page.run("return [...document.querySelectorAll('[aria-label=Differences] tbody tr')].map((row) => [...row.children].map((one) => one.textContent))")
    assert rows == [["upper", "mass", "2", "2.5", "kg", "+25 %"], ["shoulder", "upper limit", "2", "1.5", "rad", "\u221225 %"]]
    assert fits(page, 1280) and not faults_of(page)
    # the same robot under another name has no difference
    page.run("const box = document.querySelector('[aria-label=\"Against which robot\"]'); box.value = 'first'; box.dispatchEvent(new Event('change', { bubbles: true }))")
    open_at(page, daemon, "robots/second?show=differences&with=second", "[aria-label=Differences] li")
    assert "Every number of second and second is the same" in page.run("return document.querySelector('[aria-label=Differences] ul').textContent")


def test_thirty_links_cost_few_calls_and_triangles_without_a_graphics_processor(daemon, page):
    """Counts, not times: bone, axis and body with its edges for each of thirty links, and the floor."""
    links = [{"name": "base"}] + [{"name": f"l{k}", "mass": 1, "com": [0, 0, 0.05], "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.002]], "inertia_about": "com"} for k in range(30)]
    joints = [{"name": f"j{k}", "kind": "revolute", "parent": f"l{k - 1}" if k else "base", "child": f"l{k}", "origin": {"position": [0, 0, 0.1]}, "axis": [1 - k % 2, k % 2, 0]} for k in range(30)]
    assert daemon.request("PUT", "/v1/robots/snake", json.dumps({"links": links, "joints": joints, "gravity": [0, 0, -9.81]}).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/snake", ".view3d[data-state=ready]")
    calls, triangles = wait_for(page, "(({calls, triangles}) => triangles && [Number(calls), Number(triangles)])(document.querySelector('.view3d canvas').dataset)")
    # bones of 8 open sides, axes of 13 sides with two caps, boxes of 6 faces
    assert calls <= 4 * 30 + 2 and triangles == 31 * 16 + 30 * (52 + 12), (calls, triangles)
    # while it turns, no more is drawn than at rest
    page.run("const c = document.querySelector('.view3d canvas'); for (let k = 0; k < 20; k++) c.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }))")
    assert page.run("return Number(document.querySelector('.view3d canvas').dataset.triangles)") <= triangles


def test_an_archive_of_files_that_name_each_other_is_taken(daemon, page):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("arm.xml", '<mujoco><worldbody><include file="link.xml"/></worldbody></mujoco>')
        archive.writestr("link.xml", '<mujocoinclude><body name="rod"><joint name="swing" type="hinge" axis="0 1 0"/><geom type="capsule" size="0.02 0.2" mass="1"/></body></mujocoinclude>')
    open_at(page, daemon, "robots", ".drop")
    page.run("""const bytes = Uint8Array.from(atob(arguments[0]), (one) => one.charCodeAt(0)); const data = new DataTransfer(); data.items.add(new File([bytes], 'packed arm.zip'));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));""", base64.b64encode(packed.getvalue()).decode())
    assert "1 link with mass, 1 continuous joint." in wait_for(page, "document.querySelector('.understood')?.textContent")
    assert json.loads(daemon.request("GET", "/v1/robots/packed-arm")[2])["nv"] == 1
