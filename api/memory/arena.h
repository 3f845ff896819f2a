/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory/arena.h - memory that grows in pieces, within a budget, and is freed at once. */
#ifndef TQA_MEMORY_ARENA_H
#define TQA_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* All results of parsing one file live in one arena. One thread at a time. */
typedef struct tqa_arena tqa_arena;

/* An arena that will never hold more than `budget` bytes; NULL when memory is short. */
tqa_arena *tqa_arena_new(size_t budget);
void tqa_arena_free(tqa_arena *arena); /* accepts NULL */

/* n * each zeroed bytes, aligned to `align` (a power of two, 64 at most). NULL when the budget or
 * the machine has no more; tqa_arena_spent is true from then on. */
void *tqa_arena_take(tqa_arena *arena, size_t n, size_t each, size_t align);

/* Frees a piece of more than 16 KiB; a smaller one, and NULL, has no effect. */
void tqa_arena_give(tqa_arena *arena, void *memory);

/* A copy of n bytes, terminated by NUL. */
char *tqa_arena_text(tqa_arena *arena, const char *text, size_t n);

/* A formatted copy, cut at 511 bytes. */
const char *tqa_arena_format(tqa_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for one more row: doubles *rows (n of *capacity used, `each` bytes a row) when it is full.
 * Returns the rows, moved or not; NULL when there is no room, and then nothing has changed. */
void *tqa_arena_grow(tqa_arena *arena, void *rows, size_t n, size_t *capacity, size_t each);

/* Bytes of all its pieces. */
size_t tqa_arena_held(const tqa_arena *arena);

/* True when any request was refused. */
bool tqa_arena_spent(const tqa_arena *arena);

/* True if the system had no memory, not the budget: a retry may succeed. `miss` sets it for a
 * failed allocation elsewhere. */
bool tqa_arena_short(const tqa_arena *arena);
void tqa_arena_miss(tqa_arena *arena);

#endif
