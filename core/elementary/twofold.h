/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/twofold.h - double-double arithmetic: sums and products as two words, the
 * rounding error kept. */
#ifndef TQ_ELEMENTARY_TWOFOLD_H
#define TQ_ELEMENTARY_TWOFOLD_H

#include <stdint.h>
#include <string.h>

/* The value hi + lo, |lo| of the order of half an ulp of hi. */
typedef struct twofold {
    double hi, lo;
} twofold;

static inline uint64_t bits_of_number(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* a + b exactly, |a| >= |b| (Dekker 1971) */
static inline twofold sum_of_ordered(double a, double b)
{
    const double s = a + b;
    return (twofold){s, b - (s - a)};
}

/* a + b exactly (Knuth, TAOCP 2, 4.2.2) */
static inline twofold sum_of(double a, double b)
{
    const double s = a + b;
    const double part = s - a;
    return (twofold){s, (a - (s - part)) + (b - part)};
}

/* a b exactly, |a|, |b| < 2^970 and |a b| > 2^-960 (Veltkamp, Dekker 1971). No fma: without the
 * instruction it is a call of the C library. */
static inline twofold product_of(double a, double b)
{
    const double splitter = 0x1p27 + 1.0;
    const double ta = splitter * a, tb = splitter * b;
    const double ah = ta - (ta - a), bh = tb - (tb - b);
    const double al = a - ah, bl = b - bh;
    const double p = a * b;
    return (twofold){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* a / b to about 2^-104, with the ranges of product_of */
static inline twofold quotient_of(twofold a, twofold b)
{
    const double q = a.hi / b.hi;
    const twofold back = product_of(q, b.hi);
    return (twofold){q, (((a.hi - back.hi) - back.lo) + (a.lo - q * b.lo)) / b.hi};
}

#endif
