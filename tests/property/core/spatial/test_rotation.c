/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/spatial/test_rotation.c - rotations by angles, quaternions and axes against
 * products of elementary ones, also in gimbal lock. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/spatial/frame.h"
#include "core/spatial/rotation.h"
#include "tests/support/random.h"

enum { TRIALS = 1000 };
static const double rounding = 4e-16; /* a few eps of entries of at most 1 */
static const double of_squares =
    4e-15; /* doubled products of numbers that are rounded themselves */

static void expect_same(const double *a, const double *b, double within)
{
    for (int k = 0; k < 9; k++) {
        cr_expect(epsilon_eq(dbl, a[k], b[k], within), "%d: %.17g %.17g", k, a[k], b[k]);
    }
}

/* Rz(yaw) Ry(pitch) Rx(roll), factor by factor */
static void by_factors(const double rpy[3], double ret[9])
{
    const double c = cos(rpy[1]), s = sin(rpy[1]);
    const double y[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
    double x[9], z[9];
    tq_mat_x(cos(rpy[0]), sin(rpy[0]), x);
    tq_mat_z(cos(rpy[2]), sin(rpy[2]), z);
    tq_mat_product(y, x, ret);
    tq_mat_product(z, ret, ret);
}

Test(rotation, of_roll_pitch_yaw)
{
    tqt_random random = tqt_random_seed(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        double rpy[3], r[9], want[9], angles[3], again[9];
        for (int k = 0; k < 3; k++) {
            rpy[k] = tqt_random_uniform(&random, -3.0, 3.0);
        }
        if (trial % 4 == 0) { /* gimbal lock, or beside it */
            rpy[1] = (trial % 8 == 0 ? M_PI_2 : -M_PI_2) + (trial % 3 == 0 ? 0.0 : 1e-9);
        }
        tq_rotation_from_rpy(rpy, r);
        by_factors(rpy, want);
        expect_same(r, want, rounding);
        tq_rotation_to_rpy(r, angles);
        tq_rotation_from_rpy(angles, again);
        expect_same(again, r, 2 * rounding);
        cr_expect(fabs(angles[1]) <= M_PI_2);
    }
}

/* about z, x, y by tq_mat_...; the axis stays; quaternions (cos a/2, sin a/2 axis) are the same */
Test(rotation, about_an_axis)
{
    tqt_random random = tqt_random_seed(2);
    const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    for (int trial = 0; trial < TRIALS; trial++) {
        double axis[3], r[9], want[9], stays[3];
        const double angle = tqt_random_uniform(&random, -6.0, 6.0);
        tqt_random_unit(&random, 3, axis);
        tq_rotation_about(axis, angle, r);
        tq_mat_vec(r, axis, stays);
        for (int k = 0; k < 3; k++) {
            cr_expect(epsilon_eq(dbl, stays[k], axis[k], of_squares));
        }
        const double s = sin(0.5 * angle);
        const double q[4] = {cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]};
        tq_rotation_from_quaternion(q, want);
        expect_same(r, want, of_squares);
        tq_mat_of_quaternion(q, want); /* of any length */
        expect_same(r, want, of_squares);
        tq_rotation_about(x, angle, r);
        tq_mat_x(cos(angle), sin(angle), want);
        expect_same(r, want, rounding);
        tq_rotation_about(z, angle, r);
        tq_mat_z(cos(angle), sin(angle), want);
        expect_same(r, want, rounding);
    }
}
