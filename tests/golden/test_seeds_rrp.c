/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_rrp.c - the RRP homework: checklist items 83 to 95. */
#include "core/dynamics/kinematics/configuration.h"
#include "tests/support/expect.h"
#include "tests/support/particles.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

/* HW: Spinner & Tsadok, HW3, Kinematics, Dynamics, and Control of Robots, 2021. Numbers without
 * another origin come from its formulas, misprints put right, in double precision. */

enum { N_STATE = 20 };

typedef struct arm {
    tqt_rrp from;
    double q[3], qd[3], qdd[3];
    tq_model *model;
    tqt_subject *subject;
} arm;

/* the state of items 91 and 92 */
static arm open_homework(void)
{
    arm a = {
        .from = tqt_rrp_homework, .q = {.4, .6, .25}, .qd = {.7, -.5, .3}, .qdd = {.2, -.1, .4}};
    a.model = tqt_rrp_arm(&a.from);
    a.subject = tqt_subject_new(a.model, 1);
    return a;
}

static arm open_random(tqt_random *r)
{
    arm a = {.from = {.height = .2,
                      .reach = tqt_random_uniform(r, .05, .5),
                      .rod = tqt_random_uniform(r, .05, .5),
                      .g = 9.81}};
    for (int k = 0; k < 4; k++) {
        a.from.m[k] = tqt_random_uniform(r, .1, 3);
    }
    for (int k = 0; k < 3; k++) {
        a.q[k] = tqt_random_uniform(r, -3, 3);
        a.qd[k] = tqt_random_uniform(r, -2, 2);
        a.qdd[k] = tqt_random_uniform(r, -5, 5);
    }
    a.model = tqt_rrp_arm(&a.from);
    a.subject = tqt_subject_new(a.model, 1);
    return a;
}

static void close_arm(arm *a)
{
    tqt_subject_free(a->subject);
    tqt_model_free(a->model);
}

/* J^T w of a unit force (k < 3) or moment at height z on `link`, along world or link axes */
static void wrench_row(arm *a, uint32_t link, tq_frame frame, double z, int k, double *ret_row)
{
    double unit[6] = {0};
    unit[k] = 1.0;
    const tq_external_wrench wrench = {
        .link = link, .expressed_in = frame, .at = {0, 0, z}, .rows = unit, .row_stride = 1};
    tqt_hold(a->subject, a->q, &wrench, ret_row);
    for (int i = 0; i < 3; i++) {
        ret_row[i] = -ret_row[i];
    }
}

static void tool_place(const tqt_rrp *from, const double *q, double ret_x[3])
{
    const double s1 = sin(q[0]);
    const double c1 = cos(q[0]);
    const double u = q[2] * sin(q[1]);
    ret_x[0] = from->reach * c1 + u * s1;
    ret_x[1] = from->reach * s1 - u * c1;
    ret_x[2] = from->height + q[2] * cos(q[1]);
}

/* derivative of the tool's place, row k for coordinate k of the place */
static void tool_jacobian(const tqt_rrp *from, const double *q, double ret_j[3][3])
{
    const double s1 = sin(q[0]);
    const double c1 = cos(q[0]);
    const double s2 = sin(q[1]);
    const double c2 = cos(q[1]);
    const double d = q[2];
    const double j[3][3] = {{-from->reach * s1 + d * s2 * c1, d * c2 * s1, s2 * s1},
                            {from->reach * c1 + d * s2 * s1, -d * c2 * c1, -s2 * c1},
                            {0, -d * s2, c2}};
    for (int k = 0; k < 9; k++) {
        ret_j[k / 3][k % 3] = j[k / 3][k % 3];
    }
}

