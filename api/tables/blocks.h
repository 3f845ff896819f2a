/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/blocks.h - least and greatest values of each column in blocks of rows: what points of
 * a plot are made of, without reading the recording again. */
#ifndef TQA_TABLES_BLOCKS_H
#define TQA_TABLES_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/dataset.h"
#include "api/tables/dataset_columns.h"

/* Blocks have rows_per_block rows, 32 or a power of two above it: the least that keeps all of them
 * within TQA_BLOCKS_BYTES. */
/* of least and most */
enum { TQA_BLOCKS_BYTES = 4 << 20, TQA_BLOCK_ROWS = 32 };

struct tqa_dataset_blocks {
    size_t n_column;
    uint64_t n_row, rows_per_block;
    size_t n_block, n_room;
    /* block b of column c has least[b * n_column + c]; infinite without a finite value */
    double *least, *most;
    uint32_t *least_at, *most_at; /* where they are, in rows from the block's first */
    uint64_t *offset;             /* of each block's first row in the file, where has_offsets */
    bool has_offsets;
    char (*names)[TQA_CSV_NAME_MAX + 1];
};

/* Starts without rows; NULL when memory is short. */
tqa_dataset_blocks *tqa_blocks_new(size_t n_column);
/* n values of row `row` from column `column` on; rows come in sequence, `offset` is where the row
 * begins in the file. False: memory is short. */
bool tqa_blocks_add(tqa_dataset_blocks *blocks, uint64_t row, uint64_t offset, size_t column,
                    const double *values, size_t n);

/* True when points of rows_per_point rows from first_row on are whole blocks. */
bool tqa_blocks_fit(const tqa_dataset_blocks *blocks, uint64_t first_row, uint64_t rows_per_point);
/* Appends the columns with their buckets (n_bucket, first_row and rows_per_bucket of `to` are set,
 * and fit). False: memory is short, or there are too many. */
bool tqa_blocks_points(const tqa_dataset_blocks *blocks, tqa_dataset_columns *to);

/* The last block that begins at or before `row`. */
size_t tqa_blocks_at(const tqa_dataset_blocks *blocks, uint64_t row);

#endif
