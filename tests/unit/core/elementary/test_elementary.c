/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/elementary/test_elementary.c - accuracy, special values, bits. */
#include "core/elementary/elementary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/random.h"

typedef struct subject_one {
    const char *name;
    double (*own)(double);
    long double (*exact)(long double); /* the C library's function in long double, 64 bits or
                                          more */
    double (*library)(double);
    double lower, upper;
    double ulp; /* the error stated in core/elementary/README.md; 0.05 for other arguments */
} subject_one;

static const subject_one one[] = {
    {"exp", tq_exp, expl, exp, -708.0, 709.0, 0.58},
    {"exp", tq_exp, expl, exp, -1.0, 1.0, 0.58},
    {"log", tq_log, logl, log, 0x1p-1022, 1e3, 0.52},
    {"log", tq_log, logl, log, 0.9, 1.1, 0.52},
    {"log10", tq_log10, log10l, log10, 0x1p-1022, 1e3, 0.52},
    {"log1p", tq_log1p, log1pl, log1p, -0.999, 2.0, 0.71},
    {"log1p", tq_log1p, log1pl, log1p, -1e-9, 1e-9, 0.71},
    {"tanh", tq_tanh, tanhl, tanh, -1.0, 1.0, 0.85},
    {"tanh", tq_tanh, tanhl, tanh, -21.0, 21.0, 0.85},
    {"sin", tq_sin, sinl, sin, -8.0, 8.0, 0.83},
    {"sin", tq_sin, sinl, sin, -1e15, 1e15, 0.83},
    {"cos", tq_cos, cosl, cos, -8.0, 8.0, 0.83},
    {"cos", tq_cos, cosl, cos, -1e15, 1e15, 0.83},
    {"tan", tq_tan, tanl, tan, -8.0, 8.0, 1.0},
    {"tan", tq_tan, tanl, tan, -1e15, 1e15, 1.0},
};
enum { N_ONE = sizeof one / sizeof one[0], N_ARGUMENT = 20000 };

typedef struct subject_two {
    const char *name;
    double (*own)(double, double);
    long double (*exact)(long double, long double);
    double (*library)(double, double);
    double lower[2], upper[2];
    double ulp;
} subject_two;

static const subject_two two[] = {
    {"pow", tq_pow, powl, pow, {0.0, -50.0}, {10.0, 50.0}, 0.59},
    {"pow", tq_pow, powl, pow, {0.999, -1e5}, {1.001, 1e5}, 0.59},
    {"atan2", tq_atan2, atan2l, atan2, {-1.0, -1.0}, {1.0, 1.0}, 0.64},
    {"atan2", tq_atan2, atan2l, atan2, {-1e-300, -1e-305}, {1e-300, 1e-305}, 0.64},
    {"atan2", tq_atan2, atan2l, atan2, {-1e300, -1e303}, {1e300, 1e303}, 0.64},
    {"hypot", tq_hypot, hypotl, hypot, {-1.0, -1.0}, {1.0, 1.0}, 0.52},
    {"hypot", tq_hypot, hypotl, hypot, {-1e-300, -1e-299}, {1e-300, 1e-299}, 0.52},
    {"hypot", tq_hypot, hypotl, hypot, {-1e307, -1e306}, {1e307, 1e306}, 0.52},
};
enum { N_TWO = sizeof two / sizeof two[0] };

/* Within `ulp` of a value that is known to 2^-11 ulp; for a subnormal value half an ulp more, since
 * it is rounded twice. */
static int is_within(double x, long double exact, double ulp)
{
    int exponent = 0;
    (void)frexp((double)exact, &exponent);
    const int subnormal = exponent < DBL_MIN_EXP;
    const int last = (subnormal ? DBL_MIN_EXP : exponent) - DBL_MANT_DIG;
    return fabsl((long double)x - exact) <= ldexpl(ulp + (subnormal ? 0.5L : 0.0L), last);
}

static uint64_t fold(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x100000001b3) ^ bits >> 32; /* FNV-1a by words */
}

Test(elementary, of_one_argument_is_as_accurate_as_stated)
{
    for (size_t f = 0; f < N_ONE; f++) {
        tqt_random r = tqt_random_seed(f);
        for (int k = 0; k < N_ARGUMENT; k++) {
            const double x = tqt_random_uniform(&r, one[f].lower, one[f].upper);
            cr_assert(is_within(one[f].own(x), one[f].exact(x), one[f].ulp), "%s(%.17g)",
                      one[f].name, x);
        }
    }
}

Test(elementary, of_two_arguments_is_as_accurate_as_stated)
{
    for (size_t f = 0; f < N_TWO; f++) {
        tqt_random r = tqt_random_seed(f);
        for (int k = 0; k < N_ARGUMENT; k++) {
            const double x = tqt_random_uniform(&r, two[f].lower[0], two[f].upper[0]);
            const double y = tqt_random_uniform(&r, two[f].lower[1], two[f].upper[1]);
            cr_assert(is_within(two[f].own(x, y), two[f].exact(x, y), two[f].ulp),
                      "%s(%.17g, %.17g)", two[f].name, x, y);
        }
    }
}

