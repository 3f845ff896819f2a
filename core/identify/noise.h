/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/noise.h - what noise of position does to least squares, from what it is in data.
 */
#ifndef TQ_IDENTIFY_NOISE_H
#define TQ_IDENTIFY_NOISE_H

#include "core/identify/regression/fit.h"
#include "core/signal/filter.h"

/**
 * Variance of an acceleration that was made of a signal with white noise, by a filter forward and
 * backward (n_pass times; NULL: none) and central differences.
 *
 * Units    density (unit^2 / unit of rate), one-sided, as tq_bandwidth_find tells it: the result is
 *          in unit^2 rate^(2 n_difference).
 * Returns  the variance; 0 for no density.
 * Checked  tests/property/core/identify/test_noise_bias.c
 */
double tq_noise_variance(double density, double rate, const tq_filter *filter, unsigned n_pass,
                         unsigned n_difference);

typedef struct tq_noise_bias tq_noise_bias; /* running sums */

/**
 * Start the sums of a solution, read samples of all its experiments, ask.
 *
 * Torque is columns times values; noise of an acceleration is in the columns and not in the torque.
 * In expectation least squares then misses the values by the inverse of its Gram matrix times what
 * noise adds to that, times the values: draws rotors and inertias towards zero. That is computed
 * from columns of single accelerations at some samples; it takes no instruments, and says whether
 * they are worth their passes.
 *
 * Memory   begin takes tq_noise_bias_size(fit) bytes of `scratch` until the caller rewinds it;
 *          find takes tq_noise_bias_find_size(fit) and gives them back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and what the regressor gives.
 * Cost     A block: nv + 1 regressors.
 * Source   W. Fuller, Measurement error models, Wiley 1987, section 2.2: the attenuation of least
 *          squares in all columns at once, to first order.
 */
tq_status tq_noise_bias_begin(const tq_fit *fit, const tq_fit_solution *solution,
                              tq_scratch *scratch, tq_noise_bias **ret_bias, tq_error *reterr);
size_t tq_noise_bias_size(const tq_fit *fit);

/* variance: (nv) of the accelerations' noise in this block. */
tq_status tq_noise_bias_push(tq_noise_bias *bias, const tq_experiment_block *block,
                             const double *variance, tq_error *reterr);

/* ret_bias (n_column): expected value less truth; 0 for columns that the data do not tell, and for
 * less than a millionth of what would matter.
 * TQ_ERR_SINGULAR, TQ_ERR_SCRATCH. */
tq_status tq_noise_bias_find(const tq_noise_bias *bias, tq_scratch *scratch, double *ret_bias,
                             tq_error *reterr);
size_t tq_noise_bias_find_size(const tq_fit *fit);

/* The largest bias in deviations of its estimate, and whose; 0: none. Beyond TQ_NOISE_BIAS_MOST,
 * instruments are worth their passes: the worst interval of 95 % then still
 * holds the truth in 83 %, and all together in 94. */
#define TQ_NOISE_BIAS_MOST 1.0
double tq_noise_bias_worst(const tq_fit_solution *solution, const double *bias, size_t *ret_column);

#endif
