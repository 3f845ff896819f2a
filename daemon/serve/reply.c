/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/reply.c - turns replies into the library's responses. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "api/problem.h"
#include "daemon/http/date.h"
#include "daemon/http/origin.h"
#include "daemon/observe/log.h"
#include "daemon/observe/trace.h"
#include "daemon/serve/library/library.h"
#include "daemon/serve/send_buffer.h"
#include "daemon/serve/server_private.h"

enum {
    PROBLEM_BYTES = 8 << 10,
    STAGE_BYTES = 64 << 10,
    STAGE_LARGE = 256 << 10, /* each system call wakes the client: fewer of them */
    LARGE_FROM = 1 << 20,
    EARLY_BYTES = PROBLEM_BYTES + 2048
};

/* Content reader of the library, which requests at most the free room of its pool. */
static ssize_t read_buffer(void *arg, uint64_t position, char *out, size_t size)
{
    (void)position;
    tqd_send_buffer *s = arg;
    size_t n = 0;
    if (!tqd_send_buffer_pass(s, out, size, &n)) {
        return s->over ? MHD_CONTENT_READER_END_WITH_ERROR : 0;
    }
    if (s->over) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (n == 0) {
        n = s->n - s->at < size ? s->n - s->at : size;
        memcpy(out, s->bytes + s->at, n);
        s->at += n;
    }
    s->client->moved += n;
    return (ssize_t)n;
}

/* Takes the body out of the reply. */
static struct MHD_Response *make_response(tqd_client *client, tqd_reply *reply)
{
    if (reply->read != NULL) {
        const size_t stage = reply->n_body < LARGE_FROM ? STAGE_BYTES : STAGE_LARGE;
        tqd_send_buffer *s = tqd_send_buffer_new(client, reply, stage);
        if (s == NULL) {
            return NULL;
        }
        struct MHD_Response *response = MHD_create_response_from_callback(
            reply->n_body > 0 ? reply->n_body : MHD_SIZE_UNKNOWN, stage, read_buffer, s, free);
        if (response == NULL) {
            free(s);
        } else if (reply->n_body == 0 && client->request.head.method == TQD_HEAD) {
            tqd_library_unchunk(response);
        }
        return response;
    }
    if (reply->body != NULL) {
        struct MHD_Response *response =
            MHD_create_response_from_buffer(reply->n_body, reply->body, MHD_RESPMEM_MUST_FREE);
        if (response != NULL) {
            reply->body = NULL;
        }
        return response;
    }
    union {
        const char *in;
        void *out;
    } constant = {.in = reply->constant != NULL ? reply->constant : ""};
    return MHD_create_response_from_buffer(reply->constant != NULL ? reply->n_body : 0,
                                           constant.out, MHD_RESPMEM_PERSISTENT);
}

/* True if the answer is audited: a write, a refusal or a login. */
static bool is_audited(const tqd_request *request, int status, tqd_audit_kind *ret)
{
    *ret = TQD_AUDIT_WRITE;
    if (status == 401 || status == 403 || status == 429) {
        *ret = TQD_AUDIT_REFUSAL;
        return true;
    }
    const tqd_route *route = request->route;
    if (route == NULL || route->method == TQD_GET) {
        return false;
    }
    if (route->handler->role == TQD_ROLE_READ) { /* sessions and tickets */
        *ret = route->method == TQD_POST ? TQD_AUDIT_LOGIN : TQD_AUDIT_WRITE;
        return true;
    }
    /* computations are audited if they became a job */
    return route->method != TQD_POST || status == 202 || route->handler->role != 0 ||
           strcmp(route->pattern, "/v1/jobs/{}/cancel") == 0;
}

