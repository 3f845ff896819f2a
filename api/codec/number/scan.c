/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/scan.c - the double nearest to a decimal text. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "api/codec/number/exact.h"
#include "api/codec/number/number.h"
#include "api/codec/number/tables.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are read in words");

__extension__ typedef unsigned __int128 uint128;

enum {
    SHORT_ROOM = TQA_NUMBER_AHEAD, /* bytes that scan_short may read */
    WORD_DIGITS = 19,              /* every decimal of 19 digits fits into 64 bits */
    EXACT_POWER = 22,              /* 10^22 is the last power of ten that is a double */
    LOWEST_POWER = -342 /* 2^64 * 10^-343 rounds to zero */,
    HIGHEST_POWER = 308,
};

static const uint64_t integer_powers[WORD_DIGITS + 1] = {
    1U,
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
    1000000000000000000U,
    10000000000000000000U,
};

static const double double_powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* eight characters as digit values, the first in the lowest byte */
static inline uint64_t load_digits(const char *s)
{
    uint64_t word;
    memcpy(&word, s, sizeof word);
    return word ^ 0x3030303030303030U;
}

/* The lowest bit set marks the first byte that is no digit; the bits above it are undefined. */
static inline uint64_t find_other(uint64_t digits)
{
    return ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
}

/* The value of eight digits. */
static inline uint64_t join_digits(uint64_t digits)
{
    const uint64_t pairs = digits * 10 + (digits >> 8);
    const uint64_t mask = 0x000000ff000000ffU;
    const uint64_t even = (pairs & mask) * (100U + (1000000UL << 32));
    const uint64_t odd = ((pairs >> 16) & mask) * (1U + (10000UL << 32));
    return (even + odd) >> 32;
}

/* The value of the first n < 8 digits, 0 for none. */
static inline uint64_t join_first(uint64_t digits, int n)
{
    return join_digits((digits << (56 - 8 * n)) << 8);
}

static inline double with_sign(double x, bool negative)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The leading bits of w * 10^power, w not 0 (Eisel-Lemire): to be rounded to 53. */
typedef struct scaled {
    uint64_t m;   /* 54 bits: one more than a double has */
    int exponent; /* biased, of the leading bit of m */
    bool is_tie;  /* exactly between two doubles */
} scaled;

__attribute__((always_inline)) static inline scaled scale(uint64_t w, int64_t power)
{
    const int zeros = __builtin_clzl(w);
    w <<= zeros;
    const uint64_t *row = tqa_number_powers[power - TQA_POWER_LOWEST];
    uint128 product = (uint128)w * row[0];
    if (((uint64_t)(product >> 64) & 0x1ff) == 0x1ff) {
        /* the low word could carry into the rounding; short reciprocals are rounded up, so that
         * a quotient that is exact does not fall below itself */
        const uint64_t low = row[1] + (power < 0 && power >= -27);
        product += (uint64_t)(((uint128)w * low) >> 64);
    }
    const uint64_t high = (uint64_t)(product >> 64);
    const int upper = (int)(high >> 63);
    const uint64_t m = high >> (upper + 9);
    return (scaled){
        .m = m,
        .exponent = (int)((217706 * power) >> 16) + 63 + upper - zeros + 1023,
        /* which only these powers allow */
        .is_tie = (uint64_t)product <= 1 && power >= -4 && power <= 23 && m << (upper + 9) == high,
    };
}

