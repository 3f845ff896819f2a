/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/rotation.c - rotation matrices from what files say of them, and back to angles. */
#include "api/robots/rotation.h"

#include <math.h>

#include "core/elementary/elementary.h"

const tq_pose tqa_pose_identity = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void tqa_rotation_from_rpy(const double rpy[3], double r[9])
{
    const double cr = tq_cos(rpy[0]);
    const double sr = tq_sin(rpy[0]);
    const double cp = tq_cos(rpy[1]);
    const double sp = tq_sin(rpy[1]);
    const double cy = tq_cos(rpy[2]);
    const double sy = tq_sin(rpy[2]);
    r[0] = cy * cp;
    r[1] = cy * sp * sr - sy * cr;
    r[2] = cy * sp * cr + sy * sr;
    r[3] = sy * cp;
    r[4] = sy * sp * sr + cy * cr;
    r[5] = sy * sp * cr - cy * sr;
    r[6] = -sp;
    r[7] = cp * sr;
    r[8] = cp * cr;
}

void tqa_rotation_to_rpy(const double r[9], double rpy[3])
{
    const double cp = tq_hypot(r[0], r[3]);
    rpy[1] = tq_atan2(-r[6], cp);
    if (cp > 1e-9) {
        rpy[0] = tq_atan2(r[7], r[8]);
        rpy[2] = tq_atan2(r[3], r[0]);
    } else {
        /* only the sum or difference of the two is told */
        rpy[0] = 0.0;
        rpy[2] = tq_atan2(-r[1], r[4]);
    }
}

void tqa_rotation_from_quaternion(const double q[4], double r[9])
{
    const double w = q[0];
    const double x = q[1];
    const double y = q[2];
    const double z = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[1] = 2.0 * (x * y - w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[3] = 2.0 * (x * y + w * z);
    r[4] = 1.0 - 2.0 * (x * x + z * z);
    r[5] = 2.0 * (y * z - w * x);
    r[6] = 2.0 * (x * z - w * y);
    r[7] = 2.0 * (y * z + w * x);
    r[8] = 1.0 - 2.0 * (x * x + y * y);
}

void tqa_rotation_about(const double axis[3], double angle, double r[9])
{
    const double c = tq_cos(angle);
    const double s = tq_sin(angle);
    const double x = axis[0];
    const double y = axis[1];
    const double z = axis[2];
    r[0] = c + (1.0 - c) * x * x;
    r[1] = (1.0 - c) * x * y - s * z;
    r[2] = (1.0 - c) * x * z + s * y;
    r[3] = (1.0 - c) * x * y + s * z;
    r[4] = c + (1.0 - c) * y * y;
    r[5] = (1.0 - c) * y * z - s * x;
    r[6] = (1.0 - c) * x * z - s * y;
    r[7] = (1.0 - c) * y * z + s * x;
    r[8] = c + (1.0 - c) * z * z;
}

void tqa_rotation_multiply(const double a[9], const double b[9], double r[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

void tqa_rotation_apply(const double r[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
    }
}

void tqa_rotation_apply_transposed(const double r[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
    }
}

tq_pose tqa_pose_multiply(const tq_pose *a, const tq_pose *b)
{
    tq_pose c;
    tqa_rotation_multiply(a->r, b->r, c.r);
    tqa_rotation_apply(a->r, b->p, c.p);
    for (int k = 0; k < 3; k++) {
        c.p[k] += a->p[k];
    }
    return c;
}

tq_pose tqa_pose_inverse(const tq_pose *a)
{
    tq_pose b;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b.r[3 * i + j] = a->r[3 * j + i];
        }
    }
    tqa_rotation_apply(b.r, a->p, b.p);
    for (int k = 0; k < 3; k++) {
        b.p[k] = -b.p[k];
    }
    return b;
}
