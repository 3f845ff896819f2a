/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/real.h - `real`: TQ_LANES samples in one vector, with explicit fused multiply-adds. */
#ifndef TQ_LANES_REAL_H
#define TQ_LANES_REAL_H

/* A kernel is compiled once per width. Products that are summed are always written as fused
 * multiply-adds, and contraction is off everywhere, so that every width gives the same bits. A
 * `real` never crosses an object file: only pointers to double do. */
#include <math.h>
#include <stdint.h>

#ifndef TQ_LANES
#define TQ_LANES 1 /* outside kernels: one sample at a time */
#endif
#if TQ_LANES > 1
#include <immintrin.h>
#endif

#define TQ_INLINE static inline __attribute__((always_inline, unused))

/* before a loop with few iterations, constant in number */
#ifdef __clang__
#define TQ_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TQ_UNROLL _Pragma("GCC unroll 32")
#endif

/* before a loop with many iterations and few instructions */
#ifdef __clang__
#define TQ_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define TQ_UNROLL_4 _Pragma("GCC unroll 4")
#endif

#if TQ_LANES == 1
typedef double real;
typedef uint64_t real_bits;
typedef double real_anywhere;
typedef int real_mask;
#else
typedef double real __attribute__((vector_size(TQ_LANES * 8)));
typedef uint64_t real_bits __attribute__((vector_size(TQ_LANES * 8)));
typedef double real_anywhere __attribute__((vector_size(TQ_LANES * 8), aligned(8), may_alias));
typedef int real_mask; /* bit k: lane k */
#endif

/* x in every lane */
TQ_INLINE real splat(double x)
{
#if TQ_LANES == 1
    return x;
#elif TQ_LANES == 2
    return (real)_mm_set1_pd(x);
#elif TQ_LANES == 4
    return (real)_mm256_set1_pd(x);
#elif TQ_LANES == 8
    return (real)_mm512_set1_pd(x);
#else
#error "TQ_LANES must be 1, 2, 4 or 8"
#endif
}

/* a b + c, rounded once */
TQ_INLINE real tq_fma(real a, real b, real c)
{
#if TQ_LANES == 1
    return __builtin_fma(a, b, c);
#elif TQ_LANES == 2
    return (real)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif TQ_LANES == 4
    return (real)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return (real)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
}

/* a b - c */
TQ_INLINE real tq_fms(real a, real b, real c)
{
#if TQ_LANES == 1
    return __builtin_fma(a, b, -c);
#elif TQ_LANES == 2
    return (real)_mm_fmsub_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif TQ_LANES == 4
    return (real)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return (real)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
}

/* c - a b */
TQ_INLINE real tq_fnma(real a, real b, real c)
{
#if TQ_LANES == 1
    return __builtin_fma(-a, b, c);
#elif TQ_LANES == 2
    return (real)_mm_fnmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif TQ_LANES == 4
    return (real)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return (real)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
}

/* -a b - c */
TQ_INLINE real tq_fnms(real a, real b, real c)
{
#if TQ_LANES == 1
    return __builtin_fma(-a, b, -c);
#elif TQ_LANES == 2
    return (real)_mm_fnmsub_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif TQ_LANES == 4
    return (real)_mm256_fnmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return (real)_mm512_fnmsub_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
}

/* a b + c with a constant of the model as a */
TQ_INLINE real tq_fmac(double a, real b, real c)
{
    return tq_fma(splat(a), b, c);
}
TQ_INLINE real tq_fnmac(double a, real b, real c)
{
    return tq_fnma(splat(a), b, c);
}

/* A sum that will be negated. With one lane gcc turns -(a b + c) into the single instruction -a b -
 * c; if the sum is 0 this has the other sign of zero. Here the compiler cannot see the sum. */
TQ_INLINE real opaque_sum(real sum)
{
#if TQ_LANES == 1 && defined(__FMA__) && !defined(__clang__)
    __asm__("" : "+v"(sum));
#elif TQ_LANES == 1 && defined(__aarch64__) && !defined(__clang__)
    __asm__("" : "+w"(sum));
#endif
    return sum;
}

