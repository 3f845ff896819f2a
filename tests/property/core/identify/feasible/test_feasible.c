/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/feasible/test_feasible.c - difficult problems, each with its
 * certificate; the same optimum as CSDP. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/feasible/block4.h"
#include "core/identify/feasible/feasible.h"
#include "tests/support/csdp.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

enum { TEN = TQ_SVEC4, OTHER_MAX = 12, BOUND_MAX = 16, HARD = TQT_SANITIZED ? 400 : 4000 };

/* a random problem with its arrays */
typedef struct trial {
    tq_feasible p;
    uint8_t positive[OTHER_MAX];
    tq_feasible_bound bounds[BOUND_MAX];
    size_t n;
    double *a, *b, *x;
} trial;

enum { FULL_RANK = 1, MILD = 2 };

/* bodies inside, near and beyond the boundary of feasibility; columns of very different sizes, some
 * without effect; noise from zero to more than the signal */
static trial draw(uint64_t seed, unsigned how)
{
    tqt_random r = tqt_random_seed(seed);
    trial t = {.p = {.floor = 1e-6, .tolerance = 1e-9}};
    t.p.n_body = 1 + tqt_random_below(&r, how & MILD ? 4 : 8);
    t.p.n_other = tqt_random_below(&r, OTHER_MAX + 1);
    t.n = TEN * t.p.n_body + t.p.n_other;
    t.p.m = how & FULL_RANK ? t.n + 5 : 1 + tqt_random_below(&r, (uint32_t)t.n + 10);
    for (size_t k = 0; k < t.p.n_other; k++) {
        t.positive[k] = (uint8_t)tqt_random_below(&r, 2);
    }
    t.a = tqt_doubles(t.p.m * t.n), t.b = tqt_doubles(t.p.m), t.x = tqt_doubles(t.n + 1);
    t.x[t.n] = (double)NAN; /* guard value: a read beyond the parameters gives NaN */
    const double spread = how & MILD ? 0.5 : tqt_random_uniform(&r, 0, 4);
    const double strength = how & MILD ? 1 : pow(10, tqt_random_uniform(&r, -2, 4));
    for (size_t c = 0; c < t.n; c++) {
        const double size = strength * pow(10, tqt_random_uniform(&r, -spread, spread));
        const int none = !(how & FULL_RANK) && tqt_random_chance(&r, .1);
        for (size_t i = 0; i < t.p.m; i++) {
            t.a[c * t.p.m + i] = none ? 0 : size * tqt_normal(&r);
        }
    }
    const double noise = how & MILD ? .3 : pow(10, tqt_random_uniform(&r, -8, 1));
    for (size_t c = 0; c < t.n; c++) {
        const double truth = tqt_normal(&r) * pow(10, tqt_random_uniform(&r, -3, 1));
        for (size_t i = 0; i < t.p.m; i++) {
            t.b[i] += t.a[c * t.p.m + i] * truth;
        }
    }
    for (size_t i = 0; i < t.p.m; i++) {
        t.b[i] += strength * noise * tqt_normal(&r);
    }
    t.p.entropy =
        how & FULL_RANK ? 0 : strength * strength * pow(10, tqt_random_uniform(&r, -8, 0));
    return t;
}

static void point(trial *t)
{
    t->p.a = t->a, t->p.b = t->b, t->p.positive = t->positive, t->p.bounds = t->bounds;
}

/* random bounds of sizes from `least` on, of bodies with P = 1 inside */
static void bound(trial *t, uint64_t seed, double least)
{
    tqt_random r = tqt_random_seed(seed + 4711);
    t->p.n_bound = 1 + tqt_random_below(&r, BOUND_MAX);
    for (size_t k = 0; k < t->p.n_bound; k++) {
        tq_feasible_bound *b = &t->bounds[k];
        *b = (tq_feasible_bound){.body = tqt_random_below(&r, (uint32_t)t->p.n_body)};
        b->offset = pow(10, tqt_random_uniform(&r, least, 1));
        for (int i = 0; i < TEN; i++) {
            b->row[i] = tqt_normal(&r);
            b->offset -= i == 0 || i == 4 || i == 7 || i == 9 ? b->row[i] : 0;
        }
    }
}

static double slack(const trial *t, size_t k, const double *x)
{
    double sum = t->bounds[k].offset;
    for (int i = 0; i < TEN; i++) {
        sum += t->bounds[k].row[i] * x[TEN * t->bounds[k].body + (size_t)i];
    }
    return sum;
}

static void release(trial *t)
{
    free(t->a), free(t->b), free(t->x);
}

