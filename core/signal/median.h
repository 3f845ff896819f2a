/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/median.h - medians, and samples that lie absurdly far from their neighbours. */
#ifndef TQ_SIGNAL_MEDIAN_H
#define TQ_SIGNAL_MEDIAN_H

#include <stddef.h>

/* Median of x (n >= 1), which is put into another order. Cost O(n). NaN must not occur. */
double tq_median(size_t n, double *x);

/* The deviation of noise on a smooth signal, from the median of its second differences, whatever a
 * few spikes are; of every so many of them. x (n >= 3), work (n / every + 1). */
double tq_noise_deviation(size_t n, const double *x, size_t every, double *work);

/**
 * Mark spikes: samples further than `factor` deviations from the median of the seven around them
 * (with their median slope taken off), where a deviation is the larger of `noise` and 1.4826 times
 * the median distance of those seven from their median.
 *
 * Shapes   x (n >= 7), ret_spike (n): 1 where a spike stands, untouched elsewhere.
 * Returns  The number of spikes.
 * Cost     About 2 ns a sample that is none.
 * Source   F. Hampel's identifier: R. Pearson, Outliers in process modeling and identification,
 *          IEEE Trans. Control Systems Technology 10(1), 2002.
 * Checked  tests/unit/core/calibrate/test_median.c
 */
size_t tq_spikes_mark(size_t n, const double *x, double noise, double factor,
                      unsigned char *ret_spike);

#endif
