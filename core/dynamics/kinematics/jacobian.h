/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/jacobian.h - Jacobians of points of links, for blocks of samples. */
#ifndef TQ_DYNAMICS_KINEMATICS_JACOBIAN_H
#define TQ_DYNAMICS_KINEMATICS_JACOBIAN_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/mechanism.h"

/* Which point, and in which frame. */
typedef struct tq_jacobian_point {
    uint32_t link;
    double at[3]; /* in the link frame, m */
    tq_jacobian_frame frame;
} tq_jacobian_point;

/**
 * Compute the Jacobian J(q) of a point, (v, w) = J qd, and its time derivative dJ/dt at qd; the
 * point's acceleration is J qdd + dJ/dt qd. Columns of mimic joints are added to their masters'.
 *
 * Shapes   of `at` only n_sample, stride, q and qd (NULL: at rest) are used; ret_jacobian and
 *          ret_rate (6 nv x stride): entry (r, c) of sample i at ret[(r * nv + c) * stride + i],
 *          rows v x y z then w x y z. ret_rate may be NULL.
 * Memory   Borrows every argument for the call only. Takes at most tq_jacobian_scratch_size bytes
 *          of `scratch` and releases them. Re-entrant.
 * Bits     As for tq_inverse_dynamics.
 * Returns  TQ_OK, TQ_ERR_SHAPE, TQ_ERR_QUATERNION, TQ_ERR_OVERFLOW ("jacobian"), TQ_ERR_SCRATCH as
 *          tq_inverse_dynamics
 *          TQ_ERR_RANGE  "link": the link does not exist
 * Cost     O(n_joint) a sample.
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 3.4.
 * Checked  tests/property/core/dynamics/kinematics/test_jacobian.c
 */
tq_status tq_jacobian(const tq_mechanism *mechanism, const tq_jacobian_point *point,
                      const tq_inverse_input *at, tq_scratch *scratch, double *ret_jacobian,
                      double *ret_rate, tq_error *reterr);

/* Bytes of scratch that tq_jacobian needs. */
size_t tq_jacobian_scratch_size(const tq_mechanism *mechanism);

#endif
