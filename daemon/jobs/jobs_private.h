/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/jobs_private.h - state common to runners and the keeper; private to this folder. */
#ifndef TQD_JOBS_JOBS_PRIVATE_H
#define TQD_JOBS_JOBS_PRIVATE_H

#include <stdatomic.h>

#include "daemon/jobs/jobs.h"
#include "daemon/jobs/shares/spent.h"

enum { TQD_RUNNERS_MAX = 128 };

/* A runner and its job. `job.id` and `job.fence` change only while the runner is not busy. */
typedef struct tqd_runner {
    tqd_jobs *jobs;
    pthread_mutex_t mutex; /* guards the members except the flags; a leaf */
    bool busy;
    tqd_job job;
    double fraction;
    char step[TQD_JOB_STEP_TEXT];
    int64_t begun_ms;       /* monotonic */
    int64_t charged_ms;     /* monotonic: its run time before is counted in jobs->spent */
    bool moved;             /* progress that has not been published */
    _Atomic bool cancelled; /* cancellation was requested */
    _Atomic bool overdue;   /* the job has exceeded its maximum run time */
    _Atomic bool handed;    /* stopped because this node is drained: the job returns to the queue */
    _Atomic bool lost;      /* the lease was lost: the outcome is ignored */
    bool helps;             /* with one part of `job`, which another runner runs */
    bool has_part;          /* a part of `job` is claimed */
    uint32_t part;
    uint64_t part_fence;
} tqd_runner;

struct tqd_jobs {
    tqd_jobs_options options;
    char node[TQD_JOB_NODE_TEXT];
    int64_t started_ms; /* monotonic */
    tqd_event_hub hub;
    pthread_mutex_t mutex;         /* guards the following members; a leaf */
    pthread_cond_t queued;         /* for runners */
    pthread_cond_t shut;           /* for spare runners: all others have a job */
    pthread_cond_t news;           /* for the keeper */
    uint64_t n_queued;             /* grows when something may have been queued */
    uint64_t n_ended;              /* grows when a runner has ended a job */
    size_t n_busy;                 /* runners with a job, spare ones left out */
    int64_t moved_ms;              /* monotonic time at which one of them last began or ended a
                                      job */
    bool shut_awaited;             /* a spare runner sleeps until `shut` */
    bool held_back;                /* a job may be waiting for others of its client to end */
    bool held_by_time;             /* or for CPU time of its client's quota to become free */
    bool recovered;                /* jobs of a former process have been recovered */
    bool changed;                  /* the store has events that are not published yet */
    bool nodes_changed;            /* a node was drained or resumed */
    tqd_node nodes[TQD_NODES_MAX]; /* as last read */
    size_t n_node;
    bool stopping;
    unsigned n_alive; /* threads */
    pthread_cond_t gone;
    pthread_mutex_t choosing; /* held from counting a client's running jobs to the claim */
    tqd_spent spent;
    _Atomic uint64_t n_waiting;     /* jobs in the queue of all nodes, as last read by the keeper */
    _Atomic bool drained;           /* as last read by the keeper: running jobs are handed over */
    uint64_t n_parts, n_parts_seen; /* guarded by `mutex`: news of parts, and up to which of them no
                                       part was left */
    _Atomic unsigned n_helping;     /* runners that help */
    _Atomic unsigned n_started;     /* runners that have a place in the table: spare ones last */
    tqd_runner runners[TQD_RUNNERS_MAX];
};

/* Each thread calls both. */
void tqd_jobs_enter(tqd_jobs *jobs);
void tqd_jobs_leave(tqd_jobs *jobs);

/* shares.c: claims the next job that its client's share admits; false: none. */
bool tqd_jobs_claim(tqd_runner *runner, tqd_store_status *ret_status);
/* A runner has ended a job. */
void tqd_jobs_ended(tqd_runner *runner);
/* Every tick: charges clients for their running jobs; true while a job waits for its client's next
 * second, and once a second such a job may begin. */
bool tqd_jobs_charge_all(tqd_jobs *jobs, bool is_second);
/* Blocks a spare runner until all others have kept a job waiting; false when the jobs stop. */
bool tqd_jobs_await_shut(tqd_jobs *jobs, uint64_t *seen);
bool tqd_jobs_is_spare(const tqd_runner *runner);

/* The runner has claimed a job, or (helps) the part of one that is set in it. */
void tqd_jobs_take(tqd_runner *runner, const tqd_job *job, bool helps);

/* parts.c: claims a part of a job that another runner runs, on whatever node; false: none waits. */
bool tqd_jobs_help(tqd_runner *runner);
/* Extends the lease of a runner's part. */
void tqd_jobs_beat_part(tqd_runner *runner);
/* The job has ended: who helps with it stops. */
void tqd_jobs_stop_helpers(tqd_jobs *jobs, const char *id);

/* execute.c: computes a claimed job and ends it in the store. */
void tqd_execute(tqd_runner *runner);

#endif
