/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/bodies.h - the physically consistent fit of a robot's bodies: private.
 */
#ifndef TQ_IDENTIFY_REGRESSION_BODIES_H
#define TQ_IDENTIFY_REGRESSION_BODIES_H

#include "core/identify/feasible/feasible.h"
#include "core/identify/regression/fit_private.h"

/* A fit of bodies; the arrays are the caller's. */
typedef struct tq_fit_bodies_found {
    double *full;  /* (n_parameter) */
    double *value; /* (n_column) */
    tq_feasible_report report;
    double *multiplier; /* (TQ_LINK_ENDS options.n_bound) of the bounds, 0 where there is none;
                           NULL: without bounds */
} tq_fit_bodies_found;

/**
 * Minimise the residual of a weighted triangle ((n_column + 1)^2) over bodies of positive density,
 * and within the bounds of the options.
 *
 * Links on fixed joints keep their prior: the child link of a moving joint takes all of the
 * change. `objective` is that of the unconstrained fit.
 *
 * Memory   tq_fit_bodies_size bytes of `scratch`, released.
 * Returns  as tq_feasible_solve.
 */
tq_status tq_fit_bodies(const tq_fit *fit, const double *triangle, double objective,
                        tq_scratch *scratch, tq_fit_bodies_found *inout, tq_error *reterr);
size_t tq_fit_bodies_size(const tq_fit *fit);

/* Noise-free data: a feasible fit stays slightly inside its bounds, the only difference to the
 * exact values `exact` (n_column) of the unconstrained fit. Moves full and value there if the
 * bodies stay positive definite; true if it did. */
bool tq_fit_polish(const tq_fit *fit, const double *exact, double *full, double *value);

/* Values of the columns from all parameters: base combinations; extra columns are unchanged. */
void tq_fit_combine(const tq_fit *fit, const double *full, double *ret_value);

/* True if a column's combination must not be negative: friction, rotors, stiffness; except a
 * rotor's minus the inertia of a body of a mimic joint. */
bool tq_fit_is_positive(const tq_fit *fit, size_t column);

/* The pseudo-inertia of ten parameters, and the inverse. */
void tq_pseudo_of_ten(const double ten[TQ_PARAMETERS_OF_LINK], double ret_pseudo[16]);
void tq_ten_of_pseudo(const double pseudo[16], double ret_ten[TQ_PARAMETERS_OF_LINK]);

#endif
