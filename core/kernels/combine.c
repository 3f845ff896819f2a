/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/combine.c - linear combination of blocks with a factor per sample. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

void TQ_KERNEL(tq_combine)(const tq_kernel_sum *in, double *ret)
{
    const long stride = in->stride;
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        const real factor = load(in->factor + i);
        for (long r = 0; r < in->n_row; r++) {
            const long at = r * stride + i;
            real sum = splat(0.0);
            for (int k = 0; k < in->n_term; k++) {
                sum = tq_fmac(in->weights[k], load(in->terms[k] + at), sum);
            }
            store(ret + at,
                  tq_fma(factor, sum, in->from != NULL ? load(in->from + at) : splat(0.0)));
        }
    }
}
