/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/sines.c - cosines and sines of one sample: SIMD lanes hold joints, not samples. */
#include "core/kernels/joints.h"
#include "core/kernels/symbols.h"

#if TQ_LANES >= 4 /* only in builds that TQ_WIDE of another build names */
/* angle of joint b; 0 if it is prismatic, and beyond the last joint */
TQ_INLINE double angle_of(const tq_canonical *c, const double *q, long stride, int b)
{
    if (b >= c->n_body || c->joints[b].kind != TQ_CANONICAL_REVOLUTE) {
        return 0.0;
    }
    const tq_canonical_joint *k = &c->joints[b];
    const double row = q[k->q_row * stride];
    return k->is_mimic ? __builtin_fma(k->multiplier, row, k->q0) : row + k->q0;
}

/* The angles of TQ_LANES joints. Not through memory: a wide load after narrow stores cannot use
 * store-to-load forwarding and stalls. */
TQ_INLINE real angles_of(const tq_canonical *c, const double *q, long stride, int b)
{
    const double x = angle_of(c, q, stride, b), y = angle_of(c, q, stride, b + 1);
    const double z = angle_of(c, q, stride, b + 2), w = angle_of(c, q, stride, b + 3);
#if TQ_LANES == 4
    return (real){x, y, z, w};
#else
    const double x4 = angle_of(c, q, stride, b + 4), y4 = angle_of(c, q, stride, b + 5);
    const double z4 = angle_of(c, q, stride, b + 6), w4 = angle_of(c, q, stride, b + 7);
    return (real){x, y, z, w, x4, y4, z4, w4};
#endif
}

TQ_INLINE void store_pairs(double *at, real c, real s)
{
#if TQ_LANES == 4
    const __m256d low = _mm256_unpacklo_pd((__m256d)c, (__m256d)s);
    const __m256d high = _mm256_unpackhi_pd((__m256d)c, (__m256d)s);
    store(at, (real)_mm256_permute2f128_pd(low, high, 0x20));
    store(at + 4, (real)_mm256_permute2f128_pd(low, high, 0x31));
#else
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    store(at, (real)_mm512_permutex2var_pd((__m512d)c, first, (__m512d)s));
    store(at + 8, (real)_mm512_permutex2var_pd((__m512d)c, second, (__m512d)s));
#endif
}

void TQ_KERNEL(tq_sines)(const tq_canonical *c, const double *q, long stride, double *ret_cs)
{
    for (int b = 0; b < c->n_body; b += TQ_LANES) {
        const real theta = angles_of(c, q, stride, b);
        real sine, cosine;
        sincos_near(theta, &sine, &cosine);
        const real_mask far = beyond(theta, TQ_SINCOS_MAX);
        if (__builtin_expect(far != 0, 0)) {
            sincos_repair(theta, far, &sine, &cosine);
        }
        store_pairs(ret_cs + 2L * b, cosine, sine);
    }
}
#endif
