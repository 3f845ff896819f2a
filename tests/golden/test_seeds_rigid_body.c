/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_rigid_body.c - checklist items 1 to 4, 7, 9, 10 and 19: a rigid body by
 * itself; the others are in test_seeds_bodies.c. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/dynamics/rigid_body.h"
#include "core/model/inertia.h"

/* one unit of rounding on numbers near 1, times the few dozen operations of these formulas */
static const double tiny = 64 * 0x1p-52;

static void rotation_of(double roll, double pitch, double yaw, double r[9])
{
    const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch), cy = cos(yaw),
                 sy = sin(yaw);
    const double m[9] = {cy * cp,
                         cy * sp * sr - sy * cr,
                         cy * sp * cr + sy * sr,
                         sy * cp,
                         sy * sp * sr + cy * cr,
                         sy * sp * cr - cy * sr,
                         -sp,
                         cp * sr,
                         cp * cr};
    memcpy(r, m, sizeof m);
}

static const tq_inertia sample = {.mass = 1.7,
                                  .com = {0.11, -0.07, 0.23},
                                  .about_com = {0.031, 0.004, -0.006, 0.027, 0.003, 0.019}};

Test(seeds, item_001_angular_acceleration)
{
    const double none[3] = {0}, z[3] = {0, 0, 1};
    double w[3], wd[3];
    tq_axis_angle_motion(z, none, 0.7, -1.3, w, wd);
    cr_assert(eq(dbl, wd[2], -1.3));
    /* a rotating angular velocity (w cos pt, w sin pt, 0): |wd| = w p, perpendicular to w (ERR-T18)
     */
    const double rate = 2.5, p = 0.8, t = 0.6;
    const double axis[3] = {cos(p * t), sin(p * t), 0},
                 turn[3] = {-p * sin(p * t), p * cos(p * t), 0};
    tq_axis_angle_motion(axis, turn, rate, 0.0, w, wd);
    cr_assert(epsilon_eq(dbl, sqrt(wd[0] * wd[0] + wd[1] * wd[1] + wd[2] * wd[2]), rate * p, tiny));
    cr_assert(epsilon_eq(dbl, w[0] * wd[0] + w[1] * wd[1] + w[2] * wd[2], 0.0, tiny));
}

/* a frame that turns about z by a(t) and travels, with a point that moves in it; all cubic in t */
static void path(double t, double out[3])
{
    const double a = 0.3 + 0.7 * t - 0.4 * t * t, c = cos(a), s = sin(a);
    const double x = 0.2 + 0.5 * t + 0.3 * t * t, y = -0.1 + 0.4 * t, z = 0.6 - 0.2 * t * t;
    out[0] = 1.0 + 0.3 * t + c * x - s * y;
    out[1] = -0.5 * t * t + s * x + c * y;
    out[2] = 0.1 * t + z;
}

static tq_point_motion motion_at(double t)
{
    const double a = 0.3 + 0.7 * t - 0.4 * t * t;
    tq_point_motion m = {
        .origin_velocity = {0.3, -t, 0.1},
        .origin_acceleration = {0, -1, 0},
        .w = {0, 0, 0.7 - 0.8 * t},
        .wd = {0, 0, -0.8},
        .position = {0.2 + 0.5 * t + 0.3 * t * t, -0.1 + 0.4 * t, 0.6 - 0.2 * t * t},
        .velocity = {0.5 + 0.6 * t, 0.4, -0.4 * t},
        .acceleration = {0.6, 0, -0.4}};
    rotation_of(0, 0, a, m.r);
    return m;
}

Test(seeds, item_002_003_004_point_motion)
{
    const double t = 0.37, h = 1e-3;
    const tq_point_motion m = motion_at(t);
    double v[3], fore[3], here[3], back[3], fore2[3], back2[3];
    tq_point_acceleration a;
    tq_point_velocity(&m, v);
    tq_point_acceleration_of(&m, &a);
    path(t + h, fore), path(t, here), path(t - h, back), path(t + 2 * h, fore2),
        path(t - 2 * h, back2);
    for (int k = 0; k < 3; k++) {
        const double dv = (8 * (fore[k] - back[k]) - (fore2[k] - back2[k])) / (12 * h);
        const double da =
            (16 * (fore[k] + back[k]) - (fore2[k] + back2[k]) - 30 * here[k]) / (12 * h * h);
        cr_assert(epsilon_eq(dbl, v[k], dv, 1e-11), "fourth-order difference, h^4 = 1e-12");
        cr_assert(epsilon_eq(dbl, a.total[k], da, 1e-9), "eps / h^2 = 2e-10");
    }
    tq_point_motion fixed = m;
    memset(fixed.velocity, 0, sizeof fixed.velocity);
    memset(fixed.acceleration, 0, sizeof fixed.acceleration);
    tq_point_acceleration_of(&fixed, &a);
    cr_assert(all(eq(dbl, a.coriolis[0], 0.0), eq(dbl, a.relative[0], 0.0)),
              "item 4: embedded point");
}

