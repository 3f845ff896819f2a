/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/lagrangian.h - equation of motion by Jacobians and energies: an independent check
 * of the recursions. */
#ifndef TQ_DYNAMICS_LAGRANGIAN_H
#define TQ_DYNAMICS_LAGRANGIAN_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"

/* Factorisation of the Coriolis and centrifugal torque C(q, qd) qd. All give the same vector. */
typedef enum tq_coriolis_form {
    TQ_CORIOLIS_CHRISTOFFEL, /* the only one for which Mdot - 2 C is skew-symmetric */
    TQ_CORIOLIS_C1,          /* Mdot - U / 2, row i of U is qd^T dM/dq_i */
    TQ_CORIOLIS_C2,          /* U^T - U / 2 */
    TQ_CORIOLIS_STACKED,     /* stacked Newton-Euler equations: sum J_b^T (M_b Jdot_b - ad_V^T M_b
                            J_b) */
} tq_coriolis_form;

/**
 * Mass matrix, sum over links of J_b^T M_b J_b, rotor inertia included.
 *
 * Shapes   ret_m (nv x nv), symmetric.
 * Memory   tq_lagrangian_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(n_joint depth).
 * Source   Murray, Li & Sastry, 1994, eq. (4.19).
 * Checked  tests/property/core/dynamics/test_lagrangian.c
 */
tq_status tq_lagrangian_mass_matrix(const tq_configuration *posture, tq_scratch *scratch,
                                    double *ret_m, tq_error *reterr);

/**
 * Coriolis matrix in one of four forms, at the velocity of the posture.
 *
 * The Christoffel form is sum J_b^T (M_b Jdot_b + B_b J_b) with B = (V x* M - M V x + (M V) x-bar*)
 * / 2, which equals the one made of Christoffel symbols of the first kind (and generalises it to
 * quasi-velocities of spherical and floating joints). C1 and C2 use the derivatives of M and cost
 * nv times as much; they are Lagrange's equations in generalised coordinates: undefined for
 * spherical and floating joints, whose velocities are quasi-velocities.
 *
 * Shapes   qd (nv), that of the posture; ret_c (nv x nv), row by row.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or TQ_ERR_RANGE "coriolis_form" with index = the joint for which
 *          C1 and C2 are undefined.
 * Cost     O(n_joint depth) for Christoffel and stacked, O(nv n_joint depth) for C1 and C2.
 * Source   S. Echeandia, P. Wensing, Numerical methods to compute the Coriolis matrix and
 *          Christoffel symbols for rigid-body systems, J. Comput. Nonlinear Dyn. 16(9), 2021.
 * Checked  tests/property/core/dynamics/test_lagrangian.c
 */
tq_status tq_lagrangian_coriolis(const tq_configuration *posture, const double *qd,
                                 tq_coriolis_form form, tq_scratch *scratch, double *ret_c,
                                 tq_error *reterr);

/**
 * Christoffel symbols of the first kind, Gamma[i][j][k] = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) /
 * 2 on coordinates, so that (C qd)_i = sum_jk Gamma_ijk qd_j qd_k; i is the equation. dM_ij/dq_k =
 * Gamma_ijk + Gamma_jik.
 *
 * Shapes   ret_gamma (nv x nv x nv), ret_gamma[(i * nv + j) * nv + k]. The posture's velocity is
 *          not used.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv n_joint depth).
 */
tq_status tq_lagrangian_christoffel(const tq_configuration *posture, tq_scratch *scratch,
                                    double *ret_gamma, tq_error *reterr);

/**
 * Partial derivatives of the mass matrix, dM_ij/dq_k = Gamma_ijk + Gamma_jik, rotors included.
 *
 * Shapes   ret (nv x nv x nv), ret[(i * nv + j) * nv + k], symmetric in i and j. For spherical and
 *          floating joints k is a displacement in the child frame.
 * Units    those of the mass matrix by rad or m.
 * Memory   tq_lagrangian_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv n_joint depth).
 * Source   Murray, Li & Sastry, 1994, eq. (4.23).
 * Checked  tests/property/core/dynamics/test_lagrangian.c
 */
tq_status tq_lagrangian_mass_matrix_derivatives(const tq_configuration *posture,
                                                tq_scratch *scratch, double *ret, tq_error *reterr);

/**
 * Coriolis and centrifugal torque C(q, qd) qd, by the Christoffel form of C.
 *
 * Shapes   qd (nv), that of the posture; ret_tau (nv).
 * Units    N m, N.
 * Memory   tq_lagrangian_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(n_joint depth + nv^2).
 * Source   as tq_lagrangian_coriolis.
 * Checked  tests/property/core/dynamics/test_lagrangian.c
 */
tq_status tq_lagrangian_velocity_torque(const tq_configuration *posture, const double *qd,
                                        tq_scratch *scratch, double *ret_tau, tq_error *reterr);

/* h x-bar*, the matrix (6x6, row by row) that maps a twist V to V x* h, for a momentum h. */
void tq_momentum_cross(const double h[6], double ret[36]);

/* Gravity torque dP/dq; gravity (3, m/s^2, world). ret_g (nv). */
void tq_lagrangian_gravity(const tq_configuration *posture, const double gravity[3], double *ret_g);

/* Kinetic energy at the posture's velocity (rotors included, qd that of the posture) and potential
 * energy (0 with every centre of mass at the world origin and every spring at rest length), J. q
 * and qd may be NULL to omit springs and rotors. */
double tq_lagrangian_kinetic(const tq_configuration *posture, const double *qd);
double tq_lagrangian_potential(const tq_configuration *posture, const double gravity[3],
                               const double *q);

/* Scratch of each of these, in addition to the posture's own. */
size_t tq_lagrangian_scratch_size(const tq_model *model);

#endif
