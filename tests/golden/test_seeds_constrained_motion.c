/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_constrained_motion.c - items 153 to 157, and a minute of motion: control
 * along and across constraints by Z. Li and Y. Wu's notes on Murray, Li, Sastry, chapter 6. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/constraints/dynamics.h"
#include "core/constraints/integrability.h"
#include "tests/support/constrained_robot.h"
#include "tests/support/expect.h"
#include "tests/support/lagrange.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/vec.h"

enum { N = TQT_NV, ROWS = TQT_ROWS, LANE = TQ_BLOCK_PAD };

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------
 * Control: an effect that works out its torque with a state of its own
 */

typedef struct law {
    tqt_robot_state own; /* of the controller: its q and qd are the instant's */
    double kp, kv, ki;
    double goal[N], force; /* free coordinates, or velocities; multiplier of row 0 */
    bool velocities;       /* goals are velocities of free rows: the nonholonomic law */
    bool integrates;       /* z is the integral of the multiplier's error */
} law;

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    law *l = ctx;
    tqt_robot_state *s = &l->own;
    double bias[N], ud[N], multipliers[ROWS] = {0.0}, tau[N];
    tq_elimination e;
    for (size_t k = 0; k < s->nv; k++) {
        s->q[k] = at->q[k * at->stride];
        s->qd[k] = at->qd[k * at->stride];
    }
    tqt_torque(s->subject, s->q, s->qd, NULL, 0, bias);
    tqt_factor(s);
    cr_assert(eq(int, tq_constraint_eliminate(&s->state, &s->scratch, &e, NULL), TQ_OK));
    for (size_t f = 0; f < e.n_free; f++) {
        const uint32_t row = e.free[f];
        ud[f] = l->velocities ? -l->kp * (s->qd[row] - l->goal[row])
                              : -l->kv * s->qd[row] - l->kp * (s->q[row] - l->goal[row]);
    }
    multipliers[0] = l->force - (l->integrates ? l->ki * at->z[0] : 0.0);
    tq_constraint_torque(&s->state, &e, bias, ud, multipliers, tau);
    for (size_t k = 0; k < s->nv; k++) {
        to->tau[k * at->stride] += tau[k];
    }
    if (l->integrates) {
        double qdd[N], felt[ROWS];
        tqt_accelerate(s, tau, qdd, felt); /* what a sensor would measure */
        to->zd[0] = felt[0] - l->force;
    }
    return TQ_OK;
}

/* On a sphere without friction: position across it by e'' + Kv e' + Kp e = 0, force by e' = -Ki e.
 */
Test(seeds, item_153_hybrid_position_and_force_control)
{
    static const char point[] =
        "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": "
        "\"b\"}, {\"name\": \"c\", \"mass\": 1.5, \"com\": [0, 0, 0]}], \"joints\": [{\"name\": "
        "\"x\", \"kind\": \"prismatic\", \"parent\": \"o\", \"child\": \"a\", \"axis\": [1, 0, 0]}, "
        "{\"name\": \"y\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", \"axis\": "
        "[0, 1, 0]}, {\"name\": \"z\", \"kind\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", "
        "\"axis\": [0, 0, 1]}], \"constraints\": [{\"kind\": \"point-on-sphere\", \"sphere\": "
        "{\"link\": \"o\", \"radius\": 0.8}, \"point\": {\"link\": \"c\"}}]}";
    tqt_robot_state s;
    law l = {.kp = 16.0,
             .kv = 8.0, /* critically damped: e = (1 + 4 t) exp(-4 t) */
             .ki = 5.0,
             .goal = {0.1, -0.2, 0.0},
             .force = -7.0,
             .integrates = true};
    tqt_open(&s, point);
    tqt_open(&l.own, point);
    const double start[3] = {0.3, 0.2, sqrt(0.64 - 0.09 - 0.04)};
    memcpy(s.q, start, sizeof start);
    tq_effect effect = {.ctx = &l, .n_z = 1, .act = act};
    /* z(0) represents an error of force of -ki z(0) at the start, as a bias of the sensor would */
    double z = 0.3;
    const double t = 0.5, h = 1e-3;
    tqt_run(&s, &effect, &z, h, (size_t)(t / h + 0.5));
    const double left = (1.0 + 4.0 * t) * exp(-4.0 * t);
    for (int k = 0; k < 2; k++) {
        /* order 4 with h = 1e-3 and rates of 8: (8e-3)^4 / 120 a step */
        cr_expect(fabs(s.q[k] - l.goal[k] - (start[k] - l.goal[k]) * left) < 1e-9, "%g", s.q[k]);
    }
    cr_expect(fabs(z - 0.3 * exp(-l.ki * t)) < 1e-9, "%g", z);
    double tau[3], qdd[3], felt;
    const tq_instant now = {.n_sample = 1, .stride = 1, .q = s.q, .qd = s.qd, .z = &z};
    double zd = 0.0;
    memset(tau, 0, sizeof tau);
    const tq_action to = {.tau = tau, .zd = &zd};
    (void)act(&l, &now, NULL, &to, NULL);
    tqt_accelerate(&s, tau, qdd, &felt);
    cr_expect(fabs(felt - (l.force - l.ki * z)) < 1e-10, "force %g", felt);
    tqt_close(&l.own);
    tqt_close(&s);
}

