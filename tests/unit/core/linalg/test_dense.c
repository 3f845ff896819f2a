/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/linalg/test_dense.c - products of the factors equal the matrix; singular and too
 * small inputs are refused. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/dense.h"
#include "core/linalg/setup.h"

enum { N = 6, M = 9, BYTES = 1 << 16 };
static _Alignas(64) unsigned char memory[BYTES];
/* N^2 products of numbers of order 1 */
static const double tiny = 256 * 0x1p-52;

static void fill(size_t n, double *a)
{
    for (size_t k = 0; k < n; k++) {
        a[k] = sin(1.0 + 3.7 * (double)k * (double)k); /* entries without structure */
    }
}

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

Test(dense, setup_accepts_the_threaded_library)
{
    cr_assert(eq(int, tq_linalg_setup(NULL), TQ_OK));
}

Test(dense, cholesky_solves_and_inverts)
{
    double g[N * N], a[N * N], l[N * N], x[N], b[N];
    fill(N * N, g);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            a[j * N + i] = i == j ? 1.0 : 0.0;
            for (size_t k = 0; k < N; k++) {
                a[j * N + i] += g[k * N + i] * g[k * N + j];
            }
            l[j * N + i] = a[j * N + i];
        }
        x[i] = (double)i - 2.5;
    }
    for (size_t i = 0; i < N; i++) {
        b[i] = 0;
        for (size_t j = 0; j < N; j++) {
            b[i] += a[j * N + i] * x[j];
        }
    }
    cr_assert(eq(int, tq_cholesky_factor(N, l, N, NULL), TQ_OK));
    cr_assert(eq(int, tq_cholesky_solve(N, 1, l, N, b, N, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        cr_assert(epsilon_eq(dbl, b[i], x[i], 100 * tiny));
    }
    cr_assert(eq(int, tq_cholesky_invert(N, l, N, NULL), TQ_OK));
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++) {
                sum += a[k * N + i] * l[j * N + k];
            }
            cr_assert(epsilon_eq(dbl, sum, i == j ? 1.0 : 0.0, 100 * tiny));
        }
    }
}

Test(dense, cholesky_refuses_an_indefinite_matrix)
{
    double a[4] = {1, 2, 2, 1};
    tq_error error;
    cr_assert(eq(int, tq_cholesky_factor(2, a, 2, &error), TQ_ERR_SINGULAR));
    cr_assert(eq(sz, error.index, 2));
}

Test(dense, pivoted_qr_finds_rank_and_solution)
{
    double a[M * N], qr[M * N], tau[N], b[M], x[N];
    int pivot[N];
    fill(M * N, a);
    for (size_t i = 0; i < M; i++) { /* column 4 = column 0 - 2 column 1 */
        a[4 * M + i] = a[i] - 2 * a[M + i];
        b[i] = a[i] + a[2 * M + i];
    }
    for (size_t k = 0; k < M * N; k++) {
        qr[k] = a[k];
    }
    tq_scratch scratch = fresh();
    cr_assert(eq(int, tq_qr_factor(M, N, qr, M, &scratch, tau, pivot, NULL), TQ_OK));
    const size_t rank = tq_qr_rank(M, N, qr, M, 1e-12);
    cr_assert(eq(sz, rank, N - 1));
    cr_assert(eq(sz, scratch.used, 0));
    double q[M * N], qtb[N] = {0};
    memcpy(q, qr, sizeof q);
    cr_assert(eq(int, tq_qr_basis(M, rank, q, M, tau, &scratch, NULL), TQ_OK));
    for (size_t j = 0; j < rank; j++) {
        for (size_t i = 0; i < M; i++) {
            qtb[j] += q[j * M + i] * b[i];
        }
    }
    cr_assert(eq(int, tq_triangle_solve(rank, qr, M, 1, qtb, M, NULL), TQ_OK));
    for (size_t j = 0; j < N; j++) {
        x[j] = 0;
    }
    for (size_t j = 0; j < rank; j++) {
        x[pivot[j]] = qtb[j];
    }
    for (size_t i = 0; i < M; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++) {
            sum += a[j * M + i] * x[j];
        }
        cr_assert(epsilon_eq(dbl, sum, a[i] + a[2 * M + i], 10 * tiny));
    }
}

