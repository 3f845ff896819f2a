/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/job_reads.c - queries of jobs, their bodies and events. */
#include <stdlib.h>
#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/sqlite/job_row.h"

static const char one_sql[] = "SELECT " TQD_JOB_COLUMNS " FROM job WHERE id = ?1";
/* Scans from the newest row until `limit` of them match; + keeps SQLite from an index of its own
 * choice. ?2: set of states, 0 for any. ?6, ?7: bounds of created_ms. ?8: the one state. ?9: whose.
 * ?10: of which namespace. */
#define LIST_BY(column)                                                                            \
    "SELECT " TQD_JOB_COLUMNS " FROM job WHERE " column "seq < ?1"                                 \
    " AND (?2 = 0 OR (?2 >> +state) & 1) AND (?3 IS NULL OR +kind = ?3)"                           \
    " AND (?4 IS NULL OR +robot = ?4) AND created_ms >= ?6 AND created_ms < ?7 AND ?8 = ?8"        \
    " AND (?9 IS NULL OR +client = ?9 OR +client = '')"                                            \
    " AND (?10 IS NULL OR " TQD_JOB_NAMESPACE("+client") " = ?10)"                                 \
                                                         " ORDER BY seq DESC LIMIT ?5"
static const char list_sql[] = LIST_BY("");
/* the others by the most selective index */
static const char list_robot_sql[] = LIST_BY("robot = ?4 AND ");
static const char list_namespace_sql[] =
    LIST_BY(TQD_JOB_IS_NAMED("client") " AND " TQD_JOB_NAMESPACE("client") " = ?10 AND ");
static const char list_kind_sql[] = LIST_BY("kind = ?3 AND ");
static const char list_state_sql[] = LIST_BY("state = ?8 AND ");
static const char body_sql[] =
    "SELECT media, size, file, bytes, " TQD_BODY_GOOD
    " FROM job_body WHERE job = (SELECT seq FROM job WHERE id = ?1) AND what = ?2";
static const char put_body_sql[] =
    "INSERT INTO job_body(job, what, media, size, file, bytes, sum)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, tqd_sum(?3, ?4, ?5, ?6))"
    " ON CONFLICT(job, what) DO UPDATE SET media = excluded.media, size = excluded.size,"
    " file = excluded.file, bytes = excluded.bytes, sum = excluded.sum";
static const char all_events_sql[] = "SELECT e.seq, j.id, e.state, e.attempts, e.at_ms, j.client"
                                     " FROM job_event e JOIN job j ON j.seq = e.job"
                                     " WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2";
static const char job_events_sql[] = "SELECT e.seq, j.id, e.state, e.attempts, e.at_ms, j.client"
                                     " FROM job j JOIN job_event e ON e.job = j.seq"
                                     " WHERE j.id = ?3 AND e.seq > ?1 ORDER BY e.seq LIMIT ?2";
static const char used_sql[] = "SELECT 1 FROM job_body WHERE file = ?1"
                               " UNION ALL SELECT 1 FROM job_attachment WHERE file = ?1"
                               " UNION ALL SELECT 1 FROM job_input WHERE file = ?1"
                               " UNION ALL SELECT 1 FROM dataset WHERE file = ?1 LIMIT 1";
static const char last_event_sql[] = "SELECT seq FROM sqlite_sequence WHERE name = 'job_event'";
static const char own_sql[] = "SELECT n, bytes FROM usage WHERE what = 'client:' || ?1";
static const char counts_sql[] = "SELECT what, n, bytes FROM usage WHERE what LIKE 'job_%'"
                                 " UNION ALL SELECT 'queued', 0, coalesce(sum(bytes), 0) FROM usage"
                                 "  WHERE what >= 'queued:' AND what < 'queued;'";

