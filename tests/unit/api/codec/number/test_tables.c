/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/number/test_tables.c - every row of the powers of ten, in integers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "api/codec/number/tables.h"

__extension__ typedef unsigned __int128 uint128;

enum { WORDS = 40 }; /* 2560 bits: 10^342 * 2^128 needs 1265 */

static void multiply(uint64_t *word, uint64_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const uint128 t = (uint128)word[i] * factor + carry;
        word[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    cr_assert(eq(u64, carry, 0));
}

static int compare(const uint64_t *a, const uint64_t *b)
{
    for (size_t i = WORDS; i-- > 0;) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static size_t bit_length(const uint64_t *word)
{
    for (size_t i = WORDS; i-- > 0;) {
        if (word[i] != 0) {
            return 64 * i + 64 - (size_t)__builtin_clzl(word[i]);
        }
    }
    return 0;
}

/* word = (128-bit s) << bits */
static void shifted(uint64_t *word, uint128 s, size_t bits)
{
    memset(word, 0, WORDS * sizeof word[0]);
    word[bits / 64] = (uint64_t)s;
    word[bits / 64 + 1] = (uint64_t)(s >> 64);
    multiply(word, (uint64_t)1 << (bits % 64));
}

Test(number_tables, every_row_is_the_power_rounded_down)
{
    uint64_t power[WORDS] = {1};
    uint64_t left[WORDS];
    for (int q = 0; q <= TQA_POWER_HIGHEST; q++) {
        const uint64_t *row = tqa_number_powers[q - TQA_POWER_LOWEST];
        const uint128 s = (uint128)row[0] << 64 | row[1];
        cr_assert(eq(u64, row[0] >> 63, 1), "10^%d: not normalised", q);

        /* s * 2^(bits - 128) <= 10^q < (s + 1) * 2^(bits - 128), times 2^128 */
        const size_t bits = bit_length(power);
        uint64_t right[WORDS] = {0};
        memcpy(right + 2, power, (WORDS - 2) * sizeof right[0]);
        shifted(left, s, bits);
        const int low = compare(left, right);
        cr_assert(le(int, low, 0), "10^%d: too large", q);
        cr_assert(eq(int, low == 0, q <= TQA_POWER_EXACT), "10^%d: exactness", q);
        shifted(left, s + 1, bits);
        cr_assert(s + 1 == 0 || compare(left, right) > 0, "10^%d: too small", q);
        multiply(power, 10);
    }
}

Test(number_tables, every_reciprocal_is_rounded_down)
{
    uint64_t power[WORDS] = {10};
    for (int q = -1; q >= TQA_POWER_LOWEST; q--) {
        const uint64_t *row = tqa_number_powers[q - TQA_POWER_LOWEST];
        cr_assert(eq(u64, row[0] >> 63, 1), "10^%d: not normalised", q);

        /* s * 10^-q < 2^(bits + 127) < (s + 1) * 10^-q, for bits the length of 10^-q */
        uint64_t low[WORDS] = {0};
        uint64_t high[WORDS] = {0};
        uint64_t one[WORDS];
        shifted(one, 1, bit_length(power) + 127);
        memcpy(low, power, sizeof low);
        multiply(low, row[1]);
        memcpy(high, power, sizeof high);
        multiply(high, row[0]);
        uint64_t carry = 0;
        for (size_t i = 1; i < WORDS; i++) { /* low += high * 2^64 */
            const uint128 t = (uint128)low[i] + high[i - 1] + carry;
            low[i] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        cr_assert(lt(int, compare(low, one), 0), "10^%d: too large", q);
        carry = 0;
        for (size_t i = 0; i < WORDS; i++) { /* low += 10^-q */
            const uint128 t = (uint128)low[i] + power[i] + carry;
            low[i] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        cr_assert(gt(int, compare(low, one), 0), "10^%d: too small", q);
        multiply(power, 10);
    }
}

/* printing adds one to the low word of a power that is not exact: it must not carry */
Test(number_tables, low_words_have_room_for_one)
{
    for (size_t i = 0; i < TQA_POWER_COUNT; i++) {
        cr_assert(ne(u64, tqa_number_powers[i][1], UINT64_MAX), "row %zu", i);
    }
}
