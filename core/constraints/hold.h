/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/hold.h - dry friction at standstill on a robot with constraints: what holds, and
 * what slips. */
#ifndef TQ_CONSTRAINTS_HOLD_H
#define TQ_CONSTRAINTS_HOLD_H

#include "core/constraints/solve.h"

/* Holds up to this part above the largest are rounding: constraints may load a row with all of what
 * may hold it. */
#define TQ_HOLD_SLACK 1e-9

/* Rows of qd that stand and that dry friction may hold. Borrowed. */
typedef struct tq_holds {
    size_t n;
    const uint32_t *rows;  /* (n) */
    const double *largest; /* (n) of what may hold each, N m or N, >= 0 */
} tq_holds;

/**
 * Accelerations with `n` rows of qd held still: A qdd = target, qdd = 0 there.
 *
 * Shapes   v (nv): in M^-1 times the force on the robot, out the acceleration. ret_multipliers
 *          (n_row) of the constraints, of least norm, or NULL. Holds that contradict the
 *          constraints are met as nearly as can be.
 * Memory   tq_hold_scratch_size(nv, n_row) bytes of `scratch`, all given back.
 * Returns  as tq_constrained_nearest.
 * Cost     O(nv^2 n).
 */
tq_status tq_constrained_hold(const tq_constrained *state, const tq_holds *holds,
                              const double *target, tq_scratch *scratch, double *v,
                              double *ret_multipliers, tq_error *reterr);

/**
 * What dry friction does at standstill: for each row a hold of at most `largest` either way, so
 * that a row that is held by less does not accelerate, and one that accelerates is held back by all
 * of it. By Gauss's principle it is the minimum of
 *
 *     1/2 (qdd - a)^T M (qdd - a) + sum_j largest_j |qdd_j|     with A qdd = target
 *
 * which is convex: which rows slip, and how fast, has one answer even where constraints leave it
 * open how joints share a load; they then share it by least norm as far as none has too much.
 *
 * Shapes   v (nv) in: M^-1 times the force, unchanged; ret_hold (n): the force on each row. A row
 *          that slips gets what would have to hold it, so that |ret_hold| > largest there by what
 *          accelerates it, measured by its own inertia (twice `largest` where nothing could hold
 *          it, at a dead centre); and else |ret_hold| <= largest. When one row slips beyond
 *          TQ_HOLD_SLACK, all that move with it are above it too.
 * Memory   as tq_constrained_hold.
 * Returns  as tq_constrained_nearest.
 * Cost     O(nv^2 n + n^3 steps), where as many steps as rows change is usual.
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
