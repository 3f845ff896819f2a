/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/handlers.c - jobs as a resource: list, get, cancel, delete. */
#include "daemon/jobs/handlers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/exchange.h"

enum { LIST_DEFAULT = 50, LIST_MAX = 200, ATTACHMENT_BYTES = 256 };

/* ------------------------------------------------------------------------------ GET /v1/jobs */

typedef struct list {
    tqd_jobs *jobs;
    char *text;
    size_t n, n_job, limit;
    uint64_t last_seq;
} list;

static int add_job(void *ctx, const tqd_job *row)
{
    list *l = ctx;
    if (l->n_job == l->limit) {
        l->n_job++; /* counted, not printed: there is a next page */
        return 1;
    }
    tqd_job job = *row;
    tqd_jobs_refresh(l->jobs, &job);
    if (l->n_job++ > 0) {
        l->text[l->n++] = ',';
    }
    l->n += tqd_job_print(&job, NULL, 0, l->text + l->n);
    l->last_seq = job.seq;
    return 0;
}

static void refuse_query(const char *name, const char *value, tqa_problem *problem)
{
    char wanted[96] = "a list of jobs takes state, kind, robot, limit and cursor";
    if (strcmp(name, "state") == 0) {
        snprintf(wanted, sizeof wanted, "state is queued, running, succeeded, failed or cancelled");
    } else if (strcmp(name, "limit") == 0) {
        snprintf(wanted, sizeof wanted, "limit is 1 to %d", (int)LIST_MAX);
    } else if (strcmp(name, "cursor") == 0) {
        snprintf(wanted, sizeof wanted, "cursor is the \"cursor\" of the previous page");
    }
    tqa_problem_set(problem, "invalid-value", "%s, got \"%.64s=%.64s\"", wanted, name, value);
}

static bool read_filter(const char *query, tqd_job_filter *filter, char texts[2][TQD_QUERY_TEXT],
                        tqa_problem *problem)
{
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    *filter = (tqd_job_filter){.state = -1, .limit = LIST_DEFAULT};
    while (tqd_query_next(&query, name, value, &bad)) {
        char *rest = value;
        tqd_job_state state = TQD_JOB_QUEUED;
        if (strcmp(name, "state") == 0 && tqd_job_state_parse(value, &state)) {
            filter->state = (int)state;
        } else if (strcmp(name, "kind") == 0) {
            snprintf(texts[0], TQD_QUERY_TEXT, "%s", value);
            filter->kind = texts[0];
        } else if (strcmp(name, "robot") == 0) {
            snprintf(texts[1], TQD_QUERY_TEXT, "%s", value);
            filter->robot = texts[1];
        } else if (strcmp(name, "limit") == 0 && value[0] >= '1' && value[0] <= '9') {
            const unsigned long n = strtoul(value, &rest, 10);
            filter->limit = (uint32_t)n;
            bad = *rest != '\0' || n > LIST_MAX;
        } else if (strcmp(name, "cursor") == 0 && value[0] >= '1' && value[0] <= '9') {
            filter->before_seq = strtoull(value, &rest, 10);
            bad = *rest != '\0' || filter->before_seq > INT64_MAX;
        } else {
            bad = true;
        }
        if (bad) {
            refuse_query(name, value, problem);
            return false;
        }
    }
    if (bad) {
        tqa_problem_set(problem, "malformed", "the query is not a list of name=value");
    }
    return !bad;
}

