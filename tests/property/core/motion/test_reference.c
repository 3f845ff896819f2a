/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/motion/test_reference.c - references: derivatives by differences, end points,
 * lines. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/motion/cartesian.h"
#include "core/motion/reference.h"
#include "core/spatial/screw.h"
#include "tests/support/random_robot.h"

static _Alignas(64) unsigned char memory[1 << 20];

Test(reference, laws_start_and_end_at_rest_and_have_their_derivatives)
{
    for (int law = TQ_TIMING_CUBIC; law <= TQ_TIMING_TRAPEZOID; law++) {
        double s[3], fore[3], back[3];
        tq_timing((tq_timing_law)law, 0.3, 0.0, s);
        cr_assert(all(eq(dbl, s[0], 0.0), eq(dbl, s[1], 0.0)), "law %d", law);
        tq_timing((tq_timing_law)law, 0.3, 1.0, s);
        cr_assert(all(epsilon_eq(dbl, s[0], 1.0, 1e-15), eq(dbl, s[1], 0.0)), "law %d", law);
        for (double u = 0.0131; u < 1.0; u += 0.0571) {
            const double h = 1e-5; /* h^2 = 1e-10 times third derivatives of some hundreds */
            tq_timing((tq_timing_law)law, 0.3, u, s);
            tq_timing((tq_timing_law)law, 0.3, u + h, fore);
            tq_timing((tq_timing_law)law, 0.3, u - h, back);
            cr_assert(epsilon_eq(dbl, s[1], (fore[0] - back[0]) / (2 * h), 1e-7), "law %d", law);
            cr_assert(epsilon_eq(dbl, s[2], (fore[1] - back[1]) / (2 * h), 1e-6), "law %d", law);
        }
    }
}

static const double times[4] = {0.5, 1.0, 2.0, 2.5};
static const double points[8] = {0, 1, 1, -1, 0.5, 2, -1, 0};
static const tq_waypoints way = {.n_point = 4, .n_coordinate = 2, .t = times, .x = points};

Test(reference, spline_passes_its_points_and_is_smooth)
{
    double c[8], x[2], xd[2], xdd[2], fore[2], back[2], f1[2], b1[2], skip[2];
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_spline_fit(&way, &scratch, c, NULL), TQ_OK));
    for (int k = 0; k < 4; k++) {
        tq_spline_at(&way, c, times[k], x, xd, xdd);
        cr_assert(epsilon_eq(dbl, x[0], points[2 * k], 1e-14));
        cr_assert(epsilon_eq(dbl, x[1], points[2 * k + 1], 1e-14));
    }
    tq_spline_at(&way, c, 0.5, x, xd, xdd);
    cr_assert(epsilon_eq(dbl, xd[0], 0.0, 1e-13), "at rest at the start");
    tq_spline_at(&way, c, 2.5, x, xd, xdd);
    cr_assert(epsilon_eq(dbl, xd[1], 0.0, 1e-13), "at rest at the end");
    for (double t = 0.52; t < 2.48; t += 0.0317) {
        const double h = 1e-5;
        tq_spline_at(&way, c, t, x, xd, xdd);
        tq_spline_at(&way, c, t + h, fore, f1, skip);
        tq_spline_at(&way, c, t - h, back, b1, skip);
        for (int i = 0; i < 2; i++) {
            cr_assert(epsilon_eq(dbl, xd[i], (fore[i] - back[i]) / (2 * h), 1e-7));
            /* one-sided across a knot: the third derivative jumps, h times some hundreds */
            cr_assert(epsilon_eq(dbl, xdd[i], (f1[i] - b1[i]) / (2 * h), 3e-3));
        }
    }
}

Test(reference, waypoints_stand_outside_and_refuse_bad_times)
{
    double x[2], xd[2], xdd[2];
    tq_waypoints_at(&way, TQ_TIMING_QUINTIC, 0, 9.0, x, xd, xdd);
    cr_assert(all(eq(dbl, x[0], -1.0), eq(dbl, xd[0], 0.0), eq(dbl, xdd[0], 0.0)));
    tq_waypoints_at(&way, TQ_TIMING_QUINTIC, 0, 1.5, x, xd, xdd);
    cr_assert(epsilon_eq(dbl, x[1], 0.5, 1e-15), "half way at half time");
    const double stuck[3] = {0, 1, 1};
    const tq_waypoints bad = {.n_point = 3, .n_coordinate = 1, .t = stuck, .x = stuck};
    tq_error error;
    cr_assert(eq(int, tq_waypoints_check(&bad, &error), TQ_ERR_RANGE));
    cr_assert(all(eq(str, (char *)error.what, "waypoints.t"), eq(sz, error.index, 2)));
    const double nan[2] = {0, NAN};
    const tq_waypoints none = {.n_point = 2, .n_coordinate = 1, .t = times, .x = nan};
    cr_assert(eq(int, tq_waypoints_check(&none, &error), TQ_ERR_NOT_FINITE));
}

