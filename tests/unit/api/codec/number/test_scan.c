/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/number/test_scan.c - tqa_number_scan: grammar, limits, every bit. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "tests/support/number_text.h"

typedef struct scan_case {
    const char *text;
    tqa_number status;
    size_t taken; /* bytes of the number, when OK */
} scan_case;

/* clang-format off */
static const scan_case grammar[] = {
    {"0 ", TQA_NUMBER_OK, 1},        {"-0 ", TQA_NUMBER_OK, 2},      {"10]", TQA_NUMBER_OK, 2},
    {"1x", TQA_NUMBER_OK, 1},        {"1.5.2", TQA_NUMBER_OK, 3},    {"0.0e-0,", TQA_NUMBER_OK, 6},
    {"1E+05}", TQA_NUMBER_OK, 5},    {"1e-05 ", TQA_NUMBER_OK, 5},   {"0e9999999999999999999 ", TQA_NUMBER_OK, 21},
    {"1-", TQA_NUMBER_OK, 1},        {"0x10", TQA_NUMBER_OK, 1},
    {"", TQA_NUMBER_INCOMPLETE, 0},  {"-", TQA_NUMBER_INCOMPLETE, 0}, {"0", TQA_NUMBER_INCOMPLETE, 0},
    {"12", TQA_NUMBER_INCOMPLETE, 0}, {"1.", TQA_NUMBER_INCOMPLETE, 0}, {"1.5", TQA_NUMBER_INCOMPLETE, 0},
    {"1e", TQA_NUMBER_INCOMPLETE, 0}, {"1e+", TQA_NUMBER_INCOMPLETE, 0}, {"1e5", TQA_NUMBER_INCOMPLETE, 0},
    {"1e999", TQA_NUMBER_INCOMPLETE, 0},
    {" 1 ", TQA_NUMBER_MALFORMED, 0}, {"- ", TQA_NUMBER_MALFORMED, 0}, {"+1 ", TQA_NUMBER_MALFORMED, 0},
    {".5 ", TQA_NUMBER_MALFORMED, 0}, {"-.5 ", TQA_NUMBER_MALFORMED, 0}, {"1. ", TQA_NUMBER_MALFORMED, 0},
    {"1.e5 ", TQA_NUMBER_MALFORMED, 0}, {"01 ", TQA_NUMBER_MALFORMED, 0}, {"-01 ", TQA_NUMBER_MALFORMED, 0},
    {"00 ", TQA_NUMBER_MALFORMED, 0}, {"01", TQA_NUMBER_MALFORMED, 0}, {"1e ", TQA_NUMBER_MALFORMED, 0},
    {"1e+ ", TQA_NUMBER_MALFORMED, 0}, {"1e- ", TQA_NUMBER_MALFORMED, 0}, {"1e+-5 ", TQA_NUMBER_MALFORMED, 0},
    {"--1 ", TQA_NUMBER_MALFORMED, 0}, {"NaN ", TQA_NUMBER_MALFORMED, 0}, {"inf ", TQA_NUMBER_MALFORMED, 0},
    {"Infinity ", TQA_NUMBER_MALFORMED, 0}, {"\xff ", TQA_NUMBER_MALFORMED, 0},
    {"1e999 ", TQA_NUMBER_OVERFLOW, 0}, {"-1e999 ", TQA_NUMBER_OVERFLOW, 0},
    {"1.7976931348623159e308 ", TQA_NUMBER_OVERFLOW, 0}, {"1e99999999999999999999 ", TQA_NUMBER_OVERFLOW, 0},
};

/* each is checked against strtod, bit by bit */
static const char *const values[] = {
    "0", "-0", "0.0", "-0.0", "1", "-1", "0.1", "0.2", "0.3", "3.0", "1e22", "1e23", "-1e23", "8.5e22",
    "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995",
    "9007199254740993.00000000000000000000000000000000000001", "9007199254740992.99999999999999999999",
    "1.7976931348623157e308", "1.7976931348623158e308", "179769313486231570000e288",
    "4.9e-324", "5e-324", "2.4703282292062327208e-324", "2.4703282292062327209e-324", "2.5e-324", "2.4e-324",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "2.225073858507201e-308", "1e-999", "-1e-999",
    "1e-99999999999999999999", "123456789012345678901234567890", "0.000000000000000000000000000000000000012345",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "6.9294956446009195e15", "3.7455744005952583e15", "7.2057594037927933e16", "1.448997445238699",
    "0.000244140625", "5e-20", "67e14", "9e-265", "1e-323", "6250000000000000000000e-21", "1234567", "12345678",
    "123456789", "0.12345678", "0.1234567890123456", "0.123456789012345678901234", "-123.45678901234567e-12",
    "18446744073709551615", "18446744073709551616", "9999999999999999999", "10000000000000000000e0",
    "0.00000000000000001234567890123456789", "1e0001", "1e-0001", "1e00001", "7.0E+10",
};
/* clang-format on */

