/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers_private.h - the state of the thread pool; private to this folder. */
#ifndef TQD_QUEUE_WORKERS_PRIVATE_H
#define TQD_QUEUE_WORKERS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "daemon/queue/workers.h"

typedef struct tqd_pool_job {
    void (*run)(void *arg);
    void *arg;
    int64_t since_ns; /* when it was queued */
} tqd_pool_job;

/* A worker thread's record, on its stack. */
typedef struct tqd_pool_worker {
    struct tqd_pool_worker *next;
    _Atomic uint64_t beats;
    int64_t begun_ns; /* of its job; 0: none */
} tqd_pool_worker;

/* A parallel loop that has, or will have, indices to claim. */
typedef struct tqd_pool_group {
    struct tqd_pool_group *next;
    _Atomic size_t n;
    size_t scratch_size;
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
    unsigned level;
    bool is_long; /* its caller is not a worker, or runs inside such a group */
    _Atomic size_t taken;
    size_t grain;            /* one more worker is woken for each `grain` indices */
    int64_t published_ns;    /* time of the last publication */
    bool is_fast;            /* publications follow quickly: busy-poll for the next one */
    _Atomic size_t helpers;  /* written under the mutex, like `stream`: */
    tqd_task_stream *stream; /* freed by the last helper; NULL: its caller waits for it */
} tqd_pool_group;

/* The group of a task stream. A parallel_for has its group on the caller's stack. */
struct tqd_task_stream {
    tqd_pool_group group;
    tqd_workers *workers;
    void (*destroy)(void *arg);
};

struct tqd_workers {
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* a job, a group or the stop */
    pthread_cond_t soon;   /* a short job while no worker is idle, or the stop */
    pthread_cond_t helped; /* a helper has left its group */
    tqd_pool_group *groups;
    size_t idle, n_called;       /* blocked workers, and those of them with a wake-up under way */
    bool is_spinning;            /* a worker busy-polls for work */
    _Atomic unsigned generation; /* generation: changes when there may be work */
    size_t n_thread, n_long;     /* workers, and those of them that help long groups */
    bool stopped;
    bool soon_waits; /* the thread of short jobs is blocked */
    tqd_pool_worker *threads;
    uint64_t beats_ended; /* of threads that have ended */
    uint64_t beats_seen;  /* `beats` at the last liveness check */
    bool had_work;        /* there was work at that check */
    int64_t mean_ns;      /* moving average of the jobs' durations */
    size_t head, n_job, size;
    size_t n_soon;          /* short jobs: the first ones of the ring */
    size_t soon_streak;     /* short jobs begun since the last other one */
    _Atomic size_t waiting; /* n_job, readable without the mutex */
    tqd_pool_job ring[];
};

static inline tqd_pool_job *tqd_pool_job_at(tqd_workers *workers, size_t i)
{
    return &workers->ring[(workers->head + i) % workers->size];
}

#endif
