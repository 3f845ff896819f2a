/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/writer.c - commas, keys and brackets; CBOR with typed arrays. */
#include "api/codec/writer.h"

#include <assert.h>
#include <cbor.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/print.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "doubles are copied as they are");

enum { HEAD = TQA_CBOR_HEAD_MAX, CBOR_MAP = 0xbf, CBOR_LIST = 0x9f, CBOR_END = 0xff };

static bool at(uint64_t depths, const tqa_writer *answer)
{
    return (depths >> answer->depth & 1) != 0;
}

static void set(uint64_t *depths, const tqa_writer *answer, bool value)
{
    const uint64_t bit = (uint64_t)1 << answer->depth;
    *depths = value ? *depths | bit : *depths & ~bit;
}

static void put_bytes(tqa_writer *answer, const void *bytes, size_t n)
{
    tqa_json_text_bytes(&answer->text, bytes, n);
}

static void put_cbor_text(tqa_writer *answer, const char *text)
{
    unsigned char head[HEAD];
    const size_t n = strlen(text);
    put_bytes(answer, head, cbor_encode_string_start(n, head, sizeof head));
    put_bytes(answer, text, n);
}

static void begin_line(tqa_writer *answer)
{
    tqa_json_text_raw(&answer->text, "\n");
    for (; answer->line_room > 1; answer->line_room--) {
        tqa_json_text_raw(&answer->text, " ");
    }
    answer->line_room = 0;
}

/* what precedes a member of JSON: a comma, a space or a line */
static void separate(tqa_writer *answer)
{
    if (at(answer->has_members, answer)) {
        tqa_json_text_raw(&answer->text, answer->is_spaced && answer->line_room == 0 ? ", " : ",");
    }
    if (answer->line_room > 0) {
        begin_line(answer);
    }
}

/* what precedes a value: a comma, a key */
static void begin(tqa_writer *answer, const char *key)
{
    if (!answer->cbor) {
        separate(answer);
    }
    set(&answer->has_members, answer, true);
    assert((key == NULL) == (answer->depth == 0 || at(answer->is_list, answer)));
    if (key != NULL && answer->cbor) {
        put_cbor_text(answer, key);
    } else if (key != NULL) {
        tqa_json_text_string(&answer->text, key);
        tqa_json_text_raw(&answer->text, answer->is_spaced ? ": " : ":");
    }
}

static void descend(tqa_writer *answer, bool is_list, bool is_counted)
{
    assert(answer->depth < TQA_WRITER_DEPTH_MAX);
    answer->depth++;
    set(&answer->is_list, answer, is_list);
    set(&answer->is_counted, answer, is_counted);
    set(&answer->has_members, answer, false);
}

static void open(tqa_writer *answer, const char *key, bool is_list)
{
    begin(answer, key);
    if (answer->cbor) {
        const unsigned char head = is_list ? CBOR_LIST : CBOR_MAP;
        put_bytes(answer, &head, 1);
    } else {
        tqa_json_text_raw(&answer->text, is_list ? "[" : "{");
    }
    descend(answer, is_list, false);
}

void tqa_writer_object(tqa_writer *answer, const char *key)
{
    open(answer, key, false);
}

void tqa_writer_list(tqa_writer *answer, const char *key)
{
    open(answer, key, true);
}

void tqa_writer_object_of(tqa_writer *answer, const char *key, size_t n_member)
{
    unsigned char head[HEAD];
    if (!answer->cbor) {
        open(answer, key, false);
        return;
    }
    begin(answer, key);
    put_bytes(answer, head, cbor_encode_map_start(n_member, head, sizeof head));
    descend(answer, false, true);
}

void tqa_writer_members(tqa_writer *answer)
{
    assert(answer->depth == 0 && answer->text.n == 0);
    descend(answer, false, true);
}

void tqa_writer_line(tqa_writer *answer, unsigned indent)
{
    answer->line_room = answer->cbor ? 0 : indent + 1;
}

void tqa_writer_finish(tqa_writer *answer)
{
    assert(answer->depth == 0);
    if (!answer->cbor) {
        tqa_json_text_raw(&answer->text, "\n");
    }
}

char *tqa_writer_take(tqa_writer *answer, size_t *ret_n)
{
    return tqa_json_text_take(&answer->text, ret_n);
}

char *tqa_writer_take_open(tqa_writer *answer, size_t *ret_n)
{
    if (!answer->cbor && at(answer->has_members, answer)) {
        tqa_json_text_raw(&answer->text, ",");
    }
    return tqa_writer_take(answer, ret_n);
}

