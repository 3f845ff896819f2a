/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/joint_motion.h - pose and rates of a child link relative to its parent,
 * in the user's frames, one sample. */
#ifndef TQ_DYNAMICS_KINEMATICS_JOINT_MOTION_H
#define TQ_DYNAMICS_KINEMATICS_JOINT_MOTION_H

#include <stddef.h>

#include "core/model/model.h"
#include "core/spatial/frame.h"

/* Rates relative to the parent, in the child's axes; v and a of the child's origin. */
typedef struct tq_joint_motion {
    tq_pose pose; /* of the child in the parent's frame */
    double v[3], a[3], w[3], al[3];
} tq_joint_motion;

/* Flat arrays of one sample: q (nq), qd, qdd (nv). */
void tq_joint_move(const tq_joint *joint, const double *q, const double *qd, const double *qdd,
                   tq_joint_motion *ret);

/* The same pose alone, of a sample whose rows of q are `stride` apart. */
tq_pose tq_joint_place(const tq_joint *joint, size_t stride, const double *q);

#endif
