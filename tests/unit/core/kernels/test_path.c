/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/kernels/test_path.c - the kernels of one interval of a path: two-variable linear
 * programs against their vertices; rows and use against their definition; in every build. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/kernels/table.h"
#include "tests/support/random.h"

enum { ROWS = 12, ROOM = 16, JOINTS = 5, PAD = 8 };

typedef struct row {
    double p, r, low, high;
} row;

static double upper[ROOM], lower[ROOM], beta[ROOM];

/* low <= p u + r x <= high, p != 0 */
static tq_path_rows rows_of(const row *rows, size_t n, double cap)
{
    for (size_t k = 0; k < ROOM; k++) {
        const int is_there = k < n;
        const double p = is_there ? rows[k].p : 1.0;
        const double high = is_there ? rows[k].high : (double)INFINITY;
        const double low = is_there ? rows[k].low : -(double)INFINITY;
        upper[k] = (p > 0.0 ? high : low) / p;
        lower[k] = (p > 0.0 ? low : high) / p;
        beta[k] = is_there ? -rows[k].r / p : 0.0;
    }
    return (tq_path_rows){.n = ROOM, .cap = cap, .upper = upper, .lower = lower, .beta = beta};
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

/* intersections of every pair of boundary lines: the vertices of the polygon are among them */
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

/* the same bits in every build */
static int range_in_all(const tq_path_rows *rows, double start, double ret[2])
{
    int some = -1;
    for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        double range[2] = {0};
        if (tq_lanes_force(build) != TQ_OK) {
            continue;
        }
        const int is_there = tq_kernels_for(2)->path_range(rows, start, range);
        if (some < 0) {
            some = is_there;
            memcpy(ret, range, sizeof range);
        }
        cr_assert(eq(int, some, is_there), "build %d", (int)build);
        cr_assert(eq(int, memcmp(ret, range, is_there ? sizeof range : 0), 0), "build %d",
                  (int)build);
    }
    return some;
}

Test(path, range_is_that_of_the_vertices_wherever_it_is_sought_from)
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
        double expected[2], range[2] = {0};
        vertices(rows, n, 5.0, expected);
        const tq_path_rows of = rows_of(rows, n, 5.0);
        const double starts[] = {0.0, 5.0, tqt_random_uniform(&r, 0.0, 5.0), 1e12};
        for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
            const int some = range_in_all(&of, starts[k], range);
            cr_assert(eq(int, some, expected[0] <= expected[1]), "trial %d from %g", trial,
                      starts[k]);
            n_empty += !some;
            if (some) {
                cr_assert(epsilon_eq(dbl, range[0], expected[0], 1e-6), "trial %d", trial);
                cr_assert(epsilon_eq(dbl, range[1], expected[1], 1e-6), "trial %d", trial);
            }
        }
    }
    cr_assert(all(gt(int, n_empty, 400), lt(int, n_empty, 15600)), "%d empty", n_empty);
}

/* A distant cap: u = 2 and -x / h from the end, 0 <= x <= 2 h (2 + 0) of the interval before it. */
Test(path, a_far_cap_costs_no_accuracy)
{
    const double h = 1.5e-5;
    const row rows[] = {{.p = 1, .low = -2, .high = 2}, {.p = 2 * h, .r = 1, .low = 0, .high = 0}};
    double range[2];
    const tq_path_rows of = rows_of(rows, 2, 1e12);
    cr_assert(eq(int, range_in_all(&of, 0.0, range), 1));
    cr_assert(epsilon_eq(dbl, range[1], 4 * h, 1e-12 * 4 * h), "%.17g", range[1]);
    cr_assert(eq(dbl, range[0], 0.0));
}

typedef struct interval {
    double slope[TQ_PATH_NODES][PAD], bend[TQ_PATH_NODES][PAD], a[TQ_PATH_NODES][PAD],
        b[TQ_PATH_NODES][PAD], c[TQ_PATH_NODES][PAD], zero[TQ_PATH_NODES][PAD];
    double velocity[PAD], acceleration[PAD], effort[PAD], margin[3][PAD];
    tq_path_interval in;
} interval;

