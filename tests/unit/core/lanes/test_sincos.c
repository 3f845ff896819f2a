/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/lanes/test_sincos.c - sine and cosine against the C library's long double. */
#include "core/lanes/sincos.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <string.h>

#include "tests/support/naive.h"

static double ulps(double x, long double exact)
{
    int exponent = 0;
    (void)frexp((double)exact, &exponent);
    return (double)fabsl((long double)x - exact) / ldexp(1.0, exponent - DBL_MANT_DIG);
}

Test(sincos, within_two_ulp_to_1e5)
{
    uint64_t state = 7;
    for (int k = 0; k < 200000; k++) {
        const double size = pow(10.0, 5.0 - (k % 12));
        double s, c;
        const double x = size * naive_uniform(&state);
        sincos_near(x, &s, &c);
        /* fdlibm's polynomials with a two-word reduction are within 1.5 ulp */
        cr_assert(ulps(s, sinl((long double)x)) <= 2.0, "sin(%.17g)", x);
        cr_assert(ulps(c, cosl((long double)x)) <= 2.0, "cos(%.17g)", x);
    }
}

Test(sincos, multiples_of_a_right_angle)
{
    for (int k = -60000; k <= 60000; k += 7) {
        const double x = k * 1.5707963267948966;
        double s, c;
        sincos_near(x, &s, &c);
        /* near a zero the reduced angle has about 106 - 53 - 16 bits: absolute error 1e-16 */
        cr_assert(fabsl(s - sinl((long double)x)) <= 2.3e-16L, "sin(%.17g)", x);
        cr_assert(fabsl(c - cosl((long double)x)) <= 2.3e-16L, "cos(%.17g)", x);
    }
}

Test(sincos, far_angles_are_exact_and_nan_stays)
{
    const double far[] = {1.0001e5, -3e7, 1e15, 1e300, DBL_MAX};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        double s = 9.0, c = 9.0;
        cr_assert(beyond(far[k], TQ_SINCOS_MAX) == 1);
        sincos_repair(far[k], 1, &s, &c);
        cr_assert(s == sin(far[k]) && c == cos(far[k]));
    }
    double s = 0.0, c = 0.0;
    cr_assert(beyond((double)NAN, TQ_SINCOS_MAX) == 1 && beyond((double)INFINITY, 1e5) == 1);
    cr_assert(beyond(-1e5, TQ_SINCOS_MAX) == 0);
    sincos_repair((double)INFINITY, 1, &s, &c);
    cr_assert(isnan(s) && isnan(c));
    sincos_repair(1.0, 0, &s, &c);
    cr_assert(isnan(s), "no lane was far: nothing changes");
}
