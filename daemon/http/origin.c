/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/origin.c - CORS (fetch.spec.whatwg.org) for a list of origins, without cookies. */
#include "daemon/http/origin.h"

#include <string.h>

#include "daemon/http/answer.h"

bool tqd_origin_is_listed(const char *list, const char *origin)
{
    const size_t n = origin != NULL ? strlen(origin) : 0;
    bool found = false;
    while (list != NULL && *list != '\0' && n > 0 && !found) {
        list += strspn(list, " ,");
        const size_t length = strcspn(list, " ,");
        found = length == n && memcmp(list, origin, n) == 0;
        list += length;
    }
    return found;
}

void tqd_origin_preflight(tqd_reply *reply)
{
    reply->status = 204;
    tqd_answer_header(reply, "Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, DELETE");
    tqd_answer_header(reply, "Access-Control-Allow-Headers",
                      "Authorization, Content-Type, Accept, Prefer, Priority, Idempotency-Key, "
                      "If-Match, If-None-Match, If-Range, Range, Last-Event-ID");
    tqd_answer_header(reply, "Access-Control-Allow-Headers", "Torqued-Client, Torqued-Deadline");
    tqd_answer_header(reply, "Access-Control-Max-Age", "600");
}
