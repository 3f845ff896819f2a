/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/migrate.c - takes the schema forward, one process at a time. */
#include <stdio.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"

/* Any number of daemons may start at once: the first takes the steps, the others find them taken.
 * The lock is one for each schema of the database, since each may hold a store. One that freezes
 * between its steps lets go after 10 s. */
static const char lock_sql[] =
    "BEGIN ISOLATION LEVEL READ COMMITTED;"
    "SET LOCAL idle_in_transaction_session_timeout = '10s';"
    "SELECT pg_advisory_xact_lock(hashtextextended('torqued.' || current_schema(), 0))";
static const char present_sql[] = "SELECT to_regclass('identity') IS NOT NULL";
static const char version_sql[] = "SELECT version, oldest, id, n_commit FROM identity";
/* before tables, as groups of writes do: else the steps and a group of an older daemon deadlock */
static const char first_sql[] = "SELECT FROM identity FOR UPDATE";

/* false, with the reason */
static bool run(tqd_session *session, const char *text, char *why)
{
    PGresult *result = tqd_query_script(session, text);
    const bool good = tqd_result_status(result) == TQD_STORE_OK;
    if (!good) {
        const char *reason =
            result != NULL ? PQresultErrorMessage(result) : "the server does not answer";
        snprintf(why, TQD_STORE_WHY, "PostgreSQL: %.*s", (int)strcspn(reason, "\n"), reason);
    }
    PQclear(result);
    return good;
}

static bool is_present(tqd_session *session)
{
    PGresult *result = tqd_query(session, present_sql, NULL);
    const bool there = tqd_result_status(result) == TQD_STORE_OK && tqd_truth(result, 0, 0);
    PQclear(result);
    return there;
}

static bool read_version(tqd_session *session, int *ret_version, int *ret_oldest, tqd_mark *mark,
                         char *why)
{
    PGresult *result = tqd_query(session, version_sql, NULL);
    const bool good = tqd_result_status(result) == TQD_STORE_OK && PQntuples(result) == 1;
    if (good) {
        *ret_version = (int)tqd_integer(result, 0, 0);
        *ret_oldest = (int)tqd_integer(result, 0, 1);
        tqd_text(result, 0, 2, mark->identity, sizeof mark->identity);
        mark->n_commit = (uint64_t)tqd_integer(result, 0, 3);
    } else {
        snprintf(why, TQD_STORE_WHY, "the database belongs to another program");
    }
    PQclear(result);
    return good;
}

static bool take_steps(tqd_session *session, int from, char *why)
{
    char text[80];
    for (int i = from; i < tqd_postgresql_schema.n_step; i++) {
        if (!run(session, tqd_postgresql_schema.steps[i], why)) {
            return false;
        }
    }
    snprintf(text, sizeof text, "UPDATE identity SET version = %d", tqd_postgresql_schema.n_step);
    return from >= tqd_postgresql_schema.n_step || run(session, text, why);
}

static bool migrate(tqd_session *session, bool may_be_new, tqd_mark *ret_mark, char *why)
{
    int version = 0;
    int oldest = 0;
    if (is_present(session)) {
        if (!read_version(session, &version, &oldest, ret_mark, why)) {
            return false;
        }
    } else if (!may_be_new) {
        snprintf(why, TQD_STORE_WHY, "the database is empty" TQD_STORE_ADOPT);
        return false;
    }
    if (oldest > tqd_postgresql_schema.n_step) {
        snprintf(why, TQD_STORE_WHY,
                 "the database has schema %d, this program supports up to %d: use a newer torqued",
                 version, tqd_postgresql_schema.n_step);
        return false;
    }
    return (version == 0 || version >= tqd_postgresql_schema.n_step ||
            run(session, first_sql, why)) &&
           take_steps(session, version, why) &&
           read_version(session, &version, &oldest, ret_mark, why);
}

bool tqd_postgresql_migrate(tqd_session *session, bool may_be_new, tqd_mark *ret_mark, char *why)
{
    char ignored[TQD_STORE_WHY];
    session->silence_ms = TQD_SILENCE_ANY_MS; /* a step, or the wait for another daemon's */
    const bool good = run(session, lock_sql, why) && migrate(session, may_be_new, ret_mark, why) &&
                      run(session, "COMMIT", why);
    if (!good) {
        (void)run(session, "ROLLBACK", ignored);
    }
    session->silence_ms = TQD_SILENCE_MS;
    return good;
}
