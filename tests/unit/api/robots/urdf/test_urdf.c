/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/urdf/test_urdf.c - valid URDF files, then every kind of invalid one. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"

#define INERTIA(m)                                                                                 \
    "<inertial><mass value='" m "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"    \
    "</inertial>"
#define LINK(name) "<link name='" name "'>" INERTIA("1") "</link>"
#define JOINT(name, type, parent, child, more)                                                     \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>"  \
    "<origin xyz='0 0 1'/>" more "</joint>"
#define ROBOT(inside) "<robot name='r'>" inside "</robot>"
#define TWO_LINKS     LINK("a") LINK("b")

typedef struct bad_case {
    const char *name;
    const char *text;
    int status;
    const char *slug;
    const char *pointer; /* of the first fault */
    const char *detail;  /* a part of it */
    const char *hint;    /* a part of it */
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"empty", "", 400, "malformed", "", "the body is empty", "send the file as the body"},
    {"not XML", "<", 400, "malformed", "", "line 1, column", "arrived whole"},
    {"cut", "<robot name='r'><link name='a'>", 400, "malformed", "", "line 1, column", "arrived whole"},
    {"cut in a tag", "<robot name='r'><link na", 400, "malformed", "", "line 1, column", "arrived whole"},
    {"two attributes of one name", "<robot name='r' name='s'/>", 400, "malformed", "", "duplicate attribute", ""},
    {"document type", "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot/>", 400, "malformed", "", "never read", "remove the <!DOCTYPE"},
    {"bomb", "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><robot name='&b;'/>", 400, "malformed", "", "never read", "remove"},
    {"unknown entity", "<robot name='&b;'/>", 400, "malformed", "", "undefined entity", ""},
    {"sdf", "<sdf><model name='m'/></sdf>", 422, "missing-field", "/sdf//sdf", "no version", "version="},
    {"no link", ROBOT(""), 422, "invalid-robot", "/robot", "no link", "<link name="},
    {"link without name", ROBOT("<link/>"), 422, "missing-field", "/robot/link[1]", "has no name", "name="},
    {"joint without name", ROBOT(TWO_LINKS "<joint type='fixed'><parent link='a'/><child link='b'/></joint>"), 422, "missing-field", "/robot/joint[1]", "has no name", "name="},
    {"joint without type", ROBOT(TWO_LINKS "<joint name='j'><parent link='a'/><child link='b'/></joint>"), 422, "missing-field", "/robot/joint[@name='j']", "no type", "revolute, continuous"},
    {"unknown type", ROBOT(TWO_LINKS JOINT("j", "hinge", "a", "b", "")), 422, "invalid-value", "/robot/joint[@name='j']", "hinge", "revolute, continuous"},
    {"no parent", ROBOT(TWO_LINKS "<joint name='j' type='fixed'><child link='b'/></joint>"), 422, "missing-field", "/robot/joint[@name='j']", "no <parent>", "<parent link"},
    {"no child", ROBOT(TWO_LINKS "<joint name='j' type='fixed'><parent link='b'/></joint>"), 422, "missing-field", "/robot/joint[@name='j']", "no <child>", "<child link"},
    {"unknown parent", ROBOT(TWO_LINKS JOINT("j", "fixed", "c", "b", "")), 422, "unknown-name", "/robot/joint[@name='j']/parent", "\"c\"", "<link name=\"c\"/>"},
    {"unknown child", ROBOT(TWO_LINKS JOINT("j", "fixed", "a", "c", "")), 422, "unknown-name", "/robot/joint[@name='j']/child", "\"c\"", "<link name=\"c\"/>"},
    {"two links of one name", ROBOT(LINK("a") LINK("a")), 422, "invalid-robot", "/robot/link[@name='a']", "number 1 and 2", "own name"},
    {"two joints of one name", ROBOT(TWO_LINKS LINK("c") JOINT("j", "fixed", "a", "b", "") JOINT("j", "fixed", "b", "c", "")), 422, "invalid-robot", "/robot/joint[@name='j']", "number 1 and 2", "own name"},
    {"two roots", ROBOT(TWO_LINKS), 422, "tree", "/robot/link[@name='b']", "second root", "fixed joint with parent \"a\" and child \"b\""},
    {"loop", ROBOT(TWO_LINKS LINK("c") JOINT("j", "fixed", "b", "c", "") JOINT("k", "fixed", "c", "b", "")), 422, "tree", "/robot/joint[@name='k']/parent", "loop", "break the loop"},
    {"all in a loop", ROBOT(TWO_LINKS JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")), 422, "tree", "/robot/joint[@name='k']/parent", "loop", "break the loop"},
    {"two parents", ROBOT(TWO_LINKS LINK("c") JOINT("j", "fixed", "a", "c", "") JOINT("k", "fixed", "b", "c", "")), 422, "tree", "/robot/joint[@name='k']/child", "\"j\" and by joint \"k\"", "constraint"},
    {"itself", ROBOT(TWO_LINKS JOINT("j", "fixed", "b", "b", "")), 422, "tree", "/robot/joint[@name='j']/child", "to itself", "two different"},
    {"zero axis", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>")), 422, "range", "/robot/joint[@name='j']/axis", "axis is zero", "0 0 1"},
    {"axis without xyz", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<axis/>")), 422, "missing-field", "/robot/joint[@name='j']/axis", "no xyz", "xyz="},
    {"comma", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 1,5'/>")), 400, "malformed", "/robot/joint[@name='j']/axis", "\"1,5\" is not a number", "decimal mark is a point"},
    {"nan", ROBOT("<link name='a'>" INERTIA("nan") "</link>"), 422, "not-finite", "/robot/link[@name='a']/inertial/mass", "\"nan\"", "finite"},
    {"infinity", ROBOT("<link name='a'>" INERTIA("-Infinity") "</link>"), 422, "not-finite", "/robot/link[@name='a']/inertial/mass", "\"-Infinity\"", "finite"},
    {"1e999", ROBOT("<link name='a'>" INERTIA("1e999") "</link>"), 422, "not-finite", "/robot/link[@name='a']/inertial/mass", "\"1e999\"", "finite"},
    {"word", ROBOT("<link name='a'>" INERTIA("heavy") "</link>"), 400, "malformed", "/robot/link[@name='a']/inertial/mass", "\"heavy\"", "plain decimal"},
    {"hexadecimal", ROBOT("<link name='a'>" INERTIA("0x10") "</link>"), 400, "malformed", "/robot/link[@name='a']/inertial/mass", "\"0x10\"", "plain decimal"},
    {"a sign alone", ROBOT("<link name='a'>" INERTIA("-") "</link>"), 400, "malformed", "/robot/link[@name='a']/inertial/mass", "\"-\"", "plain decimal"},
    {"no number", ROBOT("<link name='a'>" INERTIA(" ") "</link>"), 400, "malformed", "/robot/link[@name='a']/inertial/mass", "0 numbers, not 1", "write 1 number"},
    {"two for three", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<axis xyz='0 1'/>")), 400, "malformed", "/robot/joint[@name='j']/axis", "2 numbers, not 3", "write 3 numbers"},
    {"four for three", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<axis xyz='0 1 0 0'/>")), 400, "malformed", "/robot/joint[@name='j']/axis", "4 numbers, not 3", "write 3 numbers"},
    {"xacro value", ROBOT("<link name='a'>" INERTIA("${mass}") "</link>"), 400, "malformed", "/robot/link[@name='a']/inertial/mass", "xacro", "run xacro"},
    {"xacro element", ROBOT("<xacro:macro name='m'/>"), 400, "malformed", "/robot/xacro:macro", "xacro", "run xacro"},
    {"xacro name", ROBOT("<link name='${prefix}a'/>"), 400, "malformed", "/robot/link[@name='${prefix}a']", "xacro", "run xacro"},
    {"negative mass", ROBOT("<link name='a'>" INERTIA("-1") "</link>"), 422, "inertia", "/robot/link[@name='a']/inertial/mass", "link.mass", "zero or more"},
    {"no mass", ROBOT("<link name='a'><inertial><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"), 422, "missing-field", "/robot/link[@name='a']/inertial", "no <mass>", "<mass value"},
    {"half an inertia", ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"), 422, "missing-field", "/robot/link[@name='a']/inertial/inertia", "no ixy", "ixy=\"0\""},
    {"two inertials", ROBOT("<link name='a'>" INERTIA("1") INERTIA("1") "</link>"), 400, "duplicate-field", "/robot/link[@name='a']/inertial", "second <inertial>", "keep one"},
    {"mimic of nobody", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>")), 422, "unknown-name", "/robot/joint[@name='j']/mimic", "no joint \"k\"", "remove <mimic>"},
    {"mimic of itself", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "<mimic joint='j'/>")), 422, "tree", "/robot/joint[@name='j']/mimic", "follows itself", "another joint"},
    {"mimic of a fixed joint", ROBOT(TWO_LINKS LINK("c") JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>") JOINT("k", "fixed", "b", "c", "")), 422, "tree", "/robot/joint[@name='j']/mimic", "\"k\" is of another kind", "one freedom"},
    {"words for a ratio", ROBOT(TWO_LINKS JOINT("j", "revolute", "a", "b", "") "<transmission><joint name='j'/><actuator name='m'><mechanicalReduction>fast</mechanicalReduction><drake:rotor_inertia value='1'/></actuator></transmission>"), 400, "malformed", "/robot/transmission", "no number", "ratio"},
    {"a comment first", "<!-- a --><?xml version='1.0'?><robot name='r'><link name='a'/></robot>", 400, "malformed", "", "not the first thing", "arrived whole"},
    {"chain of mimics", ROBOT(TWO_LINKS LINK("c") LINK("d") JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>") JOINT("k", "revolute", "b", "c", "<mimic joint='l'/>") JOINT("l", "revolute", "c", "d", "")), 422, "tree", "/robot/joint[@name='j']/mimic", "follows another", "head of the chain"},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

ParameterizedTestParameters(urdf, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, urdf, refused)
{
    const bad_case *c = &bad_cases[*row];
    tqa_problem problem;
    const tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, c->text, strlen(c->text), &problem);
    cr_assert(robot == NULL, "%s: was accepted", c->name);
    cr_assert(problem.status == c->status, "%s: status %d %s", c->name, problem.status,
              problem.detail);
    cr_assert(strcmp(problem.slug, c->slug) == 0, "%s: slug %s", c->name, problem.slug);
    if (c->pointer == NULL) {
        return;
    }
    cr_assert(problem.n_fault > 0, "%s: no place", c->name);
    const tqa_fault *fault = &problem.faults[0];
    cr_assert(strcmp(fault->pointer, c->pointer) == 0, "%s: place %s", c->name, fault->pointer);
    cr_assert(strstr(fault->detail, c->detail) != NULL, "%s: %s", c->name, fault->detail);
    cr_assert(strstr(fault->hint, c->hint) != NULL, "%s: hint %s", c->name, fault->hint);
}

static tqa_robot *parse(const char *text)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, text, strlen(text), &problem);
    cr_assert(robot != NULL, "%d %s: %s", problem.status, problem.slug, problem.detail);
    return robot;
}

/* number of findings of this kind, place and text (parts) */
static uint32_t count_findings(const tqa_robot *robot, tqa_finding_kind kind, const char *where,
                               const char *text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < robot->n_finding; i++) {
        const tqa_finding *f = &robot->findings[i];
        if (f->kind == kind && strstr(f->where, where) != NULL && strstr(f->text, text) != NULL) {
            n += f->count;
        }
    }
    return n;
}

Test(urdf, several_faults_are_reported_at_once)
{
    tqa_problem problem;
    const char *text = ROBOT("<link name='a'>" INERTIA("x") "</link>" LINK("b")
                                 JOINT("j", "hinge", "a", "b", "<axis xyz='1'/>"));
    cr_assert(tqa_robot_parse(TQA_MEDIA_XML, text, strlen(text), &problem) == NULL);
    cr_assert(eq(sz, problem.n_fault, 3));
    cr_assert(eq(int, problem.status, 400));
}

Test(urdf, joint_kinds_and_slices)
{
    tqa_robot *robot = parse(ROBOT(
        LINK("w") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f") LINK("g")
            JOINT("float", "floating", "w", "a", "") JOINT("turn", "revolute", "a", "b", "")
                JOINT("roll", "continuous", "b", "c", "") JOINT("slide", "prismatic", "c", "d", "")
                    JOINT("weld", "fixed", "d", "e", "") JOINT("plane", "planar", "e", "f", "")
                        JOINT("twin", "revolute", "f", "g",
                              "<mimic joint='turn' multiplier='-2' offset='.5'/>")));
    const tq_model *model = robot->model;
    static const tq_joint_kind kinds[] = {
        TQ_JOINT_FLOATING, TQ_JOINT_REVOLUTE, TQ_JOINT_CONTINUOUS, TQ_JOINT_PRISMATIC,
        TQ_JOINT_FIXED,    TQ_JOINT_PLANAR,   TQ_JOINT_REVOLUTE};
    static const uint32_t q_index[] = {0, 7, 8, 9, 10, 10, 7};
    cr_assert(eq(u32, model->nq, 13));
    cr_assert(eq(u32, model->nv, 12));
    for (uint32_t i = 0; i < 7; i++) {
        cr_assert(model->joints[i].kind == kinds[i], "joint %u", i);
        if (model->joints[i].kind != TQ_JOINT_FIXED) {
            cr_assert(model->joints[i].q_index == q_index[i], "joint %u: %u", i,
                      model->joints[i].q_index);
        }
    }
    cr_assert(eq(u32, model->joints[6].mimic, 1));
    cr_assert(eq(dbl, model->joints[6].mimic_multiplier, -2.0));
    cr_assert(eq(dbl, model->joints[6].mimic_offset, 0.5));
    cr_assert(eq(u32, tqa_robot_joint(robot, "slide", 5), 3));
    cr_assert(eq(u32, tqa_robot_joint(robot, "slider", 5), 3));
    cr_assert(eq(u32, tqa_robot_joint(robot, "slid", 4), TQ_NONE));
    cr_assert(eq(u32, tqa_robot_link(robot, "g", 1), 7));
    cr_assert(eq(u32, tqa_robot_link(robot, "", 0), TQ_NONE));
    tqa_robot_free(robot);
}

/* Files of two packages that Pinocchio reads: the first of two axes is used, blank lines before the
 * declaration are ignored; line numbers are still those of the file. */
Test(urdf, second_axes_and_leading_blank_lines_are_ignored)
{
    tqa_robot *robot = parse(
        "\n \n<?xml version='1.0'?>\n<robot name='r'><link name='a'/><link name='b'/>\n"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>\n"
        "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>");
    bool listed = false;
    cr_assert(robot->model->joints[0].axis[1] == 1.0);
    for (size_t k = 0; k < robot->n_finding; k++) {
        listed = listed || (robot->findings[k].kind == TQA_FINDING_DOCTOR &&
                            strstr(robot->findings[k].text, "second <axis>") != NULL &&
                            strstr(robot->findings[k].where, "(line 6)") != NULL);
    }
    cr_assert(listed);
    tqa_robot_free(robot);
}

Test(urdf, numbers_as_people_write_them)
{
    tqa_robot *robot =
        parse(ROBOT(TWO_LINKS "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                              "<origin xyz='+.5 -1. 007'/><axis xyz='\n 0\t0  1.e0 '/>"
                              "<limit lower='-00.25e1' upper='2' velocity='3' effort='4'/>"
                              "<dynamics damping='0.5' friction='1E-1'/></joint>"));
    const tq_joint *joint = &robot->model->joints[0];
    cr_assert(eq(dbl, joint->origin.p[0], 0.5));
    cr_assert(eq(dbl, joint->origin.p[1], -1.0));
    cr_assert(eq(dbl, joint->origin.p[2], 7.0));
    cr_assert(eq(dbl, joint->axis[2], 1.0));
    cr_assert(eq(dbl, joint->limits.lower, -2.5));
    cr_assert(eq(dbl, joint->limits.upper, 2.0));
    cr_assert(eq(dbl, joint->limits.velocity, 3.0));
    cr_assert(eq(dbl, joint->limits.effort, 4.0));
    cr_assert(eq(dbl, joint->friction.viscous, 0.5));
    cr_assert(eq(dbl, joint->friction.coulomb, 0.1));
    tqa_robot_free(robot);
}

Test(urdf, defaults)
{
    tqa_robot *robot = parse(
        "\xEF\xBB\xBF\n<robot><link name='a'/><link name='b/tool'/>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b/tool'/></joint></robot>");
    const tq_joint *joint = &robot->model->joints[0];
    cr_assert(eq(dbl, joint->axis[0], 1.0)); /* the default is x */
    cr_assert(eq(dbl, joint->limits.upper, (double)INFINITY));
    cr_assert(eq(dbl, robot->model->gravity[2], -9.81));
    cr_assert(eq(str, (char *)robot->name, ""));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_DOCTOR, "joint j", "no <limit>"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_DOCTOR, "joint j", "always singular"), 1));
    tqa_robot_free(robot);
}

/* a quarter turn about x maps the tensor's y to the link's z: exact except for the cosine of pi/2
 */
Test(urdf, rotated_inertia_comes_into_link_axes)
{
    tqa_robot *robot =
        parse(ROBOT("<link name='a'><inertial><origin xyz='1 2 3' rpy='1.5707963267948966 0 0'/>"
                    "<mass value='2'/><inertia ixx='4' ixy='.1' ixz='.2' iyy='5' iyz='.3' izz='6'/>"
                    "</inertial></link>"));
    const tq_inertia *inertia = &robot->model->links[0].inertia;
    static const double expected[6] = {4, -0.2, 0.1, 6, -0.3, 5};
    for (int k = 0; k < 6; k++) {
        cr_assert(epsilon_eq(dbl, inertia->about_com[k], expected[k], 1e-14), "entry %d", k);
    }
    cr_assert(eq(dbl, inertia->com[0], 1.0));
    cr_assert(eq(dbl, inertia->com[1], 2.0));
    cr_assert(eq(dbl, inertia->com[2], 3.0));
    tqa_robot_free(robot);
}

Test(urdf, everything_ignored_is_listed_with_counts)
{
    tqa_robot *robot = parse(ROBOT(
        "<link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual><visual/></link>"
        "<link name='b'><collision/></link>"
        "<joint name='j' type='continuous' speed='1'><parent link='a'/><child link='b'/>"
        "<dynamics D='1' damping='1'/><safety_controller/><axis xyz='0 0 1'><x/></axis></joint>"
        "<gazebo reference='a'><visual/></gazebo><material name='m'/><nonsense/>"));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "link/visual", "draw"), 2));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "link/collision", "touch"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "joint@speed", "not known"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "dynamics@D", "not known"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "axis/x", "not known"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "robot/gazebo", "simulator"), 1));
    cr_assert(
        eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "robot/nonsense", "not known"), 1));
    cr_assert(
        eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "joint/safety_controller", "soft"), 1));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "", ""), 10));
    tqa_robot_free(robot);
}

