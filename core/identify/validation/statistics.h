/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/statistics.h - uncertainty of estimates: private. */
#ifndef TQ_IDENTIFY_VALIDATION_STATISTICS_H
#define TQ_IDENTIFY_VALIDATION_STATISTICS_H

#include "core/identify/regression/method.h"

/* Jackknife over experiments if there are enough, else over segments of time, and for two or three
 * experiments the larger of both. With white noise all agree with the textbook formula; with
 * filtered, correlated noise the textbook formula is several times too small, and the segments'
 * deviations are too small if friction changes between runs.
 *
 * Fills deviation, textbook, low, high, relative, effect of every estimate around `found` (weighted
 * least squares), the covariance (n^2) and the degrees of freedom. set: of all data, ret->n_sample
 * of them. */
tq_status tq_fit_spread(const tq_fit *fit, const double *set, const tq_fit_found *found,
                        tq_scratch *scratch, tq_fit_solution *ret, tq_error *reterr);

/* Fills consistency: the spread of separate fits of experiments; ret_noise (n_row): residual
 * deviation of these fits, without differences between experiments. NaN: one experiment, or too few
 * samples. */
tq_status tq_fit_consistency(const tq_fit *fit, tq_scratch *scratch, tq_estimate *estimate,
                             double *ret_noise, tq_error *reterr);

/* Residual deviation of a row and sample according to the textbook, in the units of the triangle.
 */
double tq_fit_residual_unit(const tq_fit *fit, const tq_fit_found *found, size_t n_sample);

/* Sample deviation (n - 1) over |mean| of n values; NaN for fewer than two or a mean of zero. */
double tq_consistency_measure(const double *values, size_t n, size_t step);

size_t tq_fit_statistics_size(const tq_fit *fit);

#endif
