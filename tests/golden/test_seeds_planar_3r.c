/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_planar_3r.c - Taghirad's planar 3R: checklist items 50 to 53. */
#include "tests/support/expect.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

/* TAG: Taghirad, Robotics: Mechanics & Control, ch. 5. LW: Li & Wu, notes to Murray, Li & Sastry
 * ch.
 * 4. SHA: Shafai, statics and dynamics. Numbers were computed from the text's formulas, with their
 * misprints put right, in double precision and printed to 12 digits or more. */

#define G 9.81
enum { N_STATE = 20 };

typedef struct arm {
    tqt_bar bars[3];
    uint32_t n;
    double q[3], qd[3], qdd[3];
    tq_model *model;
    tqt_subject *subject;
} arm;

static void open_arm(arm *a, double g)
{
    a->model = tqt_planar_arm(a->bars, a->n, g);
    a->subject = tqt_subject_new(a->model, 1);
}

static void close_arm(arm *a)
{
    tqt_subject_free(a->subject);
    tqt_model_free(a->model);
}

/* slender bars of any length and mass in any state */
static arm draw_arm(tqt_random *r)
{
    arm a = {.n = 3};
    for (uint32_t k = 0; k < a.n; k++) {
        a.bars[k] = tqt_slender_bar(tqt_random_uniform(r, .2, 1), tqt_random_uniform(r, .5, 3));
        a.q[k] = tqt_random_uniform(r, -3.14, 3.14);
        a.qd[k] = tqt_random_uniform(r, -2, 2);
        a.qdd[k] = tqt_random_uniform(r, -5, 5);
    }
    return a;
}

static arm arm_3r(void)
{
    return (arm){.bars = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5), tqt_slender_bar(.4, 1)},
                 .n = 3,
                 .q = {.5, -.9, .7},
                 .qd = {.7, -1.1, .4},
                 .qdd = {1.3, -.4, .9}};
}

/* J^T f of a unit force along axis `k` of the world at `x` on `link` */
static void force_row(tqt_subject *subject, const double *q, uint32_t link, double x, int k,
                      double *ret_row)
{
    double unit[6] = {0};
    unit[k] = 1.0;
    const tq_external_wrench wrench = {.link = link,
                                       .expressed_in = TQ_FRAME_WORLD,
                                       .at = {x, 0, 0},
                                       .rows = unit,
                                       .row_stride = 1};
    tqt_hold(subject, q, &wrench, ret_row);
    for (uint32_t i = 0; i < subject->model->nv; i++) {
        ret_row[i] = -ret_row[i];
    }
}

static void mass_3r(const arm *a, double ret_m[9])
{
    const double m1 = a->bars[0].mass;
    const double m2 = a->bars[1].mass;
    const double m3 = a->bars[2].mass;
    const double a1 = a->bars[0].length;
    const double a2 = a->bars[1].length;
    const double a3 = a->bars[2].length;
    const double c2 = cos(a->q[1]);
    const double c3 = cos(a->q[2]);
    const double c23 = cos(a->q[1] + a->q[2]);
    ret_m[0] = (m1 / 3 + m2 + m3) * a1 * a1 + (m2 / 3 + m3) * a2 * a2 + m3 * a3 * a3 / 3 +
               (m2 + 2 * m3) * a1 * a2 * c2 + a3 * m3 * (a1 * c23 + a2 * c3);
    ret_m[1] = m2 * (a2 * a2 / 3 + a1 * a2 * c2 / 2) +
               m3 * (a2 * a2 + a3 * a3 / 3 + a1 * a2 * c2 + a1 * a3 * c23 / 2 + a2 * a3 * c3);
    ret_m[2] = m3 * (a3 * a3 / 3 + a1 * a3 * c23 / 2 + a2 * a3 * c3 / 2);
    ret_m[3] = ret_m[1];
    ret_m[4] = m2 * a2 * a2 / 3 + m3 * (a2 * a2 + a3 * a3 / 3 + a2 * a3 * c3);
    ret_m[5] = m3 * (a3 * a3 / 3 + a2 * a3 * c3 / 2);
    ret_m[6] = ret_m[2];
    ret_m[7] = ret_m[5];
    ret_m[8] = m3 * a3 * a3 / 3;
}

