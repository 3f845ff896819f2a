/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/route_cache.h - what was decided about a request target, for when the very same
 * bytes
 * come again. */
#ifndef TQD_SERVE_ROUTE_CACHE_H
#define TQD_SERVE_ROUTE_CACHE_H

#include "daemon/http/exchange.h"

enum {
    TQD_TARGETS_KEPT = 16,
    TQD_TARGET_TEXT = 160, /* longer ones are not kept, */
    TQD_PARTS_TEXT = 64,   /* nor are those of longer parts */
};

/* A good target in origin form, without a query: a path that has a route. */
typedef struct tqd_target {
    const tqd_route *route; /* NULL: none is kept here */
    tqd_method method;
    size_t n, n_parts;
    size_t part_at[TQD_PATH_PARTS]; /* in `parts`; n_parts: the route has no such part */
    char text[TQD_TARGET_TEXT];
    char parts[TQD_PARTS_TEXT]; /* decoded, each with its NUL */
} tqd_target;

/* A loop's own. Zero-initialised. What is decided of a target depends on the target, the method and
 * the routes alone. */
typedef struct tqd_route_cache {
    tqd_target kept[TQD_TARGETS_KEPT];
} tqd_route_cache;

/* The decision for these n bytes and this method; NULL when it is not kept. Borrowed until the next
 * tqd_route_cache_keep. */
const tqd_target *tqd_route_cache_find(const tqd_route_cache *targets, const char *text, size_t n,
                                       tqd_method method);

/* Keeps a decision where there is room for it; head->part and parts (n_parts bytes) are what came
 * of text. */
void tqd_route_cache_keep(tqd_route_cache *targets, const char *text, size_t n,
                          const tqd_head *head, const tqd_route *route, const char *parts,
                          size_t n_parts);

#endif
