/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/result_columns.c - the arrays over time of a result document, as columns. */
#include "api/tables/result_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/scan.h"

enum { FIELDS_MAX = 64, FIELD_NAME = 100 };

typedef struct field {
    char name[FIELD_NAME];
    double *values; /* (n), row after row */
    size_t n, room;
    size_t n_inner; /* of each inner array; 0: a plain array */
    size_t n_row;
    size_t n_open; /* numbers of the inner array that is open */
    bool spoiled;  /* no table: other things between the numbers, or unequal rows */
} field;

struct tqa_table_result {
    bool cbor;
    union {
        tqa_json_scan json;
        tqa_cbor_decoder cbor;
    } as;
    const char *fault;
    unsigned depth; /* brackets open */
    field *open;    /* the root's field whose value is being read, or NULL */
    field fields[FIELDS_MAX];
    size_t n_field, n_value;
    size_t n_row, n_column; /* after finish */
    size_t numbers_max;
    bool is_lines;
    char text[160]; /* of a fault */
};

static const char no_memory[] = "memory is short";

static bool spoil(tqa_table_result *r)
{
    if (r->open != NULL) {
        r->open->spoiled = true;
    }
    return true;
}

static bool begin_map(void *ctx, uint64_t at)
{
    (void)at;
    tqa_table_result *r = ctx;
    r->depth++;
    return r->depth == 1 || spoil(r);
}

static bool end_map(void *ctx, uint64_t at)
{
    (void)at;
    ((tqa_table_result *)ctx)->depth--;
    return true;
}

static bool key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_table_result *r = ctx;
    if (r->depth > 1) {
        return true;
    }
    r->open = NULL;
    if (r->n_field < FIELDS_MAX && n < FIELD_NAME) {
        r->open = &r->fields[r->n_field++];
        memcpy(r->open->name, text, n);
    }
    return true;
}

static bool begin_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_table_result *r = ctx;
    r->depth++;
    if (r->depth == 3 && r->open != NULL) {
        if (r->open->n_inner == 0 && r->open->n > 0) {
            return spoil(r); /* numbers and arrays side by side */
        }
        r->open->n_open = 0;
    }
    return r->depth <= 3 || spoil(r);
}

static bool end_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_table_result *r = ctx;
    field *f = r->open;
    if (r->depth == 3 && f != NULL && !f->spoiled) {
        if (f->n_open == 0 || (f->n_row > 0 && f->n_open != f->n_inner)) {
            f->spoiled = true;
        }
        f->n_inner = f->n_open;
        f->n_row++;
    }
    r->depth--;
    return true;
}

static bool numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    tqa_table_result *r = ctx;
    field *f = r->open;
    if (f == NULL || f->spoiled || r->depth < 2) {
        return true;
    }
    if (r->depth > 3 || (r->depth == 2 && f->n_inner > 0)) {
        return spoil(r);
    }
    r->n_value += n;
    if (r->n_value > r->numbers_max) {
        (void)snprintf(r->text, sizeof r->text, "a document may have %zu million numbers at most",
                       r->numbers_max / 1000000);
        r->fault = r->text;
        return false;
    }
    if (f->n + n > f->room) {
        const size_t room = 2 * f->room + n;
        double *grown = realloc(f->values, room * sizeof *grown);
        if (grown == NULL) {
            r->fault = no_memory;
            return false;
        }
        f->values = grown;
        f->room = room;
    }
    memcpy(f->values + f->n, values, n * sizeof *values);
    f->n += n;
    f->n_open += n;
    f->n_row += r->depth == 2 ? n : 0;
    return true;
}

static bool number(void *ctx, uint64_t at, double value)
{
    return numbers(ctx, at, &value, 1);
}

static bool string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    (void)text;
    (void)n;
    return spoil(ctx);
}

static bool boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    (void)value;
    return spoil(ctx);
}

static bool null(void *ctx, uint64_t at)
{
    (void)at;
    return spoil(ctx);
}

static const tqa_events events = {
    .begin_map = begin_map,
    .end_map = end_map,
    .key = key,
    .begin_array = begin_array,
    .end_array = end_array,
    .number = number,
    .numbers = numbers,
    .string = string,
    .boolean = boolean,
    .null = null,
};

tqa_table_result *tqa_table_result_new(bool cbor, size_t numbers_max)
{
    tqa_table_result *result = calloc(1, sizeof *result);
    if (result != NULL) {
        result->cbor = cbor;
        result->numbers_max = numbers_max;
        if (cbor) {
            tqa_cbor_decoder_init(&result->as.cbor, &events, result);
        } else {
            tqa_json_scan_init(&result->as.json, &events, result);
        }
    }
    return result;
}

