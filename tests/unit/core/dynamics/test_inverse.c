/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_inverse.c - RNEA kernels against a textbook Newton-Euler; bits. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/build.h"
#include "core/lanes/table.h"
#include "tests/support/naive.h"

enum { ROWS_MAX = 7 * NAIVE_JOINT_MAX, N = 24 };

typedef struct data {
    _Alignas(64) double q[ROWS_MAX * N], qd[ROWS_MAX * N], qdd[ROWS_MAX * N], tau[ROWS_MAX * N];
    _Alignas(64) double other[ROWS_MAX * N];
} data;

static data d; /* each test runs in its own process */

static tq_scratch scratch_for(size_t size)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size + 64 - size % 64), size);
    return scratch;
}

static void fill(naive_robot *robot)
{
    naive_random_q(robot, N, N, d.q);
    naive_random_v(robot, N, N, 2.0, d.qd);
    naive_random_v(robot, N, N, 5.0, d.qdd);
}

static void column(const double *rows, size_t n_row, size_t i, double *ret)
{
    for (size_t r = 0; r < n_row; r++) {
        ret[r] = rows[r * N + i];
    }
}

static tq_inverse_input input(void)
{
    return (tq_inverse_input){.n_sample = N, .stride = N, .q = d.q, .qd = d.qd, .qdd = d.qdd};
}

/* largest error in units of eps times the size of the summed terms */
static double worst_error(const naive_robot *robot, const double *external)
{
    double q[ROWS_MAX], qd[ROWS_MAX], qdd[ROWS_MAX], tau[ROWS_MAX], worst = 0.0;
    for (size_t i = 0; i < N; i++) {
        column(d.q, robot->model.nq, i, q);
        column(d.qd, robot->model.nv, i, qd);
        column(d.qdd, robot->model.nv, i, qdd);
        const double scale =
            naive_inverse(&robot->model, robot->model.gravity, q, qd, qdd, external, tau, NULL);
        for (size_t r = 0; r < robot->model.nv; r++) {
            worst = fmax(worst, fabs(d.tau[r * N + i] - tau[r]) / (scale * DBL_EPSILON));
        }
    }
    return worst;
}

static void check_trees(unsigned flags, uint32_t n_joint, uint64_t seeds)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        naive_robot robot;
        naive_random_robot(&robot, n_joint, flags | NAIVE_PLAIN, seed);
        fill(&robot);
        tq_scratch scratch = scratch_for(tq_inverse_scratch_size(robot.mechanism, 0));
        const tq_inverse_input in = input();
        cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, NULL) == TQ_OK);
        /* both algorithms have a few roundings per joint, on terms that sum to `scale` */
        const double worst = worst_error(&robot, NULL);
        cr_expect(worst <= 100.0 * n_joint, "flags %u, %u joints, seed %lu: %g", flags, n_joint,
                  (unsigned long)seed, worst);
        free(scratch.memory);
        naive_free(&robot);
    }
}

Test(inverse, chains_of_single_joints)
{
    check_trees(NAIVE_SINGLES | NAIVE_CHAIN | NAIVE_NO_MIMIC, 1, 20);
    check_trees(NAIVE_SINGLES | NAIVE_CHAIN | NAIVE_NO_MIMIC, 2, 50);
    check_trees(NAIVE_SINGLES | NAIVE_CHAIN | NAIVE_NO_MIMIC, 7, 50);
}

Test(inverse, trees_of_single_joints)
{
    check_trees(NAIVE_SINGLES | NAIVE_NO_MIMIC, 7, 50);
    check_trees(NAIVE_SINGLES, 12, 50);
}

Test(inverse, trees_of_all_joints)
{
    check_trees(0, 1, 50);
    check_trees(0, 3, 100);
    check_trees(0, 10, 100);
    check_trees(0, 40, 20);
}

/* Every build that the CPU supports, alone and in a block, with every term. */
Test(inverse, same_bits_at_every_width)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        naive_robot robot;
        naive_random_robot(&robot, 12, seed % 2 == 0 ? NAIVE_SINGLES : 0, seed);
        fill(&robot);
        d.q[3] = 3e7; /* beyond the range of the fast sine */
        tq_scratch scratch = scratch_for(tq_inverse_scratch_size(robot.mechanism, 0));
        const size_t bytes = robot.model.nv * N * sizeof(double);
        tq_inverse_input in = input();
        cr_assert(tq_lanes_force(TQ_BUILD_PORTABLE) == TQ_OK);
        cr_assert(robot.model.nq != robot.model.nv ||
                  tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, NULL) == TQ_OK);
        if (robot.model.nq != robot.model.nv) {
            naive_random_q(&robot, N, N, d.q);
            cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, NULL) == TQ_OK);
        }
        for (int build = TQ_BUILD_W1; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            memset(d.other, 0, sizeof d.other);
            cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.other, NULL) == TQ_OK);
            cr_expect(memcmp(d.tau, d.other, bytes) == 0, "build %d, seed %lu", build,
                      (unsigned long)seed);
        }
        cr_assert(tq_lanes_select(0) == TQ_OK);
        for (size_t i = 0; i < N; i++) {
            _Alignas(64) static double q[ROWS_MAX * 8], v[ROWS_MAX * 8], a[ROWS_MAX * 8];
            _Alignas(64) static double tau[ROWS_MAX * 8];
            for (size_t r = 0; r < robot.model.nq; r++) {
                q[8 * r] = d.q[r * N + i];
            }
            for (size_t r = 0; r < robot.model.nv; r++) {
                v[8 * r] = d.qd[r * N + i];
                a[8 * r] = d.qdd[r * N + i];
            }
            const tq_inverse_input one = {.n_sample = 1, .stride = 8, .q = q, .qd = v, .qdd = a};
            cr_assert(tq_inverse_dynamics(robot.mechanism, &one, &scratch, tau, NULL) == TQ_OK);
            for (size_t r = 0; r < robot.model.nv; r++) {
                cr_expect(memcmp(&tau[8 * r], &d.tau[r * N + i], sizeof(double)) == 0);
            }
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

/* One revolute joint about a horizontal axis; see each case. */
static tq_status one_joint(size_t n_sample, size_t stride, double qd, tq_error *error)
{
    naive_robot robot;
    naive_random_robot(&robot, 2, NAIVE_SINGLES | NAIVE_CHAIN | NAIVE_NO_MIMIC, 4);
    memset(&d, 0, sizeof d);
    d.qd[1 * stride + 2] = qd;
    tq_scratch scratch = scratch_for(tq_inverse_scratch_size(robot.mechanism, 0));
    const tq_inverse_input in = {
        .n_sample = n_sample, .stride = stride, .q = d.q, .qd = d.qd, .qdd = d.qdd};
    const tq_status status = tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, error);
    cr_expect(scratch.used == 0);
    free(scratch.memory);
    naive_free(&robot);
    return status;
}

