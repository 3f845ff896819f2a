/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_spin.c - looking again ends, and does not begin where it is of no
 * use. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "daemon/queue/spin.h"

Test(look, ends_by_itself, .timeout = 100)
{
    for (int again = 0; again < 20; again++) {
        const int64_t before_ns = tqd_spin_now();
        const int64_t until_ns = tqd_spin_begin();
        /* others that run beside this test may have wanted the core */
        cr_assert(until_ns == 0 || until_ns >= before_ns + TQD_SPIN_NS);
        while (tqd_spin_again(until_ns)) {
            cr_assert(lt(i64, tqd_spin_now(), INT64_MAX));
        }
        cr_assert(not(tqd_spin_again(before_ns)));
    }
}

Test(look, not_at_all_is_no_time)
{
    cr_assert(not(tqd_spin_again(0)));
}
