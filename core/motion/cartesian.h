/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/cartesian.h - joint motion along straight lines of a point of a link. */
#ifndef TQ_MOTION_CARTESIAN_H
#define TQ_MOTION_CARTESIAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"
#include "core/motion/reference.h"

/* Poses of a point of a link, borrowed. Between them the point moves on a straight line and the
 * link rotates about one axis, both by the timing law. */
typedef struct tq_cartesian_path {
    uint32_t link;
    double at[3];        /* the point, in the link frame */
    bool axes[6];        /* which of x, y, z, and rotations about x, y, z are constrained (world) */
    size_t n_pose;       /* >= 2 */
    const double *t;     /* (n_pose) s, strictly increasing */
    const tq_pose *pose; /* (n_pose) in the world */
    tq_timing_law law;
    double blend;
} tq_cartesian_path;

/**
 * Follow the path: coordinates, velocities and accelerations at one time.
 *
 * Positions by inverse kinematics from `q` (the coordinates a little earlier), velocities and
 * accelerations from the Jacobian and its rate: J qd = V, J qdd = A - Jdot qd. A redundant arm
 * moves with the qd of least norm, and qdd is the rate of that.
 *
 * Shapes   q (nq) in: near the solution, out: the solution; ret_qd, ret_qdd (nv). Joints with
 *          quaternions are refused: TQ_ERR_SHAPE "joint".
 * Memory   tq_cartesian_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK
 *          TQ_ERR_NO_CONVERGENCE  "path": the point cannot be reached from q; value = remaining
 *                                 distance
 *          TQ_ERR_SINGULAR        "path": the arm is singular at this time; value = smallest
 *                                 singular value of the Jacobian
 *          TQ_ERR_SHAPE, TQ_ERR_RANGE as tq_inverse_kinematics and tq_waypoints_check
 * Checked  tests/property/core/motion/test_reference.c
 */
tq_status tq_cartesian_at(const tq_model *model, const tq_cartesian_path *path, double t,
                          tq_scratch *scratch, double *q, double *ret_qd, double *ret_qdd,
                          tq_error *reterr);
size_t tq_cartesian_scratch_size(const tq_model *model);

#endif
