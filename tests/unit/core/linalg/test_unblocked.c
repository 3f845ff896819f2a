/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/linalg/test_unblocked.c - known spectra, and bits that do not depend on a BLAS.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/dense.h"
#include "tests/support/random.h"

enum { BYTES = 1 << 20, N = 12 };
static _Alignas(64) unsigned char memory[BYTES];

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

static void hilbert(double *a)
{
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < N; i++) {
            a[j * N + i] = 1.0 / (double)(i + j + 1);
        }
    }
}

/* Hilbert's matrix of order 12, by mpmath with 60 digits */
static const double hilbert_values[N] = {
    1.79537205956199731,     0.380275245955037098,    0.0447385487521810745,
    0.00372231223789116625,  0.000233089089021780661, 1.11633574832244277e-5,
    4.08237611038617734e-7,  1.12286106675170303e-8,  2.25196455349007689e-10,
    3.11135489722691674e-12, 2.64902149344488672e-14, 1.04794639796222669e-16};

Test(unblocked, singular_values_and_eigenvalues_of_hilberts_matrix)
{
    double a[N * N], u[N * N], vt[N * N], s[N];
    tq_scratch scratch = fresh();
    hilbert(a);
    cr_assert(eq(int, tq_svd(N, N, a, N, &scratch, s, u, vt, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        /* backward stable: a few roundings of the largest value */
        cr_assert(fabs(s[i] - hilbert_values[i]) <= 4 * 0x1p-52, "%zu: %.17g", i, s[i]);
    }
    hilbert(a);
    cr_assert(eq(int, tq_eigen_symmetric(N, a, N, &scratch, s, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        cr_assert(fabs(s[N - 1 - i] - hilbert_values[i]) <= 4 * 0x1p-52, "%zu: %.17g", i, s[i]);
    }
}

/* A wide matrix of rank 2 with singular values 3 and 1 by construction: A = 3 e1 f1^T + e2 f2^T.
 * All columns of U must be orthonormal, also those of singular values 0. */
Test(unblocked, svd_of_a_wide_matrix_with_vanishing_values)
{
    enum { R = 4, C = 7 };
    double a[R * C] = {0}, u[R * R], vt[R * C], s[R];
    tq_scratch scratch = fresh();
    for (size_t j = 0; j < C; j++) {
        a[j * R + 0] = 3.0 * (j == 1 ? 0.6 : j == 4 ? 0.8 : 0.0);
        a[j * R + 2] = j == 1 ? 0.8 : j == 4 ? -0.6 : 0.0;
    }
    cr_assert(eq(int, tq_svd(R, C, a, R, &scratch, s, u, vt, NULL), TQ_OK));
    cr_assert(fabs(s[0] - 3.0) < 1e-15 && fabs(s[1] - 1.0) < 1e-15 && s[2] < 1e-15 && s[3] < 1e-15);
    for (size_t i = 0; i < R; i++) {
        for (size_t j = 0; j < R; j++) {
            double of_u = 0.0, of_v = 0.0;
            for (size_t k = 0; k < C; k++) {
                of_u += k < R ? u[i * R + k] * u[j * R + k] : 0.0;
                of_v += vt[k * R + i] * vt[k * R + j];
            }
            cr_assert(fabs(of_u - (i == j)) < 4e-15 && fabs(of_v - (i == j)) < 4e-15);
        }
    }
}

/* x + y + z = 3 and 2x + 2y + 2z = 6: the solution of minimum norm is (1, 1, 1). */
Test(unblocked, least_squares_of_least_norm)
{
    double a[6] = {1, 2, 1, 2, 1, 2}, b[3] = {3, 6, 0};
    tq_scratch scratch = fresh();
    size_t rank = 0;
    cr_assert(eq(int, tq_lstsq(2, 3, a, b, 1e-12, &scratch, &rank, NULL), TQ_OK));
    cr_assert(eq(sz, rank, 1));
    for (size_t i = 0; i < 3; i++) {
        cr_assert(fabs(b[i] - 1.0) < 4e-15);
    }
}

/* NaN in the input must not give zeros. */
Test(unblocked, least_squares_of_what_is_no_number_are_none)
{
    for (size_t at = 0; at < 9; at++) {
        double a[9] = {2, 1, 0, 1, 3, 1, 0, 1, 4}, b[3] = {1, 1, 1};
        tq_scratch scratch = fresh();
        size_t rank = 0;
        a[at] = (double)NAN;
        cr_assert(eq(int, tq_lstsq(3, 3, a, b, 1e-12, &scratch, &rank, NULL), TQ_OK));
        cr_expect(isnan(b[0]) || isnan(b[1]) || isnan(b[2]), "entry %zu: %g %g %g", at, b[0], b[1],
                  b[2]);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frank's matrix of 9, by mpmath with 60 digits. Condition numbers of its eigenvalues reach 2.5e4,
 * its norm is 32: eps times both is 1.8e-10. */
Test(unblocked, eigenvalues_of_franks_matrix)
{
    enum { F = 9 };
    static const double values[F] = {0.0448027218433389476,
                                     0.0820158902033974165,
                                     0.16258272948688953,
                                     0.374121140912125088,
                                     1.0,
                                     2.67293101256441313,
                                     6.15071479705129913,
                                     12.1927592021500258,
                                     22.320072505788511};
    double a[F * F], re[F], im[F];
    tq_scratch scratch = fresh();
    for (int j = 0; j < F; j++) {
        for (int i = 0; i < F; i++) {
            a[j * F + i] = j >= i - 1 ? F - (i > j ? i : j) : 0;
        }
    }
    cr_assert(eq(int, tq_eigen_general(F, a, F, &scratch, re, im, NULL), TQ_OK));
    qsort(re, F, sizeof re[0], ascending);
    for (size_t i = 0; i < F; i++) {
        cr_assert(fabs(re[i] - values[i]) < 1.8e-10 && im[i] == 0.0, "%zu: %.17g", i, re[i]);
    }
}

/* The companion of x^20 - 1: roots of unity, most of them pairs. Its transpose needs the
 * exceptional shift: it is orthogonal, and double steps without it do not converge. */
Test(unblocked, eigenvalues_on_the_unit_circle)
{
    enum { C = 20 };
    double a[C * C] = {0}, re[C], im[C];
    tq_scratch scratch = fresh();
    for (size_t i = 0; i < C; i++) {
        a[i * C + (i + 1) % C] = 1.0;
    }
    cr_assert(eq(int, tq_eigen_general(C, a, C, &scratch, re, im, NULL), TQ_OK));
    for (int k = 0; k < C; k++) {
        double nearest = 1.0;
        for (int i = 0; i < C; i++) {
            nearest = fmin(nearest, hypot(re[i] - cos(k * M_PI / 10), im[i] - sin(k * M_PI / 10)));
        }
        cr_assert(nearest < 1e-13, "%d: %g", k, nearest);
    }
}

static uint64_t fold(uint64_t hash, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, x + k, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3) ^ bits >> 32;
    }
    return hash;
}

/* One hash of every function for 1 to 40 rows: results of LAPACK depend on the processor through
 * its BLAS. The hash changes only with an algorithm of core/linalg. */
Test(unblocked, bits_are_the_same_on_every_machine)
{
    enum { MAX = 40 };
    static double from[MAX * MAX], a[MAX * MAX], x[MAX], y[MAX], u[MAX * MAX], vt[MAX * MAX];
    tqt_random r = tqt_random_seed(13);
    uint64_t hash = 0;
    int pivot[MAX];
    for (size_t n = 1; n <= MAX; n++) {
        tq_scratch scratch = fresh();
        size_t rank;
        for (size_t k = 0; k < n * n; k++) {
            from[k] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        memcpy(a, from, sizeof a);
        cr_assert(eq(int, tq_svd(n, n, a, n, &scratch, x, u, vt, NULL), TQ_OK));
        hash = fold(fold(fold(hash, x, n), u, n * n), vt, n * n);
        memcpy(a, from, sizeof a);
        cr_assert(eq(int, tq_eigen_general(n, a, n, &scratch, x, y, NULL), TQ_OK));
        hash = fold(fold(hash, x, n), y, n);
        memcpy(a, from, sizeof a);
        cr_assert(eq(int, tq_qr_factor(n, n, a, n, &scratch, x, pivot, NULL), TQ_OK));
        hash = fold(fold(hash, a, n * n), x, n);
        memcpy(a, from, sizeof a);
        cr_assert(eq(int, tq_lstsq(n, n, a, x, 1e-12, &scratch, &rank, NULL), TQ_OK));
        hash = fold(hash, x, n);
        memcpy(a, from, sizeof a);
        cr_assert(eq(int, tq_invert(n, a, n, &scratch, NULL), TQ_OK));
        hash = fold(hash, a, n * n);
        tq_gram(n, n, 1.0, from, n, u);
        memcpy(a, u, sizeof a);
        cr_assert(eq(int, tq_eigen_symmetric(n, a, n, &scratch, x, NULL), TQ_OK));
        hash = fold(fold(hash, a, n * n), x, n);
        memcpy(a, u, sizeof a);
        cr_assert(eq(int, tq_cholesky_factor(n, a, n, NULL), TQ_OK));
        cr_assert(eq(int, tq_cholesky_solve(n, 1, a, n, x, n, NULL), TQ_OK));
        cr_assert(eq(int, tq_cholesky_invert(n, a, n, NULL), TQ_OK));
        hash = fold(fold(hash, a, n * n), x, n);
    }
    cr_assert(eq(u64, hash, UINT64_C(0x9bd0deb036072494)), "hash is 0x%016llx",
              (unsigned long long)hash);
}
