/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/bearer.h - authentication by bearer token (RFC 6750). */
#ifndef TQD_HTTP_BEARER_H
#define TQD_HTTP_BEARER_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_TOKENS_MAX = 256, TQD_TOKEN_DIGEST = 32, TQD_TOKEN_TEXT = 512 };

/* Digests (BLAKE2b-256) of the accepted tokens: they cannot be used as tokens. */
typedef struct tqd_tokens {
    size_t n;
    unsigned char digests[TQD_TOKENS_MAX][TQD_TOKEN_DIGEST];
} tqd_tokens;

/* The token of a header "Authorization: Bearer TOKEN", and its length; NULL for any other value, or
 * NULL. */
const char *tqd_bearer_token(const char *authorization, size_t *ret_n);

/* Takes effect with the next request. Any thread. */
void tqd_tokens_replace(tqd_tokens *tokens, const tqd_tokens *by);

/* True: an accepted token. `token` may be NULL. Constant time for all tokens of one length. */
bool tqd_bearer_knows(const tqd_tokens *tokens, const char *token, size_t n);

/* Paths without authentication: probes, which reveal only that the process is alive, and the API
 * description, which is public. */
bool tqd_bearer_is_open(const char *path);

#endif
