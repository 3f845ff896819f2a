/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/listen.c - a connection that is notified of commits of all nodes. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/postgresql/postgresql.h"

/* LOOK_MS: nothing depends on a notification. Behind a pooler, where there are none, it is the
 * delay. RETRY_MS: of a connection, and of changes that could not be followed. */
enum { LOOK_MS = 5000, RETRY_MS = 1000 };

static const char listen_sql[] = "DO $$ BEGIN EXECUTE format('LISTEN %I', tqd_channel()); END $$";

/* false: the engine closes */
static bool wait_for(int stop_fd, int socket, int wait_ms)
{
    struct pollfd fds[2] = {{.fd = stop_fd, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
    (void)poll(fds, socket >= 0 ? 2 : 1, wait_ms);
    return fds[0].revents == 0;
}

static unsigned change_of(const char *payload)
{
    return strcmp(payload, "robots") == 0   ? TQD_CHANGED_ROBOTS
           : strcmp(payload, "nodes") == 0  ? TQD_CHANGED_NODES
           : strcmp(payload, "parts") == 0  ? TQD_CHANGED_PARTS
           : strcmp(payload, "queued") == 0 ? TQD_CHANGED_JOBS | TQD_CHANGED_QUEUE
                                            : TQD_CHANGED_JOBS;
}

/* what has come; all of them when nothing has for LOOK_MS */
static unsigned take(PGconn *db)
{
    unsigned changes = 0;
    for (PGnotify *news = PQnotifies(db); news != NULL; news = PQnotifies(db)) {
        changes |= change_of(news->extra);
        PQfreemem(news);
    }
    return changes;
}

/* A pooler gives each statement to any of its connections, and the LISTEN to whoever has that one
 * next. It shows a client another number of the server's process than the server does. */
static bool is_direct(tqd_session *session)
{
    PGresult *result = tqd_query(session, "SELECT pg_backend_pid()", NULL);
    const bool good = tqd_result_status(result) == TQD_STORE_OK &&
                      tqd_integer(result, 0, 0) == PQbackendPID(session->db);
    PQclear(result);
    return good;
}

/* Until the connection is lost or the engine closes: false. */
static bool hear(tqd_session *session, int stop_fd, const tqd_changed *changed)
{
    unsigned missed = changed->call(changed->ctx, TQD_CHANGED_ALL); /* what came before LISTEN */
    PGconn *db = session->db;
    for (;;) {
        struct pollfd fd = {.fd = PQsocket(db), .events = POLLIN};
        if (!wait_for(stop_fd, PQsocket(db), missed != 0 ? RETRY_MS : LOOK_MS)) {
            return false;
        }
        const bool silent = poll(&fd, 1, 0) == 0;
        if (silent) { /* a dead connection is silent too */
            PQclear(tqd_query(session, "SELECT 1", NULL));
        }
        if (!tqd_session_is_good(session) || (!silent && PQconsumeInput(db) != 1)) {
            return true;
        }
        const unsigned changes = take(db) | missed | (silent ? TQD_CHANGED_ALL : 0);
        missed = changes != 0 ? changed->call(changed->ctx, changes) : 0;
    }
}

void tqd_listen(const char *uri, int stop_fd, const tqd_changed *changed)
{
    bool goes_on = true;
    while (goes_on) {
        char why[TQD_STORE_WHY];
        tqd_session *session = tqd_session_open(uri, why);
        if (session != NULL) {
            session->hears = is_direct(session);
            if (session->hears) {
                PQclear(tqd_query(session, listen_sql, NULL));
            }
            goes_on = hear(session, stop_fd, changed);
            tqd_session_close(session);
        }
        goes_on = goes_on && wait_for(stop_fd, -1, RETRY_MS);
    }
}
