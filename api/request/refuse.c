/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refuse.c - says what is wrong with a request, where, and what would be right. */
#include "api/request/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { QUOTE_MAX = 64 }; /* bytes of a client's text that a message repeats */

bool tqa_refuse_at(tqa_problem *problem, const char *pointer, uint64_t at, const char *slug,
                   const char *hint, const char *detail)
{
    const char *separator = pointer[0] != '\0' ? ": " : "";
    if (at != UINT64_MAX) {
        (void)tqa_problem_set(problem, slug, "%s%s%s (byte %llu of the body)", pointer, separator,
                              detail, (unsigned long long)at);
    } else {
        (void)tqa_problem_set(problem, slug, "%s%s%s", pointer, separator, detail);
    }
    tqa_problem_fault(problem, pointer, hint, "%s", detail);
    return false;
}

bool tqa_refuse_root(tqa_problem *problem, uint64_t at, const char *got)
{
    char detail[TQA_PROBLEM_TEXT];
    (void)snprintf(detail, sizeof detail, "expected an object with named fields, got %s", got);
    return tqa_refuse_at(problem, "", at, "wrong-type",
                         "write the fields of the request in braces: {...}", detail);
}

/* JSON pointer of the value that is being read. */
void tqa_request_place(const void *ctx, char pointer[TQA_POINTER_TEXT])
{
    const tqa_request *request = ctx;
    const tqa_stream *stream = &request->stream;
    pointer[0] = '\0';
    if (request->field != NULL && tqa_field_is_motion(request->field)) {
        tqa_place_key(pointer, request->field->name, strlen(request->field->name));
    } else if (request->field != NULL) {
        tqa_tree_place(request->tree, pointer);
    }
    if (stream->rows != NULL) {
        if (stream->name != NULL) {
            tqa_place_key(pointer, stream->name, strlen(stream->name));
        }
        tqa_place_rows(pointer, stream->rows, request->whole);
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

void tqa_hint_type(const char *wanted, const char *got, char hint[TQA_PROBLEM_TEXT])
{
    const bool one_number = strncmp(wanted, "a number", 8) == 0;
    if (strcmp(got, "null") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "leave the field out, or write %s", wanted);
    } else if (one_number && strcmp(got, "a string") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write the number without quotes");
    } else if (one_number && strcmp(got, "an array") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write one number, without brackets");
    } else {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write %s", wanted);
    }
}

const char *tqa_hint_decode(tqa_decode state, tqa_media media)
{
    switch (state) {
    case TQA_DECODE_NOT_FINITE:
        return "leave out what is not known or was not measured; numbers end at 1.797e308";
    case TQA_DECODE_LIMIT:
        return "write it flatter or shorter; no request that is understood has this depth or "
               "length";
    case TQA_DECODE_MALFORMED:
        return media == TQA_MEDIA_JSON || media == TQA_MEDIA_NONE
                   ? "at this byte: JSON has double quotes, a comma between two elements and "
                     "none after the last, no comments, and no NaN or Infinity"
                   : "compare the body with what was encoded: it may be cut short, or of another "
                     "type than its Content-Type says";
    case TQA_DECODE_OK:
    case TQA_DECODE_REFUSED:
        break;
    }
    return NULL;
}

bool tqa_refuse_type(tqa_request *request, uint64_t at, const char *wanted, const char *got)
{
    char hint[TQA_PROBLEM_TEXT];
    tqa_hint_type(wanted, got, hint);
    return tqa_refuse(request, at, "wrong-type", hint, "expected %s, got %s", wanted, got);
}

void tqa_hint_sample(size_t n, char hint[TQA_PROBLEM_TEXT])
{
    (void)snprintf(hint, TQA_PROBLEM_TEXT,
                   "one sample of this array is %zu numbers; a batch is an array of such arrays",
                   n);
}

void tqa_hint_missing_samples(const char *name, size_t n, char hint[TQA_PROBLEM_TEXT])
{
    (void)snprintf(hint, TQA_PROBLEM_TEXT,
                   "add \"%s\": an array of %zu numbers, or an array of such", name, n);
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

/* ------------------------------------------------------------------------------------------------
 * Places
 */

void tqa_place_index(char pointer[TQA_POINTER_TEXT], size_t index)
{
    const size_t n = strlen(pointer);
    (void)snprintf(pointer + n, TQA_POINTER_TEXT - n, "/%zu", index);
}

void tqa_place_key(char pointer[TQA_POINTER_TEXT], const char *key, size_t n)
{
    size_t used = strlen(pointer);
    if (used + 1 < TQA_POINTER_TEXT) {
        pointer[used++] = '/';
    }
    for (size_t i = 0; i < n && used + 2 < TQA_POINTER_TEXT; i++) {
        if (key[i] == '~' || key[i] == '/') {
            pointer[used++] = '~';
            pointer[used++] = key[i] == '~' ? '0' : '1';
        } else {
            pointer[used++] = key[i];
        }
    }
    pointer[used] = '\0';
}

void tqa_place_rows(char pointer[TQA_POINTER_TEXT], const tqa_rows *rows, bool whole)
{
    if (rows->depth == 2 || (rows->depth == 1 && rows->shape == TQA_SHAPE_BATCH)) {
        tqa_place_index(pointer, rows->n_sample);
    }
    const bool in_sample = rows->depth == 2 || (rows->depth == 1 && rows->shape != TQA_SHAPE_BATCH);
    if (in_sample && !whole) {
        tqa_place_index(pointer, rows->n_got);
    }
}
