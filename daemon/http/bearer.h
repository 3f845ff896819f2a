/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/bearer.h - whether a request carries a token that is known here. */
#ifndef TQD_HTTP_BEARER_H
#define TQD_HTTP_BEARER_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_TOKENS_MAX = 256, TQD_TOKEN_DIGEST = 32, TQD_TOKEN_TEXT = 512 };

/* The digests (BLAKE2b-256) of the tokens that open the door: nobody who reads them can enter. */
typedef struct tqd_tokens {
    size_t n;
    unsigned char digests[TQD_TOKENS_MAX][TQD_TOKEN_DIGEST];
} tqd_tokens;

/* The token of a header "Authorization: Bearer TOKEN", and its length; NULL when the value is
 * anything else, or NULL. */
const char *tqd_bearer_token(const char *authorization, size_t *ret_n);

/* Takes effect with the next request. Any thread. */
void tqd_tokens_replace(tqd_tokens *tokens, const tqd_tokens *by);

/* `token` may be NULL. Takes the same time for every token of one length. */
bool tqd_bearer_knows(const tqd_tokens *tokens, const char *token, size_t n);

/* What needs no token: probes, which learn nothing but that the process lives, and the contract,
 * which is no secret. */
bool tqd_bearer_is_open(const char *path);

#endif
