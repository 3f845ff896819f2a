/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/submit_options.h - what the headers of a submission ask of its job. */
#ifndef TQD_JOBS_SUBMIT_OPTIONS_H
#define TQD_JOBS_SUBMIT_OPTIONS_H

#include "api/tables/view.h"
#include "daemon/http/answer.h"
#include "daemon/store/jobs.h"

typedef struct tqd_submit_options {
    tqd_preference prefer;
    int64_t wait_s;     /* for its end; 0: not at all */
    tqa_view_form form; /* of a result that was waited for; JSON: as it is stored */
    char client[TQD_JOB_CLIENT_TEXT];
    const char *key;     /* Idempotency-Key, in the head; NULL: none */
    int64_t deadline_ms; /* within which it must have begun; 0: none */
    int priority;        /* 3 (first) to -4 */
} tqd_submit_options;

/* Torqued-Deadline: the seconds within which a job, or a worker on an immediate call, must have
 * begun, as ms; *ret_ms is left as it is without one. False with a problem. */
bool tqd_job_deadline_read(const tqd_head *head, int64_t *ret_ms, tqa_problem *reterr);

/* False with a problem that says which header cannot be meant. */
bool tqd_submit_options_read(const tqd_head *head, tqd_submit_options *ret, tqa_problem *reterr);

#endif
