/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/queue/test_pipe.c - every byte once and in order, on workers only; bounded;
 * closed in every state. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"
#include "daemon/queue/pipe.h"
#include "daemon/queue/scratch.h"
#include "tests/support/lock_owner.h"

/* Criterion's runner sometimes leaks 48 bytes when tests of this file start threads */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcriterion\n";
}

enum { N_THREAD = 3 };

/* The consumer: byte k of the body must be (k * 7) & 255. */
typedef struct reader {
    size_t n_taken, n_bad, stop_at;
    sem_t woken, destroyed;
    sem_t *gate; /* each take waits for it; NULL: no wait */
    sem_t inside;
    pthread_t thread; /* of the last take */
} reader;

static bool take(void *ctx, const char *bytes, size_t n)
{
    reader *r = ctx;
    r->thread = pthread_self();
    sem_post(&r->inside);
    if (r->gate != NULL) {
        sem_wait(r->gate);
    }
    for (size_t i = 0; i < n; i++) {
        r->n_bad += (unsigned char)bytes[i] != ((r->n_taken + i) * 7 & 255);
    }
    r->n_taken += n;
    return r->n_taken < r->stop_at;
}

static void wake(void *ctx)
{
    sem_post(&((reader *)ctx)->woken);
}

static void destroy(void *ctx)
{
    sem_post(&((reader *)ctx)->destroyed);
}

static const tqd_pipe_ends ends = {.take = take, .wake = wake, .destroy = destroy};

static void reader_init(reader *r)
{
    memset(r, 0, sizeof *r);
    r->stop_at = SIZE_MAX;
    sem_init(&r->woken, 0, 0);
    sem_init(&r->destroyed, 0, 0);
    sem_init(&r->inside, 0, 0);
}

static void *thread_main(void *workers)
{
    tqd_workers_run(workers);
    return NULL;
}

static void begin(tqd_workers *workers, pthread_t *threads, int n)
{
    for (int i = 0; i < n; i++) {
        pthread_create(&threads[i], NULL, thread_main, workers);
    }
}

static void end(tqd_workers *workers, const pthread_t *threads, int n)
{
    tqd_workers_stop(workers);
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
    }
    tqd_workers_free(workers);
    (void)tqa_memory_trim();
    (void)tqa_memory_trim();
}

static void fill(char *to, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = (char)((at + i) * 7 & 255);
    }
}

/* Puts n bytes of the body, from `at` on: every second time in place. */
static tqd_pipe_state put(tqd_pipe *pipe, reader *r, size_t at, size_t n)
{
    static char copy[TQD_PIPE_PIECE];
    while (!tqd_pipe_room(pipe, n)) {
        sem_wait(&r->woken);
    }
    size_t size = 0;
    char *to = tqd_pipe_space(pipe, &size);
    to = at % 2 == 0 && n <= size ? to : copy;
    fill(to, at, n);
    return tqd_pipe_put(pipe, to, n);
}

TestSuite(pipe, .timeout = 100);

/* under sanitizers no memory is kept: api/memory/segments.c */
#if defined(__SANITIZE_ADDRESS__)
static const int keeps_memory = 0;
#else
static const int keeps_memory = 1;
#endif

/* All memory of a pipe is returned: after a hundred pipes the pool has as much as after the first,
 * and the second pipe reuses that of the first. */
Test(pipe, memory_comes_back)
{
    tqd_workers *workers = tqd_workers_new(8);
    pthread_t threads[N_THREAD];
    begin(workers, threads, N_THREAD);
    size_t kept = 0;
    for (int round = 0; round < 100; round++) {
        reader r;
        reader_init(&r);
        tqd_pipe *pipe = tqd_pipe_new(workers, UINT64_MAX, &ends, &r);
        cr_assert(ne(ptr, pipe, NULL));
        put(pipe, &r, 0, TQD_PIPE_PIECE / 2);
        tqd_pipe_close(pipe);
        sem_wait(&r.destroyed);
        if (round == 0) {
            kept = tqa_memory_kept();
            cr_assert(eq(int, kept > 0, keeps_memory));
        }
        cr_assert(eq(sz, tqa_memory_kept(), kept), "round %d", round);
    }
    end(workers, threads, N_THREAD);
}

