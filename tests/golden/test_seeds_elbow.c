/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_elbow.c - Li & Wu's elbow arm: checklist items 61 to 66. */
#include "tests/support/expect.h"
#include "tests/support/motion.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

enum { N_STATE = 20 };

typedef struct arm {
    tqt_elbow from;
    double q[3], qd[3];
    tq_model *model;
    tqt_subject *subject;
} arm;

/* the numbers of item 66 */
static const tqt_elbow numbers = {.l0 = .5,
                                  .l1 = .4,
                                  .r0 = .2,
                                  .r1 = .15,
                                  .r2 = .25,
                                  .g = 9.81,
                                  .m = {1.2, .9, .7},
                                  .ix = {.02, .03, .015},
                                  .iy = {.021, .012, .011},
                                  .iz = {.013, .034, .017}};

static arm open_arm(tqt_random *r)
{
    arm a = {.from = numbers};
    a.from.l1 = tqt_random_uniform(r, .2, .8);
    a.from.r1 = tqt_random_uniform(r, .05, .5);
    a.from.r2 = tqt_random_uniform(r, .05, .5);
    for (int k = 0; k < 3; k++) {
        a.from.m[k] = tqt_random_uniform(r, .5, 3);
        a.q[k] = tqt_random_uniform(r, -3, 3);
        a.qd[k] = tqt_random_uniform(r, -2, 2);
    }
    a.model = tqt_elbow_arm(&a.from);
    a.subject = tqt_subject_new(a.model, 1);
    return a;
}

static void close_arm(arm *a)
{
    tqt_subject_free(a->subject);
    tqt_model_free(a->model);
}

/* LW's M, all entries */
static void mass_matrix(const tqt_elbow *e, const double *q, double ret_m[9])
{
    const double s2 = sin(q[1]);
    const double c2 = cos(q[1]);
    const double c3 = cos(q[2]);
    const double s23 = sin(q[1] + q[2]);
    const double c23 = cos(q[1] + q[2]);
    const double reach = e->l1 * c2 + e->r2 * c23;
    const double m3 = e->m[2];
    const double m23 = e->ix[2] + m3 * e->r2 * e->r2 + m3 * e->l1 * e->r2 * c3;
    const double m[9] = {e->iy[1] * s2 * s2 + e->iy[2] * s23 * s23 + e->iz[0] + e->iz[1] * c2 * c2 +
                             e->iz[2] * c23 * c23 + e->m[1] * e->r1 * e->r1 * c2 * c2 +
                             m3 * reach * reach,
                         0,
                         0,
                         0,
                         e->ix[1] + e->ix[2] + m3 * e->l1 * e->l1 + e->m[1] * e->r1 * e->r1 +
                             m3 * e->r2 * e->r2 + 2 * m3 * e->l1 * e->r2 * c3,
                         m23,
                         0,
                         m23,
                         e->ix[2] + m3 * e->r2 * e->r2};
    memcpy(ret_m, m, sizeof m);
}

/* twists (0,0,0, 0,0,1), (0,-l0,0, -1,0,0), (0,-l0,l1, -1,0,0): velocities of the world's origin as
 * a point of each child, that is rows of the spatial Jacobian at rest */
Test(seeds, item_061_elbow_frames)
{
    tqt_random r = tqt_random_seed(61);
    arm a = open_arm(&r);
    const tqt_elbow *e = &a.from;
    const double want[3][6] = {
        {0, 0, 0, 0, 0, 1}, {0, -e->l0, 0, -1, 0, 0}, {0, -e->l0, e->l1, -1, 0, 0}};
    const double origin[3][3] = {{0, 0, 0}, {0, 0, -e->l0}, {0, -e->l1, -e->l0}};
    for (uint32_t k = 0; k < 3; k++) {
        double twist[6];
        for (int row = 0; row < 6; row++) {
            double unit[6] = {0};
            double tau[3];
            unit[row] = -1.0;
            tq_external_wrench wrench = {
                .link = k + 1, .expressed_in = TQ_FRAME_WORLD, .rows = unit, .row_stride = 1};
            memcpy(wrench.at, origin[k], sizeof wrench.at);
            tqt_hold(a.subject, (double[3]){0, 0, 0}, &wrench, tau);
            twist[row] = tau[k];
        }
        tqt_expect("twist", twist, want[k], 6, TQT_ROUNDING);
    }
    /* g_sl(0): mass centres at rest, by the reference */
    const double com[3][3] = {{0, 0, e->r0}, {0, e->r1, e->l0}, {0, e->l1 + e->r2, e->l0}};
    tqt_link_motion links[4];
    tqt_move(a.model, &(tqt_state){(double[3]){0, 0, 0}, NULL, NULL}, links);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const double got = (double)links[k + 1].com[i];
            tqt_expect("com", &got, &com[k][i], 1, TQT_ROUNDING);
        }
    }
    close_arm(&a);
}

