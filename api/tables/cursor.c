/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/cursor.c - scans one array of a document, a piece at a time. */
#include "api/tables/cursor.h"

#include <math.h>
#include <string.h>

static bool on_bracket(void *ctx, uint64_t at)
{
    (void)ctx, (void)at;
    return true;
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    tqa_cursor *c = ctx;
    /* a number takes two bytes with its comma, and one may be left of the piece before */
    if (c->n + n > sizeof c->numbers / sizeof c->numbers[0]) {
        return false;
    }
    memcpy(c->numbers + c->n, values, n * sizeof *values);
    c->n += n;
    return true;
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_null(void *ctx, uint64_t at)
{
    return on_number(ctx, at, (double)NAN);
}

static bool on_map(void *ctx, uint64_t at)
{
    (void)ctx, (void)at;
    return false;
}

static bool on_text(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)ctx, (void)at, (void)text, (void)n;
    return false;
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)ctx, (void)at, (void)value;
    return false;
}

static const tqa_events events = {
    .begin_map = on_map,
    .end_map = on_map,
    .key = on_text,
    .begin_array = on_bracket,
    .end_array = on_bracket,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_text,
    .boolean = on_boolean,
    .null = on_null,
};

void tqa_cursor_init(tqa_cursor *cursor, const tqa_stored *stored, const tqa_outline_array *array)
{
    cursor->stored = stored;
    cursor->begin = cursor->at = array->begin;
    cursor->end = array->end;
    cursor->failed = false;
    cursor->n = cursor->taken = 0;
    tqa_json_scan_init(&cursor->scan, &events, cursor);
}

/* The numbers of the next piece; none at the end. */
static bool fill(tqa_cursor *c)
{
    c->n = c->taken = 0;
    while (!c->failed && c->n == 0 && c->at < c->end) {
        const uint64_t left = c->end - c->at;
        const size_t want = left < sizeof c->piece ? (size_t)left : sizeof c->piece;
        c->failed = c->stored->read(c->stored->ctx, c->at, c->piece, want) != (long)want ||
                    tqa_json_scan_feed(&c->scan, c->piece, want) != TQA_DECODE_OK;
        c->at += want;
    }
    return !c->failed && c->n > 0;
}

bool tqa_cursor_next(tqa_cursor *cursor, size_t n, double *ret)
{
    for (size_t done = 0; done < n;) {
        if (cursor->taken == cursor->n && !fill(cursor)) {
            return false;
        }
        const size_t left = cursor->n - cursor->taken;
        const size_t some = left < n - done ? left : n - done;
        memcpy(ret + done, cursor->numbers + cursor->taken, some * sizeof *ret);
        cursor->taken += some;
        done += some;
    }
    return true;
}
