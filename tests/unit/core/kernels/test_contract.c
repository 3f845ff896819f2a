/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_contract.c - weighted sums of columns: values, and the same bits in
 * every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"

enum { N = 5, SIZE = (N + 1) * TQ_FOLD_RUN };

static const int64_t offset[N] = {4 * TQ_FOLD_RUN, 0, TQ_FOLD_RUN, 5 * TQ_FOLD_RUN, TQ_FOLD_RUN};
static const double weights[N] = {0.5, -1.0, 0.25, 2.0, 1.0 / 3.0};

static void make(double *x, double *ret)
{
    tqt_random r = tqt_random_seed(5);
    for (int k = 0; k < SIZE; k++) {
        x[k] = tqt_random_uniform(&r, -1, 1);
    }
    for (int i = 0; i < TQ_FOLD_RUN; i++) {
        ret[i] = i;
    }
}

Test(contract, adds_weighted_columns)
{
    double x[SIZE], ret[TQ_FOLD_RUN];
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    make(x, ret);
    tq_kernels_for(TQ_FOLD_RUN)->contract(N, offset, weights, x, ret);
    for (int i = 0; i < TQ_FOLD_RUN; i++) {
        double want = i;
        for (int c = 0; c < N; c++) {
            want += weights[c] * x[offset[c] + i];
        }
        /* six roundings of numbers up to 68 */
        cr_expect(epsilon_eq(dbl, ret[i], want, 6 * 68 * 2.3e-16), "sample %d", i);
    }
}

Test(contract, same_bits_at_every_width)
{
    double x[SIZE], want[TQ_FOLD_RUN], got[TQ_FOLD_RUN];
    cr_assert(eq(int, tq_lanes_force(TQ_BUILD_PORTABLE), TQ_OK));
    make(x, want);
    tq_kernels_for(TQ_FOLD_RUN)->contract(N, offset, weights, x, want);
    for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        if (tq_lanes_force((tq_lanes_build)build) == TQ_OK) {
            make(x, got);
            tq_kernels_for(TQ_FOLD_RUN)->contract(N, offset, weights, x, got);
            cr_expect(eq(int, memcmp(got, want, sizeof got), 0), "build %d", build);
        }
    }
}
