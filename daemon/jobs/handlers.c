/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/handlers.c - jobs as a resource: list, look, cancel, delete, fetch what they have. */
#include "daemon/jobs/handlers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/jobs/body.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/field.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/media.h"
#include "daemon/store/problem.h"

enum { LIST_DEFAULT = 50, LIST_MAX = 200, PROBLEM_BYTES = 8 << 10 };

/* One request; all the work is done by a worker. */
typedef struct exchange {
    tqd_jobs *jobs;
    const tqd_head *head;
    bool streaming;
    tqd_body_reader body;
    tqd_field_reader field;
    tqd_reply answer;
} exchange;

static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    exchange *e = calloc(1, sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    e->jobs = ctx;
    e->head = head;
    *ret_exchange = e;
    return true;
}

static tqd_next always_run(void *arg)
{
    (void)arg;
    return TQD_NEXT_RUN;
}

static void give_reply(void *arg, tqd_reply *reply)
{
    exchange *e = arg;
    *reply = e->answer;
    e->answer.body = NULL;
}

static void end(void *arg)
{
    exchange *e = arg;
    tqd_field_close(&e->field);
    tqd_body_close(&e->body);
    free(e->answer.body);
    free(e);
}

static void refuse(exchange *e, const tqa_problem *problem)
{
    tqd_answer_problem(&e->answer, e->head->request_id, problem);
}

static void refuse_store(exchange *e, tqd_store_status status)
{
    tqa_problem problem;
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "not-found", "there is no job \"%.64s\"", e->head->part[0]);
    } else {
        tqd_store_problem(status, &problem);
    }
    refuse(e, &problem);
}

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
        l->n_job++; /* there is a next page */
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
            filter->limit = n < LIST_MAX ? (uint32_t)n : LIST_MAX;
            bad = *rest != '\0';
        } else if (strcmp(name, "cursor") == 0 && value[0] >= '1' && value[0] <= '9') {
            filter->before_seq = strtoull(value, &rest, 10);
            bad = *rest != '\0' || filter->before_seq > INT64_MAX;
        } else {
            bad = true;
        }
        if (bad) {
            tqa_problem_set(problem, "invalid-value", "the query has no \"%.64s=%.64s\"", name,
                            value);
            return false;
        }
    }
    if (bad) {
        tqa_problem_set(problem, "malformed", "the query is no list of name=value");
    }
    return !bad;
}