Test(number_scan, grammar)
{
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        const scan_case *c = &grammar[i];
        const char *p = c->text;
        double x = -5.0;
        const tqa_number status = tqa_number_scan(&p, c->text + strlen(c->text), &x);
        cr_assert(eq(int, (int)status, (int)c->status), "'%s'", c->text);
        cr_assert(eq(sz, (size_t)(p - c->text), c->taken), "'%s': moved", c->text);
        if (status != TQA_NUMBER_OK) {
            cr_assert(eq(dbl, x, -5.0), "'%s': result touched on failure", c->text);
        }

        /* the same text with bytes after it is scanned by the fast path */
        char wide[96];
        memset(wide, ']', sizeof wide);
        memcpy(wide, c->text, strlen(c->text));
        if (c->status != TQA_NUMBER_INCOMPLETE) {
            p = wide;
            cr_assert(eq(int, (int)tqa_number_scan(&p, wide + sizeof wide, &x), (int)c->status),
                      "'%s' with room", c->text);
            cr_assert(eq(sz, (size_t)(p - wide), c->taken), "'%s' with room: moved", c->text);
        }
    }
}

Test(number_scan, values_have_the_bits_of_strtod)
{
    char text[NUMBER_TEXT_ROOM];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const size_t n = strlen(values[i]);
        memcpy(text, values[i], n + 1);
        text[n] = ' ';
        text[n + 1] = '\0';
        cr_assert(number_scan_agrees(text, n), "%s", values[i]);
    }
}

Test(number_scan, underflow_keeps_the_sign)
{
    double x = 1.0;
    cr_assert(eq(int, (int)tqa_number_read("-1e-999", 7, &x), TQA_NUMBER_OK));
    cr_assert(x == 0.0 && signbit(x));
}

Test(number_scan, read_needs_the_whole_text)
{
    double x = 7.0;
    cr_assert(eq(int, (int)tqa_number_read("12", 2, &x), TQA_NUMBER_OK));
    cr_assert(eq(dbl, x, 12.0));
    const char *refused[] = {"", "-", "1.", "1e", "1 ", " 1", "1,", "0x1"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cr_assert(
            eq(int, (int)tqa_number_read(refused[i], strlen(refused[i]), &x), TQA_NUMBER_MALFORMED),
            "'%s'", refused[i]);
    }
    cr_assert(eq(int, (int)tqa_number_read("1e400", 5, &x), TQA_NUMBER_OVERFLOW));
    cr_assert(eq(dbl, x, 12.0), "result touched on failure");
}

/* A truncated number is incomplete, and no byte after it is read: the copy has the exact size, so
 * that AddressSanitizer detects a read beyond it. */
Test(number_scan, any_cut_is_incomplete)
{
    const char *texts[] = {"-123.45678901234567e-123", "0.1", "12345678901234567890123", "5e-324"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            char *copy = malloc(n + 1);
            char *start = copy + 1; /* so that n = 0 is valid too */
            memcpy(start, texts[i], n);
            const char *p = start;
            double x = 0.0;
            cr_assert(eq(int, (int)tqa_number_scan(&p, start + n, &x), TQA_NUMBER_INCOMPLETE),
                      "%.*s", (int)n, texts[i]);
            cr_assert(p == start);
            free(copy);
        }
    }
}

/* 0.000..., 1000..., and the midpoint of 1 and the next double with a last digit far away */
Test(number_scan, thousands_of_digits)
{
    enum { LONG = 100000 };
    char *text = malloc(LONG + 64);
    double x = 0.0;

    memset(text, '0', LONG);
    memcpy(text, "0.", 2);
    memcpy(text + LONG, "25e100000", 9);
    cr_assert(eq(int, (int)tqa_number_read(text, LONG + 9, &x), TQA_NUMBER_OK));
    cr_assert(eq(dbl, x, 25.0)); /* LONG - 2 zeros, then 25: 0.25e-(LONG-2) */

    memset(text, '0', LONG);
    text[0] = '3';
    memcpy(text + LONG, "e-99999", 7);
    cr_assert(eq(int, (int)tqa_number_read(text, LONG + 7, &x), TQA_NUMBER_OK));
    cr_assert(eq(dbl, x, 3.0));

    const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    memset(text, '0', LONG);
    memcpy(text, half, sizeof half - 1);
    cr_assert(eq(int, (int)tqa_number_read(text, LONG, &x), TQA_NUMBER_OK));
    cr_assert(eq(dbl, x, 1.0), "a tie goes to even");
    text[LONG - 1] = '1';
    cr_assert(eq(int, (int)tqa_number_read(text, LONG, &x), TQA_NUMBER_OK));
    cr_assert(eq(dbl, x, 1.0 + 0x1p-52), "the last of many digits decides");
    free(text);
}

