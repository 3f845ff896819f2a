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


def test_a_table_of_denavit_and_hartenberg_is_filled_in(daemon, page):
    """Two joints, the second one made prismatic, a third one added: the daemon's robot has what was typed."""
    open_at(page, daemon, "robots", ".drop")
    page.run("document.querySelector('details.panel').open = true")
    wait_for(page, "document.querySelector('table.dh')")
    fill(page, "[aria-label='d of j1']", "0.55")
    page.run("const box = document.querySelector('[aria-label=\"kind of j2\"]'); box.value = 'prismatic'; box.dispatchEvent(new Event('change', { bubbles: true }))")
    press(page, "Add a joint")
    fill(page, "[aria-label='a of j2']", "0.25")
    assert not faults_of(page)
    press(page, "Make this robot")
    assert "3 links" in wait_for(page, "document.querySelector('.understood')?.textContent")
    robot = json.loads(daemon.request("GET", "/v1/robots/my-arm")[2])
    assert [joint["kind"] for joint in robot["joints"] if joint["kind"] != "fixed"] == ["revolute", "prismatic", "revolute"]
    # the first axis turns the second one level: d = 0.55 up, the third joint 0.25 beyond
    pose = json.loads(daemon.request("POST", "/v1/robots/my-arm/kinematics", json.dumps({"q": [0, 0, 0]}).encode())[2])["frames"][-1]["position"]
    assert abs(pose[2] - 0.55) < 1e-4 and abs(pose[0] - 0.25) < 1e-4, pose


@pytest.mark.parametrize("name, text, joint", [
    ("swing.xml", '<mujoco model="m"><worldbody><body name="rod"><joint name="swing" type="hinge" axis="0 1 0"/><geom type="capsule" size="0.02 0.2" mass="1"/></body></worldbody></mujoco>', "swing"),
    ("paper.json", json.dumps({"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "rod", "mass": 1, "com": [0, 0, -0.5]}],
                               "joints": [{"name": "pivot", "kind": "revolute", "parent": "base", "child": "rod", "axis": [0, 1, 0]}]}), "pivot")])
def test_robots_of_other_formats_are_dropped(daemon, page, name, text, joint):
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", name, text)
    assert "1 link" in wait_for(page, "document.querySelector('.understood')?.textContent")
    wait_for(page, f"document.querySelector('.view3d[data-state=ready]') && document.querySelector('.tree').textContent.includes('{joint}')")
    assert json.loads(daemon.request("GET", f"/v1/robots/{name.split('.')[0]}")[2])["nv"] == 1


