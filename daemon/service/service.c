/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/service.c - handlers that need no operation and no store. */
#include "daemon/service/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/docs.h"
#include "api/openapi.h"
#include "api/problem.h"
#include "api/version.h"
#include "daemon/http/answer.h"
#include "daemon/observe/request_id.h"
#include "daemon/robots/conditions.h"
#include "daemon/service/dashboard.h"
#include "daemon/service/guide.h"
#include "daemon/service/index.h"

/* The exchange of all these handlers: the answer is chosen when the request arrives. */
typedef struct status_exchange {
    tqd_service *service;
    const tqd_head *head;
    char request_id[TQD_ID_TEXT];
} status_exchange;

static bool begin_status(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    status_exchange *t = malloc(sizeof *t);
    if (t == NULL) {
        reply->status = 503;
        return false;
    }
    t->service = ctx;
    t->head = head;
    memcpy(t->request_id, head->request_id, sizeof t->request_id);
    *ret_exchange = t;
    return true;
}

static void say(tqd_reply *reply, const char *media, const char *constant)
{
    reply->status = 200;
    reply->media = media;
    reply->constant = constant;
    reply->n_body = strlen(constant);
}

static void reply_healthz(void *exchange, tqd_reply *reply)
{
    (void)exchange;
    say(reply, "application/json", "{\"status\":\"alive\"}\n");
}

static void reply_readyz(void *exchange, tqd_reply *reply)
{
    status_exchange *t = exchange;
    const int state = atomic_load(&t->service->state);
    const int64_t wait_ms = tqd_workers_wait_ms(t->service->workers);
    if (state == TQD_SERVICE_READY && wait_ms <= t->service->queue_ms) {
        say(reply, "application/json", "{\"status\":\"ready\"}\n");
        return;
    }
    tqa_problem problem;
    if (state == TQD_SERVICE_READY) {
        tqa_problem_set(&problem, "busy",
                        "computations wait about %lld s for a worker, longer than queue_timeout",
                        (long long)(wait_ms / 1000));
    } else {
        tqa_problem_set(&problem, "not-ready", "the service is %s",
                        state == TQD_SERVICE_STARTING ? "starting" : "stopping");
    }
    reply->status = problem.status;
    reply->media = "application/problem+json";
    reply->body = malloc(8192);
    if (reply->body != NULL) {
        reply->n_body = tqa_problem_print(&problem, t->request_id, reply->body, 8192);
    }
}

static void reply_version(void *exchange, tqd_reply *reply)
{
    (void)exchange;
    say(reply, "application/json", "{\"name\":\"torqued\",\"version\":\"" TQA_VERSION "\"}\n");
}

/* ------------------------------------------------------------------------------------- pages */

/* Only the daemon's own script, which may connect to the daemon only. */
static const char docs_policy[] =
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src "
    "'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const char favicon[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
    "<path d=\"M3 14V8l7-5\" fill=\"none\" stroke=\"#25a\" stroke-width=\"2\"/>"
    "<g fill=\"#c40\"><circle cx=\"3\" cy=\"8\" r=\"2\"/><circle cx=\"10\" cy=\"3\" r=\"2\"/></g>"
    "</svg>\n";

static tqd_page text_page(const char *media, const char *text)
{
    return (tqd_page){.media = media, .text = text, .n = strlen(text)};
}

void tqd_service_prepare(tqd_service *service)
{
    service->started_s = time(NULL);
    service->docs = text_page("text/html; charset=utf-8", tqd_guide_link(tqa_docs_html));
    service->docs.policy = docs_policy;
    service->docs_script = text_page("text/javascript; charset=utf-8", tqa_docs_js);
    service->favicon = text_page("image/svg+xml", favicon);
    service->contract.media = "application/json";
    service->contract.text = tqa_openapi_json(&service->contract.n);
    tqd_index_pages(&service->index, &service->index_html);
    tqd_page *const pages[] = {&service->docs,     &service->docs_script, &service->favicon,
                               &service->contract, &service->index,       &service->index_html};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        tqd_page_prepare(pages[i]);
    }
    tqd_dashboard_prepare();
    tqd_guide_prepare();
}

static void reply_openapi(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    tqd_page_answer(&t->service->contract, t->head, reply);
}

/* Requested rarely: created for each request, so that it takes no memory. */
static void reply_openapi_clients(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    const size_t n = tqa_openapi_clients_json(NULL);
    reply->body = malloc(n);
    if (reply->body == NULL) {
        tqd_answer_no_memory(reply, t->request_id);
        return;
    }
    reply->status = 200;
    reply->media = "application/json";
    reply->n_body = tqa_openapi_clients_json(reply->body);
}

static void reply_docs(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    tqd_page_answer(&t->service->docs, t->head, reply);
}

static void reply_docs_script(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    tqd_page_answer(&t->service->docs_script, t->head, reply);
}

static void reply_favicon(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    tqd_page_answer(&t->service->favicon, t->head, reply);
}

/* Browsers give text/html the highest weight; curl and libraries send a wildcard or no Accept,
 * which gives both types the same weight. */
static void reply_index(void *exchange, tqd_reply *reply)
{
    const status_exchange *t = exchange;
    const char *accept = t->head->header(t->head, "Accept");
    const bool is_page =
        tqd_accept_weight(accept, "text/html") > tqd_accept_weight(accept, "application/json");
    tqd_page_answer(is_page ? &t->service->index_html : &t->service->index, t->head, reply);
}

const tqd_handler tqd_healthz_handler = {
    .open = begin_status, .reply = reply_healthz, .close = free};
const tqd_handler tqd_readyz_handler = {.open = begin_status, .reply = reply_readyz, .close = free};
const tqd_handler tqd_version_handler = {
    .open = begin_status, .reply = reply_version, .close = free};
const tqd_handler tqd_docs_handler = {.open = begin_status, .reply = reply_docs, .close = free};
const tqd_handler tqd_docs_script_handler = {
    .open = begin_status, .reply = reply_docs_script, .close = free};
const tqd_handler tqd_index_handler = {.open = begin_status, .reply = reply_index, .close = free};
const tqd_handler tqd_favicon_handler = {
    .open = begin_status, .reply = reply_favicon, .close = free};
const tqd_handler tqd_openapi_handler = {
    .open = begin_status, .reply = reply_openapi, .close = free};
const tqd_handler tqd_openapi_clients_handler = {
    .open = begin_status, .reply = reply_openapi_clients, .close = free};
