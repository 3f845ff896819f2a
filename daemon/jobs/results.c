/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/results.c - what a job leaves: its request, its result, one array of it, files beside
 * it. */
#include <stdlib.h>
#include <string.h>

#include "daemon/jobs/exchange.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/media.h"

/* ----------------------------------------------- GET /v1/jobs/{id}/request, and the result */

static size_t read_body(void *exchange, char *out, size_t size)
{
    return tqd_body_read(&((tqd_job_exchange *)exchange)->body, out, size);
}

static void answer_body(tqd_job_exchange *e, tqd_body_kind kind)
{
    const tqd_store_status status =
        tqd_body_open(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], kind);
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return;
    }
    e->streaming = true;
    tqd_body_answer(&e->body, e->head, &e->answer, read_body);
}

static void request_run(void *arg)
{
    tqd_job_exchange *e = arg;
    if (e->streaming) {
        tqd_body_fill(&e->body);
        return;
    }
    answer_body(e, TQD_BODY_REQUEST);
}

/* False: the job has no result, and the answer says so. */
static bool find_result(tqd_job_exchange *e)
{
    tqd_job job;
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(e->jobs), e->head->part[0], &job);
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return false;
    }
    if (job.state == TQD_JOB_SUCCEEDED) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "conflict", "the job is %s: it has no result%s",
                    tqd_job_state_name(job.state), job.state < TQD_JOB_SUCCEEDED ? " yet" : "");
    tqd_job_refuse(e, &problem);
    return false;
}

static void result_run(void *arg)
{
    tqd_job_exchange *e = arg;
    if (e->streaming) {
        tqd_body_fill(&e->body);
        return;
    }
    if (find_result(e)) {
        answer_body(e, TQD_BODY_RESULT);
    }
}

/* ---------------------------------------------------------- GET /v1/jobs/{id}/result/{field} */

static size_t read_field(void *exchange, char *out, size_t size)
{
    return tqd_field_read(&((tqd_job_exchange *)exchange)->field, out, size);
}

static bool choose_format(const tqd_job_exchange *e, tqa_field_format *ret_format)
{
    const tqa_media media = tqd_media_find(e->head->header(e->head, "Accept"));
    *ret_format = media == TQA_MEDIA_CSV ? TQA_FIELD_CSV : TQA_FIELD_NPY;
    return media == TQA_MEDIA_CSV || media == TQA_MEDIA_NPY || media == TQA_MEDIA_NONE;
}

static void answer_field(tqd_job_exchange *e)
{
    tqa_problem problem;
    tqa_field_format format = TQA_FIELD_NPY;
    if (!choose_format(e, &format)) {
        tqa_problem_set(&problem, "not-acceptable",
                        "one array comes as application/x-npy or text/csv");
        tqd_job_refuse(e, &problem);
        return;
    }
    const tqd_store_status status =
        tqd_body_open(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], TQD_BODY_RESULT);
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return;
    }
    if (!tqd_field_open(&e->field, &e->body, e->head->part[1], format, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    e->streaming = true;
    e->answer.status = 200;
    e->answer.media = tqd_media_name(format == TQA_FIELD_CSV ? TQA_MEDIA_CSV : TQA_MEDIA_NPY);
    e->answer.read = read_field;
    e->answer.n_body = (size_t)tqa_field_size(e->field.field);
}

/* A file beside the result. What is a page of ours may show itself and load nothing. */
static bool answer_attachment(tqd_job_exchange *e, const char *name)
{
    const tqd_store_status status =
        tqd_body_open_attachment(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], name);
    if (status == TQD_STORE_NOT_FOUND) {
        return false;
    }
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return true;
    }
    e->streaming = true;
    tqd_body_answer(&e->body, e->head, &e->answer, read_body);
    e->answer.media = e->body.media;
    tqd_answer_header(&e->answer, "Content-Security-Policy",
                      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri "
                      "'none'; form-action 'none'; frame-ancestors 'self'; sandbox");
    return true;
}

static void field_run(void *exchange)
{
    tqd_job_exchange *e = exchange;
    if (e->streaming && e->field.field != NULL) {
        tqd_field_fill(&e->field);
    } else if (e->streaming) {
        tqd_body_fill(&e->body);
    } else if (find_result(e) && !answer_attachment(e, e->head->part[1])) {
        answer_field(e);
    }
}

static void report_run(void *exchange)
{
    tqd_job_exchange *e = exchange;
    if (e->streaming) {
        tqd_body_fill(&e->body);
    } else if (find_result(e) && !answer_attachment(e, "report")) {
        tqa_problem problem;
        tqa_problem_set(&problem, "not-found", "this kind of job writes no report");
        tqd_job_refuse(e, &problem);
    }
}

const tqd_handler tqd_job_request_handler = TQD_JOB_HANDLER(request_run);
const tqd_handler tqd_job_result_handler = TQD_JOB_HANDLER(result_run);
const tqd_handler tqd_job_field_handler = TQD_JOB_HANDLER(field_run);
const tqd_handler tqd_job_report_handler = TQD_JOB_HANDLER(report_run);
