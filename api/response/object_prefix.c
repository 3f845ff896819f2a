/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/object_prefix.c - writes what an object of an answer states, as JSON or as CBOR. */
#include "api/response/object_prefix.h"

#include <assert.h>
#include <cbor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/json/text.h"

enum { CBOR_HEAD = 9 };

/* Room for n more bytes, or NULL. */
static unsigned char *room(tqa_object_prefix *statement, size_t n)
{
    if (statement->failed) {
        return NULL;
    }
    if (statement->n + n > statement->capacity) {
        const size_t capacity = 2 * (statement->n + n) + 128;
        char *bytes = realloc(statement->bytes, capacity);
        if (bytes == NULL) {
            statement->failed = true;
            return NULL;
        }
        statement->bytes = bytes;
        statement->capacity = capacity;
    }
    return (unsigned char *)statement->bytes + statement->n;
}

static void put_bytes(tqa_object_prefix *statement, const char *bytes, size_t n)
{
    unsigned char *to = room(statement, n);
    if (to != NULL) {
        memcpy(to, bytes, n);
        statement->n += n;
    }
}

static void put_raw(tqa_object_prefix *statement, const char *text)
{
    put_bytes(statement, text, strlen(text));
}

static bool in_cbor(const tqa_object_prefix *statement)
{
    return statement->media == TQA_MEDIA_CBOR;
}

static void put_string(tqa_object_prefix *statement, const char *text)
{
    if (in_cbor(statement)) {
        unsigned char *to = room(statement, CBOR_HEAD);
        if (to != NULL) {
            statement->n += cbor_encode_string_start(strlen(text), to, CBOR_HEAD);
        }
        put_raw(statement, text);
        return;
    }
    tqa_json_text json = {0};
    size_t n = 0;
    tqa_json_text_string(&json, text);
    char *quoted = tqa_json_text_take(&json, &n);
    if (quoted == NULL) {
        statement->failed = true;
        return;
    }
    put_bytes(statement, quoted, n);
    free(quoted);
}

static void put_key(tqa_object_prefix *statement, const char *key)
{
    put_string(statement, key);
    if (!in_cbor(statement)) {
        put_raw(statement, ":");
    }
}

/* behind a member: another one always follows */
static void put_comma(tqa_object_prefix *statement)
{
    if (!in_cbor(statement)) {
        put_raw(statement, ",");
    }
}

void tqa_object_prefix_open(tqa_object_prefix *statement, tqa_media media, const char *key,
                            size_t n_member)
{
    *statement = (tqa_object_prefix){.media = media};
    put_key(statement, key);
    if (!in_cbor(statement)) {
        put_raw(statement, "{");
        return;
    }
    unsigned char *to = room(statement, CBOR_HEAD);
    if (to != NULL) {
        statement->n += cbor_encode_map_start(n_member, to, CBOR_HEAD);
    }
}

void tqa_object_prefix_text(tqa_object_prefix *statement, const char *key, const char *text)
{
    put_key(statement, key);
    put_string(statement, text);
    put_comma(statement);
}

void tqa_object_prefix_names(tqa_object_prefix *statement, const char *key,
                             const char *const *names, size_t n)
{
    put_key(statement, key);
    if (in_cbor(statement)) {
        unsigned char *to = room(statement, CBOR_HEAD);
        if (to != NULL) {
            statement->n += cbor_encode_array_start(n, to, CBOR_HEAD);
        }
    } else {
        put_raw(statement, "[");
    }
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            put_comma(statement);
        }
        put_string(statement, names[i]);
    }
    if (!in_cbor(statement)) {
        put_raw(statement, "]");
    }
    put_comma(statement);
}

void tqa_object_prefix_number(tqa_object_prefix *statement, const char *key, double x)
{
    put_key(statement, key);
    if (in_cbor(statement)) {
        unsigned char *to = room(statement, CBOR_HEAD);
        if (to != NULL) {
            statement->n += isfinite(x) ? cbor_encode_double(x, to, CBOR_HEAD)
                                        : cbor_encode_null(to, CBOR_HEAD);
        }
        return;
    }
    tqa_json_text json = {0};
    size_t n = 0;
    tqa_json_text_number(&json, x);
    char *digits = tqa_json_text_take(&json, &n);
    if (digits == NULL) {
        statement->failed = true;
        return;
    }
    put_bytes(statement, digits, n);
    free(digits);
    put_comma(statement);
}

void tqa_object_prefix_members(tqa_object_prefix *statement, const char *bytes, size_t n)
{
    put_bytes(statement, bytes, n);
    put_comma(statement);
}

char *tqa_object_prefix_take(tqa_object_prefix *statement, size_t *ret_n)
{
    assert(ret_n != NULL);
    if (statement->failed) {
        free(statement->bytes);
        *statement = (tqa_object_prefix){0};
        return NULL;
    }
    char *bytes = statement->bytes;
    *ret_n = statement->n;
    *statement = (tqa_object_prefix){0};
    return bytes;
}
