/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked_jacobi.c - singular values by one-sided Jacobi rotations. */
#include <float.h>
#include <math.h>

#include "core/linalg/unblocked.h"

enum { SWEEPS_MAX = 60 };

/* singular values below this, relative to a largest entry of 1, are set to 0 */
static const double lost_beside_one = 0x1p-400;

/* Rotation by the angle a: s = sin a, t = tan a, u = tan a/2. The changes, and so their rounding
 * errors, are small if a is small (Rutishauser 1966). */
typedef struct turn {
    double s, t, u;
} turn;

typedef struct room {
    double *l, *w;        /* (n x n) */
    double *tau, *square; /* (n) */
    int *pivot;           /* (n) */
} room;

/* the smaller of the two angles with cot 2a = `cotangent` */
static turn small_turn(double cotangent)
{
    const double root = sqrt(1.0 + cotangent * cotangent); /* infinite: the angle is 0 */
    const double t = copysign(1.0 / (fabs(cotangent) + root), cotangent);
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    return (turn){s, t, s / (1.0 + c)};
}

static void rotate(size_t n, double *restrict x, double *restrict y, turn a)
{
    for (size_t i = 0; i < n; i++) {
        const double was = x[i];
        x[i] -= a.s * (y[i] + a.u * was);
        y[i] += a.s * (was - a.u * y[i]);
    }
}

static void swap(size_t n, double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        const double was = x[i];
        x[i] = y[i];
        y[i] = was;
    }
}

/* power of two that scales the largest entry to about 1 */
static double scale_of(size_t m, size_t n, const double *a, size_t ld)
{
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++) {
            const double entry = fabs(a[j * ld + i]);
            largest = entry > largest ? entry : largest;
        }
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

/* column j := a unit vector orthogonal to all other columns, for a singular value of 0 */
static void complete(size_t m, size_t n, double *a, size_t ld, size_t j)
{
    double *x = a + j * ld;
    double length = 0.0;
    for (size_t unit = 0; unit < m && length < 0.1; unit++) {
        for (size_t i = 0; i < m; i++) {
            x[i] = i == unit ? 1.0 : 0.0;
        }
        for (int twice = 0; twice < 2; twice++) {
            for (size_t k = 0; k < n; k++) {
                const double part = k == j ? 0.0 : tq_unblocked_dot(m, a + k * ld, x);
                for (size_t i = 0; i < m && k != j; i++) {
                    x[i] -= part * a[k * ld + i];
                }
            }
        }
        /* of m unit vectors, at least one keeps a length of sqrt((m - n + 1) / m) */
        length = sqrt(tq_unblocked_dot(m, x, x));
        length = length * length * (double)m < 0.9 ? 0.0 : length;
    }
    for (size_t i = 0; i < m; i++) {
        x[i] /= length > 0.0 ? length : 1.0;
    }
}

/* Squared column length: updated by rotations, recomputed after cancellation to a quarter or less.
 */
static double kept(size_t n, const double *x, double square, double was)
{
    return square > 0.25 * was ? square : tq_unblocked_dot(n, x, x);
}

/* One-sided Jacobi: rotates pairs of columns until all are orthogonal to rounding (Hestenes 1958).
 */
static int make_orthogonal(size_t n, double *a, double *v, double *square)
{
    const double rounding = sqrt((double)n) * DBL_EPSILON;
    const double lost = lost_beside_one * lost_beside_one;
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        size_t n_turned = 0;
        for (size_t j = 0; j < n; j++) {
            square[j] = tq_unblocked_dot(n, a + j * n, a + j * n);
        }
        for (size_t p = 0; p + 1 < n; p++) {
            for (size_t q = p + 1; q < n; q++) {
                double *x = a + p * n, *y = a + q * n;
                const double xx = square[p], yy = square[q], xy = tq_unblocked_dot(n, x, y);
                if (fabs(xy) <= rounding * sqrt(xx) * sqrt(yy) || fmin(xx, yy) < lost) {
                    continue;
                }
                const turn by = small_turn((yy - xx) / (2.0 * xy));
                rotate(n, x, y, by);
                square[p] = kept(n, x, xx - by.t * xy, xx);
                square[q] = kept(n, y, yy + by.t * xy, yy);
                if (v != NULL) {
                    rotate(n, v + p * n, v + q * n, by);
                }
                n_turned++;
            }
        }
        if (n_turned == 0) {
            return 1;
        }
    }
    return 0;
}

