/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/exact.h - a decimal of any length against a binary number, in integers. */
#ifndef TQA_CODEC_NUMBER_EXACT_H
#define TQA_CODEC_NUMBER_EXACT_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* a midpoint of two doubles has at most 767 significant digits; a decimal that is longer
     * compares as its first 768 digits do with one more non-zero digit after them */
    TQA_EXACT_DIGITS = 769,
};

/**
 * Compare digits * 10^exp10 with m * 2^exp2.
 *
 * Shapes   digits (n), characters '0' to '9', n <= TQA_EXACT_DIGITS; -1200 <= exp10 <= 400 and
 *          -1100 <= exp2 <= 1000: what the neighbourhood of a double can ask for.
 * Memory   About 2 KiB of stack. Re-entrant.
 * Returns  -1, 0 or 1 as the decimal is below, equal to or above the binary number.
 * Cost     Some microseconds; reached only when 19 digits do not decide a rounding.
 * Checked  tests/unit/api/codec/number/test_exact.c
 */
int tqa_decimal_compare(const char *digits, size_t n, int exp10, uint64_t m, int exp2);

#endif
