/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/statistics.h - how far estimates can be trusted: private. */
#ifndef TQ_IDENTIFY_VALIDATION_STATISTICS_H
#define TQ_IDENTIFY_VALIDATION_STATISTICS_H

#include "core/identify/regression/method.h"

/* Experiments left out one at a time where there are enough of them, else segments of time, and of
 * two or three experiments both, whichever tells of more: with white noise all agree with the
 * textbook; with filtered, correlated noise the textbook is several times too small, and so are
 * segments with friction that changes from run to run.
 *
 * Fills deviation, textbook, low, high, relative, effect of every estimate around `found` (of
 * weighted least squares), the
 * covariance (n^2) and the degrees of freedom. set: of all data, ret->n_sample of them. */
tq_status tq_fit_spread(const tq_fit *fit, const double *set, const tq_fit_found *found,
                        tq_scratch *scratch, tq_fit_solution *ret, tq_error *reterr);

/* Fills consistency: the spread of what each experiment gives by itself; ret_noise (n_row): the
 * residual's deviation of these fits, in which nothing is left of how experiments differ. NaN: one
 * experiment, or too few samples. */
tq_status tq_fit_consistency(const tq_fit *fit, tq_scratch *scratch, tq_estimate *estimate,
                             double *ret_noise, tq_error *reterr);

/* What the textbook takes the residual of a row and sample to be, in the units of the triangle. */
double tq_fit_residual_unit(const tq_fit *fit, const tq_fit_found *found, size_t n_sample);

/* Sample deviation (n - 1) over |mean| of n values; NaN for fewer than two or a mean of zero. */
double tq_consistency_measure(const double *values, size_t n, size_t step);

size_t tq_fit_statistics_size(const tq_fit *fit);

#endif
