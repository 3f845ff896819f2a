/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/number_text.h - random texts of numbers that are difficult to convert, and their
 * checks. */
#ifndef TESTS_SUPPORT_NUMBER_TEXT_H
#define TESTS_SUPPORT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_ROOM = 1200 };

typedef enum number_kind {
    NUMBER_BITS,      /* random bits, 17 digits */
    NUMBER_ROBOT,     /* up to three digits, up to 17 decimals */
    NUMBER_DECIMAL,   /* 1 to 22 random digits, any exponent */
    NUMBER_SUBNORMAL, /* 17 digits of a subnormal */
    NUMBER_HALFWAY,   /* all digits of a midpoint of two doubles, or a number next to it */
    NUMBER_KINDS,
} number_kind;

/* xorshift64*: any state but 0 */
uint64_t number_random(uint64_t *state);
/* A finite double of random bits. */
double number_random_double(uint64_t *state);
/* Writes a text of the kind (no NUL, followed by one space) and returns its length without the
 * space. */
size_t number_random_text(uint64_t *state, number_kind kind, char *out);

/* Scans text[0..n), followed by a space, by every function, and compares bits with strtod. */
bool number_scan_agrees(const char *text, size_t n);
/* Prints x and checks grammar, length, and bits after strtod and after tqa_number_scan. */
bool number_print_returns(double x);
/* ... and, by trying "%.*e", that there is no shorter text, and no nearer text of the same length.
 */
bool number_print_is_shortest(double x);

#endif
