/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/builtin/test_builtin.c - every built-in robot is complete, and moves as
 * published. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "tests/support/one_call.h"
#include "tests/support/subject.h"

/* correct findings of the doctor about robots as they were published */
static const struct {
    const char *robot, *where; /* a part of `where` */
} known_findings[] = {
    {"puma560", "link link1"},           /* a moment of inertia without mass, about one axis only */
    {"puma560", "link link3"},           /* violates the triangle inequality by a tenth */
    {"quadruped", "_thigh"},             /* by a fiftieth */
    {"spherical-pendulum", "joint phi"}, /* singular at the pole */
};

static bool is_known(const char *robot, const tqa_finding *finding)
{
    for (size_t i = 0; i < sizeof known_findings / sizeof known_findings[0]; i++) {
        if (strcmp(known_findings[i].robot, robot) == 0 &&
            strstr(finding->where, known_findings[i].where) != NULL) {
            return finding->kind == TQA_FINDING_DOCTOR;
        }
    }
    return false;
}

Test(builtin, all_are_whole_and_healthy)
{
    static const char *const expected[] = {"arm-on-sphere-rolling",
                                           "arm-on-sphere-slipping",
                                           "cartesian-pendulum",
                                           "four-bar",
                                           "humanoid",
                                           "mls-3dof",
                                           "panda",
                                           "parallel-2dof",
                                           "pendulum",
                                           "planar-2r",
                                           "planar-3r",
                                           "puma560",
                                           "quadruped",
                                           "rolling-disk",
                                           "rrp",
                                           "scara",
                                           "spherical-pendulum",
                                           "sprung-pendulum",
                                           "ur10e",
                                           "ur5e"};
    cr_assert(eq(sz, tqa_builtin_count(), sizeof expected / sizeof expected[0]));
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        bool listed = false;
        const char *name = tqa_builtin_name(i);
        for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
            listed = listed || strcmp(name, expected[k]) == 0;
        }
        cr_assert(listed, "%s", name);
        tqa_robot *robot = tqt_builtin(name);
        cr_assert(strcmp(robot->name, name) == 0, "%s calls itself %s", name, robot->name);
        for (size_t k = 0; k < robot->n_finding; k++) {
            const tqa_finding *finding = &robot->findings[k];
            cr_assert(finding->kind == TQA_FINDING_UNDERSTOOD || is_known(name, finding),
                      "%s: %s %s", name, finding->where, finding->text);
        }
        tqa_robot_free(robot);
    }
}

/* Torques computed by hand or symbolically from the formulas of the sources named in the files,
 * with misprints corrected; given to 12 decimals, hence the tolerance. Those of planar-3r used
 * differences for dM/dq, with an error of 1e-9. */
typedef struct torque_case {
    const char *name;
    size_t n;
    double q[3], qd[3], qdd[3], tau[3];
    double tolerance; /* relative, absolute below 1 */
} torque_case;

/* clang-format off */
static const torque_case torque_cases[] = {
    {"planar-2r", 2, {.5, -.9}, {.7, -1.1}, {1.3, -.4}, {23.648116146988, 4.380758356318}, 2e-12},
    {"planar-3r", 3, {.5, -.9, .7}, {.7, -1.1, .4}, {1.3, -.4, .9}, {40.346175634909, 12.748595710744, 2.253620300119}, 1e-10},
    {"scara", 3, {.3, .8, .1}, {.5, -.7, .2}, {1, -.5, .3}, {1.302044786266, .352813719622, -9.51}, 2e-12},
    {"mls-3dof", 3, {.3, -.7, 1.1}, {.5, -.4, .8}, {.2, .3, -.6}, {-.00907970775035950, -4.68367998025033, -1.56967609968930}, 2e-12},
    {"rrp", 3, {.4, .6, .25}, {.7, -.5, .3}, {.2, -.1, .4}, {.0169171803236749, -.905446361440368, 5.34991887027794}, 2e-12},
};
/* clang-format on */

enum { N_CASE = sizeof torque_cases / sizeof torque_cases[0] };

ParameterizedTestParameters(builtin, torques)
{
    static size_t row[N_CASE];
    for (size_t i = 0; i < N_CASE; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_CASE);
}

