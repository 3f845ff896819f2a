/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/memory/test_arena.c - an arena's memory is cleared, within its budget, and can be
 * returned. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>
#include <string.h>

#include "api/memory/arena.h"

enum { BUDGET = 1 << 20, LARGE = 600 << 10 };

Test(arena, large_pieces_are_freed_when_returned)
{
    tqa_arena *arena = tqa_arena_new(BUDGET);
    char *small = tqa_arena_take(arena, 100, 1, 64);
    cr_assert(small != NULL);
    memset(small, 7, 100);
    for (int k = 0; k < 5; k++) { /* five times the budget in total, one after another */
        char *large = tqa_arena_take(arena, LARGE, 1, 64);
        cr_assert(large != NULL, "%d", k);
        cr_expect(eq(u64, (uint64_t)((uintptr_t)large % 64), 0));
        for (size_t i = 0; i < LARGE; i += 997) {
            cr_assert(eq(int, large[i], 0));
        }
        memset(large, 1, LARGE);
        char *next = tqa_arena_take(arena, 10, 1, 8); /* not inside the large piece */
        cr_assert(next != NULL && (next < large || next >= large + LARGE));
        memset(next, 3, 10);
        cr_expect(tqa_arena_take(arena, LARGE, 1, 64) == NULL, "two are beyond the budget");
        tqa_arena_give(arena, large);
        for (size_t i = 0; i < 10; i++) {
            cr_assert(eq(int, next[i], 3));
        }
    }
    tqa_arena_give(arena, NULL);
    tqa_arena_give(arena, small); /* too small to be returned: no effect */
    for (size_t i = 0; i < 100; i++) {
        cr_assert(eq(int, small[i], 7));
    }
    cr_expect(tqa_arena_spent(arena) && !tqa_arena_short(arena));
    tqa_arena_free(arena);
}
