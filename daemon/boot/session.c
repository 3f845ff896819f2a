/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/session.c - EventSource and links cannot send Authorization: a cookie can go with
 * them. */
#include "daemon/boot/session.h"

#include <string.h>
#include <strings.h>

#include "api/problem.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/bearer.h"

/* Scripts cannot read it, and no other site's page makes a browser send it. */
static const char attributes[] = "Path=/; HttpOnly; SameSite=Strict";

/* Nothing is kept of such an exchange: the reply is made when it opens. */
static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    (void)ret_exchange;
    size_t n = 0;
    const char *token = tqd_bearer_token(head->header(head, "Authorization"), &n);
    tqa_problem problem;
    if (token == NULL || n > TQD_COOKIE_TEXT || !tqd_bearer_fits_cookie(token, n)) {
        tqa_problem_set(&problem, token == NULL ? "unauthorized" : "invalid-value",
                        token == NULL
                            ? "send \"Authorization: Bearer TOKEN\": the cookie will hold the token"
                            : "a cookie holds tokens of up to %d letters, digits and -._~+/=",
                        (int)TQD_COOKIE_TEXT);
        tqd_answer_problem(reply, head->request_id, &problem);
        if (token == NULL) {
            tqd_answer_header(reply, "WWW-Authenticate", "Bearer realm=\"torqued\"");
        }
        return false;
    }
    const char *origin = head->header(head, "Origin");
    const bool tls = origin != NULL && strncasecmp(origin, "https://", 8) == 0;
    reply->status = 204;
    tqd_answer_header(reply, "Set-Cookie", "%s=%.*s; %s%s", TQD_COOKIE, (int)n, token, attributes,
                      tls ? "; Secure" : "");
    return false;
}

static bool end(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    (void)head;
    (void)ret_exchange;
    reply->status = 204;
    tqd_answer_header(reply, "Set-Cookie", "%s=; %s; Max-Age=0", TQD_COOKIE, attributes);
    return false;
}

const tqd_handler tqd_session_begin_handler = {.open = begin};
const tqd_handler tqd_session_end_handler = {.open = end};
