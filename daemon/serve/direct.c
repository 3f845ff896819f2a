/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/direct.c - a large body and its answer on the socket itself, in large pieces. */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/serve/library/library.h"
#include "daemon/serve/send_buffer.h"
#include "daemon/serve/server_private.h"

/* While we own the socket, the library's connection is suspended in the middle of a body. It ends
 * by an end of stream: of the client's socket, or, to keep the connection alive, of another one
 * under the same descriptor (tqd_library_detach); the client's socket is then added to the library
 * as a new connection. */

enum {
    HEAD_BYTES = 4096,
    PARTS = 20,              /* iovec: head, chunk size, bytes, end of chunk; or blocks in place */
    STEP = 64 << 10,         /* bytes received and decoded, or encoded and sent, while in cache */
    RECEIVE_MAX = 128 << 10, /* bytes an iteration while other connections have requests */
    ALONE_MAX = 512 << 10,   /* bytes an iteration while no other connection has any */
    SEND_MAX = 256 << 10,
};

struct tqd_direct {
    tqd_direct *next;     /* list of handed-over sockets */
    int fd;               /* the socket when it is handed over, else -1 */
    tqd_account *account; /* whose connection that is */
    uint32_t armed;       /* registered epoll events; 0: not in the set */
    bool keep_alive;      /* the connection is kept alive after the answer */
    bool chunked;
    bool last;          /* the parts hold the end of the answer */
    int wait_bytes;     /* SO_RCVLOWAT */
    size_t receive_max; /* bytes to receive in the next iteration */
    uint64_t n_request; /* the loop's count of requests at the last iteration */
    char *body;
    tqd_send_buffer *buffer;
    const char *(*next_in_place)(void *exchange, size_t *ret_n);
    struct iovec part[PARTS];
    size_t n_part, at_part;
    char chunk[24];
    char head[HEAD_BYTES];
};

static void arm(tqd_client *client, uint32_t events)
{
    tqd_direct *d = client->direct;
    if (d->armed == events) {
        return;
    }
    struct epoll_event event = {.events = events, .data.ptr = client};
    const int op = d->armed == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    (void)epoll_ctl(client->loop->epoll_fd, op, client->fd, &event);
    d->armed = events;
}

static bool has_connection_close(const tqd_client *client)
{
    const char *value = MHD_lookup_connection_value(client->mhd, MHD_HEADER_KIND, "Connection");
    return value != NULL && strcasestr(value, "close") != NULL;
}

/* A client as fast as this process would wake the loop for every segment, and each wake-up costs
 * both sides more than the transfer: with SO_RCVLOWAT the kernel collects n bytes first. */
