/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/jobs.c - the life cycle of a job in SQLite: claim, finish, all in between. */
#include <stdio.h>
#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/problem.h"
#include "daemon/store/sqlite/job_row.h"

/* -------------------------------------------------------------------------------------- claim */

/* INDEXED BY: left to itself SQLite takes job_by_state, and sorts the whole queue */
static const char next_sql[] = "SELECT " TQD_JOB_COLUMNS ", tag FROM job INDEXED BY job_ready"
                               " WHERE state = 0"
                               " AND (deadline_at_ms IS NULL OR deadline_at_ms > ?1)"
                               " ORDER BY priority DESC, tag, seq LIMIT 1";
/* The first job by turn of each client that is not in ?2, and of these the first: one look-up in
 * the index (client, tag) for each client, independent of its number of jobs. */
static const char next_other_sql[] =
    "WITH RECURSIVE waiting(client) AS ("
    "  SELECT (SELECT client FROM job INDEXED BY job_client WHERE state = 0"
    "    ORDER BY client LIMIT 1)"
    "  UNION ALL SELECT (SELECT j.client FROM job j INDEXED BY job_client WHERE j.state = 0"
    "    AND j.client > waiting.client ORDER BY j.client LIMIT 1)"
    "  FROM waiting WHERE waiting.client IS NOT NULL)"
    "SELECT " TQD_JOB_COLUMNS ", tag FROM job WHERE seq IN ("
    "  SELECT (SELECT j.seq FROM job j INDEXED BY job_client WHERE j.state = 0"
    "    AND j.client = waiting.client AND (j.deadline_at_ms IS NULL OR j.deadline_at_ms > ?1)"
    "    ORDER BY j.tag, j.seq LIMIT 1)"
    "  FROM waiting WHERE instr(?2, char(10) || waiting.client || char(10)) = 0)"
    " ORDER BY tag, seq LIMIT 1";
static const char claim_sql[] =
    "UPDATE job SET state = 1, attempts = attempts + 1, fence = fence + 1, node = ?2,"
    " lease_until_ms = ?3, started_ms = CASE started_ms WHEN 0 THEN ?4 ELSE started_ms END,"
    " changed_ms = ?4 WHERE seq = ?1";
static const char clock_sql[] = "UPDATE usage SET n = ?1 WHERE what = 'clock' AND n < ?1";

tqd_store_status tqd_sqlite_claim(tqd_connection *connection, tqd_write *write)
{
    tqd_job_claim *claim = (tqd_job_claim *)write;
    const int64_t now = tqd_now_ms();
    bool drained = false;
    const tqd_store_status asked = tqd_sqlite_node_drained(connection, claim->node, &drained);
    if (asked != TQD_STORE_OK || drained) {
        return asked != TQD_STORE_OK ? asked : TQD_STORE_NOT_FOUND;
    }
    sqlite3_stmt *statement =
        claim->not_of == NULL ? tqd_sql_bound(connection, next_sql, "i", now)
                              : tqd_sql_bound(connection, next_other_sql, "it", now, claim->not_of);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    int64_t tag = 0;
    if (code == SQLITE_ROW) {
        tqd_sqlite_job_row(statement, &claim->job);
        tag = sqlite3_column_int64(statement, TQD_JOB_N_COLUMN);
    }
    sqlite3_reset(statement);
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, claim_sql, "itii", (int64_t)claim->job.seq, claim->node,
                            now + claim->lease_ms, now);
    }
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, clock_sql, "i", tag);
    }
    if (status == TQD_STORE_OK) {
        claim->job.state = TQD_JOB_RUNNING;
        claim->job.attempts++;
        claim->job.fence++;
        claim->job.started_ms = claim->job.started_ms != 0 ? claim->job.started_ms : now;
        snprintf(claim->job.node, sizeof claim->job.node, "%s", claim->node);
    }
    return status;
}

/* -------------------------------------------------------------- while a worker holds the lease */

static const char held_sql[] = "SELECT seq, cancel_asked FROM job"
                               " WHERE id = ?1 AND state = 1 AND fence = ?2";

/* MISMATCH unless `fence` is the fencing token of the present claim */
static tqd_store_status find_held(tqd_connection *connection, const char *id, uint64_t fence,
                                  int64_t *ret_seq, bool *ret_cancel)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, held_sql, "ti", id, (int64_t)fence);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_MISMATCH : tqd_sqlite_status(connection->db, code);
    *ret_seq = sqlite3_column_int64(statement, 0);
    *ret_cancel = sqlite3_column_int(statement, 1) != 0;
    sqlite3_reset(statement);
    return status;
}