static void list_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_filter filter;
    char texts[2][TQD_QUERY_TEXT];
    tqa_problem problem;
    if (!read_filter(e->head->query, &filter, texts, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    list l = {.jobs = e->jobs, .limit = filter.limit};
    l.text = malloc((size_t)filter.limit * TQD_JOB_DOCUMENT_BYTES + 128);
    if (l.text == NULL) {
        tqd_answer_no_memory(&e->answer, e->head->request_id);
        return;
    }
    filter.limit++; /* one more row shows whether there is a next page */
    l.n = (size_t)snprintf(l.text, 16, "{\"jobs\":[");
    const tqd_store_status status = tqd_store_jobs(tqd_jobs_store(e->jobs), &filter, add_job, &l);
    if (status != TQD_STORE_OK) {
        free(l.text);
        tqd_job_refuse_store(e, status);
        return;
    }
    if (l.n_job > l.limit) {
        l.n += (size_t)snprintf(l.text + l.n, 64, "],\"cursor\":\"%" PRIu64 "\"}\n", l.last_seq);
    } else {
        l.n += (size_t)snprintf(l.text + l.n, 64, "],\"cursor\":null}\n");
    }
    e->answer.status = 200;
    e->answer.media = "application/json";
    e->answer.body = l.text;
    e->answer.n_body = l.n;
}

/* ------------------------------------------------------------------------- GET /v1/jobs/{id} */

typedef struct members {
    char *text;
    size_t n, size;
} members;

static int add_attachment(void *ctx, const tqd_attachment *attachment)
{
    members *m = ctx;
    if (m->size - m->n < ATTACHMENT_BYTES) {
        return 1;
    }
    m->n += (size_t)snprintf(m->text + m->n, ATTACHMENT_BYTES,
                             "%s{\"name\":\"%s\",\"media_type\":\"%s\",\"bytes\":%" PRIu64 "}",
                             m->text[m->n - 1] == '[' ? "" : ",", attachment->name,
                             attachment->body.media, attachment->body.size);
    return 0;
}

/* Members that only GET of one job has: why it failed, which files its result has. NULL: out of
 * memory. */
static char *more_of(tqd_jobs *jobs, const tqd_job *job, size_t *ret_n)
{
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *problem = NULL;
    uint64_t n = 0;
    if (job->state == TQD_JOB_FAILED &&
        tqd_store_job_body(tqd_jobs_store(jobs), job->id, TQD_BODY_PROBLEM, media, &problem, file,
                           &n) == TQD_STORE_NO_MEMORY) {
        return NULL;
    }
    while (problem != NULL && n > 0 && problem[n - 1] == '\n') {
        n--;
    }
    members m = {.size = 64 + (TQA_ATTACH_MAX + 1) * ATTACHMENT_BYTES + (problem != NULL ? n : 0)};
    m.text = malloc(m.size);
    if (m.text != NULL && problem != NULL) {
        m.n = (size_t)snprintf(m.text, m.size, ",\"problem\":%.*s", (int)n, problem);
    } else if (m.text != NULL && job->state == TQD_JOB_SUCCEEDED) {
        static const char key[] = ",\"attachments\":[";
        memcpy(m.text, key, sizeof key);
        m.n = sizeof key - 1;
        (void)tqd_store_job_attachments(tqd_jobs_store(jobs), job->id, add_attachment, &m);
        m.n = m.text[m.n - 1] == '[' ? 0 : m.n;
        if (m.n > 0) {
            m.text[m.n++] = ']';
        }
    }
    free(problem);
    *ret_n = m.n;
    return m.text;
}

static void answer_job(tqd_job_exchange *e, int http, tqd_job *job)
{
    size_t n_more = 0;
    char *more = more_of(e->jobs, job, &n_more);
    e->answer.body = more != NULL ? malloc(TQD_JOB_DOCUMENT_BYTES + n_more + 16) : NULL;
    if (e->answer.body == NULL) {
        free(more);
        tqd_answer_no_memory(&e->answer, e->head->request_id);
        return;
    }
    tqd_jobs_refresh(e->jobs, job);
    e->answer.n_body = tqd_job_print(job, more, n_more, e->answer.body);
    e->answer.body[e->answer.n_body++] = '\n';
    e->answer.status = http;
    e->answer.media = "application/json";
    free(more);
}

static void get_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job job;
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(e->jobs), e->head->part[0], &job);
    if (status == TQD_STORE_OK) {
        answer_job(e, 200, &job);
    } else {
        tqd_job_refuse_store(e, status);
    }
}

/* ------------------------------------------------------ POST /v1/jobs/{id}/cancel, and DELETE */

static void cancel_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_cancel cancel = {.write = {.kind = TQD_WRITE_JOB_CANCEL}, .id = e->head->part[0]};
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
    } else {
        tqd_job_refuse_store(e, status);
    }
}

static void delete_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqd_job_delete write = {.write = {.kind = TQD_WRITE_JOB_DELETE}, .id = e->head->part[0]};
    const tqd_store_status status = tqd_store_write(tqd_jobs_store(e->jobs), &write.write);
    if (status == TQD_STORE_OK) {
        e->answer.status = 204;
        tqd_jobs_changed(e->jobs, false); /* the keeper removes its files */
    } else if (status == TQD_STORE_MISMATCH) {
        tqa_problem problem;
        tqa_problem_set(&problem, "conflict", "the job is not finished: cancel it first");
        tqd_job_refuse(e, &problem);
    } else {
        tqd_job_refuse_store(e, status);
    }
}

/* -------------------------------------------------------------------------------------- routes */

static const tqd_handler list_handler = TQD_JOB_HANDLER(list_run);
static const tqd_handler get_handler = TQD_JOB_HANDLER(get_run);
static const tqd_handler cancel_handler = TQD_JOB_HANDLER(cancel_run);
static const tqd_handler delete_handler = TQD_JOB_HANDLER(delete_run);

size_t tqd_job_routes(tqd_jobs *jobs, tqd_route routes[TQD_JOB_ROUTES])
{
    const tqd_route table[] = {
        {TQD_GET, "/v1/jobs", 0, &list_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}", 0, &get_handler, jobs, false},
        {TQD_DELETE, "/v1/jobs/{}", 0, &delete_handler, jobs, false},
        {TQD_POST, "/v1/jobs/{}/cancel", 0, &cancel_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/request", 0, &tqd_job_request_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/result", 0, &tqd_job_result_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}/result/{}", 0, &tqd_job_field_handler, jobs, true},
        {TQD_GET, "/v1/jobs/{}/report", 0, &tqd_job_report_handler, jobs, false},
        {TQD_GET, "/v1/jobs/{}/events", 0, &tqd_events_handler, jobs, false},
        {TQD_GET, "/v1/events", 0, &tqd_events_handler, jobs, false},
    };
    memcpy(routes, table, sizeof table);
    return sizeof table / sizeof table[0];
}
