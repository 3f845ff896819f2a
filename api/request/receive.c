/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/receive.c - receives a request's events: arrays of samples into blocks, all other
 * fields into a value tree. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/problems/renamed.h"
#include "api/request/refuse.h"
#include "api/request/request.h"
#include "api/request/robot_fields.h"

enum { FIELDS_MAX = 32 };

const tqa_receiver tqa_motion_receiver = {0};
const tqa_receiver tqa_unused_receiver = {0};

/* ------------------------------------------------------------------------------------------------
 * Arrays of samples
 */

static bool refuse_stream(tqa_request *request, uint64_t at, const char *got)
{
    const tqa_stream *stream = &request->stream;
    if (stream->rows->depth == 1 && strcmp(got, "an object") == 0) {
        return tqa_refuse(request, at, "wrong-type",
                          "by name, a batch is an array for each joint: {\"elbow\": [0.3, 0.4]}",
                          "expected a number, got an object");
    }
    return tqa_refuse_type(request, at, stream->rows->depth > 0 ? "a number" : stream->wanted, got);
}

static bool stream_begin(tqa_request *request, uint64_t at)
{
    const tqa_stream *stream = &request->stream;
    return tqa_refuse_rows(request, at, stream->rows, tqa_rows_begin(stream->rows, stream->blocks));
}

static bool stream_end(tqa_request *request, uint64_t at)
{
    tqa_stream *stream = &request->stream;
    const tqa_rows_fault fault = tqa_rows_end(stream->rows, stream->blocks);
    if (!tqa_refuse_rows(request, at, stream->rows, fault)) {
        return false;
    }
    if (stream->rows->depth == 0) {
        stream->rows = NULL;
        request->field = tqa_field_is_motion(request->field) ? NULL : request->field;
    }
    return true;
}

/* One number of one coordinate, which needs no brackets. */
static bool stream_one(tqa_request *request, uint64_t at, double value)
{
    tqa_rows *rows = request->stream.rows;
    return stream_begin(request, at) &&
           tqa_refuse_rows(request, at, rows,
                           tqa_rows_numbers(rows, request->stream.blocks, &value, 1)) &&
           stream_end(request, at);
}

static bool stream_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    const tqa_stream *stream = &request->stream;
    if (stream->rows->depth == 0) {
        const bool is_one =
            n == 1 && stream->rows->n_row == 1 && tqa_field_is_motion(request->field);
        return is_one ? stream_one(request, at, values[0]) : refuse_stream(request, at, "a number");
    }
    return tqa_refuse_rows(request, at, stream->rows,
                           tqa_rows_numbers(stream->rows, stream->blocks, values, n));
}

/* ------------------------------------------------------------------------------------------------
 * Fields that are not read
 */

static bool is_unused(const tqa_request *request)
{
    return request->field != NULL && request->field->receiver == &tqa_unused_receiver;
}

