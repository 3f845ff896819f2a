/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/body_budget.c - memory of bodies that are being received or computed: of all, and of
 * each client. */
#include "api/problem.h"
#include "daemon/serve/server_private.h"
#include "daemon/share.h"

/* False: the client's share of the body budget is exhausted. */
static bool take_share(tqd_client *client, uint64_t n)
{
    const tqd_request *request = &client->request;
    tqd_account *account = request->account;
    const tqd_server *server = client->loop->server;
    const uint64_t own = request->who.limits.bodies;
    if (account == NULL || (own == 0 && server->options.client_bodies_b == 0)) {
        return true;
    }
    /* a single body may use the whole budget: else the share would limit the size of a body */
    const uint64_t before =
        atomic_fetch_add_explicit(&account->body_bytes, n, memory_order_relaxed);
    const uint64_t all = atomic_load_explicit(&server->body_bytes, memory_order_relaxed);
    const uint64_t most =
        own != 0 ? own
                 : tqd_share_now(server->options.body_budget_b, server->options.client_bodies_b,
                                 all > before + server->spare_max * server->n_loop
                                     ? all - before - server->spare_max * server->n_loop
                                     : 0);
    if (before + n <= most || (own == 0 && before == request->body_taken)) {
        return true;
    }
    atomic_fetch_sub_explicit(&account->body_bytes, n, memory_order_relaxed);
    tqa_problem problem;
    tqa_problem_set(&problem, "too-many-requests",
                    "bodies of \"%s\" have %llu bytes already, of %llu at a time (%s)",
                    request->who.client, (unsigned long long)before, (unsigned long long)most,
                    own != 0 ? "bodies= of its token" : "setting: client_share");
    problem.retry_after_s = 1;
    tqd_refuse(client, &problem);
    return false;
}

static void release_share(const tqd_client *client, uint64_t n)
{
    tqd_account *account = client->request.account;
    const bool counts = client->request.who.limits.bodies != 0 ||
                        client->loop->server->options.client_bodies_b != 0;
    if (account != NULL && counts) {
        atomic_fetch_sub_explicit(&account->body_bytes, n, memory_order_relaxed);
    }
}

bool tqd_admit_body(tqd_client *client, uint64_t n)
{
    tqd_server *server = client->loop->server;
    if (!take_share(client, n)) {
        return false;
    }
    if (n <= client->loop->spare_bytes) {
        client->loop->spare_bytes -= n;
        client->request.body_taken += n;
        return true;
    }
    uint64_t before = atomic_fetch_add_explicit(&server->body_bytes, n, memory_order_relaxed);
    /* bytes that loops have reserved are not used by any body: they must not cause a refusal */
    const uint64_t budget = server->options.body_budget_b;
    if (n <= budget && before <= budget - n + server->spare_max * server->n_loop) {
        client->request.body_taken += n;
        return true;
    }
    atomic_fetch_sub_explicit(&server->body_bytes, n, memory_order_relaxed);
    release_share(client, n);
    tqa_problem problem;
    tqa_problem_set(&problem, "busy", "other requests are being received; try again");
    tqd_refuse(client, &problem);
    return false;
}

/* A loop keeps some released bytes for its next short bodies: the shared counter's cache line then
 * does not move between cores. */
void tqd_admit_body_end(tqd_client *client, uint64_t n)
{
    tqd_loop *loop = client->loop;
    release_share(client, n);
    if (loop->spare_bytes + n <= loop->server->spare_max) {
        loop->spare_bytes += n;
    } else {
        atomic_fetch_sub_explicit(&loop->server->body_bytes, n, memory_order_relaxed);
    }
}
