/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/stability/test_linearize.c - linearisation against differences of the plant,
 * growth rates of known plants, propagated errors against runs with these errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/integrate/fixed_step.h"
#include "core/plant/controller.h"
#include "core/plant/disturbance.h"
#include "core/plant/torque_table.h"
#include "core/stability/linearize.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N = 4, LANE = 8, BYTES = 1 << 24 };
static _Alignas(64) unsigned char memory[BYTES];

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

/* qdd (nv) of a plant at one state */
static void rates(const tq_plant *plant, double t, const double *q, const double *qd,
                  double *ret_qdd)
{
    double rows[2][N * LANE], dq[N * LANE], qdd[N * LANE];
    tq_scratch scratch;
    static _Alignas(64) unsigned char room[1 << 22];
    tq_scratch_init(&scratch, room, sizeof room);
    for (int k = 0; k < N * LANE; k++) {
        rows[0][k] = q[k / LANE];
        rows[1][k] = qd[k / LANE];
    }
    const tq_trajectories at = {.n_sample = 1, .stride = LANE, .q = rows[0], .qd = rows[1]};
    const tq_rates ret = {.q = dq, .qd = qdd};
    cr_assert(eq(int, tq_plant_rate(plant, t, &at, &scratch, &ret, NULL), TQ_OK));
    for (int r = 0; r < N; r++) {
        ret_qdd[r] = qdd[r * LANE];
    }
}

static tq_model *robot(uint64_t seed)
{
    tq_model *m = tqt_random_robot(
        seed, (tqt_robot_options){.n_joint = N,
                                  .kinds = 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC,
                                  .with = TQT_WITH_ROTOR | TQT_WITH_SPRING});
    for (uint32_t j = 0; j < m->n_joint; j++) {
        m->joints[j].friction = (tq_friction){.viscous = 0.4, .coulomb = 0.3, .smoothing = 0.5};
    }
    return m;
}

static const double kp[N] = {40, 30, 20, 10}, kd[N] = {4, 3, 2, 1}, lambda[N] = {5, 4, 3, 2};
static const double offset[N] = {0.1, -0.2, 0.3, 0.2};

/* the matrix against central differences of the plant, open and closed loop, with an external force
 */