Test(inverse, shapes_are_refused)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    tq_error error;
    cr_expect(one_joint(0, 8, 0.0, &error) == TQ_ERR_SHAPE);
    cr_expect(one_joint(9, 8, 0.0, &error) == TQ_ERR_SHAPE);
    cr_expect(one_joint(4, 12, 0.0, &error) == TQ_ERR_SHAPE);
    cr_expect(one_joint(4, 512, 0.0, &error) == TQ_ERR_SHAPE);
    cr_expect(one_joint(8, 8, 0.0, &error) == TQ_OK);
}

Test(inverse, overflow_names_its_sample)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    tq_error error = {0};
    cr_expect(one_joint(8, 8, 1e200, &error) == TQ_ERR_OVERFLOW);
    cr_expect(error.index == 2 && strcmp(error.what, "tau") == 0);
}

Test(inverse, too_little_scratch_is_an_error)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_robot robot;
    naive_random_robot(&robot, 3, 0, 4);
    fill(&robot);
    const size_t size = tq_inverse_scratch_size(robot.mechanism, 0);
    tq_scratch scratch = scratch_for(size - 64);
    tq_error error;
    const tq_inverse_input in = input();
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, &error) == TQ_ERR_SCRATCH);
    cr_assert(error.value == (double)size);
    free(scratch.memory);
    naive_free(&robot);
}

/* a length off by 1e-7 is normalised; off by 1e-5 is an error with its sample and length. */
Test(inverse, quaternions_are_checked_and_scaled)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_robot robot;
    uint64_t seed = 1;
    naive_random_robot(&robot, 1, NAIVE_PLAIN, seed);
    while (robot.joints[0].kind != TQ_JOINT_SPHERICAL) {
        naive_free(&robot);
        naive_random_robot(&robot, 1, NAIVE_PLAIN, ++seed);
    }
    fill(&robot);
    tq_scratch scratch = scratch_for(tq_inverse_scratch_size(robot.mechanism, 0));
    const tq_inverse_input in = input();
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.other, NULL) == TQ_OK);
    for (size_t k = 0; k < 4; k++) {
        d.q[k * N + 5] *= 1.0 + 1e-7;
    }
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, NULL) == TQ_OK);
    for (size_t k = 0; k < 3; k++) {
        /* torques of a few N m; normalisation is exact to rounding */
        cr_expect(fabs(d.tau[k * N + 5] - d.other[k * N + 5]) < 1e-13);
    }
    for (size_t k = 0; k < 4; k++) {
        d.q[k * N + 5] *= 1.0 + 1e-5;
    }
    tq_error error = {0};
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, &error) ==
              TQ_ERR_QUATERNION);
    cr_expect(error.index == 5 && fabs(error.value - 1.0 - 1.01e-5) < 1e-9);
    free(scratch.memory);
    naive_free(&robot);
}

Test(inverse, without_leaves_exactly_its_term_out)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_robot robot;
    naive_random_robot(&robot, 8, NAIVE_SINGLES, 5);
    fill(&robot);
    tq_scratch scratch = scratch_for(tq_inverse_scratch_size(robot.mechanism, 0));
    tq_inverse_input in = input();
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.tau, NULL) == TQ_OK);
    in.without = TQ_WITHOUT_FRICTION;
    cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, d.other, NULL) == TQ_OK);
    for (uint32_t r = 0; r < robot.model.nv; r++) {
        double friction = 0.0;
        for (uint32_t j = 0; j < robot.model.n_joint; j++) {
            const tq_joint *joint = &robot.joints[j];
            if (joint->v_index == r) {
                const double ratio = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
                const double v = ratio * d.qd[r * N];
                friction += ratio * (0.3 * v + 0.2 * ((v > 0) - (v < 0)) + 0.05);
            }
        }
        /* two torques of up to 1e3 N m are subtracted */
        cr_expect(fabs(d.tau[r * N] - d.other[r * N] - friction) < 1e-11);
    }
    free(scratch.memory);
    naive_free(&robot);
}
