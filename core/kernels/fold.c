/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/fold.c - QR update: rows of a tall matrix folded into triangles R, one triangle per
 * lane (TSQR). */
#include "core/kernels/symbols.h"
#include "core/kernels/table.h"
#include "core/lanes/real.h"

/* Each of eight lanes owns a triangle R and every eighth sample of a run; Householder reflections
 * annihilate its rows as in core/identify/regression/tsqr.c, without a sum across lanes. Narrower
 * builds process the same eight lanes in groups, so that every width gives the same bits. Columns
 * are reduced in pairs, which halves the memory traffic of the trailing columns. */
enum { DEEP = TQ_FOLD_RUN / TQ_FOLD_LANES };

/* 1 / x, 0 where x is subnormal or 0: 1 / x would be infinite where subnormal numbers are not
 * flushed to zero (an emulated processor may not have that mode). x >= 0 */
TQ_INLINE real reciprocal_or_zero(real x)
{
    const double least = 0x1p-1022;
#if TQ_LANES == 1
    return x >= least ? 1.0 / x : 0.0;
#else
    const real_bits is_normal = (real_bits)(x >= splat(least));
    return real_of(bits_of(splat(1.0) / x) & is_normal);
#endif
}

/* -copysign(|x|, s), without cancellation in r - (result) */
TQ_INLINE real away_from(real x, real s)
{
    const real_bits sign = UINT64_C(1) << 63 & ~bits_of(s);
    return real_of(bits_of(x) | sign);
}

typedef struct reflection {
    real v[DEEP], u, scale;
} reflection;

TQ_INLINE real *at(double *x)
{
    return (real *)(void *)x;
}

/* the Householder reflection that annihilates `column` below r; r becomes its signed norm */
TQ_INLINE reflection reflect(double *r, double *column)
{
    reflection h;
    TQ_UNROLL
    for (int i = 0; i < DEEP; i++) {
        h.v[i] = *at(column + (long)i * TQ_FOLD_LANES);
    }
    real even = h.v[0] * h.v[0], odd = h.v[1] * h.v[1];
    TQ_UNROLL
    for (int i = 2; i < DEEP; i += 2) {
        even = tq_fma(h.v[i], h.v[i], even);
        odd = tq_fma(h.v[i + 1], h.v[i + 1], odd);
    }
    const real before = *at(r);
    const real length = root_of(tq_fma(before, before, even + odd));
    const real after = away_from(length, before);
    h.u = before - after;
    h.scale = reciprocal_or_zero(length * (length + magnitude(before)));
    *at(r) = after;
    return h;
}

/* v . x of a reflection v and a column x, including the column's entry `above` in the triangle */
TQ_INLINE real product(const reflection *h, real above, const real *x)
{
    real even = tq_fma(h->v[0], x[0], above * h->u), odd = h->v[1] * x[1];
    TQ_UNROLL
    for (int i = 2; i < DEEP; i += 2) {
        even = tq_fma(h->v[i], x[i], even);
        odd = tq_fma(h->v[i + 1], x[i + 1], odd);
    }
    return even + odd;
}

/* Two reflections applied in order, h at the triangle's entry r, then g at the entry s below it:
 * the column is loaded and stored once. coupling = h.v . g.v */
TQ_INLINE void apply_two(const reflection *h, const reflection *g, real coupling, double *r,
                         double *s, double *column)
{
    real x[DEEP];
    TQ_UNROLL
    for (int i = 0; i < DEEP; i++) {
        x[i] = *at(column + (long)i * TQ_FOLD_LANES);
    }
    const real first = product(h, *at(r), x) * h->scale;
    const real second = tq_fnma(coupling, first, product(g, *at(s), x)) * g->scale;
    *at(r) = tq_fnma(first, h->u, *at(r));
    *at(s) = tq_fnma(second, g->u, *at(s));
    TQ_UNROLL
    for (int i = 0; i < DEEP; i++) {
        *at(column + (long)i * TQ_FOLD_LANES) =
            tq_fnma(second, g->v[i], tq_fnma(first, h->v[i], x[i]));
    }
}

TQ_INLINE void apply_one(const reflection *h, double *r, double *column)
{
    real x[DEEP];
    TQ_UNROLL
    for (int i = 0; i < DEEP; i++) {
        x[i] = *at(column + (long)i * TQ_FOLD_LANES);
    }
    const real part = product(h, *at(r), x) * h->scale;
    *at(r) = tq_fnma(part, h->u, *at(r));
    TQ_UNROLL
    for (int i = 0; i < DEEP; i++) {
        *at(column + (long)i * TQ_FOLD_LANES) = tq_fnma(part, h->v[i], x[i]);
    }
}

/* annihilates columns k and k + 1 and updates the columns after them */
TQ_INLINE void fold_two(long n, long k, const int64_t *offset, double *x, double *r)
{
    double *upper = r + k * n * TQ_FOLD_LANES, *lower = upper + n * TQ_FOLD_LANES;
    const reflection h = reflect(upper + k * TQ_FOLD_LANES, x + offset[k]);
    apply_one(&h, upper + (k + 1) * TQ_FOLD_LANES, x + offset[k + 1]);
    const reflection g = reflect(lower + (k + 1) * TQ_FOLD_LANES, x + offset[k + 1]);
    real even = h.v[0] * g.v[0], odd = h.v[1] * g.v[1];
    TQ_UNROLL
    for (int i = 2; i < DEEP; i += 2) {
        even = tq_fma(h.v[i], g.v[i], even);
        odd = tq_fma(h.v[i + 1], g.v[i + 1], odd);
    }
    const real coupling = even + odd;
    for (long c = k + 2; c < n; c++) {
        apply_two(&h, &g, coupling, upper + c * TQ_FOLD_LANES, lower + c * TQ_FOLD_LANES,
                  x + offset[c]);
    }
}

void TQ_KERNEL(tq_fold)(long n, const int64_t *offset, double *x, double *r)
{
    for (long group = 0; group < TQ_FOLD_LANES; group += TQ_LANES) {
        long k = 0;
        for (; k + 1 < n; k += 2) {
            fold_two(n, k, offset, x + group, r + group);
        }
        if (k < n) {
            (void)reflect(r + (k * n + k) * TQ_FOLD_LANES + group, x + offset[k] + group);
        }
    }
}
