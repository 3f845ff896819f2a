/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/statistics.h - moments and quantiles of one number over the members of an ensemble.
 */
#ifndef TQ_ENSEMBLE_STATISTICS_H
#define TQ_ENSEMBLE_STATISTICS_H

#include <stddef.h>

typedef struct tq_sample_statistics {
    size_t n; /* numbers that are not NaN */
    double mean, deviation, least, largest;
} tq_sample_statistics;

/**
 * Moments of numbers, NaN left out (members that have ended): sums in their order, so that the bits
 * depend on nothing else.
 *
 *     mean = sum x / n,   deviation = sqrt(sum (x - mean)^2 / (n - 1)), 0 of one number
 *
 * Without numbers the mean is 0, and least and largest are INFINITY and -INFINITY.
 *
 * Shapes   inout_x (n); out: its first ret->n numbers are those that are not NaN, in their order.
 * Units    that of the numbers.
 * Memory   None.
 * Cost     Two passes.
 * Source   two-pass algorithm: T. Chan, G. Golub, R. LeVeque, Algorithms for computing the sample
 *          variance, The American Statistician 37(3), 1983.
 * Checked  tests/property/core/ensemble/test_variation.c
 */
void tq_sample_statistics_of(size_t n, double *inout_x, tq_sample_statistics *ret);

/* Quantile of n >= 1 sorted numbers, level 0 .. 1, linearly between neighbours at level (n - 1):
 * type 7 of R. Hyndman, Y. Fan, Sample quantiles in statistical packages, The American Statistician
 * 50(4), 1996. */
double tq_sample_quantile(const double *sorted, size_t n, double level);

#endif
