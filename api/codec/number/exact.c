/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/exact.c - a decimal of any length against a binary number, in integers. */
#include "api/codec/number/exact.h"

#include <assert.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* 10^1200 * 2^64 is 4051 bits long; 769 digits * 2^1100 are 3655 */
enum { WORDS = 72 };

/* little-endian words; those at n and above do not count */
typedef struct big {
    size_t n;
    uint64_t word[WORDS];
} big;

static void multiply_add(big *b, uint64_t factor, uint64_t carry)
{
    for (size_t i = 0; i < b->n; i++) {
        const uint128 t = (uint128)b->word[i] * factor + carry;
        b->word[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry != 0) {
        assert(b->n < WORDS);
        b->word[b->n++] = carry;
    }
}

static void multiply_power_of_ten(big *b, int exponent)
{
    for (; exponent >= 19; exponent -= 19) {
        multiply_add(b, 10000000000000000000U, 0);
    }
    for (; exponent > 0; exponent--) {
        multiply_add(b, 10, 0);
    }
}

static void shift_left(big *b, int bits)
{
    const size_t whole = (size_t)bits / 64;
    multiply_add(b, (uint64_t)1 << (bits % 64), 0);
    assert(b->n + whole <= WORDS);
    memmove(b->word + whole, b->word, b->n * sizeof b->word[0]);
    memset(b->word, 0, whole * sizeof b->word[0]);
    b->n += whole;
}

static int compare(const big *a, const big *b)
{
    for (size_t i = a->n > b->n ? a->n : b->n; i-- > 0;) {
        const uint64_t x = i < a->n ? a->word[i] : 0;
        const uint64_t y = i < b->n ? b->word[i] : 0;
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

int tqa_decimal_compare(const char *digits, size_t n, int exp10, uint64_t m, int exp2)
{
    assert(n <= TQA_EXACT_DIGITS && exp10 >= -1200 && exp10 <= 400);
    assert(exp2 >= -1100 && exp2 <= 1000);
    big decimal = {.n = 0};
    big binary = {.n = 1, .word = {m}};
    for (size_t i = 0; i < n; i++) {
        multiply_add(&decimal, 10, (uint64_t)(digits[i] - '0'));
    }

    /* move negative powers to the other side, so that both are integers */
    multiply_power_of_ten(exp10 >= 0 ? &decimal : &binary, exp10 >= 0 ? exp10 : -exp10);
    shift_left(exp2 >= 0 ? &binary : &decimal, exp2 >= 0 ? exp2 : -exp2);
    return compare(&decimal, &binary);
}
