/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/contract.c - regressor rows times parameters for a run of samples: ret += sum_c
 * weights[c] column_c. */
#include "core/kernels/symbols.h"
#include "core/kernels/table.h"
#include "core/lanes/real.h"

enum { TILE = 8 }; /* independent accumulators, so that additions are not limited by latency */

void TQ_KERNEL(tq_contract)(long n, const int64_t *offset, const double *weights, const double *x,
                            double *ret)
{
    for (long i = 0; i < TQ_FOLD_RUN; i += (long)TILE * TQ_LANES) {
        real sum[TILE];
        TQ_UNROLL
        for (int t = 0; t < TILE; t++) {
            sum[t] = load(ret + i + (long)t * TQ_LANES);
        }
        for (long c = 0; c < n; c++) {
            const real weight = splat(weights[c]);
            const double *column = x + offset[c] + i;
            TQ_UNROLL
            for (int t = 0; t < TILE; t++) {
                sum[t] = tq_fma(weight, load(column + (long)t * TQ_LANES), sum[t]);
            }
        }
        TQ_UNROLL
        for (int t = 0; t < TILE; t++) {
            store(ret + i + (long)t * TQ_LANES, sum[t]);
        }
    }
}
