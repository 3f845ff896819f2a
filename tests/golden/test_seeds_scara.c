/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_scara.c - Taghirad's SCARA: checklist items 54 and 55. */
#include "tests/support/expect.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

enum { N_STATE = 20 };

/* TAG's first form of M; his second one has a wrong sign and a moment that a slender rod has not */
static void mass(const tqt_scara *s, double q2, double ret_m[9])
{
    const double a1 = s->a[0];
    const double a2 = s->a[1];
    const double c2 = cos(q2);
    const double *m = s->m;
    const double m12 = m[1] * (a1 * a2 * c2 / 2 + a2 * a2 / 3) + m[2] * (a1 * a2 * c2 + a2 * a2);
    const double m11 = m[0] * a1 * a1 / 3 + m[1] * (a1 * a1 + a1 * a2 * c2 + a2 * a2 / 3) +
                       m[2] * (a1 * a1 + 2 * a1 * a2 * c2 + a2 * a2);
    const double all[9] = {m11, m12, 0, m12, m[1] * a2 * a2 / 3 + m[2] * a2 * a2, 0, 0, 0, m[2]};
    for (int k = 0; k < 9; k++) {
        ret_m[k] = all[k];
    }
}

Test(seeds, item_054_scara_closed_forms)
{
    tqt_random r = tqt_random_seed(54);
    for (int i = 0; i < N_STATE; i++) {
        tqt_scara s = {.d1 = .5, .rod = .3, .g = 9.81};
        double q[3];
        double qd[3];
        double qdd[3];
        for (int k = 0; k < 3; k++) {
            s.m[k] = tqt_random_uniform(&r, .5, 4);
            s.a[k / 2] = tqt_random_uniform(&r, .2, .6);
            q[k] = tqt_random_uniform(&r, -3, 3);
            qd[k] = tqt_random_uniform(&r, -2, 2);
            qdd[k] = tqt_random_uniform(&r, -2, 2);
        }
        tq_model *model = tqt_scara_arm(&s);
        tqt_subject *subject = tqt_subject_new(model, 0);
        double m[9];
        double x[9];
        mass(&s, q[1], m);
        tqt_mass(subject, q, x);
        tqt_expect("M", x, m, 9, TQT_ROUNDING);
        const double b = (s.m[1] / 2 + s.m[2]) * s.a[0] * s.a[1] * sin(q[1]);
        const double v[3] = {-2 * b * (qd[0] * qd[1] + qd[1] * qd[1] / 2), b * qd[0] * qd[0], 0};
        tqt_velocity(subject, q, qd, x);
        tqt_expect("v", x, v, 3, TQT_ROUNDING);
        tqt_gravity(subject, q, x);
        tqt_expect("g", x, (double[3]){0, 0, -s.m[2] * s.g}, 3, TQT_ROUNDING);
        tqt_torque(subject, q, qd, qdd, 0, x);
        const double f3 = s.m[2] * (qdd[2] - s.g);
        tqt_expect("f3", &x[2], &f3, 1, TQT_ROUNDING);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
}

/* a unit force along z on the rod: Jv3(3,3) = -1 (the text prints +1, against its own gravity) */
Test(seeds, item_054_scara_rod_goes_down)
{
    const tqt_scara s = {{4, 3, 1}, {.4, .3}, .5, .3, 9.81};
    tq_model *model = tqt_scara_arm(&s);
    tqt_subject *subject = tqt_subject_new(model, 1);
    const double up[6] = {0, 0, 1, 0, 0, 0};
    const tq_external_wrench wrench = {
        .link = 3, .expressed_in = TQ_FRAME_WORLD, .at = {0, 0, .15}, .rows = up, .row_stride = 1};
    double x[3];
    tqt_hold(subject, (double[3]){.3, .8, .1}, &wrench, x);
    tqt_expect("-Jv3 along z", x, (double[3]){0, 0, 1}, 3, TQT_ROUNDING);
    tqt_subject_free(subject);
    tqt_model_free(model);
}

/* computed from the closed forms in double precision, printed to 12 digits */
Test(seeds, item_055_scara_numbers)
{
    const tqt_scara s = {{4, 3, 1}, {.4, .3}, .5, .3, 9.81};
    const double q[3] = {-.4, .8, .2}; /* nothing depends on q1 and d3 */
    const double qd[3] = {.5, -.7, .2};
    const double qdd[3] = {1, -.5, .3};
    tq_model *model = tqt_scara_arm(&s);
    tqt_subject *subject = tqt_subject_new(model, 0);
    double x[9];
    tqt_mass(subject, q, x);
    tqt_expect(
        "M", x,
        (double[9]){1.4513573589416326, .38901201280414965, 0, .38901201280414965, .18, 0, 0, 0, 1},
        9, TQT_PRINTED);
    tqt_velocity(subject, q, qd, x);
    tqt_expect("v", x, (double[3]){.045193433727, .053801706817, 0}, 3, TQT_PRINTED);
    tqt_gravity(subject, q, x);
    tqt_expect("g", x, (double[3]){0, 0, -9.81}, 3, TQT_PRINTED);
    tqt_torque(subject, q, qd, qdd, 0, x);
    tqt_expect("tau", x, (double[3]){1.302044786266, .352813719622, -9.51}, 3, TQT_PRINTED);
    tqt_subject_free(subject);
    tqt_model_free(model);
}
