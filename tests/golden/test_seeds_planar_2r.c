/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_planar_2r.c - planar 2R arms of the founding texts: checklist items 44 to
 * 53, 56 to 60. */
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
 * 4. SHA: Shafai, statics and dynamics. Numbers were computed from the texts' formulas, with their
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

static void draw_state(tqt_random *r, arm *a)
{
    for (uint32_t k = 0; k < a->n; k++) {
        a->q[k] = tqt_random_uniform(r, -3.14, 3.14);
        a->qd[k] = tqt_random_uniform(r, -2, 2);
        a->qdd[k] = tqt_random_uniform(r, -5, 5);
    }
}

/* bars of any length and mass, mass centre and moment of inertia */
static arm draw_arm(tqt_random *r, uint32_t n, int slender)
{
    arm a = {.n = n};
    for (uint32_t k = 0; k < n; k++) {
        a.bars[k] = tqt_slender_bar(tqt_random_uniform(r, .2, 1), tqt_random_uniform(r, .5, 3));
        if (!slender) {
            a.bars[k].com = tqt_random_uniform(r, -.2, .8);
            a.bars[k].inertia = tqt_random_uniform(r, .01, .3);
        }
    }
    draw_state(r, &a);
    return a;
}

static arm arm_2r(void)
{
    return (arm){.bars = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5)},
                 .n = 2,
                 .q = {.5, -.9},
                 .qd = {.7, -1.1},
                 .qdd = {1.3, -.4}};
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

/* TAG example 1: velocities of both mass centres, and angular velocity, as rows of Jacobians */
static void expect_jacobians_2r(arm *a)
{
    const double a1 = a->bars[0].length;
    const double a2 = a->bars[1].length;
    const double s1 = sin(a->q[0]);
    const double c1 = cos(a->q[0]);
    const double s12 = sin(a->q[0] + a->q[1]);
    const double c12 = cos(a->q[0] + a->q[1]);
    const double want[2][2][2] = {
        {{-a1 * s1 / 2, 0}, {a1 * c1 / 2, 0}},
        {{-a1 * s1 - a2 * s12 / 2, -a2 * s12 / 2}, {a1 * c1 + a2 * c12 / 2, a2 * c12 / 2}}};
    const double turn[2][2] = {{1, 0}, {1, 1}};
    for (uint32_t link = 0; link < 2; link++) {
        double row[3];
        for (int k = 0; k < 2; k++) {
            force_row(a->subject, a->q, link + 1, a->bars[link].com, k, row);
            tqt_expect("Jv", row, want[link][k], 2, TQT_ROUNDING);
        }
        force_row(a->subject, a->q, link + 1, 0, 5, row);
        tqt_expect("Jw", row, turn[link], 2, TQT_ROUNDING);
    }
}

static void mass_2r(const arm *a, double ret_m[4])
{
    const double m1 = a->bars[0].mass;
    const double m2 = a->bars[1].mass;
    const double a1 = a->bars[0].length;
    const double a2 = a->bars[1].length;
    const double c2 = cos(a->q[1]);
    ret_m[0] = m1 * a1 * a1 / 3 + m2 * (a1 * a1 + a1 * a2 * c2 + a2 * a2 / 3);
    ret_m[1] = m2 * (a1 * a2 * c2 / 2 + a2 * a2 / 3);
    ret_m[2] = ret_m[1];
    ret_m[3] = m2 * a2 * a2 / 3;
}

static void velocity_2r(const arm *a, double ret_v[2])
{
    const double b = a->bars[1].mass * a->bars[0].length * a->bars[1].length * sin(a->q[1]);
    ret_v[0] = -b * (a->qd[0] * a->qd[1] + a->qd[1] * a->qd[1] / 2);
    ret_v[1] = b * a->qd[0] * a->qd[0] / 2;
}

static void gravity_2r(const arm *a, double ret_g[2])
{
    const double m2 = a->bars[1].mass;
    ret_g[1] = m2 * G * a->bars[1].length * cos(a->q[0] + a->q[1]) / 2;
    ret_g[0] = (a->bars[0].mass / 2 + m2) * G * a->bars[0].length * cos(a->q[0]) + ret_g[1];
}

Test(seeds, item_044_planar_2r_mass_matrix)
{
    tqt_random r = tqt_random_seed(44);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 1);
        open_arm(&a, G);
        double got[4];
        double want[4];
        tqt_mass(a.subject, a.q, got);
        mass_2r(&a, want);
        tqt_expect("M", got, want, 4, TQT_ROUNDING);
        expect_jacobians_2r(&a);
        close_arm(&a);
    }
}