static const char beat_sql[] = "UPDATE job SET lease_until_ms = ?2, fraction = ?3, eta_s = ?4,"
                               " step = coalesce(?5, step) WHERE seq = ?1";

tqd_store_status tqd_sqlite_beat(tqd_connection *connection, tqd_write *write)
{
    tqd_job_beat *beat = (tqd_job_beat *)write;
    int64_t seq = 0;
    const tqd_store_status status =
        find_held(connection, beat->id, beat->fence, &seq, &beat->cancel_asked);
    if (status != TQD_STORE_OK) {
        return status;
    }
    return tqd_sql_do(connection, beat_sql, "iiddt", seq, tqd_now_ms() + beat->lease_ms,
                      beat->fraction, beat->eta_s, beat->step);
}

static const char bytes_sql[] = "SELECT bytes FROM usage WHERE what = 'job_body'";
static const char forgive_sql[] =
    "UPDATE job SET lease_until_ms = ?2, tries = 0, crashes = 0 WHERE seq = ?1";

tqd_store_status tqd_sqlite_checkpoint(tqd_connection *connection, tqd_write *write)
{
    tqd_job_checkpoint *checkpoint = (tqd_job_checkpoint *)write;
    int64_t seq = 0;
    bool cancel = false;
    tqd_store_status status =
        find_held(connection, checkpoint->id, checkpoint->fence, &seq, &cancel);
    if (status == TQD_STORE_OK && checkpoint->bytes_max != 0) {
        sqlite3_stmt *statement = tqd_sql(connection, bytes_sql);
        if (statement == NULL) {
            return tqd_sql_once(connection, statement, NULL);
        }
        status = tqd_sqlite_status(connection->db, sqlite3_step(statement));
        const uint64_t bytes = (uint64_t)sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
        if (status == TQD_STORE_OK && bytes + checkpoint->body.size > checkpoint->bytes_max) {
            return TQD_STORE_QUOTA;
        }
    }
    if (status == TQD_STORE_OK) {
        status = tqd_sqlite_body_put(connection, seq, TQD_BODY_CHECKPOINT, &checkpoint->body);
    }
    if (status == TQD_STORE_OK) {
        status =
            tqd_sql_do(connection, forgive_sql, "ii", seq, tqd_now_ms() + checkpoint->lease_ms);
    }
    return status;
}

static const char finish_sql[] =
    "UPDATE job SET state = ?2, lease_until_ms = 0, finished_ms = ?3, changed_ms = ?3,"
    " eta_s = CASE ?2 WHEN 2 THEN 0.0 ELSE -1.0 END,"
    " fraction = CASE ?2 WHEN 2 THEN 1.0 ELSE fraction END WHERE seq = ?1";
static const char drop_checkpoint_sql[] = "DELETE FROM job_body WHERE job = ?1 AND what = 2";

tqd_store_status tqd_sqlite_finish(tqd_connection *connection, tqd_write *write)
{
    const tqd_job_finish *finish = (const tqd_job_finish *)write;
    int64_t seq = 0;
    bool cancel = false;
    tqd_store_status status = find_held(connection, finish->id, finish->fence, &seq, &cancel);
    if (status == TQD_STORE_OK) {
        status =
            tqd_sql_do(connection, finish_sql, "iii", seq, (int64_t)finish->state, tqd_now_ms());
    }
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, drop_checkpoint_sql, "i", seq);
    }
    if (status == TQD_STORE_OK && finish->result.media != NULL) {
        status = tqd_sqlite_body_put(connection, seq, TQD_BODY_RESULT, &finish->result);
    }
    if (status == TQD_STORE_OK && finish->problem.media != NULL) {
        status = tqd_sqlite_body_put(connection, seq, TQD_BODY_PROBLEM, &finish->problem);
    }
    for (size_t i = 0; status == TQD_STORE_OK && i < finish->n_attachment; i++) {
        status = tqd_sqlite_attachment_put(connection, seq, &finish->attachments[i]);
    }
    return status;
}

static const char requeue_sql[] = "UPDATE job SET state = 0, lease_until_ms = 0, changed_ms = ?2"
                                  " WHERE seq = ?1";
