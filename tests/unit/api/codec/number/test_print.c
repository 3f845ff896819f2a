/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/number/test_print.c - tqa_number_print: form, shortest, round trip. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "tests/support/number_text.h"

static const struct {
    double x;
    const char *text;
} forms[] = {
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {1.0, "1.0"},
    {-3.0, "-3.0"},
    {10.0, "10.0"},
    {0.1, "0.1"},
    {0.30000000000000004, "0.30000000000000004"},
    {1.5, "1.5"},
    {123456.789, "123456.789"},
    {-0.00001, "-0.00001"},
    {0.000012345678901234567, "0.000012345678901234568"},
    {0.00000999, "9.99e-6"},
    {1e-7, "1e-7"},
    {123456789012345680.0, "123456789012345680.0"},
    {1e16, "10000000000000000.0"},
    {1e20, "100000000000000000000.0"},
    {123456789012345670000.0, "123456789012345670000.0"},
    {1e21, "1e21"},
    {-1.2345e25, "-1.2345e25"},
    {1e22, "1e22"},
    {1e23, "1e23"},
    {9007199254740993.0, "9007199254740992.0"},
    {DBL_MAX, "1.7976931348623157e308"},
    {-DBL_MIN, "-2.2250738585072014e-308"},
    {5e-324, "5e-324"},
    {2.2250738585072011e-308, "2.225073858507201e-308"},
    {1e100, "1e100"},
    {1234567890123456.7, "1234567890123456.8"},
    {12345678901234567.0, "12345678901234568.0"},
    {99999999999999990.0, "99999999999999980.0"},
    {4503599627370495.5, "4503599627370495.5"},
    {0x1p-1074 * 3, "1.5e-323"},
    {9.5367431640625e-07, "9.5367431640625e-7"},
};

Test(number_print, forms)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char out[TQA_NUMBER_ROOM + 1];
        *tqa_number_print(forms[i].x, out) = '\0';
        cr_assert(eq(str, out, (char *)forms[i].text), "%a", forms[i].x);
        cr_assert(number_print_returns(forms[i].x), "%a", forms[i].x);
    }
}

/* both ends of every binade, where the rounding interval is asymmetric, and every power of ten */
Test(number_print, binades_and_powers_of_ten)
{
    for (int e = -1074; e <= 1023; e++) {
        const double x = ldexp(1.0, e);
        const double near[] = {x, nextafter(x, 0.0), nextafter(x, DBL_MAX)};
        for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
            cr_assert(near[i] == 0.0 || number_print_is_shortest(near[i]), "%a", near[i]);
            cr_assert(number_print_returns(near[i]), "%a", near[i]);
        }
    }
    char text[NUMBER_TEXT_ROOM];
    for (int e = -323; e <= 308; e++) {
        const int n = snprintf(text, sizeof text, "1e%d", e);
        double x = 0.0;
        cr_assert(eq(int, (int)tqa_number_read(text, (size_t)n, &x), TQA_NUMBER_OK));
        cr_assert(number_print_is_shortest(x) && number_print_returns(x), "1e%d", e);
    }
}

Test(number_print, random_bits_return)
{
    uint64_t state = 2;
    for (int i = 0; i < 1000000; i++) {
        const double x = number_random_double(&state);
        cr_assert(number_print_returns(x), "%a", x);
    }
}

Test(number_print, random_values_are_shortest)
{
    uint64_t state = 3;
    for (int i = 0; i < 50000; i++) {
        const double wide = number_random_double(&state);
        /* few digits before and after the point, as is usual for angles and torques */
        const double plain = (double)(int64_t)(number_random(&state) >> 34) / 1000.0;
        cr_assert(number_print_is_shortest(wide), "%a", wide);
        cr_assert(number_print_is_shortest(plain) || plain == 0.0, "%a", plain);
    }
}

Test(number_print, what_is_not_finite_is_null)
{
    const double values[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char out[TQA_NUMBER_ROOM] = "";
        const char *end = tqa_number_print(values[i], out);
        cr_expect(end == out + 4 && memcmp(out, "null", 4) == 0, "%zu", i);
    }
}
