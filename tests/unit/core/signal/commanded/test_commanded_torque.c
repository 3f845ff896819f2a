/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/commanded/test_commanded_torque.c - the law of a controller along rows of
 * polynomials in time, against closed forms of one bar. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/signal/commanded/commanded_torque.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N = 24, Q = 0, TAU = 1, CHANNELS = 2, GAINS = 3 };

static const double kp = 40.0, kd = 3.0, ki = 25.0;
static const tqt_bar bar = {
    .length = 0.8, .mass = 2.0, .com = 0.3, .inertia = 0.05, .viscous = 0.4};

/* times that are not uniform; row 12 is missing from the file */
static double time_of(size_t k)
{
    return 0.01 * (double)k + 0.003 * (double)(k % 3);
}

static uint64_t row_of(size_t k)
{
    return k < 12 ? k : k + 1;
}

static double command_at(double t)
{
    return 0.5 + 2.0 * t - 3.0 * t * t;
}

static double error_at(double t)
{
    return 0.02 - 0.3 * t + 1.5 * t * t;
}

/* slopes of a parabola: exact from both neighbours, of the chord to the only one else */
static double slope(double (*x)(double), double a, double b)
{
    return (x(b) - x(a)) / (b - a);
}

static double rate_at(size_t k, double (*x)(double), double (*rate)(double))
{
    const double t = time_of(k);
    const bool before = k > 0 && k != 12, after = k + 1 < N && k != 11;
    return before && after ? rate(t)
           : after         ? slope(x, t, time_of(k + 1))
                           : slope(x, time_of(k - 1), t);
}

static double error_rate(double t)
{
    return -0.3 + 3.0 * t;
}

static double position_at(double t)
{
    return command_at(t) - error_at(t);
}

static double position_rate(double t)
{
    return 2.0 - 6.0 * t - error_rate(t);
}

typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tq_channels channels;
    tq_commanded_law law;
    double limit;
    size_t n; /* rows that came out */
    double tau[N];
    double factors[GAINS][N]; /* of unknown gains */
    unsigned char state[N];
    tq_commanded_sums sums;
    double shift; /* of the measured position, rad */
} bench;

static bench open_bench(tq_commanded_kind kind, const double *integral, double limit)
{
    bench b = {.model = tqt_planar_arm(&bar, 1, 9.81), .limit = limit};
    b.subject = tqt_subject_new(b.model, 0);
    b.channels = (tq_channels){.n = CHANNELS};
    b.channels.has[TQ_QUANTITY_Q] = b.channels.has[TQ_QUANTITY_TAU] = true;
    b.channels.first[TQ_QUANTITY_TAU] = TAU;
    b.law = (tq_commanded_law){.kind = kind, .kp = &kp, .kd = &kd, .ki = integral};
    return b;
}

static void close_bench(bench *b)
{
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
}

/* rows in runs of 5, 1, 1 and 17: what comes out does not depend on it */
static void push_all(bench *b)
{
    static const size_t parts[] = {5, 1, 1, 17};
    static double values[(CHANNELS + GAINS) * TQ_RAW_ROWS], t[TQ_RAW_ROWS];
    static uint64_t row[TQ_RAW_ROWS];
    static unsigned char state[TQ_RAW_ROWS];
    tq_raw_run run = {values, t, row, state};
    b->law.limit = &b->limit;
    const tq_commanded_setup setup = {
        .mechanism = b->subject->mechanism, .law = &b->law, .channels = &b->channels};
    const size_t size = tq_commanded_size(&setup);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    tq_scratch room;
    tq_scratch_init(&room, memory, size);
    tq_commanded *c = tq_commanded_begin(&setup, &room);
    cr_assert(c != NULL);
    cr_expect(eq(sz, room.used, size));
    size_t at = 0;
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        size_t n = tq_commanded_resume(c, &run);
        for (size_t k = 0; k < parts[p]; k++, n++, at++) {
            t[n] = time_of(at);
            row[n] = row_of(at);
            state[n] = TQ_ROW_GOOD;
            values[Q * TQ_RAW_ROWS + n] = position_at(t[n]) + b->shift;
            tq_commanded_row(c, TQ_COMMAND_Q, 0)[n] = command_at(t[n]);
            tq_commanded_row(c, TQ_COMMAND_TAU_FF, 0)[n] = 0.25;
        }
        cr_assert(eq(int, tq_commanded_compute(c, &run, &n, at < N, &b->sums, NULL), TQ_OK));
        memcpy(b->tau + b->n, values + TAU * TQ_RAW_ROWS, n * sizeof *b->tau);
        for (size_t g = 0; g < b->channels.n_gain; g++) {
            memcpy(b->factors[g] + b->n, values + (CHANNELS + g) * TQ_RAW_ROWS,
                   n * sizeof *b->factors[g]);
        }
        memcpy(b->state + b->n, state, n);
        b->n += n;
    }
    cr_expect(eq(sz, b->n, (size_t)N));
    tq_scratch_release(memory, size);
    free(memory);
}

