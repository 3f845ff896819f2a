/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_server.c - the life cycle of an exchange, with handlers that are
 * slow, refuse, or stream. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/queue/workers.h"
#include "daemon/serve/server.h"

enum { ANSWER = 256 << 10, STREAM = 100000, FAR_MS = 3600000 };

/* Counts of the exchanges of one test; each test runs in its own process. */
static _Atomic int n_open, n_close, n_begun, n_run;
static _Atomic bool held;       /* workers wait as long as this is true */
static _Atomic size_t feed_max; /* larger bodies are refused by the handler */
static _Atomic bool refuses_submit;

typedef struct exchange {
    size_t n_fed, at;
} exchange;

static void pause_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static bool open_exchange(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    if (head->header(head, "X-Refuse") != NULL) {
        reply->status = 409;
        reply->constant = "refused\n";
        reply->n_body = 8;
        return false;
    }
    atomic_fetch_add(&n_open, 1);
    *ret_exchange = calloc(1, sizeof(exchange));
    return *ret_exchange != NULL;
}

static bool feed_exchange(void *arg, const char *bytes, size_t n)
{
    (void)bytes;
    exchange *e = arg;
    e->n_fed += n;
    return e->n_fed <= atomic_load(&feed_max);
}

static tqd_next finish_run(void *arg)
{
    (void)arg;
    return TQD_NEXT_RUN;
}

static void run_exchange(void *arg)
{
    (void)arg;
    atomic_fetch_add(&n_begun, 1);
    while (atomic_load(&held)) {
        pause_ms(1);
    }
    atomic_fetch_add(&n_run, 1);
}

static void reply_count(void *arg, tqd_reply *reply)
{
    exchange *e = arg;
    reply->status = e->n_fed <= atomic_load(&feed_max) ? 200 : 422;
    reply->media = "text/plain";
    reply->body = malloc(32);
    reply->n_body = (size_t)snprintf(reply->body, 32, "%zu bytes\n", e->n_fed);
}

static size_t read_letters(void *arg, char *out, size_t size)
{
    exchange *e = arg;
    size_t n = STREAM - e->at < size ? STREAM - e->at : size;
    n = n > 7001 ? 7001 : n; /* pieces of a size that divides no buffer */
    for (size_t i = 0; i < n; i++) {
        out[i] = (char)('a' + (e->at + i) % 26);
    }
    e->at += n;
    return n;
}

static size_t read_some(void *arg, char *out, size_t size)
{
    exchange *e = arg;
    return e->at > 20000 ? TQD_READ_CUT : read_letters(arg, out, size);
}

static void reply_cut(void *arg, tqd_reply *reply)
{
    (void)arg;
    reply->status = 200;
    reply->media = "text/plain";
    reply->read = read_some;
}

static void reply_stream(void *arg, tqd_reply *reply)
{
    (void)arg;
    reply->status = 200;
    reply->media = "text/plain";
    reply->read = read_letters;
}

static void close_exchange(void *arg)
{
    atomic_fetch_add(&n_close, 1);
    free(arg);
}

static const tqd_handler inline_handler = {
    .open = open_exchange, .feed = feed_exchange, .reply = reply_count, .close = close_exchange};
static const tqd_handler worker_handler = {.open = open_exchange,
                                           .feed = feed_exchange,
                                           .finish = finish_run,
                                           .run = run_exchange,
                                           .reply = reply_count,
                                           .close = close_exchange};
static const tqd_handler stream_handler = {
    .open = open_exchange, .reply = reply_stream, .close = close_exchange};

static const tqd_handler cut_handler = {
    .open = open_exchange, .feed = feed_exchange, .reply = reply_cut, .close = close_exchange};

static const tqd_route routes[] = {
    {.method = TQD_POST, .pattern = "/cut", .body_max = 1 << 20, .handler = &cut_handler},
    {.method = TQD_POST, .pattern = "/inline", .body_max = 1 << 20, .handler = &inline_handler},
    {.method = TQD_POST, .pattern = "/worker", .body_max = 1 << 20, .handler = &worker_handler},
    {.method = TQD_GET, .pattern = "/stream", .handler = &stream_handler},
};

/* One server with one loop and one worker. */
static tqd_server *server;
static tqd_workers *workers;
static pthread_t loop_thread, worker_thread;
static struct sockaddr_in address;
static int listening;

static bool submit(void *ctx, void (*run)(void *arg), void *arg)
{
    return !atomic_load(&refuses_submit) && tqd_workers_submit(ctx, run, arg);
}

