/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/filter.h - zero-phase low-pass filters, as second-order sections. */
#ifndef TQ_SIGNAL_FILTER_H
#define TQ_SIGNAL_FILTER_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

enum { TQ_FILTER_ORDER_MAX = 12 };

/* How signals continue beyond their ends. */
typedef enum tq_filter_ends {
    TQ_ENDS_ODD,  /* reflected about the value at the end: the slope continues, but everything hangs
                    on that value */
    TQ_ENDS_EVEN, /* reflected: the slope breaks */
} tq_filter_ends;

/* H(z) = product over sections of (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2). */
typedef struct tq_filter {
    size_t n;            /* number of sections */
    tq_filter_ends ends; /* TQ_ENDS_ODD by design */
    struct {
        double b[3], a[2];
    } section[(TQ_FILTER_ORDER_MAX + 1) / 2];
} tq_filter;

/**
 * Design a Butterworth low-pass filter by the bilinear transform, DC gain 1.
 *
 * Units    cutoff and rate in the same unit, for example Hz; the gain at the cut-off is 1/sqrt(2)
 *          for one pass, 1/2 forward and backward.
 * Returns  TQ_OK, or TQ_ERR_RANGE: order outside 1 .. TQ_FILTER_ORDER_MAX, or the cut-off outside
 *          (0, rate / 2)
 * Checked  tests/unit/core/signal/test_filter.c, against SciPy
 */
tq_status tq_filter_butterworth(unsigned order, double cutoff, double rate, tq_filter *ret,
                                tq_error *reterr);

/**
 * Design 1 / (tau_f s + 1) by the bilinear transform: the low-pass part of the filtered derivative
 * s / (tau_f s + 1). Filter forward and backward (zero phase), then take the central difference: a
 * velocity. The filtered derivative applied forward and backward gives the negated acceleration.
 *
 * Units    tau_f s, rate Hz.
 * Returns  TQ_OK, or TQ_ERR_RANGE: one of them is not above 0
 * Checked  tests/unit/core/signal/test_filter.c
 */
tq_status tq_filter_first_order(double tau_f, double rate, tq_filter *ret, tq_error *reterr);

/* Gain of one pass at a frequency (same unit as rate). */
double tq_filter_gain(const tq_filter *filter, double frequency, double rate);

/* Samples until the impulse response, forward and backward, has decayed to about this share of
 * itself; at least 1. */
size_t tq_filter_decay_length(const tq_filter *filter, double share);

/* Settling length: samples until the impulse response has decayed to about 1e-12. */
size_t tq_filter_settling_length(const tq_filter *filter);

/**
 * Zero-phase filter (forward and backward) of n_row signals, in place: no delay, squared gain. Ends
 * are extended over n_edge samples, as filter->ends says, and each pass starts in the steady state
 * of its first sample. Each signal has the same bits as if it were filtered alone.
 *
 * Shapes   x[r * stride + k], k < n, n_edge < n; SciPy's n_edge is 3 * (2 * sections + 1), minus 3
 *          for an odd order; tq_filter_settling_length is safer at low cut-offs.
 * Memory   tq_filter_zero_phase_size(n, n_edge) bytes of scratch.
 * Returns  TQ_OK, TQ_ERR_SHAPE: n_edge >= n, or TQ_ERR_SCRATCH
 * Cost     About 5 ns a sample and section, the same for 1 to 8 rows.
 * Source   F. Gustafsson, Determining the initial states in forward-backward filtering, IEEE Trans.
 *          Signal Processing 44(4), 1996; the steady-state start as in SciPy's sosfiltfilt.
 * Checked  tests/unit/core/signal/test_filter.c, against SciPy
 */
tq_status tq_filter_zero_phase_rows(const tq_filter *filter, size_t n_edge, size_t n, size_t n_row,
                                    double *x, size_t stride, tq_scratch *scratch,
                                    tq_error *reterr);
size_t tq_filter_zero_phase_size(size_t n, size_t n_edge);

#endif
