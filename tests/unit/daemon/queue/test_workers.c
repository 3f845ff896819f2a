/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_workers.c - the queue is bounded and all jobs run; parallel_for runs
 * every index once, from any thread. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "daemon/queue/scratch.h"
#include "daemon/queue/workers.h"

/* Criterion's runner sometimes leaks 48 bytes when tests of this file start threads */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcriterion\n";
}

enum { N_THREAD = 3, N_INDEX = 1000 };

static pthread_t threads[N_THREAD];

static void *thread_main(void *workers)
{
    tqd_workers_run(workers);
    return NULL;
}

static tqd_workers *begin(size_t queue_max)
{
    tqd_workers *workers = tqd_workers_new(queue_max);
    for (int i = 0; i < N_THREAD; i++) {
        pthread_create(&threads[i], NULL, thread_main, workers);
    }
    return workers;
}

static void end(tqd_workers *workers)
{
    tqd_workers_stop(workers);
    for (int i = 0; i < N_THREAD; i++) {
        pthread_join(threads[i], NULL);
    }
    tqd_workers_free(workers);
}

static void add_one(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
}

Test(workers, every_job_runs_before_the_stop, .timeout = 100)
{
    _Atomic int n = 0;
    int added = 0;
    tqd_workers *workers = begin(8);
    for (int i = 0; i < 1000; i++) {
        added += tqd_workers_submit(workers, add_one, &n);
    }
    end(workers);
    cr_expect(gt(int, added, 0));
    cr_expect(eq(int, atomic_load(&n), added));
}

Test(workers, a_full_queue_refuses)
{
    _Atomic int n = 0;
    tqd_workers *workers = tqd_workers_new(2); /* no thread takes jobs */
    cr_expect(tqd_workers_submit(workers, add_one, &n));
    cr_expect(tqd_workers_submit(workers, add_one, &n));
    cr_expect(not(tqd_workers_submit(workers, add_one, &n)));
    cr_expect(eq(sz, tqd_workers_waiting(workers), 2));
    tqd_workers_stop(workers);
    cr_expect(not(tqd_workers_submit(workers, add_one, &n)));
    tqd_workers_run(workers); /* on this thread: runs the queued jobs and returns */
    cr_expect(eq(int, atomic_load(&n), 2));
    tqd_workers_free(workers);
}

typedef struct loop {
    tqd_workers *workers;
    _Atomic int seen[N_INDEX];
    _Atomic int bad_scratch;
    size_t nested;
    _Atomic int nested_seen;
    _Atomic int finished;
} loop;

static void nested_body(void *arg, size_t i, void *scratch)
{
    (void)i;
    memset(scratch, 1, 256);
    atomic_fetch_add(&((loop *)arg)->nested_seen, 1);
}

static void body(void *arg, size_t i, void *scratch)
{
    loop *l = arg;
    atomic_fetch_add(&l->seen[i], 1);
    if ((uintptr_t)scratch % TQD_SCRATCH_ALIGN != 0) {
        atomic_fetch_add(&l->bad_scratch, 1);
    }
    memset(scratch, 2, 4096);
    if (l->nested > 0) {
        tqd_workers_parallel_for(l->workers, l->nested, 256, nested_body, l);
    }
    /* a nested loop must not use the memory of the enclosing body */
    const unsigned char *bytes = scratch;
    if (bytes[0] != 2 || bytes[4095] != 2) {
        atomic_fetch_add(&l->bad_scratch, 1);
    }
}

static void run_loop(void *arg)
{
    loop *l = arg;
    tqd_workers_parallel_for(l->workers, N_INDEX, 4096, body, l);
    atomic_fetch_add(&l->finished, 1);
}

static void expect_each_seen(loop *l, int times)
{
    int wrong = 0;
    for (int i = 0; i < N_INDEX; i++) {
        wrong += atomic_load(&l->seen[i]) != times;
    }
    cr_expect(eq(int, wrong, 0));
    cr_expect(eq(int, atomic_load(&l->bad_scratch), 0));
}

