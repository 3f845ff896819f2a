/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/plain_jacobi.c - singular values and symmetric eigenvalues by Jacobi's rotations. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/linalg/plain.h"

enum { SWEEPS_MAX = 60 };

/* singular values that count as 0 beside a largest entry of 1 */
static const double lost_beside_one = 0x1p-400;

/* A turn by the angle a: s = sin a, t = tan a, u = tan a/2. What it changes is small where a is,
 * and so are the roundings (Rutishauser 1966). */
typedef struct turn {
    double s, t, u;
} turn;

/* the smaller one with cot 2a = `cotangent` */
static turn small_turn(double cotangent)
{
    const double t = copysign(1.0 / (fabs(cotangent) + tq_hypot(1.0, cotangent)), cotangent);
    const double c = 1.0 / tq_hypot(1.0, t), s = t * c;
    return (turn){s, t, s / (1.0 + c)};
}

static inline void rotate_pair(turn a, double *x, double *y)
{
    const double was = *x;
    *x -= a.s * (*y + a.u * was);
    *y += a.s * (was - a.u * *y);
}

static void rotate(size_t n, double *x, double *y, turn a)
{
    for (size_t i = 0; i < n; i++) {
        rotate_pair(a, x + i, y + i);
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

/* factor, a power of two, that takes the largest entry near 1 */
static double scale_of(size_t m, size_t n, const double *a, size_t ld)
{
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++) {
            largest = fmax(largest, fabs(a[j * ld + i]));
        }
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

/* a direction orthogonal to all columns but j, for a singular value of 0 */
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
                const double part = k == j ? 0.0 : tq_plain_dot(m, a + k * ld, x);
                for (size_t i = 0; i < m && k != j; i++) {
                    x[i] -= part * a[k * ld + i];
                }
            }
        }
        /* of m unit vectors one keeps a length of at least sqrt((m - n + 1) / m) */
        length = sqrt(tq_plain_dot(m, x, x));
        length = length * length * (double)m < 0.9 ? 0.0 : length;
    }
    for (size_t i = 0; i < m; i++) {
        x[i] /= length > 0.0 ? length : 1.0;
    }
}

/* Rotates columns until each two are orthogonal to rounding (Hestenes 1958). */
static int make_orthogonal(size_t m, size_t n, double *a, size_t ld, double *v)
{
    const double rounding = sqrt((double)m) * DBL_EPSILON;
    const double lost = lost_beside_one * lost_beside_one;
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        size_t n_turned = 0;
        for (size_t p = 0; p + 1 < n; p++) {
            for (size_t q = p + 1; q < n; q++) {
                double *x = a + p * ld, *y = a + q * ld;
                const double xx = tq_plain_dot(m, x, x), yy = tq_plain_dot(m, y, y);
                const double xy = tq_plain_dot(m, x, y);
                if (fabs(xy) <= rounding * sqrt(xx) * sqrt(yy) || fmin(xx, yy) < lost) {
                    continue;
                }
                const turn by = small_turn((yy - xx) / (2.0 * xy));
                rotate(m, x, y, by);
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

/* m >= n; the left vectors in place of A, v NULL: neither */
static int svd_of_tall(size_t m, size_t n, double *a, size_t ld, double *ret_s, double *v)
{
    const double scale = scale_of(m, n, a, ld);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++) {
            a[j * ld + i] *= scale;
        }
        for (size_t i = 0; i < n && v != NULL; i++) {
            v[j * n + i] = i == j ? 1.0 : 0.0;
        }
    }
    if (!make_orthogonal(m, n, a, ld, v)) {
        return 0;
    }
    for (size_t j = 0; j < n; j++) {
        ret_s[j] = sqrt(tq_plain_dot(m, a + j * ld, a + j * ld));
        ret_s[j] = ret_s[j] < lost_beside_one ? 0.0 : ret_s[j];
    }
    for (size_t j = 0; j < n; j++) { /* the largest of the rest comes next */
        size_t best = j;
        for (size_t k = j + 1; k < n; k++) {
            best = ret_s[k] > ret_s[best] ? k : best;
        }
        if (best != j) {
            swap(1, ret_s + j, ret_s + best);
            swap(m, a + j * ld, a + best * ld);
            if (v != NULL) {
                swap(n, v + j * n, v + best * n);
            }
        }
        for (size_t i = 0; i < m; i++) {
            a[j * ld + i] = ret_s[j] > 0.0 ? a[j * ld + i] / ret_s[j] : 0.0;
        }
    }
    for (size_t j = 0; j < n; j++) {
        if (ret_s[j] == 0.0 && v != NULL) {
            complete(m, n, a, ld, j);
        }
        ret_s[j] /= scale;
    }
    return 1;
}

/* V^T from V (n x k), or U^T from U */
static void transpose(size_t n, size_t k, const double *v, size_t ld, double *ret)
{
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < n; i++) {
            ret[i * k + j] = v[j * ld + i];
        }
    }
}