static void audit(const tqd_client *client, const tqd_reply *reply)
{
    const tqd_request *request = &client->request;
    tqd_audit *to = client->loop->server->options.audit;
    tqd_audit_entry entry;
    if (to == NULL || !is_audited(request, reply->status, &entry.kind)) {
        return;
    }
    static const char *const methods[] = {"GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", ""};
    entry.status = reply->status;
    entry.method = methods[request->head.method];
    (void)snprintf(entry.request_id, sizeof entry.request_id, "%s", request->head.request_id);
    (void)snprintf(entry.client, sizeof entry.client, "%s", request->who.client);
    (void)snprintf(entry.path, sizeof entry.path, "%s", request->head.path);
    tqd_client_peer(client, entry.peer);
    tqd_audit_put(to, &entry);
}

static bool find_trace(const tqd_client *client, tqd_trace *ret)
{
    const tqd_request *request = &client->request;
    return tqd_trace_read(request->kept[TQD_HEADER_TRACEPARENT], request->head.request_id, ret);
}

static void log_request(const tqd_client *client, const tqd_reply *reply, tqd_log_level level)
{
    const tqd_request *request = &client->request;
    tqd_trace trace;
    tqd_log_field fields[] = {TQD_TEXT("request_id", request->head.request_id),
                              TQD_TEXT("path", request->head.path),
                              TQD_NUMBER("status", reply->status),
                              TQD_NUMBER("body_bytes", request->body_seen),
                              TQD_NUMBER("ms", client->loop->now_ms - client->since_ms),
                              {.name = NULL},
                              {.name = NULL},
                              {.name = NULL}};
    if (find_trace(client, &trace)) {
        fields[5] = (tqd_log_field)TQD_TEXT("trace_id", trace.id);
        fields[6] = (tqd_log_field)TQD_TEXT("span_id", trace.span);
    }
    tqd_log_write(level, "request", fields);
}

static void count(tqd_client *client, const tqd_reply *reply)
{
    audit(client, reply);
    const tqd_request *request = &client->request;
    const tqd_server_options *options = &client->loop->server->options;
    const size_t route =
        request->route != NULL ? (size_t)(request->route - options->routes) : TQD_LATENCY_ROUTES;
    tqd_latency_count(&client->loop->latency, route, reply->status,
                      tqd_latency_now_ns() - request->admitted_ns);
    if (reply->status == 401 || reply->status == 403 || reply->status == 429) {
        tqd_count(&client->loop->counters,
                  reply->status == 401   ? TQD_COUNTER_requests_unauthenticated
                  : reply->status == 403 ? TQD_COUNTER_requests_forbidden
                                         : TQD_COUNTER_requests_limited,
                  1);
    }
    /* 503: the client waits and retries. Every other 5xx is a fault for the operator. */
    bool ours = reply->status >= 500 && reply->status != 503;
    if (options->log_requests || ours) {
        log_request(client, reply, ours ? TQD_LOG_ERROR : TQD_LOG_INFO);
    }
}

/* Headers for browsers and caches are sent with answers to GET only: a page of another site cannot
 * send a POST here, and a cache must not store its answer (RFC 9111 section 3). Each header costs a
 * request 0.1 us. */
static bool is_for_caches(const tqd_client *client, const tqd_reply *reply)
{
    const tqd_method method = client->request.head.method;
    return method == TQD_GET || method == TQD_HEAD || reply->status >= 300;
}

static bool has_cache_header(const tqd_reply *reply)
{
    for (size_t i = 0; i < reply->n_header; i++) {
        if (strcmp(reply->headers[i].name, "Cache-Control") == 0) {
            return true;
        }
    }
    return false;
}

/* The listed origin that may read this reply (CORS); NULL: none. */
static const char *allowed_origin(const tqd_client *client)
{
    const char *list =
        atomic_load_explicit(&client->loop->server->options.origins, memory_order_acquire);
    const char *origin = client->request.kept[TQD_HEADER_ORIGIN];
    return origin != NULL && tqd_origin_is_listed(list, origin) ? origin : NULL;
}

