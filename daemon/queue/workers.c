/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers.c - a thread pool: one mutex, one ring of jobs, one list of parallel loops.
 * */
#include "daemon/queue/workers.h"

#include <assert.h>
#include <stdlib.h>

#include "daemon/queue/scratch.h"
#include "daemon/queue/spin.h"
#include "daemon/queue/workers_private.h"

enum { MEAN_OVER = 8, SOON_ROW = 8 };

/* nesting of parallel_for bodies on this thread */
static _Thread_local unsigned depth;
static _Thread_local bool is_worker, in_long;
static _Thread_local tqd_pool_worker *self;

tqd_workers *tqd_workers_new(size_t queue_max)
{
    tqd_workers *workers = calloc(1, sizeof *workers + queue_max * sizeof(tqd_pool_job));
    if (workers == NULL) {
        return NULL;
    }
    workers->size = queue_max;
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->work, NULL);
    pthread_cond_init(&workers->helped, NULL);
    pthread_cond_init(&workers->soon, NULL);
    return workers;
}

void tqd_workers_free(tqd_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    assert(workers->groups == NULL && workers->n_job == 0);
    pthread_cond_destroy(&workers->soon);
    pthread_cond_destroy(&workers->helped);
    pthread_cond_destroy(&workers->work);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

void tqd_workers_beat(void)
{
    if (self != NULL) { /* single writer: no read-modify-write needed */
        const uint64_t n = atomic_load_explicit(&self->beats, memory_order_relaxed);
        atomic_store_explicit(&self->beats, n + 1, memory_order_relaxed);
    }
}

/* Claims up to n blocked workers for a wake-up; the mutex is held. Returns how many to signal after
 * unlocking: signalled earlier they would only block on the mutex. */
static size_t reserve_wakeups(tqd_workers *workers, size_t n)
{
    const size_t asleep = workers->idle - workers->n_called;
    const size_t called = n < asleep ? n : asleep;
    workers->n_called += called;
    atomic_fetch_add_explicit(&workers->generation, 1, memory_order_relaxed);
    return called;
}

static void signal_workers(tqd_workers *workers, size_t n_called)
{
    while (n_called-- > 0) {
        pthread_cond_signal(&workers->work);
    }
}

/* Claims an index. False: none is published now. */
static bool group_take(tqd_pool_group *g, size_t *ret)
{
    size_t i = atomic_load_explicit(&g->taken, memory_order_relaxed);
    /* acquire: pairs with the publication of the index */
    while (i < atomic_load_explicit(&g->n, memory_order_acquire)) {
        if (atomic_compare_exchange_weak_explicit(&g->taken, &i, i + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

/* Runs the remaining indices of a group on this thread; a helper of a long group stops when a job
 * waits. False: a helper has no memory for scratch, and leaves the group. */
static bool group_work(tqd_workers *workers, tqd_pool_group *g, bool helps)
{
    void *scratch = g->scratch_size > 0 ? tqd_scratch(g->level, g->scratch_size) : NULL;
    if (helps && g->scratch_size > 0 && scratch == NULL) {
        return false;
    }
    const unsigned outer = depth;
    const bool outer_long = in_long;
    depth = g->level;
    in_long = g->is_long;
    size_t i = 0;
    while ((!helps || !g->is_long ||
            atomic_load_explicit(&workers->waiting, memory_order_relaxed) == 0) &&
           group_take(g, &i)) {
        g->body(g->arg, i, scratch);
        tqd_workers_beat();
    }
    depth = outer;
    in_long = outer_long;
    return true;
}

/* The first group with unclaimed indices; the mutex is held. Loops precede queued jobs, since their
 * work has begun. Long loops come last and never take all workers: an index may take minutes, and
 * short requests would wait for it. */
static tqd_pool_group *group_find(const tqd_workers *workers)
{
    const bool takes_long = workers->n_job == 0 && workers->n_long + 1 < workers->n_thread;
    for (tqd_pool_group *g = workers->groups; g != NULL; g = g->next) {
        if ((!g->is_long || takes_long) && atomic_load_explicit(&g->taken, memory_order_relaxed) <
                                               atomic_load_explicit(&g->n, memory_order_relaxed)) {
            return g;
        }
    }
    return NULL;
}

/* No thread uses it any more. */
static void stream_destroy(tqd_task_stream *stream)
{
    void (*destroy)(void *arg) = stream->destroy;
    void *arg = stream->group.arg;
    free(stream);
    destroy(arg);
}

/* The mutex is held on entry and return. False: no memory for scratch. */
static bool group_help(tqd_workers *workers, tqd_pool_group *g)
{
    const bool is_long = g->is_long; /* g may be freed when its last helper has left */
    g->helpers++;
    workers->n_long += is_long;
    pthread_mutex_unlock(&workers->mutex);
    const bool good = group_work(workers, g, true);
    pthread_mutex_lock(&workers->mutex);
    workers->n_long -= is_long;
    if (--g->helpers > 0) {
        return good;
    }
    if (g->stream != NULL) {
        pthread_mutex_unlock(&workers->mutex);
        stream_destroy(g->stream);
        pthread_mutex_lock(&workers->mutex);
    } else {
        pthread_cond_broadcast(&workers->helped);
    }
    return good;
}

/* Removes the i-th job of the ring; the mutex is held. Jobs before it move by one place. */
static tqd_pool_job job_take(tqd_workers *workers, size_t i)
{
    const tqd_pool_job taken = *tqd_pool_job_at(workers, i);
    workers->n_soon -= i < workers->n_soon;
    for (; i > 0; i--) {
        *tqd_pool_job_at(workers, i) = *tqd_pool_job_at(workers, i - 1);
    }
    workers->head = (workers->head + 1) % workers->size;
    workers->n_job--;
    atomic_store_explicit(&workers->waiting, workers->n_job, memory_order_relaxed);
    return taken;
}

static tqd_pool_job job_next(tqd_workers *workers)
{
    const bool others_turn = workers->soon_streak >= SOON_ROW && workers->n_job > workers->n_soon;
    const bool is_soon = workers->n_soon > 0 && !others_turn;
    workers->soon_streak = is_soon ? workers->soon_streak + 1 : 0;
    return job_take(workers, is_soon ? 0 : workers->n_soon);
}

/* A worker begins something else while short jobs wait; the mutex is held. */
static void call_soon(tqd_workers *workers)
{
    if (workers->n_soon > 0 && workers->soon_waits && workers->idle == workers->n_called) {
        pthread_cond_signal(&workers->soon); /* again, if it has not run yet: see submit */
    }
}

/* The mutex is held on entry and return, not while the job runs. */
static void job_run(tqd_workers *workers)
{
    const tqd_pool_job next = job_next(workers);
    call_soon(workers);
    const int64_t begun_ns = tqd_spin_now();
    self->begun_ns = begun_ns;
    pthread_mutex_unlock(&workers->mutex);
    next.run(next.arg);
    const int64_t taken_ns = tqd_spin_now() - begun_ns;
    tqd_workers_beat();
    pthread_mutex_lock(&workers->mutex);
    self->begun_ns = 0;
    workers->mean_ns += (taken_ns - workers->mean_ns) / MEAN_OVER;
}

static void group_unlink(tqd_workers *workers, tqd_pool_group *g)
{
    tqd_pool_group **link = &workers->groups;
    while (*link != g) {
        link = &(*link)->next;
    }
    *link = g->next;
}

/* Unlinked, the group gets no more helpers; the present ones finish their index, usually sooner
 * than a futex wake-up takes. */
static void group_end(tqd_workers *workers, tqd_pool_group *g)
{
    pthread_mutex_lock(&workers->mutex);
    group_unlink(workers, g);
    pthread_mutex_unlock(&workers->mutex);
    const int64_t until_ns = tqd_spin_begin();
    while (atomic_load_explicit(&g->helpers, memory_order_relaxed) > 0 &&
           tqd_spin_again(until_ns)) {
    }
    pthread_mutex_lock(&workers->mutex);
    while (g->helpers > 0) {
        pthread_cond_wait(&workers->helped, &workers->mutex);
    }
    pthread_mutex_unlock(&workers->mutex);
}

/* Busy-polls for new work. The mutex is held on entry and return. */
static void spin_for_work(tqd_workers *workers)
{
    const unsigned seen = atomic_load_explicit(&workers->generation, memory_order_relaxed);
    workers->is_spinning = true;
    pthread_mutex_unlock(&workers->mutex);
    const int64_t until_ns = tqd_spin_begin();
    while (atomic_load_explicit(&workers->generation, memory_order_relaxed) == seen &&
           tqd_spin_again(until_ns)) {
    }
    pthread_mutex_lock(&workers->mutex);
    workers->is_spinning = false;
}

static void sleep_until_called(tqd_workers *workers)
{
    workers->idle++;
    pthread_cond_wait(&workers->work, &workers->mutex);
    workers->idle--;
    workers->n_called -= workers->n_called > 0;
}

static void unlink_thread(tqd_workers *workers, tqd_pool_worker *own)
{
    tqd_pool_worker **link = &workers->threads;
    while (*link != own) {
        link = &(*link)->next;
    }
    *link = own->next;
    workers->beats_ended += atomic_load_explicit(&own->beats, memory_order_relaxed);
}

void tqd_workers_run(void *arg)
{
    tqd_workers *workers = arg;
    bool may_spin = false; /* the last group publishes quickly: more indices may follow */
    tqd_pool_worker own = {.next = NULL};
    is_worker = true;
    self = &own;
    pthread_mutex_lock(&workers->mutex);
    workers->n_thread++;
    own.next = workers->threads;
    workers->threads = &own;
    for (;;) {
        tqd_pool_group *g = group_find(workers);
        const bool is_fast = g != NULL && g->is_fast; /* read before unlocking: g may be freed
                                                         meanwhile */
        if (g != NULL) {
            call_soon(workers);
        }
        if (g != NULL && group_help(workers, g)) {
            may_spin = is_fast;
            continue;
        }
        if (workers->n_job > 0) {
            job_run(workers);
        } else if (workers->stopped) {
            break;
        } else if (may_spin && !workers->is_spinning) {
            may_spin = false;
            spin_for_work(workers);
        } else {
            sleep_until_called(workers);
        }
    }
    workers->n_thread--;
    unlink_thread(workers, &own);
    pthread_mutex_unlock(&workers->mutex);
    self = NULL;
    is_worker = false;
    tqd_scratch_free();
}

void tqd_workers_run_soon(void *arg)
{
    tqd_workers *workers = arg;
    is_worker = true;
    pthread_mutex_lock(&workers->mutex);
    while (workers->n_soon > 0 || !workers->stopped) {
        if (workers->n_soon > 0) {
            const tqd_pool_job next = job_take(workers, 0);
            pthread_mutex_unlock(&workers->mutex);
            next.run(next.arg);
            pthread_mutex_lock(&workers->mutex);
        } else {
            workers->soon_waits = true;
            pthread_cond_wait(&workers->soon, &workers->mutex);
            workers->soon_waits = false;
        }
    }
    pthread_mutex_unlock(&workers->mutex);
    is_worker = false;
    tqd_scratch_free();
}

void tqd_workers_stop(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    workers->stopped = true;
    (void)reserve_wakeups(workers, workers->idle);
    pthread_cond_broadcast(&workers->work);
    pthread_cond_broadcast(&workers->soon);
    pthread_mutex_unlock(&workers->mutex);
}

/* Inserts a job after the first `before` ones. */
static void job_put(tqd_workers *workers, size_t before, tqd_pool_job added)
{
    for (size_t i = workers->n_job; i > before; i--) {
        *tqd_pool_job_at(workers, i) = *tqd_pool_job_at(workers, i - 1);
    }
    *tqd_pool_job_at(workers, before) = added;
    workers->n_job++;
    atomic_store_explicit(&workers->waiting, workers->n_job, memory_order_relaxed);
}

static bool submit(tqd_workers *workers, bool is_soon, void (*run)(void *arg), void *arg)
{
    size_t n_called = 0;
    pthread_mutex_lock(&workers->mutex);
    bool added = !workers->stopped && workers->n_job < workers->size;
    if (added) {
        job_put(workers, is_soon ? workers->n_soon : workers->n_job,
                (tqd_pool_job){run, arg, tqd_spin_now()});
        workers->n_soon += is_soon;
        call_soon(workers); /* if no worker is free */
        n_called = reserve_wakeups(workers, 1);
        /* glibc before 2.41 may lose a signal (bug 25847): a worker that was signalled before is
         * signalled again, which costs nothing when it is awake */
        n_called += n_called == 0 && workers->idle > 0;
    }
    pthread_mutex_unlock(&workers->mutex);
    signal_workers(workers, n_called);
    return added;
}

bool tqd_workers_submit(tqd_workers *workers, void (*run)(void *arg), void *arg)
{
    return submit(workers, false, run, arg);
}

bool tqd_workers_submit_soon(tqd_workers *workers, void (*run)(void *arg), void *arg)
{
    return submit(workers, true, run, arg);
}

bool tqd_workers_withdraw(tqd_workers *workers, void (*run)(void *arg), void *arg)
{
    pthread_mutex_lock(&workers->mutex);
    size_t i = 0;
    while (i < workers->n_job) {
        const tqd_pool_job *one = tqd_pool_job_at(workers, i);
        if (one->run == run && one->arg == arg) {
            break;
        }
        i++;
    }
    const bool found = i < workers->n_job;
    if (found) {
        (void)job_take(workers, i);
    }
    pthread_mutex_unlock(&workers->mutex);
    return found;
}

void tqd_workers_parallel_for(tqd_workers *workers, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    tqd_pool_group g = {.scratch_size = scratch_size, .body = body, .arg = arg, .level = depth + 1};
    atomic_init(&g.n, n);
    g.is_long = !is_worker || in_long;
    assert(g.level < TQD_SCRATCH_LEVELS);
    if (n > 1) {
        pthread_mutex_lock(&workers->mutex);
        g.next = workers->groups;
        workers->groups = &g;
        const size_t n_called = reserve_wakeups(workers, n - 1);
        pthread_mutex_unlock(&workers->mutex);
        signal_workers(workers, n_called);
    }
    (void)group_work(workers, &g, false);
    if (n > 1) {
        group_end(workers, &g);
    }
}

tqd_task_stream *tqd_task_stream_new(tqd_workers *workers, size_t grain, size_t scratch_size,
                                     void (*body)(void *arg, size_t i, void *scratch),
                                     void (*destroy)(void *arg), void *arg)
{
    assert(grain > 0);
    tqd_task_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->workers = workers;
    stream->destroy = destroy;
    stream->group.scratch_size = scratch_size;
    stream->group.body = body;
    stream->group.arg = arg;
    stream->group.level = 1;
    stream->group.grain = grain;
    pthread_mutex_lock(&workers->mutex);
    stream->group.next = workers->groups;
    workers->groups = &stream->group;
    pthread_mutex_unlock(&workers->mutex);
    return stream;
}

void tqd_task_stream_publish(tqd_task_stream *stream, size_t n)
{
    tqd_workers *workers = stream->workers;
    tqd_pool_group *g = &stream->group;
    const int64_t published_ns = tqd_spin_now();
    pthread_mutex_lock(&workers->mutex);
    assert(n >= atomic_load_explicit(&g->n, memory_order_relaxed));
    g->is_fast = published_ns - g->published_ns < TQD_SPIN_NS;
    g->published_ns = published_ns;
    atomic_store_explicit(&g->n, n, memory_order_release);
    const size_t left = n - atomic_load_explicit(&g->taken, memory_order_relaxed);
    const size_t wanted = left / g->grain + (left % g->grain > 0);
    const size_t awake = g->helpers + workers->n_called + workers->is_spinning;
    const size_t n_called = reserve_wakeups(workers, wanted > awake ? wanted - awake : 0);
    pthread_mutex_unlock(&workers->mutex);
    signal_workers(workers, n_called);
}

static size_t waiting(const tqd_pool_group *g)
{
    return atomic_load_explicit(&g->n, memory_order_relaxed) -
           atomic_load_explicit(&g->taken, memory_order_relaxed);
}

void tqd_task_stream_help(tqd_task_stream *stream, size_t waiting_max)
{
    tqd_pool_group *g = &stream->group;
    assert(depth == 0);
    if (waiting(g) <= waiting_max) {
        return;
    }
    void *scratch = g->scratch_size > 0 ? tqd_scratch(g->level, g->scratch_size) : NULL;
    size_t i = 0;
    depth = g->level;
    while ((scratch != NULL || g->scratch_size == 0) && waiting(g) > waiting_max &&
           group_take(g, &i)) {
        g->body(g->arg, i, scratch);
    }
    depth = 0;
}

void tqd_task_stream_finish(tqd_task_stream *stream)
{
    assert(depth == 0);
    (void)group_work(stream->workers, &stream->group, false);
    group_end(stream->workers, &stream->group);
    free(stream);
}

void tqd_task_stream_abandon(tqd_task_stream *stream)
{
    tqd_workers *workers = stream->workers;
    tqd_pool_group *g = &stream->group;
    pthread_mutex_lock(&workers->mutex);
    group_unlink(workers, g);
    /* helpers find no further index */
    atomic_store_explicit(&g->n, 0, memory_order_relaxed);
    const bool last = g->helpers == 0;
    g->stream = stream;
    pthread_mutex_unlock(&workers->mutex);
    if (last) {
        stream_destroy(stream);
    }
}
