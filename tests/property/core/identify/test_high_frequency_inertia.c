/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/test_high_frequency_inertia.c - torque above the filter's cut-off,
 * fitted separately. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/validation/residuals.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { N = 1200, NV = 3 };

static tq_model *arm(void)
{
    return tqt_random_arm(5, NV, 0, (tq_friction){.viscous = 0.5, .coulomb = 1, .smoothing = 0.05});
}

/* unfiltered torque: inertia a + rate d more; a and d oscillate fast, independent of the motion.
 * rows: (2 NV x TQ_BLOCK) of a and d, then (NV x TQ_BLOCK) of torque */
static void add_fast(tq_experiment_block *block, size_t first, double inertia, double rate,
                     double *rows)
{
    for (size_t r = 0; r < NV; r++) {
        for (size_t i = 0; i < block->n_sample; i++) {
            const double t = (double)(first + i);
            double *at = rows + r * TQ_BLOCK + i;
            at[0] = 3 * sin((2.1 + 0.1 * (double)r) * t);
            at[NV * TQ_BLOCK] = 40 * cos((1.3 + 0.2 * (double)r) * t);
            at[2 * NV * TQ_BLOCK] =
                block->tau[r * block->stride + i] + inertia * at[0] + rate * at[NV * TQ_BLOCK];
        }
    }
    block->fast = rows;
    block->tau_raw = rows + 2 * NV * TQ_BLOCK;
}

typedef struct room {
    double *memory, *rows;
} room;

static void read_with(tqt_fit_bench *b, size_t number, const tqt_excited *x, double inertia,
                      double rate, const room *room)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    tq_fit_stream *stream = NULL;
    cr_assert(eq(int, tq_fit_begin(b->fit, number, N, &b->scratch, &stream, NULL), TQ_OK));
    for (size_t k = 0; k < tq_block_count(N); k++) {
        tq_experiment_block block = tqt_excited_block(x, k, room->memory);
        add_fast(&block, k * TQ_BLOCK, inertia, rate, room->rows);
        cr_assert(eq(int, tq_fit_push(stream, &block, NULL), TQ_OK));
    }
    cr_assert(eq(int, tq_fit_end(stream, NULL), TQ_OK));
    tq_scratch_rewind(&b->scratch, mark);
}

/* the largest rmse of a row on one experiment */
static double judged(tqt_fit_bench *b, const double *value, const tqt_excited *x, double inertia,
                     double rate, const room *room)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    tq_residuals judge;
    cr_assert(eq(int, tq_residuals_begin(b->fit, value, 0.01, &b->scratch, &judge, NULL), TQ_OK));
    for (size_t k = 0; k < tq_block_count(N); k++) {
        tq_experiment_block block = tqt_excited_block(x, k, room->memory);
        add_fast(&block, k * TQ_BLOCK, inertia, rate, room->rows);
        cr_assert(eq(int, tq_residuals_push(&judge, &block, NULL, NULL), TQ_OK));
    }
    double worst = 0;
    for (size_t r = 0; r < NV; r++) {
        worst = fmax(worst, tq_residuals_of(&judge, TQ_RESIDUALS_ALL, r).rmse);
    }
    tq_scratch_rewind(&b->scratch, mark);
    return worst;
}

/* two experiments with different rotors: a fit without one has the rotor of the other */
Test(high_frequency_inertia, samples_left_out_have_no_effect)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    const tqt_excited x[2] = {tqt_excited_new(b.subject, 3, N, 100, 10),
                              tqt_excited_new(b.subject, 4, N, 100, 10)};
    const room room = {tqt_doubles(4 * NV * TQ_BLOCK), tqt_doubles(3 * NV * TQ_BLOCK)};
    static const double inertia[2] = {4, 6}, rate[2] = {-0.02, 0.05};
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    tqt_fit_build(&b, &options, 2);
    for (size_t e = 0; e < 2; e++) {
        read_with(&b, e, &x[e], inertia[e], rate[e], &room);
    }
    tqt_fit_solve(&b);
    const size_t n = b.solution.n_column;
    cr_expect(eq(sz, tq_fit_value_count(b.fit), n + 2 * NV));
    double *value = tqt_doubles(n + 2 * NV);
    for (size_t e = 0; e < 2; e++) {
        cr_assert(eq(int, tq_fit_solve_without(b.fit, e, &b.scratch, value, NULL), TQ_OK));
        for (size_t r = 0; r < NV; r++) {
            const double both = b.solution.value[n + 2 * r];
            /* 1,200 products of torques that cancel to 1e-13 or so */
            cr_expect(epsilon_eq(dbl, value[n + 2 * r], inertia[1 - e], 1e-10));
            cr_expect(epsilon_eq(dbl, value[n + 2 * r + 1], rate[1 - e], 1e-11));
            cr_expect(both > inertia[0] && both < inertia[1]);
        }
        /* noise-free: the remainder is rounding of the fit; without the term it would be about ten
         */
        cr_expect(le(dbl, judged(&b, value, &x[1 - e], inertia[1 - e], rate[1 - e], &room), 1e-8));
        memset(value + n, 0, 2 * NV * sizeof *value);
        cr_expect(ge(dbl, judged(&b, value, &x[1 - e], inertia[1 - e], rate[1 - e], &room), 5));
    }
    /* read again without high-frequency torque: the former sums are discarded */
    for (size_t e = 0; e < 2; e++) {
        tqt_fit_read(b.fit, e, &x[e], &b.scratch);
    }
    cr_assert(eq(int, tq_fit_solve_without(b.fit, 0, &b.scratch, value, NULL), TQ_OK));
    cr_expect(eq(dbl, value[n], 0));
    free(value), free(room.memory), free(room.rows);
    tqt_excited_free((tqt_excited *)(uintptr_t)&x[0]);
    tqt_excited_free((tqt_excited *)(uintptr_t)&x[1]);
    tqt_fit_close(&b);
}

Test(high_frequency_inertia, numbers_that_are_not_finite_are_refused)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    const tq_fit_options options = tq_fit_defaults();
    tqt_fit_build(&b, &options, 1);
    tq_fit_stream *stream = NULL;
    tq_error error = {0};
    cr_assert(eq(int, tq_fit_begin(b.fit, 0, 8, &b.scratch, &stream, NULL), TQ_OK));
    _Alignas(64) double rows[NV * 8] = {0};
    _Alignas(64) double fast[2 * NV * 8] = {0};
    fast[5 * 8 + 3] = INFINITY;
    const tq_experiment_block block = {.n_sample = 8,
                                       .stride = 8,
                                       .q = rows,
                                       .qd = rows,
                                       .qdd = rows,
                                       .tau = rows,
                                       .tau_raw = rows,
                                       .fast = fast};
    cr_expect(eq(int, tq_fit_push(stream, &block, &error), TQ_ERR_NOT_FINITE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "fast"));
    cr_expect(eq(sz, error.index, 3));
    tqt_fit_close(&b);
}
