/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_fold.c - triangles in lanes: values, and the same bits in every
 * build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { N_MAX = 9, RUNS = 5 };

/* folds the same random runs by the active build; ret_r (n n TQ_FOLD_LANES) */
static void fold_runs(long n, double *ret_r, double *gram)
{
    tqt_random r = tqt_random_seed(3);
    double *x = tqt_doubles((size_t)n * TQ_FOLD_RUN);
    int64_t offset[N_MAX];
    memset(ret_r, 0, (size_t)(n * n) * TQ_FOLD_LANES * sizeof *ret_r);
    memset(gram, 0, (size_t)(n * n) * sizeof *gram);
    for (long c = 0; c < n; c++) {
        offset[c] = (n - 1 - c) * TQ_FOLD_RUN; /* columns may be in any order */
    }
    for (int run = 0; run < RUNS; run++) {
        for (long k = 0; k < n * TQ_FOLD_RUN; k++) {
            x[k] = tqt_random_uniform(&r, -1, 1);
        }
        for (int i = 0; i < TQ_FOLD_RUN && n > 2; i++) {
            x[offset[2] + i] = 0; /* a column of zeros */
        }
        for (long a = 0; a < n; a++) {
            for (long b = 0; b < n; b++) {
                for (int i = 0; i < TQ_FOLD_RUN; i++) {
                    gram[a * n + b] += x[offset[a] + i] * x[offset[b] + i];
                }
            }
        }
        tq_kernels_for(TQ_FOLD_RUN)->fold(n, offset, x, ret_r);
    }
    free(x);
}

Test(fold, triangles_square_to_the_gram_matrix)
{
    for (long n = 1; n <= N_MAX; n++) {
        double *r = tqt_doubles((size_t)(n * n) * TQ_FOLD_LANES), gram[N_MAX * N_MAX];
        cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
        fold_runs(n, r, gram);
        for (long a = 0; a < n; a++) {
            for (long b = 0; b < n; b++) {
                double sum = 0;
                for (long k = 0; k <= (a < b ? a : b); k++) {
                    for (long lane = 0; lane < TQ_FOLD_LANES; lane++) {
                        sum += r[(k * n + a) * TQ_FOLD_LANES + lane] *
                               r[(k * n + b) * TQ_FOLD_LANES + lane];
                    }
                }
                /* sums of 320 products of numbers below 1 */
                cr_expect(epsilon_eq(dbl, sum, gram[a * n + b], 320 * 1e-15 * n), "%d: %d %d",
                          (int)n, (int)a, (int)b);
            }
        }
        free(r);
    }
}

Test(fold, same_bits_at_every_width)
{
    for (long n = 1; n <= N_MAX; n++) {
        const size_t size = (size_t)(n * n) * TQ_FOLD_LANES;
        double *want = tqt_doubles(size), *got = tqt_doubles(size), gram[N_MAX * N_MAX];
        cr_assert(eq(int, tq_lanes_force(TQ_BUILD_PORTABLE), TQ_OK));
        fold_runs(n, want, gram);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) == TQ_OK) {
                fold_runs(n, got, gram);
                cr_expect(eq(int, memcmp(got, want, size * sizeof *got), 0), "build %d, n %d",
                          build, (int)n);
            }
        }
        free(want), free(got);
    }
}
