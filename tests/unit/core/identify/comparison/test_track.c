/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/comparison/test_track.c - sines along a simulated window come out with
 * the filter's gain; gains have the error of the simulation, rates no error of differences. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/comparison/track.h"
#include "core/kernels/table.h"
#include "core/signal/filter.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"

enum { STEPS = 1000, WINDOWS = 3, RUN = TQ_FOLD_RUN, JOINTS = 2 };
static const double period = .005, cutoff = 8, kd[JOINTS] = {7, 5}, difference = .01;
/* of each signal: a slow and a fast sine */
static const double hz[2] = {1.5, 12};

static const tqt_bar bars[2] = {
    {.length = .5, .mass = 3, .com = .2, .inertia = .1, .viscous = .3},
    {.length = .4, .mass = 2, .com = .25, .inertia = .05, .viscous = .2}};

/* signal `of` of a window at step k: sines whose amplitudes are multiplied by gain */
static double wave(size_t of, size_t window, double k, const double gain[2])
{
    double sum = 0;
    for (size_t s = 0; s < 2; s++) {
        const double size = (1.0 + (double)of) / (1.0 + (double)s);
        sum += gain[s] * size * sin(2 * M_PI * hz[s] * k * period + (double)(of + window));
    }
    return sum;
}

/* rows `of` .. of + n_row - 1 of a step */
static void fill(size_t of, size_t n_row, size_t k, double *ret)
{
    static const double one[2] = {1, 1};
    for (size_t row = 0; row < n_row; row++) {
        for (size_t i = 0; i < WINDOWS; i++) {
            ret[row * RUN + i] = wave(of + row, i, (double)k, one);
        }
    }
}

typedef struct bed {
    tqt_fit_bench bench;
    tq_unknown_gain gains[2];
    tq_feedback feedback;
    tq_recording_filter filter;
    tq_track *track;
    size_t n_friction;
    double *measured; /* (STEPS x (3 JOINTS + n_friction) x RUN) q, qd, tau, rows */
} bed;

enum { Q = 0, QD = 2, QDD = 4, SIGN = 6, INTEGRAL = 8, MEASURED = 10 }; /* signals */

static void keep(bed *b)
{
    const size_t rows = 3 * JOINTS + b->n_friction;
    double *simulated = tqt_doubles(5 * JOINTS * RUN);
    for (size_t k = 0; k < STEPS; k++) {
        double *at = b->measured + k * rows * RUN;
        fill(0, 5 * JOINTS, k, simulated);
        fill(MEASURED, rows, k, at);
        const tq_rollout_sample sample = {.k = k,
                                          .n = WINDOWS,
                                          .q = simulated + Q * RUN,
                                          .qd = simulated + QD * RUN,
                                          .qdd = simulated + QDD * RUN,
                                          .sign = simulated + SIGN * RUN,
                                          .integral = simulated + INTEGRAL * RUN,
                                          .measured = {.n_sample = WINDOWS,
                                                       .stride = RUN,
                                                       .q = at,
                                                       .qd = at + JOINTS * RUN,
                                                       .tau = at + 2 * JOINTS * RUN,
                                                       .friction_rows = at + 3 * JOINTS * RUN}};
        tq_track_keep(b->track, &sample);
    }
    free(simulated);
}

static void opened(bed *b)
{
    *b = (bed){.bench = tqt_fit_open(tqt_planar_arm(bars, JOINTS, 9.81)),
               .gains = {{.kind = TQ_GAIN_KP, .joint = 0, .row = 0, .start = 60},
                         {.kind = TQ_GAIN_KD, .joint = 1, .row = 1, .start = 5}},
               .feedback = {.kp = kd, .kd = kd},
               .filter = {.kind = TQ_SMOOTHING_BUTTERWORTH, .order = 4, .cutoff = cutoff}};
    tq_fit_options options = tq_fit_defaults();
    options.model.with = TQ_REGRESS_VISCOUS | TQ_REGRESS_COULOMB;
    options.model.gains = b->gains;
    options.model.n_gain = 2;
    options.method = TQ_FIT_FEASIBLE_IV;
    options.lag = 1;
    tqt_fit_build(&b->bench, &options, 1);
    b->n_friction = JOINTS + 2;
    b->measured = tqt_doubles((size_t)STEPS * (3 * JOINTS + b->n_friction) * RUN);
    const tq_track_plan plan = {.filter = &b->filter,
                                .period = period,
                                .n_step = STEPS,
                                .feedback = &b->feedback,
                                .difference = difference};
    cr_assert(
        eq(int, tq_track_begin(b->bench.fit, &plan, &b->bench.scratch, &b->track, NULL), TQ_OK));
    keep(b);
    cr_assert(eq(int, tq_track_filter(b->track, NULL), TQ_OK));
}

