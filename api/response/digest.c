/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/digest.c - XXH3-128 by libxxhash. */
#include "api/response/digest.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is the lowest byte");

void tqa_digest_init(tqa_digest *digest)
{
    digest->is_whole = digest->has_state = false; /* most bodies come whole: no state */
}

void tqa_digest_feed(tqa_digest *digest, const char *bytes, size_t n)
{
    assert(!digest->is_whole);
    if (!digest->has_state) {
        XXH3_INITSTATE(&digest->state);
        (void)XXH3_128bits_reset(&digest->state);
        digest->has_state = true;
    }
    (void)XXH3_128bits_update(&digest->state, bytes, n);
}

void tqa_digest_whole(tqa_digest *digest, const char *bytes, size_t n)
{
    assert(!digest->has_state);
    digest->whole = XXH3_128bits(bytes, n);
    digest->is_whole = true;
}

/* Four bytes as eight digits, side by side in a word. */
static void put_hex(const unsigned char *bytes, char *text)
{
    const uint64_t ones = 0x0101010101010101U;
    uint64_t x = (uint64_t)bytes[0] | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 32 |
                 (uint64_t)bytes[3] << 48;
    x = ((x >> 4) & 0x000f000f000f000fU) | ((x & 0x000f000f000f000fU) << 8);
    /* 6 more make a carry of ten and above, which are 39 after the digits' own place */
    const uint64_t letters = ((x + ones * 6) >> 4) & ones;
    x += ones * '0' + letters * ('a' - '0' - 10);
    memcpy(text, &x, sizeof x);
}

void tqa_digest_text(const tqa_digest *digest, char ret_text[TQA_REQUEST_DIGEST_TEXT])
{
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, digest->is_whole    ? digest->whole
                                     : digest->has_state ? XXH3_128bits_digest(&digest->state)
                                                         : XXH3_128bits("", 0));
    for (size_t i = 0; i < sizeof bytes.digest; i += 4) {
        put_hex(bytes.digest + i, ret_text + 2 * i);
    }
    ret_text[TQA_REQUEST_DIGEST_TEXT - 1] = '\0';
}
