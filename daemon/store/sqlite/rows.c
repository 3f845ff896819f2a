/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/rows.c - reads a database file as rows, and creates one from rows. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/archive/tables.h"
#include "daemon/store/sqlite/sqlite.h"

/* ------------------------------------------------------------------------------------- reading */

static void read_cell(sqlite3_stmt *statement, int i, tqd_cell *cell)
{
    memset(cell, 0, sizeof *cell);
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        cell->kind = TQD_CELL_INTEGER;
        cell->integer = sqlite3_column_int64(statement, i);
        break;
    case SQLITE_FLOAT:
        cell->kind = TQD_CELL_REAL;
        cell->real = sqlite3_column_double(statement, i);
        break;
    case SQLITE_TEXT:
        cell->kind = TQD_CELL_TEXT;
        cell->bytes = (const char *)sqlite3_column_text(statement, i);
        break;
    case SQLITE_BLOB:
        cell->kind = TQD_CELL_BYTES;
        cell->bytes = sqlite3_column_blob(statement, i);
        cell->bytes = cell->bytes != NULL ? cell->bytes : ""; /* a blob of no bytes */
        break;
    default:
        break;
    }
    if (cell->kind == TQD_CELL_TEXT || cell->kind == TQD_CELL_BYTES) {
        cell->n = (size_t)sqlite3_column_bytes(statement, i);
    }
}

static void select_sql(const tqd_table *table, char sql[TQD_TABLE_SQL])
{
    size_t n = (size_t)snprintf(sql, TQD_TABLE_SQL, "SELECT ");
    for (size_t i = 0; table->columns[i] != NULL; i++) {
        n += (size_t)snprintf(sql + n, TQD_TABLE_SQL - n, "%s%s", i > 0 ? ", " : "",
                              table->columns[i]);
    }
    snprintf(sql + n, TQD_TABLE_SQL - n, " FROM %s%s ORDER BY %s", table->name,
             strcmp(table->name, "usage") == 0
                 ? " UNION ALL SELECT coalesce(max(seq), 0), 0, 'event' FROM sqlite_sequence"
                   " WHERE name = 'job_event'"
                 : "",
             table->order);
}

static tqd_store_status read_table(sqlite3 *db, const tqd_table *table, const tqd_rows *rows)
{
    char sql[TQD_TABLE_SQL];
    sqlite3_stmt *statement = NULL;
    tqd_cell cells[TQD_CELLS_MAX];
    const int n = (int)strlen(table->letters);
    select_sql(table, sql);
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    tqd_store_status status = tqd_sqlite_status(db, code);
    while (status == TQD_STORE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++) {
            read_cell(statement, i, &cells[i]);
        }
        status = rows->each(rows->ctx, table, cells);
    }
    sqlite3_finalize(statement);
    return status != TQD_STORE_OK ? status : tqd_sqlite_status(db, code);
}

tqd_store_status tqd_sqlite_rows(const char *path, const tqd_rows *rows)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
    tqd_store_status status = tqd_sqlite_status(db, code);
    for (size_t i = 0; status == TQD_STORE_OK && i < tqd_n_table; i++) {
        status = read_table(db, &tqd_tables[i], rows);
    }
    sqlite3_close(db);
    return status;
}

/* ------------------------------------------------------------------------------------- filling */

struct tqd_sqlite_filling {
    tqd_connection *connection;
    const tqd_table *table; /* of the statement */
    sqlite3_stmt *statement;
    char path[PATH_MAX];
};

static void remove_all(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[PATH_MAX + 8];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

tqd_sqlite_filling *tqd_sqlite_fill(const char *path, char why[TQD_STORE_WHY])
{
    tqd_sqlite_filling *filling = calloc(1, sizeof *filling);
    if (filling == NULL || strlen(path) >= sizeof filling->path) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        free(filling);
        return NULL;
    }
    snprintf(filling->path, sizeof filling->path, "%s", path);
    filling->connection = tqd_connection_open(path, true, why);
    if (filling->connection == NULL ||
        !tqd_sqlite_migrate(filling->connection, &tqd_sqlite_schema, "", why)) {
        (void)tqd_sqlite_fill_end(filling, false);
        return NULL;
    }
    /* rows are copied with their counts and events, which triggers would add again */
    sqlite3_db_config(filling->connection->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (sqlite3_exec(filling->connection->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) {
        snprintf(why, TQD_STORE_WHY, "%.200s", sqlite3_errmsg(filling->connection->db));
        (void)tqd_sqlite_fill_end(filling, false);
        return NULL;
    }
    return filling;
}

static int bind_cell(sqlite3_stmt *statement, int i, const tqd_cell *cell)
{
    switch (cell->kind) {
    case TQD_CELL_INTEGER:
        return sqlite3_bind_int64(statement, i, cell->integer);
    case TQD_CELL_REAL:
        return sqlite3_bind_double(statement, i, cell->real);
    case TQD_CELL_TEXT:
        return sqlite3_bind_text64(statement, i, cell->bytes, cell->n, SQLITE_STATIC, SQLITE_UTF8);
    case TQD_CELL_BYTES:
        return sqlite3_bind_blob64(statement, i, cell->bytes, cell->n, SQLITE_STATIC);
    case TQD_CELL_NULL:
    default:
        return sqlite3_bind_null(statement, i);
    }
}

/* the next event gets a greater number than any that a client has received */
static int set_sequence(sqlite3 *db, int64_t last)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "DELETE FROM sqlite_sequence WHERE name = 'job_event';"
             "INSERT INTO sqlite_sequence(name, seq) VALUES ('job_event', %lld)",
             (long long)last);
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

tqd_store_status tqd_sqlite_fill_row(tqd_sqlite_filling *filling, const tqd_table *table,
                                     const tqd_cell *cells)
{
    sqlite3 *db = filling->connection->db;
    int code = SQLITE_OK;
    if (strcmp(table->name, "usage") == 0 && strcmp(cells[2].bytes, "event") == 0) {
        return tqd_sqlite_status(db, set_sequence(db, cells[0].integer));
    }
    if (filling->table != table) {
        char sql[TQD_TABLE_SQL];
        sqlite3_finalize(filling->statement);
        filling->statement = NULL;
        filling->table = table;
        code = tqd_table_put_sql(table, true, sql)
                   ? sqlite3_prepare_v2(db, sql, -1, &filling->statement, NULL)
                   : SQLITE_ERROR;
    }
    for (int i = 0; code == SQLITE_OK && table->letters[i] != '\0'; i++) {
        code = bind_cell(filling->statement, i + 1, &cells[i]);
    }
    if (code == SQLITE_OK) {
        const int stepped = sqlite3_step(filling->statement);
        sqlite3_reset(filling->statement);
        code = stepped == SQLITE_DONE ? SQLITE_OK : stepped;
    }
    return tqd_sqlite_status(db, code);
}

tqd_store_status tqd_sqlite_fill_end(tqd_sqlite_filling *filling, bool good)
{
    tqd_store_status status = good ? TQD_STORE_OK : TQD_STORE_BROKEN;
    sqlite3_finalize(filling->statement);
    if (good) {
        sqlite3 *db = filling->connection->db;
        /* a single file, as copies of a database are */
        status = tqd_sqlite_status(
            db, sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL));
    }
    tqd_connection_close(filling->connection); /* rolls back what is open */
    if (status != TQD_STORE_OK) {
        remove_all(filling->path);
    }
    free(filling);
    return status;
}
