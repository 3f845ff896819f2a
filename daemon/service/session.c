/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/session.c - a session cookie and tickets, since EventSource and links cannot
 * send Authorization. */
#include "daemon/service/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/problem.h"
#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/http/document.h"
#include "daemon/http/session.h"

/* HttpOnly: not readable by scripts; SameSite=Strict: not sent with other sites' requests. */
static const char attributes[] = "Path=/; HttpOnly; SameSite=Strict";

/* A cookie cannot create a session or a ticket: each ends at its own time. */
static bool check_bearer(const tqd_head *head, unsigned char ret_token[TQD_TOKEN_DIGEST],
                         tqd_reply *reply)
{
    size_t n = 0;
    const char *token = tqd_bearer_token(head->header(head, "Authorization"), &n);
    if (tqd_bearer_digest(token, n, ret_token)) {
        return true;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "unauthorized",
                    "send \"Authorization: Bearer TOKEN\": the cookie or ticket then replaces it");
    tqd_answer_problem(reply, head->request_id, &problem);
    tqd_answer_header(reply, "WWW-Authenticate", "Bearer realm=\"torqued\"");
    return false;
}

/* No exchange is created: the reply is made at open. */
static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ret_exchange;
    unsigned char token[TQD_TOKEN_DIGEST];
    if (!check_bearer(head, token, reply)) {
        return false;
    }
    char secret[TQD_SESSION_TEXT];
    tqd_session_begin(ctx, tqd_session_now_s(), TQD_SESSION_ALL, token, secret);
    const char *origin = head->header(head, "Origin");
    const bool tls = origin != NULL && strncasecmp(origin, "https://", 8) == 0;
    reply->status = 204;
    tqd_answer_header(reply, "Set-Cookie", TQD_SESSION_COOKIE "=%s; %s; Max-Age=%d%s", secret,
                      attributes, (int)TQD_SESSION_S, tls ? "; Secure" : "");
    return false;
}

static bool end(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ret_exchange;
    size_t n = 0;
    const char *secret = tqd_session_cookie(head->header(head, "Cookie"), &n);
    tqd_session_end(ctx, secret, n);
    reply->status = 204;
    tqd_answer_header(reply, "Set-Cookie", TQD_SESSION_COOKIE "=; %s; Max-Age=0", attributes);
    return false;
}

static bool issue_ticket(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ret_exchange;
    unsigned char token[TQD_TOKEN_DIGEST];
    if (!check_bearer(head, token, reply)) {
        return false;
    }
    char secret[TQD_SESSION_TEXT];
    tqd_session_begin(ctx, tqd_session_now_s(), TQD_SESSION_STREAMS, token, secret);
    tqa_writer text = {.cbor = false};
    tqa_writer_object(&text, NULL);
    tqa_writer_string(&text, "ticket", secret);
    tqa_writer_count(&text, "expires_in_s", TQD_TICKET_S);
    tqa_writer_end(&text);
    if (!tqd_document_answer(reply, head->request_id, 200, &text)) {
        return false;
    }
    tqd_answer_header(reply, "Cache-Control", "no-store");
    return false;
}

const tqd_handler tqd_ticket_handler = {.open = issue_ticket, .role = TQD_ROLE_READ};
const tqd_handler tqd_session_begin_handler = {.open = begin, .role = TQD_ROLE_READ};
const tqd_handler tqd_session_end_handler = {.open = end, .role = TQD_ROLE_READ};
