/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/object_prefix.h - the start of an object in an answer: what holds for its arrays. */
#ifndef TQA_RESPONSE_OBJECT_PREFIX_H
#define TQA_RESPONSE_OBJECT_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robot.h"

/* Grows as it is written; starts by tqa_statement_open. Once memory ran short, everything is
 * dropped and tqa_statement_take is NULL. */
typedef struct tqa_statement {
    tqa_media media; /* JSON or CBOR */
    char *bytes;
    size_t n, capacity;
    bool failed;
} tqa_statement;

/* `"key": {`, an object of n_member members in all: those stated here, then at least one array that
 * tqa_result_array adds behind them. */
void tqa_statement_open(tqa_statement *statement, tqa_media media, const char *key,
                        size_t n_member);
void tqa_statement_text(tqa_statement *statement, const char *key, const char *text);
void tqa_statement_names(tqa_statement *statement, const char *key, const char *const *names,
                         size_t n);
/* null when x is not finite */
void tqa_statement_number(tqa_statement *statement, const char *key, double x);

/* Members as an answer has written them behind the bracket that opens its root object. */
void tqa_statement_members(tqa_statement *statement, const char *bytes, size_t n);

/* The bytes, malloc'ed; NULL when memory was short. */
char *tqa_statement_take(tqa_statement *statement, size_t *ret_n);

#endif
