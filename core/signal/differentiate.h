/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/differentiate.h - derivatives of uniformly sampled signals. */
#ifndef TQ_SIGNAL_DIFFERENTIATE_H
#define TQ_SIGNAL_DIFFERENTIATE_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/**
 * Central differences: (x[k+1] - x[k-1]) / (2 h), parabolas at the two ends. Exact for polynomials
 * of degree two; no delay.
 *
 * Shapes   x, ret (n), n >= 3; ret may not be x.
 * Checked  tests/unit/core/signal/test_differentiate.c
 */
void tq_difference(size_t n, const double *x, double h, double *ret);

enum { TQ_SMOOTH_WINDOW_MAX = 1023, TQ_SMOOTH_DEGREE_MAX = 9 };

/* A least-squares polynomial over the `length` samples (odd) around each sample, and the derivative
 * to compute. */
typedef struct tq_window {
    size_t length;
    unsigned degree;
    unsigned derivative; /* 0, 1 or 2 */
    double h;            /* between samples */
} tq_window;

/**
 * Savitzky-Golay filter: the value (derivative 0), slope (1) or second derivative (2) at each
 * sample of the least-squares polynomial of the window around it. Near the ends the polynomial of
 * the first or last whole window is evaluated away from its centre.
 *
 * Shapes   x, ret (n), n >= length; length odd, 3 .. TQ_SMOOTH_WINDOW_MAX; degree < length and <=
 *          TQ_SMOOTH_DEGREE_MAX. ret may not be x.
 * Memory   tq_smooth_scratch_size(length) bytes of scratch.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_RANGE or TQ_ERR_SCRATCH
 * Cost     `length` multiplications a sample.
 * Source   P. Gorry, General least-squares smoothing and differentiation by the convolution
 *          (Savitzky-Golay) method, Analytical Chemistry 62(6), 1990: weights by Gram polynomials.
 * Checked  tests/unit/core/signal/test_differentiate.c, against SciPy
 */
tq_status tq_smooth(const tq_window *window, size_t n, const double *x, double *ret,
                    tq_scratch *scratch, tq_error *reterr);
size_t tq_smooth_scratch_size(size_t length);

/**
 * Half-amplitude frequency: the first at which the gain of the smoothed value (derivative 0) is
 * 1/2, relative to the sample rate.
 *
 * Memory   tq_smooth_half_gain_size(length) bytes of scratch.
 * Returns  as tq_smooth.
 * Checked  tests/unit/core/signal/test_differentiate.c
 */
tq_status tq_smooth_half_gain(const tq_window *window, tq_scratch *scratch, double *ret,
                              tq_error *reterr);
size_t tq_smooth_half_gain_size(size_t length);

#endif
