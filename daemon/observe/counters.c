/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/counters.c - the Prometheus text of the counters. */
#include "daemon/observe/counters.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    const char *type;
    const char *text;
} rows[] = {
#define TQD_COUNTER_ROW(name, type, text) {#name, type, text},
    TQD_COUNTER_LIST(TQD_COUNTER_ROW)
#undef TQD_COUNTER_ROW
};

void tqd_metric_print(tqd_text *out, const char *name, const char *type, const char *help,
                      double value)
{
    tqd_text_put(out, "# HELP torqued_%s %s\n# TYPE torqued_%s %s\ntorqued_%s %.15g\n", name, help,
                 name, type, name, value);
}

void tqd_counters_print(const tqd_counters *const *blocks, size_t n, tqd_text *out)
{
    for (size_t i = 0; i < TQD_COUNTER_COUNT; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < n; k++) {
            sum += atomic_load_explicit(&blocks[k]->value[i], memory_order_relaxed);
        }
        /* Prometheus naming: the suffix _total is for counters only */
        const char *suffix = strcmp(rows[i].type, "counter") == 0 ? "_total" : "";
        tqd_text_put(out,
                     "# HELP torqued_%s%s %s\n# TYPE torqued_%s%s %s\n"
                     "torqued_%s%s %" PRIu64 "\n",
                     rows[i].name, suffix, rows[i].text, rows[i].name, suffix, rows[i].type,
                     rows[i].name, suffix, sum);
    }
}
