/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/project.h - projection of states onto the constraints. */
#ifndef TQ_CONSTRAINTS_PROJECT_H
#define TQ_CONSTRAINTS_PROJECT_H

#include "core/constraints/solve.h"

/* Statistics of a projection; the largest over samples. */
typedef struct tq_projection {
    double position, velocity;  /* residuals before: m or rad; per second */
    double change_q, change_qd; /* largest entry of the change of q, and of qd */
    unsigned iterations;
} tq_projection;

/* States of a block, in the caller's memory. */
typedef struct tq_constraint_states {
    size_t n_sample, stride;
    double *q, *qd; /* (nq x stride), (nv x stride): in and out, padding after n_sample is filled */
} tq_constraint_states;

/**
 * Project states onto h(q) = 0 and A qd = b: coordinates by Gauss-Newton steps of least length in
 * the metric of M, then velocities by the least change in it.
 *
 * A residual below `tolerance` suffices; steps continue to a thousandth of it while they help, and
 * are skipped if the state is there already.
 *
 * Shapes   ret may be NULL.
 * Memory   tq_project_scratch_size bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_QUATERNION, TQ_ERR_SCRATCH
 *          TQ_ERR_NO_CONVERGENCE  "constraint.row": no coordinates satisfy row
 *                                 `index`; value = its residual
 *          TQ_ERR_SINGULAR        as tq_constrained_factor; "constraint.row": no velocity satisfies
 *                                 row `index`, which contradicts others
 * Cost     Per sample and step, a tq_constrained_factor.
 * Source   E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, IV.4, VII.1.
 * Checked  tests/property/core/constraints/test_project.c
 */
tq_status tq_constraints_project(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_constraint_states *states, double tolerance,
                                 tq_scratch *scratch, tq_projection *ret, tq_error *reterr);
size_t tq_project_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints);

#endif
