/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/columns.h - a request that is one table of numbers: q, qd, qdd side by side. */
#ifndef TQA_REQUEST_COLUMNS_H
#define TQA_REQUEST_COLUMNS_H

#include "api/codec/npy/npy.h"
#include "api/request/request.h"

/* The receiver of an NPY file; ctx is a tqa_columns. A file of rank two is a batch, one sample a
 * row; of rank one it is one sample. The columns are those that the operation computes from, in the
 * schema's order; the last arrays may be missing, where they count as zero. */
typedef struct tqa_columns {
    tqa_request *request;
    uint32_t fields; /* of the schema, that the table has: the first of them at least */
    bool flat;
    bool downwards;   /* Fortran order */
    size_t n_arrived; /* samples that have come whole; of a batch in C order */
    size_t n_column;
    uint64_t n_sample;
    /* (TQ_BLOCK_PAD x n_column) long rows until eight fill whole lines of the blocks; NULL: rows
     * are short, or there was no memory, and numbers go straight to their places */
    double *stage;
} tqa_columns;

extern const tqa_npy_sink tqa_columns_sink;

void tqa_columns_clear(tqa_columns *columns);

#endif
