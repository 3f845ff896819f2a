/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/robots.c - robots and their versions in SQLite. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/sqlite/sqlite.h"

static const char current_sql[] = "SELECT digest, owner FROM robot WHERE name = ?1";
static const char usage_sql[] = "SELECT (SELECT n FROM usage WHERE what = 'robot'),"
                                " (SELECT bytes FROM usage WHERE what = 'robot_version')";
static const char insert_version_sql[] =
    "INSERT INTO robot_version(digest, media, source, nv, size, bytes, sum)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, tqd_sum(?1, ?2, ?3, ?4, ?5, ?6)) ON CONFLICT(digest) DO NOTHING";
/* a version that is put again becomes the newest */
static const char insert_revision_sql[] =
    "INSERT OR REPLACE INTO robot_revision(name, digest, created_ms) VALUES (?1, ?2, ?3)";
static const char insert_robot_sql[] = "INSERT INTO robot(name, digest, owner) VALUES (?1, ?2, ?3)"
                                       " ON CONFLICT(name) DO UPDATE SET digest = excluded.digest";
static const char prune_revisions_sql[] =
    "DELETE FROM robot_revision WHERE seq IN (SELECT seq FROM robot_revision WHERE name = ?1"
    " ORDER BY seq DESC LIMIT -1 OFFSET ?2)"
    " AND NOT EXISTS (SELECT 1 FROM job WHERE job.robot = robot_revision.name"
    "                 AND job.robot_digest = robot_revision.digest)";
static const char delete_robot_sql[] = "DELETE FROM robot WHERE name = ?1";

#define SUM         "tqd_sum(v.digest, v.media, v.source, v.nv, v.size, v.bytes)"
#define GOOD        "ifnull(v.sum, " SUM ") = " SUM
#define ROW_COLUMNS "v.digest, v.media, v.source, v.nv, v.size, h.created_ms, h.name"
static const char by_name_sql[] =
    "SELECT " ROW_COLUMNS ", r.owner, v.bytes, " GOOD " FROM robot r"
    " JOIN robot_revision h ON h.name = r.name AND h.digest = r.digest"
    " JOIN robot_version v ON v.digest = r.digest WHERE r.name = ?1";
static const char by_digest_sql[] =
    "SELECT " ROW_COLUMNS ", r.owner, v.bytes, " GOOD " FROM robot_revision h"
    " JOIN robot_version v ON v.digest = h.digest LEFT JOIN robot r ON r.name = h.name"
    " WHERE h.name = ?1 AND h.digest = ?2";
static const char list_sql[] = "SELECT " ROW_COLUMNS ", r.owner FROM robot r"
                               " JOIN robot_revision h ON h.name = r.name AND h.digest = r.digest"
                               " JOIN robot_version v ON v.digest = r.digest ORDER BY r.name";

