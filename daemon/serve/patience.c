/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/patience.c - limits on a request's time in the work queue and on a worker, and
 * detection of clients that have disconnected.
 *
 * While a worker has the request, the socket is polled four times a second:
 *   reset, both directions closed, a Unix socket closed:  the client has disconnected.
 *   End of its stream only (POLLRDHUP): over TCP a closed client looks like one that half-closes
 *   and still reads, as nc does. It is sent "100 Continue", which every HTTP/1.1 client skips (RFC
 *   9110 section 15.2). A closed client answers with a reset, seen at the next poll; one that reads
 *   gets the answer. HTTP/1.0 has no interim responses: such a client counts as connected until its
 *   time ends.
 * The request of a disconnected client is withdrawn from the queue, or its computation cancelled
 * (tqd_head.given_up). */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "api/problem.h"
#include "daemon/serve/server_private.h"

enum { RETRY_MAX_S = 300 };

bool tqd_patience_given_up(const tqd_head *head)
{
    const tqd_client *client = head->ctx;
    return atomic_load_explicit(&client->request.given_up, memory_order_relaxed);
}

static void refuse_busy(tqd_client *client, int64_t wait_ms)
{
    tqa_problem problem;
    tqa_problem_set(&problem, "busy",
                    "no worker can begin this in time: computations wait %lld s; as a job (Prefer: "
                    "respond-async) it may wait for longer",
                    (long long)(wait_ms / 1000));
    const int64_t retry_s = wait_ms / 1000 + 1;
    problem.retry_after_s = (unsigned)(retry_s < RETRY_MAX_S ? retry_s : RETRY_MAX_S);
    tqd_refuse(client, &problem);
}

static int64_t wait_ms(const tqd_client *client)
{
    const tqd_server_options *options = &client->loop->server->options;
    return options->wait_ms != NULL ? options->wait_ms(options->submit_ctx) : 0;
}

bool tqd_patience_begin(tqd_client *client)
{
    tqd_request *request = &client->request;
    const tqd_deadlines *limit = &client->loop->server->options.deadlines;
    const tqd_handler *handler = request->route->handler;
    const int64_t own_ms =
        handler->patience_ms != NULL ? handler->patience_ms(request->exchange) : -1;
    request->is_patient = own_ms >= 0;
    if (own_ms < 0) {
        return true;
    }
    int64_t most_ms = limit->queue_ms > 0 ? limit->queue_ms : limit->run_ms;
    most_ms = own_ms > 0 && own_ms < most_ms ? own_ms : most_ms;
    const int64_t expected_ms = wait_ms(client);
    if (expected_ms > most_ms) {
        refuse_busy(client, expected_ms);
        return false;
    }
    request->begin_ms = client->loop->now_ms + most_ms;
    return true;
}

bool tqd_patience_run(const tqd_client *client)
{
    return !client->request.is_patient || !atomic_load(&client->request.given_up);
}

/* poll() decides; an interim response if its result is ambiguous. */
static bool has_disconnected(tqd_client *client)
{
    static const char probe[] = "HTTP/1.1 100 Continue\r\n\r\n";
    tqd_request *request = &client->request;
    struct pollfd fd = {.fd = client->fd, .events = POLLRDHUP};
    if (poll(&fd, 1, 0) != 1) {
        return false;
    }
    if ((fd.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
        return true;
    }
    if ((fd.revents & POLLRDHUP) == 0 || request->is_probed || request->is_old) {
        return false;
    }
    const ssize_t sent = send(client->fd, probe, sizeof probe - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS)) {
        return false; /* send buffer full: tried again at the next poll */
    }
    request->is_probed = true;
    return sent != (ssize_t)sizeof probe - 1; /* a partial line would corrupt the answer */
}

static void refuse_late(tqd_client *client)
{
    const double limit_s = 1e-3 * (double)client->loop->server->options.deadlines.run_ms;
    tqa_problem problem;
    if (client->request.is_patient) {
        tqa_problem_set(&problem, "took-too-long",
                        "the computation did not end within %g s (setting: run_timeout); send it "
                        "as a job, with the header Prefer: respond-async",
                        limit_s);
    } else {
        tqa_problem_set(&problem, "took-too-long",
                        "no answer within %g s (setting: run_timeout); what was asked for may "
                        "still be carried out",
                        limit_s);
    }
    tqd_refuse(client, &problem);
}

/* The limit on queueing: withdraws a request that no worker has begun; a begun one goes on. */
static void check_begin(tqd_client *client)
{
    tqd_request *request = &client->request;
    const int64_t now_ms = client->loop->now_ms;
    if (request->begin_ms != 0 && now_ms >= request->begin_ms) {
        request->begin_ms = 0;
        if (tqd_turn_withdraw(client)) {
            refuse_busy(client, now_ms - client->since_ms);
            tqd_request_resume(client);
        }
    }
}

/* run_timeout, and what the exchange itself waits for. */
static int64_t run_limit_ms(const tqd_client *client)
{
    const tqd_request *request = &client->request;
    const tqd_handler *handler = request->route != NULL ? request->route->handler : NULL;
    const int64_t own_ms = handler != NULL && handler->wait_ms != NULL && request->exchange != NULL
                               ? handler->wait_ms(request->exchange)
                               : 0;
    return client->loop->server->options.deadlines.run_ms + own_ms;
}

/* A request that no one cancels: it is answered at its limit, and the connection closed. */
static bool check_wait(tqd_client *client, int64_t age_ms)
{
    if (age_ms <= run_limit_ms(client)) {
        return true;
    }
    refuse_late(client);
    atomic_store(&client->request.given_up, true);
    return false;
}

bool tqd_patience_check(tqd_client *client)
{
    tqd_request *request = &client->request;
    const tqd_deadlines *limit = &client->loop->server->options.deadlines;
    const int64_t age_ms = client->loop->now_ms - client->since_ms;
    if (request->step == TQD_STEP_RAN || request->step == TQD_STEP_WOKEN) {
        return true; /* the loop answers it in this turn or the next */
    }
    if (request->step != TQD_STEP_RUNNING || !request->is_patient) {
        return check_wait(client, age_ms);
    }
    if (atomic_load(&request->given_up)) {
        return age_ms <= limit->run_ms + limit->grace_ms;
    }
    if (has_disconnected(client)) {
        tqd_client_overdue(client);
        atomic_store(&request->given_up, true);
    } else if (age_ms > limit->run_ms) {
        refuse_late(client);
        atomic_store(&request->given_up, true);
    } else {
        check_begin(client);
        return true;
    }
    if (tqd_turn_withdraw(client)) {
        tqd_request_resume(client);
    }
    return true;
}
