/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/timestamp.h - times as text: RFC 3339 in UTC, with milliseconds. */
#ifndef TQD_OBSERVE_TIMESTAMP_H
#define TQD_OBSERVE_TIMESTAMP_H

#include <stdint.h>

enum { TQD_TIMESTAMP_TEXT = 48 };

/* "2026-11-24T00:32:05.120Z" of `ms` since 1970. */
void tqd_timestamp(int64_t ms, char ret[TQD_TIMESTAMP_TEXT]);

/* The clock's time in ms since 1970. */
int64_t tqd_now_ms(void);

#endif