Test(linearize, linearisation_is_the_derivative_of_the_plant)
{
    for (int law = -1; law <= TQ_LAW_PASSIVITY; law++) {
        tq_model *m = robot(31 + (uint64_t)(law + 1));
        tqt_subject *s = tqt_subject_new(m, 1);
        const tq_reference reference = {
            .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = N, .setpoint = offset};
        const int open = law < TQ_LAW_PD, passive = law == TQ_LAW_PASSIVITY;
        tq_controller c = {.law = law < 0 ? TQ_LAW_FEEDFORWARD : (tq_control_law)law,
                           .mechanism = s->mechanism,
                           .reference = &reference,
                           .kp = open || passive ? NULL : kp,
                           .kd = open ? NULL : kd,
                           .lambda = passive ? lambda : NULL};
        const double push[6] = {3, -2, 5, 0.1, 0.3, -0.2};
        tq_disturbance d = {.signal = TQ_SIGNAL_PULSE,
                            .mechanism = s->mechanism,
                            .is_wrench = true,
                            .size = push,
                            .start = -1,
                            .duration = INFINITY};
        const tq_external_wrench place = {
            .link = m->n_link - 1, .expressed_in = TQ_FRAME_LINK, .at = {0.1, 0.2, 0}};
        tq_effect effects[2];
        cr_assert(eq(int, tq_controller_effect(&c, &effects[0], NULL), TQ_OK));
        cr_assert(eq(int, tq_disturbance_effect(&d, &effects[1], NULL), TQ_OK));
        const tq_plant plant = {.mechanism = s->mechanism,
                                .effects = effects,
                                .n_effect = 2,
                                .wrenches = &place,
                                .n_wrench = 1};
        tqt_states states = tqt_random_states(5, m, 1);
        double x[2 * N], a[4 * N * N], inverse[N * N], qdd[N], fore[N], back[N];
        for (int r = 0; r < N; r++) {
            x[r] = states.q[r * (int)states.stride];
            x[N + r] = states.qd[r * (int)states.stride];
        }
        rates(&plant, 0.5, x, x + N, qdd);
        const tq_run_point at = {.t = 0.5, .q = x, .qd = x + N, .qdd = qdd, .wrench = push};
        tq_scratch scratch = fresh();
        tq_error error = {0};
        cr_assert(eq(int, tq_linearise(&plant, &at, !open, &scratch, a, inverse, &error), TQ_OK),
                  "%s", error.what);
        cr_assert(eq(sz, scratch.used, 0));
        for (int k = 0; k < 2 * N; k++) {
            const double h = 1e-5, held = x[k];
            x[k] = held + h;
            rates(&plant, 0.5, x, x + N, fore);
            x[k] = held - h;
            rates(&plant, 0.5, x, x + N, back);
            x[k] = held;
            for (int r = 0; r < N; r++) {
                const double want = (fore[r] - back[r]) / (2 * h);
                /* differences: 1e-16 / h of accelerations of some hundreds, and h^2 */
                cr_assert(epsilon_eq(dbl, a[(N + r) * 2 * N + k], want, 1e-5 * (1 + fabs(want))),
                          "law %d, row %d, column %d", law, r, k);
                cr_assert(eq(dbl, a[r * 2 * N + k], k == N + r ? 1.0 : 0.0));
            }
        }
        tqt_states_free(&states);
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

/* item 102: the arm of the homework diverges from its equilibrium at a known rate */
Test(seeds, item_102_growth_rate_by_the_verdict)
{
    tq_model *m = tqt_rrp_arm(&tqt_rrp_homework);
    tqt_subject *s = tqt_subject_new(m, 0);
    const double angle[3] = {0.6, 1.0, 2.0};
    const double want[3] = {68.156, 56.67, 30.74};
    const tq_plant plant = {.mechanism = s->mechanism};
    for (int k = 0; k < 3; k++) {
        const double q[3] = {0.4, angle[k], 0.25}, still[3] = {0};
        double a[36], inverse[9];
        tq_scratch scratch = fresh();
        tq_fastest_growth growth;
        const tq_run_point at = {.q = q, .qd = still, .qdd = still};
        cr_assert(eq(int, tq_linearise(&plant, &at, false, &scratch, a, inverse, NULL), TQ_OK));
        cr_assert(eq(int, tq_fastest_growth_of(6, a, &scratch, &growth, NULL), TQ_OK));
        cr_assert(epsilon_eq(dbl, growth.rate * growth.rate, want[k], 1e-3 * want[k]), "%g",
                  growth.rate);
        cr_assert(epsilon_eq(dbl, growth.frequency, 0, 1e-6));
        if (k == 0) {
            cr_assert(epsilon_eq(dbl, growth.rate, 8.26, 0.01));
        }
    }
    tqt_subject_free(s);
    tqt_model_free(m);
}

/* A mass under a sampled PD law: x+ = F x with a matrix in closed form; fast sampling approaches
 * the continuous loop, slow sampling is unstable although the continuous loop is stable. */
Test(linearize, samples_make_a_loop_slower_or_unstable)
{
    const double p = 100, d = 20;
    const double open[4] = {0, 1, 0, 0}, closed[4] = {0, 1, -p, -d};
    tq_scratch scratch = fresh();
    tq_fastest_growth growth;
    cr_assert(
        eq(int, tq_fastest_growth_sampled(2, open, closed, 1e-5, &scratch, &growth, NULL), TQ_OK));
    cr_assert(epsilon_eq(dbl, growth.rate, -10, 0.2), "double pole at -10: %g", growth.rate);
    for (double h = 0.04; h < 0.2; h += 0.04) {
        /* trace and determinant of [1 - p h^2/2, h - d h^2/2; -p h, 1 - d h] */
        const double trace = 2 - p * h * h / 2 - d * h;
        const double det = (1 - p * h * h / 2) * (1 - d * h) + p * h * (h - d * h * h / 2);
        const double root = trace * trace / 4 - det;
        const double most = root < 0 ? sqrt(det) : fabs(trace / 2) + sqrt(root);
        cr_assert(
            eq(int, tq_fastest_growth_sampled(2, open, closed, h, &scratch, &growth, NULL), TQ_OK));
        cr_assert(epsilon_eq(dbl, growth.rate, log(most) / h, 1e-10), "h = %g", h);
        cr_assert(eq(int, growth.rate > 0, h > 0.1));
    }
    cr_assert(eq(sz, scratch.used, 0));
    const double bad[4] = {0, NAN, 0, 0};
    double copy[4] = {0, INFINITY, 0, 0};
    tq_error error = {0};
    cr_assert(eq(int, tq_fastest_growth_sampled(2, bad, closed, 0.1, &scratch, &growth, &error),
                 TQ_ERR_OVERFLOW));
    cr_assert(eq(int, tq_fastest_growth_of(2, copy, &scratch, &growth, &error), TQ_ERR_OVERFLOW));
    cr_assert(eq(str, (char *)error.what, "linearisation"));
}

/* errors that are NaN or infinite count as lost, not as small */
Test(linearize, errors_beyond_all_numbers_are_lost)
{
    double carried[8];
    tq_error_propagation trust = {.n_v = 1, .carried = carried};
    const double fast[4] = {0, 1, 1e20, 0}, none[2] = {0};
    const tq_error_propagation_place at[3] = {{0, fast, none}, {0.5, fast, none}, {1, fast, none}};
    tq_scratch scratch = fresh();
    tq_error_propagation_begin(&trust, 0);
    cr_assert(not(trust.is_lost));
    cr_assert(eq(int, tq_error_propagation_step(&trust, at, 1e-9, &scratch, NULL), TQ_OK));
    cr_assert(trust.is_lost);
}

/* the displacement of a rotating body rotates with it: the mode of a free rotor has |rate| 0 */
Test(linearize, quaternions_turn_with_their_frame)
{
    tq_model *m = tqt_model_new(2);
    m->links[1].inertia = (tq_inertia){.mass = 2, .about_com = {0.3, 0, 0, 0.3, 0, 0.1}};
    m->joints[0].kind = TQ_JOINT_SPHERICAL;
    m->joints[0].parent = 0, m->joints[0].child = 1;
    m->gravity[2] = 0;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    tqt_subject *s = tqt_subject_new(m, 0);
    const tq_plant plant = {.mechanism = s->mechanism};
    const double q[4] = {1, 0, 0, 0}, qd[3] = {0, 0, 5}, still[3] = {0};
    double a[36], inverse[9];
    tq_scratch scratch = fresh();
    tq_fastest_growth growth;
    const tq_run_point at = {.q = q, .qd = qd, .qdd = still};
    cr_assert(eq(int, tq_linearise(&plant, &at, false, &scratch, a, inverse, NULL), TQ_OK));
    /* body nutation at (Iz - Ix) / Ix 5 = -10/3 rad/s, and the frame's turning at 5 */
    cr_assert(epsilon_eq(dbl, a[0 * 6 + 1], 5, 1e-12));
    cr_assert(epsilon_eq(dbl, a[1 * 6 + 0], -5, 1e-12));
    cr_assert(epsilon_eq(dbl, fabs(a[3 * 6 + 4]), 10.0 / 3, 1e-12));
    cr_assert(eq(int, tq_fastest_growth_of(6, a, &scratch, &growth, NULL), TQ_OK));
    cr_assert(epsilon_eq(dbl, growth.rate, 0, 1e-6), "%g", growth.rate);
    tqt_subject_free(s);
    tqt_model_free(m);
}

/* a sampled sine, and the mean interpolation error between its points */
Test(linearize, table_error_is_the_mean_of_what_interpolation_misses)
{
    enum { POINTS = 41 };
    double t[POINTS], x[POINTS], c[POINTS];
    const double h = 0.05;
    for (int k = 0; k < POINTS; k++) {
        t[k] = h * k;
        x[k] = sin(2 * t[k]);
    }
    tq_scratch scratch = fresh();
    tq_table table = {.points = {.n_point = POINTS, .n_coordinate = 1, .t = t, .x = x},
                      .curvature = c};
    cr_assert(eq(int, tq_table_fit(&table.points, &scratch, c, NULL), TQ_OK));
    for (int how = TQ_INTERPOLATE_HOLD; how <= TQ_INTERPOLATE_CUBIC; how++) {
        table.interpolation = (tq_interpolation)how;
        for (int k = 10; k < 30; k++) {
            double predicted = 0, missed = 0, got = 0;
            tq_table_error_at(&table, h * (k + 0.5), &predicted);
            for (int i = 0; i < 64; i++) { /* midpoints: to 1e-4 of the mean */
                const double at = h * (k + (i + 0.5) / 64);
                tq_table_at(&table, at, &got, 1);
                missed += (sin(2 * at) - got) / 64;
            }
            const double most = how == TQ_INTERPOLATE_HOLD     ? h
                                : how == TQ_INTERPOLATE_LINEAR ? h * h / 3
                                                               : 16 * h * h * h * h / 720;
            /* differences are taken half an interval away: the error is the next derivative times h
             */
            cr_assert(epsilon_eq(dbl, predicted, missed, 0.15 * most), "%d, %d: %g, %g", how, k,
                      predicted, missed);
        }
    }
}

/* A pendulum at its upper equilibrium with a sampled torque: the predicted error against that of a
 * run. */
Test(linearize, carried_errors_are_those_of_a_run)
{
    enum { POINTS = 41, STEPS = 4000 };
    const tqt_bar bar = tqt_slender_bar(1, 1);
    tq_model *m = tqt_planar_arm(&bar, 1, 9.81);
    tqt_subject *s = tqt_subject_new(m, 0);
    double t[POINTS], torque[POINTS];
    /* along q = upright + 0.1 (1 - cos 2 t), nearly linear */
    for (int k = 0; k < POINTS; k++) {
        const double at = t[k] = 0.05 * k;
        const double q = M_PI / 2 + 0.1 * (1 - cos(2 * at)), qdd = 0.4 * cos(2 * at);
        tqt_torque(s, &q, NULL, &qdd, 0, &torque[k]);
    }
    tq_table table = {.points = {.n_point = POINTS, .n_coordinate = 1, .t = t, .x = torque},
                      .interpolation = TQ_INTERPOLATE_LINEAR};
    tq_effect effect = tq_torque_table(&table);
    const tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
    double q[LANE], qd[LANE] = {0};
    for (int i = 0; i < LANE; i++) {
        q[i] = M_PI / 2;
    }
    const tq_trajectories state = {.n_sample = 1, .stride = LANE, .q = q, .qd = qd};
    double carried[8], a[3][4], push[3][2];
    tq_error_propagation trust = {.n_v = 1, .carried = carried};
    tq_error_propagation_place place[3];
    tq_scratch scratch = fresh();
    const double h = 2.0 / (double)STEPS;
    tq_error_propagation_begin(&trust, 0);
    for (int k = 0; k <= STEPS; k++) {
        if (k % 40 == 0) {
            const int i = k == 0 ? 0 : 2 - k / 40 % 2; /* 0, then 1 2 1 2 ... */
            double inverse[1], missed = 0;
            const double now = h * k, qdd = 0.4 * cos(2 * now);
            const tq_run_point at = {.t = now, .q = q, .qd = qd, .qdd = &qdd};
            cr_assert(
                eq(int, tq_linearise(&plant, &at, false, &scratch, a[i], inverse, NULL), TQ_OK));
            tq_table_error_at(&table, now, &missed);
            push[i][0] = inverse[0] * missed;
            push[i][1] = 0;
            place[i] = (tq_error_propagation_place){now, a[i], push[i]};
            if (i == 2) {
                cr_assert(
                    eq(int, tq_error_propagation_step(&trust, place, 1e-9, &scratch, NULL), TQ_OK));
                memcpy(a[0], a[2], sizeof a[0]);
                memcpy(push[0], push[2], sizeof push[0]);
                place[0] = (tq_error_propagation_place){now, a[0], push[0]};
            }
        }
        if (k < STEPS) {
            cr_assert(eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, h * k, h, &state, &scratch, NULL),
                         TQ_OK));
        }
    }
    const double came = fabs(q[0] - M_PI / 2 - 0.1 * (1 - cos(4)));
    cr_assert(gt(dbl, came, 1e-4), "it went astray: %g", came);
    cr_assert(epsilon_eq(dbl, trust.error[TQ_ERROR_INPUT], came, 0.1 * came),
              "predicted %g, came %g", trust.error[TQ_ERROR_INPUT], came);
    /* sqrt(1.5 g) = 3.84 1/s for 2 s: cosh, plus half of that from an error of velocity */
    cr_assert(all(gt(dbl, trust.gain, 500.0), lt(dbl, trust.gain, 2000.0)), "%g", trust.gain);
    cr_assert(eq(dbl, trust.error[TQ_ERROR_MODEL], 0.0));
    cr_assert(not(trust.is_lost));
    tqt_subject_free(s);
    tqt_model_free(m);
}