/* the disk: velocities go to their goals as exp(-Kp t), and it keeps rolling */
Test(seeds, item_154_nonholonomic_control)
{
    tqt_robot_state s;
    law l = {.kp = 3.0, .goal = {0.0, 0.0, 0.7, 4.0}, .velocities = true};
    tqt_open(&s, "rolling-disk");
    tqt_open(&l.own, "rolling-disk");
    s.qd[2] = -0.5;
    s.qd[3] = 1.0;
    tqt_project(&s);
    tqt_factor(&s);
    tq_elimination e;
    cr_assert(eq(int, tq_constraint_eliminate(&s.state, &s.scratch, &e, NULL), TQ_OK));
    double before[N], residual[2];
    memcpy(before, s.qd, sizeof before);
    const tq_effect effect = {.ctx = &l, .act = act};
    const double t = 1.0, h = 1e-3;
    tqt_run(&s, &effect, NULL, h, (size_t)(t / h + 0.5));
    /* the heading is always free; the wheel is, unless the disk's place was chosen instead */
    cr_expect(fabs(s.qd[2] - l.goal[2] - (before[2] - l.goal[2]) * exp(-l.kp * t)) < 1e-9);
    tqt_residuals(&s, &residual[0], &residual[1]);
    cr_expect(residual[1] < 1e-10);
    tqt_close(&l.own);
    tqt_close(&s);
}

/* ------------------------------------------------------------------------------------------------
 * The arm on the sphere
 */

enum { FINGER_ROWS = 6 };
static const double ball = 0.03, globe = 0.3;
static const double center[3] = {0.6, 0.0, 0.1};

static uint32_t finger(const tqt_robot_state *s)
{
    return tqa_robot_link(s->robot, "finger", strlen("finger"));
}

/* centre of the fingertip, its velocity and the finger's angular velocity, world axes */
static void fingertip(tqt_robot_state *s, double at[3], double v[3], double omega[3])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    tq_configuration p;
    double velocity[6];
    tq_scratch_init(&s->scratch, s->memory, 1 << 20);
    cr_assert(tq_configuration_compute(s->robot->model, s->q, s->qd, &s->scratch, &p, NULL) ==
              TQ_OK);
    tq_configuration_velocity(&p, finger(s), origin, TQ_JACOBIAN_WORLD_ALIGNED, velocity);
    memcpy(at, p.pose[finger(s)].p, 3 * sizeof(double));
    memcpy(v, velocity, 3 * sizeof(double));
    memcpy(omega, velocity + 3, 3 * sizeof(double));
}

static void random_state(tqt_robot_state *s, tqt_random *r)
{
    for (size_t k = 0; k < s->nv; k++) {
        s->q[k] = s->robot->assembled[k] + tqt_random_uniform(r, -0.2, 0.2);
        s->qd[k] = tqt_random_uniform(r, -1.0, 1.0);
    }
    tqt_project(s);
}

