/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/median.h - medians, and outliers (spikes) of a signal. */
#ifndef TQ_SIGNAL_MEDIAN_H
#define TQ_SIGNAL_MEDIAN_H

#include <stddef.h>

/* Median of x (n >= 1), which is reordered. Cost O(n). NaN must not occur. */
double tq_median(size_t n, double *x);

/* Standard deviation of white noise on a smooth signal, from the median absolute second difference
 * (robust against spikes), of every `every`-th one. x (n >= 3), work (n / every + 1). */
double tq_noise_deviation(size_t n, const double *x, size_t every, double *work);

/**
 * Mark spikes (Hampel identifier): samples more than `factor` deviations from the median of seven
 * (detrended by their median slope), where a deviation is the larger of `noise` and 1.4826 times
 * the median distance of those seven from their median.
 *
 * Shapes   x (n >= 7), ret_spike (n): 1 at a spike, unchanged elsewhere.
 * Returns  The number of spikes.
 * Cost     About 2 ns per sample that is not a spike.
 * Source   F. Hampel's identifier: R. Pearson, Outliers in process modeling and identification,
 *          IEEE Trans. Control Systems Technology 10(1), 2002.
 * Checked  tests/unit/core/signal/test_clock.c
 */
size_t tq_spikes_mark(size_t n, const double *x, double noise, double factor,
                      unsigned char *ret_spike);

/**
 * Replace outliers: values more than `factor` deviations (as above) from the median of the eleven
 * values around them, detrended by their median slope. Outliers are replaced by a cubic through the
 * nearest good values. The search is repeated, since outliers in clusters hide each other.
 *
 * Shapes   x (n >= 11), in place; inout_mark (n): 2 where a value was replaced; work (n).
 * Returns  The number of replaced values.
 * Cost     About 0.3 us per outlier and per sample next to one, in each round.
 * Checked  tests/contract/test_calibrate_outliers.py
 */
size_t tq_outliers_replace(size_t n, double *x, double noise, double factor,
                           unsigned char *inout_mark, double *work);

#endif
