/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/closure.h - coordinates that satisfy the constraints, without a guess; loops in
 * a plane. */
#ifndef TQ_CONSTRAINTS_CLOSURE_H
#define TQ_CONSTRAINTS_CLOSURE_H

#include "core/constraints/solve.h"

/**
 * Search coordinates that satisfy the constraints, and their rank.
 *
 * Starts, of which each is moved onto the constraints by tq_constraints_project: coordinates of 0
 * where the limits have it, else the middle of them; then points spread over the travel, an
 * additive recurrence of irrational step, the same everywhere,
 *
 *     q_i = lower_i + frac(1/2 + k sqrt(2 + i)) (upper_i - lower_i),   k = 1, 2 ... 47
 *
 * (-1.5 to 1.5 without limits); at last 0 even outside of limits, where the file of a robot has
 * its links. The first that is within 1e-10 rad or m of the constraints is the answer. Large
 * robots have fewer starts, so that all take 2e9 operations at most. Velocities that equations
 * prescribe are not part of it.
 *
 * Shapes   ret_q (nq). *ret_rank: the largest rank of A at ret_q and at two states near it, since
 *          special positions have less; nv - rank freedoms are left.
 * Units    rad, m.
 * Memory   tq_closure_scratch_size bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH
 *          TQ_ERR_NO_CONVERGENCE  "constraint.row" `index`, off by `value` at the last start within
 *                                 the limits
 *          TQ_ERR_SINGULAR        "joint.inertia": joint `index` moves without inertia; else as
 *                                 tq_constraints_project at that start
 * Cost     A tq_constraints_project for each start.
 * Source   core/constraints/project.h; H. Niederreiter, Random Number Generation and Quasi-Monte
 *          Carlo Methods, 1992, 3.1 (Kronecker sequences).
 * Checked  tests/property/core/constraints/test_closure.c
 */
tq_status tq_constraints_close(const tq_mechanism *mechanism, const tq_constraints *constraints,
                               tq_scratch *scratch, double *ret_q, size_t *ret_rank,
                               tq_error *reterr);
size_t tq_closure_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints);

/* True if a loop that holds all six directions is closed by joints of parallel axes only, so that
 * three of its rows follow from the others: a pin along these axes suffices. *ret_axis: the axis
 * of the loop's frame a that is parallel to them (x, y, z: 0, 1, 2); 3: none is. */
bool tq_loop_is_planar(const tq_model *model, const tq_constraint *loop, unsigned *ret_axis);

#endif
