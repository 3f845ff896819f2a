/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/transpose.h - a block of results, in rows or sample by sample. */
#ifndef TQA_CALL_TRANSPOSE_H
#define TQA_CALL_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/request/samples.h"
#include "core/base/scratch.h"

struct tqa_call;

/* CBOR and NPY have samples one after another. Whoever computes a block has its rows in cache, and
 * leaves them turned in the block's memory: sample i begins at number i * n_row. The connection's
 * thread would find each number on another core. */
typedef struct tqa_output {
    double *rows; /* where the kernel writes */
    double *block;
    size_t n_row, stride;
} tqa_output;

/* Whether this call's first result is turned, once the request is complete. */
bool tqa_output_turns(const struct tqa_call *call);
/* Whether it will be when no field comes but the arrays. */
bool tqa_output_may_turn(const struct tqa_call *call);
/* Of scratch, for the rows of one block. */
size_t tqa_output_scratch_size(const struct tqa_call *call);

tqa_output tqa_output_begin(const tqa_blocks *blocks, size_t b, bool turns, tq_scratch *scratch);
void tqa_output_end(const tqa_output *output, size_t n_sample);

#endif
