/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix_inverse.h - factorisation M = L^T D L from the leaves
 * inward, and its solves. */
#ifndef TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_INVERSE_H
#define TQ_DYNAMICS_MASS_MATRIX_MASS_MATRIX_INVERSE_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"

/**
 * Factor a mass matrix in place: M = L^T D L, L lower triangular with ones on its diagonal.
 *
 * Rows are eliminated from the last to the first, which creates no fill-in between rows on
 * different branches. D_k is the articulated inertia of row k with all rows after it free.
 *
 * Shapes   m (nv x nv, row by row), of which the lower triangle is read and replaced: D on the
 *          diagonal, L below it.
 * Returns  nv, or the row whose D is not above 1e-13 of M's own entry there, which may be
 *          rounding. NaN counts as such.
 * Cost     at most nv^3 / 3; nv depth^2 for a tree whose rows are in its order.
 * Source   R. Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.5.
 * Checked  tests/property/core/dynamics/mass_matrix/test_mass_matrix_inverse.c
 */
size_t tq_mass_matrix_factor(size_t nv, double *m);

/* Solves M X = B for n_column columns, in place; B row by row. */
void tq_mass_matrix_solve(size_t nv, const double *factor, size_t n_column, double *b);

/* M^-1 = L^-1 D^-1 L^-T from the factor, which is destroyed. ret_inverse (nv x nv) is exactly
 * symmetric. */
void tq_mass_matrix_invert(size_t nv, double *factor, double *ret_inverse);

/**
 * Compute M(q)^-1, rotor inertia included.
 *
 * M is that of tq_mass_matrix, computed in link frames: the small moments of a distal link
 * keep their digits. Sums about the world's origin would have an error of eps m r^2, which M^-1
 * amplifies by the condition number of M.
 *
 * Shapes   as tq_mass_matrix; rows of ret_inverse are `stride` apart.
 * Memory   tq_mass_matrix_inverse_scratch_size bytes of `scratch`, all released.
 * Bits     As for tq_inverse_dynamics.
 * Returns  as tq_mass_matrix; TQ_ERR_SINGULAR "mass_matrix" with the sample as index and the row as
 *          value.
 * Checked  tests/property/core/dynamics/mass_matrix/test_mass_matrix_inverse.c
 */
tq_status tq_mass_matrix_inverse(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                                 const double *q, unsigned without, tq_scratch *scratch,
                                 double *ret_inverse, tq_error *reterr);
size_t tq_mass_matrix_inverse_scratch_size(const tq_mechanism *mechanism);

/* The mass matrix of one state: q (nq), ret_m (nv x nv), both flat. Takes
 * tq_mass_matrix_flat_scratch_size bytes of `scratch`; returns as tq_mass_matrix. */
tq_status tq_mass_matrix_flat(const tq_mechanism *mechanism, const double *q, unsigned without,
                              tq_scratch *scratch, double *ret_m, tq_error *reterr);
size_t tq_mass_matrix_flat_scratch_size(const tq_mechanism *mechanism);

#endif
