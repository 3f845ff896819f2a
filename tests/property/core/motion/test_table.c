/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/motion/test_table.c - interpolation: exact cases, and order. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/motion/table.h"

static _Alignas(64) unsigned char memory[1 << 16];
static double t[64], x[64], c[64];

static double worst_of_cubic(size_t n, double (*f)(double))
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    for (size_t k = 0; k < n; k++) { /* non-uniform on purpose */
        const double u = (double)k / (double)(n - 1);
        t[k] = u + 0.05 * sin(6.0 * u) / 6.0 - 0.05 * sin(6.0) / 6.0 * u;
        x[k] = f(t[k]);
    }
    const tq_table table = {
        .points = {n, 1, t, x}, .interpolation = TQ_INTERPOLATE_CUBIC, .curvature = c};
    cr_assert(eq(int, tq_table_fit(&table.points, &scratch, c, NULL), TQ_OK));
    double worst = 0.0;
    for (double at = 0.0; at < 1.0; at += 0.00137) {
        double got = 0.0;
        tq_table_at(&table, at, &got, 1);
        worst = fmax(worst, fabs(got - f(at)));
    }
    return worst;
}

static double line(double u)
{
    return 3.0 - 2.0 * u;
}
static double cubic(double u)
{
    return 1.0 + u * (2.0 + u * (-3.0 + 4.0 * u));
}
static double parabola(double u)
{
    return 1.0 + u * (2.0 - 3.0 * u);
}
static double wave(double u)
{
    return sin(5.0 * u);
}

Test(table, cubic_is_exact_for_cubics_and_of_fourth_order)
{
    cr_assert(lt(dbl, worst_of_cubic(2, line), 1e-14));
    cr_assert(lt(dbl, worst_of_cubic(3, parabola), 1e-14));
    cr_assert(lt(dbl, worst_of_cubic(4, cubic), 1e-13));
    cr_assert(lt(dbl, worst_of_cubic(9, cubic), 1e-13));
    const double coarse = worst_of_cubic(21, wave), fine = worst_of_cubic(41, wave);
    cr_assert(gt(dbl, coarse / fine, 12.0), "order 4 gives 16, the ends a little less");
}

Test(table, hold_and_linear)
{
    const double when[3] = {0, 1, 3}, what[6] = {1, 10, 2, 20, 6, 60};
    tq_table table = {.points = {3, 2, when, what}, .interpolation = TQ_INTERPOLATE_HOLD};
    double got[4];
    tq_table_at(&table, 0.999, got, 2);
    cr_assert(all(eq(dbl, got[0], 1.0), eq(dbl, got[2], 10.0)));
    tq_table_at(&table, 1.0, got, 2);
    cr_assert(eq(dbl, got[0], 2.0), "a value holds from its own time on");
    table.interpolation = TQ_INTERPOLATE_LINEAR;
    tq_table_at(&table, 2.0, got, 1);
    cr_assert(all(eq(dbl, got[0], 4.0), eq(dbl, got[1], 40.0)));
    tq_table_at(&table, -5.0, got, 1);
    cr_assert(eq(dbl, got[0], 1.0));
    tq_table_at(&table, 9.0, got, 1);
    cr_assert(eq(dbl, got[1], 60.0));
}
