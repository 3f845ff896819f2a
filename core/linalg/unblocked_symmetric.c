/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked_symmetric.c - eigenvalues of a symmetric matrix by implicit QL with
 * Wilkinson's shift. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/linalg/unblocked.h"

/* Householder tridiagonalisation, then implicit QL steps with Wilkinson's shift: Golub & Van Loan
 * 8.3, after the published programs tred2 and imtql2 (Wilkinson & Reinsch 1971). */

enum { STEPS_MAX = 60 };

/* y = A x, reading the lower triangle */
static void times(size_t n, const double *a, size_t ld, const double *x, double *restrict y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0.0;
    }
    for (size_t j = 0; j < n; j++) {
        const double *column = a + j * ld;
        const double f = x[j];
        y[j] += f * column[j] + tq_unblocked_dot(n - j - 1, column + j + 1, x + j + 1);
        for (size_t i = j + 1; i < n; i++) {
            y[i] += f * column[i];
        }
    }
}

/* symmetric rank-2 update A -= v w^T + w v^T of the lower triangle */
static void subtract_both(size_t n, double *restrict a, size_t ld, const double *v, const double *w)
{
    for (size_t j = 0; j < n; j++) {
        double *restrict column = a + j * ld;
        const double f = v[j], g = w[j];
        for (size_t i = j; i < n; i++) {
            column[i] -= v[i] * g + w[i] * f;
        }
    }
}

/* Householder tridiagonalisation A = Q T Q^T: diagonal d and subdiagonal e of T; reflector k is
 * stored below the diagonal of column k with its leading 1, its factor in tau. w: n - 1 numbers. */
static void reduce(size_t n, double *a, size_t ld, double *d, double *e, double *tau, double *w)
{
    for (size_t k = 0; k + 1 < n; k++) {
        const size_t m = n - k - 1;
        double *v = a + k * ld + k + 1;
        d[k] = a[k * ld + k];
        e[k] = v[0];
        tau[k] = 0.0;
        const double rest = tq_unblocked_dot(m - 1, v + 1, v + 1);
        if (rest > 0.0) {
            e[k] = -copysign(sqrt(v[0] * v[0] + rest), v[0]);
            tau[k] = (e[k] - v[0]) / e[k];
            const double head = v[0] - e[k];
            for (size_t i = 1; i < m; i++) {
                v[i] /= head;
            }
            v[0] = 1.0;
            /* H A H = A - v w^T - w v^T, p = tau A v, w = p - tau/2 (p . v) v */
            double *inner = v + ld;
            times(m, inner, ld, v, w);
            const double half = 0.5 * tau[k] * tau[k] * tq_unblocked_dot(m, w, v);
            for (size_t i = 0; i < m; i++) {
                w[i] = tau[k] * w[i] - half * v[i];
            }
            subtract_both(m, inner, ld, v, w);
        }
    }
    d[n - 1] = a[(n - 1) * ld + n - 1];
}

/* accumulates Q in place of the reflectors, which move one column to the right */
static void form_basis(size_t n, double *a, size_t ld, const double *tau)
{
    for (size_t j = n - 1; j > 0; j--) {
        for (size_t i = j; i < n; i++) {
            a[j * ld + i] = a[(j - 1) * ld + i];
        }
        a[j * ld] = 0.0;
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = i == 0 ? 1.0 : 0.0;
    }
    if (n > 1) {
        tq_unblocked_basis(n - 1, n - 1, a + ld + 1, ld, tau);
    }
}

static void swap(double *x, double *y)
{
    const double was = *x;
    *x = *y;
    *y = was;
}

/* reverses the order: QL steps expect graded matrices with the largest entries at the end */
static void reverse(size_t n, double *d, double *e, double *a, size_t ld)
{
    for (size_t i = 0; 2 * i + 1 < n; i++) {
        swap(d + i, d + n - 1 - i);
        for (size_t k = 0; k < n && a != NULL; k++) {
            swap(a + i * ld + k, a + (n - 1 - i) * ld + k);
        }
    }
    for (size_t i = 0; 2 * i + 2 < n; i++) {
        swap(e + i, e + n - 2 - i);
    }
}

