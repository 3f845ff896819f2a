/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/joint_motion.c - pose and rates of a child link relative to its parent.
 */
#include "core/dynamics/kinematics/joint_motion.h"

#include <string.h>

#include "core/lanes/sincos.h"

static void quaternion_rotation(const double *quaternion, double *ret)
{
    const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const double k = 2.0 / (w * w + x * x + y * y + z * z);
    const double r[9] = {
        1.0 - k * (y * y + z * z), k * (x * y - w * z),       k * (x * z + w * y),
        k * (x * y + w * z),       1.0 - k * (x * x + z * z), k * (y * z - w * x),
        k * (x * z - w * y),       k * (y * z + w * x),       1.0 - k * (x * x + y * y)};
    memcpy(ret, r, sizeof r);
}

/* rotation about a unit axis (Rodrigues' formula) */
static void axis_rotation(const double *axis, double angle, double *ret)
{
    double s, c;
    sincos_near(angle, &s, &c);
    sincos_repair(angle, beyond(angle, TQ_SINCOS_MAX), &s, &c);
    const double x = axis[0], y = axis[1], z = axis[2], k = 1.0 - c;
    const double r[9] = {c + k * x * x,     k * x * y - s * z, k * x * z + s * y,
                         k * x * y + s * z, c + k * y * y,     k * y * z - s * x,
                         k * x * z - s * y, k * y * z + s * x, c + k * z * z};
    memcpy(ret, r, sizeof r);
}

static void scale(const double *axis, double by, double *ret)
{
    for (int k = 0; k < 3; k++) {
        ret[k] = axis[k] * by;
    }
}

static void move_single(const tq_joint *joint, const double *q, const double *qd, const double *qdd,
                        double *turn, double *shift, tq_joint_motion *ret)
{
    const _Bool follows = joint->mimic != TQ_NONE;
    const double ratio = follows ? joint->mimic_multiplier : 1.0;
    const double at = ratio * q[0] + (follows ? joint->mimic_offset : 0.0);
    if (joint->kind == TQ_JOINT_PRISMATIC) {
        scale(joint->axis, at, shift);
        scale(joint->axis, ratio * qd[0], ret->v);
        scale(joint->axis, ratio * qdd[0], ret->a);
    } else {
        axis_rotation(joint->axis, at, turn);
        scale(joint->axis, ratio * qd[0], ret->w);
        scale(joint->axis, ratio * qdd[0], ret->al);
    }
}

static void move_planar(const tq_joint *joint, const double *q, const double *qd, const double *qdd,
                        double *turn, double *shift, tq_joint_motion *ret)
{
    double axes[9];
    tq_mat_third_column(joint->axis, axes);
    axis_rotation(joint->axis, q[2], turn);
    for (int k = 0; k < 3; k++) {
        shift[k] = axes[3 * k] * q[0] + axes[3 * k + 1] * q[1];
        ret->v[k] = axes[3 * k] * qd[0] + axes[3 * k + 1] * qd[1];
        ret->a[k] = axes[3 * k] * qdd[0] + axes[3 * k + 1] * qdd[1];
    }
    tq_mat_tvec(turn, ret->v, ret->v);
    tq_mat_tvec(turn, ret->a, ret->a);
    scale(joint->axis, qd[2], ret->w);
    scale(joint->axis, qdd[2], ret->al);
}

static void move_floating(const double *q, const double *qd, const double *qdd, double *turn,
                          double *shift, tq_joint_motion *ret)
{
    memcpy(shift, q, 3 * sizeof *q);
    quaternion_rotation(q + 3, turn);
    memcpy(ret->v, qd, sizeof ret->v);
    memcpy(ret->w, qd + 3, sizeof ret->w);
    memcpy(ret->al, qdd + 3, sizeof ret->al);
    tq_vec_cross(qd + 3, qd, ret->a);
    for (int k = 0; k < 3; k++) {
        ret->a[k] += qdd[k];
    }
}

/* of the joint's own rows */
static void move(const tq_joint *joint, const double *q, const double *qd, const double *qdd,
                 tq_joint_motion *ret)
{
    tq_pose origin, moved;
    *ret = (tq_joint_motion){.v = {0.0}};
    memcpy(origin.r, joint->origin.r, sizeof origin.r);
    memcpy(origin.p, joint->origin.p, sizeof origin.p);
    memset(moved.p, 0, sizeof moved.p);
    tq_mat_identity(moved.r);
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC:
        move_single(joint, q, qd, qdd, moved.r, moved.p, ret);
        break;
    case TQ_JOINT_PLANAR:
        move_planar(joint, q, qd, qdd, moved.r, moved.p, ret);
        break;
    case TQ_JOINT_SPHERICAL:
        quaternion_rotation(q, moved.r);
        memcpy(ret->w, qd, sizeof ret->w);
        memcpy(ret->al, qdd, sizeof ret->al);
        break;
    case TQ_JOINT_FLOATING:
        move_floating(q, qd, qdd, moved.r, moved.p, ret);
        break;
    }
    ret->pose = tq_pose_multiply(&origin, &moved);
}

void tq_joint_move(const tq_joint *joint, const double *q, const double *qd, const double *qdd,
                   tq_joint_motion *ret)
{
    move(joint, q + joint->q_index, qd + joint->v_index, qdd + joint->v_index, ret);
}

tq_pose tq_joint_place(const tq_joint *joint, size_t stride, const double *q)
{
    static const double still[6] = {0.0};
    const bool turns = joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
    const size_t n = tq_joint_kind_nv(joint->kind) + (turns ? 1U : 0U); /* a quaternion has four */
    double own[7] = {0.0};
    tq_joint_motion ret;
    for (size_t k = 0; k < n; k++) {
        own[k] = q[(joint->q_index + k) * stride];
    }
    move(joint, own, still, still, &ret);
    return ret.pose;
}