/* Montana: the contact moves on the globe of curvature 1/R by (1/R + 1/r)^-1 (omega x n + v / r),
 * v being the sliding of the fingertip's touching point and omega the finger's rolling. */
static void check_contact(tqt_robot_state *s)
{
    static const double h = 1e-6;
    double at[3], v[3], omega[3], n[3], ahead[2][3], q[N];
    fingertip(s, at, v, omega);
    for (int k = 0; k < 3; k++) {
        n[k] = (at[k] - center[k]) / (globe + ball);
    }
    memcpy(q, s->q, sizeof q);
    for (int side = 0; side < 2; side++) {
        double unused[3], p[3];
        for (size_t k = 0; k < s->nv; k++) {
            s->q[k] = q[k] + (side == 0 ? h : -h) * s->qd[k];
        }
        fingertip(s, p, unused, unused);
        double length = 0.0;
        for (int k = 0; k < 3; k++) {
            ahead[side][k] = p[k] - center[k];
            length += ahead[side][k] * ahead[side][k];
        }
        for (int k = 0; k < 3; k++) {
            ahead[side][k] *= globe / sqrt(length);
        }
    }
    memcpy(s->q, q, sizeof q);
    const double turn[3] = {omega[1] * n[2] - omega[2] * n[1], omega[2] * n[0] - omega[0] * n[2],
                            omega[0] * n[1] - omega[1] * n[0]};
    for (int k = 0; k < 3; k++) {
        const double slide = v[k] - ball * turn[k];
        const double montana = (turn[k] + slide / ball) / (1.0 / globe + 1.0 / ball);
        const double moved = (ahead[0][k] - ahead[1][k]) / (2.0 * h);
        /* differences of 1e-6: 1e-10 and third derivatives of 1e-12 */
        cr_expect(fabs(montana - moved) < 1e-8, "%g, not %g", montana, moved);
    }
}

Test(seeds, item_155_arm_on_a_sphere_slipping)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(155);
    tqt_open(&s, "arm-on-sphere-slipping");
    for (int trial = 0; trial < 10; trial++) {
        double at[3], v[3], omega[3], n[3];
        random_state(&s, &r);
        tqt_factor(&s);
        cr_assert(eq(sz, s.state.rank, 1));
        /* v_z = 0 in the contact's frame, so in it the projector is diag(1, 1, 0, 1, 1, 1): the row
         * is n^T of the velocity of the touching point, and of nothing else */
        double row[N], jacobian[FINGER_ROWS * N];
        static const double origin[3] = {0.0, 0.0, 0.0};
        memcpy(row, s.state.a, s.nv * sizeof(double));
        tq_configuration_jacobian(&s.state.posture, finger(&s), origin, TQ_JACOBIAN_WORLD_ALIGNED,
                                  jacobian, NULL);
        fingertip(&s, at, v, omega);
        for (int k = 0; k < 3; k++) {
            n[k] = (at[k] - center[k]) / (globe + ball);
        }
        for (size_t c = 0; c < s.nv; c++) {
            double sum = 0.0;
            for (size_t k = 0; k < 3; k++) {
                sum += n[k] * jacobian[k * s.nv + c];
            }
            cr_expect(fabs(row[c] - sum) < TQT_ROUNDING);
        }
        cr_expect(fabs(dot(n, v, 3)) < 1e-11);
        check_contact(&s);
    }
    tqt_close(&s);
}

/* Powers of a unit push along n on the ball's centre, of unit frictions along two tangents on the
 * touching point, whose speed is v - r omega x n, and of a unit moment about n, at a unit rate of
 * joint k: from frames of the test's own (tests/support/motion.h). */
