/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/transpose.c - transposes a block while it is in cache. */
#include "api/call/transpose.h"

#include <assert.h>

#include "api/call/call.h"
#include "core/dynamics/arrange.h"

bool tqa_transpose_is_possible(const tqa_call *call)
{
    return call->tree == NULL && call->robot->constraints == NULL &&
           (call->accept == TQA_MEDIA_CBOR || call->accept == TQA_MEDIA_NPY);
}

bool tqa_transpose_is_on(const tqa_call *call)
{
    const tqa_request *request = &call->request;
    return tqa_transpose_is_possible(call) && request->include == 0 && !request->reordered &&
           request->from == NULL && call->tau.stride == TQ_BLOCK_STRIDE;
}

size_t tqa_transpose_scratch_size(const tqa_call *call)
{
    return tqa_transpose_is_possible(call)
               ? tq_scratch_cost(call->tau.n_row * TQ_BLOCK_STRIDE, sizeof(double))
               : 0;
}

tqa_transpose tqa_transpose_begin(const tqa_blocks *blocks, size_t b, bool turns,
                                  tq_scratch *scratch)
{
    double *block = tqa_blocks_block(blocks, b);
    tqa_transpose output = {
        .rows = block, .block = block, .n_row = blocks->n_row, .stride = blocks->stride};
    if (turns) {
        output.rows = tq_scratch_take(scratch, output.n_row * output.stride, sizeof(double));
        assert(output.rows != NULL && "tqa_transpose_scratch_size counts it");
    }
    return output;
}

void tqa_transpose_end(const tqa_transpose *output, size_t n_sample)
{
    if (output->rows != output->block) {
        tq_block_to_samples(output->n_row, n_sample, output->rows, output->stride, output->block,
                            output->n_row);
    }
}
