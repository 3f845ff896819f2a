/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/direct.c - a large body and its answer on the socket itself, in large pieces. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
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

#include "daemon/serve/client.h"
#include "daemon/serve/send_buffer.h"

/* While the socket is in our hands the library has the connection suspended, with a body that it
 * never sees the rest of. It cannot be told that the body is complete, so afterwards it is given
 * the end of a stream: of the socket, or, when the connection shall live on, of another one under
 * the same number, while the client's own goes to a next connection of the library. */

enum {
    HEAD_BYTES = 4096,
    PARTS = 20,              /* head, size of a chunk, bytes, end of a chunk; or bytes in place */
    STEP = 64 << 10,         /* that are received and read, or written and sent, while in cache */
    RECEIVE_MAX = 128 << 10, /* bytes a turn: other connections wait; */
    ALONE_MAX = 512 << 10,   /* none that has asked for anything since the last turn */
    SEND_MAX = 256 << 10,
    PHASES = 64, /* of a piece in memory */
};

struct tqd_direct {
    tqd_direct *next; /* of the loop's heirs */
    int fd;           /* an heir's */
    uint32_t armed;   /* events of epoll that it waits for; 0: not in the set */
    bool keeps;       /* the client wants to go on after the answer */
    bool chunked;
    bool last;      /* what is being sent is the end of the answer */
    int wait_bytes; /* that the kernel collects before it tells of any */
    size_t turn;    /* bytes to receive in the next one */
    uint64_t asked; /* requests of the loop's connections up to the last turn */
    char *body;
    tqd_send_buffer *stage;
    const char *(*look)(void *exchange, size_t *ret_n);
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

static bool wants_close(const tqd_client *client)
{
    const char *value = MHD_lookup_connection_value(client->mhd, MHD_HEADER_KIND, "Connection");
    return value != NULL && strcasestr(value, "close") != NULL;
}

/* A client that sends as fast as we take would wake the loop for every segment, and each waking
 * costs both sides more than the bytes do. */
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
    /* what came slowly is taken as it is: it counts as progress */
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
        loop->piece = aligned_alloc(PHASES, PHASES + STEP);
    }
    tqd_direct *d = loop->piece != NULL ? malloc(sizeof *d) : NULL;
    if (d == NULL) {
        return; /* the library goes on */
    }
    memset(d, 0, offsetof(tqd_direct, head));
    d->fd = -1;
    d->wait_bytes = 1;
    d->keeps = !wants_close(client);
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
    free(d->stage);
    free(d);
}

/* The library finds the end of a stream, and ends the connection. */
static void give_back(tqd_client *client)
{
    client->direct = NULL;
    client->loop->n_direct--;
    atomic_fetch_sub(&client->loop->running, 1);
    MHD_resume_connection(client->mhd);
}

static void abandon(tqd_client *client)
{
    arm(client, 0);
    free_direct(client->direct);
    shutdown(client->fd, SHUT_RDWR);
    give_back(client);
}

/* Puts an ended stream in the place of the client's socket, which it returns under a new number. -1
 * when descriptors are short. */
static int exchange_socket(int fd)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        return -1;
    }
    close(pair[1]);
    int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (kept >= 0 && dup3(pair[0], fd, O_CLOEXEC) < 0) {
        close(kept);
        kept = -1;
    }
    close(pair[0]);
    return kept;
}

/* The answer has been sent. */
static void finish(tqd_client *client)
{
    tqd_direct *d = client->direct;
    arm(client, 0);
    if (!d->keeps || client->overdue || atomic_load(&client->loop->server->draining)) {
        abandon(client);
        return;
    }
    d->fd = exchange_socket(client->fd);
    if (d->fd < 0) {
        abandon(client);
        return;
    }
    client->heir = d;
    give_back(client);
}

void tqd_direct_bequeath(tqd_client *client)
{
    if (client->heir != NULL) {
        client->heir->next = client->loop->heirs;
        client->loop->heirs = client->heir;
    }
}

