/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/feasible.h - least squares over physically consistent parameters (bodies
 * of positive density). */
#ifndef TQ_IDENTIFY_FEASIBLE_FEASIBLE_H
#define TQ_IDENTIFY_FEASIBLE_FEASIBLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/identify/feasible/edges.h"

/* The problem:
 *
 *     minimise |A x - b|^2 + entropy * (sum of bodies tr(P) - log det(P - floor)
 *                                       + sum of positives x - log x + sum of free ones x^2)
 *
 * over x = (10 for each body, then the others), P the 4x4 matrix of a body's ten (see tq_svec4)
 * with P >= floor, x >= 0, and within the bounds. The caller chooses units: in those with the prior
 * P = 1, x = 1 (0 for free ones) the entropy term is the divergence from the prior (Lee, Wensing &
 * Park, 2020). */
typedef struct tq_feasible {
    size_t n_body, n_other, m;
    const uint8_t *positive; /* (n_other) 1: not negative, 0: free */
    const double *a;         /* (m x (10 n_body + n_other), by column) */
    const double *b;         /* (m) */
    double floor;            /* > 0, < 1 */
    double entropy;          /* >= 0 */
    double tolerance;        /* of the duality gap, relative to the objective */
    size_t n_bound;
    tq_feasible_bound *bounds; /* (n_bound) in any order; without entropy: an inactive bound
                                  changes nothing beyond the tolerance */
} tq_feasible;

typedef struct tq_feasible_report {
    double objective;   /* |A x - b|^2 */
    double gap;         /* upper bound of objective - minimum, with the entropy term */
    double least_eigen; /* of all P */
    size_t n_iteration;
} tq_feasible_report;

/**
 * Solve by a primal-dual interior-point method with Nesterov-Todd scaling, from P = 1. The dual
 * iterate certifies the gap.
 *
 * Shapes   ret_x (10 n_body + n_other).
 * Memory   tq_feasible_size bytes of `scratch`, released.
 * Returns  TQ_OK
 *          TQ_ERR_NO_CONVERGENCE  "feasible": value = the gap reached, relative
 *          TQ_ERR_RANGE           "bound": one is not positive at P = 1
 *          TQ_ERR_SCRATCH
 * Cost     20 to 40 iterations of n^3 / 3.
 * Source   Y. Nesterov, M. Todd, Primal-dual interior-point methods for self-scaled cones, SIAM J.
 *          Optim. 8(2), 1998; P. Wensing, S. Kim, J.-J. Slotine, Linear matrix inequalities for
 *          physically consistent inertial parameter identification, IEEE RA-L 3(1), 2018; entropy:
 *          T. Lee, P. Wensing, F. Park, Geometric robot dynamic identification, IEEE TRO 36(2),
 *          2020.
 * Checked  tests/property/core/identify/feasible/test_feasible.c
 */
tq_status tq_feasible_solve(const tq_feasible *problem, tq_scratch *scratch, double *ret_x,
                            tq_feasible_report *ret_report, tq_error *reterr);
size_t tq_feasible_size(size_t n_body, size_t n_other, size_t m, size_t n_bound);

#endif
