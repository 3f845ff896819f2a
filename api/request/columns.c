/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/columns.c - spreads the columns of a table over the request's arrays. */
#include "api/request/columns.h"

#include <stdio.h>
#include <string.h>

#include "api/memory/segments.h"
#include "api/request/refuse.h"

enum { STAGED_FROM = TQA_ELEMENT_VIEW / TQ_BLOCK_PAD }; /* of columns: eight rows are no run */

static size_t stage_bytes(const tqa_columns *columns)
{
    return TQ_BLOCK_PAD * columns->n_column * sizeof(double);
}

void tqa_columns_clear(tqa_columns *columns)
{
    tqa_segment_give(columns->stage, stage_bytes(columns));
    columns->stage = NULL;
}

/* The arrays `fields` of the schema, one after another; NULL: there are no more. */
static const tqa_field *next_array(const tqa_schema *schema, uint32_t fields, size_t *f)
{
    while (*f < schema->n_field) {
        const bool is_column = (fields >> *f & 1u) != 0;
        const tqa_field *field = &schema->fields[(*f)++];
        if (tqa_field_is_motion(field) && is_column) {
            return field;
        }
    }
    return NULL;
}

/* "q 7 | qd 7 | qdd 7", and the sum. *ret_fields: the arrays that `got` columns are, from the first
 * one on, as many as possible; the others are left out. 0: it is the columns of none. */
static uint64_t layout(const tqa_request *request, uint64_t got, char *text, size_t size,
                       uint32_t *ret_fields)
{
    const uint32_t all = tqa_schema_columns(request->schema);
    uint64_t n_column = 0;
    uint32_t fields = 0;
    size_t f = 0, used = 0;
    text[0] = '\0';
    *ret_fields = 0;
    for (const tqa_field *field; (field = next_array(request->schema, all, &f)) != NULL;) {
        const size_t n_row = request->rows[field->motion].n_row;
        const int n = snprintf(text + used, size - used, "%s%s %zu", n_column > 0 ? " | " : "",
                               field->name, n_row);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
        n_column += n_row;
        fields |= 1u << (f - 1);
        if (n_column == got && (request->schema->required & ~fields) == 0) {
            *ret_fields = fields;
        }
    }
    return n_column;
}

static bool reserve(const tqa_columns *columns, uint64_t n_sample)
{
    tqa_request *request = columns->request;
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        if (!tqa_blocks_reserve(&request->motion[field->motion], n_sample)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
    }
    return true;
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_columns *columns = ctx;
    tqa_request *request = columns->request;
    char text[TQA_PROBLEM_TEXT / 2];
    columns->flat = shape->rank == 1;
    columns->downwards = shape->fortran_order && !columns->flat;
    const uint64_t got = columns->flat ? shape->n_row : shape->n_column;
    const uint64_t n_column = layout(request, got, text, sizeof text, &columns->fields);
    if (columns->fields == 0) {
        char hint[TQA_PROBLEM_TEXT];
        (void)snprintf(hint, sizeof hint,
                       "the columns are %s, one sample a row; the last arrays may be left out",
                       text);
        return tqa_refuse(request, UINT64_MAX, "wrong-length", hint,
                          "expected %llu columns, got %llu", (unsigned long long)n_column,
                          (unsigned long long)got);
    }
    if (got == 0) {
        return tqa_refuse(request, UINT64_MAX, "wrong-length", "send it as JSON",
                          "a table without columns says nothing");
    }
    const uint64_t n_sample = columns->flat ? 1 : shape->n_row;
    columns->n_column = (size_t)got;
    columns->n_sample = n_sample;
    if (got > STAGED_FROM && !columns->flat && !columns->downwards) {
        columns->stage = tqa_segment_take(stage_bytes(columns));
    }
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        tqa_rows *rows = &request->rows[field->motion];
        rows->shape = columns->flat ? TQA_SHAPE_FLAT : TQA_SHAPE_BATCH;
        rows->n_sample = n_sample;
        request->seen |= 1u << (f - 1);
    }
    /* rows that only the header announces take no memory, unless columns come first */
    return reserve(columns, columns->downwards ? n_sample : 1);
}

/* n values of one sample, from `column` on to the right. */
static void put_row(const tqa_columns *columns, uint64_t i, uint64_t column, const double *values,
                    size_t n)
{
    const tqa_request *request = columns->request;
    uint64_t first = 0;
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL && n > 0;) {
        const tqa_blocks *blocks = &request->motion[field->motion];
        double *to = tqa_blocks_sample(blocks, i);
        for (; column < first + blocks->n_row && n > 0; column++, n--) {
            to[(column - first) * blocks->stride] = *values++;
        }
        first += blocks->n_row;
    }
}

/* n values of one column, from sample `i` on downwards. */
static void put_column(const tqa_columns *columns, uint64_t i, uint64_t column,
                       const double *values, size_t n)
{
    const tqa_request *request = columns->request;
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        const tqa_blocks *blocks = &request->motion[field->motion];
        if (column >= blocks->n_row) {
            column -= blocks->n_row;
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            tqa_blocks_sample(blocks, i + k)[column * blocks->stride] = values[k];
        }
        return;
    }
}

/* n whole rows: field by field, so that neighbouring samples lie side by side. */
static bool put_rows(tqa_columns *columns, uint64_t row, const double *values, size_t n)
{
    tqa_request *request = columns->request;
    size_t f = 0;
    if (!reserve(columns, row + n)) {
        return false;
    }
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        const size_t n_row = request->rows[field->motion].n_row;
        tqa_blocks_put(&request->motion[field->motion], 0, n_row, row, values, columns->n_column,
                       n);
        values += n_row;
    }
    columns->n_arrived = row + n;
    return true;
}

/* A part of a long row. Stored number by number, each would touch another page of the blocks: eight
 * rows fill whole lines of them. */
static bool stage(tqa_columns *columns, uint64_t row, uint64_t column, const double *values,
                  size_t n)
{
    const size_t n_column = columns->n_column, place = row % TQ_BLOCK_PAD;
    memcpy(columns->stage + place * n_column + column, values, n * sizeof *values);
    if (column + n < n_column || (place + 1 < TQ_BLOCK_PAD && row + 1 < columns->n_sample)) {
        return true;
    }
    return put_rows(columns, row - place, columns->stage, place + 1);
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    tqa_columns *columns = ctx;
    if (columns->stage != NULL) {
        return stage(columns, row, column, values, n);
    }
    if (columns->downwards) {
        put_column(columns, row, column, values, n);
        return true;
    }
    if (columns->flat) {
        put_row(columns, 0, row, values, n);
        return true;
    }
    if (!reserve(columns, row + 1)) {
        return false;
    }
    put_row(columns, row, column, values, n);
    columns->n_arrived = row; /* those before it */
    return true;
}

static bool on_rows(void *ctx, uint64_t row, const double *values, size_t n_row)
{
    tqa_columns *columns = ctx;
    if (columns->flat) { /* rank one: a row is one number */
        for (size_t k = 0; k < n_row; k++) {
            put_row(columns, 0, row + k, values + k, 1);
        }
        return true;
    }
    if (columns->stage == NULL) {
        return put_rows(columns, row, values, n_row);
    }
    for (size_t k = 0; k < n_row; k++, values += columns->n_column) {
        if (!stage(columns, row + k, 0, values, columns->n_column)) {
            return false;
        }
    }
    return true;
}

const tqa_npy_sink tqa_columns_sink = {.shape = on_shape, .values = on_values, .rows = on_rows};
