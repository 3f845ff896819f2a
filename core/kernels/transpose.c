/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/transpose.c - transposition of a narrow matrix: samples one after another <-> rows
 * of a block. */
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* Tiles of TQ_LANES x TQ_LANES are transposed in registers; edges use masked loads and stores. */
#if TQ_LANES == 8

TQ_INLINE __mmask8 first_lanes(long n)
{
    return (__mmask8)((1u << n) - 1);
}

/* 8x8 transposition: t[k] becomes element k of every row */
TQ_INLINE void transpose_square(__m512d t[8])
{
    __m512d pairs[8], quads[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_pd(t[i], t[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_pd(t[i], t[i + 1]);
    }
    /* 128-bit quarters 0 and 2, then 1 and 3, of two pairs */
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        quads[i] = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0x88);
        quads[i + 1] = _mm512_shuffle_f64x2(pairs[i + 1], pairs[i + 3], 0x88);
        quads[i + 2] = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0xdd);
        quads[i + 3] = _mm512_shuffle_f64x2(pairs[i + 1], pairs[i + 3], 0xdd);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0xdd);
    }
}

TQ_INLINE void tile(long n_row, long n_column, const double *from, long pitch, double *to,
                    long stride)
{
    const __mmask8 across = first_lanes(n_column), down = first_lanes(n_row);
    __m512d t[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
        t[i] = i < n_row ? _mm512_maskz_loadu_pd(across, from + i * pitch) : _mm512_setzero_pd();
    }
    transpose_square(t);
    UNROLL
    for (int k = 0; k < 8; k++) {
        if (k < n_column) {
            _mm512_mask_storeu_pd(to + k * stride, down, t[k]);
        }
    }
}

#elif TQ_LANES == 4

TQ_INLINE __m256i first_lanes(long n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

TQ_INLINE void tile(long n_row, long n_column, const double *from, long pitch, double *to,
                    long stride)
{
    const __m256i across = first_lanes(n_column), down = first_lanes(n_row);
    __m256d t[4], transposed[4];
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = i < n_row ? _mm256_maskload_pd(from + i * pitch, across) : _mm256_setzero_pd();
    }
    const __m256d low01 = _mm256_unpacklo_pd(t[0], t[1]), high01 = _mm256_unpackhi_pd(t[0], t[1]);
    const __m256d low23 = _mm256_unpacklo_pd(t[2], t[3]), high23 = _mm256_unpackhi_pd(t[2], t[3]);
    transposed[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
    transposed[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
    transposed[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
    transposed[3] = _mm256_permute2f128_pd(high01, high23, 0x31);
    UNROLL
    for (int k = 0; k < 4; k++) {
        if (k < n_column) {
            _mm256_maskstore_pd(to + k * stride, down, transposed[k]);
        }
    }
}

#else

TQ_INLINE void tile(long n_row, long n_column, const double *from, long pitch, double *to,
                    long stride)
{
    for (long i = 0; i < n_row; i++) {
        for (long k = 0; k < n_column; k++) {
            to[k * stride + i] = from[i * pitch + k];
        }
    }
}

#endif

enum { SIDE = TQ_LANES < 4 ? 8 : TQ_LANES };

void TQ_KERNEL(tq_transpose)(long n_row, long n_column, const double *from, long pitch, double *to,
                             long stride)
{
    for (long k = 0; k < n_column; k += SIDE) {
        const long across = n_column - k < SIDE ? n_column - k : SIDE;
        long i = 0;
        for (; i + SIDE <= n_row; i += SIDE) {
            tile(SIDE, across, from + i * pitch + k, pitch, to + k * stride + i, stride);
        }
        if (i < n_row) {
            tile(n_row - i, across, from + i * pitch + k, pitch, to + k * stride + i, stride);
        }
    }
}
