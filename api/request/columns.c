/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/columns.c - spreads the columns of tables over the request's arrays. */
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

/* For samples up to the file's row `n_row`. */
static bool reserve(const tqa_columns *columns, uint64_t n_row)
{
    tqa_request *request = columns->request;
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        if (!tqa_blocks_reserve(&request->motion[field->motion], columns->first + n_row)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
    }
    return true;
}

static bool refuse_columns(const tqa_columns *columns, uint64_t got)
{
    char text[TQA_PROBLEM_TEXT / 2], hint[TQA_PROBLEM_TEXT];
    uint32_t fields = 0;
    const uint64_t n_column = layout(columns->request, got, text, sizeof text, &fields);
    (void)snprintf(hint, sizeof hint,
                   "the columns are %s, one sample a row; the last arrays may be left out; or send "
                   "one file an array, one after another",
                   text);
    return tqa_refuse(columns->request, UINT64_MAX, "wrong-length", hint,
                      "expected %llu columns, got %llu", (unsigned long long)n_column,
                      (unsigned long long)got);
}

/* The file has the arrays of columns->fields: how many samples, and what memory they need. */
static bool begin_file(tqa_columns *columns, const tqa_npy_shape *shape)
{
    tqa_request *request = columns->request;
    tqa_columns_clear(columns);
    columns->flat = shape->rank == 1;
    columns->downwards = shape->fortran_order && !columns->flat;
    columns->n_column = (size_t)(columns->flat ? shape->n_row : shape->n_column);
    columns->n_sample = columns->flat ? 1 : shape->n_row;
    if (columns->n_column > STAGED_FROM && !columns->flat && !columns->downwards) {
        columns->stage = tqa_segment_take(stage_bytes(columns));
    }
    size_t f = 0;
    for (const tqa_field *field;
         (field = next_array(request->schema, columns->fields, &f)) != NULL;) {
        tqa_rows *rows = &request->rows[field->motion];
        rows->shape = columns->flat ? TQA_SHAPE_FLAT : TQA_SHAPE_BATCH;
        rows->n_sample = columns->first + columns->n_sample;
        request->seen |= 1u << (f - 1);
    }
    /* rows that only the header announces take no memory, unless columns come first */
    return reserve(columns, columns->downwards ? columns->n_sample : 1);
}

static bool begin_table(tqa_columns *columns, const tqa_npy_shape *shape)
{
    tqa_request *request = columns->request;
    char text[TQA_PROBLEM_TEXT / 2];
    const uint64_t got = shape->rank == 1 ? shape->n_row : shape->n_column;
    const uint64_t n_column = layout(request, got, text, sizeof text, &columns->fields);
    size_t f = 0;
    const tqa_field *first = next_array(request->schema, tqa_schema_columns(request->schema), &f);
    const size_t n_first = first != NULL ? request->rows[first->motion].n_row : 0;
    columns->is_short = columns->fields == 0;
    columns->is_sequence = got == n_first && n_first < n_column;
    if (columns->is_short && !columns->is_sequence) {
        return refuse_columns(columns, got);
    }
    if (got == 0) {
        return tqa_refuse(request, UINT64_MAX, "wrong-length", "send it as JSON",
                          "a table without columns says nothing");
    }
    if (columns->is_sequence) {
        columns->fields = 1u << (f - 1);
        columns->sample_bytes = n_column * shape->element.size;
    }
    columns->n_turn = shape->rank == 1 ? 1 : shape->n_row;
    columns->is_uneven = shape->rank == 1;
    return begin_file(columns, shape);
}

/* The array that file number `file` of a sequence has. */
static const tqa_field *array_of(const tqa_request *request, unsigned file, unsigned *ret_place,
                                 size_t *ret_f)
{
    const uint32_t all = tqa_schema_columns(request->schema);
    const unsigned n = (unsigned)__builtin_popcount(all);
    const tqa_field *field = NULL;
    *ret_place = file % n;
    *ret_f = 0;
    for (unsigned k = 0; k <= *ret_place; k++) {
        field = next_array(request->schema, all, ret_f);
    }
    return field;
}

/* A further file: rows of one array. */
static bool begin_array(tqa_columns *columns, const tqa_npy_shape *shape)
{
    tqa_request *request = columns->request;
    unsigned place = 0;
    size_t f = 0;
    const tqa_field *field = array_of(request, columns->n_file, &place, &f);
    const uint64_t got = shape->rank == 1 ? shape->n_row : shape->n_column;
    const uint64_t n_row = shape->rank == 1 ? 1 : shape->n_row;
    const size_t wanted = request->rows[field->motion].n_row;
    if (got != wanted) {
        return tqa_refuse(request, UINT64_MAX, "wrong-length",
                          "one file an array, in the order of the schema, and again for further "
                          "samples",
                          "array %u of the body is \"%s\": expected %zu columns, got %llu",
                          columns->n_file + 1, field->name, wanted, (unsigned long long)got);
    }
    if (place == 0 && columns->is_uneven) {
        return tqa_refuse(request, UINT64_MAX, "wrong-length",
                          "give every array a row for each sample",
                          "array %u of the body begins further samples, but one before it has one "
                          "sample for all",
                          columns->n_file + 1);
    }
    if (place == 0) {
        columns->first += columns->n_turn;
        columns->n_turn = n_row;
    }
    const bool is_same = n_row == columns->n_turn && shape->rank > 1;
    const bool is_constant = columns->first == 0 && (n_row == 1 || columns->n_turn == 1);
    if (!is_same && !is_constant) {
        return tqa_refuse(request, UINT64_MAX, "wrong-length",
                          "as many rows in each array, or one sample for all of a single batch",
                          "array %u of the body, \"%s\", has %llu rows: expected %llu",
                          columns->n_file + 1, field->name, (unsigned long long)n_row,
                          (unsigned long long)columns->n_turn);
    }
    columns->is_uneven = columns->is_uneven || !is_same;
    columns->fields = 1u << (f - 1);
    return begin_file(columns, shape);
}

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    tqa_columns *columns = ctx;
    const bool good =
        columns->n_file == 0 ? begin_table(columns, shape) : begin_array(columns, shape);
    columns->n_file++;
    return good;
}

bool tqa_columns_has_next(const tqa_columns *columns)
{
    return columns->is_sequence;
}

size_t tqa_columns_expected(const tqa_columns *columns, uint64_t n_body)
{
    return columns->is_sequence && n_body != UINT64_MAX ? n_body / columns->sample_bytes : 0;
}

bool tqa_columns_finish(const tqa_columns *columns)
{
    return !columns->is_short || columns->n_file > 1 || refuse_columns(columns, columns->n_column);
}

/* Rows up to the file's row `end` are there; of a sequence those of the last array complete. */
static void arrive(tqa_columns *columns, uint64_t end)
{
    const uint32_t all = tqa_schema_columns(columns->request->schema);
    if (!columns->is_sequence) {
        columns->n_arrived = end;
    } else if (!columns->is_uneven && columns->fields > (all & ~columns->fields)) {
        columns->n_arrived = columns->first + end;
    }
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
        double *to = tqa_blocks_sample(blocks, columns->first + i);
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
            double *sample = tqa_blocks_sample(blocks, columns->first + i + k);
            sample[column * blocks->stride] = values[k];
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
        tqa_blocks_put(&request->motion[field->motion], 0, n_row, columns->first + row, values,
                       columns->n_column, n);
        values += n_row;
    }
    arrive(columns, row + n);
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
    arrive(columns, row); /* those before it */
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
