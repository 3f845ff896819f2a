/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/request.c - the life of a request: the library's callbacks drive its steps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/problem.h"
#include "daemon/serve/library/receive.h"
#include "daemon/serve/server_private.h"

enum { DROP_MOST = 4 << 20 };

void *tqd_request_target(void *loop, const char *target, struct MHD_Connection *mhd)
{
    (void)loop;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    tqd_client *client = info != NULL ? info->socket_context : NULL;
    if (client == NULL) {
        return NULL;
    }
    if (client->loop->may_lag) {
        tqd_loop_read_clock(client->loop);
    }
    if (client->phase == TQD_PHASE_IDLE) {
        tqd_client_phase(client, TQD_PHASE_HEADER);
    }
    client->n_request++;
    size_t size = strlen(target) + 1;
    tqd_request *request = &client->request;
    request->target = size <= sizeof request->inline_target ? request->inline_target : malloc(size);
    if (request->target != NULL) {
        memcpy(request->target, target, size);
        request->n_target = size - 1;
    }
    return client;
}

void tqd_request_end(tqd_client *client)
{
    tqd_request *request = &client->request;
    assert(request->step != TQD_STEP_RUNNING && request->step != TQD_STEP_WAITING);
    if (request->exchange != NULL) {
        request->route->handler->close(request->exchange);
    }
    if (request->body_taken > 0) {
        tqd_admit_body_end(client, request->body_taken);
    }
    if (request->refusal != NULL) {
        free(request->refusal->body);
        free(request->refusal);
    }
    if (request->cached != NULL) {
        tqd_response_cache_give(request->cached);
    }
    if (request->target != request->inline_target) {
        free(request->target);
    }
    if (request->parts != request->inline_parts) {
        free(request->parts);
    }
    memset(request, 0, offsetof(tqd_request, inline_target));
}

void tqd_request_completed(void *loop, struct MHD_Connection *mhd, void **context,
                           enum MHD_RequestTerminationCode code)
{
    (void)loop;
    (void)mhd;
    (void)code;
    tqd_client *client = *context;
    if (client != NULL) {
        tqd_request_end(client);
        tqd_client_phase(client, TQD_PHASE_IDLE);
    }
    *context = NULL;
}

/* Chooses how a refusal reaches a client that may still be sending: a close with unread bytes
 * resets the connection, and the answer is lost. */
static enum MHD_Result refuse(tqd_client *client)
{
    tqd_request *request = &client->request;
    uint64_t length = request->head.content_length;
    const bool good = request->refusal != NULL && request->refusal->status < 300;
    tqd_count(&client->loop->counters, TQD_COUNTER_requests_refused, good ? 0 : 1);
    if (request->refusal == NULL) {
        /* out of memory for the refusal itself; the library may still deliver bytes that it has
         * read */
        request->step = TQD_STEP_RECEIVING;
        request->discard = true;
        request->answered = true;
        return MHD_NO;
    }
    bool waits = request->expects_continue && request->body_seen == 0;
    if (request->step == TQD_STEP_NONE && (request->must_close || waits)) {
        request->must_close = true;
        return tqd_reply_send(client, request->refusal);
    }
    request->step = TQD_STEP_RECEIVING;
    request->discard = true;
    if (length == UINT64_MAX || length - request->body_seen > TQD_DISCARD_MAX) {
        tqd_reply_send_early(client, request->refusal);
        request->answered = true;
        tqd_client_phase(client, TQD_PHASE_DISCARD);
    }
    return MHD_YES;
}

static enum MHD_Result begin_request(tqd_client *client, const char *method, const char *version)
{
    client->request.is_old = strcmp(version, MHD_HTTP_VERSION_1_1) != 0;
    tqd_client_phase(client, TQD_PHASE_BODY);
    if (!tqd_admit(client, method)) {
        return refuse(client);
    }
    client->request.step = TQD_STEP_RECEIVING;
    return MHD_YES;
}

/* The handler's reply is ready before the body is complete. */
static enum MHD_Result refuse_by_handler(tqd_client *client)
{
    tqd_request *request = &client->request;
    request->refusal = calloc(1, sizeof *request->refusal);
    if (request->refusal != NULL) {
        request->route->handler->reply(request->exchange, request->refusal);
    }
    return refuse(client);
}

/* Backpressure. False: suspended until the handler has room; the library delivers the bytes again.
 * */
bool tqd_request_room(tqd_client *client, size_t n)
{
    tqd_request *request = &client->request;
    const tqd_handler *handler = request->discard ? NULL : request->route->handler;
    if (handler == NULL || handler->room == NULL) {
        return true;
    }
    atomic_store(&request->wake, TQD_WAKE_NONE); /* before the handler's check */
    if (handler->room(request->exchange, n)) {
        return true;
    }
    request->paused = true;
    request->body_since_ms = client->since_ms;
    tqd_request_wait(client);
    return false;
}

