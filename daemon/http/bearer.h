/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/bearer.h - authentication by bearer token (RFC 6750). */
#ifndef TQD_HTTP_BEARER_H
#define TQD_HTTP_BEARER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQD_TOKENS_MAX = 256, TQD_TOKEN_DIGEST = 32, TQD_TOKEN_TEXT = 512, TQD_CLIENT_TEXT = 65 };

/* Rights of a token; a set. `admin` includes all, `compute` and `write` include `read`. */
typedef enum tqd_role {
    TQD_ROLE_READ = 1 << 0,
    TQD_ROLE_COMPUTE = 1 << 1,
    TQD_ROLE_WRITE = 1 << 2,
    TQD_ROLE_ADMIN = 1 << 3,
    TQD_ROLES_ALL = (1 << 4) - 1,
} tqd_role;
enum { TQD_ROLE_COUNT = 4, TQD_ROLES_TEXT = 32 };

/* Adds the role of this name (n bytes), and those that it includes, to *roles; false: there is
 * none. */
bool tqd_role_add(const char *name, size_t n, unsigned *roles);
/* Names of a set, as in the file: "read,compute". */
void tqd_roles_print(unsigned roles, char ret[TQD_ROLES_TEXT]);

/* Quotas of a client; 0: the service's own. */
typedef struct tqd_limits {
    uint64_t requests; /* a second */
    uint64_t bodies;   /* bytes of bodies that are being received or computed */
    uint64_t streams;  /* open event streams, and requests that wait for a job */
    uint64_t jobs;     /* jobs that wait for a runner */
    uint64_t running;  /* jobs that run at once */
    uint64_t cpu_s;    /* seconds an hour that its jobs have of the runners of a node */
    uint64_t kept;     /* jobs in any state, without those whose result is for one answer only */
    uint64_t bytes;    /* kept in datasets and in bodies of jobs */
    uint64_t connections;
} tqd_limits;

/* An accepted token. Its digest (BLAKE2b-256) cannot be used as a token. Tokens of one name are one
 * client. */
typedef struct tqd_token {
    unsigned char digest[TQD_TOKEN_DIGEST];
    char client[TQD_CLIENT_TEXT]; /* a key (store/key.h): its name, with its namespace */
    unsigned roles;
    int64_t until_s; /* expiry, Unix time; INT64_MAX: none */
    tqd_limits limits;
} tqd_token;

typedef struct tqd_tokens {
    size_t n;
    tqd_token rows[TQD_TOKENS_MAX];
} tqd_tokens;

/* The sender of a request, and its rights. */
typedef struct tqd_identity {
    /* key (store/key.h) of the token's name; an administrator's has the namespace that the request
     * names. "", or a namespace alone: without credentials */
    char client[TQD_CLIENT_TEXT];
    unsigned roles;
    tqd_limits limits;
} tqd_identity;

/* The client to whom a row must belong for it to be changed in this request; NULL: any row may be,
 * by an administrator, or where clients are not known. Accepts NULL. */
const char *tqd_identity_by(const tqd_identity *who);
/* Its name, to be recorded as owner; "": it has none. Accepts NULL. */
const char *tqd_identity_name(const tqd_identity *who);
/* A key of the namespace that the request is in, for tqd_key_make and tqd_key_is_beside. Accepts
 * NULL. */
const char *tqd_identity_key(const tqd_identity *who);

typedef enum tqd_verdict { TQD_TOKEN_VALID, TQD_TOKEN_EXPIRED, TQD_TOKEN_UNKNOWN } tqd_verdict;

/* The token of a header "Authorization: Bearer TOKEN", and its length; NULL for any other value, or
 * NULL. */
const char *tqd_bearer_token(const char *authorization, size_t *ret_n);

/* Takes effect with the next request. Any thread. */
void tqd_tokens_replace(tqd_tokens *tokens, const tqd_tokens *by);

/* Digest of a token of n bytes. False: NULL, or none can have this length. */
bool tqd_bearer_digest(const char *token, size_t n, unsigned char ret[TQD_TOKEN_DIGEST]);

/* The token with this digest at this time. *ret is set unless it is unknown. Constant time. */
tqd_verdict tqd_bearer_find(const tqd_tokens *tokens, const unsigned char digest[TQD_TOKEN_DIGEST],
                            int64_t now_s, tqd_identity *ret);

/* `running` and `cpu_s` of the tokens (a tqd_tokens) of this client (NULL: of all), the least if
 * they differ; 0: no bound. Any thread. */
uint64_t tqd_tokens_running(void *tokens, const char *client);
uint64_t tqd_tokens_cpu_s(void *tokens, const char *client);

/* Paths without authentication: probes, which reveal only that the process is alive, and the API
 * description, which is public. */
bool tqd_bearer_is_open(const char *path);

#endif
