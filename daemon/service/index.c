/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/index.c - GET /: where to begin, as JSON or as a page for browsers. */
#include "daemon/service/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/version.h"
#include "daemon/http/answer.h"
#include "daemon/robots/conditions.h"

static const char json[] =
    "{\"name\":\"torqued\",\"version\":\"" TQA_VERSION "\",\"links\":{"
    "\"docs\":\"/docs\",\"openapi\":\"/openapi.json\",\"robots\":\"/v1/robots\","
    "\"health\":\"/healthz\"}}\n";

static const char html[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>torqued</title>"
    "<style>body{font:16px/1.6 sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>"
    "</head>\n<body><h1>torqued " TQA_VERSION "</h1>\n"
    "<p>Robot dynamics, simulation and calibration over HTTP.</p>\n<ul>\n"
    "<li><a href=\"/docs\">Documentation</a>: every call, with examples to send</li>\n"
    "<li><a href=\"/openapi.json\">OpenAPI</a>: the contract, for generators of clients</li>\n"
    "<li><a href=\"/v1/robots\">Robots</a>: built-in ones and those sent here</li>\n"
    "<li><a href=\"/healthz\">Health</a></li>\n</ul></body></html>\n";

typedef struct exchange {
    bool is_page;
} exchange;

/* Browsers name text/html above all else; curl and libraries send a wildcard or nothing, which
 * takes both types equally. */
static bool open_index(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    exchange *e = malloc(sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    const char *accept = head->header(head, "Accept");
    e->is_page =
        tqd_accept_weight(accept, "text/html") > tqd_accept_weight(accept, "application/json");
    *ret_exchange = e;
    return true;
}

static void reply_index(void *arg, tqd_reply *reply)
{
    const exchange *e = arg;
    reply->status = 200;
    reply->media = e->is_page ? "text/html; charset=utf-8" : "application/json";
    reply->constant = e->is_page ? html : json;
    reply->n_body = strlen(reply->constant);
    tqd_answer_header(reply, "Vary", "Accept");
    if (e->is_page) {
        tqd_answer_header(reply, "Content-Security-Policy",
                          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                          "form-action 'none'; frame-ancestors 'none'");
    }
}

const tqd_handler tqd_index_handler = {.open = open_index, .reply = reply_index, .close = free};
