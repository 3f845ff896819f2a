/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/overlap.h - blocks of samples that are computed while the body still arrives. */
#ifndef TQA_CALL_OVERLAP_H
#define TQA_CALL_OVERLAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/request/request.h"
#include "core/dynamics/inverse.h"

/* States of a block; of one with a sample that is far beyond its limits q is kept. */
enum { TQA_OVERLAP_OPEN, TQA_OVERLAP_SPARED, TQA_OVERLAP_FAR /* computed; its q is kept */ };

/* Snapshot of the arrays that early blocks are read from and written to; later body bytes do not
   modify it. A field that changes the meaning of the samples discards the results: they are
   computed again when the request is complete. If no field can follow, the memory of a computed
   block's motion is reused for arriving samples: it is still in cache, and fewer pages are touched.
   A block that could not be computed keeps its motion for tqa_call_run. */
typedef struct tqa_overlap {
    bool is_off;           /* nothing more is computed ahead */
    bool turns;            /* results lie sample by sample */
    unsigned char *states; /* (n_most) of blocks, where no field can follow; else NULL */
    atomic_size_t n_good;  /* blocks that have been computed */
    size_t n_ready;        /* blocks that have been announced */
    size_t n_most;    /* maximum number of early blocks, by the table's size; read by all threads */
    tqa_blocks in[3]; /* the required arrays, in the schema's order */
    tqa_blocks out;
} tqa_overlap;

/* Motion of block b, and where its result goes; the third array is left to the operation. */
static inline tq_inverse_input tqa_overlap_motion(const tqa_overlap *ahead, size_t b)
{
    return (tq_inverse_input){
        .n_sample = TQ_BLOCK,
        .stride = TQ_BLOCK_STRIDE,
        .q = tqa_blocks_block(&ahead->in[0], b),
        .qd = tqa_blocks_block(&ahead->in[1], b),
    };
}

#endif
