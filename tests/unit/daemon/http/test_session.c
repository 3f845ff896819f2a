/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_session.c - sessions begin, are found, and end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "daemon/http/session.h"

enum { SECRET = TQD_SESSION_TEXT - 1 };

static tqd_sessions sessions;

static void setup(void)
{
    tqd_sessions_init(&sessions);
}

TestSuite(session, .init = setup);

static const unsigned char token[32] = "digest of the token";

static bool finds(int64_t now_s, tqd_session_scope scope, const char *secret, size_t n)
{
    unsigned char found[32];
    const bool known = tqd_session_find(&sessions, now_s, scope, secret, n, found);
    cr_expect(eq(int, known &&memcmp(found, token, sizeof token) != 0, 0));
    return known;
}

static bool is_known(int64_t now_s, const char *secret)
{
    return finds(now_s, TQD_SESSION_ALL, secret, strlen(secret));
}

Test(session, is_known_until_its_end)
{
    char secret[TQD_SESSION_TEXT];
    char other[TQD_SESSION_TEXT];
    tqd_session_begin(&sessions, 1000, TQD_SESSION_ALL, token, secret);
    tqd_session_begin(&sessions, 1000, TQD_SESSION_ALL, token, other);
    cr_assert(eq(sz, strspn(secret, "0123456789abcdef"), SECRET));
    cr_assert(ne(str, secret, other));
    cr_expect(is_known(1000, secret));
    cr_expect(is_known(1000 + TQD_SESSION_S - 1, secret));
    cr_expect(not(is_known(1000 + TQD_SESSION_S, secret)));
    tqd_session_end(&sessions, secret, SECRET);
    cr_expect(not(is_known(1000, secret)));
    cr_expect(is_known(1000, other));
    tqd_session_end(&sessions, secret, SECRET); /* there is no session to end */
    tqd_session_end(&sessions, NULL, 0);
    cr_expect(is_known(1000, other));
}

Test(session, a_ticket_is_no_session)
{
    char secret[TQD_SESSION_TEXT];
    char ticket[TQD_SESSION_TEXT];
    tqd_session_begin(&sessions, 1000, TQD_SESSION_ALL, token, secret);
    tqd_session_begin(&sessions, 1000, TQD_SESSION_STREAMS, token, ticket);
    cr_expect(not(is_known(1000, ticket)));
    cr_expect(not(finds(1000, TQD_SESSION_STREAMS, secret, SECRET)));
    cr_expect(finds(1000 + TQD_TICKET_S - 1, TQD_SESSION_STREAMS, ticket, SECRET));
    cr_expect(not(finds(1000 + TQD_TICKET_S, TQD_SESSION_STREAMS, ticket, SECRET)));
}

Test(session, any_other_secret_is_refused)
{
    char secret[TQD_SESSION_TEXT];
    static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
    cr_expect(not(is_known(0, zeros)), "a row without a session has none");
    tqd_session_begin(&sessions, 0, TQD_SESSION_ALL, token, secret);
    cr_expect(not(is_known(0, zeros)));
    cr_expect(not(is_known(0, "")));
    cr_expect(not(finds(0, TQD_SESSION_ALL, NULL, 0)));
    cr_expect(not(finds(0, TQD_SESSION_ALL, secret, SECRET - 1)));
    for (size_t i = 0; i < SECRET; i++) {
        const char kept = secret[i];
        secret[i] = kept == '0' ? '1' : '0';
        cr_expect(not(is_known(0, secret)), "digit %zu", i);
        secret[i] = kept;
    }
    cr_expect(is_known(0, secret));
}

Test(session, the_session_that_expires_first_is_replaced)
{
    static char secrets[TQD_SESSIONS_MAX + 10][TQD_SESSION_TEXT];
    for (size_t k = 0; k < TQD_SESSIONS_MAX + 10; k++) {
        tqd_session_begin(&sessions, (int64_t)(100 + k), TQD_SESSION_ALL, token, secrets[k]);
    }
    for (size_t k = 0; k < TQD_SESSIONS_MAX + 10; k++) {
        cr_expect(eq(int, is_known(500, secrets[k]), k >= 10), "session %zu", k);
    }
    /* an ended session frees its row */
    tqd_session_end(&sessions, secrets[100], SECRET);
    char secret[TQD_SESSION_TEXT];
    tqd_session_begin(&sessions, 500, TQD_SESSION_ALL, token, secret);
    cr_expect(is_known(500, secrets[10]));
    cr_expect(is_known(500, secret));
}

Test(session, many_of_one_token_leave_those_of_another)
{
    static const unsigned char other[32] = "digest of another";
    char secret[TQD_SESSION_TEXT];
    char last[TQD_SESSION_TEXT];
    unsigned char found[32];
    tqd_session_begin(&sessions, 0, TQD_SESSION_ALL, other, secret);
    for (size_t k = 0; k < 2 * TQD_SESSIONS_MAX; k++) {
        tqd_session_begin(&sessions, 100, TQD_SESSION_ALL, token, last);
    }
    cr_expect(is_known(100, last));
    cr_assert(tqd_session_find(&sessions, 100, TQD_SESSION_ALL, secret, SECRET, found));
    cr_expect(eq(int, memcmp(found, other, sizeof other), 0));
}

Test(session, the_cookie_is_found_among_others)
{
    static const struct {
        const char *header, *value; /* NULL: none */
    } rows[] = {
        {"torqued_session=abc", "abc"},
        {"a=b; torqued_session=abc; c=d", "abc"},
        {"a=b;torqued_session=abc;c=d", "abc"},
        {"torqued_session=", ""},
        {"torqued_session", NULL},
        {"xtorqued_session=abc", NULL},
        {"a=torqued_session=abc", NULL},
        {"torqued_session_2=abc", NULL},
        {"", NULL},
        {"; ;", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = 0;
        const char *value = tqd_session_cookie(rows[i].header, &n);
        cr_assert(eq(int, value != NULL, rows[i].value != NULL), "%s", rows[i].header);
        if (value != NULL) {
            cr_expect(eq(sz, n, strlen(rows[i].value)), "%s", rows[i].header);
            cr_expect(eq(int, strncmp(value, rows[i].value, n), 0), "%s", rows[i].header);
        }
    }
    size_t n = 0;
    cr_expect(eq(ptr, (void *)tqd_session_cookie(NULL, &n), NULL));
}
