/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_forward.c - mass matrix and forward dynamics against inverse
 * dynamics; bits. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/build.h"
#include "tests/support/naive.h"

enum { JOINTS = 12, ROWS = 7 * JOINTS, N = 40 };

static _Alignas(64) double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], tau[ROWS * N];
static _Alignas(64) double back[ROWS * N], wrench[6 * N];
static _Alignas(64) double m[ROWS * ROWS * N], m2[ROWS * ROWS * N];

static tq_scratch scratch_for(const naive_robot *robot)
{
    size_t size = tq_forward_scratch_size(robot->mechanism, 1);
    const size_t others[] = {tq_mass_matrix_scratch_size(robot->mechanism),
                             tq_inverse_scratch_size(robot->mechanism, 1)};
    for (size_t k = 0; k < 2; k++) {
        size = others[k] > size ? others[k] : size;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    return scratch;
}

/* even seeds: one-dof joints; odd seeds: every kind. n joints, with every term */
static tq_scratch prepare(naive_robot *robot, uint32_t n, unsigned flags, uint64_t seed)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_random_robot(robot, n, flags | (seed % 2 == 0 ? NAIVE_SINGLES : 0), seed);
    naive_random_q(robot, N, N, q);
    naive_random_v(robot, N, N, 2.0, qd);
    naive_random_v(robot, N, N, 5.0, tau);
    for (size_t k = 0; k < 6 * N; k++) {
        wrench[k] = naive_uniform(&robot->state);
    }
    return scratch_for(robot);
}

static void finish(naive_robot *robot, tq_scratch *scratch)
{
    free(scratch->memory);
    naive_free(robot);
}

Test(mass_matrix, columns_are_torques_of_unit_accelerations)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, JOINTS, NAIVE_PLAIN, seed);
        const size_t nv = robot.model.nv;
        cr_assert(tq_mass_matrix(robot.mechanism, N, N, q, 0, &scratch, m, NULL) == TQ_OK);
        for (size_t i = 0; i < N; i++) {
            const double weightless[3] = {0};
            double qi[ROWS], zero[ROWS] = {0}, unit[ROWS] = {0}, column[ROWS];
            for (size_t r = 0; r < robot.model.nq; r++) {
                qi[r] = q[r * N + i];
            }
            for (size_t c = 0; c < nv; c++) {
                unit[c] = 1.0;
                const double scale =
                    naive_inverse(&robot.model, weightless, qi, zero, unit, NULL, column, NULL);
                unit[c] = 0.0;
                for (size_t r = 0; r < nv; r++) {
                    const double x = m[(r * nv + c) * N + i];
                    /* a few roundings a joint of terms that sum to `scale` */
                    cr_assert(fabs(x - column[r]) <= 100 * JOINTS * DBL_EPSILON * (1.0 + scale),
                              "seed %lu, M[%zu][%zu]: %g, not %g", (unsigned long)seed, r, c, x,
                              column[r]);
                    cr_assert(x == m[(c * nv + r) * N + i]);
                }
            }
        }
        finish(&robot, &scratch);
    }
}

/* tau -> qdd -> tau: the error of the torque does not grow with the condition of M */
Test(forward, inverse_gives_the_torque_back)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed % 3 == 0 ? 4 : JOINTS, 0, seed);
        const tq_external_wrench push = {.link = robot.model.n_link - 1,
                                         .expressed_in =
                                             seed % 4 < 2 ? TQ_FRAME_WORLD : TQ_FRAME_LINK,
                                         .at = {0.1, -0.2, 0.3},
                                         .rows = wrench,
                                         .row_stride = N,
                                         .sample_step = 1};
        const tq_forward_input in = {.n_sample = N,
                                     .stride = N,
                                     .q = q,
                                     .qd = qd,
                                     .tau = tau,
                                     .wrenches = &push,
                                     .n_wrench = seed % 2};
        cr_assert(tq_forward_dynamics(robot.mechanism, &in, &scratch, qdd, NULL) == TQ_OK);
        const tq_inverse_input again = {.n_sample = N,
                                        .stride = N,
                                        .q = q,
                                        .qd = qd,
                                        .qdd = qdd,
                                        .wrenches = &push,
                                        .n_wrench = seed % 2};
        cr_assert(tq_inverse_dynamics(robot.mechanism, &again, &scratch, back, NULL) == TQ_OK);
        for (size_t i = 0; i < N; i++) {
            double size = 1.0;
            for (size_t r = 0; r < robot.model.nv; r++) {
                size = fmax(size, fabs(qdd[r * N + i]));
            }
            for (size_t r = 0; r < robot.model.nv; r++) {
                const double error = fabs(back[r * N + i] - tau[r * N + i]);
                /* masses are about 1 and arms a few metres: terms are within 1e3 of qdd */
                cr_assert(error <= 1e3 * size * 100 * (double)JOINTS * DBL_EPSILON,
                          "seed %lu, row %zu: %g of %g", (unsigned long)seed, r, error, size);
            }
        }
        finish(&robot, &scratch);
    }
}

Test(forward, same_bits_at_every_width)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, JOINTS, seed % 3 == 0 ? 0 : NAIVE_NO_MIMIC, seed);
        const size_t nv = robot.model.nv;
        const tq_forward_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .tau = tau};
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            const _Bool first = build == TQ_BUILD_PORTABLE;
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            cr_assert(tq_forward_dynamics(robot.mechanism, &in, &scratch, first ? qdd : back,
                                          NULL) == TQ_OK);
            cr_assert(tq_mass_matrix(robot.mechanism, N, N, q, 0, &scratch, first ? m : m2, NULL) ==
                      TQ_OK);
            if (!first) {
                cr_expect(memcmp(qdd, back, nv * N * sizeof *qdd) == 0, "build %d seed %lu", build,
                          (unsigned long)seed);
                cr_expect(memcmp(m, m2, nv * nv * N * sizeof *m) == 0, "build %d seed %lu", build,
                          (unsigned long)seed);
            }
        }
        finish(&robot, &scratch);
    }
}

