/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/document.c - a printed document as a member of an answer. */
#include "api/response/document.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A document's events, written to an answer as they come. */
typedef struct teller {
    tqa_writer *answer;
    const char *name, *left_out;
    unsigned depth;
    bool has_key;
    char key[TQA_EVENT_TEXT_MAX + 1];
} teller;

static const char *key_of(teller *t)
{
    const bool has_key = t->has_key;
    t->has_key = false;
    return has_key ? t->key : NULL;
}

static bool put_map(void *ctx, uint64_t at)
{
    teller *t = ctx;
    (void)at;
    tqa_writer_object(t->answer, t->depth++ == 0 ? t->name : key_of(t));
    return true;
}

static bool put_array(void *ctx, uint64_t at)
{
    teller *t = ctx;
    (void)at;
    t->depth++;
    tqa_writer_list(t->answer, key_of(t));
    return true;
}

static bool put_end(void *ctx, uint64_t at)
{
    teller *t = ctx;
    (void)at;
    t->depth--;
    tqa_writer_end(t->answer);
    return true;
}

static bool put_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    teller *t = ctx;
    (void)at;
    (void)snprintf(t->key, sizeof t->key, "%.*s", (int)n, text);
    t->has_key = true;
    return true;
}

static bool put_number(void *ctx, uint64_t at, double value)
{
    teller *t = ctx;
    (void)at;
    if (value >= 0.0 && value < 0x1p53 && value == floor(value)) {
        tqa_writer_count(t->answer, key_of(t), (size_t)value);
    } else {
        tqa_writer_number(t->answer, key_of(t), value);
    }
    return true;
}

static bool put_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)put_number(ctx, at, values[i]);
    }
    return true;
}

static bool put_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    teller *t = ctx;
    char copy[TQA_EVENT_TEXT_MAX + 1];
    (void)at;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)n, text);
    const char *key = key_of(t);
    if (t->depth > 1 || strcmp(key, t->left_out) != 0) {
        tqa_writer_string(t->answer, key, copy);
    }
    return true;
}

static bool put_flag(void *ctx, uint64_t at, bool value)
{
    teller *t = ctx;
    (void)at;
    tqa_writer_flag(t->answer, key_of(t), value);
    return true;
}

static bool put_null(void *ctx, uint64_t at)
{
    teller *t = ctx;
    (void)at;
    tqa_writer_none(t->answer, key_of(t), "there is none");
    return true;
}

static const tqa_events document_events = {
    .begin_map = put_map,
    .end_map = put_end,
    .key = put_key,
    .begin_array = put_array,
    .end_array = put_end,
    .number = put_number,
    .numbers = put_numbers,
    .string = put_string,
    .boolean = put_flag,
    .null = put_null,
};

void tqa_writer_document(tqa_writer *answer, const char *key, const char *left_out,
                         tqa_json_scan *scan, const char *text, size_t n)
{
    teller t = {.answer = answer, .name = key, .left_out = left_out};
    tqa_json_scan_init(scan, &document_events, &t);
    const bool good = tqa_json_scan_feed(scan, text, n) == TQA_DECODE_OK &&
                      tqa_json_scan_finish(scan) == TQA_DECODE_OK;
    assert(good); /* it is our own print */
    (void)good;
}
