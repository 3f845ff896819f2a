/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/table.h - the arrays of a result as CSV: a line for each sample. */
#ifndef TQA_RESPONSE_TABLE_H
#define TQA_RESPONSE_TABLE_H

#include "api/response/result.h"

enum { TQA_TABLE_OUT_COLUMNS_MAX = 65536 };

typedef struct tqa_result_table tqa_result_table;

/* A header NAME, or NAME_0,NAME_1,... for several numbers a sample; then a line for each
 * sample. The result must outlive it; names (n_array of it) too. NULL: more than 65,536 columns, or
 * memory is short (*ret_short). */
tqa_result_table *tqa_result_table_new(const tqa_result *result, const tqa_array *arrays,
                                       const char *const *names, bool *ret_short);
void tqa_result_table_free(tqa_result_table *table); /* accepts NULL */
/* The next bytes, as many as fit; 0 at the end. */
size_t tqa_result_table_read(tqa_result_table *table, char *out, size_t size);

#endif
