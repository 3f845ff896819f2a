/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/admit.c - admission of a request by its headers alone, before a byte of its body is
 * read: framing, target, route, size, budget, and the handler's own checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/problem.h"
#include "daemon/http/answer.h"
#include "daemon/http/match.h"
#include "daemon/http/origin.h"
#include "daemon/serve/address.h"
#include "daemon/serve/server_private.h"

typedef struct header_scan {
    tqd_gate *gate;
    const char **kept;
} header_scan;

static enum MHD_Result take_header(void *arg, enum MHD_ValueKind kind, const char *name,
                                   size_t n_name, const char *value, size_t n_value)
{
    (void)kind;
    const header_scan *walk = arg;
    const tqd_header header =
        tqd_gate_header(walk->gate, name, n_name, value != NULL ? value : "", n_value);
    if (header < TQD_HEADER_KEPT && walk->kept[header] == NULL) {
        walk->kept[header] = value;
    }
    return MHD_YES;
}

static const char *header(const tqd_head *head, const char *name)
{
    const tqd_client *client = head->ctx;
    const tqd_header which = tqd_header_find(name, strlen(name));
    return which < TQD_HEADER_KEPT
               ? client->request.kept[which]
               : MHD_lookup_connection_value(client->mhd, MHD_HEADER_KIND, name);
}

bool tqd_admit_framing(tqd_client *client)
{
    const tqd_framing *framing = &client->framing;
    if (framing->fault == NULL || framing->n_begun != client->n_request) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, framing->is_too_large ? "headers-too-large" : "malformed", "%s",
                    framing->fault);
    client->request.must_close = true;
    tqd_refuse(client, &problem);
    return false;
}

/* False: the framing is not trustworthy, so bytes after the headers cannot be a further request. */
static bool check_framing(tqd_client *client, tqd_gate *gate)
{
    if (!tqd_admit_framing(client)) {
        return false;
    }
    gate->hosts = &client->loop->server->options.hosts;
    header_scan walk = {.gate = gate, .kept = client->request.kept};
    MHD_get_connection_values_n(client->mhd, MHD_HEADER_KIND, take_header, &walk);
    if (tqd_gate_close(gate)) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, gate->too_large ? "headers-too-large" : "malformed", "%s",
                    gate->fault);
    client->request.must_close = true;
    tqd_refuse(client, &problem);
    return false;
}

static bool check_target(tqd_client *client, const tqd_target *kept)
{
    tqd_request *request = &client->request;
    tqa_problem problem;
    if (kept != NULL) {
        request->head.path = request->target;
        return true;
    }
    if (request->target == NULL) {
        tqa_problem_set(&problem, "busy", "there is no memory for the request target");
        tqd_refuse(client, &problem);
        return false;
    }
    const char *path = tqd_gate_path(&client->loop->server->options.hosts, request->target);
    const char *fault = path != NULL ? tqd_gate_target(path)
                                     : "the request target is neither a path nor an address here";
    if (fault != NULL) {
        tqa_problem_set(&problem, "malformed", "%s", fault);
        tqd_refuse(client, &problem);
        return false;
    }
    char *mark = strchr(request->target, '?');
    if (mark != NULL) {
        *mark = '\0';
        request->head.query = mark + 1;
    }
    request->head.path = path;
    if (mark != NULL) {
        tqd_namespace_take(client, mark + 1);
    }
    return true;
}

static bool decode_parts(tqd_client *client, const tqd_match *match)
{
    tqd_request *request = &client->request;
    size_t size = 0;
    for (size_t i = 0; i < match->n_part; i++) {
        size += match->part[i].n + 1;
    }
    request->n_parts = size;
    request->parts = size == 0                              ? NULL
                     : size <= sizeof request->inline_parts ? request->inline_parts
                                                            : malloc(size);
    if (size > 0 && request->parts == NULL) {
        tqa_problem problem;
        tqa_problem_set(&problem, "busy", "there is no memory for the request");
        tqd_refuse(client, &problem);
        return false;
    }
    char *out = request->parts;
    for (size_t i = 0; i < match->n_part; i++) {
        tqd_gate_unescape(match->part[i].text, match->part[i].n, out);
        request->head.part[i] = out;
        out += match->part[i].n + 1;
    }
    return true;
}

