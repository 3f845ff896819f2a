/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_forward.h - second partial derivatives of the acceleration of
 * forward dynamics. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_FORWARD_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_FORWARD_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/dynamics/derivatives/second_arrays.h"

/**
 * Second partial derivatives of the acceleration F(q, qd, tau) of forward dynamics from those of
 * the torque T(q, qd, qdd) of inverse dynamics at that acceleration. T(q, qd, F) = tau, twice
 * differentiated, with D_ijk = dM_ij/dq_k, F_q = -M^-1 T_q, F_qd = -M^-1 T_qd, F_tau = M^-1:
 *
 *     M F_q,q    = -(T_q,q  + D_imj (F_q)_mk + D_imk (F_q)_mj)    summed over m, entry i, j, k
 *     M F_qd,qd  = - T_qd,qd
 *     M F_qd,q   = -(T_qd,q + D_imk (F_qd)_mj)
 *     M F_tau,q  = - D_imk (M^-1)_mj
 *
 * Displacements of spherical and floating joints are those of tq_inverse_second_derivatives.
 *
 * Shapes   m, dq, dqd (nv x nv, row by row; dq and dqd are those of torque and become those of
 *          acceleration; m is destroyed); work 2 nv^2 numbers; `arrays` those of torque, which
 *          become those of acceleration: dq_dq, dqd_dqd, dqd_dq by the same names, dqdd_dq becomes
 *          that of M^-1, by q. Use the M of tq_mass_matrix: see mass_matrix_inverse.h.
 * Units    rad/s^2 or m/s^2, by rad, m, rad/s, m/s, N m, N.
 * Returns  TQ_OK; TQ_ERR_SINGULAR "mass_matrix" with the row of zero pivot as value.
 * Cost     8 nv^4 products.
 * Source   S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics:
 *          theory & implementation, IEEE Trans. Robotics 40, 2024, section VI.
 * Checked  tests/property/core/dynamics/derivatives/test_second_forward.c
 */
tq_status tq_forward_second_derivatives(size_t nv, double *m, double *dq, double *dqd, double *work,
                                        const tq_second_derivatives *arrays, tq_error *reterr);

#endif
