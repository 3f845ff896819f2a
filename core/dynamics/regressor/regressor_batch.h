/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor/regressor_batch.h - the links' columns of the regressor, for a block of
 * samples. */
#ifndef TQ_DYNAMICS_REGRESSOR_REGRESSOR_BATCH_H
#define TQ_DYNAMICS_REGRESSOR_REGRESSOR_BATCH_H

#include "core/dynamics/inverse.h"
#include "core/dynamics/regressor/regressor.h"

/**
 * Compute the regressor Y(q, qd, qdd) of the rigid-body torque over samples: the columns that
 * tq_parameter_list gives with no kind of joint parameter.
 *
 *     tau = Y pi + rotor + friction + spring - J^T w,   pi the parameters of all links
 *
 * Shapes   ret_y (nv * n_parameter x stride), n_parameter = 10 n_joint: entry (a, column c) of
 *          sample i at ret_y[(a * n_parameter + c) * stride + i]. Of `in`, wrenches are not used.
 * Units    those of tau by those of the parameter.
 * Memory   Borrows every argument for the call only. Takes at most
 *          tq_regressor_batch_scratch_size bytes of `scratch` and releases them.
 *          Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("regressor"), TQ_ERR_SCRATCH as
 *          tq_inverse_dynamics.
 * Cost     O(n_joint * depth) a sample.
 * Source   Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads and
 *          links, IJRR 5(3), 1986.
 * Checked  tests/unit/core/dynamics/regressor/test_regressor_batch.c
 */
tq_status tq_regressor_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                             tq_scratch *scratch, double *ret_y, tq_error *reterr);

/* The same into an array that tq_regressor_batch has filled before, for the same mechanism, with
 * the same stride and at least as many samples: structural zeros (of links that a dof does not
 * move), most entries of a branching robot, are not written again. A fit that folds each block into
 * a triangle calls this from the second block on. */
tq_status tq_regressor_batch_again(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret_y, tq_error *reterr);

/* Bytes of scratch that both need. */
size_t tq_regressor_batch_scratch_size(const tq_mechanism *mechanism);

#endif
