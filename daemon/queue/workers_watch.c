/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers_watch.c - what the thread pool says of itself: how much waits, for how long,
 * and whether it makes progress. */
#include "daemon/queue/spin.h"
#include "daemon/queue/workers_private.h"

enum { STALL_NS = 1000000000 };

size_t tqd_workers_waiting(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    size_t n = workers->n_job;
    pthread_mutex_unlock(&workers->mutex);
    return n;
}

int64_t tqd_workers_wait_ms(tqd_workers *workers)
{
    if (atomic_load_explicit(&workers->waiting, memory_order_relaxed) == 0) {
        return 0;
    }
    int64_t wait_ns = 0;
    pthread_mutex_lock(&workers->mutex);
    const int64_t now_ns = tqd_spin_now();
    const int64_t mean_ns = workers->mean_ns;
    if (workers->n_job > workers->n_soon && workers->n_thread > 0 &&
        now_ns - tqd_pool_job_at(workers, workers->n_soon)->since_ns >= STALL_NS) {
        /* the next job of a thread is expected to take the mean duration, or the time that its
         * current job has run if that is longer */
        for (const tqd_pool_worker *w = workers->threads; w != NULL; w = w->next) {
            const int64_t so_far_ns = w->begun_ns != 0 ? now_ns - w->begun_ns : 0;
            wait_ns += so_far_ns > mean_ns ? so_far_ns : mean_ns;
        }
        const double per_job_ns = (double)wait_ns / (double)workers->n_thread;
        wait_ns = (int64_t)(per_job_ns * (double)workers->n_job / (double)workers->n_thread);
    }
    pthread_mutex_unlock(&workers->mutex);
    return wait_ns / 1000000;
}

bool tqd_workers_alive(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    uint64_t beats = workers->beats_ended;
    for (const tqd_pool_worker *w = workers->threads; w != NULL; w = w->next) {
        beats += atomic_load_explicit(&w->beats, memory_order_relaxed);
    }
    const bool has_work = workers->n_job > 0 || (workers->n_thread > 0 && workers->idle == 0);
    const bool alive = !has_work || !workers->had_work || beats != workers->beats_seen;
    workers->had_work = has_work;
    workers->beats_seen = beats;
    pthread_mutex_unlock(&workers->mutex);
    return alive;
}
