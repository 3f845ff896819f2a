/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.h - jobs and events as text. */
#ifndef TQD_JOBS_DOCUMENT_H
#define TQD_JOBS_DOCUMENT_H

#include "daemon/jobs/event_hub.h"

enum { TQD_JOB_DOCUMENT_BYTES = 1536, TQD_HUB_EVENT_BYTES = 512 };

/* A job as JSON, without a line end, with the members `more` (each after a comma; NULL: none).
 * `out` has room for TQD_JOB_DOCUMENT_BYTES and n_more; returns the length. */
size_t tqd_job_print(const tqd_job *job, const char *more, size_t n_more, char *out);

/* One Server-Sent Event; `out` has TQD_HUB_EVENT_BYTES. */
size_t tqd_hub_event_print(const tqd_hub_event *news, char *out);

#endif
