/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/date.h - the value of the header Date. */
#ifndef TQD_HTTP_DATE_H
#define TQD_HTTP_DATE_H

#include <stdint.h>

enum { TQD_DATE_TEXT = 30 }; /* 29 characters and a NUL */

/* IMF-fixdate of RFC 9110 section 5.6.7, in GMT; for years 1970 to 9999. */
void tqd_date_print(int64_t unix_s, char ret_text[TQD_DATE_TEXT]);

#endif
