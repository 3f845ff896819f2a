/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refuse.h - problems of a request, with the place in the body they belong to. */
#ifndef TQA_REQUEST_REFUSE_H
#define TQA_REQUEST_REFUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"
#include "api/operation.h"
#include "api/request/request.h"

/* A fault at a place of the body: its JSON pointer and its byte (UINT64_MAX: not known). Always
 * false, like all below. */
bool tqa_refuse_at(tqa_problem *problem, const char *pointer, uint64_t at, const char *slug,
                   const char *hint, const char *detail);
/* The document is no object. */
bool tqa_refuse_root(tqa_problem *problem, uint64_t at, const char *got);

/* A fault of the value being read, at byte `at` of the body (UINT64_MAX: not of one place). Always
 * false. */
bool tqa_refuse(tqa_request *request, uint64_t at, const char *slug, const char *hint,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same for a key. Always false. */
bool tqa_refuse_key(tqa_request *request, uint64_t at, const char *slug, const char *key, size_t n,
                    const char *hint);

/* The value has another type than `wanted`, such as "an array of names". Always false. */
bool tqa_refuse_type(tqa_request *request, uint64_t at, const char *wanted, const char *got);

/* What to write instead of a value of the wrong type. */
void tqa_hint_type(const char *wanted, const char *got, char hint[TQA_PROBLEM_TEXT]);

/* Texts about arrays of samples of n numbers, streamed or not. */
#define TQA_WANTED_SAMPLES "an array of numbers, or an array of such arrays"
#define TQA_WRONG_NESTING  "expected one array of numbers, or an array of such arrays"
#define TQA_HINT_NESTING   "one sample is [number, ...]; a batch is [[number, ...], ...]"
void tqa_hint_sample(size_t n, char hint[TQA_PROBLEM_TEXT]);
void tqa_hint_missing_samples(const char *name, size_t n, char hint[TQA_PROBLEM_TEXT]);

/* What to do about bytes that no decoder takes; NULL for a state that is no such fault. */
const char *tqa_hint_decode(tqa_decode state, tqa_media media);

/* What tqa_rows_... said about the array being read; true for TQA_ROWS_OK. */
bool tqa_refuse_rows_fault(tqa_request *request, uint64_t at, const tqa_rows *rows,
                           tqa_rows_fault fault);
static inline bool tqa_refuse_rows(tqa_request *request, uint64_t at, const tqa_rows *rows,
                                   tqa_rows_fault fault)
{
    return fault == TQA_ROWS_OK || tqa_refuse_rows_fault(request, at, rows, fault);
}

/* Appends "/" and an index, or a key with '~' and '/' escaped, to a pointer, cut to its size. */
void tqa_place_index(char pointer[TQA_POINTER_TEXT], size_t index);
void tqa_place_key(char pointer[TQA_POINTER_TEXT], const char *key, size_t n);
/* Appends where an array of samples stands. */
void tqa_place_rows(char pointer[TQA_POINTER_TEXT], const tqa_rows *rows, bool whole);

#endif
