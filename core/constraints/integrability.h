/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/integrability.h - whether allowed motions stay on surfaces of coordinates. */
#ifndef TQ_CONSTRAINTS_INTEGRABILITY_H
#define TQ_CONSTRAINTS_INTEGRABILITY_H

#include "core/constraints/projectors.h"

typedef struct tq_integrability {
    size_t n_free; /* allowed directions */
    size_t n_new;  /* directions that brackets of two of them reach beside; 0: integrable here */
    double defect; /* largest bracket beside the allowed directions, of what it is made of: rounding
                       where integrable */
} tq_integrability;

/**
 * Frobenius' test at one state: constraints are integrable where the brackets of all allowed
 * directions are allowed too, w([X, Y]) = -dw(X, Y) = 0 for each row w.
 *
 * dw is exact to rounding: dA along X from the rates of the rows, and the structure of turns and
 * twists for spherical and floating joints.
 *
 * Shapes   q (nq), the state's own coordinates.
 * Memory   tq_integrability_scratch_size(state) bytes of `scratch`, all given back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_SINGULAR as tq_constraint_rows_compute.
 * Cost     n_free times that of the rows, O(n_row n_free^2 nv).
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 7.2.
 * Checked  tests/golden/test_seeds_constraints.c
 */
tq_status tq_constraint_integrability(const tq_constrained *state, const double *q,
                                      tq_scratch *scratch, tq_integrability *ret, tq_error *reterr);
size_t tq_integrability_scratch_size(const tq_constrained *state);

#endif
