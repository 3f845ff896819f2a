/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/exponential.c - exp and tanh: a table of 2^(j/32) and a short series. */
#include "core/elementary/exponential.h"

#include <math.h>

#include "core/elementary/elementary.h"

/* 2^(j/32) */
static const twofold power_of_two[32] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
};

/* exp(x) = 2^exponent (leading + rest), |rest| < 0.022 */
typedef struct scaled {
    double leading, rest;
    int64_t exponent;
} scaled;

/* x = k ln2/32 + r, |r| <= ln2/64; k times the leading word of ln2/32 (34 bits) is exact */
static inline double reduce(double x, int64_t *ret_k)
{
    const double shift = 0x1.8p52;
    const double shifted = x * 0x1.71547652b82fep+5 + shift;
    *ret_k = (int64_t)(bits_of_number(shifted) << 12) >> 12; /* low bits of the mantissa */
    const double n = shifted - shift;
    return (x - n * 0x1.62e42fefp-6) - n * 0x1.473de6af278edp-39;
}

/* e^r - 1 by its series; the next term is below 2^-57 */
static inline scaled expand(double r, int64_t k)
{
    const double rr = r * r;
    const double low = 0.5 + r * (1.0 / 6.0), high = 1.0 / 24.0 + r * (1.0 / 120.0);
    const double series = (r + rr * low) + rr * rr * (high + rr * (1.0 / 720.0));
    const twofold *t = &power_of_two[k & 31];
    return (scaled){t->hi, t->lo + t->hi * series, k >> 5};
}

static inline double power_of_two_of(int64_t exponent)
{
    return number_of_bits((uint64_t)(exponent + 1023) << 52);
}

static inline double put_together(scaled e)
{
    const double y = e.leading + e.rest;
    if (e.exponent > -1020 && e.exponent < 1022) {
        return y * power_of_two_of(e.exponent);
    }
    const int64_t half = e.exponent / 2;
    return y * power_of_two_of(half) * power_of_two_of(e.exponent - half);
}

double tq_exp_of_twofold(twofold x)
{
    if (!(x.hi > -746.0 && x.hi < 710.0)) {
        return x.hi > 0.0 ? HUGE_VAL : 0.0;
    }
    int64_t k;
    const double r = reduce(x.hi, &k);
    return put_together(expand(r + x.lo, k));
}

double tq_exp(double x)
{
    if (!(x > -746.0 && x < 710.0)) {
        return x != x ? x : x > 0.0 ? HUGE_VAL : 0.0;
    }
    int64_t k;
    const double r = reduce(x, &k);
    return put_together(expand(r, k));
}

/* |x| < 0.625: tanh x = x + x^3 P(x^2); P's Chebyshev fit is within 1.5e-19 */
static inline double tanh_near(double x)
{
    const double z = x * x, z2 = z * z, z4 = z2 * z2;
    const double a = -0x1.5555555555555p-2 + z * 0x1.111111111110dp-3;
    const double b = -0x1.ba1ba1ba1aff0p-5 + z * 0x1.664f488279254p-6;
    const double c = -0x1.226e354ddfe9ap-7 + z * 0x1.d6d3cc561e69ap-9;
    const double d = -0x1.7da2fd76a3cf1p-10 + z * 0x1.355204d5878bep-11;
    const double e = -0x1.f4fccb8116f0ap-13 + z * 0x1.92d3563b405ccp-14;
    const double f = -0x1.370efd62e9535p-15 + z * 0x1.99b26df70cccdp-17;
    const double high = (e + z2 * f) + z4 * -0x1.47559de55bc91p-19;
    const double p = (a + z2 * b) + z4 * ((c + z2 * d) + z4 * high);
    return x + x * z * p;
}

double tq_tanh(double x)
{
    const double size = fabs(x);
    if (size < 0.625) {
        return size < 0x1p-28 ? x : tanh_near(x);
    }
    if (!(size < 20.0)) { /* 1 - 2 e^-40 rounds to 1 */
        return x != x ? x : copysign(1.0, x);
    }
    /* 1 - 2 / (e^2x + 1), the denominator in two words: 2 / (d + l) = q - q^2 l / 2, q = 2 / d */
    int64_t k;
    const double r = reduce(2.0 * size, &k);
    const scaled e = expand(r, k);
    const double scale = power_of_two_of(e.exponent);
    const twofold y = sum_of_ordered(e.leading, e.rest);
    const twofold d = sum_of_ordered(y.hi * scale, 1.0);
    const double q = 2.0 / d.hi;
    const double tail = 0.5 * q * q * (d.lo + y.lo * scale);
    const twofold s = sum_of_ordered(1.0, -q);
    return copysign(s.hi + (s.lo + tail), x);
}
