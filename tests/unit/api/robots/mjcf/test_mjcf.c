/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/mjcf/test_mjcf.c - MJCF against numbers of MuJoCo, and refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "tests/support/subject.h"

/* every joint type, default classes, frames, ref and springref, anchors away from the origin, all
 * forms of a rotation, all geoms with a mass, inertias in every form */
/* clang-format off */
static const char everything[] =
    "<mujoco model='m'><compiler angle='degree' eulerseq='XYz'/><option gravity='0.5 -1 -9'/>"
    "<default><joint damping='0.3' armature='0.02'/><geom density='500'/>"
    "<default class='arm'><joint axis='0 1 0' stiffness='3' springref='20' ref='15'/>"
    "<geom type='capsule' size='0.05'/></default></default>"
    "<worldbody><geom type='plane' size='1 1 1'/><light pos='0 0 1'/>"
    "<frame pos='0.1 0.2 0.3' euler='10 20 30'>"
    "<body name='a' pos='0 0 0.5' quat='1 0.2 0.3 0.1' childclass='arm'>"
    "<joint name='j1' pos='0.1 0 0.05'/><geom fromto='0 0 0 0.3 0.2 0.1'/>"
    "<geom type='box' size='0.1 0.2 0.05' pos='0.1 0 0' axisangle='1 1 0 40' mass='2'/>"
    "<body name='b' pos='0.3 0.2 0.1' xyaxes='0 1 0 -1 0.1 0.2'>"
    "<joint name='s' type='slide' axis='1 2 3' ref='0.1' class='main' range='-1 1'/>"
    "<joint name='j2' axis='1 0 0.3' range='-30 60' frictionloss='0.5'/>"
    "<inertial pos='0.1 0.02 0.03' mass='1.5' diaginertia='0.03 0.02 0.025' euler='5 6 7'/>"
    "<geom type='sphere' size='0.3'/>"
    "<body name='c' pos='0 0.1 0.2' zaxis='1 0 1'>"
    "<joint name='ball' type='ball' pos='0.02 0 0.01' damping='0' armature='0' stiffness='0' "
    "class='main'/><geom type='ellipsoid' size='0.1 0.2 0.3'/>"
    "<geom type='cylinder' size='0.1 0.2' pos='0.1 0.1 0.1' class='main'/></body>"
    "</body></body></frame>"
    "<body name='f' pos='1 1 1'><freejoint/>"
    "<inertial pos='0.01 0.02 0' mass='2' fullinertia='0.03 0.04 0.05 0.001 0.002 0.003'/>"
    "<body name='g' pos='0 0.1 0'><joint axis='1 1 1'/>"
    "<geom type='box' size='0.1 0.1 0.2' fromto='0 0 0 0.3 0 0'/></body></body>"
    "</worldbody><equality><weld body1='a' body2='f'/></equality></mujoco>";
/* clang-format on */

enum { NQ = 15, NV = 13 };

static tqa_robot *parse(const char *text)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, text, strlen(text), &problem);
    cr_assert(robot != NULL, "%s: %s: %s", problem.slug, problem.detail, problem.faults[0].pointer);
    return robot;
}

static size_t append(char *text, size_t n, const char *more)
{
    memcpy(text + n, more, strlen(more) + 1);
    return n + strlen(more);
}

static uint32_t count(const tqa_robot *robot, const char *where)
{
    for (size_t k = 0; k < robot->n_finding; k++) {
        if (strstr(robot->findings[k].where, where) == robot->findings[k].where) {
            return robot->findings[k].count;
        }
    }
    return 0;
}

/* MuJoCo 4.0 (PyPI): mj_inverse at rest without constraints, and M times a vector of ones, both
 * with the linear part of the free joint expressed in the frame of its body. The torques are sums
 * of terms below 200, M's entries of terms below 30. */