Test(pipe, every_byte_comes_once_and_in_order)
{
    enum { N_BYTE = 12 << 20 };
    reader r;
    reader_init(&r);
    pthread_t threads[N_THREAD];
    tqd_workers *workers = tqd_workers_new(8);
    begin(workers, threads, N_THREAD);
    tqd_pipe *pipe = tqd_pipe_new(workers, N_BYTE, &ends, &r);
    cr_assert(ne(ptr, pipe, NULL));
    size_t at = 0;
    for (size_t k = 1; at < N_BYTE; k++) {
        size_t n = k * 7919 % TQD_PIPE_PIECE + 1; /* of any size, also pieces that are split */
        n = n < N_BYTE - at ? n : N_BYTE - at;
        cr_assert(eq(int, (int)put(pipe, &r, at, n), TQD_PIPE_GOOD));
        at += n;
    }
    cr_assert(eq(int, (int)tqd_pipe_end(pipe), TQD_PIPE_GOOD));
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(eq(sz, r.n_taken, N_BYTE));
    cr_expect(eq(sz, r.n_bad, 0));
    cr_expect(eq(int, pthread_equal(r.thread, pthread_self()), 0));
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    end(workers, threads, N_THREAD);
}

Test(pipe, the_producer_never_computes_and_never_blocks)
{
    reader r;
    reader_init(&r);
    tqd_workers *workers = tqd_workers_new(8); /* no thread runs yet */
    tqd_pipe *pipe = tqd_pipe_new(workers, UINT64_MAX, &ends, &r);
    size_t at = 0;
    while (tqd_pipe_room(pipe, 1 << 15)) {
        cr_assert(eq(int, (int)put(pipe, &r, at, 1 << 15), TQD_PIPE_GOOD));
        at += 1 << 15;
    }
    cr_expect(le(sz, at, (size_t)TQA_MEMORY_PIECE));
    cr_expect(ge(sz, at, (size_t)TQD_PIPE_PIECE));
    cr_expect(eq(sz, r.n_taken, 0));
    cr_assert(eq(int, sem_trywait(&r.woken), -1));

    pthread_t threads[1];
    begin(workers, threads, 1);
    sem_wait(&r.woken); /* due since there was no space */
    cr_assert(eq(int, (int)tqd_pipe_end(pipe), TQD_PIPE_GOOD));
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(eq(sz, r.n_taken, at));
    cr_expect(eq(sz, r.n_bad, 0));
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    end(workers, threads, 1);
}

Test(pipe, the_consumer_can_stop)
{
    reader r;
    reader_init(&r);
    r.stop_at = 1;
    pthread_t threads[N_THREAD];
    tqd_workers *workers = tqd_workers_new(8);
    begin(workers, threads, N_THREAD);
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    size_t at = 0;
    while (put(pipe, &r, at, TQD_PIPE_PIECE) == TQD_PIPE_GOOD) {
        at += TQD_PIPE_PIECE;
    }
    (void)tqd_pipe_end(pipe);
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(eq(sz, r.n_taken, (size_t)TQD_PIPE_PIECE)); /* later bytes were dropped */
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    end(workers, threads, N_THREAD);
}

static void nothing(void *arg)
{
    (void)arg;
}

Test(pipe, a_full_queue_is_reported)
{
    reader r;
    reader_init(&r);
    tqd_workers *workers = tqd_workers_new(1);
    cr_assert(tqd_workers_submit(workers, nothing, NULL));
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    cr_expect(eq(int, (int)put(pipe, &r, 0, TQD_PIPE_PIECE), TQD_PIPE_BUSY));
    tqd_pipe_close(pipe);
    cr_expect(eq(int, sem_trywait(&r.destroyed), 0));
    tqd_pipe *empty = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    cr_expect(eq(int, (int)put(empty, &r, 0, 10), TQD_PIPE_GOOD)); /* too little to wake a worker */
    cr_expect(eq(int, (int)tqd_pipe_end(empty), TQD_PIPE_BUSY));
    tqd_pipe_close(empty);
    pthread_t threads[1];
    begin(workers, threads, 1);
    end(workers, threads, 1);
}

Test(pipe, closed_while_a_worker_reads)
{
    sem_t gate;
    sem_init(&gate, 0, 0);
    reader r;
    reader_init(&r);
    r.gate = &gate;
    pthread_t threads[1];
    tqd_workers *workers = tqd_workers_new(8);
    begin(workers, threads, 1);
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    cr_assert(eq(int, (int)put(pipe, &r, 0, TQD_PIPE_PIECE), TQD_PIPE_GOOD));
    cr_assert(eq(int, (int)put(pipe, &r, TQD_PIPE_PIECE, TQD_PIPE_PIECE), TQD_PIPE_GOOD));
    sem_wait(&r.inside);
    tqd_pipe_close(pipe);
    cr_expect(eq(int, sem_trywait(&r.destroyed), -1)); /* a worker still uses it */
    sem_post(&gate);
    sem_wait(&r.destroyed);
    cr_expect(eq(sz, r.n_taken, (size_t)TQD_PIPE_PIECE));
    cr_expect(eq(int, sem_trywait(&r.woken), -1));
    end(workers, threads, 1);
}

