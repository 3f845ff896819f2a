/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/latency.c - the Prometheus text of the histograms. */
#include "daemon/observe/latency.h"

#include <inttypes.h>

typedef struct sums {
    uint64_t buckets[TQD_LATENCY_BUCKETS];
    uint64_t sum_ns, count;
} sums;

static sums sum(const tqd_latency *const *blocks, size_t n, size_t route, size_t class)
{
    sums s = {.count = 0};
    for (size_t b = 0; b < n; b++) {
        const tqd_histogram *row = &blocks[b]->rows[route][class];
        s.sum_ns += atomic_load_explicit(&row->sum_ns, memory_order_relaxed);
        for (size_t k = 0; k < TQD_LATENCY_BUCKETS; k++) {
            s.buckets[k] += atomic_load_explicit(&row->buckets[k], memory_order_relaxed);
        }
    }
    for (size_t k = 0; k < TQD_LATENCY_BUCKETS; k++) {
        s.count += s.buckets[k];
    }
    return s;
}

static void print_row(const sums *s, const char *labels, const char *class, tqd_text *out)
{
    static const char name[] = "torqued_request_seconds";
    uint64_t below = 0;
    for (size_t k = 0; k + 1 < TQD_LATENCY_BUCKETS; k++) {
        below += s->buckets[k];
        tqd_text_put(out, "%s_bucket{%s,class=\"%s\",le=\"%.9g\"} %" PRIu64 "\n", name, labels,
                     class, (double)(UINT64_C(1) << (TQD_LATENCY_FIRST + k)) * 1e-9, below);
    }
    tqd_text_put(out, "%s_bucket{%s,class=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, labels, class,
                 s->count);
    tqd_text_put(out, "%s_sum{%s,class=\"%s\"} %.9g\n", name, labels, class,
                 (double)s->sum_ns * 1e-9);
    tqd_text_put(out, "%s_count{%s,class=\"%s\"} %" PRIu64 "\n", name, labels, class, s->count);
}

void tqd_latency_print_statuses(const tqd_latency *const *blocks, size_t n, tqd_text *out)
{
    tqd_text_put(out, "# HELP torqued_replies_total Replies by status.\n"
                      "# TYPE torqued_replies_total counter\n");
    for (size_t i = 0; i < TQD_STATUSES; i++) {
        uint64_t count = 0;
        for (size_t b = 0; b < n; b++) {
            count += atomic_load_explicit(&blocks[b]->statuses[i], memory_order_relaxed);
        }
        if (count > 0) {
            tqd_text_put(out, "torqued_replies_total{status=\"%zu\"} %" PRIu64 "\n",
                         TQD_STATUS_FIRST + i, count);
        }
    }
}

void tqd_latency_print_route(const tqd_latency *const *blocks, size_t n, size_t route,
                             const char *labels, tqd_text *out)
{
    static const char *const classes[TQD_LATENCY_CLASSES] = {"2xx", "4xx", "5xx"};
    for (size_t c = 0; c < TQD_LATENCY_CLASSES; c++) {
        const sums s = sum(blocks, n, route, c);
        if (s.count > 0) {
            print_row(&s, labels, classes[c], out);
        }
    }
}
