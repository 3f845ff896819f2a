/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_plausibility.c - wrong units, signs and columns of a pendulum's
 * motion. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/base/random.h"
#include "core/signal/plausibility.h"
#include "tests/support/recorded.h"

enum { ROWS = 4000 };
static const double h = 0.005;

/* Ten swings of 1 rad in 20 s that end at their start. tau = m l^2 qdd + m g l sin q + 0.5 sign of
 * qd, m = 1 kg, l = 0.5 m: tests/support/pendulum.h with Coulomb friction. */
static tqt_recorded *new_swings(void)
{
    const double w = M_PI;
    tqt_recorded *r = tqt_recorded_pendulum(
        1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_QD | 1u << TQ_QUANTITY_TAU, ROWS);
    r->n = ROWS;
    r->recording.check =
        TQ_CHECK_POSITION | TQ_CHECK_TORQUE | TQ_CHECK_EFFORT | TQ_CHECK_GRAVITY | TQ_CHECK_SIGN;
    for (size_t k = 0; k < ROWS; k++) {
        const double t = h * (double)k;
        const double q = sin(w * t), qd = w * cos(w * t), qdd = -w * w * q;
        r->t[k] = t;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = q;
        *tqt_recorded_at(r, TQ_QUANTITY_QD, k) = qd;
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) =
            0.25 * qdd + 9.81 * 0.5 * sin(q) + copysign(0.5, qd);
    }
    return r;
}

static void scale(tqt_recorded *r, tq_quantity quantity, double factor)
{
    for (size_t k = 0; k < r->n; k++) {
        *tqt_recorded_at(r, quantity, k) *= factor;
    }
}

static tq_recording_fault fault_of(tqt_recorded *r)
{
    tq_recording_fault fault = {0};
    tq_uniform even;
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK));
    cr_assert(eq(int, (int)tqt_recorded_inspect(r, &even, &fault), TQ_OK));
    cr_assert(gt(sz, even.n, ROWS - 100));
    tq_scratch scratch = tqt_recorded_scratch(r, tq_recording_check_size(r->options.mechanism));
    const tq_status status = tq_recording_check(&r->recording, &even, &scratch, &fault, NULL);
    cr_assert(eq(int, (int)status, (int)(fault.kind == TQ_FAULT_NONE ? TQ_OK : TQ_ERR_RANGE)));
    tqt_recorded_free(r);
    return fault;
}

static tq_recording_fault fault_scaled(tq_quantity quantity, double factor)
{
    tqt_recorded *r = new_swings();
    scale(r, quantity, factor);
    return fault_of(r);
}

Test(plausibility, accepts_what_is_right)
{
    cr_expect(eq(int, (int)fault_of(new_swings()).kind, TQ_FAULT_NONE));
}

Test(plausibility, detects_velocities_in_degrees_and_of_another_sign)
{
    const double degrees = 180.0 / M_PI;
    tq_recording_fault fault = fault_scaled(TQ_QUANTITY_QD, degrees);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_VELOCITY_RATIO));
    cr_expect(eq(uint, fault.joint, 0));
    cr_expect(epsilon_eq(dbl, fault.value, degrees, 1e-2)); /* slopes over 0.02 s are smaller by (w
                                                         0.02)^2 / 6 = 7e-4 */
    fault = fault_scaled(TQ_QUANTITY_QD, -1.0);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_VELOCITY_RATIO));
    cr_expect(epsilon_eq(dbl, fault.value, -1.0, 1e-3));
    cr_expect(eq(int, (int)fault_scaled(TQ_QUANTITY_QD, 0.0).kind, TQ_FAULT_VELOCITY_ZERO));
}

/* Of several joints it would be a clock: tests/contract/test_calibrate_logs.py, "another-clock". */
Test(plausibility, leaves_a_velocity_of_one_joint_that_is_a_quarter_larger)
{
    cr_expect(eq(int, (int)fault_scaled(TQ_QUANTITY_QD, 1.25).kind, TQ_FAULT_NONE));
}

/* A velocity of another frequency: orthogonal to the slope over whole periods. */
Test(plausibility, detects_velocities_of_another_joint)
{
    tqt_recorded *r = new_swings();
    for (size_t k = 0; k < r->n; k++) {
        *tqt_recorded_at(r, TQ_QUANTITY_QD, k) = 3.0 * cos(2.0 * M_PI * h * (double)k);
    }
    const tq_recording_fault fault = fault_of(r);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_VELOCITY_CORRELATION));
    cr_expect(epsilon_eq(dbl, fault.value, 0.0, 0.01));
}

Test(plausibility, detects_angles_in_degrees)
{
    tqt_recorded *r = new_swings();
    scale(r, TQ_QUANTITY_Q, 180.0 / M_PI);
    scale(r, TQ_QUANTITY_QD, 180.0 / M_PI);
    const tq_recording_fault fault = fault_of(r);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_POSITION)); /* beyond 40 rad, without limits */
    cr_expect(gt(dbl, fabs(fault.value), 40.0));
}

/* Gravity at 16 poses 4/3 s apart: q = sin(4 pi k / 3) is 0 or +-0.866, its largest torque m g l
 * sin(0.866) = 3.74 N m. The poses are rows, up to 0.01 s away from these times: 0.016 rad. */
