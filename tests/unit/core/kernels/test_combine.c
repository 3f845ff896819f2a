/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_combine.c - weighted sums of rows: values, and the same bits in
 * every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { N_ROW = 5, STRIDE = 24, N_SAMPLE = 19, N_TERM = 4, SIZE = N_ROW * STRIDE };

Test(combine, sums_at_every_width)
{
    tqt_random r = tqt_random_seed(7);
    double *x = tqt_doubles((N_TERM + 1) * SIZE + STRIDE), *ret = tqt_doubles(SIZE);
    const double *terms[N_TERM], weights[N_TERM] = {0.5, -3.25, 1e-3, 7.0};
    for (size_t k = 0; k < (N_TERM + 1) * SIZE + STRIDE; k++) {
        x[k] = tqt_random_uniform(&r, -1, 1);
    }
    for (size_t k = 0; k < N_TERM; k++) {
        terms[k] = x + (k + 1) * SIZE;
    }
    const double *factor = x + (N_TERM + 1) * SIZE;
    for (int from = 0; from < 2; from++) {
        const tq_kernel_sum sum = {.n_row = N_ROW,
                                   .n_sample = N_SAMPLE,
                                   .stride = STRIDE,
                                   .from = from ? x : NULL,
                                   .factor = factor,
                                   .n_term = N_TERM,
                                   .weights = weights,
                                   .terms = terms};
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            memset(ret, 0, SIZE * sizeof *ret);
            tq_kernels_for(N_SAMPLE)->combine(&sum, ret);
            for (size_t k = 0; k < SIZE; k++) {
                double want = 0.0;
                for (size_t t = 0; t < N_TERM; t++) {
                    want = fma(weights[t], terms[t][k], want);
                }
                want = fma(factor[k % STRIDE], want, from ? x[k] : 0.0);
                cr_expect(k % STRIDE >= N_SAMPLE || memcmp(&ret[k], &want, sizeof want) == 0,
                          "build %d, %zu: %.17g %.17g", build, k, ret[k], want);
            }
        }
    }
    free(x);
    free(ret);
}