static void add_headers(const tqd_client *client, const tqd_reply *reply,
                        struct MHD_Response *response)
{
    if (reply->media != NULL) {
        MHD_add_response_header(response, "Content-Type", reply->media);
    }
    MHD_add_response_header(response, "X-Request-Id", client->request.head.request_id);
    tqd_trace trace;
    char text[TQD_TRACE_TEXT];
    if (find_trace(client, &trace)) {
        tqd_trace_print(&trace, text);
        MHD_add_response_header(response, "traceresponse", text);
    }
    for (size_t i = 0; i < reply->n_header; i++) {
        MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
    }
    const char *origin = allowed_origin(client);
    if (origin != NULL) {
        MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
        MHD_add_response_header(response, "Access-Control-Expose-Headers", TQD_ORIGIN_EXPOSED);
        MHD_add_response_header(response, "Vary", "Origin");
    }
    if (is_for_caches(client, reply)) {
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
        if (!has_cache_header(reply)) {
            MHD_add_response_header(response, "Cache-Control", "no-store");
        }
    }
    if (client->request.must_close) {
        MHD_add_response_header(response, "Connection", "close");
    }
}

/* The common case: a short answer without headers of its own. */
static tqd_response_cache *take_cached(tqd_client *client, const tqd_reply *reply)
{
    if (reply->constant == NULL || reply->read != NULL || reply->n_header > 0 ||
        reply->media == NULL || client->request.must_close || is_for_caches(client, reply) ||
        allowed_origin(client) != NULL || client->request.kept[TQD_HEADER_TRACEPARENT] != NULL) {
        return NULL;
    }
    tqd_loop *loop = client->loop;
    return tqd_response_cache_take(&loop->cached, reply->media, reply->constant, reply->n_body,
                                   client->request.head.request_id,
                                   (loop->now_ms + loop->unix_offset_ms) / 1000);
}

static enum MHD_Result send_cached(tqd_client *client, const tqd_reply *reply)
{
    tqd_request *request = &client->request;
    count(client, reply);
    request->step = TQD_STEP_REPLIED;
    tqd_client_phase(client, TQD_PHASE_REPLY);
    client->moved = reply->n_body;
    return MHD_queue_response(client->mhd, (unsigned)reply->status, request->cached->response);
}