Test(urdf, transmission_gives_the_rotor)
{
    tqa_robot *robot = parse(ROBOT(TWO_LINKS LINK("c") JOINT("j", "revolute", "a", "b", "") JOINT(
        "k", "revolute", "b", "c",
        "") "<transmission name='t'><type>x</type><joint name='j'><hardwareInterface/></joint>"
            "<actuator name='m'><mechanicalReduction> 100 </mechanicalReduction>"
            "<drake:rotor_inertia value='1e-4'/></actuator></transmission>"
            "<transmission><joint name='k'/><mechanicalReduction>50</mechanicalReduction></transmission>"));
    cr_assert(eq(dbl, robot->model->joints[0].rotor.inertia, 1e-4));
    cr_assert(eq(dbl, robot->model->joints[0].rotor.ratio, 100.0));
    cr_assert(eq(dbl, robot->model->joints[1].rotor.inertia, 0.0));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "transmission", "no rotor"), 1));
    tqa_robot_free(robot);
}

/* TALOS' fixed joints with mimic; xArm's transmissions with words as reductions */
Test(urdf, what_cannot_mean_anything_is_ignored)
{
    tqa_robot *robot = parse(ROBOT(TWO_LINKS LINK("c") JOINT("j", "revolute", "a", "b", "") JOINT(
        "k", "fixed", "b", "c",
        "<mimic joint='j' multiplier='2'/>") "<transmission><joint name='j'/><mechanicalReduction>see datasheet</mechanicalReduction>"
                                             "</transmission>"));
    cr_assert(eq(u32, robot->model->joints[1].mimic, TQ_NONE));
    cr_assert(eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "joint/mimic", "fixed joint"), 1));
    cr_assert(
        eq(u32, count_findings(robot, TQA_FINDING_IGNORED, "transmission", "is no number"), 1));
    tqa_robot_free(robot);
}

