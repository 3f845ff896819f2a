/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked_orthogonal.c - Householder QR, and least squares of minimum norm. */
#include <math.h>

#include "core/linalg/unblocked.h"

/* Euclidean norm of a column, scaled by a power of two so that squares neither overflow nor
 * underflow */
static double norm_of(size_t n, const double *x)
{
    const double square = tq_unblocked_dot(n, x, x);
    if (square > 0x1p-500 && square < 0x1p600) {
        return sqrt(square);
    }
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest > 0x1p-300 && largest < 0x1p300) {
        return sqrt(square);
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double scaled = ldexp(x[i], -exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), exponent);
}

/* H = I - tau v v^T with H x = (beta, 0, ...), v = (1, x[1:]); x becomes beta and the rest of v */
static double reflect(size_t n, double *x)
{
    const double rest = norm_of(n - 1, x + 1);
    if (rest == 0.0) {
        return 0.0;
    }
    const double beta = -copysign(norm_of(n, x), x[0]);
    const double tau = (beta - x[0]) / beta, head = x[0] - beta;
    for (size_t i = 1; i < n; i++) {
        x[i] /= head;
    }
    x[0] = beta;
    return tau;
}

/* b -= tau v (v^T b), v = (1, v[1:]) */
static void apply(size_t n, const double *v, double tau, double *b)
{
    const double f = tau * (b[0] + tq_unblocked_dot(n - 1, v + 1, b + 1));
    b[0] -= f;
    for (size_t i = 1; i < n; i++) {
        b[i] -= f * v[i];
    }
}

static void swap_columns(size_t m, double *x, double *y)
{
    for (size_t i = 0; i < m; i++) {
        const double was = x[i];
        x[i] = y[i];
        y[i] = was;
    }
}

void tq_unblocked_qr(size_t m, size_t n, double *a, size_t ld, double *ret_tau, int *ret_pivot)
{
    for (size_t j = 0; j < n && ret_pivot != NULL; j++) {
        ret_pivot[j] = (int)j;
    }
    for (size_t j = 0; j < m && j < n; j++) {
        size_t best = j;
        double longest = ret_pivot != NULL ? norm_of(m - j, a + j * ld + j) : 0.0;
        for (size_t k = j + 1; k < n && ret_pivot != NULL; k++) {
            const double norm = norm_of(m - j, a + k * ld + j);
            best = norm > longest ? k : best;
            longest = norm > longest ? norm : longest;
        }
        if (best != j) {
            swap_columns(m, a + j * ld, a + best * ld);
            const int was = ret_pivot[j];
            ret_pivot[j] = ret_pivot[best];
            ret_pivot[best] = was;
        }
        ret_tau[j] = reflect(m - j, a + j * ld + j);
        for (size_t k = j + 1; k < n; k++) {
            apply(m - j, a + j * ld + j, ret_tau[j], a + k * ld + j);
        }
    }
}

/* NOLINTNEXTLINE(readability-function-size): dormqr's arguments */
void tq_unblocked_apply_q(int transposed, size_t m, size_t k, const double *qr, size_t ld,
                          const double *tau, size_t n_rhs, double *b, size_t ldb)
{
    for (size_t r = 0; r < n_rhs; r++) {
        for (size_t i = 0; i < k; i++) {
            const size_t j = transposed ? i : k - 1 - i;
            apply(m - j, qr + j * ld + j, tau[j], b + r * ldb + j);
        }
    }
}

/* backward accumulation: column j is H_0 ... H_j e_j; H_j also multiplies the columns after it */
void tq_unblocked_basis(size_t m, size_t k, double *a, size_t ld, const double *tau)
{
    for (size_t j = k; j-- > 0;) {
        double *v = a + j * ld;
        for (size_t c = j + 1; c < k; c++) {
            apply(m - j, v + j, tau[j], a + c * ld + j);
        }
        for (size_t i = j + 1; i < m; i++) {
            v[i] *= -tau[j];
        }
        v[j] = 1.0 - tau[j];
        for (size_t i = 0; i < j; i++) {
            v[i] = 0.0;
        }
    }
}

/* A P = Q R; where R has fewer rows than columns, R^T = Z T and x = P Z T^-T Q^T b */
size_t tq_unblocked_lstsq(size_t m, size_t n, double *a, double *b, double rcond, double *tau,
                          double *work, int *pivot)
{
    const size_t k = m < n ? m : n;
    tq_unblocked_qr(m, n, a, m, tau, pivot);
    size_t rank = 0;
    /* a NaN counts as rank, so that x is NaN too */
    while (rank < k && !(fabs(a[rank * m + rank]) <= rcond * fabs(a[0]))) {
        rank++;
    }
    tq_unblocked_apply_q(1, m, k, a, m, tau, 1, b, m);
    if (rank == n) {
        (void)tq_unblocked_triangle(1, 0, n, a, m, 1, b, n);
    } else {
        double *z = work;
        for (size_t j = 0; j < rank; j++) {
            for (size_t i = 0; i < n; i++) {
                z[j * n + i] = i < j ? 0.0 : a[i * m + j];
            }
        }
        tq_unblocked_qr(n, rank, z, n, tau + k, NULL);
        (void)tq_unblocked_triangle(1, 1, rank, z, n, 1, b, n);
        for (size_t i = rank; i < n; i++) {
            b[i] = 0.0;
        }
        tq_unblocked_apply_q(0, n, rank, z, n, tau + k, 1, b, n);
    }
    double *x = work + n * k;
    for (size_t j = 0; j < n; j++) {
        x[pivot[j]] = b[j];
    }
    for (size_t j = 0; j < n; j++) {
        b[j] = x[j];
    }
    return rank;
}
