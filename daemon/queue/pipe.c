/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/pipe.c - a bounded ring buffer of pieces: one producer, one worker as consumer. */
#include "daemon/queue/pipe.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"

enum {
    PARTS_MAX = 4,                                 /* allocations from the pool of samples */
    EACH = (int)TQA_MEMORY_PIECE / TQD_PIPE_PIECE, /* pieces of a part */
    PIECES_MAX = PARTS_MAX * EACH,
    WAKE_MIN = 64 << 10, /* bytes; less is not worth waking a worker */
    YIELD_AFTER = 16,    /* pieces; then the worker yields to jobs that wait */
};

struct tqd_pipe {
    tqd_workers *workers;
    tqd_pipe_ends ends;
    void *ctx;
    char *parts[PARTS_MAX];
    size_t n_piece;
    /* used by the producer only */
    size_t tail, n_filling;
    /* guarded by the mutex */
    pthread_mutex_t mutex;
    size_t sizes[PIECES_MAX];
    size_t head, n_full;
    bool working; /* a worker has it, or it is queued for one */
    bool waiting; /* the producer waits: `wake` is due */
    bool stopped, ended, closed;
};

static char *piece(const tqd_pipe *pipe, size_t i)
{
    return pipe->parts[i / EACH] + i % EACH * TQD_PIPE_PIECE;
}

static void give_parts(tqd_pipe *pipe)
{
    for (size_t i = 0; i < PARTS_MAX; i++) {
        tqa_memory_give(pipe->parts[i]);
        pipe->parts[i] = NULL;
    }
}

static void free_pipe(tqd_pipe *pipe)
{
    give_parts(pipe);
    pthread_mutex_destroy(&pipe->mutex);
    free(pipe);
}

tqd_pipe *tqd_pipe_new(tqd_workers *workers, uint64_t n_byte, const tqd_pipe_ends *ends, void *ctx)
{
    tqd_pipe *pipe = calloc(1, sizeof *pipe);
    if (pipe == NULL) {
        return NULL;
    }
    pthread_mutex_init(&pipe->mutex, NULL);
    pipe->workers = workers;
    pipe->ends = *ends;
    pipe->ctx = ctx;
    const uint64_t parts = n_byte == UINT64_MAX ? 1 : n_byte / TQA_MEMORY_PIECE + 1;
    const size_t n_part = parts < PARTS_MAX ? (size_t)parts : PARTS_MAX;
    for (size_t i = 0; i < n_part; i++) {
        pipe->parts[i] = tqa_memory_take();
        if (pipe->parts[i] == NULL) {
            break;
        }
        pipe->n_piece += EACH;
    }
    if (pipe->n_piece == 0) {
        free_pipe(pipe);
        return NULL;
    }
    return pipe;
}

/* ------------------------------------------------------------------------------------ a worker */

static void destroy(tqd_pipe *pipe)
{
    const tqd_pipe_ends ends = pipe->ends;
    void *ctx = pipe->ctx;
    free_pipe(pipe);
    ends.destroy(ctx);
}

/* Consumes the oldest piece. The mutex is held on entry and return, not during `take`. */
static void take_piece(tqd_pipe *pipe)
{
    const size_t i = pipe->head, n = pipe->sizes[i];
    const bool wanted = !pipe->stopped;
    pthread_mutex_unlock(&pipe->mutex);
    const bool good = wanted && pipe->ends.take(pipe->ctx, piece(pipe, i), n);
    pthread_mutex_lock(&pipe->mutex);
    pipe->stopped = !good;
    pipe->head = (i + 1) % pipe->n_piece;
    pipe->n_full--;
    if (pipe->waiting && !pipe->closed && (!pipe->ended || pipe->n_full == 0)) {
        pipe->waiting = false;
        pipe->ends.wake(pipe->ctx);
    }
}

static void work(void *arg)
{
    tqd_pipe *pipe = arg;
    size_t n_taken = 0;
    pthread_mutex_lock(&pipe->mutex);
    while (!pipe->closed && pipe->n_full > 0) {
        take_piece(pipe);
        if (++n_taken % YIELD_AFTER == 0 && !pipe->closed) {
            pthread_mutex_unlock(&pipe->mutex);
            if (tqd_workers_waiting(pipe->workers) > 0 &&
                tqd_workers_submit(pipe->workers, work, pipe)) {
                return; /* requeued at the end */
            }
            pthread_mutex_lock(&pipe->mutex);
        }
    }
    pipe->working = false;
    const bool last = pipe->closed;
    pthread_mutex_unlock(&pipe->mutex);
    if (last) {
        destroy(pipe);
    }
}

