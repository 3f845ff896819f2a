/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/loop.c - the event loop of an I/O thread: the epoll descriptors, results of workers,
 * the clock. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "api/memory.h"
#include "daemon/observe/log.h"
#include "daemon/queue/scratch.h"
#include "daemon/queue/spin.h"
#include "daemon/serve/library/library.h"
#include "daemon/serve/server_private.h"

/* Deadlines are checked every tick, of many connections in parts: all 4,096 at once held up other
 * requests for 10 ms. Answers are resumed in parts, too, and streams in smaller ones: 512 have the
 * same event, and each takes 30 us, while requests wait. */
enum {
    TURNS_MAX = 16,
    EVENTS = 32,
    TRIM_MS = 2000,
    PARTS = 24,
    PART_LEAST = 64,
    ANSWERS_MAX = 64,
    STREAMS_MAX = 8,
    ACCEPTED_MANY = 10, /* by a run of the library: more may wait */
    ACCEPT_LEAST = 64
};
enum { PART_MS = TQD_TICK_MS / 32 };

void tqd_loop_wake(tqd_loop *loop)
{
    uint64_t one = 1;
    atomic_store(&loop->woken, true);
    ssize_t written = write(loop->event_fd, &one, sizeof one);
    (void)written; /* EAGAIN only: the counter is full, and the loop is awake */
}

/* MHD_get_timeout of 0.9.75 does not know of resumed connections */
void tqd_loop_resume(tqd_client *client)
{
    client->loop->resumed = true;
    MHD_resume_connection(client->mhd);
}

void tqd_loop_expect(tqd_loop *loop)
{
    loop->spin_until_ns = tqd_spin_begin();
}

static bool is_spinning(tqd_loop *loop)
{
    if (loop->spin_until_ns != 0 && !tqd_spin_again(loop->spin_until_ns)) {
        loop->spin_until_ns = 0;
    }
    return loop->spin_until_ns != 0;
}

