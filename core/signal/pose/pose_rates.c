/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pose/pose_rates.c - twists of sampled poses. */
#include "core/signal/pose/pose_rates.h"

#include <assert.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/signal/differentiate.h"

/* rotation vector that turns sample a into sample b, in the frame of a */
static void turn_between(const tq_pose_samples *pose, size_t a, size_t b, double ret[3])
{
    double p[4], q[4];
    for (size_t k = 0; k < 4; k++) {
        p[k] = pose->quaternion[k * pose->stride + a];
        q[k] = pose->quaternion[k * pose->stride + b];
    }
    /* conj(p) q */
    const double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    const double v[3] = {p[0] * q[1] - q[0] * p[1] - (p[2] * q[3] - p[3] * q[2]),
                         p[0] * q[2] - q[0] * p[2] - (p[3] * q[1] - p[1] * q[3]),
                         p[0] * q[3] - q[0] * p[3] - (p[1] * q[2] - p[2] * q[1])};
    const double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double factor = sine > 1e-9 ? 2.0 * tq_atan2(sine, w) / sine : 2.0;
    for (size_t k = 0; k < 3; k++) {
        ret[k] = factor * v[k];
    }
}

static void find_angular(const tq_pose_samples *pose, double h, double *ret)
{
    const size_t n = pose->n, stride = pose->stride;
    double first[3], second[3];
    for (size_t i = 1; i + 1 < n; i++) {
        turn_between(pose, i - 1, i + 1, first);
        for (size_t k = 0; k < 3; k++) {
            ret[k * stride + i] = 0.5 * first[k] / h;
        }
    }
    turn_between(pose, 0, 1, first);
    turn_between(pose, 1, 2, second);
    for (size_t k = 0; k < 3; k++) {
        ret[k * stride] = 0.5 * (3.0 * first[k] - second[k]) / h;
    }
    turn_between(pose, n - 2, n - 1, first);
    turn_between(pose, n - 3, n - 2, second);
    for (size_t k = 0; k < 3; k++) {
        ret[k * stride + n - 1] = 0.5 * (3.0 * first[k] - second[k]) / h;
    }
}

/* a + 2 u x (u x a + sign w a), u = (x, y, z): R a, or for sign -1 R^T a */
static void turn(const tq_pose_samples *pose, double sign, double *inout)
{
    const size_t stride = pose->stride;
    for (size_t i = 0; i < pose->n; i++) {
        const double w = sign * pose->quaternion[i], x = pose->quaternion[stride + i];
        const double y = pose->quaternion[2 * stride + i], z = pose->quaternion[3 * stride + i];
        const double a = inout[i], b = inout[stride + i], c = inout[2 * stride + i];
        const double s[3] = {y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c};
        inout[i] = a + 2.0 * (y * s[2] - z * s[1]);
        inout[stride + i] = b + 2.0 * (z * s[0] - x * s[2]);
        inout[2 * stride + i] = c + 2.0 * (x * s[1] - y * s[0]);
    }
}

void tq_pose_to_child(const tq_pose_samples *pose, double *inout)
{
    turn(pose, -1.0, inout);
}

void tq_pose_to_parent(const tq_pose_samples *pose, double *inout)
{
    turn(pose, 1.0, inout);
}

void tq_pose_rates(const tq_pose_samples *pose, double h, double *ret)
{
    assert(pose->n >= 3);
    if (pose->position == NULL) {
        find_angular(pose, h, ret);
        return;
    }
    for (size_t k = 0; k < 3; k++) {
        tq_difference(pose->n, pose->position + k * pose->stride, h, ret + k * pose->stride);
    }
    tq_pose_to_child(pose, ret);
    find_angular(pose, h, ret + 3 * pose->stride);
}
