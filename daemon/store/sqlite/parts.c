/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/parts.c - parts of running jobs in SQLite. */
#include "daemon/store/parts.h"

#include <string.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/sqlite/job_row.h"

/* Steps once and resets; the first column, or NOT_FOUND without a row. */
static tqd_store_status number_of(tqd_connection *connection, sqlite3_stmt *statement, int64_t *ret)
{
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    *ret = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return status;
}

static const char held_sql[] = "SELECT seq FROM job WHERE id = ?1 AND state = 1 AND fence = ?2";
static const char forget_sql[] = "DELETE FROM job_part WHERE job = ?1 AND version <> ?2";
static const char adopt_sql[] = "UPDATE job_part SET run = ?2 WHERE job = ?1";
static const char make_sql[] =
    "WITH RECURSIVE number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i + 1 < ?4)"
    " INSERT INTO job_part(job, part, version, run) SELECT ?1, i, ?2, ?3 FROM number WHERE true"
    " ON CONFLICT DO NOTHING";

tqd_store_status tqd_sqlite_part_open(tqd_connection *connection, tqd_write *write)
{
    const tqd_part_open *open = (const tqd_part_open *)write;
    const int64_t run = (int64_t)open->fence;
    int64_t seq = 0;
    tqd_store_status status =
        number_of(connection, tqd_sql_bound(connection, held_sql, "ti", open->id, run), &seq);
    if (status != TQD_STORE_OK) {
        return status == TQD_STORE_NOT_FOUND ? TQD_STORE_MISMATCH : status;
    }
    status = tqd_sql_do(connection, forget_sql, "it", seq, open->version);
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, adopt_sql, "ii", seq, run);
    }
    return status == TQD_STORE_OK
               ? tqd_sql_do(connection, make_sql, "itii", seq, open->version, run, (int64_t)open->n)
               : status;
}

/* -------------------------------------------------------------------------------------- claim */

#define WAITS "(p.state = 0 OR (p.state = 1 AND p.lease_until_ms <= ?1))"
static const char any_job_sql[] =
    "SELECT q.seq FROM job q JOIN (SELECT p.job AS number,"
    " count(*) FILTER (WHERE p.state = 1 AND p.lease_until_ms > ?1) AS n_running,"
    " min(p.part) FILTER (WHERE " WAITS " AND p.crashes = 0) AS first,"
    " min(p.part) FILTER (WHERE p.state = 3) AS failed"
    " FROM job_part p JOIN job r ON r.seq = p.job AND r.fence = p.run WHERE p.version = ?2"
    " GROUP BY p.job) d ON d.number = q.seq"
    " WHERE q.state = 1 AND q.cancel_asked = 0 AND d.first IS NOT NULL"
    " AND (d.failed IS NULL OR d.first < d.failed)"
    " ORDER BY q.priority DESC, d.n_running, q.seq LIMIT 1";
#define BEFORE                                                                                     \
    "EXISTS (SELECT 1 FROM job_part l WHERE l.job = p.job AND l.part < p.part AND l.state <> 2)"
static const char part_sql[] =
    "SELECT p.part FROM job_part p WHERE p.job = ?2 AND p.part <= coalesce("
    "  (SELECT min(f.part) FROM job_part f WHERE f.job = ?2 AND f.state = 3), p.part)"
    " AND (" WAITS " OR (p.state = 3 AND ?3 AND NOT " BEFORE "))"
    " AND (p.crashes = 0 OR ?3) ORDER BY p.part LIMIT 1";
static const char take_sql[] =
    "UPDATE job_part SET state = 1, fence = fence + 1, node = ?3, lease_until_ms = ?4, bytes = NULL"
    " WHERE job = ?1 AND part = ?2";
static const char taken_sql[] =
    "SELECT fence FROM job_part p WHERE p.job = ?1 AND p.part = ?2 AND (?3 = 0 OR NOT " BEFORE ")";
static const char row_sql[] = "SELECT " TQD_JOB_COLUMNS " FROM job WHERE seq = ?1";

