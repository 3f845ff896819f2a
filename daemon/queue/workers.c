/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers.c - a thread pool: one mutex, one ring of jobs, one list of parallel loops.
 * */
#include "daemon/queue/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "daemon/queue/scratch.h"
#include "daemon/queue/spin.h"

enum { MEAN_OVER = 8, STALL_NS = 1000000000, SOON_ROW = 8 };

typedef struct job {
    void (*run)(void *arg);
    void *arg;
    int64_t since_ns; /* when it was queued */
} job;

/* A worker thread's record, on its stack. */
typedef struct worker {
    struct worker *next;
    _Atomic uint64_t beats;
    int64_t begun_ns; /* of its job; 0: none */
} worker;

/* A parallel loop that has, or will have, indices to claim. */
typedef struct group {
    struct group *next;
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
} group;

/* The group of a task stream. A parallel_for has its group on the caller's stack. */
struct tqd_task_stream {
    group group;
    tqd_workers *workers;
    void (*destroy)(void *arg);
};

struct tqd_workers {
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* a job, a group or the stop */
    pthread_cond_t helped; /* a helper has left its group */
    group *groups;
    size_t idle, n_called;       /* blocked workers, and those of them with a wake-up under way */
    bool is_spinning;            /* a worker busy-polls for work */
    _Atomic unsigned generation; /* generation: changes when there may be work */
    size_t n_thread, n_long;     /* workers, and those of them that help long groups */
    bool stopped;
    worker *threads;
    uint64_t beats_ended; /* of threads that have ended */
    uint64_t beats_seen;  /* `beats` at the last liveness check */
    bool had_work;        /* there was work at that check */
    int64_t mean_ns;      /* moving average of the jobs' durations */
    size_t head, n_job, size;
    size_t n_soon;          /* short jobs: the first ones of the ring */
    size_t soon_streak;     /* short jobs begun since the last other one */
    _Atomic size_t waiting; /* n_job, readable without the mutex */
    job ring[];
};

/* nesting of parallel_for bodies on this thread */
static _Thread_local unsigned depth;
static _Thread_local bool is_worker, in_long;
static _Thread_local worker *self;

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
static bool group_take(group *g, size_t *ret)
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
static bool group_work(tqd_workers *workers, group *g, bool helps)
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
static group *group_find(const tqd_workers *workers)
{
    const bool takes_long = workers->n_job == 0 && workers->n_long + 1 < workers->n_thread;
    for (group *g = workers->groups; g != NULL; g = g->next) {
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
static bool group_help(tqd_workers *workers, group *g)
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

static job *job_at(tqd_workers *workers, size_t i)
{
    return &workers->ring[(workers->head + i) % workers->size];
}

/* Removes the i-th job of the ring; the mutex is held. Jobs before it move by one place. */
static job job_take(tqd_workers *workers, size_t i)
{
    const job taken = *job_at(workers, i);
    workers->n_soon -= i < workers->n_soon;
    for (; i > 0; i--) {
        *job_at(workers, i) = *job_at(workers, i - 1);
    }
    workers->head = (workers->head + 1) % workers->size;
    workers->n_job--;
    atomic_store_explicit(&workers->waiting, workers->n_job, memory_order_relaxed);
    return taken;
}

static job job_next(tqd_workers *workers)
{
    const bool others_turn = workers->soon_streak >= SOON_ROW && workers->n_job > workers->n_soon;
    const bool is_soon = workers->n_soon > 0 && !others_turn;
    workers->soon_streak = is_soon ? workers->soon_streak + 1 : 0;
    return job_take(workers, is_soon ? 0 : workers->n_soon);
}

/* The mutex is held on entry and return, not while the job runs. */
static void job_run(tqd_workers *workers)
{
    const job next = job_next(workers);
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

static void group_unlink(tqd_workers *workers, group *g)
{
    group **link = &workers->groups;
    while (*link != g) {
        link = &(*link)->next;
    }
    *link = g->next;
}

/* Unlinked, the group gets no more helpers; the present ones finish their index, usually sooner
 * than a futex wake-up takes. */
static void group_end(tqd_workers *workers, group *g)
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

static void unlink_thread(tqd_workers *workers, worker *own)
{
    worker **link = &workers->threads;
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
    worker own = {.next = NULL};
    is_worker = true;
    self = &own;
    pthread_mutex_lock(&workers->mutex);
    workers->n_thread++;
    own.next = workers->threads;
    workers->threads = &own;
    for (;;) {
        group *g = group_find(workers);
        const bool is_fast = g != NULL && g->is_fast; /* read before unlocking: g may be freed
                                                         meanwhile */
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

void tqd_workers_stop(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    workers->stopped = true;
    (void)reserve_wakeups(workers, workers->idle);
    pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->mutex);
}

/* Inserts a job after the first `before` ones. */
static void job_put(tqd_workers *workers, size_t before, job added)
{
    for (size_t i = workers->n_job; i > before; i--) {
        *job_at(workers, i) = *job_at(workers, i - 1);
    }
    *job_at(workers, before) = added;
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
                (job){run, arg, tqd_spin_now()});
        workers->n_soon += is_soon;
        n_called = reserve_wakeups(workers, 1);
        /* glibc before 2.41 may lose a signal (bug 25847): a worker that was signalled before is
         * signalled again, which costs nothing when it is awake */
        n_called += n_called == 0 && workers->idle > 0;
    }
    pthread_mutex_unlock(&workers->mutex);
    signal_workers(workers, n_called);
    return added;
}

size_t tqd_workers_waiting(tqd_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    size_t n = workers->n_job;
    pthread_mutex_unlock(&workers->mutex);
    return n;
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
        const job *one = job_at(workers, i);
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
        now_ns - job_at(workers, workers->n_soon)->since_ns >= STALL_NS) {
        /* the next job of a thread is expected to take the mean duration, or the time that its
         * current job has run if that is longer */
        for (const worker *w = workers->threads; w != NULL; w = w->next) {
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
    for (const worker *w = workers->threads; w != NULL; w = w->next) {
        beats += atomic_load_explicit(&w->beats, memory_order_relaxed);
    }
    const bool has_work = workers->n_job > 0 || (workers->n_thread > 0 && workers->idle == 0);
    const bool alive = !has_work || !workers->had_work || beats != workers->beats_seen;
    workers->had_work = has_work;
    workers->beats_seen = beats;
    pthread_mutex_unlock(&workers->mutex);
    return alive;
}

void tqd_workers_parallel_for(tqd_workers *workers, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    group g = {.scratch_size = scratch_size, .body = body, .arg = arg, .level = depth + 1};
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
    group *g = &stream->group;
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

static size_t waiting(const group *g)
{
    return atomic_load_explicit(&g->n, memory_order_relaxed) -
           atomic_load_explicit(&g->taken, memory_order_relaxed);
}

void tqd_task_stream_help(tqd_task_stream *stream, size_t waiting_max)
{
    group *g = &stream->group;
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
    group *g = &stream->group;
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
