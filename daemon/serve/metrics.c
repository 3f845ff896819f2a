/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/metrics.c - the Prometheus text of the server: counters, latency by route, memory
 * of bodies. */
#include <stdio.h>

#include "daemon/serve/server_private.h"

static const char *method_name(tqd_method method)
{
    static const char *const names[TQD_METHOD_COUNT] = {"GET",  "HEAD",   "PUT",
                                                        "POST", "DELETE", "PATCH"};
    return names[method];
}

void tqd_server_metrics(const tqd_server *server, tqd_text *out)
{
    enum { LABELS = 160 };
    const tqd_counters *counters[TQD_LOOPS_MAX];
    const tqd_latency *latency[TQD_LOOPS_MAX];
    for (size_t i = 0; i < server->n_loop; i++) {
        counters[i] = &server->loops[i].counters;
        latency[i] = &server->loops[i].latency;
    }
    tqd_counters_print(counters, server->n_loop, out);
    tqd_latency_print_statuses(latency, server->n_loop, out);
    tqd_text_put(out, "# HELP torqued_request_seconds From the end of the headers to the start of "
                      "the answer.\n# TYPE torqued_request_seconds histogram\n");
    for (size_t r = 0; r < server->options.n_route && r < TQD_LATENCY_ROUTES; r++) {
        char labels[LABELS];
        const tqd_route *route = &server->options.routes[r];
        (void)snprintf(labels, sizeof labels, "method=\"%s\",route=\"%s\"",
                       method_name(route->method), route->pattern);
        tqd_latency_print_route(latency, server->n_loop, r, labels, out);
    }
    tqd_latency_print_route(latency, server->n_loop, TQD_LATENCY_ROUTES, "method=\"\",route=\"\"",
                            out);
    tqd_metric_print(out, "bodies_bytes", "gauge",
                     "Bytes of request bodies in memory, or reserved.",
                     (double)atomic_load_explicit(&server->body_bytes, memory_order_relaxed));
    tqd_metric_print(out, "bodies_limit_bytes", "gauge", "Their limit.",
                     (double)server->options.body_budget_b);
}
