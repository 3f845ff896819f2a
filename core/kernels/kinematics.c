/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/kinematics.c - pose of every body in the world. */
#include "core/kernels/outward.h"
#include "core/kernels/pose.h"
#include "core/kernels/symbols.h"

void TQ_KERNEL(tq_kinematics)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              double *ret_poses, long pose_stride)
{
    real *rest;
    const state st = state_in(c, work, &rest);
    const pose world = pose_world();
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, st.cs, st.balls);
        pose s = world;
        for (int b = 0; b < c->n_body; b++) {
            const tq_canonical_joint *k = &c->joints[b];
            if (k->parent < 0) {
                s = world;
            } else if (!k->parent_is_previous) {
                s = pose_load(ret_poses + 12L * k->parent * pose_stride + i, pose_stride);
            }
            s = k->ball >= 0 ? place_ball(k, &st.balls[k->ball], &s)
                             : place_single(k, joint_turn(k, &st.cs[b]),
                                            joint_travel(k, in->q + i, in->stride), &s);
            pose_store(ret_poses + 12L * b * pose_stride + i, pose_stride, &s);
        }
    }
}