/* A = U S V^T of A's longer side down; else of A^T, V and U changed about. */
int tq_plain_svd(size_t m, size_t n, double *a, size_t ld, double *work, double *ret_s,
                 double *ret_u, double *ret_vt)
{
    if (m >= n) {
        double *v = ret_vt != NULL ? work : NULL;
        if (!svd_of_tall(m, n, a, ld, ret_s, v)) {
            return 0;
        }
        for (size_t j = 0; j < n && v != NULL; j++) {
            for (size_t i = 0; i < m; i++) {
                ret_u[j * m + i] = a[j * ld + i];
            }
        }
        if (v != NULL) {
            transpose(n, n, v, n, ret_vt);
        }
        return 1;
    }
    double *b = work;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++) {
            b[j * n + i] = a[i * ld + j];
        }
    }
    if (!svd_of_tall(n, m, b, n, ret_s, ret_u)) {
        return 0;
    }
    if (ret_vt != NULL) {
        transpose(n, m, b, n, ret_vt);
    }
    return 1;
}

/* one sweep over all pairs (Golub & Van Loan 8.5); how many were turned */
static size_t sweep_symmetric(size_t n, double *a, size_t ld, double *v, double floor_of_all)
{
    size_t n_turned = 0;
    for (size_t p = 0; p + 1 < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            const double off = a[p * ld + q], app = a[p * ld + p], aqq = a[q * ld + q];
            const double enough = 0.5 * DBL_EPSILON * sqrt(fabs(app)) * sqrt(fabs(aqq));
            if (fabs(off) <= enough || fabs(off) <= floor_of_all) {
                continue;
            }
            const turn by = small_turn((aqq - app) / (2.0 * off));
            rotate(n, a + p * ld, a + q * ld, by);
            for (size_t k = 0; k < n; k++) {
                rotate_pair(by, a + k * ld + p, a + k * ld + q);
            }
            a[p * ld + p] = app - by.t * off;
            a[q * ld + q] = aqq + by.t * off;
            a[p * ld + q] = a[q * ld + p] = 0.0;
            rotate(n, v + p * n, v + q * n, by);
            n_turned++;
        }
    }
    return n_turned;
}

int tq_plain_symmetric(size_t n, double *a, size_t ld, double *ret_values, double *work)
{
    double *v = work;
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            v[j * n + i] = i == j ? 1.0 : 0.0;
            if (i > j) {
                a[i * ld + j] = a[j * ld + i];
            }
            largest = fmax(largest, i >= j ? fabs(a[j * ld + i]) : 0.0);
        }
    }
    int sweep = 0;
    while (sweep < SWEEPS_MAX && sweep_symmetric(n, a, ld, v, 0x1p-120 * largest) > 0) {
        sweep++;
    }
    if (sweep == SWEEPS_MAX) {
        return 0;
    }
    for (size_t j = 0; j < n; j++) {
        ret_values[j] = a[j * ld + j];
    }
    for (size_t j = 0; j < n; j++) {
        size_t best = j;
        for (size_t k = j + 1; k < n; k++) {
            best = ret_values[k] < ret_values[best] ? k : best;
        }
        if (best != j) {
            swap(1, ret_values + j, ret_values + best);
            swap(n, v + j * n, v + best * n);
        }
        for (size_t i = 0; i < n; i++) {
            a[j * ld + i] = v[j * n + i];
        }
    }
    return 1;
}
