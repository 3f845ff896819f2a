/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/submit_options.c - parses the headers that concern the job, not its computation. */
#include "daemon/jobs/submit_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/bearer.h"
#include "daemon/http/format.h"
#include "daemon/key.h"
#include "daemon/observe/log.h"
#include "daemon/observe/trace.h"

_Static_assert((int)TQD_JOB_TRACE_TEXT == (int)TQD_TRACE_TEXT, "a job keeps the whole of it");

enum {
    WAIT_MAX_S = 60,
    URGENCY_DEFAULT = 3,
    DEADLINE_MAX_S = 31 * 86400,
};

static bool read_client(const tqd_head *head, char client[TQD_JOB_CLIENT_TEXT],
                        tqa_problem *problem)
{
    const char *name = head->header(head, "Torqued-Client");
    name = name != NULL ? name : "";
    const size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._@-");
    if (n >= TQD_JOB_CLIENT_TEXT || name[n] != '\0') {
        tqa_problem_set(problem, "invalid-value",
                        "Torqued-Client has up to 64 of A-Z a-z 0-9 . _ @ -");
        return false;
    }
    /* fairness and keys belong to the token; the name that a client states is used only without
     * tokens */
    const char *key = tqd_identity_key(head->who);
    const bool is_known = tqd_key_name(key)[0] != '\0';
    if (!tqd_key_make(key, is_known ? tqd_key_name(key) : name, client, TQD_JOB_CLIENT_TEXT)) {
        tqa_problem_set(problem, "invalid-value",
                        "Torqued-Client is too long with the name of this namespace");
        return false;
    }
    return true;
}

static bool read_key(const tqd_head *head, const char **ret_key, tqa_problem *problem)
{
    *ret_key = head->header(head, "Idempotency-Key");
    const size_t n = *ret_key != NULL ? strlen(*ret_key) : 1;
    if (n == 0 || n > TQD_JOB_KEY_MAX) {
        tqa_problem_set(problem, "invalid-value", "Idempotency-Key has 1 to %d bytes",
                        (int)TQD_JOB_KEY_MAX);
        return false;
    }
    return true;
}

bool tqd_job_deadline_read(const tqd_head *head, int64_t *ret_ms, tqa_problem *problem)
{
    const char *text = head->header(head, "Torqued-Deadline");
    const size_t n = text != NULL ? strspn(text, "0123456789") : 0;
    if (text == NULL) {
        return true;
    }
    const long s = n > 0 && n < 8 ? strtol(text, NULL, 10) : 0;
    if (s < 1 || s > DEADLINE_MAX_S || text[n] != '\0') {
        tqa_problem_set(problem, "invalid-value",
                        "Torqued-Deadline is a whole number of seconds, 1 to %d",
                        (int)DEADLINE_MAX_S);
        return false;
    }
    *ret_ms = s * 1000;
    return true;
}

/* Priority: u=0 ... u=7 (RFC 9218), 0 first, 3 by default */
static int read_priority(const tqd_head *head)
{
    const char *text = head->header(head, "Priority");
    const char *u = text != NULL ? strstr(text, "u=") : NULL;
    const int priority =
        u != NULL && u[2] >= '0' && u[2] <= '7' ? URGENCY_DEFAULT - (u[2] - '0') : 0;
    /* only an administrator's job may precede those of other clients */
    const bool may_pass = head->who == NULL || (head->who->roles & TQD_ROLE_ADMIN) != 0;
    return priority > 0 && !may_pass ? 0 : priority;
}

/* The media type of the result, if this answer may contain it: refused now rather than after the
 * run. */
static bool read_accept(const tqd_head *head, tqd_submit_options *options, tqa_problem *problem)
{
    tqd_format format;
    if (!tqd_format_read(head, &format, problem)) {
        return false;
    }
    const tqa_media media = format.media;
    options->form = media == TQA_MEDIA_CBOR  ? TQA_VIEW_CBOR
                    : media == TQA_MEDIA_NPZ ? TQA_VIEW_NPZ
                    : media == TQA_MEDIA_CSV ? TQA_VIEW_CSV
                    : format.is_svg          ? TQA_VIEW_SVG
                                             : TQA_VIEW_JSON;
    if (options->wait_ms == 0 || options->form != TQA_VIEW_JSON || media == TQA_MEDIA_JSON ||
        media == TQA_MEDIA_NONE) {
        return true;
    }
    tqa_problem_set(problem, "not-acceptable",
                    "a result that is waited for comes as application/json, application/cbor, "
                    "application/x-npz, text/csv or image/svg+xml");
    return false;
}

bool tqd_submit_options_read(const tqd_head *head, int64_t wait_ms, tqd_submit_options *ret,
                             tqa_problem *reterr)
{
    memset(ret, 0, sizeof *ret);
    ret->prefer = tqd_preference_read(head->header(head, "Prefer"));
    ret->prefer.wait_s = ret->prefer.wait_s < WAIT_MAX_S ? ret->prefer.wait_s : WAIT_MAX_S;
    ret->wait_ms = ret->prefer.wait_s >= 0 ? ret->prefer.wait_s * 1000
                   : ret->prefer.async     ? 0
                                           : wait_ms;
    ret->priority = read_priority(head);
    tqd_trace trace;
    if (tqd_trace_read(head->header(head, "traceparent"), head->request_id, &trace)) {
        tqd_trace_print(&trace, ret->trace);
    }
    return read_accept(head, ret, reterr) && read_client(head, ret->client, reterr) &&
           read_key(head, &ret->key, reterr) &&
           tqd_job_deadline_read(head, &ret->deadline_ms, reterr);
}

bool tqd_submit_form_fits(const tqd_submit_options *options, const tqa_operation *operation,
                          tqa_problem *reterr)
{
    const bool fits =
        options->form != TQA_VIEW_SVG || operation->has_picture || options->wait_ms == 0;
    if (!fits) {
        tqa_operation_refuse_picture(operation, reterr);
    }
    return fits;
}

bool tqd_submit_is_waited(const tqd_submit_options *options)
{
    return options->wait_ms > 0 && !options->prefer.async && options->key == NULL;
}

void tqd_submit_preference_applied(const tqd_submit_options *options, bool is_accepted,
                                   tqd_reply *reply)
{
    const bool async = options->prefer.async && is_accepted;
    char wait[32] = "";
    if (options->prefer.wait_s >= 0) {
        snprintf(wait, sizeof wait, "%swait=%lld", async ? ", " : "",
                 (long long)options->prefer.wait_s);
    }
    if (async || wait[0] != '\0') {
        tqd_answer_header(reply, "Preference-Applied", "%s%s", async ? "respond-async" : "", wait);
    }
}

void tqd_submit_log_trace(const tqd_head *head, const char *job)
{
    tqd_trace trace;
    if (tqd_trace_read(head->header(head, "traceparent"), head->request_id, &trace)) {
        tqd_log(TQD_LOG_INFO, "a job was submitted in a trace", TQD_TEXT("job", job),
                TQD_TEXT("trace_id", trace.id), TQD_TEXT("span_id", trace.span),
                TQD_TEXT("request_id", head->request_id));
    }
}
