/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/table.h - rows of numbers on demand, from any stored form: CSV,
 * NPY, NPZ, or the arrays of a document in JSON or CBOR; the first two also compressed. */
#ifndef TQA_TABLES_TABLE_H
#define TQA_TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TQA_TABLE_NAME = 128, /* bytes of a column's name, its end included */
    TQA_TABLE_DETAIL = 200,
};

/* Reads n bytes at an offset: the count read, fewer only at the end, or -1. */
typedef long tqa_table_source(void *ctx, uint64_t offset, void *bytes, size_t n);

/* A table being read, front to back. One thread at a time. */
typedef struct tqa_table tqa_table;

/* Reads as far as the columns; the first bytes determine the format. NULL when memory is short. */
tqa_table *tqa_table_open(tqa_table_source *source, void *ctx);
void tqa_table_close(tqa_table *table); /* accepts NULL */

/* State of reading: NULL, or why there are no more rows. */
const char *tqa_table_fault(const tqa_table *table);
/* That is not the file's fault: memory is short, or its bytes cannot be read now. */
bool tqa_table_busy(const tqa_table *table);

/* A CSV file's columns have the header's names, or "". A number k of inner arrays of a result's
 * field f is "f[k]", a plain array is "f"; those with as many elements as `t`, or else as the first
 * array of arrays, are columns. */
size_t tqa_table_columns(const tqa_table *table);
const char *tqa_table_name(const tqa_table *table, size_t column);

/* Of CSV: the word of a column in the first row, "" where it has a number; whether the column holds
 * times (ISO 8601), in seconds from a midnight. */
const char *tqa_table_word(const tqa_table *table, size_t column);
bool tqa_table_is_time(const tqa_table *table, size_t column);

/* The next row's numbers, valid until the next call; NULL at the end or at a fault. A value that is
 * not finite in the file is NaN or infinite. */
const double *tqa_table_next(tqa_table *table);
/* The same for as many rows as are at hand, in sequence, `most` at most; none where rows can only
 * be read one by one. */
const double *tqa_table_next_many(tqa_table *table, size_t most, size_t *ret_n);
/* Passes over the next n rows, or all where there are fewer, without reading them. Returns how many
 * they were: 0 where only reading finds where a row begins. */
uint64_t tqa_table_skip(tqa_table *table, uint64_t n);
/* A CSV file's last line is not whole and was left out. */
bool tqa_table_cut(const tqa_table *table);

#endif
