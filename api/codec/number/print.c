/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/print.c - the shortest decimal text of a double. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "api/codec/number/tables.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are written in words");

__extension__ typedef unsigned __int128 uint128;

enum {
    DIGITS = 17,        /* enough for every double */
    PLAIN_LOWEST = -5,  /* plain decimals from 1e-5 ... */
    PLAIN_HIGHEST = 20, /* ... to below 1e21 */
};

/* digits * 10^power */
typedef struct decimal {
    uint64_t digits; /* at most 17, possibly with zeros at the end */
    int power;
} decimal;

/* floor(g * x / 2^128) for the 128-bit g, its lowest bit set when bits were lost. */
static inline uint64_t multiply_to_odd(uint64_t g_high, uint64_t g_low, uint64_t x)
{
    const uint128 low = (uint128)g_low * x;
    const uint128 high = (uint128)g_high * x + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* Schubfach: the shortest decimal inside the rounding interval of c * 2^q, nearest to it among
 * equals. Names as in Giulietti's paper; values are scaled by 4 so that halves are integers. */
static inline decimal shortest(uint64_t fraction, int exponent)
{
    const uint64_t c = exponent != 0 ? fraction | (uint64_t)1 << 52 : fraction;
    const int q = (exponent != 0 ? exponent : 1) - 1075;
    if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0) {
        return (decimal){c >> -q, 0};
    }
    const uint64_t odd = c & 1;
    const uint64_t is_power = fraction == 0 && exponent > 1; /* the gap below is half as wide */
    const int k = (q * 1262611 - (is_power ? 524031 : 0)) >> 22;
    const int h = q + ((-k * 1741647) >> 19) + 1;

    /* 10^-k, rounded up */
    const uint64_t *row = tqa_number_powers[-k - TQA_POWER_LOWEST];
    const uint64_t g_low = row[1] + !(k <= 0 && k >= -TQA_POWER_EXACT);
    const uint64_t low = multiply_to_odd(row[0], g_low, (4 * c - 2 + is_power) << h) + odd;
    const uint64_t mid = multiply_to_odd(row[0], g_low, (4 * c) << h);
    const uint64_t high = multiply_to_odd(row[0], g_low, (4 * c + 2) << h) - odd;

    /* one digit less when exactly one such decimal lies inside; else the nearer of the two
     * neighbours, or the one that lies inside */
    const uint64_t s = mid / 4;
    const uint64_t tens = s / 10;
    const uint64_t tens_below = low <= 40 * tens;
    const uint64_t tens_above = 40 * tens + 40 <= high;
    const uint64_t one_less = (tens_below ^ tens_above) & (s >= 10);
    const uint64_t below = low <= 4 * s;
    const uint64_t above = 4 * s + 4 <= high;
    const uint64_t half = 4 * s + 2;
    const uint64_t nearer = (mid > half) | ((mid == half) & s & 1);
    const uint64_t up = nearer ^ ((nearer ^ above) & (below ^ above));

    /* selected by masks: a branch would be unpredictable */
    const uint64_t full = s + up;
    return (decimal){full ^ ((full ^ (tens + tens_above) * 10) & -one_less), k};
}

/* The eight digits of x, one in each byte, the first in the lowest. */
static inline uint64_t spread_digits(uint64_t x)
{
    const uint64_t fours = x / 10000 | (x % 10000) << 32;
    const uint64_t hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007fU;
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = ((twos * 103) >> 10) & 0x000f000f000f000fU;
    return tens | (twos - tens * 10) << 8;
}

static inline int count_digits(uint64_t x)
{
    static const uint64_t powers[] = {
        0,
        10U,
        100U,
        1000U,
        10000U,
        100000U,
        1000000U,
        10000000U,
        100000000U,
        1000000000U,
        10000000000U,
        100000000000U,
        1000000000000U,
        10000000000000U,
        100000000000000U,
        1000000000000000U,
        10000000000000000U,
        100000000000000000U,
    };
    const int estimate = ((64 - __builtin_clzl(x)) * 1233) >> 12;
    return estimate + (x >= powers[estimate]);
}

