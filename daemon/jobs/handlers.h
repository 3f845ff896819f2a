/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/handlers.h - the routes under /v1/jobs, /v1/events and /v1/nodes. */
#ifndef TQD_JOBS_HANDLERS_H
#define TQD_JOBS_HANDLERS_H

#include "daemon/jobs/jobs.h"

enum { TQD_JOB_ROUTES = 16 };

/* Writes the routes and returns how many; the context of each is the tqd_jobs. */
size_t tqd_job_routes(tqd_jobs *jobs, tqd_route routes[TQD_JOB_ROUTES]);

/* streams.c: Server-Sent Events of one job ({}), or of all jobs */
extern const tqd_handler tqd_events_handler;
/* nodes.c */
extern const tqd_handler tqd_nodes_handler, tqd_node_drain_handler, tqd_node_resume_handler;

#endif