/* TQ_LANES neighbouring samples; `at` needs no alignment beyond a double's */
TQ_INLINE real load(const double *at)
{
    return *(const real_anywhere *)at;
}
TQ_INLINE void store(double *at, real x)
{
    *(real_anywhere *)at = x;
}

TQ_INLINE real_bits bits_of(real x)
{
    real_bits b;
    __builtin_memcpy(&b, &x, sizeof b);
    return b;
}
TQ_INLINE real real_of(real_bits b)
{
    real x;
    __builtin_memcpy(&x, &b, sizeof x);
    return x;
}

TQ_INLINE real magnitude(real x)
{
    return real_of(bits_of(x) & UINT64_C(0x7fffffffffffffff));
}

/* `yes` in lanes where the sign bit of x is set, else `no` */
TQ_INLINE real where_signed(real_bits x, real yes, real no)
{
#if TQ_LANES == 1
    const real_bits mask = -(x >> 63);
    return real_of((bits_of(yes) & mask) | (bits_of(no) & ~mask));
#elif TQ_LANES == 2
    return (real)_mm_blendv_pd((__m128d)no, (__m128d)yes, (__m128d)x);
#elif TQ_LANES == 4
    return (real)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)x);
#else
    return (real)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)x), (__m512d)no, (__m512d)yes);
#endif
}

/* lanes where |x| <= limit is false: larger, infinite or NaN */
TQ_INLINE real_mask beyond(real x, double limit)
{
    const real size = magnitude(x);
#if TQ_LANES == 1
    return !(size <= limit);
#elif TQ_LANES == 2
    return _mm_movemask_pd(_mm_cmp_pd((__m128d)size, _mm_set1_pd(limit), _CMP_NLE_UQ));
#elif TQ_LANES == 4
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)size, _mm256_set1_pd(limit), _CMP_NLE_UQ));
#else
    return _mm512_cmp_pd_mask((__m512d)size, _mm512_set1_pd(limit), _CMP_NLE_UQ);
#endif
}

/* lanes where x > limit is false: smaller, equal or NaN */
TQ_INLINE real_mask not_above(real x, real limit)
{
#if TQ_LANES == 1
    return !(x > limit);
#elif TQ_LANES == 2
    return _mm_movemask_pd(_mm_cmp_pd((__m128d)x, (__m128d)limit, _CMP_NGT_UQ));
#elif TQ_LANES == 4
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)x, (__m256d)limit, _CMP_NGT_UQ));
#else
    return _mm512_cmp_pd_mask((__m512d)x, (__m512d)limit, _CMP_NGT_UQ);
#endif
}

/* a < b ? a : b, and a > b ? a : b */
TQ_INLINE real least_of(real a, real b)
{
#if TQ_LANES == 1
    return a < b ? a : b;
#elif TQ_LANES == 2
    return (real)_mm_min_pd((__m128d)a, (__m128d)b);
#elif TQ_LANES == 4
    return (real)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return (real)_mm512_min_pd((__m512d)a, (__m512d)b);
#endif
}
TQ_INLINE real greatest_of(real a, real b)
{
#if TQ_LANES == 1
    return a > b ? a : b;
#elif TQ_LANES == 2
    return (real)_mm_max_pd((__m128d)a, (__m128d)b);
#elif TQ_LANES == 4
    return (real)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return (real)_mm512_max_pd((__m512d)a, (__m512d)b);
#endif
}

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

/* `yes` in lanes where a < b, else `no` */
TQ_INLINE real where_below(real a, real b, real yes, real no)
{
#if TQ_LANES == 1
    return a < b ? yes : no;
#elif TQ_LANES == 2
    return (real)_mm_blendv_pd((__m128d)no, (__m128d)yes,
                               _mm_cmp_pd((__m128d)a, (__m128d)b, _CMP_LT_OQ));
#elif TQ_LANES == 4
    return (real)_mm256_blendv_pd((__m256d)no, (__m256d)yes,
                                  _mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ));
#else
    return (real)_mm512_mask_blend_pd(_mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ),
                                      (__m512d)no, (__m512d)yes);
#endif
}

#endif
