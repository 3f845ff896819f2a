/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/own/test_own_cutoff.c - what a slow joint's low-pass must pass, which
 * joints have a cut-off of their own, and what of a pass has it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/own/own_cutoff.h"
#include "tests/support/random.h"
#include "tests/support/recorded.h"

enum { ROWS = 17000 };
static const double rate = 500.0, slow_hz = 0.2, fast_hz = 3.0;

/* normally distributed, deviation 1 (Box and Muller) */
static double normal(tqt_random *random)
{
    const double u = tqt_random_uniform(random, 0x1p-60, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * tqt_random_uniform(random, 0.0, 1.0));
}

/* 0.5 rad at slow_hz, `shaken` rad at fast_hz, and noise: a joint beside another one that moves up
 * to fast_hz. */
static tqt_recorded *new_slow(double shaken, double noise)
{
    tqt_recorded *r = tqt_recorded_pendulum(1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_TAU, ROWS);
    tqt_random random = tqt_random_seed(5);
    tq_recording_fault fault;
    r->n = ROWS;
    for (size_t k = 0; k < ROWS; k++) {
        const double t = r->t[k] = (double)k / rate;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = 0.5 * sin(2.0 * M_PI * slow_hz * t) +
                                                shaken * sin(2.0 * M_PI * fast_hz * t) +
                                                noise * normal(&random);
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = sin(2.0 * M_PI * fast_hz * t);
    }
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK));
    return r;
}

static void measure(tqt_recorded *r, double density)
{
    tq_recording_fault fault;
    tq_uniform even;
    cr_assert(eq(int, (int)tqt_recorded_inspect(r, &even, &fault), TQ_OK));
    tq_scratch scratch = tqt_recorded_scratch(r, tq_recording_own_size(even.n));
    r->recording.floor_memory[0] = density;
    r->recording.floor = r->recording.floor_memory;
    r->recording.n_difference = 2;
    r->recording.motion[0] = slow_hz;
    r->recording.bandwidth.motion = fast_hz;
    tq_scratch less = tqt_recorded_scratch(r, 64);
    cr_expect(
        eq(int, (int)tq_recording_measure_own(&r->recording, &even, &less, NULL), TQ_ERR_SCRATCH));
    cr_assert(eq(int, (int)tq_recording_measure_own(&r->recording, &even, &scratch, NULL), TQ_OK));
}

/* One-sided density 2 s^2 / rate of noise s; a second difference has w^4 of it, up to the cut-off
 * of 10 x 3 Hz (2 pi)^4 f^5 / 5, as (sin(w h) / h)^4 by 1 - (2 / 3) (5 / 7) (w h)^2 = 0.93 of
 * that. A sine of a has the mean square (a w^2)^2 / 2. The spectrum of one window that fades at its
 * ends has the middle of the recording alone: to a tenth. Resolution: 500 Hz of 16384 samples. */
Test(own_cutoff, of_a_slow_joint_in_noise)
{
    const double noise = 1e-4, density = 2.0 * noise * noise / rate, w = 2.0 * M_PI * slow_hz;
    tqt_recorded *r = new_slow(0.0, noise);
    measure(r, density);
    const double cutoff = 10.0 * fast_hz;
    const double rough = 0.93 * density * pow(2.0 * M_PI, 4.0) * pow(cutoff, 5.0) / 5.0;
    const double smooth = 0.5 * pow(0.5 * w * w, 2.0);
    const double share = rough / (rough + smooth);
    cr_expect(epsilon_eq(dbl, r->recording.shares[0], share, 0.1 * share));
    cr_expect(epsilon_eq(dbl, r->recording.needs[0], 10.0 * slow_hz, 20.0 * rate / 16384.0));
    tqt_recorded_free(r);
}

/* A joint that is shaken has its own real bandwidth; 1 mrad at 3 Hz is twenty times the noise of
 * the band there, and 3 x 3 Hz is the least that passes it. */
Test(own_cutoff, of_a_joint_that_is_shaken)
{
    const double noise = 1e-4;
    tqt_recorded *r = new_slow(1e-3, noise);
    measure(r, 2.0 * noise * noise / rate);
    cr_expect(ge(dbl, r->recording.needs[0], 3.0 * fast_hz));
    tqt_recorded_free(r);
}

