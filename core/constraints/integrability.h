/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/integrability.h - integrability of constraints (holonomic or nonholonomic). */
#ifndef TQ_CONSTRAINTS_INTEGRABILITY_H
#define TQ_CONSTRAINTS_INTEGRABILITY_H

#include "core/constraints/projectors.h"

typedef struct tq_integrability {
    size_t n_free; /* number of allowed directions */
    size_t n_new;  /* number of new directions from brackets of two allowed ones; 0: integrable
                      here */
    double defect; /* largest component of a bracket outside the allowed directions, relative to
                      its terms: rounding if integrable */
} tq_integrability;

/**
 * Frobenius' theorem at one state: constraints are integrable if the Lie brackets of all allowed
 * directions are allowed too, w([X, Y]) = -dw(X, Y) = 0 for each row w.
 *
 * dw is exact to rounding: dA along X from the rates of the rows, and the structure constants of
 * rotations and twists for spherical and floating joints.
 *
 * Shapes   q (nq), coordinates of the state.
 * Memory   tq_integrability_scratch_size(state) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_SINGULAR as tq_constraint_rows_compute.
 * Cost     n_free times that of the rows, O(n_row n_free^2 nv).
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 7.2.
 * Checked  tests/golden/test_seeds_constraints.c
 */
tq_status tq_constraint_integrability(const tq_constrained *state, const double *q,
                                      tq_scratch *scratch, tq_integrability *ret, tq_error *reterr);
size_t tq_integrability_scratch_size(const tq_constrained *state);

#endif
