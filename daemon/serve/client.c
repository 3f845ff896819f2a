/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/client.c - connections open and close; the loop keeps a list of them. */
#include "daemon/serve/server_private.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/problem.h"
#include "daemon/http/answer.h"
#include "daemon/serve/library/library.h"
#include "daemon/serve/library/receive.h"
#include "daemon/share.h"

enum { CONNECTIONS_LEAST = 8 }; /* browsers open six to a service */

void tqd_client_phase(tqd_client *client, tqd_phase phase)
{
    client->phase = phase;
    client->since_ms = client->loop->now_ms;
    client->moved = 0;
    client->mark_known = false;
}

enum MHD_Result tqd_client_accept(void *arg, const struct sockaddr *address, socklen_t n_address)
{
    (void)address;
    (void)n_address;
    const tqd_loop *loop = arg;
    const tqd_server *server = loop->server;
    if (loop->taking_over) {
        return MHD_YES;
    }
    size_t n = atomic_load_explicit(&server->n_open, memory_order_relaxed);
    return n < server->options.connections_max ? MHD_YES : MHD_NO;
}

/* Without credentials a Unix socket's clients are distinguished by their users. All loopback
 * addresses are one client: any process may bind any of them. */
static void find_peer(tqd_client *client)
{
    const tqd_server_options *options = &client->loop->server->options;
    struct ucred peer;
    socklen_t n = sizeof peer;
    if (options->hosts.any && options->tokens == NULL &&
        getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0) {
        (void)snprintf(client->peer, sizeof client->peer, "uid-%u", (unsigned)peer.uid);
    }
}

void tqd_client_peer(const tqd_client *client, char ret[TQD_AUDIT_PEER_TEXT])
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    struct ucred user;
    socklen_t n = sizeof address;
    socklen_t n_user = sizeof user;
    ret[0] = '\0';
    if (getpeername(client->fd, (struct sockaddr *)&address, &n) != 0) {
        return; /* it has disconnected */
    }
    if (address.ss_family == AF_UNIX &&
        getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &user, &n_user) == 0) {
        (void)snprintf(ret, TQD_AUDIT_PEER_TEXT, "uid-%u", (unsigned)user.uid);
    } else {
        (void)getnameinfo((const struct sockaddr *)&address, n, ret, TQD_AUDIT_PEER_TEXT, NULL, 0,
                          NI_NUMERICHOST);
    }
}

static void opened(tqd_loop *loop, struct MHD_Connection *mhd, void **socket_context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    tqd_client *client = calloc(1, sizeof *client);
    *socket_context = client;
    if (client == NULL) {
        /* Out of memory: tqd_request_step refuses a connection without a record. It has no deadline
         * here, so the library's inactivity timeout closes it. */
        tqd_library_close_soon(mhd);
        return;
    }
    client->loop = loop;
    client->mhd = mhd;
    client->fd = info->connect_fd;
    if (!tqd_library_frame(client->fd, &client->framing)) {
        shutdown(client->fd, SHUT_RDWR);
    }
    client->account = client->counted_in = loop->taken_over;
    loop->taken_over = NULL;
    find_peer(client);
    client->next = loop->open;
    if (loop->open != NULL) {
        loop->open->prev = client;
    }
    loop->open = client;
    loop->n_open++;
    atomic_fetch_add_explicit(&loop->server->n_open, 1, memory_order_relaxed);
    tqd_count(&loop->counters, TQD_COUNTER_connections_opened, loop->taking_over ? 0 : 1);
    tqd_count(&loop->counters, TQD_COUNTER_connections_open, 1);
    tqd_loop_read_clock(loop);
    tqd_client_phase(client, loop->taking_over ? TQD_PHASE_IDLE : TQD_PHASE_HEADER);
}

/* The most connections of the request's client: its quota, or its share of those that other clients
 * leave, but what a browser opens in any case, since idle ones of others give way; 0: no bound. */
static uint64_t connections_max(const tqd_client *client)
{
    const tqd_server *server = client->loop->server;
    const tqd_account *account = client->request.account;
    const uint64_t quota = client->request.who.limits.connections;
    if (quota != 0 || account == NULL || server->options.client_connections == 0) {
        return quota;
    }
    const uint64_t n = atomic_load_explicit(&server->n_open, memory_order_relaxed);
    const uint64_t n_own =
        atomic_load_explicit(&account->n_connection, memory_order_relaxed) + 1; /* this one */
    const uint64_t alone = server->options.client_connections;
    const uint64_t most =
        tqd_share_now(server->options.connections_max, alone, n > n_own ? n - n_own : 0);
    const uint64_t least = alone < CONNECTIONS_LEAST ? alone : CONNECTIONS_LEAST;
    return most > least ? most : least;
}

bool tqd_client_count(tqd_client *client)
{
    tqd_request *request = &client->request;
    tqd_account *account = request->account;
    if (client->counted_in == account) {
        return true;
    }
    const uint64_t most = connections_max(client);
    const bool good = tqd_account_connect(account, client->counted_in, most);
    client->counted_in = good ? account : NULL;
    if (!good) {
        tqa_problem problem;
        tqa_problem_set(&problem, "too-many-requests",
                        "\"%s\" has %llu connections already (%s): use these, or close one",
                        request->who.client, (unsigned long long)most,
                        request->who.limits.connections != 0 ? "connections= of its token"
                                                             : "setting: client_share");
        problem.retry_after_s = 1;
        request->must_close = true;
        tqd_refuse(client, &problem);
        if (request->refusal != NULL) {
            tqd_answer_quota(request->refusal, "connections", most, 0);
        }
    }
    return good;
}

void tqd_client_overdue(tqd_client *client)
{
    client->loop->n_overdue += client->overdue ? 0 : 1;
    client->overdue = true;
}

static void closed(tqd_loop *loop, tqd_client *client)
{
    if (client == NULL) {
        return;
    }
    if (loop->unchecked == client) {
        loop->unchecked = client->next;
    }
    loop->n_overdue -= client->overdue ? 1 : 0;
    (void)tqd_library_frame(client->fd, NULL);
    tqd_request_end(client);
    if (client->prev != NULL) {
        client->prev->next = client->next;
    } else {
        loop->open = client->next;
    }
    if (client->next != NULL) {
        client->next->prev = client->prev;
    }
    loop->n_open--;
    atomic_fetch_sub_explicit(&loop->server->n_open, 1, memory_order_relaxed);
    tqd_count(&loop->counters, TQD_COUNTER_connections_open, UINT64_MAX);
    tqd_direct_hand_over(client);
    (void)tqd_account_connect(NULL, client->counted_in, 0);
    free(client);
}

void tqd_client_notify(void *arg, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code)
{
    tqd_loop *loop = arg;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        opened(loop, mhd, socket_context);
    } else {
        closed(loop, *socket_context);
        *socket_context = NULL;
    }
}
