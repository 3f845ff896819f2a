/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/session.h - what a browser carries instead of a token: a secret made here, for a
 * time. */
#ifndef TQD_HTTP_SESSION_H
#define TQD_HTTP_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TQD_SESSIONS_MAX = 256, TQD_SESSION_S = 12 * 3600, TQD_SESSION_TEXT = 65 };
#define TQD_SESSION_COOKIE "torqued_session"

/* The sessions of a process; they end with it. Times are seconds of tqd_session_now_s. */
typedef struct tqd_sessions {
    pthread_mutex_t mutex; /* a leaf */
    struct {
        unsigned char digest[32]; /* of the secret, which is not kept */
        int64_t until_s;          /* 0: none */
    } rows[TQD_SESSIONS_MAX];
} tqd_sessions;

void tqd_sessions_init(tqd_sessions *sessions);
/* Ends all of them. Any thread. */
void tqd_sessions_clear(tqd_sessions *sessions);

/* Makes a session of TQD_SESSION_S and writes its secret, 64 hex digits. Where there is no room the
 * session that would end first ends now. */
void tqd_session_begin(tqd_sessions *sessions, int64_t now_s, char ret_secret[TQD_SESSION_TEXT]);

/* Whether a session has this secret, of n bytes. Takes the same time for every secret that is none.
 * NULL: no. */
bool tqd_session_knows(tqd_sessions *sessions, int64_t now_s, const char *secret, size_t n);

/* Ends the session of this secret, if there is one. */
void tqd_session_end(tqd_sessions *sessions, const char *secret, size_t n);

/* Goes on while the machine sleeps. */
int64_t tqd_session_now_s(void);

/* The secret in a Cookie header, and its length; NULL when there is none, or for NULL. */
const char *tqd_session_cookie(const char *cookie, size_t *ret_n);

#endif
