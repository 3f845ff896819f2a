/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_scratch.c - scratch grows to need and is bounded. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "daemon/queue/scratch.h"

Test(scratch, grows_and_is_bounded)
{
    tqd_scratch_bound_set(100000);
    unsigned char *small = tqd_scratch(0, 100);
    cr_assert(ne(ptr, small, NULL));
    small[99] = 1;
    cr_expect(eq(ptr, tqd_scratch(0, 50), small));
    unsigned char *large = tqd_scratch(0, 100000);
    cr_assert(ne(ptr, large, NULL));
    memset(large, 1, 100000);
    cr_expect(ne(ptr, tqd_scratch(1, 100), large));
    cr_expect(eq(ptr, tqd_scratch(0, 100128), NULL)); /* the bound, rounded up */
    cr_expect(eq(ptr, tqd_scratch(0, 100), large));   /* what was there stays */
    tqd_scratch_free();
}
