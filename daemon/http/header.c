/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/header.c - a perfect hash: length and third letter leave one candidate. */
#include "daemon/http/header.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* inline: memcmp with either spelling that clients use becomes word comparisons */
static inline bool is(const char *name, const char *usual, const char *lower, size_t n)
{
    return memcmp(name, usual, n) == 0 || memcmp(name, lower, n) == 0 ||
           strncasecmp(name, usual, n) == 0;
}

#define CHOOSE(usual, lower, header)                                                               \
    (is(name, usual, lower, sizeof(usual) - 1) ? TQD_HEADER_##header : TQD_HEADER_OTHER)

tqd_header tqd_header_find(const char *name, size_t n)
{
    switch (n) {
    case 4:
        return CHOOSE("Host", "host", HOST);
    case 6:
        switch (name[2] | 0x20) {
        case 'c':
            return CHOOSE("Accept", "accept", ACCEPT);
        case 'i':
            return CHOOSE("Origin", "origin", ORIGIN);
        case 'e':
            return CHOOSE("Prefer", "prefer", PREFER);
        case 'p':
            return CHOOSE("Expect", "expect", EXPECT);
        default:
            return TQD_HEADER_OTHER;
        }
    case 11:
        return CHOOSE("Traceparent", "traceparent", TRACEPARENT);
    case 12:
        return CHOOSE("Content-Type", "content-type", CONTENT_TYPE);
    case 14:
        return CHOOSE("Content-Length", "content-length", CONTENT_LENGTH);
    case 16:
        return (name[2] | 0x20) == 'r'
                   ? CHOOSE("Torqued-Deadline", "torqued-deadline", DEADLINE)
                   : CHOOSE("Content-Encoding", "content-encoding", CONTENT_ENCODING);
    case 17:
        return CHOOSE("Transfer-Encoding", "transfer-encoding", TRANSFER_ENCODING);
    default:
        return TQD_HEADER_OTHER;
    }
}
