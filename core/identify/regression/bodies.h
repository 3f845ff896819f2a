/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/bodies.h - the feasible fit of a robot's bodies: private. */
#ifndef TQ_IDENTIFY_REGRESSION_BODIES_H
#define TQ_IDENTIFY_REGRESSION_BODIES_H

#include "core/identify/feasible/feasible.h"
#include "core/identify/regression/fit_private.h"

/**
 * Minimise the residual of a weighted triangle ((n_column + 1)^2) over bodies of positive density.
 *
 * Links on fixed joints keep their prior: the link that a moving joint carries takes all of the
 * change. `objective` is that of the unconstrained fit.
 *
 * Shapes   ret_full (n_parameter), ret_value (n_column).
 * Returns  as tq_feasible_solve.
 */
tq_status tq_fit_bodies(const tq_fit *fit, const double *triangle, double objective,
                        tq_scratch *scratch, double *ret_full, double *ret_value,
                        tq_feasible_report *ret_report, tq_error *reterr);
size_t tq_fit_bodies_size(const tq_fit *fit);

/* Data without noise: a feasible fit stays a little inside its bounds, which is all that keeps it
 * from the exact values `exact` (n_column) of the unconstrained fit. Moves full and value there if
 * the bodies stay definite; true if it did. */
bool tq_fit_polish(const tq_fit *fit, const double *exact, double *full, double *value);

/* Values of the columns from all parameters: base combinations; extra columns are left alone. */
void tq_fit_combine(const tq_fit *fit, const double *full, double *ret_value);

/* True where a column's combination must not be negative: friction, rotors, stiffness; but a
 * rotor's, less inertia of a body that turns less because its joint mimics another, may be. */
bool tq_fit_is_positive(const tq_fit *fit, size_t column);

/* The pseudo-inertia of ten parameters. */
void tq_pseudo_of_ten(const double ten[TQ_PARAMETERS_OF_LINK], double ret_pseudo[16]);

#endif
