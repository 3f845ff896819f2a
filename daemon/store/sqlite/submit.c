/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/submit.c - inserts a job: once for each idempotency key, within the quotas.
 * */
#include <stdio.h>
#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/share.h"
#include "daemon/store/sqlite/job_row.h"

static const char key_sql[] = "SELECT id, request_digest FROM job"
                              " WHERE client = ?1 AND idem_key = ?2";
static const char bounds_sql[] = "SELECT (SELECT n FROM usage WHERE what = 'job0'),"
                                 " (SELECT bytes FROM usage WHERE what = 'job_body'),"
                                 " max((SELECT n FROM usage WHERE what = 'clock'),"
                                 "  (SELECT coalesce(max(tag), 0) FROM job INDEXED BY job_client"
                                 "   WHERE client = ?1 AND state = 0))";
static const char own_sql[] = "SELECT n, bytes FROM usage WHERE what = 'queued:' || ?1";
static const char insert_sql[] =
    "INSERT INTO job(id, kind, robot, robot_digest, client, priority, tag, deadline_at_ms,"
    " idem_key, request_digest, created_ms, changed_ms, waited, trace)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, 0), ?9, ?10, ?11, ?11, ?12, ?13)";

/* finds the first job of a key: NOT_FOUND, OK, MISMATCH */
static tqd_store_status find_repeat(tqd_connection *connection, tqd_job_submit *submit)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, key_sql, "tt", submit->client, submit->key);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    char id[TQD_JOB_ID_TEXT] = "";
    char digest[TQD_DIGEST_TEXT] = "";
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        tqd_column_copy(statement, 0, id, sizeof id);
        tqd_column_copy(statement, 1, digest, sizeof digest);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (id[0] == '\0') {
        return TQD_STORE_NOT_FOUND;
    }
    if (strcmp(digest, submit->digest) != 0) {
        return TQD_STORE_MISMATCH;
    }
    submit->repeated = true;
    return tqd_sqlite_job(connection, id, &submit->job);
}

/* Checks whether the client's own waiting jobs exceed its shares of the queue and of the bytes, of
 * which all jobs have `bytes`. */
static tqd_store_status check_own(tqd_connection *connection, tqd_job_submit *submit,
                                  uint64_t bytes)
{
    const uint64_t all = submit->bytes_max;
    submit->client_full = submit->client_bytes_full = false;
    if (submit->client_queued_max == 0 && submit->client_bytes_max == 0) {
        return TQD_STORE_OK;
    }
    const tqd_store_status status = tqd_sqlite_usage(connection, own_sql, submit->client,
                                                     &submit->own_jobs, &submit->own_bytes);
    const uint64_t most =
        tqd_share_of_free(all, submit->client_bytes_max, bytes < all ? all - bytes : 0);
    submit->client_bytes_full = all != 0 && submit->client_bytes_max != 0 && submit->own_jobs > 0 &&
                                submit->own_bytes + submit->request.size > most;
    submit->client_full =
        submit->client_bytes_full ||
        (submit->client_queued_max != 0 && submit->own_jobs >= submit->client_queued_max);
    return status;
}

/* Whether the client keeps what it may already. */
static tqd_store_status check_kept(tqd_connection *connection, tqd_job_submit *submit)
{
    const uint64_t most = submit->own_bytes_max;
    submit->own_full = false;
    if (submit->own_jobs_max == 0 && most == 0) {
        return TQD_STORE_OK;
    }
    const tqd_store_status status =
        tqd_sqlite_own(connection, submit->client, &submit->own_jobs, &submit->own_bytes);
    submit->own_full = status == TQD_STORE_OK &&
                       ((submit->own_jobs_max != 0 && submit->own_jobs >= submit->own_jobs_max) ||
                        (most != 0 && submit->own_bytes + submit->request.size > most));
    return submit->own_full ? TQD_STORE_QUOTA : status;
}

static tqd_store_status check_bounds(tqd_connection *connection, tqd_job_submit *submit,
                                     int64_t *ret_tag)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, bounds_sql, "t", submit->client);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const uint64_t queued = (uint64_t)sqlite3_column_int64(statement, 0);
    const uint64_t bytes = (uint64_t)sqlite3_column_int64(statement, 1);
    *ret_tag = sqlite3_column_int64(statement, 2) + 1;
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    tqd_store_status own = status == TQD_STORE_OK ? check_own(connection, submit, bytes) : status;
    own = own == TQD_STORE_OK && !submit->client_full ? check_kept(connection, submit) : own;
    if (own != TQD_STORE_OK) {
        return own;
    }
    submit->queue_full =
        submit->client_full || (submit->queued_max != 0 && queued >= submit->queued_max);
    const bool full = submit->queue_full ||
                      (submit->bytes_max != 0 && bytes + submit->request.size > submit->bytes_max);
    return full ? TQD_STORE_QUOTA : TQD_STORE_OK;
}