Test(reference, fourier_series_has_its_derivatives)
{
    const double offset[2] = {0.3, -0.2}, a[4] = {1, 2, 0.5, -1}, b[4] = {0.1, -0.4, 0.7, 0.2};
    const tq_fourier f = {
        .n_harmonic = 2, .n_coordinate = 2, .frequency = 0.1, .offset = offset, .a = a, .b = b};
    double x[2], xd[2], xdd[2], fore[2], back[2], f1[2], b1[2], skip[2];
    const double t = 1.37, h = 1e-5;
    tq_fourier_at(&f, t, x, xd, xdd);
    tq_fourier_at(&f, t + h, fore, f1, skip);
    tq_fourier_at(&f, t - h, back, b1, skip);
    for (int i = 0; i < 2; i++) {
        cr_assert(epsilon_eq(dbl, xd[i], (fore[i] - back[i]) / (2 * h), 1e-9));
        cr_assert(epsilon_eq(dbl, xdd[i], (f1[i] - b1[i]) / (2 * h), 1e-9));
    }
    tq_fourier_at(&f, t + 10.0, fore, f1, skip);
    cr_assert(epsilon_eq(dbl, x[0], fore[0], 1e-14), "period 1 / frequency");
}

/* item 93: an RRP arm along a straight line */
static tq_model *rrp(void)
{
    tq_model *m = tqt_model_new(4);
    m->joints[0] = (tq_joint){.kind = TQ_JOINT_REVOLUTE,
                              .parent = 0,
                              .child = 1,
                              .origin = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                              .axis = {0, 0, 1},
                              .limits = {-INFINITY, INFINITY, INFINITY, INFINITY},
                              .mimic = TQ_NONE};
    m->joints[1] = m->joints[0];
    m->joints[1].parent = 1, m->joints[1].child = 2;
    m->joints[1].axis[0] = 1, m->joints[1].axis[2] = 0;
    m->joints[1].origin.p[0] = 0.1, m->joints[1].origin.p[2] = 0.2;
    m->joints[2] = m->joints[0];
    m->joints[2].kind = TQ_JOINT_PRISMATIC, m->joints[2].parent = 2, m->joints[2].child = 3;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

Test(seeds, item_093_straight_line_by_inverse_kinematics)
{
    tq_model *model = rrp();
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    const double t_end[2] = {0, 2};
    const tq_pose ends[2] = {{.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.10, 0.15, 0.35}},
                             {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.25, 0.05, 0.55}}};
    const tq_cartesian_path path = {.link = 3,
                                    .axes = {true, true, true, false, false, false},
                                    .n_pose = 2,
                                    .t = t_end,
                                    .pose = ends,
                                    .law = TQ_TIMING_QUINTIC};
    double q[3] = {0.4, 0.6, 0.25}, qd[3], qdd[3], near[3], qd1[3], qdd1[3], back[3], qd0[3],
           qdd0[3];
    cr_assert(eq(int, tq_cartesian_at(model, &path, 0, &scratch, q, qd, qdd, NULL), TQ_OK));
    for (double t = 0.1; t < 2.0; t += 0.1) {
        cr_assert(eq(int, tq_cartesian_at(model, &path, t, &scratch, q, qd, qdd, NULL), TQ_OK));
        tq_configuration p;
        const size_t mark = tq_scratch_mark(&scratch);
        cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
        double s[3];
        tq_timing(TQ_TIMING_QUINTIC, 0, t / 2, s);
        cr_assert(epsilon_eq(dbl, p.pose[3].p[0], 0.10 + 0.15 * s[0], 1e-9));
        cr_assert(epsilon_eq(dbl, p.pose[3].p[2], 0.35 + 0.20 * s[0], 1e-9));
        /* J(q) qd = V at the returned q itself */
        double jacobian[6 * 3];
        const double v[3] = {0.15 * s[1] / 2, -0.10 * s[1] / 2, 0.20 * s[1] / 2};
        tq_configuration_jacobian(&p, 3, (double[3]){0}, TQ_JACOBIAN_WORLD_ALIGNED, jacobian, NULL);
        for (int r = 0; r < 3; r++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++) {
                sum += jacobian[r * 3 + i] * qd[i];
            }
            cr_assert(epsilon_eq(dbl, sum, v[r], 1e-14), "t %g row %d", t, r);
        }
        tq_scratch_rewind(&scratch, mark);
        const double h = 1e-4;
        for (int i = 0; i < 3; i++) {
            near[i] = back[i] = q[i];
        }
        cr_assert(
            eq(int, tq_cartesian_at(model, &path, t + h, &scratch, near, qd1, qdd1, NULL), TQ_OK));
        cr_assert(
            eq(int, tq_cartesian_at(model, &path, t - h, &scratch, back, qd0, qdd0, NULL), TQ_OK));
        for (int i = 0; i < 3; i++) { /* differences: h^2 = 1e-8, and 1e-9 of reach over h */
            cr_assert(epsilon_eq(dbl, qd[i], (near[i] - back[i]) / (2 * h), 2e-5));
            cr_assert(epsilon_eq(dbl, qdd[i], (qd1[i] - qd0[i]) / (2 * h), 2e-5));
        }
    }
    cr_assert(eq(sz, scratch.used, 0));
    /* within reach, but on the first axis the arm cannot move sideways */
    tq_pose far[2] = {ends[0], ends[1]};
    far[1].p[0] = 0.0, far[1].p[1] = 0.0;
    tq_cartesian_path through = path;
    through.pose = far;
    tq_error error;
    const tq_status status = tq_cartesian_at(model, &through, 2.0, &scratch, q, qd, qdd, &error);
    cr_assert(ne(int, status, TQ_OK), "the point on the first axis is inside the arm's hole");
    cr_assert(eq(str, (char *)error.what, "path"));
    tqt_model_free(model);
}