/* sorts singular values in descending order and normalises columns */
static void put_in_order(size_t n, double *s, double *a, double *v)
{
    for (size_t j = 0; j < n; j++) {
        s[j] = sqrt(tq_unblocked_dot(n, a + j * n, a + j * n));
        s[j] = s[j] < lost_beside_one ? 0.0 : s[j];
    }
    for (size_t j = 0; j < n; j++) { /* selection sort: the largest of the rest is next */
        size_t best = j;
        for (size_t k = j + 1; k < n; k++) {
            best = s[k] > s[best] ? k : best;
        }
        if (best != j) {
            swap(1, s + j, s + best);
            swap(n, a + j * n, a + best * n);
            if (v != NULL) {
                swap(n, v + j * n, v + best * n);
            }
        }
        for (size_t i = 0; i < n; i++) {
            a[j * n + i] = s[j] > 0.0 ? a[j * n + i] / s[j] : 0.0;
        }
    }
}

/* m >= n: A P = Q R, then one-sided Jacobi on R^T = V S W^T, which needs few sweeps (Drmac &
 * Veselic 2008): A = (Q W) S (P V)^T. u (m x n) and v (n x n) may both be NULL. */
static int svd_of_tall(size_t m, size_t n, double *a, size_t ld, const room *in, double *ret_s,
                       double *u, double *v)
{
    const double scale = scale_of(m, n, a, ld);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++) {
            a[j * ld + i] *= scale;
        }
    }
    tq_unblocked_qr(m, n, a, ld, in->tau, in->pivot);
    double *l = in->l, *w = u != NULL ? in->w : NULL;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            l[j * n + i] = i >= j ? a[i * ld + j] : 0.0;
            in->w[j * n + i] = i == j ? 1.0 : 0.0;
        }
    }
    if (!make_orthogonal(n, l, w, in->square)) {
        return 0;
    }
    put_in_order(n, ret_s, l, w);
    for (size_t j = 0; j < n; j++) {
        if (ret_s[j] == 0.0 && v != NULL) {
            complete(n, n, l, n, j);
        }
        ret_s[j] /= scale;
        for (size_t i = 0; i < n && v != NULL; i++) {
            v[j * n + (size_t)in->pivot[i]] = l[j * n + i];
        }
        for (size_t i = 0; i < m && u != NULL; i++) {
            u[j * m + i] = i < n ? w[j * n + i] : 0.0;
        }
    }
    if (u != NULL) {
        tq_unblocked_apply_q(0, m, n, a, ld, in->tau, n, u, m);
    }
    return 1;
}

/* V^T from V (n x k), or U^T from U */
static void transpose(size_t n, size_t k, const double *v, double *ret)
{
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < n; i++) {
            ret[i * k + j] = v[j * n + i];
        }
    }
}

/* A = U S V^T if m >= n; else the SVD of A^T, with U and V exchanged. */
/* NOLINTNEXTLINE(readability-function-size,readability-non-const-parameter): dgesdd's arguments */
int tq_unblocked_svd(size_t m, size_t n, double *a, size_t ld, double *work, int *pivot,
                     double *ret_s, double *ret_u, double *ret_vt)
{
    const size_t k = m < n ? m : n;
    const room in = {.l = work,
                     .w = work + k * k,
                     .tau = work + 2 * k * k,
                     .square = work + 2 * k * k + k,
                     .pivot = pivot};
    double *b = work + 2 * k * k + 2 * k;
    if (m >= n) {
        if (!svd_of_tall(m, n, a, ld, &in, ret_s, ret_u, ret_u != NULL ? b : NULL)) {
            return 0;
        }
        if (ret_vt != NULL) {
            transpose(n, n, b, ret_vt);
        }
        return 1;
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++) {
            b[j * n + i] = a[i * ld + j];
        }
    }
    double *v = ret_vt != NULL ? b + m * n : NULL;
    if (!svd_of_tall(n, m, b, n, &in, ret_s, v, ret_u)) {
        return 0;
    }
    if (ret_vt != NULL) {
        transpose(n, m, v, ret_vt);
    }
    return 1;
}