/* -------------------------------------------------------------------------------- the producer */

/* the mutex is held */
static bool fits(const tqd_pipe *pipe, size_t n)
{
    return n + pipe->n_filling <= (pipe->n_piece - pipe->n_full) * TQD_PIPE_PIECE;
}

bool tqd_pipe_room(tqd_pipe *pipe, size_t n)
{
    assert(n <= TQD_PIPE_PIECE);
    pthread_mutex_lock(&pipe->mutex);
    const bool room = fits(pipe, n);
    pipe->waiting = !room;
    pthread_mutex_unlock(&pipe->mutex);
    return room;
}

char *tqd_pipe_space(tqd_pipe *pipe, size_t *ret_size)
{
    *ret_size = TQD_PIPE_PIECE - pipe->n_filling;
    return piece(pipe, pipe->tail) + pipe->n_filling;
}

/* Queues the pipe for a worker if it has pieces and no worker. */
static tqd_pipe_state call_worker(tqd_pipe *pipe)
{
    pthread_mutex_lock(&pipe->mutex);
    const bool calls = !pipe->working && pipe->n_full > 0;
    pipe->working = pipe->working || calls;
    const bool stopped = pipe->stopped;
    pthread_mutex_unlock(&pipe->mutex);
    if (!calls || tqd_workers_submit(pipe->workers, work, pipe)) {
        return stopped ? TQD_PIPE_STOPPED : TQD_PIPE_GOOD;
    }
    pthread_mutex_lock(&pipe->mutex);
    pipe->working = false;
    pthread_mutex_unlock(&pipe->mutex);
    return TQD_PIPE_BUSY;
}

/* Makes the piece that is being filled visible to the consumer: it is full, or the last. */
static void publish(tqd_pipe *pipe)
{
    pthread_mutex_lock(&pipe->mutex);
    assert(pipe->n_full < pipe->n_piece);
    pipe->sizes[pipe->tail] = pipe->n_filling;
    pipe->n_full++;
    pthread_mutex_unlock(&pipe->mutex);
    pipe->tail = (pipe->tail + 1) % pipe->n_piece;
    pipe->n_filling = 0;
}

/* True if a partly filled piece is published: the consumer is idle, and there are WAKE_MIN bytes.
 */
static bool is_worth_publishing(tqd_pipe *pipe)
{
    if (pipe->n_filling > TQD_PIPE_PIECE - WAKE_MIN) {
        return true;
    }
    if (pipe->n_filling < WAKE_MIN) {
        return false;
    }
    pthread_mutex_lock(&pipe->mutex);
    const bool idle = pipe->n_full == 0;
    pthread_mutex_unlock(&pipe->mutex);
    return idle;
}

tqd_pipe_state tqd_pipe_put(tqd_pipe *pipe, const char *bytes, size_t n)
{
    tqd_pipe_state state = TQD_PIPE_GOOD;
    while (n > 0 && state == TQD_PIPE_GOOD) {
        size_t room = 0;
        char *to = tqd_pipe_space(pipe, &room);
        const size_t here = n < room ? n : room;
        if (bytes != to) {
            memcpy(to, bytes, here);
        }
        pipe->n_filling += here;
        bytes += here;
        n -= here;
        if (is_worth_publishing(pipe)) {
            publish(pipe);
            state = call_worker(pipe);
        }
    }
    return state;
}

tqd_pipe_state tqd_pipe_end(tqd_pipe *pipe)
{
    if (pipe->n_filling > 0) {
        publish(pipe);
    }
    pthread_mutex_lock(&pipe->mutex);
    pipe->ended = true;
    pthread_mutex_unlock(&pipe->mutex);
    return call_worker(pipe);
}

bool tqd_pipe_is_over(tqd_pipe *pipe)
{
    pthread_mutex_lock(&pipe->mutex);
    const bool over = pipe->ended && pipe->n_full == 0;
    pipe->waiting = !over;
    pthread_mutex_unlock(&pipe->mutex);
    if (over) {
        give_parts(pipe); /* returned early: the computation and the answer may take long and need
                             them */
    }
    return over;
}

void tqd_pipe_close(tqd_pipe *pipe)
{
    pthread_mutex_lock(&pipe->mutex);
    pipe->closed = true;
    const bool last = !pipe->working;
    pthread_mutex_unlock(&pipe->mutex);
    if (last) {
        destroy(pipe);
    }
}
