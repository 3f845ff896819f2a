/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/assemble.h - coordinates and rates that satisfy the constraints while some
 * joints keep theirs. */
#ifndef TQ_CONSTRAINTS_ASSEMBLE_H
#define TQ_CONSTRAINTS_ASSEMBLE_H

#include "core/constraints/solve.h"

/* The constraints, and for each kept joint of one dof (kept: n_joint) one more row that fixes its
 * coordinate at q[q_index * stride]. Its arrays are in `scratch`. False: that is too small. */
bool tq_constraints_keep(const tq_model *model, const tq_constraints *constraints, const bool *kept,
                         const double *q, size_t stride, tq_scratch *scratch, tq_constraints *ret);
size_t tq_constraints_keep_size(const tq_model *model, const tq_constraints *constraints);

/* A motion in the caller's memory; flat. */
typedef struct tq_assembly {
    const bool *kept;   /* (n_joint) joints of one dof of their own whose numbers stay */
    double *q;          /* (nq) in: of kept joints; out: of all */
    double *qd, *qdd;   /* (nv) likewise; NULL: not needed; qdd needs qd */
    size_t n_undecided; /* written: freedoms that neither kept joints nor constraints decide */
    double reached;     /* written: the part of the way from `near` that could be closed, 0 .. 1 */
} tq_assembly;

/**
 * Close the constraints at given coordinates of some joints, on the branch of `near`.
 *
 * Kept coordinates go from those of `near` to the given ones in steps of at most 0.1 rad or m; at
 * each the others are moved by Gauss-Newton steps of least length (tq_constraints_project). Then
 * rates, and accelerations, of least length in the metric of M with A qd = b, A qdd = -dA/dt qd.
 * Where that way is not closed all along, as between two given coordinates of one freedom, one step
 * leads to the given ones.
 *
 * Shapes   near (nq), quaternions of length 1.
 * Memory   tq_assemble_scratch_size bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_QUATERNION, TQ_ERR_SCRATCH
 *          TQ_ERR_NO_CONVERGENCE  "constraint.row": no coordinates near these satisfy row `index`,
 *                                 off by `value`; rows from n_row on are those of kept joints
 *          TQ_ERR_SINGULAR        as tq_constrained_factor; "constraint.row": rates contradict row
 *                                 `index`, as at a dead point
 * Cost     A tq_constraints_project for each step.
 * Source   E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, VII.1.
 * Checked  tests/unit/api/operations/test_assemble.c, tests/contract/test_assemble.py
 */
tq_status tq_constraints_assemble(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                  const double *near, tq_assembly *motion, tq_scratch *scratch,
                                  tq_error *reterr);
size_t tq_assemble_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints);

#endif
