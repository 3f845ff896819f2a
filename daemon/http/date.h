/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/date.h - the time of day as the header Date tells it. */
#ifndef TQD_HTTP_DATE_H
#define TQD_HTTP_DATE_H

#include <stdint.h>

enum { TQD_DATE_TEXT = 30 }; /* 29 characters and a NUL */

/* As RFC 9110 section 5.6.7 wants it, in GMT; for years 1970 to 9999. */
void tqd_date_print(int64_t unix_s, char ret_text[TQD_DATE_TEXT]);

#endif
