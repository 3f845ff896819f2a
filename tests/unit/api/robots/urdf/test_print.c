/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/urdf/test_print.c - robots exported as URDF are the same robots when read
 * again, and print the same text. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/spatial/rotation.h"
#include "tests/support/one_call.h"
#include "tests/support/random_robot.h"

static tqa_problem problem;

static char *print(const tqa_robot *robot, size_t *ret_n)
{
    char *text = tqa_robot_urdf(robot, "r", ret_n, &problem);
    cr_assert(text != NULL, "%s", problem.detail);
    return text;
}

static tqa_robot *parse(const char *text, size_t n)
{
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, text, n, &problem);
    cr_assert(robot != NULL, "%s: %s\n%s", problem.slug, problem.detail, text);
    return robot;
}

/* Bitwise equal, with two exceptions: a revolute joint without bounds is read as continuous, and a
 * rotation that was converted to angles (`turned`) is equal to rounding. */
static void assert_same(const tqa_robot *a, const tqa_robot *b, bool turned)
{
    cr_assert(a->model->n_link == b->model->n_link && a->model->nv == b->model->nv);
    cr_assert(memcmp(a->model->gravity, b->model->gravity, sizeof a->model->gravity) == 0);
    for (uint32_t l = 0; l < a->model->n_link; l++) {
        cr_assert(strcmp(a->link_names[l], b->link_names[l]) == 0);
        cr_assert(memcmp(&a->model->links[l].inertia, &b->model->links[l].inertia,
                         sizeof(tq_inertia)) == 0,
                  "%s", a->link_names[l]);
    }
    for (uint32_t i = 0; i < a->model->n_joint; i++) {
        const tq_joint *x = &a->model->joints[i];
        const tq_joint *y = &b->model->joints[i];
        const char *name = a->joint_names[i];
        cr_assert(strcmp(name, b->joint_names[i]) == 0);
        cr_assert(x->parent == y->parent && x->child == y->child && x->mimic == y->mimic &&
                      x->q_index == y->q_index && x->v_index == y->v_index,
                  "%s", name);
        cr_assert(x->kind == y->kind ||
                      (x->kind == TQ_JOINT_REVOLUTE && y->kind == TQ_JOINT_CONTINUOUS),
                  "%s", name);
        cr_assert(memcmp(x->origin.p, y->origin.p, sizeof x->origin.p) == 0, "%s", name);
        for (int k = 0; k < 9; k++) {
            /* three angles and their six sines and cosines, each rounded */
            cr_assert(fabs(x->origin.r[k] - y->origin.r[k]) <= (turned ? 16 * DBL_EPSILON : 0.0),
                      "%s: r[%d] %.17g %.17g", name, k, x->origin.r[k], y->origin.r[k]);
        }
        if (tq_joint_kind_nv(x->kind) == 1) {
            cr_assert(memcmp(x->axis, y->axis, sizeof x->axis) == 0, "%s", name);
            cr_assert(memcmp(&x->limits, &y->limits, sizeof x->limits) == 0, "%s", name);
            cr_assert(memcmp(&x->friction, &y->friction, sizeof x->friction) == 0, "%s", name);
            cr_assert(memcmp(&x->spring, &y->spring, sizeof x->spring) == 0, "%s", name);
            cr_assert(memcmp(&x->rotor, &y->rotor, sizeof x->rotor) == 0, "%s", name);
            cr_assert(x->mimic == TQ_NONE || (x->mimic_multiplier == y->mimic_multiplier &&
                                              x->mimic_offset == y->mimic_offset),
                      "%s", name);
        }
    }
}

/* robot -> URDF -> robot -> URDF, also through a document in between */
static void assert_stable(const tqa_robot *robot, bool turned)
{
    size_t n = 0;
    size_t n_again = 0;
    size_t n_document = 0;
    char *text = print(robot, &n);
    tqa_robot *again = parse(text, n);
    assert_same(robot, again, turned);
    char *text_again = print(again, &n_again);
    cr_assert(n == n_again && memcmp(text, text_again, n) == 0, "%s\n%s", text, text_again);
    char *document = tqa_robot_document(again, "r", &n_document);
    tqa_robot *third = parse(document, n_document);
    free(text_again);
    text_again = print(third, &n_again);
    cr_assert(n == n_again && memcmp(text, text_again, n) == 0, "%s\n%s", text, text_again);
    for (size_t k = 0; k < again->n_finding; k++) {
        cr_assert(again->findings[k].kind != TQA_FINDING_IGNORED, "%s", again->findings[k].where);
    }
    tqa_robot_free(third);
    tqa_robot_free(again);
    free(document);
    free(text_again);
    free(text);
}

Test(urdf_print, builtins)
{
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        tqa_robot *robot = tqt_builtin(tqa_builtin_name(i));
        if (robot->constraints == NULL) { /* URDF cannot represent constraints */
            assert_stable(robot, strcmp(robot->source, "urdf") != 0);
        }
        tqa_robot_free(robot);
    }
}

