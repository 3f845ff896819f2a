/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers.c - one mutex, one ring of jobs, one list of open parallel loops. */
#include "daemon/queue/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/queue/scratch.h"

typedef struct job {
    void (*run)(void *arg);
    void *arg;
} job;

/* A parallel_for that still has indices to give away. Lives on its caller's stack. */
typedef struct group {
    struct group *next;
    size_t n;
    size_t scratch_size;
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
    unsigned level;
    _Atomic size_t taken;
    size_t helpers; /* under the mutex */
} group;

struct tqd_workers {
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* a job, a group or the stop */
    pthread_cond_t helped; /* a helper has left its group */
    group *groups;
    size_t idle;
    bool stopped;
    size_t head, n_job, size;
    job ring[];
};

/* how deep this thread is in parallel_for bodies */
static _Thread_local unsigned depth;

tqd_workers *tqd_workers_new(size_t queue_max)
{
    tqd_workers *workers = calloc(1, sizeof *workers + queue_max * sizeof(job));
    if (workers == NULL) {
        return NULL;
    }
    workers->size = queue_max;
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->helped, NULL);
    return workers;
}

void tqd_workers_free(tqd_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    assert(workers->groups == NULL && workers->n_job == 0);
    pthread_cond_destroy(&workers->helped);
    pthread_cond_destroy(&workers->work);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

/* Works through what is left of a group on this thread. */
static void group_work(group *g)
{
    void *scratch = g->scratch_size > 0 ? tqd_scratch(g->level, g->scratch_size) : NULL;
    unsigned outer = depth;
    depth = g->level;
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&g->taken, 1, memory_order_relaxed);
        if (i >= g->n) {
            break;
        }
        g->body(g->arg, i, scratch);
    }
    depth = outer;
}

/* The first group with indices left; the mutex is held. */
static group *group_find(tqd_workers *workers)
{
    for (group *g = workers->groups; g != NULL; g = g->next) {
        if (atomic_load_explicit(&g->taken, memory_order_relaxed) < g->n) {
            return g;
        }
    }
    return NULL;
}

static void group_unlink(tqd_workers *workers, group *g)
{
    group **link = &workers->groups;
    while (*link != g) {
        link = &(*link)->next;
    }
    *link = g->next;
}

void tqd_workers_run(void *arg)
{
    tqd_workers *workers = arg;
    pthread_mutex_lock(&workers->mutex);
    for (;;) {
        group *g = group_find(workers);
        if (g != NULL) {
            /* work that has begun goes before work that waits */
            g->helpers++;
            pthread_mutex_unlock(&workers->mutex);
            group_work(g);
            pthread_mutex_lock(&workers->mutex);
            if (--g->helpers == 0) {
                pthread_cond_broadcast(&workers->helped);
            }
        } else if (workers->n_job > 0) {
            job next = workers->ring[workers->head];
            workers->head = (workers->head + 1) % workers->size;
            workers->n_job--;
            pthread_mutex_unlock(&workers->mutex);
            next.run(next.arg);
            pthread_mutex_lock(&workers->mutex);
        } else if (workers->stopped) {
            break;
        } else {
            workers->idle++;
            pthread_cond_wait(&workers->work, &workers->mutex);
            workers->idle--;
        }
    }
    pthread_mutex_unlock(&workers->mutex);
    tqd_scratch_free();
}

void tqd_workers_stop(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    workers->stopped = true;
    pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->mutex);
}

bool tqd_workers_submit(tqd_workers *workers, void (*run)(void *arg), void *arg)
{
    pthread_mutex_lock(&workers->mutex);
    bool added = !workers->stopped && workers->n_job < workers->size;
    if (added) {
        workers->ring[(workers->head + workers->n_job) % workers->size] = (job){run, arg};
        workers->n_job++;
        pthread_cond_signal(&workers->work);
    }
    pthread_mutex_unlock(&workers->mutex);
    return added;
}

size_t tqd_workers_waiting(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    size_t n = workers->n_job;
    pthread_mutex_unlock(&workers->mutex);
    return n;
}

void tqd_workers_parallel_for(tqd_workers *workers, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    group g = {.n = n, .scratch_size = scratch_size, .body = body, .arg = arg, .level = depth + 1};
    assert(g.level < TQD_SCRATCH_LEVELS);
    if (n > 1) {
        pthread_mutex_lock(&workers->mutex);
        g.next = workers->groups;
        workers->groups = &g;
        size_t wake = workers->idle < n - 1 ? workers->idle : n - 1;
        while (wake-- > 0) {
            pthread_cond_signal(&workers->work);
        }
        pthread_mutex_unlock(&workers->mutex);
    }
    group_work(&g);
    if (n > 1) {
        /* nobody can join any more once it is unlinked; those who have, finish their index */
        pthread_mutex_lock(&workers->mutex);
        group_unlink(workers, &g);
        while (g.helpers > 0) {
            pthread_cond_wait(&workers->helped, &workers->mutex);
        }
        pthread_mutex_unlock(&workers->mutex);
    }
}
