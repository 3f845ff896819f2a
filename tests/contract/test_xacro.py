# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_xacro.py - xacro: the same robot as by the xacro program; refusals; bounds.
"""Each file is also expanded by the xacro package of PyPI; links and joints of both are equal to the last digit."""
import io
import json
import os
import resource
import zipfile

import pytest
from conftest import TORQUED

xacro = pytest.importorskip("xacro")

SANITIZED = any(v in TORQUED for v in ("/asan", "/tsan", "/coverage"))
XML = {"Content-Type": "application/xml"}
HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = '<xacro:macro name="body" params="name mass:=1 *origin"><link name="${name}"><inertial><xacro:insert_block name="origin"/><mass value="${mass}"/>' \
       '<inertia ixx="${mass*0.1}" iyy="${mass/5}" izz="${2*mass/10}" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>'
BODY = LINK + '<xacro:body name="a"><origin xyz="0 0 0"/></xacro:body>'
JOINT = '<joint name="j%s" type="revolute"><parent link="a"/><child link="%s"/><origin xyz="%s" rpy="0 0 ${pi/2}"/><axis xyz="0 0 1"/><limit lower="${-pi}" upper="${radians(90)}" effort="1" velocity="1"/></joint>'


def link(name, mass="1", xyz="0 0 0"):
    return f'<xacro:body name="{name}" mass="{mass}"><origin xyz="{xyz}"/></xacro:body>' + JOINT % (name, name, xyz)


EXPRESSIONS = ["1+2*3", "2**3**2", "-2**2", "(1+2)*3", "7//2", "7%3", "-7//2", "-7%3", "1/3", "10/5", "1e-3", ".5", "5.", "3 if True else 4", "3 if 1 > 2 else 4",
               "sin(0.3)", "cos(pi/3)**2", "atan2(1, 2)", "sqrt(2)", "fabs(-3)", "max(1, 2, 0.5)", "min(3, 2)", "int(3.9)", "round(2.5)", "floor(-1.5)", "ceil(1.2)",
               "radians(30)", "degrees(0.1)", "1 if not False and (0 or 2) else 5", "1 if 'a' + 'b' == 'ab' else 2", "1 if 2 >= 2 else 0", "width * 2 + height",
               "float('1.5')", "pow(2, 10)", "-(-3)", "2 - -3", "1 if width != height else 2", "int(7 / 2) * 0.1", "math.sin(1.0)", "asin(0.5)", "acos(0.25)", "log(2)", "exp(1.5)"]
CASES = {
    "expressions": BODY + '<xacro:property name="width" value="0.3"/><xacro:property name="height" value="${width / 7}"/>'
    + "".join(link(f"l{k}", xyz="${" + e + "} 0 ${" + e + "}") for k, e in enumerate(EXPRESSIONS)),
    "lazy": BODY + '<xacro:property name="p" value="${q * 2}"/><xacro:property name="q" value="3"/>' + link("b", "${p}"),
    "redefined": BODY + '<xacro:property name="q" value="3"/><xacro:property name="q" value="4"/><xacro:property name="q" default="5"/><xacro:property name="s" default="6"/>'
    + link("b", "${q}") + link("c", "${s}"),
    "defaults": BODY + '<xacro:property name="m" value="7"/><xacro:macro name="two" params="name a:=2 b:=3 m:=^ n:=^|9 t:=\'x y\'">' + link("${name}1", "${a}") + link("${name}2", "${m+n}")
    + '</xacro:macro><xacro:two name="p"/><xacro:two name="q" a="5" m="0.5"/>',
    "conditions": BODY + '<xacro:arg name="big" default="true"/><xacro:property name="n" value="0"/><xacro:if value="$(arg big)">' + link("big") + '</xacro:if><xacro:unless value="$(arg big)">'
    + link("small") + '</xacro:unless><xacro:if value="${n}">' + link("never") + '</xacro:if><xacro:if value="${n == 0 and \'$(arg big)\' == \'True\'}">' + link("both") + "</xacro:if>",
    "loop": BODY + '<xacro:macro name="loop" params="n"><xacro:if value="${n > 0}">' + link("l${n}", "${0.1 * n}") + '<xacro:loop n="${n - 1}"/></xacro:if></xacro:macro><xacro:loop n="12"/>',
    "blocks": BODY + '<xacro:property name="piece"><mass value="3"/><inertia ixx="1" iyy="${k}" izz="1" ixy="0" ixz="0" iyz="0"/></xacro:property><xacro:property name="k" value="1.5"/>'
    '<xacro:macro name="wrap" params="name **inside *first"><link name="${name}"><inertial><xacro:insert_block name="inside"/><xacro:insert_block name="first"/></inertial></link></xacro:macro>'
    '<xacro:wrap name="b"><all><xacro:insert_block name="piece"/></all><origin xyz="${k} 0 0"/></xacro:wrap>' + JOINT % ("b", "b", "0 0 1"),
    "scopes": BODY + '<xacro:macro name="make" params=""><xacro:property name="m" value="3" scope="parent"/><xacro:property name="g" value="${m+1}" scope="global"/></xacro:macro><xacro:make/>'
    + link("b", "${m}") + link("c", "${g}"),
    "texts": BODY + '<xacro:property name="side" value="left"/><xacro:property name="name" value="${side}_hand"/>' + link("${name}", "1.50") + link("${side + '_' + str(2)}")
    + link("l_${1 == 1}_${2}_${0.1 + 0.2}"),
    "environment": BODY + '<xacro:arg name="x" default="$(optenv TORQUED_NONE 2.5)"/><xacro:property name="v" value="$(arg x)"/>' + link("b", "${v}") + link("c", "$(eval 1 + 2)"),
}


