/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/coriolis.h - Coriolis matrix C(q, qd), for blocks of samples. */
#ifndef TQ_DYNAMICS_CORIOLIS_H
#define TQ_DYNAMICS_CORIOLIS_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"

/**
 * Compute the Coriolis matrix C(q, qd) of tau = M qdd + C qd + ... from Christoffel
 * symbols: dM/dt - 2 C is skew-symmetric.
 *
 *     C = integral J^T dJ/dt dm,   C + C^T = dM/dt
 *
 * J is the Jacobian of a mass point by the rates qd. The definition covers spherical and floating
 * joints, whose rates are quasi-velocities. With mimic joints C is
 * that of the masters: G^T C_all G, where qd_all = G qd. Of rotors only those of floating joints
 * contribute (core/dynamics/ball_terms.h).
 *
 * Shapes   q (nq x stride), qd (nv x stride); ret_c (nv^2 x stride): C[a][b] of sample i at
 *          ret_c[(a * nv + b) * stride + i]. See core/base/block.h.
 * Units    those of the mass matrix per second.
 * Memory   Borrows every argument for the call only. Takes at most tq_coriolis_scratch_size bytes
 *          of `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("coriolis_matrix": sample
 *          `index`), TQ_ERR_SCRATCH as tq_inverse_dynamics.
 * Cost     O(n_joint * depth) a sample.
 * Source   S. Echeandia, P. Wensing, Numerical methods to compute the Coriolis matrix and
 *          Christoffel symbols for rigid-body systems, J. Comput. Nonlinear Dyn. 16(9), 2021; there
 *          with spatial inertias, here with second moments of mass.
 * Checked  tests/property/core/dynamics/test_coriolis.c
 */
tq_status tq_coriolis_matrix(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                             const double *q, const double *qd, tq_scratch *scratch, double *ret_c,
                             tq_error *reterr);

/* The same into an array that tq_coriolis_matrix has filled before, for the same mechanism, with
 * the same stride and at least as many samples: structural zeros are not written again. */
tq_status tq_coriolis_matrix_again(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                                   const double *q, const double *qd, tq_scratch *scratch,
                                   double *ret_c, tq_error *reterr);

/* Bytes of scratch that both need. */
size_t tq_coriolis_scratch_size(const tq_mechanism *mechanism);

#endif