/* a body rotated and displaced from its setpoint: under computed torque errors decay with the roots
 * of the control law in any configuration; the linearisation is in displacements along the body's
 * axes */
Test(linearize, bodies_that_turn_are_judged_under_control)
{
    tq_model *m = tqt_model_new(2);
    m->links[1].inertia =
        (tq_inertia){.mass = 2, .com = {0.1, 0, -0.2}, .about_com = {0.3, 0, 0, 0.4, 0, 0.5}};
    m->joints[0].kind = TQ_JOINT_FLOATING;
    m->joints[0].parent = 0, m->joints[0].child = 1;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    tqt_subject *s = tqt_subject_new(m, 0);
    const double goal[7] = {1, -2, 0.5, cos(0.4), 0.6 * sin(0.4), 0, 0.8 * sin(0.4)};
    const double gains[2][6] = {{20, 20, 20, 20, 20, 20}, {9, 9, 9, 9, 9, 9}}; /* roots -4, -5 */
    const tq_reference reference = {
        .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = 7, .setpoint = goal};
    tq_controller c = {.law = TQ_LAW_COMPUTED_TORQUE,
                       .mechanism = s->mechanism,
                       .reference = &reference,
                       .kp = gains[0],
                       .kd = gains[1]};
    tq_effect effect;
    cr_assert(eq(int, tq_controller_effect(&c, &effect, NULL), TQ_OK));
    const tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
    const double still[6] = {0};
    double a[144], inverse[36];
    tq_scratch scratch = fresh();
    tq_error error = {0};
    tq_fastest_growth growth;
    const tq_run_point at = {.q = goal, .qd = still, .qdd = still};
    cr_assert(eq(int, tq_linearise(&plant, &at, true, &scratch, a, inverse, &error), TQ_OK), "%s",
              error.what);
    for (int r = 0; r < 6; r++) {
        for (int k = 0; k < 6; k++) {
            /* differences of 6e-6: 1e-16 / 6e-6 of torques of some tens, and its square */
            cr_expect(epsilon_eq(dbl, a[(6 + r) * 12 + k], r == k ? -20 : 0, 1e-6));
            cr_expect(epsilon_eq(dbl, a[(6 + r) * 12 + 6 + k], r == k ? -9 : 0, 1e-6));
        }
    }
    cr_assert(eq(int, tq_fastest_growth_of(12, a, &scratch, &growth, NULL), TQ_OK));
    cr_expect(epsilon_eq(dbl, growth.rate, -4, 1e-5), "%g", growth.rate);
    tqt_subject_free(s);
    tqt_model_free(m);
}

