/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/reactions.h - constraint wrench at every joint and at the base. */
#ifndef TQ_DYNAMICS_REACTIONS_H
#define TQ_DYNAMICS_REACTIONS_H

#include "core/dynamics/inverse.h"

/**
 * Compute the wrench that each joint, fixed ones included, carries from its parent to its child
 * link, and the wrench that the world exerts on the root link.
 *
 *     wrench on child = sum over its subtree of (rate of momentum - weight - external wrench
 *                                                - pulls of tendons along paths)
 *
 * Shapes   ret_wrench (6 (n_joint + 1) x stride), block layout of `in`: rows 6 j .. 6 j + 5 are
 *          force, then moment of joint j; the last six are the base's.
 * Units    N and N m, along the axes of the child link (base: root link =
 *          world), moment about the child link's origin. The force acts ON the child link. The
 *          base wrench includes the root link's own weight.
 *          Joint torque, friction and springs are parts of the wrench: its
 *          component along a joint is tau without rotor, friction and spring.
 *          Of `without`, the bits for gravity, external, velocity and inertia apply, and for such
 *          tendons those for spring and friction.
 * Memory   As tq_inverse_dynamics, with tq_reactions_scratch_size.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("reactions"), TQ_ERR_SCRATCH.
 * Cost     O(n_joint) a sample, scalar code: for display, not for throughput.
 * Source   Luh, Walker & Paul, On-line computational scheme for mechanical manipulators, J. DSMC
 *          102, 1980.
 * Checked  tests/unit/core/dynamics/test_reactions.c
 */
tq_status tq_reactions(const tq_mechanism *mechanism, const tq_inverse_input *in,
                       tq_scratch *scratch, double *ret_wrench, tq_error *reterr);

/* Bytes of scratch that tq_reactions needs. */
size_t tq_reactions_scratch_size(const tq_mechanism *mechanism);

#endif