void tqd_sqlite_job_row(sqlite3_stmt *statement, tqd_job *job)
{
    memset(job, 0, sizeof *job);
    job->seq = (uint64_t)sqlite3_column_int64(statement, 0);
    tqd_column_copy(statement, 1, job->id, sizeof job->id);
    tqd_column_copy(statement, 2, job->kind, sizeof job->kind);
    tqd_column_copy(statement, 3, job->robot, sizeof job->robot);
    tqd_column_copy(statement, 4, job->robot_digest, sizeof job->robot_digest);
    tqd_column_copy(statement, 5, job->client, sizeof job->client);
    job->state = (tqd_job_state)sqlite3_column_int(statement, 6);
    job->priority = sqlite3_column_int(statement, 7);
    job->attempts = (uint32_t)sqlite3_column_int64(statement, 8);
    job->fence = (uint64_t)sqlite3_column_int64(statement, 9);
    job->cancel_asked = sqlite3_column_int(statement, 10) != 0;
    job->fraction = sqlite3_column_double(statement, 11);
    job->eta_s = sqlite3_column_double(statement, 12);
    tqd_column_copy(statement, 13, job->step, sizeof job->step);
    tqd_column_copy(statement, 14, job->node, sizeof job->node);
    job->created_ms = sqlite3_column_int64(statement, 15);
    job->started_ms = sqlite3_column_int64(statement, 16);
    job->finished_ms = sqlite3_column_int64(statement, 17);
    job->waited = sqlite3_column_int(statement, 18) != 0;
    tqd_column_copy(statement, 19, job->trace, sizeof job->trace);
}

tqd_store_status tqd_sqlite_body_put(tqd_connection *connection, int64_t seq, tqd_body_kind kind,
                                     const tqd_body *body)
{
    return tqd_sql_do(connection, put_body_sql, "iititb", seq, (int64_t)kind, body->media,
                      (int64_t)body->size, body->bytes != NULL ? NULL : body->file, body->bytes,
                      body->bytes != NULL ? (size_t)body->size : (size_t)0);
}

tqd_store_status tqd_sqlite_job(tqd_connection *connection, const char *id, tqd_job *ret_job)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, one_sql, "t", id);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    if (code == SQLITE_ROW) {
        tqd_sqlite_job_row(statement, ret_job);
    }
    sqlite3_reset(statement);
    return status;
}

/* the only state of a set; -1: several, or any */
static int only_state(unsigned states)
{
    int state = 0;
    while (state < TQD_JOB_STATES && states != 1U << state) {
        state++;
    }
    return state < TQD_JOB_STATES ? state : -1;
}

