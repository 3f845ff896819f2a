/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_scratch.c - scratch grows as needed and is bounded. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>

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
    cr_expect(eq(ptr, tqd_scratch(0, 100), large));   /* the former memory stays */
    tqd_scratch_free();
}

Test(scratch, chunks_come_back_to_the_thread)
{
    enum { MANY = 20 };
    void *chunk[MANY];
    for (size_t i = 0; i < MANY; i++) {
        chunk[i] = tqd_chunk_take();
        cr_assert(ne(ptr, chunk[i], NULL));
        memset(chunk[i], (int)i, TQD_CHUNK_BYTES);
    }
    for (size_t i = 0; i < MANY; i++) {
        cr_assert(eq(u8, ((unsigned char *)chunk[i])[TQD_CHUNK_BYTES - 1], (uint8_t)i));
        cr_assert(eq(int, (int)((size_t)chunk[i] % TQD_SCRATCH_ALIGN), 0));
    }
    tqd_chunk_give(NULL);
    tqd_chunk_give(chunk[0]);
    cr_assert(eq(ptr, tqd_chunk_take(), chunk[0]));
    /* more than a thread keeps, then all returned: AddressSanitizer would report a leak */
    for (size_t i = 0; i < MANY; i++) {
        tqd_chunk_give(chunk[i]);
    }
    tqd_scratch_free();
}