/* A free mass, with a missing torque from a break just after the start, or until one just before
 * the end: x = t^2 / 2 (closed form), however close the break is. */
Test(linearize, places_next_to_each_other_show_no_curvature)
{
    static const double free_mass[4] = {0, 1, 0, 0}, none[2] = {0}, one[2] = {1, 0};
    static const double gaps[] = {1e-3, 1e-6, 1e-11};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        const tq_error_propagation_place after[3] = {
            {0, free_mass, none}, {gaps[i], free_mass, one}, {1, free_mass, one}};
        const tq_error_propagation_place before[3] = {
            {0, free_mass, one}, {1 - gaps[i], free_mass, one}, {1, free_mass, none}};
        for (int late = 0; late < 2; late++) {
            double carried[8];
            tq_error_propagation trust = {.n_v = 1, .carried = carried};
            tq_scratch scratch = fresh();
            tq_error_propagation_begin(&trust, 0);
            cr_assert(eq(
                int, tq_error_propagation_step(&trust, late ? before : after, 1e-9, &scratch, NULL),
                TQ_OK));
            cr_expect(epsilon_eq(dbl, trust.error[TQ_ERROR_INPUT], 0.5, gaps[i]), "%g: %g", gaps[i],
                      trust.error[TQ_ERROR_INPUT]);
            cr_expect(epsilon_eq(dbl, carried[2], 1, 1e-12)); /* unit error of the rate: x = t */
        }
    }
}