static void list_run(void *arg)
{
    exchange *e = arg;
    tqd_job_filter filter;
    char texts[2][TQD_QUERY_TEXT];
    tqa_problem problem;
    if (!read_filter(e->head->query, &filter, texts, &problem)) {
        refuse(e, &problem);
        return;
    }
    list l = {.jobs = e->jobs, .limit = filter.limit};
    l.text = malloc((size_t)filter.limit * TQD_JOB_DOCUMENT_BYTES + 128);
    if (l.text == NULL) {
        tqd_answer_no_memory(&e->answer, e->head->request_id);
        return;
    }
    filter.limit++; /* one more, to know whether there is a next page */
    l.n = (size_t)snprintf(l.text, 16, "{\"jobs\":[");
    const tqd_store_status status = tqd_store_jobs(tqd_jobs_store(e->jobs), &filter, add_job, &l);
    if (status != TQD_STORE_OK) {
        free(l.text);
        refuse_store(e, status);
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

static void answer_job(exchange *e, int http, tqd_job *job)
{
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *problem = NULL;
    uint64_t n = 0;
    if (job->state == TQD_JOB_FAILED) {
        (void)tqd_store_job_body(tqd_jobs_store(e->jobs), job->id, TQD_BODY_PROBLEM, media,
                                 &problem, file, &n);
    }
    while (problem != NULL && n > 0 && problem[n - 1] == '\n') {
        n--;
    }
    tqd_jobs_refresh(e->jobs, job);
    e->answer.body = malloc(TQD_JOB_DOCUMENT_BYTES + (problem != NULL ? n : 0) + 16);
    if (e->answer.body == NULL) {
        free(problem);
        tqd_answer_no_memory(&e->answer, e->head->request_id);
        return;
    }
    e->answer.n_body = tqd_job_print(job, problem, (size_t)n, e->answer.body);
    e->answer.body[e->answer.n_body++] = '\n';
    e->answer.status = http;
    e->answer.media = "application/json";
    free(problem);
}

static void get_run(void *arg)
{
    exchange *e = arg;
    tqd_job job;
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(e->jobs), e->head->part[0], &job);
    if (status == TQD_STORE_OK) {
        answer_job(e, 200, &job);
    } else {
        refuse_store(e, status);
    }
}

/* ------------------------------------------------------ POST /v1/jobs/{id}/cancel, and DELETE */

static void cancel_run(void *arg)
{
    exchange *e = arg;
    tqd_job_cancel cancel = {.write = {.kind = TQD_WRITE_JOB_CANCEL}, .id = e->head->part[0]};
    const tqd_store_status status = tqd_store_write(tqd_jobs_store(e->jobs), &cancel.write);
    if (status == TQD_STORE_OK) {
        tqd_jobs_cancel_asked(e->jobs, cancel.job.id);
        tqd_jobs_changed(e->jobs, false);
        answer_job(e, cancel.job.state == TQD_JOB_CANCELLED ? 200 : 202, &cancel.job);
    } else if (status == TQD_STORE_MISMATCH) {
        /* asked for again, or too late: the job says which */
        if (cancel.job.state == TQD_JOB_CANCELLED) {
            answer_job(e, 200, &cancel.job);
            return;
        }
        tqa_problem problem;
        tqa_problem_set(&problem, "conflict", "the job is finished: it %s",
                        tqd_job_state_name(cancel.job.state));
        refuse(e, &problem);
    } else {
        refuse_store(e, status);
    }
}

static void delete_run(void *arg)
{
    exchange *e = arg;
    tqd_job_delete write = {.write = {.kind = TQD_WRITE_JOB_DELETE}, .id = e->head->part[0]};
    const tqd_store_status status = tqd_store_write(tqd_jobs_store(e->jobs), &write.write);
    if (status == TQD_STORE_OK) {
        tqd_jobs_garbage(e->jobs);
        e->answer.status = 204;
    } else if (status == TQD_STORE_MISMATCH) {
        tqa_problem problem;
        tqa_problem_set(&problem, "conflict", "the job is not finished: cancel it first");
        refuse(e, &problem);
    } else {
        refuse_store(e, status);
    }
}

/* ----------------------------------------------- GET /v1/jobs/{id}/request, and the result */

static size_t read_body(void *exchange_, char *out, size_t size)
{
    return tqd_body_read(&((exchange *)exchange_)->body, out, size);
}

static void answer_body(exchange *e, tqd_body_kind kind)
{
    const tqd_store_status status =
        tqd_body_open(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], kind);
    if (status != TQD_STORE_OK) {
        refuse_store(e, status);
        return;
    }
    e->streaming = true;
    tqd_body_answer(&e->body, e->head, &e->answer, read_body);
}

static void request_run(void *arg)
{
    exchange *e = arg;
    if (e->streaming) {
        tqd_body_fill(&e->body);
        return;
    }
    answer_body(e, TQD_BODY_REQUEST);
}

/* False: the job has no result, and the answer says so. */
static bool find_result(exchange *e)
{
    tqd_job job;
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(e->jobs), e->head->part[0], &job);
    if (status != TQD_STORE_OK) {
        refuse_store(e, status);
        return false;
    }
    if (job.state == TQD_JOB_SUCCEEDED) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "conflict", "the job is %s: it has no result%s",
                    tqd_job_state_name(job.state), job.state < TQD_JOB_SUCCEEDED ? " yet" : "");
    refuse(e, &problem);
    return false;
}