Test(seeds, item_045_planar_2r_gravity)
{
    tqt_random r = tqt_random_seed(45);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 1);
        open_arm(&a, G);
        double got[2];
        double want[2];
        tqt_gravity(a.subject, a.q, got);
        gravity_2r(&a, want);
        tqt_expect("g", got, want, 2, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_046_planar_2r_velocity_vector)
{
    tqt_random r = tqt_random_seed(46);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 1);
        open_arm(&a, G);
        double got[2];
        double want[2];
        tqt_velocity(a.subject, a.q, a.qd, got);
        velocity_2r(&a, want);
        tqt_expect("v", got, want, 2, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_047_planar_2r_numbers)
{
    arm a = arm_2r();
    open_arm(&a, G);
    double x[4];
    tqt_mass(a.subject, a.q, x);
    tqt_expect("M", x, (double[4]){2.0142258438215457, .4037795885774392, .4037795885774392, .18},
               4, TQT_PRINTED);
    const double kinetic =
        (x[0] * a.qd[0] * a.qd[0] + 2 * x[1] * a.qd[0] * a.qd[1] + x[3] * a.qd[1] * a.qd[1]) / 2;
    tqt_expect("K", &kinetic, (double[1]){.2914750485316505}, 1, TQT_PRINTED);
    tqt_velocity(a.subject, a.q, a.qd, x);
    tqt_expect("v", x, (double[2]){-.093059236864, -.138178866858}, 2, TQT_PRINTED);
    tqt_gravity(a.subject, a.q, x);
    tqt_expect("g", x, (double[2]){21.284193622315, 4.066023758026}, 2, TQT_PRINTED);
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, x);
    tqt_expect("tau", x, (double[2]){23.648116146988, 4.380758356318}, 2, TQT_PRINTED);
    close_arm(&a);
    a.bars[0].viscous = .2;
    a.bars[1].viscous = .1;
    open_arm(&a, G);
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, x);
    tqt_expect("tau with friction", x, (double[2]){23.788116146988, 4.270758356318}, 2,
               TQT_PRINTED);
    close_arm(&a);
}

/* TAG's regressor as printed, for phi with phi4 = (m1/2 + m2) a1 (its misprint left a1 out) */
static void regressor_2r(const arm *a, double ret_y[2][7])
{
    const double s2 = sin(a->q[1]);
    const double c2 = cos(a->q[1]);
    const double *v = a->qd;
    const double *u = a->qdd;
    const double gc1 = G * cos(a->q[0]);
    const double gc12 = G * cos(a->q[0] + a->q[1]);
    const double y[2][7] = {{u[0], c2 * (u[0] + u[1] / 2) - s2 * (v[0] * v[1] + v[1] * v[1] / 2),
                             u[1], gc1, gc12, v[0], 0},
                            {0, (c2 * u[0] + s2 * v[0] * v[0]) / 2, u[0] + u[1], 0, gc12, 0, v[1]}};
    memcpy(ret_y, y, sizeof y);
}

static void parameters_2r(const arm *a, double ret_phi[7])
{
    const double m1 = a->bars[0].mass;
    const double m2 = a->bars[1].mass;
    const double a1 = a->bars[0].length;
    const double a2 = a->bars[1].length;
    const double phi[7] = {m1 * a1 * a1 / 3 + m2 * (a1 * a1 + a2 * a2 / 3),
                           m2 * a1 * a2,
                           m2 * a2 * a2 / 3,
                           (m1 / 2 + m2) * a1,
                           m2 * a2 / 2,
                           a->bars[0].viscous,
                           a->bars[1].viscous};
    memcpy(ret_phi, phi, sizeof phi);
}

Test(seeds, item_048_planar_2r_regressor)
{
    tqt_random r = tqt_random_seed(48);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 1);
        a.bars[0].viscous = tqt_random_uniform(&r, 0, 1);
        a.bars[1].viscous = tqt_random_uniform(&r, 0, 1);
        open_arm(&a, G);
        double tau[2];
        double y[2][7];
        double phi[7];
        tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, tau);
        regressor_2r(&a, y);
        parameters_2r(&a, phi);
        double want[2] = {0};
        for (int k = 0; k < 7; k++) {
            want[0] += y[0][k] * phi[k];
            want[1] += y[1][k] * phi[k];
        }
        tqt_expect("Y phi", tau, want, 2, TQT_ROUNDING);
        close_arm(&a);
    }
}

enum { N_ROW = 2 * N_STATE, N_COLUMN = 8 };

/* rank of the first n columns by Gram-Schmidt: random rows leave no singular value near 1e-8 but
 * those that rounding makes of 0 */
