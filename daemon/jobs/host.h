/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/host.h - the process's services for a running job; private to this folder. */
#ifndef TQD_JOBS_HOST_H
#define TQD_JOBS_HOST_H

#include "api/host.h"
#include "daemon/jobs/checkpoint.h"
#include "daemon/jobs/jobs_private.h"
#include "daemon/store/files.h"
#include "daemon/store/scratch_file.h"

/* The host of one run of one job. */
typedef struct tqd_job_host {
    tqa_host host;        /* for the call; valid until tqd_job_host_close */
    const tqa_host *base; /* of the process, for names of the job's namespace */
    tqd_runner *runner;
    tqd_store_status status;        /* not OK: the store failed; the outcome of the run is
                                       ignored */
    tqd_scratch_file *scratch_file; /* NULL until first used */
    tqd_spool_sum sum;              /* checksum of the bytes that this run has read or written */
    int64_t saved_ms;               /* monotonic: the last checkpoint, or the start */
    size_t n_attachment;            /* in order of arrival */
    tqd_attachment attachments[TQA_ATTACH_MAX];
    struct {
        char *bytes; /* of a small attachment; else it is a file, kept until the row refers to it */
        tqd_upload *upload;
        char file[TQD_DIGEST_TEXT], media[TQD_MEDIA_TEXT];
    } kept[TQA_ATTACH_MAX];
} tqd_job_host;

void tqd_job_host_open(tqd_job_host *w, tqd_runner *runner);
void tqd_job_host_close(tqd_job_host *w);

#endif
