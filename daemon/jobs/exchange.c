/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/exchange.c - the life cycle of a request about jobs. */
#include "daemon/jobs/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/key.h"
#include "daemon/store/problem.h"

bool tqd_job_exchange_open(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqd_job_exchange *e = calloc(1, sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    e->jobs = ctx;
    e->head = head;
    *ret_exchange = e;
    return true;
}

tqd_store_status tqd_job_find(tqd_jobs *jobs, const tqd_head *head, tqd_job *ret)
{
    const tqd_store_status status = tqd_store_job(tqd_jobs_store(jobs), head->part[0], ret);
    return status == TQD_STORE_OK && !tqd_key_is_beside(ret->client, tqd_identity_key(head->who))
               ? TQD_STORE_NOT_FOUND
               : status;
}

bool tqd_job_exchange_find(tqd_job_exchange *e)
{
    if (!e->found) {
        const tqd_store_status status = tqd_job_find(e->jobs, e->head, &e->job);
        e->found = status == TQD_STORE_OK;
        if (!e->found) {
            tqd_job_refuse_store(e, status);
        }
    }
    return e->found;
}

void tqd_job_exchange_reply(void *exchange, tqd_reply *reply)
{
    tqd_job_exchange *e = exchange;
    *reply = e->answer;
    e->answer.body = NULL;
}

void tqd_job_exchange_close(void *exchange)
{
    tqd_job_exchange *e = exchange;
    tqd_view_close(&e->view);
    tqd_field_close(&e->field);
    tqd_body_close(&e->body);
    free(e->answer.body);
    free(e);
}

void tqd_job_refuse(tqd_job_exchange *e, const tqa_problem *problem)
{
    tqd_answer_problem(&e->answer, e->head->request_id, problem);
}

void tqd_job_refuse_store(tqd_job_exchange *e, tqd_store_status status)
{
    tqa_problem problem;
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "not-found", "there is no job \"%.64s\"", e->head->part[0]);
    } else {
        tqd_store_problem(status, &problem);
    }
    tqd_job_refuse(e, &problem);
}

void tqd_job_refuse_owned(tqd_job_exchange *e, const char *owner)
{
    tqa_problem problem;
    tqd_store_owned("job", e->head->part[0], owner, &problem);
    tqd_job_refuse(e, &problem);
}
