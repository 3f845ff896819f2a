/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_spectrum.c - Welch's method against SciPy 1.17; bandwidths. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/spectrum.h"
#include "tests/support/random.h"
#include "tests/support/refusal.h"

enum { N = 200, BYTES = 1 << 20, FFT = 1024, LONG = 8192 };
static _Alignas(64) unsigned char memory[BYTES];

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

Test(spectrum, agrees_with_scipy)
{
    /* scipy.signal.welch(x, fs=100, nperseg=64, window="hann", detrend="constant") */
    static const struct {
        size_t at;
        double want;
    } rows[] = {{0, 0.004097877293703293},
                {1, 0.214649017734286},
                {4, 0.018295978140612013},
                {32, 1.6535056512495048e-06}};
    double x[N], power[33];
    tq_scratch scratch = fresh();
    for (int k = 0; k < N; k++) {
        x[k] = sin(0.1 * k) + 0.3 * cos(0.37 * k) + (double)((k * 7919) % 13) / 13.0;
    }
    cr_assert(eq(int, tq_spectrum(N, x, 100.0, 64, &scratch, power, NULL), TQ_OK));
    cr_assert(eq(sz, scratch.used, 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* 64 terms of order 1, squared */
        cr_assert(epsilon_eq(dbl, power[rows[i].at], rows[i].want, 1e-14), "%zu", rows[i].at);
    }
}

/* normally distributed, deviation 1 (Box and Muller) */
static double normal(tqt_random *random)
{
    const double u = tqt_random_uniform(random, 0x1p-60, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * tqt_random_uniform(random, 0.0, 1.0));
}

/* a motion of two harmonics up to 1 Hz, with noise of deviation `noise` */
static tq_bandwidth measured(double noise)
{
    static double x[LONG], power[FFT / 2 + 1];
    tqt_random random = tqt_random_seed(11);
    for (size_t k = 0; k < LONG; k++) {
        const double t = 0.01 * (double)k;
        x[k] =
            sin(2.0 * M_PI * 0.3 * t) + 0.3 * sin(2.0 * M_PI * 1.0 * t) + noise * normal(&random);
    }
    tq_scratch scratch = fresh();
    tq_bandwidth bandwidth = {0};
    cr_assert(eq(int, tq_spectrum(LONG, x, 100.0, FFT, &scratch, power, NULL), TQ_OK));
    cr_assert(
        eq(int, tq_bandwidth_find(FFT, 100.0, power, INFINITY, &scratch, &bandwidth, NULL), TQ_OK));
    cr_assert(eq(sz, scratch.used, 0));
    return bandwidth;
}

Test(spectrum, finds_the_motion_and_the_noise)
{
    const tq_bandwidth clean = measured(0.0);
    const tq_bandwidth noisy = measured(1e-4);
    /* one bin of 0.1 Hz, and two bins of the window's main lobe */
    cr_assert(epsilon_eq(dbl, clean.motion, 1.0, 0.25), "%g", clean.motion);
    cr_assert(epsilon_eq(dbl, noisy.motion, 1.0, 0.25), "%g", noisy.motion);
    cr_assert(lt(dbl, noisy.noise, 2.5), "%g", noisy.noise);
    cr_assert(gt(dbl, noisy.noise, 1.0), "%g", noisy.noise);
    /* one-sided density of white noise: 2 s^2 / rate; the median of chi-squares is slightly lower
     */
    cr_assert(epsilon_eq(dbl, noisy.floor, 2e-10, 0.2e-10), "%g", noisy.floor);
    const tq_cutoff cutoff = tq_cutoff_choose(&noisy, 100.0);
    cr_assert(epsilon_eq(dbl, cutoff.cutoff, 10.0 * noisy.motion, 1e-9));
    cr_assert(cutoff.above_motion);
    cr_assert(not(cutoff.below_noise));
}

Test(spectrum, a_standing_signal_has_no_bandwidth)
{
    static double power[FFT / 2 + 1];
    tq_scratch scratch = fresh();
    tq_bandwidth bandwidth = {.motion = 1.0, .noise = 1.0};
    cr_assert(
        eq(int, tq_bandwidth_find(FFT, 100.0, power, INFINITY, &scratch, &bandwidth, NULL), TQ_OK));
    cr_assert(eq(dbl, bandwidth.motion, 0.0));
    cr_assert(eq(dbl, bandwidth.noise, 0.0));
    cr_assert(eq(dbl, tq_cutoff_choose(&bandwidth, 100.0).cutoff, 1.0));
}

/* a short recording is one zero-padded window: the same density on a finer grid */
Test(spectrum, zeros_follow_a_short_record)
{
    static double x[600], whole[513], part[513];
    tq_scratch scratch = fresh();
    double sums[2] = {0};
    for (size_t k = 0; k < 600; k++) {
        const double t = 0.01 * (double)k;
        x[k] = sin(2.0 * M_PI * 0.7 * t);
    }
    cr_assert(eq(int, tq_spectrum(512, x, 100.0, 512, &scratch, whole, NULL), TQ_OK));
    cr_assert(eq(int, tq_spectrum(512, x, 100.0, 1024, &scratch, part, NULL), TQ_OK));
    for (size_t k = 0; k <= 256; k++) {
        /* every second frequency is on the coarse grid; the Nyquist frequency is one-sided in both
         */
        cr_assert(epsilon_eq(dbl, part[2 * k], whole[k], 1e-14), "%zu", k);
        sums[0] += whole[k] * 100.0 / 512.0;
    }
    cr_assert(eq(int, tq_spectrum(600, x, 100.0, 1024, &scratch, part, NULL), TQ_OK));
    for (size_t k = 0; k <= 512; k++) {
        sums[1] += part[k] * 100.0 / 1024.0;
    }
    /* Parseval: half of the square; the mean over an incomplete period is subtracted */
    cr_expect(epsilon_eq(dbl, sums[0], 0.5, 0.02), "%g", sums[0]);
    cr_expect(epsilon_eq(dbl, sums[1], 0.5, 0.02), "%g", sums[1]);
}

/* 4 s of 0.5 Hz: windows of 1.28 s give 2.3 Hz, the whole recording 0.9 */
Test(spectrum, a_finer_spectrum_finds_slower_motion)
{
    static double x[400], power[257];
    tqt_random random = tqt_random_seed(3);
    tq_scratch scratch = fresh();
    tq_bandwidth found = {0};
    for (size_t k = 0; k < 400; k++) {
        x[k] = 0.5 * sin(2.0 * M_PI * 0.5 * 0.01 * (double)k) + 1e-3 * normal(&random);
    }
    cr_assert(eq(int, tq_spectrum(400, x, 100.0, 128, &scratch, power, NULL), TQ_OK));
    cr_assert(
        eq(int, tq_bandwidth_find(128, 100.0, power, INFINITY, &scratch, &found, NULL), TQ_OK));
    const tq_bandwidth coarse = found;
    cr_assert(eq(int, tq_spectrum(400, x, 100.0, 512, &scratch, power, NULL), TQ_OK));
    tq_bandwidth_refine(512, 100.0, power, INFINITY, &found);
    cr_expect(gt(dbl, coarse.motion, 1.5), "%g", coarse.motion);
    cr_expect(le(dbl, found.motion, 1.0), "%g", found.motion);
    cr_expect(eq(dbl, found.floor, coarse.floor));
    /* no peak far above the floor: the result is unchanged */
    for (size_t k = 0; k <= 256; k++) {
        power[k] = coarse.floor;
    }
    found = coarse;
    tq_bandwidth_refine(512, 100.0, power, INFINITY, &found);
    cr_expect(eq(dbl, found.motion, coarse.motion));
}

Test(spectrum, refuses)
{
    double x[N] = {0}, power[65];
    tq_scratch scratch = fresh();
    cr_refused(tq_spectrum(N, x, 1.0, 4, &scratch, power, &error), TQ_ERR_SHAPE, "n_fft", 0, 4);
    cr_refused(tq_spectrum(N, x, 1.0, 60, &scratch, power, &error), TQ_ERR_SHAPE, "n_fft", 0, 60);
    cr_refused(tq_spectrum(31, x, 1.0, 64, &scratch, power, &error), TQ_ERR_SHAPE, "n_fft", 0, 64);
    scratch.size = 1024;
    cr_refused(tq_spectrum(N, x, 1.0, 128, &scratch, power, &error), TQ_ERR_SCRATCH, "scratch", 0,
               (double)tq_spectrum_scratch_size(128));
    cr_assert(eq(sz, scratch.used, 0));
}

/* motion up to 1 Hz, position noise through a two-pole low-pass at 30 Hz, torque that follows the
 * motion's acceleration and not the noise */
Test(spectrum, torque_distinguishes_motion_from_coloured_noise)
{
    enum { MANY = 20000 };
    static double x[MANY], y[MANY], both[MANY], power[FFT / 2 + 1];
    tqt_random random = tqt_random_seed(7);
    tq_scratch scratch = fresh();
    const double rate = 1000.0, pole = exp(-2.0 * M_PI * 30.0 / rate);
    double once = 0.0, twice = 0.0;
    for (size_t k = 0; k < MANY; k++) {
        const double t = (double)k / rate;
        once = pole * once + (1.0 - pole) * normal(&random);
        twice = pole * twice + (1.0 - pole) * once;
        both[k] = sin(2.0 * M_PI * 0.3 * t) + 0.3 * sin(2.0 * M_PI * 1.0 * t);
        x[k] = both[k] + 1e-2 * twice;
        y[k] =
            -0.09 * sin(2.0 * M_PI * 0.3 * t) - 0.3 * sin(2.0 * M_PI * t) + 1e-3 * normal(&random);
    }
    tq_bandwidth found = {0};
    double end = 0.0;
    cr_assert(eq(int, tq_spectrum(MANY, x, rate, FFT, &scratch, power, NULL), TQ_OK));
    cr_assert(
        eq(int, tq_bandwidth_find(FFT, rate, power, INFINITY, &scratch, &found, NULL), TQ_OK));
    cr_expect(gt(dbl, found.motion, 5.0), "%g", found.motion); /* the spectrum alone takes coloured
                                                                  noise for motion */
    cr_assert(eq(int, tq_coherence_end(MANY, x, y, rate, &scratch, &end, NULL), TQ_OK));
    cr_assert(eq(sz, scratch.used, 0));
    /* four bins of 1024 samples are always trusted */
    cr_expect(lt(dbl, end, 10.0), "%g", end);
    cr_expect(ge(dbl, end, 1.0), "%g", end);
    cr_assert(eq(int, tq_bandwidth_find(FFT, rate, power, end, &scratch, &found, NULL), TQ_OK));
    cr_expect(lt(dbl, found.motion, 4.0), "%g", found.motion);
    /* coherent over the whole spectrum: infinite; also with too few samples */
    cr_assert(eq(int, tq_coherence_end(MANY, x, x, rate, &scratch, &end, NULL), TQ_OK));
    cr_expect(isinf(end));
    cr_assert(eq(int, tq_coherence_end(200, x, y, rate, &scratch, &end, NULL), TQ_OK));
    cr_expect(isinf(end));
}

Test(spectrum, the_level_of_a_band)
{
    double power[9] = {9, 1, 2, 3, 40, 5, 6, 7, 8}, level = 0.0;
    tq_scratch scratch = fresh();
    const double band[2] = {2.0, 4.0}, none[2] = {2.2, 2.8};
    cr_assert(eq(int, tq_bandwidth_level(16, 16.0, power, band, &scratch, &level, NULL), TQ_OK));
    cr_expect(eq(dbl, level, 3.0));
    cr_assert(eq(int, tq_bandwidth_level(16, 16.0, power, none, &scratch, &level, NULL), TQ_OK));
    cr_expect(eq(dbl, level, 0.0));
}
