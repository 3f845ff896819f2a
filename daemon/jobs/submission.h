/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/submission.h - a POST that becomes a job: checked, stored, waited for. */
#ifndef TQD_JOBS_SUBMISSION_H
#define TQD_JOBS_SUBMISSION_H

#include "daemon/jobs/jobs.h"

/* True when this request becomes a job. */
bool tqd_submission_wanted(const tqa_operation *operation, const tqd_head *head);

/* As tqd_handler.open. The exchange begins with a pointer to tqd_submission_handler, which handles
 * the rest of its life cycle. */
bool tqd_submission_open(tqd_jobs *jobs, const tqa_operation *operation, const tqd_head *head,
                         void **ret_exchange, tqd_reply *reply);

extern const tqd_handler tqd_submission_handler; /* without open */

#endif