/* x'' = -(4 + 3 sin 5 t) x: A changes within a step and never commutes with itself */
static void swing_at(double t, double a[4])
{
    a[0] = 0, a[1] = 1, a[2] = -(4 + 3 * sin(5 * t)), a[3] = 0;
}

/* propagated unit errors after 2 s by n steps over unequal places; *ret_miss: the estimated error
 */
static double carried_by(int n, double at, double ret[4], double *ret_miss)
{
    const double none[2] = {0};
    double carried[8], a[5][4];
    tq_error_propagation trust = {.n_v = 1, .carried = carried};
    tq_scratch scratch = fresh();
    tq_error_propagation_begin(&trust, 0);
    *ret_miss = 0;
    for (int k = 0; k < n; k++) {
        const double h = 2.0 / n, part[5] = {0, 0.5 * at, at, 0.5 * (1 + at), 1};
        tq_error_propagation_place place[5];
        for (int i = 0; i < 5; i++) {
            place[i] = (tq_error_propagation_place){h * (k + part[i]), a[i], none};
            swing_at(place[i].t, a[i]);
        }
        const tq_error_propagation_place three[3] = {place[0], place[2], place[4]};
        *ret_miss += tq_error_propagation_miss(1, place, &scratch);
        cr_assert(eq(int, tq_error_propagation_step(&trust, three, 1e-9, &scratch, NULL), TQ_OK));
    }
    memcpy(ret, carried, 4 * sizeof *ret);
    return trust.gain;
}

