/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/bootstrap.h - bootstrap: estimates from groups of data drawn with
 * replacement: private. */
#ifndef TQ_IDENTIFY_VALIDATION_BOOTSTRAP_H
#define TQ_IDENTIFY_VALIDATION_BOOTSTRAP_H

#include "core/identify/regression/groups.h"

/* Fills the bootstrap deviation and interval of every estimate from options.n_bootstrap draws;
 * draws with an unidentified column are omitted. NaN for fewer than two groups or draws, and for
 * instrumental variables, which are too weak in many draws and would overestimate the spread. Takes
 * tq_fit_bootstrap_size(fit) bytes of scratch, all released.
 *
 * Source   B. Efron, R. Tibshirani, An introduction to the bootstrap, 1993, chapters 8.6 and 13:
 * blocks, percentiles. */
tq_status tq_fit_bootstrap(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                           tq_estimate *estimate, tq_error *reterr);
size_t tq_fit_bootstrap_size(const tq_fit *fit);

#endif
