/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/counters.h - metrics of the service: one block for each I/O thread, summed when
 * read. */
#ifndef TQD_OBSERVE_COUNTERS_H
#define TQD_OBSERVE_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/observe/text.h"

/* X(name, Prometheus type, text) */
#define TQD_COUNTER_LIST(X)                                                                        \
    X(connections_opened, "counter", "Connections accepted.")                                      \
    X(connections_open, "gauge", "Connections open now.")                                          \
    X(connections_overdue, "counter", "Connections closed because a deadline had passed.")         \
    X(requests, "counter", "Requests whose headers were complete.")                                \
    X(requests_inline, "counter", "Requests computed on their connection's thread.")               \
    X(requests_queued, "counter", "Requests computed by a worker.")                                \
    X(requests_refused, "counter", "Requests refused before their body was complete.")             \
    X(requests_unauthenticated, "counter", "Requests answered 401: no valid token or session.")    \
    X(requests_forbidden, "counter", "Requests answered 403: a role is missing, or the origin.")   \
    X(requests_limited, "counter", "Requests answered 429: a quota of the client is reached.")     \
    X(body_bytes, "counter", "Bytes of request bodies received.")

typedef enum tqd_counter {
#define TQD_COUNTER_ENUM(name, type, text) TQD_COUNTER_##name,
    TQD_COUNTER_LIST(TQD_COUNTER_ENUM)
#undef TQD_COUNTER_ENUM
        TQD_COUNTER_COUNT
} tqd_counter;

/* Single writer, any number of readers. Zero-initialised. */
typedef struct tqd_counters {
    _Alignas(64) _Atomic uint64_t value[TQD_COUNTER_COUNT];
} tqd_counters;

static inline void tqd_count(tqd_counters *counters, tqd_counter counter, uint64_t by)
{
    /* one writer: a plain load and store, no locked instruction */
    uint64_t now = atomic_load_explicit(&counters->value[counter], memory_order_relaxed);
    atomic_store_explicit(&counters->value[counter], now + by, memory_order_relaxed);
}

/* The Prometheus text of the sum over n blocks. */
void tqd_counters_print(const tqd_counters *const *blocks, size_t n, tqd_text *out);

/* One metric without labels: its help, its type and its value. `name` without "torqued_". */
void tqd_metric_print(tqd_text *out, const char *name, const char *type, const char *help,
                      double value);

#endif
