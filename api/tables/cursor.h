/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/cursor.h - the numbers of one array of a stored JSON document, one after another. */
#ifndef TQA_TABLES_CURSOR_H
#define TQA_TABLES_CURSOR_H

#include "api/tables/outline.h"

/* A stored document: reads n bytes at `offset`, the count, fewer only at the end, or -1. */
typedef struct tqa_stored {
    long (*read)(void *ctx, uint64_t offset, void *bytes, size_t n);
    void *ctx;
    uint64_t size;
} tqa_stored;

/* 45 KiB: one piece of text and its numbers. Private fields. */
enum { TQA_CURSOR_PIECE = 8 << 10 };
typedef struct tqa_cursor {
    const tqa_stored *stored;
    uint64_t begin, end, at; /* bytes of the array; the next to be read */
    bool failed;
    size_t n, taken; /* numbers at hand */
    double numbers[TQA_CURSOR_PIECE / 2 + 1];
    char piece[TQA_CURSOR_PIECE];
    tqa_json_scan scan;
} tqa_cursor;

/* Its arguments must outlive it. May be called again, to start over. */
void tqa_cursor_init(tqa_cursor *cursor, const tqa_stored *stored, const tqa_outline_array *array);

/* The next n numbers, null as NaN. False when the bytes cannot be read or differ from those of the
   outline. */
bool tqa_cursor_next(tqa_cursor *cursor, size_t n, double *ret);

#endif
