/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_regressor_batch.c - Y pi is the torque, and bits. */
#include "core/dynamics/regressor_batch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/build.h"
#include "tests/support/naive.h"

enum { JOINTS = 10, ROWS = 7 * JOINTS, N = 16, TEN = TQ_PARAMETERS_OF_LINK };

static _Alignas(64) double q[ROWS * N], qd[ROWS * N], qdd[ROWS * N], tau[ROWS * N];
static _Alignas(64) double y[ROWS * JOINTS * TEN * N], other[ROWS * JOINTS * TEN * N];

static tq_scratch prepare(naive_robot *robot, uint64_t seed)
{
    cr_assert(tq_lanes_select(0) == TQ_OK);
    naive_random_robot(robot, JOINTS, NAIVE_PLAIN | (seed % 2 == 0 ? NAIVE_SINGLES : 0), seed);
    naive_random_q(robot, N, N, q);
    naive_random_v(robot, N, N, 2.0, qd);
    naive_random_v(robot, N, N, 5.0, qdd);
    const size_t size = tq_regressor_batch_scratch_size(robot->mechanism) +
                        tq_inverse_scratch_size(robot->mechanism, 0);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    return scratch;
}

Test(regressor_batch, times_parameters_is_the_torque)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, y, NULL) == TQ_OK);
        cr_assert(tq_inverse_dynamics(robot.mechanism, &in, &scratch, tau, NULL) == TQ_OK);
        const size_t n_parameter = TEN * robot.model.n_joint;
        double pi[TEN * JOINTS];
        tq_parameter_values(&robot.model, 0, pi);
        for (size_t a = 0; a < robot.model.nv; a++) {
            for (size_t i = 0; i < N; i++) {
                double sum = 0.0, size = 0.0;
                for (size_t c = 0; c < n_parameter; c++) {
                    const double x = y[(a * n_parameter + c) * N + i];
                    sum += x * pi[c];
                    size += fabs(x * pi[c]);
                }
                /* some hundred terms that sum to `size`, each right to n roundings */
                cr_assert(fabs(sum - tau[a * N + i]) <= 100 * JOINTS * DBL_EPSILON * (1.0 + size),
                          "seed %lu, row %zu: %g, not %g", (unsigned long)seed, a, sum,
                          tau[a * N + i]);
            }
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

Test(regressor_batch, same_bits_at_every_width)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        const size_t bytes = robot.model.nv * robot.model.n_joint * TEN * N * sizeof *y;
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            double *out = build == TQ_BUILD_PORTABLE ? y : other;
            cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, out, NULL) == TQ_OK);
            cr_expect(build == TQ_BUILD_PORTABLE || memcmp(y, other, bytes) == 0, "build %d",
                      build);
        }
        free(scratch.memory);
        naive_free(&robot);
    }
}

/* robots of every kind and of mimicking joints: a second block into the same array */
Test(regressor_batch, again_is_the_same)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        naive_robot robot;
        tq_scratch scratch = prepare(&robot, seed);
        const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
        const tq_inverse_input before = {.n_sample = N, .stride = N, .q = q};
        const size_t bytes = robot.model.nv * robot.model.n_joint * TEN * N * sizeof *y;
        memset(other, 0xff, sizeof other); /* NaN wherever nothing is written */
        cr_assert(tq_regressor_batch(robot.mechanism, &before, &scratch, other, NULL) == TQ_OK);
        cr_assert(tq_regressor_batch_again(robot.mechanism, &in, &scratch, other, NULL) == TQ_OK);
        cr_assert(tq_regressor_batch(robot.mechanism, &in, &scratch, y, NULL) == TQ_OK);
        cr_expect(memcmp(y, other, bytes) == 0, "seed %lu", (unsigned long)seed);
        free(scratch.memory);
        naive_free(&robot);
    }
}

Test(regressor_batch, overflow_tells_its_sample)
{
    naive_robot robot;
    tq_scratch scratch = prepare(&robot, 2);
    const tq_inverse_input in = {.n_sample = N, .stride = N, .q = q, .qd = qd, .qdd = qdd};
    tq_error error = {0};
    qd[3] = 1e120; /* its square is finite: large, but told to be right */
    cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_OK);
    for (size_t k = 0; k < robot.model.nv; k++) {
        qd[k * N + 3] = 1e200;
    }
    cr_expect(tq_regressor_batch(robot.mechanism, &in, &scratch, y, &error) == TQ_ERR_OVERFLOW);
    cr_expect(error.index == 3);
    free(scratch.memory);
    naive_free(&robot);
}