static void *loop_main(void *arg)
{
    tqd_server_run(arg);
    return NULL;
}

static void *worker_main(void *arg)
{
    tqd_workers_run(arg);
    return NULL;
}

static void begin(int64_t run_limit_ms)
{
    socklen_t n = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    cr_assert(eq(int, bind(listening, (struct sockaddr *)&address, n), 0));
    cr_assert(eq(int, listen(listening, 16), 0));
    getsockname(listening, (struct sockaddr *)&address, &n);
    workers = tqd_workers_new(16);
    tqd_server_options options = {
        .routes = routes,
        .n_route = sizeof routes / sizeof routes[0],
        .sockets = &listening,
        .n_socket = 1,
        .n_loop = 1,
        .connections_max = 100,
        .body_budget_b = 2 << 20,
        .deadlines = {.header_ms = FAR_MS,
                      .idle_ms = FAR_MS,
                      .body_ms = FAR_MS,
                      .run_ms = run_limit_ms,
                      .grace_ms = FAR_MS,
                      .rate_min_b_s = 1000},
        .submit = submit,
        .submit_ctx = workers,
    };
    const char *why = NULL;
    server = tqd_server_open(&options, &why);
    cr_assert(server != NULL, "%s", why);
    atomic_store(&feed_max, 1 << 20);
    pthread_create(&loop_thread, NULL, loop_main, tqd_server_loop(server, 0));
    pthread_create(&worker_thread, NULL, worker_main, workers);
}

/* True if all requests were answered. */
static bool end(int64_t wait_ms)
{
    tqd_server_drain(server, wait_ms);
    pthread_join(loop_thread, NULL);
    bool answered = tqd_server_close(server);
    atomic_store(&held, false);
    tqd_workers_stop(workers);
    pthread_join(worker_thread, NULL);
    tqd_workers_free(workers);
    close(listening);
    return answered;
}

static int dial(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = 90};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    cr_assert(eq(int, connect(fd, (struct sockaddr *)&address, sizeof address), 0));
    return fd;
}

static void say(int fd, const char *text)
{
    cr_assert(eq(long, (long)send(fd, text, strlen(text), MSG_NOSIGNAL), (long)strlen(text)));
}

/* Reads until `last` has arrived, or to the end of the stream. */
static const char *hear(int fd, const char *last)
{
    static char text[ANSWER];
    size_t n = 0;
    text[0] = '\0';
    while (n + 1 < sizeof text && strstr(text, last) == NULL) {
        ssize_t got = recv(fd, text + n, sizeof text - 1 - n, 0);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
        text[n] = '\0';
    }
    return text;
}

#define POST(path, length)                                                                         \
    "POST " path " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " length "\r\n\r\n"

Test(server, worker_and_inline_on_one_connection, .timeout = 100)
{
    begin(FAR_MS);
    int fd = dial();
    for (int i = 0; i < 50; i++) {
        say(fd, POST("/worker", "3") "abc" POST("/inline", "5") "hello");
        const char *text = hear(fd, "5 bytes\n");
        cr_assert(strstr(text, "3 bytes\n") != NULL && strstr(text, "5 bytes\n") != NULL, "%s",
                  text);
    }
    close(fd);
    cr_expect(end(FAR_MS) == true);
    cr_expect(eq(int, atomic_load(&n_open), 100));
    cr_expect(eq(int, atomic_load(&n_close), 100));
    cr_expect(eq(int, atomic_load(&n_run), 50));
}

Test(server, a_refused_submit_is_503_and_the_connection_stays, .timeout = 100)
{
    begin(FAR_MS);
    int fd = dial();
    atomic_store(&refuses_submit, true);
    say(fd, POST("/worker", "3") "abc");
    const char *text = hear(fd, "request_id");
    cr_expect(strncmp(text, "HTTP/1.1 503", 12) == 0, "%s", text);
    cr_expect(strstr(text, "Retry-After: 1\r\n") != NULL);
    atomic_store(&refuses_submit, false);
    say(fd, POST("/worker", "3") "abc");
    cr_expect(strstr(hear(fd, "3 bytes"), "3 bytes") != NULL);
    close(fd);
    cr_expect(end(FAR_MS) == true);
    cr_expect(eq(int, atomic_load(&n_open), atomic_load(&n_close)));
}

