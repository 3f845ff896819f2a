/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/field.h - one array of a JSON document as NPY or CSV, taken out as the document
 * passes by twice: to measure it, then to write it. */
#ifndef TQA_TABLES_FIELD_H
#define TQA_TABLES_FIELD_H

#include "api/codec/events.h"
#include "api/problem.h"

typedef enum tqa_field_format {
    TQA_FIELD_NPY, /* '<f8', C order, the shape of the array */
    TQA_FIELD_CSV, /* a header NAME_0,NAME_1,...; a line for each entry of the first index. Of
                    * objects: see records.h */
} tqa_field_format;

typedef struct tqa_field tqa_field;

/* `name` is the key of the array, or keys with dots between: "reactions.base". NULL without memory.
 */
tqa_field *tqa_field_new(const char *name, tqa_field_format format);
void tqa_field_free(tqa_field *field); /* accepts NULL */

/* The first pass: the whole document, in any pieces; then `measured`, once. False with a problem:
 * there is no such array, it is not of numbers (or, in CSV, objects) alone, or its rows differ in
 * length. */
bool tqa_field_measure(tqa_field *field, const char *bytes, size_t n, tqa_problem *reterr);
bool tqa_field_measured(tqa_field *field, tqa_problem *reterr);

/* Bytes of the whole output; 0: not known beforehand (CSV). */
uint64_t tqa_field_size(const tqa_field *field);

/**
 * The second pass: the same document again. Returns what has come out since the last call, borrowed
 * until the next; NULL when memory is short or the document is another one.
 *
 * Memory   At most what one piece gives: four times its bytes.
 * Checked  tests/unit/api/tables/test_field.c
 */
const char *tqa_field_feed(tqa_field *field, const char *bytes, size_t n, size_t *ret_n);

#endif
