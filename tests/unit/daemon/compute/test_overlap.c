/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/compute/test_overlap.c - blocks computed while a body arrives may outlive the
 * connection. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "daemon/compute/handler.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(overlap, .init = setup, .fini = teardown, .timeout = 100);

enum { N_SAMPLE = 16384, BODY = 1 << 20, PIECE = 4096 };

static const char *header(const tqd_head *head, const char *name)
{
    (void)head;
    return strcmp(name, "Content-Type") == 0 ? "application/json" : NULL;
}

static _Atomic int n_asked;
static bool given_up(const tqd_head *head)
{
    (void)head;
    n_asked++;
    return false;
}

static void *work(void *arg)
{
    tqd_workers_run(arg);
    return NULL;
}

/* for a robot with two joints; the last array continues */
static size_t print_body(char *body)
{
    static const char *const names[] = {"{\"q\":[", "],\"qd\":[", "],\"qdd\":["};
    size_t n = 0;
    for (size_t k = 0; k < 3; k++) {
        n += (size_t)snprintf(body + n, BODY - n, "%s", names[k]);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            n += (size_t)snprintf(body + n, BODY - n, "%s[0.5,0.25]", i > 0 ? "," : "");
        }
    }
    return n;
}

/* The task stream is abandoned when the connection closes, not awaited: a helper may be anywhere in
 * an index that it has begun, and the head is freed. */
Test(overlap, does_not_ask_the_client_while_the_body_arrives)
{
    char why[TQD_STORE_WHY];
    static char body[BODY];
    static tqd_compute_host shared;
    const tqd_registry_options options = {.store = store, .parser = &tqd_robot_parser_api};
    tqd_registry *registry = tqd_registry_new(&options, why);
    cr_assert(registry != NULL, "%s", why);
    tqd_workers *workers = tqd_workers_new(4);
    tqd_compute_host_init(&shared, registry, workers, store, 1 << 20);
    const tqd_compute of = {.shared = &shared,
                            .operation = tqa_operation_find("inverse-dynamics", 16, true)};
    cr_assert(of.operation != NULL);
    const tqd_head head = {.method = TQD_POST,
                           .path = "",
                           .part = {"planar-2r", "", ""},
                           .content_length = BODY,
                           .header = header,
                           .given_up = given_up};
    tqd_reply reply = {.status = 0};
    void *exchange = NULL;
    cr_assert(tqd_immediate_open(&of, &head, &exchange, &reply));
    const size_t n = print_body(body);
    for (size_t i = 0; i < n; i += PIECE) {
        cr_assert(tqd_immediate_handler.feed(exchange, body + i, n - i < PIECE ? n - i : PIECE));
    }
    /* a worker that is to stop first runs all published indices */
    pthread_t thread;
    tqd_workers_stop(workers);
    pthread_create(&thread, NULL, work, workers);
    pthread_join(thread, NULL);
    cr_assert_eq(n_asked, 0);
    tqd_immediate_handler.close(exchange);
    tqd_registry_free(registry);
    tqd_workers_free(workers);
}