void tqa_writer_end(tqa_writer *answer)
{
    assert(answer->depth > 0);
    if (answer->cbor && !at(answer->is_counted, answer)) {
        const unsigned char end = CBOR_END;
        put_bytes(answer, &end, 1);
    } else if (!answer->cbor) {
        if (answer->line_room > 0) {
            begin_line(answer);
        }
        tqa_json_text_raw(&answer->text, at(answer->is_list, answer) ? "]" : "}");
    }
    answer->depth--;
}

void tqa_writer_string(tqa_writer *answer, const char *key, const char *text)
{
    begin(answer, key);
    if (answer->cbor) {
        put_cbor_text(answer, text);
    } else {
        tqa_json_text_string(&answer->text, text);
    }
}

void tqa_writer_number(tqa_writer *answer, const char *key, double x)
{
    unsigned char head[HEAD];
    answer->not_finite = answer->not_finite || !isfinite(x);
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, cbor_encode_double(x, head, sizeof head));
    } else {
        tqa_json_text_number(&answer->text, x);
    }
}

void tqa_writer_count(tqa_writer *answer, const char *key, size_t n)
{
    unsigned char head[HEAD];
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, cbor_encode_uint(n, head, sizeof head));
    } else {
        tqa_json_text_count(&answer->text, n);
    }
}

void tqa_writer_integer(tqa_writer *answer, const char *key, int64_t n)
{
    unsigned char head[HEAD];
    char digits[24];
    if (n >= 0) {
        tqa_writer_count(answer, key, (size_t)n);
        return;
    }
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, cbor_encode_negint(~(uint64_t)n, head, sizeof head));
    } else {
        (void)snprintf(digits, sizeof digits, "%" PRId64, n);
        tqa_json_text_raw(&answer->text, digits);
    }
}

void tqa_writer_null(tqa_writer *answer, const char *key)
{
    unsigned char head[HEAD];
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, cbor_encode_null(head, sizeof head));
    } else {
        tqa_json_text_raw(&answer->text, "null");
    }
}

void tqa_writer_names(tqa_writer *answer, const char *key, const char *const *names, size_t n)
{
    unsigned char head[HEAD];
    if (!answer->cbor) {
        tqa_writer_list(answer, key);
        for (size_t i = 0; i < n; i++) {
            tqa_writer_string(answer, NULL, names[i]);
        }
        tqa_writer_end(answer);
        return;
    }
    begin(answer, key);
    put_bytes(answer, head, cbor_encode_array_start(n, head, sizeof head));
    for (size_t i = 0; i < n; i++) {
        put_cbor_text(answer, names[i]);
    }
}

void tqa_writer_encoded(tqa_writer *answer, const char *key, const char *bytes, size_t n)
{
    begin(answer, key);
    put_bytes(answer, bytes, n);
}

void tqa_writer_encoded_begin(tqa_writer *answer)
{
    assert(!at(answer->is_list, answer));
    if (!answer->cbor) {
        separate(answer);
    }
    set(&answer->has_members, answer, true);
}

void tqa_writer_encoded_members(tqa_writer *answer, const char *bytes, size_t n)
{
    assert(n > 0);
    tqa_writer_encoded_begin(answer);
    put_bytes(answer, bytes, n);
}

void tqa_writer_reopen(tqa_writer *answer)
{
    descend(answer, false, true); /* the bytes end with the comma that another member needs */
}

void tqa_writer_flag(tqa_writer *answer, const char *key, bool flag)
{
    unsigned char head[HEAD];
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, cbor_encode_bool(flag, head, sizeof head));
    } else {
        tqa_json_text_raw(&answer->text, flag ? "true" : "false");
    }
}

void tqa_writer_none(tqa_writer *answer, const char *key, const char *reason)
{
    char name[64];
    tqa_writer_null(answer, key);
    (void)snprintf(name, sizeof name, "%s_reason", key);
    tqa_writer_string(answer, name, reason);
}

void tqa_writer_number_or_null(tqa_writer *answer, const char *key, double x)
{
    if (isfinite(x)) {
        tqa_writer_number(answer, key, x);
    } else {
        tqa_writer_null(answer, key);
    }
}

void tqa_writer_finite(tqa_writer *answer, const char *key, double x, const char *reason)
{
    if (isfinite(x)) {
        tqa_writer_number(answer, key, x);
    } else {
        tqa_writer_none(answer, key, reason);
    }
}