Test(mjcf, moves_as_in_mujoco)
{
    static const double q[NQ] = {.3, -.2, .5, .5, .1, -.7, .5, .4, -.6, .8, .5, .5, .1, -.7, -.9};
    static const double rest[NV] = {
        -24.282788801062832, 140.01412305819824,  -21.230152289510418, -2.4330983864508244,
        3.84300365437738,    -4.099663285424369,  -62.39999999999999,  18.88,
        31.839999999999996,  0.15053621922727614, -6.8182603734780685, 4.338009294316834,
        -5.679114502270629};
    static const double sums[NV] = {
        -2.8331683268953993,  12.779028059547594,   0.3795755191299963,  0.8168416796349907,
        -0.10013369117474152, -0.35915018531205056, 8.644053349622919,   8.260420310892956,
        7.095526339484121,    -0.13569733240746648, 0.14980440761743535, 0.47422086449826373,
        0.31790156181754636};
    tqa_robot *robot = parse(everything);
    cr_assert(robot->model->nq == NQ && robot->model->nv == NV);
    cr_assert(strcmp(robot->source, "mjcf") == 0 && strcmp(robot->name, "m") == 0);
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    double tau[NV];
    double mass[NV * NV];
    tqt_torque(subject, q, NULL, NULL, 0, tau);
    tqt_mass(subject, q, mass);
    for (int i = 0; i < NV; i++) {
        double sum = 0.0;
        for (int j = 0; j < NV; j++) {
            sum += mass[NV * i + j];
        }
        cr_assert(fabs(tau[i] - rest[i]) <= 1e-12 * 200.0, "tau[%d]: %.17g", i, tau[i]);
        cr_assert(fabs(sum - sums[i]) <= 1e-12 * 30.0, "M 1 [%d]: %.17g", i, sum);
    }
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

Test(mjcf, names_limits_and_what_is_ignored)
{
    tqa_robot *robot = parse(everything);
    const tq_joint *joints = robot->model->joints;
    const uint32_t j2 = tqa_robot_joint(robot, "j2", 2);
    const uint32_t s = tqa_robot_joint(robot, "s", 1);
    cr_assert(epsilon_eq(dbl, joints[j2].limits.upper, 3.14159265358979323846 / 3, 1e-15));
    cr_assert(eq(dbl, joints[s].limits.lower, -1.0));
    cr_assert(eq(dbl, joints[s].friction.viscous, 0.3));
    cr_assert(eq(dbl, joints[j2].friction.coulomb, 0.5));
    cr_assert(eq(dbl, joints[j2].rotor.inertia, 0.02));
    cr_assert(joints[tqa_robot_joint(robot, "j1", 2)].kind == TQ_JOINT_CONTINUOUS);
    cr_assert(joints[tqa_robot_joint(robot, "f_joint", 7)].kind == TQ_JOINT_FLOATING);
    cr_assert(tqa_robot_link(robot, "world", 5) == robot->model->root);
    cr_assert(eq(u32, count(robot, "mujoco/equality"), 0));
    cr_assert(eq(u32, robot->constraints->n_row, 6));
    cr_assert(eq(u32, count(robot, "worldbody/light"), 1));
    tqa_robot_free(robot);
}

#define M(more)    "<mujoco>" more "</mujoco>"
#define BODY(more) M("<worldbody><body name='b'>" more "</body></worldbody>")

Test(mjcf, small_rules)
{
    /* without `limited`, and without automatic limits, there are no limits; radians; inertia from
     * geoms only */
    tqa_robot *robot = parse(
        M("<compiler angle='radian' autolimits='false' inertiafromgeom='true' usethread='false'/>"
          "<worldbody><body><joint range='-1 1'/><joint name='k' range='-1 1' limited='true'/>"
          "<inertial mass='9' pos='0 0 0' diaginertia='1 1 1'/><geom size='0.1' mass='2'/>"
          "<geom type='mesh' mesh='m' mass='0'/><geom size='1' rgba='1 0 0 1' mass='0'/></body>"
          "</worldbody>"));
    const uint32_t k = tqa_robot_joint(robot, "k", 1);
    const uint32_t body = tqa_robot_link(robot, "body1", 5);
    cr_assert(k != TQ_NONE && body != TQ_NONE);
    cr_assert(eq(dbl, robot->model->joints[k].limits.upper, 1.0));
    cr_assert(isinf(robot->model->joints[tqa_robot_joint(robot, "body1_joint", 11)].limits.upper));
    cr_assert(eq(dbl, robot->model->links[body].inertia.mass, 2.0));
    cr_assert(eq(u32, count(robot, "body/inertial"), 1));
    cr_assert(eq(u32, count(robot, "geom@type"), 0));
    cr_assert(eq(u32, count(robot, "geom@rgba"), 1));
    cr_assert(eq(u32, count(robot, "compiler@usethread"), 1));
    tqa_robot_free(robot);
    /* a body without joints is welded; a mesh that cannot move causes a finding */
    robot = parse(M("<worldbody><body><geom type='mesh' mesh='m'/></body>"
                    "<body name='a'><joint type='ball' range='0 1'/><geom size='1'/>"
                    "<body name='w' pos='0 0 1'><geom size='1'/></body></body></worldbody>"));
    cr_assert(robot->model->joints[tqa_robot_joint(robot, "w_weld", 6)].kind == TQ_JOINT_FIXED);
    cr_assert(eq(u32, count(robot, "joint@range"), 1));
    cr_assert(eq(u32, count(robot, "geom@type"), 1));
    cr_assert(epsilon_eq(dbl, robot->model->links[tqa_robot_link(robot, "w", 1)].inertia.mass,
                         4000 * 3.14159265358979323846 / 3, 1e-11));
    tqa_robot_free(robot);
}

/* MuJoCo 4.0 (PyPI), by bisection: a stated mass counts from a volume of 1e-14 m^3 on, for each
 * shape; a density counts always */
Test(mjcf, a_geom_without_room_does_not_weigh_what_it_states)
{
    static const struct {
        const char *geom;
        double mass;
    } rows[] = {
        {"<geom type='box' size='1.24e-9 .001 .001' mass='.25'/>", 1.0},
        {"<geom type='box' size='1.26e-9 .001 .001' mass='.25'/>", 1.25},
        {"<geom type='cylinder' size='1e-9 .002' mass='.25'/>", 1.0},
        {"<geom type='sphere' size='1.33e-5' mass='.25'/>", 1.0},
        {"<geom type='sphere' size='1.34e-5' mass='.25'/>", 1.25},
        {"<geom type='box' size='1e-9 .001 .001' density='1e14'/>", 1.8},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char text[512];
        (void)snprintf(text, sizeof text, BODY("<joint/><geom size='.1' mass='1'/>%s"),
                       rows[k].geom);
        tqa_robot *robot = parse(text);
        const tq_link *link = &robot->model->links[tqa_robot_link(robot, "b", 1)];
        cr_assert(epsilon_eq(dbl, link->inertia.mass, rows[k].mass, 1e-14), "%s", rows[k].geom);
        cr_assert(eq(u32, count(robot, "geom@mass"), rows[k].mass == 1.0 ? 1 : 0));
        tqa_robot_free(robot);
    }
}

/* many elements with many defaults would take quadratic time */
Test(mjcf, defaults_are_bounded, .timeout = 100)
{
    enum { N_DEFAULT = 5000, N_GEOM = 10000 };
    static char text[N_DEFAULT * 8 + N_GEOM * 8 + 256];
    static tqa_problem problem;
    size_t n = append(text, 0, "<mujoco><default>");
    for (int i = 0; i < N_DEFAULT; i++) {
        n = append(text, n, "<joint/>");
    }
    n = append(text, n, "</default><worldbody><body>");
    for (int i = 0; i < N_GEOM; i++) {
        n = append(text, n, "<geom/>");
    }
    n = append(text, n, "</body></worldbody></mujoco>");
    cr_assert(tqa_robot_parse(TQA_MEDIA_XML, text, n, &problem) == NULL);
    cr_assert(strcmp(problem.slug, "too-large") == 0, "%s", problem.detail);
}

static double at_assembled(const tqa_robot *robot, const char *joint)
{
    return robot
        ->assembled[robot->model->joints[tqa_robot_joint(robot, joint, strlen(joint))].q_index];
}

/* connect joins a point at the pose of the file, weld fixes a relative pose, joint is a polynomial
 * of differences from the references; inactive constraints have no effect */
Test(mjcf, equality_constrains)
{
    static const char text[] =
        "<mujoco><compiler angle='degree'/><worldbody>"
        "<body name='a' pos='0.2 0 0' euler='0 0 30'><joint name='j1' axis='0 0 1'/>"
        "<geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0'/>"
        "<body name='b' pos='0.3 0 0'><joint name='j2' axis='0 0 1' ref='10'/>"
        "<geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0'/></body></body>"
        "<body name='c' pos='1 0 0'><joint name='j3' axis='0 0 1'/><geom size='0.1'/></body>"
        "<body name='d' pos='0 0 1'><freejoint/><geom size='0.1'/></body></worldbody>"
        "<equality><connect name='pin' body1='b' body2='c' anchor='0.3 0 0' solref='0.02 1'/>"
        "<joint joint1='j3' joint2='j2' polycoef='0 0.5 0 0 0' active='false'/>"
        "<weld name='stay' body1='d'/></equality></mujoco>";
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, text, sizeof text - 1, &problem);
    cr_assert(robot != NULL, "%s %s", problem.faults[0].pointer, problem.detail);
    cr_assert(eq(u32, robot->constraints->n_constraint, 2));
    cr_assert(eq(u32, robot->n_free, 1)); /* a four-bar; d does not move */
    const tq_constraint *pin = &robot->constraints->items[0];
    const double c30 = 0.86602540378443864676;
    /* the end of b at the pose of the file, in the frame of c */
    cr_assert(epsilon_eq(dbl, pin->a.pose.p[0], 0.2 + 0.6 * c30 - 1.0, 1e-15));
    cr_assert(epsilon_eq(dbl, pin->a.pose.p[1], 0.3, 1e-15));
    const tq_constraint *stay = &robot->constraints->items[1];
    cr_assert(eq(u32, (uint32_t)stay->axes, 63));
    cr_assert(eq(u32, stay->b.link, tqa_robot_link(robot, "world", 5)));
    tqa_robot_free(robot);
}