static void mass_matrix(const arm *a, double ret_h[9])
{
    const double m2 = a->from.m[1];
    const double m3 = a->from.m[2];
    const double m4 = a->from.m[3];
    const double l = a->from.reach;
    const double l1 = a->from.rod;
    const double s2 = sin(a->q[1]);
    const double c2 = cos(a->q[1]);
    const double d = a->q[2];
    const double swing = l1 * l1 * m3 / 3 + d * d * (m3 + m4) - l1 * d * m3;
    const double h12 = -l * d * c2 * (m3 + m4) + l * c2 * l1 * m3 / 2;
    const double h13 = -l * s2 * (m3 + m4);
    const double h11 = l * l * (m2 / 3 + m3 + m4) + swing * s2 * s2;
    const double h[9] = {h11, h12, h13, h12, swing, 0, h13, 0, m3 + m4};
    for (int k = 0; k < 9; k++) {
        ret_h[k] = h[k];
    }
}

/* with d3dot before the first bracket of C11 and m3 in its last term, which the text has not */
static void coriolis_matrix(const arm *a, double ret_c[9])
{
    const double m3 = a->from.m[2];
    const double m34 = m3 + a->from.m[3];
    const double l = a->from.reach;
    const double l1 = a->from.rod;
    const double s2 = sin(a->q[1]);
    const double c2 = cos(a->q[1]);
    const double d = a->q[2];
    const double *v = a->qd;
    const double twice = sin(2 * a->q[1]) * (l1 * l1 * m3 / 6 + d * d * m34 / 2 - l1 * d * m3 / 2);
    const double pull = d * m34 - l1 * m3 / 2;
    const double c[9] = {v[2] * s2 * s2 * pull + v[1] * twice,
                         v[0] * twice - v[2] * l * c2 * m34 + v[1] * l * s2 * pull,
                         v[0] * s2 * s2 * pull - v[1] * l * c2 * m34,
                         -v[0] * twice,
                         v[2] * pull,
                         v[1] * pull,
                         -v[0] * s2 * s2 * pull,
                         -v[1] * pull,
                         0};
    for (int k = 0; k < 9; k++) {
        ret_c[k] = c[k];
    }
}

static void gravity(const arm *a, double ret_g[3])
{
    const double m34 = a->from.m[2] + a->from.m[3];
    ret_g[0] = 0;
    ret_g[1] = -a->from.g * sin(a->q[1]) * (a->q[2] * m34 - a->from.rod * a->from.m[2] / 2);
    ret_g[2] = a->from.g * cos(a->q[1]) * m34;
}

Test(seeds, item_083_rrp_tool_place)
{
    tqt_random r = tqt_random_seed(83);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        double want[3];
        tool_place(&a.from, a.q, want);
        tq_configuration posture;
        tq_scratch scratch;
        static _Alignas(64) unsigned char memory[1 << 16];
        tq_scratch_init(&scratch, memory, sizeof memory);
        cr_assert(
            eq(int, tq_configuration_compute(a.model, a.q, NULL, &scratch, &posture, NULL), TQ_OK));
        tqt_expect("tool", posture.pose[3].p, want, 3, TQT_ROUNDING);
        /* the library's derivative of that place is the same */
        double j[3][3];
        tool_jacobian(&a.from, a.q, j);
        for (int k = 0; k < 3; k++) {
            double got[3];
            wrench_row(&a, 3, TQ_FRAME_WORLD, 0, k, got);
            tqt_expect("dx/dq", got, j[k], 3, TQT_ROUNDING);
        }
        close_arm(&a);
    }
}

Test(seeds, item_084_rrp_masses)
{
    /* pi D^2/4 rho length with D = 15 mm, 7800 kg/m^3: deduced, the text gives the masses only */
    const double density = acos(-1.0) * .015 * .015 / 4 * 7800;
    const tqt_rrp *from = &tqt_rrp_homework;
    const double got[3] = {density * from->height, density * from->reach, density * from->rod};
    tqt_expect("mass", got, from->m, 3, 5e-5); /* printed to four digits */
    /* the model weighs their sum */
    tq_model *fixed = tqt_rrp_arm(from);
    tq_model *model = tqt_floating_copy(fixed);
    tqt_subject *subject = tqt_subject_new(model, 0);
    double tau[9];
    tqt_gravity(subject, (double[10]){0, 0, 0, 1, 0, 0, 0, .4, .6, .25}, tau);
    tqt_expect("weight", tau, (double[3]){0, 0, 1.0513 * 9.81}, 3, TQT_ROUNDING);
    tqt_subject_free(subject);
    tqt_model_free(model);
    tqt_model_free(fixed);
}

