/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/submit_options.h - options of a job in the headers of its submission. */
#ifndef TQD_JOBS_SUBMIT_OPTIONS_H
#define TQD_JOBS_SUBMIT_OPTIONS_H

#include "api/operation.h"
#include "api/tables/view.h"
#include "daemon/http/answer.h"
#include "daemon/store/jobs.h"

typedef struct tqd_submit_options {
    tqd_preference prefer;
    int64_t wait_ms;    /* time to wait for its end; 0: do not wait */
    tqa_view_form form; /* of the result, if waited for; JSON: as stored */
    char client[TQD_JOB_CLIENT_TEXT];
    char trace[TQD_JOB_TRACE_TEXT]; /* "": it belongs to none */
    const char *key;                /* Idempotency-Key, in the head; NULL: none */
    int64_t deadline_ms;            /* it must have begun within this time; 0: none */
    int priority;                   /* 3 (first) to -4 */
} tqd_submit_options;

/* Torqued-Deadline: the seconds within which a job, or a worker on an immediate call, must have
 * begun, as ms; *ret_ms is unchanged without the header. False with a problem. */
bool tqd_job_deadline_read(const tqd_head *head, int64_t *ret_ms, tqa_problem *reterr);

/* wait_ms: without Prefer. False with a problem that names the invalid header. */
bool tqd_submit_options_read(const tqd_head *head, int64_t wait_ms, tqd_submit_options *ret,
                             tqa_problem *reterr);

/* A form that the answer of the operation cannot have is refused before its computation. False with
 * a problem. */
bool tqd_submit_form_fits(const tqd_submit_options *options, const tqa_operation *operation,
                          tqa_problem *reterr);

/* True if the result is for this answer only: the client has neither requested a job nor named its
 * request by a key. */
bool tqd_submit_is_waited(const tqd_submit_options *options);

/* Preference-Applied (RFC 7240): the preferences that were applied, with the bounded wait; no
 * header without Prefer. `is_accepted`: the answer is 202. */
void tqd_submit_preference_applied(const tqd_submit_options *options, bool is_accepted,
                                   tqd_reply *reply);

/* Links the log lines of a job, which has an id of its own, with the trace of its submission. */
void tqd_submit_log_trace(const tqd_head *head, const char *job);

#endif
