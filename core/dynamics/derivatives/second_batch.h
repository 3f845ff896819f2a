/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_batch.h - second partial derivatives of torque for blocks of
 * samples. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_BATCH_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_BATCH_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

/**
 * Compute what tq_inverse_second_derivatives does for one state: vectorised over samples, or, of
 * robots with mimic joints, tendons, drag, or springs, dampers and inertias of spherical and
 * floating joints, one sample at a time.
 *
 * Shapes   in->n_wrench must be 0 (tq_inverse_second_derivatives accepts wrenches). ret (4 nv^3 x
 *          stride): row (i nv + j) nv + k of each of its arrays, in the order of
 *          tq_second_derivatives.
 * Memory   Borrows every argument for the call only. Takes at most
 *          tq_second_batch_scratch_size bytes of `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("second_derivatives"),
 *          TQ_ERR_SCRATCH as tq_inverse_dynamics.
 * Cost     O(n_joint depth^2 + nv^3) a sample.
 * Source   S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics:
 *          theory & implementation, IEEE Trans. Robotics 40, 2024.
 * Checked  tests/property/core/dynamics/derivatives/test_second_batch.c
 */
tq_status tq_second_derivatives_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                      tq_scratch *scratch, double *ret, tq_error *reterr);
size_t tq_second_batch_scratch_size(const tq_mechanism *mechanism);

#endif
