/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/regression/test_estimate.c - estimators on a triangle: small problems
 * with known solutions. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/identify/regression/estimate.h"
#include "core/identify/regression/tsqr.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"

enum { N = 4, M = 200, W = N + 1 };
static const double one[N] = {1, 1, 1, 1};

typedef struct problem {
    double rows[M * W], triangle[W * W];
    tq_reduced data;
    tq_scratch scratch;
} problem;

/* b = A truth + noise; with `twins` column 3 equals column 0 */
static problem *draw(const double truth[N], double noise, double noise_a, int twins)
{
    problem *p = calloc(1, sizeof *p);
    tqt_random r = tqt_random_seed(8);
    double spent[M * W];
    for (int i = 0; i < M; i++) {
        double b = 0;
        for (int c = 0; c < N; c++) {
            p->rows[i * W + c] = c == 3 && twins ? p->rows[i * W] : tqt_normal(&r);
            b += p->rows[i * W + c] * truth[c];
        }
        p->rows[i * W + N] = b + noise * tqt_normal(&r);
        for (int c = 0; c < N && noise_a > 0; c++) {
            p->rows[i * W + c] += noise_a * tqt_normal(&r);
        }
        for (int c = 0; c <= N; c++) {
            spent[i * W + c] = p->rows[i * W + c];
        }
    }
    tq_tsqr tsqr;
    tq_tsqr_init(&tsqr, W, p->triangle);
    tq_tsqr_fold(&tsqr, M, spent);
    p->data = (tq_reduced){N, p->triangle, one};
    const size_t size = tq_estimate_size(N);
    tq_scratch_init(&p->scratch, tqt_doubles(size / 8 + 8), size);
    return p;
}

static void release(problem *p)
{
    free(p->scratch.memory), free(p);
}

static double residual(const problem *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < M; i++) {
        double r = p->rows[i * W + N];
        for (int c = 0; c < N; c++) {
            r -= p->rows[i * W + c] * x[c];
        }
        sum += r * r;
    }
    return sum;
}

static const double truth[N] = {1, -2, .5, 3};

Test(estimate, ols_is_where_the_gradient_vanishes)
{
    problem *p = draw(truth, .1, 0, 0);
    double x[N];
    size_t rank = 0;
    cr_assert(eq(int, tq_estimate_ols(&p->data, NULL, 1e-10, &p->scratch, x, &rank, NULL), TQ_OK));
    cr_expect(eq(sz, rank, N));
    cr_expect(epsilon_eq(dbl, tq_reduced_residual(&p->data, x), residual(p, x), 1e-12));
    for (int c = 0; c < N; c++) {
        double slope = 0;
        for (int i = 0; i < M; i++) {
            double r = p->rows[i * W + N];
            for (int k = 0; k < N; k++) {
                r -= p->rows[i * W + k] * x[k];
            }
            slope += r * p->rows[i * W + c];
        }
        cr_expect(lt(dbl, fabs(slope), 1e-12 * (double)M));
        cr_expect(epsilon_eq(dbl, x[c], truth[c], .05), "three deviations of .1 / sqrt(200)");
    }
    release(p);
}

Test(estimate, a_singular_fit_is_the_solution_nearest_to_the_centre)
{
    problem *p = draw(truth, 0, 0, 1);
    const double centre[N] = {2, 0, 0, 0};
    double x[N];
    size_t rank = 0;
    cr_assert(
        eq(int, tq_estimate_ols(&p->data, centre, 1e-10, &p->scratch, x, &rank, NULL), TQ_OK));
    cr_expect(eq(sz, rank, N - 1));
    /* only the sum 4 of the equal columns is determined; the minimum-norm solution shares the rest
     */
    cr_expect(epsilon_eq(dbl, x[0], 3, 1e-12));
    cr_expect(epsilon_eq(dbl, x[3], 1, 1e-12));
    double shrunk[N];
    cr_assert(eq(int, tq_estimate_ridge(&p->data, centre, 1e-9, &p->scratch, shrunk, NULL), TQ_OK));
    cr_expect(epsilon_eq(dbl, shrunk[0], 3, 1e-8), "a little ridge goes the same way");
    cr_assert(eq(int, tq_estimate_ridge(&p->data, centre, 1e9, &p->scratch, shrunk, NULL), TQ_OK));
    cr_expect(epsilon_eq(dbl, shrunk[1], 0, 1e-5), "much of it is the centre");
    release(p);
}

Test(estimate, tls_accounts_for_noise_in_the_columns)
{
    problem *p = draw(truth, .5, .5, 0);
    double ols[N], tls[N], off[2] = {0, 0};
    size_t rank = 0;
    cr_assert(
        eq(int, tq_estimate_ols(&p->data, NULL, 1e-10, &p->scratch, ols, &rank, NULL), TQ_OK));
    cr_assert(eq(int, tq_estimate_tls(&p->data, 1, &p->scratch, tls, NULL), TQ_OK));
    for (int c = 0; c < N; c++) {
        off[0] += fabs(ols[c] - truth[c]);
        off[1] += fabs(tls[c] - truth[c]);
    }
    cr_expect(lt(dbl, off[1], .6 * off[0]), "%g against %g", off[1], off[0]);
    cr_expect(lt(dbl, fabs(ols[3]), 2.7), "ols is drawn to zero");
    release(p);
}

Test(estimate, bounded_meets_its_conditions)
{
    const double inside[N] = {1, -2, -.5, 3};
    problem *p = draw(inside, .1, 0, 0);
    static const bool positive[N] = {true, false, true, true};
    double x[N];
    cr_assert(
        eq(int, tq_estimate_bounded(&p->data, positive, NULL, 1e-10, &p->scratch, x, NULL), TQ_OK));
    cr_expect(eq(dbl, x[2], 0.0), "held at its bound");
    cr_expect(epsilon_eq(dbl, x[1], -2, .2), "free to be negative");
    /* no feasible point nearby has a smaller residual */
    const double here = residual(p, x);
    for (int c = 0; c < N; c++) {
        for (double step = -.1; step < .2; step += .2) {
            double y[N] = {x[0], x[1], x[2], x[3]};
            y[c] += step;
            cr_expect(ge(dbl, y[c] < 0 && positive[c] ? here : residual(p, y), here));
        }
    }
    release(p);
}

Test(estimate, too_little_scratch)
{
    problem *p = draw(truth, .1, 0, 0);
    double x[N];
    size_t rank = 0;
    tq_scratch none;
    tq_scratch_init(&none, p->scratch.memory, 64);
    static const bool positive[N] = {false};
    cr_expect(
        eq(int, tq_estimate_ols(&p->data, NULL, 1e-9, &none, x, &rank, NULL), TQ_ERR_SCRATCH));
    cr_expect(eq(int, tq_estimate_ridge(&p->data, NULL, 1, &none, x, NULL), TQ_ERR_SCRATCH));
    cr_expect(eq(int, tq_estimate_tls(&p->data, 1, &none, x, NULL), TQ_ERR_SCRATCH));
    cr_expect(eq(int, tq_estimate_bounded(&p->data, positive, NULL, 1e-9, &none, x, NULL),
                 TQ_ERR_SCRATCH));
    cr_expect(eq(int, tq_reduced_svd(&p->data, NULL, &none, x, NULL, NULL), TQ_ERR_SCRATCH));
    release(p);
}
