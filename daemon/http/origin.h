/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/origin.h - CORS: listed origins whose pages may read the answers. */
#ifndef TQD_HTTP_ORIGIN_H
#define TQD_HTTP_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/http/exchange.h"

/* Whether `origin` (NULL: none) is in a list such as "https://a.example http://b:8080", compared
 * byte by byte. False for an empty list. */
bool tqd_origin_is_listed(const char *list, const char *origin);

/* Why a browser would never send this text of n bytes as its Origin; NULL: it may. Constant. */
const char *tqd_origin_fault(const char *origin, size_t n);

/* The reply to a preflight, which a browser sends before any request that is not a simple one. */
void tqd_origin_preflight(tqd_reply *reply);

/* Headers that a reply to a listed origin has in addition to Access-Control-Allow-Origin. */
#define TQD_ORIGIN_EXPOSED                                                                         \
    "Location, Content-Location, ETag, Retry-After, X-Request-Id, Content-Range, "                 \
    "Content-Disposition, Preference-Applied, traceresponse"

#endif