/* the inertia of the hint satisfies the doctor */
Test(urdf, the_inertia_of_the_hint_satisfies_the_doctor)
{
    static const char *const bad[] = {"ixx='1' ixy='.1' ixz='.2' iyy='1' iyz='.3' izz='3'",
                                      "ixx='-1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'"};
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            ROBOT("<link name='a'><inertial><mass value='2'/><inertia %s/></inertial></link>"),
            bad[i]);
        tqa_robot *robot = parse(text);
        cr_assert(eq(u32, count_findings(robot, TQA_FINDING_DOCTOR, "link a", "no body"), 1));
        double s[6];
        const tqa_finding *f = robot->findings;
        while (f->kind != TQA_FINDING_DOCTOR) {
            f++;
        }
        const char *hint = strstr(f->text, "is xx");
        cr_assert(hint != NULL, "%s", f->text);
        cr_assert(sscanf(hint, "is xx %lf xy %lf xz %lf yy %lf yz %lf zz %lf", &s[0], &s[1], &s[2],
                         &s[3], &s[4], &s[5]) == 6);
        (void)snprintf(
            text, sizeof text,
            ROBOT("<link name='a'><inertial><mass value='2'/><inertia ixx='%.9g' "
                  "ixy='%.9g' ixz='%.9g' iyy='%.9g' iyz='%.9g' izz='%.9g'/></inertial></link>"),
            s[0], s[1], s[2], s[3], s[4], s[5]);
        tqa_robot *healed = parse(text);
        cr_assert(count_findings(healed, TQA_FINDING_DOCTOR, "", "") == 0, "%s", text);
        tqa_robot_free(healed);
        tqa_robot_free(robot);
    }
}

