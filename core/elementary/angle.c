/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/angle.c - sine, cosine, tangent: exact argument reduction, then polynomials. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/elementary/twofold.h"

/* Angle = k pi/2 + r, |r| slightly above pi/4 at most; the quadrant is k mod 4. */
typedef struct reduced {
    twofold r;
    unsigned quadrant;
} reduced;

/* 2/pi = 0.101000101111..., 64 bits per word, after one word of zeros (Payne & Hanek 1983) */
static const uint64_t two_over_pi[] = {
    UINT64_C(0x0000000000000000), UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0),
    UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0),
    UINT64_C(0x06492eea09d1921c), UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484),
    UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b),
    UINT64_C(0x1ff897ffde05980f), UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7),
    UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea),
    UINT64_C(0x6bfb5fb11f8d5d08), UINT64_C(0x56033046fc7b6bab)};

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

/* 64 bits of 2/pi from position `bit` on, the most significant first. */
static uint64_t bits_from(size_t bit)
{
    const size_t word = bit / 64, shift = bit % 64;
    return shift == 0 ? two_over_pi[word]
                      : two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
}

/* Payne-Hanek reduction for finite |x| >= 2^-10. x = M 2^e, M an integer of 53 bits. Bits of 2/pi
 * whose product with M 2^e is a multiple of 4 are skipped; the next 192 bits suffice: no double is
 * closer to a multiple of pi/2 than 2^-62 of it. */
static reduced reduce_far(double x)
{
    const uint64_t bits = bits_of_number(x);
    const uint64_t m = (bits & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;
    const int e = (int)(bits >> 52 & 2047) - 1075;
    const size_t first = (size_t)((long)e + 62);
    const wide low = (wide)m * bits_from(first + 128);
    const wide middle = (wide)m * bits_from(first + 64) + (uint64_t)(low >> 64);
    const uint64_t high = m * bits_from(first) + (uint64_t)(middle >> 64);

    /* quarter turns: two bits before the binary point, 128 after it, as a fraction in
     * [-1/2, 1/2) */
    const wide after = (wide)high << 66 | (wide)(uint64_t)middle << 2 | (uint64_t)low >> 62;
    const signed_wide fraction = (signed_wide)after;
    unsigned quadrant = (unsigned)(high >> 62) + (fraction < 0);
    twofold f = {(double)fraction, 0.0};
    /* 1/2 less 2^-56 rounds up to 2^127, which only an unsigned number holds */
    const wide leading = f.hi < 0.0 ? -(wide)-f.hi : (wide)f.hi;
    f.lo = (double)(signed_wide)(after - leading) * 0x1p-128;
    f.hi *= 0x1p-128;
    const twofold p = product_of(f.hi, 0x1.921fb54442d18p+0);
    twofold r = {p.hi, p.lo + (f.hi * 0x1.1a62633145c07p-54 + f.lo * 0x1.921fb54442d18p+0)};
    if (x < 0.0) {
        r = (twofold){-r.hi, -r.lo};
        quadrant = 0U - quadrant;
    }
    return (reduced){r, quadrant & 3};
}

/* Cody & Waite: pi/2 = a + b + c, a and b of 33 bits, so that k a and k b are exact */
static inline reduced reduce(double x)
{
    if (fabs(x) <= 0x1.921fb54442d18p-1) {
        return (reduced){{x, 0.0}, 0};
    }
    if (fabs(x) < 0x1p20) {
        const double shift = 0x1.8p52;
        const double shifted = x * 0x1.45f306dc9c883p-1 + shift;
        const double k = shifted - shift;
        const twofold s = sum_of(x - k * 0x1.921fb544p+0, -(k * 0x1.0b4611a6p-34));
        const twofold r = sum_of_ordered(s.hi, s.lo - k * 0x1.3198a2e037073p-69);
        if (fabs(r.hi) > 0x1p-20) { /* else the third word of pi/2 is too short */
            return (reduced){r, (unsigned)bits_of_number(shifted) & 3};
        }
    }
    return reduce_far(x);
}

/* Value as a leading word and a rest below an eighth of it, by Chebyshev fits within 1e-18: sin r =
 * r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2). */
static inline twofold sine_of(twofold r)
{
    const double z = r.hi * r.hi, zz = z * z;
    const double a = -0x1.5555555555555p-3 + z * 0x1.111111111111p-7;
    const double b = -0x1.a01a01a019936p-13 + z * 0x1.71de3a54605eep-19;
    const double c = -0x1.ae64541266378p-26 + z * 0x1.61217ec01749dp-33;
    const double p = (a + zz * b) + zz * zz * (c + zz * -0x1.ab17a79237a19p-41);
    return (twofold){r.hi, r.hi * z * p + r.lo * (1.0 - 0.5 * z)};
}

static inline twofold cosine_of(twofold r)
{
    const double z = r.hi * r.hi, zz = z * z;
    const double a = 0x1.5555555555555p-5 + z * -0x1.6c16c16c16966p-10;
    const double b = 0x1.a01a019f4e867p-16 + z * -0x1.27e4fa17a41b4p-22;
    const double c = 0x1.1eeb68b109173p-29 + z * -0x1.907d7aebd5e3dp-37;
    const double p = (a + zz * b) + zz * zz * c;
    const double half = 0.5 * z, w = 1.0 - half;
    return (twofold){w, ((1.0 - w) - half) + (zz * p - r.hi * r.lo)};
}

/* sin(r + quadrant pi/2) */
static double sine_in(twofold r, unsigned quadrant)
{
    const twofold s = (quadrant & 1) != 0 ? cosine_of(r) : sine_of(r);
    const double y = s.hi + s.lo;
    return (quadrant & 2) != 0 ? -y : y;
}

static int is_tiny(double x)
{
    return fabs(x) < 0x1p-27; /* x^3 / 3 is below half an ulp */
}

double tq_sin(double x)
{
    if (is_tiny(x) || !(fabs(x) <= DBL_MAX)) {
        return is_tiny(x) ? x : x - x;
    }
    const reduced a = reduce(x);
    return sine_in(a.r, a.quadrant);
}

double tq_cos(double x)
{
    if (!(fabs(x) <= DBL_MAX)) {
        return x - x;
    }
    const reduced a = reduce(x);
    return sine_in(a.r, a.quadrant + 1);
}

double tq_tan(double x)
{
    if (is_tiny(x) || !(fabs(x) <= DBL_MAX)) {
        return is_tiny(x) ? x : x - x;
    }
    const reduced a = reduce(x);
    twofold s = sine_of(a.r), c = cosine_of(a.r);
    s = sum_of_ordered(s.hi, s.lo);
    c = sum_of_ordered(c.hi, c.lo);
    const int odd = (a.quadrant & 1) != 0;
    const twofold q = odd ? quotient_of(c, s) : quotient_of(s, c);
    return odd ? -(q.hi + q.lo) : q.hi + q.lo;
}
