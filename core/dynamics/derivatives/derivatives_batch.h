/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/derivatives_batch.h - partial derivatives of torque for blocks of
 * samples. */
#ifndef TQ_DYNAMICS_DERIVATIVES_DERIVATIVES_BATCH_H
#define TQ_DYNAMICS_DERIVATIVES_DERIVATIVES_BATCH_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

/**
 * Compute the partial derivatives of inverse dynamics by q and by qd, as tq_inverse_derivatives
 * does for one state, vectorised over samples.
 *
 * Shapes   in->n_wrench must be 0 (tq_inverse_derivatives accepts wrenches). ret_d (2 nv nv x
 *          stride): row (i nv + k) is dtau_i/dq_k, then nv^2 rows of dtau_i/dqd_k.
 * Units    N m or N by rad, m, rad/s, m/s.
 * Memory   Borrows every argument for the call only. Takes at most
 *          tq_derivatives_batch_scratch_size bytes of `scratch` and releases them.
 *          Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("derivatives"), TQ_ERR_SCRATCH
 *          as tq_inverse_dynamics.
 * Cost     O(n_joint depth + nv^2) a sample.
 * Source   S. Singh, R. Russo, P. Wensing, Efficient analytical derivatives of rigid-body dynamics
 *          using spatial vector algebra, IEEE RA-L 7(2), 2022.
 * Checked  tests/property/core/dynamics/derivatives/test_derivatives_batch.c
 */
tq_status tq_derivatives_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                               tq_scratch *scratch, double *ret_d, tq_error *reterr);

/* The same into an array that tq_derivatives_batch has filled before, for the same mechanism, with
 * the same stride and at least as many samples: structural zeros are not written again. */
tq_status tq_derivatives_batch_again(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                     tq_scratch *scratch, double *ret_d, tq_error *reterr);

/* Bytes of scratch that both need. */
size_t tq_derivatives_batch_scratch_size(const tq_mechanism *mechanism);

#endif
