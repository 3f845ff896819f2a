/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/definite.h - positive definiteness of estimated parameters: mass matrix at
 * random poses, pseudo-inertia of each link. */
#ifndef TQ_IDENTIFY_FEASIBLE_DEFINITE_H
#define TQ_IDENTIFY_FEASIBLE_DEFINITE_H

#include "core/identify/regression/fit_private.h"

/**
 * Count the random poses, within the joints' limits, at which the mass matrix by the parameters
 * (full: n_parameter, value: n_column) is not positive definite.
 *
 * Memory   tq_definite_size(fit) bytes of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_OVERFLOW.
 * Cost     10,000 poses of nv regressors, fewer above 12 dofs.
 */
tq_status tq_definite_count(const tq_fit *fit, const double *full, const double *value,
                            tq_scratch *scratch, size_t *ret_n_pose, size_t *ret_n_bad,
                            tq_error *reterr);
size_t tq_definite_size(const tq_fit *fit);

/* True if ten parameters have a positive definite pseudo-inertia; *ret_ratio: its least eigenvalue
 * over its trace, with lengths scaled by the body's size. */
bool tq_inertial_params_is_definite(const double ten[TQ_PARAMETERS_OF_LINK], double *ret_ratio);

#endif
