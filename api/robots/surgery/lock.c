/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/lock.c - joints held at a position: fixed joints where they are. */
#include <math.h>
#include <string.h>

#include "api/robots/surgery/surgery.h"
#include "core/spatial/rotation.h"

/* The pose of the child in the joint frame. False: the quaternion is not of unit length. */
static bool motion(const tq_joint *joint, const double *q, tq_pose *ret)
{
    double r[9];
    const double *quaternion = NULL;
    *ret = tq_pose_identity;
    switch (joint->kind) {
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
        tq_rotation_about(joint->axis, q[0], ret->r);
        break;
    case TQ_JOINT_PRISMATIC:
        for (int k = 0; k < 3; k++) {
            ret->p[k] = joint->axis[k] * q[0];
        }
        break;
    case TQ_JOINT_PLANAR:
        tq_mat_third_column(joint->axis, r);
        for (int k = 0; k < 3; k++) {
            ret->p[k] = r[3 * k] * q[0] + r[3 * k + 1] * q[1];
        }
        tq_rotation_about(joint->axis, q[2], ret->r);
        break;
    case TQ_JOINT_SPHERICAL:
        quaternion = q;
        break;
    case TQ_JOINT_FLOATING:
        memcpy(ret->p, q, sizeof ret->p);
        quaternion = q + 3;
        break;
    case TQ_JOINT_FIXED:
        break;
    }
    if (quaternion != NULL) {
        double square = 0.0;
        for (int k = 0; k < 4; k++) {
            square += quaternion[k] * quaternion[k];
        }
        if (!(fabs(square - 1.0) <= 1e-6)) {
            return false;
        }
        tq_mat_of_quaternion(quaternion, ret->r);
    }
    return true;
}

static bool hold_at(tqa_surgery *s, const tqa_json_at *at, uint32_t j, const double *q)
{
    tq_pose moved;
    if (!motion(&s->joints[j], q, &moved)) {
        tqa_draft_fault(s->draft, "quaternion", at->pointer, "divide it by its length",
                        "the quaternion is not of unit length");
        return false;
    }
    s->joints[j].origin = tq_pose_multiply(&s->joints[j].origin, &moved);
    tqa_surgery_lock_tendons(s, j, q[0]);
    tqa_surgery_hold(s, j);
    return true;
}

/* Joint j and the joints that mimic it. */
static bool lock_one(tqa_surgery *s, const tqa_json_at *at, uint32_t j)
{
    static const size_t n_q[] = {
        [TQ_JOINT_FIXED] = 0,     [TQ_JOINT_REVOLUTE] = 1, [TQ_JOINT_CONTINUOUS] = 1,
        [TQ_JOINT_PRISMATIC] = 1, [TQ_JOINT_PLANAR] = 3,   [TQ_JOINT_SPHERICAL] = 4,
        [TQ_JOINT_FLOATING] = 7};
    const size_t n = n_q[s->joints[j].kind];
    double q[7];
    if (n == 0 || s->joints[j].mimic != TQ_NONE) {
        tqa_draft_fault(s->draft, "invalid-value", at->pointer,
                        n == 0 ? "leave it out" : "lock the joint that it mimics",
                        "joint \"%.80s\" %s", s->joint_names[j],
                        n == 0 ? "does not move" : "follows another");
        return false;
    }
    if (n == 1 ? !tqa_json_number(at, q) : !tqa_json_numbers(at, n, q)) {
        return false;
    }
    for (uint32_t k = 0; k < s->n_joint; k++) {
        const tq_joint *joint = &s->joints[k];
        if (joint->mimic == j) {
            const double own = joint->mimic_multiplier * q[0] + joint->mimic_offset;
            if (!hold_at(s, at, k, &own)) {
                return false;
            }
        }
    }
    return hold_at(s, at, j, q);
}

bool tqa_surgery_lock(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "joints", NULL};
    static const char *const nothing[] = {NULL};
    const tqa_json_at joints = tqa_json_field(op, "joints");
    const char *key = NULL;
    json_t *value = NULL;
    tqa_json_fields(op, known, nothing);
    if (!tqa_surgery_is_free(s, op) || !tqa_json_is_object(&joints)) {
        return false;
    }
    json_object_foreach(joints.value, key, value)
    {
        const tqa_json_at at = tqa_json_field(&joints, key);
        const uint32_t j = tqa_names_find(&s->draft->joints, key, strlen(key));
        if (j == TQ_NONE) {
            tqa_draft_fault(s->draft, "unknown-name", at.pointer,
                            "name joints of the robot, each with its position",
                            "there is no joint \"%.80s\"", key);
            return false;
        }
        if (!lock_one(s, &at, j)) {
            return false;
        }
    }
    return s->draft->problem->status == 0;
}
