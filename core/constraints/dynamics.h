/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/dynamics.h - forward and inverse dynamics of constrained robots, for blocks of
 * samples. */
#ifndef TQ_CONSTRAINTS_DYNAMICS_H
#define TQ_CONSTRAINTS_DYNAMICS_H

#include "core/constraints/constraints.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/inverse.h"

/**
 * Compute accelerations and multipliers of a constrained robot:
 *
 *     M qdd + C qd + gravity + friction + spring = tau + J^T w + A^T multipliers
 *     A qdd = -dA/dt qd
 *
 * Multipliers are forces ON the robot, per row: N (a distance or a direction),
 * N m (a rotation), or power-conjugate to the row's velocity. Redundant rows share their load by
 * minimum norm. States are not projected: tq_constraint_rows_compute gives their residuals.
 *
 * Shapes   in, ret_qdd as tq_forward_dynamics; ret_multipliers (n_row x stride) or NULL. Padding of
 *          the results repeats the last sample.
 * Memory   tq_constrained_forward_scratch_size bytes of `scratch`, all released. Re-entrant.
 * Bits     A sample has the same bits alone and in any block.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW, TQ_ERR_SCRATCH as
 *          tq_forward_dynamics
 *          TQ_ERR_SINGULAR  "joint.inertia": joint `index`; "constraint": constraint `index` has no
 *                           rows here; "constraint.row": row `index` depends on others here and
 *                           contradicts them, so that no acceleration is possible. value = the
 *                           sample
 * Cost     O(nv^3 + n_row nv^2) a sample.
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 6.1;
 *          Z. Li, Y. Wu, lecture notes on it, slide 46, with the sign of slide 61.
 * Checked  tests/property/core/constraints/test_dynamics.c
 */
tq_status tq_constrained_forward(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_forward_input *in, tq_scratch *scratch, double *ret_qdd,
                                 double *ret_multipliers, tq_error *reterr);
size_t tq_constrained_forward_scratch_size(const tq_mechanism *mechanism,
                                           const tq_constraints *constraints, size_t n_wrench);

/* Actuation of one sample. */
typedef struct tq_actuation {
    size_t n_actuated;
    size_t n_freedom;  /* dofs left by the constraints */
    size_t n_internal; /* independent torques of actuated joints that cause no motion */
    double missing;    /* largest entry of the required torque that the actuated joints cannot
                          produce, N m or N; rounding if the motion is possible */
} tq_actuation;

/**
 * Compute the torques of the actuated joints, and the multipliers, of a given motion.
 *
 * Where actuated joints can act against each other (internal forces of grasping), the torques are
 * of minimum norm. The motion is not checked against the constraints at acceleration level: torques
 * are those of the motion as given.
 *
 * Shapes   in, ret_tau as tq_inverse_dynamics, 0 for joints that are not actuated; ret_multipliers
 *          (n_row x stride), ret_actuation (n_sample), or NULL.
 * Returns  As tq_constrained_forward.
 * Source   Z. Li, Y. Wu, slides 66 to 71.
 */
tq_status tq_constrained_inverse(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_inverse_input *in, tq_scratch *scratch, double *ret_tau,
                                 double *ret_multipliers, tq_actuation *ret_actuation,
                                 tq_error *reterr);
size_t tq_constrained_inverse_scratch_size(const tq_mechanism *mechanism,
                                           const tq_constraints *constraints, size_t n_wrench);

#endif
