/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/forward.h - forward dynamics: accelerations from joint torques. */
#ifndef TQ_DYNAMICS_FORWARD_H
#define TQ_DYNAMICS_FORWARD_H

#include "core/dynamics/inverse.h"

/* One block of states and torques; the same conventions as tq_inverse_input. */
typedef struct tq_forward_input {
    size_t n_sample;
    size_t stride;
    const double *q;   /* (nq x stride) */
    const double *qd;  /* (nv x stride); NULL: all zero */
    const double *tau; /* (nv x stride) */
    const tq_external_wrench *wrenches;
    size_t n_wrench;
    const double *gravity;
    unsigned without;     /* TQ_WITHOUT_INERTIA has no effect here */
    const double *varied; /* (tq_varied_rows x stride) inertial and friction parameters of each
                             sample, see core/dynamics/varied.h; NULL: the mechanism's. No mimic
                             joints */
} tq_forward_input;

/**
 * Compute forward dynamics: solve for qdd
 *
 *     tau = M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + drag(q, qd) + spring(q) -
 * J^T w
 *
 * Shapes   ret_qdd (nv x stride), which must not overlap an input.
 * Units    rad/s^2, m/s^2; a floating joint's six rows are the rate of its twist (v, w) in the
 *          child frame.
 * Memory   Borrows every argument for the call only. Takes at most tq_forward_scratch_size bytes of
 *          `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_SCRATCH as tq_inverse_dynamics
 *          TQ_ERR_SINGULAR    "joint.inertia": singular M: pivot of joint `index` is below 1e-13
 *                             of its inertia (a massless leaf; with mimic joints 1e-10);
 *                             value = the sample
 *          TQ_ERR_OVERFLOW    "qdd": qdd of sample `index` is not finite
 * Cost     O(n_joint) a sample; with mimic joints O(nv^3).
 * Source   Featherstone, The calculation of robot dynamics using articulated-body inertias, IJRR
 *          2(1), 1983.
 * Checked  tests/unit/core/dynamics/test_forward.c
 */
tq_status tq_forward_dynamics(const tq_mechanism *mechanism, const tq_forward_input *in,
                              tq_scratch *scratch, double *ret_qdd, tq_error *reterr);

/* Bytes of scratch that tq_forward_dynamics needs with n_wrench external wrenches. */
size_t tq_forward_scratch_size(const tq_mechanism *mechanism, size_t n_wrench);

#endif