Test(mjcf, equality_of_joints_is_a_polynomial)
{
    static const char text[] =
        "<mujoco><compiler angle='degree'/><worldbody>"
        "<body name='a'><joint name='j-1' axis='0 0 1' ref='10'/><geom pos='1 0 0' size='0.1'/>"
        "</body><body name='b'><joint name='j2' axis='0 0 1'/><geom pos='1 0 0' size='0.1'/></body>"
        "</worldbody><equality><joint joint1='j2' joint2='j-1' polycoef='0.1 2 0.5 0 0'/>"
        "<joint name='hold' joint1='j-1' polycoef='0.2 0 0 0 0'/></equality></mujoco>";
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, text, sizeof text - 1, &problem);
    cr_assert(robot != NULL, "%s %s", problem.faults[0].pointer, problem.detail);
    cr_assert(eq(u32, robot->n_free, 0));
    const double x0 = 3.14159265358979323846 / 18.0, x = at_assembled(robot, "j-1");
    cr_assert(epsilon_eq(dbl, x, x0 + 0.2, 1e-12));
    cr_assert(epsilon_eq(dbl, at_assembled(robot, "j2"), 0.1 + 2.0 * 0.2 + 0.5 * 0.04, 1e-12));
    tqa_robot_free(robot);
}

/* relpose: a position, and a quaternion of any length; (2, 2, 0, 0) is a quarter turn about x */
Test(mjcf, a_weld_has_its_own_pose)
{
    tqa_robot *robot =
        parse("<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/></body>"
              "<body name='b'><freejoint/><geom size='0.1'/></body></worldbody>"
              "<equality><weld body1='a' body2='b' relpose='1 2 3 2 -4 5 6'/></equality></mujoco>");
    const tq_pose *pose = &robot->constraints->items[0].a.pose;
    /* 81 times the rotation by (2, -4, 5, 6) / 9, w first */
    static const double turned[9] = {-41, -64, -28, -16, -23, 76, -68, 44, -1};
    for (int k = 0; k < 9; k++) {
        cr_assert(epsilon_eq(dbl, pose->r[k], turned[k] / 81.0, 1e-15), "%d: %g", k, pose->r[k]);
    }
    for (int k = 0; k < 3; k++) {
        cr_assert(eq(dbl, pose->p[k], k + 1.0));
    }
    tqa_robot_free(robot);
}

