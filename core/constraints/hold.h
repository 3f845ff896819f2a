/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/hold.h - dry friction at standstill (stiction) of a robot with constraints:
 * sticking and slipping rows. */
#ifndef TQ_CONSTRAINTS_HOLD_H
#define TQ_CONSTRAINTS_HOLD_H

#include "core/constraints/solve.h"

/* Relative tolerance on |hold_j| <= largest_j: constraints may load a row with exactly its limit.
 */
#define TQ_HOLD_SLACK 1e-9

/* Rows of qd at standstill that dry friction may hold. Borrowed. */
typedef struct tq_holds {
    size_t n;
    const uint32_t *rows;  /* (n) */
    const double *largest; /* (n) breakaway torque or force of each row, N m or N, >= 0 */
} tq_holds;

/**
 * Accelerations with `n` rows of qd held at standstill: A qdd = target, qdd = 0 there.
 *
 * Shapes   v (nv): in M^-1 times the force on the robot, out the acceleration. ret_multipliers
 *          (n_row) of the constraints, of minimum norm, or NULL. Holds that contradict the
 *          constraints are met by least squares.
 * Memory   tq_hold_scratch_size(nv, n_row) bytes of `scratch`, all released.
 * Returns  as tq_constrained_nearest.
 * Cost     O(nv^2 n).
 */
tq_status tq_constrained_hold(const tq_constrained *state, const tq_holds *holds,
                              const double *target, tq_scratch *scratch, double *v,
                              double *ret_multipliers, tq_error *reterr);

/**
 * Stiction at standstill: each row has a hold |hold_j| <= largest_j. A row held by less than
 * largest_j does not accelerate; a row that accelerates is opposed by largest_j.
 * By Gauss's principle qdd is the minimum of
 *
 *     1/2 (qdd - a)^T M (qdd - a) + sum_j largest_j |qdd_j|     with A qdd = target
 *
 * which is convex: qdd is unique even where constraints leave the distribution of holds
 * undetermined; holds then have minimum norm within the bounds.
 *
 * Shapes   v (nv) in: M^-1 times the force, unchanged; ret_hold (n): the force on each row. A row
 *          that slips gets the force that would hold it: |ret_hold| > largest by the force that
 *          accelerates its own inertia (twice `largest` where no force can hold
 *          it, at a dead centre); else |ret_hold| <= largest. When one row slips beyond
 *          TQ_HOLD_SLACK, all rows that move with it are above it too.
 * Memory   as tq_constrained_hold.
 * Returns  as tq_constrained_nearest.
 * Cost     O(nv^2 n + n^3 steps), steps: usually the number of rows that change state.
 * Source   J. Moreau, Quadratic programming in mechanics: dynamics of one-sided constraints, SIAM
 *          J. Control 4(1), 1966; P. Stark, R. Parker, Bounded-variable least squares, Comput.
 *          Stat. 10, 1995.
 * Checked  tests/property/core/constraints/test_hold.c
 */
tq_status tq_constrained_stick(const tq_constrained *state, const tq_holds *holds,
                               const double *target, tq_scratch *scratch, const double *v,
                               double *ret_hold, tq_error *reterr);
size_t tq_hold_scratch_size(size_t nv, size_t n_row);

#endif
