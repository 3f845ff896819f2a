/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/result_columns.h - the arrays over time of a result document, as columns. */
#ifndef TQA_TABLES_RESULT_COLUMNS_H
#define TQA_TABLES_RESULT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TQA_TABLE_WHOLE_MAX = 32000000
}; /* maximum numbers of a document, which cannot be read row by row */

/* A result document on its way in: fields of its root that are arrays of numbers, or arrays of
 * equally long arrays of numbers, are kept; the rest passes by. */
typedef struct tqa_table_result tqa_table_result;

/* Of at most numbers_max numbers. NULL when memory is short. */
tqa_table_result *tqa_table_result_new(bool cbor, size_t numbers_max);
void tqa_table_result_free(tqa_table_result *result); /* accepts NULL */

/* NULL, or why it cannot be read. */
const char *tqa_table_result_feed(tqa_table_result *result, const char *bytes, size_t n);
const char *tqa_table_result_finish(tqa_table_result *result);
/* True if memory was short. */
bool tqa_table_result_short(const tqa_table_result *result);

/* That was a second document in JSON after the first. */
bool tqa_table_result_is_lines(const tqa_table_result *result);

/* After finish. */
size_t tqa_table_result_columns(const tqa_table_result *result);
size_t tqa_table_result_rows(const tqa_table_result *result);
void tqa_table_result_name(const tqa_table_result *result, size_t column, char *ret_name,
                           size_t size);
/* All rows of a column, into ret (n_row). */
void tqa_table_result_column(const tqa_table_result *result, size_t column, double *ret);

#endif
