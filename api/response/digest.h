/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/digest.h - the name of a request's bytes: XXH3-128, as `xxhsum -H2` prints it.
 *
 * It distinguishes two requests; it proves nothing against someone who makes two on purpose
 * (api/README.md has the decision). */
#ifndef TQA_RESPONSE_DIGEST_H
#define TQA_RESPONSE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define XXH_STATIC_LINKING_ONLY /* the state as a type whose size is known */
#if defined(__x86_64__)
#include <xxh_x86dispatch.h> /* the widest vectors that the processor has: 4 times as fast */
#else
#include <xxhash.h>
#endif

enum { TQA_REQUEST_DIGEST_TEXT = 33 };

/* Aligned to 64. */
typedef struct tqa_digest {
    XXH3_state_t state;
    XXH128_hash_t whole;      /* of bytes that came all at once */
    bool is_whole, has_state; /* which of them there is; neither: no byte came */
} tqa_digest;

void tqa_digest_init(tqa_digest *digest);
/* The next bytes, however the whole is cut. */
void tqa_digest_feed(tqa_digest *digest, const char *bytes, size_t n);
/* All bytes at once, and no others: half the time. */
void tqa_digest_whole(tqa_digest *digest, const char *bytes, size_t n);
/* Of all bytes so far: 32 digits, lower case. */
void tqa_digest_text(const tqa_digest *digest, char ret_text[TQA_REQUEST_DIGEST_TEXT]);

#endif
