/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/parts.c - parts of running jobs: their writes as calls of functions,
 * their reads. */
#include "daemon/store/parts.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"

static const char open_sql[] = "SELECT tqd_part_open($1, $2, $3, $4)";
static const char claim_sql[] = "SELECT status, part_, part_fence, is_first, " TQD_JOB_LIST(
    "(j).") " FROM tqd_part_claim($1, $2, $3, $4, $5)";
static const char beat_sql[] = "SELECT tqd_part_beat($1, $2, $3, $4)";
static const char end_sql[] = "SELECT tqd_part_end($1, $2, $3, $4, $5)";
static const char drop_sql[] = "SELECT tqd_part_drop($1, $2)";
static const char counts_sql[] =
    "SELECT count(*) FILTER (WHERE state = 0 OR (state = 1 AND lease_until_ms <= tqd_now())),"
    " count(*) FILTER (WHERE state = 1 AND lease_until_ms > tqd_now()),"
    " count(*) FILTER (WHERE state = 2), count(*) FILTER (WHERE state = 3)"
    " FROM job_part WHERE job = (SELECT seq FROM job WHERE id = $1)";
static const char bytes_sql[] =
    "SELECT p.bytes FROM job_part p JOIN job q ON q.seq = p.job WHERE q.id = $1 AND p.part = $2"
    " AND p.state = 2";

const char *tqd_part_bind(const tqd_write *write, tqd_parameters *p)
{
    const tqd_part_open *open = (const tqd_part_open *)write;
    const tqd_part_claim *claim = (const tqd_part_claim *)write;
    const tqd_part_beat *beat = (const tqd_part_beat *)write;
    const tqd_part_end *end = (const tqd_part_end *)write;
    const tqd_part_drop *drop = (const tqd_part_drop *)write;
    switch ((int)write->kind) {
    case TQD_WRITE_PART_OPEN:
        tqd_bind(p, "titi", open->id, (int64_t)open->fence, open->version, (int64_t)open->n);
        return open_sql;
    case TQD_WRITE_PART_CLAIM:
        tqd_bind(p, "titti", claim->node, claim->lease_ms, claim->version, claim->id,
                 (int64_t)claim->fence);
        return claim_sql;
    case TQD_WRITE_PART_BEAT:
        tqd_bind(p, "tiii", beat->id, (int64_t)beat->part, (int64_t)beat->fence, beat->lease_ms);
        return beat_sql;
    case TQD_WRITE_PART_END:
        tqd_bind(p, "tiiib", end->id, (int64_t)end->part, (int64_t)end->fence, (int64_t)end->state,
                 end->bytes, (size_t)end->size);
        return end_sql;
    default:
        tqd_bind(p, "tt", drop->node, drop->blamed);
        return drop_sql;
    }
}

void tqd_part_take(tqd_write *write, const PGresult *result)
{
    if (write->kind == TQD_WRITE_PART_CLAIM && write->status == TQD_STORE_OK) {
        tqd_part_claim *claim = (tqd_part_claim *)write;
        claim->part = (uint32_t)tqd_integer(result, 0, 1);
        claim->part_fence = (uint64_t)tqd_integer(result, 0, 2);
        claim->is_first = tqd_truth(result, 0, 3);
        tqd_job_read(result, 0, 4, &claim->job);
    }
}

tqd_store_status tqd_pg_parts(tqd_session *session, const char *id, tqd_part_counts *ret)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", id);
    PGresult *result = tqd_query(session, counts_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    if (status == TQD_STORE_OK) {
        *ret = (tqd_part_counts){.n_open = (uint32_t)tqd_integer(result, 0, 0),
                                 .n_running = (uint32_t)tqd_integer(result, 0, 1),
                                 .n_done = (uint32_t)tqd_integer(result, 0, 2),
                                 .n_failed = (uint32_t)tqd_integer(result, 0, 3)};
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_part_bytes(tqd_session *session, const char *id, uint32_t part,
                                   char **ret_bytes, uint64_t *ret_size)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ti", id, (int64_t)part);
    PGresult *result = tqd_query_binary(session, bytes_sql, &p);
    tqd_store_status status = tqd_result_status(result);
    if (status == TQD_STORE_OK && PQntuples(result) == 0) {
        status = TQD_STORE_NOT_FOUND;
    } else if (status == TQD_STORE_OK) {
        const size_t n = (size_t)PQgetlength(result, 0, 0);
        *ret_size = n;
        *ret_bytes = malloc(n + 1);
        status = *ret_bytes != NULL ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
        if (status == TQD_STORE_OK) {
            memcpy(*ret_bytes, PQgetvalue(result, 0, 0), n);
        }
    }
    PQclear(result);
    return status;
}
