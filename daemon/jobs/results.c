/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/results.c - the outputs of a job: its request, its result, one array of it, attached
 * files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/plot.h"
#include "daemon/http/answer.h"
#include "daemon/http/format.h"
#include "daemon/http/range.h"
#include "daemon/jobs/document.h"
#include "daemon/jobs/exchange.h"

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

/* False: the job has no result, and the reply is a problem. */
static bool has_result(tqd_job_exchange *e)
{
    const tqd_job_state state = e->job.state;
    if (state == TQD_JOB_SUCCEEDED) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "conflict", "the job is %s: it has no result%s",
                    tqd_job_state_name(state), state < TQD_JOB_SUCCEEDED ? " yet" : "");
    tqd_job_refuse(e, &problem);
    return false;
}

typedef struct result_query {
    char fields[TQD_QUERY_TEXT];
    bool has_fields;
    size_t n_points;
    uint64_t first_row, end_row; /* of the points */
    tqa_media media;             /* format=, or Accept */
    bool is_svg;
} result_query;

static bool read_result_query(const tqd_head *head, bool with_fields, result_query *ret,
                              tqa_problem *reterr)
{
    tqd_format format;
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    if (!tqd_format_read(head, &format, reterr)) {
        return false;
    }
    const char *query = format.query;
    *ret = (result_query){.media = format.media, .is_svg = format.is_svg, .end_row = UINT64_MAX};
    while (tqd_query_next(&query, name, value, &bad)) {
        char *rest = value;
        if (strcmp(name, "points") == 0 && value[0] >= '1' && value[0] <= '9') {
            const unsigned long n = strtoul(value, &rest, 10);
            ret->n_points = n;
            bad = *rest != '\0' ||
                  n > (unsigned long)(ret->is_svg ? TQA_PLOT_POINTS_MAX : TQA_VIEW_POINTS_MAX);
        } else if (strcmp(name, "rows") == 0) {
            bad = !tqd_query_rows(value, &ret->first_row, &ret->end_row);
        } else if (strcmp(name, "fields") == 0 && with_fields && value[0] != '\0') {
            memcpy(ret->fields, value, sizeof ret->fields);
            ret->has_fields = true;
        } else {
            bad = true;
        }
        if (bad) {
            break;
        }
    }
    bad = bad || (ret->n_points == 0 && !ret->is_svg && ret->end_row != UINT64_MAX);
    if (bad) {
        tqa_problem_set(reterr, "invalid-value",
                        "the query may say %sformat=csv, %s or svg and points=1 to %d (svg: "
                        "%d), and with that rows=FIRST,BEHIND",
                        with_fields ? "fields=KEY,KEY,..., " : "",
                        with_fields ? "npz, cbor, json" : "npy", (int)TQA_VIEW_POINTS_MAX,
                        (int)TQA_PLOT_POINTS_MAX);
    }
    return !bad;
}

/* The form that Accept and the query select. `ret_as_is`: as stored. */
static bool choose_form(const result_query *w, tqa_view_form *ret, bool *ret_as_is,
                        tqa_problem *reterr)
{
    const tqa_media media = w->media;
    const bool is_json = media == TQA_MEDIA_JSON || media == TQA_MEDIA_NONE;
    *ret_as_is = is_json && !w->has_fields && w->n_points == 0;
    *ret = w->is_svg                 ? TQA_VIEW_SVG
           : w->n_points > 0         ? TQA_VIEW_POINTS
           : media == TQA_MEDIA_CBOR ? TQA_VIEW_CBOR
           : media == TQA_MEDIA_NPZ  ? TQA_VIEW_NPZ
           : media == TQA_MEDIA_CSV  ? TQA_VIEW_CSV
                                     : TQA_VIEW_JSON;
    if (w->n_points > 0 && !is_json && !w->is_svg) {
        tqa_problem_set(reterr, "not-acceptable",
                        "points come as application/json or image/svg+xml");
        return false;
    }
    if (!is_json && (*ret == TQA_VIEW_JSON)) {
        tqa_problem_set(reterr, "not-acceptable",
                        "a result comes as application/json, application/cbor, application/x-npz, "
                        "text/csv or image/svg+xml; one array of it, at .../result/{field}, as "
                        "application/x-npy, text/csv or image/svg+xml");
        return false;
    }
    return true;
}

static size_t read_view(void *exchange, char *out, size_t size)
{
    return tqd_view_read(&((tqd_job_exchange *)exchange)->view, out, size);
}

static bool open_result(tqd_job_exchange *e)
{
    const tqd_store_status status =
        tqd_body_open(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], TQD_BODY_RESULT);
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
    }
    return status == TQD_STORE_OK;
}

static void answer_view(tqd_job_exchange *e, const tqa_view_options *options)
{
    e->streaming = open_result(e) &&
                   tqd_view_answer(&e->view, &e->body, e->head, options, &e->answer, read_view);
}

/* A table made by the job: `name`.csv attached to the result, or the table of the whole result. */
static bool answer_table(tqd_job_exchange *e, const char *name)
{
    e->streaming = tqd_body_answer_table(&e->body, tqd_jobs_store(e->jobs), e->head->part[0], name,
                                         e->head, &e->answer, read_body);
    return e->streaming;
}