Test(seeds, item_085_rrp_inertias)
{
    tq_model *model = tqt_rrp_arm(&tqt_rrp_homework);
    /* printed from unrounded masses, to four digits */
    tqt_expect("I1", model->links[1].inertia.about_com, (double[6]){.9189e-3, 0, 0, .9189e-3, 0, 0},
               6, 2e-7);
    tqt_expect("I2", model->links[2].inertia.about_com, (double[6]){0, 0, 0, .1149e-3, 0, .1149e-3},
               6, 1e-7);
    tqt_model_free(model);
}

/* text: velocity rows of J3 and J4 in the axes of link 3; last row of J3 is (c2, 0, 0) (misprint:
 * 0)
 */
Test(seeds, item_086_rrp_body_jacobians)
{
    tqt_random r = tqt_random_seed(86);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        const double s2 = sin(a.q[1]);
        const double c2 = cos(a.q[1]);
        const double l = a.from.reach;
        for (int tip = 0; tip < 2; tip++) {
            const double z = tip ? 0 : -a.from.rod / 2;
            const double d = a.q[2] + z;
            const double want[6][3] = {{d * s2, 0, 0}, {l * c2, -d, 0}, {-l * s2, 0, 1},
                                       {0, 1, 0},      {s2, 0, 0},      {c2, 0, 0}};
            for (int k = 0; k < 6; k++) {
                double got[3];
                wrench_row(&a, 3, TQ_FRAME_LINK, z, k, got);
                tqt_expect("J", got, want[k], 3, TQT_ROUNDING);
            }
        }
        close_arm(&a);
    }
}

Test(seeds, item_087_rrp_mass_matrix)
{
    tqt_random r = tqt_random_seed(87);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        double got[9];
        double want[9];
        tqt_mass(a.subject, a.q, got);
        mass_matrix(&a, want);
        tqt_expect("H", got, want, 9, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_088_rrp_coriolis_matrix)
{
    tqt_random r = tqt_random_seed(88);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        double got[9];
        double want[9];
        tqt_coriolis(a.subject, a.q, a.qd, got);
        coriolis_matrix(&a, want);
        tqt_expect("C", got, want, 9, 10 * TQT_ROUNDING); /* differences of v at numbers near 100 */
        close_arm(&a);
    }
}

Test(seeds, item_089_rrp_gravity)
{
    tqt_random r = tqt_random_seed(89);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        double got[3];
        double want[3];
        tqt_gravity(a.subject, a.q, got);
        gravity(&a, want);
        tqt_expect("G", got, want, 3, TQT_ROUNDING);
        close_arm(&a);
    }
}

