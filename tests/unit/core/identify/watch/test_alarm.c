/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/watch/test_alarm.c - crossings of a level by correlated noise. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>

#include <math.h>

#include "core/identify/watch/alarm.h"

/* integral over y > u of the density of y and P(x < u given y), Simpson's rule of 400,000 panels,
 * numpy */
static const struct {
    double level, correlation, rate;
} rows[] = {
    {0, 0, 0.25},
    {1, 0.5, 0.0961411592217115},
    {3, 0.9, 0.000739493646331161},
    {4, 0.99, 7.45694642114956e-06},
    {5, 0, 2.86651489707705e-07},
    {6, 0.95, 6.66726069374298e-10},
    {6.5, 0.999, 4.7464937317656e-12},
};

Test(alarm, rates)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const double rate = tq_alarm_rate(rows[k].level, rows[k].correlation);
        cr_expect(epsilon_eq(dbl, rate, rows[k].rate, 1e-7 * rows[k].rate), "row %d: %g", (int)k,
                  rate);
    }
}

Test(alarm, levels)
{
    for (size_t k = 1; k < sizeof rows / sizeof rows[0]; k++) {
        const double level = tq_alarm_level(rows[k].rate, rows[k].correlation);
        cr_expect(epsilon_eq(dbl, level, rows[k].level, 1e-6 * rows[k].level));
    }
    cr_expect(eq(dbl, tq_alarm_level(0.5, 0.0), 0.0), "no level is crossed at half of all steps");
    cr_expect(eq(dbl, tq_alarm_rate(1.0, 1.0), 0.0), "a constant crosses nothing");
}

/* uncorrelated: Q (1 - Q), Q the upper tail */
Test(alarm, white_noise)
{
    for (int k = 0; k < 10; k++) {
        const double u = 0.7 * k;
        const double tail = 0.5 * erfc(u * M_SQRT1_2);
        cr_expect(epsilon_eq(dbl, tq_alarm_rate(u, 0.0), tail * (1.0 - tail), 1e-9 * tail));
    }
}