/* against steps of 0.1 ms of the classical Runge-Kutta method: order 4, and within the estimated
 * error */
Test(linearize, errors_are_carried_to_order_four)
{
    double want[4] = {1, 0, 0, 1};
    const int n = 20000;
    for (int c = 0; c < 2; c++) {
        double *x = want + 2 * c;
        for (int k = 0; k < n; k++) {
            const double h = 2.0 / n, part[4] = {0, 0.5, 0.5, 1}, weigh[4] = {1, 2, 2, 1};
            double d[2] = {0}, sum[2] = {0};
            for (int i = 0; i < 4; i++) {
                double a[4];
                swing_at(h * (k + part[i]), a);
                const double y[2] = {x[0] + part[i] * h * d[0], x[1] + part[i] * h * d[1]};
                d[0] = a[0] * y[0] + a[1] * y[1];
                d[1] = a[2] * y[0] + a[3] * y[1];
                sum[0] += weigh[i] * d[0] / 6;
                sum[1] += weigh[i] * d[1] / 6;
            }
            x[0] += h * sum[0];
            x[1] += h * sum[1];
        }
    }
    static const double places[] = {0.5, 0.4};
    for (int p = 0; p < 2; p++) {
        double off[2] = {0, 0}, miss[2];
        for (int fine = 0; fine < 2; fine++) {
            double got[4];
            const double gain = carried_by(fine ? 80 : 40, places[p], got, &miss[fine]);
            for (int k = 0; k < 4; k++) {
                off[fine] = fmax(off[fine], fabs(got[k] - want[k]));
            }
            cr_expect(epsilon_eq(dbl, gain, hypot(want[0], want[2]), 1e-3));
            cr_expect(off[fine] < 10 * miss[fine] && miss[fine] < 1e3 * off[fine],
                      "%g predicted %g", off[fine], miss[fine]);
        }
        /* 2^4; through unequal places a term of h^4 stays in each step */
        cr_expect(gt(dbl, off[0] / off[1], places[p] == 0.5 ? 14 : 7), "%g %g", off[0], off[1]);
    }
}