/* last row of the unreduced block that begins at l: its subdiagonal entry is negligible relative to
 * the diagonal, or to the largest entry of A, which is about 1 */
static size_t block_end(size_t l, size_t n, const double *d, double *e)
{
    const double lost = DBL_EPSILON * DBL_EPSILON;
    size_t m = l;
    for (; m + 1 < n; m++) {
        const double beside = fabs(e[m]);
        if (beside * beside <= lost * fabs(d[m]) * fabs(d[m + 1]) || beside <= 0x1p-120) {
            e[m] = 0.0;
            break;
        }
    }
    return m;
}

static double length_of(double x, double y)
{
    const double square = x * x + y * y;
    return square > 0x1p-900 ? sqrt(square) : tq_hypot(x, y);
}

static void rotate(size_t n, double *restrict x, double *restrict y, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        const double f = y[i];
        y[i] = s * x[i] + c * f;
        x[i] = c * x[i] - s * f;
    }
}

/* one implicit QL step on the block l .. m, from its end; a NULL: eigenvalues only */
static void step(size_t l, size_t m, double *d, double *e, size_t n, double *a, size_t ld)
{
    const double half = (d[l + 1] - d[l]) / (2.0 * e[l]);
    double g = d[m] - d[l] + e[l] / (half + copysign(length_of(half, 1.0), half));
    double s = 1.0, c = 1.0, p = 0.0;
    for (size_t i = m; i-- > l;) {
        const double f = s * e[i], b = c * e[i];
        const double r = length_of(f, g);
        e[i + 1] = r;
        if (r == 0.0) { /* deflation: the block splits here */
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2.0 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (a != NULL) {
            rotate(n, a + i * ld, a + (i + 1) * ld, c, s);
        }
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

static void sort(size_t n, double *d, double *a, size_t ld)
{
    for (size_t j = 0; j < n; j++) {
        size_t best = j;
        for (size_t k = j + 1; k < n; k++) {
            best = d[k] < d[best] ? k : best;
        }
        if (best != j) {
            swap(d + j, d + best);
            for (size_t i = 0; i < n && a != NULL; i++) {
                swap(a + j * ld + i, a + best * ld + i);
            }
        }
    }
}

/* power of two that scales the largest entry to about 1; 0: not finite */
static double scale_of(size_t n, const double *a, size_t ld)
{
    double largest = 0.0, sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            const double entry = fabs(a[j * ld + i]);
            largest = entry > largest ? entry : largest;
            sum += 0.0 * entry;
        }
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return sum == 0.0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 0.0;
}

int tq_unblocked_symmetric(size_t n, double *a, size_t ld, int with_vectors, double *ret_values,
                           double *work)
{
    double *d = ret_values, *e = work, *tau = e + n, *w = tau + n;
    const double scale = scale_of(n, a, ld);
    if (scale == 0.0) {
        return 0;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            a[j * ld + i] *= scale;
        }
    }
    reduce(n, a, ld, d, e, tau, w);
    double *vectors = with_vectors ? a : NULL;
    if (with_vectors) {
        form_basis(n, a, ld, tau);
    }
    if (fabs(d[n - 1]) < fabs(d[0])) {
        reverse(n, d, e, vectors, ld);
    }
    e[n - 1] = 0.0;
    for (size_t l = 0; l < n; l++) {
        size_t n_step = 0, m;
        while ((m = block_end(l, n, d, e)) != l) {
            if (n_step++ == STEPS_MAX) {
                return 0;
            }
            step(l, m, d, e, n, vectors, ld);
        }
    }
    sort(n, d, vectors, ld);
    for (size_t j = 0; j < n; j++) {
        d[j] /= scale;
    }
    return 1;
}