static tqd_store_status find_job(tqd_connection *connection, const tqd_part_claim *claim,
                                 int64_t now, int64_t *ret_seq)
{
    bool drained = false;
    if (claim->id != NULL) {
        return number_of(
            connection, tqd_sql_bound(connection, held_sql, "ti", claim->id, (int64_t)claim->fence),
            ret_seq);
    }
    const tqd_store_status status = tqd_sqlite_node_drained(connection, claim->node, &drained);
    if (status != TQD_STORE_OK || drained) {
        return status != TQD_STORE_OK ? status : TQD_STORE_NOT_FOUND;
    }
    return number_of(connection, tqd_sql_bound(connection, any_job_sql, "it", now, claim->version),
                     ret_seq);
}

/* sets job, part_fence and is_first of a claim */
static tqd_store_status describe(tqd_connection *connection, tqd_part_claim *claim, int64_t seq)
{
    int64_t fence = 0;
    const int64_t part = claim->part;
    tqd_store_status status = number_of(
        connection, tqd_sql_bound(connection, taken_sql, "iii", seq, part, (int64_t)1), &fence);
    claim->is_first = status == TQD_STORE_OK;
    if (status == TQD_STORE_NOT_FOUND) {
        status = number_of(
            connection, tqd_sql_bound(connection, taken_sql, "iii", seq, part, (int64_t)0), &fence);
    }
    claim->part_fence = (uint64_t)fence;
    sqlite3_stmt *row = tqd_sql_bound(connection, row_sql, "i", seq);
    if (status != TQD_STORE_OK || row == NULL) {
        return status != TQD_STORE_OK ? status : tqd_sql_once(connection, row, NULL);
    }
    status = tqd_sqlite_status(connection->db, sqlite3_step(row));
    if (status == TQD_STORE_OK) {
        tqd_sqlite_job_row(row, &claim->job);
    }
    sqlite3_reset(row);
    return status;
}

tqd_store_status tqd_sqlite_part_claim(tqd_connection *connection, tqd_write *write)
{
    tqd_part_claim *claim = (tqd_part_claim *)write;
    const int64_t now = tqd_now_ms();
    int64_t seq = 0;
    int64_t part = 0;
    tqd_store_status status = find_job(connection, claim, now, &seq);
    if (status == TQD_STORE_OK) {
        status = number_of(connection,
                           tqd_sql_bound(connection, part_sql, "iii", now, seq,
                                         (int64_t)(claim->id != NULL ? 1 : 0)),
                           &part);
    }
    if (status == TQD_STORE_OK) {
        claim->part = (uint32_t)part;
        status =
            tqd_sql_do(connection, take_sql, "iiti", seq, part, claim->node, now + claim->lease_ms);
    }
    return status == TQD_STORE_OK ? describe(connection, claim, seq) : status;
}

/* ------------------------------------------------------------------------- while it is claimed */

static const char part_held_sql[] =
    "SELECT q.seq FROM job q JOIN job_part p ON p.job = q.seq WHERE q.id = ?1 AND q.state < 2"
    " AND p.part = ?2 AND p.state = 1 AND p.fence = ?3 AND (?4 = 0 OR q.cancel_asked = 0)";
static const char beat_sql[] =
    "UPDATE job_part SET lease_until_ms = ?3 WHERE job = ?1 AND part = ?2";
static const char end_sql[] =
    "UPDATE job_part SET state = ?3, lease_until_ms = 0, bytes = ?4 WHERE job = ?1 AND part = ?2";
static const char forgive_sql[] =
    "UPDATE job SET tries = 0, crashes = 0 WHERE seq = ?1 AND (tries > 0 OR crashes > 0)"
    " AND NOT EXISTS (SELECT 1 FROM job_part p WHERE p.job = ?1 AND p.state <> 2"
    "   AND p.crashes > 0)";

static tqd_store_status find_held(tqd_connection *connection, const char *id, uint32_t part,
                                  uint64_t fence, bool goes_on, int64_t *ret_seq)
{
    const tqd_store_status status =
        number_of(connection,
                  tqd_sql_bound(connection, part_held_sql, "tiii", id, (int64_t)part,
                                (int64_t)fence, (int64_t)(goes_on ? 1 : 0)),
                  ret_seq);
    return status == TQD_STORE_NOT_FOUND ? TQD_STORE_MISMATCH : status;
}

