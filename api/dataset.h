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

enum { TQA_DATASET_POINTS_MAX = 20000, TQA_DATASET_QUERY = 512 };

/* Reads the query of an upload: format=csv|npy, delimiter=comma|semicolon|tab|space. False with a
 * problem. */
bool tqa_dataset_options_read(const char *query, const char *content_type, tqa_dataset_options *ret,
                              tqa_problem *reterr);

/* One file being read; a few KB and what its columns need. One thread at a time. */
typedef struct tqa_dataset tqa_dataset;

/* `n_points` 0: statistics of all columns. Else at most n_points buckets with the least and
 * greatest value of each column, of the n_row rows from first_row on: there must be as many.
 * NULL when memory is short. */
tqa_dataset *tqa_dataset_open(const tqa_dataset_options *options, uint64_t first_row,
                              uint64_t n_row, size_t n_points);
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

#endif