Test(seeds, item_062_elbow_body_jacobians)
{
    tqt_random r = tqt_random_seed(62);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_arm(&r);
        const tqt_elbow *e = &a.from;
        const double s2 = sin(a.q[1]);
        const double c2 = cos(a.q[1]);
        const double s3 = sin(a.q[2]);
        const double c3 = cos(a.q[2]);
        const double s23 = sin(a.q[1] + a.q[2]);
        const double c23 = cos(a.q[1] + a.q[2]);
        const double want[3][6][3] = {
            {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}},
            {{-e->r1 * c2, 0, 0}, {0, 0, 0}, {0, -e->r1, 0}, {0, -1, 0}, {-s2, 0, 0}, {c2, 0, 0}},
            {{-e->l1 * c2 - e->r2 * c23, 0, 0},
             {0, e->l1 * s3, 0},
             {0, -e->r2 - e->l1 * c3, -e->r2},
             {0, -1, -1},
             {-s23, 0, 0},
             {c23, 0, 0}}};
        for (uint32_t link = 0; link < 3; link++) {
            for (int k = 0; k < 6; k++) {
                double unit[6] = {0};
                double row[3];
                unit[k] = -1.0;
                tq_external_wrench wrench = {
                    .link = link + 1, .expressed_in = TQ_FRAME_LINK, .rows = unit, .row_stride = 1};
                memcpy(wrench.at, a.model->links[link + 1].inertia.com, sizeof wrench.at);
                tqt_hold(a.subject, a.q, &wrench, row);
                tqt_expect("J", row, want[link][k], 3, TQT_ROUNDING);
            }
        }
        close_arm(&a);
    }
}

Test(seeds, item_063_elbow_mass_matrix)
{
    tqt_random r = tqt_random_seed(63);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_arm(&r);
        double got[9];
        double want[9];
        tqt_mass(a.subject, a.q, got);
        mass_matrix(&a.from, a.q, want);
        tqt_expect("M", got, want, 9, TQT_ROUNDING);
        close_arm(&a);
    }
}

/* symbols of the first kind from differences of the text's M: h^4 of fifth derivatives, 1e-10; ten
 * of them are not zero, counting [i][j] and [j][i] apart where they differ in place */
Test(seeds, item_064_elbow_christoffel_symbols)
{
    static const double at[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    tqt_random r = tqt_random_seed(64);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_arm(&r);
        double slope[3][9] = {{0}}; /* dM/dq_k */
        for (int k = 0; k < 3; k++) {
            for (int step = 0; step < 4; step++) {
                double q[3];
                double m[9];
                memcpy(q, a.q, sizeof q);
                q[k] += at[step] * h;
                mass_matrix(&a.from, q, m);
                for (int n = 0; n < 9; n++) {
                    slope[k][n] += weight[step] * m[n] / (12 * h);
                }
            }
        }
        double want[27];
        double got[27];
        int n_nonzero = 0;
        for (int n = 0; n < 27; n++) {
            const int e = n / 9;
            const int x = n / 3 % 3;
            const int y = n % 3;
            want[n] = 0.5 * (slope[y][3 * e + x] + slope[x][3 * e + y] - slope[e][3 * x + y]);
        }
        tqt_christoffel(a.subject, a.q, got);
        for (int n = 0; n < 27; n++) {
            n_nonzero += fabs(got[n]) > 1e-9;
        }
        tqt_expect("symbol", got, want, 27, 1e-9);
        cr_expect(eq(int, n_nonzero, 10));
        close_arm(&a);
    }
}

Test(seeds, item_065_elbow_gravity)
{
    tqt_random r = tqt_random_seed(65);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_arm(&r);
        const tqt_elbow *e = &a.from;
        const double fore = e->m[2] * e->r2 * e->g * cos(a.q[1] + a.q[2]);
        const double want[3] = {0, -(e->m[1] * e->r1 + e->m[2] * e->l1) * e->g * cos(a.q[1]) - fore,
                                -fore};
        double got[3];
        tqt_gravity(a.subject, a.q, got);
        tqt_expect("N", got, want, 3, TQT_ROUNDING);
        close_arm(&a);
    }
}

/* computed from LW's formulas in double precision, printed to 15 digits */
Test(seeds, item_066_elbow_numbers)
{
    const double q[3] = {.3, -.7, 1.1};
    const double qd[3] = {.5, -.4, .8};
    const double qdd[3] = {.2, .3, -.6};
    tq_model *model = tqt_elbow_arm(&numbers);
    tqt_subject *subject = tqt_subject_new(model, 0);
    double x[9];
    tqt_mass(subject, q, x);
    tqt_expect("M", x,
               (double[9]){.267064578029775, 0, 0, 0, .284503456999581, .0905017284997904, 0,
                           .0905017284997904, .05875},
               9, TQT_PRINTED);
    tqt_velocity(subject, q, qd, x);
    tqt_expect("C thd", x, (double[3]){-.0624926233563144, -.0197112480326320, .0196548432152203},
               3, TQT_PRINTED);
    tqt_gravity(subject, q, x);
    tqt_expect("N", x, (double[3]){0, -4.69501873221770, -1.58123146145445}, 3, TQT_PRINTED);
    tqt_torque(subject, q, qd, qdd, 0, x);
    tqt_expect("tau", x, (double[3]){-.00907970775035950, -4.68367998025033, -1.56967609968930}, 3,
               TQT_PRINTED);
    tqt_subject_free(subject);
    tqt_model_free(model);
}
