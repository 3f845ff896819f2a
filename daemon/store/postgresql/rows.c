/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/rows.c - all rows into a file of SQLite, and out of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/archive/tables.h"
#include "daemon/store/postgresql/postgresql.h"

/* ------------------------------------------------------------------------------------- reading */

static void select_sql(const tqd_table *table, char sql[TQD_TABLE_SQL])
{
    size_t n = (size_t)snprintf(sql, TQD_TABLE_SQL, "SELECT ");
    for (size_t i = 0; table->columns[i] != NULL; i++) {
        const char letter = table->letters[i];
        n += (size_t)snprintf(sql + n, TQD_TABLE_SQL - n, "%s%s%s%s", i > 0 ? ", " : "",
                              letter == 'd' ? "float8send(" : "", table->columns[i],
                              letter == 'd'   ? ")"
                              : letter == 'o' ? "::int"
                                              : "");
    }
    snprintf(sql + n, TQD_TABLE_SQL - n, " FROM %s ORDER BY %s", table->name, table->order);
}

/* *ret_made: malloc'ed bytes of the cell, or NULL */
static tqd_store_status read_cell(const PGresult *result, int column, char letter, tqd_cell *cell,
                                  char **ret_made)
{
    tqd_store_status status = TQD_STORE_OK;
    memset(cell, 0, sizeof *cell);
    *ret_made = NULL;
    if (PQgetisnull(result, 0, column)) {
        return TQD_STORE_OK;
    }
    switch (letter) {
    case 'd':
        cell->kind = TQD_CELL_REAL;
        cell->real = tqd_real(result, 0, column);
        return status;
    case 't':
        cell->kind = TQD_CELL_TEXT;
        cell->bytes = PQgetvalue(result, 0, column);
        cell->n = (size_t)PQgetlength(result, 0, column);
        return status;
    case 'b':
        cell->kind = TQD_CELL_BYTES;
        cell->n = (size_t)PQgetlength(result, 0, column);
        cell->n = cell->n > 2 ? (cell->n - 2) / 2 : 0; /* \x, then two digits a byte */
        status = tqd_bytes(result, 0, column, ret_made);
        cell->bytes = *ret_made;
        return status;
    default:
        cell->kind = TQD_CELL_INTEGER;
        cell->integer = tqd_integer(result, 0, column);
        return status;
    }
}

static tqd_store_status take_row(const PGresult *result, const tqd_table *table,
                                 const tqd_rows *rows)
{
    tqd_cell cells[TQD_CELLS_MAX];
    char *made[TQD_CELLS_MAX] = {NULL};
    tqd_store_status status = TQD_STORE_OK;
    for (int i = 0; status == TQD_STORE_OK && table->letters[i] != '\0'; i++) {
        status = read_cell(result, i, table->letters[i], &cells[i], &made[i]);
    }
    if (status == TQD_STORE_OK) {
        status = rows->each(rows->ctx, table, cells);
    }
    for (int i = 0; i < TQD_CELLS_MAX; i++) {
        free(made[i]);
    }
    return status;
}

/* Row by row, so that a table need not fit into memory. */
static tqd_store_status read_table(tqd_session *session, const tqd_table *table,
                                   const tqd_rows *rows)
{
    char sql[TQD_TABLE_SQL];
    select_sql(table, sql);
    tqd_store_status status = TQD_STORE_OK;
    if (PQsendQueryParams(session->db, sql, 0, NULL, NULL, NULL, NULL, 0) != 1 ||
        PQsetSingleRowMode(session->db) != 1) {
        return TQD_STORE_BROKEN;
    }
    PGresult *result = NULL;
    while (tqd_session_pump(session) && (result = PQgetResult(session->db)) != NULL) {
        const tqd_store_status here = tqd_result_status(result);
        status = status != TQD_STORE_OK ? status : here;
        if (status == TQD_STORE_OK && PQntuples(result) == 1) {
            status = take_row(result, table, rows);
        }
        PQclear(result);
    }
    return session->is_lost ? TQD_STORE_BROKEN : status;
}

