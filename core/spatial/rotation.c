/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/rotation.c - rotation matrices from angles, quaternions and axes, and back to
 * angles. */
#include "core/spatial/rotation.h"

#include "core/elementary/elementary.h"

void tq_rotation_from_rpy(const double rpy[3], double r[9])
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

void tq_rotation_to_rpy(const double r[9], double rpy[3])
{
    const double cp = tq_hypot(r[0], r[3]);
    rpy[1] = tq_atan2(-r[6], cp);
    /* near gimbal lock only the sum or difference of roll and yaw is determined: the entries that
     * give roll are then about as large as their rounding */
    rpy[0] = cp > 1e-15 ? tq_atan2(r[7], r[8]) : 0.0;
    /* R Rx(roll)^T = Rz(yaw) Ry(pitch), whose second column is (-sin yaw, cos yaw, 0): yaw makes
     * up for what roll is off by, to rounding, at every pitch */
    const double c = tq_cos(rpy[0]), s = tq_sin(rpy[0]);
    rpy[2] = tq_atan2(s * r[2] - c * r[1], c * r[4] - s * r[5]);
}

void tq_rotation_from_quaternion(const double q[4], double r[9])
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

void tq_rotation_about(const double axis[3], double angle, double r[9])
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
