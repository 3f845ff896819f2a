/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/number_text.c - random texts of numbers that are difficult to convert, and their
 * checks. */
#include "tests/support/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"

uint64_t number_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

double number_random_double(uint64_t *state)
{
    for (;;) {
        const uint64_t bits = number_random(state);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

static int random_digits(uint64_t *state, char *out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = (char)('0' + number_random(state) % 10);
    }
    return n;
}

static int halfway_text(uint64_t *state, char *out)
{
    /* a long double holds the midpoint of two normal doubles exactly; so does glibc's "%.*Le" */
    double x = 0.0;
    do {
        x = fabs(number_random_double(state));
    } while (x < 0x1p-1022);
    const double above = nextafter(x, HUGE_VAL);
    if (!isfinite(above)) {
        return snprintf(out, NUMBER_TEXT_ROOM, "%.17e", x);
    }
    const long double middle = (long double)x + ((long double)above - (long double)x) / 2;
    int n = snprintf(out, NUMBER_TEXT_ROOM, "%.780Le", middle);
    char *e = memchr(out, 'e', (size_t)n);
    switch (number_random(state) % 3) {
    case 0:
        break;
    case 1: /* above the midpoint by one in the 781st digit */
        e[-1] = '1';
        break;
    default: { /* below the midpoint: the last non-zero digit is a 5 */
        char *last = e - 1;
        while (*last == '0' || *last == '.') {
            last--;
        }
        (*last)--;
    }
    }
    return n;
}

size_t number_random_text(uint64_t *state, number_kind kind, char *out)
{
    int n = 0;
    if (kind == NUMBER_BITS) {
        n = snprintf(out, NUMBER_TEXT_ROOM, "%.17g", number_random_double(state));
    } else if (kind == NUMBER_ROBOT) {
        n = snprintf(out, NUMBER_TEXT_ROOM, "%s%d.", number_random(state) % 2 ? "-" : "",
                     (int)(number_random(state) % (number_random(state) % 4 ? 4 : 400)));
        n += random_digits(state, out + n, 1 + (int)(number_random(state) % 17));
    } else if (kind == NUMBER_DECIMAL) {
        out[n++] = (char)('1' + number_random(state) % 9);
        n += random_digits(state, out + n, (int)(number_random(state) % 12));
        if (number_random(state) % 2) {
            out[n++] = '.';
            n += random_digits(state, out + n, 1 + (int)(number_random(state) % 10));
        }
        n += snprintf(out + n, 16, "e%d", (int)(number_random(state) % 680) - 350);
    } else if (kind == NUMBER_SUBNORMAL) {
        const uint64_t bits = number_random(state) >> (12 + number_random(state) % 40);
        double x;
        memcpy(&x, &bits, sizeof x);
        n = snprintf(out, NUMBER_TEXT_ROOM, "%.*e", (int)(number_random(state) % 19), x);
    } else {
        n = halfway_text(state, out);
    }
    out[n] = ' ';
    return (size_t)n;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Twice in a run of numbers, once after a space: both numbers are taken, or none where the run may
 * be left to the general path. */
static bool run_agrees(const char *text, size_t n, double expected)
{
    char run[2 * NUMBER_TEXT_ROOM + TQA_NUMBER_AHEAD];
    double x[2] = {0.0, 0.0};
    memset(run, '7', sizeof run); /* digits that do not belong to the number */
    memcpy(run, text, n);
    memcpy(run + n, ", ", 2);
    memcpy(run + n + 2, text, n);
    run[2 * n + 2] = ']';
    const char *p = run;
    const size_t n_taken = tqa_number_run(&p, run + sizeof run, 2, x, 1);
    return (n_taken == 0 && p == run) || (n_taken == 2 && p == run + 2 * n + 2 &&
                                          same_bits(x[0], expected) && same_bits(x[1], expected));
}

bool number_scan_agrees(const char *text, size_t n)
{
    const double expected = strtod(text, NULL);
    const tqa_number wanted = isinf(expected) ? TQA_NUMBER_OVERFLOW : TQA_NUMBER_OK;
    double read = 0.0;
    double tight = 0.0;
    double roomy = 0.0;
    if (tqa_number_read(text, n, &read) != wanted) {
        return false;
    }
    /* with one byte after the number: the bounded path; with many: the fast path */
    const char *p = text;
    if (tqa_number_scan(&p, text + n + 1, &tight) != wanted ||
        p != text + (wanted == TQA_NUMBER_OK ? n : 0)) {
        return false;
    }
    char wide[NUMBER_TEXT_ROOM + 64];
    memset(wide, ' ', sizeof wide);
    memcpy(wide, text, n);
    p = wide;
    if (tqa_number_scan(&p, wide + sizeof wide, &roomy) != wanted) {
        return false;
    }
    if (wanted != TQA_NUMBER_OK) {
        return p == wide && roomy == 0.0;
    }
    return run_agrees(text, n, expected) && p == wide + n && same_bits(read, expected) &&
           same_bits(tight, expected) && same_bits(roomy, expected);
}

bool number_print_returns(double x)
{
    char text[TQA_NUMBER_ROOM + 2];
    memset(text, '#', sizeof text);
    const size_t n = (size_t)(tqa_number_print(x, text) - text);
    if (n > TQA_NUMBER_TEXT_MAX || text[TQA_NUMBER_ROOM] != '#') {
        return false;
    }
    double back = 0.0;
    if (tqa_number_read(text, n, &back) != TQA_NUMBER_OK || !same_bits(back, x)) {
        return false;
    }
    text[n] = '\0';
    return same_bits(strtod(text, NULL), x) && strpbrk(text, ".e") != NULL;
}

/* Significant digits of a text, without leading and trailing zeros. */
static size_t digits_of(const char *text, char *ret)
{
    size_t n = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) {
            ret[n++] = *text;
        }
    }
    while (n > 0 && ret[n - 1] == '0') {
        n--;
    }
    return n;
}

bool number_print_is_shortest(double x)
{
    char ours[TQA_NUMBER_ROOM];
    char digits[TQA_NUMBER_ROOM];
    *tqa_number_print(x, ours) = '\0';
    const size_t n = digits_of(ours, digits);
    for (int precision = 0; precision < 17; precision++) {
        char tried[48];
        char tried_digits[48];
        snprintf(tried, sizeof tried, "%.*e", precision, x);
        if (same_bits(strtod(tried, NULL), x)) {
            const size_t m = digits_of(tried, tried_digits);
            return n < m || (n == m && memcmp(digits, tried_digits, n) == 0);
        }
    }
    return false;
}
