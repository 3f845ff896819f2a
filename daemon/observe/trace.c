/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/trace.c - reads traceparent: version-trace-parent-flags, all in lower-case hex. */
#include "daemon/observe/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 2,
    TRACE = 32,
    PARENT = 16,
    FLAGS = 2,
    LENGTH = VERSION + TRACE + PARENT + FLAGS + 3
};

/* n hex digits; an id that is all zeros is invalid */
static bool is_field(const char *text, size_t n, bool may_be_zero)
{
    return strspn(text, "0123456789abcdef") >= n && (may_be_zero || strspn(text, "0") < n);
}

bool tqd_trace_read(const char *traceparent, const char *request_id, tqd_trace *ret)
{
    if (traceparent == NULL || strlen(traceparent) < LENGTH) {
        return false;
    }
    const char *trace = traceparent + VERSION + 1;
    const char *parent = trace + TRACE + 1;
    const char *flags = parent + PARENT + 1;
    const char end = traceparent[LENGTH];
    /* a later version may append fields after a hyphen; ff is not a valid version */
    const bool has_end = end == '\0' || (end == '-' && memcmp(traceparent, "00", VERSION) != 0);
    if (!has_end || !is_field(traceparent, VERSION, true) ||
        memcmp(traceparent, "ff", VERSION) == 0 || trace[-1] != '-' ||
        !is_field(trace, TRACE, false) || parent[-1] != '-' || !is_field(parent, PARENT, false) ||
        flags[-1] != '-' || !is_field(flags, FLAGS, true)) {
        return false;
    }
    memcpy(ret->id, trace, TRACE);
    ret->id[TRACE] = '\0';
    const char last = flags[1];
    ret->sampled = strchr("13579bdf", last) != NULL;
    uint64_t span = 0xcbf29ce484222325U; /* FNV-1a */
    for (const char *c = request_id; *c != '\0'; c++) {
        span = (span ^ (unsigned char)*c) * 0x100000001b3U;
    }
    (void)snprintf(ret->span, sizeof ret->span, "%016" PRIx64, span != 0 ? span : 1);
    return true;
}

void tqd_trace_print(const tqd_trace *trace, char ret[TQD_TRACE_TEXT])
{
    (void)snprintf(ret, TQD_TRACE_TEXT, "00-%s-%s-%s", trace->id, trace->span,
                   trace->sampled ? "01" : "00");
}
