/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/node.h - a value of a control document and its place; faults name the
 * place. */
#ifndef TQA_ROBOTS_DOCUMENT_NODE_H
#define TQA_ROBOTS_DOCUMENT_NODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"

enum { TQA_JSON_DEPTH_MAX = 64, TQA_JSON_VALUE_MAX = 1000000 };

typedef struct tqa_json_at {
    tqa_draft *draft; /* takes the faults */
    json_t *value;    /* borrowed; NULL: not there */
    char pointer[TQA_POINTER_TEXT];
} tqa_json_at;

/* Once per process, before any thread: so that tqa_json_load can distinguish a lack of memory from
 * a fault of the text. */
void tqa_json_start(void);

/* Parses a whole document, which must be an object: no duplicate keys, no more than the levels and
 * values above. Where it is none, the refusal names `what` was expected and hints at its `form`.
 * The caller's json_decref. NULL: a fault was added. */
json_t *tqa_json_load(tqa_draft *draft, const char *bytes, size_t n, const char *what,
                      const char *form);

tqa_json_at tqa_json_field(const tqa_json_at *object, const char *key);
tqa_json_at tqa_json_item(const tqa_json_at *array, size_t i);

/* Each of these is false, with a fault, when the value is not there or of another type. */
bool tqa_json_is_object(const tqa_json_at *at);
bool tqa_json_is_array(const tqa_json_at *at);
bool tqa_json_number(const tqa_json_at *at, double *ret);
bool tqa_json_numbers(const tqa_json_at *at, size_t n, double *ret);
bool tqa_json_matrix(const tqa_json_at *at, double ret[9]);  /* three rows of three */
bool tqa_json_name(const tqa_json_at *at, const char **ret); /* 1 to 127 bytes, copied */

/* A number that may be absent; then *ret stays. */
void tqa_json_optional(const tqa_json_at *object, const char *key, double *ret);

/* Other words for `known` fields (ends with NULL) become these, where one of them decides which
 * fields there may be at all. */
void tqa_json_words(const tqa_json_at *object, const char *const *known);

/* Every field of the object must be among `known`, or among `derived` (which are listed as
 * ignored); both end with NULL. Another word for a known one becomes it (a draft that lists_words),
 * so this comes before the fields are looked up. */
void tqa_json_fields(const tqa_json_at *object, const char *const *known,
                     const char *const *derived);

#endif
