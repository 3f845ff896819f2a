/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refuse.c - a fault of a request with its place and a hint. */
#include "api/request/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { QUOTE_MAX = 64 }; /* bytes of a client's text that a message repeats */

/* Appends the open sample of an array, and its number unless the sample is meant as a whole. */
static void place_rows(char pointer[TQA_POINTER_TEXT], const tqa_rows *rows, bool whole)
{
    if (rows->depth == 2 || (rows->depth == 1 && rows->shape == TQA_SHAPE_BATCH)) {
        tqa_place_index(pointer, rows->n_sample);
    }
    const bool in_sample = rows->depth == 2 || (rows->depth == 1 && rows->shape != TQA_SHAPE_BATCH);
    if (in_sample && !whole) {
        tqa_place_index(pointer, rows->n_got);
    }
}

/* JSON pointer of the value that is being read. */
void tqa_request_place(const void *ctx, char pointer[TQA_POINTER_TEXT])
{
    const tqa_request *request = ctx;
    const tqa_stream *stream = &request->stream;
    pointer[0] = '\0';
    const bool is_tree =
        request->field != NULL && (request->field->receiver->read != NULL || request->is_named);
    if (request->field != NULL && !is_tree) {
        tqa_place_key(pointer, request->field->name, strlen(request->field->name));
    } else if (request->field != NULL) {
        tqa_tree_place(request->tree, pointer);
    }
    if (stream->rows != NULL) {
        if (stream->name != NULL) {
            tqa_place_key(pointer, stream->name, strlen(stream->name));
        }
        place_rows(pointer, stream->rows, request->whole);
    }
    if (request->bad_key != NULL) {
        tqa_place_key(pointer, request->bad_key, request->n_bad_key);
    }
}

bool tqa_refuse(tqa_request *request, uint64_t at, const char *slug, const char *hint,
                const char *format, ...)
{
    char pointer[TQA_POINTER_TEXT];
    char detail[TQA_PROBLEM_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    tqa_request_place(request, pointer);
    if (request->tree != NULL) {
        char read[TQA_POINTER_TEXT];
        memcpy(read, pointer, sizeof read);
        tqa_wording_place(request->tree, read, pointer);
    }
    return tqa_refuse_at(request->problem, pointer, at, slug, hint, detail);
}

bool tqa_refuse_key(tqa_request *request, uint64_t at, const char *slug, const char *key, size_t n,
                    const char *hint)
{
    const bool again = strcmp(slug, "duplicate-field") == 0;
    request->bad_key = key;
    request->n_bad_key = n;
    const int quoted = (int)(n < QUOTE_MAX ? n : QUOTE_MAX);
    if (again) {
        (void)tqa_refuse(request, at, slug, hint, "\"%.*s\" is given twice", quoted, key);
    } else {
        (void)tqa_refuse(request, at, slug, hint, "\"%.*s\" is not known here", quoted, key);
    }
    request->bad_key = NULL;
    return false;
}

bool tqa_refuse_type(tqa_request *request, uint64_t at, const char *wanted, const char *got)
{
    char hint[TQA_PROBLEM_TEXT];
    tqa_hint_type(wanted, got, hint);
    return tqa_refuse(request, at, "wrong-type", hint, "expected %s, got %s", wanted, got);
}

static bool refuse_length(tqa_request *request, uint64_t at, const tqa_rows *rows)
{
    char hint[TQA_PROBLEM_TEXT];
    tqa_hint_sample(rows->n_row, hint);
    request->whole = true;
    (void)tqa_refuse(request, at, "wrong-length", hint, "expected %zu numbers, got %zu",
                     rows->n_row, rows->n_got);
    request->whole = false;
    return false;
}

bool tqa_refuse_rows_fault(tqa_request *request, uint64_t at, const tqa_rows *rows,
                           tqa_rows_fault fault)
{
    switch (fault) {
    case TQA_ROWS_OK:
        return true;
    case TQA_ROWS_LENGTH:
        return refuse_length(request, at, rows);
    case TQA_ROWS_NESTING:
        return tqa_refuse(request, at, "wrong-type", TQA_HINT_NESTING, TQA_WRONG_NESTING);
    case TQA_ROWS_MEMORY:
        if (request->budget->is_over) {
            return tqa_refuse(request, at, "too-large", "send fewer samples at a time",
                              "the samples take more memory than one request may");
        }
        return tqa_refuse(request, at, "busy", "try again",
                          "other requests hold the memory for samples now");
    }
    return true;
}
