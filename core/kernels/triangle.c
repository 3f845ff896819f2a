/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/triangle.c - Householder QR update: one triangle folded into another, lanes along
 * rows. */
#include <string.h>

#include "core/kernels/symbols.h"
#include "core/kernels/table.h"
#include "core/lanes/real.h"

/* As core/identify/regression/tsqr.c. Columns never mix across lanes, so every width gives the same
 * bits. The last vector of a row may extend into the next row, whose entries it does not change: it
 * subtracts zero from them. */
enum { BLOCK = 64 };                     /* columns per pass */
static const double negligible = 1e-280; /* squared norm below which a column is zero, as in
                                            tsqr.c */

/* squared norm of rows 0 .. k of column k of x */
TQ_INLINE double square_of(long n, long k, const double *x)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (long i = 0; i <= k; i++) {
        const double entry = x[i * n + k];
        sums[i % 4] = __builtin_fma(entry, entry, sums[i % 4]);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* w = u0 own + sum over rows i = 0 .. k of v_i row_i of x, in n_group vectors */
TQ_INLINE void products(int n_group, long n, long k, double u0, const double *own, const double *v,
                        const double *x, double *w)
{
    real even[2], odd[2];
    long i = 0;
    TQ_UNROLL
    for (int g = 0; g < n_group; g++) {
        even[g] = load(own + (long)g * TQ_LANES) * splat(u0);
        odd[g] = splat(0.0);
    }
    for (; i < k; i += 2, v += 2 * n, x += 2 * n) {
        TQ_UNROLL
        for (int g = 0; g < n_group; g++) {
            even[g] = tq_fmac(v[0], load(x + (long)g * TQ_LANES), even[g]);
            odd[g] = tq_fmac(v[n], load(x + n + (long)g * TQ_LANES), odd[g]);
        }
    }
    TQ_UNROLL
    for (int g = 0; g < n_group; g++) {
        if (i == k) {
            even[g] = tq_fmac(*v, load(x + (long)g * TQ_LANES), even[g]);
        }
        store(w + (long)g * TQ_LANES, even[g] + odd[g]);
    }
}

/* applies the reflection (u0, column k) to columns [from, end) of both triangles, at most BLOCK */
static void reflect(long n, long k, double u0, double scale, long from, long end, double *r,
                    double *x)
{
    double w[BLOCK + TQ_TRIANGLE_LANES];
    double *own = r + k * n + from;
    double *first = x + from;
    const long m = end - from;
    long j = 0;
    for (; j + TQ_LANES < m; j += 2L * TQ_LANES) {
        products(2, n, k, u0, own + j, x + k, first + j, w + j);
    }
    if (j < m) {
        products(1, n, k, u0, own + j, x + k, first + j, w + j);
    }
    for (j = 0; j < m; j += TQ_LANES) {
        store(w + j, load(w + j) * splat(scale));
    }
    for (j = m; j % TQ_LANES != 0; j++) {
        w[j] = 0.0;
    }
    for (j = 0; j < m; j += TQ_LANES) {
        store(own + j, tq_fnmac(u0, load(w + j), load(own + j)));
    }
    for (long i = 0; i <= k; i++) {
        const real v = splat(x[i * n + k]);
        double *row = first + i * n;
        for (j = 0; j < m; j += TQ_LANES) {
            store(row + j, tq_fnma(v, load(w + j), load(row + j)));
        }
    }
}

TQ_INLINE void fold_column(long n, long k, double *r, double *x)
{
    double *diagonal = r + k * n + k;
    const double below = square_of(n, k, x);
    if (below < negligible) {
        return;
    }
    const double length = __builtin_sqrt(__builtin_fma(*diagonal, *diagonal, below));
    const double next = *diagonal > 0.0 ? -length : length;
    const double u0 = *diagonal - next;
    const double scale = 2.0 / __builtin_fma(u0, u0, below);
    *diagonal = next;
    for (long j = k + 1; j < n; j += BLOCK) {
        reflect(n, k, u0, scale, j, j + BLOCK < n ? j + BLOCK : n, r, x);
    }
}

static void fold_all(long n, double *r, double *x)
{
    for (long k = 0; k < n; k++) {
        fold_column(n, k, r, x);
    }
}

/* rows shorter than a vector: padded with zero columns */
static void fold_small(long n, double *r, double *x)
{
    double wide_r[TQ_TRIANGLE_LANES * TQ_TRIANGLE_LANES] = {0.0};
    double wide_x[TQ_TRIANGLE_LANES * TQ_TRIANGLE_LANES] = {0.0};
    for (long i = 0; i < n; i++) {
        memcpy(wide_r + i * TQ_TRIANGLE_LANES, r + i * n, (size_t)n * sizeof *r);
        memcpy(wide_x + i * TQ_TRIANGLE_LANES, x + i * n, (size_t)n * sizeof *x);
    }
    fold_all(TQ_TRIANGLE_LANES, wide_r, wide_x);
    for (long i = 0; i < n; i++) {
        memcpy(r + i * n, wide_r + i * TQ_TRIANGLE_LANES, (size_t)n * sizeof *r);
    }
}

void TQ_KERNEL(tq_triangle)(long n, double *r, double *x)
{
    if (n < TQ_TRIANGLE_LANES) {
        fold_small(n, r, x);
    } else {
        fold_all(n, r, x);
    }
}
