/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/reply.c - turns replies into the library's responses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "api/problem.h"
#include "daemon/observe/log.h"
#include "daemon/serve/client.h"

enum { PROBLEM_BYTES = 8 << 10, STAGE_BYTES = 64 << 10, EARLY_BYTES = PROBLEM_BYTES + 2048 };

/* A body in pieces: the library asks for as little as its pool has room for, the handler wants room
 * for a whole piece, so a stage lies between. */
typedef struct stage {
    tqd_client *client;
    size_t (*read)(void *exchange, char *out, size_t size);
    size_t at, n;
    bool over;
    char bytes[STAGE_BYTES];
} stage;

/* False: the connection is suspended; or, when the stage is over, it cannot go on. */
static bool fill(stage *s)
{
    tqd_client *client = s->client;
    tqd_request *request = &client->request;
    s->at = s->n = 0;
    atomic_store(&request->wake, TQD_WAKE_NONE); /* before the handler looks for news */
    const size_t n = s->read(request->exchange, s->bytes, sizeof s->bytes);
    if (n == TQD_READ_WAIT) {
        /* nobody is there to wait for when the client has gone or the service stops */
        s->over = client->overdue || atomic_load(&client->loop->server->draining);
        if (!s->over) {
            tqd_request_wait(client);
        }
        return s->over;
    }
    if (n == TQD_READ_RUN) {
        s->over = client->overdue || !tqd_request_run(client);
        return false;
    }
    s->n = n;
    s->over = n == 0;
    return true;
}

static ssize_t read_stage(void *arg, uint64_t position, char *out, size_t size)
{
    (void)position;
    stage *s = arg;
    if (s->at == s->n && !s->over && !fill(s)) {
        return s->over ? MHD_CONTENT_READER_END_WITH_ERROR : 0;
    }
    if (s->over) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t n = s->n - s->at < size ? s->n - s->at : size;
    memcpy(out, s->bytes + s->at, n);
    s->at += n;
    s->client->moved += n;
    return (ssize_t)n;
}

/* Takes the body out of the reply. */
static struct MHD_Response *make_response(tqd_client *client, tqd_reply *reply)
{
    if (reply->read != NULL) {
        stage *s = malloc(sizeof *s);
        if (s == NULL) {
            return NULL;
        }
        s->client = client;
        s->read = reply->read;
        s->at = s->n = 0;
        s->over = false;
        struct MHD_Response *response = MHD_create_response_from_callback(
            reply->n_body > 0 ? reply->n_body : MHD_SIZE_UNKNOWN, STAGE_BYTES, read_stage, s, free);
        if (response == NULL) {
            free(s);
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

static void count(tqd_client *client, const tqd_reply *reply)
{
    tqd_counters *counters = &client->loop->counters;
    tqd_count(counters,
              reply->status >= 500   ? TQD_COUNTER_replies_5xx
              : reply->status >= 300 ? TQD_COUNTER_replies_4xx
                                     : TQD_COUNTER_replies_2xx,
              1);
    const tqd_request *request = &client->request;
    /* busy is the client's to wait for; every other fault of ours is the operator's to know */
    bool ours = reply->status >= 500 && reply->status != 503;
    if (client->loop->server->options.log_requests || ours) {
        tqd_log(ours ? TQD_LOG_ERROR : TQD_LOG_INFO, "request",
                TQD_TEXT("request_id", request->head.request_id),
                TQD_TEXT("path", request->head.path), TQD_NUMBER("status", reply->status),
                TQD_NUMBER("body_bytes", request->body_seen),
                TQD_NUMBER("ms", client->loop->now_ms - client->since_ms));
    }
}

enum MHD_Result tqd_reply_send(tqd_client *client, tqd_reply *reply)
{
    tqd_request *request = &client->request;
    struct MHD_Response *response = make_response(client, reply);
    if (response == NULL) {
        free(reply->body);
        reply->body = NULL;
        return MHD_NO;
    }
    if (reply->media != NULL) {
        MHD_add_response_header(response, "Content-Type", reply->media);
    }
    MHD_add_response_header(response, "X-Request-Id", request->head.request_id);
    /* what follows is for browsers and caches, which look at answers to GET: a page of another
     * site can send no POST here, and a cache may keep no answer to one (RFC 9111 section 3). Each
     * header costs a request 0.1 us. */
    bool is_get =
        request->head.method == TQD_GET || request->head.method == TQD_HEAD || reply->status >= 300;
    if (is_get) {
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    }
    bool cache_told = !is_get;
    for (size_t i = 0; i < reply->n_header; i++) {
        MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
        cache_told = cache_told || strcmp(reply->headers[i].name, "Cache-Control") == 0;
    }
    if (!cache_told) {
        MHD_add_response_header(response, "Cache-Control", "no-store");
    }
    if (request->must_close) {
        MHD_add_response_header(response, "Connection", "close");
    }
    count(client, reply);
    request->step = TQD_STEP_REPLIED;
    tqd_client_phase(client, TQD_PHASE_REPLY);
    client->moved = reply->read != NULL ? 0 : reply->n_body;
    enum MHD_Result queued = MHD_queue_response(client->mhd, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

void tqd_reply_send_early(tqd_client *client, tqd_reply *reply)
{
    char text[EARLY_BYTES];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: %zu\r\n"
                     "Content-Type: %s\r\nX-Request-Id: %s\r\nX-Content-Type-Options: nosniff\r\n"
                     "Cache-Control: no-store\r\n",
                     reply->status, MHD_get_reason_phrase_for((unsigned)reply->status),
                     reply->n_body, reply->media != NULL ? reply->media : "text/plain",
                     client->request.head.request_id);
    size_t used = (size_t)n;
    for (size_t i = 0; i < reply->n_header; i++) {
        n = snprintf(text + used, sizeof text - used, "%s: %s\r\n", reply->headers[i].name,
                     reply->headers[i].value);
        used += (size_t)n;
    }
    const char *body = reply->body != NULL ? reply->body : reply->constant;
    size_t n_body = body != NULL ? reply->n_body : 0;
    count(client, reply);
    if (used + 2 + n_body <= sizeof text) {
        memcpy(text + used, "\r\n", 2);
        if (n_body > 0) {
            memcpy(text + used + 2, body, n_body);
        }
        /* nothing has been sent for this request, so the socket has room for one such message */
        ssize_t sent = send(client->fd, text, used + 2 + n_body, MSG_DONTWAIT | MSG_NOSIGNAL);
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