static int64_t clock_ms(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tqd_loop_read_clock(tqd_loop *loop)
{
    loop->now_ms = clock_ms(CLOCK_MONOTONIC_COARSE);
    loop->may_lag = false;
}

static int64_t tick_of(const tqd_loop *loop)
{
    return loop->quiesced ? TQD_TICK_MS / 10 : TQD_TICK_MS;
}

/* Timeout of the wait: 0 while the library or the loop has work left, until the next tick while
 * there are connections or memory to release, else -1 (infinite). */
static int wait_ms(tqd_loop *loop)
{
    /* a connection that ended behind tqd_direct_take_over left its socket, maybe with a request */
    if (loop->resumed || tqd_library_has_work(loop->mhd) || loop->answers.first != NULL ||
        loop->streams.first != NULL || loop->successors != NULL) {
        return 0;
    }
    if (loop->n_open == 0 && !loop->quiesced && tqa_memory_kept() == 0) {
        return -1;
    }
    const int64_t tick = tick_of(loop);
    const int64_t left =
        (loop->unchecked != NULL ? loop->part_ms + PART_MS : loop->tick_ms + tick) - loop->now_ms;
    return left < 0 ? 0 : left > tick ? (int)tick : (int)left;
}

static void append(tqd_resumable *list, tqd_client *client)
{
    client->next_done = NULL;
    if (list->first == NULL) {
        list->first = client;
    } else {
        list->last->next_done = client;
    }
    list->last = client;
}

/* Takes the requests that have been completed, the last one first, and puts them in order. */
static void take_done(tqd_loop *loop)
{
    uint64_t count;
    atomic_store(&loop->woken, false); /* before the list is taken: a later push wakes again */
    ssize_t n = read(loop->event_fd, &count, sizeof count);
    (void)n;
    tqd_client *done = atomic_exchange_explicit(&loop->done, NULL, memory_order_acquire);
    tqd_client *in_order = NULL;
    while (done != NULL) {
        tqd_client *next = done->next_done;
        done->next_done = in_order;
        in_order = done;
        done = next;
    }
    while (in_order != NULL) {
        tqd_client *client = in_order;
        in_order = client->next_done;
        append(client->phase == TQD_PHASE_STREAM ? &loop->streams : &loop->answers, client);
    }
}

/* `most` of them; the connections' other events have their turn before the rest. */
static void resume(tqd_resumable *list, size_t most)
{
    for (; most > 0 && list->first != NULL; most--) {
        tqd_client *client = list->first;
        list->first = client->next_done;
        tqd_request_resume(client);
    }
}

static void resume_done(tqd_loop *loop)
{
    if (atomic_load_explicit(&loop->woken, memory_order_relaxed)) {
        take_done(loop);
    }
    resume(&loop->answers, ANSWERS_MAX);
    resume(&loop->streams, STREAMS_MAX);
}

/* Blocks until a descriptor is ready or the timeout ends, then lets the library process events. */
static void run_library(tqd_loop *loop)
{
    const int ms = is_spinning(loop) ? 0 : wait_ms(loop);
    loop->may_lag = true;
    loop->resumed = false;
    tqd_library_run(loop->mhd, loop->mhd_epoll_fd, loop->epoll_fd, loop->n_open, ms);
    tqd_loop_read_clock(loop);
    /* While a body arrives the library reads half its pool at a time and has work left over: some
     * of its iterations for each check of our own descriptors. */
    for (int turns = 1;
         turns < TURNS_MAX && tqd_library_has_work(loop->mhd) && !tqd_deadline_is_tight(loop);
         turns++) {
        loop->may_lag = true;
        tqd_library_run_again(loop->mhd);
    }
}

static uint64_t count_opened(const tqd_loop *loop)
{
    return atomic_load_explicit(&loop->counters.value[TQD_COUNTER_connections_opened],
                                memory_order_relaxed);
}

/* Of many connections that come at once the library accepts ten for each turn of all that are open.
 * In proportion to these a turn takes at most a third longer. */
static void accept_many(tqd_loop *loop)
{
    const tqd_server *server = loop->server;
    const size_t n_open = atomic_load_explicit(&server->n_open, memory_order_relaxed);
    const size_t max = server->options.connections_max;
    const size_t left = n_open < max ? max - n_open : 0; /* what is beyond waits, as before */
    const size_t most = ACCEPT_LEAST + loop->n_open / 4;
    (void)tqd_library_accept(loop->mhd, most < left ? most : left);
}

/* Stops accepting. The socket stays open until the process ends or the caller closes it. */
static void quiesce(tqd_loop *loop)
{
    loop->quiesced = true;
    (void)MHD_quiesce_daemon(loop->mhd);
    loop->tick_ms = loop->now_ms;
}

static bool is_over(tqd_loop *loop)
{
    if (!loop->quiesced) {
        return false;
    }
    return loop->n_open == 0 || loop->now_ms > atomic_load(&loop->server->drain_until_ms);
}

/* One of the loops returns memory that recent calls have not used. */
static void trim_memory(tqd_loop *loop)
{
    int64_t before = atomic_load(&loop->server->trim_ms);
    if (loop->now_ms - before >= TRIM_MS && tqa_memory_kept() > 0 &&
        atomic_compare_exchange_strong(&loop->server->trim_ms, &before, loop->now_ms)) {
        (void)tqa_memory_trim();
    }
}

static void report_alive(tqd_loop *loop)
{
    const unsigned pulse = atomic_load_explicit(&loop->server->pulse, memory_order_relaxed);
    const tqd_server_options *options = &loop->server->options;
    if (pulse != loop->pulse) {
        loop->pulse = pulse;
        if (options->alive != NULL) {
            options->alive(options->alive_ctx);
        }
    }
}

/* `source` is the event's data pointer: the loop's event descriptor, or a client whose socket
 * direct.c owns. */
static void dispatch(tqd_loop *loop, void *source)
{
    if (source != NULL && source != &loop->event_fd) { /* that one: resume_done */
        tqd_direct_ready(source);
    }
}

/* Results of workers, and sockets that direct.c owns; usually neither, without a system call. */
static void dispatch_events(tqd_loop *loop)
{
    struct epoll_event events[EVENTS];
    resume_done(loop);
    if (loop->n_direct == 0) {
        return;
    }
    const int n = epoll_wait(loop->epoll_fd, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        dispatch(loop, events[i].data.ptr);
    }
}

static void check_deadlines(tqd_loop *loop)
{
    if (loop->unchecked == NULL && loop->now_ms - loop->tick_ms >= tick_of(loop)) {
        trim_memory(loop);
        loop->tick_ms = loop->now_ms;
        tqd_realtime_check(&loop->realtime, loop->now_ms);
        loop->unix_offset_ms = clock_ms(CLOCK_REALTIME) - loop->now_ms;
        loop->unchecked = loop->open;
        loop->n_part =
            loop->n_open / PARTS + 1 > PART_LEAST ? loop->n_open / PARTS + 1 : PART_LEAST;
        loop->part_ms = loop->now_ms - PART_MS;
    }
    if (loop->unchecked != NULL && loop->now_ms - loop->part_ms >= PART_MS) {
        loop->part_ms = loop->now_ms;
        tqd_deadline_check(loop, loop->n_part);
    }
}

void tqd_server_run(void *arg)
{
    tqd_loop *loop = arg;
    tqd_loop_read_clock(loop);
    loop->unix_offset_ms = clock_ms(CLOCK_REALTIME) - loop->now_ms;
    loop->tick_ms = loop->now_ms;
    if (loop->server->options.realtime && !tqd_realtime_begin(&loop->realtime, loop->now_ms)) {
        tqd_log(TQD_LOG_WARNING, "the system refuses a real-time class",
                TQD_TEXT("setting", "io_realtime"),
                TQD_TEXT("needs", "LimitRTPRIO=1 without RestrictRealtime=, or CAP_SYS_NICE"));
    }
    while (!is_over(loop)) {
        /* counted before quiescing: requests that have arrived are still accepted */
        size_t n_open = loop->n_open;
        const uint64_t n_opened = count_opened(loop);
        run_library(loop);
        if (!loop->quiesced && count_opened(loop) - n_opened >= ACCEPTED_MANY) {
            accept_many(loop);
        }
        dispatch_events(loop);
        tqd_direct_take_over(loop);
        tqd_deadline_make_room(loop);
        if (loop->n_open < n_open) {
            tqd_library_run_again(loop->mhd);
        }
        if (!loop->quiesced && atomic_load(&loop->server->draining)) {
            quiesce(loop);
        }
        report_alive(loop);
        check_deadlines(loop);
    }
    tqd_direct_end(loop);
    tqd_scratch_free();
}
