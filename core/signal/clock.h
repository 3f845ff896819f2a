/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/clock.h - the clock of a log: its period and its faults, and values on an even
 * one. */
#ifndef TQ_SIGNAL_CLOCK_H
#define TQ_SIGNAL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQ_CLOCK_BINS = 4096 };

/* What a log's times are like, found while they go by. Rows from 0. Starts as {0}. */
typedef struct tq_clock {
    uint64_t n;                              /* times so far */
    double first, last, latest;              /* latest: the largest so far */
    uint64_t n_repeated, n_backward;         /* rows whose time equals, or lies before, the one */
    uint64_t first_repeated, first_backward; /* before */
    uint64_t n_step;                         /* steps forward */
    double shortest, longest;                /* of these, s */
    uint64_t longest_at;                     /* row behind it */
    uint32_t bins[TQ_CLOCK_BINS];            /* steps by size, logarithmic: 1e-9 .. 1e6 s */
    double sums[TQ_CLOCK_BINS];              /* of the steps in each */
    size_t bin;                              /* of the last step, and steps that are in it */
    double bin_least, bin_most;
} tq_clock;

/* The next row's time, which must be finite. */
void tq_clock_add(tq_clock *clock, double t);
/* The same behind rows that were left out on purpose: no step. */
void tq_clock_skip(tq_clock *clock, double t);

/* The usual step between rows: the median, to 0.1 % or so. 0 when no time went forward. */
double tq_clock_period(const tq_clock *clock);

/* Every step is the period to 2 %, none repeated or backward: the rows may be taken as they are,
 * *ret_period apart. */
bool tq_clock_is_even(const tq_clock *clock, double *ret_period);

/* A value at some time: the weighted sum of four samples from `first` on. */
enum { TQ_STENCIL_POINTS = 4 };
typedef struct tq_stencil {
    size_t first;
    double weight[TQ_STENCIL_POINTS];
} tq_stencil;

/**
 * Stencils for values at even times out of values at rising ones: a cubic between two samples whose
 * slopes come from the parabolas through three. They do for all signals with these times.
 *
 * Shapes   t (n >= 4), strictly rising; ret (m) for times first + k step, all within t[0] ..
 *          t[n - 1].
 * Cost     About 15 ns each.
 * Source   C. de Boor, A Practical Guide to Splines, Springer 2001, chapter IV (Bessel
 *          interpolation).
 * Checked  tests/unit/core/signal/test_clock.c
 */
void tq_resample_cubic(size_t n, const double *t, double first, double step, size_t m,
                       tq_stencil *ret);
/* The same by straight lines: for torques, whose noise a cubic would raise. */
void tq_resample_linear(size_t n, const double *t, double first, double step, size_t m,
                        tq_stencil *ret);

/* ret (m): x by each of the stencils. */
void tq_resample(size_t m, const tq_stencil *stencils, const double *x, double *ret);

#endif
