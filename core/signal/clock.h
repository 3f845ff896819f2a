/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/clock.h - the clock of a recording: period, faults, and resampling to a uniform time
 * grid. */
#ifndef TQ_SIGNAL_CLOCK_H
#define TQ_SIGNAL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQ_CLOCK_BINS = 4096 };

/* Statistics of a recording's times, accumulated row by row (rows from 0). Initialise with {0}. */
typedef struct tq_clock {
    uint64_t n;                              /* number of times so far */
    double first, last, latest;              /* latest: the largest so far */
    uint64_t n_repeated, n_backward;         /* rows whose time equals, or precedes, the previous
                                                one */
    uint64_t first_repeated, first_backward; /* the first of each */
    uint64_t n_step;                         /* steps forward */
    double shortest, longest;                /* shortest and longest of these steps, s */
    uint64_t longest_at;                     /* row at the end of the longest step */
    uint32_t bins[TQ_CLOCK_BINS];            /* histogram of steps, logarithmic: 1e-9 .. 1e6 s */
    double sums[TQ_CLOCK_BINS];              /* sum of the steps in each bin */
    size_t bin;                              /* bin of the last step, and number of steps in it */
    double bin_least, bin_most;
} tq_clock;

/* Adds the next row's time, which must be finite. */
void tq_clock_add(tq_clock *clock, double t);
/* The same after rows that were omitted on purpose: the interval is not a step. */
void tq_clock_skip(tq_clock *clock, double t);

/* Sample period: the median step, to 0.1 % or so. 0 if no time increased. */
double tq_clock_period(const tq_clock *clock);

/* True if the time grid is uniform: every step equals the period within 2 %, and no time repeats or
 * precedes; rows are then *ret_period apart. */
bool tq_clock_is_even(const tq_clock *clock, double *ret_period);

/* Interpolated value at one time: the weighted sum of four samples from `first` on. */
enum { TQ_STENCIL_POINTS = 4 };
typedef struct tq_stencil {
    size_t first;
    double weight[TQ_STENCIL_POINTS];
} tq_stencil;

/**
 * Stencils for resampling to a uniform grid from increasing times: a cubic between two samples,
 * whose slopes are those of parabolas through three samples. Stencils apply to all signals with
 * these times.
 *
 * Shapes   t (n >= 4), strictly increasing; ret (m) for times first + k step, all within t[0] ..
 *          t[n - 1].
 * Cost     About 15 ns each.
 * Source   C. de Boor, A Practical Guide to Splines, Springer 2001, chapter IV (Bessel
 *          interpolation).
 * Checked  tests/unit/core/signal/test_clock.c
 */
void tq_resample_cubic(size_t n, const double *t, double first, double step, size_t m,
                       tq_stencil *ret);
/* The same by linear interpolation: for torques, whose noise a cubic would amplify. */
void tq_resample_linear(size_t n, const double *t, double first, double step, size_t m,
                        tq_stencil *ret);

/* ret (m): x resampled by the stencils. */
void tq_resample(size_t m, const tq_stencil *stencils, const double *x, double *ret);

#endif
