/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/document.h - jobs and news as text. */
#ifndef TQD_JOBS_DOCUMENT_H
#define TQD_JOBS_DOCUMENT_H

#include "daemon/jobs/event_hub.h"

enum { TQD_JOB_DOCUMENT_BYTES = 1536, TQD_NEWS_BYTES = 512 };

/* A job as JSON, without a line end; `more` (members, each after a comma; NULL if none) goes into
 * it. `out` has room for TQD_JOB_DOCUMENT_BYTES and that; returns the length. */
size_t tqd_job_print(const tqd_job *job, const char *more, size_t n_more, char *out);

/* One Server-Sent Event; `out` has TQD_NEWS_BYTES. */
size_t tqd_news_print(const tqd_news *news, char *out);

#endif
