/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/routes.c - wires operations and resources to addresses. */
#include "daemon/boot/routes.h"

#include <assert.h>
#include <stdio.h>

static void add(tqd_routes *routes, tqd_method method, const char *pattern, uint64_t body_max,
                const tqd_handler *handler, void *ctx)
{
    assert(routes->n < TQD_ROUTES_MAX);
    char *text = routes->patterns[routes->n];
    snprintf(text, TQD_PATTERN_TEXT, "%s", pattern);
    routes->table[routes->n++] = (tqd_route){
        .method = method, .pattern = text, .body_max = body_max, .handler = handler, .ctx = ctx};
}

void tqd_routes_init(tqd_routes *routes, tqd_service *service)
{
    routes->n = 0;
    add(routes, TQD_GET, "/healthz", 0, &tqd_healthz_handler, service);
    add(routes, TQD_GET, "/readyz", 0, &tqd_readyz_handler, service);
    add(routes, TQD_GET, "/metrics", 0, &tqd_metrics_handler, service);
    add(routes, TQD_GET, "/v1/version", 0, &tqd_version_handler, service);
}
