/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/stage.h - the linear programs of one interval of time-optimal motion. */
#ifndef TQ_MOTION_TIMING_STAGE_H
#define TQ_MOTION_TIMING_STAGE_H

#include <stdbool.h>
#include <stddef.h>

/* A bound on u = sddot that is linear in x = sdot^2: alpha + beta x. */
typedef struct tq_bound {
    double alpha, beta;
} tq_bound;

/* The set {(x, u)}: floor <= x <= cap, and u between all bounds. `upper` and `lower` are the
 * caller's, with room for every row. */
typedef struct tq_stage {
    double floor, cap;
    size_t n_upper, n_lower;
    tq_bound *upper, *lower;
} tq_stage;

/* Removes all rows: 0 <= x <= cap. */
void tq_stage_clear(tq_stage *stage, double cap);

/* Adds the row low <= p u + r x <= high. */
void tq_stage_add(tq_stage *stage, double p, double r, double low, double high);

/* Largest u at x. */
double tq_stage_upper(const tq_stage *stage, double x);

/**
 * Largest and smallest x of the set: the two-variable linear programs, by Newton's method on
 * the concave, piecewise linear width min(upper) - max(lower), which ends at a vertex after
 * finitely many steps.
 *
 * Returns  false: the set is empty.
 * Checked  tests/unit/core/motion/test_stage.c
 */
bool tq_stage_range(const tq_stage *stage, double *ret_least, double *ret_most);

#endif
