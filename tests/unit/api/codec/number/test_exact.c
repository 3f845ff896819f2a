/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/number/test_exact.c - tqa_decimal_compare against known equalities. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "api/codec/number/exact.h"

static const struct {
    const char *digits;
    int exp10;
    uint64_t m;
    int exp2;
    int side;
} cases[] = {
    {"1", 0, 1, 0, 0},
    {"", 0, 1, 0, -1},
    {"0", 0, 0, 0, 0},
    {"5", -1, 1, -1, 0},
    {"25", -2, 1, -2, 0},
    {"250000000000000000000001", -24, 1, -2, 1},
    {"249999999999999999999999", -24, 1, -2, -1},
    {"18446744073709551616", 0, 1, 64, 0},
    {"18446744073709551615", 0, 1, 64, -1},
    {"18446744073709551617", 0, 1, 64, 1},
    {"1", 22, 10000000000000000, 0, 1},
    {"1", 22, 4768371582031250U, 21, 0},
    {"1", 300, 1, 996, 1},
    {"1", 300, 1, 997, -1},
    {"1", -300, 1, -997, 1},
    {"1", -300, 1, -996, -1},
    {"1", 400, UINT64_MAX, 1000, 1},
    {"1", -1200, 1, -1100, -1},
};

Test(number_exact, table)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int side = tqa_decimal_compare(cases[i].digits, strlen(cases[i].digits),
                                             cases[i].exp10, cases[i].m, cases[i].exp2);
        cr_assert(eq(int, side, cases[i].side), "row %zu", i);
    }
}

/* every digit of 2^-1074, which glibc prints exactly, and its neighbours in the last digit */
Test(number_exact, smallest_subnormal)
{
    char text[800];
    char digits[800];
    snprintf(text, sizeof text, "%.750e", 0x1p-1074);
    size_t n = 0;
    for (const char *s = text; *s != 'e'; s++) {
        if (*s != '.') {
            digits[n++] = *s;
        }
    }
    /* 4.94...e-324, the last digit worth 10^-1074 */
    cr_assert(eq(sz, n, 751));
    cr_assert(eq(int, tqa_decimal_compare(digits, n, -1074, 1, -1074), 0));
    digits[n - 1]++;
    cr_assert(eq(int, tqa_decimal_compare(digits, n, -1074, 1, -1074), 1));
    digits[n - 1] = (char)(digits[n - 1] - 2);
    cr_assert(eq(int, tqa_decimal_compare(digits, n, -1074, 1, -1074), -1));
}
