/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/noise.h - bias of least squares by position noise (errors in variables), predicted
 * from the data. */
#ifndef TQ_IDENTIFY_NOISE_H
#define TQ_IDENTIFY_NOISE_H

#include "core/identify/regression/fit.h"
#include "core/signal/filter.h"

/**
 * Variance of the noise of an acceleration computed from a signal with white noise, by a filter
 * applied n_pass times (NULL: none) and central differences.
 *
 * Units    density (unit^2 / unit of rate), one-sided, as computed by tq_bandwidth_find: the result
 *          is in unit^2 rate^(2 n_difference).
 * Returns  the variance; 0 for no density.
 * Checked  tests/property/core/identify/test_noise_bias.c
 */
double tq_noise_variance(double density, double rate, const tq_filter *filter, unsigned n_pass,
                         unsigned n_difference);

typedef struct tq_noise_bias tq_noise_bias; /* running sums */

/**
 * Start the sums of a solution, push samples of all its experiments, then compute the bias.
 *
 * Torque = columns * values; acceleration noise is in the columns and not in the torque. In
 * expectation the estimate is then biased by minus the inverse Gram matrix times its expected noise
 * part, times the values (attenuation of rotors and inertias towards zero). It is computed from the
 * columns of unit accelerations at some samples, without instruments, and decides whether the
 * additional passes of instrumental variables are needed.
 *
 * Memory   begin takes tq_noise_bias_size(fit) bytes of `scratch` until the caller rewinds it;
 *          find takes tq_noise_bias_find_size(fit) and releases them.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of the regressor.
 * Cost     A block: nv + 1 regressors.
 * Source   W. Fuller, Measurement error models, Wiley 1987, section 2.2: the attenuation of least
 *          squares in all columns at once, to first order.
 */
tq_status tq_noise_bias_begin(const tq_fit *fit, const tq_fit_solution *solution,
                              tq_scratch *scratch, tq_noise_bias **ret_bias, tq_error *reterr);
size_t tq_noise_bias_size(const tq_fit *fit);

/* variance: (nv) of the acceleration noise in this block. */
tq_status tq_noise_bias_push(tq_noise_bias *bias, const tq_experiment_block *block,
                             const double *variance, tq_error *reterr);

/* ret_bias (n_column): expected value minus truth; 0 for unidentified columns, and below a
 * millionth of the nominal size. TQ_ERR_SINGULAR, TQ_ERR_SCRATCH. */
tq_status tq_noise_bias_find(const tq_noise_bias *bias, tq_scratch *scratch, double *ret_bias,
                             tq_error *reterr);
size_t tq_noise_bias_find_size(const tq_fit *fit);

/* The largest bias in standard deviations of its estimate, and its column; 0: none. Above
 * TQ_NOISE_BIAS_MOST instruments are used: at this bias the worst 95 % interval covers the true
 * value in 83 % of cases, all intervals together in 94 %. */
#define TQ_NOISE_BIAS_MOST 1.0
double tq_noise_bias_worst(const tq_fit_solution *solution, const double *bias, size_t *ret_column);

/* The sums as bytes. */
void tq_noise_bias_archive(tq_noise_bias *bias, tq_archive *archive);

#endif