/* Refuses unknown query parameters rather than ignoring them. Pages outside of /v1 may have a
 * query: clients add one to bypass caches. */
static bool check_query(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const char *query = request->head.query;
    if (query == NULL || query[0] == '\0' || request->route->takes_query ||
        strncmp(request->route->pattern, "/v1/", 4) != 0) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "invalid-value", "this address takes no query (\"?...\")");
    tqd_refuse(client, &problem);
    return false;
}

/* CORS preflight of a listed path: answered without a token, because a browser sends none with it.
 * True: the request is no preflight. */
static bool check_preflight(tqd_client *client, const char *method)
{
    tqd_request *request = &client->request;
    const char *list =
        atomic_load_explicit(&client->loop->server->options.origins, memory_order_acquire);
    if (list == NULL || list[0] == '\0' || strcmp(method, "OPTIONS") != 0 ||
        header(&request->head, "Access-Control-Request-Method") == NULL ||
        !tqd_origin_is_listed(list, request->kept[TQD_HEADER_ORIGIN])) {
        return true;
    }
    request->refusal = calloc(1, sizeof *request->refusal);
    if (request->refusal != NULL) {
        tqd_origin_preflight(request->refusal);
    }
    return false;
}

/* Checks that the token has the role that the route requires. */
static bool check_role(tqd_client *client)
{
    const tqd_request *request = &client->request;
    const unsigned needed = tqd_route_role(request->route);
    if ((request->who.roles & needed) != 0) {
        return true;
    }
    char has[TQD_ROLES_TEXT];
    char misses[TQD_ROLES_TEXT];
    tqa_problem problem;
    tqd_roles_print(request->who.roles, has);
    tqd_roles_print(needed, misses);
    tqa_problem_set(&problem, "forbidden", "this needs the role %s; the token of \"%s\" has: %s",
                    misses, request->who.client, has);
    tqd_refuse(client, &problem);
    if (request->refusal != NULL) { /* RFC 6750 section 3.1 */
        tqd_answer_header(request->refusal, "WWW-Authenticate",
                          "Bearer realm=\"torqued\", error=\"insufficient_scope\", scope=\"%s\"",
                          misses);
    }
    return false;
}

/* 429 with the client's quota and the time until it is available
 * (draft-ietf-httpapi-ratelimit-headers). */
static void refuse_rate(tqd_client *client, uint64_t rate, int64_t wait_ns)
{
    tqd_request *request = &client->request;
    tqa_problem problem;
    tqa_problem_set(&problem, "too-many-requests",
                    "\"%s\" may send %llu requests a second (requests= of its token)",
                    request->who.client, (unsigned long long)rate);
    problem.retry_after_s = (unsigned)(wait_ns / 1000000000) + 1;
    tqd_refuse(client, &problem);
    if (request->refusal != NULL) {
        tqd_answer_header(request->refusal, "RateLimit-Policy", "\"requests\";q=%llu;w=1",
                          (unsigned long long)rate);
        tqd_answer_header(request->refusal, "RateLimit", "\"requests\";r=0;t=%u",
                          problem.retry_after_s);
    }
}

/* Finds the client's account, and checks its request rate. */
static bool check_rate(tqd_client *client)
{
    tqd_request *request = &client->request;
    if (request->who.client[0] == '\0') {
        return true;
    }
    if (client->account == NULL || strcmp(client->account->name, request->who.client) != 0) {
        client->account = tqd_account_find(&client->loop->server->accounts, request->who.client);
    }
    request->account = client->account;
    const uint64_t rate = request->who.limits.requests;
    if (!tqd_client_count(client)) {
        return false;
    }
    if (rate == 0 || request->account == NULL) {
        return true;
    }
    const int64_t wait_ns = tqd_account_take(request->account, rate, request->admitted_ns);
    if (wait_ns > 0) {
        refuse_rate(client, rate, wait_ns);
    }
    return wait_ns == 0;
}