/* numbers of some 10, a few dozen operations, divided by steps of 4 ms: 1e3 eps 100 */
static const double rounding = 1e-10;

Test(commanded_torque, pd_is_exact_along_parabolas)
{
    bench b = open_bench(TQ_COMMANDED_PD, NULL, (double)INFINITY);
    push_all(&b);
    for (size_t k = 0; k < N; k++) {
        const double want =
            kp * error_at(time_of(k)) + kd * rate_at(k, error_at, error_rate) + 0.25;
        cr_expect(fabs(b.tau[k] - want) < rounding, "%zu: %g %g", k, b.tau[k], want);
    }
    close_bench(&b);
}

/* a whole turn more is the same error, and no rate */
Test(commanded_torque, angles_may_jump_by_a_turn)
{
    bench plain = open_bench(TQ_COMMANDED_PD, NULL, (double)INFINITY);
    bench turned = open_bench(TQ_COMMANDED_PD, NULL, (double)INFINITY);
    turned.shift = 2.0 * M_PI;
    push_all(&plain);
    push_all(&turned);
    for (size_t k = 0; k < N; k++) {
        cr_expect(fabs(turned.tau[k] - plain.tau[k]) < rounding, "%zu", k);
    }
    close_bench(&plain);
    close_bench(&turned);
}

Test(commanded_torque, gravity_is_that_of_the_bar)
{
    bench pd = open_bench(TQ_COMMANDED_PD, NULL, (double)INFINITY);
    bench with = open_bench(TQ_COMMANDED_PD_GRAVITY, NULL, (double)INFINITY);
    push_all(&pd);
    push_all(&with);
    for (size_t k = 0; k < N; k++) {
        const double gravity = bar.mass * 9.81 * bar.com * cos(position_at(time_of(k)));
        cr_expect(fabs(with.tau[k] - pd.tau[k] - gravity) < rounding, "%zu", k);
    }
    close_bench(&pd);
    close_bench(&with);
}

/* (I + m c^2) (qdd_cmd + kp e + kd e' + ki s) + m g c cos q + b qd */
static double computed(size_t k, double s)
{
    const double t = time_of(k);
    const bool both = k > 0 && k + 1 < N && k != 11 && k != 12;
    const double acceleration = both ? -6.0 : 0.0; /* of one neighbour: no curvature */
    const double inertia = bar.inertia + bar.mass * bar.com * bar.com;
    return inertia *
               (acceleration + kp * error_at(t) + kd * rate_at(k, error_at, error_rate) + ki * s) +
           bar.mass * 9.81 * bar.com * cos(position_at(t)) +
           bar.viscous * rate_at(k, position_at, position_rate) + 0.25;
}

/* trapezoids of the error up to row k */
static double integral_at(size_t k)
{
    double sum = 0.0;
    for (size_t i = 1; i <= k; i++) {
        const double a = time_of(i - 1), b = time_of(i);
        sum += (b - a) * (error_at(a) + error_at(b)) / 2.0;
    }
    return sum;
}

Test(commanded_torque, computed_torque_of_a_bar)
{
    bench none = open_bench(TQ_COMMANDED_COMPUTED, NULL, (double)INFINITY);
    bench with = open_bench(TQ_COMMANDED_COMPUTED, &ki, (double)INFINITY);
    push_all(&none);
    push_all(&with);
    for (size_t k = 0; k < N; k++) {
        cr_expect(fabs(none.tau[k] - computed(k, 0.0)) < rounding, "%zu", k);
        cr_expect(fabs(with.tau[k] - computed(k, integral_at(k))) < rounding, "%zu", k);
        cr_expect(eq(int, with.state[k], TQ_ROW_GOOD));
    }
    close_bench(&none);
    close_bench(&with);
}

