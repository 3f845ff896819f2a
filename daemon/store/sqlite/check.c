/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/check.c - consistency check of the whole database. */
#include <stdio.h>
#include <string.h>

#include "daemon/store/sqlite/job_row.h"

static const char *const sums[] = {
    "SELECT 'a document of a job' FROM job_body WHERE NOT " TQD_BODY_GOOD " LIMIT 1",
    "SELECT 'a file of a job' FROM job_attachment WHERE NOT " TQD_BODY_GOOD " LIMIT 1",
    "SELECT 'an input of a job' FROM job_input WHERE NOT " TQD_BODY_GOOD " LIMIT 1",
    "SELECT 'robot ' || digest FROM robot_version"
    " WHERE sum <> tqd_sum(digest, media, source, nv, size, bytes) LIMIT 1",
    "SELECT 'dataset ' || name FROM dataset WHERE sum <>"
    " tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary, owner) LIMIT 1",
};

/* the first row of a query; "" when there is none. False: the query failed. */
static bool first_row(tqd_connection *connection, const char *text, char *out, size_t size)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(connection->db, text, -1, &statement, NULL);
    out[0] = '\0';
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            tqd_column_copy(statement, 0, out, size);
        }
    }
    const bool good = code == SQLITE_ROW || code == SQLITE_DONE;
    if (!good) {
        snprintf(out, size, "%s", sqlite3_errmsg(connection->db));
    }
    sqlite3_finalize(statement);
    return good;
}

tqd_store_status tqd_sqlite_check(tqd_connection *connection, char why[TQD_STORE_WHY])
{
    char found[160];
    if (!first_row(connection, "PRAGMA integrity_check(1)", found, sizeof found) ||
        strcmp(found, "ok") != 0) {
        snprintf(why, TQD_STORE_WHY, "the database is damaged: %s", found);
        return TQD_STORE_DAMAGED;
    }
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        if (!first_row(connection, sums[i], found, sizeof found) || found[0] != '\0') {
            snprintf(why, TQD_STORE_WHY, "the database is damaged: %s", found);
            return TQD_STORE_DAMAGED;
        }
    }
    return TQD_STORE_OK;
}
