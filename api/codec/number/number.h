/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/number.h - numbers as text: exact scanning and shortest printing. */
#ifndef TQA_CODEC_NUMBER_NUMBER_H
#define TQA_CODEC_NUMBER_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TQA_NUMBER_TEXT_MAX = 24, /* the longest text that tqa_number_print makes */
    TQA_NUMBER_ROOM = 40,     /* bytes it may write to: it stores in whole words */
    TQA_NUMBER_AHEAD = 48,    /* bytes from the start of a number that tqa_number_run may read */
};

/* Result of scanning a number. */
typedef enum tqa_number {
    TQA_NUMBER_OK,
    TQA_NUMBER_INCOMPLETE, /* valid so far, but the text ends and the number may continue */
    TQA_NUMBER_MALFORMED,  /* not a number by the grammar of RFC 8259 */
    TQA_NUMBER_OVERFLOW,   /* a number, but its nearest double is infinite */
} tqa_number;

/**
 * Scan the number that starts at *p.
 *
 *     number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ]
 * 1*digit ]
 *
 * Reads no byte at or after `end`. A number is complete only when the byte after it is there too,
 * so a stream that is cut anywhere can wait for more; append one space or newline to text that
 * has none after its last number, or use tqa_number_read. That byte is the caller's to judge
 * ("1x" scans as 1, with *p at the x), except that a digit after a leading zero is refused.
 *
 * Returns  TQA_NUMBER_OK   *ret is the double nearest to the decimal value, ties to even, the bits
 *                          that strtod gives in the C locale; *p is after the number. Values
 *                          below half the smallest subnormal are zero, with their sign.
 *          any other       *p and *ret are unchanged.
 * Memory   None. Re-entrant. Takes no notice of the locale. Needs the default rounding mode and
 *          no flush-to-zero.
 * Cost     About 20 ns for 17 digits; linear in the length of the text.
 * Source   Lemire, "Number Parsing at a Gigabyte per Second", Softw. Pract. Exp. 51(8), 2021;
 *          Mushtak and Lemire, "Fast Number Parsing Without Fallback", 2022.
 * Checked  tests/unit/api/codec/number/test_scan.c, tests/fuzz/fuzz_number.c
 */
tqa_number tqa_number_scan(const char **p, const char *end, double *ret);

/**
 * Scan up to n numbers in the usual form, with "," or ", " between them: number k goes to
 * to[k * stride]. It stops without a reason at anything else, such as a longer spelling, and where
 * fewer than TQA_NUMBER_AHEAD bytes are left before `end`: use tqa_number_scan there.
 *
 * Returns  How many were scanned; *p is after the last of them, unchanged when there is none.
 * Cost     About 9 ns for 17 digits with AVX-512 VBMI, else as tqa_number_scan.
 * Checked  tests/unit/api/codec/number/test_scan.c
 */
size_t tqa_number_run(const char **p, const char *end, size_t n, double *to, size_t stride);

/* The whole of text[0..n) is one number: never TQA_NUMBER_INCOMPLETE. */
tqa_number tqa_number_read(const char *text, size_t n, double *ret);

/**
 * Print x in the fewest digits that scan back to the same double, and among these the digits
 * nearest to x; null where x is not finite.
 *
 * Always a number with a fraction or an exponent, so that readers which distinguish integers from
 * floats see a float: 3.0, -0.0, 0.1, 1e21. Plain decimals for 1e-5 <= |x| < 1e21, else d.ddde[-]x.
 *
 * Memory   Writes to out[0..TQA_NUMBER_ROOM), of which at most TQA_NUMBER_TEXT_MAX bytes are text;
 *          no NUL is appended. Re-entrant.
 * Returns  One past the last byte of the text.
 * Cost     About 25 ns.
 * Source   Giulietti, "The Schubfach way to render doubles", 2021.
 * Checked  tests/unit/api/codec/number/test_print.c, tests/fuzz/fuzz_number.c
 */
char *tqa_number_print(double x, char *out);

#endif
