/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/datasets.c - rows of datasets: the file of each name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/sqlite/sqlite.h"

static const char current_sql[] = "SELECT file, owner, size FROM dataset WHERE name = ?1";
static const char count_sql[] = "SELECT n FROM usage WHERE what = 'dataset'";
static const char put_sql[] =
    "INSERT INTO dataset(name, file, media, size, n_row, n_column, created_ms, summary,"
    " owner, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
    " tqd_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)) ON CONFLICT(name) DO UPDATE SET"
    " file = excluded.file, media = excluded.media, size = excluded.size, n_row = excluded.n_row,"
    " n_column = excluded.n_column, created_ms = excluded.created_ms, summary = excluded.summary, sum = excluded.sum";
static const char delete_sql[] = "DELETE FROM dataset WHERE name = ?1";

#define ROW_VALUES  "name, file, media, size, n_row, n_column, created_ms, summary, owner"
#define ROW_COLUMNS ROW_VALUES ", ifnull(sum, tqd_sum(" ROW_VALUES ")) = tqd_sum(" ROW_VALUES ")"
static const char get_sql[] = "SELECT " ROW_COLUMNS " FROM dataset WHERE name = ?1";
static const char list_sql[] = "SELECT " ROW_COLUMNS " FROM dataset ORDER BY name";