Test(number_scan, random_texts_have_the_bits_of_strtod)
{
    static const struct {
        number_kind kind;
        int count;
    } rows[] = {
        {NUMBER_BITS, 300000},      {NUMBER_ROBOT, 300000}, {NUMBER_DECIMAL, 300000},
        {NUMBER_SUBNORMAL, 100000}, {NUMBER_HALFWAY, 5000},
    };
    uint64_t state = 1;
    char text[NUMBER_TEXT_ROOM];
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (int i = 0; i < rows[row].count; i++) {
            const size_t n = number_random_text(&state, rows[row].kind, text);
            cr_assert(number_scan_agrees(text, n), "%.*s", (int)n, text);
        }
    }
}

/* Bytes for the look-ahead exist and may have any value. */
Test(number_scan, runs)
{
    static const struct {
        const char *text;
        size_t n_asked, n, n_used;
        double x[4];
    } runs[] = {
        {"1,2,3]", 4, 3, 5, {1, 2, 3}},
        {"1,2,3,4,5]", 4, 4, 7, {1, 2, 3, 4}},
        {"1,2,3,4,5]", 1, 1, 1, {1}},
        {"-0.5, 2.5e-3, 0]", 4, 3, 15, {-0.5, 2.5e-3, 0}},
        {"1,  2", 4, 1, 1, {1}},
        {"1 ,2", 4, 1, 1, {1}},
        {"1,", 4, 1, 1, {1}},
        {"1,]", 4, 1, 1, {1}},
        {"1,1e999", 4, 1, 1, {1}},
        {"1,-1e999", 4, 1, 1, {1}},
        {"1,12345678", 4, 1, 1, {1}}, /* a valid number, but longer than most */
        {"1,null", 4, 1, 1, {1}},
        {"x", 4, 0, 0, {0}},
        {"", 4, 0, 0, {0}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char text[32 + TQA_NUMBER_AHEAD];
        double x[8] = {0};
        memset(text, i % 2 == 0 ? 0 : ' ', sizeof text);
        memcpy(text, runs[i].text, strlen(runs[i].text));
        const char *p = text;
        cr_expect(eq(sz, tqa_number_run(&p, text + sizeof text, runs[i].n_asked, x, 2), runs[i].n),
                  "%s", text);
        cr_expect(eq(sz, (size_t)(p - text), runs[i].n_used), "%s", text);
        for (size_t k = 0; k < 4; k++) {
            cr_expect(eq(dbl, x[2 * k], runs[i].x[k]), "%s: %zu", text, k);
            cr_expect(eq(dbl, x[2 * k + 1], 0.0), "%s: %zu", text, k);
        }
    }
}

/* With one byte less than it may read, a run leaves the number to tqa_number_scan. */
Test(number_scan, runs_end_before_the_end_of_the_text)
{
    char text[64];
    memset(text, ' ', sizeof text);
    memcpy(text, "1.5,2.5", 7);
    for (size_t n = 7; n <= TQA_NUMBER_AHEAD + 5; n++) {
        char *copy = malloc(n); /* AddressSanitizer detects a read beyond it */
        double x[2] = {0};
        memcpy(copy, text, n);
        const char *p = copy;
        const size_t expected = n < TQA_NUMBER_AHEAD ? 0 : n < TQA_NUMBER_AHEAD + 4 ? 1 : 2;
        cr_expect(eq(sz, tqa_number_run(&p, copy + n, 2, x, 1), expected), "%zu", n);
        cr_expect(eq(sz, (size_t)(p - copy), expected == 0 ? 0 : expected == 1 ? 3 : 7), "%zu", n);
        free(copy);
    }
}

/* Numbers with up to 12 digits before and after the point, at random: every number of the run is
 * taken, and no text that is not a number. */
Test(number_scan, runs_of_every_shape)
{
    uint64_t state = 3;
    for (int whole = 1; whole <= 7; whole++) {
        for (int fraction = 1; fraction <= 19 - whole; fraction++) {
            for (int k = 0; k < 200; k++) {
                char text[64 + TQA_NUMBER_AHEAD];
                memset(text, '9', sizeof text);
                size_t n = 0;
                text[n] = '-';
                n += number_random(&state) % 2;
                const size_t first = n;
                for (int d = 0; d < whole + 1 + fraction; d++) {
                    text[n++] = d == whole ? '.' : (char)('0' + number_random(&state) % 10);
                }
                const bool good = whole == 1 || text[first] != '0';
                text[n] = k % 2 == 0 ? ',' : '}';
                double x = 0.0, expected = 0.0;
                const char *p = text, *q = text;
                cr_assert(eq(sz, tqa_number_run(&p, text + sizeof text, 1, &x, 1), good), "%.*s",
                          (int)n, text);
                const tqa_number state_of = tqa_number_scan(&q, text + n + 1, &expected);
                cr_assert(eq(int, state_of == TQA_NUMBER_OK, good), "%.*s", (int)n, text);
                cr_assert(p == q && memcmp(&x, &expected, sizeof x) == 0, "%.*s", (int)n, text);
            }
        }
    }
}
