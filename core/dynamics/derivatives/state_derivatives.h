/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/state_derivatives.h - first and second partial derivatives of
 * torque and of acceleration at one state, with what the sample leaves out. */
#ifndef TQ_DYNAMICS_DERIVATIVES_STATE_DERIVATIVES_H
#define TQ_DYNAMICS_DERIVATIVES_STATE_DERIVATIVES_H

#include "core/dynamics/derivatives/second_arrays.h"
#include "core/dynamics/sample.h"
#include "core/model/mechanism.h"

/* A state of motion. Borrowed. */
typedef struct tq_state_of_motion {
    const tq_mechanism *mechanism;
    const tq_configuration *posture; /* at sample->q and sample->qd */
    const tq_sample *sample;
} tq_state_of_motion;

/**
 * Partial derivatives of torque by q, qd and qdd: tq_inverse_derivatives, and M.
 *
 * With TQ_WITHOUT_VELOCITY bodies are at rest (friction is not).
 *
 * Shapes   ret (3 nv x nv, row by row): dtau/dq, dtau/dqd, M.
 * Units    N m or N, by rad, m, rad/s, m/s, rad/s^2, m/s^2.
 * Memory   tq_state_derivatives_scratch_size(mechanism) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or as tq_mass_matrix.
 * Cost     O(n_joint depth).
 * Source   derivatives.h.
 * Checked  tests/property/core/dynamics/derivatives/test_state_derivatives.c
 */
tq_status tq_state_torque_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                      double *ret, tq_error *reterr);

/* Second partial derivatives of torque: tq_inverse_second_derivatives, at rest likewise. Memory,
 * Returns as above. */
tq_status tq_state_torque_second_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                             const tq_second_derivatives *ret, tq_error *reterr);

/**
 * Partial derivatives of the acceleration of forward dynamics by q, qd and tau, at the torque for
 * which the sample's acceleration is that of forward dynamics: T(q, qd, F(q, qd, tau)) = tau. It
 * has all of M, whatever `without` leaves out of torque.
 *
 *     dqdd/dq = -M^-1 dtau/dq,   dqdd/dqd = -M^-1 dtau/dqd,   dqdd/dtau = M^-1
 *
 * Shapes   ret (3 nv x nv, row by row): dqdd/dq, dqdd/dqd, M^-1.
 * Units    rad/s^2 or m/s^2, by rad, m, rad/s, m/s, N m, N.
 * Memory   as above.
 * Returns  as above; TQ_ERR_SINGULAR "mass_matrix" with the row of zero pivot as value.
 * Cost     O(nv^3).
 * Source   derivatives.h.
 * Checked  tests/property/core/dynamics/derivatives/test_state_derivatives.c
 */
tq_status tq_state_acceleration_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                            double *ret, tq_error *reterr);

/* Second partial derivatives of acceleration, by tq_forward_second_derivatives: see there for what
 * the arrays are. Memory, Returns as above. O(nv^4). */
tq_status tq_state_acceleration_second_derivatives(const tq_state_of_motion *state,
                                                   tq_scratch *scratch,
                                                   const tq_second_derivatives *ret,
                                                   tq_error *reterr);

size_t tq_state_derivatives_scratch_size(const tq_mechanism *mechanism);

#endif