static void closed(bed *b)
{
    tq_scratch_rewind(&b->bench.scratch, 0);
    free(b->measured);
    tqt_fit_close(&b->bench);
}

/* gains of a filter forward and backward, by the bilinear transform of 1 / (1 + w^8) */
static void find_gain(double ret[2])
{
    const double corner = tan(M_PI * cutoff * period);
    for (size_t s = 0; s < 2; s++) {
        ret[s] = 1.0 / (1.0 + pow(tan(M_PI * hz[s] * period) / corner, 8));
    }
}

Test(track, signals_have_the_gain_of_the_filter)
{
    static const double one[2] = {1, 1};
    double gain[2];
    bed b;
    opened(&b);
    find_gain(gain);
    const size_t first = 450, n = RUN;
    for (size_t window = 0; window < WINDOWS; window++) {
        tq_experiment_block beside;
        const tq_experiment_block block = tq_track_block(b.track, window, first, n, &beside);
        const double *const of[] = {block.q, block.qd, block.qdd, block.friction_rows};
        const size_t signal[] = {Q, QD, QDD, SIGN};
        for (size_t s = 0; s < 4; s++) {
            for (size_t e = 0; e < JOINTS * RUN; e++) {
                const double k = (double)(first + e % RUN);
                const double want = wave(signal[s] + e / RUN, window, k, gain);
                cr_assert(epsilon_eq(dbl, of[s][e], want, 1e-9), "signal %zu at %zu", s, e);
            }
        }
        for (size_t i = 0; i < n; i++) {
            const double k = (double)(first + i);
            /* -e' is a central difference over two steps: h^2 / 6 of its second one are too much */
            const double *rows = block.friction_rows + (size_t)JOINTS * RUN + i;
            const double *other = beside.friction_rows + (size_t)JOINTS * RUN + i;
            const double e = wave(MEASURED + 8, window, k, one);
            const double e_rate = wave(MEASURED + 9, window, k, one);
            const double more = pow(difference / period, 2) / 6 *
                                (wave(MEASURED + 9, window, k + 1, one) - 2 * e_rate +
                                 wave(MEASURED + 9, window, k - 1, one));
            const double tau[] = {wave(MEASURED + 4, window, k, one),
                                  wave(MEASURED + 5, window, k, one) + kd[1] * more};
            cr_assert(epsilon_eq(dbl, block.tau[i], tau[0], 1e-9));
            cr_assert(epsilon_eq(dbl, block.tau[RUN + i], tau[1], 1e-9));
            cr_assert(epsilon_eq(dbl, rows[0], e, 1e-9));
            cr_assert(epsilon_eq(dbl, rows[RUN], e_rate - more, 1e-9));
            const double off = wave(MEASURED, window, k, one) - wave(Q, window, k, gain);
            const double off_rate =
                wave(MEASURED + 3, window, k, one) - wave(QD + 1, window, k, gain);
            cr_assert(epsilon_eq(dbl, other[0], e - off, 1e-9));
            cr_assert(epsilon_eq(dbl, other[RUN], e_rate - off_rate, 1e-9));
        }
    }
    closed(&b);
}

Test(track, edges_and_refusals)
{
    bed b;
    opened(&b);
    /* three periods of 8 Hz, or a quarter */
    cr_expect(eq(sz, tq_track_edge(&b.filter, period, STEPS), 75));
    cr_expect(eq(sz, tq_track_edge(&b.filter, period, 100), 25));
    tq_track *none = NULL;
    tq_error error = {0};
    tq_recording_filter other = {.kind = TQ_SMOOTHING_NONE};
    tq_track_plan plan = {
        .filter = &other, .period = period, .n_step = 10, .feedback = &b.feedback};
    cr_expect(
        eq(int, tq_track_begin(b.bench.fit, &plan, &b.bench.scratch, &none, &error), TQ_ERR_RANGE));
    other = (tq_recording_filter){.kind = TQ_SMOOTHING_BUTTERWORTH, .order = 4, .cutoff = 101};
    cr_expect(
        eq(int, tq_track_begin(b.bench.fit, &plan, &b.bench.scratch, &none, &error), TQ_ERR_RANGE));
    tq_scratch little;
    _Alignas(64) double memory[8];
    tq_scratch_init(&little, memory, sizeof memory);
    other.cutoff = 8;
    cr_expect(eq(int, tq_track_begin(b.bench.fit, &plan, &little, &none, &error), TQ_ERR_SCRATCH));
    cr_expect(none == NULL);
    closed(&b);
}
