/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/bearer.c - Authorization: Bearer (RFC 6750) against digests of tokens. */
#include "daemon/http/bearer.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <sodium.h>

#include "daemon/key.h"

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

bool tqd_bearer_digest(const char *token, size_t n, unsigned char ret[TQD_TOKEN_DIGEST])
{
    if (token == NULL || n == 0 || n > TQD_TOKEN_TEXT) {
        return false;
    }
    crypto_generichash(ret, TQD_TOKEN_DIGEST, (const unsigned char *)token, n, NULL, 0);
    return true;
}

tqd_verdict tqd_bearer_find(const tqd_tokens *tokens, const unsigned char digest[TQD_TOKEN_DIGEST],
                            int64_t now_s, tqd_identity *ret)
{
    size_t found = TQD_TOKENS_MAX;
    tqd_verdict verdict = TQD_TOKEN_UNKNOWN;
    pthread_rwlock_rdlock(&changing);
    for (size_t k = 0; k < tokens->n; k++) {
        /* constant time: all digests are compared, so the duration does not reveal a match */
        if (sodium_memcmp(digest, tokens->rows[k].digest, TQD_TOKEN_DIGEST) == 0) {
            found = k;
        }
    }
    if (found < TQD_TOKENS_MAX) {
        const tqd_token *row = &tokens->rows[found];
        memcpy(ret->client, row->client, sizeof ret->client);
        ret->roles = row->roles;
        ret->limits = row->limits;
        verdict = now_s < row->until_s ? TQD_TOKEN_VALID : TQD_TOKEN_EXPIRED;
    }
    pthread_rwlock_unlock(&changing);
    return verdict;
}

/* The least of a limit, at `offset` in tqd_limits. */
static uint64_t least_of(const tqd_tokens *tokens, const char *client, size_t offset)
{
    uint64_t least = 0;
    pthread_rwlock_rdlock(&changing);
    for (size_t k = 0; k < tokens->n; k++) {
        uint64_t own = 0;
        memcpy(&own, (const char *)&tokens->rows[k].limits + offset, sizeof own);
        if (own != 0 && (least == 0 || own < least) &&
            (client == NULL || strcmp(tokens->rows[k].client, client) == 0)) {
            least = own;
        }
    }
    pthread_rwlock_unlock(&changing);
    return least;
}

uint64_t tqd_tokens_running(void *tokens, const char *client)
{
    return least_of(tokens, client, offsetof(tqd_limits, running));
}

uint64_t tqd_tokens_cpu_s(void *tokens, const char *client)
{
    return least_of(tokens, client, offsetof(tqd_limits, cpu_s));
}

const char *tqd_identity_by(const tqd_identity *who)
{
    return who == NULL || (who->roles & TQD_ROLE_ADMIN) != 0 ? NULL : who->client;
}

const char *tqd_identity_name(const tqd_identity *who)
{
    const char *key = who != NULL ? who->client : "";
    return tqd_key_name(key)[0] != '\0' ? key : "";
}

const char *tqd_identity_key(const tqd_identity *who)
{
    return who != NULL ? who->client : "";
}

static const struct {
    const char *name;
    unsigned role, included;
} role_names[TQD_ROLE_COUNT] = {
    {"read", TQD_ROLE_READ, 0},
    {"compute", TQD_ROLE_COMPUTE, TQD_ROLE_READ},
    {"write", TQD_ROLE_WRITE, TQD_ROLE_READ},
    {"admin", TQD_ROLE_ADMIN, TQD_ROLES_ALL},
};

bool tqd_role_add(const char *name, size_t n, unsigned *roles)
{
    for (size_t k = 0; k < TQD_ROLE_COUNT; k++) {
        if (strlen(role_names[k].name) == n && memcmp(role_names[k].name, name, n) == 0) {
            *roles |= role_names[k].role | role_names[k].included;
            return true;
        }
    }
    return false;
}

void tqd_roles_print(unsigned roles, char ret[TQD_ROLES_TEXT])
{
    size_t n = 0;
    ret[0] = '\0';
    for (size_t k = 0; k < TQD_ROLE_COUNT; k++) {
        if ((roles & role_names[k].role) != 0) {
            n += (size_t)snprintf(ret + n, TQD_ROLES_TEXT - n, "%s%s", n > 0 ? "," : "",
                                  role_names[k].name);
        }
    }
}

bool tqd_bearer_is_open(const char *path)
{
    static const char *const paths[] = {
        "/",        "/healthz",      "/livez",       "/readyz",   "/docs",
        "/docs.js", "/openapi.json", "/favicon.ico", "/problems", "/openapi/clients.json"};
    static const char problems[] = "/problems/", dashboard[] = "/dashboard/";
    static const char guide[] = "/docs/guide";
    bool open = strncmp(path, problems, sizeof problems - 1) == 0 ||
                strncmp(path, dashboard, sizeof dashboard - 1) == 0 ||
                strncmp(path, guide, sizeof guide - 1) == 0;
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        open = open || strcmp(path, paths[k]) == 0;
    }
    return open;
}