/* terms linear over the interval, so that every interpolation is exact */
static void random_interval(tqt_random *r, interval *to)
{
    *to = (interval){0};
    for (size_t j = 0; j < PAD; j++) {
        to->velocity[j] = to->acceleration[j] = to->effort[j] = (double)INFINITY;
        double ends[5][2] = {{1, 1}, {0}, {1, 1}, {0}, {0}};
        for (size_t q = 0; q < 5 && j < JOINTS; q++) {
            ends[q][0] = tqt_random_uniform(r, -2.0, 2.0);
            ends[q][1] = tqt_random_uniform(r, -2.0, 2.0);
        }
        for (size_t k = 0; k < TQ_PATH_NODES; k++) {
            double *at[] = {to->slope[k], to->bend[k], to->a[k], to->b[k], to->c[k]};
            for (size_t q = 0; q < 5; q++) {
                at[q][j] =
                    ends[q][0] + (ends[q][1] - ends[q][0]) * (double)k / (double)TQ_PATH_PARTS;
            }
        }
        if (j < JOINTS) {
            to->velocity[j] = tqt_random_uniform(r, 0.5, 2.0);
            to->acceleration[j] = tqt_random_uniform(r, 0.5, 2.0);
            to->effort[j] = tqt_random_uniform(r, 2.5, 4.0);
        }
    }
    to->in = (tq_path_interval){.n_row = PAD,
                                .step = tqt_random_uniform(r, 0.05, 0.2),
                                .slope = to->slope[0],
                                .bend = to->bend[0],
                                .a = to->a[0],
                                .b = to->b[0],
                                .c = to->c[0],
                                .force = to->zero[0],
                                .least = to->zero[0],
                                .most = to->zero[0],
                                .per = to->zero[0],
                                .velocity = to->velocity,
                                .acceleration = to->acceleration,
                                .effort = to->effort,
                                .margin = to->margin[0]};
}

/* value / limit of joint j at node k: the largest of the three */
static double use_at(const interval *of, size_t j, size_t k, double x, double u, double use[3])
{
    const double at = x + 2.0 * of->in.step * (double)k / (double)TQ_PATH_PARTS * u;
    use[0] = fabs(of->slope[k][j]) * sqrt(fmax(at, 0.0)) / of->velocity[j];
    use[1] = fabs(of->slope[k][j] * u + of->bend[k][j] * at) / of->acceleration[j];
    use[2] = fabs(of->a[k][j] * u + of->b[k][j] * at + of->c[k][j]) / of->effort[j];
    return fmax(use[0], fmax(use[1], use[2]));
}

/* largest u at x by bisection on the definition, starting from one that satisfies the limits */
static double largest_u(const interval *of, double x, double from)
{
    double low = from;
    double high = from + 1e3;
    for (int step = 0; step < 80; step++) {
        const double u = 0.5 * (low + high);
        double most = 0.0, use[3];
        for (size_t j = 0; j < JOINTS; j++) {
            for (size_t k = 0; k < TQ_PATH_NODES; k += TQ_PATH_EVERY) {
                most = fmax(most, use_at(of, j, k, x, u, use));
            }
        }
        *(most <= 1.0 ? &low : &high) = u;
    }
    return low;
}

Test(path, rows_and_use_are_the_limits)
{
    static double bounds[3][64];
    tqt_random r = tqt_random_seed(16);
    int n_bound = 0;
    for (int trial = 0; trial < 200; trial++) {
        interval of;
        random_interval(&r, &of);
        for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force(build) != TQ_OK) {
                continue;
            }
            tq_path_rows rows = {
                .cap = 9.0, .upper = bounds[0], .lower = bounds[1], .beta = bounds[2]};
            double range[2];
            tq_kernels_for(2)->path_rows(&of.in, &rows);
            cr_assert(eq(long, rows.n, tq_path_row_count(PAD, 2)));
            if (!tq_kernels_for(2)->path_range(&rows, 1.0, range)) {
                continue;
            }
            const double x = 0.5 * (range[0] + range[1]);
            const double u = tq_kernels_for(2)->path_upper(&rows, x);
            cr_assert(epsilon_eq(dbl, largest_u(&of, x, u - 1e-9), u, 1e-8), "trial %d", trial);
            n_bound++;
            double use[3][PAD], high[3][PAD];
            of.in.x[0] = x;
            of.in.x[1] = fmax(x + 2.0 * of.in.step * u, 0.0);
            of.in.u = (of.in.x[1] - x) / (2.0 * of.in.step);
            const double most = tq_kernels_for(2)->path_use(&of.in, use[0], high[0]);
            double worst = 0.0;
            for (size_t k = 0; k < (size_t)3 * PAD; k++) {
                worst = fmax(worst, high[k / PAD][k % PAD]);
            }
            cr_assert(eq(dbl, most, worst));
            for (size_t j = 0; j < JOINTS; j++) {
                double ends[2][3];
                (void)use_at(&of, j, 0, x, of.in.u, ends[0]);
                (void)use_at(&of, j, TQ_PATH_PARTS, x, of.in.u, ends[1]);
                for (size_t kind = 0; kind < 3; kind++) { /* both ends of the interval are among the
                                                             points */
                    const double least = fmax(ends[0][kind], ends[1][kind]);
                    cr_assert(ge(dbl, use[kind][j], least - 1e-9));
                    cr_assert(ge(dbl, high[kind][j], use[kind][j]));
                }
            }
        }
    }
    cr_assert(gt(int, n_bound, 100));
}

