/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/transcode.c - writes events again: CBOR with arrays of numbers as typed arrays. */
#include "api/tables/transcode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Texts without a zero inside: results have none. */
static void copy_text(char to[TQA_EVENT_TEXT_MAX + 1], const char *text, size_t n)
{
    memcpy(to, text, n);
    to[n] = '\0';
}

static const char *take_key(tqa_transcode *t)
{
    const bool has_key = t->has_key;
    t->has_key = false;
    return has_key ? t->key : NULL;
}

/* a value of the root's key has ended: the next key is judged anew */
static bool end_value(tqa_transcode *t)
{
    t->skipping = t->skipping && t->level != 1;
    return true;
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    tqa_transcode *t = ctx;
    (void)at;
    t->level++;
    if (!t->skipping) {
        tqa_writer_object(&t->to, take_key(t));
    }
    return true;
}

static bool close_level(tqa_transcode *t)
{
    t->level--;
    if (!t->skipping) {
        tqa_writer_end(&t->to);
    }
    return end_value(t);
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return close_level(ctx);
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (t->level == 1) {
        t->skipping =
            t->wanted != NULL && t->next_key < TQA_OUTLINE_KEYS_MAX && !t->wanted[t->next_key];
        t->next_key++;
    }
    if (!t->skipping) {
        copy_text(t->key, text, n);
        t->has_key = true;
    }
    return true;
}

/* as a typed array: no gaps, and no extent empty but the first, as our decoder requires */
static bool is_typed(const tqa_outline_array *array)
{
    bool good = array->n_null == 0;
    for (size_t r = 1; r < array->rank; r++) {
        good = good && array->shape[r] > 0;
    }
    return good;
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    tqa_transcode *t = ctx;
    if (t->raw) {
        t->raw_depth++;
        return true;
    }
    const size_t n = tqa_outline_count(t->outline);
    while (t->next_array < n && tqa_outline_at(t->outline, t->next_array)->begin < at) {
        t->next_array++;
    }
    const tqa_outline_array *array =
        t->next_array < n ? tqa_outline_at(t->outline, t->next_array) : NULL;
    if (t->skipping || !t->to.cbor || array == NULL || array->begin != at || !is_typed(array)) {
        t->level++;
        if (!t->skipping) {
            tqa_writer_list(&t->to, take_key(t));
        }
        return true;
    }
    tqa_array shape = {.rank = array->rank}; /* its values follow as events */
    memcpy(shape.shape, array->shape, sizeof shape.shape);
    tqa_writer_stream_begin(&t->to, take_key(t), &shape);
    t->raw = true;
    t->raw_depth = 1;
    return true;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (!t->raw) {
        return close_level(t);
    }
    t->raw = --t->raw_depth > 0;
    return true;
}

/* A whole number that is a member by itself may be a count: it is written as one. */
static void put_number(tqa_transcode *t, double x, bool is_member)
{
    const bool whole = is_member && x == floor(x) && fabs(x) < 9007199254740992.0 && !signbit(x);
    if (whole) {
        tqa_writer_count(&t->to, take_key(t), (size_t)x);
    } else {
        tqa_writer_number(&t->to, take_key(t), x);
    }
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (t->raw) { /* little-endian, as in memory */
        tqa_json_text_bytes(&t->to.text, values, n * sizeof *values);
        return true;
    }
    const bool is_member = t->has_key;
    for (size_t i = 0; i < n && !t->skipping; i++) {
        put_number(t, values[i], is_member);
    }
    return end_value(t);
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_transcode *t = ctx;
    char copy[TQA_EVENT_TEXT_MAX + 1];
    if (!t->skipping) {
        copy_text(copy, text, n);
        tqa_writer_string(&t->to, take_key(t), copy);
    }
    return end_value(t);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (!t->skipping) {
        tqa_writer_flag(&t->to, take_key(t), value);
    }
    return end_value(t);
}

static bool on_null(void *ctx, uint64_t at)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (!t->skipping) {
        tqa_writer_null(&t->to, take_key(t));
    }
    return end_value(t);
}

static const tqa_events events = {
    .begin_map = on_begin_map,
    .end_map = on_end_map,
    .key = on_key,
    .begin_array = on_begin_array,
    .end_array = on_end_array,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_string,
    .boolean = on_boolean,
    .null = on_null,
};

void tqa_transcode_init(tqa_transcode *transcode, const tqa_outline *outline, const bool *wanted,
                        bool cbor)
{
    memset(transcode, 0, sizeof *transcode);
    transcode->outline = outline;
    transcode->wanted = wanted;
    transcode->to.cbor = cbor;
    tqa_json_scan_init(&transcode->scan, &events, transcode);
}

char *tqa_transcode_feed(tqa_transcode *transcode, const char *bytes, size_t n, size_t *ret_n)
{
    if (tqa_json_scan_feed(&transcode->scan, bytes, n) != TQA_DECODE_OK) {
        tqa_writer_take(&transcode->to, ret_n);
        *ret_n = SIZE_MAX;
        return NULL;
    }
    char *out = tqa_writer_take(&transcode->to, ret_n);
    if (out == NULL) {
        *ret_n = SIZE_MAX;
    }
    return out;
}