static void take_kept(tqd_request *request, const tqd_target *kept)
{
    request->route = kept->route;
    request->n_parts = kept->n_parts;
    if (kept->n_parts > 0) {
        request->parts = request->inline_parts;
        memcpy(request->parts, kept->parts, kept->n_parts);
    }
    for (size_t i = 0; i < TQD_PATH_PARTS; i++) {
        if (kept->part_at[i] < kept->n_parts) {
            request->head.part[i] = request->parts + kept->part_at[i];
        }
    }
}

static bool check_route(tqd_client *client, const char *method, const tqd_target *kept)
{
    tqd_request *request = &client->request;
    const tqd_server_options *options = &client->loop->server->options;
    if (kept != NULL) {
        take_kept(request, kept);
        return true;
    }
    tqd_match match;
    tqd_match_find(options->routes, options->n_route, request->head.method, request->head.path,
                   strlen(request->head.path), &match);
    if (match.route != NULL) {
        request->route = match.route;
        if (!decode_parts(client, &match) || !check_query(client)) {
            return false;
        }
        if (request->head.query == NULL && request->head.path == request->target) {
            tqd_route_cache_keep(&client->loop->targets, request->target, request->n_target,
                                 &request->head, request->route, request->parts, request->n_parts);
        }
        return true;
    }
    tqa_problem problem;
    if (match.path_known) {
        tqa_problem_set(&problem, "method-not-allowed", "%s is not possible here; %s is", method,
                        match.allow);
        problem.allow = match.allow;
    } else {
        tqd_refuse_path(options, request->head.path, &problem);
    }
    tqd_refuse(client, &problem);
    return false;
}

/* A browser sends a cookie to every port of a host, so a request with a cookie must come from the
 * same origin: scheme, host and port. The same rule holds on a Unix socket, where any Host is
 * accepted: a reverse proxy may relay browsers to it. */
static bool is_same_origin(const tqd_head *head, const char *host)
{
    const char *site = header(head, "Sec-Fetch-Site"); /* the request was sent over https or to
                                                          localhost */
    const char *own = header(head, "Host");
    return site != NULL ? strcmp(site, "same-origin") == 0
                        : host != NULL && own != NULL && strcasecmp(host + 3, own) == 0;
}

/* A browser's error message is only "CORS": the log names the origin to list. */
static void log_refused_origin(tqd_client *client, const char *event)
{
    const char *origin = client->request.kept[TQD_HEADER_ORIGIN];
    const uint64_t n = tqd_log_due(&client->loop->server->refused_origin);
    if (n > 0) {
        tqd_log(TQD_LOG_WARNING, event, TQD_NUMBER("refused", n),
                TQD_TEXT("origin", origin != NULL ? origin : ""), TQD_TEXT("setting", "origins"));
    }
}

/* True if a page of another site sent the request, by Sec-Fetch-Site; also without Origin. */
static bool is_of_other_site(const tqd_head *head)
{
    const char *site = header(head, "Sec-Fetch-Site");
    return site != NULL && (strcmp(site, "cross-site") == 0 || strcmp(site, "same-site") == 0);
}

/* Protection against cross-site request forgery: a page of another site may send simple requests
 * here, though it cannot read the answers. A request that changes state must come from our own
 * origin (scheme, host and port: other ports of this machine are other programs) or from a client
 * that is not a browser. A token in Authorization is not ambient authority: a page that has the
 * token is allowed. */
static bool check_origin(tqd_client *client)
{
    tqd_request *request = &client->request;
    const bool is_read = request->head.method == TQD_GET || request->head.method == TQD_HEAD;
    const char *origin = request->kept[TQD_HEADER_ORIGIN];
    if (origin == NULL && (is_read || !is_of_other_site(&request->head))) {
        return true;
    }
    const tqd_server_options *options = &client->loop->server->options;
    const char *host = origin != NULL ? strstr(origin, "://") : NULL;
    const bool listed =
        (is_read || !request->by_cookie) &&
        tqd_origin_is_listed(atomic_load_explicit(&options->origins, memory_order_acquire), origin);
    if (is_read) {
        if (!listed && !is_same_origin(&request->head, host)) {
            log_refused_origin(client, "a page of another origin cannot read the answer");
        }
        return true;
    }
    const bool has_token = options->tokens != NULL && !request->by_cookie && !options->hosts.any;
    if (listed || is_same_origin(&request->head, host) ||
        (has_token && host != NULL && tqd_gate_host(&options->hosts, host + 3, strlen(host + 3)))) {
        return true;
    }
    tqa_problem problem;
    log_refused_origin(client, "a request from a page of another origin was refused");
    tqa_problem_set(&problem, "forbidden",
                    "pages of another origin may not send this (setting: origins)");
    tqd_refuse(client, &problem);
    return false;
}