Test(seeds, item_090_rrp_skew_symmetry)
{
    static const double at[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    tqt_random r = tqt_random_seed(90);
    for (int i = 0; i < N_STATE; i++) {
        arm a = open_random(&r);
        double c[9];
        double rate[9] = {0};
        tqt_coriolis(a.subject, a.q, a.qd, c);
        for (int step = 0; step < 4; step++) {
            double q[3];
            double m[9];
            for (int k = 0; k < 3; k++) {
                q[k] = a.q[k] + at[step] * h * a.qd[k];
            }
            tqt_mass(a.subject, q, m);
            for (int k = 0; k < 9; k++) {
                rate[k] += weight[step] * m[k] / (12 * h);
            }
        }
        for (int k = 0; k < 9; k++) {
            const int mirror = k % 3 * 3 + k / 3;
            const double sum = rate[k] - 2 * c[k] + rate[mirror] - 2 * c[mirror];
            /* h^4 of the fifth derivative: 1e-12 * 4^5 * numbers below 30 */
            tqt_expect("N + N^T", &sum, (double[1]){0}, 1, 1e-7);
        }
        close_arm(&a);
    }
}

Test(seeds, item_091_rrp_numbers)
{
    arm a = open_homework();
    double x[9];
    tqt_mass(a.subject, a.q, x);
    tqt_expect("H", x,
               (double[9]){.0185944467405614, -.0125913201410621, -.0360128969531354,
                           -.0125913201410621, .0368768333333333, 0, -.0360128969531354, 0, .6378},
               9, TQT_PRINTED);
    tqt_velocity(a.subject, a.q, a.qd, x);
    tqt_expect("C qd", x, (double[3]){.0263443177427106, -.0541888092581746, -.0619732817393745}, 3,
               TQT_PRINTED);
    tqt_gravity(a.subject, a.q, x);
    tqt_expect("G", x, (double[3]){0, -.845051604820648, 5.16397473140794}, 3, TQT_PRINTED);
    tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, x);
    tqt_expect("tau", x, (double[3]){.0169171803236749, -.905446361440368, 5.34991887027794}, 3,
               TQT_PRINTED);
    close_arm(&a);
}

/* wrench of the ground on the robot, world axes, about the foot of the post */
static void ground_wrench(tqt_subject *floating, const double *q, const double *qd,
                          const double *qdd, double ret_wrench[6])
{
    const double place[10] = {0, 0, 0, 1, 0, 0, 0, q[0], q[1], q[2]};
    const double rate[9] = {0, 0, 0, 0, 0, 0, qd[0], qd[1], qd[2]};
    const double bend[9] = {0, 0, 0, 0, 0, 0, qdd[0], qdd[1], qdd[2]};
    double tau[9];
    tqt_torque(floating, place, rate, bend, 0, tau);
    for (int k = 0; k < 6; k++) {
        ret_wrench[k] = tau[k];
    }
}

Test(seeds, item_092_rrp_base_wrench)
{
    arm a = open_homework();
    tq_model *model = tqt_floating_copy(a.model);
    tqt_subject *floating = tqt_subject_new(model, 0);
    double w[6];
    ground_wrench(floating, a.q, a.qd, a.qdd, w);
    const double s1 = sin(a.q[0]);
    const double c1 = cos(a.q[0]);
    const double in_link[6] = {c1 * w[0] + s1 * w[1], c1 * w[1] - s1 * w[0], w[2],
                               c1 * w[3] + s1 * w[4], c1 * w[4] - s1 * w[3], w[5]};
    const double want[6] = {.0457149973639634, .104338422133787,  10.6089871981566,
                            -.926314045867126, -.704159310736344, .0169171803236750};
    tqt_expect("base wrench", in_link, want, 6, TQT_PRINTED);
    double every[24]; /* of three joints and the base */
    tqt_reactions(a.subject, a.q, a.qd, a.qdd, every);
    tqt_expect("joint 1", every, want, 6, TQT_PRINTED);
    tqt_expect("base", &every[18], w, 6, TQT_ROUNDING);
    tqt_subject_free(floating);
    tqt_model_free(model);
    close_arm(&a);
}

/* A straight line from (.10, .15, .35) to (.25, .05, .55) in 2 s, at rest at both ends (quintic):
 * our choice, the homework's is only in a figure; its length is the homework's .2693 m. */
#define DURATION 2.0
static const double line_from[3] = {.10, .15, .35};
static const double line_to[3] = {.25, .05, .55};

