/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/response_cache.h - reusable library responses for short answers, by length. */
#ifndef TQD_SERVE_RESPONSE_CACHE_H
#define TQD_SERVE_RESPONSE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/http/date.h"
#include "daemon/observe/request_id.h"

enum {
    TQD_RESPONSE_CACHE_SLOTS = 64,
    TQD_RESPONSE_CACHE_MAX = 1024, /* bytes of a body for which a copy is cheaper than a new
                                      response */
};

struct MHD_Response;

/* A response with Content-Type, X-Request-Id and Date; its body follows the struct in memory. */
typedef struct tqd_response_cache {
    struct MHD_Response *response;
    const char *media;
    size_t n;
    bool busy;  /* a connection may still be sending it */
    char *id;   /* the value of X-Request-Id, in the library's memory */
    char *date; /* that of Date, and its second */
    int64_t date_s;
    char body[];
} tqd_response_cache;

/* One for each loop. Zero-initialised. */
typedef struct tqd_response_cache_set {
    tqd_response_cache *slots[TQD_RESPONSE_CACHE_SLOTS];
    int64_t date_s; /* of `date`, once that is not empty */
    char date[TQD_DATE_TEXT];
} tqd_response_cache_set;

/**
 * Take a response of this media type (a constant), whose body is a copy of n bytes.
 *
 * A new response costs the library ten allocations and as many frees; a cached one costs two
 * copies. Date is rewritten once a second: the library would call gmtime for every answer, under a
 * lock that all threads of the process share.
 *
 * Returns  NULL when the body is long, the response of this length is still being sent, or memory
 *          is short: the caller makes one of its own.
 */
tqd_response_cache *tqd_response_cache_take(tqd_response_cache_set *set, const char *media,
                                            const char *body, size_t n, const char *id,
                                            int64_t unix_s);

/* The library has finished sending it. */
static inline void tqd_response_cache_give(tqd_response_cache *cached)
{
    cached->busy = false;
}

/* None may be in use. */
void tqd_response_cache_free(tqd_response_cache_set *set);

#endif
