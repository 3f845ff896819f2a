/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/exchange.h - types and functions common to the handlers of this folder; private. */
#ifndef TQD_JOBS_EXCHANGE_H
#define TQD_JOBS_EXCHANGE_H

#include "daemon/jobs/body.h"
#include "daemon/jobs/field.h"
#include "daemon/jobs/jobs.h"
#include "daemon/jobs/view.h"

/* One request; a worker does all its work, since it reads the store. */
typedef struct tqd_job_exchange {
    tqd_jobs *jobs;
    const tqd_head *head;
    bool found;     /* `job` is that of the path, of the request's namespace */
    bool streaming; /* the reply is being sent: `run` reads its next piece */
    tqd_job job;    /* as it was when the request began */
    tqd_body_reader body;
    tqd_field_reader field;
    tqd_view_reader view;
    tqd_reply answer;
} tqd_job_exchange;

bool tqd_job_exchange_open(void *jobs, const tqd_head *head, void **ret_exchange, tqd_reply *reply);
void tqd_job_exchange_reply(void *exchange, tqd_reply *reply);
void tqd_job_exchange_close(void *exchange);

#define TQD_JOB_HANDLER(run_function)                                                              \
    {                                                                                              \
        .open = tqd_job_exchange_open, .finish = tqd_always_run, .run = (run_function),            \
        .reply = tqd_job_exchange_reply, .close = tqd_job_exchange_close                           \
    }

/* Finds the job of the path, before `run` of every route under /v1/jobs/{id}. False: there is none,
 * or it is another namespace's, which the answer does not distinguish. */
bool tqd_job_exchange_find(tqd_job_exchange *e);

/* Defines NAME_of_found: `run_function` for requests whose job has been found. */
#define TQD_ONE_JOB_RUN(run_function)                                                              \
    static void run_function##_of_found(void *exchange)                                            \
    {                                                                                              \
        if (tqd_job_exchange_find(exchange)) {                                                     \
            run_function(exchange);                                                                \
        }                                                                                          \
    }

/* The same without an exchange: tqd_store_job of a job of the request's namespace. */
tqd_store_status tqd_job_find(tqd_jobs *jobs, const tqd_head *head, tqd_job *ret);

/* Fills the answer. */
void tqd_job_refuse(tqd_job_exchange *e, const tqa_problem *problem);
void tqd_job_refuse_store(tqd_job_exchange *e, tqd_store_status status);
/* The job is another client's. */
void tqd_job_refuse_owned(tqd_job_exchange *e, const char *owner);

/* results.c */
extern const tqd_handler tqd_job_request_handler;
extern const tqd_handler tqd_job_result_handler;
extern const tqd_handler tqd_job_field_handler;
extern const tqd_handler tqd_job_report_handler;

#endif