static void contact_powers(const tqt_robot_state *s, size_t k, long double ret_a[4])
{
    double unit[N] = {0};
    unit[k] = 1;
    tqt_link_motion links[8];
    tqt_move(s->robot->model, &(tqt_state){s->q, unit, NULL}, links);
    const tqt_link_motion *m = &links[finger(s)];
    long double n[3], arm[3], turning[3], rolling[3], across[2][3];
    for (int i = 0; i < 3; i++) {
        n[i] = (m->p[i] - center[i]) / (globe + ball);
        arm[i] = m->p[i] - m->com[i];
    }
    tqt_cross(m->omega, arm, turning);
    tqt_cross(m->omega, n, rolling);
    const long double up[3] = {0, 0, 1};
    tqt_cross(up, n, across[0]);
    const long double size = tqt_length(across[0]);
    for (int i = 0; i < 3; i++) {
        across[0][i] /= size;
    }
    tqt_cross(n, across[0], across[1]);
    memset(ret_a, 0, 4 * sizeof *ret_a);
    for (int i = 0; i < 3; i++) {
        const long double v = m->com_v[i] + turning[i], slide = v - ball * rolling[i];
        ret_a[0] += n[i] * v;
        ret_a[1] += across[0][i] * slide;
        ret_a[2] += across[1][i] * slide;
        ret_a[3] += n[i] * m->omega[i];
    }
}

/* What the contact does to the arm, without core's dynamics: M qdd + C qd + N by virtual work
 * in 80 bits (tests/support/lagrange.h) less the drives' torque, as four forces of the contact by
 * least squares. ret_push: the push, the friction's size and the moment. Returns the largest
 * generalised force that they leave over. */
static double contact_force(const tqt_robot_state *s, const double *tau, const double *qdd,
                            double ret_push[3])
{
    const tqt_problem problem = {.model = s->robot->model, .state = {s->q, s->qd, qdd}};
    tqt_sum net[N];
    tqt_inverse_dynamics(&problem, net);
    long double a[N][5], g[4][5] = {{0}};
    for (size_t k = 0; k < s->nv; k++) {
        contact_powers(s, k, a[k]);
        a[k][4] = net[k].value - tau[k];
        for (int e = 0; e < 20; e++) {
            g[e / 5][e % 5] += a[k][e / 5] * a[k][e % 5];
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int r = 0; r < 4; r++) {
            const long double f = r != k ? g[r][k] / g[k][k] : 0;
            for (int c = k; c < 5; c++) {
                g[r][c] -= f * g[k][c];
            }
        }
    }
    long double left = 0;
    for (size_t k = 0; k < s->nv; k++) {
        for (int e = 0; e < 4; e++) {
            a[k][4] -= a[k][e] * g[e][4] / g[e][e];
        }
        left = fmaxl(left, fabsl(a[k][4]));
    }
    ret_push[0] = (double)(g[0][4] / g[0][0]);
    ret_push[1] = (double)hypotl(g[1][4] / g[1][1], g[2][4] / g[2][2]);
    ret_push[2] = (double)(g[3][4] / g[3][3]);
    return (double)left;
}

