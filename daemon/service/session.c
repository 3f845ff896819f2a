/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/session.c - a session cookie, since EventSource and links cannot send
 * Authorization. */
#include "daemon/service/session.h"

#include <string.h>
#include <strings.h>

#include "api/problem.h"
#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/http/session.h"

/* HttpOnly: not readable by scripts; SameSite=Strict: not sent with other sites' requests. */
static const char attributes[] = "Path=/; HttpOnly; SameSite=Strict";

/* No exchange is created: the reply is made at open. */
static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ret_exchange;
    size_t n = 0;
    if (tqd_bearer_token(head->header(head, "Authorization"), &n) == NULL) {
        /* a cookie cannot create another session: each ends at its own time */
        tqa_problem problem;
        tqa_problem_set(&problem, "unauthorized",
                        "send \"Authorization: Bearer TOKEN\": the cookie then replaces it");
        tqd_answer_problem(reply, head->request_id, &problem);
        tqd_answer_header(reply, "WWW-Authenticate", "Bearer realm=\"torqued\"");
        return false;
    }
    char secret[TQD_SESSION_TEXT];
    tqd_session_begin(ctx, tqd_session_now_s(), secret);
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

const tqd_handler tqd_session_begin_handler = {.open = begin};
const tqd_handler tqd_session_end_handler = {.open = end};