/* Every 16 pieces a worker checks for waiting tasks: there is none, and it continues with the pipe.
 * Another piece is available whenever it has consumed one, so that all are consumed in one turn. */
Test(pipe, a_worker_continues_if_no_task_waits)
{
    enum { N_PIECE = 40 };
    sem_t gate;
    sem_init(&gate, 0, 0);
    reader r;
    reader_init(&r);
    r.gate = &gate;
    pthread_t threads[1];
    tqd_workers *workers = tqd_workers_new(8);
    begin(workers, threads, 1);
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    cr_assert(eq(int, (int)put(pipe, &r, 0, TQD_PIPE_PIECE), TQD_PIPE_GOOD));
    for (size_t k = 1; k < N_PIECE; k++) {
        sem_wait(&r.inside);
        cr_assert(eq(int, (int)put(pipe, &r, k * TQD_PIPE_PIECE, TQD_PIPE_PIECE), TQD_PIPE_GOOD));
        sem_post(&gate);
    }
    sem_post(&gate);
    (void)tqd_pipe_end(pipe);
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(eq(sz, r.n_taken, (size_t)N_PIECE * TQD_PIPE_PIECE));
    cr_expect(eq(sz, r.n_bad, 0));
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    end(workers, threads, 1);
}

Test(pipe, waiting_tasks_run_between_long_turns)
{
    enum { N_PIECE = 40 };
    reader r;
    reader_init(&r);
    pthread_t threads[1];
    tqd_workers *workers = tqd_workers_new(64);
    begin(workers, threads, 1);
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r);
    for (size_t k = 0; k < N_PIECE; k++) {
        cr_assert(eq(int, (int)put(pipe, &r, k * TQD_PIPE_PIECE, TQD_PIPE_PIECE), TQD_PIPE_GOOD));
        (void)tqd_workers_submit(workers, nothing, NULL);
    }
    (void)tqd_pipe_end(pipe);
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(eq(sz, r.n_taken, (size_t)N_PIECE * TQD_PIPE_PIECE));
    cr_expect(eq(sz, r.n_bad, 0));
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    end(workers, threads, 1);
}

Test(pipe, no_memory)
{
    reader r;
    reader_init(&r);
    tqd_workers *workers = tqd_workers_new(1);
    tqa_memory_bound_set(1000);
    cr_expect(eq(ptr, tqd_pipe_new(workers, 8 << 20, &ends, &r), NULL));
    tqa_memory_bound_set(TQA_MEMORY_PIECE);
    tqd_pipe *pipe = tqd_pipe_new(workers, 8 << 20, &ends, &r); /* one of four parts */
    cr_assert(ne(ptr, pipe, NULL));
    cr_expect(tqd_pipe_room(pipe, TQD_PIPE_PIECE));
    tqd_pipe_close(pipe);
    tqd_workers_free(workers);
    (void)tqa_memory_trim();
    (void)tqa_memory_trim();
}

/* the phase after the body, and a client that reads slowly, must not occupy the memory of the
 * pieces */
Test(pipe, memory_is_released_before_the_close)
{
    reader r;
    reader_init(&r);
    pthread_t threads[1];
    tqd_workers *workers = tqd_workers_new(8);
    begin(workers, threads, 1);
    tqa_memory_bound_set(TQA_MEMORY_PIECE); /* enough for one pipe */
    tqd_pipe *pipe = tqd_pipe_new(workers, UINT64_MAX, &ends, &r);
    cr_assert(ne(ptr, pipe, NULL));
    cr_assert(eq(int, (int)put(pipe, &r, 0, 1000), TQD_PIPE_GOOD));
    cr_expect(eq(ptr, tqd_pipe_new(workers, UINT64_MAX, &ends, &r), NULL));
    cr_assert(eq(int, (int)tqd_pipe_end(pipe), TQD_PIPE_GOOD));
    while (!tqd_pipe_is_over(pipe)) {
        sem_wait(&r.woken);
    }
    cr_expect(tqd_pipe_is_over(pipe));
    tqd_pipe *next = tqd_pipe_new(workers, UINT64_MAX, &ends, &r);
    cr_assert(ne(ptr, next, NULL));
    cr_expect(eq(sz, r.n_taken, 1000));
    cr_expect(eq(sz, r.n_bad, 0));
    tqd_pipe_close(next);
    tqd_pipe_close(pipe);
    sem_wait(&r.destroyed);
    sem_wait(&r.destroyed);
    end(workers, threads, 1);
}
