/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/timestamp.c - the C library's calendar, and milliseconds after it. */
#include "daemon/observe/timestamp.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

void tqd_timestamp(int64_t ms, char ret[TQD_TIMESTAMP_TEXT])
{
    struct tm utc;
    const time_t s = (time_t)(ms / 1000);
    gmtime_r(&s, &utc);
    const size_t n = strftime(ret, TQD_TIMESTAMP_TEXT, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(ret + n, TQD_TIMESTAMP_TEXT - n, ".%03dZ", (int)(ms % 1000));
}

int64_t tqd_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
