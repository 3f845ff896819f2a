/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/bearer.c - Authorization: Bearer (RFC 6750) against digests of tokens. */
#include "daemon/http/bearer.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include <sodium.h>

static const char scheme[] = "Bearer";

/* a leaf lock, held during a comparison */
static pthread_rwlock_t changing = PTHREAD_RWLOCK_INITIALIZER;

void tqd_tokens_replace(tqd_tokens *tokens, const tqd_tokens *by)
{
    pthread_rwlock_wrlock(&changing);
    *tokens = *by;
    pthread_rwlock_unlock(&changing);
}

const char *tqd_bearer_token(const char *authorization, size_t *ret_n)
{
    const size_t n_scheme = sizeof scheme - 1;
    if (authorization == NULL || strncasecmp(authorization, scheme, n_scheme) != 0 ||
        authorization[n_scheme] != ' ') {
        return NULL;
    }
    const char *token = authorization + n_scheme;
    token += strspn(token, " ");
    *ret_n = strcspn(token, " \t");
    const bool alone = token[*ret_n + strspn(token + *ret_n, " \t")] == '\0';
    return *ret_n > 0 && alone ? token : NULL;
}

bool tqd_bearer_knows(const tqd_tokens *tokens, const char *token, size_t n)
{
    unsigned char digest[TQD_TOKEN_DIGEST];
    if (token == NULL || n == 0 || n > TQD_TOKEN_TEXT) {
        return false;
    }
    crypto_generichash(digest, sizeof digest, (const unsigned char *)token, n, NULL, 0);
    bool known = false;
    pthread_rwlock_rdlock(&changing);
    for (size_t k = 0; k < tokens->n; k++) {
        /* constant time: all digests are compared, so the duration does not reveal a match */
        known |= sodium_memcmp(digest, tokens->digests[k], sizeof digest) == 0;
    }
    pthread_rwlock_unlock(&changing);
    return known;
}

bool tqd_bearer_is_open(const char *path)
{
    static const char *const paths[] = {"/",
                                        "/healthz",
                                        "/readyz",
                                        "/docs",
                                        "/docs.js",
                                        "/openapi.json",
                                        "/favicon.ico",
                                        "/problems",
                                        "/openapi/clients.json"};
    static const char problems[] = "/problems/", dashboard[] = "/dashboard/";
    bool open = strncmp(path, problems, sizeof problems - 1) == 0 ||
                strncmp(path, dashboard, sizeof dashboard - 1) == 0;
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        open = open || strcmp(path, paths[k]) == 0;
    }
    return open;
}
