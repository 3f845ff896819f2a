/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix.h - joint-space inertia (mass matrix). */
#ifndef TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_H
#define TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"

/**
 * Compute the mass matrix M(q) of tau = M qdd + ..., rotor inertia included.
 *
 *     M = sum_i Jv_i^T m_i Jv_i + Jw_i^T I_i Jw_i + diag(ratio^2 rotor inertia)
 *
 * With mimic joints M is that of the masters: G^T M_all G, where qd_all = G qd.
 *
 * Shapes   q (nq x stride); ret_m (nv^2 x stride): M[a][b] of sample i at
 *          ret_m[(a * nv + b) * stride + i], symmetric to the bit. See core/base/block.h.
 * Units    kg m^2, kg m, kg by joint kinds.
 * Memory   Borrows every argument for the call only. Takes at most tq_mass_matrix_scratch_size
 *          bytes of `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("mass_matrix"), TQ_ERR_SCRATCH
 *          as tq_inverse_dynamics.
 *          `without`: TQ_WITHOUT_ROTOR omits rotors; other bits have no effect.
 * Cost     O(n_joint * depth) a sample.
 * Source   Walker & Orin, Efficient dynamic computer simulation of robotic mechanisms, J. DSMC 104,
 *          1982; Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6.
 * Checked  tests/unit/core/dynamics/test_mass_matrix.c
 */
tq_status tq_mass_matrix(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                         const double *q, unsigned without, tq_scratch *scratch, double *ret_m,
                         tq_error *reterr);

/* The same into an array that tq_mass_matrix has filled before, for the same mechanism, with the
 * same stride and at least as many samples: structural zeros are not written again, and the lower
 * triangle may be left unchanged. For solvers, which read one triangle. */
tq_status tq_mass_matrix_again(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                               const double *q, unsigned without, tq_scratch *scratch,
                               double *ret_m, tq_error *reterr);

/* Bytes of scratch that both need. */
size_t tq_mass_matrix_scratch_size(const tq_mechanism *mechanism);

#endif
