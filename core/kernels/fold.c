/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/fold.c - rows of a tall matrix folded into triangles, one triangle a lane. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

/* Each of eight lanes owns a triangle R and an eighth of a run of samples; Householder reflections
 * take both to the axis, as in core/calibrate/tsqr.c, without a sum across lanes. Narrower builds
 * go through the same eight lanes in turns, so that every width gives the same bits. */
enum { DEEP = TQ_FOLD_RUN / TQ_FOLD_LANES };

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

TQ_INLINE real root_of(real x)
{
#if TQ_LANES == 1
    return __builtin_sqrt(x);
#elif TQ_LANES == 2
    return (real)_mm_sqrt_pd((__m128d)x);
#elif TQ_LANES == 4
    return (real)_mm256_sqrt_pd((__m256d)x);
#else
    return (real)_mm512_sqrt_pd((__m512d)x);
#endif
}

/* 1 / x where x > 0, else 0 */
TQ_INLINE real reciprocal_or_zero(real x)
{
#if TQ_LANES == 1
    return x > 0.0 ? 1.0 / x : 0.0;
#else
    const real_bits positive = (real_bits)(x > splat(0.0));
    return real_of(bits_of(splat(1.0) / x) & positive);
#endif
}

/* |x| with the sign opposite to that of s */
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

/* the reflection that takes (r, column) to the axis; r becomes its length */
TQ_INLINE reflection reflect(double *r, double *column)
{
    reflection h;
    UNROLL
    for (int i = 0; i < DEEP; i++) {
        h.v[i] = *at(column + (long)i * TQ_FOLD_LANES);
    }
    real even = h.v[0] * h.v[0], odd = h.v[1] * h.v[1];
    UNROLL
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

/* the same reflection applied to another column, below its entry r of the triangle */
TQ_INLINE void apply(const reflection *h, double *r, double *column)
{
    const real above = *at(r);
    real x[DEEP];
    UNROLL
    for (int i = 0; i < DEEP; i++) {
        x[i] = *at(column + (long)i * TQ_FOLD_LANES);
    }
    real even = above * h->u, odd = h->v[0] * x[0];
    UNROLL
    for (int i = 1; i < DEEP - 1; i += 2) {
        even = tq_fma(h->v[i], x[i], even);
        odd = tq_fma(h->v[i + 1], x[i + 1], odd);
    }
    even = tq_fma(h->v[DEEP - 1], x[DEEP - 1], even);
    const real part = (even + odd) * h->scale;
    *at(r) = tq_fnma(part, h->u, above);
    UNROLL
    for (int i = 0; i < DEEP; i++) {
        *at(column + (long)i * TQ_FOLD_LANES) = tq_fnma(part, h->v[i], x[i]);
    }
}

void TQ_KERNEL(tq_fold)(long n, const int64_t *offset, double *x, double *r)
{
    for (long group = 0; group < TQ_FOLD_LANES; group += TQ_LANES) {
        for (long k = 0; k < n; k++) {
            double *row = r + k * n * TQ_FOLD_LANES + group;
            const reflection h = reflect(row + k * TQ_FOLD_LANES, x + offset[k] + group);
            for (long c = k + 1; c < n; c++) {
                apply(&h, row + c * TQ_FOLD_LANES, x + offset[c] + group);
            }
        }
    }
}
