/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/motion/test_stage.c - two-variable linear programs, against their vertices. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/motion/timing/stage.h"
#include "tests/support/random.h"

enum { ROWS = 12 };

typedef struct row {
    double p, r, low, high;
} row;

static tq_bound upper[2 * ROWS], lower[2 * ROWS];

static tq_stage stage_of(const row *rows, size_t n, double cap)
{
    tq_stage stage = {.upper = upper, .lower = lower};
    tq_stage_clear(&stage, cap);
    for (size_t k = 0; k < n; k++) {
        tq_stage_add(&stage, rows[k].p, rows[k].r, rows[k].low, rows[k].high);
    }
    return stage;
}

static bool inside(const row *rows, size_t n, double cap, double x, double u)
{
    bool good = x >= -1e-9 && x <= cap + 1e-9;
    for (size_t k = 0; k < n; k++) {
        const double value = rows[k].p * u + rows[k].r * x;
        good = good && value >= rows[k].low - 1e-9 && value <= rows[k].high + 1e-9;
    }
    return good;
}

static void extend(const row *rows, size_t n, double cap, double x, double u, double range[2])
{
    if (inside(rows, n, cap, x, u)) {
        range[0] = fmin(range[0], x);
        range[1] = fmax(range[1], x);
    }
}

/* every pair of boundary lines: the vertices of the polygon are among their intersections */
static void vertices(const row *rows, size_t n, double cap, double range[2])
{
    range[0] = (double)INFINITY;
    range[1] = -(double)INFINITY;
    for (size_t a = 0; a < 2 * n; a++) {
        const row *f = &rows[a / 2];
        const double g = a % 2 == 0 ? f->low : f->high;
        extend(rows, n, cap, 0.0, g / f->p, range);
        extend(rows, n, cap, cap, (g - f->r * cap) / f->p, range);
        for (size_t b = 0; b < a; b++) {
            const row *e = &rows[b / 2];
            const double h = b % 2 == 0 ? e->low : e->high;
            const double det = f->p * e->r - e->p * f->r;
            extend(rows, n, cap, (f->p * h - e->p * g) / det, (g * e->r - h * f->r) / det, range);
        }
    }
}

Test(stage, range_is_that_of_the_vertices)
{
    tqt_random r = tqt_random_seed(15);
    int n_empty = 0;
    for (int trial = 0; trial < 4000; trial++) {
        row rows[ROWS];
        const size_t n = 2 + tqt_random_below(&r, ROWS - 1);
        for (size_t k = 0; k < n; k++) {
            const double middle = tqt_random_uniform(&r, -2.0, 2.0);
            const double half = tqt_random_uniform(&r, 0.1, 3.0);
            rows[k] = (row){.p = tqt_random_uniform(&r, -1.0, 1.0),
                            .r = tqt_random_uniform(&r, -1.0, 1.0),
                            .low = middle - half,
                            .high = middle + half};
        }
        double expected[2], least = 0.0, most = 0.0;
        vertices(rows, n, 5.0, expected);
        const tq_stage stage = stage_of(rows, n, 5.0);
        const bool some = tq_stage_range(&stage, &least, &most);
        cr_assert(eq(int, some, expected[0] <= expected[1]), "trial %d", trial);
        n_empty += !some;
        if (some) {
            cr_assert(epsilon_eq(dbl, least, expected[0], 1e-6), "trial %d", trial);
            cr_assert(epsilon_eq(dbl, most, expected[1], 1e-6), "trial %d", trial);
        }
    }
    cr_assert(all(gt(int, n_empty, 100), lt(int, n_empty, 3900)), "%d empty", n_empty);
}

Test(stage, rows_without_u_bound_x)
{
    const row rows[] = {{.p = 1, .low = -1, .high = 1},
                        {.r = 2, .low = 1, .high = 6},
                        {.r = -1, .low = -2, .high = 9}};
    double least = 0.0, most = 0.0;
    tq_stage stage = stage_of(rows, 3, 5.0);
    cr_assert(tq_stage_range(&stage, &least, &most));
    cr_assert(all(eq(dbl, least, 0.5), eq(dbl, most, 2.0)));
    cr_assert(eq(dbl, tq_stage_upper(&stage, 1.0), 1.0));
    tq_stage_add(&stage, 0.0, 0.0, 1.0, 2.0);
    cr_assert(not(tq_stage_range(&stage, &least, &most)), "0 is not between 1 and 2");
}