static const char has_version_sql[] = "SELECT 1 FROM robot_revision WHERE name = ?1"
                                      " AND digest = ?2";
static const char keep_version_sql[] =
    "INSERT INTO robot_version(digest, media, source, nv, size, bytes, sum)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, tqd_sum(?1, ?2, ?3, ?4, ?5, ?6)) ON CONFLICT(digest) DO NOTHING";
static const char keep_revision_sql[] =
    "INSERT INTO robot_revision(name, digest, created_ms) VALUES (?1, ?2, ?3)";

/* Checks that the robot's version exists, and pins it as long as the job exists. */
static tqd_store_status pin_robot(tqd_connection *connection, const tqd_job_submit *submit)
{
    const tqd_robot_row *builtin = submit->builtin;
    bool there = false;
    if (submit->robot[0] == '\0') {
        return TQD_STORE_OK;
    }
    tqd_store_status status = tqd_sql_once(
        connection,
        tqd_sql_bound(connection, has_version_sql, "tt", submit->robot, submit->robot_digest),
        &there);
    if (status != TQD_STORE_OK || there) {
        return status;
    }
    if (builtin == NULL || strcmp(builtin->digest, submit->robot_digest) != 0) {
        return TQD_STORE_NOT_FOUND;
    }
    status = tqd_sql_do(connection, keep_version_sql, "tttiib", builtin->digest, builtin->media,
                        builtin->source, (int64_t)builtin->nv, (int64_t)builtin->size,
                        submit->builtin_bytes, (size_t)builtin->size);
    return status == TQD_STORE_OK ? tqd_sql_do(connection, keep_revision_sql, "tti", submit->robot,
                                               builtin->digest, tqd_now_ms())
                                  : status;
}

static void describe_new(tqd_job_submit *submit, int64_t seq, int64_t now)
{
    tqd_job *job = &submit->job;
    memset(job, 0, sizeof *job);
    job->seq = (uint64_t)seq;
    snprintf(job->id, sizeof job->id, "%s", submit->id);
    snprintf(job->kind, sizeof job->kind, "%s", submit->kind);
    snprintf(job->robot, sizeof job->robot, "%s", submit->robot);
    snprintf(job->robot_digest, sizeof job->robot_digest, "%s", submit->robot_digest);
    snprintf(job->client, sizeof job->client, "%s", submit->client);
    snprintf(job->trace, sizeof job->trace, "%s", submit->trace != NULL ? submit->trace : "");
    job->waited = submit->waited;
    job->priority = submit->priority;
    job->eta_s = -1.0;
    job->created_ms = now;
}

tqd_store_status tqd_sqlite_submit(tqd_connection *connection, tqd_write *write)
{
    tqd_job_submit *submit = (tqd_job_submit *)write;
    submit->repeated = false;
    if (submit->key != NULL) {
        const tqd_store_status status = find_repeat(connection, submit);
        if (status != TQD_STORE_NOT_FOUND) {
            return status;
        }
    }
    int64_t tag = 0;
    tqd_store_status status = check_bounds(connection, submit, &tag);
    if (status == TQD_STORE_OK) {
        status = pin_robot(connection, submit);
    }
    if (status != TQD_STORE_OK) {
        return status;
    }
    const int64_t now = tqd_now_ms();
    status = tqd_sql_do(
        connection, insert_sql, "tttttiiittiit", submit->id, submit->kind, submit->robot,
        submit->robot_digest, submit->client, (int64_t)submit->priority, tag,
        submit->deadline_ms != 0 ? now + submit->deadline_ms : (int64_t)0, submit->key,
        submit->digest, now, (int64_t)submit->waited, submit->trace != NULL ? submit->trace : "");
    if (status == TQD_STORE_OK) {
        const int64_t seq = sqlite3_last_insert_rowid(connection->db);
        describe_new(submit, seq, now);
        status = tqd_sqlite_body_put(connection, seq, TQD_BODY_REQUEST, &submit->request);
        if (status == TQD_STORE_OK) {
            status = tqd_sqlite_inputs_pin(connection, seq, submit->inputs);
        }
    }
    return status;
}
