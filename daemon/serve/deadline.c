/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/deadline.c - closes connections that exceed their deadline. The library's own
 * timeout measures inactivity only, so that a byte from time to time would keep a connection open;
 * it is off, since it costs two clock reads and a list operation a request. */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "api/problem.h"
#include "daemon/observe/log.h"
#include "daemon/serve/library/library.h"
#include "daemon/serve/server_private.h"

static const char *phase_name(tqd_phase phase)
{
    switch (phase) {
    case TQD_PHASE_HEADER:
        return "header";
    case TQD_PHASE_BODY:
        return "body";
    case TQD_PHASE_DISCARD:
        return "discard";
    case TQD_PHASE_RUN:
        return "run";
    case TQD_PHASE_REPLY:
        return "reply";
    case TQD_PHASE_STREAM:
        return "stream";
    case TQD_PHASE_IDLE:
        return "idle";
    }
    return "";
}

/* An idle connection whose next request has begun without a complete line: the library has read the
 * bytes, so the kernel's counter (TCP_INFO) is the only sign of them. */
static void detect_next_request(tqd_client *client)
{
    struct tcp_info info;
    socklen_t n = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(client->fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0 ||
        n < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) {
        return; /* not available for a Unix socket: idle_ms bounds it */
    }
    if (!client->mark_known) {
        client->mark_known = true;
        client->mark = info.tcpi_bytes_received;
    } else if (client->mark != info.tcpi_bytes_received) {
        tqd_client_phase(client, TQD_PHASE_HEADER);
    }
}

/* Deadline of the phase, given the bytes transferred in it. */
static int64_t deadline(const tqd_deadlines *limit, const tqd_client *client)
{
    int64_t paced = limit->grace_ms + (int64_t)(client->moved * 1000 / limit->rate_min_b_s);
    switch (client->phase) {
    case TQD_PHASE_HEADER:
        return limit->header_ms;
    case TQD_PHASE_BODY:
        return paced < limit->body_ms ? paced : limit->body_ms;
    case TQD_PHASE_DISCARD:
        return limit->grace_ms;
    case TQD_PHASE_REPLY:
        return paced > limit->idle_ms ? paced : limit->idle_ms;
    case TQD_PHASE_RUN:    /* patience.c */
    case TQD_PHASE_STREAM: /* an event stream may be idle for long */
        return INT64_MAX;
    case TQD_PHASE_IDLE:
        return limit->idle_ms;
    }
    return 0;
}

enum { LASTS_MS = 1000 };

/* A stream ends with the token or the session that it was opened with. */
static bool has_lost_its_token(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (client->phase != TQD_PHASE_STREAM ||
        client->loop->now_ms - request->checked_ms < LASTS_MS) {
        return false;
    }
    request->checked_ms = client->loop->now_ms;
    return !tqd_admit_lasts(client);
}

enum {
    SPARE_PART = 64, /* 1 / SPARE_PART of the connections is kept free; none of a few */
    ROOM_MOST = 64   /* connections that give way at once */
};

/* As the handler's wake-up, unless that has already been sent. */
static void wake_reader(tqd_client *client)
{
    if (atomic_exchange(&client->request.wake, TQD_WAKE_COME) == TQD_WAKE_AWAITED) {
        tqd_request_resume(client);
    }
}

/* The library finds the end of the stream and closes; a suspended connection when it resumes. */
static void shut(tqd_client *client)
{
    shutdown(client->fd, SHUT_RDWR);
    tqd_client_overdue(client);
    if (client->request.suspended_reply && client->phase == TQD_PHASE_STREAM) {
        wake_reader(client);
    } else if (client->phase != TQD_PHASE_RUN) {
        tqd_library_close_soon(client->mhd);
    }
}

/* 408 for a body that came too slowly. An incomplete header has no request to answer. */
static void answer_late(tqd_client *client)
{
    const tqd_request *request = &client->request;
    if (client->phase != TQD_PHASE_BODY || request->step != TQD_STEP_RECEIVING ||
        request->refusal != NULL) {
        return;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "request-timeout", "%llu bytes of the body arrived in time",
                    (unsigned long long)request->body_seen);
    tqd_refuse(client, &problem);
    if (request->refusal != NULL) {
        tqd_reply_send_early(client, request->refusal);
    }
}

static void shut_late(tqd_client *client, int64_t age_ms)
{
    answer_late(client);
    shut(client);
    if (client->phase != TQD_PHASE_IDLE) {
        tqd_count(&client->loop->counters, TQD_COUNTER_connections_overdue, 1);
        tqd_log(TQD_LOG_DEBUG, "connection overdue", TQD_TEXT("phase", phase_name(client->phase)),
                TQD_NUMBER("age_ms", age_ms));
    }
}

/* A computation that was cancelled at its deadline and has not ended, or what nothing cancels. */
static void shut_computing(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (request->refusal != NULL) {
        tqd_reply_send_early(client, request->refusal);
        request->answered = true;
    }
    shut_late(client, client->loop->now_ms - client->since_ms);
}