Test(server, a_handler_refuses_by_head_and_by_body, .timeout = 100)
{
    begin(FAR_MS);
    int fd = dial();
    say(fd,
        "POST /inline HTTP/1.1\r\nHost: localhost\r\nX-Refuse: 1\r\nContent-Length: 3\r\n\r\nabc");
    cr_expect(strstr(hear(fd, "refused\n"), "409") != NULL);
    cr_expect(eq(int, atomic_load(&n_open), 0));
    atomic_store(&feed_max, 2);
    say(fd, POST("/inline", "3") "abc");
    cr_expect(strstr(hear(fd, "3 bytes"), "HTTP/1.1 422") != NULL);
    close(fd);
    cr_expect(end(FAR_MS) == true);
    cr_expect(eq(int, atomic_load(&n_close), 1));
}

Test(server, pieces_make_one_body, .timeout = 100)
{
    begin(FAR_MS);
    int fd = dial();
    say(fd, "GET /stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const char *text = strstr(hear(fd, "no such text"), "\r\n\r\n");
    cr_assert(text != NULL);
    size_t n = 0;
    for (text += 4; *text != '\0';) {
        char *end_of_size;
        unsigned long size = strtoul(text, &end_of_size, 16);
        text = end_of_size + 2;
        for (unsigned long i = 0; i < size; i++, n++) {
            cr_assert(text[i] == (char)('a' + n % 26), "byte %zu", n);
        }
        text += size + 2;
    }
    cr_expect(eq(sz, n, STREAM));
    close(fd);
    cr_expect(end(FAR_MS) == true);
}

/* for a connection of the library, and for one owned by direct.c */
Test(server, an_answer_that_is_cut_does_not_look_whole, .timeout = 100)
{
    static char body[200000];
    begin(FAR_MS);
    for (int large = 0; large < 2; large++) {
        int fd = dial();
        if (large == 0) {
            say(fd, POST("/cut", "3") "abc");
        } else {
            memset(body, 'x', sizeof body - 1);
            say(fd, POST("/cut", "199999"));
            say(fd, body);
        }
        const char *text = hear(fd, "no such text");
        cr_expect(strncmp(text, "HTTP/1.1 200", 12) == 0, "%.40s", text);
        cr_expect(strstr(text, "xyzabc") != NULL);
        cr_expect(strstr(text, "\r\n0\r\n\r\n") == NULL, "%d", large);
        close(fd);
    }
    cr_expect(end(FAR_MS) == true);
    cr_expect(eq(int, atomic_load(&n_close), 2));
}

static void until_begun(void)
{
    while (atomic_load(&n_begun) == 0) { /* the test's timeout ends it */
        pause_ms(1);
    }
}

/* most likely after the stop has begun; in both cases there is an answer */
static void *release_soon(void *arg)
{
    pause_ms(200);
    atomic_store(&held, false);
    return arg;
}

/* the client is answered and disconnected at the deadline; the exchange is closed when its worker
 * is done */
Test(server, a_suspended_connection_is_bounded, .timeout = 100)
{
    begin(300);
    atomic_store(&held, true);
    int fd = dial();
    say(fd, POST("/worker", "3") "abc");
    const char *text = hear(fd, "\xff");
    cr_expect(strncmp(text, "HTTP/1.1 504 ", 13) == 0, "%s", text);
    cr_expect(strstr(text, "/problems/took-too-long") != NULL, "%s", text);
    cr_expect(strstr(text, "no answer within 0.3 s") != NULL, "%s", text);
    cr_expect(strstr(text + 1, "HTTP/1.1") == NULL, "one answer: %s", text);
    cr_expect(eq(int, atomic_load(&n_close), 0));
    close(fd);
    atomic_store(&held, false);
    cr_expect(end(FAR_MS) == true);
    cr_expect(eq(int, atomic_load(&n_close), 1));
}

/* a computation that still runs after the time limit is left running: the caller ends the process
 */
Test(server, a_stop_does_not_wait_for_ever, .timeout = 100)
{
    begin(FAR_MS);
    atomic_store(&held, true);
    int fd = dial();
    say(fd, POST("/worker", "3") "abc");
    until_begun();
    cr_expect(end(300) == false);
    close(fd);
}

Test(server, a_stop_answers_what_runs, .timeout = 100)
{
    begin(FAR_MS);
    atomic_store(&held, true);
    int fd = dial();
    pthread_t other;
    say(fd, POST("/worker", "3") "abc");
    until_begun();
    pthread_create(&other, NULL, release_soon, NULL);
    cr_expect(end(FAR_MS) == true);
    pthread_join(other, NULL);
    const char *text = hear(fd, "no such text");
    cr_expect(strstr(text, "3 bytes") != NULL, "%s", text);
    close(fd);
}
