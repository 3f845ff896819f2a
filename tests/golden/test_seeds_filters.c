/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_filters.c - items 124 to 126: velocities and accelerations from measured
 * positions, without delay. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/differentiate.h"
#include "core/signal/filter.h"
#include "core/signal/spectrum.h"

enum { N = 4000, BYTES = 1 << 20, FFT = 2048 };
static _Alignas(64) unsigned char memory[BYTES];
static const double rate = 200.0;

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

static void low_pass(double tau_f, double *x)
{
    tq_filter filter;
    tq_scratch scratch = fresh();
    cr_assert(eq(int, tq_filter_first_order(tau_f, rate, &filter, NULL), TQ_OK));
    cr_assert(eq(int,
                 tq_filter_zero_phase_rows(&filter, tq_filter_settling_length(&filter), N, 1, x, N,
                                           &scratch, NULL),
                 TQ_OK));
}

/* Filtered differentiation, twice: the low-pass 1 / (tau_f s + 1) forward and backward, then a
 * central difference. Of a sine of frequency w that is w cos, times the two known gains, with no
 * shift in time. (Zero phase of the whole s / (tau_f s + 1) would give -w^2 sin: a minus sign and
 * another derivative.) */
Test(seeds, item_124_filtered_differentiation)
{
    static double q[N], qd[N], qdd[N];
    const double h = 1.0 / rate;
    const double w = 2.0 * M_PI * 0.5;
    const double tau_f = 0.01;
    for (size_t k = 0; k < N; k++) {
        q[k] = sin(w * (double)k * h);
    }
    low_pass(tau_f, q);
    tq_difference(N, q, h, qd);
    low_pass(tau_f, qd);
    tq_difference(N, qd, h, qdd);
    /* s = (2 / h) (z - 1) / (z + 1) by the bilinear transform: 1 / (tau s + 1) at z = e^{i w h} */
    const double bent = tau_f * 2.0 * rate * tan(w * h / 2.0);
    const double once = 1.0 / sqrt(1.0 + bent * bent);
    tq_filter filter;
    cr_assert(eq(int, tq_filter_first_order(tau_f, rate, &filter, NULL), TQ_OK));
    cr_assert(epsilon_eq(dbl, tq_filter_gain(&filter, 0.5, rate), once, 1e-13));
    /* continuous 1 / (1 + (w tau)^2) for two passes; the bilinear transform is off by (w h)^2 */
    cr_assert(epsilon_eq(dbl, once * once, 1.0 / (1.0 + w * w * tau_f * tau_f), 1e-6));
    const double two = once * once * sin(w * h) / h; /* and the gain of a central difference */
    for (size_t k = 500; k < N - 500; k++) {
        const double t = (double)k * h;
        cr_assert(epsilon_eq(dbl, qd[k], once * once * two * cos(w * t), 1e-9), "%zu", k);
        cr_assert(epsilon_eq(dbl, qdd[k], -two * two * sin(w * t), 1e-8), "%zu", k);
        cr_assert(epsilon_eq(dbl, qd[k], w * cos(w * t), 0.01), "%zu", k);
    }
}

/* 10 w_BW < w_f < 0.1 w_noise: a cut-off between is chosen and passes; one below, one above, and
 * signals that leave no room are distinguished. 0.001 s < tau_f < 0.05 s is 1000 to 20 rad/s, 159
 * to 3.18 Hz. */
Test(seeds, item_125_choice_of_the_filter)
{
    const tq_bandwidth room = {.motion = 0.5, .noise = 80.0};
    const tq_cutoff chosen = tq_cutoff_choose(&room, rate);
    cr_assert(epsilon_eq(dbl, chosen.cutoff, 5.0, 1e-12));
    cr_assert(chosen.above_motion && chosen.below_noise);
    cr_assert(not(tq_cutoff_judge(&room, 4.9).above_motion));
    cr_assert(not(tq_cutoff_judge(&room, 8.1).below_noise));
    const tq_bandwidth narrow = {.motion = 2.0, .noise = 20.0};
    cr_assert(not(tq_cutoff_choose(&narrow, rate).below_noise));
    cr_assert(epsilon_eq(dbl, 1.0 / (2.0 * M_PI * 0.001), 159.15, 0.01));
    cr_assert(epsilon_eq(dbl, 1.0 / (2.0 * M_PI * 0.05), 3.183, 0.001));

    /* measured: 0.5 Hz of motion, and something like noise */
    static double x[N], power[FFT / 2 + 1];
    for (size_t k = 0; k < N; k++) {
        const double t = (double)k / rate;
        x[k] = sin(2.0 * M_PI * 0.5 * t) + 1e-7 * sin(12.9898 * (double)(k * k));
    }
    tq_scratch scratch = fresh();
    tq_bandwidth found;
    cr_assert(eq(int, tq_spectrum(N, x, rate, FFT, &scratch, power, NULL), TQ_OK));
    cr_assert(
        eq(int, tq_bandwidth_find(FFT, rate, power, INFINITY, &scratch, &found, NULL), TQ_OK));
    /* bins of 0.1 Hz, and the window's skirt */
    cr_assert(epsilon_eq(dbl, found.motion, 0.5, 0.25), "%g", found.motion);
}

/* Forward and backward: no delay at any frequency, and the magnitude of one pass squared. A
 * Butterworth filter of order n by the bilinear transform passes
 *     |H| = 1 / sqrt(1 + (tan(pi f / rate) / tan(pi f_c / rate))^(2 n)),
 * 1/sqrt 2 at its cut-off; scipy.signal.sosfreqz of butter(4, 8, fs=200, output='sos') (SciPy 1.17)
 * has 0.99811322599705 at 4 Hz, 0.70710678118655 at 8 and 0.05850433904317 at 16. */
Test(seeds, item_126_zero_phase_filter)
{
    static double x[N];
    tq_filter filter;
    cr_assert(eq(int, tq_filter_butterworth(4, 8.0, rate, &filter, NULL), TQ_OK));
    static const double scipy[3] = {0.99811322599705, 0.70710678118655, 0.05850433904317};
    for (int k = 0; k < 3; k++) {
        cr_assert(epsilon_eq(dbl, tq_filter_gain(&filter, 4.0 * (1 << k), rate), scipy[k], 1e-13));
    }
    for (double f = 0.5; f <= 16.0; f *= 2.0) {
        tq_scratch scratch = fresh();
        for (size_t k = 0; k < N; k++) {
            x[k] = sin(2.0 * M_PI * f * (double)k / rate);
        }
        cr_assert(
            eq(int, tq_filter_zero_phase_rows(&filter, 500, N, 1, x, N, &scratch, NULL), TQ_OK));
        double in_phase = 0.0;
        double across = 0.0;
        /* 2,000 samples are 5 whole periods of 0.5 Hz, more of its octaves */
        for (size_t k = 1000; k < 3000; k++) {
            const double angle = 2.0 * M_PI * f * (double)k / rate;
            in_phase += 2.0 * x[k] * sin(angle) / 2000.0;
            across += 2.0 * x[k] * cos(angle) / 2000.0;
        }
        const double ratio = tan(M_PI * f / rate) / tan(M_PI * 8.0 / rate);
        const double gain2 = 1.0 / (1.0 + pow(ratio, 8.0));
        cr_assert(epsilon_eq(dbl, in_phase, gain2, 1e-9), "%g Hz", f);
        cr_assert(epsilon_eq(dbl, across, 0.0, 1e-9), "%g Hz", f);
    }
}