def test_a_robot_that_is_replaced_comes_back_by_undo(daemon, page):
    text = URDF.format(parent="base", izz="0.01")
    assert daemon.request("PUT", "/v1/robots/kept", text.encode(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "kept.urdf", text.replace('mass value="2"', 'mass value="7"'))
    assert "kept is replaced" in wait_for(page, "document.querySelector('.note')?.textContent")
    wait_for(page, "document.querySelector('.tree')?.textContent.includes('7 kg')")
    press(page, "Undo")
    # the page shows what came back
    wait_for(page, "document.querySelector('.tree')?.textContent.includes('2 kg')")
    assert json.loads(daemon.request("GET", "/v1/robots/kept")[2])["links"][1]["mass"] == 2
    # what was put twice replaces nothing
    for notes in (1, 0):
        open_at(page, daemon, "robots", ".drop")
        drop(page, ".drop", "kept.urdf", text)
        wait_for(page, "document.querySelector('.understood')")
        assert page.run("return document.querySelectorAll('.note').length") == notes


def test_versions_that_jobs_were_made_with_are_compared(daemon, page):
    text = URDF.format(parent="base", izz="0.01")
    put = lambda mass: daemon.request("PUT", "/v1/robots/ageing", text.replace('mass value="2"', f'mass value="{mass}"').encode(), {"Content-Type": "application/xml"})  # noqa: E731
    assert put(2)[0] == 201
    reply = daemon.request("POST", "/v1/robots/ageing/simulate", json.dumps({"initial": {"q": [0.5]}, "duration_s": 0.1, "output": {"interval_s": 0.01}}).encode(), {"Prefer": "wait=60"})
    assert reply[0] == 200 and put(3)[0] == 200
    open_at(page, daemon, "robots/ageing?show=differences", "[aria-label='Against which robot'] optgroup")
    version = wait_for(page, "[...document.querySelectorAll('[aria-label=\"Against which robot\"] optgroup')].find((one) => one.label.startsWith('Versions'))?.querySelector('option').value")
    page.run("const box = document.querySelector('[aria-label=\"Against which robot\"]'); box.value = arguments[0]; box.dispatchEvent(new Event('change', { bubbles: true }))", version)
    rows = wait_for(page, "document.querySelector('[aria-label=Differences] tbody tr') && [...document.querySelectorAll('[aria-label=Differences] tbody tr')].map((row) => [...row.children].map((one) => one.textContent))")
    assert rows == [["upper", "mass", "2", "3", "kg", "+50 %"]], rows
    assert f"with={version.replace('@', '%40')}" in page.run("return location.hash")


def drawn(page, text=""):
    """[calls, triangles] at rest, once a button was pressed."""
    if text:
        press(page, text)
    return page.run_async("""const done = arguments[0]; const canvas = () => document.querySelector('.view3d canvas').dataset; let last = -1, since = performance.now();
        const look = () => { if (canvas().frames !== last) { last = canvas().frames; since = performance.now(); }
          performance.now() - since > 500 && last ? done([Number(canvas().calls), Number(canvas().triangles)]) : requestAnimationFrame(look); }; look();""")


def test_frames_masses_limits_and_ellipsoids_are_drawn_when_asked(daemon, page):
    """Counted by what is drawn: for each link an axes' triad, for each mass a ball, for each joint with limits a sector, from both sides, and its line."""
    robot = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}] + [{"name": f"l{k}", "mass": 1, "com": [0, 0, 0.1], "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.002]], "inertia_about": "com"} for k in range(2)],
             "joints": [{"name": f"j{k}", "kind": "revolute", "parent": f"l{k - 1}" if k else "base", "child": f"l{k}", "origin": {"position": [0, 0, 0.2]}, "axis": [0, 1, 0], "limits": {"lower": -1, "upper": 1}} for k in range(2)]}
    assert daemon.request("PUT", "/v1/robots/counted", json.dumps(robot).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/counted", ".view3d[data-state=ready]")
    calls, triangles = drawn(page, "Bones")
    # boxes: six faces, and edges as a call of their own; triads and axes of joints are lines
    assert drawn(page, "Boxes") == [calls + 2 * 2, triangles + 2 * 12]
    round_ones = drawn(page, "Ellipsoids")
    assert round_ones[0] == calls + 2 and round_ones[1] > triangles + 2 * 12
    assert drawn(page, "Bones") == [calls, triangles]
    assert drawn(page, "Frames") == [calls + 3 + 2, triangles]
    assert drawn(page, "Frames") == [calls, triangles]
    balls = drawn(page, "Masses")
    assert balls[0] == calls + 2 and balls[1] > triangles
    assert drawn(page, "Masses") == [calls, triangles]
    # 2 rad in steps of a twelfth
    assert drawn(page, "Limits") == [calls + 2 * 3, triangles + 2 * 2 * 24]


def test_masses_beside_all_origins_are_within_the_picture(daemon, page):
    """Both origins at one place, masses 0.5 m above and below: their boxes, seen whole, leave an edge of the picture free."""
    image = pytest.importorskip("PIL.Image", reason="no pillow (make deps-clients)")
    links = [{"name": "base"}] + [{"name": name, "mass": 1, "com": [0, 0, z]} for name, z in (("up", 0.5), ("higher", 0.49))]
    joints = [{"name": f"j{k}", "kind": "revolute", "parent": "base", "child": name, "axis": [0, 1, 0]} for k, name in enumerate(("up", "higher"))]
    assert daemon.request("PUT", "/v1/robots/beside", json.dumps({"gravity": [0, 0, -9.81], "links": links, "joints": joints}).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/beside", ".view3d[data-state=ready]")
    wait_for(page, "document.querySelector('.view3d canvas').dataset.frames > 1")
    seen = image.open(io.BytesIO(pixels(page, ".view3d canvas"))).convert("L")
    # nothing as dark as a bone within the uppermost tenth
    top = seen.crop((0, 2, seen.width, seen.height // 10))
    assert min(top.getdata()) > 190, min(top.getdata())


def test_the_line_of_a_fault_in_a_document_is_marked(daemon, page):
    """A place within JSON: that of its value; of what is missing, that of what is to hold it."""
    lines = ['{', ' "gravity": [0, 0, -9.81],', ' "links": [{"name": "base"},', '  {"name": "rod",', '   "mass": -1, "com": [0, 0, -0.5]}],', ' "joints": [', '  {"name": "pivot", "kind": "revolute",', '   "parent": "base", "child": "rod", "axis": [0, 1, 0]}]', '}']
    open_at(page, daemon, "robots", ".drop")
    drop(page, ".drop", "paper.json", "\n".join(lines))
    assert wait_for(page, "document.querySelector('.gutter .error')?.textContent").split()[-1] == "5"
    press(page, "Close")
    drop(page, ".drop", "paper.json", "\n".join(lines).replace("-1, ", "1, ").replace(', "child": "rod"', ""))
    assert int(wait_for(page, "document.querySelector('.gutter .error')?.textContent").split()[-1]) in (7, 8)
    assert fits(page, 1280) and not faults_of(page)


def test_degrees_are_taken_and_shown_where_a_robot_is_changed_and_compared(daemon, page):
    assert daemon.request("PUT", "/v1/robots/turned", URDF.format(parent="base", izz="0.01").encode(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots/turned?show=change", "[aria-label=Change] input")
    press(page, "rad")
    upper = "[...document.querySelectorAll('[aria-label=Change] label')].find((one) => one.textContent.startsWith('Upper limit'))"
    assert wait_for(page, f"{upper}.querySelector('.unit').textContent === 'deg' && {upper}.querySelector('input').placeholder") == "114.6"  # 2 rad
    page.run(f"{upper}.querySelector('input').id = 'upper'")
    fill(page, "#upper", "90")
    press(page, "Add this change")
    rows = wait_for(page, "document.querySelector('[aria-label=Change] .differences tbody tr') && [...document.querySelectorAll('[aria-label=Change] .differences tbody tr')].map((row) => [...row.children].map((one) => one.textContent))")
    assert rows == [["shoulder", "upper limit", "114.59", "90", "deg", "\u221221.5 %"]], rows
    press(page, "Store")
    wait_for(page, "document.querySelector('.note')?.textContent.includes('turned is stored')")
    assert abs(json.loads(daemon.request("GET", "/v1/robots/turned")[2])["joints"][0]["limits"]["upper"] - 1.5707963) < 1e-6
    press(page, "deg")
