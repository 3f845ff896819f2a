/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/jobs.h - the interface of jobs: the threads that run them, and what handlers need. */
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
    /* `host` for names of the namespace of a client's key; NULL: `host` for all */
    const tqa_host *(*host_of)(void *ctx, const char *key);
    void *host_ctx;
    const char *state; /* state folder; holds the note of a crash */
    const char *node;  /* name among the nodes of the store; NULL: the host's */
    size_t n_runner;   /* jobs that run concurrently */
    size_t n_spare;    /* additional jobs, of clients that have none running here */
    int64_t lease_ms;
    uint64_t queued_max;        /* jobs that may wait; 0: no bound */
    uint64_t client_queued_max; /* of one client that has a name; 0: no bound */
    /* jobs of this client that may run here at once, 0: no bound; NULL: the least of all */
    uint64_t (*running_max)(void *ctx, const char *client);
    /* seconds an hour that jobs of this client may run here, as above */
    uint64_t (*cpu_max)(void *ctx, const char *client);
    void *running_ctx;         /* of both */
    uint64_t bytes_max;        /* of all bodies of jobs together; 0: no bound */
    uint64_t client_bytes_max; /* of them, the waiting jobs of one client that has a name */
    int64_t keep_ms;           /* retention of finished jobs */
    int64_t keep_waited_ms;    /* retention of jobs with tqd_job.waited; at most keep_ms */
    int64_t wait_ms;           /* default time that a POST waits for the end of its job, without
                                Prefer: wait */
    uint32_t crashes_max;    /* crashes of the process by one job, without a checkpoint in between,
                                after which it fails */
    int64_t time_ms;         /* maximum run time of a job, from its last start; 0: no bound */
    size_t watch_max;        /* event streams and waiting requests */
    size_t client_watch_max; /* of one client; 0: no bound */
    /* once a second after changes, on the keeper's thread; NULL: no report */
    void (*report)(void *ctx, uint64_t n_running, uint64_t n_queued);
    void *report_ctx;
} tqd_jobs_options;

typedef struct tqd_jobs tqd_jobs;

/* NULL with one line in `why` (TQD_STORE_WHY). Objects in the options must outlive it. */
tqd_jobs *tqd_jobs_new(const tqd_jobs_options *options, char *why);
void tqd_jobs_free(tqd_jobs *jobs); /* accepts NULL; after its threads have returned */

/* Writes this node into the store's list of nodes, and reads whether it is drained. The keeper does
 * so every few seconds; the first time is before the keeper begins, so that a drained node claims
 * no job, and the first GET /v1/nodes has this node. */
void tqd_jobs_beat_node(tqd_jobs *jobs);

/* Body of a runner thread (n_runner + n_spare of them), and of the keeper, which recovers the jobs
 * of a former process, renews leases, publishes events, and removes expired jobs and files. Both
 * return some time after tqd_jobs_stop, for which the store's writer must still be running. */
void tqd_jobs_run(void *jobs);
void tqd_jobs_keep(void *jobs);

/* No further job begins, running jobs are cancelled and returned to the queue, and all waiting
 * exchanges are woken. */
void tqd_jobs_stop(tqd_jobs *jobs);
/* After that: true when all its threads have returned within wait_ms. A computation that does not
 * poll for cancellation may take longer. */
bool tqd_jobs_wait(tqd_jobs *jobs, int64_t wait_ms);
bool tqd_jobs_stopping(tqd_jobs *jobs);

/* Seconds until this client is below its quota of seconds an hour; 0: it is. Any thread. */
double tqd_jobs_spent_wait(tqd_jobs *jobs, const char *client, uint64_t hourly_s);

tqd_store *tqd_jobs_store(tqd_jobs *jobs);
tqd_event_hub *tqd_jobs_event_hub(tqd_jobs *jobs);
tqd_registry *tqd_jobs_registry(tqd_jobs *jobs);
const tqd_jobs_options *tqd_jobs_settings(const tqd_jobs *jobs);

/* Notification that a job may have been queued or changed; any thread, for instance in `committed`.
 * */
void tqd_jobs_changed(tqd_jobs *jobs, bool queued);

/* The same after a commit of any node, for every runner: how many jobs it queued is unknown. */
void tqd_jobs_follow(tqd_jobs *jobs, bool queued);

/* Parts of a running job wait, on this node or another: idle runners help. */
void tqd_jobs_parts_opened(tqd_jobs *jobs);

/* A node of the store was drained or resumed, perhaps this one. */
void tqd_jobs_nodes_changed(tqd_jobs *jobs);

/* The nodes of the store as the keeper has read them last, by name. Returns how many. */
enum { TQD_NODES_MAX = 64 };
size_t tqd_jobs_nodes(tqd_jobs *jobs, tqd_node ret[TQD_NODES_MAX]);

/* The store has recorded a cancellation: signals the runner, if the job runs in this process. */
void tqd_jobs_cancel_asked(tqd_jobs *jobs, const char *id);

/* Adds progress that is not yet in the store, and the time of expiry. */
void tqd_jobs_refresh(tqd_jobs *jobs, tqd_job *job);

#endif
