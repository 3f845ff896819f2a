/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/jobs_private.h - what runners and the keeper share; private to this folder. */
#ifndef TQD_JOBS_JOBS_PRIVATE_H
#define TQD_JOBS_JOBS_PRIVATE_H

#include <stdatomic.h>

#include "daemon/jobs/jobs.h"
#include "daemon/jobs/spent.h"

enum { TQD_RUNNERS_MAX = 128 };

/* One runner and the job it has. `job.id` and `job.fence` change only while it is not busy. */
typedef struct tqd_runner {
    tqd_jobs *jobs;
    pthread_mutex_t mutex; /* guards the rest, but for the flags; a leaf */
    bool busy;
    tqd_job job;
    double fraction;
    char step[TQD_JOB_STEP_TEXT];
    int64_t begun_ms;       /* monotonic */
    int64_t charged_ms;     /* monotonic: until then its time is in jobs->spent */
    bool moved;             /* progress that the event hub does not have yet */
    _Atomic bool cancelled; /* somebody has asked */
    _Atomic bool overdue;   /* it has run for longer than a job may */
    _Atomic bool handed;    /* it was stopped because this node is drained: back into the queue */
    _Atomic bool lost;      /* the lease is another's: whatever comes out counts for nothing */
} tqd_runner;

struct tqd_jobs {
    tqd_jobs_options options;
    char node[TQD_JOB_NODE_TEXT];
    int64_t started_ms; /* monotonic */
    tqd_event_hub hub;
    pthread_mutex_t mutex;         /* guards what follows; a leaf */
    pthread_cond_t queued;         /* for runners */
    pthread_cond_t shut;           /* for spare runners: all others have a job */
    pthread_cond_t news;           /* for the keeper */
    uint64_t n_queued;             /* grows when something may have been queued */
    uint64_t n_ended;              /* grows when a runner has ended a job */
    size_t n_busy;                 /* runners with a job, spare ones left out */
    int64_t moved_ms;              /* monotonic: when one of them began or ended one */
    bool shut_awaited;             /* a spare runner sleeps until `shut` */
    bool held_back;                /* a job may wait for its client's others to end */
    bool held_by_time;             /* or for the next second that its client may have */
    bool recovered;                /* what a former process left is taken up */
    bool changed;                  /* the store has events that the event hub does not have yet */
    bool nodes_changed;            /* a node was drained or resumed */
    tqd_node nodes[TQD_NODES_MAX]; /* as they were read last */
    size_t n_node;
    bool stopping;
    unsigned n_alive; /* threads */
    pthread_cond_t gone;
    pthread_mutex_t choosing; /* held from the count of clients' running jobs to a claim */
    tqd_spent spent;
    _Atomic bool drained;       /* as the keeper has read it last: running jobs are handed over */
    _Atomic unsigned n_started; /* runners that have a place in the table: spare ones last */
    tqd_runner runners[TQD_RUNNERS_MAX];
};

/* Each thread calls both. */
void tqd_jobs_enter(tqd_jobs *jobs);
void tqd_jobs_leave(tqd_jobs *jobs);

/* shares.c: the next job that may begin under what clients may have; false: none does. */
bool tqd_jobs_claim(tqd_runner *runner, tqd_store_status *ret_status);
/* A runner has a job, or has none any more. */
void tqd_jobs_begun(tqd_runner *runner);
void tqd_jobs_ended(tqd_runner *runner);
/* Every tick: charges clients for their running jobs; true while a job waits for its client's next
 * second, and once a second such a job may begin. */
bool tqd_jobs_charge_all(tqd_jobs *jobs, bool is_second);
/* Blocks a spare runner until others have kept a job waiting; false when the jobs stop. */
bool tqd_jobs_await_shut(tqd_jobs *jobs, uint64_t *seen);
bool tqd_jobs_is_spare(const tqd_runner *runner);

/* nodes.c: says in the store that this node is there, and reads the nodes, and whether this one is
 * drained. */
void tqd_jobs_beat_node(tqd_jobs *jobs);

/* execute.c: computes a claimed job and ends it in the store. */
void tqd_execute(tqd_runner *runner);

#endif
