/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/rotation.c - rotation vectors: exponential, logarithm and their
 * Jacobians. */
#include "core/identify/kinematic/rotation.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

static const double small = 0.3; /* below: series, whose next term is under 1e-16 */

void tq_rotation_exp(const double v[3], double ret[9])
{
    const double square = tq_dot3(v, v);
    const double angle = sqrt(square);
    const double factor = angle < 1e-4 ? 0.5 - square / 48.0 : tq_sin(0.5 * angle) / angle;
    const double quaternion[4] = {tq_cos(0.5 * angle), factor * v[0], factor * v[1], factor * v[2]};
    tq_mat_of_quaternion(quaternion, ret);
}

void tq_rotation_log(const double r[9], double ret[3])
{
    double quaternion[4];
    tq_quaternion_of_mat(r, quaternion);
    const double sine = sqrt(tq_dot3(quaternion + 1, quaternion + 1));
    const double factor =
        sine < 1e-12 ? 2.0 : 2.0 * tq_atan2(sine, quaternion[0]) / sine; /* w >= 0 */
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = factor * quaternion[1 + k];
    }
}

/* 1 + a [v] + b [v]^2 */
static void polynomial(const double v[3], double a, double b, double ret[9])
{
    const double cross[9] = {0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0};
    double square[9];
    tq_mat_product(cross, cross, square);
    for (unsigned k = 0; k < 9; k++) {
        ret[k] = (k % 4 == 0 ? 1.0 : 0.0) + a * cross[k] + b * square[k];
    }
}

void tq_rotation_left(const double v[3], double ret[9])
{
    const double x = tq_dot3(v, v);
    const double angle = sqrt(x);
    if (angle < small) {
        polynomial(v, 0.5 - x / 24.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0))),
                   1.0 / 6.0 - x / 120.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0))),
                   ret);
        return;
    }
    const double half = tq_sin(0.5 * angle) / angle;
    polynomial(v, 2.0 * half * half, (angle - tq_sin(angle)) / (x * angle), ret);
}

void tq_rotation_left_inverse(const double v[3], double ret[9])
{
    const double x = tq_dot3(v, v);
    const double angle = sqrt(x);
    const double square =
        angle < small
            ? 1.0 / 12.0 +
                  x / 720.0 * (1.0 + x / 42.0 * (1.0 + x / 40.0 * (1.0 + 10.0 * x / 396.0)))
            : (1.0 - 0.5 * angle / tq_tan(0.5 * angle)) / x;
    polynomial(v, -0.5, square, ret);
}
