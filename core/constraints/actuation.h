/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/actuation.h - torques of the actuated joints of a constrained robot. */
#ifndef TQ_CONSTRAINTS_ACTUATION_H
#define TQ_CONSTRAINTS_ACTUATION_H

#include "core/constraints/solve.h"

/* Number of actuated rows of tau. */
size_t tq_count_actuated(const tq_constraints *constraints, size_t nv);

/**
 * Minimum-norm torques of the actuated joints that cause the same motion as torques `needed` of all
 * joints: (1 - Q Q^T) L^-1 (tau - needed) = 0, by least squares in the metric of M^-1.
 *
 * Shapes   needed, ret_tau (nv); ret_tau is 0 for joints that are not actuated. *ret_rank: number
 *          of independent actuated joints.
 * Memory   tq_actuate_scratch_size(nv) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   Z. Li, Y. Wu, lecture notes on Murray, Li, Sastry, slides 66 to 71.
 * Checked  tests/golden/test_seeds_constrained_motion.c
 */
tq_status tq_constraint_actuate(const tq_constrained *state, const double *needed,
                                tq_scratch *scratch, double *ret_tau, size_t *ret_rank,
                                tq_error *reterr);
size_t tq_actuate_scratch_size(size_t nv);

#endif