/* The client has ended its stream inside a request: the library does not notice when the end came
 * together with the last bytes (edge-triggered, one read). */
static bool has_disconnected(const tqd_client *client)
{
    char byte;
    bool expects = client->phase == TQD_PHASE_HEADER || client->phase == TQD_PHASE_BODY ||
                   client->phase == TQD_PHASE_DISCARD || client->phase == TQD_PHASE_IDLE ||
                   client->phase == TQD_PHASE_STREAM;
    if (!expects) {
        return false;
    }
    ssize_t n = recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static bool is_idle(const tqd_client *client)
{
    return client->phase == TQD_PHASE_IDLE || client->phase == TQD_PHASE_HEADER;
}

/* Which of two idle connections gives way: one that no client has named itself on, else one of the
 * client with more connections, else the one that has been idle for longer. */
static bool gives_way(const tqd_client *a, const tqd_client *b)
{
    const tqd_account *of_a = a->counted_in;
    const tqd_account *of_b = b->counted_in;
    if (of_a == of_b) {
        return a->since_ms < b->since_ms;
    }
    if (of_a == NULL || of_b == NULL) {
        return of_a == NULL;
    }
    return atomic_load_explicit(&of_a->n_connection, memory_order_relaxed) >
           atomic_load_explicit(&of_b->n_connection, memory_order_relaxed);
}

/* The first n <= ROOM_MOST idle connections to give way, in one pass; returns their number. */
static size_t list_idle(const tqd_loop *loop, tqd_client *ret[ROOM_MOST], size_t n)
{
    size_t n_found = 0;
    for (tqd_client *c = loop->open; c != NULL; c = c->next) {
        const bool takes_part = !c->overdue && is_idle(c);
        if (!takes_part || (n_found == n && (n == 0 || !gives_way(c, ret[n - 1])))) {
            continue;
        }
        size_t at = n_found < n ? n_found++ : n - 1;
        for (; at > 0 && gives_way(c, ret[at - 1]); at--) {
            ret[at] = ret[at - 1];
        }
        ret[at] = c;
    }
    return n_found;
}

static size_t limit_of(const tqd_server *server)
{
    return server->options.connections_max - server->options.connections_max / SPARE_PART;
}

bool tqd_deadline_is_tight(const tqd_loop *loop)
{
    const tqd_server *server = loop->server;
    return atomic_load_explicit(&server->n_open, memory_order_relaxed) > limit_of(server);
}

/* A client that opens all connections and sends nothing would lock out others until they are
 * overdue. Half of the connections that are kept free is left at the end, so that not every new
 * one costs a pass. */
void tqd_deadline_make_room(tqd_loop *loop)
{
    const tqd_server *server = loop->server;
    if (!tqd_deadline_is_tight(loop)) {
        return;
    }
    const size_t limit = limit_of(server);
    const size_t n_open = atomic_load_explicit(&server->n_open, memory_order_relaxed);
    if (n_open <= limit + loop->n_overdue) {
        return; /* there will be */
    }
    tqd_client *idle[ROOM_MOST];
    size_t n = (n_open - loop->n_overdue - limit) / server->n_loop + 1 +
               server->options.connections_max / SPARE_PART / 2;
    n = list_idle(loop, idle, n < ROOM_MOST ? n : ROOM_MOST);
    for (size_t k = 0; k < n; k++) {
        shut(idle[k]);
    }
    tqd_count(&loop->counters, TQD_COUNTER_connections_overdue, n);
}

static void check(tqd_client *c, bool draining)
{
    const tqd_loop *loop = c->loop;
    if (c->direct != NULL) {
        tqd_direct_tick(c);
    }
    if (has_disconnected(c) || has_lost_its_token(c)) {
        shut(c);
        return;
    }
    if (c->phase == TQD_PHASE_RUN) {
        if (!tqd_patience_check(c)) {
            shut_computing(c);
        }
        return;
    }
    if (c->phase == TQD_PHASE_IDLE && !draining) {
        detect_next_request(c);
    }
    if (c->phase == TQD_PHASE_STREAM && draining) {
        wake_reader(c);
        return;
    }
    const int64_t age_ms = loop->now_ms - c->since_ms;
    /* a refused client only needs time to read the refusal */
    const bool waiting = is_idle(c) || (c->phase == TQD_PHASE_DISCARD && age_ms > TQD_PARTING_MS);
    if (age_ms > deadline(&loop->server->options.deadlines, c) || (draining && waiting)) {
        shut_late(c, age_ms);
    }
}

void tqd_deadline_check(tqd_loop *loop, size_t n)
{
    const bool draining = atomic_load(&loop->server->draining);
    for (; n > 0 && loop->unchecked != NULL; n--) {
        tqd_client *client = loop->unchecked;
        loop->unchecked = client->next;
        if (!client->overdue) {
            check(client, draining);
        }
    }
}
