/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/base/test_fpmode.c - the kernels' floating-point mode is entered and restored. */
#include "core/base/fpmode.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fenv.h>
#include <float.h>

Test(fpmode, subnormals_are_zero_inside_only)
{
    volatile double small = DBL_MIN;
    cr_assert(small / 4.0 != 0.0);
    const tq_fpmode before = tq_fpmode_enter();
    const double inside = small / 4.0;
    tq_fpmode_leave(before);
    cr_assert(inside == 0.0);
    cr_assert(small / 4.0 != 0.0);
}

Test(fpmode, a_callers_rounding_mode_is_saved_and_restored)
{
    volatile double one = 1.0, tiny = 1e-30;
    cr_assert(fesetround(FE_UPWARD) == 0);
    const tq_fpmode before = tq_fpmode_enter();
    const double inside = one + tiny;
    tq_fpmode_leave(before);
    const double outside = one + tiny;
    cr_assert(fesetround(FE_TONEAREST) == 0);
    cr_assert(inside == 1.0);
    cr_assert(outside > 1.0);
}