Test(own_cutoff, unknown_where_rates_are_recorded_or_noise_is_not)
{
    tqt_recorded *r = new_slow(0.0, 1e-3);
    tq_recording_fault fault;
    tq_uniform even;
    measure(r, 4e-9);
    cr_assert(eq(int, (int)tqt_recorded_inspect(r, &even, &fault), TQ_OK));
    tq_scratch scratch = tqt_recorded_scratch(r, tq_recording_own_size(even.n));
    r->recording.n_difference = 1;
    cr_assert(eq(int, (int)tq_recording_measure_own(&r->recording, &even, &scratch, NULL), TQ_OK));
    cr_expect(isinf(r->recording.needs[0]));
    r->recording.n_difference = 2;
    r->recording.floor = NULL;
    cr_assert(eq(int, (int)tq_recording_measure_own(&r->recording, &even, &scratch, NULL), TQ_OK));
    cr_expect(isinf(r->recording.needs[0]));
    tqt_recorded_free(r);
}

/* Joints slow and noisy, fast, and slow without noise; 100 s: 2.4 periods in a sixteenth of it are
 * 0.384 Hz. */
Test(own_cutoff, which_joints_have_one)
{
    tq_model model = {.nq = 3, .nv = 3};
    tq_recording_options options = {.model = &model,
                                    .filter = {.order = 4, .cutoff = 6.0, .is_auto = true}};
    double needs[2][3] = {{1.2, 6.0, 1.0}, {2.0, 6.0, 1.0}};
    double shares[2][3] = {{0.5, 0.001, 0.001}, {0.4, 0.002, 0.001}}, own[3];
    tq_recording logs[2] = {{0}, {0}};
    tq_recording *const both[2] = {&logs[0], &logs[1]};
    for (size_t i = 0; i < 2; i++) {
        logs[i] = (tq_recording){.options = &options,
                                 .n_chosen = 50000,
                                 .period = 0.002,
                                 .needs = needs[i],
                                 .shares = shares[i]};
    }
    cr_assert(tq_recording_choose_own(&options, both, 2, own));
    cr_expect(eq(dbl, own[0], 2.0)); /* the most that a recording needs */
    cr_expect(eq(dbl, own[1], 6.0));
    cr_expect(eq(dbl, own[2], 6.0));
    needs[0][0] = needs[1][0] = 0.1;
    cr_assert(tq_recording_choose_own(&options, both, 2, own));
    cr_expect(epsilon_eq(dbl, own[0], 0.384, 1e-12));
    shares[1][1] = 0.06; /* the fast joint needs instruments */
    cr_expect(not(tq_recording_choose_own(&options, both, 2, own)));
    shares[1][1] = 0.002;
    options.filter.is_auto = false;
    cr_expect(not(tq_recording_choose_own(&options, both, 2, own)));
}

typedef struct sizes {
    double q, qdd, tau; /* amplitudes of fast_hz */
    uint64_t n;
} sizes;

static bool add(void *ctx, const tq_recording_block *block)
{
    sizes *to = ctx;
    for (size_t i = 0; i < block->data.n_sample; i++) {
        if (block->t[i] < 5.0 - 1e-6 || block->t[i] > 30.0 - 1e-6) {
            continue; /* whole periods of both sines */
        }
        to->n++;
        const double x = sin(2.0 * M_PI * fast_hz * block->t[i]);
        to->q += 2.0 * x * block->data.q[i];
        to->qdd += 2.0 * x * block->data.qdd[i];
        to->tau += 2.0 * x * block->data.tau[i];
    }
    return true;
}

/* The gain of a low-pass of order 4, forward and backward, is 1 / (1 + (f / f_c)^8). A whole pass
 * leaves out what the slowest filter needs; a part of a long recording has the filter of all. */
Test(own_cutoff, positions_pass_it_and_torque_does_not)
{
    const double own = 2.0, w = 2.0 * M_PI * fast_hz;
    const double gain = 1.0 / (1.0 + pow(fast_hz / own, 8.0));
    tqt_recorded *r = new_slow(0.01, 0.0);
    tq_recording_fault fault;
    sizes all = {0}, got = {0};
    cr_assert(eq(int, (int)tqt_recorded_pass(r, add, &all, &fault), TQ_OK));
    const uint64_t border = r->recording.n_border;
    r->options.filter.own = &own;
    cr_assert(eq(int, (int)tqt_recorded_pass(r, add, &got, &fault), TQ_OK));
    cr_expect(gt(u64, r->recording.n_border, 5 * border)); /* 20 Hz to 2 Hz */
    const double n = (double)got.n;
    cr_expect(epsilon_eq(dbl, all.q / (double)all.n, 0.01, 2e-4));
    cr_expect(epsilon_eq(dbl, got.q / n, 0.01 * gain, 2e-4));
    cr_expect(epsilon_eq(dbl, got.qdd / n, -0.01 * gain * w * w, 2e-3 * w * w * 0.01));
    cr_expect(epsilon_eq(dbl, got.tau / n, 1.0, 1e-2));
    tqt_recorded_free(r);
}