tqd_store_status tqd_sqlite_jobs(tqd_connection *connection, const tqd_job_filter *filter,
                                 int (*each)(void *ctx, const tqd_job *job), void *ctx)
{
    const int state = only_state(filter->states);
    char prefix[TQD_JOB_CLIENT_TEXT];
    const char *namespace = tqd_job_filter_prefix(filter, prefix);
    const bool is_named = namespace != NULL && namespace[0] != '\0';
    /* few jobs are queued or running among many finished ones */
    const bool is_open = state == TQD_JOB_QUEUED || state == TQD_JOB_RUNNING;
    const char *text = is_open                 ? list_state_sql
                       : filter->robot != NULL ? list_robot_sql
                       : is_named              ? list_namespace_sql
                       : filter->kind != NULL  ? list_kind_sql
                       : state >= 0            ? list_state_sql
                                               : list_sql;
    const int64_t now = tqd_now_ms();
    const int64_t before = filter->before_seq != 0 ? (int64_t)filter->before_seq : INT64_MAX;
    const int64_t from_ms = filter->newer_ms != 0 ? now - filter->newer_ms : INT64_MIN;
    const int64_t until_ms = filter->older_ms != 0 ? now - filter->older_ms : INT64_MAX;
    sqlite3_stmt *statement =
        tqd_sql_bound(connection, text, "iittiiiitt", before, (int64_t)filter->states, filter->kind,
                      filter->robot, (int64_t)filter->limit, from_ms, until_ms, (int64_t)state,
                      filter->by, namespace);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        tqd_job job;
        tqd_sqlite_job_row(statement, &job);
        if (each(ctx, &job) != 0) {
            break;
        }
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_body_read(tqd_connection *connection, sqlite3_stmt *statement,
                                      char *media, char **ret_bytes, char *ret_file,
                                      uint64_t *ret_size)
{
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    *ret_bytes = NULL;
    ret_file[0] = '\0';
    if (code == SQLITE_ROW) {
        tqd_column_copy(statement, 0, media, TQD_MEDIA_TEXT);
        *ret_size = (uint64_t)sqlite3_column_int64(statement, 1);
        if (sqlite3_column_int(statement, 4) == 0) {
            status = TQD_STORE_DAMAGED;
        } else if (sqlite3_column_type(statement, 2) != SQLITE_NULL) {
            tqd_column_copy(statement, 2, ret_file, TQD_DIGEST_TEXT);
        } else {
            status = tqd_column_bytes(statement, 3, ret_bytes);
        }
    }
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_body(tqd_connection *connection, const char *id, tqd_body_kind kind,
                                 char *media, char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    return tqd_sqlite_body_read(connection,
                                tqd_sql_bound(connection, body_sql, "ti", id, (int64_t)kind), media,
                                ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_sqlite_events(tqd_connection *connection, const char *id, uint64_t after,
                                   uint32_t limit,
                                   int (*each)(void *ctx, const tqd_job_event *event), void *ctx)
{
    sqlite3_stmt *statement =
        id == NULL
            ? tqd_sql_bound(connection, all_events_sql, "ii", (int64_t)after, (int64_t)limit)
            : tqd_sql_bound(connection, job_events_sql, "iit", (int64_t)after, (int64_t)limit, id);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        tqd_job_event event;
        event.seq = (uint64_t)sqlite3_column_int64(statement, 0);
        tqd_column_copy(statement, 1, event.id, sizeof event.id);
        event.state = (tqd_job_state)sqlite3_column_int(statement, 2);
        event.attempts = (uint32_t)sqlite3_column_int64(statement, 3);
        event.at_ms = sqlite3_column_int64(statement, 4);
        tqd_column_copy(statement, 5, event.client, sizeof event.client);
        if (each(ctx, &event) != 0) {
            break;
        }
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_event_last(tqd_connection *connection, uint64_t *ret_seq)
{
    sqlite3_stmt *statement = tqd_sql(connection, last_event_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    *ret_seq = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_job_counts(tqd_connection *connection, tqd_job_counts *ret)
{
    memset(ret, 0, sizeof *ret);
    sqlite3_stmt *statement = tqd_sql(connection, counts_sql);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        char what[16];
        tqd_column_copy(statement, 0, what, sizeof what);
        if (what[0] == 'q') {
            ret->queued_bytes = (uint64_t)sqlite3_column_int64(statement, 2);
        } else if (what[3] >= '0' && what[3] < '0' + TQD_JOB_STATES) {
            ret->n[what[3] - '0'] = (uint64_t)sqlite3_column_int64(statement, 1);
        } else {
            ret->body_bytes = (uint64_t)sqlite3_column_int64(statement, 2);
        }
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_usage(tqd_connection *connection, const char *sql, const char *client,
                                  uint64_t *ret_n, uint64_t *ret_bytes)
{
    *ret_n = *ret_bytes = 0;
    sqlite3_stmt *statement = tqd_sql_bound(connection, sql, "t", client);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *ret_n = (uint64_t)sqlite3_column_int64(statement, 0);
        *ret_bytes = (uint64_t)sqlite3_column_int64(statement, 1);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_own(tqd_connection *connection, const char *client, uint64_t *ret_jobs,
                                uint64_t *ret_bytes)
{
    return tqd_sqlite_usage(connection, own_sql, client, ret_jobs, ret_bytes);
}

tqd_store_status tqd_sqlite_file_used(tqd_connection *connection, const char *digest, bool *ret)
{
    return tqd_sql_once(connection, tqd_sql_bound(connection, used_sql, "t", digest), ret);
}