Test(seeds, item_009_box)
{
    const double size[3] = {0.5, 0.2, 0.3};
    tq_inertia box;
    cr_assert(eq(int, tq_inertia_of_shape(TQ_SHAPE_BOX, 6.0, size, &box, NULL), TQ_OK));
    cr_assert(epsilon_eq(dbl, box.about_com[0], 6.0 * (0.2 * 0.2 + 0.3 * 0.3) / 12, tiny));
    cr_assert(epsilon_eq(dbl, box.about_com[3], 6.0 * (0.5 * 0.5 + 0.3 * 0.3) / 12, tiny));
    cr_assert(epsilon_eq(dbl, box.about_com[5], 6.0 * (0.5 * 0.5 + 0.2 * 0.2) / 12, tiny));
    cr_assert(eq(dbl, box.about_com[1], 0.0));
}

Test(seeds, item_007_principal_axes)
{
    double value[3], axes[9];
    tq_symmetric_eigen(sample.about_com, value, axes);
    const double *s = sample.about_com;
    cr_assert(epsilon_eq(dbl, value[0] + value[1] + value[2], s[0] + s[3] + s[5], tiny));
    cr_assert(all(le(dbl, value[0], value[1]), le(dbl, value[1], value[2])));
    tq_pose turned = {.p = {0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turned.r[3 * i + j] = axes[3 * j + i]; /* R^T I R */
        }
    }
    const tq_inertia diagonal = tq_inertia_move(&sample, &turned);
    cr_assert(all(epsilon_eq(dbl, diagonal.about_com[1], 0.0, tiny),
                  epsilon_eq(dbl, diagonal.about_com[2], 0.0, tiny),
                  epsilon_eq(dbl, diagonal.about_com[4], 0.0, tiny)));
    const double *a = axes;
    const double det = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                       a[2] * (a[3] * a[7] - a[4] * a[6]);
    cr_assert(epsilon_eq(dbl, det, 1.0, tiny), "right-handed");
}

Test(seeds, item_010_parallel_axis_has_minus_products)
{
    double origin[6];
    tq_inertia_about_origin(&sample, origin);
    /* ERR-T1: AIxy = CIxy - m xc yc */
    cr_assert(epsilon_eq(dbl, origin[1], 0.004 - 1.7 * 0.11 * -0.07, tiny));
    cr_assert(epsilon_eq(dbl, origin[0], 0.031 + 1.7 * (0.07 * 0.07 + 0.23 * 0.23), tiny));
    tq_inertia back;
    tq_inertia_from_origin(sample.mass, sample.com, origin, &back);
    for (int k = 0; k < 6; k++) {
        cr_assert(epsilon_eq(dbl, back.about_com[k], sample.about_com[k], tiny));
    }
}

Test(seeds, item_019_consistency)
{
    tq_consistency c;
    tq_inertia_check(&sample, &c);
    cr_assert(all(eq(int, c.mass_positive, 1), eq(int, c.definite, 1), eq(int, c.triangle, 1),
                  gt(dbl, c.margin, 0.0)));
    tq_inertia broken = sample;
    broken.about_com[5] = 0.09; /* more than xx + yy */
    tq_inertia_check(&broken, &c);
    cr_assert(all(eq(int, c.definite, 1), eq(int, !c.triangle, 1), lt(dbl, c.margin, 0.0)));
    broken.about_com[0] = -0.01;
    tq_inertia_check(&broken, &c);
    cr_assert(all(eq(int, !c.definite, 1), eq(int, !c.triangle, 1)));
    const double bar[3] = {0.5};
    tq_inertia thin;
    cr_assert(eq(int, tq_inertia_of_shape(TQ_SHAPE_BAR, 1.0, bar, &thin, NULL), TQ_OK));
    tq_inertia_check(&thin, &c);
    cr_assert(all(eq(int, !c.definite, 1), eq(int, c.triangle, 1)),
              "a bar is physical, but has no inertia about itself");
    tq_inertia nan = sample;
    nan.about_com[0] = NAN;
    tq_inertia_check(&nan, &c);
    cr_assert(all(eq(int, !c.definite, 1), eq(int, !c.triangle, 1)));
}

Test(seeds, item_019_nearest_consistent)
{
    tq_inertia broken = sample, near;
    broken.about_com[5] = 0.09;
    tq_consistency c;
    cr_assert(eq(int, tq_inertia_nearest(&broken, 1e-3, 1e-3, &near, NULL), TQ_OK));
    tq_inertia_check(&near, &c);
    cr_assert(all(eq(int, c.definite, 1), eq(int, c.triangle, 1)));
    cr_assert(epsilon_eq(dbl, c.margin, 1e-3, 1e-12), "on the floor");
    cr_assert(eq(int, tq_inertia_nearest(&sample, 1e-3, 1e-3, &near, NULL), TQ_OK));
    for (int k = 0; k < 6; k++) {
        cr_assert(epsilon_eq(dbl, near.about_com[k], sample.about_com[k], tiny),
                  "a good inertia stays");
    }
    tq_error error;
    cr_assert(eq(int, tq_inertia_nearest(&sample, 0.5, 1e-3, &near, &error), TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "floor"));
}