Test(urdf, recognised_by_its_first_bytes)
{
    static const char utf16[] =
        "\xFF\xFE<\0r\0o\0b\0o\0t\0>\0<\0l\0i\0n\0k\0 \0n\0a\0m\0e\0=\0'\0a\0'"
        "\0/\0>\0<\0/\0r\0o\0b\0o\0t\0>\0";
    static const tqa_media media[] = {TQA_MEDIA_NONE, TQA_MEDIA_OTHER, TQA_MEDIA_XML};
    tqa_problem problem;
    for (size_t i = 0; i < 3; i++) {
        tqa_robot *robot = tqa_robot_parse(media[i], utf16, sizeof utf16 - 1, &problem);
        cr_assert(robot != NULL, "%zu: %s", i, problem.detail);
        cr_assert(eq(u32, tqa_robot_link(robot, "a", 1), 0));
        tqa_robot_free(robot);
    }
    cr_assert(tqa_robot_parse(TQA_MEDIA_OTHER, "GIF89a", 6, &problem) == NULL);
    cr_assert(eq(int, problem.status, 415));
    cr_assert(tqa_robot_parse(TQA_MEDIA_NPY, "<robot/>", 8, &problem) == NULL);
    cr_assert(eq(int, problem.status, 415));
}

/* n copies of `inside` between head and tail */
static char *repeat(const char *head, const char *inside, size_t n, const char *tail, size_t *ret_n)
{
    const size_t each = strlen(inside);
    char *text = malloc(strlen(head) + n * each + strlen(tail) + 1);
    cr_assert(text != NULL);
    char *p = stpcpy(text, head);
    for (size_t i = 0; i < n; i++) {
        memcpy(p, inside, each);
        p += each;
    }
    p = stpcpy(p, tail);
    *ret_n = (size_t)(p - text);
    return text;
}

