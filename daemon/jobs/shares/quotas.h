/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares/quotas.h - the quotas of a client that a submission meets, and how they refuse
 * it. */
#ifndef TQD_JOBS_QUOTAS_H
#define TQD_JOBS_QUOTAS_H

#include "daemon/http/bearer.h"
#include "daemon/http/exchange.h"
#include "daemon/jobs/jobs.h"

/* Sets the bounds of the write, from the token and the settings; `who` may be NULL. */
void tqd_quotas_set(const tqd_jobs *jobs, const tqd_identity *who, tqd_job_submit *submit);

/* The job is in the queue: it counts before the keeper's next look at all of them. */
void tqd_quotas_count(tqd_jobs *jobs, const tqd_job_submit *submit);

/* Whether the client's jobs have taken the runners' time that it has (cpu_s=): then the reply says
 * so, and when there is more. Accepts who = NULL. */
bool tqd_quotas_refuse_spent(tqd_jobs *jobs, const tqd_identity *who, const char *request_id,
                             tqd_reply *reply);

/* The reply to a write that has met a bound of the client's own (client_full, own_full). */
void tqd_quotas_refuse(const tqd_job_submit *submit, const tqd_identity *who,
                       const char *request_id, tqd_reply *reply);

#endif
