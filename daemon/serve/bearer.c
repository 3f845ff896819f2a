/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/bearer.c - Authorization: Bearer (RFC 6750) against digests of tokens. */
#include "daemon/serve/bearer.h"

#include <string.h>
#include <strings.h>

#include <sodium.h>

static const char scheme[] = "Bearer";

bool tqd_bearer_allows(const tqd_tokens *tokens, const char *authorization)
{
    const size_t n_scheme = sizeof scheme - 1;
    if (authorization == NULL || strncasecmp(authorization, scheme, n_scheme) != 0 ||
        authorization[n_scheme] != ' ') {
        return false;
    }
    const char *token = authorization + n_scheme;
    token += strspn(token, " ");
    const size_t n = strcspn(token, " \t");
    if (n == 0 || n > TQD_TOKEN_TEXT || token[n + strspn(token + n, " \t")] != '\0') {
        return false;
    }
    unsigned char digest[TQD_TOKEN_DIGEST];
    crypto_generichash(digest, sizeof digest, (const unsigned char *)token, n, NULL, 0);
    bool known = false;
    for (size_t k = 0; k < tokens->n; k++) {
        /* all are looked at: time does not tell which one it was */
        known |= sodium_memcmp(digest, tokens->digests[k], sizeof digest) == 0;
    }
    return known;
}

bool tqd_bearer_is_open(const char *path)
{
    static const char *const paths[] = {"/healthz", "/readyz", "/docs", "/docs.js",
                                        "/openapi.json"};
    bool open = false;
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        open = open || strcmp(path, paths[k]) == 0;
    }
    return open;
}