static void assert_refused(const char *head, const char *inside, size_t count, const char *tail,
                           const char *slug, const char *detail)
{
    size_t n = 0;
    char *text = repeat(head, inside, count, tail, &n);
    tqa_problem problem;
    cr_assert(tqa_robot_parse(TQA_MEDIA_XML, text, n, &problem) == NULL);
    cr_assert(strcmp(problem.slug, slug) == 0 && strstr(problem.detail, detail) != NULL, "%s: %s",
              problem.slug, problem.detail);
    free(text);
}

Test(urdf, limits_hold, .timeout = 100)
{
    assert_refused("<robot>", "<a>", 5000000, "", "too-large", "inside each other");
    assert_refused("<robot>", "<a/>", 2000000, "</robot>", "too-large", "1000000 elements");
    assert_refused("<robot ", "", 0, "/>", "invalid-robot", "no link");
    assert_refused("<robot>", "<link name='a'/>", TQ_LINK_MAX + 1, "</robot>", "too-large",
                   "number 4097");
    assert_refused("<robot><a ", "a", 16 << 20, "='1'/></robot>", "too-large", "16777216 bytes");
    assert_refused("<robot name='", "a", 15 << 20, "'/>", "invalid-value", "bytes");
}

Test(urdf, at_most_64_attributes)
{
    char text[4096] = "<robot";
    size_t used = strlen(text);
    for (int i = 0; i < 65; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " a%d='1'", i);
    }
    (void)snprintf(text + used, sizeof text - used, "/>");
    tqa_problem problem;
    cr_assert(tqa_robot_parse(TQA_MEDIA_XML, text, strlen(text), &problem) == NULL);
    cr_assert(eq(int, problem.status, 413));
    cr_assert(strstr(problem.detail, "64 attributes") != NULL, "%s", problem.detail);
}

