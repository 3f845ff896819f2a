/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_ways.c - code paths for some robots, strides, CPUs or sizes of
 * scratch give the bits, or the error, of all others. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "core/dynamics/forward.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/lanes/build.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { WIDE = 70, N = 100, AWAY = 128, NEAR = 136, BYTES = 64 << 20 };

static tq_scratch scratch_new(void)
{
    tq_scratch scratch;
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    tq_scratch_init(&scratch, memory, BYTES);
    return scratch;
}

/* rows at a stride, the last sample repeated to the end */
static double *spread(const double *rows, size_t n_row, size_t stride, size_t to)
{
    double *x = tqt_doubles(n_row * to);
    for (size_t r = 0; r < n_row; r++) {
        for (size_t i = 0; i < to; i++) {
            x[r * to + i] = rows[r * stride + (i < N ? i : N - 1)];
        }
    }
    return x;
}

/* Robots of 48 and more dofs have their rows copied close together if the stride is a multiple of
 * 64 samples (core/dynamics/packed_rows.c). */
Test(ways, wide_robots_have_the_same_bits_at_every_stride)
{
    tq_scratch scratch = scratch_new();
    const tqt_robot_options options = {
        .n_joint = WIDE, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = TQT_WITH_BRANCHES};
    tq_model *model = tqt_random_robot(9, options);
    tqt_subject *subject = tqt_subject_new(model, 0);
    tqt_states states = tqt_random_states(9, model, N);
    double *out[2][2];
    for (int away = 0; away < 2; away++) {
        const size_t stride = away ? AWAY : NEAR;
        double *q = spread(states.q, model->nq, states.stride, stride);
        double *qd = spread(states.qd, model->nv, states.stride, stride);
        double *qdd = spread(states.qdd, model->nv, states.stride, stride);
        out[away][0] = tqt_doubles(model->nv * stride);
        out[away][1] = tqt_doubles(model->nv * stride);
        const tq_inverse_input in = {.n_sample = N, .stride = stride, .q = q, .qd = qd, .qdd = qdd};
        cr_assert(tq_inverse_dynamics(subject->mechanism, &in, &scratch, out[away][0], NULL) ==
                  TQ_OK);
        const tq_forward_input at = {
            .n_sample = N, .stride = stride, .q = q, .qd = qd, .tau = out[away][0]};
        cr_assert(tq_forward_dynamics(subject->mechanism, &at, &scratch, out[away][1], NULL) ==
                  TQ_OK);
        free(q);
        free(qd);
        free(qdd);
    }
    for (size_t k = 0; k < (size_t)model->nv * N; k++) {
        const size_t r = k / N, i = k % N;
        cr_assert(out[0][0][r * NEAR + i] == out[1][0][r * AWAY + i], "tau %zu %zu", r, i);
        cr_assert(out[0][1][r * NEAR + i] == out[1][1][r * AWAY + i], "qdd %zu %zu", r, i);
        /* forward dynamics of the torque; M has a condition of 1e6 here */
        const double want = states.qdd[r * states.stride + i];
        cr_assert(epsilon_eq(dbl, out[1][1][r * AWAY + i], want, 1e-6));
    }
    for (int k = 0; k < 4; k++) {
        free(out[k / 2][k % 2]);
    }
    tqt_states_free(&states);
    tqt_subject_free(subject);
    tqt_model_free(model);
    free(scratch.memory);
}

/* One sample has its own code paths for M, a different one in each build. */
Test(ways, one_sample_has_the_same_bits_in_every_build)
{
    tq_scratch scratch = scratch_new();
    for (uint64_t seed = 0; seed < 20; seed++) {
        const tqt_robot_options options = {.n_joint = 1 + (uint32_t)(seed * 3 % 20),
                                           .kinds = TQT_KINDS_ALL,
                                           .with = TQT_WITH_BRANCHES | TQT_WITH_ROTOR};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_subject *subject = tqt_subject_new(model, 1);
        tqt_states one = tqt_random_states(seed, model, 1);
        const size_t n = (size_t)model->nv * model->nv;
        double *first = tqt_doubles(n * one.stride), *m = tqt_doubles(n * one.stride);
        double *tau = tqt_doubles(model->nv * one.stride), *again = tqt_doubles(model->nv * 8);
        static const double wrench[6] = {1, 2, 3, 4, 5, 6};
        const tq_external_wrench push = {
            .link = model->n_link - 1, .rows = wrench, .row_stride = 1, .sample_step = 0};
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            const bool is_first = build == TQ_BUILD_PORTABLE;
            const tq_inverse_input in = {.n_sample = 1,
                                         .stride = one.stride,
                                         .q = one.q,
                                         .qd = one.qd,
                                         .wrenches = &push,
                                         .n_wrench = 1};
            cr_assert(tq_mass_matrix(subject->mechanism, 1, one.stride, one.q, 0, &scratch,
                                     is_first ? first : m, NULL) == TQ_OK);
            cr_assert(tq_inverse_dynamics(subject->mechanism, &in, &scratch, is_first ? tau : again,
                                          NULL) == TQ_OK);
            for (size_t k = 0; k < n && !is_first; k++) {
                cr_assert(m[k * one.stride] == first[k * one.stride], "build %d", build);
            }
            for (size_t k = 0; k < model->nv && !is_first; k++) {
                cr_assert(again[k * one.stride] == tau[k * one.stride], "build %d", build);
            }
        }
        free(first);
        free(m);
        free(tau);
        free(again);
        tqt_states_free(&one);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
    free(scratch.memory);
}

Test(ways, a_short_scratch_is_refused_with_its_size)
{
    tq_scratch scratch = scratch_new(), none;
    const tqt_robot_options options = {.n_joint = 3, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = 0};
    tq_model *model = tqt_random_robot(2, options);
    tqt_states one = tqt_random_states(2, model, 1);
    double q[3], qd[3], entries[3 * TQ_LEDGER_COUNT];
    tqt_sample(one.q, 3, one.stride, 0, q);
    tqt_sample(one.qd, 3, one.stride, 0, qd);
    tq_configuration p;
    tq_error error = {0};
    void *memory = aligned_alloc(64, 64);
    tq_scratch_init(&none, memory, 64);
    cr_assert(tq_configuration_compute(model, q, qd, &scratch, &p, NULL) == TQ_OK);
    const tq_sample sample = {.q = q, .qd = qd, .qdd = qd, .gravity = model->gravity};
    cr_expect(tq_ledger(&p, &sample, &none, entries, &error) == TQ_ERR_SCRATCH);
    cr_expect(ge(dbl, error.value, (double)tq_ledger_scratch_size(model)));
    cr_expect(tq_velocity_split(&p, qd, &none, entries, entries + 3, &error) == TQ_ERR_SCRATCH);
    free(memory);
    tqt_states_free(&one);
    tqt_model_free(model);
    free(scratch.memory);
}
