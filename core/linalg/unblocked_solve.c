/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked_solve.c - Cholesky, triangular solves, LU inverse. */
#include <math.h>

#include "core/linalg/unblocked.h"

/* four partial sums, to hide the latency of an addition; the order is fixed */
double tq_unblocked_dot(size_t n, const double *x, const double *y)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s[0] += x[i] * y[i];
        s[1] += x[i + 1] * y[i + 1];
        s[2] += x[i + 2] * y[i + 2];
        s[3] += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) {
        s[0] += x[i] * y[i];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* y -= f x */
static inline void subtract(size_t n, double f, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] -= f * x[i];
    }
}

size_t tq_unblocked_cholesky(size_t n, double *a, size_t ld)
{
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * ld;
        if (!(column[j] > 0.0)) {
            return j + 1;
        }
        column[j] = sqrt(column[j]);
        for (size_t i = j + 1; i < n; i++) {
            column[i] /= column[j];
        }
        for (size_t k = j + 1; k < n; k++) {
            subtract(n - k, column[k], column + k, a + k * ld + k);
        }
    }
    return 0;
}

/* forward or back substitution by columns: x_j, then its contribution to the rest */
static void by_columns(int is_upper, size_t n, const double *a, size_t ld, double *x)
{
    for (size_t k = 0; k < n; k++) {
        const size_t j = is_upper ? n - 1 - k : k;
        const double *column = a + j * ld;
        x[j] /= column[j];
        if (is_upper) {
            subtract(j, x[j], column, x);
        } else {
            subtract(n - 1 - j, x[j], column + j + 1, x + j + 1);
        }
    }
}

/* substitution with the transpose: dot products with the columns */
static void by_rows(int is_upper, size_t n, const double *a, size_t ld, double *x)
{
    for (size_t k = 0; k < n; k++) {
        const size_t j = is_upper ? k : n - 1 - k;
        const double *column = a + j * ld;
        const double done = is_upper ? tq_unblocked_dot(j, column, x)
                                     : tq_unblocked_dot(n - 1 - j, column + j + 1, x + j + 1);
        x[j] = (x[j] - done) / column[j];
    }
}

size_t tq_unblocked_triangle(int is_upper, int transposed, size_t n, const double *a, size_t ld,
                             size_t n_rhs, double *b, size_t ldb)
{
    for (size_t j = 0; j < n; j++) {
        if (a[j * ld + j] == 0.0) {
            return j + 1;
        }
    }
    for (size_t k = 0; k < n_rhs; k++) {
        (transposed ? by_rows : by_columns)(is_upper, n, a, ld, b + k * ldb);
    }
    return 0;
}

/* W = L^-1 over L, column by column from the last; then A^-1 = W^T W, row by row from the first */
void tq_unblocked_cholesky_invert(size_t n, double *l, size_t ld)
{
    for (size_t j = n; j-- > 0;) {
        double *column = l + j * ld;
        const double pivot = 1.0 / column[j];
        /* W(j+1:, j) = -W(j+1:, j+1:) L(j+1:, j) / l_jj, from below: row i needs rows up to i */
        for (size_t i = n; i-- > j + 1;) {
            double sum = 0.0;
            for (size_t k = j + 1; k <= i; k++) {
                sum += l[k * ld + i] * column[k];
            }
            column[i] = -sum * pivot;
        }
        column[j] = pivot;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            l[j * ld + i] = tq_unblocked_dot(n - i, l + i * ld + i, l + j * ld + i);
        }
    }
}

static size_t largest_below(size_t n, const double *column, size_t from)
{
    size_t best = from;
    for (size_t i = from + 1; i < n; i++) {
        best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    return best;
}

static void swap_rows(size_t n, double *a, size_t ld, size_t i, size_t k)
{
    for (size_t j = 0; j < n && i != k; j++) {
        const double was = a[j * ld + i];
        a[j * ld + i] = a[j * ld + k];
        a[j * ld + k] = was;
    }
}

/* P A = L U, then A^-1 column by column: U^-1, and A^-1 L = U^-1 from the right */
size_t tq_unblocked_invert(size_t n, double *a, size_t ld, int *pivot, double *work)
{
    for (size_t j = 0; j < n; j++) {
        const size_t best = largest_below(n, a + j * ld, j);
        pivot[j] = (int)best;
        if (a[j * ld + best] == 0.0) {
            return j + 1;
        }
        swap_rows(n, a, ld, j, best);
        double *column = a + j * ld;
        for (size_t i = j + 1; i < n; i++) {
            column[i] /= column[j];
        }
        for (size_t k = j + 1; k < n; k++) {
            subtract(n - j - 1, a[k * ld + j], column + j + 1, a + k * ld + j + 1);
        }
    }
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * ld;
        const double inverse = 1.0 / column[j];
        for (size_t i = 0; i < j; i++) {
            double sum = 0.0;
            for (size_t k = i; k < j; k++) {
                sum += a[k * ld + i] * column[k];
            }
            work[i] = -sum * inverse;
        }
        for (size_t i = 0; i < j; i++) {
            column[i] = work[i];
        }
        column[j] = inverse;
    }
    for (size_t j = n; j-- > 0;) {
        double *column = a + j * ld;
        for (size_t i = j + 1; i < n; i++) {
            work[i] = column[i];
            column[i] = 0.0;
        }
        for (size_t k = j + 1; k < n; k++) {
            subtract(n, work[k], a + k * ld, column);
        }
    }
    for (size_t j = n; j-- > 0;) {
        const size_t k = (size_t)pivot[j];
        for (size_t i = 0; i < n && k != j; i++) {
            const double was = a[j * ld + i];
            a[j * ld + i] = a[k * ld + i];
            a[k * ld + i] = was;
        }
    }
    return 0;
}
