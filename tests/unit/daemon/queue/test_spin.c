/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_spin.c - busy-polling ends, and does not start while cores are
 * contended. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "daemon/queue/spin.h"

Test(spin, ends_by_itself, .timeout = 100)
{
    for (int again = 0; again < 20; again++) {
        const int64_t before_ns = tqd_spin_now();
        const int64_t until_ns = tqd_spin_begin();
        /* other tests running at the same time may have contended for the core */
        cr_assert(until_ns == 0 || until_ns >= before_ns + TQD_SPIN_NS);
        while (tqd_spin_again(until_ns)) {
            cr_assert(lt(i64, tqd_spin_now(), INT64_MAX));
        }
        cr_assert(not(tqd_spin_again(before_ns)));
    }
}

Test(spin, a_duration_of_zero_returns_at_once)
{
    cr_assert(not(tqd_spin_again(0)));
}
