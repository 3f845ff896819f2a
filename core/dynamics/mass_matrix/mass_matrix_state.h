/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix_state.h - inverse and eigenvalues of the mass matrix of one
 * state. */
#ifndef TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_STATE_H
#define TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_STATE_H

#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

/**
 * Compute M(q)^-1 of one state: tq_mass_matrix_flat, factored and inverted as L^T D L.
 *
 * Shapes   q (nq); ret_inverse (nv x nv), symmetric to the bit.
 * Units    1/(kg m^2), 1/(kg m), 1/kg by joint kinds.
 * Memory   tq_mass_matrix_state_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_mass_matrix; TQ_ERR_SINGULAR "mass_matrix" with the row of zero pivot as value.
 * Cost     O(n_joint depth) for M, O(nv^3) for its inverse.
 * Source   mass_matrix_inverse.h.
 * Checked  tests/property/core/dynamics/mass_matrix/test_mass_matrix_state.c
 */
tq_status tq_mass_matrix_inverse_flat(const tq_mechanism *mechanism, const double *q,
                                      tq_scratch *scratch, double *ret_inverse, tq_error *reterr);

/**
 * Compute the smallest and the largest eigenvalue of M(q) at one state: m |qd|^2 <= qd^T M qd <=
 * m' |qd|^2. Over a box of q: core/dynamics/bounds/bounds.h.
 *
 * Shapes   q (nq); ret (2): smallest, largest; 0 without freedoms.
 * Units    that of the entries of M: mixed where rotations and translations are.
 * Memory, Source  as above.
 * Returns  as tq_mass_matrix; TQ_ERR_NO_CONVERGENCE.
 * Cost     O(nv^3).
 * Checked  tests/property/core/dynamics/mass_matrix/test_mass_matrix_state.c
 */
tq_status tq_mass_matrix_eigenvalue_range(const tq_mechanism *mechanism, const double *q,
                                          tq_scratch *scratch, double ret[2], tq_error *reterr);
size_t tq_mass_matrix_state_scratch_size(const tq_mechanism *mechanism);

#endif
