/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/jobs.c - queries of jobs, their bodies and events. */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"

static const char one_sql[] = "SELECT " TQD_JOB_LIST("") " FROM job WHERE id = $1";
/* of a job, with its '/': '' or the start of its client (key.h) */
#define NAMESPACE "left(client, strpos(client, '/'))"
/* Planned with its values: a filter that is not set folds away, and the index of one that is set is
 * found. Casts are where a type cannot be seen. A test within CASE counts as true for half of the
 * rows: without, as one of an expression without statistics, for 1 in 200, and 100 jobs of 100,000
 * were found by reading and sorting all. */
#define IS_STATE   "CASE WHEN ($2::int >> state) & 1 = 1 THEN true ELSE false END"
#define IS_DEFAULT "CASE WHEN strpos(client, '/') = 0 THEN true ELSE false END"
static const char list_sql[] = "SELECT " TQD_JOB_LIST(
    "") " FROM job WHERE seq < $1 AND ($2::int = 0 OR " IS_STATE ")"
        " AND ($3::text IS NULL OR kind = $3::text) AND ($4::text IS NULL OR robot = $4::text)"
        " AND ($6::bigint = 0 OR created_ms >= tqd_now() - $6::bigint)"
        " AND ($7::bigint = 0 OR created_ms < tqd_now() - $7::bigint)"
        " AND ($9::text IS NULL OR client = $9::text OR client = '')"
        " AND ($10::text IS NULL OR $10::text <> '' OR " IS_DEFAULT ")"
        " AND ($10::text IS NULL OR $10::text = ''"
        "  OR " NAMESPACE " = $10::text AND strpos(client, '/') > 0)"
        " AND ($8::int < 0 OR state = $8::int) ORDER BY seq DESC LIMIT $5";
/* few jobs are queued or running among many finished ones: a partial index has them */
static const char list_ready_sql[] = "SELECT " TQD_JOB_LIST(
    "") " FROM job WHERE seq < $1 AND state = 0 AND $2::int <> 0"
        " AND ($3::text IS NULL OR kind = $3::text) AND ($4::text IS NULL OR robot = $4::text)"
        " AND ($6::bigint = 0 OR created_ms >= tqd_now() - $6::bigint)"
        " AND ($7::bigint = 0 OR created_ms < tqd_now() - $7::bigint) AND $8::int = 0"
        " AND ($9::text IS NULL OR client = $9::text OR client = '')"
        " AND ($10::text IS NULL OR " NAMESPACE " = $10::text)"
        " ORDER BY seq DESC LIMIT $5";

#define BODY "SELECT b.media, b.size, b.file, b.bytes FROM "
static const char body_sql[] = BODY "job_body b JOIN job j ON j.seq = b.job"
                                    " WHERE j.id = $1 AND b.what = $2::smallint";
static const char input_sql[] = BODY "job_input b JOIN job j ON j.seq = b.job"
                                     " WHERE j.id = $1 AND b.name = $2";
static const char attachment_sql[] = BODY "job_attachment b JOIN job j ON j.seq = b.job"
                                          " WHERE j.id = $1 AND b.name = $2";
static const char version_sql[] =
    BODY "job_input b WHERE b.file = $2 AND (b.name = $1 OR b.name = $1 || '@' || $2) LIMIT 1";
static const char attachments_sql[] =
    "SELECT b.name, b.media, b.size FROM job_attachment b JOIN job j ON j.seq = b.job"
    " WHERE j.id = $1 ORDER BY b.name";
#define EVENT                                                                                      \
    "SELECT e.seq, j.id, e.state, e.attempts, e.at_ms, j.client"                                   \
    " FROM job_event e JOIN job j ON j.seq = e.job"
static const char all_events_sql[] = EVENT " WHERE e.seq > $1 ORDER BY e.seq LIMIT $2";
static const char job_events_sql[] =
    EVENT " WHERE j.id = $3 AND e.seq > $1 ORDER BY e.seq LIMIT $2";
static const char last_event_sql[] = "SELECT n FROM usage WHERE what = 'event'";
static const char counts_sql[] = "SELECT what, n, bytes FROM usage WHERE what LIKE 'job%'"
                                 " UNION ALL SELECT 'queued', 0, tqd_queued_bytes()";

/* NOT_FOUND when a good result has no row */
static tqd_store_status row_status(const PGresult *result)
{
    const tqd_store_status status = tqd_result_status(result);
    return status == TQD_STORE_OK && PQntuples(result) == 0 ? TQD_STORE_NOT_FOUND : status;
}

tqd_store_status tqd_pg_job(tqd_session *session, const char *id, tqd_job *ret_job)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", id);
    PGresult *result = tqd_query(session, one_sql, &p);
    const tqd_store_status status = row_status(result);
    if (status == TQD_STORE_OK) {
        tqd_job_read(result, 0, 0, ret_job);
    }
    PQclear(result);
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

