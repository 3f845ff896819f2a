/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/test_gain_start.c - first values of unknown gains, against those that
 * made the torque of an arm of two bars. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/inverse.h"
#include "core/identify/gain_start.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { NV = 2, GAINS = 5, KEPT = 4, BLOCKS = 8 };

static const tqt_bar bars[NV] = {
    {.length = 0.8, .mass = 2.0, .com = 0.3, .inertia = 0.05, .viscous = 0.4},
    {.length = 0.5, .mass = 1.0, .com = 0.2, .inertia = 0.02, .viscous = 0.1}};
/* of joint 0 all three are not known, of joint 1 kp is stated, and ki is not open */
static const double true_gains[GAINS] = {80.0, 6.0, 15.0, 2.0, 9.0};
static const double known_kp = 30.0;

typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tq_unknown_gain gains[GAINS];
    bool is_open[GAINS];
    double rows[3 * NV][TQ_BLOCK];   /* q, qd, qdd */
    double factors[GAINS][TQ_BLOCK]; /* -e, -e', -s */
    double tau[NV][TQ_BLOCK];        /* of present gains */
    double model_tau[NV][TQ_BLOCK];
} bench;

static bench *open_bench(void)
{
    bench *b = calloc(1, sizeof *b);
    b->model = tqt_planar_arm(bars, NV, 9.81);
    b->subject = tqt_subject_new(b->model, 0);
    const tq_unknown_gain gains[GAINS] = {{.kind = TQ_GAIN_KP, .row = 0, .start = 1.0},
                                          {.kind = TQ_GAIN_KD, .row = 0},
                                          {.kind = TQ_GAIN_KI, .row = 0},
                                          {.kind = TQ_GAIN_KD, .row = 1},
                                          {.kind = TQ_GAIN_KI, .row = 1, .start = 9.0}};
    memcpy(b->gains, gains, sizeof gains);
    for (size_t k = 0; k < GAINS; k++) {
        b->is_open[k] = k < KEPT;
    }
    return b;
}

static void close_bench(bench *b)
{
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
    free(b);
}

static double *factor_of(bench *b, size_t k)
{
    return b->factors[k];
}

/* Any motion; errors whose law with the true gains is the torque of the model. Torque of the block
 * is that of the present gains, `drift` added. */
static void fill(bench *b, size_t block, double drift)
{
    double e[NV][TQ_BLOCK], rate[NV][TQ_BLOCK], sum[NV][TQ_BLOCK];
    for (size_t i = 0; i < TQ_BLOCK; i++) {
        const double t = 0.01 * (double)(block * TQ_BLOCK + i);
        for (size_t r = 0; r < NV; r++) {
            const double w = 2.0 + 1.3 * (double)r;
            b->rows[r][i] = sin(w * t);
            b->rows[NV + r][i] = w * cos(w * t);
            b->rows[2 * NV + r][i] = -w * w * sin(w * t);
            rate[r][i] = 0.2 * cos(3.0 * t + (double)r);
            sum[r][i] = 0.1 * sin(0.7 * t) + 0.05 * (double)r;
        }
    }
    const tq_inverse_input in = {.n_sample = TQ_BLOCK,
                                 .stride = TQ_BLOCK,
                                 .q = b->rows[0],
                                 .qd = b->rows[NV],
                                 .qdd = b->rows[2 * NV]};
    cr_assert(eq(int,
                 tq_inverse_dynamics(b->subject->mechanism, &in, &b->subject->scratch,
                                     b->model_tau[0], NULL),
                 TQ_OK));
    for (size_t i = 0; i < TQ_BLOCK; i++) {
        e[0][i] = (b->model_tau[0][i] - 6.0 * rate[0][i] - 15.0 * sum[0][i]) / 80.0;
        e[1][i] = (b->model_tau[1][i] - 2.0 * rate[1][i] - 9.0 * sum[1][i]) / known_kp;
        const double factors[GAINS] = {e[0][i], rate[0][i], sum[0][i], rate[1][i], sum[1][i]};
        b->tau[0][i] = drift;
        b->tau[1][i] = known_kp * e[1][i] + drift;
        for (size_t k = 0; k < GAINS; k++) {
            factor_of(b, k)[i] = -factors[k];
            b->tau[b->gains[k].row][i] += (b->gains[k].start + b->gains[k].change) * factors[k];
        }
    }
}

static void start(bench *b, double drift, double share[NV])
{
    const size_t size = tq_gain_start_size(b->subject->mechanism, GAINS);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    tq_scratch room;
    tq_gain_start *s = NULL;
    tq_scratch_init(&room, memory, size);
    cr_assert(
        eq(int,
           tq_gain_start_begin(b->subject->mechanism, b->gains, b->is_open, GAINS, &room, &s, NULL),
           TQ_OK));
    cr_expect(eq(sz, room.used, size));
    for (size_t k = 0; k < BLOCKS; k++) {
        fill(b, k, drift * sin(0.9 * (double)k));
        const tq_experiment_block block = {.n_sample = TQ_BLOCK,
                                           .stride = TQ_BLOCK,
                                           .q = b->rows[0],
                                           .qd = b->rows[NV],
                                           .qdd = b->rows[2 * NV],
                                           .tau = b->tau[0],
                                           .friction_rows = b->factors[0]};
        cr_assert(eq(int, tq_gain_start_push(s, &block, NULL), TQ_OK));
    }
    tq_gain_start_end(s, share);
    tq_scratch_release(memory, size);
    free(memory);
}

Test(gain_start, gains_are_those_that_made_the_torque)
{
    bench *b = open_bench();
    double share[NV];
    start(b, 0.0, share);
    for (size_t k = 0; k < GAINS; k++) {
        const double found = b->gains[k].start + b->gains[k].change;
        /* sums of 2000 products, a condition of some 1e4 */
        cr_expect(fabs(found - true_gains[k]) < 1e-8 * true_gains[k], "%zu: %.17g", k, found);
    }
    cr_expect(share[0] > 1.0 - 1e-9 && share[1] > 1.0 - 1e-9, "%g %g", share[0], share[1]);
    close_bench(b);
}

/* torque that the model has not, ten times its own: no gain is negative, and the share says it */
Test(gain_start, a_model_that_explains_little_says_so)
{
    bench *b = open_bench();
    double share[NV];
    start(b, 100.0, share);
    for (size_t k = 0; k < KEPT; k++) {
        cr_expect(b->gains[k].start + b->gains[k].change >= 0.0, "%zu", k);
    }
    cr_expect(b->gains[0].start + b->gains[0].change > 0.0);
    cr_expect(share[0] < 0.5 && share[1] < 0.5, "%g %g", share[0], share[1]);
    cr_expect(eq(dbl, b->gains[4].change, 0.0)); /* not open */
    close_bench(b);
}
