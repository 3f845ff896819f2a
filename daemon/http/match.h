/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/match.h - finds the route of a path. */
#ifndef TQD_HTTP_MATCH_H
#define TQD_HTTP_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/http/exchange.h"

enum { TQD_ALLOW_TEXT = 48 };

typedef struct tqd_match {
    const tqd_route *route;     /* NULL: none */
    bool path_known;            /* another method has a route here */
    char allow[TQD_ALLOW_TEXT]; /* its methods, when path_known and no route */
    struct {
        const char *text; /* inside path, still percent-encoded */
        size_t n;
    } part[TQD_PATH_PARTS];
    size_t n_part;
} tqd_match;

/* Matches n_path bytes against the table; {} matches one non-empty segment. GET rows serve HEAD
 * too. method: TQD_METHOD_COUNT for an unknown one. */
void tqd_match_find(const tqd_route *routes, size_t n_route, tqd_method method, const char *path,
                    size_t n_path, tqd_match *ret_match);

/* The tqd_role that a request of this route needs: the handler's own, else read for GET, compute
 * for POST, write for PUT, DELETE and PATCH. */
unsigned tqd_route_role(const tqd_route *route);

/* TQD_METHOD_COUNT for an unknown method. */
tqd_method tqd_method_find(const char *name);

#endif