Test(seeds, item_156_arm_on_a_sphere_rolling)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(156);
    tqt_open(&s, "arm-on-sphere-rolling");
    for (int trial = 0; trial < 10; trial++) {
        double at[3], v[3], omega[3], n[3], slide = 0.0;
        tq_integrability found;
        random_state(&s, &r);
        tqt_factor(&s);
        cr_assert(eq(sz, s.state.rank, 4));
        cr_assert(
            eq(int, tq_constraint_integrability(&s.state, s.q, &s.scratch, &found, NULL), TQ_OK));
        cr_expect(eq(sz, found.n_free, 2));
        cr_expect(eq(sz, found.n_new, 1)); /* J_f is not involutive */
        fingertip(&s, at, v, omega);
        for (int k = 0; k < 3; k++) {
            n[k] = (at[k] - center[k]) / (globe + ball);
        }
        const double turn[3] = {omega[1] * n[2] - omega[2] * n[1],
                                omega[2] * n[0] - omega[0] * n[2],
                                omega[0] * n[1] - omega[1] * n[0]};
        for (int k = 0; k < 3; k++) {
            slide = fmax(slide, fabs(v[k] - ball * turn[k]));
        }
        cr_expect(slide < 1e-11 && fabs(dot(omega, n, 3)) < 1e-10, "%g", slide);
        check_contact(&s);
    }
    /* the law of 154 rolls it with the two free velocities going to rest, pushing with F_m = 12 N:
     * multipliers are those that were commanded */
    double bias[N], tau[N], qdd[N], felt[ROWS];
    const double pushed[4] = {12.0, 1.0, -2.0, 0.01}, ud[2] = {0.4, -0.3};
    tq_elimination e;
    random_state(&s, &r);
    tqt_torque(s.subject, s.q, s.qd, NULL, 0, bias);
    tqt_factor(&s);
    cr_assert(eq(int, tq_constraint_eliminate(&s.state, &s.scratch, &e, NULL), TQ_OK));
    const uint32_t free[2] = {e.free[0], e.free[1]};
    tq_constraint_torque(&s.state, &e, bias, ud, pushed, tau);
    tqt_accelerate(&s, tau, qdd, felt);
    tqt_expect("multipliers", felt, pushed, 4, 1e-9);
    double push[3]; /* 12 N along n, sqrt(1 + 4) N across, 0.01 N m about n */
    const double left = contact_force(&s, tau, qdd, push);
    cr_expect(left < 1e-9, "%g", left);
    tqt_expect("contact", push, (double[3]){12.0, sqrt(5.0), 0.01}, 3, 1e-9);
    for (int k = 0; k < 2; k++) {
        cr_expect(fabs(qdd[free[k]] - ud[k]) < 1e-9);
    }
    tqt_close(&s);
}

/* Inverse dynamics of the parallel arm, reduced to its end point by hand. Each leg is a planar 2R
 * of slender bars m1, m2 of length l, flat, so without weight: M11 = m1 l^2 / 3 + m2 (l^2 + l^2 / 3
 * + l^2 cos q2), M12 = m2 (l^2 / 3 + l^2 cos(q2) / 2), M22 = m2 l^2 / 3, and terms of velocity with
 * m2 l^2 sin(q2) / 2. Its end moves by J qd, so qd = J^-1 v: Z holds the three J^-1, and the least
 * torques of the drives (rows 0, 2, 4, chosen by S) are (Z^T S)^+ Z^T (M qdd + h). */
static void reduced_parallel_arm(const double *q, const double *qd, const double *qdd,
                                 double ret_tau[3])
{
    static const double m1 = 1.2, m2 = 0.6, l = 0.244;
    double g[2][3], f[2] = {0.0, 0.0}; /* Z^T S; Z^T (M qdd + h) */
    for (int leg = 0; leg < 3; leg++) {
        const double q1 = q[2 * leg], q2 = q[2 * leg + 1], w1 = qd[2 * leg], w2 = qd[2 * leg + 1];
        const double a1 = qdd[2 * leg], a2 = qdd[2 * leg + 1], ll = l * l;
        const double m12 = m2 * (ll / 3.0 + 0.5 * ll * cos(q2)), m22 = m2 * ll / 3.0;
        const double m11 = m1 * ll / 3.0 + m2 * (ll + ll / 3.0 + ll * cos(q2));
        const double bend = 0.5 * m2 * ll * sin(q2);
        const double t1 = m11 * a1 + m12 * a2 - bend * (2.0 * w1 * w2 + w2 * w2);
        const double t2 = m12 * a1 + m22 * a2 + bend * w1 * w1;
        const double j11 = -l * sin(q1) - l * sin(q1 + q2), j12 = -l * sin(q1 + q2);
        const double j21 = l * cos(q1) + l * cos(q1 + q2), j22 = l * cos(q1 + q2);
        const double det = j11 * j22 - j12 * j21;
        g[0][leg] = j22 / det, g[1][leg] = -j12 / det; /* first row of J^-1 */
        f[0] += t1 * j22 / det - t2 * j21 / det;
        f[1] += -t1 * j12 / det + t2 * j11 / det;
    }
    const double s11 = dot(g[0], g[0], 3), s12 = dot(g[0], g[1], 3), s22 = dot(g[1], g[1], 3);
    const double det = s11 * s22 - s12 * s12;
    const double y[2] = {(s22 * f[0] - s12 * f[1]) / det, (s11 * f[1] - s12 * f[0]) / det};
    for (int k = 0; k < 3; k++) {
        ret_tau[k] = g[0][k] * y[0] + g[1][k] * y[1];
    }
}

