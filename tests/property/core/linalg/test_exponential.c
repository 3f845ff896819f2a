/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/linalg/test_exponential.c - exponentials in closed form. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/linalg/exponential.h"

Test(exponential, of_turns_growth_and_chains)
{
    for (double t = 1e-3; t < 40; t *= 3) {
        double term[9], room[9];
        double turn[4] = {0, t, -t, 0}; /* by columns */
        tq_exponential(2, turn, term, room);
        /* each squaring doubles the error of the series: eps times the angle */
        cr_assert(epsilon_eq(dbl, turn[0], cos(t), 1e-15 * (10 + 10 * t)), "t = %g", t);
        cr_assert(epsilon_eq(dbl, turn[1], sin(t), 1e-15 * (10 + 10 * t)), "t = %g", t);
        double saddle[4] = {0, t, t, 0};
        tq_exponential(2, saddle, term, room);
        cr_assert(epsilon_eq(dbl, saddle[0], cosh(t), 1e-15 * (10 + 10 * t) * cosh(t)));
        double chain[9] = {0, 0, 0, t, 0, 0, 0, t, 0}; /* 1, t, t^2 / 2 in the first row */
        tq_exponential(3, chain, term, room);
        cr_assert(epsilon_eq(dbl, chain[6], t * t / 2, 1e-14 * t * t));
        cr_assert(epsilon_eq(dbl, chain[3], t, 1e-14 * t));
    }
}
