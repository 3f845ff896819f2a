/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/momentum_batch.h - centre of mass and momentum for blocks of samples. */
#ifndef TQ_DYNAMICS_MOMENTUM_MOMENTUM_BATCH_H
#define TQ_DYNAMICS_MOMENTUM_MOMENTUM_BATCH_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

/* Rows of the result, three each, in world axes; see tq_momentum. */
enum {
    TQ_MOMENTUM_COM = 0,
    TQ_MOMENTUM_COM_VELOCITY = 3,
    TQ_MOMENTUM_LINEAR = 6,
    TQ_MOMENTUM_ANGULAR_COM = 9,
    TQ_MOMENTUM_ANGULAR_ORIGIN = 12,
    TQ_MOMENTUM_ROWS = 15,
};

/**
 * Compute centre of mass and momentum of all links, as tq_momentum_compute does for one state,
 * vectorised over samples.
 *
 * Shapes   of `at` only n_sample, stride, q and qd (NULL: at rest) are used; ret_momentum
 *          (TQ_MOMENTUM_ROWS x stride). A robot without mass has its centre of mass at the origin.
 * Units    m, m/s, kg m/s, kg m^2/s.
 * Memory   Borrows every argument for the call only. Takes at most
 *          tq_momentum_batch_scratch_size bytes of `scratch` and releases them.
 *          Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("momentum"), TQ_ERR_SCRATCH as
 *          tq_inverse_dynamics.
 * Cost     O(n_joint) a sample.
 * Checked  tests/property/core/dynamics/derivatives/test_derivatives_batch.c
 */
tq_status tq_momentum_batch(const tq_mechanism *mechanism, const tq_inverse_input *at,
                            tq_scratch *scratch, double *ret_momentum, tq_error *reterr);
size_t tq_momentum_batch_scratch_size(const tq_mechanism *mechanism);

#endif
