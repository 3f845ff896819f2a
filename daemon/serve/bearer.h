/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/bearer.h - whether a request carries a token that is known here. */
#ifndef TQD_SERVE_BEARER_H
#define TQD_SERVE_BEARER_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_TOKENS_MAX = 256, TQD_TOKEN_DIGEST = 32, TQD_TOKEN_TEXT = 512 };

/* The digests (BLAKE2b-256) of the tokens that open the door: nobody who reads them can enter. */
typedef struct tqd_tokens {
    size_t n;
    unsigned char digests[TQD_TOKENS_MAX][TQD_TOKEN_DIGEST];
} tqd_tokens;

/* `authorization` is the header's value, NULL when there is none. Takes the same time for every
 * token of one length. */
bool tqd_bearer_allows(const tqd_tokens *tokens, const char *authorization);

/* What needs no token: probes, which learn nothing but that the process lives, and the contract,
 * which is no secret. */
bool tqd_bearer_is_open(const char *path);

#endif
