/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.h - jobs and events as text. */
#ifndef TQD_JOBS_DOCUMENT_H
#define TQD_JOBS_DOCUMENT_H

#include "api/codec/writer.h"
#include "daemon/jobs/event_hub.h"

/* What a picture of its result is titled: kind and robot. */
enum { TQD_JOB_TITLE = TQD_JOB_KIND_TEXT + TQD_NAME_TEXT + 4 };
void tqd_job_title(const tqd_job *job, char ret[TQD_JOB_TITLE]);

/* Members of a job, into the open object. */
void tqd_job_members(tqa_writer *document, const tqd_job *job);

/* One Server-Sent Event, terminated; `out` has TQD_HUB_EVENT_BYTES; returns its length. */
size_t tqd_hub_event_print(const tqd_hub_event *news, char *out);

#endif