void tqa_table_result_free(tqa_table_result *result)
{
    for (size_t f = 0; result != NULL && f < result->n_field; f++) {
        free(result->fields[f].values);
    }
    free(result);
}

bool tqa_table_result_short(const tqa_table_result *result)
{
    return result->fault == no_memory;
}

static const char *judge(tqa_table_result *r, tqa_decode status)
{
    const tqa_decode_error *error = r->cbor ? &r->as.cbor.error : &r->as.json.error;
    if (status == TQA_DECODE_OK || r->fault != NULL) {
        return r->fault;
    }
    (void)snprintf(r->text, sizeof r->text, "it is no result document: byte %llu: %.100s",
                   (unsigned long long)error->offset,
                   error->detail != NULL ? error->detail : "refused");
    return r->text;
}

bool tqa_table_result_is_lines(const tqa_table_result *result)
{
    return result->is_lines;
}

/* the byte that the scanner refuses opens another document, and the first is complete */
static void find_lines(tqa_table_result *r, const char *bytes, size_t n, uint64_t offset)
{
    const uint64_t at = r->as.json.error.offset;
    r->is_lines = r->depth == 0 && r->n_field > 0 && r->as.json.state != TQA_DECODE_OK && at > 0 &&
                  at >= offset && at - offset < n && bytes[at - offset] == '{';
}

const char *tqa_table_result_feed(tqa_table_result *result, const char *bytes, size_t n)
{
    const uint64_t offset = result->cbor ? 0 : result->as.json.fed;
    const tqa_decode status = result->cbor ? tqa_cbor_decoder_feed(&result->as.cbor, bytes, n)
                                           : tqa_json_scan_feed(&result->as.json, bytes, n);
    if (status != TQA_DECODE_OK && !result->cbor) {
        find_lines(result, bytes, n, offset);
    }
    return judge(result, status);
}

/* the number of rows of the table: that of `t`, else of the first array of arrays */
static size_t rows_of(const tqa_table_result *r)
{
    size_t n_row = 0;
    for (size_t f = 0; f < r->n_field; f++) {
        const field *each = &r->fields[f];
        if (each->spoiled) {
            continue;
        }
        if (strcmp(each->name, "t") == 0 && each->n_inner == 0 && each->n > 0) {
            return each->n_row;
        }
        n_row = n_row == 0 && each->n_inner > 0 ? each->n_row : n_row;
    }
    return n_row;
}

const char *tqa_table_result_finish(tqa_table_result *result)
{
    const char *why = judge(result, result->cbor ? tqa_cbor_decoder_finish(&result->as.cbor)
                                                 : tqa_json_scan_finish(&result->as.json));
    result->n_row = rows_of(result);
    result->n_column = 0;
    for (size_t f = 0; f < result->n_field; f++) {
        field *each = &result->fields[f];
        each->spoiled = each->spoiled || each->n == 0 || each->n_row != result->n_row;
        if (!each->spoiled) {
            result->n_column += each->n_inner > 0 ? each->n_inner : 1;
        }
    }
    return why;
}

size_t tqa_table_result_columns(const tqa_table_result *result)
{
    return result->n_column;
}

size_t tqa_table_result_rows(const tqa_table_result *result)
{
    return result->n_row;
}

/* the field of a column, which is number *ret_k of its inner arrays */
static const field *find(const tqa_table_result *r, size_t column, size_t *ret_k)
{
    size_t f = 0;
    for (; f + 1 < r->n_field; f++) {
        const size_t n = r->fields[f].n_inner > 0 ? r->fields[f].n_inner : 1;
        if (r->fields[f].spoiled) {
            continue;
        }
        if (column < n) {
            break;
        }
        column -= n;
    }
    *ret_k = column;
    return &r->fields[f];
}

void tqa_table_result_name(const tqa_table_result *result, size_t column, char *ret_name,
                           size_t size)
{
    size_t k = 0;
    const field *f = find(result, column, &k);
    if (f->n_inner == 0) {
        (void)snprintf(ret_name, size, "%s", f->name);
    } else {
        (void)snprintf(ret_name, size, "%s[%zu]", f->name, k);
    }
}

void tqa_table_result_column(const tqa_table_result *result, size_t column, double *ret)
{
    size_t k = 0;
    const field *f = find(result, column, &k);
    const size_t n = f->n_inner > 0 ? f->n_inner : 1;
    for (size_t i = 0; i < result->n_row; i++) {
        ret[i] = f->values[i * n + k];
    }
}
