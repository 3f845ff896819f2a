/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_steady.c - one step above the limit is detected at any position. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"

enum { N = 21 }; /* steps: more than two of the widest vectors, and a remainder */

Test(steady, detects_one_step_beyond_the_limit)
{
    for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
            continue;
        }
        const tq_kernels *kernels = tq_kernels_for(TQ_FOLD_RUN);
        for (long n = 1; n <= N; n++) {
            double x[N + 1];
            for (long k = 0; k <= n; k++) {
                x[k] = 0.5 * (double)k; /* each step equals the limit */
            }
            cr_assert(eq(int, kernels->steady(n, x, 0.5), 1), "build %d, %ld steps", build, n);
            cr_assert(eq(int, kernels->steady(n, x, 0.4999), 0));
            for (long at = 1; at <= n; at++) {
                for (long k = at; k <= n; k++) {
                    x[k] += 0.125;
                }
                cr_assert(eq(int, kernels->steady(n, x, 0.5), 0), "build %d, %ld of %ld", build, at,
                          n);
                for (long k = at; k <= n; k++) {
                    x[k] -= 0.125;
                }
            }
            x[n] = (double)NAN;
            cr_assert(eq(int, kernels->steady(n, x, 0.5), 0));
        }
    }
}
