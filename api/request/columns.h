/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/columns.h - a request that is one table of numbers: q, qd, qdd side by side. */
#ifndef TQA_REQUEST_COLUMNS_H
#define TQA_REQUEST_COLUMNS_H

#include "api/codec/npy/npy.h"
#include "api/request/request.h"

/* The receiver of NPY files; ctx is a tqa_columns. A file of rank two is a batch, one sample a row;
 * of rank one it is one sample. The columns are those that the operation computes from, in the
 * schema's order; the last arrays may be missing, where they count as zero.
 *
 * A first file with the columns of the first array alone begins a sequence: each further file is
 * the next array of the schema, and after the last one come further samples of all of them. No
 * sender has to copy arrays side by side, and samples are complete while later ones arrive. */
typedef struct tqa_columns {
    tqa_request *request;
    uint32_t fields; /* of the schema, that the file has: the first of them at least */
    bool flat;
    bool downwards;   /* Fortran order */
    bool is_sequence; /* one array a file */
    bool is_uneven;   /* an array has one sample for all */
    bool is_short;    /* a table that lacks required columns, unless more files follow */
    unsigned n_file;
    size_t n_arrived; /* samples that have come whole; of batches in C order */
    size_t n_column;
    uint64_t n_sample; /* of the file */
    uint64_t first;    /* sample of the file's first row */
    uint64_t n_turn;   /* samples that each array has between `first` and its next file */
    /* bytes of a sample of all arrays, by the first one's type */
    size_t sample_bytes;
    /* (TQ_BLOCK_PAD x n_column) long rows until eight fill whole lines of the blocks; NULL: rows
     * are short, or there was no memory, and numbers go straight to their places */
    double *stage;
} tqa_columns;

extern const tqa_npy_sink tqa_columns_sink;

/* A file is complete; false: no other may follow. */
bool tqa_columns_has_next(const tqa_columns *columns);
/* Upper bound of the samples of a sequence in n_body bytes (UINT64_MAX: unknown); else 0. */
size_t tqa_columns_expected(const tqa_columns *columns, uint64_t n_body);
/* End of the body. False: the problem is set. */
bool tqa_columns_finish(const tqa_columns *columns);
void tqa_columns_clear(tqa_columns *columns);

#endif