Test(plausibility, detects_torques_of_no_size)
{
    const tq_recording_fault fault = fault_scaled(TQ_QUANTITY_TAU, 1000.0);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_TORQUE_GRAVITY));
    cr_expect(epsilon_eq(dbl, fault.other, 9.81 * 0.5 * sin(sqrt(0.75)), 9.81 * 0.5 * 0.016));
    cr_expect(eq(int, (int)fault_scaled(TQ_QUANTITY_TAU, 0.0).kind, TQ_FAULT_TORQUE_CONSTANT));
}

/* Passivity: friction of 0.5 N m dissipates 0.5 * 4 rad a swing, 20 J in ten; with the wrong sign
 * the motor would receive as much. Sums omit the two end samples. */
Test(plausibility, detects_torques_of_another_sign)
{
    const tq_recording_fault fault = fault_scaled(TQ_QUANTITY_TAU, -1.0);
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_TORQUE_SIGN));
    cr_expect(epsilon_eq(dbl, fault.value, 20.0, 0.1));
}

/* Swings without friction that fade from 1 rad to 0.02 with A = 0.02 + 0.98 exp(-t / 1.5 s): they
 * end near where they began, and the motor takes their own energy out, m l^2 w^2 / 2 = 1.2 J at
 * first. */
Test(plausibility, accepts_a_motion_that_is_braked)
{
    const double w = M_PI;
    tqt_recorded *r = new_swings();
    for (size_t k = 0; k < r->n; k++) {
        const double t = h * (double)k, e = .98 * exp(-t / 1.5), a = .02 + e;
        const double s = sin(w * t), c = cos(w * t);
        const double q = a * s, qdd = e / 2.25 * s - 2 * e / 1.5 * w * c - a * w * w * s;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = q;
        *tqt_recorded_at(r, TQ_QUANTITY_QD, k) = a * w * c - e / 1.5 * s;
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = 0.25 * qdd + 9.81 * 0.5 * sin(q);
    }
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_NONE));
}

/* Swings without friction: white noise of 0.3 N m makes work of either sign, 0.3 N m times the root
 * of the sum of squared steps (0.7 rad) by one deviation. */
Test(plausibility, accepts_noise_of_either_sign)
{
    uint64_t random = 5;
    for (unsigned trial = 0; trial < 30; trial++) {
        tqt_recorded *r = new_swings();
        for (size_t k = 0; k < r->n; k++) {
            const double q = *tqt_recorded_at(r, TQ_QUANTITY_Q, k);
            double noise = 0.0;
            for (unsigned i = 0; i < 12; i++) { /* of twelve uniform numbers in [-1, 1] */
                noise += 0.5 * tq_random_unit(&random);
            }
            *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) =
                -0.25 * M_PI * M_PI * q + 9.81 * 0.5 * sin(q) + 0.3 * noise;
        }
        cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_NONE));
    }
}

/* against the root mean square of the torque, here over the rows themselves */
static tq_recording_fault fault_with_effort(double part_of_rms, double *ret_effort, double *ret_rms)
{
    tqt_recorded *r = new_swings();
    scale(r, TQ_QUANTITY_TAU, 40.0);
    double square = 0.0;
    for (size_t k = 0; k < r->n; k++) {
        const double tau = *tqt_recorded_at(r, TQ_QUANTITY_TAU, k);
        square += tau * tau / (double)r->n;
    }
    *ret_rms = sqrt(square);
    *ret_effort = part_of_rms * *ret_rms;
    r->options.model->joints[0].limits.effort = *ret_effort;
    return fault_of(r);
}

Test(plausibility, sees_torques_far_above_the_limit_of_effort)
{
    double effort = 0.0, rms = 0.0;
    cr_expect(eq(int, (int)fault_with_effort(1.0 / 19.0, &effort, &rms).kind, TQ_FAULT_NONE));
    const tq_recording_fault fault = fault_with_effort(1.0 / 21.0, &effort, &rms);
    cr_expect(gt(dbl, effort, 1.0));
    cr_expect(eq(int, (int)fault.kind, TQ_FAULT_TORQUE_EFFORT));
    cr_expect(eq(u32, fault.joint, 0));
    /* resampled between rows: sum of squares to 1 % */
    cr_expect(epsilon_eq(dbl, fault.value, rms, 0.01 * rms));
    cr_expect(eq(dbl, fault.other, effort));
    /* limits of 0 are not filled in */
    cr_expect(eq(int, (int)fault_with_effort(0.0, &effort, &rms).kind, TQ_FAULT_NONE));
    cr_expect(eq(int, (int)fault_with_effort(1.0 / 100.0, &effort, &rms).kind, TQ_FAULT_NONE));
    cr_expect(lt(dbl, effort, 1.0));
}

Test(plausibility, ignores_torque_that_is_not_used)
{
    tqt_recorded *r = new_swings();
    scale(r, TQ_QUANTITY_TAU, -1000.0);
    r->recording.check &= ~(unsigned)TQ_CHECK_TORQUE;
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_NONE));
}

/* A fit compares the joints with each other. */
Test(plausibility, leaves_signs_to_a_fit)
{
    tqt_recorded *r = new_swings();
    scale(r, TQ_QUANTITY_TAU, -1.0);
    r->recording.check &= ~(unsigned)TQ_CHECK_SIGN;
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_NONE));
}
