/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/contact/test_laws.c - impulses of random contacts satisfy the contact laws;
 * redundant contacts too. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/newton.h"
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

static double solve(problem *to)
{
    static double work[9 * N_MAX * N_MAX + 24 * N_MAX];
    static const double start[3 * N_MAX] = {0};
    const tq_contact_problem of = {
        .n = to->n, .w = to->w, .b = to->b, .mu = to->mu, .start = start};
    cr_assert(le(sz, tq_contact_laws_work(to->n), sizeof work / sizeof work[0]));
    return tq_contact_laws(&of, work, to->p);
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
        const double violation = solve(&it);
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

/* Two points of a fall that slide, with mu 0.78: sweeps of exact blocks and Newton steps lead from
 * one of them to the other. W is regular; 200 searches of another program find one solution. */
Test(laws, of_two_points_that_push_each_other_to_slide)
{
    static const double upper[] = {4.4052000979865991,   1.5468123782906187,  2.5060069386283659,
                                   0.64232553018853777,  -2.8542193149121982, 0.52702193863131797,
                                   10.119904477345486,   -0.9147794709884305, 2.0476495579160816,
                                   -3.5816742241528106,  -0.1374217854728001, 11.216748929053143,
                                   -0.43431383298690818, 1.1023456860221499,  3.2972623832001196,
                                   1.7330902113932736,   -2.3602841920497006, -0.32297948455763625,
                                   6.2610925320627748,   0.21973280478872087, 5.1025733068407799};
    static problem it;
    it = (problem){
        .n = 2,
        .b = {0.01137779, -0.00768968, -0.00254289, -0.00066839, -0.44918339, -0.15657244},
        .mu = {0.7849076, 0.7849076}};
    for (size_t r = 0, k = 0; r < 6; r++) {
        for (size_t c = r; c < 6; c++, k++) {
            it.w[6 * r + c] = it.w[6 * c + r] = upper[k];
        }
    }
    cr_assert(lt(dbl, solve(&it), 1e-12));
    velocities(&it);
    for (size_t i = 0; i < 2; i++) {
        const double *p = it.p + 3 * i, *u = it.u + 3 * i, ut = hypot(u[1], u[2]);
        cr_assert(gt(dbl, p[0], 1e-4));
        cr_assert(epsilon_eq(dbl, u[0], 0.0, 1e-12));
        for (size_t t = 1; t < 3; t++) {
            cr_assert(epsilon_eq(dbl, p[t], -it.mu[i] * p[0] * u[t] / ut, 1e-10));
        }
    }
}

/* m (v' - v) = p: a point mass on a plane, in closed form */
Test(laws, of_one_point_have_a_closed_form)
{
    const double m = 2.0;
    static problem it;
    it = (problem){.n = 1, .w = {1.0 / m, 0, 0, 0, 1.0 / m, 0, 0, 0, 1.0 / m}, .mu = {0.5}};
    const double slides[3] = {-1.0, 3.0, 4.0};
    memcpy(it.b, slides, sizeof slides);
    cr_assert(lt(dbl, solve(&it), 1e-13));
    cr_assert(epsilon_eq(dbl, it.p[0], 2.0, 1e-13));
    cr_assert(epsilon_eq(dbl, it.p[1], -0.6, 1e-13));
    cr_assert(epsilon_eq(dbl, it.p[2], -0.8, 1e-13));
    const double sticks[3] = {-1.0, 0.3, 0.4};
    memcpy(it.b, sticks, sizeof sticks);
    (void)solve(&it);
    cr_assert(epsilon_eq(dbl, it.p[1], -0.6, 1e-13));
    const double leaves[3] = {0.1, 3.0, 4.0};
    memcpy(it.b, leaves, sizeof leaves);
    (void)solve(&it);
    cr_assert(all(eq(dbl, it.p[0], 0.0), eq(dbl, it.p[1], 0.0), eq(dbl, it.p[2], 0.0)));
}

/* A plate on feet at (+-x, +-y, -h) that arrives with 1 m/s, the last foot `late` m/s less: of a
 * rigid motion w1 - w2 - w3 + w4 = 0. */
static void plate(double late, double friction, problem *to)
{
    const double m = 2.0, x = 0.2, y = 0.15, h = 0.1, i[3] = {0.02, 0.03, 0.04};
    *to = (problem){.n = 4};
    double j[12][6];
    for (unsigned k = 0; k < 4; k++) {
        const double r[3] = {k < 2 ? x : -x, k % 2 == 0 ? y : -y, -h};
        static const unsigned axis[3] = {2, 0, 1}; /* normal first */
        for (unsigned c = 0; c < 3; c++) {
            const unsigned e = axis[c], f = (e + 1) % 3, g = (e + 2) % 3;
            double *row = j[3 * k + c];
            memset(row, 0, sizeof j[0]);
            row[e] = 1.0 / sqrt(m); /* u = v + omega x r, by square roots of M */
            row[3 + f] = r[g] / sqrt(i[f]);
            row[3 + g] = -r[f] / sqrt(i[g]);
        }
        to->b[3 * k] = -1.0 + (k == 3 ? late : 0.0);
        to->mu[k] = friction;
    }
    for (unsigned r = 0; r < 12; r++) {
        for (unsigned c = 0; c < 12; c++) {
            for (unsigned k = 0; k < 6; k++) {
                to->w[r * 12 + c] += j[r][k] * j[c][k];
            }
        }
    }
}

/* Three feet at rest, the late one still leaves; with no impulse there the momentum of the plate is
 * that of the two beside it. Sweeps alone move p by 1e-6 of it each. */
Test(laws, of_four_feet_that_contradict_each_other_open_one)
{
    static const double late[] = {1e-3, 1e-6, 1e-7, -1e-6}, mu[] = {0.0, 0.5};
    for (unsigned k = 0; k < 8; k++) {
        static problem it;
        plate(late[k / 2], mu[k % 2], &it);
        const double violation = solve(&it);
        cr_assert(lt(dbl, violation, 1.001e-8), "%u: %g", k, violation);
        velocities(&it);
        const bool is_late = late[k / 2] > 0.0;
        for (unsigned i = 0; i < 4; i++) {
            const bool carries = is_late ? i == 1 || i == 2 : i == 0 || i == 3;
            cr_assert(epsilon_eq(dbl, it.p[3 * i], carries ? 1.0 : 0.0, 1e-3), "%u, foot %u: %g", k,
                      i, it.p[3 * i]);
            cr_assert(gt(dbl, it.u[3 * i], -1.001e-8), "%u, foot %u: %g", k, i, it.u[3 * i]);
        }
    }
}

/* Where they agree to rounding any distribution does: the one near to the start */
Test(laws, of_four_feet_that_agree_have_their_sum)
{
    static problem it;
    plate(1e-15, 0.5, &it);
    cr_assert(lt(dbl, solve(&it), 1e-13));
    cr_assert(epsilon_eq(dbl, it.p[0] + it.p[3] + it.p[6] + it.p[9], 2.0, 1e-12));
    velocities(&it);
    for (unsigned i = 0; i < 12; i++) {
        cr_assert(epsilon_eq(dbl, it.u[i], 0.0, 1e-12));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Many points
 */

enum { MANY = 40, BODIES = 3, M = 6 * BODIES };

/* points between random ones of three bodies and the world, or each other: J M^-1/2 and its square
 */
typedef struct heap {
    double g[3 * MANY * M], w[9 * MANY * MANY], b[3 * MANY], mu[MANY], p[3 * MANY], u[3 * MANY];
} heap;

static void random_heap(tqt_random *r, heap *to)
{
    double v[M];
    memset(to, 0, sizeof *to);
    for (size_t c = 0; c < M; c++) {
        v[c] = tqt_random_uniform(r, -1.0, 0.5);
    }
    for (size_t i = 0; i < 3 * MANY; i++) {
        const size_t body = i / 3 % BODIES;
        double *row = to->g + i * M;
        for (size_t c = 0; c < M; c++) {
            const bool moves = c / 6 == body || (i / 3 % 5 == 0 && c / 6 == (body + 1) % BODIES);
            row[c] = moves ? tqt_random_uniform(r, -1.0, 1.0) + (i % 3 == 0 ? 0.5 : 0.0) : 0.0;
            to->b[i] += row[c] * v[c];
        }
    }
    for (size_t i = 0; i < 9 * MANY * MANY; i++) {
        const double *x = to->g + i / (3 * MANY) * M, *y = to->g + i % (3 * MANY) * M;
        for (size_t c = 0; c < M; c++) {
            to->w[i] += x[c] * y[c];
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        to->mu[i] = tqt_random_uniform(r, 0.0, 0.5);
    }
}

static double solve_heap(heap *to, bool reduced)
{
    static double work[9 * MANY * MANY + 24 * MANY];
    static const double start[3 * MANY] = {0};
    const tq_contact_problem of = {.n = MANY,
                                   .w = to->w,
                                   .b = to->b,
                                   .mu = to->mu,
                                   .start = start,
                                   .m = reduced ? M : 0,
                                   .g = reduced ? to->g : NULL};
    cr_assert(eq(int, tq_contact_is_reduced(&of), reduced));
    memset(to->p, 0, sizeof to->p);
    const double violation = tq_contact_laws(&of, work, to->p);
    for (size_t i = 0; i < 3 * MANY; i++) {
        to->u[i] = to->b[i];
        for (size_t k = 0; k < 3 * MANY; k++) {
            to->u[i] += to->w[i * 3 * MANY + k] * to->p[k];
        }
    }
    return violation;
}

/* Newton steps by 18 velocities and by 120 impulses find the same motion. Without friction it is
 * unique; with friction another may satisfy the laws too. */
Test(laws, of_many_points_are_solved_by_velocities_as_by_impulses)
{
    tqt_random r = tqt_random_seed(5);
    unsigned n_solved = 0, n_same = 0;
    for (unsigned k = 0; k < 40; k++) {
        static heap a, b;
        random_heap(&r, &a);
        if (k % 2 == 0) {
            memset(a.mu, 0, sizeof a.mu);
        }
        b = a;
        if (solve_heap(&a, true) > 1e-9 || solve_heap(&b, false) > 1e-9) {
            cr_assert(eq(uint, k % 2, 1), "case %u", k);
            continue;
        }
        n_solved++;
        double worst = 0.0;
        for (size_t i = 0; i < 3 * MANY; i++) {
            worst = fmax(worst, fabs(a.u[i] - b.u[i]));
        }
        n_same += worst < 1e-7;
        cr_assert(worst < 1e-7 || k % 2 == 1, "case %u: %g", k, worst);
    }
    cr_assert(all(gt(uint, n_solved, 30), gt(uint, n_same, 25)), "%u %u", n_solved, n_same);
}