Test(path, rows_without_u_bound_x)
{
    static double bounds[3][64];
    tqt_random r = tqt_random_seed(17);
    interval of;
    random_interval(&r, &of);
    for (size_t k = 0; k < TQ_PATH_NODES; k++) {
        for (size_t j = 0; j < JOINTS; j++) { /* tau = 2 x - 1, limit 2: x <= 1.5 */
            of.a[k][j] = 0.0;
            of.b[k][j] = j == 2 ? 2.0 : 0.0;
            of.c[k][j] = j == 2 ? -1.0 : 0.0;
            of.effort[j] = 2.0;
            of.acceleration[j] = 1e9;
            of.velocity[j] = 1e9;
        }
    }
    for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        if (tq_lanes_force(build) != TQ_OK) {
            continue;
        }
        tq_path_rows rows = {.cap = 9.0, .upper = bounds[0], .lower = bounds[1], .beta = bounds[2]};
        tq_kernels_for(2)->path_rows(&of.in, &rows);
        cr_assert(epsilon_eq(dbl, rows.cap, 1.5, 1e-15));
        of.c[0][1] = 2.5; /* 0 u + 0 x + 2.5 */
        tq_kernels_for(2)->path_rows(&of.in, &rows);
        cr_assert(lt(dbl, rows.cap, 0.0));
        of.c[0][1] = 0.0;
    }
}

/* x = s^3 - 2 s^2 + j s on [1, 3] equals its own spline */
Test(path, a_piece_of_a_spline_is_its_cubic)
{
    enum { PARTS = 9 };
    double ends[2][2][PAD], part[PARTS], first[3][PARTS][PAD];
    for (size_t j = 0; j < PAD; j++) {
        for (size_t k = 0; k < 2; k++) {
            const double s = k == 0 ? 1.0 : 3.0;
            ends[0][k][j] = s * s * s - 2.0 * s * s + (double)j * s;
            ends[1][k][j] = 6.0 * s - 4.0;
        }
    }
    for (size_t k = 0; k < PARTS; k++) {
        part[k] = (double)k / (PARTS - 1);
    }
    const tq_path_cubic cubic = {.n_row = PAD,
                                 .span = 2.0,
                                 .value = {ends[0][0], ends[0][1]},
                                 .curvature = {ends[1][0], ends[1][1]}};
    int n_build = 0;
    for (tq_lanes_build build = TQ_BUILD_PORTABLE; build < TQ_BUILD_COUNT; build++) {
        double of[3][PARTS][PAD];
        if (tq_lanes_force(build) != TQ_OK) {
            continue;
        }
        tq_kernels_for(2)->path_spline(&cubic, PARTS, part, of[0][0], of[1][0], of[2][0]);
        for (size_t k = 0; k < PARTS; k++) {
            const double s = 1.0 + 2.0 * part[k];
            for (size_t j = 0; j < PAD; j++) {
                const double i = (double)j;
                cr_assert(epsilon_eq(dbl, of[0][k][j], s * s * s - 2.0 * s * s + i * s, 1e-12));
                cr_assert(epsilon_eq(dbl, of[1][k][j], 3.0 * s * s - 4.0 * s + i, 1e-12));
                cr_assert(epsilon_eq(dbl, of[2][k][j], 6.0 * s - 4.0, 1e-12));
            }
        }
        memcpy(first, n_build++ == 0 ? of : first, sizeof of);
        cr_assert(eq(int, memcmp(first, of, sizeof of), 0), "build %d", (int)build);
    }
    cr_assert(gt(int, n_build, 0));
}
