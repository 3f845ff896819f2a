/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/answer.c - waits for a server's answers, with a bound.
 *
 * The kernel notices a dead host (session.c: keepalives, tcp_user_timeout), but neither a frozen
 * server nor a pooler or a proxy that keeps this side's connection while its other side is cut. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/store/postgresql/postgresql.h"

enum { DOUBT_MS = 5000, PROBE_MS = 3000 };

int64_t tqd_pg_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

typedef enum waited { READY, SILENT, ENDED } waited;

/* Until PQgetResult does not block, or nothing has moved for that long. */
static waited wait_ready(PGconn *db, int silence_ms)
{
    for (;;) {
        const int left = PQflush(db);
        if (left < 0) {
            return ENDED;
        }
        if (left == 0 && !PQisBusy(db)) {
            return READY;
        }
        struct pollfd fd = {.fd = PQsocket(db),
                            .events = (short)(POLLIN | (left > 0 ? POLLOUT : 0))};
        const int n = poll(&fd, 1, silence_ms);
        if (n == 0) {
            return SILENT;
        }
        if (n < 0 && errno != EINTR) {
            return ENDED;
        }
        if (n > 0 && (fd.revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL)) != 0 &&
            PQconsumeInput(db) != 1) {
            return ENDED;
        }
    }
}

/* Whether the server of a silent session answers a fresh connection. It does not if another host
 * takes the writes now. */
static bool answers_others(const tqd_session *silent)
{
    char why[TQD_STORE_WHY];
    tqd_session *probe = tqd_session_open(silent->uri, why);
    if (probe == NULL) {
        return false;
    }
    bool good = strcmp(PQhost(probe->db), PQhost(silent->db)) == 0 &&
                strcmp(PQport(probe->db), PQport(silent->db)) == 0 &&
                PQsendQueryParams(probe->db, "SELECT 1", 0, NULL, NULL, NULL, NULL, 0) == 1 &&
                wait_ready(probe->db, PROBE_MS) == READY;
    if (good) {
        PGresult *result = PQgetResult(probe->db);
        good = tqd_result_status(result) == TQD_STORE_OK;
        PQclear(result);
    }
    tqd_session_close(probe);
    return good;
}

bool tqd_session_pump(tqd_session *session)
{
    waited found = session->is_lost ? ENDED : wait_ready(session->db, DOUBT_MS);
    for (int64_t silent_ms = DOUBT_MS; found == SILENT; silent_ms += DOUBT_MS) {
        session->is_unanswered = !answers_others(session);
        if (session->is_unanswered || silent_ms >= session->silence_ms) {
            break;
        }
        found = wait_ready(session->db, DOUBT_MS);
    }
    session->is_lost = found != READY;
    return !session->is_lost;
}

void tqd_session_drop_news(tqd_session *session)
{
    for (PGnotify *news = PQnotifies(session->db); news != NULL; news = PQnotifies(session->db)) {
        PQfreemem(news);
    }
}

/* The last result, once the server is ready for the next statement: a statement outside of a
 * transaction is committed after its result. */
static PGresult *finish(tqd_session *session)
{
    PGresult *last = NULL;
    while (tqd_session_pump(session)) {
        PGresult *next = PQgetResult(session->db);
        if (next == NULL && PQstatus(session->db) == CONNECTION_OK) {
            if (!session->hears) {
                tqd_session_drop_news(session);
            }
            return last;
        }
        if (next == NULL) {
            break;
        }
        PQclear(last);
        last = next;
    }
    if (tqd_result_status(last) == TQD_STORE_OK) {
        PQclear(last);
        last = NULL;
    }
    return last;
}

static PGresult *query(tqd_session *session, const char *text, const tqd_parameters *parameters,
                       int format)
{
    static const tqd_parameters none = {.n = 0};
    const tqd_parameters *p = parameters != NULL ? parameters : &none;
    if (session->is_lost || PQsendQueryParams(session->db, text, p->n, NULL, p->values, p->lengths,
                                              p->formats, format) != 1) {
        return NULL;
    }
    return finish(session);
}

PGresult *tqd_query(tqd_session *session, const char *text, const tqd_parameters *parameters)
{
    return query(session, text, parameters, 0);
}

PGresult *tqd_query_binary(tqd_session *session, const char *text, const tqd_parameters *parameters)
{
    return query(session, text, parameters, 1);
}

PGresult *tqd_query_script(tqd_session *session, const char *text)
{
    if (session->is_lost || PQsendQuery(session->db, text) != 1) {
        return NULL;
    }
    return finish(session);
}
