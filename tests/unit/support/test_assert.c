/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/support/test_assert.c - assertions that must fail do fail: equal numbers are not
 * greater, NaN is neither greater nor less nor near. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>

Test(assert, greater_is_not_equal)
{
    const size_t zero = 0, one = 1;
    cr_assert(not(gt(sz, zero, zero)));
    cr_assert(not(gt(sz, zero, one)));
    cr_assert(gt(sz, one, zero));
    cr_assert(not(gt(int, 1, 1)));
    cr_assert(not(gt(dbl, 1.0, 1.0)));
    cr_assert(not(gt(u64, (uint64_t)3, (uint64_t)3)));
    cr_assert(gt(dbl, 2.0, 1.0));
    cr_assert(all(ge(sz, one, one), ge(sz, one, zero), not(ge(sz, zero, one))));
    cr_assert(all(ge(dbl, 1.0, 1.0), ge(dbl, 1.5, 1.0), not(ge(dbl, 0.5, 1.0))));
}

Test(assert, comparisons_with_nan_fail)
{
    const double nan = NAN;
    cr_assert(not(gt(dbl, nan, 1.0)));
    cr_assert(not(gt(dbl, 1.0, nan)));
    cr_assert(not(ge(dbl, nan, 1.0)));
    cr_assert(not(ge(dbl, 1.0, nan)));
    cr_assert(not(lt(dbl, nan, 1.0)));
    cr_assert(not(le(dbl, 1.0, nan)));
    cr_assert(not(eq(dbl, nan, nan)));
    cr_assert(not(epsilon_eq(dbl, nan, 1.0, 1e300)));
    cr_assert(not(ieee_ulp_eq(dbl, nan, 1.0, 1000)));
}