def put(daemon, text, headers=XML):
    status, _, answer = daemon.request("PUT", "/v1/robots/expanded", text, headers)
    return status, json.loads(answer)


def expanded(path):
    xacro.init_stacks(None) if hasattr(xacro, "init_stacks") else None
    return xacro.process_file(str(path)).toxml()


@pytest.mark.parametrize("name", CASES)
def test_the_robot_is_that_of_the_xacro_program(daemon, tmp_path, name):
    text = HEAD + CASES[name] + "</robot>"
    path = tmp_path / "robot.urdf.xacro"
    path.write_text(text)
    status, want = put(daemon, expanded(path))
    assert status in (200, 201), want
    status, got = put(daemon, text)
    assert status in (200, 201) and got["source"] == "urdf", got
    assert got["links"] == want["links"] and got["joints"] == want["joints"]


def test_files_of_an_archive_are_included(daemon, tmp_path):
    files = {"arm/robot.urdf.xacro": HEAD + '<xacro:property name="file" value="common"/><xacro:include filename="parts/${file}.xacro"/><xacro:include filename="$(find arm)/parts/more.xacro"/>'
             + link("b", "${heavy}") + "</robot>",
             "arm/parts/common.xacro": HEAD + BODY + "</robot>", "arm/parts/more.xacro": HEAD + '<xacro:property name="heavy" value="9"/></robot>'}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as whole:
        for name, data in files.items():
            whole.writestr(name, data)
        whole.comment = b"main=arm/robot.urdf.xacro"
    status, got = put(daemon, packed.getvalue(), {"Content-Type": "application/zip"})
    assert status in (200, 201), got
    for name, data in files.items():
        path = tmp_path / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_text(data.replace("$(find arm)", str(tmp_path / "arm")))
    status, want = put(daemon, expanded(tmp_path / "arm/robot.urdf.xacro"))
    assert got["links"] == want["links"] and got["joints"] == want["joints"] and got["links"][1]["mass"] == 9
    status, answer = put(daemon, files["arm/robot.urdf.xacro"])
    assert status == 422 and "names another file" in answer["errors"][0]["detail"] and "zip" in answer["errors"][0]["hint"], answer