/* The double of a normal one, a tie to even. */
static inline uint64_t round_bits(scaled x)
{
    if (x.is_tie && (x.m & 3) == 1) {
        x.m &= ~(uint64_t)1;
    }
    x.m = (x.m + (x.m & 1)) >> 1;
    /* the leading bit of m adds one to the exponent, a carry out of 53 bits one more */
    return ((uint64_t)(x.exponent - 1) << 52) + x.m;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The double nearest to w * 10^power, w not 0. Infinity when it is too large. */
static double multiply_power(uint64_t w, int64_t power)
{
    if (power < LOWEST_POWER) {
        return 0.0;
    }
    if (power > HIGHEST_POWER) {
        return __builtin_inf();
    }
    scaled x = scale(w, power);
    if (x.exponent <= 0) {
        if (x.exponent <= -63) {
            return 0.0;
        }
        x.m >>= 1 - x.exponent;
        /* a carry out of 52 bits is the exponent of the smallest normal number */
        return double_of((x.m + (x.m & 1)) >> 1);
    }
    const uint64_t bits = round_bits(x);
    return bits >= 0x7ff0000000000000U ? __builtin_inf() : double_of(bits);
}

static inline double decimal_to_double(uint64_t w, int64_t power)
{
    /* both exact, so that one operation rounds once (Clinger) */
    if (w <= (uint64_t)1 << 53 && power >= -EXACT_POWER && power <= EXACT_POWER) {
        return power < 0 ? (double)w / double_powers[-power] : (double)w * double_powers[power];
    }
    return w == 0 ? 0.0 : multiply_power(w, power);
}

/* Numbers as they mostly come: up to 7 digits, up to 23 decimals of which 19 digits are left after
 * leading zeros, up to 4 digits of exponent. NULL: anything else, also what is malformed or too
 * large. Reads fewer than SHORT_ROOM bytes. */
__attribute__((always_inline)) static inline const char *scan_short(const char *s, double *ret)
{
    const bool negative = *s == '-';
    s += negative;
    uint64_t digits = load_digits(s);
    uint64_t other = find_other(digits);
    /* none or eight before the point, or a leading zero */
    if (other == 0 || (other & 0x80) != 0 || (((digits & 0xff) == 0) & ((other & 0x8000) == 0))) {
        return NULL;
    }
    int n = __builtin_ctzl(other) >> 3;
    uint64_t w = join_first(digits, n);
    s += n;
    int64_t power = 0;
    if (*s == '.') {
        const char *point = ++s;
        digits = load_digits(s);
        other = find_other(digits);
        for (int block = 0; other == 0; block++) {
            if (block == 2 || w >= integer_powers[WORD_DIGITS - 8]) {
                return NULL;
            }
            w = w * 100000000 + join_digits(digits);
            s += 8;
            digits = load_digits(s);
            other = find_other(digits);
        }
        /* none to seven more: no unpredictable branch */
        n = __builtin_ctzl(other) >> 3;
        if (w >= integer_powers[WORD_DIGITS - n]) {
            return NULL;
        }
        w = w * integer_powers[n] + join_first(digits, n);
        s += n;
        if (s == point) {
            return NULL;
        }
        power = point - s;
    }
    if ((*s | 0x20) == 'e') {
        s++;
        const bool below = *s == '-';
        s += below || *s == '+';
        digits = load_digits(s);
        other = find_other(digits) | (uint64_t)0x80 << 40;
        n = __builtin_ctzl(other) >> 3;
        if (n == 0 || n > 4) {
            return NULL;
        }
        const int64_t e = (int64_t)join_first(digits, n);
        power += below ? -e : e;
        s += n;
    }
    const double x = decimal_to_double(w, power);
    *ret = with_sign(x, negative);
    return x <= __DBL_MAX__ ? s : NULL;
}

/* The same where less is left: on a copy with NULs after it, which end a number. */
__attribute__((noinline)) static const char *scan_near_end(const char *s, size_t n, double *ret)
{
    char room[2 * SHORT_ROOM] = {0};
    memcpy(room, s, n);
    const char *end = scan_short(room, ret);
    /* a number that goes up to the end may go on in the next piece */
    return end != NULL && (size_t)(end - room) < n ? s + (end - room) : NULL;
}

/* The parts of a number of any length. */
typedef struct spelling {
    bool negative;
    const char *whole; /* digits before the point */
    size_t n_whole;
    const char *fraction; /* digits after it */
    size_t n_fraction;
    int64_t exponent; /* as written; beyond +-10^16 it is cut off there */
    const char *end;
} spelling;

static const char *skip_digits(const char *s, const char *end)
{
    while (s < end && *s >= '0' && *s <= '9') {
        s++;
    }
    return s;
}

/* Takes a number apart. INCOMPLETE: `end` comes where a digit must be. */
static tqa_number spell(const char *s, const char *end, spelling *ret)
{
    *ret = (spelling){.negative = s < end && *s == '-'};
    s += ret->negative;
    ret->whole = s;
    s = skip_digits(s, end);
    ret->n_whole = (size_t)(s - ret->whole);
    if (ret->n_whole == 0) {
        return s == end ? TQA_NUMBER_INCOMPLETE : TQA_NUMBER_MALFORMED;
    }
    if (*ret->whole == '0' && ret->n_whole > 1) {
        return TQA_NUMBER_MALFORMED;
    }
    if (s < end && *s == '.') {
        ret->fraction = ++s;
        s = skip_digits(s, end);
        ret->n_fraction = (size_t)(s - ret->fraction);
        if (ret->n_fraction == 0) {
            return s == end ? TQA_NUMBER_INCOMPLETE : TQA_NUMBER_MALFORMED;
        }
    }
    if (s < end && (*s == 'e' || *s == 'E')) {
        s++;
        const bool below = s < end && *s == '-';
        s += below || (s < end && *s == '+');
        const char *digits = s;
        s = skip_digits(s, end);
        if (s == digits) {
            return s == end ? TQA_NUMBER_INCOMPLETE : TQA_NUMBER_MALFORMED;
        }
        int64_t e = 0;
        for (const char *d = digits; d < s && e < 10000000000000000; d++) {
            e = e * 10 + (*d - '0');
        }
        ret->exponent = below ? -e : e;
    }
    ret->end = s;
    return TQA_NUMBER_OK;
}

/* Significant digits of a spelling, the first `max` of them. */
typedef struct significant {
    size_t n;
    int64_t power; /* of ten, of the last digit taken */
    bool more;     /* a dropped digit is not zero */
} significant;

static significant take_digits(const spelling *spelled, char *digits, size_t max)
{
    significant taken = {.n = 0, .power = spelled->exponent};
    for (int part = 0; part < 2; part++) {
        const char *s = part == 0 ? spelled->whole : spelled->fraction;
        const size_t n = part == 0 ? spelled->n_whole : spelled->n_fraction;
        for (size_t i = 0; i < n; i++) {
            if (taken.n < max) {
                digits[taken.n] = s[i];
                taken.n += taken.n > 0 || s[i] != '0';
                taken.power -= part == 1;
            } else {
                taken.more |= s[i] != '0';
                taken.power += part == 0;
            }
        }
    }
    return taken;
}

/* 19 digits lie between two doubles: let all digits decide. */
static double round_exactly(const spelling *spelled, double low, double high)
{
    char digits[TQA_EXACT_DIGITS];
    significant taken = take_digits(spelled, digits, TQA_EXACT_DIGITS - 1);
    if (taken.more) {
        digits[taken.n++] = '1';
        taken.power--;
    }
    /* the midpoint is half a unit above `low` */
    uint64_t bits;
    memcpy(&bits, &low, sizeof bits);
    const int exponent = (int)(bits >> 52);
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    const uint64_t m = exponent == 0 ? fraction : fraction | (uint64_t)1 << 52;
    const int exp2 = (exponent == 0 ? 1 : exponent) - 1075;
    const int side = tqa_decimal_compare(digits, taken.n, (int)taken.power, 2 * m + 1, exp2 - 1);
    return side < 0 || (side == 0 && (m & 1) == 0) ? low : high;
}

static tqa_number evaluate(const spelling *spelled, double *ret)
{
    char digits[WORD_DIGITS];
    const significant taken = take_digits(spelled, digits, WORD_DIGITS);
    uint64_t w = 0;
    for (size_t i = 0; i < taken.n; i++) {
        w = w * 10 + (uint64_t)(digits[i] - '0');
    }
    double x = decimal_to_double(w, taken.power);
    if (taken.more) {
        const double above = multiply_power(w + 1, taken.power);
        if (memcmp(&x, &above, sizeof x) != 0) {
            x = round_exactly(spelled, x, above);
        }
    }
    if (x > __DBL_MAX__) {
        return TQA_NUMBER_OVERFLOW;
    }
    *ret = with_sign(x, spelled->negative);
    return TQA_NUMBER_OK;
}

tqa_number tqa_number_scan(const char **p, const char *end, double *ret)
{
    assert(p != NULL && *p != NULL && *p <= end && ret != NULL);
    double x;
    const char *s =
        end - *p >= SHORT_ROOM ? scan_short(*p, &x) : scan_near_end(*p, (size_t)(end - *p), &x);
    if (s != NULL) {
        *p = s;
        *ret = x;
        return TQA_NUMBER_OK;
    }
    spelling spelled;
    tqa_number status = spell(*p, end, &spelled);
    if (status == TQA_NUMBER_OK) {
        status = spelled.end == end ? TQA_NUMBER_INCOMPLETE : evaluate(&spelled, ret);
    }
    if (status == TQA_NUMBER_OK) {
        *p = spelled.end;
    }
    return status;
}

/* A run by one of the ways to scan a number, inlined. */
__attribute__((always_inline)) static inline size_t
scan_run(const char **p, const char *end, size_t n, double *to, size_t stride,
         const char *(*scan_one)(const char *s, double *ret))
{
    const char *s = *p;
    size_t k = 0;
    while (k < n && end - s >= SHORT_ROOM) {
        double x;
        const char *after = scan_one(s, &x);
        if (after == NULL) {
            break;
        }
        to[stride * k++] = x;
        *p = s = after;
        if (*s != ',') {
            break;
        }
        s++;
        if (*s == ' ') { /* a branch: the next number's start must not wait for this byte */
            __asm__("" : "+r"(s));
            s++;
        }
    }
    return k;
}

#if defined __x86_64__

#define SIDE_BY_SIDE __attribute__((target("bmi,bmi2,lzcnt,avx512vl,avx512bw,avx512vbmi")))

/* A number with a point, up to 19 digits and no exponent: its digits, moved to the end of a vector
 * of 32 with the sign and the point taken out, are joined in pairs, fours and eights. Half the
 * instructions of scan_short, which scans all other forms. No branch depends on the digits, and of
 * the next number's start only what finds the end of this one. */
SIDE_BY_SIDE static inline const char *scan_wide(const char *s, double *ret)
{
    const unsigned sign = *s == '-';
    const __m256i digits =
        _mm256_xor_si256(_mm256_loadu_si256((const void *)s), _mm256_set1_epi8('0'));
    uint32_t other = _mm256_cmpgt_epu8_mask(digits, _mm256_set1_epi8(9)) >> sign;
    const unsigned point = _tzcnt_u32(other);
    other &= other - 1;
    const unsigned n = _tzcnt_u32(other); /* bytes without the sign; 32: more */
    const char *const first = s + sign;
    if (point == 0 || n > WORD_DIGITS + 1 || n - point < 2 || first[point] != '.' ||
        (point > 1 && *first == '0') || (first[n] | 0x20) == 'e') {
        return scan_short(s, ret);
    }
    const __m256i ahead = _mm256_setr_epi8(-32, -31, -30, -29, -28, -27, -26, -25, -24, -23, -22,
                                           -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11,
                                           -10, -9, -8, -7, -6, -5, -4, -3, -2, -1);
    __m256i from = _mm256_add_epi8(ahead, _mm256_set1_epi8((char)n));
    const __mmask32 whole = _mm256_cmple_epi8_mask(from, _mm256_set1_epi8((char)point));
    from = _mm256_mask_sub_epi8(from, whole, from, _mm256_set1_epi8(1));
    const __mmask32 is_digit = ~_mm256_movepi8_mask(from); /* not before the first */
    from = _mm256_add_epi8(from, _mm256_set1_epi8((char)sign));
    const __m256i ones = _mm256_maskz_permutexvar_epi8(is_digit, from, digits);
    const __m256i pairs = _mm256_maddubs_epi16(ones, _mm256_set1_epi16(1 << 8 | 10));
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100));
    const __m256i both = _mm256_packus_epi32(fours, fours);
    const __m256i eights = _mm256_madd_epi16(both, _mm256_set1_epi32(1 << 16 | 10000));
    const uint64_t high = (uint64_t)_mm256_extract_epi64(eights, 0) >> 32;
    const uint64_t low = (uint64_t)_mm256_extract_epi64(eights, 2);
    const uint64_t w = (high * 100000000 + (uint32_t)low) * 100000000 + (low >> 32);
    /* 1e-19 <= w 10^power < 1e19, or 0: normal */
    const double x = w == 0 ? 0.0 : double_of(round_bits(scale(w, (int64_t)point + 1 - n)));
    *ret = with_sign(x, sign != 0);
    return first + n;
}

SIDE_BY_SIDE static size_t run_wide(const char **p, const char *end, size_t n, double *to,
                                    size_t stride)
{
    return scan_run(p, end, n, to, stride, scan_wide);
}

static bool can_run_wide(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports(
               "bmi2"); /* clang 14 does not know "lzcnt"; all of these have it */
}

#endif

size_t tqa_number_run(const char **p, const char *end, size_t n, double *to, size_t stride)
{
    assert(p != NULL && *p != NULL && *p <= end && to != NULL);
#if defined __x86_64__
    if (can_run_wide()) {
        return run_wide(p, end, n, to, stride);
    }
#endif
    return scan_run(p, end, n, to, stride, scan_short);
}

tqa_number tqa_number_read(const char *text, size_t n, double *ret)
{
    assert((text != NULL || n == 0) && ret != NULL);
    spelling spelled;
    const tqa_number status = n == 0 ? TQA_NUMBER_MALFORMED : spell(text, text + n, &spelled);
    if (status != TQA_NUMBER_OK || spelled.end != text + n) {
        return TQA_NUMBER_MALFORMED;
    }
    return evaluate(&spelled, ret);
}