Test(workers, parallel_for_from_outside, .timeout = 100)
{
    static loop l;
    l.workers = begin(8);
    for (int k = 1; k <= 50; k++) {
        run_loop(&l);
        expect_each_seen(&l, k);
    }
    end(l.workers);
    tqd_scratch_free();
}

/* more loops than workers, each from a job, each with loops inside: no worker is free to help, and
 * still all loops end */
Test(workers, parallel_for_from_jobs_and_bodies, .timeout = 100)
{
    static loop l;
    enum { N_LOOP = 12, N_NESTED = 3 };
    l.nested = N_NESTED;
    l.workers = begin(N_LOOP);
    int added = 0;
    while (added < N_LOOP) {
        added += tqd_workers_submit(l.workers, run_loop, &l);
    }
    end(l.workers);
    cr_expect(eq(int, atomic_load(&l.finished), N_LOOP));
    expect_each_seen(&l, N_LOOP);
    cr_expect(eq(int, atomic_load(&l.nested_seen), N_LOOP *N_INDEX *N_NESTED));
}

Test(workers, parallel_for_without_workers)
{
    static loop l;
    l.workers = tqd_workers_new(1);
    run_loop(&l);
    expect_each_seen(&l, 1);
    tqd_workers_parallel_for(l.workers, 0, 16, body, &l);
    expect_each_seen(&l, 1);
    tqd_workers_free(l.workers);
    tqd_scratch_free();
}

static void expect_memory(void *arg, size_t i, void *scratch)
{
    loop *l = arg;
    atomic_fetch_add(&l->seen[i], 1);
    atomic_fetch_add(&l->bad_scratch, scratch == NULL);
}

/* A worker without memory leaves the indices to the caller, which has its memory already. */
Test(workers, helpers_without_memory_do_not_help, .timeout = 100)
{
    static loop l;
    cr_assert(ne(ptr, tqd_scratch(1, 4096), NULL));
    tqd_scratch_bound_set(16);
    l.workers = begin(8);
    for (int k = 1; k <= 50; k++) {
        tqd_workers_parallel_for(l.workers, N_INDEX, 4096, expect_memory, &l);
        expect_each_seen(&l, k);
    }
    end(l.workers);
    tqd_scratch_free();
}

static void meet(void *arg)
{
    pthread_barrier_wait(arg);
}

typedef struct stall {
    tqd_workers *workers;
    _Atomic int answered, entered, unanswered;
} stall;

static void answer(void *arg)
{
    atomic_store(&((stall *)arg)->answered, 1);
}

