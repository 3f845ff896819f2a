/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/bootstrap.h - estimates from groups of data drawn with replacement:
 * private. */
#ifndef TQ_IDENTIFY_VALIDATION_BOOTSTRAP_H
#define TQ_IDENTIFY_VALIDATION_BOOTSTRAP_H

#include "core/identify/regression/groups.h"

/* Fills bootstrap and its interval of every estimate from options.n_bootstrap draws; those that do
 * not tell some column are left out. NaN where fewer than two groups or draws are,
 * and by instruments, which are too weak in many draws: their spread would be some times too wide.
 * Takes tq_fit_bootstrap_size(fit) bytes of scratch, all given back.
 *
 * Source   B. Efron, R. Tibshirani, An introduction to the bootstrap, 1993, chapters 8.6 and 13:
 *          blocks, percentiles. */
tq_status tq_fit_bootstrap(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                           tq_estimate *estimate, tq_error *reterr);
size_t tq_fit_bootstrap_size(const tq_fit *fit);

#endif
