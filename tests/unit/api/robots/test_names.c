/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/test_names.c - the arena and the name index of robots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/memory/arena.h"
#include "api/robots/names.h"

Test(arena, zeroed_aligned_apart_and_bounded)
{
    tqa_arena *arena = tqa_arena_new(100000);
    cr_assert(arena != NULL);
    unsigned char *last = NULL;
    for (size_t align = 1; align <= 64; align *= 2) {
        unsigned char *p = tqa_arena_take(arena, 3, 7, align);
        cr_assert(p != NULL && (uintptr_t)p % align == 0);
        for (int k = 0; k < 21; k++) {
            cr_assert(p[k] == 0);
        }
        cr_assert(last == NULL || p >= last + 21);
        memset(p, 0xFF, 21);
        last = p;
    }
    cr_assert(tqa_arena_take(arena, 90000, 1, 1) == NULL);
    cr_assert(tqa_arena_spent(arena));
    tqa_arena_free(arena);
    tqa_arena_free(NULL);
}

Test(arena, sizes_that_overflow_are_refused)
{
    tqa_arena *arena = tqa_arena_new(SIZE_MAX);
    cr_assert(tqa_arena_take(arena, SIZE_MAX / 2, 3, 1) == NULL);
    cr_assert(tqa_arena_take(arena, SIZE_MAX, 1, 1) == NULL);
    cr_assert(tqa_arena_text(arena, "", SIZE_MAX) == NULL);
    tqa_arena_free(arena);
}

Test(arena, many_pieces_stay_within_the_budget)
{
    enum { BUDGET = 1 << 20 };
    tqa_arena *arena = tqa_arena_new(BUDGET);
    size_t n = 0;
    while (tqa_arena_take(arena, 1, 100, 1) != NULL) {
        n++;
    }
    cr_assert(le(sz, n * 100, (size_t)BUDGET));
    cr_assert(ge(sz, n * 100, (size_t)BUDGET * 9 / 10)); /* little is wasted */
    tqa_arena_free(arena);
}

Test(arena, rows_grow_and_keep_their_content)
{
    tqa_arena *arena = tqa_arena_new(1 << 20);
    size_t capacity = 0;
    uint32_t *rows = NULL;
    for (uint32_t n = 0; n < 1000; n++) {
        rows = tqa_arena_grow(arena, rows, n, &capacity, sizeof *rows);
        cr_assert(rows != NULL);
        rows[n] = n;
    }
    for (uint32_t n = 0; n < 1000; n++) {
        cr_assert(rows[n] == n);
    }
    cr_assert(eq(str, (char *)tqa_arena_format(arena, "%d %s", 7, "x"), "7 x"));
    tqa_arena_free(arena);
}

Test(names, found_among_many_and_not_by_prefix)
{
    enum { N = 1000 };
    static char text[N][16];
    static const char *names[N];
    tqa_arena *arena = tqa_arena_new(1 << 20);
    for (uint32_t i = 0; i < N; i++) {
        (void)snprintf(text[i], sizeof text[i], "name%u", (i * 7919) % N);
        names[i] = text[i];
    }
    tqa_names index;
    cr_assert(tqa_names_build(&index, arena, names, N));
    uint32_t first = 0;
    cr_assert(eq(u32, tqa_names_duplicate(&index, &first), UINT32_MAX));
    for (uint32_t i = 0; i < N; i++) {
        cr_assert(eq(u32, tqa_names_find(&index, names[i], strlen(names[i])), i));
    }
    cr_assert(eq(u32, tqa_names_find(&index, "name", 4), UINT32_MAX));
    cr_assert(eq(u32, tqa_names_find(&index, "name1x", 6), UINT32_MAX));
    cr_assert(eq(u32, tqa_names_find(&index, "name1x", 5), tqa_names_find(&index, "name1", 5)));
    cr_assert(eq(u32, tqa_names_find(&index, "name1\0", 6), UINT32_MAX));
    cr_assert(eq(u32, tqa_names_find(&index, "", 0), UINT32_MAX));
    tqa_arena_free(arena);
}

Test(names, the_first_duplicate_in_the_file_is_reported)
{
    static const char *const names[] = {"z", "b", "a", "b", "z", "b"};
    tqa_arena *arena = tqa_arena_new(1 << 16);
    tqa_names index;
    cr_assert(tqa_names_build(&index, arena, names, 6));
    uint32_t first = 99;
    cr_assert(eq(u32, tqa_names_duplicate(&index, &first), 3));
    cr_assert(eq(u32, first, 1));
    cr_assert(eq(u32, tqa_names_find(&index, "b", 1), 1));
    tqa_arena_free(arena);
}