static double objective(const trial *t, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < t->p.m; i++) {
        double r = t->b[i];
        for (size_t c = 0; c < t->n; c++) {
            r -= t->a[c * t->p.m + i] * x[c];
        }
        sum += r * r;
    }
    return sum;
}

/* the complete objective; infinite outside of the feasible set */
static double whole(const trial *t, const double *x)
{
    double sum = objective(t, x);
    for (size_t k = 0; k < t->p.n_bound; k++) {
        double size = 1; /* the sum's rounding is in proportion to its parts */
        for (int i = 0; i < TEN; i++) {
            size += fabs(t->bounds[k].row[i] * x[TEN * t->bounds[k].body + (size_t)i]);
        }
        if (!(slack(t, k, x) > -1e-13 * size)) {
            return (double)INFINITY;
        }
    }
    for (size_t k = 0; k < t->p.n_body; k++) {
        tq_block4 p, l;
        tq_smat4(x + TEN * k, p);
        sum += t->p.entropy * (p[0] + p[5] + p[10] + p[15]);
        for (int i = 0; i < 4; i++) {
            p[5 * i] -= t->p.floor;
        }
        if (!tq_cholesky4(p, l)) {
            return (double)INFINITY;
        }
        sum -= t->p.entropy * 2 * log(l[0] * l[5] * l[10] * l[15]);
    }
    for (size_t k = 0; k < t->p.n_other; k++) {
        const double v = x[TEN * t->p.n_body + k];
        if (t->positive[k] && !(v > 0)) {
            return (double)INFINITY;
        }
        sum += t->p.entropy * (t->positive[k] ? v - (t->p.entropy > 0 ? log(v) : 0) : v * v);
    }
    return sum;
}

static tq_status solve(trial *t, tq_scratch *scratch, tq_feasible_report *report, tq_error *error)
{
    point(t);
    return tq_feasible_solve(&t->p, scratch, t->x, report, error);
}

/* random steps from the result: no feasible point nearby is better than the certificate admits */
static void expect_lowest(const trial *t, const tq_feasible_report *report, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 77);
    const double here = whole(t, t->x);
    cr_assert(here < (double)INFINITY, "seed %d is feasible", (int)seed);
    double *y = tqt_doubles(t->n);
    for (int k = 0; k < 30; k++) {
        const double size = pow(10, tqt_random_uniform(&r, -6, 0));
        for (size_t c = 0; c < t->n; c++) {
            y[c] = t->x[c] + size * tqt_normal(&r) * (fabs(t->x[c]) + 1e-3);
        }
        const double there = whole(t, y);
        /* rounding of sums of the size of |b|^2 */
        const double slack = report->gap + 1e-12 * fabs(here) + 1e-14 * objective(t, y);
        cr_expect(there >= here - slack, "seed %d: %.17g below %.17g by more than %g", (int)seed,
                  there, here, slack);
    }
    free(y);
}

static void solve_hard_problems(bool with_bounds)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10, BOUND_MAX);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    for (uint64_t seed = 0; seed < (with_bounds ? HARD / 4 : HARD); seed++) {
        trial t = draw(seed, 0);
        tq_feasible_report report;
        if (with_bounds) {
            bound(&t, seed, -3);
        }
        tq_error error = {0};
        const tq_status status = solve(&t, &scratch, &report, &error);
        cr_expect(eq(int, status, TQ_OK), "seed %d: gap %g", (int)seed, error.value);
        if (status == TQ_OK) {
            cr_expect(gt(dbl, report.least_eigen, 0.0), "seed %d", (int)seed);
            cr_expect(epsilon_eq(dbl, report.objective, objective(&t, t.x),
                                 1e-9 * report.objective + 1e-14 * objective(&t, t.x)));
            if (seed % 20 == 0) {
                expect_lowest(&t, &report, seed);
            }
        }
        release(&t);
    }
    free(scratch.memory);
}

Test(feasible, hard_problems)
{
    solve_hard_problems(false);
}

Test(feasible, hard_problems_with_bounds)
{
    solve_hard_problems(true);
}

/* min |x - t|^2 within row . x + offset >= 0: x = t - row (row . t + offset) / |row|^2 where t is
 * outside, the multiplier is -2 (row . t + offset) / |row|^2; P = t is far inside the cone */