static inline void store(char *out, uint64_t word)
{
    memcpy(out, &word, sizeof word);
}

static char *print_exponent(char *out, int exponent)
{
    *out++ = 'e';
    if (exponent < 0) {
        *out++ = '-';
        exponent = -exponent;
    }
    if (exponent >= 100) {
        *out++ = (char)('0' + exponent / 100);
        exponent %= 100;
        *out++ = (char)('0' + exponent / 10);
    } else if (exponent >= 10) {
        *out++ = (char)('0' + exponent / 10);
    }
    *out++ = (char)('0' + exponent % 10);
    return out;
}

/* Lays out 17 digits (the first apart, the others in two words), of which `n` count, the first
 * worth 10^exponent. */
static inline char *lay_out(char *out, char first, uint128 others, int n, int exponent)
{
    const uint64_t zeros = 0x3030303030303030U;
    if (exponent >= PLAIN_LOWEST && exponent <= PLAIN_HIGHEST && n > exponent + 1) {
        /* below one: zeros, then all digits; else all digits, then those after the point once
         * more, one place later. The same stores in both cases, so that no branch can miss. */
        const bool small = exponent < 0;
        char *digits = out + (small ? 1 - exponent : 0);
        char *point = out + (small ? 1 : exponent + 1);
        char *fraction = small ? digits + 1 : point + 1;
        const uint128 after = others >> (small ? 0 : 8 * exponent);
        store(out, zeros);
        *digits = first;
        store(digits + 1, (uint64_t)others);
        store(digits + 9, (uint64_t)(others >> 64));
        *point = '.';
        store(fraction, (uint64_t)after);
        store(fraction + 8, (uint64_t)(after >> 64));
        return small ? digits + n : out + n + 1;
    }
    if (exponent >= 0 && exponent <= PLAIN_HIGHEST) {
        out[0] = first;
        store(out + 1, (uint64_t)others);
        store(out + 9, (uint64_t)(others >> 64));
        store(out + 17, zeros);
        memcpy(out + exponent + 1, ".0", 2);
        return out + exponent + 3;
    }
    out[0] = first;
    out[1] = '.';
    store(out + 2, (uint64_t)others);
    store(out + 10, (uint64_t)(others >> 64));
    return print_exponent(n == 1 ? out + 1 : out + n + 1, exponent);
}

char *tqa_number_print(double x, char *out)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    const int exponent = (int)(bits >> 52) & 0x7ff;
    assert(out != NULL);
    if (exponent == 0x7ff) { /* JSON has no other word for it */
        memcpy(out, "null", 4);
        return out + 4;
    }
    *out = '-';
    out += bits >> 63;
    if ((bits << 1) == 0) {
        memcpy(out, "0.0", 3);
        return out + 3;
    }

    /* 17 digits, the trailing zeros not counted */
    decimal d = shortest(fraction, exponent);
    static const uint64_t stretch[DIGITS + 1] = {
        0,
        10000000000000000U,
        1000000000000000U,
        100000000000000U,
        10000000000000U,
        1000000000000U,
        100000000000U,
        10000000000U,
        1000000000U,
        100000000U,
        10000000U,
        1000000U,
        100000U,
        10000U,
        1000U,
        100U,
        10U,
        1U,
    };
    const int length = count_digits(d.digits);
    d.digits *= stretch[length];
    const uint64_t leading = d.digits / 100000000;
    const uint64_t first = leading / 100000000;
    const uint64_t second = spread_digits(leading - first * 100000000);
    const uint64_t third = spread_digits(d.digits % 100000000);
    const uint128 others = (uint128)third << 64 | second;
    int n = 1;
    if (third != 0) {
        n = 17 - (__builtin_clzl(third) >> 3);
    } else if (second != 0) {
        n = 9 - (__builtin_clzl(second) >> 3);
    }
    const uint128 ascii = (uint128)0x3030303030303030U << 64 | 0x3030303030303030U;
    return lay_out(out, (char)('0' + first), others | ascii, n, d.power + length - 1);
}
