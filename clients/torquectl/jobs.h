/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/jobs.h - waiting for a job, with a progress bar on a terminal. */
#ifndef TORQUECTL_JOBS_H
#define TORQUECTL_JOBS_H

#include "clients/torquectl/ctl.h"

/* Waits until the job has ended, by its events (follow.h). On a terminal a bar with what is left of
 * the time; with --follow a line for each change; else silence. Returns CTL_DONE with the job's
 * document in *ret_job (NULL otherwise), CTL_JOB_FAILED with its problem said, CTL_TIMEOUT, or that
 * of a fault. Ctrl-C leaves the job running and says its id: CTL_INTERRUPTED. */
int ctl_wait(ctl *c, const char *id, json_t **ret_job);

#endif