Test(urdf_print, random_robots_with_everything, .timeout = 100)
{
    enum { N = 12 };
    static char names[2][N + 1][40];
    const char *links[N + 1];
    const char *joints[N];
    for (int i = 0; i <= N; i++) {
        snprintf(names[0][i], sizeof names[0][i], "link <%d> & \"\xC3\xA9\"\n", i);
        snprintf(names[1][i], sizeof names[1][i], "joint '%d'", i);
        links[i] = names[0][i];
        if (i < N) {
            joints[i] = names[1][i];
        }
    }
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const tqt_robot_options options = {.n_joint = N,
                                           .kinds = TQT_KINDS_ALL & ~(1u << TQ_JOINT_SPHERICAL),
                                           .with = TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        for (uint32_t i = 0; i < model->n_joint; i++) {
            tq_joint *joint = &model->joints[i];
            if (tq_joint_kind_nv(joint->kind) == 1 && seed % 2 == 0) {
                joint->limits.lower = -0.1 * (double)i;
                joint->limits.effort = 7.5;
            }
        }
        const tqa_robot robot = {.name = "r",
                                 .description = "",
                                 .source = "document",
                                 .model = model,
                                 .link_names = links,
                                 .joint_names = joints};
        assert_stable(&robot, true);
        tqt_model_free(model);
    }
}

/* Near gimbal lock the matrix entries for roll and yaw are as small as their rounding over
 * cos(pitch): both angles together must still give the rotation. */
Test(urdf_print, near_gimbal_lock)
{
    for (int k = 1; k <= 12; k++) {
        for (int side = -1; side <= 1; side += 2) {
            const double rpy[3] = {0.7, side * (1.5707963267948966 - pow(10.0, -k)), -1.3};
            double r[9], turned[9], angles[3];
            tq_rotation_from_rpy(rpy, r);
            r[0] += 1e-16, r[7] -= 2e-16, r[3] += 1e-16; /* rounding as in a product of rotations */
            tq_rotation_to_rpy(r, angles);
            tq_rotation_from_rpy(angles, turned);
            for (int e = 0; e < 9; e++) {
                cr_assert(fabs(turned[e] - r[e]) <= 8 * DBL_EPSILON, "1e-%d: r[%d] off by %g", k, e,
                          turned[e] - r[e]);
            }
        }
    }
}

/* with a pitch of a quarter turn only the sum or difference of the other angles is determined */
Test(urdf_print, gimbal_lock)
{
    static const double rpy[][3] = {{0.3, 1.5707963267948966, -0.7},
                                    {-2.0, -1.5707963267948966, 1.1},
                                    {0.4, 1.5707963, 0.2},
                                    {3.141592653589793, 0, 0},
                                    {3.0, 3.0, 3.0}};
    for (size_t i = 0; i < sizeof rpy / sizeof rpy[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>"
                 "<parent link='a'/><child link='b'/><origin rpy='%.17g %.17g %.17g'/></joint>"
                 "</robot>",
                 rpy[i][0], rpy[i][1], rpy[i][2]);
        tqa_robot *robot = parse(text, strlen(text));
        assert_stable(robot, false);
        tqa_robot unwritten = *robot; /* the same rotation, without known angles */
        unwritten.joint_rpy = NULL;
        assert_stable(&unwritten, true);
        tqa_robot_free(robot);
    }
}

Test(urdf_print, what_urdf_cannot_hold_is_refused)
{
    static const char *const rows[] = {
        "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1, "
        "\"com\": [1, 1, 1]}], \"joints\": [{\"name\": \"ball\", \"kind\": \"spherical\", "
        "\"parent\": \"a\", \"child\": \"b\"}]}",
        "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"ball\\u0001\"}], \"joints\": []}",
        "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"ball\\uffff\"}], \"joints\": []}",
        "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"ball${x}\"}], \"joints\": []}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_robot *robot = parse(rows[i], strlen(rows[i]));
        size_t n = 0;
        cr_assert(tqa_robot_urdf(robot, "r", &n, &problem) == NULL, "%zu", i);
        cr_assert(eq(int, problem.status, 406));
        cr_assert(strstr(problem.detail, "ball") != NULL, "%s", problem.detail);
        tqa_robot_free(robot);
    }
}

/* extension elements have effect only where supported; elsewhere they are reported */
Test(urdf_print, extensions_of_a_weld_are_listed)
{
    const char *text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' "
                       "type='fixed'><parent link='a'/><child link='b'/><torqued:spring "
                       "stiffness='1'/></joint></robot>";
    tqa_robot *robot = parse(text, strlen(text));
    bool listed = false;
    for (size_t k = 0; k < robot->n_finding; k++) {
        listed = listed || (robot->findings[k].kind == TQA_FINDING_IGNORED &&
                            strcmp(robot->findings[k].where, "joint j/torqued:...") == 0);
    }
    cr_assert(listed);
    tqa_robot_free(robot);
}