static const char end_sql[] =
    "UPDATE job SET state = ?2, lease_until_ms = 0, eta_s = -1.0, finished_ms = ?3,"
    " changed_ms = ?3 WHERE seq = ?1";

tqd_store_status tqd_sqlite_release(tqd_connection *connection, tqd_write *write)
{
    const tqd_job_release *release = (const tqd_job_release *)write;
    int64_t seq = 0;
    bool cancel = false;
    const tqd_store_status status =
        find_held(connection, release->id, release->fence, &seq, &cancel);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (cancel) {
        return tqd_sql_do(connection, end_sql, "iii", seq, (int64_t)TQD_JOB_CANCELLED,
                          tqd_now_ms());
    }
    return tqd_sql_do(connection, requeue_sql, "ii", seq, tqd_now_ms());
}

/* ------------------------------------------------------------------------------ cancel, delete */

static const char ask_cancel_sql[] = "UPDATE job SET cancel_asked = 1 WHERE seq = ?1";

tqd_store_status tqd_sqlite_cancel(tqd_connection *connection, tqd_write *write)
{
    tqd_job_cancel *cancel = (tqd_job_cancel *)write;
    tqd_store_status status = tqd_sqlite_job(connection, cancel->id, &cancel->job);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (tqd_is_owned(cancel->job.client, cancel->by)) {
        return TQD_STORE_OWNED;
    }
    if (cancel->job.state == TQD_JOB_QUEUED) {
        const int64_t now = tqd_now_ms();
        cancel->job.state = TQD_JOB_CANCELLED;
        cancel->job.finished_ms = now;
        return tqd_sql_do(connection, end_sql, "iii", (int64_t)cancel->job.seq,
                          (int64_t)TQD_JOB_CANCELLED, now);
    }
    if (cancel->job.state == TQD_JOB_RUNNING) {
        cancel->job.cancel_asked = true;
        return tqd_sql_do(connection, ask_cancel_sql, "i", (int64_t)cancel->job.seq);
    }
    return TQD_STORE_MISMATCH;
}

static const char delete_sql[] = "DELETE FROM job WHERE seq = ?1";

tqd_store_status tqd_sqlite_job_delete(tqd_connection *connection, tqd_write *write)
{
    tqd_job_delete *delete = (tqd_job_delete *)write;
    tqd_job job;
    const tqd_store_status status = tqd_sqlite_job(connection, delete->id, &job);
    if (status != TQD_STORE_OK) {
        return status;
    }
    memcpy(delete->owner, job.client, sizeof delete->owner);
    if (tqd_is_owned(delete->owner, delete->by)) {
        return TQD_STORE_OWNED;
    }
    if (job.state < TQD_JOB_SUCCEEDED) {
        return TQD_STORE_MISMATCH;
    }
    return tqd_sql_do(connection, delete_sql, "i", (int64_t)job.seq);
}

static const char keep_sql[] = "UPDATE job SET waited = 0 WHERE seq = ?1";

tqd_store_status tqd_sqlite_keep(tqd_connection *connection, tqd_write *write)
{
    const tqd_job_keep *keep = (const tqd_job_keep *)write;
    tqd_job job;
    const tqd_store_status status = tqd_sqlite_job(connection, keep->id, &job);
    return status == TQD_STORE_OK ? tqd_sql_do(connection, keep_sql, "i", (int64_t)job.seq)
                                  : status;
}

/* Numbers of rows, at most CHUNK; the query ends before the rows are deleted. */
enum { CHUNK = 64 };
typedef struct row_numbers {
    uint32_t n;
    int64_t seqs[CHUNK];
} row_numbers;

static int add_number(void *ctx, const tqd_job *job)
{
    row_numbers *rows = ctx;
    rows->seqs[rows->n++] = (int64_t)job->seq;
    return rows->n == CHUNK;
}

tqd_store_status tqd_sqlite_purge(tqd_connection *connection, tqd_write *write)
{
    tqd_job_purge *purge = (tqd_job_purge *)write;
    tqd_job_filter filter = purge->filter;
    row_numbers rows = {.n = 0};
    purge->n_job = 0;
    filter.states = filter.states != 0 ? filter.states & TQD_JOBS_FINISHED : TQD_JOBS_FINISHED;
    if (filter.states == 0) {
        return TQD_STORE_OK;
    }
    tqd_store_status status = tqd_sqlite_jobs(connection, &filter, add_number, &rows);
    for (uint32_t i = 0; status == TQD_STORE_OK && i < rows.n; i++) {
        status = tqd_sql_do(connection, delete_sql, "i", rows.seqs[i]);
    }
    if (status == TQD_STORE_OK && rows.n > 0) {
        purge->n_job = rows.n;
        purge->last_seq = (uint64_t)rows.seqs[rows.n - 1];
    }
    return status;
}

