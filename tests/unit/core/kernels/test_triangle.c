/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_triangle.c - a triangle folded into another: values, and the same
 * bits in every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "core/kernels/table.h"
#include "core/lanes/table.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

/* below, at and above the lane width, and more columns than are processed at once */
static const long sizes[] = {1, 2, 7, 8, 9, 17, 66, 75};
enum { SIZES = sizeof sizes / sizeof sizes[0], N_MAX = 75 };

/* two random triangles; the third column of the second is zero */
static void make(long n, double *r, double *x)
{
    tqt_random random = tqt_random_seed((uint64_t)n);
    memset(r, 0, (size_t)(n * n) * sizeof *r);
    memset(x, 0, (size_t)(n * n) * sizeof *x);
    for (long i = 0; i < n; i++) {
        for (long j = i; j < n; j++) {
            r[i * n + j] = tqt_random_uniform(&random, -1, 1);
            x[i * n + j] = j == 2 ? 0.0 : tqt_random_uniform(&random, -1, 1);
        }
    }
}

static double gram(long n, const double *t, long a, long b)
{
    double sum = 0;
    for (long i = 0; i <= (a < b ? a : b); i++) {
        sum += t[i * n + a] * t[i * n + b];
    }
    return sum;
}

Test(triangle, squares_add_up)
{
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    for (int s = 0; s < SIZES; s++) {
        const long n = sizes[s];
        const size_t size = (size_t)(n * n);
        double *r = tqt_doubles(size), *x = tqt_doubles(size);
        double *before_r = tqt_doubles(size), *before_x = tqt_doubles(size);
        make(n, r, x);
        make(n, before_r, before_x);
        tq_kernels_for(TQ_FOLD_RUN)->triangle(n, r, x);
        for (long a = 0; a < n; a++) {
            for (long b = 0; b < n; b++) {
                /* n reflections of columns shorter than sqrt(2 n) */
                cr_expect(epsilon_eq(dbl, gram(n, r, a, b),
                                     gram(n, before_r, a, b) + gram(n, before_x, a, b),
                                     (double)(n * n) * 1e-15),
                          "%ld: %ld %ld", n, a, b);
                cr_assert(a <= b || r[a * n + b] == 0.0, "%ld: below the diagonal", n);
            }
        }
        free(r), free(x), free(before_r), free(before_x);
    }
}

Test(triangle, same_bits_at_every_width)
{
    for (int s = 0; s < SIZES; s++) {
        const long n = sizes[s];
        const size_t size = (size_t)(n * n);
        double *want = tqt_doubles(size), *got = tqt_doubles(size), *x = tqt_doubles(size);
        cr_assert(eq(int, tq_lanes_force(TQ_BUILD_PORTABLE), TQ_OK));
        make(n, want, x);
        tq_kernels_for(TQ_FOLD_RUN)->triangle(n, want, x);
        for (int build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) == TQ_OK) {
                make(n, got, x);
                tq_kernels_for(TQ_FOLD_RUN)->triangle(n, got, x);
                cr_expect(eq(int, memcmp(got, want, size * sizeof *got), 0), "build %d, n %ld",
                          build, n);
            }
        }
        free(want), free(got), free(x);
    }
}