/* A bracket opens (1), closes (-1), or a number or text has come (0). */
static bool pass_over(tqa_request *request, int bracket)
{
    request->n_unused += (unsigned)bracket;
    request->field = request->n_unused > 0 ? request->field : NULL;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Fields of the tree
 */

static bool open_tree(tqa_request *request, uint64_t at)
{
    if (request->tree != NULL) {
        return true;
    }
    request->tree = tqa_tree_new(request->robot, request->problem);
    if (request->tree == NULL) {
        return tqa_refuse(request, at, "busy", "try again", "there is no memory for this");
    }
    return tqa_tree_events.begin_map(request->tree, 0);
}

/* An array of motion as an object of joints' names goes by way of the tree. */
static bool open_by_name(tqa_request *request, uint64_t at)
{
    const char *name = request->field->name;
    if (!open_tree(request, at) || !tqa_tree_events.key(request->tree, at, name, strlen(name))) {
        return false;
    }
    request->stream.rows = NULL;
    request->is_named = true;
    return tqa_tree_events.begin_map(request->tree, at);
}

static bool read_by_name(tqa_request *request, tqa_motion motion, const tqa_value *value)
{
    tqa_rows *rows = &request->rows[motion];
    tqa_blocks *blocks = &request->motion[motion];
    const tqa_row_kind kind = motion == TQA_MOTION_Q     ? TQA_ROW_Q
                              : motion == TQA_MOTION_TAU ? TQA_ROW_TORQUE
                                                         : TQA_ROW_RATE;
    double *samples = NULL;
    size_t n = 0;
    bool flat = true;
    request->is_named = false;
    if (!tqa_value_rows_by_name(value, kind, &flat, &n, &samples)) {
        return false;
    }
    if (!tqa_blocks_reserve(blocks, n)) {
        return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    tqa_blocks_put(blocks, 0, rows->n_row, 0, samples, rows->n_row, n);
    rows->shape = flat ? TQA_SHAPE_FLAT : TQA_SHAPE_BATCH;
    rows->n_sample = n;
    rows->n_got = rows->n_row;
    request->by_name |= 1u << motion;
    return true;
}

/* A value of the tree has ended: when it is the field's, reads it. */
static bool end_value(tqa_request *request)
{
    const tqa_field *field = request->field;
    assert(field != NULL); /* a value at the root follows a key */
    if (request->tree->depth > 1) {
        return true;
    }
    const tqa_value root = tqa_value_root(request->tree);
    const tqa_value value = tqa_value_field(&root, field->name);
    request->field = NULL;
    return request->is_named ? read_by_name(request, field->motion, &value)
                             : field->receiver->read(request, &value);
}

/* The tree takes a value of type `got`. False: refused. */
static bool tree_takes(tqa_request *request, uint64_t at, const char *got)
{
    if (request->stream.rows != NULL) {
        return refuse_stream(request, at, got);
    }
    return request->field != NULL || tqa_refuse_root(request->problem, at, got);
}

/* ------------------------------------------------------------------------------------------------
 * The root: an object whose keys choose the field
 */

static const tqa_field *find_field(const tqa_schema *schema, const char *text, size_t n)
{
    for (size_t f = 0; f < schema->n_field && n > 0; f++) {
        const char *name = schema->fields[f].name;
        if (name[0] == text[0] && strlen(name) == n && memcmp(name, text, n) == 0) {
            return &schema->fields[f];
        }
    }
    return NULL;
}

/* The name of `include` that a field is called by, `-` for `_`; NULL: none. */
static const char *find_term(const tqa_schema *schema, const char *text, size_t n)
{
    for (const tqa_choice *choice = schema->include; choice->name != NULL; choice++) {
        size_t k = 0;
        while (k < n && choice->name[k] != '\0' &&
               (choice->name[k] == text[k] || (choice->name[k] == '_' && text[k] == '-'))) {
            k++;
        }
        if (k == n && choice->name[k] == '\0') {
            return choice->name;
        }
    }
    return NULL;
}

static bool refuse_unknown(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    for (size_t f = 0; f < request->schema->n_field; f++) {
        tqa_nearest_offer(&nearest, request->schema->fields[f].name);
    }
    char hint[TQA_PROBLEM_TEXT];
    const char *term = nearest.rank == 0 ? find_term(request->schema, text, n) : NULL;
    if (term != NULL) {
        (void)snprintf(hint, sizeof hint, "say \"include\": [\"%s\"]", term);
    }
    return tqa_refuse_key(request, at, "unknown-field", text, n,
                          term != NULL ? hint : tqa_nearest_hint(&nearest));
}

/* The field that another word is read as; NULL: none, or no memory, as without it. */
static const tqa_field *read_other(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    const char *known[FIELDS_MAX + 1] = {NULL};
    tqa_renamed_field as;
    for (size_t f = 0; f < request->schema->n_field && f < FIELDS_MAX; f++) {
        known[f] = request->schema->fields[f].name;
    }
    if (!tqa_renamed_reads(text, n, known, &as) || as.member != NULL) {
        return NULL;
    }
    const tqa_field *field = find_field(request->schema, as.name, strlen(as.name));
    const bool is_new = (request->seen >> (field - request->schema->fields) & 1u) == 0;
    return is_new && open_tree(request, at) &&
                   tqa_wording_stream(request->tree, text, n, field->name)
               ? field
               : NULL;
}

static bool open_field(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    const tqa_field *field = find_field(request->schema, text, n);
    if (field == NULL) {
        field = read_other(request, at, text, n);
        if (field == NULL) {
            return request->problem->status == 0 && refuse_unknown(request, at, text, n);
        }
        text = field->name;
        n = strlen(text);
    }
    const uint32_t bit = 1u << (field - request->schema->fields);
    if ((request->seen & bit) != 0) {
        return tqa_refuse_key(request, at, "duplicate-field", text, n, "give it once");
    }
    request->seen |= bit;
    if (tqa_field_is_motion(field)) {
        request->stream = (tqa_stream){
            .rows = &request->rows[field->motion],
            .blocks = &request->motion[field->motion],
            .wanted = TQA_WANTED_SAMPLES,
        };
    } else if (field->receiver == &tqa_unused_receiver) {
        request->n_unused = 0;
    } else if (!open_tree(request, at) || !tqa_tree_events.key(request->tree, at, text, n)) {
        return false;
    }
    request->field = field;
    return true;
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (!request->is_open) {
        request->is_open = true;
        return true;
    }
    if (is_unused(request)) {
        return pass_over(request, 1);
    }
    if (request->stream.rows != NULL && tqa_field_is_motion(request->field) &&
        request->stream.rows->depth == 0) {
        return open_by_name(request, at);
    }
    return tree_takes(request, at, "an object") && tqa_tree_events.begin_map(request->tree, at);
}

static bool on_end_map(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->field == NULL) {
        return true;
    }
    if (is_unused(request)) {
        return pass_over(request, -1);
    }
    return tqa_tree_events.end_map(request->tree, at) && end_value(request);
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_request *request = ctx;
    const tqa_field *field = request->field;
    if (field == NULL) {
        return open_field(request, at, text, n);
    }
    if (is_unused(request)) {
        return true;
    }
    if (field->receiver->stream != NULL &&
        !field->receiver->stream(request, at, text, n, &request->stream)) {
        return false;
    }
    return request->stream.rows != NULL || tqa_tree_events.key(request->tree, at, text, n);
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->stream.rows != NULL) {
        return stream_begin(request, at);
    }
    if (is_unused(request)) {
        return pass_over(request, 1);
    }
    return tree_takes(request, at, "an array") && tqa_tree_events.begin_array(request->tree, at);
}

