/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/test_high_frequency_inertia.c - two parameters from sums, or none. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>

#include "core/identify/high_frequency_inertia.h"
#include "tests/support/random.h"

enum { N = 400 };

typedef struct shaken {
    double a[N], d[N], tau[N], raw[N];
} shaken;

/* high-frequency part of the torque: inertia a + rate d and noise */
static void shake(shaken *s, double inertia, double rate, double noise)
{
    tqt_random random = tqt_random_seed(7);
    for (size_t i = 0; i < N; i++) {
        s->a[i] = tqt_random_uniform(&random, -1, 1);
        s->d[i] = tqt_random_uniform(&random, -50, 50);
        s->tau[i] = tqt_random_uniform(&random, -10, 10);
        s->raw[i] = s->tau[i] + inertia * s->a[i] + rate * s->d[i];
        s->raw[i] += noise * tqt_random_uniform(&random, -1, 1);
    }
}

Test(high_frequency_inertia, both_are_found_and_sums_add)
{
    static shaken s;
    shake(&s, 7.25, -0.04, 0);
    tq_high_frequency_inertia_sums first = {0}, second = {0};
    tq_high_frequency_inertia_add(&first, 150, s.a, s.d, s.tau, s.raw);
    tq_high_frequency_inertia_add(&second, N - 150, s.a + 150, s.d + 150, s.tau + 150, s.raw + 150);
    tq_high_frequency_inertia_sum(&first, &second);
    cr_expect(eq(sz, first.n, N));
    const tq_high_frequency_inertia fast = tq_high_frequency_inertia_fit(&first);
    /* sums of 400 products, torques of up to 20: their differences are off by 20 eps */
    cr_expect(epsilon_eq(dbl, fast.inertia, 7.25, 400 * 20 * DBL_EPSILON));
    cr_expect(epsilon_eq(dbl, fast.rate, -0.04, 400 * 20 * DBL_EPSILON));
}

Test(high_frequency_inertia, with_noise_alone_both_are_zero)
{
    static shaken s;
    shake(&s, 0, 0, 3);
    tq_high_frequency_inertia_sums sums = {0};
    tq_high_frequency_inertia_add(&sums, N, s.a, s.d, s.tau, s.raw);
    const tq_high_frequency_inertia fast = tq_high_frequency_inertia_fit(&sums);
    /* two of 400 degrees of freedom explain half a hundredth of the noise */
    cr_expect(eq(dbl, fast.inertia, 0));
    cr_expect(eq(dbl, fast.rate, 0));
    cr_expect(ge(dbl, tq_high_frequency_inertia_left_in_step(&sums), 0.98));
    cr_expect(eq(dbl, tq_high_frequency_inertia_left(&sums), sums.yy));
}

Test(high_frequency_inertia, what_is_left_is_noise)
{
    static shaken s;
    shake(&s, 7.25, -0.04, 0.1);
    tq_high_frequency_inertia_sums sums = {0};
    tq_high_frequency_inertia_add(&sums, N, s.a, s.d, s.tau, s.raw);
    /* uniform noise: 0.1^2 / 3, to three standard deviations of the mean of 400 squares */
    cr_expect(epsilon_eq(dbl, tq_high_frequency_inertia_left(&sums) / (double)N, 0.01 / 3,
                         3 * 0.01 * sqrt(4 / 45. / (double)N)));
}

/* delayed by half a period, a single frequency looks like a negative inertia, which is not possible
 */
Test(high_frequency_inertia, torque_against_acceleration_is_not_in_step)
{
    static shaken s;
    shake(&s, 7.25, 0, .1);
    tq_high_frequency_inertia_sums with = {0}, against = {0};
    tq_high_frequency_inertia_add(&with, N, s.a, s.d, s.tau, s.raw);
    cr_expect(lt(dbl, tq_high_frequency_inertia_left_in_step(&with), .01));
    for (size_t i = 0; i < N; i++) {
        s.a[i] = -s.a[i];
    }
    tq_high_frequency_inertia_add(&against, N, s.a, s.d, s.tau, s.raw);
    cr_expect(eq(dbl, tq_high_frequency_inertia_left_in_step(&against), 1));
}

Test(high_frequency_inertia, no_filter_no_values)
{
    static const double zero[N];
    static shaken s;
    shake(&s, 1, 1, 1);
    tq_high_frequency_inertia_sums sums = {0};
    tq_high_frequency_inertia_add(&sums, N, zero, zero, s.tau, s.tau);
    const tq_high_frequency_inertia fast = tq_high_frequency_inertia_fit(&sums);
    cr_expect(eq(dbl, fast.inertia, 0));
    cr_expect(eq(dbl, fast.rate, 0));
}

/* a torque ahead of a sine leaves the squared sine of the phase difference unexplained */
Test(high_frequency_inertia, a_delay_increases_the_residual)
{
    static const double zero[N];
    static double a[N], ahead[N];
    for (int phase = 0; phase < 3; phase++) {
        for (size_t i = 0; i < N; i++) { /* 20 whole periods */
            a[i] = sin(2 * M_PI * (double)i / 20);
            ahead[i] = 5 * sin(2 * M_PI * (double)i / 20 + 0.3 * phase);
        }
        tq_high_frequency_inertia_sums sums = {0};
        tq_high_frequency_inertia_add(&sums, N, a, zero, zero, ahead);
        const double left = tq_high_frequency_inertia_left_in_step(&sums);
        cr_expect(epsilon_eq(dbl, left, sin(0.3 * phase) * sin(0.3 * phase), 1e-11));
    }
    const tq_high_frequency_inertia_sums none = {0};
    cr_expect(eq(dbl, tq_high_frequency_inertia_left_in_step(&none), 1));
}