/* long indices: each runs until a job submitted later is answered, or until a time limit */
static void until_answered(void *arg, size_t i, void *scratch)
{
    stall *s = arg;
    (void)i, (void)scratch;
    if (atomic_fetch_add(&s->entered, 1) == N_THREAD - 1) {
        /* this thread and all workers except one run an index */
        tqd_workers_submit(s->workers, answer, s);
    }
    for (int k = 0; k < 60000 && atomic_load(&s->answered) == 0; k++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    atomic_fetch_add(&s->unanswered, atomic_load(&s->answered) == 0);
}

Test(workers, a_long_loop_leaves_a_worker_to_jobs, .timeout = 100)
{
    tqd_workers *workers = begin(8);
    stall s = {.workers = workers};
    pthread_barrier_t all;
    pthread_barrier_init(&all, NULL, N_THREAD + 1);
    for (int i = 0; i < N_THREAD; i++) {
        tqd_workers_submit(workers, meet, &all);
    }
    pthread_barrier_wait(&all); /* every worker has begun */
    /* the loop's thread is not a worker, like that of a job of the service */
    tqd_workers_parallel_for(workers, 4 * N_THREAD, 0, until_answered, &s);
    cr_expect(eq(int, atomic_load(&s.unanswered), 0));
    cr_expect(eq(int, atomic_load(&s.entered), 4 * N_THREAD));
    end(workers);
    pthread_barrier_destroy(&all);
}

/* A loop that begins before its end is known: state observed by each index. */
typedef struct stream_state {
    _Atomic int done[N_INDEX];
    _Atomic int destroyed;
    sem_t inside, gate;
    bool waits;
} stream_state;

static void stream_body(void *arg, size_t i, void *scratch)
{
    stream_state *state = arg;
    memset(scratch, 0, 64);
    if (state->waits) {
        sem_post(&state->inside);
        sem_wait(&state->gate);
    }
    atomic_fetch_add(&state->done[i], 1);
}

static void stream_over(void *arg)
{
    atomic_fetch_add(&((stream_state *)arg)->destroyed, 1);
    sem_post(&((stream_state *)arg)->inside);
}

static void stream_init(stream_state *state)
{
    memset(state, 0, sizeof *state);
    sem_init(&state->inside, 0, 0);
    sem_init(&state->gate, 0, 0);
}

Test(workers, a_task_stream_runs_every_index_once, .timeout = 100)
{
    static stream_state state;
    tqd_workers *workers = begin(8);
    for (size_t step = 1; step < 400; step *= 7) {
        stream_init(&state);
        tqd_task_stream *stream =
            tqd_task_stream_new(workers, 1, 64, stream_body, stream_over, &state);
        cr_assert(ne(ptr, stream, NULL));
        for (size_t n = step; n < N_INDEX; n += step) {
            tqd_task_stream_publish(stream, n);
        }
        tqd_task_stream_publish(stream, N_INDEX);
        tqd_task_stream_finish(stream);
        for (size_t i = 0; i < N_INDEX; i++) {
            cr_assert(eq(int, atomic_load(&state.done[i]), 1));
        }
        cr_expect(eq(int, atomic_load(&state.destroyed), 0));
    }
    end(workers);
}

Test(workers, the_thread_that_publishes_indices_computes_none)
{
    static stream_state state;
    stream_init(&state);
    tqd_workers *workers = tqd_workers_new(8); /* no thread */
    tqd_task_stream *stream = tqd_task_stream_new(workers, 1, 64, stream_body, stream_over, &state);
    tqd_task_stream_publish(stream, 3);
    cr_expect(eq(int, atomic_load(&state.done[0]), 0));
    tqd_task_stream_finish(stream);
    cr_expect(eq(int, atomic_load(&state.done[2]), 1));
    cr_expect(eq(int, atomic_load(&state.done[3]), 0));
    stream = tqd_task_stream_new(workers, 1, 64, stream_body, stream_over, &state);
    tqd_task_stream_publish(stream, 3);
    tqd_task_stream_abandon(stream);
    cr_expect(eq(int, atomic_load(&state.destroyed), 1));
    cr_expect(eq(int, atomic_load(&state.done[0]), 1));
    tqd_workers_free(workers);
    tqd_scratch_free();
}

/* Without a worker the publisher runs the indices beyond those that may wait. */
Test(workers, the_publisher_runs_indices_beyond_those_that_may_wait)
{
    static stream_state state;
    stream_init(&state);
    tqd_workers *workers = tqd_workers_new(8); /* no thread */
    tqd_task_stream *stream = tqd_task_stream_new(workers, 1, 64, stream_body, stream_over, &state);
    tqd_task_stream_publish(stream, 10);
    tqd_task_stream_help(stream, 10);
    cr_expect(eq(int, atomic_load(&state.done[0]), 0));
    tqd_task_stream_help(stream, 4);
    for (int i = 0; i < 10; i++) {
        cr_expect(eq(int, atomic_load(&state.done[i]), i < 6));
    }
    tqd_task_stream_finish(stream);
    for (int i = 0; i < 11; i++) {
        cr_expect(eq(int, atomic_load(&state.done[i]), i < 10));
    }
    tqd_workers_free(workers);
    tqd_scratch_free();
}

Test(workers, a_task_stream_is_abandoned_while_workers_run, .timeout = 100)
{
    static stream_state state;
    stream_init(&state);
    state.waits = true;
    tqd_workers *workers = begin(8);
    tqd_task_stream *stream = tqd_task_stream_new(workers, 1, 64, stream_body, stream_over, &state);
    tqd_task_stream_publish(stream, N_INDEX);
    sem_wait(&state.inside);
    tqd_task_stream_abandon(stream);
    cr_expect(eq(int, atomic_load(&state.destroyed), 0));
    for (int i = 0; i < N_THREAD; i++) {
        sem_post(&state.gate);
    }
    while (atomic_load(&state.destroyed) == 0) {
        sem_wait(&state.inside);
    }
    end(workers); /* all have left */
    int n = 0;
    for (size_t i = 0; i < N_INDEX; i++) {
        n += atomic_load(&state.done[i]);
    }
    cr_expect(le(int, n, N_THREAD)); /* each has finished the index that it was running */
    cr_expect(eq(int, atomic_load(&state.destroyed), 1));
}

/* Fewer indices than the grain still wake one worker; so do those published while it busy-polls,
 * and those published when it sleeps again. */
Test(workers, few_indices_of_a_task_stream_take_one_worker, .timeout = 100)
{
    static stream_state state;
    stream_init(&state);
    state.waits = true;
    tqd_workers *workers = begin(8);
    tqd_task_stream *stream =
        tqd_task_stream_new(workers, 100, 64, stream_body, stream_over, &state);
    for (size_t n = 1; n <= 40; n++) {
        tqd_task_stream_publish(stream, n);
        sem_wait(&state.inside); /* some worker runs it */
        sem_post(&state.gate);
        if (n % 10 == 0) {
            const struct timespec longer = {.tv_nsec = 300000};
            nanosleep(&longer, NULL);
        }
    }
    tqd_task_stream_finish(stream);
    for (size_t i = 0; i < 40; i++) {
        cr_expect(eq(int, atomic_load(&state.done[i]), 1));
    }
    end(workers);
}

/* ---------------------------------------------------------------- what is taken back, and waits */

enum { RING = 5 };

static int order[2 * RING], n_order;

static void note(void *arg)
{
    order[n_order++] = *(const int *)arg;
}

/* A job at every position of the ring, for every head: the others stay in order. */
Test(workers, a_job_that_has_not_begun_is_taken_back)
{
    static int number[RING] = {0, 1, 2, 3, 4};
    static _Atomic int n;
    for (int head = 0; head < RING; head++) {
        for (int k = 0; k < RING; k++) {
            tqd_workers *workers = tqd_workers_new(RING);
            for (int i = 0; i < head; i++) { /* moves the start of the ring */
                cr_assert(tqd_workers_submit(workers, add_one, &n));
            }
            for (int i = 0; i < head; i++) {
                cr_assert(tqd_workers_withdraw(workers, add_one, &n));
            }
            for (int i = 0; i < RING; i++) {
                cr_assert(tqd_workers_submit(workers, note, &number[i]));
            }
            cr_assert(tqd_workers_withdraw(workers, note, &number[k]));
            cr_assert(not(tqd_workers_withdraw(workers, note, &number[k])), "it is there once");
            cr_assert(not(tqd_workers_withdraw(workers, add_one, &number[0])), "another job");
            cr_assert(eq(sz, tqd_workers_waiting(workers), RING - 1));
            cr_assert(tqd_workers_submit(workers, note, &number[k]), "its place is free");
            n_order = 0;
            tqd_workers_stop(workers);
            tqd_workers_run(workers);
            cr_assert(eq(int, n_order, RING));
            for (int i = 0, at = 0; i < RING; i++) {
                cr_assert(i == k || order[at++] == i, "head %d, of %d", head, k);
            }
            cr_assert(eq(int, order[RING - 1], k));
            tqd_workers_free(workers);
        }
    }
}

static int all[64], n_all;

static void note_all(void *arg)
{
    all[n_all++] = *(const int *)arg;
}

/* Short jobs first, in order, and one of the others after each eight. */
Test(workers, short_jobs_go_before_the_others_and_do_not_starve_them)
{
    enum { LONG = 3, SHORT = 20 };
    static int number[LONG + SHORT];
    static const int expected[] = {100, 101, 102, 103, 104, 105, 106, 107, 0,   108, 109, 110,
                                   111, 112, 113, 114, 115, 1,   116, 117, 118, 119, 2};
    tqd_workers *workers = tqd_workers_new(LONG + SHORT);
    for (int i = 0; i < LONG; i++) {
        number[i] = i;
        cr_assert(tqd_workers_submit(workers, note_all, &number[i]));
    }
    for (int i = 0; i < SHORT; i++) {
        number[LONG + i] = 100 + i;
        cr_assert(tqd_workers_submit_soon(workers, note_all, &number[LONG + i]));
    }
    cr_assert(not(tqd_workers_submit_soon(workers, note_all, &number[0])), "full for them as well");
    cr_assert(tqd_workers_withdraw(workers, note_all, &number[LONG + 19]));
    cr_assert(tqd_workers_submit_soon(workers, note_all, &number[LONG + 19]));
    tqd_workers_stop(workers);
    tqd_workers_run(workers);
    tqd_workers_free(workers);
    cr_assert(eq(int, n_all, LONG + SHORT));
    for (int i = 0; i < LONG + SHORT; i++) {
        cr_assert(eq(int, all[i], expected[i]), "place %d", i);
    }
}

typedef struct gate {
    sem_t inside, open;
} gate;

static void pass(void *arg)
{
    gate *g = arg;
    sem_post(&g->inside);
    sem_wait(&g->open);
}

/* 0 while the queue moves; then running jobs count with the time that they have taken. */
Test(workers, the_wait_is_estimated_once_the_queue_is_stationary, .timeout = 100)
{
    gate g;
    _Atomic int n = 0;
    sem_init(&g.inside, 0, 0);
    sem_init(&g.open, 0, 0);
    tqd_workers *workers = begin(64);
    cr_expect(eq(i64, tqd_workers_wait_ms(workers), 0));
    for (int i = 0; i < N_THREAD; i++) {
        cr_assert(tqd_workers_submit(workers, pass, &g));
    }
    for (int i = 0; i < N_THREAD; i++) {
        sem_wait(&g.inside);
    }
    cr_expect(eq(i64, tqd_workers_wait_ms(workers), 0), "nothing waits");
    for (int i = 0; i < 10 * N_THREAD; i++) {
        cr_assert(tqd_workers_submit(workers, add_one, &n));
    }
    while (tqd_workers_wait_ms(workers) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    /* the current job of each thread has run for a second: ten more for each */
    cr_expect(ge(i64, tqd_workers_wait_ms(workers), 9000));
    for (int i = 0; i < N_THREAD; i++) {
        sem_post(&g.open);
    }
    end(workers);
    cr_expect(eq(int, atomic_load(&n), 10 * N_THREAD));
}

static void *soon_main(void *workers)
{
    tqd_workers_run_soon(workers);
    return NULL;
}

static void post(void *arg)
{
    sem_post(arg);
}

/* All workers are in jobs that do not end before the short one has run. */
Test(workers, short_jobs_run_while_all_workers_compute, .timeout = 100)
{
    pthread_t soon;
    sem_t done;
    gate g;
    _Atomic int n_long = 0;
    sem_init(&g.inside, 0, 0);
    sem_init(&g.open, 0, 0);
    sem_init(&done, 0, 0);
    tqd_workers *workers = begin(8);
    pthread_create(&soon, NULL, soon_main, workers);
    for (int i = 0; i < N_THREAD; i++) {
        cr_assert(tqd_workers_submit(workers, pass, &g));
    }
    for (int i = 0; i < N_THREAD; i++) {
        sem_wait(&g.inside);
    }
    cr_assert(tqd_workers_submit(workers, add_one, &n_long));
    for (int k = 0; k < 100; k++) {
        cr_assert(tqd_workers_submit_soon(workers, post, &done));
        sem_wait(&done);
    }
    cr_assert(eq(int, atomic_load(&n_long), 0), "others wait for a worker");
    for (int i = 0; i < N_THREAD; i++) {
        sem_post(&g.open);
    }
    tqd_workers_stop(workers);
    pthread_join(soon, NULL);
    for (int i = 0; i < N_THREAD; i++) {
        pthread_join(threads[i], NULL);
    }
    cr_assert(eq(int, atomic_load(&n_long), 1));
    tqd_workers_free(workers);
    sem_destroy(&g.inside);
    sem_destroy(&g.open);
    sem_destroy(&done);
}
