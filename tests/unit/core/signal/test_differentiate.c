/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_differentiate.c - against SciPy 1.17, and errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/differentiate.h"

enum { N = 200, BYTES = 1 << 16 };
static _Alignas(64) unsigned char memory[BYTES];

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

/* scipy.signal.savgol_filter(x, window, degree, deriv, delta=0.01, mode="interp") */
static const struct {
    size_t window;
    unsigned degree, derivative;
    double want[4];
} smoothed[] = {
    {5, 2, 0, {0.3017263162354427, 0.7275526553563927, 0.06986260138045887, 1.4261163824408052}},
    {7, 3, 1, {26.04060981281464, 17.54118075020065, 22.84078605458708, 50.08473810999976}},
    {21, 4, 2, {-2030.7675571608092, -1148.2442442466981, -382.85203489690554, 2071.0122462312934}},
    {31, 3, 1, {10.736505442255487, 10.099447830895844, -7.504622639901118, -3.477821072411341}},
    {101, 5, 2, {-385.463187744105, -339.71731333737233, 29.607061027360313, -122.50078495510574}},
};

Test(smooth, agrees_with_scipy)
{
    static const size_t at[4] = {0, 2, 100, 199};
    double x[N], y[N];
    for (int k = 0; k < N; k++) {
        x[k] = sin(0.1 * k) + 0.3 * cos(0.37 * k) + (double)((k * 7919) % 13) / 13.0;
    }
    for (size_t c = 0; c < sizeof smoothed / sizeof smoothed[0]; c++) {
        tq_scratch scratch = fresh();
        const tq_window window = {smoothed[c].window, smoothed[c].degree, smoothed[c].derivative,
                                  0.01};
        cr_assert(eq(int, tq_smooth(&window, N, x, y, &scratch, NULL), TQ_OK));
        cr_assert(eq(sz, scratch.used, 0));
        for (size_t i = 0; i < 4; i++) {
            /* SciPy solves a Vandermonde system: its own accuracy is about 1e-11 */
            const double scale = 1.0 + fabs(smoothed[c].want[i]);
            cr_assert(lt(dbl, fabs(y[at[i]] - smoothed[c].want[i]), 1e-9 * scale),
                      "row %zu, sample %zu: %.17g", c, at[i], y[at[i]]);
        }
    }
}

Test(smooth, is_exact_for_polynomials)
{
    double x[N], y[N];
    const double h = 0.02;
    tq_scratch scratch = fresh();
    for (size_t k = 0; k < N; k++) {
        const double t = (double)k * h;
        x[k] = 1.0 - t + 0.5 * t * t - 0.1 * t * t * t;
    }
    for (unsigned derivative = 0; derivative <= 2; derivative++) {
        cr_assert(
            eq(int, tq_smooth(&(tq_window){11, 3, derivative, h}, N, x, y, &scratch, NULL), TQ_OK));
        for (size_t k = 0; k < N; k++) {
            const double t = (double)k * h;
            const double want = derivative == 0   ? x[k]
                                : derivative == 1 ? -1.0 + t - 0.3 * t * t
                                                  : 1.0 - 0.6 * t;
            /* 11 products of numbers up to 6, divided by h^2 */
            cr_assert(epsilon_eq(dbl, y[k], want, 1e-9), "d %u, sample %zu", derivative, k);
        }
    }
}

static tq_status refused(size_t length, unsigned degree, unsigned derivative, tq_scratch *scratch)
{
    double x[N] = {0}, y[N];
    tq_error error = {0};
    const tq_window window = {length, degree, derivative, 1.0};
    return tq_smooth(&window, N, x, y, scratch, &error);
}

Test(smooth, refuses)
{
    tq_scratch scratch = fresh();
    cr_assert(eq(int, refused(10, 3, 1, &scratch), TQ_ERR_SHAPE));
    cr_assert(eq(int, refused(201, 3, 1, &scratch), TQ_ERR_SHAPE));
    cr_assert(eq(int, refused(5, 5, 1, &scratch), TQ_ERR_RANGE));
    cr_assert(eq(int, refused(5, 1, 2, &scratch), TQ_ERR_RANGE));
    cr_assert(eq(int, refused(5, 3, 3, &scratch), TQ_ERR_RANGE));
    scratch.size = 0;
    cr_assert(eq(int, refused(5, 3, 1, &scratch), TQ_ERR_SCRATCH));
}

Test(difference, is_exact_for_parabolas_at_the_ends_too)
{
    double x[N], y[N];
    for (size_t k = 0; k < N; k++) {
        const double t = 0.25 * (double)k; /* all numbers are exact */
        x[k] = 3.0 + 2.0 * t - 0.5 * t * t;
    }
    tq_difference(N, x, 0.25, y);
    for (size_t k = 0; k < N; k++) {
        cr_assert(eq(dbl, y[k], 2.0 - 0.25 * (double)k), "sample %zu", k);
    }
    tq_difference(3, x, 0.25, y);
    cr_assert(eq(dbl, y[2], 1.5));
}

/* a wave of this frequency has half the amplitude after filtering */
Test(differentiate, half_of_an_amplitude_is_left)
{
    enum { N = 3000 };
    static const tq_window windows[] = {
        {21, 3, 0, 1.0}, {7, 4, 0, 1.0}, {31, 4, 0, 0.1}, {9, 0, 0, 1.0}, {1023, 9, 0, 1.0}};
    static double x[N], y[N];
    static _Alignas(64) unsigned char room[1 << 17];
    for (size_t k = 0; k < sizeof windows / sizeof windows[0]; k++) {
        tq_scratch scratch;
        double half = 0.0;
        tq_scratch_init(&scratch, room, sizeof room);
        cr_assert(eq(int, tq_smooth_half_gain(&windows[k], &scratch, &half, NULL), TQ_OK));
        cr_assert(eq(sz, scratch.used, 0));
        cr_assert(all(gt(dbl, half, 0.0), lt(dbl, half, 0.5)), "%zu: %g", k, half);
        for (size_t i = 0; i < N; i++) {
            x[i] = sin(2.0 * M_PI * half * (double)i);
        }
        cr_assert(eq(int, tq_smooth(&windows[k], N, x, y, &scratch, NULL), TQ_OK));
        for (size_t i = 600; i < N - 600;
             i++) { /* phases of i periods: 3000 eps, and the window's weights */
            cr_assert(epsilon_eq(dbl, y[i], 0.5 * x[i], 1e-9), "%zu: %zu", k, i);
        }
    }
    tq_scratch little;
    double half = 0.0;
    tq_scratch_init(&little, room, 64);
    cr_expect(eq(int, tq_smooth_half_gain(&windows[0], &little, &half, NULL), TQ_ERR_SCRATCH));
    for (little.size = 0; little.size < tq_smooth_half_gain_size(windows[0].length);
         little.size += 64) {
        cr_expect(eq(int, tq_smooth_half_gain(&windows[0], &little, &half, NULL), TQ_ERR_SCRATCH));
        cr_assert(eq(sz, little.used, 0), "of %zu bytes", little.size);
    }
    little.size = 0;
    const tq_window even = {20, 3, 0, 1.0};
    tq_scratch_init(&little, room, sizeof room);
    cr_expect(eq(int, tq_smooth_half_gain(&even, &little, &half, NULL), TQ_ERR_SHAPE));
}