/* the present file of a name, "" if there is no such name, its size and owner */
static tqd_store_status read_current(tqd_connection *connection, const char *name,
                                     char file[TQD_DIGEST_TEXT], char owner[TQD_OWNER_TEXT],
                                     uint64_t *ret_size)
{
    file[0] = '\0';
    owner[0] = '\0';
    *ret_size = 0;
    sqlite3_stmt *statement = tqd_sql_bound(connection, current_sql, "t", name);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        tqd_column_copy(statement, 0, file, TQD_DIGEST_TEXT);
        tqd_column_copy(statement, 1, owner, TQD_OWNER_TEXT);
        *ret_size = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

static bool matches(const char *current, const char *if_match)
{
    return if_match == NULL ||
           (current[0] != '\0' && (strcmp(if_match, "*") == 0 || strcmp(if_match, current) == 0));
}

static tqd_store_status check_count(tqd_connection *connection, uint64_t most)
{
    sqlite3_stmt *statement = tqd_sql(connection, count_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const uint64_t n = (uint64_t)sqlite3_column_int64(statement, 0);
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status == TQD_STORE_OK && most != 0 && n >= most ? TQD_STORE_QUOTA : status;
}

/* Whether its owner may keep the bytes, in place of `replaced` that it has under the name. */
static tqd_store_status check_own(tqd_connection *connection, tqd_dataset_put *put,
                                  uint64_t replaced)
{
    uint64_t n = 0;
    if (put->own_bytes_max == 0 || strcmp(put->owner, put->row->owner) != 0) {
        return TQD_STORE_OK;
    }
    const tqd_store_status status = tqd_sqlite_own(connection, put->owner, &n, &put->own_bytes);
    put->own_full = status == TQD_STORE_OK &&
                    put->own_bytes - replaced + put->row->size > put->own_bytes_max &&
                    put->row->size > replaced;
    return put->own_full ? TQD_STORE_QUOTA : status;
}

tqd_store_status tqd_sqlite_dataset_put(tqd_connection *connection, tqd_write *write)
{
    tqd_dataset_put *put = (tqd_dataset_put *)write;
    const tqd_dataset_row *row = put->row;
    uint64_t size = 0;
    tqd_store_status status = read_current(connection, row->name, put->replaced, put->owner, &size);
    if (status != TQD_STORE_OK) {
        return status;
    }
    put->created = put->replaced[0] == '\0';
    put->own_full = false;
    if (tqd_is_owned(put->owner, put->by)) {
        return TQD_STORE_OWNED;
    }
    if (!matches(put->replaced, put->if_match) || (put->if_none_match != NULL && !put->created)) {
        return TQD_STORE_MISMATCH;
    }
    if (put->created) {
        snprintf(put->owner, sizeof put->owner, "%s", row->owner);
        status = check_count(connection, put->datasets_max);
    }
    if (status == TQD_STORE_OK) {
        status = check_own(connection, put, size);
    }
    if (status != TQD_STORE_OK) {
        return status;
    }
    return tqd_sql_do(connection, put_sql, "tttiiiibt", row->name, row->digest, row->media,
                      (int64_t)row->size, (int64_t)row->n_row, (int64_t)row->n_column, tqd_now_ms(),
                      put->summary, put->n_summary, put->owner);
}

tqd_store_status tqd_sqlite_dataset_delete(tqd_connection *connection, tqd_write *write)
{
    tqd_dataset_delete *deletion = (tqd_dataset_delete *)write;
    uint64_t size = 0;
    const tqd_store_status status =
        read_current(connection, deletion->name, deletion->replaced, deletion->owner, &size);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (deletion->replaced[0] == '\0') {
        return TQD_STORE_NOT_FOUND;
    }
    if (tqd_is_owned(deletion->owner, deletion->by)) {
        return TQD_STORE_OWNED;
    }
    if (!matches(deletion->replaced, deletion->if_match)) {
        return TQD_STORE_MISMATCH;
    }
    return tqd_sql_do(connection, delete_sql, "t", deletion->name);
}

/* OK or DAMAGED */
static tqd_store_status read_row(sqlite3_stmt *statement, tqd_dataset_row *row)
{
    tqd_column_copy(statement, 0, row->name, sizeof row->name);
    tqd_column_copy(statement, 1, row->digest, sizeof row->digest);
    tqd_column_copy(statement, 2, row->media, sizeof row->media);
    row->size = (uint64_t)sqlite3_column_int64(statement, 3);
    row->n_row = (uint64_t)sqlite3_column_int64(statement, 4);
    row->n_column = (uint64_t)sqlite3_column_int64(statement, 5);
    row->created_ms = sqlite3_column_int64(statement, 6);
    row->is_damaged = false;
    tqd_column_copy(statement, 8, row->owner, sizeof row->owner);
    return sqlite3_column_int(statement, 9) != 0 ? TQD_STORE_OK : TQD_STORE_DAMAGED;
}

tqd_store_status tqd_sqlite_dataset(tqd_connection *connection, const char *name,
                                    tqd_dataset_row *ret_row, char **ret_summary)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, get_sql, "t", name);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    if (code == SQLITE_ROW) {
        status = read_row(statement, ret_row);
        if (status == TQD_STORE_OK && ret_summary != NULL) {
            status = tqd_column_bytes(statement, 7, ret_summary);
        }
    }
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_datasets(tqd_connection *connection,
                                     int (*each)(void *ctx, const tqd_dataset_row *row,
                                                 const char *summary),
                                     void *ctx)
{
    sqlite3_stmt *statement = tqd_sql(connection, list_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    tqd_store_status status = TQD_STORE_OK;
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        tqd_dataset_row row;
        char *summary = NULL;
        row.is_damaged = read_row(statement, &row) != TQD_STORE_OK;
        if (!row.is_damaged) {
            status = tqd_column_bytes(statement, 7, &summary);
        }
        const bool over = status != TQD_STORE_OK || each(ctx, &row, summary) != 0;
        free(summary);
        if (over) {
            break;
        }
        code = sqlite3_step(statement);
    }
    status = status != TQD_STORE_OK ? status : tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

/* ------------------------------------------------------------------------------------- garbage */

static const char garbage_sql[] = "SELECT seq, file FROM garbage ORDER BY seq LIMIT ?1";
static const char drop_sql[] = "DELETE FROM garbage WHERE seq <= ?1";

tqd_store_status tqd_sqlite_garbage(tqd_connection *connection, uint32_t limit, tqd_garbage *ret,
                                    uint32_t *ret_n)
{
    *ret_n = 0;
    sqlite3_stmt *statement = tqd_sql_bound(connection, garbage_sql, "i", (int64_t)limit);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        ret[*ret_n].seq = sqlite3_column_int64(statement, 0);
        tqd_column_copy(statement, 1, ret[*ret_n].file, sizeof ret->file);
        (*ret_n)++;
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_garbage_drop(tqd_connection *connection, tqd_write *write)
{
    return tqd_sql_do(connection, drop_sql, "i", ((const tqd_garbage_drop *)write)->last_seq);
}
