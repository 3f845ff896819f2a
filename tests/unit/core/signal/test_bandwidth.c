/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_bandwidth.c - bandwidth and noise floor of a known signal; cut-off
 * and decimation. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/bandwidth.h"
#include "tests/support/random.h"
#include "tests/support/recorded.h"

enum { ROWS = 40000 };

/* normally distributed, deviation 1 (Box and Muller) */
static double normal(tqt_random *random)
{
    const double u = tqt_random_uniform(random, 0x1p-60, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * tqt_random_uniform(random, 0.0, 1.0));
}

/* 0.5 sin(2 pi f t) and white noise of standard deviation `deviation`, at 500 Hz. */
static tqt_recorded *new_sine(double f, double deviation)
{
    tqt_recorded *r = tqt_recorded_pendulum(1u << TQ_QUANTITY_Q, ROWS);
    tqt_random random = tqt_random_seed(11);
    tq_recording_fault fault;
    tq_uniform even;
    r->n = ROWS;
    for (size_t k = 0; k < ROWS; k++) {
        r->t[k] = 0.002 * (double)k;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) =
            0.5 * sin(2.0 * M_PI * f * r->t[k]) + deviation * normal(&random);
    }
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK));
    cr_assert(eq(int, (int)tqt_recorded_inspect(r, &even, &fault), TQ_OK));
    const size_t size = tq_recording_measure_size(&r->recording, even.n);
    tq_scratch scratch = tqt_recorded_scratch(r, size);
    cr_assert(eq(int, (int)tq_recording_measure(&r->recording, &even, &scratch, NULL), TQ_OK));
    tq_scratch less = tqt_recorded_scratch(r, 64);
    cr_assert(
        eq(int, (int)tq_recording_measure(&r->recording, &even, &less, NULL), TQ_ERR_SCRATCH));
    cr_assert(eq(int, (int)tq_recording_measure(&r->recording, &even, &scratch, NULL), TQ_OK));
    return r;
}

/* White noise of deviation s has the one-sided density 2 s^2 / rate. Its median over frequencies is
 * that of chi-square of 2 K = 6 degrees of freedom over 6 (K = 3 windows of 16384 of 40000
 * samples): (1 - 2 / (9 * 6))^3 = 0.893 by Wilson and Hilferty; over 4096 frequencies its standard
 * error is 2 %, and the overlap of windows has an effect of similar size. A Hann window widens a
 * line to +-2 resolutions. */
Test(bandwidth, of_a_sine_in_white_noise)
{
    tqt_recorded *r = new_sine(1.0, 1e-5);
    cr_expect(epsilon_eq(dbl, r->recording.bandwidth.motion, 1.0, 2.0 * r->recording.resolution));
    cr_assert(r->recording.floor != NULL);
    cr_expect(eq(uint, r->recording.n_difference, 2)); /* accelerations are the second difference of
                                                          q */
    const double density = 0.893 * 2.0 * 1e-10 / 500.0;
    cr_expect(epsilon_eq(dbl, r->recording.floor[0], density, 0.04 * density));
    cr_expect(epsilon_eq(dbl, r->recording.bandwidth.floor, density, 0.04 * density));
    tqt_recorded_free(r);
}

/* The cut-off is ten times the widest motion; the rate after decimation is five times the cut-off.
 */
Test(bandwidth, chooses_cutoff_and_decimation)
{
    tqt_recorded *slow = new_sine(0.5, 1e-6), *fast = new_sine(2.0, 1e-6);
    tq_recording *both[] = {&slow->recording, &fast->recording};
    tq_recording_options *options = &slow->options;
    tq_scratch none = tqt_recorded_scratch(slow, 64);
    options->filter.is_auto = true;
    tq_recording_choose_cutoff(options, both, 1, 2, &none);
    cr_expect(eq(dbl, options->filter.cutoff, 10.0 * both[0]->bandwidth.motion));
    cr_expect(both[0]->cutoff.above_motion);
    cr_expect(not(both[1]->cutoff.above_motion)); /* not used for the choice, only checked */
    tq_recording_choose_cutoff(options, both, 2, 2, &none);
    cr_expect(eq(dbl, options->filter.cutoff, 10.0 * both[1]->bandwidth.motion));
    cr_expect(eq(dbl, options->half_gain, options->filter.cutoff));

    /* 20 Hz: 500 / (5 * 20) = 5 at most; of 600,000 samples 3 of them are enough */
    options->filter.cutoff = 19.9;
    tq_recording_choose_decimation(options, both, 2, 6e5);
    cr_expect(eq(sz, options->filter.decimate, 3));
    tq_recording_choose_decimation(options, both, 2, 6e6);
    cr_expect(eq(sz, options->filter.decimate, 5));
    options->filter.has_decimate = true;
    options->filter.decimate = 2;
    tq_recording_choose_decimation(options, both, 2, 6e6);
    cr_expect(eq(sz, options->filter.decimate, 2));
    tqt_recorded_free(slow);
    tqt_recorded_free(fast);
}
