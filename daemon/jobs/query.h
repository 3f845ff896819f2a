/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/query.h - the query of GET and DELETE /v1/jobs: which jobs. */
#ifndef TQD_JOBS_QUERY_H
#define TQD_JOBS_QUERY_H

#include "daemon/http/answer.h"
#include "daemon/http/exchange.h"
#include "daemon/key.h"
#include "daemon/store/jobs.h"

typedef struct tqd_job_query {
    tqd_job_filter filter; /* its texts are in this struct */
    bool dry_run;          /* of DELETE: count only */
    char kind[TQD_QUERY_TEXT];
    char robot[TQD_QUERY_TEXT + TQD_NAMESPACE_TEXT]; /* its key */
} tqd_job_query;

/* A deletion takes dry_run instead of limit and cursor, needs at least one filter, and its filter
 * has finished jobs only. False with a problem. */
bool tqd_job_query_read(const tqd_head *head, bool is_deletion, tqd_job_query *ret,
                        tqa_problem *reterr);

#endif
