/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/latency.h - histograms of latency by route and class of status, and counts of
 * replies by status: one block for each I/O thread, summed when read. */
#ifndef TQD_OBSERVE_LATENCY_H
#define TQD_OBSERVE_LATENCY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "daemon/observe/text.h"

/* Bucket k counts latencies below 2^(TQD_LATENCY_FIRST + k) ns that no smaller bucket counts: 4 us,
 * 8 us ... 69 s; the last bucket counts all others. */
enum {
    TQD_LATENCY_FIRST = 12,
    TQD_LATENCY_BUCKETS = 26,
    TQD_LATENCY_CLASSES = 3, /* status below 400, below 500, the rest */
    TQD_LATENCY_ROUTES = 128,
    TQD_STATUS_FIRST = 100,
    TQD_STATUSES = 500,
};

typedef struct tqd_histogram {
    _Atomic uint64_t buckets[TQD_LATENCY_BUCKETS];
    _Atomic uint64_t sum_ns;
} tqd_histogram;

/* Single writer, any number of readers. Zero-initialised; 84 KB. Row TQD_LATENCY_ROUTES has the
 * requests without a route. */
typedef struct tqd_latency {
    tqd_histogram rows[TQD_LATENCY_ROUTES + 1][TQD_LATENCY_CLASSES];
    _Atomic uint64_t statuses[TQD_STATUSES];
} tqd_latency;

/* CLOCK_MONOTONIC, 20 ns a call. */
static inline int64_t tqd_latency_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One writer: a plain load and store, no locked instruction. */
static inline void tqd_latency_add(_Atomic uint64_t *value, uint64_t by)
{
    const uint64_t now = atomic_load_explicit(value, memory_order_relaxed);
    atomic_store_explicit(value, now + by, memory_order_relaxed);
}

/* Counts a reply with this status to a request of this route (TQD_LATENCY_ROUTES: none), `ns` after
 * its headers were complete. Cost: six loads and stores. */
static inline void tqd_latency_count(tqd_latency *latency, size_t route, int status, int64_t ns)
{
    const uint64_t t = ns > 0 ? (uint64_t)ns : 0;
    const size_t class = status < 400 ? 0 : status < 500 ? 1 : 2;
    const size_t bits =
        t >> TQD_LATENCY_FIRST == 0 ? 0 : 64 - (size_t)__builtin_clzll(t >> TQD_LATENCY_FIRST);
    tqd_histogram *row = &latency->rows[route][class];
    tqd_latency_add(&row->buckets[bits < TQD_LATENCY_BUCKETS ? bits : TQD_LATENCY_BUCKETS - 1], 1);
    tqd_latency_add(&row->sum_ns, t);
    if (status >= TQD_STATUS_FIRST && status < TQD_STATUS_FIRST + TQD_STATUSES) {
        tqd_latency_add(&latency->statuses[status - TQD_STATUS_FIRST], 1);
    }
}

/* The Prometheus text of the sums over n blocks: replies by status; and the histograms of one
 * route, one for each class that had replies, with `labels` such as
 * `method="GET",route="/v1/robots"`. */
void tqd_latency_print_statuses(const tqd_latency *const *blocks, size_t n, tqd_text *out);
void tqd_latency_print_route(const tqd_latency *const *blocks, size_t n, size_t route,
                             const char *labels, tqd_text *out);

#endif
