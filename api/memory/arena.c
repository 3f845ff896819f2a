/* SPDX-License-Identifier: Apache-2.0 */
/* api/memory/arena.c - a chain of malloc'ed pieces, each filled from its start. */
#include "api/memory/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 16384, ALIGN_MAX = 64 };

typedef struct piece {
    struct piece *next;
    size_t size, used; /* bytes at memory */
    unsigned char *memory;
    void *block; /* zeroed by calloc: pages that are never written are never mapped */
} piece;

struct tqa_arena {
    piece *newest;
    size_t budget; /* bytes left */
    size_t whole;  /* bytes at the start */
    bool spent;
    bool is_short; /* the system had no memory, not the budget */
};

tqa_arena *tqa_arena_new(size_t budget)
{
    tqa_arena *arena = calloc(1, sizeof *arena);
    if (arena != NULL) {
        arena->budget = arena->whole = budget;
    }
    return arena;
}

void tqa_arena_free(tqa_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (piece *p = arena->newest; p != NULL;) {
        piece *next = p->next;
        free(p->block);
        free(p);
        p = next;
    }
    free(arena);
}

/* A new piece of at least `need` bytes in front of the chain. */
static piece *add_piece(tqa_arena *arena, size_t need)
{
    size_t size = need > PIECE_BYTES ? need : (size_t)PIECE_BYTES;
    if (size > arena->budget) {
        size = need;
    }
    if (size > arena->budget) {
        return NULL;
    }
    piece *p = malloc(sizeof *p);
    if (p == NULL) {
        arena->is_short = true;
        return NULL;
    }
    size = (size + ALIGN_MAX - 1) / ALIGN_MAX * ALIGN_MAX;
    *p = (piece){.next = arena->newest, .size = size, .block = calloc(1, size + ALIGN_MAX)};
    if (p->block == NULL) {
        arena->is_short = true;
        free(p);
        return NULL;
    }
    const uintptr_t address = (uintptr_t)p->block;
    p->memory = (unsigned char *)p->block + (ALIGN_MAX - address % ALIGN_MAX) % ALIGN_MAX;
    arena->budget -= size < arena->budget ? size : arena->budget;
    arena->newest = p;
    return p;
}

void *tqa_arena_take(tqa_arena *arena, size_t n, size_t each, size_t align)
{
    assert(align > 0 && align <= ALIGN_MAX && (align & (align - 1)) == 0);
    if (each != 0 && n > (SIZE_MAX - PIECE_BYTES) / each) {
        arena->spent = true;
        return NULL;
    }
    const size_t need = n * each;
    piece *p = arena->newest;
    size_t start = p != NULL ? (p->used + align - 1) & ~(align - 1) : 0;
    if (p == NULL || start > p->size || need > p->size - start) {
        p = add_piece(arena, need);
        start = 0;
    }
    if (p == NULL) {
        arena->spent = true;
        return NULL;
    }
    /* a large piece is one allocation's, so that it can be freed */
    p->used = need > PIECE_BYTES ? p->size : start + need;
    return p->memory + start;
}

void tqa_arena_give(tqa_arena *arena, void *memory)
{
    for (piece **at = &arena->newest; memory != NULL && *at != NULL; at = &(*at)->next) {
        piece *p = *at;
        if (p->memory == memory && p->size > PIECE_BYTES) {
            *at = p->next;
            arena->budget += p->size;
            free(p->block);
            free(p);
            return;
        }
    }
}

char *tqa_arena_text(tqa_arena *arena, const char *text, size_t n)
{
    char *copy = n < SIZE_MAX ? tqa_arena_take(arena, n + 1, 1, 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

const char *tqa_arena_format(tqa_arena *arena, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0) {
        return NULL;
    }
    return tqa_arena_text(arena, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void *tqa_arena_grow(tqa_arena *arena, void *rows, size_t n, size_t *capacity, size_t each)
{
    if (n < *capacity) {
        return rows;
    }
    const size_t wider = *capacity > 0 ? 2 * *capacity : 16;
    void *moved = tqa_arena_take(arena, wider, each, 16);
    if (moved == NULL) {
        return NULL;
    }
    if (n > 0) {
        memcpy(moved, rows, n * each);
    }
    *capacity = wider;
    return moved;
}

size_t tqa_arena_held(const tqa_arena *arena)
{
    return arena->whole - arena->budget;
}

bool tqa_arena_spent(const tqa_arena *arena)
{
    return arena->spent;
}

void tqa_arena_miss(tqa_arena *arena)
{
    arena->spent = arena->is_short = true;
}

bool tqa_arena_short(const tqa_arena *arena)
{
    return arena->is_short;
}
