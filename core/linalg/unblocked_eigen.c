/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/unblocked_eigen.c - eigenvalues of a general real matrix by Francis's double-shift
 * QR. */
#include <float.h>
#include <math.h>

#include "core/linalg/unblocked.h"

/* Balancing, reduction to Hessenberg form, implicit double-shift QR steps with deflation: Golub &
 * Van Loan 7.5, after the published programs balance, orthes and hqr (Wilkinson & Reinsch 1971).
 * Entry (i, j) is AT(i, j). */
#define AT(i, j) a[(size_t)(j)*ld + (size_t)(i)]

enum { STEPS_MAX = 60 };

/* Balancing: scales row and column of each index to similar sums by powers of two (exact). */
static void balance(size_t n, double *a, size_t ld)
{
    for (int changed = 1, round = 0; changed && round < 100; round++) {
        changed = 0;
        for (size_t i = 0; i < n; i++) {
            double r = 0.0, c = 0.0;
            for (size_t j = 0; j < n; j++) {
                r += j == i ? 0.0 : fabs(AT(i, j));
                c += j == i ? 0.0 : fabs(AT(j, i));
            }
            if (!(r > 0.0 && c > 0.0 && r < HUGE_VAL && c < HUGE_VAL)) {
                continue;
            }
            const double sum = r + c;
            double f = 1.0;
            while (c < 0.5 * r) {
                c *= 4.0;
                f *= 2.0;
            }
            while (c >= 2.0 * r) {
                c *= 0.25;
                f *= 0.5;
            }
            if ((c + r) / f >= 0.95 * sum) {
                continue;
            }
            changed = 1;
            for (size_t j = 0; j < n; j++) {
                AT(i, j) /= f;
                AT(j, i) *= f;
            }
        }
    }
}

/* Hessenberg reduction: a Householder reflection from both sides clears column k below the
 * subdiagonal */
static void reduce(size_t n, double *a, size_t ld)
{
    for (size_t k = 0; k + 2 < n; k++) {
        double scale = 0.0;
        for (size_t i = k + 2; i < n; i++) {
            scale += fabs(AT(i, k));
        }
        if (scale == 0.0) {
            continue;
        }
        scale += fabs(AT(k + 1, k));
        double h = 0.0;
        for (size_t i = k + 1; i < n; i++) {
            AT(i, k) /= scale;
            h += AT(i, k) * AT(i, k);
        }
        const double g = -copysign(sqrt(h), AT(k + 1, k));
        h -= AT(k + 1, k) * g;
        AT(k + 1, k) -= g; /* the vector u is stored in the column; H = I - u u^T / h */
        for (size_t j = k + 1; j < n; j++) {
            const double f = tq_unblocked_dot(n - k - 1, &AT(k + 1, k), &AT(k + 1, j)) / h;
            for (size_t i = k + 1; i < n; i++) {
                AT(i, j) -= f * AT(i, k);
            }
        }
        for (size_t i = 0; i < n; i++) {
            double f = 0.0;
            for (size_t j = k + 1; j < n; j++) {
                f += AT(j, k) * AT(i, j);
            }
            f /= h;
            for (size_t j = k + 1; j < n; j++) {
                AT(i, j) -= f * AT(j, k);
            }
        }
        AT(k + 1, k) = scale * g;
        for (size_t i = k + 2; i < n; i++) {
            AT(i, k) = 0.0;
        }
    }
}

/* True if the subdiagonal entry (k, k - 1) may be set to 0: it is negligible relative to the
 * diagonal, and its product with (k - 1, k) relative to that of the diagonal and the gap (Ahues &
 * Tisseur 1997, as LAPACK dlahqr). */
static int is_lost(long k, const double *a, size_t ld, double norm)
{
    const double below = fabs(AT(k, k - 1)), above = fabs(AT(k - 1, k));
    const double here = fabs(AT(k, k)), gap = fabs(AT(k - 1, k - 1) - AT(k, k));
    double s = here + fabs(AT(k - 1, k - 1));
    s = s == 0.0 ? norm : s;
    if (below > DBL_EPSILON * s) {
        return 0;
    }
    const double sum = fmax(here, gap) + fmax(below, above);
    return sum == 0.0 ||
           fmin(below, above) * (fmax(below, above) / sum) <=
               fmax(DBL_MIN, DBL_EPSILON * (fmin(here, gap) * (fmax(here, gap) / sum)));
}

/* deflation: first row of the unreduced block that ends at `last` */
static long block_start(long last, double *a, size_t ld, double norm)
{
    long l = last;
    while (l > 0 && !is_lost(l, a, ld, norm)) {
        l--;
    }
    if (l > 0) {
        AT(l, l - 1) = 0.0;
    }
    return l;
}

typedef struct shifts {
    double x, y, w; /* the last two diagonal entries, and the product of the off-diagonal entries
                       of their 2x2 block */
} shifts;

typedef struct direction {
    double p, q, r;
} direction;

