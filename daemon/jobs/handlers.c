/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/handlers.c - jobs as a resource: list, get, cancel, delete one or many. */
#include "daemon/jobs/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/http/document.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/exchange.h"
#include "daemon/jobs/query.h"

enum { PURGE_JOBS = 64 };

/* ------------------------------------------------------------------------------ GET /v1/jobs */

typedef struct list {
    tqd_jobs *jobs;
    tqa_writer text;
    size_t n_job, limit;
    uint64_t last_seq;
} list;

static int add_job(void *ctx, const tqd_job *row)
{
    list *l = ctx;
    if (l->n_job++ == l->limit) {
        return 1; /* counted, not printed: there is a next page */
    }
    tqd_job job = *row;
    tqd_jobs_refresh(l->jobs, &job);
    tqa_writer_object(&l->text, NULL);
    tqd_job_members(&l->text, &job);
    tqa_writer_end(&l->text);
    l->last_seq = job.seq;
    return l->text.text.failed;
}

static void list_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_query query;
    tqa_problem problem;
    if (!tqd_job_query_read(e->head, false, &query, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    tqd_job_filter filter = query.filter;
    filter.beside = tqd_identity_key(e->head->who);
    list l = {.jobs = e->jobs, .limit = filter.limit};
    filter.limit++; /* one more row shows whether there is a next page */
    tqd_document_list(&l.text, "jobs");
    const tqd_store_status status = tqd_store_jobs(tqd_jobs_store(e->jobs), &filter, add_job, &l);
    tqd_document_page_end(&l.text, l.n_job > l.limit, l.last_seq);
    if (tqd_document_answer(&e->answer, e->head->request_id, 200, &l.text) &&
        status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
    }
}

/* ------------------------------------------------------------------------- GET /v1/jobs/{id} */

typedef struct attachments {
    tqa_writer *to;
    size_t n;
} attachments;

static int add_attachment(void *ctx, const tqd_attachment *attachment)
{
    attachments *a = ctx;
    if (a->n++ == 0) {
        tqa_writer_list(a->to, "attachments");
    }
    tqa_writer_object(a->to, NULL);
    tqa_writer_string(a->to, "name", attachment->name);
    tqa_writer_string(a->to, "media_type", attachment->body.media);
    tqa_writer_count(a->to, "bytes", attachment->body.size);
    tqa_writer_end(a->to);
    return 0;
}

/* Why the job failed; false: memory is short. */
static bool put_problem(tqa_writer *to, tqd_jobs *jobs, const tqd_job *job)
{
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *problem = NULL;
    uint64_t n = 0;
    if (tqd_store_job_body(tqd_jobs_store(jobs), job->id, TQD_BODY_PROBLEM, media, &problem, file,
                           &n) == TQD_STORE_NO_MEMORY) {
        return false;
    }
    while (problem != NULL && n > 0 && problem[n - 1] == '\n') {
        n--;
    }
    if (problem != NULL) {
        tqa_writer_encoded(to, "problem", problem, (size_t)n);
    }
    free(problem);
    return true;
}

static void answer_job(tqd_job_exchange *e, int http, tqd_job *job)
{
    tqa_writer text = {.cbor = false};
    attachments files = {.to = &text};
    bool good = true;
    tqd_jobs_refresh(e->jobs, job);
    tqa_writer_object(&text, NULL);
    tqd_job_members(&text, job);
    if (job->state == TQD_JOB_FAILED) {
        good = put_problem(&text, e->jobs, job);
    } else if (job->state == TQD_JOB_SUCCEEDED) {
        (void)tqd_store_job_attachments(tqd_jobs_store(e->jobs), job->id, add_attachment, &files);
        if (files.n > 0) {
            tqa_writer_end(&text);
        }
    }
    tqa_writer_end(&text);
    if (tqd_document_answer(&e->answer, e->head->request_id, http, &text) && !good) {
        tqd_answer_no_memory(&e->answer, e->head->request_id);
    }
}

static void get_run(void *arg)
{
    tqd_job_exchange *e = arg;
    answer_job(e, 200, &e->job);
}

/* ------------------------------------------------------ POST /v1/jobs/{id}/cancel, and DELETE */

static void cancel_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_cancel cancel = {.write = {.kind = TQD_WRITE_JOB_CANCEL},
                             .id = e->head->part[0],
                             .by = tqd_identity_by(e->head->who)};
    const tqd_store_status status = tqd_store_write(tqd_jobs_store(e->jobs), &cancel.write);
    if (status == TQD_STORE_OK) {
        tqd_jobs_cancel_asked(e->jobs, cancel.job.id);
        tqd_jobs_changed(e->jobs, false);
        answer_job(e, cancel.job.state == TQD_JOB_CANCELLED ? 200 : 202, &cancel.job);
    } else if (status == TQD_STORE_MISMATCH) {
        /* a repeated request, or too late: the state decides */
        if (cancel.job.state == TQD_JOB_CANCELLED) {
            answer_job(e, 200, &cancel.job);
            return;
        }
        tqa_problem problem;
        tqa_problem_set(&problem, "conflict", "the job is finished: it %s",
                        tqd_job_state_name(cancel.job.state));
        tqd_job_refuse(e, &problem);
    } else if (status == TQD_STORE_OWNED) {
        tqd_job_refuse_owned(e, cancel.job.client);
    } else {
        tqd_job_refuse_store(e, status);
    }
}