static void put_json_array(tqa_writer *answer, const double **x, size_t rank, const size_t *shape)
{
    /* an odometer over all ranks but the last */
    size_t place[TQA_WRITER_RANK_MAX] = {0};
    size_t level = 0;
    for (;;) {
        if (level + 1 == rank) {
            tqa_json_text_numbers(&answer->text, *x, shape[level]);
            *x += shape[level];
        } else if (place[level] < shape[level]) {
            const char *const comma = answer->is_spaced ? ", " : ",";
            tqa_json_text_raw(&answer->text, place[level]++ == 0 ? "[" : comma);
            level++;
            place[level] = 0;
            continue;
        } else {
            tqa_json_text_raw(&answer->text, shape[level] == 0 ? "[]" : "]");
        }
        if (level == 0) {
            return;
        }
        level--;
    }
}

static void put_cbor_head(tqa_writer *answer, size_t rank, const size_t *shape)
{
    char head[TQA_CBOR_ARRAY_HEAD];
    tqa_array array = {.rank = rank}; /* only the head is asked for */
    for (size_t r = 0; r < rank; r++) {
        array.shape[r] = shape[r];
    }
    put_bytes(answer, head, tqa_cbor_array_head(&array, head));
}

static void put_cbor_numbers(tqa_writer *answer, const double *x, size_t n)
{
    if (n > 0) {
        put_bytes(answer, x, n * sizeof *x);
    }
}

void tqa_writer_array(tqa_writer *answer, const char *key, const double *x, size_t rank,
                      const size_t *shape)
{
    assert(rank >= 1 && rank <= TQA_WRITER_RANK_MAX);
    size_t n = 1;
    for (size_t r = 0; r < rank; r++) {
        n *= shape[r];
    }
    for (size_t i = 0; i < n; i++) {
        answer->not_finite = answer->not_finite || !isfinite(x[i]);
    }
    begin(answer, key);
    if (answer->cbor) {
        put_cbor_head(answer, rank, shape);
        put_cbor_numbers(answer, x, n);
    } else {
        put_json_array(answer, &x, rank, shape);
    }
}

void tqa_writer_rows_begin(tqa_writer *answer, const char *key, size_t n_row, size_t n, bool flat)
{
    const size_t shape[2] = {n_row, n};
    begin(answer, key);
    answer->has_rows = false;
    if (answer->cbor) {
        put_cbor_head(answer, flat ? 1 : 2, shape);
    } else {
        tqa_json_text_raw(&answer->text, "[");
    }
}

void tqa_writer_row(tqa_writer *answer, const double *x, size_t n, bool flat)
{
    if (answer->cbor) {
        put_cbor_numbers(answer, x, n);
        return;
    }
    if (answer->has_rows) {
        tqa_json_text_raw(&answer->text, ",");
    }
    answer->has_rows = true;
    if (flat) {
        tqa_json_text_number(&answer->text, x[0]);
    } else {
        tqa_json_text_numbers(&answer->text, x, n);
    }
}

void tqa_writer_rows_end(tqa_writer *answer)
{
    if (!answer->cbor) {
        tqa_json_text_raw(&answer->text, "]");
    }
}

void tqa_writer_stream_begin(tqa_writer *answer, const char *key, const tqa_array *array)
{
    char head[TQA_CBOR_ARRAY_HEAD];
    begin(answer, key);
    if (answer->cbor) {
        put_bytes(answer, head, tqa_cbor_array_head(array, head));
    } else {
        tqa_json_text_raw(&answer->text, "[");
    }
}

bool tqa_writer_stream(tqa_writer *answer, const tqa_array *array, uint64_t *index)
{
    tqa_json_text *text = &answer->text;
    assert(text->fixed && text->n < text->capacity);
    char *out = text->bytes + text->n;
    const size_t room = text->capacity - text->n - 1;
    text->n += answer->cbor ? tqa_array_encode(array, index, out, room)
                            : tqa_json_print_array(array, index, out, room);
    return *index == (answer->cbor ? tqa_array_count(array) : tqa_json_array_steps(array));
}

void tqa_writer_stream_end(tqa_writer *answer)
{
    if (!answer->cbor) {
        tqa_json_text_raw(&answer->text, "]");
    }
}

void tqa_writer_vector(tqa_writer *answer, const char *key, const double *x, size_t n)
{
    tqa_writer_array(answer, key, x, 1, &n);
}

void tqa_writer_matrix(tqa_writer *answer, const char *key, const double *x, size_t n_row,
                       size_t n_column)
{
    const size_t shape[2] = {n_row, n_column};
    tqa_writer_array(answer, key, x, 2, shape);
}

void tqa_writer_symmetric(tqa_writer *answer, const char *key, const double s[6])
{
    const double full[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    tqa_writer_matrix(answer, key, full, 3, 3);
}