void tqd_direct_adopt(tqd_loop *loop)
{
    while (loop->heirs != NULL) {
        tqd_direct *d = loop->heirs;
        struct sockaddr_storage address;
        socklen_t n = sizeof address;
        loop->heirs = d->next;
        if (getpeername(d->fd, (struct sockaddr *)&address, &n) != 0) {
            close(d->fd);
        } else {
            loop->adopting = true;
            (void)MHD_add_connection(loop->mhd, d->fd, (struct sockaddr *)&address, n);
            loop->adopting = false;
        }
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
    for (tqd_direct *d = loop->heirs; d != NULL; d = loop->heirs) {
        loop->heirs = d->next;
        close(d->fd);
        free_direct(d);
    }
    free(loop->piece);
    loop->piece = NULL;
}

/* --------------------------------------------------------------------------------------- the body
 */

/* Our own memory, with the numbers in what comes aligned. */
static char *own_space(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const tqd_handler *handler = request->discard ? NULL : request->route->handler;
    const size_t phase =
        handler != NULL && handler->phase != NULL ? handler->phase(request->exchange) : 0;
    assert(phase < PHASES);
    return client->loop->piece + phase;
}

/* False: the connection cannot go on. *ret_more: there may be more to receive now. */
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
    to = to != NULL ? to : own_space(client);
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

/* How much to receive in this turn: between two of them the loop looks at all its sockets, which
 * takes as long as 32 KiB do. */
static size_t turn_bytes(tqd_client *client)
{
    tqd_direct *d = client->direct;
    const tqd_loop *loop = client->loop;
    const uint64_t asked =
        atomic_load_explicit(&loop->counters.value[TQD_COUNTER_requests], memory_order_relaxed);
    const bool alone = loop->n_direct == 1 && asked == d->asked;
    const size_t longer = 2 * d->turn;
    d->turn = !alone ? (size_t)RECEIVE_MAX : longer < ALONE_MAX ? longer : (size_t)ALONE_MAX;
    d->asked = asked;
    return d->turn;
}

static bool receive(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const uint64_t most = request->body_seen + turn_bytes(client);
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
        void *out; /* it is only read */
    } base = {.in = bytes};
    if (n > 0) {
        struct iovec *part = &d->part[d->n_part++];
        part->iov_base = base.out;
        part->iov_len = n;
    }
}

/* What the stage holds, or the end of the answer. */
static void add_stage(tqd_direct *d)
{
    static char end_of_chunk[] = "\r\n";
    tqd_send_buffer *stage = d->stage;
    if (stage->n > 0 && d->chunked) {
        const int n = snprintf(d->chunk, sizeof d->chunk, "%zx\r\n", stage->n);
        add_part(d, d->chunk, (size_t)n);
    }
    add_part(d, stage->bytes, stage->n);
    if (d->chunked) {
        static char end_of_body[] = "0\r\n\r\n";
        add_part(d, stage->n > 0 ? end_of_chunk : end_of_body, stage->n > 0 ? 2 : 5);
    }
    d->last = stage->over;
}

enum MHD_Result tqd_direct_reply(tqd_client *client, tqd_reply *reply)
{
    tqd_direct *d = client->direct;
    client->request.step = TQD_STEP_REPLIED;
    tqd_client_phase(client, TQD_PHASE_REPLY);
    d->keeps = d->keeps && !client->request.must_close;
    d->chunked = reply->read != NULL && reply->n_body == 0;
    d->last = reply->read == NULL;
    d->look = reply->look;
    if (reply->read != NULL) {
        d->stage = tqd_send_buffer_new(client, reply, STEP);
        if (d->stage == NULL) {
            return MHD_NO;
        }
    }
    const char *whole = reply->body != NULL ? reply->body : reply->constant;
    d->body = reply->body;
    reply->body = NULL;
    const uint64_t n_body = d->chunked                             ? UINT64_MAX
                            : reply->read != NULL || whole != NULL ? reply->n_body
                                                                   : 0;
    size_t n = tqd_reply_head(client, reply, n_body, !d->keeps, d->head, HEAD_BYTES);
    if (n + 2 > HEAD_BYTES) {
        return MHD_NO;
    }
    memcpy(d->head + n, "\r\n", 2);
    d->n_part = d->at_part = 0;
    add_part(d, d->head, n + 2);
    /* the end of an answer is not to wait until what is before it is acknowledged */
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

/* Takes what lies ready, as much as a turn sends: the other end is woken once for all of it. True:
 * and more may be to be read, which goes with it. */
static bool take_in_place(tqd_client *client)
{
    tqd_direct *d = client->direct;
    size_t sum = 0, n = 0;
    while (d->look != NULL) {
        const char *bytes = d->look(client->request.exchange, &n);
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

/* Asks for the next piece. False: there is none to be sent now. */
static bool refill(tqd_client *client)
{
    tqd_direct *d = client->direct;
    d->n_part = d->at_part = 0;
    if (!take_in_place(client)) {
        return true;
    }
    if (!tqd_send_buffer_fill(d->stage)) {
        if (d->stage->over) {
            abandon(client);
        }
        return false;
    }
    add_stage(d);
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
        tqd_loop_expect(client->loop); /* most of it was computed while it came */
    }
}

void tqd_direct_resume(tqd_client *client)
{
    arm(client, client->request.step == TQD_STEP_RECEIVING ? EPOLLIN : EPOLLOUT);
}

void tqd_direct_turn(tqd_client *client)
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