static void line_at(double t, double ret_x[3], double ret_v[3], double ret_a[3])
{
    const double s = t / DURATION;
    const double way = s * s * s * (10 + s * (-15 + 6 * s));
    const double rate = 30 * s * s * (1 - s) * (1 - s) / DURATION;
    const double bend = 60 * s * (1 - s) * (1 - 2 * s) / (DURATION * DURATION);
    for (int k = 0; k < 3; k++) {
        const double d = line_to[k] - line_from[k];
        ret_x[k] = line_from[k] + way * d;
        ret_v[k] = rate * d;
        ret_a[k] = bend * d;
    }
}

/* j x = b by Cramer's rule */
static void solve(const double j[3][3], const double b[3], double ret_x[3])
{
    double whole = 0;
    for (int k = -1; k < 3; k++) {
        double m[3][3];
        for (int i = 0; i < 9; i++) {
            m[i / 3][i % 3] = i % 3 == k ? b[i / 3] : j[i / 3][i % 3];
        }
        const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        if (k < 0) {
            whole = det;
        } else {
            ret_x[k] = det / whole;
        }
    }
}

/* joint motion along the line with the homework's elbows [1, 1]: d3 > 0 and s2 > 0 */
static void line_joints(const tqt_rrp *from, double t, double ret_q[3], double ret_qd[3],
                        double ret_qdd[3])
{
    double x[3];
    double v[3];
    double acc[3];
    line_at(t, x, v, acc);
    const double u = sqrt(x[0] * x[0] + x[1] * x[1] - from->reach * from->reach);
    const double w = x[2] - from->height;
    ret_q[0] = atan2(x[1], x[0]) + atan2(u, from->reach);
    ret_q[1] = atan2(u, w);
    ret_q[2] = sqrt(u * u + w * w);
    double j[3][3];
    tool_jacobian(from, ret_q, j);
    solve(j, v, ret_qd);
    /* second derivative of the place at qdd = 0, term by term */
    const double s1 = sin(ret_q[0]);
    const double c1 = cos(ret_q[0]);
    const double s2 = sin(ret_q[1]);
    const double c2 = cos(ret_q[1]);
    const double d = ret_q[2];
    const double *p = ret_qd;
    const double u1 = p[2] * s2 + d * c2 * p[1];
    const double u2 = 2 * p[2] * c2 * p[1] - d * s2 * p[1] * p[1];
    const double l = from->reach;
    const double rest[3] = {
        acc[0] - (-l * c1 * p[0] * p[0] + u2 * s1 + 2 * u1 * c1 * p[0] - d * s2 * s1 * p[0] * p[0]),
        acc[1] - (-l * s1 * p[0] * p[0] - u2 * c1 + 2 * u1 * s1 * p[0] + d * s2 * c1 * p[0] * p[0]),
        acc[2] - (-2 * p[2] * s2 * p[1] - d * c2 * p[1] * p[1])};
    solve(j, rest, ret_qdd);
}

