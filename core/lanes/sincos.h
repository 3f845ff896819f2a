/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/sincos.h - sine and cosine of one angle, the same bits at every lane width. */
#ifndef TQ_LANES_SINCOS_H
#define TQ_LANES_SINCOS_H

#include "core/lanes/real.h"

/* Limit of the two-word reduction below, which loses digits beyond it; then tq_sincos_exact. */
#define TQ_SINCOS_MAX 1e5

/* Sine and cosine by core/elementary, exact reduction included; NaN for NaN and infinities. */
void tq_sincos_exact(double x, double *ret_sin, double *ret_cos);

/* For |x| <= TQ_SINCOS_MAX: x = k pi/2 + r by two fused steps (the first is exact: x and k times
 * the leading word are multiples of 2^-53 or finer and cancel to less than 1), then the kernel
 * polynomials of fdlibm (k_sin.c, k_cos.c, Sun Microsystems 1993) on r, |r| <= pi/4. Within
 * 1.5 ulp; branch free. */
TQ_INLINE void sincos_near(real x, real *ret_sin, real *ret_cos)
{
    const real shift = splat(0x1.8p52);
    const real t = tq_fma(x, splat(0x1.45f306dc9c883p-1), shift);
    const real_bits n = bits_of(t); /* the low two bits: quadrant */
    const real k = t - shift;
    real r = tq_fnma(k, splat(0x1.921fb54442d18p+0), x);
    r = tq_fnma(k, splat(0x1.1a62633145c07p-54), r);
    const real z = r * r;

    real p = splat(1.58969099521155010221e-10);
    p = tq_fma(p, z, splat(-2.50507602534068634195e-08));
    p = tq_fma(p, z, splat(2.75573137070700676789e-06));
    p = tq_fma(p, z, splat(-1.98412698298579493134e-04));
    p = tq_fma(p, z, splat(8.33333333332248946124e-03));
    p = tq_fma(p, z, splat(-1.66666666666666324348e-01));
    const real s = tq_fma(r, z * p, r);

    real g = splat(-1.13596475577881948265e-11);
    g = tq_fma(g, z, splat(2.08757232129817482790e-09));
    g = tq_fma(g, z, splat(-2.75573143513906633035e-07));
    g = tq_fma(g, z, splat(2.48015872894767294178e-05));
    g = tq_fma(g, z, splat(-1.38888888888741095749e-03));
    g = tq_fma(g, z, splat(4.16666666666666019037e-02));
    g = tq_fma(g, z, splat(-0.5));
    const real c = tq_fma(g, z, splat(1.0));

    /* odd quadrants exchange sine and cosine; bit 1 of the quadrant is the sign of the sine, bit 1
     * xor bit 0 that of the cosine */
    const real_bits sign = bits_of(splat(-0.0)), odd = n << 63, half = n << 62;
    *ret_sin = real_of(bits_of(where_signed(odd, c, s)) ^ (half & sign));
    *ret_cos = real_of(bits_of(where_signed(odd, s, c)) ^ ((half ^ odd) & sign));
}

/* Replaces the lanes in `far` by exact values; all other lanes keep their bits. */
TQ_INLINE void sincos_repair(real x, real_mask far, real *sin_x, real *cos_x)
{
    for (int lane = 0; lane < TQ_LANES; lane++) {
        if ((far >> lane & 1) != 0) {
#if TQ_LANES == 1
            tq_sincos_exact(x, sin_x, cos_x);
#else
            double s, c;
            tq_sincos_exact(x[lane], &s, &c);
            (*sin_x)[lane] = s;
            (*cos_x)[lane] = c;
#endif
        }
    }
}

#endif
