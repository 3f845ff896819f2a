/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/references.c - the files that a database refers to. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "daemon/store/archive/tables.h"
#include "daemon/store/sqlite/sqlite.h"

static const char references_sql[] =
    "SELECT file, size FROM dataset"
    " UNION SELECT file, size FROM job_body WHERE file IS NOT NULL"
    " UNION SELECT file, size FROM job_input WHERE file IS NOT NULL"
    " UNION SELECT file, size FROM job_attachment WHERE file IS NOT NULL ORDER BY 1";

static tqd_store_status each_reference(sqlite3 *db, sqlite3_stmt *statement,
                                       bool (*each)(void *ctx, const char *digest, uint64_t size),
                                       void *ctx)
{
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        char digest[TQD_DIGEST_TEXT];
        tqd_column_copy(statement, 0, digest, sizeof digest);
        if (!each(ctx, digest, (uint64_t)sqlite3_column_int64(statement, 1))) {
            break;
        }
        code = sqlite3_step(statement);
    }
    return tqd_sqlite_status(db, code);
}

tqd_store_status tqd_sqlite_references(tqd_connection *connection,
                                       bool (*each)(void *ctx, const char *digest, uint64_t size),
                                       void *ctx)
{
    sqlite3_stmt *statement = tqd_sql(connection, references_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const tqd_store_status status = each_reference(connection->db, statement, each, ctx);
    sqlite3_reset(statement);
    return status;
}

/* A "file:" URI of the path, with %, ? and # escaped, for a file that does not change. */
static void name_copy(const char *path, char *uri, size_t size)
{
    size_t n = (size_t)snprintf(uri, size, "file:");
    for (; *path != '\0' && n < size; path++) {
        const bool plain = strchr("%?#", *path) == NULL;
        n += (size_t)snprintf(uri + n, size - n, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    if (n < size) {
        snprintf(uri + n, size - n, "?immutable=1");
    }
}

tqd_store_status
tqd_sqlite_references_of(const char *path,
                         bool (*each)(void *ctx, const char *digest, uint64_t size), void *ctx)
{
    char uri[3 * PATH_MAX + 32]; /* immutable=1: SQLite neither reads nor creates a write-ahead log
                                    next to it */
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    name_copy(path, uri, sizeof uri);
    tqd_store_status status = TQD_STORE_BROKEN;
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, references_sql, -1, &statement, NULL) == SQLITE_OK) {
        status = each_reference(db, statement, each, ctx);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return status;
}