static bool on_end_array(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (request->stream.rows != NULL) {
        return stream_end(request, at);
    }
    if (is_unused(request)) {
        return pass_over(request, -1);
    }
    return tqa_tree_events.end_array(request->tree, at) && end_value(request);
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    tqa_request *request = ctx;
    if (request->stream.rows != NULL) {
        return stream_numbers(request, at, values, n);
    }
    if (is_unused(request)) {
        return pass_over(request, 0);
    }
    return tree_takes(request, at, "a number") &&
           tqa_tree_events.numbers(request->tree, at, values, n) && end_value(request);
}

/* The numbers of many samples at once where that is what they are, else array by array. */
static bool on_rows(void *ctx, uint64_t at, const double *values, size_t n_row, size_t n_column,
                    size_t n_byte)
{
    tqa_request *request = ctx;
    const tqa_stream *stream = &request->stream;
    if (stream->rows != NULL && stream->rows->depth == 1 && stream->rows->n_row == n_column &&
        stream->rows->shape != TQA_SHAPE_FLAT) {
        return tqa_refuse_rows(request, at, stream->rows,
                               tqa_rows_whole(stream->rows, stream->blocks, values, n_row));
    }
    if (is_unused(request)) {
        return true;
    }
    for (size_t i = 0; i < n_row; i++, at += n_byte) {
        if (!on_begin_array(ctx, at) || !on_numbers(ctx, at, values + i * n_column, n_column) ||
            !on_end_array(ctx, at + n_byte)) {
            return false;
        }
    }
    return true;
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    tqa_request *request = ctx;
    if (is_unused(request)) {
        return pass_over(request, 0);
    }
    return tree_takes(request, at, "a string") &&
           tqa_tree_events.string(request->tree, at, text, n) && end_value(request);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    tqa_request *request = ctx;
    if (is_unused(request)) {
        return pass_over(request, 0);
    }
    return tree_takes(request, at, value ? "true" : "false") &&
           tqa_tree_events.boolean(request->tree, at, value) && end_value(request);
}

static bool on_null(void *ctx, uint64_t at)
{
    tqa_request *request = ctx;
    if (is_unused(request)) {
        return pass_over(request, 0);
    }
    return tree_takes(request, at, "null") && tqa_tree_events.null(request->tree, at) &&
           end_value(request);
}

const tqa_events tqa_request_events = {
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
    .rows = on_rows,
};