static tqd_store_status run(tqd_session *session, const char *sql)
{
    PGresult *result = tqd_query_script(session, sql);
    const tqd_store_status status = tqd_result_status(result);
    PQclear(result);
    return status;
}

static tqd_store_status fill_row(void *ctx, const tqd_table *table, const tqd_cell *cells)
{
    return tqd_sqlite_fill_row(ctx, table, cells);
}

/* The files of these rows stay for a day, even if their last row goes meanwhile: whoever copies the
 * rows fetches the files afterwards. */
static const char hold_sql[] =
    "UPDATE file SET held_until_ms = greatest(held_until_ms, tqd_now() + 86400000)";

tqd_store_status tqd_pg_snapshot(tqd_session *session, const char *path)
{
    char why[TQD_STORE_WHY];
    session->silence_ms = TQD_SILENCE_ANY_MS;
    tqd_store_status status = run(session, hold_sql);
    tqd_sqlite_filling *filling = status == TQD_STORE_OK ? tqd_sqlite_fill(path, why) : NULL;
    const tqd_rows rows = {.each = fill_row, .ctx = filling};
    if (filling == NULL) {
        return status != TQD_STORE_OK ? status : TQD_STORE_BROKEN;
    }
    status = run(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (size_t i = 0; status == TQD_STORE_OK && i < tqd_n_table; i++) {
        status = read_table(session, &tqd_tables[i], &rows);
    }
    (void)run(session, "ROLLBACK");
    const tqd_store_status ended = tqd_sqlite_fill_end(filling, status == TQD_STORE_OK);
    return status != TQD_STORE_OK ? status : ended;
}

/* ----------------------------------------------------------------------------------- restoring */

/* No other connection writes until the end: groups of writes take the lock of `identity` first.
 * Triggers would add counts and events that the rows bring along. */
static const char begin_sql[] =
    "BEGIN; UPDATE identity SET n_commit = n_commit;"
    "ALTER TABLE robot DISABLE TRIGGER USER; ALTER TABLE robot_revision DISABLE TRIGGER USER;"
    "ALTER TABLE robot_version DISABLE TRIGGER USER; ALTER TABLE job DISABLE TRIGGER USER;"
    "ALTER TABLE job_body DISABLE TRIGGER USER; ALTER TABLE job_attachment DISABLE TRIGGER USER;"
    "ALTER TABLE job_input DISABLE TRIGGER USER; ALTER TABLE dataset DISABLE TRIGGER USER";
static const char end_sql[] =
    "ALTER TABLE robot ENABLE TRIGGER USER; ALTER TABLE robot_revision ENABLE TRIGGER USER;"
    "ALTER TABLE robot_version ENABLE TRIGGER USER; ALTER TABLE job ENABLE TRIGGER USER;"
    "ALTER TABLE job_body ENABLE TRIGGER USER; ALTER TABLE job_attachment ENABLE TRIGGER USER;"
    "ALTER TABLE job_input ENABLE TRIGGER USER; ALTER TABLE dataset ENABLE TRIGGER USER;"
    "SELECT tqd_queued_count();"
    "SELECT setval(pg_get_serial_sequence('job', 'seq'), max(seq)) FROM job;"
    "SELECT setval(pg_get_serial_sequence('robot_revision', 'seq'), max(seq)) FROM robot_revision;"
    "COMMIT";
static const char used_sql[] =
    "SELECT EXISTS (SELECT 1 FROM job) OR EXISTS (SELECT 1 FROM robot_version)"
    " OR EXISTS (SELECT 1 FROM dataset) OR (SELECT n FROM usage WHERE what = 'event') > 0";
static const char missing_sql[] =
    "SELECT count(*) FROM (SELECT file FROM dataset UNION SELECT file FROM job_body"
    " UNION SELECT file FROM job_attachment UNION SELECT file FROM job_input) r"
    " WHERE file IS NOT NULL AND NOT EXISTS (SELECT 1 FROM file f WHERE f.digest = r.file)";

static tqd_store_status number(tqd_session *session, const char *sql, int64_t *ret)
{
    PGresult *result = tqd_query(session, sql, NULL);
    const tqd_store_status status = tqd_result_status(result);
    *ret = status != TQD_STORE_OK                       ? 0
           : strcmp(PQgetvalue(result, 0, 0), "t") == 0 ? 1
                                                        : tqd_integer(result, 0, 0);
    PQclear(result);
    return status;
}

typedef struct putting {
    tqd_session *session;
    const tqd_table *table; /* of the statement */
    char sql[TQD_TABLE_SQL];
} putting;

static void bind_cell(tqd_parameters *p, char letter, const tqd_cell *cell)
{
    if (cell->kind == TQD_CELL_NULL) {
        tqd_bind(p, "t", (const char *)NULL);
    } else if (letter == 'o') {
        tqd_bind(p, "o", (int)(cell->integer != 0));
    } else if (cell->kind == TQD_CELL_INTEGER && letter == 'd') {
        tqd_bind(p, "d", (double)cell->integer);
    } else if (cell->kind == TQD_CELL_INTEGER) {
        tqd_bind(p, "i", cell->integer);
    } else if (cell->kind == TQD_CELL_REAL) {
        tqd_bind(p, "d", cell->real);
    } else if (cell->kind == TQD_CELL_TEXT) {
        tqd_bind(p, "t", cell->bytes);
    } else {
        tqd_bind(p, "b", cell->bytes, cell->n);
    }
}

static tqd_store_status put_row(void *ctx, const tqd_table *table, const tqd_cell *cells)
{
    putting *to = ctx;
    tqd_parameters p = {.n = 0};
    if (to->table != table && !tqd_table_put_sql(table, false, to->sql)) {
        return TQD_STORE_BROKEN;
    }
    to->table = table;
    for (int i = 0; table->letters[i] != '\0'; i++) {
        bind_cell(&p, table->letters[i], &cells[i]);
    }
    PGresult *result = tqd_query(to->session, to->sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    PQclear(result);
    return status;
}

static tqd_store_status restore(tqd_session *session, const char *path, char why[TQD_STORE_WHY])
{
    putting to = {.session = session};
    const tqd_rows rows = {.each = put_row, .ctx = &to};
    int64_t n = 0;
    tqd_store_status status = run(session, begin_sql);
    status = status == TQD_STORE_OK ? number(session, used_sql, &n) : status;
    if (status == TQD_STORE_OK && n != 0) {
        snprintf(why, TQD_STORE_WHY, "the database is not empty: it has robots, datasets or jobs");
        return TQD_STORE_MISMATCH;
    }
    status = status == TQD_STORE_OK ? tqd_sqlite_rows(path, &rows) : status;
    status = status == TQD_STORE_OK ? number(session, missing_sql, &n) : status;
    if (status == TQD_STORE_OK && n != 0) {
        snprintf(why, TQD_STORE_WHY, "%lld of its files are missing", (long long)n);
        return TQD_STORE_DAMAGED;
    }
    return status == TQD_STORE_OK ? run(session, end_sql) : status;
}

tqd_store_status tqd_pg_restore(tqd_session *session, const char *path, char why[TQD_STORE_WHY])
{
    why[0] = '\0';
    session->silence_ms = TQD_SILENCE_ANY_MS;
    const tqd_store_status status = restore(session, path, why);
    if (status != TQD_STORE_OK && why[0] == '\0') {
        const char *reason = PQerrorMessage(session->db);
        snprintf(why, TQD_STORE_WHY, "PostgreSQL: %.*s", (int)strcspn(reason, "\n"), reason);
    }
    if (PQtransactionStatus(session->db) != PQTRANS_IDLE) {
        (void)run(session, "ROLLBACK");
    }
    return status;
}