REFUSED = [
    (link("b"), "no macro"), ('<xacro:property name="p" value="${p}"/>' + BODY + link("b", "${p}"), "to itself"),
    (BODY + link("b", "${q}"), "no property"), (BODY + link("b", "${1/0}"), "zero"), (BODY + link("b", "${[1][0]}"), "not read"),
    (BODY + link("b", "${__import__('os')}"), "not read"), (BODY + link("b", "${1 +}"), "missing"), (BODY + link("b", "${1"), "no end"),
    (BODY + '<xacro:if value="maybe"/>', "neither"), (BODY + '<xacro:body name="b"/>', "block"), (BODY + '<xacro:body><origin/></xacro:body>', "parameter"),
    (BODY + '<xacro:body name="b" size="1"><origin/></xacro:body>', "no parameter"), (BODY + link("b", "$(arg x)"), "no value"), (BODY + link("b", "$(env HOME)"), "not read"),
    (BODY + link("b", "${load_yaml('x')}"), "not read"), (BODY + link("b", "${'a' * 3}"), "no number"),
]
BOMBS = [
    '<xacro:macro name="m" params=""><xacro:m/><xacro:m/></xacro:macro><xacro:m/>',
    "".join(f'<xacro:macro name="m{k}" params="">' + f"<xacro:m{k + 1}/>" * 10 + "</xacro:macro>" for k in range(12)) + '<xacro:macro name="m12" params=""><link name="x"/></xacro:macro><xacro:m0/>',
    "".join(f'<xacro:property name="p{k}" value="${{p{k + 1}}}${{p{k + 1}}}"/>' for k in range(40)) + '<xacro:property name="p40" value="x"/><link name="${p0}"/>',
    '<link name="${' + "(" * 500 + "1" + ")" * 500 + '}"/>',
    '<link name="${' + "2**" * 20000 + '1}"/>',
    "".join(f'<xacro:property name="p{k}" value="${{p{k + 1} + 1}}"/>' for k in range(300)) + '<xacro:property name="p300" value="1"/><link name="a${p0}"/>',
    '<xacro:property name="b"><x><xacro:insert_block name="b"/></x></xacro:property><xacro:insert_block name="b"/>',
]


@pytest.mark.parametrize("inside,word", REFUSED)
def test_what_is_not_read_is_refused_by_name(daemon, inside, word):
    status, answer = put(daemon, HEAD + inside + "</robot>")
    assert status in (400, 422) and any(word in one["detail"] and "line 1" in one["detail"] for one in answer["errors"]), answer


@pytest.mark.parametrize("number", range(len(BOMBS)))
def test_bombs_end(daemon, number):
    status, answer = put(daemon, HEAD + BOMBS[number] + "</robot>")
    assert status in (400, 413, 422), answer


@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs a stack of its own")
def test_a_small_stack_holds_the_deepest_files(start):
    """256 KiB is the smallest stack with which the daemon starts: expressions, macros, properties and elements
    at their maximal depth, and deeper."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, hard))
    try:
        daemon = start()
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    for bomb in BOMBS:
        status, answer = put(daemon, HEAD + bomb + "</robot>")
        assert status in (400, 413, 422), answer
    nest = "".join(f'<xacro:if value="${{{"(" * depth}1{")" * depth}}}">' for depth in range(50))
    for depth in (5, 20, 40, 60, 100, 1000):
        loop = f'<xacro:macro name="m" params="n"><xacro:if value="${{n > 0}}"><xacro:m n="${{n - 1}}"/></xacro:if></xacro:macro><xacro:m n="{depth}"/>'
        chain = "".join(f'<xacro:property name="p{k}" value="${{p{k + 1} + 1}}"/>' for k in range(depth)) + f'<xacro:property name="p{depth}" value="1"/>' + link("b", "${p0}")
        power, minus = link("b", "${" + "2**" * depth + "1}"), link("b", "${" + "-" * depth + "1}")
        condition = link("b", "${" + "1 if 1 else " * depth + "2}")
        for inside in (loop, chain, power, minus, condition, link("b", "${" + "(" * depth + "1" + ")" * depth + "}")):
            status, answer = put(daemon, HEAD + BODY + inside + "</robot>")
            assert status in (200, 201, 400, 413, 422), (depth, answer)
    assert put(daemon, HEAD + BODY + nest + "</xacro:if>" * 50 + "</robot>")[0] in (200, 201, 400, 413, 422)
    assert put(daemon, HEAD + CASES["loop"] + "</robot>")[0] in (200, 201)
