/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/parts.h - jobs in parts: the runner of the job and any idle runners of any node
 * compute them; private to this folder. */
#ifndef TQD_JOBS_PARTS_H
#define TQD_JOBS_PARTS_H

#include "daemon/jobs/host.h"

/* tqa_host.run_parts of a running job (tqd_job_host), and of a runner that helps with one part. */
bool tqd_parts_run(void *ctx, const tqa_parts *parts);

/* A helper's run is over: its part waits again if it was not computed. */
void tqd_parts_leave(tqd_runner *runner);

#endif