static void delete_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_delete write = {.write = {.kind = TQD_WRITE_JOB_DELETE},
                            .id = e->head->part[0],
                            .by = tqd_identity_by(e->head->who)};
    const tqd_store_status status = tqd_store_write(tqd_jobs_store(e->jobs), &write.write);
    if (status == TQD_STORE_OK) {
        e->answer.status = 204;
        tqd_jobs_changed(e->jobs, false); /* the keeper removes its files */
    } else if (status == TQD_STORE_MISMATCH) {
        tqa_problem problem;
        tqa_problem_set(&problem, "conflict", "the job is not finished: cancel it first");
        tqd_job_refuse(e, &problem);
    } else if (status == TQD_STORE_OWNED) {
        tqd_job_refuse_owned(e, write.owner);
    } else {
        tqd_job_refuse_store(e, status);
    }
}

/* --------------------------------------------------------------------------- DELETE /v1/jobs */

/* Jobs that match a filter. */
typedef struct matches {
    uint64_t n, first_seq;
} matches;

static int count_job(void *ctx, const tqd_job *job)
{
    matches *m = ctx;
    m->first_seq = m->n++ == 0 ? job->seq : m->first_seq;
    return 0;
}

/* In transactions of PURGE_JOBS, from the newest of now: jobs that are submitted meanwhile stay. */
static tqd_store_status purge(tqd_jobs *jobs, const tqd_job_filter *filter, uint64_t *ret_n)
{
    tqd_job_purge write = {.filter = *filter};
    tqd_store_status status = TQD_STORE_OK;
    write.filter.limit = PURGE_JOBS;
    do {
        write.write = (tqd_write){.kind = TQD_WRITE_JOB_PURGE};
        status = tqd_store_write(tqd_jobs_store(jobs), &write.write);
        if (status == TQD_STORE_OK) {
            *ret_n += write.n_job;
            write.filter.before_seq = write.last_seq;
        }
    } while (status == TQD_STORE_OK && write.n_job > 0);
    return status;
}

static void purge_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_query query;
    tqa_problem problem;
    if (!tqd_job_query_read(e->head, true, &query, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    matches m = {.n = 0};
    uint64_t n_deleted = 0;
    query.filter.limit = UINT32_MAX;
    query.filter.by = tqd_identity_by(e->head->who);
    query.filter.beside = tqd_identity_key(e->head->who);
    tqd_store_status status = tqd_store_jobs(tqd_jobs_store(e->jobs), &query.filter, count_job, &m);
    if (status == TQD_STORE_OK && m.n > 0 && !query.dry_run) {
        query.filter.before_seq = m.first_seq + 1;
        status = purge(e->jobs, &query.filter, &n_deleted);
        tqd_jobs_changed(e->jobs, false); /* the keeper removes their files */
    }
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return;
    }
    tqa_writer text = {.cbor = false};
    tqa_writer_object(&text, NULL);
    tqa_writer_count(&text, "matched", m.n);
    tqa_writer_count(&text, "deleted", n_deleted);
    tqa_writer_end(&text);
    (void)tqd_document_answer(&e->answer, e->head->request_id, 200, &text);
}

/* -------------------------------------------------------------------------------------- routes */

TQD_ONE_JOB_RUN(get_run)
TQD_ONE_JOB_RUN(cancel_run)
TQD_ONE_JOB_RUN(delete_run)

static const tqd_handler list_handler = TQD_JOB_HANDLER(list_run);
static const tqd_handler get_handler = TQD_JOB_HANDLER(get_run_of_found);
static const tqd_handler cancel_handler = TQD_JOB_HANDLER(cancel_run_of_found);
static const tqd_handler purge_handler = TQD_JOB_HANDLER(purge_run);
static const tqd_handler delete_handler = TQD_JOB_HANDLER(delete_run_of_found);

size_t tqd_job_routes(tqd_jobs *jobs, tqd_route routes[TQD_JOB_ROUTES])
{
    const tqd_route table[] = {
        {TQD_GET, "/v1/jobs", 0, &list_handler, jobs, true},
        {TQD_DELETE, "/v1/jobs", 0, &purge_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}", 0, &get_handler, jobs, false},
        {TQD_DELETE, "/v1/jobs/{}", 0, &delete_handler, jobs, false},
        {TQD_POST, "/v1/jobs/{}/cancel", 0, &cancel_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/request", 0, &tqd_job_request_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/result", 0, &tqd_job_result_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}/result/{}", 0, &tqd_job_field_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}/report", 0, &tqd_job_report_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/events", 0, &tqd_events_handler, jobs, true},
        {TQD_GET, "/v1/events", 0, &tqd_events_handler, jobs, true},
        {TQD_GET, "/v1/nodes", 0, &tqd_nodes_handler, jobs, false},
        {TQD_POST, "/v1/nodes/{}/drain", 0, &tqd_node_drain_handler, jobs, false},
        {TQD_POST, "/v1/nodes/{}/resume", 0, &tqd_node_resume_handler, jobs, false},
    };
    memcpy(routes, table, sizeof table);
    return sizeof table / sizeof table[0];
}
