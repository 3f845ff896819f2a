/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/range.h - byte ranges of a body (RFC 9110 section 14). */
#ifndef TQD_HTTP_RANGE_H
#define TQD_HTTP_RANGE_H

#include "daemon/http/exchange.h"

typedef enum tqd_range { TQD_RANGE_NONE, TQD_RANGE_GOOD, TQD_RANGE_OUTSIDE } tqd_range;

/* Sets status 200 or 206 and the range headers; or 416, false. */
bool tqd_range_answer(const tqd_head *head, const char *tag, uint64_t size, tqd_reply *reply,
                      uint64_t *ret_at, uint64_t *ret_end);

#endif