Test(forward, massless_leaf_is_singular)
{
    naive_robot robot;
    naive_random_robot(&robot, 1, NAIVE_SINGLES | NAIVE_PLAIN, 2);
    naive_free(&robot);
    robot.links[1].inertia = (tq_inertia){0};
    const size_t size = tq_mechanism_size(&robot.model);
    robot.memory = aligned_alloc(64, size);
    cr_assert(tq_mechanism_build(&robot.model, robot.memory, size, &robot.mechanism, NULL) ==
              TQ_OK);
    cr_assert(tq_lanes_select(0) == TQ_OK);
    tq_scratch scratch = scratch_for(&robot);
    tau[0] = 1.0;
    const tq_forward_input in = {.n_sample = 1, .stride = 8, .q = q, .qd = qd, .tau = tau};
    tq_error error;
    cr_assert(tq_forward_dynamics(robot.mechanism, &in, &scratch, qdd, &error) == TQ_ERR_SINGULAR);
    cr_assert_str_eq(error.what, "joint.inertia");
    cr_expect(error.index == 0 && error.value == 0.0);
    finish(&robot, &scratch);
}

/* robots of three joints in series, with the given inertia of the last link */
static tq_status last_link(tq_joint_kind kind, tq_inertia inertia, double torque, double speed,
                           tq_error *error)
{
    naive_robot robot;
    naive_random_robot(&robot, 3, NAIVE_SINGLES | NAIVE_PLAIN | NAIVE_CHAIN | NAIVE_NO_MIMIC, 5);
    naive_free(&robot);
    for (uint32_t j = 0; j < 3; j++) {
        robot.joints[j].kind = TQ_JOINT_REVOLUTE;
        robot.joints[j].limits = (tq_limits){0};
    }
    robot.joints[2].kind = kind;
    robot.links[robot.joints[2].child].inertia = inertia;
    cr_assert(tq_model_finish(&robot.model, NULL) == TQ_OK);
    const size_t size = tq_mechanism_size(&robot.model);
    robot.memory = aligned_alloc(64, size);
    cr_assert(tq_mechanism_build(&robot.model, robot.memory, size, &robot.mechanism, NULL) ==
              TQ_OK);
    cr_assert(tq_lanes_select(0) == TQ_OK);
    tq_scratch scratch = scratch_for(&robot);
    naive_random_q(&robot, N, N, q);
    naive_random_v(&robot, N, N, 2.0, qd);
    naive_random_v(&robot, N, N, 2.0, tau);
    tau[2 * N + 5] = torque;
    qd[0 * N + 5] = speed;
    const tq_forward_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .tau = tau};
    const tq_status status = tq_forward_dynamics(robot.mechanism, &in, &scratch, qdd, error);
    cr_expect(scratch.used == 0);
    finish(&robot, &scratch);
    return status;
}

/* A point mass on the joint's axis, for any position of the axis: the rounding error is not an
 * inertia. A light link is one. */
Test(forward, nearly_massless_leaf_names_its_joint)
{
    const tq_inertia light = {1e-9, {1e-3, 0, 0}, {1e-15, 0, 0, 1e-15, 0, 1e-15}};
    tq_error error = {0};
    cr_expect(last_link(TQ_JOINT_REVOLUTE, light, 1.0, 1.0, &error) == TQ_OK);
    cr_expect(last_link(TQ_JOINT_PRISMATIC, light, 1.0, 1.0, &error) == TQ_OK);
    for (int k = 0; k < 4; k++) {
        tq_inertia on_axis = {.mass = 3.7, .com = {0}};
        naive_robot robot;
        naive_random_robot(&robot, 3, NAIVE_SINGLES | NAIVE_PLAIN | NAIVE_CHAIN | NAIVE_NO_MIMIC,
                           5);
        for (int e = 0; e < 3; e++) {
            on_axis.com[e] = (0.3 + k) * robot.joints[2].axis[e];
        }
        naive_free(&robot);
        error = (tq_error){0};
        cr_expect(last_link(TQ_JOINT_REVOLUTE, on_axis, 1.0, 1.0, &error) == TQ_ERR_SINGULAR);
        cr_expect_str_eq(error.what, "joint.inertia");
        cr_expect(error.index == 2 && error.value == 0.0, "joint %zu", error.index);
    }
}

/* too large numbers are not a singularity of the robot */
Test(forward, overflow_is_no_singularity)
{
    const tq_inertia body = {1.0, {0.1, 0.2, 0}, {0.02, 0, 0, 0.02, 0, 0.02}};
    tq_error error = {0};
    cr_expect(last_link(TQ_JOINT_REVOLUTE, body, 1.0, 1e200, &error) == TQ_ERR_OVERFLOW);
    cr_expect(error.index == 5 && strcmp(error.what, "qdd") == 0);
    error = (tq_error){0};
    cr_expect(last_link(TQ_JOINT_REVOLUTE, body, 1e308, 1.0, &error) == TQ_ERR_OVERFLOW);
    cr_expect(error.index == 5 && strcmp(error.what, "qdd") == 0);
}
