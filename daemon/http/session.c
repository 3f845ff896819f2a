/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/session.c - digests of random secrets, each with its expiry and scope. */
#include "daemon/http/session.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "daemon/lock.h"

enum { SECRET_BYTES = 32, DIGEST_BYTES = 32 };

void tqd_sessions_init(tqd_sessions *sessions)
{
    memset(sessions, 0, sizeof *sessions);
    tqd_lock_init(&sessions->mutex);
}

int64_t tqd_session_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec;
}

static void digest_secret(const char *secret, unsigned char digest[DIGEST_BYTES])
{
    crypto_generichash(digest, DIGEST_BYTES, (const unsigned char *)secret, TQD_SESSION_TEXT - 1,
                       NULL, 0);
}

/* The row of this token that expires first; a free row expired long ago. */
static size_t first_of(const tqd_sessions *sessions, const unsigned char *token)
{
    size_t first = TQD_SESSIONS_MAX;
    for (size_t k = 0; k < TQD_SESSIONS_MAX; k++) {
        const bool is_own =
            token == NULL || memcmp(sessions->rows[k].token, token, DIGEST_BYTES) == 0;
        if (is_own && (first == TQD_SESSIONS_MAX ||
                       sessions->rows[k].until_s < sessions->rows[first].until_s)) {
            first = k;
        }
    }
    return first;
}

static size_t count_of(const tqd_sessions *sessions, const unsigned char *token)
{
    size_t n = 0;
    for (size_t k = 0; k < TQD_SESSIONS_MAX; k++) {
        n += memcmp(sessions->rows[k].token, token, DIGEST_BYTES) == 0;
    }
    return n;
}

/* A row for a new session: a free or expired one, else one of the token with the most sessions, so
 * that one client's sessions cannot end another's. */
static size_t choose_row(const tqd_sessions *sessions, int64_t now_s)
{
    const size_t first = first_of(sessions, NULL);
    if (sessions->rows[first].until_s <= now_s) {
        return first;
    }
    size_t most = first;
    size_t n_most = 0;
    for (size_t k = 0; k < TQD_SESSIONS_MAX; k++) {
        const size_t n = count_of(sessions, sessions->rows[k].token);
        if (n > n_most) {
            most = k;
            n_most = n;
        }
    }
    return first_of(sessions, sessions->rows[most].token);
}

void tqd_session_begin(tqd_sessions *sessions, int64_t now_s, tqd_session_scope scope,
                       const unsigned char token[DIGEST_BYTES], char ret_secret[TQD_SESSION_TEXT])
{
    unsigned char secret[SECRET_BYTES];
    unsigned char digest[DIGEST_BYTES];
    assert(now_s >= 0);
    randombytes_buf(secret, sizeof secret);
    sodium_bin2hex(ret_secret, TQD_SESSION_TEXT, secret, sizeof secret);
    digest_secret(ret_secret, digest);
    pthread_mutex_lock(&sessions->mutex);
    const size_t k = choose_row(sessions, now_s);
    memcpy(sessions->rows[k].digest, digest, sizeof digest);
    memcpy(sessions->rows[k].token, token, DIGEST_BYTES);
    sessions->rows[k].until_s =
        now_s + (scope == TQD_SESSION_STREAMS ? TQD_TICKET_S : TQD_SESSION_S);
    sessions->rows[k].scope = scope;
    pthread_mutex_unlock(&sessions->mutex);
}

/* The row of a secret, TQD_SESSIONS_MAX if none. Constant time: all rows are compared. The caller
 * holds the lock. */
static size_t find(const tqd_sessions *sessions, const unsigned char digest[DIGEST_BYTES])
{
    size_t found = TQD_SESSIONS_MAX;
    for (size_t k = 0; k < TQD_SESSIONS_MAX; k++) {
        if (sodium_memcmp(digest, sessions->rows[k].digest, DIGEST_BYTES) == 0) {
            found = k;
        }
    }
    return found;
}

bool tqd_session_find(tqd_sessions *sessions, int64_t now_s, tqd_session_scope scope,
                      const char *secret, size_t n, unsigned char ret_token[DIGEST_BYTES])
{
    unsigned char digest[DIGEST_BYTES];
    if (secret == NULL || n != TQD_SESSION_TEXT - 1) {
        return false;
    }
    digest_secret(secret, digest);
    pthread_mutex_lock(&sessions->mutex);
    const size_t k = find(sessions, digest);
    const bool known = k < TQD_SESSIONS_MAX && sessions->rows[k].until_s > now_s &&
                       sessions->rows[k].scope == scope;
    if (known) {
        memcpy(ret_token, sessions->rows[k].token, DIGEST_BYTES);
    }
    pthread_mutex_unlock(&sessions->mutex);
    return known;
}

void tqd_session_end(tqd_sessions *sessions, const char *secret, size_t n)
{
    unsigned char digest[DIGEST_BYTES];
    if (secret == NULL || n != TQD_SESSION_TEXT - 1) {
        return;
    }
    digest_secret(secret, digest);
    pthread_mutex_lock(&sessions->mutex);
    const size_t k = find(sessions, digest);
    if (k < TQD_SESSIONS_MAX) {
        memset(&sessions->rows[k], 0, sizeof sessions->rows[k]);
    }
    pthread_mutex_unlock(&sessions->mutex);
}

const char *tqd_session_cookie(const char *cookie, size_t *ret_n)
{
    static const char name[] = TQD_SESSION_COOKIE "=";
    while (cookie != NULL && *cookie != '\0') {
        cookie += strspn(cookie, "; ");
        if (strncmp(cookie, name, sizeof name - 1) == 0) {
            cookie += sizeof name - 1;
            *ret_n = strcspn(cookie, "; ");
            return cookie;
        }
        cookie += strcspn(cookie, ";");
    }
    return NULL;
}