typedef struct bad_case {
    const char *name, *text, *slug, *pointer, *hint;
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"cut", "<mujoco><worldbody>", "malformed", "", "arrived whole"},
    {"dtd", "<!DOCTYPE x [<!ENTITY a 'b'>]><mujoco/>", "malformed", "", ""},
    {"no world", M(""), "invalid-robot", "/mujoco//mujoco (line 1)", "worldbody"},
    {"no number", BODY("<joint axis='0 0 z'/>"), "malformed", "/mujoco//joint (line 1)", "plain decimal"},
    {"short axis", BODY("<joint name='j' axis='0 1'/>"), "malformed", "/mujoco//joint[@name='j']", "3 numbers"},
    {"zero axis", BODY("<joint name='j' axis='0 0 0'/>"), "range", "/mujoco//joint[@name='j']", "0 0 1"},
    {"not finite", BODY("<joint name='j' axis='0 0 inf'/>"), "not-finite", "/mujoco//joint[@name='j']", "finite"},
    {"unknown type", BODY("<joint name='j' type='screw'/>"), "invalid-value", "/mujoco//joint[@name='j']", "hinge"},
    {"free inside", BODY("<body name='c'><freejoint name='j'/></body>"), "invalid-value", "/mujoco//freejoint[@name='j']", "alone"},
    {"free beside", BODY("<joint/><freejoint name='j'/>"), "invalid-value", "/mujoco//freejoint[@name='j']", "alone"},
    {"no class", BODY("<joint name='j' class='x'/>"), "unknown-name", "/mujoco//joint[@name='j']", "default class"},
    {"no childclass", M("<worldbody><body name='b' childclass='x'/></worldbody>"), "unknown-name", "/mujoco//body[@name='b']", "default class"},
    {"nameless class", M("<default><default/></default><worldbody/>"), "missing-field", "/mujoco//default (line 1)", "class="},
    {"two rotations", M("<worldbody><body name='b' euler='0 0 1' quat='1 0 0 0'/></worldbody>"), "duplicate-field", "/mujoco//body[@name='b']", "keep one"},
    {"zero quaternion", M("<worldbody><body name='b' quat='0 0 0 0'/></worldbody>"), "range", "/mujoco//body[@name='b']", "zero"},
    {"euler sequence", M("<compiler eulerseq='xyw'/><worldbody/>"), "invalid-value", "/mujoco//compiler (line 1)", "xyz"},
    {"global", M("<compiler coordinate='global'/><worldbody/>"), "invalid-value", "/mujoco//compiler (line 1)", "anew"},
    {"massless inertial", BODY("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), "missing-field", "/mujoco//inertial (line 1)", "mass="},
    {"no inertia", BODY("<inertial pos='0 0 0' mass='1'/>"), "missing-field", "/mujoco//inertial (line 1)", "diaginertia"},
    {"turned fullinertia", BODY("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' euler='1 0 0'/>"), "invalid-value", "/mujoco//inertial (line 1)", "alone"},
    {"negative size", BODY("<geom name='g' size='-1'/>"), "range", "/mujoco//geom[@name='g']", "zero or more"},
    {"negative mass", BODY("<joint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"), "inertia", "/mujoco//body[@name='b']/mass", "zero or more"},
    {"include", M("<worldbody/><include file='x.xml'/>"), "invalid-value", "/mujoco//include (line 1)", "one file"},
    {"unknown body", M("<worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody><equality><connect name='c' body1='x' anchor='0 0 0'/></equality>"), "unknown-name", "/mujoco//connect[@name='c']", "name a body"},
    {"no anchor", M("<worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody><equality><connect name='c' body1='b'/></equality>"), "missing-field", "/mujoco//connect[@name='c']", "anchor"},
    {"unknown joint", M("<worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody><equality><joint name='c' joint1='x'/></equality>"), "unknown-name", "/mujoco//joint[@name='c']", "name a joint"},
    {"two of one name", BODY("<body name='b'/>"), "invalid-robot", "/mujoco//body[@name='b']", "own name"},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

ParameterizedTestParameters(mjcf, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, mjcf, refused)
{
    static tqa_problem problem;
    const bad_case *c = &bad_cases[*row];
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, c->text, strlen(c->text), &problem);
    cr_assert(robot == NULL, "%s", c->name);
    cr_assert(strcmp(problem.slug, c->slug) == 0, "%s: %s %s", c->name, problem.slug,
              problem.detail);
    cr_assert(strcmp(problem.faults[0].pointer, c->pointer) == 0, "%s: %s", c->name,
              problem.faults[0].pointer);
    cr_assert(strstr(problem.faults[0].hint, c->hint) != NULL, "%s: %s", c->name,
              problem.faults[0].hint);
}