Test(seeds, item_157_redundant_parallel_arm)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(157);
    tqt_open(&s, "parallel-2dof");
    static _Alignas(64) double q[6 * LANE], qd[6 * LANE], qdd[6 * LANE], tau[6 * LANE],
        multipliers[4 * LANE];
    for (int trial = 0; trial < 10; trial++) {
        double wanted[6], got[6], felt[4], loose[6];
        tq_actuation actuation[2];
        random_state(&s, &r);
        tqt_factor(&s);
        cr_assert(eq(sz, s.state.rank, 4)); /* rank of the loops' Jacobian */
        for (int k = 0; k < 6; k++) {
            loose[k] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        tqt_accelerate(&s, loose, wanted, felt); /* some motion that is possible */
        for (size_t k = 0; k < 6 * (size_t)LANE; k++) {
            q[k] = s.q[k / LANE];
            qd[k] = s.qd[k / LANE];
            qdd[k] = wanted[k / LANE];
        }
        const tq_inverse_input in = {.n_sample = 1, .stride = LANE, .q = q, .qd = qd, .qdd = qdd};
        /* by three drives, then with all six driven: internal forces of dimension 1 and 4 */
        for (int all = 0; all < 2; all++) {
            tq_constraints set = *s.robot->constraints;
            set.actuated = all ? NULL : set.actuated;
            tq_scratch_init(&s.scratch, s.memory, 1 << 20);
            cr_assert(eq(int,
                         tq_constrained_inverse(s.robot->mechanism, &set, &in, &s.scratch, tau,
                                                multipliers, &actuation[all], NULL),
                         TQ_OK));
            cr_expect(actuation[all].missing < 1e-12, "%g", actuation[all].missing);
            double flat[6];
            for (int k = 0; k < 6; k++) {
                flat[k] = tau[k * LANE];
                cr_expect(all || k % 2 == 0 || flat[k] == 0.0, "passive joint %d", k);
            }
            double least[3];
            reduced_parallel_arm(s.q, s.qd, wanted, least);
            for (int k = 0; k < 3 && !all; k++) {
                cr_expect(fabs(flat[2 * k] - least[k]) < 1e-9 * fmax(1.0, fabs(least[k])),
                          "drive %d: %.12g for %.12g", k, flat[2 * k], least[k]);
            }
            tqt_accelerate(&s, flat, got, felt);
            double size = 1.0;
            for (int k = 0; k < 6; k++) {
                size = fmax(size, fabs(wanted[k]));
            }
            tqt_expect("motion", got, wanted, 6, 1e-11 * size);
        }
        cr_expect(eq(sz, actuation[0].n_internal, 1));
        cr_expect(eq(sz, actuation[1].n_internal, 4));
    }
    tqt_close(&s);
}

/* ------------------------------------------------------------------------------------------------
 * A minute of motion
 */

/* Residuals stay below 1e-10 by projection, with steps that keep energy to what order 4 gives. */
static void move_a_minute(const char *robot, tqt_robot_state *s, double h, double energy_within)
{
    const double before = tqt_total_energy(s);
    double position, velocity, worst = 0.0, drift = 0.0;
    const size_t pieces = TQT_SANITIZED ? 10 : 60, n = (size_t)(1.0 / h + 0.5);
    for (size_t k = 0; k < pieces; k++) {
        tqt_run(s, NULL, NULL, h, n);
        tqt_residuals(s, &position, &velocity);
        worst = fmax(worst, fmax(position, velocity));
        drift = fmax(drift, fabs(tqt_total_energy(s) - before));
    }
    cr_expect(worst <= 1e-10, "%s: residual %g", robot, worst);
    cr_expect(drift < energy_within, "%s: energy %g J", robot, drift);
}