/* ----------------------------------------------------------------------------- expire, retain */

static const char overdue_sql[] = "SELECT seq FROM job INDEXED BY job_deadline WHERE state = 0"
                                  " AND deadline_at_ms <= ?1 LIMIT ?2";
static const char lost_sql[] = "SELECT seq FROM job WHERE state = 1 AND lease_until_ms <= ?1"
                               " LIMIT ?2";
static const char orphaned_sql[] =
    "SELECT seq FROM job WHERE state = 1 AND (node = ?1 OR ?3) LIMIT ?2";
static const char facts_sql[] = "SELECT id, crashes, cancel_asked, tries FROM job WHERE seq = ?1";
static const char interrupted_sql[] =
    "UPDATE job SET tries = tries + 1, crashes = crashes + ?2 WHERE seq = ?1";

/* the row numbers of a query, at most CHUNK; it is reset before the rows are changed */
static tqd_store_status collect(tqd_connection *connection, sqlite3_stmt *statement,
                                int64_t seqs[CHUNK], uint32_t *ret_n)
{
    *ret_n = 0;
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        seqs[(*ret_n)++] = sqlite3_column_int64(statement, 0);
        code = *ret_n < CHUNK ? sqlite3_step(statement) : SQLITE_DONE;
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}

static tqd_store_status fail_job(tqd_connection *connection, int64_t seq, tqd_job_end end)
{
    char problem[TQD_JOB_END_TEXT];
    const tqd_body body = {.media = "application/problem+json",
                           .bytes = problem,
                           .size = tqd_job_end_print(end, problem)};
    tqd_store_status status =
        tqd_sql_do(connection, end_sql, "iii", seq, (int64_t)TQD_JOB_FAILED, tqd_now_ms());
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, drop_checkpoint_sql, "i", seq);
    }
    return status == TQD_STORE_OK ? tqd_sqlite_body_put(connection, seq, TQD_BODY_PROBLEM, &body)
                                  : status;
}

static tqd_store_status give_up(tqd_connection *connection, const tqd_job_expire *expire,
                                int64_t seq)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, facts_sql, "i", seq);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    tqd_store_status status = tqd_sqlite_status(connection->db, sqlite3_step(statement));
    char id[TQD_JOB_ID_TEXT];
    tqd_column_copy(statement, 0, id, sizeof id);
    const bool blamed = expire->blamed != NULL && strcmp(expire->blamed, id) == 0;
    const uint32_t crashes = (uint32_t)sqlite3_column_int(statement, 1) + (blamed ? 1 : 0);
    const bool cancel = sqlite3_column_int(statement, 2) != 0;
    const uint32_t interruptions = (uint32_t)sqlite3_column_int(statement, 3) + 1;
    sqlite3_reset(statement);
    if (status != TQD_STORE_OK) {
        return status;
    }
    status = tqd_sql_do(connection, interrupted_sql, "ii", seq, (int64_t)(blamed ? 1 : 0));
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (cancel) {
        return tqd_sql_do(connection, end_sql, "iii", seq, (int64_t)TQD_JOB_CANCELLED,
                          tqd_now_ms());
    }
    if (blamed && crashes >= expire->crashes_max) {
        return fail_job(connection, seq, TQD_JOB_END_CRASHED);
    }
    if (expire->interruptions_max > 0 && interruptions >= expire->interruptions_max) {
        return fail_job(connection, seq, TQD_JOB_END_INTERRUPTED);
    }
    return tqd_sql_do(connection, requeue_sql, "ii", seq, tqd_now_ms());
}

