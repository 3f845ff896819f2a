/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/test_builtin.c - every built-in robot is whole, and moves as published. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <string.h>

#include "api/robot.h"
#include "tests/support/one_call.h"
#include "tests/support/subject.h"

/* what the doctor rightly says of robots as they were published */
static const struct {
    const char *robot, *where; /* a part of where */
} known_findings[] = {
    {"puma560", "link link1"},           /* a moment without mass, about one axis alone */
    {"puma560", "link link3"},           /* misses the triangle by a tenth */
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

/* Torques worked out by hand or by symbols from the formulas of the sources that the files name,
 * misprints put right; 12 decimals are given, hence the tolerance. Those of planar-3r took dM/dq by
 * differences, which leaves 1e-9. */
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

/* position of a link's origin at q = 0 by walking its joints */
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

/* Where the flange is with all joints at zero: panda straight up and 0.088 out, hanging down 0.107
 * (d1 + d3 + d5 - df); UR5e and UR10e stretched along -x at
 * the height d1 - d5, (d4 + d6) to the side. */
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