Test(constraints, disk_rolls_in_a_circle, .timeout = 60)
{
    static const double rho = 0.2, thd = 0.5, phd = 3.0, pi = 3.14159265358979323846;
    tqt_robot_state s;
    tqt_open(&s, "rolling-disk");
    s.qd[2] = thd;
    s.qd[3] = phd;
    tqt_project(&s);
    s.qd[2] = thd; /* the nearest allowed velocity is slower: as fast again */
    const double scale = phd / s.qd[3];
    for (int k = 0; k < 4; k++) {
        s.qd[k] *= k == 2 ? 1.0 : scale;
    }
    const double r = rho * phd / thd;
    double furthest = 0.0;
    const size_t n = 64;
    for (size_t k = 0; k < n; k++) { /* one turn in 2 pi / thd */
        tqt_run(&s, NULL, NULL, 2.0 * pi / thd / (double)n / 100.0, 100);
        const double x = s.q[0], y = s.q[1] - r;
        furthest = fmax(furthest, fabs(sqrt(x * x + y * y) - r));
    }
    cr_expect(furthest < 1e-9, "off the circle by %g", furthest);
    cr_expect(fabs(s.q[0]) < 1e-9 && fabs(s.q[1]) < 1e-9, "%g %g", s.q[0], s.q[1]);
    move_a_minute("rolling-disk", &s, 1e-3, 1e-11);
    tqt_close(&s);
}

Test(constraints, four_bar_moves_a_minute, .timeout = 100)
{
    tqt_robot_state s;
    tqt_open(&s, "four-bar");
    s.qd[0] = 6.0;
    tqt_project(&s);
    move_a_minute("four-bar", &s, 1e-3, 1e-6); /* J, at 20 rad/s */
    tqt_close(&s);
}

Test(constraints, parallel_arm_moves_a_minute, .timeout = 100)
{
    tqt_robot_state s;
    tqt_open(&s, "parallel-2dof");
    s.qd[0] = 0.8;
    s.qd[2] = 0.3;
    tqt_project(&s);
    move_a_minute("parallel-2dof", &s, 1e-3, 1e-10);
    tqt_close(&s);
}

/* the tension of a conical pendulum, in the constrained form and for a minute */
Test(constraints, conical_pendulum_keeps_its_tension, .timeout = 100)
{
    static const char text[] =
        "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": "
        "\"b\"}, {\"name\": \"c\", \"mass\": 1.5, \"com\": [0, 0, 0]}], \"joints\": [{\"name\": "
        "\"x\", \"kind\": \"prismatic\", \"parent\": \"o\", \"child\": \"a\", \"axis\": [1, 0, 0]}, "
        "{\"name\": \"y\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", \"axis\": "
        "[0, 1, 0]}, {\"name\": \"z\", \"kind\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", "
        "\"axis\": [0, 0, 1]}], \"constraints\": [{\"kind\": \"distance\", \"a\": {\"link\": \"o\"}, "
        "\"b\": {\"link\": \"c\"}, \"length\": 0.8}]}";
    static const double l = 0.8, m = 1.5, g = 9.81, a = 0.6;
    tqt_robot_state s;
    const double none[3] = {0.0, 0.0, 0.0};
    double qdd[3], push;
    tqt_open(&s, text);
    const double w = sqrt(g / (l * cos(a)));
    const double q[3] = {l * sin(a), 0.0, -l * cos(a)}, qd[3] = {0.0, l * sin(a) * w, 0.0};
    memcpy(s.q, q, sizeof q);
    memcpy(s.qd, qd, sizeof qd);
    tqt_accelerate(&s, none, qdd, &push);
    cr_expect(fabs(-push - m * g / cos(a)) < 100 * TQT_ROUNDING, "%g", push);
    move_a_minute("conical pendulum", &s, 1e-3, 1e-9);
    tqt_accelerate(&s, none, qdd, &push);
    cr_expect(fabs(-push - m * g / cos(a)) < 1e-8);
    cr_expect(fabs(s.q[2] + l * cos(a)) < 1e-9);
    tqt_close(&s);
}
