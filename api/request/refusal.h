/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refusal.h - a fault at a place of a request's body, and hints. */
#ifndef TQA_REQUEST_REFUSAL_H
#define TQA_REQUEST_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/events.h"
#include "api/problem.h"
#include "api/robot.h"

/* A fault at a place of the body: its JSON pointer and its byte (UINT64_MAX: not known). Always
 * false, like all below. */
bool tqa_refuse_at(tqa_problem *problem, const char *pointer, uint64_t at, const char *slug,
                   const char *hint, const char *detail);
/* The document is no object. */
bool tqa_refuse_root(tqa_problem *problem, uint64_t at, const char *got);

/* The hint for a value of the wrong type. */
void tqa_hint_type(const char *wanted, const char *got, char hint[TQA_PROBLEM_TEXT]);

/* Texts about arrays of samples of n numbers, streamed or not. */
#define TQA_WANTED_SAMPLES "an array of numbers, or an array of such arrays"
#define TQA_WRONG_NESTING  "expected one array of numbers, or an array of such arrays"
#define TQA_HINT_NESTING   "one sample is [number, ...]; a batch is [[number, ...], ...]"
void tqa_hint_sample(size_t n, char hint[TQA_PROBLEM_TEXT]);
void tqa_hint_missing_samples(const char *name, size_t n, char hint[TQA_PROBLEM_TEXT]);

/* The hint for bytes that no decoder accepts; NULL for a state that is no such fault. */
const char *tqa_hint_decode(tqa_decode state, tqa_media media);

/* Appends "/" and an index, or a key with '~' and '/' escaped, to a pointer, cut to its size. */
void tqa_place_index(char pointer[TQA_POINTER_TEXT], size_t index);
void tqa_place_key(char pointer[TQA_POINTER_TEXT], const char *key, size_t n);

#endif