/* Powers of ten that a double represents exactly: tick marks and scans by decades rely on them. */
Test(elementary, powers_of_ten_are_exact)
{
    double power = 1.0;
    for (int k = 0; k <= 22; k++, power *= 10.0) {
        cr_assert(eq(dbl, tq_pow(10.0, k), power));
        cr_assert(eq(dbl, tq_log10(power), (double)k));
    }
}

/* The double nearest to a multiple of pi/2, 6381956970095103 2^797 (Kahan), and its cosine,
 * -4.6871659242546277e-19 (mpmath, 1300 bits). */
Test(elementary, worst_argument_of_cosine)
{
    cr_assert(eq(dbl, tq_cos(ldexp(6381956970095103.0, 797)), -0x1.14ae72e6ba22fp-61));
}

static const double special[] = {0.0,    1.0,          2.0,           3.0,       0.5,
                                 1e20,   1e300,        0x1p-1074,     0x1p-1030, 1000.0,
                                 0x1p53, 0x1p53 - 1.0, 1.0 - 0x1p-53, INFINITY};
enum { N_SPECIAL = sizeof special / sizeof special[0] };

/* If annex F of C17 specifies the value, both must have it, including the sign of a zero; elsewhere
 * they may differ by an ulp. */
static int agree(double own, double library)
{
    if (isnan(library) || isinf(library) || library == 0.0) {
        return isnan(library) ? isnan(own) : own == library && !signbit(own) == !signbit(library);
    }
    return fabs(own - library) <= 0x1p-52 * fabs(library) + 0x1p-1074;
}

Test(elementary, special_values_are_those_of_annex_f)
{
    for (int i = 0; i < 2 * N_SPECIAL + 1; i++) {
        const double x =
            i == 2 * N_SPECIAL ? (double)NAN : copysign(special[i / 2], i % 2 ? -1.0 : 1.0);
        for (size_t f = 0; f < N_ONE; f++) {
            cr_assert(agree(one[f].own(x), one[f].library(x)), "%s(%g)", one[f].name, x);
        }
        for (int j = 0; j < 2 * N_SPECIAL + 1; j++) {
            const double y =
                j == 2 * N_SPECIAL ? (double)NAN : copysign(special[j / 2], j % 2 ? -1.0 : 1.0);
            for (size_t f = 0; f < N_TWO; f++) {
                cr_assert(agree(two[f].own(x, y), two[f].library(x, y)), "%s(%g, %g)", two[f].name,
                          x, y);
            }
        }
    }
}

/* The few doubles within 2^-55 of a multiple of half a quarter turn, found by continued fractions
 * of 2^e 2/pi; values by mpmath with 3000 bits. Sanitizer builds check that the intermediate
 * integers do not overflow. */
Test(elementary, angles_next_to_half_a_quarter_turn)
{
    const double root = 0x1.6a09e667f3bcdp-1;
    const struct {
        double x, sine, cosine;
    } rows[] = {{0x1.782b7a20df6d4p+66, -root, root},
                {0x1.99caa5236feeap+75, root, root},
                {0x1.e0664dbedfec5p+80, root, -root},
                {0x1.66bd5424e5655p+89, root, -root}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect(fabs(tq_sin(rows[i].x) - rows[i].sine) <= 0x1p-53, "%a", rows[i].x);
        cr_expect(fabs(tq_cos(rows[i].x) - rows[i].cosine) <= 0x1p-53, "%a", rows[i].x);
        cr_expect(fabs(tq_sin(-rows[i].x) + rows[i].sine) <= 0x1p-53, "%a", rows[i].x);
    }
}

/* One hash of all functions detects a machine, compiler or option that changes one bit. It changes
 * only with an algorithm of core/elementary. */
Test(elementary, bits_are_the_same_on_every_machine)
{
    uint64_t hash = 0;
    for (size_t f = 0; f < N_ONE; f++) {
        tqt_random r = tqt_random_seed(100 + f);
        for (int k = 0; k < N_ARGUMENT; k++) {
            hash = fold(hash, one[f].own(tqt_random_uniform(&r, one[f].lower, one[f].upper)));
        }
    }
    for (size_t f = 0; f < N_TWO; f++) {
        tqt_random r = tqt_random_seed(200 + f);
        for (int k = 0; k < N_ARGUMENT; k++) {
            const double x = tqt_random_uniform(&r, two[f].lower[0], two[f].upper[0]);
            const double y = tqt_random_uniform(&r, two[f].lower[1], two[f].upper[1]);
            hash = fold(hash, two[f].own(x, y));
        }
    }
    cr_assert(eq(u64, hash, UINT64_C(0x6ae042c301ae757a)), "hash is 0x%016llx",
              (unsigned long long)hash);
}
