/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/origin.h - pages of other sites: those that are listed may read what they ask. */
#ifndef TQD_HTTP_ORIGIN_H
#define TQD_HTTP_ORIGIN_H

#include <stdbool.h>

#include "daemon/http/exchange.h"

/* Whether `origin` (NULL: none) is in a list such as "https://a.example http://b:8080", letter by
 * letter. An empty list has none. */
bool tqd_origin_is_listed(const char *list, const char *origin);

/* What a browser asks for before it sends anything else than a plain request: the reply. */
void tqd_origin_preflight(tqd_reply *reply);

/* What every reply to a listed origin has beside that origin's own name. */
#define TQD_ORIGIN_EXPOSED                                                                         \
    "Location, Content-Location, ETag, Retry-After, X-Request-Id, Content-Range, "                 \
    "Content-Disposition, Preference-Applied"

#endif