static int rank_of(double y[N_ROW][N_COLUMN], int n)
{
    int rank = 0;
    double kept[N_COLUMN][N_ROW];
    for (int c = 0; c < n; c++) {
        double *x = kept[rank];
        double whole = 0;
        for (int i = 0; i < N_ROW; i++) {
            x[i] = y[i][c];
            whole += x[i] * x[i];
        }
        for (int again = 0; again < 2; again++) {
            for (int k = 0; k < rank; k++) {
                double along = 0;
                for (int i = 0; i < N_ROW; i++) {
                    along += kept[k][i] * x[i];
                }
                for (int i = 0; i < N_ROW; i++) {
                    x[i] -= along * kept[k][i];
                }
            }
        }
        double left = 0;
        for (int i = 0; i < N_ROW; i++) {
            left += x[i] * x[i];
        }
        if (whole > 0 && left > 1e-16 * whole) {
            for (int i = 0; i < N_ROW; i++) {
                x[i] /= sqrt(left);
            }
            rank++;
        }
    }
    return rank;
}

/* TAG's seven parameters are seen apart by its Y; the library's torque depends on the eight plain
 * ones (m, m r, moment about the joint, b) through six combinations: the form is not unique */
Test(seeds, item_049_planar_2r_regressor_rank)
{
    tqt_random r = tqt_random_seed(49);
    double printed[N_ROW][N_COLUMN] = {{0}};
    double plain[N_ROW][N_COLUMN] = {{0}};
    arm a = draw_arm(&r, 2, 1);
    for (int i = 0; i < N_STATE; i++) {
        draw_state(&r, &a);
        double y[2][7];
        regressor_2r(&a, y);
        memcpy(printed[2 * i], y[0], sizeof y[0]);
        memcpy(printed[2 * i + 1], y[1], sizeof y[1]);
        for (int c = 0; c < N_COLUMN; c++) {
            /* one parameter at 1: a mass at the joint; at unit distance less that; a moment; b */
            arm one = a;
            const double lengths[2] = {a.bars[0].length, a.bars[1].length};
            for (int k = 0; k < 2; k++) {
                one.bars[k] = (tqt_bar){.length = lengths[k]};
            }
            tqt_bar *bar = &one.bars[c / 4];
            bar->mass = c % 4 <= 1;
            bar->com = c % 4 == 1;
            bar->inertia = c % 4 == 2;
            bar->viscous = c % 4 == 3;
            open_arm(&one, G);
            double tau[2];
            tqt_torque(one.subject, one.q, one.qd, one.qdd, 0, tau);
            plain[2 * i][c] = tau[0];
            plain[2 * i + 1][c] = tau[1];
            close_arm(&one);
        }
    }
    cr_expect(eq(int, rank_of(printed, 7), 7));
    cr_expect(eq(int, rank_of(plain, N_COLUMN), 6));
}

/* LW's alpha, beta, delta of a planar 2R with any mass centres */
static void constants_2r(const arm *a, double ret_abd[3])
{
    const tqt_bar *one = &a->bars[0];
    const tqt_bar *two = &a->bars[1];
    ret_abd[2] = two->inertia + two->mass * two->com * two->com;
    ret_abd[1] = two->mass * one->length * two->com;
    ret_abd[0] = one->inertia + one->mass * one->com * one->com +
                 two->mass * one->length * one->length + ret_abd[2];
}

Test(seeds, item_056_planar_2r_by_mass_centres)
{
    tqt_random r = tqt_random_seed(56);
    double abd[3];
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 0);
        open_arm(&a, 0);
        constants_2r(&a, abd);
        const double bc = abd[1] * cos(a.q[1]);
        const double bs = abd[1] * sin(a.q[1]);
        const double m[4] = {abd[0] + 2 * bc, abd[2] + bc, abd[2] + bc, abd[2]};
        const double c[4] = {-bs * a.qd[1], -bs * (a.qd[0] + a.qd[1]), bs * a.qd[0], 0};
        double got[4];
        tqt_mass(a.subject, a.q, got);
        tqt_expect("M", got, m, 4, TQT_ROUNDING);
        tqt_coriolis(a.subject, a.q, a.qd, got);
        tqt_expect("C", got, c, 4, TQT_ROUNDING);
        close_arm(&a);
    }
    const arm slender = arm_2r();
    constants_2r(&slender, abd);
    tqt_expect("alpha, beta, delta", abd, (double[3]){1.5666666666666667, .36, .18}, 3,
               TQT_PRINTED);
}

