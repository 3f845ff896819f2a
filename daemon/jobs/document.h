/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.h - jobs and events as text. */
#ifndef TQD_JOBS_DOCUMENT_H
#define TQD_JOBS_DOCUMENT_H

#include "api/codec/writer.h"
#include "daemon/jobs/event_hub.h"

enum { TQD_HUB_EVENT_BYTES = 640 };

/* Members of a job, into the open object. */
void tqd_job_members(tqa_writer *document, const tqd_job *job);

/* One Server-Sent Event, terminated; `out` has TQD_HUB_EVENT_BYTES; returns its length. */
size_t tqd_hub_event_print(const tqd_hub_event *news, char *out);

#endif