static bool check_body(tqd_client *client, const tqd_gate *gate)
{
    tqd_request *request = &client->request;
    uint64_t body_max = request->route->body_max;
    /* a POST without a body is an empty one (RFC 9112, 6.3): a request without fields */
    bool has_body = gate->n_length > 0 || gate->chunked || request->head.method == TQD_POST;
    tqa_problem problem;
    problem.status = 0;
    if (body_max > 0 && !has_body) {
        tqa_problem_set(&problem, "length-required",
                        "a body is needed, with Content-Length or chunked: \"{}\" says nothing");
    } else if (gate->n_length > 0 && gate->length > body_max) {
        tqa_problem_set(&problem, "too-large", "the body may have %llu bytes at most, not %llu",
                        (unsigned long long)body_max, (unsigned long long)gate->length);
    } else if (body_max == 0 && gate->chunked) {
        tqa_problem_set(&problem, "too-large", "a body is not taken here");
    } else {
        const char *coding = request->kept[TQD_HEADER_CONTENT_ENCODING];
        if (coding != NULL && strcasecmp(coding, "identity") != 0) {
            tqa_problem_set(&problem, "unsupported-media",
                            "the body must be sent without a content encoding");
        }
    }
    if (problem.status == 0 && gate->n_length > 0 && !request->route->handler->keeps_little &&
        gate->length > client->loop->server->options.body_budget_b) {
        tqa_problem_set(&problem, "too-large",
                        "the body is larger than all bodies may be together "
                        "(setting: body_budget)");
    }
    if (problem.status != 0) {
        tqd_refuse(client, &problem);
    }
    return problem.status == 0;
}

static bool open_exchange(tqd_client *client)
{
    tqd_request *request = &client->request;
    tqd_reply reply;
    tqd_reply_init(&reply);
    const tqd_route *route = request->route;
    if (route->handler->open(route->ctx, &request->head, &request->exchange, &reply)) {
        return true;
    }
    request->exchange = NULL;
    request->refusal = malloc(sizeof reply);
    if (request->refusal == NULL) {
        free(reply.body);
        return false;
    }
    *request->refusal = reply;
    return false;
}

bool tqd_admit(tqd_client *client, const char *method)
{
    tqd_request *request = &client->request;
    tqd_loop *loop = client->loop;
    tqd_gate gate = {.hosts = NULL};
    request->admitted_ns = tqd_latency_now_ns();
    tqd_id_make(&loop->ids, loop->now_ms + loop->unix_offset_ms, request->head.request_id);
    request->head.method = tqd_method_find(method);
    request->head.header = header;
    request->head.wake = tqd_request_wake;
    request->head.given_up = tqd_patience_given_up;
    request->head.ctx = client;
    request->head.path = "";
    for (size_t i = 0; i < TQD_PATH_PARTS; i++) {
        request->head.part[i] = "";
    }
    tqd_count(&loop->counters, TQD_COUNTER_requests, 1);
    /* while draining, a request that has arrived is still answered, then the connection closes */
    request->must_close = atomic_load_explicit(&loop->server->draining, memory_order_relaxed);
    bool sound = check_framing(client, &gate);
    request->head.content_length = gate.chunked ? UINT64_MAX : gate.length;
    request->expects_continue = gate.expects_continue;
    const tqd_target *kept = tqd_route_cache_find(&loop->targets, request->target,
                                                  request->n_target, request->head.method);
    return sound && check_target(client, kept) && check_preflight(client, method) &&
           tqd_admit_token(client) && check_rate(client) && tqd_namespace_enter(client) &&
           check_route(client, method, kept) && check_role(client) && check_origin(client) &&
           check_body(client, &gate) && tqd_namespace_qualify(client) && open_exchange(client);
}