/* first row of the double step, and its first direction */
static long step_start(long l, long last, const double *a, size_t ld, shifts z, direction *ret)
{
    long m = last - 2;
    for (;; m--) {
        const double d = AT(m, m), r = z.x - d, s = z.y - d;
        const double p = (r * s - z.w) / AT(m + 1, m) + AT(m, m + 1);
        const double q = AT(m + 1, m + 1) - d - r - s, t = AT(m + 2, m + 1);
        const double sum = fabs(p) + fabs(q) + fabs(t);
        *ret = (direction){p / sum, q / sum, t / sum};
        if (m == l) {
            return m;
        }
        const double u = fabs(AT(m, m - 1)) * (fabs(ret->q) + fabs(ret->r));
        const double v = fabs(ret->p) * (fabs(AT(m - 1, m - 1)) + fabs(d) + fabs(AT(m + 1, m + 1)));
        if (u + v == v) {
            return m;
        }
    }
}

/* reflection of rows and columns k, k + 1 and, unless it is the last, k + 2 */
static void reflect(long k, long l, long last, double *a, size_t ld, direction d, double s)
{
    const int three = k != last - 1;
    const double p = d.p + s, x = p / s, y = d.q / s, z = d.r / s, q = d.q / p, r = d.r / p;
    for (long j = k; j <= last; j++) {
        const double f = AT(k, j) + q * AT(k + 1, j) + (three ? r * AT(k + 2, j) : 0.0);
        AT(k, j) -= f * x;
        AT(k + 1, j) -= f * y;
        if (three) {
            AT(k + 2, j) -= f * z;
        }
    }
    const long end = last < k + 3 ? last : k + 3;
    for (long i = l; i <= end; i++) {
        const double f = x * AT(i, k) + y * AT(i, k + 1) + (three ? z * AT(i, k + 2) : 0.0);
        AT(i, k) -= f;
        AT(i, k + 1) -= f * q;
        if (three) {
            AT(i, k + 2) -= f * r;
        }
    }
}

static void double_step(long l, long last, double *a, size_t ld, shifts z)
{
    direction d;
    const long m = step_start(l, last, a, ld, z, &d);
    for (long i = m + 2; i <= last; i++) {
        AT(i, i - 2) = 0.0;
        if (i > m + 2) {
            AT(i, i - 3) = 0.0;
        }
    }
    for (long k = m; k < last; k++) {
        double size = 1.0;
        if (k != m) {
            d = (direction){AT(k, k - 1), AT(k + 1, k - 1), k != last - 1 ? AT(k + 2, k - 1) : 0.0};
            size = fabs(d.p) + fabs(d.q) + fabs(d.r);
            if (size == 0.0) {
                continue;
            }
            d = (direction){d.p / size, d.q / size, d.r / size};
        }
        const double s = copysign(sqrt(d.p * d.p + d.q * d.q + d.r * d.r), d.p);
        if (s == 0.0) {
            continue;
        }
        if (k != m) {
            AT(k, k - 1) = -s * size;
        } else if (l != m) {
            AT(k, k - 1) = -AT(k, k - 1);
        }
        reflect(k, l, last, a, ld, d, s);
    }
}

/* both eigenvalues of the last 2x2 block; t is the sum of the shifts */
static void solve_two(shifts z, double t, double *re, double *im)
{
    const double p = 0.5 * (z.y - z.x), q = p * p + z.w, root = sqrt(fabs(q));
    const double x = z.x + t;
    if (q >= 0.0) {
        const double far = p + copysign(root, p);
        re[0] = x + far;
        re[1] = far != 0.0 ? x - z.w / far : x;
        im[0] = im[1] = 0.0;
    } else {
        re[0] = re[1] = x + p;
        im[0] = root;
        im[1] = -root;
    }
}

int tq_unblocked_general(size_t n, double *a, size_t ld, double *ret_re, double *ret_im)
{
    balance(n, a, ld);
    reduce(n, a, ld);
    double norm = 0.0, t = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n && i <= j + 1; i++) {
            norm += fabs(AT(i, j));
        }
    }
    if (!(norm < HUGE_VAL)) {
        return 0;
    }
    int n_step = 0;
    for (long last = (long)n - 1; last >= 0;) {
        const long l = block_start(last, a, ld, norm);
        shifts z = {.x = AT(last, last)};
        if (l == last) {
            ret_re[last] = z.x + t;
            ret_im[last--] = 0.0;
            n_step = 0;
            continue;
        }
        z.y = AT(last - 1, last - 1);
        z.w = AT(last, last - 1) * AT(last - 1, last);
        if (l == last - 1) {
            solve_two(z, t, ret_re + l, ret_im + l);
            last -= 2;
            n_step = 0;
            continue;
        }
        if (n_step == STEPS_MAX) {
            return 0;
        }
        if (n_step % 10 == 9) { /* no convergence after 10 steps: an exceptional shift */
            t += z.x;
            for (long i = 0; i <= last; i++) {
                AT(i, i) -= z.x;
            }
            const double s = fabs(AT(last, last - 1)) + fabs(AT(last - 1, last - 2));
            z = (shifts){0.75 * s, 0.75 * s, -0.4375 * s * s};
        }
        n_step++;
        double_step(l, last, a, ld, z);
    }
    return 1;
}
