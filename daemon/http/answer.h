/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/answer.h - parts of replies common to handlers: problems, headers, queries,
 * preferences. */
#ifndef TQD_HTTP_ANSWER_H
#define TQD_HTTP_ANSWER_H

#include "api/problem.h"
#include "daemon/http/exchange.h"

/* Replaces the contents of the reply by a problem document. */
void tqd_answer_problem(tqd_reply *reply, const char *request_id, const tqa_problem *problem);

/* 503 for lack of memory, with Retry-After. */
/* RateLimit-Policy and RateLimit: `left` of the `most` that a quota admits to
 * (draft-ietf-httpapi-ratelimit-headers). `name` is constant: its words are those of a token. */
void tqd_answer_quota(tqd_reply *reply, const char *name, uint64_t most, uint64_t left);

void tqd_answer_no_memory(tqd_reply *reply, const char *request_id);

/* Adds a header; `name` is constant. A longer value than a reply has room for is truncated. */
void tqd_answer_header(tqd_reply *reply, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the next "name=value" of a query, percent-decoded, '+' kept; *query advances. False at the
 * end, or with *ret_bad set when one is too long or malformed. */
enum { TQD_QUERY_TEXT = 160 };
bool tqd_query_next(const char **query, char name[TQD_QUERY_TEXT], char value[TQD_QUERY_TEXT],
                    bool *ret_bad);

/* "FIRST,END": rows from 0, half-open [FIRST, END). False: no such range. */
bool tqd_query_rows(const char *value, uint64_t *ret_first, uint64_t *ret_end);

/* The Prefer header (RFC 7240). */
typedef struct tqd_preference {
    bool async;     /* respond-async */
    int64_t wait_s; /* wait=S; -1: absent */
} tqd_preference;
tqd_preference tqd_preference_read(const char *header); /* NULL: none */

#endif