tqd_store_status tqd_sqlite_expire(tqd_connection *connection, tqd_write *write)
{
    tqd_job_expire *expire = (tqd_job_expire *)write;
    const int64_t limit = expire->limit < CHUNK ? expire->limit : CHUNK;
    const int64_t now = tqd_now_ms();
    int64_t seqs[CHUNK];
    uint32_t n = 0;
    expire->n_job = 0;
    tqd_store_status status =
        collect(connection, tqd_sql_bound(connection, overdue_sql, "ii", now, limit), seqs, &n);
    for (uint32_t i = 0; status == TQD_STORE_OK && i < n; i++) {
        status = fail_job(connection, seqs[i], TQD_JOB_END_LATE);
        expire->n_job++;
    }
    if (status == TQD_STORE_OK) {
        sqlite3_stmt *statement = expire->node != NULL
                                      ? tqd_sql_bound(connection, orphaned_sql, "tii", expire->node,
                                                      limit, (int64_t)expire->any_node)
                                      : tqd_sql_bound(connection, lost_sql, "ii", now, limit);
        status = collect(connection, statement, seqs, &n);
    }
    for (uint32_t i = 0; status == TQD_STORE_OK && i < n; i++) {
        status = give_up(connection, expire, seqs[i]);
        expire->n_job++;
    }
    return status;
}

static const char oldest_sql[] =
    "SELECT seq FROM job WHERE state >= 2 AND finished_ms <= ?1 ORDER BY finished_ms LIMIT ?2";
/* The oldest of the client whose jobs have most bytes, of those who have a finished one: usage
 * 'client:NAME' without its datasets; '' has what is nobody's. */
static const char oldest_of_most_sql[] =
    "WITH named(client, bytes) AS (SELECT substr(u.what, 8), u.bytes - coalesce(d.bytes, 0)"
    "  FROM usage u LEFT JOIN (SELECT owner, sum(size) AS bytes FROM dataset GROUP BY owner) d"
    "  ON d.owner = substr(u.what, 8) WHERE u.what >= 'client:' AND u.what < 'client;'),"
    " held(client, bytes) AS (SELECT client, bytes FROM named UNION ALL SELECT '',"
    "  (SELECT bytes FROM usage WHERE what = 'job_body')"
    "   - (SELECT coalesce(sum(bytes), 0) FROM named))"
    " SELECT seq FROM job WHERE state >= 2 AND client = (SELECT h.client FROM held h"
    "  WHERE EXISTS (SELECT 1 FROM job j WHERE j.state >= 2 AND j.client = h.client)"
    "  ORDER BY h.bytes DESC LIMIT 1) ORDER BY finished_ms, seq LIMIT ?1";
static const char oldest_waited_sql[] =
    "SELECT seq FROM job WHERE state >= 2 AND waited = 1 AND finished_ms <= ?1"
    " ORDER BY finished_ms LIMIT ?2";

/* the next row to delete; *ret_n: 0 or 1 */
static tqd_store_status find_expired(tqd_connection *connection, const tqd_job_retain *retain,
                                     bool too_big, int64_t seqs[CHUNK], uint32_t *ret_n)
{
    const int64_t now = tqd_now_ms();
    tqd_store_status status = collect(
        connection,
        tqd_sql_bound(connection, oldest_waited_sql, "ii", now - retain->age_waited_ms, (int64_t)1),
        seqs, ret_n);
    if (status == TQD_STORE_OK && *ret_n == 0) {
        status =
            collect(connection,
                    tqd_sql_bound(connection, oldest_sql, "ii", now - retain->age_ms, (int64_t)1),
                    seqs, ret_n);
    }
    if (status == TQD_STORE_OK && *ret_n == 0 && too_big) {
        /* one at a time while bodies are above the bound: none is deleted that could stay */
        status = collect(connection, tqd_sql_bound(connection, oldest_of_most_sql, "i", (int64_t)1),
                         seqs, ret_n);
    }
    return status;
}

tqd_store_status tqd_sqlite_retain(tqd_connection *connection, tqd_write *write)
{
    tqd_job_retain *retain = (tqd_job_retain *)write;
    retain->n_job = 0;
    tqd_job_counts counts;
    tqd_store_status status = tqd_sqlite_job_counts(connection, &counts);
    while (status == TQD_STORE_OK && retain->n_job < retain->limit) {
        /* waiting jobs have a bound of their own, and no deletion makes them less */
        const bool too_big = counts.body_bytes - counts.queued_bytes > retain->bytes_max;
        int64_t seqs[CHUNK];
        uint32_t n = 0;
        status = find_expired(connection, retain, too_big, seqs, &n);
        if (status != TQD_STORE_OK || n == 0) {
            break;
        }
        status = tqd_sql_do(connection, delete_sql, "i", seqs[0]);
        retain->n_job++;
        if (status == TQD_STORE_OK) {
            status = tqd_sqlite_job_counts(connection, &counts);
        }
    }
    return status;
}
