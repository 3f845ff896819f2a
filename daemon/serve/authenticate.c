/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/authenticate.c - whose token a request has: of a header, a session's cookie or a
 * ticket, at its admission and while its stream lasts. */
#include <string.h>

#include "api/problem.h"
#include "daemon/http/bearer.h"
#include "daemon/http/session.h"
#include "daemon/observe/log.h"
#include "daemon/serve/server_private.h"

static void log_refused_token(tqd_client *client)
{
    const uint64_t n = tqd_log_due(&client->loop->server->refused_token);
    if (n > 0) {
        tqd_log(TQD_LOG_WARNING, "a request without a valid token was refused",
                TQD_NUMBER("refused", n), TQD_TEXT("path", client->request.head.path),
                TQD_TEXT("request", client->request.head.request_id));
    }
}

/* EventSource can send neither a header nor, from another origin, a cookie: ?ticket= of
 * POST /v1/tickets, which opens event streams and nothing else. */
static bool is_ticket(const tqd_server_options *options, const tqd_head *head,
                      unsigned char ret_token[TQD_TOKEN_DIGEST])
{
    static const char stream[] = "/events", name[] = "ticket=";
    const size_t n = strlen(head->path);
    const char *query = head->query;
    return head->method == TQD_GET && query != NULL && n >= sizeof stream - 1 &&
           strcmp(head->path + n - (sizeof stream - 1), stream) == 0 &&
           strncmp(query, name, sizeof name - 1) == 0 &&
           tqd_session_find(options->sessions, tqd_session_now_s(), TQD_SESSION_STREAMS,
                            query + sizeof name - 1, strlen(query + sizeof name - 1), ret_token);
}

/* The digest of the token in Authorization, or of the token behind a ticket or a session. */
static bool find_credentials(tqd_client *client, unsigned char ret_token[TQD_TOKEN_DIGEST])
{
    tqd_request *request = &client->request;
    const tqd_server_options *options = &client->loop->server->options;
    size_t n = 0;
    const char *token = tqd_bearer_token(request->head.header(&request->head, "Authorization"), &n);
    if (token != NULL) {
        return tqd_bearer_digest(token, n, ret_token);
    }
    if (is_ticket(options, &request->head, ret_token)) {
        return true;
    }
    const char *cookie = request->head.header(&request->head, "Cookie");
    const char *secret = tqd_session_cookie(cookie, &n);
    request->by_cookie = cookie != NULL;
    return tqd_session_find(options->sessions, tqd_session_now_s(), TQD_SESSION_ALL, secret, n,
                            ret_token);
}

static void refuse_token(tqd_client *client, tqd_verdict verdict)
{
    tqd_request *request = &client->request;
    tqa_problem problem;
    log_refused_token(client);
    if (verdict == TQD_TOKEN_EXPIRED) {
        tqa_problem_set(&problem, "unauthorized",
                        "the token of \"%s\" has expired: ask the administrator for a new one",
                        request->who.client);
    } else {
        tqa_problem_set(&problem, "unauthorized",
                        "send \"Authorization: Bearer TOKEN\" with a valid token");
    }
    tqd_refuse(client, &problem);
}

/* Authentication comes first: answers to clients without credentials do not depend on what exists.
 */
bool tqd_admit_token(tqd_client *client)
{
    tqd_request *request = &client->request;
    const tqd_server_options *options = &client->loop->server->options;
    request->head.who = &request->who;
    request->who.roles = TQD_ROLES_ALL;
    if (options->tokens == NULL || tqd_bearer_is_open(request->head.path)) {
        memcpy(request->who.client, client->peer, sizeof client->peer);
        return true;
    }
    const int64_t now_s = (client->loop->now_ms + client->loop->unix_offset_ms) / 1000;
    const tqd_verdict verdict =
        find_credentials(client, request->token)
            ? tqd_bearer_find(options->tokens, request->token, now_s, &request->who)
            : TQD_TOKEN_UNKNOWN;
    if (verdict != TQD_TOKEN_VALID) {
        refuse_token(client, verdict);
    }
    return verdict == TQD_TOKEN_VALID;
}

bool tqd_admit_lasts(const tqd_client *client)
{
    const tqd_request *request = &client->request;
    const tqd_server_options *options = &client->loop->server->options;
    unsigned char token[TQD_TOKEN_DIGEST];
    tqd_identity who;
    size_t n = 0;
    if (options->tokens == NULL || tqd_bearer_is_open(request->head.path)) {
        return true;
    }
    const int64_t now_s = (client->loop->now_ms + client->loop->unix_offset_ms) / 1000;
    if (tqd_bearer_find(options->tokens, request->token, now_s, &who) != TQD_TOKEN_VALID) {
        return false;
    }
    const char *secret =
        request->by_cookie ? tqd_session_cookie(request->head.header(&request->head, "Cookie"), &n)
                           : NULL;
    return secret == NULL || tqd_session_find(options->sessions, tqd_session_now_s(),
                                              TQD_SESSION_ALL, secret, n, token);
}
