/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/transcode.c - writes events again: CBOR with arrays of numbers as typed arrays. */
#include "api/tables/transcode.h"

#include <cbor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"

enum { HEAD = TQA_CBOR_HEAD_MAX, CBOR_MAP = 0xbf, CBOR_LIST = 0x9f, CBOR_END = 0xff };

static void put_byte(tqa_transcode *t, unsigned char byte)
{
    tqa_json_text_bytes(&t->text, &byte, 1);
}

static void put_head(tqa_transcode *t, const unsigned char *head, size_t n)
{
    tqa_json_text_bytes(&t->text, head, n);
}

/* what precedes a value or a key. False: it is skipped. */
static bool begin(tqa_transcode *t)
{
    if (t->skipping) {
        return false;
    }
    if (!t->cbor && !t->after_key && t->has_members[t->level]) {
        put_byte(t, ',');
    }
    t->after_key = false;
    t->has_members[t->level] = true;
    return true;
}

/* a value of the root's key has ended: the next key is judged anew */
static bool end_value(tqa_transcode *t)
{
    t->skipping = t->skipping && t->level != 1;
    return true;
}

static void put_text(tqa_transcode *t, const char *text, size_t n)
{
    if (t->cbor) {
        unsigned char head[HEAD];
        put_head(t, head, cbor_encode_string_start(n, head, sizeof head));
        tqa_json_text_bytes(&t->text, text, n);
        return;
    }
    char copy[TQA_EVENT_TEXT_MAX + 1]; /* without a zero inside: results have none */
    memcpy(copy, text, n);
    copy[n] = '\0';
    tqa_json_text_string(&t->text, copy);
}

static bool open_level(tqa_transcode *t, bool is_list)
{
    if (begin(t)) {
        put_byte(t, t->cbor ? (is_list ? CBOR_LIST : CBOR_MAP) : is_list ? '[' : '{');
    }
    t->has_members[++t->level] = false;
    return true;
}

static bool close_level(tqa_transcode *t, bool is_list)
{
    t->level--;
    if (!t->skipping) {
        put_byte(t, t->cbor ? CBOR_END : is_list ? ']' : '}');
    }
    return end_value(t);
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    return open_level(ctx, false);
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return close_level(ctx, false);
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
    if (begin(t)) {
        put_text(t, text, n);
        if (!t->cbor) {
            put_byte(t, ':');
        }
        t->after_key = true;
    }
    return true;
}

/* as a typed array: no gaps, and nothing but the first extent empty, as our decoder wants it */
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
    if (!t->cbor || t->skipping || array == NULL || array->begin != at || !is_typed(array)) {
        return open_level(t, true);
    }
    char head[TQA_CBOR_ARRAY_HEAD];
    tqa_array shape = {.rank = array->rank}; /* only the head is asked for */
    memcpy(shape.shape, array->shape, sizeof shape.shape);
    (void)begin(t);
    tqa_json_text_bytes(&t->text, head, tqa_cbor_array_head(&shape, head));
    t->raw = true;
    t->raw_depth = 1;
    return true;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (!t->raw) {
        return close_level(t, true);
    }
    t->raw = --t->raw_depth > 0;
    return true;
}

/* A whole number that is a member by itself may be a count: it is written as one. */
static void put_number(tqa_transcode *t, double x, bool is_member)
{
    unsigned char head[HEAD];
    const bool whole = is_member && x == floor(x) && fabs(x) < 9007199254740992.0 && !signbit(x);
    if (whole && t->cbor) {
        put_head(t, head, cbor_encode_uint((uint64_t)x, head, sizeof head));
    } else if (whole) {
        tqa_json_text_count(&t->text, (unsigned long)x);
    } else if (t->cbor) {
        put_head(t, head, cbor_encode_double(x, head, sizeof head));
    } else {
        tqa_json_text_number(&t->text, x);
    }
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    tqa_transcode *t = ctx;
    if (t->raw) {
        tqa_json_text_bytes(&t->text, values, n * sizeof *values); /* little-endian, as in memory */
        return true;
    }
    const bool is_member = t->after_key;
    for (size_t i = 0; i < n && begin(t); i++) {
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
    if (begin(t)) {
        put_text(t, text, n);
    }
    return end_value(t);
}

static bool put_word(tqa_transcode *t, const char *word, unsigned char code)
{
    if (begin(t) && t->cbor) {
        put_byte(t, code);
    } else if (!t->skipping) {
        tqa_json_text_raw(&t->text, word);
    }
    return end_value(t);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    return put_word(ctx, value ? "true" : "false", value ? 0xf5 : 0xf4);
}

static bool on_null(void *ctx, uint64_t at)
{
    (void)at;
    return put_word(ctx, "null", 0xf6);
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
    transcode->cbor = cbor;
    tqa_json_scan_init(&transcode->scan, &events, transcode);
}

char *tqa_transcode_feed(tqa_transcode *transcode, const char *bytes, size_t n, size_t *ret_n)
{
    if (tqa_json_scan_feed(&transcode->scan, bytes, n) != TQA_DECODE_OK) {
        tqa_json_text_take(&transcode->text, ret_n);
        *ret_n = SIZE_MAX;
        return NULL;
    }
    char *out = tqa_json_text_take(&transcode->text, ret_n);
    if (out == NULL) {
        *ret_n = SIZE_MAX;
    }
    return out;
}