static void result_run(void *arg)
{
    exchange *e = arg;
    if (e->streaming) {
        tqd_body_fill(&e->body);
        return;
    }
    if (find_result(e)) {
        answer_body(e, TQD_BODY_RESULT);
    }
}

/* ---------------------------------------------------------- GET /v1/jobs/{id}/result/{field} */

static size_t read_field(void *exchange_, char *out, size_t size)
{
    return tqd_field_read(&((exchange *)exchange_)->field, out, size);
}

static bool choose_format(const exchange *e, tqa_field_format *ret_format)
{
    const tqa_media media = tqd_media_find(e->head->header(e->head, "Accept"));
    *ret_format = media == TQA_MEDIA_CSV ? TQA_FIELD_CSV : TQA_FIELD_NPY;
    return media == TQA_MEDIA_CSV || media == TQA_MEDIA_NPY || media == TQA_MEDIA_NONE;
}

static void field_run(void *arg)
{
    exchange *e = arg;
    if (e->streaming) {
        tqd_field_fill(&e->field);
        return;
    }
    tqa_problem problem;
    tqa_field_format format = TQA_FIELD_NPY;
    if (!choose_format(e, &format)) {
        tqa_problem_set(&problem, "not-acceptable",
                        "one array comes as application/x-npy or text/csv");
        refuse(e, &problem);
        return;
    }
    if (!find_result(e)) {
        return;
    }
    const tqd_store_status status =
        tqd_body_open(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], TQD_BODY_RESULT);
    if (status != TQD_STORE_OK) {
        refuse_store(e, status);
        return;
    }
    if (!tqd_field_open(&e->field, &e->body, e->head->part[1], format, &problem)) {
        refuse(e, &problem);
        return;
    }
    e->streaming = true;
    e->answer.status = 200;
    e->answer.media = tqd_media_name(format == TQA_FIELD_CSV ? TQA_MEDIA_CSV : TQA_MEDIA_NPY);
    e->answer.read = read_field;
    e->answer.n_body = (size_t)tqa_field_size(e->field.field);
}

/* -------------------------------------------------------------------------------------- routes */

#define HANDLER(does)                                                                              \
    {                                                                                              \
        .open = begin, .finish = always_run, .run = (does), .reply = give_reply, .close = end      \
    }
static const tqd_handler list_handler = HANDLER(list_run);
static const tqd_handler get_handler = HANDLER(get_run);
static const tqd_handler cancel_handler = HANDLER(cancel_run);
static const tqd_handler delete_handler = HANDLER(delete_run);
static const tqd_handler request_handler = HANDLER(request_run);
static const tqd_handler result_handler = HANDLER(result_run);
static const tqd_handler field_handler = HANDLER(field_run);

size_t tqd_job_routes(tqd_jobs *jobs, tqd_route routes[TQD_JOB_ROUTES])
{
    const tqd_route table[] = {
        {TQD_GET, "/v1/jobs", 0, &list_handler, jobs},
        {TQD_GET, "/v1/jobs/{}", 0, &get_handler, jobs},
        {TQD_DELETE, "/v1/jobs/{}", 0, &delete_handler, jobs},
        {TQD_POST, "/v1/jobs/{}/cancel", 0, &cancel_handler, jobs},
        {TQD_GET, "/v1/jobs/{}/request", 0, &request_handler, jobs},
        {TQD_GET, "/v1/jobs/{}/result", 0, &result_handler, jobs},
        {TQD_GET, "/v1/jobs/{}/result/{}", 0, &field_handler, jobs},
        {TQD_GET, "/v1/jobs/{}/events", 0, &tqd_events_handler, jobs},
        {TQD_GET, "/v1/events", 0, &tqd_events_handler, jobs},
    };
    memcpy(routes, table, sizeof table);
    return sizeof table / sizeof table[0];
}