tqd_store_status tqd_sqlite_part_beat(tqd_connection *connection, tqd_write *write)
{
    const tqd_part_beat *beat = (const tqd_part_beat *)write;
    int64_t seq = 0;
    const tqd_store_status status =
        find_held(connection, beat->id, beat->part, beat->fence, true, &seq);
    return status == TQD_STORE_OK ? tqd_sql_do(connection, beat_sql, "iii", seq,
                                               (int64_t)beat->part, tqd_now_ms() + beat->lease_ms)
                                  : status;
}

tqd_store_status tqd_sqlite_part_end(tqd_connection *connection, tqd_write *write)
{
    const tqd_part_end *end = (const tqd_part_end *)write;
    int64_t seq = 0;
    tqd_store_status status = find_held(connection, end->id, end->part, end->fence, false, &seq);
    if (status == TQD_STORE_OK) {
        status = tqd_sql_do(connection, end_sql, "iiib", seq, (int64_t)end->part,
                            (int64_t)end->state, end->bytes, (size_t)end->size);
    }
    return status == TQD_STORE_OK && end->state == TQD_PART_DONE
               ? tqd_sql_do(connection, forgive_sql, "i", seq)
               : status;
}

static const char blame_sql[] =
    "UPDATE job SET crashes = crashes + 1 WHERE id = ?2 AND state < 2"
    " AND NOT (state = 1 AND (node = ?1 OR ?3))"
    " AND EXISTS (SELECT 1 FROM job_part p WHERE p.job = job.seq AND p.state = 1"
    " AND (p.node = ?1 OR ?3))";
static const char drop_sql[] =
    "UPDATE job_part SET state = 0, lease_until_ms = 0, crashes = crashes + ifnull((SELECT q.id ="
    " ?2 FROM job q WHERE q.seq = job_part.job), 0) WHERE state = 1 AND (node = ?1 OR ?3)";

tqd_store_status tqd_sqlite_part_drop(tqd_connection *connection, tqd_write *write)
{
    const tqd_part_drop *drop = (const tqd_part_drop *)write;
    const tqd_store_status status =
        tqd_sql_do(connection, blame_sql, "tti", drop->node, drop->blamed, (int64_t)drop->any_node);
    return status == TQD_STORE_OK ? tqd_sql_do(connection, drop_sql, "tti", drop->node,
                                               drop->blamed, (int64_t)drop->any_node)
                                  : status;
}

/* -------------------------------------------------------------------------------------- reads */

static const char counts_sql[] =
    "SELECT count(*) FILTER (WHERE " WAITS "),"
    " count(*) FILTER (WHERE p.state = 1 AND p.lease_until_ms > ?1),"
    " count(*) FILTER (WHERE p.state = 2), count(*) FILTER (WHERE p.state = 3)"
    " FROM job_part p WHERE p.job = (SELECT seq FROM job WHERE id = ?2)";
static const char bytes_sql[] =
    "SELECT p.bytes FROM job_part p JOIN job q ON q.seq = p.job WHERE q.id = ?1 AND p.part = ?2"
    " AND p.state = 2";

tqd_store_status tqd_sqlite_parts(tqd_connection *connection, const char *id, tqd_part_counts *ret)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, counts_sql, "it", tqd_now_ms(), id);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    if (code == SQLITE_ROW) {
        *ret = (tqd_part_counts){.n_open = (uint32_t)sqlite3_column_int(statement, 0),
                                 .n_running = (uint32_t)sqlite3_column_int(statement, 1),
                                 .n_done = (uint32_t)sqlite3_column_int(statement, 2),
                                 .n_failed = (uint32_t)sqlite3_column_int(statement, 3)};
    }
    sqlite3_reset(statement);
    return status;
}

tqd_store_status tqd_sqlite_part_bytes(tqd_connection *connection, const char *id, uint32_t part,
                                       char **ret_bytes, uint64_t *ret_size)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, bytes_sql, "ti", id, (int64_t)part);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    const int code = sqlite3_step(statement);
    tqd_store_status status =
        code == SQLITE_DONE ? TQD_STORE_NOT_FOUND : tqd_sqlite_status(connection->db, code);
    if (code == SQLITE_ROW) {
        *ret_size = (uint64_t)sqlite3_column_bytes(statement, 0);
        status = tqd_column_bytes(statement, 0, ret_bytes);
    }
    sqlite3_reset(statement);
    return status;
}
