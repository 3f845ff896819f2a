/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/jobs.h - the door of jobs: threads that run them, and what handlers need of them. */
#ifndef TQD_JOBS_JOBS_H
#define TQD_JOBS_JOBS_H

#include "api/operation.h"
#include "daemon/jobs/event_hub.h"
#include "daemon/robots/registry.h"

enum { TQD_JOB_ROW_BYTES = 64 << 10 }; /* larger bodies are files of the store */

typedef struct tqd_jobs_options {
    tqd_store *store;
    tqd_registry *registry;
    const tqa_host *host; /* of immediate calls: robots and parallel_for are the same for jobs */
    const char *state;    /* folder; the note of a crash is left in it */
    size_t n_runner;      /* jobs that run at once */
    int64_t lease_ms;
    uint64_t queued_max;  /* jobs that may wait; 0: no bound */
    uint64_t bytes_max;   /* of all bodies of jobs together; 0: no bound */
    int64_t keep_ms;      /* finished jobs are kept so long */
    uint32_t crashes_max; /* of the process, by one job without a checkpoint between: it fails */
    size_t watch_max;     /* event streams and waiting requests */
    /* once a second when they may have changed, on the keeper's thread; NULL: nobody asks */
    void (*tell)(void *ctx, uint64_t n_running, uint64_t n_queued);
    void *tell_ctx;
} tqd_jobs_options;

typedef struct tqd_jobs tqd_jobs;

/* NULL with one line in `why` (TQD_STORE_WHY). What the options name must outlive it. */
tqd_jobs *tqd_jobs_new(const tqd_jobs_options *options, char *why);
void tqd_jobs_free(tqd_jobs *jobs); /* accepts NULL; after its threads have returned */

/* The life of one runner (n_runner threads) and of the one keeper, which takes up what a former
 * process left, renews leases, tells news, and clears away. Both return some time after
 * tqd_jobs_stop, for which the store's writer must still be running. */
void tqd_jobs_run(void *jobs);
void tqd_jobs_keep(void *jobs);

/* Nothing is begun any more, what runs is asked to stop and given back to the queue, and everybody
 * who waits is woken. */
void tqd_jobs_stop(tqd_jobs *jobs);
/* After that: true when all its threads have returned within wait_ms. A computation that never asks
 * whether it is cancelled may take longer. */
bool tqd_jobs_wait(tqd_jobs *jobs, int64_t wait_ms);
bool tqd_jobs_stopping(tqd_jobs *jobs);

tqd_store *tqd_jobs_store(tqd_jobs *jobs);
tqd_event_hub *tqd_jobs_feed(tqd_jobs *jobs);
tqd_registry *tqd_jobs_registry(tqd_jobs *jobs);
const tqd_jobs_options *tqd_jobs_settings(const tqd_jobs *jobs);

/* A job may have been queued or changed: from any thread, for instance `committed`. */
void tqd_jobs_changed(tqd_jobs *jobs, bool queued);

/* A cancellation is in the store: tells the runner, if the job is here. */
void tqd_jobs_cancel_asked(tqd_jobs *jobs, const char *id);

/* Puts progress that is not in the store yet into a row. */
void tqd_jobs_refresh(tqd_jobs *jobs, tqd_job *job);

#endif
