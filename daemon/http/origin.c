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

const char *tqd_origin_fault(const char *origin, size_t n)
{
    const size_t scheme = n > 7 && memcmp(origin, "http://", 7) == 0    ? 7
                          : n > 8 && memcmp(origin, "https://", 8) == 0 ? 8
                                                                        : 0;
    if (n == 1 && origin[0] == '*') {
        return "any page could then use this service: list origins one by one";
    }
    if (scheme == 0) {
        return "an origin is http://HOST[:PORT] or https://HOST[:PORT]";
    }
    for (size_t i = scheme; i < n; i++) {
        if (strchr("/?#@*", origin[i]) != NULL) {
            return "an origin ends after its host or port, without a path";
        }
        if (origin[i] >= 'A' && origin[i] <= 'Z') {
            return "browsers send origins in lower case";
        }
    }
    return NULL;
}

void tqd_origin_preflight(tqd_reply *reply)
{
    reply->status = 204;
    tqd_answer_header(reply, "Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, DELETE, PATCH");
    tqd_answer_header(reply, "Access-Control-Allow-Headers",
                      "Authorization, Content-Type, Accept, Prefer, Priority, Idempotency-Key, "
                      "If-Match, If-None-Match, If-Range, Range, Last-Event-ID");
    tqd_answer_header(reply, "Access-Control-Allow-Headers",
                      "Torqued-Client, Torqued-Deadline, traceparent, tracestate");
    tqd_answer_header(reply, "Access-Control-Max-Age", "600");
}