/* the longest allowed chain, in an unfavourable order: the tree must not be traversed in quadratic
 * time */
Test(urdf, the_longest_chain_is_quick, .timeout = 100)
{
    char *text = malloc(1 << 20);
    cr_assert(text != NULL);
    const char *end = text + (1 << 20);
    char *p = stpcpy(text, "<robot name='chain'>");
    for (int i = TQ_LINK_MAX - 1; i >= 0; i--) {
        p += snprintf(p, (size_t)(end - p), "<link name='l%d'/>", i);
    }
    for (int i = TQ_LINK_MAX - 2; i >= 0; i--) {
        p += snprintf(p, (size_t)(end - p),
                      "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>"
                      "</joint>",
                      i, i, i + 1);
    }
    p = stpcpy(p, "</robot>");
    tqa_robot *robot = parse(text);
    cr_assert(eq(u32, robot->model->nv, TQ_LINK_MAX - 1));
    tqa_robot_free(robot);
    free(text);
}

/* BLAKE2b-256 of exactly these bytes, by b2sum -l 256 */
Test(urdf, digest_is_of_the_bytes)
{
    tqa_robot *robot = parse("<robot name='r'><link name='a'/></robot>");
    cr_assert(eq(sz, strlen(robot->digest), 64));
    cr_assert(
        eq(str, robot->digest, "e02b5b1a2caf622081d63edd51b09abe18ed5af989208c7aeb811b6365b5afc7"));
    tqa_robot_free(robot);
}