Test(feasible, projects_on_one_bound)
{
    const size_t size = tq_feasible_size(1, 0, TEN, 2);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    double a[TEN * TEN] = {0}, x[TEN];
    const double b[TEN] = {2, .1, 0, .2, 1.5, 0, -.1, 2.5, 0, 3};
    for (int i = 0; i < TEN; i++) {
        a[(TEN + 1) * i] = 1;
    }
    for (int active = 0; active < 2; active++) {
        /* the last entry, a mass in its prior's unit, is at most 2 or 4 */
        tq_feasible_bound bounds[2] = {{.row = {[9] = -1}, .offset = active ? 2 : 4},
                                       {.row = {[0] = 1, [9] = -.1}, .offset = 0}};
        const tq_feasible p = {.n_body = 1,
                               .m = TEN,
                               .a = a,
                               .b = b,
                               .floor = 1e-6,
                               .tolerance = 1e-10,
                               .n_bound = 2,
                               .bounds = bounds};
        tq_feasible_report report;
        cr_assert(eq(int, tq_feasible_solve(&p, &scratch, x, &report, NULL), TQ_OK));
        for (int i = 0; i < TEN; i++) {
            cr_expect(epsilon_eq(dbl, x[i], i == 9 && active ? 2 : b[i], 1e-5), "%d", i);
        }
        cr_expect(epsilon_eq(dbl, report.objective, active ? 1 : 0, 1e-9));
        cr_expect(epsilon_eq(dbl, bounds[0].multiplier, active ? 2 : 0, 1e-5));
        cr_expect(epsilon_eq(dbl, bounds[1].multiplier, 0, 1e-5));
    }
    tq_feasible_bound outside = {.row = {[9] = -1}, .offset = .5};
    const tq_feasible p = {.n_body = 1,
                           .m = TEN,
                           .a = a,
                           .b = b,
                           .floor = 1e-6,
                           .tolerance = 1e-10,
                           .n_bound = 1,
                           .bounds = &outside};
    tq_feasible_report report;
    tq_error error = {0};
    cr_expect(eq(int, tq_feasible_solve(&p, &scratch, x, &report, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)error.what, "bound"));
    free(scratch.memory);
}

Test(feasible, full_rank_without_entropy)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10, BOUND_MAX);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    for (uint64_t seed = 0; seed < 300; seed++) {
        trial t = draw(seed, FULL_RANK);
        tq_feasible_report report;
        tq_error error = {0};
        const tq_status status = solve(&t, &scratch, &report, &error);
        cr_expect(eq(int, status, TQ_OK), "seed %d: gap %g", (int)seed, error.value);
        cr_expect(le(dbl, report.gap, 1e-8 * report.objective), "seed %d", (int)seed);
        release(&t);
    }
    tq_scratch none;
    tq_scratch_init(&none, scratch.memory, 64);
    trial t = draw(1, FULL_RANK);
    tq_feasible_report report;
    cr_expect(eq(int, solve(&t, &none, &report, NULL), TQ_ERR_SCRATCH));
    release(&t);
    free(scratch.memory);
}

static void compare_with_csdp(bool with_bounds)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10, BOUND_MAX);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    int compared = 0, n_active = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        trial t = draw(seed, FULL_RANK | MILD);
        double *x = tqt_doubles(t.n);
        if (with_bounds) {
            bound(&t, seed, -1);
        }
        point(&t);
        if (tqt_csdp(&t.p, x)) {
            tq_feasible_report report;
            cr_assert(eq(int, solve(&t, &scratch, &report, NULL), TQ_OK));
            const double theirs = objective(&t, x);
            /* the required accuracy: 1e-6 of the objective, 1e-4 of the parameters */
            cr_expect(epsilon_eq(dbl, report.objective, theirs, 1e-6 * theirs), "seed %d",
                      (int)seed);
            for (size_t k = 0; k < t.p.n_bound; k++) { /* complementary */
                n_active += slack(&t, k, t.x) < 1e-6;
                cr_expect(lt(dbl, slack(&t, k, t.x) * t.bounds[k].multiplier, 1e-6 * theirs));
            }
            for (size_t c = 0; c < t.n; c++) {
                cr_expect(epsilon_eq(dbl, t.x[c], x[c], 1e-4 * (fabs(x[c]) + 1)), "seed %d, %d",
                          (int)seed, (int)c);
            }
            compared++;
        }
        free(x);
        release(&t);
    }
    free(scratch.memory);
    if (compared == 0) {
        cr_skip("no csdp here (Debian: coinor-csdp)");
    }
    cr_expect(ge(int, compared, 10));
    cr_expect(ge(int, n_active, with_bounds ? 20 : 0));
}

Test(feasible, agrees_with_csdp)
{
    compare_with_csdp(false);
}

Test(feasible, agrees_with_csdp_within_bounds)
{
    compare_with_csdp(true);
}
