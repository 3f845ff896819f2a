/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/arrange.c - transposition: samples one after another <-> rows of a block. */
#include "core/dynamics/arrange.h"

#include "core/base/block.h"
#include "core/base/finite.h"
#include "core/kernels/table.h"

enum { RUN = 64 }; /* numbers per sum: independent additions */

void tq_samples_to_block(size_t n_row, size_t n, const double *samples, size_t pitch, double *block,
                         size_t stride)
{
    tq_kernels_for(TQ_BLOCK)->transpose((long)n, (long)n_row, samples, (long)pitch, block,
                                        (long)stride);
}

void tq_block_to_samples(size_t n_row, size_t n, const double *block, size_t stride,
                         double *samples, size_t pitch)
{
    tq_kernels_for(TQ_BLOCK)->transpose((long)n_row, (long)n, block, (long)stride, samples,
                                        (long)pitch);
}

bool tq_all_finite(size_t n, const double *x)
{
    const size_t whole = n / RUN;
    return tq_kernels_for(TQ_BLOCK)->finite((long)whole, RUN, RUN, x) != 0 &&
           tq_find_not_finite(x + whole * RUN, n - whole * RUN) == n - whole * RUN;
}