/* at its limit torque is not known, and an error of its sign is not summed */
Test(commanded_torque, integral_does_not_grow_into_saturation)
{
    const double limit = 0.9;
    bench b = open_bench(TQ_COMMANDED_PD, &ki, limit);
    double sum = 0.0, last = 0.0;
    size_t n_saturated = 0;
    push_all(&b);
    for (size_t k = 0; k < N; k++) {
        const double t = time_of(k), h = k > 0 ? t - time_of(k - 1) : 0.0, e = error_at(t);
        const double s = sum + h * (last + e) / 2.0;
        const double want = kp * e + kd * rate_at(k, error_at, error_rate) + ki * s + 0.25;
        const bool winds_up = fabs(want) > limit && (want > 0.0) == (e > 0.0);
        sum = winds_up ? s - h * e / 2.0 : s;
        last = winds_up ? 0.0 : e;
        cr_expect(fabs(b.tau[k] - want) < rounding, "%zu: %g %g", k, b.tau[k], want);
        cr_expect(eq(int, b.state[k], fabs(want) >= limit ? TQ_ROW_SATURATED : TQ_ROW_GOOD));
        n_saturated += fabs(want) >= limit;
    }
    cr_expect(n_saturated > 0 && n_saturated < N, "%zu", n_saturated);
    close_bench(&b);
}

/* sums over all rows: the error is small beside the motion, unless the command is another joint's
 */
Test(commanded_torque, a_joint_that_does_not_follow_is_off)
{
    bench b = open_bench(TQ_COMMANDED_PD, NULL, (double)INFINITY);
    double error = 0.0, deviation = 0.0, mean = 0.0, square = 0.0;
    push_all(&b);
    cr_expect(not(tq_commanded_is_off(&b.sums, &error, &deviation)));
    for (size_t k = 0; k < N; k++) {
        mean += position_at(time_of(k)) / N;
    }
    for (size_t k = 0; k < N; k++) {
        square += (position_at(time_of(k)) - mean) * (position_at(time_of(k)) - mean) / N;
    }
    cr_expect(fabs(deviation - sqrt(square)) < rounding, "%g", deviation);
    b.shift = 0.3;
    b.n = 0;
    b.sums = (tq_commanded_sums){0};
    push_all(&b);
    cr_expect(tq_commanded_is_off(&b.sums, &error, &deviation), "%g %g", error, deviation);
    /* a joint at rest is not judged */
    const tq_commanded_sums still = {.n = 4.0, .q = 4.0, .q_square = 4.0, .error_square = 1.0};
    cr_expect(not(tq_commanded_is_off(&still, &error, &deviation)));
    cr_expect(eq(dbl, error, 0.5));
    close_bench(&b);
}

/* what unknown gains are multiplied with: torque is the sum of gains times these, and the rest */
Test(commanded_torque, factors_of_unknown_gains)
{
    static const tq_unknown_gain unknown[GAINS] = {{.kind = TQ_GAIN_KI, .start = 25.0},
                                                   {.kind = TQ_GAIN_KP, .start = 40.0},
                                                   {.kind = TQ_GAIN_KD, .start = 3.0}};
    bench b = open_bench(TQ_COMMANDED_PD, &ki, (double)INFINITY);
    b.law.unknown = unknown;
    b.law.n_unknown = b.channels.n_gain = GAINS;
    b.channels.first_gain = CHANNELS;
    b.channels.n = CHANNELS + GAINS;
    push_all(&b);
    for (size_t k = 0; k < N; k++) {
        const double *factors[GAINS] = {b.factors[0] + k, b.factors[1] + k, b.factors[2] + k};
        cr_expect(fabs(*factors[0] - integral_at(k)) < rounding, "%zu", k);
        cr_expect(fabs(*factors[1] - error_at(time_of(k))) < rounding, "%zu", k);
        cr_expect(fabs(*factors[2] - rate_at(k, error_at, error_rate)) < rounding, "%zu", k);
        const double sum = ki * *factors[0] + kp * *factors[1] + kd * *factors[2] + 0.25;
        cr_expect(fabs(b.tau[k] - sum) < rounding, "%zu: %g %g", k, b.tau[k], sum);
    }
    close_bench(&b);
}