char *tqd_request_space(tqd_client *client, size_t *ret_size)
{
    tqd_request *request = &client->request;
    const tqd_handler *handler = request->discard ? NULL : request->route->handler;
    return handler != NULL && handler->space != NULL ? handler->space(request->exchange, ret_size)
                                                     : NULL;
}

static void count_body(tqd_client *client, size_t n)
{
    client->request.body_seen += n;
    client->moved += n;
    tqd_count(&client->loop->counters, TQD_COUNTER_body_bytes, n);
}

/* More of a refused body, whose connection is closed afterwards: the kernel drops what has come
 * without copying it (MSG_TRUNC, tcp(7)), where the library would read it in pieces of 3 KiB. The
 * library never sees the body's end: the client closes, or its grace time ends. */
static void drop_body(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const uint64_t length = request->head.content_length;
    if (client->phase != TQD_PHASE_DISCARD || length == UINT64_MAX ||
        length <= request->body_seen) {
        return;
    }
    const uint64_t left = length - request->body_seen;
    (void)tqd_library_frame(client->fd, NULL); /* no further request is read */
    /* sanitizers take what recv(2) of the C library receives as written to the buffer */
    const ssize_t n =
        syscall(SYS_recvfrom, client->fd, NULL, left < DROP_MOST ? (size_t)left : (size_t)DROP_MOST,
                MSG_TRUNC | MSG_DONTWAIT, NULL, NULL);
    if (n > 0) {
        count_body(client, (size_t)n);
    }
}

enum MHD_Result tqd_request_take(tqd_client *client, const char *bytes, size_t n)
{
    tqd_request *request = &client->request;
    count_body(client, n);
    if (request->discard) {
        drop_body(client);
        return MHD_YES;
    }
    if (request->head.content_length == UINT64_MAX &&
        request->body_seen > request->route->body_max) {
        tqa_problem problem;
        tqa_problem_set(&problem, "too-large", "the body may have %llu bytes at most",
                        (unsigned long long)request->route->body_max);
        tqd_refuse(client, &problem);
        return refuse(client);
    }
    /* charged as it arrives: a client that announces a large body and does not send it does not
     * block others */
    if (!request->route->handler->keeps_little && !tqd_admit_body(client, n)) {
        return refuse(client);
    }
    const tqd_handler *handler = request->route->handler;
    if (handler->feed != NULL && !handler->feed(request->exchange, bytes, n)) {
        return refuse_by_handler(client);
    }
    return MHD_YES;
}

void tqd_request_complete(tqd_client *client)
{
    tqd_loop *loop = client->loop;
    tqd_client *top = atomic_load_explicit(&loop->done, memory_order_relaxed);
    do {
        client->next_done = top;
    } while (!atomic_compare_exchange_weak_explicit(&loop->done, &top, client, memory_order_release,
                                                    memory_order_relaxed));
    if (top == NULL) {
        tqd_loop_wake(loop);
    }
}

void tqd_request_compute(tqd_client *client)
{
    if (tqd_patience_run(client)) {
        client->request.route->handler->run(client->request.exchange);
    }
}

void tqd_request_wake(const tqd_head *head)
{
    tqd_client *client = head->ctx;
    if (atomic_exchange(&client->request.wake, TQD_WAKE_COME) == TQD_WAKE_AWAITED) {
        tqd_request_complete(client);
    }
}

void tqd_request_resume(tqd_client *client)
{
    tqd_request *request = &client->request;
    atomic_fetch_sub(&client->loop->running, 1);
    if (request->paused) {
        /* the pause was caused by the server: it does not count against the client's deadline */
        const int64_t since_ms = client->since_ms;
        request->paused = false;
        tqd_client_phase(client, TQD_PHASE_BODY);
        client->since_ms += request->body_since_ms - since_ms;
        client->moved = request->body_seen;
    } else if (request->step == TQD_STEP_REPLIED) {
        /* a stream may last for days: the deadline applies to its next piece */
        request->suspended_reply = false;
        tqd_client_phase(client, TQD_PHASE_REPLY);
    } else {
        request->step = request->step == TQD_STEP_WAITING ? TQD_STEP_WOKEN : TQD_STEP_RAN;
    }
    if (client->direct != NULL) {
        tqd_direct_resume(client);
    } else {
        tqd_loop_resume(client);
    }
}

static void suspend(tqd_client *client, tqd_phase phase)
{
    client->request.suspended_reply = client->request.step == TQD_STEP_REPLIED;
    tqd_client_phase(client, phase);
    atomic_fetch_add(&client->loop->running, 1);
    if (client->direct != NULL) {
        tqd_direct_pause(client);
    } else {
        MHD_suspend_connection(client->mhd);
    }
}

