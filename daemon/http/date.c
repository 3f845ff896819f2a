/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/date.c - IMF-fixdate, by the C library in its own locale. */
#include "daemon/http/date.h"

#include <time.h>

void tqd_date_print(int64_t unix_s, char ret_text[TQD_DATE_TEXT])
{
    const time_t time = (time_t)unix_s;
    struct tm utc;
    if (gmtime_r(&time, &utc) == NULL ||
        strftime(ret_text, TQD_DATE_TEXT, "%a, %d %b %Y %H:%M:%S GMT", &utc) == 0) {
        ret_text[0] = '\0';
    }
}
