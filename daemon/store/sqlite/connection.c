/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/connection.c - one SQLite connection: its settings, statements and errors. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/sqlite/sqlite.h"

enum { BUSY_MS = 5000, VALUE_MAX = 64 << 20 };

tqd_store_status tqd_sqlite_status(sqlite3 *db, int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return TQD_STORE_OK;
    case SQLITE_FULL:
        return TQD_STORE_NO_SPACE;
    case SQLITE_NOMEM:
        return TQD_STORE_NO_MEMORY;
    case SQLITE_IOERR: {
        /* a full disk or quota may also be reported as a failed write */
        const int system = db != NULL ? sqlite3_system_errno(db) : 0;
        return system == ENOSPC || system == EDQUOT ? TQD_STORE_NO_SPACE : TQD_STORE_BROKEN;
    }
    default:
        return TQD_STORE_BROKEN;
    }
}

static const char common[] = "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;"
                             "PRAGMA temp_store=MEMORY;";
/* FULL: every commit is fsynced before it is acknowledged. The write-ahead log is truncated to 64
 * MiB after a checkpoint. */
static const char writing[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                              "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-8192;";
static const char reading[] = "PRAGMA query_only=ON; PRAGMA cache_size=-1024;";

tqd_connection *tqd_connection_open(const char *path, bool writer, char *why)
{
    tqd_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    /* SQLITE_OPEN_NOMUTEX: a connection is used by one thread at a time */
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (writer ? SQLITE_OPEN_CREATE : 0);
    int code = sqlite3_open_v2(path, &connection->db, flags, NULL);
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(connection->db, 1);
        sqlite3_busy_timeout(connection->db, BUSY_MS);
        sqlite3_db_config(connection->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_limit(connection->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
        code = sqlite3_exec(connection->db, common, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = tqd_sqlite_sum_add(connection->db);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(connection->db, writer ? writing : reading, NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        const int kind = code & 0xff; /* of an extended code */
        snprintf(why, TQD_STORE_WHY, "%.120s: %.100s%s", path,
                 connection->db != NULL ? sqlite3_errmsg(connection->db) : "memory is short",
                 kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ? TQD_STORE_RESTORE : "");
        tqd_connection_close(connection);
        return NULL;
    }
    return connection;
}

void tqd_connection_close(tqd_connection *connection)
{
    if (connection == NULL) {
        return;
    }
    for (size_t i = 0; i < connection->n_statement; i++) {
        sqlite3_finalize(connection->statements[i].statement);
    }
    sqlite3_close(connection->db);
    free(connection);
}

sqlite3_stmt *tqd_sql(tqd_connection *connection, const char *text)
{
    size_t i = 0;
    while (i < connection->n_statement && connection->statements[i].text != text) {
        i++;
    }
    if (i == connection->n_statement) {
        if (i == TQD_SQL_CACHED) {
            return NULL; /* the cache is full: raise TQD_SQL_CACHED */
        }
        sqlite3_stmt *statement = NULL;
        if (sqlite3_prepare_v3(connection->db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                               NULL) != SQLITE_OK) {
            return NULL;
        }
        connection->statements[i].text = text;
        connection->statements[i].statement = statement;
        connection->n_statement++;
    }
    sqlite3_clear_bindings(connection->statements[i].statement);
    return connection->statements[i].statement;
}

tqd_store_status tqd_sql_once(tqd_connection *connection, sqlite3_stmt *statement, bool *ret_row)
{
    if (statement == NULL) {
        const tqd_store_status why =
            tqd_sqlite_status(connection->db, sqlite3_extended_errcode(connection->db));
        return why != TQD_STORE_OK ? why : TQD_STORE_BROKEN;
    }
    const int code = sqlite3_step(statement);
    if (ret_row != NULL) {
        *ret_row = code == SQLITE_ROW;
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

/* The statement of a text with its arguments; NULL: out of memory or a value is too large. */
static sqlite3_stmt *bound(tqd_connection *connection, const char *text, const char *letters,
                           va_list arguments)
{
    sqlite3_stmt *statement = tqd_sql(connection, text);
    int code = statement != NULL ? SQLITE_OK : SQLITE_NOMEM;
    for (int i = 1; code == SQLITE_OK && *letters != '\0'; letters++, i++) {
        switch (*letters) {
        case 't':
            code =
                sqlite3_bind_text(statement, i, va_arg(arguments, const char *), -1, SQLITE_STATIC);
            break;
        case 'i':
            code = sqlite3_bind_int64(statement, i, va_arg(arguments, int64_t));
            break;
        case 'd':
            code = sqlite3_bind_double(statement, i, va_arg(arguments, double));
            break;
        case 'b': {
            const void *bytes = va_arg(arguments, const void *);
            code =
                sqlite3_bind_blob64(statement, i, bytes, va_arg(arguments, size_t), SQLITE_STATIC);
            break;
        }
        default:
            assert(false); /* unknown letter */
        }
    }
    return code == SQLITE_OK ? statement : NULL;
}

sqlite3_stmt *tqd_sql_bound(tqd_connection *connection, const char *text, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    sqlite3_stmt *statement = bound(connection, text, letters, arguments);
    va_end(arguments);
    return statement;
}

tqd_store_status tqd_sql_do(tqd_connection *connection, const char *text, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    sqlite3_stmt *statement = bound(connection, text, letters, arguments);
    va_end(arguments);
    return tqd_sql_once(connection, statement, NULL);
}

void tqd_column_copy(sqlite3_stmt *statement, int i, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    snprintf(out, size, "%s", text != NULL ? (const char *)text : "");
}

tqd_store_status tqd_column_bytes(sqlite3_stmt *statement, int i, char **ret_bytes)
{
    const void *blob = sqlite3_column_blob(statement, i);
    const size_t n = (size_t)sqlite3_column_bytes(statement, i);
    *ret_bytes = malloc(n + 1); /* one more, so that an empty blob is not NULL */
    if (*ret_bytes == NULL) {
        return TQD_STORE_NO_MEMORY;
    }
    if (n != 0) {
        memcpy(*ret_bytes, blob, n);
    }
    (*ret_bytes)[n] = '\0';
    return TQD_STORE_OK;
}