/* with a1 c1 in the bracket of m3, which the text leaves out */
static void gravity_3r(const arm *a, double ret_g[3])
{
    const double m1 = a->bars[0].mass;
    const double m2 = a->bars[1].mass;
    const double m3 = a->bars[2].mass;
    const double x1 = a->bars[0].length * cos(a->q[0]);
    const double x2 = a->bars[1].length * cos(a->q[0] + a->q[1]);
    const double x3 = a->bars[2].length * cos(a->q[0] + a->q[1] + a->q[2]);
    ret_g[0] = G * (m1 * x1 / 2 + m2 * (x1 + x2 / 2) + m3 * (x1 + x2 + x3 / 2));
    ret_g[1] = G * (m2 * x2 / 2 + m3 * (x2 + x3 / 2));
    ret_g[2] = G * m3 * x3 / 2;
}

/* with 2 a1 a2 m3 s2 in V2, where the text has half of it */
static void velocity_3r(const arm *a, double ret_v[3])
{
    const double m2 = a->bars[1].mass;
    const double m3 = a->bars[2].mass;
    const double a1 = a->bars[0].length;
    const double a2 = a->bars[1].length;
    const double a3 = a->bars[2].length;
    const double x = a1 * a2 * sin(a->q[1]);
    const double y = a1 * a3 * m3 * sin(a->q[1] + a->q[2]);
    const double z = a2 * a3 * m3 * sin(a->q[2]);
    const double *v = a->qd;
    ret_v[0] = -v[0] * (v[1] * (y + m2 * x + 2 * m3 * x) + v[2] * (y + z)) -
               v[1] * (v[1] * (y / 2 + m2 * x / 2 + m3 * x) + v[2] * (y / 2 + z)) -
               v[2] * (v[2] * (y + z) / 2 + y * v[1] / 2);
    ret_v[1] = (y + m2 * x + 2 * m3 * x) * v[0] * v[0] / 2 - z * v[2] * v[2] / 2 -
               z * (v[0] + v[1]) * v[2];
    ret_v[2] = ((y + z) * v[0] * v[0] + z * v[1] * v[1] + 2 * z * v[0] * v[1]) / 2;
}

Test(seeds, item_050_planar_3r_mass_matrix)
{
    tqt_random r = tqt_random_seed(50);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r);
        open_arm(&a, G);
        double got[9];
        double want[9];
        tqt_mass(a.subject, a.q, got);
        mass_3r(&a, want);
        tqt_expect("M", got, want, 9, TQT_ROUNDING);
        const double turn = a.q[0] + a.q[1] + a.q[2];
        const double half = a.bars[2].length / 2;
        const double x = a.bars[1].length * cos(a.q[0] + a.q[1]) + half * cos(turn);
        const double row_y[3] = {a.bars[0].length * cos(a.q[0]) + x, x, half * cos(turn)};
        force_row(a.subject, a.q, 3, half, 1, got);
        tqt_expect("Jv3 along y", got, row_y, 3, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_051_planar_3r_gravity)
{
    tqt_random r = tqt_random_seed(51);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r);
        open_arm(&a, G);
        double got[3];
        double want[3];
        tqt_gravity(a.subject, a.q, got);
        gravity_3r(&a, want);
        tqt_expect("g", got, want, 3, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_052_planar_3r_velocity_vector)
{
    tqt_random r = tqt_random_seed(52);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r);
        open_arm(&a, G);
        double got[3];
        double want[3];
        tqt_velocity(a.subject, a.q, a.qd, got);
        velocity_3r(&a, want);
        tqt_expect("v", got, want, 3, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_053_planar_3r_numbers)
{
    arm a = arm_3r();
    open_arm(&a, G);
    double x[9];
    tqt_mass(a.subject, a.q, x);
    tqt_expect("M", x,
               (double[9]){4.161488176552191, 1.4558584840835673, .30192504826207067,
                           1.4558584840835673, .7768954582816107, .14511439580747199,
                           .30192504826207067, .14511439580747199, .053333333333333344},
               9, TQT_PRINTED);
    tqt_velocity(a.subject, a.q, a.qd, x);
    /* C qd and tau were first computed with differences of M, good to 1e-9; these are the closed
     * forms above, evaluated apart in double precision, and lie within 5e-10 of them */
    tqt_expect("C qd", x,
               (double[3]){-.22034491528810735, -.32562405194204125, -.0032066959393691336}, 3,
               TQT_PRINTED);
    tqt_gravity(a.subject, a.q, x);
    tqt_expect("g", x, (double[3]){35.467196770396, 11.361758960391, 1.874370191664}, 3,
               TQT_PRINTED);
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, x);
    tqt_expect("tau", x, (double[3]){40.3461756344281, 12.748595710671834, 2.2536203001427735}, 3,
               TQT_PRINTED);
    close_arm(&a);
}