/* the present digest of a name, "" if there is no such name, and its owner */
static tqd_store_status read_current(tqd_connection *connection, const char *name,
                                     char digest[TQD_DIGEST_TEXT], char owner[TQD_OWNER_TEXT])
{
    digest[0] = '\0';
    owner[0] = '\0';
    sqlite3_stmt *statement = tqd_sql_bound(connection, current_sql, "t", name);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        tqd_column_copy(statement, 0, digest, TQD_DIGEST_TEXT);
        tqd_column_copy(statement, 1, owner, TQD_OWNER_TEXT);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

static bool conditions_hold(const char *current, const char *if_match, const char *if_none_match)
{
    if (if_match != NULL) {
        const bool any = strcmp(if_match, "*") == 0;
        if (current[0] == '\0' || (!any && strcmp(if_match, current) != 0)) {
            return false;
        }
    }
    if (if_none_match != NULL && current[0] != '\0') {
        return strcmp(if_none_match, "*") != 0 && strcmp(if_none_match, current) != 0;
    }
    return true;
}

static tqd_store_status check_quota(tqd_connection *connection, const tqd_robot_put *put,
                                    bool is_new)
{
    sqlite3_stmt *statement = tqd_sql(connection, usage_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const uint64_t n = (uint64_t)sqlite3_column_int64(statement, 0);
    const uint64_t bytes = (uint64_t)sqlite3_column_int64(statement, 1);
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    if (status != TQD_STORE_OK) {
        return status;
    }
    const bool too_many = is_new && put->robots_max != 0 && n >= put->robots_max;
    const bool too_big = put->bytes_max != 0 && bytes + put->n_byte > put->bytes_max;
    return too_many || too_big ? TQD_STORE_QUOTA : TQD_STORE_OK;
}

static tqd_store_status insert_version(tqd_connection *connection, const tqd_robot_put *put)
{
    return tqd_sql_do(connection, insert_version_sql, "tttiib", put->row->digest, put->row->media,
                      put->row->source, (int64_t)put->row->nv, (int64_t)put->n_byte, put->bytes,
                      put->n_byte);
}

/* deletes all but the newest `keep` revisions of a name; a trigger deletes bytes without a revision
 * */
static tqd_store_status prune(tqd_connection *connection, const char *name, int64_t keep)
{
    return tqd_sql_do(connection, prune_revisions_sql, "ti", name, keep);
}

tqd_store_status tqd_sqlite_robot_put(tqd_connection *connection, tqd_write *write)
{
    tqd_robot_put *put = (tqd_robot_put *)write;
    tqd_store_status status = read_current(connection, put->row->name, put->replaced, put->owner);
    if (status != TQD_STORE_OK) {
        return status;
    }
    put->created = put->replaced[0] == '\0';
    if (tqd_is_owned(put->owner, put->by) && strcmp(put->replaced, put->row->digest) != 0) {
        return TQD_STORE_OWNED;
    }
    if (!conditions_hold(put->replaced, put->if_match, put->if_none_match)) {
        return TQD_STORE_MISMATCH;
    }
    if (strcmp(put->replaced, put->row->digest) == 0) {
        return TQD_STORE_OK;
    }
    if (put->created) {
        snprintf(put->owner, sizeof put->owner, "%s", put->row->owner);
    }
    status = check_quota(connection, put, put->created);
    if (status == TQD_STORE_OK) {
        status = insert_version(connection, put);
    }
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, insert_revision_sql, "tti", put->row->name,
                            put->row->digest, tqd_now_ms());
    }
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, insert_robot_sql, "ttt", put->row->name, put->row->digest,
                            put->owner);
    }
    if (status == TQD_STORE_OK) {
        status = prune(connection, put->row->name, TQD_ROBOT_VERSIONS);
    }
    return status;
}

tqd_store_status tqd_sqlite_robot_delete(tqd_connection *connection, tqd_write *write)
{
    tqd_robot_delete *delete = (tqd_robot_delete *)write;
    char current[TQD_DIGEST_TEXT];
    tqd_store_status status = read_current(connection, delete->name, current, delete->owner);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (current[0] == '\0') {
        return TQD_STORE_NOT_FOUND;
    }
    if (tqd_is_owned(delete->owner, delete->by)) {
        return TQD_STORE_OWNED;
    }
    if (!conditions_hold(current, delete->if_match, NULL)) {
        return TQD_STORE_MISMATCH;
    }
    status = tqd_sql_do(connection, delete_robot_sql, "t", delete->name);
    return status == TQD_STORE_OK ? prune(connection, delete->name, 0) : status;
}

static void read_row(sqlite3_stmt *statement, tqd_robot_row *row)
{
    tqd_column_copy(statement, 0, row->digest, sizeof row->digest);
    tqd_column_copy(statement, 1, row->media, sizeof row->media);
    tqd_column_copy(statement, 2, row->source, sizeof row->source);
    row->nv = (uint32_t)sqlite3_column_int64(statement, 3);
    row->size = (uint64_t)sqlite3_column_int64(statement, 4);
    row->created_ms = sqlite3_column_int64(statement, 5);
    tqd_column_copy(statement, 6, row->name, sizeof row->name);
    tqd_column_copy(statement, 7, row->owner, sizeof row->owner);
}

tqd_store_status tqd_sqlite_robot(tqd_connection *connection, const char *name, const char *digest,
                                  tqd_robot_row *ret_row, char **ret_bytes)
{
    sqlite3_stmt *statement = digest == NULL
                                  ? tqd_sql_bound(connection, by_name_sql, "t", name)
                                  : tqd_sql_bound(connection, by_digest_sql, "tt", name, digest);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    if (code == SQLITE_ROW) {
        read_row(statement, ret_row);
        if (sqlite3_column_int(statement, 9) == 0) {
            status = TQD_STORE_DAMAGED;
        } else if (ret_bytes != NULL) {
            status = tqd_column_bytes(statement, 8, ret_bytes);
        }
    }
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_robots(tqd_connection *connection,
                                   int (*each)(void *ctx, const tqd_robot_row *row), void *ctx)
{
    sqlite3_stmt *statement = tqd_sql(connection, list_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        tqd_robot_row row;
        read_row(statement, &row);
        if (each(ctx, &row) != 0) {
            break;
        }
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}
