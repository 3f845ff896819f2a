/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/contact/test_laws.c - impulses of random contacts satisfy the contact laws;
 * redundant contacts too. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "tests/support/random.h"

enum { N_MAX = 8, NV_MAX = 12, N_CASE = 400 };

typedef struct problem {
    size_t n;
    double w[9 * N_MAX * N_MAX], b[3 * N_MAX], mu[N_MAX], p[3 * N_MAX], u[3 * N_MAX];
} problem;

/* W = J M^-1 J^T of nv dofs: singular if 3 n > nv; b in the range of W, as velocities are */
static void random_problem(tqt_random *r, problem *to)
{
    double j[3 * N_MAX][NV_MAX];
    double v[NV_MAX];
    const size_t nv = 6 + tqt_random_below(r, NV_MAX - 5);
    to->n = 1 + tqt_random_below(r, N_MAX);
    for (size_t c = 0; c < nv; c++) {
        v[c] = tqt_random_uniform(r, -2.0, 1.0);
    }
    for (size_t i = 0; i < 3 * to->n; i++) {
        to->b[i] = 0.0;
        to->p[i] = 0.0;
        for (size_t c = 0; c < nv; c++) {
            j[i][c] = tqt_random_uniform(r, -1.0, 1.0) + (i % 3 == 0 ? 0.5 : 0.0);
            to->b[i] += j[i][c] * v[c];
        }
    }
    for (size_t i = 0; i < 3 * to->n; i++) {
        for (size_t k = 0; k < 3 * to->n; k++) {
            double sum = 0.0;
            for (size_t c = 0; c < nv; c++) {
                sum += j[i][c] * j[k][c] * (1.0 + (double)c);
            }
            to->w[i * 3 * to->n + k] = sum;
        }
    }
    for (size_t i = 0; i < to->n; i++) {
        to->mu[i] = tqt_random_chance(r, 0.2) ? 0.0 : tqt_random_uniform(r, 0.05, 0.7);
    }
}

static void velocities(problem *to)
{
    for (size_t i = 0; i < 3 * to->n; i++) {
        to->u[i] = to->b[i];
        for (size_t k = 0; k < 3 * to->n; k++) {
            to->u[i] += to->w[i * 3 * to->n + k] * to->p[k];
        }
    }
}

Test(laws, of_signorini_and_coulomb_hold)
{
    tqt_random r = tqt_random_seed(11);
    size_t n_stick = 0, n_slide = 0, n_open = 0, n_solved = 0;
    for (int k = 0; k < N_CASE; k++) {
        static problem it;
        random_problem(&r, &it);
        const double violation = tq_contact_laws(it.n, it.w, it.b, it.mu, it.p);
        if (violation > 1e-9) { /* Coulomb's law has no solution for some W */
            continue;
        }
        n_solved++;
        velocities(&it);
        for (size_t i = 0; i < it.n; i++) {
            const double *p = it.p + 3 * i, *u = it.u + 3 * i;
            const double pt = hypot(p[1], p[2]), ut = hypot(u[1], u[2]), most = it.mu[i] * p[0];
            cr_assert(all(ge(dbl, p[0], 0.0), ge(dbl, u[0], -1e-7)), "case %d, %zu", k, i);
            cr_assert(lt(dbl, fmin(p[0], u[0]), 1e-7), "case %d, %zu: %g %g", k, i, p[0], u[0]);
            cr_assert(le(dbl, pt, most * (1.0 + 1e-12) + 1e-15), "case %d, %zu", k, i);
            if (p[0] < 1e-7) {
                n_open++;
                continue;
            }
            if (pt < most - 1e-6) {
                n_stick++;
                cr_assert(lt(dbl, ut, 1e-6), "case %d, %zu: sticks at %g", k, i, ut);
            } else if (ut > 1e-6) {
                n_slide++;
                cr_assert(epsilon_eq(dbl, p[1] * ut, -most * u[1], 1e-6 * (1.0 + most * ut)));
                cr_assert(epsilon_eq(dbl, p[2] * ut, -most * u[2], 1e-6 * (1.0 + most * ut)));
            }
        }
    }
    cr_assert(all(gt(sz, n_stick, 20), gt(sz, n_slide, 50), gt(sz, n_open, 100)));
    cr_assert(gt(sz, n_solved, (size_t)N_CASE * 95 / 100), "%zu", n_solved);
}

/* m (v' - v) = p: a point mass on a plane, in closed form */
Test(laws, of_one_point_have_a_closed_form)
{
    const double m = 2.0, mu[1] = {0.5};
    const double w[9] = {1.0 / m, 0, 0, 0, 1.0 / m, 0, 0, 0, 1.0 / m};
    double p[3] = {0};
    const double slides[3] = {-1.0, 3.0, 4.0};
    cr_assert(lt(dbl, tq_contact_laws(1, w, slides, mu, p), 1e-13));
    cr_assert(epsilon_eq(dbl, p[0], 2.0, 1e-13));
    cr_assert(epsilon_eq(dbl, p[1], -0.6, 1e-13));
    cr_assert(epsilon_eq(dbl, p[2], -0.8, 1e-13));
    const double sticks[3] = {-1.0, 0.3, 0.4};
    (void)tq_contact_laws(1, w, sticks, mu, p);
    cr_assert(epsilon_eq(dbl, p[1], -0.6, 1e-13));
    const double leaves[3] = {0.1, 3.0, 4.0};
    (void)tq_contact_laws(1, w, leaves, mu, p);
    cr_assert(all(eq(dbl, p[0], 0.0), eq(dbl, p[1], 0.0), eq(dbl, p[2], 0.0)));
}
