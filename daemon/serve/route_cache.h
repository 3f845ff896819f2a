/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/route_cache.h - cached routing decisions for request targets of identical bytes. */
#ifndef TQD_SERVE_ROUTE_CACHE_H
#define TQD_SERVE_ROUTE_CACHE_H

#include "daemon/http/exchange.h"

enum {
    TQD_TARGETS_KEPT = 16,
    TQD_TARGET_TEXT = 160, /* longer targets are not cached, */
    TQD_PARTS_TEXT = 64,   /* nor are those with longer decoded parts */
};

/* A good target in origin form, without a query: a path that has a route. */
typedef struct tqd_target {
    const tqd_route *route; /* NULL: empty slot */
    tqd_method method;
    size_t n, n_parts;
    size_t part_at[TQD_PATH_PARTS]; /* in `parts`; n_parts: the route lacks this part */
    char text[TQD_TARGET_TEXT];
    char parts[TQD_PARTS_TEXT]; /* decoded, each with its NUL */
} tqd_target;

/* One for each loop. Zero-initialised. A decision depends on target, method and routes alone. */
typedef struct tqd_route_cache {
    tqd_target kept[TQD_TARGETS_KEPT];
} tqd_route_cache;

/* The decision for these n bytes and this method; NULL: not cached. Borrowed until the next
 * tqd_route_cache_keep. */
const tqd_target *tqd_route_cache_find(const tqd_route_cache *targets, const char *text, size_t n,
                                       tqd_method method);

/* Stores a decision if it fits; head->part and parts (n_parts bytes) were decoded from text. */
void tqd_route_cache_keep(tqd_route_cache *targets, const char *text, size_t n,
                          const tqd_head *head, const tqd_route *route, const char *parts,
                          size_t n_parts);

#endif
