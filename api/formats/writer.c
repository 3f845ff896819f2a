/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/writer.c - JSON and CBOR side by side. */
#include "api/formats/writer.h"

#include <cbor.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/formats/number.h"

enum { FIRST_ROOM = 1024, HEAD_MAX = 16, TAG_DOUBLES_LE = 86 };

void tqa_writer_init(tqa_writer *writer, tqa_media media, size_t n_max)
{
    *writer = (tqa_writer){.media = media, .n_max = n_max};
}

/* room for n more bytes; NULL: give up */
static char *reserve(tqa_writer *w, size_t n)
{
    if (w->failed || n > w->n_max - w->n) {
        w->failed = true;
        return NULL;
    }
    if (w->n + n > w->room) {
        size_t room = w->room > 0 ? w->room : FIRST_ROOM;
        while (room < w->n + n) {
            room *= 2;
        }
        char *text = realloc(w->text, room);
        if (text == NULL) {
            w->failed = true;
            return NULL;
        }
        w->text = text;
        w->room = room;
    }
    return w->text + w->n;
}

static void put(tqa_writer *w, const char *text, size_t n)
{
    char *to = reserve(w, n);
    if (to != NULL) {
        memcpy(to, text, n);
        w->n += n;
    }
}

static bool is_json(const tqa_writer *w)
{
    return w->media == TQA_MEDIA_JSON;
}

/* what stands before a value */
static void separate(tqa_writer *w)
{
    if (is_json(w) && w->comma) {
        put(w, ",", 1);
    }
    w->comma = true;
}

/* an item that libcbor encodes into at most HEAD_MAX bytes */
#define PUT_CBOR(w, call)                                                                          \
    do {                                                                                           \
        unsigned char head[HEAD_MAX];                                                              \
        const size_t n_head = call;                                                                \
        put(w, (const char *)head, n_head);                                                        \
    } while (0)

void tqa_write_map(tqa_writer *writer)
{
    separate(writer);
    if (is_json(writer)) {
        put(writer, "{", 1);
    } else {
        PUT_CBOR(writer, cbor_encode_indef_map_start(head, sizeof head));
    }
    writer->comma = false;
}

void tqa_write_array(tqa_writer *writer)
{
    separate(writer);
    if (is_json(writer)) {
        put(writer, "[", 1);
    } else {
        PUT_CBOR(writer, cbor_encode_indef_array_start(head, sizeof head));
    }
    writer->comma = false;
}

static void end(tqa_writer *w, const char *json)
{
    if (is_json(w)) {
        put(w, json, 1);
    } else {
        PUT_CBOR(w, cbor_encode_break(head, sizeof head));
    }
    w->comma = true;
}

void tqa_write_end_map(tqa_writer *writer)
{
    end(writer, "}");
}

void tqa_write_end_array(tqa_writer *writer)
{
    end(writer, "]");
}

/* quotes, backslashes and control characters escaped */
static void put_quoted(tqa_writer *w, const char *text)
{
    put(w, "\"", 1);
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            const char pair[2] = {'\\', *at};
            put(w, pair, 2);
        } else if (c < 0x20) {
            char code[8];
            const int n = snprintf(code, sizeof code, "\\u%04x", c);
            put(w, code, (size_t)n);
        } else {
            put(w, at, 1);
        }
    }
    put(w, "\"", 1);
}

static void put_text(tqa_writer *w, const char *text)
{
    if (is_json(w)) {
        put_quoted(w, text);
        return;
    }
    const size_t n = strlen(text);
    PUT_CBOR(w, cbor_encode_string_start(n, head, sizeof head));
    put(w, text, n);
}

void tqa_write_key(tqa_writer *writer, const char *key)
{
    separate(writer);
    put_text(writer, key);
    if (is_json(writer)) {
        put(writer, ":", 1);
    }
    writer->comma = false;
}

void tqa_write_null(tqa_writer *writer)
{
    separate(writer);
    if (is_json(writer)) {
        put(writer, "null", 4);
    } else {
        PUT_CBOR(writer, cbor_encode_null(head, sizeof head));
    }
}

void tqa_write_number(tqa_writer *writer, double value)
{
    if (!isfinite(value)) {
        tqa_write_null(writer);
        return;
    }
    separate(writer);
    if (!is_json(writer)) {
        PUT_CBOR(writer, cbor_encode_double(value, head, sizeof head));
        return;
    }
    char *to = reserve(writer, TQA_NUMBER_ROOM);
    if (to != NULL) {
        writer->n += (size_t)(tqa_number_print(value, to) - to);
    }
}

void tqa_write_count(tqa_writer *writer, uint64_t value)
{
    separate(writer);
    if (is_json(writer)) {
        char text[24];
        const int n = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        put(writer, text, (size_t)n);
    } else {
        PUT_CBOR(writer, cbor_encode_uint(value, head, sizeof head));
    }
}

void tqa_write_boolean(tqa_writer *writer, bool value)
{
    separate(writer);
    if (is_json(writer)) {
        put(writer, value ? "true" : "false", value ? 4 : 5);
    } else {
        PUT_CBOR(writer, cbor_encode_bool(value, head, sizeof head));
    }
}

void tqa_write_string(tqa_writer *writer, const char *text)
{
    separate(writer);
    put_text(writer, text);
}

void tqa_write_numbers(tqa_writer *writer, const double *values, size_t n, size_t step)
{
    bool finite = true;
    for (size_t i = 0; i < n && finite; i++) {
        finite = isfinite(values[i * step]);
    }
    if (is_json(writer) || !finite) { /* a typed array has no null */
        tqa_write_array(writer);
        for (size_t i = 0; i < n && !writer->failed; i++) {
            tqa_write_number(writer, values[i * step]);
        }
        tqa_write_end_array(writer);
        return;
    }
    separate(writer);
    PUT_CBOR(writer, cbor_encode_tag(TAG_DOUBLES_LE, head, sizeof head));
    PUT_CBOR(writer, cbor_encode_bytestring_start(n * sizeof(double), head, sizeof head));
    for (size_t i = 0; i < n && !writer->failed; i++) {
        put(writer, (const char *)&values[i * step], sizeof(double)); /* x86-64: little-endian */
    }
}

void tqa_write_matrix(tqa_writer *writer, const double *values, size_t n_row, size_t n_column)
{
    tqa_write_array(writer);
    for (size_t r = 0; r < n_row && !writer->failed; r++) {
        tqa_write_numbers(writer, values + r * n_column, n_column, 1);
    }
    tqa_write_end_array(writer);
}

void tqa_write_encoded(tqa_writer *writer, const char *text, size_t n)
{
    separate(writer);
    put(writer, text, n);
}