tqd_store_status tqd_pg_jobs(tqd_session *session, const tqd_job_filter *filter,
                             int (*each)(void *, const tqd_job *), void *ctx)
{
    const int state = only_state(filter->states);
    tqd_parameters p = {.n = 0};
    char prefix[TQD_JOB_CLIENT_TEXT];
    tqd_bind(&p, "iittiiiitt", filter->before_seq != 0 ? (int64_t)filter->before_seq : INT64_MAX,
             (int64_t)filter->states, filter->kind, filter->robot, (int64_t)filter->limit,
             filter->newer_ms, filter->older_ms, (int64_t)state, filter->by,
             tqd_job_filter_prefix(filter, prefix));
    PGresult *result = tqd_query(session, state == TQD_JOB_QUEUED ? list_ready_sql : list_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        tqd_job job;
        tqd_job_read(result, i, 0, &job);
        if (each(ctx, &job) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}

static tqd_store_status read_body(tqd_session *session, const char *text, const tqd_parameters *p,
                                  char *media, char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    PGresult *result = tqd_query(session, text, p);
    tqd_store_status status = row_status(result);
    *ret_bytes = NULL;
    ret_file[0] = '\0';
    if (status == TQD_STORE_OK) {
        tqd_text(result, 0, 0, media, TQD_MEDIA_TEXT);
        *ret_size = (uint64_t)tqd_integer(result, 0, 1);
        if (!PQgetisnull(result, 0, 2)) {
            tqd_text(result, 0, 2, ret_file, TQD_DIGEST_TEXT);
        } else {
            status = tqd_bytes(result, 0, 3, ret_bytes);
        }
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_body(tqd_session *session, const char *id, tqd_body_kind kind, char *media,
                             char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ti", id, (int64_t)kind);
    return read_body(session, body_sql, &p, media, ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_pg_input(tqd_session *session, const char *id, const char *name, char *media,
                              char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "tt", id, name);
    return read_body(session, input_sql, &p, media, ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_pg_input_version(tqd_session *session, const char *name, const char *digest,
                                      char *media, uint64_t *ret_size)
{
    char *bytes = NULL;
    char file[TQD_DIGEST_TEXT];
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "tt", name, digest);
    const tqd_store_status status =
        read_body(session, version_sql, &p, media, &bytes, file, ret_size);
    free(bytes);
    return status;
}

tqd_store_status tqd_pg_attachment(tqd_session *session, const char *id, const char *name,
                                   char *media, char **ret_bytes, char *ret_file,
                                   uint64_t *ret_size)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "tt", id, name);
    return read_body(session, attachment_sql, &p, media, ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_pg_attachments(tqd_session *session, const char *id,
                                    int (*each)(void *, const tqd_attachment *), void *ctx)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", id);
    PGresult *result = tqd_query(session, attachments_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        char media[TQD_MEDIA_TEXT];
        tqd_attachment attachment = {.body.media = media};
        tqd_text(result, i, 0, attachment.name, sizeof attachment.name);
        tqd_text(result, i, 1, media, sizeof media);
        attachment.body.size = (uint64_t)tqd_integer(result, i, 2);
        if (each(ctx, &attachment) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_events(tqd_session *session, const char *id, uint64_t after, uint32_t limit,
                               int (*each)(void *, const tqd_job_event *), void *ctx)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ii", (int64_t)after, (int64_t)limit);
    if (id != NULL) {
        tqd_bind(&p, "t", id);
    }
    PGresult *result = tqd_query(session, id != NULL ? job_events_sql : all_events_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        tqd_job_event event = {.seq = (uint64_t)tqd_integer(result, i, 0),
                               .state = (tqd_job_state)tqd_integer(result, i, 2),
                               .attempts = (uint32_t)tqd_integer(result, i, 3),
                               .at_ms = tqd_integer(result, i, 4)};
        tqd_text(result, i, 1, event.id, sizeof event.id);
        tqd_text(result, i, 5, event.client, sizeof event.client);
        if (each(ctx, &event) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_event_last(tqd_session *session, uint64_t *ret_seq)
{
    PGresult *result = tqd_query(session, last_event_sql, NULL);
    const tqd_store_status status = row_status(result);
    *ret_seq = status == TQD_STORE_OK ? (uint64_t)tqd_integer(result, 0, 0) : 0;
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_job_counts(tqd_session *session, tqd_job_counts *ret)
{
    PGresult *result = tqd_query(session, counts_sql, NULL);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    memset(ret, 0, sizeof *ret);
    for (int i = 0; i < n; i++) {
        const char *what = PQgetvalue(result, i, 0);
        const char digit = what[3];
        if (what[0] == 'q') {
            ret->queued_bytes = (uint64_t)tqd_integer(result, i, 2);
        } else if (digit >= '0' && digit < '0' + TQD_JOB_STATES) {
            ret->n[digit - '0'] = (uint64_t)tqd_integer(result, i, 1);
        } else {
            ret->body_bytes = (uint64_t)tqd_integer(result, i, 2);
        }
    }
    PQclear(result);
    return status;
}
