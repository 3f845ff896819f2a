/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/object_prefix.h - the start of an object in an answer: what holds for its arrays. */
#ifndef TQA_RESPONSE_OBJECT_PREFIX_H
#define TQA_RESPONSE_OBJECT_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/parsed.h"

/* Grows as it is written; starts by tqa_object_prefix_open. Once memory ran short, everything is
 * dropped and tqa_object_prefix_take is NULL. */
typedef struct tqa_object_prefix {
    tqa_media media; /* JSON or CBOR */
    char *bytes;
    size_t n, capacity;
    bool failed;
} tqa_object_prefix;

/* `"key": {`, an object of n_member members in all: those stated here, then at least one array that
 * tqa_result_array adds behind them. */
void tqa_object_prefix_open(tqa_object_prefix *statement, tqa_media media, const char *key,
                            size_t n_member);
void tqa_object_prefix_text(tqa_object_prefix *statement, const char *key, const char *text);
void tqa_object_prefix_names(tqa_object_prefix *statement, const char *key,
                             const char *const *names, size_t n);
/* null when x is not finite */
void tqa_object_prefix_number(tqa_object_prefix *statement, const char *key, double x);

/* Members as an answer has written them behind the bracket that opens its root object. */
void tqa_object_prefix_members(tqa_object_prefix *statement, const char *bytes, size_t n);

/* The bytes, malloc'ed; NULL when memory was short. */
char *tqa_object_prefix_take(tqa_object_prefix *statement, size_t *ret_n);

#endif