enum MHD_Result tqd_reply_send(tqd_client *client, tqd_reply *reply)
{
    tqd_request *request = &client->request;
    if (client->direct != NULL) {
        count(client, reply);
        return tqd_direct_reply(client, reply);
    }
    request->cached = take_cached(client, reply);
    if (request->cached != NULL) {
        return send_cached(client, reply);
    }
    struct MHD_Response *response = make_response(client, reply);
    if (response == NULL) {
        free(reply->body);
        reply->body = NULL;
        return MHD_NO;
    }
    add_headers(client, reply, response);
    count(client, reply);
    request->step = TQD_STEP_REPLIED;
    tqd_client_phase(client, TQD_PHASE_REPLY);
    client->moved = reply->read != NULL ? 0 : reply->n_body;
    enum MHD_Result queued = MHD_queue_response(client->mhd, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Header text in a fixed buffer; n counts bytes as snprintf does, also those without room. */
typedef struct head_text {
    char *out;
    size_t size, n;
} head_text;

__attribute__((format(printf, 2, 3))) static void put(head_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t at = text->n < text->size ? text->n : text->size;
    const int n = vsnprintf(text->out + at, text->size - at, format, arguments);
    va_end(arguments);
    text->n += n > 0 ? (size_t)n : 0;
}

static void put_date(head_text *text)
{
    struct timespec now;
    char date[TQD_DATE_TEXT];
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    tqd_date_print(now.tv_sec, date);
    put(text, "Date: %s\r\n", date);
}

size_t tqd_reply_head(const tqd_client *client, const tqd_reply *reply, uint64_t n_body,
                      bool closes, char *out, size_t size)
{
    head_text text = {.out = out, .size = size};
    out[0] = '\0';
    put(&text, "HTTP/1.1 %d %s\r\n", reply->status,
        MHD_get_reason_phrase_for((unsigned)reply->status));
    put_date(&text);
    put(&text, "%s", closes ? "Connection: close\r\n" : "");
    if (n_body == UINT64_MAX) {
        put(&text, "Transfer-Encoding: chunked\r\n");
    } else if (reply->status != MHD_HTTP_NO_CONTENT) {
        put(&text, "Content-Length: %llu\r\n", (unsigned long long)n_body);
    }
    if (reply->media != NULL) {
        put(&text, "Content-Type: %s\r\n", reply->media);
    }
    put(&text, "X-Request-Id: %s\r\n", client->request.head.request_id);
    tqd_trace trace;
    char context[TQD_TRACE_TEXT];
    if (find_trace(client, &trace)) {
        tqd_trace_print(&trace, context);
        put(&text, "traceresponse: %s\r\n", context);
    }
    for (size_t i = 0; i < reply->n_header; i++) {
        put(&text, "%s: %s\r\n", reply->headers[i].name, reply->headers[i].value);
    }
    const char *origin = allowed_origin(client);
    if (origin != NULL) {
        put(&text,
            "Access-Control-Allow-Origin: %s\r\nAccess-Control-Expose-Headers: %s\r\n"
            "Vary: Origin\r\n",
            origin, TQD_ORIGIN_EXPOSED);
    }
    if (is_for_caches(client, reply)) {
        put(&text, "X-Content-Type-Options: nosniff\r\n%s",
            has_cache_header(reply) ? "" : "Cache-Control: no-store\r\n");
    }
    return text.n;
}

void tqd_reply_send_early(tqd_client *client, tqd_reply *reply)
{
    char text[EARLY_BYTES];
    const char *body = reply->body != NULL ? reply->body : reply->constant;
    const size_t n_body = body != NULL ? reply->n_body : 0;
    const size_t used = tqd_reply_head(client, reply, n_body, true, text, sizeof text);
    count(client, reply);
    if (used < sizeof text && used + 2 + n_body <= sizeof text) {
        const size_t n_sent = client->request.head.method == TQD_HEAD ? 0 : n_body;
        memcpy(text + used, "\r\n", 2);
        if (n_sent > 0) {
            memcpy(text + used + 2, body, n_sent);
        }
        /* nothing has been sent for this request, so the send buffer has room for this */
        ssize_t sent = send(client->fd, text, used + 2 + n_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)sent;
    }
    shutdown(client->fd, SHUT_WR);
}

void tqd_refuse(tqd_client *client, const tqa_problem *problem)
{
    tqd_request *request = &client->request;
    tqd_reply *reply = calloc(1, sizeof *reply);
    char *text = malloc(PROBLEM_BYTES);
    if (reply == NULL || text == NULL) {
        free(reply);
        free(text);
        return;
    }
    reply->n_body = tqa_problem_print(problem, request->head.request_id, text, PROBLEM_BYTES);
    reply->body = text;
    reply->status = problem->status;
    reply->media = "application/problem+json";
    if (problem->status == 401) {
        reply->headers[reply->n_header].name = "WWW-Authenticate";
        snprintf(reply->headers[reply->n_header++].value, sizeof reply->headers[0].value,
                 "Bearer realm=\"torqued\"");
    }
    if (problem->allow != NULL) {
        reply->headers[reply->n_header].name = "Allow";
        snprintf(reply->headers[reply->n_header++].value, sizeof reply->headers[0].value, "%s",
                 problem->allow);
    }
    if (problem->retry_after_s > 0) {
        reply->headers[reply->n_header].name = "Retry-After";
        snprintf(reply->headers[reply->n_header++].value, sizeof reply->headers[0].value, "%u",
                 problem->retry_after_s);
    }
    request->refusal = reply;
}