Test(seeds, item_057_planar_2r_christoffel_symbols)
{
    tqt_random r = tqt_random_seed(57);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 0);
        open_arm(&a, 0);
        double abd[3];
        constants_2r(&a, abd);
        const double bs = abd[1] * sin(a.q[1]);
        /* LW's upper index is the equation: first all of equation 1, then of equation 2 */
        const double want[8] = {0, -bs, -bs, -bs, bs, 0, 0, 0};
        double got[8];
        tqt_christoffel(a.subject, a.q, got);
        tqt_expect("symbol", got, want, 8, TQT_ROUNDING);
        double c[4];
        tqt_coriolis(a.subject, a.q, a.qd, c);
        const double rate = -bs * a.qd[1]; /* of beta c2 */
        const double w = bs * (2 * a.qd[0] + a.qd[1]);
        const double skew[4] = {2 * rate - 2 * c[0], rate - 2 * c[1], rate - 2 * c[2], -2 * c[3]};
        tqt_expect("Mdot - 2C", skew, (double[4]){0, w, -w, 0}, 4, TQT_ROUNDING);
        close_arm(&a);
    }
}

/* SHA (10), (11) */
static void shafai_2r(const arm *a, double ret_tau[2])
{
    const tqt_bar *b = a->bars;
    const double l1 = b[0].length;
    const double couple = b[1].mass * l1 * b[1].com * cos(a->q[1]);
    const double h = b[1].mass * l1 * b[1].com * sin(a->q[1]);
    const double h22 = b[1].mass * b[1].com * b[1].com + b[1].inertia;
    const double h12 = couple + h22;
    const double h11 =
        b[0].mass * b[0].com * b[0].com + b[0].inertia + b[1].mass * l1 * l1 + 2 * couple + h22;
    const double g2 = b[1].mass * b[1].com * G * cos(a->q[0] + a->q[1]);
    const double g1 = (b[0].mass * b[0].com + b[1].mass * l1) * G * cos(a->q[0]) + g2;
    const double *v = a->qd;
    const double *u = a->qdd;
    ret_tau[0] = h11 * u[0] + h12 * u[1] - h * v[1] * v[1] - 2 * h * v[0] * v[1] + g1;
    ret_tau[1] = h22 * u[1] + h12 * u[0] + h * v[0] * v[0] + g2;
}

Test(seeds, item_058_planar_2r_of_shafai)
{
    tqt_random r = tqt_random_seed(58);
    for (int i = 0; i < N_STATE; i++) {
        arm a = draw_arm(&r, 2, 0);
        open_arm(&a, G);
        double want[2];
        double got[2];
        shafai_2r(&a, want);
        tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, got);
        tqt_expect("tau", got, want, 2, TQT_ROUNDING);
        close_arm(&a);
    }
}

/* SHA (15), V1 with m2 where the text has m1 */
Test(seeds, item_059_planar_2r_point_masses)
{
    arm a = arm_2r();
    a.bars[0] = (tqt_bar){.length = .8, .mass = 2, .com = .8};
    a.bars[1] = (tqt_bar){.length = .6, .mass = 1.5, .com = .6};
    open_arm(&a, G);
    double x[2];
    tqt_velocity(a.subject, a.q, a.qd, x);
    tqt_expect("V", x, (double[2]){-.186118473727, -.276357733717}, 2, TQT_PRINTED);
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, x);
    tqt_expect("tau", x, (double[2]){36.433997042069, 8.923516712636}, 2, TQT_PRINTED);
    close_arm(&a);
}

/* X1: TAG 44 to 46, LW 56 and SHA 58 are one robot: its torque of item 47, printed in the checklist
 * (sympy), from each text's formula and from the library */
Test(seeds, item_060_one_arm_three_sources)
{
    static const double printed[2] = {23.648116146988, 4.380758356318};
    arm a = arm_2r();
    open_arm(&a, G);
    double m[4];
    double v[2];
    double g[2];
    double got[2];
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, got);
    tqt_expect("library", got, printed, 2, TQT_PRINTED);
    mass_2r(&a, m);
    velocity_2r(&a, v);
    gravity_2r(&a, g);
    const double *u = a.qdd;
    const double tag[2] = {m[0] * u[0] + m[1] * u[1] + v[0] + g[0],
                           m[2] * u[0] + m[3] * u[1] + v[1] + g[1]};
    tqt_expect("TAG", tag, printed, 2, TQT_PRINTED);
    double abd[3];
    constants_2r(&a, abd);
    const double bc = abd[1] * cos(a.q[1]);
    const double bs = abd[1] * sin(a.q[1]);
    const double *w = a.qd; /* M = [[alpha + 2 beta c2, delta + beta c2], .. ], C as in item 56 */
    const double lw[2] = {(abd[0] + 2 * bc) * u[0] + (abd[2] + bc) * u[1] - bs * w[1] * w[0] -
                              bs * (w[0] + w[1]) * w[1] + g[0],
                          (abd[2] + bc) * u[0] + abd[2] * u[1] + bs * w[0] * w[0] + g[1]};
    tqt_expect("LW", lw, printed, 2, TQT_PRINTED);
    double sha[2];
    shafai_2r(&a, sha);
    tqt_expect("SHA", sha, printed, 2, TQT_PRINTED);
    close_arm(&a);
}
