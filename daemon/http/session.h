/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/session.h - sessions and tickets of browsers: a temporary secret created by the
 * service, used in place of the token. */
#ifndef TQD_HTTP_SESSION_H
#define TQD_HTTP_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TQD_SESSIONS_MAX = 256,
    TQD_SESSION_S = 12 * 3600,
    TQD_TICKET_S = 3600,
    TQD_SESSION_TEXT = 65
};
#define TQD_SESSION_COOKIE "torqued_session"

/* Rights of a secret. */
typedef enum tqd_session_scope {
    TQD_SESSION_ALL,     /* a cookie: all rights of the token; for TQD_SESSION_S */
    TQD_SESSION_STREAMS, /* a ticket in the query: event streams only; for TQD_TICKET_S */
} tqd_session_scope;

/* The sessions of a process; they end with it. Times are in seconds of tqd_session_now_s. */
typedef struct tqd_sessions {
    pthread_mutex_t mutex; /* a leaf lock */
    struct {
        unsigned char digest[32]; /* of the secret, which is not stored */
        unsigned char token[32];  /* digest of the token that the session was opened with */
        int64_t until_s;          /* expiry; 0: free row */
        tqd_session_scope scope;
    } rows[TQD_SESSIONS_MAX];
} tqd_sessions;

void tqd_sessions_init(tqd_sessions *sessions);

/* Creates a session or ticket for the token of this digest and writes its secret, 64 hex digits. If
 * the table is full, it replaces the one of the token with most rows that would expire first. */
void tqd_session_begin(tqd_sessions *sessions, int64_t now_s, tqd_session_scope scope,
                       const unsigned char token[32], char ret_secret[TQD_SESSION_TEXT]);

/* Whether a live row of this scope has this secret of n bytes, and the digest of its token;
 * constant time. NULL: no. */
bool tqd_session_find(tqd_sessions *sessions, int64_t now_s, tqd_session_scope scope,
                      const char *secret, size_t n, unsigned char ret_token[32]);

/* Ends the session of this secret, if there is one. */
void tqd_session_end(tqd_sessions *sessions, const char *secret, size_t n);

/* CLOCK_BOOTTIME: includes the time that the machine was suspended. */
int64_t tqd_session_now_s(void);

/* The secret in a Cookie header, and its length; NULL when there is none, or for NULL. */
const char *tqd_session_cookie(const char *cookie, size_t *ret_n);

#endif
