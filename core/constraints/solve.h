/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/solve.h - factorisation of a constrained robot at one state: remaining motions
 * and constraint forces. */
#ifndef TQ_CONSTRAINTS_SOLVE_H
#define TQ_CONSTRAINTS_SOLVE_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/constraints/constraints.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/mechanism.h"

/* Rows of A are dependent if less than this fraction of a row's length (metric of M^-1) is new.
 * Assembly errors of 1e-10 are far below it, mechanisms away from singularities above. */
#define TQ_CONSTRAINT_RANK 1e-8

/* M = L L^T and A L^-T = (Q R)^T, rows scaled to length 1 (Householder QR with pivoting). Arrays
 * are in the scratch from which it was made. */
typedef struct tq_constrained {
    const tq_constraints *constraints;
    tq_configuration posture;
    size_t nv, n_row;
    size_t rank;      /* of A */
    double *l;        /* (nv x nv, column-major) */
    double *a, *rate; /* (n_row x nv), row by row */
    double *position; /* (n_row) h */
    double *velocity; /* (n_row) A qd - b */
    double *gamma;    /* (n_row) dA/dt qd */
    double *basis;    /* Q (nv x rank, column-major) */
    double *r;        /* R (min(nv, n_row) x n_row, column-major), columns in the order of pivot */
    double *length;   /* (n_row) of the rows of A L^-T; 0: the row has no effect here */
    int *pivot;       /* (n_row): the first `rank` are independent, the others redundant here */
} tq_constrained;

/* Rows that take part. The others count as zero rows. */
typedef enum tq_row_choice {
    TQ_ROWS_ALL,
    TQ_ROWS_HOLONOMIC,
} tq_row_choice;

/* The state. Borrowed. */
typedef struct tq_constrained_at {
    const double *q;  /* (nq) */
    const double *qd; /* (nv); NULL: at rest */
    unsigned without; /* TQ_WITHOUT_ROTOR applies */
    tq_row_choice rows;
} tq_constrained_at;

/**
 * Factor one state.
 *
 * Memory   tq_constrained_scratch_size bytes of `scratch`, of which those of *ret stay taken: the
 *          caller rewinds.
 * Returns  TQ_OK, TQ_ERR_QUATERNION, TQ_ERR_SCRATCH
 *          TQ_ERR_SINGULAR  "joint.inertia": joint `index` has no inertia; "constraint": constraint
 *                           `index` is undefined here
 * Cost     O(nv^3 + n_row nv^2).
 * Source   Udwadia & Kalaba, Analytical Dynamics, 1996, ch. 3; Golub & Van Loan, Matrix
 *          Computations, 2013, 5.4.
 * Checked  tests/property/core/constraints/test_solve.c
 */
tq_status tq_constrained_factor(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                const tq_constrained_at *at, tq_scratch *scratch,
                                tq_constrained *ret, tq_error *reterr);
size_t tq_constrained_scratch_size(const tq_mechanism *mechanism,
                                   const tq_constraints *constraints);

/* A row depends on others here, and its target contradicts theirs. */
typedef enum tq_contradiction {
    TQ_CONTRADICTION_REFUSE,
    TQ_CONTRADICTION_IGNORE, /* only the rows chosen as independent count */
} tq_contradiction;

/**
 * The v nearest to the given one, in the metric of M, with A v = target; and the multipliers with
 * M (v - given) = A^T multipliers.
 *
 * With redundant rows the multipliers are not unique: those of minimum norm are computed.
 *
 * Shapes   target (n_row); v (nv) in place; ret_multipliers (n_row) or NULL.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or TQ_ERR_SINGULAR "constraint.row": row `index` depends on
 *          others and contradicts them; v is then unchanged.
 */
tq_status tq_constrained_nearest(const tq_constrained *state, const double *target,
                                 tq_contradiction contradiction, tq_scratch *scratch, double *v,
                                 double *ret_multipliers, tq_error *reterr);

/* Minimum-norm multipliers with A^T multipliers nearest to a force (nv) in the metric of M^-1; the
 * force becomes the remainder. */
tq_status tq_constrained_explain(const tq_constrained *state, tq_scratch *scratch, double *force,
                                 double *ret_multipliers, tq_error *reterr);

/* Components of n forces (nv x n, column-major) that constraints do not balance: (1 - Q Q^T) L^-1
 * force, in place. */
tq_status tq_constrained_unload(const tq_constrained *state, size_t n, double *forces,
                                tq_error *reterr);

/* The constraint of a row. */
uint32_t tq_constraint_of_row(const tq_constraints *constraints, size_t row);

/* Force of the constraints on the robot, ret_force = A^T lambda (nv), N m or N, of multipliers
 * lambda (n_row); it does no work on motions with A qd = 0. */
void tq_constrained_force(const tq_constrained *state, const double *multipliers,
                          double *ret_force);

/* Power of that force at velocity qd (nv), lambda . A qd, W: 0 but for constraints that move. */
double tq_constrained_power(const tq_constrained *state, const double *multipliers,
                            const double *qd);

#endif
