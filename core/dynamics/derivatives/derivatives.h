/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/derivatives.h - partial derivatives of torque by q and qd; time
 * derivative of M. */
#ifndef TQ_DYNAMICS_DERIVATIVES_DERIVATIVES_H
#define TQ_DYNAMICS_DERIVATIVES_DERIVATIVES_H

#include <stdbool.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/sample.h"

/**
 * Partial derivatives of the torque of inverse dynamics, in closed form.
 *
 * A displacement of joint k moves its subtree rigidly and changes velocity and acceleration by
 * two terms equal for every link of it: P_k = W x S_k in velocity, Y_k = W x P_k + A_W x S_k in
 * acceleration, W and A_W being those of the parent. So with composites I, B, F of
 * inertia, velocity and force,
 *
 *     dtau_f/dq_k  = S_f . (I Y_k + 2 B P_k + S_k x* F)   (last term: only if k is farther from the
 *     root than f) dtau_f/dqd_k = S_f . (I R_k + 2 B S_k)
 *
 * taken at the deeper of f and k. Springs, friction and external wrenches are included; where
 * friction has a sign(qd), its jump is not part of the derivative. The derivative with respect to
 * qdd is M.
 *
 * dq is in the space of qd: for spherical and floating joints a rotation vector (and a
 * translation) in the child frame, not a change of quaternion components.
 *
 * Shapes   posture at sample->q and sample->qd (NULL when without velocity); ret_dq, ret_dqd
 *          (nv x nv, row by row: row the torque, column the coordinate).
 * Memory   tq_derivatives_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(n_joint depth).
 * Source   S. Singh, R. Russo, P. Wensing, Efficient analytical derivatives of rigid-body dynamics
 *          using spatial vector algebra, IEEE RA-L 7(2), 2022; J. Carpentier, N. Mansard,
 *          Analytical derivatives of rigid body dynamics algorithms, RSS 2018.
 * Checked  tests/property/core/dynamics/derivatives/test_derivatives.c
 */
tq_status tq_inverse_derivatives(const tq_configuration *posture, const tq_sample *sample,
                                 tq_scratch *scratch, double *ret_dq, double *ret_dqd,
                                 tq_error *reterr);

/**
 * Time derivative of the mass matrix at the posture's velocity: sum of J^T M Jdot + Jdot^T M J +
 * J^T (V x* M - M V x) J. It uses no Christoffel symbols, so it is an independent check of them.
 *
 * Shapes   ret_rate (nv x nv), symmetric to the bit.
 * Memory, Returns, Cost, Checked  as above.
 */
tq_status tq_mass_matrix_rate(const tq_configuration *posture, tq_scratch *scratch,
                              double *ret_rate, tq_error *reterr);

/**
 * Partial derivatives of the acceleration of forward dynamics from those of inverse dynamics at
 * that acceleration: dqdd/dtau = M^-1, dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd.
 *
 * Shapes   m, dq, dqd (nv x nv, row by row; dq and dqd are those of tau and become those of qdd; m
 *          is destroyed); ret_inverse (nv x nv). Use the M of tq_mass_matrix: see
 *          mass_matrix_inverse.h.
 * Returns  TQ_OK; TQ_ERR_SINGULAR "mass_matrix" with the row of zero pivot as value.
 */
tq_status tq_forward_derivatives(size_t nv, double *m, double *dq, double *dqd, double *ret_inverse,
                                 tq_error *reterr);

/* The bits TQ_BALL_... (core/dynamics/ball_terms.h) of the terms that `without` (TQ_WITHOUT_...)
 * does not omit. */
unsigned tq_ball_terms_left(unsigned without);

size_t tq_derivatives_scratch_size(const tq_model *model);

#endif