ParameterizedTest(size_t *row, builtin, torques)
{
    const torque_case *c = &torque_cases[*row];
    tqa_robot *robot = tqt_builtin(c->name);
    cr_assert(robot->model->nv == c->n, "%s", c->name);
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    double tau[3];
    tqt_torque(subject, c->q, c->qd, c->qdd, 0, tau);
    for (size_t k = 0; k < c->n; k++) {
        cr_assert(fabs(tau[k] - c->tau[k]) <= c->tolerance * fmax(1.0, fabs(c->tau[k])),
                  "%s: %zu: %.15g", c->name, k, tau[k]);
    }
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

/* position of a link's origin at q = 0, by multiplying the frames of its joints */
static void place_at_rest(const tqa_robot *robot, const char *link, double ret_p[3])
{
    const tq_model *model = robot->model;
    uint32_t l = tqa_robot_link(robot, link, strlen(link));
    cr_assert(l != TQ_NONE);
    double p[3] = {0.0, 0.0, 0.0};
    while (model->links[l].joint != TQ_NONE) {
        const tq_joint *joint = &model->joints[model->links[l].joint];
        double moved[3];
        for (int i = 0; i < 3; i++) {
            moved[i] = joint->origin.p[i];
            for (int j = 0; j < 3; j++) {
                moved[i] += joint->origin.r[3 * i + j] * p[j];
            }
        }
        memcpy(p, moved, sizeof p);
        l = joint->parent;
    }
    memcpy(ret_p, p, sizeof p);
}

/* Position of the flange with all joints at zero: panda 0.088 forward, at height d1 + d3 + d5 - df
 * - 0.107; UR5e and UR10e stretched along -x at height d1 - d5, offset sideways by d4 + d6. */
Test(builtin, real_arms_reach_where_their_tables_say)
{
    static const struct {
        const char *robot;
        double p[3];
    } rows[] = {
        {"panda", {0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107}},
        {"ur5e", {-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997}},
        {"ur10e", {-0.6127 - 0.57155, -0.17415 - 0.11655, 0.1807 - 0.11985}},
    };
    for (size_t i = 0; i < 3; i++) {
        tqa_robot *robot = tqt_builtin(rows[i].robot);
        double p[3];
        place_at_rest(robot, "flange", p);
        for (int k = 0; k < 3; k++) {
            cr_assert(fabs(p[k] - rows[i].p[k]) < 1e-15 * 10, "%s: %d: %.17g", rows[i].robot, k,
                      p[k]);
        }
        tqa_robot_free(robot);
    }
}

/* Bodies by their descriptions, with their inertia tensors computed here. Bars and cylinders lie
 * along an axis of their link, with the joint at its origin: a bar's inertia about a perpendicular
 * axis there is m l^2 / 3, with its centre at l / 2. */
typedef enum body_kind { BAR, CYLINDER, DISK, SPHERE, BOX, ELLIPSOID, POINT } body_kind;

typedef struct body_case {
    const char *robot, *link;
    body_kind kind;
    double mass;
    int along;      /* 0, 1, 2: x, y, z */
    double com;     /* m, on that axis */
    double size[3]; /* m: length; radius, length; radius; x, y, z */
} body_case;

static const body_case body_cases[] = {
    {"pendulum", "bob", POINT, 1.5, 1, -0.8, {0}},
    {"spherical-pendulum", "bob", POINT, 1.5, 2, -0.8, {0}},
    {"cartesian-pendulum", "bob", POINT, 1.5, 0, 0, {0}},
    {"planar-2r", "link1", BAR, 2, 0, 0.4, {0.8}},
    {"planar-2r", "link2", BAR, 1.5, 0, 0.3, {0.6}},
    {"planar-3r", "link1", BAR, 2, 0, 0.4, {0.8}},
    {"planar-3r", "link2", BAR, 1.5, 0, 0.3, {0.6}},
    {"planar-3r", "link3", BAR, 1, 0, 0.2, {0.4}},
    {"scara", "link1", BAR, 4, 0, 0.2, {0.4}},
    {"scara", "link2", BAR, 3, 0, 0.15, {0.3}},
    {"scara", "slide", BAR, 1, 2, 0.1, {0.2}},
    {"rrp", "column", BAR, 0.2757, 2, 0.1, {0.2}},
    {"rrp", "arm", BAR, 0.1378, 0, 0.05, {0.1}},
    {"rrp", "rod", BAR, 0.1378, 2, -0.05, {0.1}},
    {"four-bar", "crank", BAR, 0.5, 0, 0.1, {0.2}},
    {"four-bar", "coupler", BAR, 1.25, 0, 0.25, {0.5}},
    {"four-bar", "rocker", BAR, 1, 0, 0.2, {0.4}},
    {"parallel-2dof", "arm1", BAR, 1.2, 0, 0.122, {0.244}},
    {"parallel-2dof", "rod1", BAR, 0.6, 0, 0.122, {0.244}},
    {"parallel-2dof", "arm2", BAR, 1.2, 0, 0.122, {0.244}},
    {"parallel-2dof", "rod2", BAR, 0.6, 0, 0.122, {0.244}},
    {"parallel-2dof", "arm3", BAR, 1.2, 0, 0.122, {0.244}},
    {"parallel-2dof", "rod3", BAR, 0.6, 0, 0.122, {0.244}},
    {"rolling-disk", "disk", DISK, 0.5, 1, 0, {0.2}},
    {"arm-on-sphere-rolling", "shoulder", CYLINDER, 6, 1, -0.15, {0.08, 0.3}},
    {"arm-on-sphere-rolling", "upper-arm", CYLINDER, 5, 0, -0.225, {0.06, 0.45}},
    {"arm-on-sphere-rolling", "elbow", SPHERE, 2, 0, 0, {0.06}},
    {"arm-on-sphere-rolling", "forearm", CYLINDER, 3, 1, 0.2, {0.05, 0.3}},
    {"arm-on-sphere-rolling", "wrist", SPHERE, 1, 0, 0, {0.05}},
    {"arm-on-sphere-rolling", "finger", CYLINDER, 0.4, 2, -0.075, {0.02, 0.15}},
    {"arm-on-sphere-slipping", "shoulder", CYLINDER, 6, 1, -0.15, {0.08, 0.3}},
    {"arm-on-sphere-slipping", "upper-arm", CYLINDER, 5, 0, -0.225, {0.06, 0.45}},
    {"arm-on-sphere-slipping", "forearm", CYLINDER, 3, 1, 0.2, {0.05, 0.3}},
    {"arm-on-sphere-slipping", "finger", CYLINDER, 0.4, 2, -0.075, {0.02, 0.15}},
    {"humanoid", "pelvis", BOX, 8.1541, 2, 0.05, {0.2, 0.3, 0.15}},
    {"humanoid", "head", ELLIPSOID, 5.0662, 2, 0.16, {0.1, 0.08, 0.13}},
    {"humanoid", "left_thigh", CYLINDER, 10.3368, 2, -0.21, {0.075, 0.42}},
    {"humanoid", "left_shank", CYLINDER, 3.1609, 2, -0.215, {0.05, 0.43}},
    {"humanoid", "left_upper_arm", CYLINDER, 1.9783, 2, -0.14, {0.045, 0.28}},
    {"humanoid", "left_forearm", CYLINDER, 1.1826, 2, -0.135, {0.037, 0.27}},
    {"humanoid", "left_hand", BOX, 0.4453, 2, -0.08, {0.03, 0.08, 0.18}},
    {"humanoid", "right_thigh", CYLINDER, 10.3368, 2, -0.21, {0.075, 0.42}},
    {"humanoid", "right_shank", CYLINDER, 3.1609, 2, -0.215, {0.05, 0.43}},
    {"humanoid", "right_upper_arm", CYLINDER, 1.9783, 2, -0.14, {0.045, 0.28}},
    {"humanoid", "right_forearm", CYLINDER, 1.1826, 2, -0.135, {0.037, 0.27}},
    {"humanoid", "right_hand", BOX, 0.4453, 2, -0.08, {0.03, 0.08, 0.18}},
};

/* about the centre of mass: xx, yy, zz */
static void expected_tensor(const body_case *c, double ret[3])
{
    const double m = c->mass, *s = c->size;
    double along = 0.0, across = 0.0;
    if (c->kind == BOX || c->kind == ELLIPSOID) {
        for (int k = 0; k < 3; k++) {
            const double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
            ret[k] = m * (a * a + b * b) / (c->kind == BOX ? 12.0 : 5.0);
        }
        return;
    }
    switch (c->kind) {
    case BAR:
        across = m * s[0] * s[0] / 12.0;
        break;
    case CYLINDER:
        along = m * s[0] * s[0] / 2.0;
        across = m * (3.0 * s[0] * s[0] + s[1] * s[1]) / 12.0;
        break;
    case DISK:
        along = m * s[0] * s[0] / 2.0;
        across = along / 2.0;
        break;
    case SPHERE:
        along = across = 0.4 * m * s[0] * s[0];
        break;
    default:
        break;
    }
    for (int k = 0; k < 3; k++) {
        ret[k] = k == c->along ? along : across;
    }
}

Test(builtin, bodies_are_those_of_the_descriptions)
{
    for (size_t i = 0; i < sizeof body_cases / sizeof body_cases[0]; i++) {
        const body_case *c = &body_cases[i];
        tqa_robot *robot = tqt_builtin(c->robot);
        const uint32_t l = tqa_robot_link(robot, c->link, strlen(c->link));
        cr_assert(ne(u32, l, TQ_NONE), "%s %s", c->robot, c->link);
        const tq_inertia *got = &robot->model->links[l].inertia;
        double wanted[3], com[3] = {0.0, 0.0, 0.0};
        expected_tensor(c, wanted);
        com[c->along] = c->com;
        cr_expect(epsilon_eq(dbl, got->mass, c->mass, 1e-15), "%s %s", c->robot, c->link);
        for (int k = 0; k < 3; k++) {
            static const int diagonal[3] = {0, 3, 5}, products[3] = {1, 2, 4};
            cr_expect(fabs(got->com[k] - com[k]) < 1e-15, "%s %s", c->robot, c->link);
            cr_expect(fabs(got->about_com[diagonal[k]] - wanted[k]) < 1e-15, "%s %s: %g for %g",
                      c->robot, c->link, got->about_com[diagonal[k]], wanted[k]);
            cr_expect(fabs(got->about_com[products[k]]) < 1e-15, "%s %s", c->robot, c->link);
        }
        tqa_robot_free(robot);
    }
}