tqd_turn tqd_request_run(tqd_client *client)
{
    tqd_count(&client->loop->counters, TQD_COUNTER_requests_queued, 1);
    /* suspended first: a worker may complete it before submit returns */
    suspend(client, TQD_PHASE_RUN);
    const tqd_turn turn = tqd_turn_submit(client);
    if (turn != TQD_TURN_TAKEN) {
        tqd_request_resume(client);
    }
    return turn;
}

void tqd_request_wait(tqd_client *client)
{
    tqd_request *request = &client->request;
    suspend(client, request->step == TQD_STEP_REPLIED ? TQD_PHASE_STREAM : TQD_PHASE_RUN);
    int before = TQD_WAKE_NONE;
    if (!atomic_compare_exchange_strong(&request->wake, &before, TQD_WAKE_AWAITED)) {
        /* the wake-up came between the handler's check and now */
        tqd_request_resume(client);
    }
}

static enum MHD_Result reply(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (request->refusal != NULL) {
        return tqd_reply_send(client, request->refusal);
    }
    tqd_reply answer;
    tqd_reply_init(&answer);
    request->route->handler->reply(request->exchange, &answer);
    return tqd_reply_send(client, &answer);
}

static enum MHD_Result run(tqd_client *client)
{
    client->request.step = TQD_STEP_RUNNING;
    if (!tqd_patience_begin(client)) {
        return reply(client);
    }
    const tqd_turn turn = tqd_request_run(client);
    tqa_problem problem;
    if (turn == TQD_TURN_FULL) {
        tqa_problem_set(&problem, "busy", "the queue of computations is full; try again");
        tqd_refuse(client, &problem);
    } else if (turn == TQD_TURN_OWN_FULL) {
        tqa_problem_set(&problem, "too-many-requests",
                        "%zu computations of \"%s\" wait already (setting: client_share)",
                        client->loop->server->options.client_queue_max, client->request.who.client);
        problem.retry_after_s = 1;
        tqd_refuse(client, &problem);
    }
    return MHD_YES;
}

static enum MHD_Result follow(tqd_client *client, tqd_next next)
{
    switch (next) {
    case TQD_NEXT_RUN:
        return run(client);
    case TQD_NEXT_WAIT:
        client->request.step = TQD_STEP_WAITING;
        tqd_request_wait(client);
        return MHD_YES;
    case TQD_NEXT_REPLY:
        break;
    }
    return reply(client);
}

static enum MHD_Result resume(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (atomic_load(&request->given_up) && (request->refusal == NULL || request->answered)) {
        return MHD_NO; /* cancelled: no answer is sent */
    }
    atomic_store(&request->wake, TQD_WAKE_NONE);
    const tqd_handler *handler = request->route->handler;
    const bool resumes = request->refusal == NULL && handler->resumed != NULL;
    return follow(client, resumes ? handler->resumed(request->exchange) : TQD_NEXT_REPLY);
}

static enum MHD_Result body_complete(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (request->answered) {
        return MHD_NO; /* answered already: close */
    }
    if (request->refusal == NULL && !tqd_admit_framing(client)) {
        return reply(client);
    }
    if (request->refusal == NULL && request->route->handler->finish != NULL) {
        const tqd_next next = request->route->handler->finish(request->exchange);
        if (next != TQD_NEXT_REPLY) {
            return follow(client, next);
        }
        tqd_count(&client->loop->counters, TQD_COUNTER_requests_inline, 1);
    }
    return reply(client);
}

enum MHD_Result tqd_request_go_on(tqd_client *client)
{
    return client->request.step == TQD_STEP_RECEIVING ? body_complete(client) : resume(client);
}

enum MHD_Result tqd_request_step(void *loop, struct MHD_Connection *mhd, const char *url,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *n_bytes, void **context)
{
    (void)loop;
    (void)mhd;
    (void)url;
    tqd_client *client = *context;
    if (client == NULL) {
        return MHD_NO;
    }
    switch (client->request.step) {
    case TQD_STEP_NONE:
        return begin_request(client, method, version);
    case TQD_STEP_RECEIVING:
        if (*n_bytes > 0) {
            size_t n = *n_bytes;
            if (!tqd_request_room(client, n)) {
                return MHD_YES;
            }
            *n_bytes = 0;
            if (tqd_request_take(client, bytes, n) != MHD_YES) {
                return MHD_NO;
            }
            tqd_direct_begin(client, version);
            return MHD_YES;
        }
        return tqd_request_go_on(client);
    case TQD_STEP_RAN:
    case TQD_STEP_WOKEN:
        return tqd_request_go_on(client);
    case TQD_STEP_RUNNING:
    case TQD_STEP_WAITING:
    case TQD_STEP_REPLIED:
        break;
    }
    return MHD_YES;
}
