/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/writer.h - an answer of nested fields, written in order, as JSON or CBOR. */
#ifndef TQA_RESPONSE_WRITER_H
#define TQA_RESPONSE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "api/codec/json/text.h"

enum { TQA_ANSWER_DEPTH_MAX = 15, TQA_ANSWER_RANK_MAX = 4 };

/* Starts as {0}, with `cbor` set or not. `key` is NULL for elements of lists. */
typedef struct tqa_answer {
    bool cbor;
    bool not_finite; /* a number was NaN or infinite: there is no answer */
    tqa_json_text text;
    unsigned depth;
    bool is_list[TQA_ANSWER_DEPTH_MAX + 1];
    bool has_members[TQA_ANSWER_DEPTH_MAX + 1];
    bool has_rows; /* of the table that is being written */
} tqa_answer;

void tqa_answer_object(tqa_answer *answer, const char *key);
void tqa_answer_list(tqa_answer *answer, const char *key);
void tqa_answer_end(tqa_answer *answer); /* of the innermost object or list */

void tqa_answer_string(tqa_answer *answer, const char *key, const char *text);
void tqa_answer_number(tqa_answer *answer, const char *key, double x);
void tqa_answer_count(tqa_answer *answer, const char *key, size_t n);
void tqa_answer_flag(tqa_answer *answer, const char *key, bool flag);
/* null, and `reason` beside it under "<key>_reason". */
void tqa_answer_none(tqa_answer *answer, const char *key, const char *reason);

/* An array of 1 to TQA_ANSWER_RANK_MAX ranks, the last index fastest. */
void tqa_answer_array(tqa_answer *answer, const char *key, const double *x, size_t rank,
                      const size_t *shape);
/* A table of n_row rows of n numbers (`flat`: of one number, without a rank of its own) that is
 * written row by row: begin, n_row rows, end. */
void tqa_answer_rows_begin(tqa_answer *answer, const char *key, size_t n_row, size_t n, bool flat);
void tqa_answer_row(tqa_answer *answer, const double *x, size_t n, bool flat);
void tqa_answer_rows_end(tqa_answer *answer);
void tqa_answer_vector(tqa_answer *answer, const char *key, const double *x, size_t n);
void tqa_answer_matrix(tqa_answer *answer, const char *key, const double *x, size_t n_row,
                       size_t n_column);
/* A symmetric 3x3 matrix, stored xx xy xz yy yz zz. */
void tqa_answer_symmetric(tqa_answer *answer, const char *key, const double s[6]);

#endif
