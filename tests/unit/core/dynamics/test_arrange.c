/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/dynamics/test_arrange.c - samples to blocks and back, at every lane width. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/arrange.h"
#include "core/lanes/build.h"

enum { EDGE = 19, MARK = -7 };

/* exactly the numbers that may be accessed, so that a sanitizer detects a further access */
static double *numbers(size_t n)
{
    double *x = malloc((n > 0 ? n : 1) * sizeof *x);
    cr_assert(x != NULL);
    for (size_t i = 0; i < n; i++) {
        x[i] = MARK;
    }
    return x;
}

static size_t extent(size_t n_line, size_t step, size_t n)
{
    return n_line > 0 && n > 0 ? (n_line - 1) * step + n : 0;
}

static void check_shape(size_t n_row, size_t n, size_t pitch, size_t stride)
{
    const size_t n_from = extent(n, pitch, n_row), n_block = extent(n_row, stride, n);
    double *samples = numbers(n_from), *block = numbers(n_block), *back = numbers(n_from);
    for (size_t i = 0; i < n_from; i++) {
        samples[i] = (double)i;
    }
    tq_samples_to_block(n_row, n, samples, pitch, block, stride);
    tq_block_to_samples(n_row, n, block, stride, back, pitch);
    for (size_t k = 0; k < n_block; k++) {
        const size_t r = k / stride, i = k % stride;
        const double expected = i < n ? (double)(i * pitch + r) : (double)MARK;
        cr_assert(block[k] == expected, "row %zu, sample %zu of %zu x %zu", r, i, n_row, n);
    }
    for (size_t k = 0; k < n_from; k++) {
        const double expected = k % pitch < n_row ? (double)k : (double)MARK;
        cr_assert(back[k] == expected, "number %zu of %zu x %zu", k, n_row, n);
    }
    free(samples);
    free(block);
    free(back);
}

Test(arrange, every_shape_at_every_width, .timeout = 100)
{
    for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        if (tq_lanes_force(build) != TQ_OK) {
            continue;
        }
        for (size_t n_row = 0; n_row < EDGE; n_row++) {
            for (size_t n = 0; n < EDGE; n++) {
                check_shape(n_row, n, n_row > 0 ? n_row : 1, n > 0 ? n : 1);
                check_shape(n_row, n, n_row + 3, n + 5);
            }
        }
    }
}

Test(arrange, finite_at_every_width)
{
    enum { N = 200 };
    static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static const double good[] = {1.7976931348623157e308, -1.7976931348623157e308, 4.9e-324, -0.0};
    for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        if (tq_lanes_force(build) != TQ_OK) {
            continue;
        }
        for (size_t n = 0; n <= N; n++) {
            double *x = numbers(n);
            for (size_t i = 0; i < n; i++) {
                x[i] = good[i % 4];
            }
            cr_assert(tq_all_finite(n, x), "%zu", n);
            for (size_t i = 0; i < n; i += 7) {
                x[i] = bad[i % 4];
                cr_assert(not(tq_all_finite(n, x)), "%zu of %zu", i, n);
                x[i] = good[i % 4];
            }
            free(x);
        }
    }
}
