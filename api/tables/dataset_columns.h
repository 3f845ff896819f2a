/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/dataset_columns.h - columns of recorded data and the results of each: statistics, or
 * the least and greatest value of buckets of rows. */
#ifndef TQA_TABLES_DATASET_COLUMNS_H
#define TQA_TABLES_DATASET_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/csv/csv.h"
#include "api/codec/writer.h"
#include "api/tables/statistics.h"

typedef struct tqa_dataset_column {
    char name[TQA_CSV_NAME_MAX + 1];
    uint64_t n_row; /* of its member of an archive; else the table's */
    bool left_out;  /* it has other rows than the table */
    tqa_statistics statistics;
} tqa_dataset_column;

/* Starts as {0}; with n_bucket, rows_per_bucket and with_places where buckets are wanted. */
typedef struct tqa_dataset_columns {
    size_t n, n_room;
    tqa_dataset_column *columns;
    size_t n_bucket;
    uint64_t first_row, rows_per_bucket;
    /* bucket b of column c has least[c * n_bucket + b] */
    double *least, *most;
    bool with_places;
    double *least_at, *most_at; /* with_places: rows from the bucket's first to them; else NULL */
} tqa_dataset_columns;

/* A value of bucket i, which has all its least and greatest ones in this way; `at`: its row there.
 */
static inline void tqa_dataset_columns_lower(tqa_dataset_columns *columns, size_t i, double x,
                                             uint64_t at)
{
    if (x < columns->least[i]) {
        columns->least[i] = x;
        if (columns->with_places) {
            columns->least_at[i] = (double)at;
        }
    }
}
static inline void tqa_dataset_columns_raise(tqa_dataset_columns *columns, size_t i, double x,
                                             uint64_t at)
{
    if (x > columns->most[i]) {
        columns->most[i] = x;
        if (columns->with_places) {
            columns->most_at[i] = (double)at;
        }
    }
}

void tqa_dataset_columns_free(tqa_dataset_columns *columns);

/* Appends n columns without names. NULL, or why not: above 4096, too many buckets, or memory is
 * short (*ret_short). */
const char *tqa_dataset_columns_append(tqa_dataset_columns *columns, uint64_t n, bool *ret_short);

/* n values of column c from `row` downwards. */
void tqa_dataset_columns_add(tqa_dataset_columns *columns, uint64_t c, uint64_t row,
                             const double *values, size_t n);

/* Leaves out columns of an archive that have other rows than its t or time, or else than most of
 * its columns. Returns the number of rows. */
uint64_t tqa_dataset_columns_agree(tqa_dataset_columns *columns);
/* How many are left in. */
size_t tqa_dataset_columns_count(const tqa_dataset_columns *columns);

/* The elements of "statistics" or "series", and "left_out" (names) as a whole member if there are
 * any. */
void tqa_dataset_columns_put(const tqa_dataset_columns *columns, tqa_writer *to);
void tqa_dataset_columns_put_left_out(const tqa_dataset_columns *columns, tqa_writer *to);

/* The rows of the table that arrays of these names and rows make: those of `t` or `time`, else the
 * rows that most columns have. For all callbacks i < n. */
uint64_t tqa_rows_of_arrays(size_t n, uint64_t (*rows)(const void *ctx, size_t i),
                            const char *(*name)(const void *ctx, size_t i), const void *ctx);

#endif
