/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/transpose.h - a block of results, in rows or sample by sample. */
#ifndef TQA_CALL_TRANSPOSE_H
#define TQA_CALL_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/request/samples.h"
#include "core/base/scratch.h"

struct tqa_call;

/* CBOR and NPY have samples one after another. The computing thread has a block's rows in cache,
   and transposes them in place: sample i begins at element i * n_row. Transposing on the I/O thread
   would miss the cache at every element. */
typedef struct tqa_transpose {
    double *rows; /* where the kernel writes */
    double *block;
    size_t n_row, stride;
} tqa_transpose;

/* Whether this call's first result is transposed, once the request is complete. */
bool tqa_transpose_is_on(const struct tqa_call *call);
/* Whether it will be if no field but the arrays follows. */
bool tqa_transpose_is_possible(const struct tqa_call *call);
/* Of scratch, for the rows of one block. */
size_t tqa_transpose_scratch_size(const struct tqa_call *call);

tqa_transpose tqa_transpose_begin(const tqa_blocks *blocks, size_t b, bool turns,
                                  tq_scratch *scratch);
void tqa_transpose_end(const tqa_transpose *output, size_t n_sample);

#endif
