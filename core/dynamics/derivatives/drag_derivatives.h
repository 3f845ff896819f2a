/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/drag_derivatives.h - partial derivatives of drag. */
#ifndef TQ_DYNAMICS_DERIVATIVES_DRAG_DERIVATIVES_H
#define TQ_DYNAMICS_DERIVATIVES_DRAG_DERIVATIVES_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/model.h"

/**
 * Add d/dq and d/dqd of the torque that overcomes drag (core/dynamics/drag.h) at one sample.
 *
 * With F the sum of what the links of a subtree must overcome and D its slope by their twist, S the
 * screws, W the twist of what carries a dof minus that of the medium: the column of dof g is D S_g
 * by qd, and D (W x S_g) by q; dofs that g carries turn with F, those before it feel S_g x* F.
 *
 * Shapes   rows of q and qd (NULL: rest), and entries of dq and dqd (nv x nv), `stride` apart.
 * Memory   tq_drag_derivatives_scratch_size(model) bytes of `scratch`, released; 0 without drag.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 * Cost     O(n_joint depth).
 * Checked  tests/property/core/dynamics/test_drag.c
 */
tq_status tq_drag_add_derivatives(const tq_model *model, size_t stride, const double *q,
                                  const double *qd, tq_scratch *scratch, double *dq, double *dqd,
                                  tq_error *reterr);
size_t tq_drag_derivatives_scratch_size(const tq_model *model);

/* W x S of every dof (n_freedom x 6), W relative to the medium. qd (nv), that of the posture; NULL:
 * zero. */
void tq_drag_carry(const tq_configuration *posture, const double *qd, double *ret);

#endif
