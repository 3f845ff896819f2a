/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_clock.c - clocks and their faults; outliers; uniform resampling. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/signal/clock.h"
#include "core/signal/median.h"
#include "tests/support/random.h"

enum { N = 1000 };

/* normally distributed, deviation 1 (Box and Muller) */
static double normal(tqt_random *random)
{
    const double u = tqt_random_uniform(random, 0x1p-60, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * tqt_random_uniform(random, 0.0, 1.0));
}

Test(clock, an_even_one)
{
    static tq_clock clock;
    double period = 0.0;
    clock = (tq_clock){0};
    for (size_t k = 0; k < N; k++) {
        tq_clock_add(&clock, 3.5 + 0.008 * (double)k);
    }
    cr_assert(tq_clock_is_even(&clock, &period));
    cr_assert(epsilon_eq(dbl, period, 0.008, 1e-15));
    cr_assert(epsilon_eq(dbl, tq_clock_period(&clock), 0.008, 1e-12));
}

Test(clock, counts_its_faults)
{
    static const double times[] = {0.0, 0.01, 0.02, 0.02, 0.03, 0.025, 0.04, 0.074, 0.08, 0.09};
    static tq_clock clock;
    double period = 0.0;
    clock = (tq_clock){0};
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        tq_clock_add(&clock, times[k]);
    }
    cr_assert(not(tq_clock_is_even(&clock, &period)));
    cr_assert(eq(u64, clock.n_repeated, 1));
    cr_assert(eq(u64, clock.first_repeated, 3));
    cr_assert(eq(u64, clock.n_backward, 1));
    cr_assert(eq(u64, clock.first_backward, 5));
    cr_assert(eq(u64, clock.longest_at, 7));
    cr_assert(epsilon_eq(dbl, clock.longest, 0.034, 1e-12));
    /* one bin is 0.85 % wide */
    cr_assert(epsilon_eq(dbl, tq_clock_period(&clock), 0.01, 1e-4));
}

Test(clock, stands_still)
{
    static tq_clock clock;
    double period = 0.0;
    clock = (tq_clock){0};
    cr_assert(not(tq_clock_is_even(&clock, &period)));
    tq_clock_add(&clock, 1.0);
    tq_clock_add(&clock, 1.0);
    cr_assert(eq(dbl, tq_clock_period(&clock), 0.0));
}

Test(resample, is_exact_for_parabolas_and_close_for_waves)
{
    double t[N], x[N], y[3 * N];
    tq_stencil stencils[3 * N];
    tqt_random random = tqt_random_seed(11);
    for (size_t k = 0; k < N; k++) {
        t[k] = 0.01 * ((double)k + 0.8 * tqt_random_uniform(&random, 0.0, 1.0));
        x[k] = 1.0 + t[k] - 0.5 * t[k] * t[k];
    }
    const double step = (t[N - 1] - t[0]) / (3.0 * (double)N - 1.0);
    tq_resample_cubic(N, t, t[0], step, 3 * N, stencils);
    tq_resample(3 * N, stencils, x, y);
    for (size_t k = 0; k < 3 * N; k++) {
        const double now = t[0] + (double)k * step;
        cr_assert(epsilon_eq(dbl, y[k], 1.0 + now - 0.5 * now * now, 1e-11), "%zu", k);
    }
    for (size_t k = 0; k < N; k++) {
        x[k] = sin(6.0 * t[k]);
    }
    tq_resample(3 * N, stencils, x, y);
    for (size_t k = 0; k < 3 * N; k++) {
        /* third derivative 216, steps up to 18 ms: 216 h^3 / 24 at worst */
        cr_assert(epsilon_eq(dbl, y[k], sin(6.0 * (t[0] + (double)k * step)), 6e-5), "%zu", k);
    }
}

Test(resample, by_straight_lines)
{
    const double t[] = {0.0, 0.5, 2.0, 3.0};
    const double x[] = {1.0, 2.0, -1.0, 0.0};
    double y[7];
    tq_stencil stencils[7];
    tq_resample_linear(4, t, 0.0, 0.5, 7, stencils);
    tq_resample(7, stencils, x, y);
    const double want[] = {1.0, 2.0, 1.0, 0.0, -1.0, -0.5, 0.0};
    for (size_t k = 0; k < 7; k++) {
        cr_assert(epsilon_eq(dbl, y[k], want[k], 1e-15), "%zu", k);
    }
}

Test(median, of_few_and_many)
{
    double x[N];
    for (size_t n = 1; n < 60; n++) {
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)((k * 37) % n); /* 0 .. n - 1 in some order, since 37 and n are
                                              coprime */
        }
        if (n % 37 != 0) {
            cr_assert(eq(dbl, tq_median(n, x), 0.5 * (double)(n - 1)), "n %zu", n);
        }
    }
    for (size_t k = 0; k < N; k++) {
        x[k] = 2.0; /* equal values must not cause an endless loop */
    }
    cr_assert(eq(dbl, tq_median(N, x), 2.0));
}

Test(spikes, are_found_and_steps_are_left)
{
    double x[N], work[N];
    unsigned char spike[N];
    tqt_random random = tqt_random_seed(11);
    memset(spike, 0, sizeof spike);
    for (size_t k = 0; k < N; k++) {
        x[k] = sin(0.02 * (double)k) + 1e-3 * normal(&random) + (k >= 500 ? 5.0 : 0.0);
    }
    x[0] = 1e177;
    x[300] += 1.0;
    x[301] -= 1.0;
    x[999] = -253.0;
    const double noise = tq_noise_deviation(N, x, 1, work);
    /* 1,000 samples: a median has a standard error of 5 % */
    cr_assert(epsilon_eq(dbl, noise, 1e-3, 1e-4), "%g", noise);
    cr_assert(eq(sz, tq_spikes_mark(N, x, noise, 30.0, spike), 4));
    cr_assert(eq(int, spike[0] + spike[300] + spike[301] + spike[999], 4));
}

Test(spikes, are_found_at_the_ends_of_stretches)
{
    double x[N];
    unsigned char spike[N];
    for (size_t k = 0; k < N; k++) {
        x[k] = 1e-3 * (double)k;
    }
    /* every position: samples are processed in groups of 128 */
    for (size_t at = 0; at < N; at++) {
        memset(spike, 0, sizeof spike);
        x[at] += 1.0;
        cr_assert(eq(sz, tq_spikes_mark(N, x, 1e-3, 30.0, spike), 1), "%zu", at);
        cr_assert(eq(int, spike[at], 1), "%zu", at);
        x[at] -= 1.0;
    }
}
