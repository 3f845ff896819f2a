/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/trace.h - the trace that a request belongs to (W3C Trace Context, traceparent). */
#ifndef TQD_OBSERVE_TRACE_H
#define TQD_OBSERVE_TRACE_H

#include <stdbool.h>

enum { TQD_TRACE_ID_TEXT = 33, TQD_SPAN_ID_TEXT = 17, TQD_TRACE_TEXT = 56 };

typedef struct tqd_trace {
    char id[TQD_TRACE_ID_TEXT];
    char span[TQD_SPAN_ID_TEXT]; /* of this request, below the caller's */
    bool sampled;
} tqd_trace;

/* Parses the value of traceparent; the span is derived from the request's id. False: NULL, or
 * invalid, in which case the header is ignored. Checked: tests/unit/daemon/observe. */
bool tqd_trace_read(const char *traceparent, const char *request_id, tqd_trace *ret);

/* As a value of traceresponse: the trace, this request's span, and whether it is sampled. */
void tqd_trace_print(const tqd_trace *trace, char ret[TQD_TRACE_TEXT]);

#endif
