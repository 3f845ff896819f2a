/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_drag.h - second partial derivatives of drag. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_DRAG_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_DRAG_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/derivatives/triples.h"

/**
 * Add the derivatives of what tq_drag_add_derivatives adds.
 *
 * With D the slope of a subtree's drag by its twist, E the slope of D (symmetric in all three
 * indices) and P = W x S, W relative to the medium, the sums of tq_inverse_second_derivatives have
 * N = 0, L_d = E S_d, K_d = S_d x* D - D S_d x + E P_d, and no Y and R. E jumps where a speed
 * changes its sign, and is then 0.
 *
 * Shapes   q (nq), qd (nv) or NULL for rest: of one sample.
 * Memory   tq_second_drag_scratch_size(model) bytes of `scratch`, released; 0 without drag.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 * Cost     O(n_joint depth^2).
 * Checked  tests/property/core/dynamics/derivatives/test_second_derivatives.c
 */
tq_status tq_second_add_drag(const tq_branches *branches, const double *q, const double *qd,
                             tq_scratch *scratch, const tq_second_derivatives *ret,
                             tq_error *reterr);
size_t tq_second_drag_scratch_size(const tq_model *model);

#endif
