/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/range.c - parses Range and If-Range, and sets the reply's headers. */
#include "daemon/http/range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/http/answer.h"

static bool read_count(const char **p, uint64_t *ret)
{
    const char *first = *p;
    *ret = 0;
    while (**p >= '0' && **p <= '9' && *p - first < 18) {
        *ret = *ret * 10 + (uint64_t)(*(*p)++ - '0');
    }
    return *p > first;
}

static bool condition_holds(const tqd_head *head, const char *tag)
{
    char quoted[160];
    const char *condition = head->header(head, "If-Range");
    if (condition == NULL) {
        return true;
    }
    snprintf(quoted, sizeof quoted, "\"%s\"", tag != NULL ? tag : "");
    return tag != NULL && strcmp(condition, quoted) == 0;
}

/* "bytes=a-b", "bytes=a-", "bytes=-n" of `size` bytes; any other form, lists too, is ignored: the
 * whole body is sent. If-Range must equal `tag` (NULL: never). Only GET has ranges (RFC 9110
 * section 14.2): the answer to a POST is the whole result, and HEAD has the headers of the whole
 * result. */
static tqd_range read_range(const tqd_head *head, const char *tag, uint64_t size, uint64_t *ret_at,
                            uint64_t *ret_end)
{
    const char *p = head->header(head, "Range");
    uint64_t first;
    uint64_t last;
    *ret_at = 0;
    *ret_end = size;
    if (head->method != TQD_GET || p == NULL || strncasecmp(p, "bytes=", 6) != 0 ||
        !condition_holds(head, tag)) {
        return TQD_RANGE_NONE;
    }
    p += 6;
    const bool has_first = read_count(&p, &first);
    if (*p++ != '-') {
        return TQD_RANGE_NONE;
    }
    const bool has_last = read_count(&p, &last);
    if (*p != '\0' || (!has_first && !has_last) || (has_first && has_last && last < first)) {
        return TQD_RANGE_NONE;
    }
    if (!has_first) {
        *ret_at = last < size ? size - last : 0;
        return last > 0 ? TQD_RANGE_GOOD : TQD_RANGE_OUTSIDE;
    }
    if (first >= size) {
        return TQD_RANGE_OUTSIDE;
    }
    *ret_at = first;
    *ret_end = has_last && last < size ? last + 1 : size;
    return TQD_RANGE_GOOD;
}

bool tqd_range_answer(const tqd_head *head, const char *tag, uint64_t size, tqd_reply *reply,
                      uint64_t *ret_at, uint64_t *ret_end)
{
    const tqd_range range = read_range(head, tag, size, ret_at, ret_end);
    if (range == TQD_RANGE_OUTSIDE) {
        tqa_problem problem;
        tqa_problem_set(&problem, "range-not-satisfiable", "there are %" PRIu64 " bytes", size);
        tqd_answer_problem(reply, head->request_id, &problem);
        tqd_answer_header(reply, "Content-Range", "bytes */%" PRIu64, size);
        return false;
    }
    reply->status = range == TQD_RANGE_GOOD ? 206 : 200;
    if (head->method != TQD_POST) {
        tqd_answer_header(reply, "Accept-Ranges", "bytes");
    }
    if (range == TQD_RANGE_GOOD) {
        tqd_answer_header(reply, "Content-Range", "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, *ret_at,
                          *ret_end - 1, size);
    }
    return true;
}