Test(seeds, item_093_rrp_line)
{
    const tqt_rrp *from = &tqt_rrp_homework;
    double length = 0;
    for (int k = 0; k < 3; k++) {
        length += (line_to[k] - line_from[k]) * (line_to[k] - line_from[k]);
    }
    length = sqrt(length);
    tqt_expect("length", &length, (double[1]){.2693}, 1, 5e-5);
    arm a = open_homework();
    for (int i = 0; i <= 2000; i += 50) {
        const double t = i * 1e-3;
        double q[3];
        double qd[3];
        double qdd[3];
        double x[3];
        double v[3];
        double acc[3];
        double place[3];
        line_joints(from, t, q, qd, qdd);
        line_at(t, x, v, acc);
        tool_place(from, q, place);
        tqt_expect("place", place, x, 3, TQT_ROUNDING);
        /* joint rates are those of the angles: central differences in t, h^2 * 1e2 */
        const double h = 1e-5;
        if (i > 0 && i < 2000) {
            double last[3][3];
            double next[3][3];
            line_joints(from, t - h, last[0], last[1], last[2]);
            line_joints(from, t + h, next[0], next[1], next[2]);
            for (int k = 0; k < 3; k++) {
                const double rate = (next[0][k] - last[0][k]) / (2 * h);
                const double bend = (next[1][k] - last[1][k]) / (2 * h);
                tqt_expect("qd", &rate, &qd[k], 1, 1e-7);
                tqt_expect("qdd", &bend, &qdd[k], 1, 1e-7);
            }
        }
        /* power: the joints' work is the rate of energy */
        double tau[3];
        double m[9];
        double g[3];
        double c[9];
        tqt_torque(a.subject, q, qd, qdd, 0, tau);
        for (int k = 0; k < 3; k++) {
            a.q[k] = q[k];
            a.qd[k] = qd[k];
        }
        mass_matrix(&a, m);
        coriolis_matrix(&a, c);
        gravity(&a, g);
        for (int k = 0; k < 3; k++) {
            double want = g[k];
            for (int n = 0; n < 3; n++) {
                want += m[3 * k + n] * qdd[n] + c[3 * k + n] * qd[n];
            }
            tqt_expect("tau", &tau[k], &want, 1, TQT_ROUNDING);
        }
    }
    close_arm(&a);
}

/* the vertical force of the ground starts and ends at the weight, 10.31 N as HW plots it */
Test(seeds, item_094_rrp_ground_force)
{
    const tqt_rrp *from = &tqt_rrp_homework;
    tq_model *fixed = tqt_rrp_arm(from);
    tq_model *model = tqt_floating_copy(fixed);
    tqt_subject *floating = tqt_subject_new(model, 0);
    /* at rest the weight; the rest from an independent run, printed to 1e-3 or 1e-4 */
    const struct {
        double t, force, within;
    } row[] = {{0, 10.313253, 1e-6}, {1e-3, 10.314, 5e-4},  {.5, 10.4916, 5e-5}, {1, 10.315, 5e-4},
               {1.5, 10.134, 5e-4},  {1.999, 10.312, 5e-4}, {2, 10.313253, 1e-6}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double q[3];
        double qd[3];
        double qdd[3];
        double w[6];
        line_joints(from, row[i].t, q, qd, qdd);
        ground_wrench(floating, q, qd, qdd, w);
        cr_expect(fabs(w[2] - row[i].force) <= row[i].within, "Fz at %g s: %.10g, not %g", row[i].t,
                  w[2], row[i].force);
    }
    cr_expect(fabs(1.0513 * 9.80665 - 10.31) <
              5e-3); /* either gravity rounds to the plot's 10.31 */
    tqt_subject_free(floating);
    tqt_model_free(model);
    tqt_model_free(fixed);
}

/* HW: Newton-Euler equals Lagrange over the trajectory. The library is the recursion; Lagrange is
 * HW's own closed form, H qdd + C qd + G of items 87 to 89, and point masses the third. */
Test(seeds, item_095_rrp_two_ways)
{
    arm a = open_homework();
    const tqt_cloud points = tqt_cloud_rrp(&a.from);
    for (int i = 0; i <= 2000; i++) {
        double tau[3];
        double want[3];
        double m[9];
        double c[9];
        double lagrange[3];
        line_joints(&a.from, i * 1e-3, a.q, a.qd, a.qdd);
        tqt_torque(a.subject, a.q, a.qd, a.qdd, 0, tau);
        tqt_cloud_torque(&points, a.q, a.qd, a.qdd, want);
        tqt_expect("Newton-Euler", tau, want, 3, TQT_ROUNDING);
        mass_matrix(&a, m);
        coriolis_matrix(&a, c);
        gravity(&a, lagrange);
        for (int k = 0; k < 9; k++) {
            lagrange[k / 3] += m[k] * a.qdd[k % 3] + c[k] * a.qd[k % 3];
        }
        tqt_expect("Lagrange", lagrange, want, 3, TQT_ROUNDING);
    }
    close_arm(&a);
}