static void result_run(void *exchange)
{
    tqd_job_exchange *e = exchange;
    if (e->streaming && e->view.view != NULL) {
        tqd_view_fill(&e->view);
        return;
    }
    if (e->streaming) {
        tqd_body_fill(&e->body);
        return;
    }
    result_query w;
    bool as_is = false;
    tqa_view_form form = TQA_VIEW_JSON;
    tqa_problem problem;
    if (!read_result_query(e->head, true, &w, &problem) ||
        !choose_form(&w, &form, &as_is, &problem)) {
        tqd_job_refuse(e, &problem);
    } else if (has_result(e)) {
        char title[TQD_JOB_TITLE];
        tqd_job_title(&e->job, title);
        const tqa_view_options options = {.form = form,
                                          .title = title,
                                          .fields = w.has_fields ? w.fields : NULL,
                                          .n_points = w.n_points,
                                          .first_row = w.first_row,
                                          .n_row = w.end_row - w.first_row};
        if (form == TQA_VIEW_CSV && !w.has_fields && answer_table(e, NULL)) {
            tqd_answer_header(&e->answer, "Vary", "Accept");
        } else if (as_is) {
            answer_body(e, TQD_BODY_RESULT);
            tqd_answer_header(&e->answer, "Vary", "Accept");
        } else {
            answer_view(e, &options);
        }
    }
}

/* ---------------------------------------------------------- GET /v1/jobs/{id}/result/{field} */

static size_t read_field(void *exchange, char *out, size_t size)
{
    return tqd_field_read(&((tqd_job_exchange *)exchange)->field, out, size);
}

static bool choose_format(tqa_media media, tqa_field_format *ret_format)
{
    *ret_format = media == TQA_MEDIA_CSV ? TQA_FIELD_CSV : TQA_FIELD_NPY;
    return media == TQA_MEDIA_CSV || media == TQA_MEDIA_NPY || media == TQA_MEDIA_NONE;
}

static void answer_field(tqd_job_exchange *e)
{
    result_query w;
    tqa_problem problem;
    if (!read_result_query(e->head, false, &w, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    if (w.n_points > 0 || w.is_svg) {
        const tqa_view_options options = {.form = w.is_svg ? TQA_VIEW_SVG : TQA_VIEW_POINTS,
                                          .array = e->head->part[1],
                                          .title = e->head->part[1],
                                          .n_points = w.n_points,
                                          .first_row = w.first_row,
                                          .n_row = w.end_row - w.first_row};
        answer_view(e, &options);
        return;
    }
    tqa_field_format format = TQA_FIELD_NPY;
    if (!choose_format(w.media, &format)) {
        tqa_problem_set(&problem, "not-acceptable",
                        "one array comes as application/x-npy or text/csv");
        tqd_job_refuse(e, &problem);
        return;
    }
    if (format == TQA_FIELD_CSV && answer_table(e, e->head->part[1])) {
        return;
    }
    if (!open_result(e)) {
        return;
    }
    if (!tqd_field_open(&e->field, &e->body, e->head->part[1], format, &problem)) {
        tqd_job_refuse(e, &problem);
        return;
    }
    const uint64_t size = tqa_field_size(e->field.field);
    e->answer.status = 200;
    if (size > 0 &&
        !tqd_range_answer(e->head, NULL, size, &e->answer, &e->field.first, &e->field.end)) {
        return;
    }
    e->streaming = true;
    e->answer.media = tqd_media_name(format == TQA_FIELD_CSV ? TQA_MEDIA_CSV : TQA_MEDIA_NPY);
    e->answer.read = read_field;
    e->answer.n_body = (size_t)(e->field.end - e->field.first);
}

/* An attached file. An HTML report may run its own inline content and load nothing (CSP). */
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
    if (e->head->query != NULL && e->head->query[0] != '\0') {
        tqa_problem problem;
        tqa_problem_set(&problem, "invalid-value", "a file is sent as stored: it takes no query");
        tqd_job_refuse(e, &problem);
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
    if (e->streaming && e->view.view != NULL) {
        tqd_view_fill(&e->view);
    } else if (e->streaming && e->field.field != NULL) {
        tqd_field_fill(&e->field);
    } else if (e->streaming) {
        tqd_body_fill(&e->body);
    } else if (has_result(e) && !answer_attachment(e, e->head->part[1])) {
        answer_field(e);
    }
}

static void report_run(void *exchange)
{
    tqd_job_exchange *e = exchange;
    if (e->streaming) {
        tqd_body_fill(&e->body);
    } else if (has_result(e) && !answer_attachment(e, "report")) {
        tqa_problem problem;
        tqa_problem_set(&problem, "not-found",
                        "this kind of job writes no report: GET .../result has it, as "
                        "?format=csv too, or reduced for a plot as ?fields=q&points=200; / draws "
                        "it");
        tqd_job_refuse(e, &problem);
    }
}

TQD_ONE_JOB_RUN(request_run)
TQD_ONE_JOB_RUN(result_run)
TQD_ONE_JOB_RUN(field_run)
TQD_ONE_JOB_RUN(report_run)

const tqd_handler tqd_job_request_handler = TQD_JOB_HANDLER(request_run_of_found);
const tqd_handler tqd_job_result_handler = TQD_JOB_HANDLER(result_run_of_found);
const tqd_handler tqd_job_field_handler = TQD_JOB_HANDLER(field_run_of_found);
const tqd_handler tqd_job_report_handler = TQD_JOB_HANDLER(report_run_of_found);
