/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_derivatives.h - second partial derivatives of torque by q, qd
 * and qdd. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_DERIVATIVES_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_DERIVATIVES_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/derivatives/second_arrays.h"
#include "core/dynamics/sample.h"

/**
 * Derivatives of what tq_inverse_derivatives computes, and of M, in closed form.
 *
 * A displacement of dof e turns all that it carries, and adds P_e to velocities and Y_e - V x P_e
 * to accelerations (P, Y, R, I, B, F as in tq_inverse_derivatives). In turned axes only these two
 * count, so that dtau_f/dq_d = S_f . F_d, F_d = I Y_d + 2 B P_d + S_d x* F, with e above d becomes
 *
 *     S_f . (N_d Y_e + K_d P_e)                    f below e,     N_d = S_d x* I - I S_d x
 *     S_f . (N_d Y_e + K_d P_e + S_e x* F_d)       f above e
 *     K_d = S_d x* 2B - 2B S_d x + P_d x* I - I P_d x + (I P_d) x-bar*
 *
 * and by rates alike with L_d = N_d + (I S_d) x-bar*: by qd_d and q_e S_f . L_d P_e, by qd_d and
 * qd_e S_f . L_d S_e, by q_d and qd_e S_f . (N_d R_e + K_d S_e), of M_fe by q_d S_f . N_d S_e.
 * Where d, the deepest of the three dofs, is the row, the same sums are read from the left.
 *
 * Springs, friction, drag, tendons and external wrenches are included as there, with what they
 * leave out: jumps of sign(qd), the ends of a tendon's slack.
 *
 * Displacements of a spherical or floating joint are turns (and shifts) in its child frame, which
 * do not commute: of two such dofs j and k of one joint, k moves first and j about axes that k has
 * turned. So dq_dq is symmetric in j and k but for these.
 *
 * Shapes   posture at sample->q and sample->qd; with TQ_WITHOUT_VELOCITY at rest. ret: four arrays
 *          (nv x nv x nv).
 * Units    N m or N, by rad, m, rad/s, m/s, rad/s^2, m/s^2.
 * Memory   tq_second_derivatives_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(n_joint depth^2).
 * Source   S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics:
 *          theory & implementation, IEEE Trans. Robotics 40, 2024.
 * Checked  tests/property/core/dynamics/derivatives/test_second_derivatives.c,
 *          tests/peers/test_pinocchio_second.py
 */
tq_status tq_inverse_second_derivatives(const tq_configuration *posture, const tq_sample *sample,
                                        tq_scratch *scratch, const tq_second_derivatives *ret,
                                        tq_error *reterr);
size_t tq_second_derivatives_scratch_size(const tq_model *model);

#endif
