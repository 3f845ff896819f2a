/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/memory/test_segments.c - memory of arrays of samples: the bound, and segments kept
 * between calls. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>

#include "api/memory.h"
#include "api/memory/segments.h"

enum { MANY = 140 };

Test(segments, beyond_the_bound_there_is_nothing_and_nothing_leaks)
{
    tqa_memory_bound_set(3 * (size_t)TQA_SEGMENT_BYTES);
    for (int again = 0; again < 3; again++) {
        void *taken[3];
        for (size_t i = 0; i < 3; i++) {
            taken[i] = tqa_segment_take(TQA_SEGMENT_BYTES);
            cr_assert(ne(ptr, taken[i], NULL));
            cr_assert(eq(sz, (uintptr_t)taken[i] % 64, 0));
        }
        cr_assert(eq(ptr, tqa_segment_take(64), NULL));
        for (size_t i = 0; i < 3; i++) {
            tqa_segment_give(taken[i], TQA_SEGMENT_BYTES);
        }
    }
    tqa_segment_give(NULL, 64);
}

/* In sanitizer builds segments are not kept, so that stale pointers are detected: the test passes
 * there too. */
Test(segments, whole_ones_are_kept_up_to_a_bound_and_freed_when_unused)
{
    void *taken[MANY];
    for (size_t i = 0; i < MANY; i++) {
        taken[i] = tqa_segment_take(TQA_SEGMENT_BYTES);
        cr_assert(ne(ptr, taken[i], NULL));
    }
    cr_assert(eq(sz, tqa_memory_kept(), 0));
    for (size_t i = 0; i < MANY; i++) {
        tqa_segment_give(taken[i], TQA_SEGMENT_BYTES);
    }
    const size_t kept = tqa_memory_kept();
    cr_assert(le(sz, kept, (size_t)64 << 20));
    if (kept > 0) {
        cr_assert(eq(sz, kept, (size_t)64 << 20));
        void *again = tqa_segment_take(TQA_SEGMENT_BYTES);
        cr_assert(eq(sz, tqa_memory_kept(), kept - TQA_SEGMENT_BYTES));
        tqa_segment_give(again, TQA_SEGMENT_BYTES);
    }
    /* the first trim after a use may keep segments, the next one without use in between frees them
     */
    (void)tqa_memory_trim();
    cr_assert(eq(sz, tqa_memory_trim(), 0));
    cr_assert(eq(sz, tqa_memory_kept(), 0));
}

Test(segments, large_ones_are_kept_within_the_same_bound)
{
    void *small[MANY], *large[MANY];
    for (size_t i = 0; i < 40; i++) {
        small[i] = tqa_segment_take(TQA_SEGMENT_BYTES);
        large[i] = tqa_segment_take(TQA_SEGMENT_LARGE);
        cr_assert(eq(sz, (uintptr_t)large[i] % TQA_SEGMENT_LARGE, 0));
        ((char *)large[i])[TQA_SEGMENT_LARGE - 1] = 1;
    }
    for (size_t i = 0; i < 40; i++) {
        tqa_segment_give(small[i], TQA_SEGMENT_BYTES);
        tqa_segment_give(large[i], TQA_SEGMENT_LARGE);
        cr_assert(le(sz, tqa_memory_kept(), (size_t)64 << 20));
    }
    const size_t kept = tqa_memory_kept();
    void *again = tqa_segment_take(TQA_SEGMENT_LARGE);
    cr_assert(eq(sz, tqa_memory_kept(), kept > 0 ? kept - TQA_SEGMENT_LARGE : 0));
    tqa_segment_give(again, TQA_SEGMENT_LARGE);
    (void)tqa_memory_trim();
    cr_assert(eq(sz, tqa_memory_trim(), 0));
    cr_assert(eq(sz, tqa_memory_kept(), 0));
}

/* A block of 4,095 coordinates has one of 10 MiB. Sanitizer builds keep none of any size. */
Test(segments, every_multiple_of_a_large_one_is_kept_up_to_the_largest)
{
    tqa_segment_give(tqa_segment_take(TQA_SEGMENT_BYTES), TQA_SEGMENT_BYTES);
    const size_t first = tqa_memory_kept();
    for (size_t k = 1; k <= TQA_SEGMENT_LARGE_MOST + 1; k++) {
        const size_t bytes = k * TQA_SEGMENT_LARGE;
        char *segment = tqa_segment_take(bytes);
        cr_assert(ne(ptr, segment, NULL));
        segment[bytes - 1] = 1;
        tqa_segment_give(segment, bytes);
        const bool is_kept = first > 0 && k <= TQA_SEGMENT_LARGE_MOST;
        cr_assert(eq(sz, tqa_memory_kept(), first + (is_kept ? bytes : 0)), "%zu", k);
        void *again = tqa_segment_take(bytes);
        cr_assert(eq(sz, tqa_memory_kept(), first), "%zu", k);
        tqa_segment_give(again, bytes);
        (void)tqa_memory_trim();
        (void)tqa_memory_trim();
        tqa_segment_give(tqa_segment_take(TQA_SEGMENT_BYTES), TQA_SEGMENT_BYTES);
    }
}

Test(segments, small_ones_are_not_kept)
{
    void *small = tqa_segment_take(1000);
    tqa_segment_give(small, 1000);
    cr_assert(eq(sz, tqa_memory_kept(), 0));
}