static void collect(tqd_client *client, uint64_t n)
{
    const int bytes = n < STEP ? (int)n : STEP;
    if (client->direct->wait_bytes != bytes && bytes > 0) {
        client->direct->wait_bytes = bytes;
        (void)setsockopt(client->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
    }
}

void tqd_direct_tick(tqd_client *client)
{
    /* the bytes of a slow client are received one tick later at the latest, and count as progress
     */
    if (client->request.step == TQD_STEP_RECEIVING) {
        collect(client, 1);
    }
}

void tqd_direct_begin(tqd_client *client, const char *version)
{
    const tqd_request *request = &client->request;
    tqd_loop *loop = client->loop;
    const uint64_t length = request->head.content_length;
    if (length == UINT64_MAX || length - request->body_seen < TQD_DIRECT_MIN || request->discard ||
        strcmp(version, MHD_HTTP_VERSION_1_1) != 0) {
        return;
    }
    if (loop->piece == NULL) {
        loop->piece = malloc(STEP);
    }
    tqd_direct *d = loop->piece != NULL ? malloc(sizeof *d) : NULL;
    if (d == NULL) {
        return; /* the library continues */
    }
    memset(d, 0, offsetof(tqd_direct, head));
    d->fd = -1;
    d->wait_bytes = 1;
    d->keep_alive = !has_connection_close(client);
    atomic_fetch_add(&loop->running, 1);
    MHD_suspend_connection(client->mhd);
    client->direct = d;
    loop->n_direct++;
    arm(client, EPOLLIN);
}

/* ---------------------------------------------------------------------------- back to the library
 */

static void free_direct(tqd_direct *d)
{
    free(d->body);
    free(d->buffer);
    free(d);
}

/* The library finds the end of the stream and closes the connection. */
static void return_to_library(tqd_client *client)
{
    client->direct = NULL;
    client->loop->n_direct--;
    atomic_fetch_sub(&client->loop->running, 1);
    tqd_loop_resume(client);
}

static void abandon(tqd_client *client)
{
    arm(client, 0);
    free_direct(client->direct);
    shutdown(client->fd, SHUT_RDWR);
    return_to_library(client);
}

/* The answer has been sent: close, or hand the socket over to a new connection. */
static void finish(tqd_client *client)
{
    tqd_direct *d = client->direct;
    arm(client, 0);
    if (!d->keep_alive || client->overdue || atomic_load(&client->loop->server->draining)) {
        abandon(client);
        return;
    }
    d->fd = tqd_library_detach(client->fd);
    if (d->fd < 0) {
        abandon(client);
        return;
    }
    client->successor = d;
    return_to_library(client);
}

void tqd_direct_hand_over(tqd_client *client)
{
    if (client->successor != NULL) {
        client->successor->next = client->loop->successors;
        client->loop->successors = client->successor;
        client->successor->account = client->counted_in;
        client->counted_in = NULL; /* goes on being counted */
    }
}

void tqd_direct_take_over(tqd_loop *loop)
{
    while (loop->successors != NULL) {
        tqd_direct *d = loop->successors;
        loop->successors = d->next;
        loop->taking_over = true;
        loop->taken_over = d->account;
        (void)tqd_library_attach(loop->mhd, d->fd);
        (void)tqd_account_connect(NULL, loop->taken_over, 0); /* its peer has gone */
        loop->taken_over = NULL;
        loop->taking_over = false;
        free_direct(d);
    }
}

void tqd_direct_end(tqd_loop *loop)
{
    for (tqd_client *c = loop->open; c != NULL; c = c->next) {
        if (c->direct != NULL && c->direct->armed != 0) {
            abandon(c);
        }
    }
    for (tqd_direct *d = loop->successors; d != NULL; d = loop->successors) {
        loop->successors = d->next;
        close(d->fd);
        free_direct(d);
    }
    free(loop->piece);
    loop->piece = NULL;
}

/* --------------------------------------------------------------------------------------- the body
 */

/* False: the connection must be closed. *ret_more: the socket may have more bytes now. */
static bool receive_piece(tqd_client *client, bool *ret_more)
{
    const tqd_request *request = &client->request;
    const uint64_t left = request->head.content_length - request->body_seen;
    size_t most = left < TQD_DIRECT_PIECE ? (size_t)left : (size_t)TQD_DIRECT_PIECE;
    *ret_more = false;
    if (!tqd_request_room(client, most)) {
        return true;
    }
    size_t size = STEP;
    char *to = tqd_request_space(client, &size);
    to = to != NULL ? to : client->loop->piece;
    most = most < size ? most : size;
    const ssize_t n = recv(client->fd, to, most, MSG_DONTWAIT);
    if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    if (tqd_request_take(client, to, (size_t)n) != MHD_YES) {
        return false;
    }
    *ret_more = (size_t)n == most;
    if ((uint64_t)n == left) {
        collect(client, 1);
        return tqd_request_go_on(client) == MHD_YES;
    }
    if (*ret_more || client->direct->wait_bytes > 1) {
        collect(client, left - (uint64_t)n);
    }
    return true;
}

/* Bytes to receive in this iteration. Between two iterations the loop polls all its sockets, which
 * costs as much as 32 KiB. */
static size_t receive_limit(tqd_client *client)
{
    tqd_direct *d = client->direct;
    const tqd_loop *loop = client->loop;
    const uint64_t n_request =
        atomic_load_explicit(&loop->counters.value[TQD_COUNTER_requests], memory_order_relaxed);
    const bool alone = loop->n_direct == 1 && n_request == d->n_request;
    const size_t longer = 2 * d->receive_max;
    d->receive_max = !alone ? (size_t)RECEIVE_MAX : longer < ALONE_MAX ? longer : (size_t)ALONE_MAX;
    d->n_request = n_request;
    return d->receive_max;
}

static bool receive(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const uint64_t most = request->body_seen + receive_limit(client);
    bool more = true;
    while (more && request->step == TQD_STEP_RECEIVING && request->body_seen < most) {
        if (!receive_piece(client, &more)) {
            return false;
        }
    }
    if (!more && request->step == TQD_STEP_RECEIVING && client->direct->wait_bytes > 1) {
        tqd_loop_expect(client->loop);
    }
    return true;
}

/* ------------------------------------------------------------------------------------- the answer
 */

static void add_part(tqd_direct *d, const char *bytes, size_t n)
{
    const union {
        const char *in;
        void *out; /* iovec is not const; the bytes are only read */
    } base = {.in = bytes};
    if (n > 0) {
        struct iovec *part = &d->part[d->n_part++];
        part->iov_base = base.out;
        part->iov_len = n;
    }
}

/* Adds the contents of the buffer, or the end of the answer. */
static void add_buffer(tqd_direct *d)
{
    static char end_of_chunk[] = "\r\n";
    tqd_send_buffer *buffer = d->buffer;
    if (buffer->n > 0 && d->chunked) {
        const int n = snprintf(d->chunk, sizeof d->chunk, "%zx\r\n", buffer->n);
        add_part(d, d->chunk, (size_t)n);
    }
    add_part(d, buffer->bytes, buffer->n);
    if (d->chunked) {
        static char end_of_body[] = "0\r\n\r\n";
        add_part(d, buffer->n > 0 ? end_of_chunk : end_of_body, buffer->n > 0 ? 2 : 5);
    }
    d->last = buffer->over;
}

enum MHD_Result tqd_direct_reply(tqd_client *client, tqd_reply *reply)
{
    tqd_direct *d = client->direct;
    client->request.step = TQD_STEP_REPLIED;
    tqd_client_phase(client, TQD_PHASE_REPLY);
    d->keep_alive = d->keep_alive && !client->request.must_close;
    d->chunked = reply->read != NULL && reply->n_body == 0;
    d->last = reply->read == NULL;
    d->next_in_place = reply->next_in_place;
    if (reply->read != NULL) {
        d->buffer = tqd_send_buffer_new(client, reply, STEP);
        if (d->buffer == NULL) {
            return MHD_NO;
        }
    }
    const char *whole = reply->body != NULL ? reply->body : reply->constant;
    d->body = reply->body;
    reply->body = NULL;
    const uint64_t n_body = d->chunked                             ? UINT64_MAX
                            : reply->read != NULL || whole != NULL ? reply->n_body
                                                                   : 0;
    size_t n = tqd_reply_head(client, reply, n_body, !d->keep_alive, d->head, HEAD_BYTES);
    if (n + 2 > HEAD_BYTES) {
        return MHD_NO;
    }
    memcpy(d->head + n, "\r\n", 2);
    d->n_part = d->at_part = 0;
    add_part(d, d->head, n + 2);
    /* Nagle's algorithm would hold the last segment until those before it are acknowledged */
    const int now = 1;
    (void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    if (d->last && whole != NULL) {
        add_part(d, whole, reply->n_body);
    }
    arm(client, EPOLLOUT);
    return MHD_YES;
}

static void advance(tqd_direct *d, size_t n)
{
    while (n > 0) {
        struct iovec *part = &d->part[d->at_part];
        const size_t here = n < part->iov_len ? n : part->iov_len;
        part->iov_base = (char *)part->iov_base + here;
        part->iov_len -= here;
        n -= here;
        d->at_part += part->iov_len == 0;
    }
}

/* Zero-copy: adds blocks where they lie, up to SEND_MAX, so that one system call wakes the receiver
 * once for all. True: the reader may have more, which goes into the same call. */
static bool add_in_place(tqd_client *client)
{
    tqd_direct *d = client->direct;
    size_t sum = 0, n = 0;
    while (d->next_in_place != NULL) {
        const char *bytes = d->next_in_place(client->request.exchange, &n);
        if (bytes == NULL) {
            break;
        }
        add_part(d, bytes, n);
        sum += n;
        if (sum >= SEND_MAX || d->n_part == PARTS - 1) {
            return false;
        }
    }
    return true;
}

/* Gets the next piece from the reader. False: there is none to send now. */
static bool refill(tqd_client *client)
{
    tqd_direct *d = client->direct;
    d->n_part = d->at_part = 0;
    if (!add_in_place(client)) {
        return true;
    }
    if (!tqd_send_buffer_fill(d->buffer)) {
        if (d->buffer->over) {
            abandon(client);
        }
        return false;
    }
    add_buffer(d);
    return true;
}

static void send_some(tqd_client *client)
{
    tqd_direct *d = client->direct;
    size_t sent = 0;
    while (sent < SEND_MAX) {
        if (d->at_part == d->n_part) {
            if (d->last) {
                finish(client);
                return;
            }
            if (!refill(client)) {
                return;
            }
            continue;
        }
        const struct msghdr message = {.msg_iov = d->part + d->at_part,
                                       .msg_iovlen = d->n_part - d->at_part};
        const ssize_t n = sendmsg(client->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            break;
        }
        if (n < 0) {
            abandon(client);
            return;
        }
        sent += (size_t)n;
        client->moved += (uint64_t)n;
        advance(d, (size_t)n);
    }
    arm(client, EPOLLOUT);
}

/* --------------------------------------------------------------------------------------- turns */

void tqd_direct_pause(tqd_client *client)
{
    arm(client, 0);
    if (client->request.step == TQD_STEP_RUNNING) {
        tqd_loop_expect(client->loop); /* most of the computation was done while the body arrived */
    }
}

void tqd_direct_resume(tqd_client *client)
{
    arm(client, client->request.step == TQD_STEP_RECEIVING ? EPOLLIN : EPOLLOUT);
}

void tqd_direct_ready(tqd_client *client)
{
    bool good = true;
    switch (client->request.step) {
    case TQD_STEP_RECEIVING:
        good = receive(client);
        break;
    case TQD_STEP_RAN:
    case TQD_STEP_WOKEN:
        good = tqd_request_go_on(client) == MHD_YES;
        break;
    case TQD_STEP_NONE:
    case TQD_STEP_RUNNING:
    case TQD_STEP_WAITING:
    case TQD_STEP_REPLIED:
        break;
    }
    if (!good) {
        abandon(client);
    } else if (client->request.step == TQD_STEP_REPLIED && client->direct->armed != 0) {
        send_some(client);
    }
}
