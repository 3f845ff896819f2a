/* SPDX-License-Identifier: Apache-2.0 */
/* api/dataset.h - recorded data: columns and statistics of a file, computed while its bytes arrive:
 * CSV, NPY, NPZ, a JSON or CBOR object of arrays; CSV and NPY also compressed by gzip or Zstandard.
 * */
#ifndef TQA_DATASET_H
#define TQA_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/problem.h"

/* How the bytes are to be read. */
typedef enum tqa_dataset_format {
    TQA_DATASET_FIND, /* by the first bytes */
    TQA_DATASET_CSV,
    TQA_DATASET_NPY,
} tqa_dataset_format;

typedef struct tqa_dataset_options {
    tqa_dataset_format format;
    char delimiter; /* of CSV; 0: found */
} tqa_dataset_options;

enum { TQA_DATASET_POINTS_MAX = 20000 };

/* Reads the query of an upload: format=csv|npy, delimiter=comma|semicolon|tab|space. False with a
 * problem. */
bool tqa_dataset_options_read(const char *query, const char *content_type, tqa_dataset_options *ret,
                              tqa_problem *reterr);

/* One file being read; a few KB and what its columns need. One thread at a time. */
typedef struct tqa_dataset tqa_dataset;

/* Rows of a plot: n_row of them from first_row on, rows_per_point to a point. */
typedef struct tqa_dataset_part {
    uint64_t first_row, n_row, rows_per_point;
    bool with_places; /* `min_at` and `max_at` too: rows of a point, from its first one */
} tqa_dataset_part;

/* The least rows a point for at most n_points of n_row rows, of a table of n_all rows. From 65,536
 * rows on they are whole blocks (tqa_dataset_blocks), or fewer than half of one. */
uint64_t tqa_dataset_rows_per_point(uint64_t n_all, uint64_t n_column, uint64_t n_row,
                                    size_t n_points);

/* `part` NULL: statistics of all columns. Else buckets with the least and greatest value of each
 * column; there must be as many rows. NULL when memory is short. */
tqa_dataset *tqa_dataset_open(const tqa_dataset_options *options, const tqa_dataset_part *part);
void tqa_dataset_close(tqa_dataset *dataset); /* accepts NULL */

/* The next bytes, cut anywhere; false: the problem says why not, and with the same answer from
 * then on. */
bool tqa_dataset_feed(tqa_dataset *dataset, const char *bytes, size_t n);
/* The file is complete. */
bool tqa_dataset_finish(tqa_dataset *dataset);
const tqa_problem *tqa_dataset_problem(const tqa_dataset *dataset);

uint64_t tqa_dataset_rows(const tqa_dataset *dataset);
uint64_t tqa_dataset_width(const tqa_dataset *dataset); /* columns */
/* "text/csv", "application/x-npy", "application/gzip" ... */
const char *tqa_dataset_media(const tqa_dataset *dataset);
/* The same of a stored type: a constant. */
const char *tqa_dataset_media_stored(const char *media);

/* After finish: the description, as members of a JSON object without its braces, malloc'ed; NULL
 * when memory is short. */
char *tqa_dataset_summary(const tqa_dataset *dataset, size_t *ret_n);

/* Least and greatest values of each column in blocks of rows, and where these begin in the file:
 * points of a plot without reading it whole. 8.3 MiB at most; it does not change. */
typedef struct tqa_dataset_blocks tqa_dataset_blocks;
/* Before the first byte: blocks are to be gathered beside the rest. */
void tqa_dataset_gather(tqa_dataset *dataset);
/* After finish; NULL: memory was short, or the file is an archive, a document, or in Fortran order.
 * The caller frees them. */
tqa_dataset_blocks *tqa_dataset_take_blocks(tqa_dataset *dataset);
void tqa_dataset_blocks_free(tqa_dataset_blocks *blocks); /* accepts NULL */
size_t tqa_dataset_blocks_bytes(const tqa_dataset_blocks *blocks);

/* Reads n bytes at an offset: the count read, fewer only at the end, or -1. */
typedef long tqa_dataset_source(void *ctx, uint64_t offset, void *bytes, size_t n);

/* The description of points, as of tqa_dataset_summary, out of whole blocks, or of rows that are
 * read from their first block on; NULL: the file must be read whole. */
char *tqa_dataset_points(const tqa_dataset_blocks *blocks, const tqa_dataset_part *part,
                         tqa_dataset_source *source, void *ctx, size_t *ret_n);

#endif
