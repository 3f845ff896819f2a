/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/digest.c - XXH3-128 by libxxhash. */
#include "api/operations/digest.h"

#include <assert.h>

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

void tqa_digest_text(const tqa_digest *digest, char ret_text[TQA_REQUEST_DIGEST_TEXT])
{
    static const char digit[] = "0123456789abcdef";
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, digest->is_whole    ? digest->whole
                                     : digest->has_state ? XXH3_128bits_digest(&digest->state)
                                                         : XXH3_128bits("", 0));
    for (size_t i = 0; i < sizeof bytes.digest; i++) {
        ret_text[2 * i] = digit[bytes.digest[i] >> 4];
        ret_text[2 * i + 1] = digit[bytes.digest[i] & 15];
    }
    ret_text[TQA_REQUEST_DIGEST_TEXT - 1] = '\0';
}
