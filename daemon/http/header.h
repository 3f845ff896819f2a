/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/header.h - the headers that every request is searched for. */
#ifndef TQD_HTTP_HEADER_H
#define TQD_HTTP_HEADER_H

#include <stddef.h>

typedef enum tqd_header {
    /* the first value of each is kept for the handlers */
    TQD_HEADER_CONTENT_TYPE,
    TQD_HEADER_ACCEPT,
    TQD_HEADER_ORIGIN,
    TQD_HEADER_CONTENT_ENCODING,
    TQD_HEADER_PREFER,
    TQD_HEADER_DEADLINE,
    TQD_HEADER_TRACEPARENT,
    TQD_HEADER_KEPT,
    /* headers of the framing */
    TQD_HEADER_HOST = TQD_HEADER_KEPT,
    TQD_HEADER_EXPECT,
    TQD_HEADER_CONTENT_LENGTH,
    TQD_HEADER_TRANSFER_ENCODING,
    TQD_HEADER_OTHER,
} tqd_header;

/* Finds the header of this name (n bytes, case-insensitive). */
tqd_header tqd_header_find(const char *name, size_t n);

#endif