Test(dense, svd_and_eigenvalues_agree)
{
    double a[M * N], copy[M * N], s[N], u[M * N], vt[N * N], gram[N * N], value[N];
    fill(M * N, a);
    for (size_t k = 0; k < M * N; k++) {
        copy[k] = a[k];
    }
    tq_scratch scratch = fresh();
    cr_assert(eq(int, tq_svd(M, N, copy, M, &scratch, s, u, vt, NULL), TQ_OK));
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++) {
                sum += u[k * M + i] * s[k] * vt[j * N + k];
            }
            cr_assert(epsilon_eq(dbl, sum, a[j * M + i], 10 * tiny));
        }
    }
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            gram[j * N + i] = 0;
            for (size_t k = 0; k < M; k++) {
                gram[j * N + i] += a[i * M + k] * a[j * M + k];
            }
        }
    }
    cr_assert(eq(int, tq_eigen_symmetric(N, gram, N, &scratch, value, NULL), TQ_OK));
    for (size_t k = 0; k < N; k++) {
        cr_assert(epsilon_eq(dbl, value[k], s[N - 1 - k] * s[N - 1 - k], 10 * tiny));
    }
}

Test(dense, lstsq_is_of_minimum_norm)
{
    double a[4] = {1, 1, 1, 1}, b[2] = {4, 4};
    size_t rank = 9;
    tq_scratch scratch = fresh();
    cr_assert(eq(int, tq_lstsq(2, 2, a, b, 1e-10, &scratch, &rank, NULL), TQ_OK));
    cr_assert(eq(sz, rank, 1));
    cr_assert(all(epsilon_eq(dbl, b[0], 2.0, tiny), epsilon_eq(dbl, b[1], 2.0, tiny)));
}

Test(dense, too_little_scratch_reports_the_need)
{
    double a[4] = {1, 2, 3, 4}, s[2];
    tq_scratch scratch;
    tq_error error;
    tq_scratch_init(&scratch, memory, 64);
    cr_assert(eq(int, tq_svd(2, 2, a, 2, &scratch, s, NULL, NULL, &error), TQ_ERR_SCRATCH));
    cr_assert(eq(dbl, error.value, (double)tq_svd_scratch_size(2, 2)));
    cr_assert(eq(int, tq_svd(0, 2, a, 2, &scratch, s, NULL, NULL, &error), TQ_ERR_SHAPE));
}

/* The second difference of n points has the eigenvalues 4 sin^2(k pi / (2 (n + 1))). dgesdd's
 * workspace of 4 n^2 numbers is larger than the largest matrix. */
Test(dense, singular_values_of_a_wide_matrix)
{
    enum { WIDE = 540 };
    const size_t size = tq_svd_scratch_size(WIDE, WIDE);
    double *a = calloc((size_t)WIDE * WIDE, sizeof *a);
    double *s = calloc(WIDE, sizeof *s);
    void *room = aligned_alloc(64, (size + 63) / 64 * 64);
    cr_assert(a != NULL && s != NULL && room != NULL);
    for (size_t i = 0; i < WIDE; i++) {
        a[i * WIDE + i] = 2.0;
        if (i + 1 < WIDE) {
            a[i * WIDE + i + 1] = a[(i + 1) * WIDE + i] = -1.0;
        }
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, room, size);
    cr_assert(eq(int, tq_svd(WIDE, WIDE, a, WIDE, &scratch, s, NULL, NULL, NULL), TQ_OK));
    for (size_t k = 0; k < WIDE; k++) {
        const double half = sin((double)(WIDE - k) * M_PI / (2.0 * (WIDE + 1)));
        cr_assert(epsilon_eq(dbl, s[k], 4.0 * half * half, (double)WIDE * 0x1p-52));
    }
    free(a), free(s), free(room);
}

Test(dense, workspace_that_no_int_can_name)
{
    double a = 1.0, s = 0.0;
    tq_scratch scratch = fresh();
    tq_error error = {0};
    const size_t n = 30000; /* 4 n^2 > 2^31 */
    cr_expect(eq(int, tq_svd(n, n, &a, n, &scratch, &s, NULL, NULL, &error), TQ_ERR_SHAPE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "work"));
    cr_expect(eq(int, tq_cholesky_solve(1, 1, &a, TQ_DENSE_MAX + 1, &s, 1, NULL), TQ_ERR_SHAPE));
}
