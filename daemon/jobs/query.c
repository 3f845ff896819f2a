/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/query.c - the query of GET and DELETE /v1/jobs: which jobs. */
#include "daemon/jobs/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/bearer.h"

enum { LIST_DEFAULT = 50, LIST_MAX = 200 };

/* A duration: decimal digits and a unit, ms, s, min, h or d. False: it is none, or 0. */
static bool read_duration(const char *text, int64_t *ret_ms)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"ms", 1},      {"s", 1000},     {"min", 60000},
                 {"h", 3600000}, {"d", 86400000}, {"w", 7 * (int64_t)86400000}};
    const size_t n = strspn(text, "0123456789");
    const int64_t value = n > 0 && n <= 10 ? strtoll(text, NULL, 10) : 0;
    *ret_ms = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text + n, units[i].name) == 0) {
            *ret_ms = value * units[i].ms;
        }
    }
    return *ret_ms > 0;
}

/* state=succeeded,failed: names separated by commas */
static bool read_states(const char *text, unsigned *ret_states)
{
    char name[TQD_QUERY_TEXT];
    for (;;) {
        const size_t n = strcspn(text, ",");
        tqd_job_state state = TQD_JOB_QUEUED;
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        if (!tqd_job_state_parse(name, &state)) {
            return false;
        }
        *ret_states |= 1U << state;
        if (text[n] == '\0') {
            return true;
        }
        text += n + 1;
    }
}

static bool read_number(const char *text, uint64_t most, uint64_t *ret)
{
    char *rest = NULL;
    if (text[0] < '1' || text[0] > '9' || strlen(text) > 19) {
        return false;
    }
    *ret = strtoull(text, &rest, 10);
    return *rest == '\0' && *ret <= most;
}

static bool read_page(const char *name, const char *value, tqd_job_filter *filter)
{
    uint64_t limit = 0;
    if (strcmp(name, "cursor") == 0) {
        return read_number(value, INT64_MAX, &filter->before_seq);
    }
    if (strcmp(name, "limit") != 0 || !read_number(value, LIST_MAX, &limit)) {
        return false;
    }
    filter->limit = (uint32_t)limit;
    return true;
}

/* beside: a key of the request's namespace */
static bool read_parameter(const char *beside, const char *name, const char *value,
                           bool is_deletion, tqd_job_query *query)
{
    tqd_job_filter *filter = &query->filter;
    if (strcmp(name, "state") == 0) {
        return read_states(value, &filter->states);
    }
    if (strcmp(name, "kind") == 0) {
        snprintf(query->kind, sizeof query->kind, "%s", value);
        filter->kind = query->kind;
        return true;
    }
    if (strcmp(name, "robot") == 0) {
        filter->robot = query->robot;
        return tqd_key_make(beside, value, query->robot, sizeof query->robot);
    }
    if (strcmp(name, "older_than") == 0) {
        return read_duration(value, &filter->older_ms);
    }
    if (strcmp(name, "newer_than") == 0) {
        return read_duration(value, &filter->newer_ms);
    }
    if (!is_deletion) {
        return read_page(name, value, filter);
    }
    query->dry_run = strcmp(value, "true") == 0;
    return strcmp(name, "dry_run") == 0 && (query->dry_run || strcmp(value, "false") == 0);
}

static void refuse(const char *name, const char *value, bool is_deletion, tqa_problem *reterr)
{
    enum { LIST = 1, DELETION = 2, BOTH = 3 };
    static const struct {
        const char *name;
        unsigned of;
        const char *text;
    } rules[] = {
        {"state", BOTH,
         "state is queued, running, succeeded, failed or cancelled, or several of them "
         "with commas"},
        {"older_than", BOTH, "older_than is a time such as 90s, 30min, 12h, 7d or 2w"},
        {"newer_than", BOTH, "newer_than is a time such as 90s, 30min, 12h or 7d"},
        {"limit", LIST, "limit is 1 to 200"},
        {"cursor", LIST, "cursor is the \"cursor\" of the previous page"},
        {"dry_run", DELETION, "dry_run is true or false"},
    };
    _Static_assert(LIST_MAX == 200, "the text of limit");
    const char *text =
        is_deletion
            ? "a deletion of jobs takes state, kind, robot, older_than, newer_than and dry_run"
            : "a list of jobs takes state, kind, robot, older_than, newer_than, limit and cursor";
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(name, rules[i].name) == 0 &&
            (rules[i].of & (is_deletion ? DELETION : LIST)) != 0) {
            text = rules[i].text;
        }
    }
    tqa_problem_set(reterr, "invalid-value", "%s, got \"%.64s=%.64s\"", text, name, value);
}

static bool check_deletion(tqd_job_query *query, tqa_problem *reterr)
{
    tqd_job_filter *filter = &query->filter;
    if (filter->states == 0 && filter->kind == NULL && filter->robot == NULL &&
        filter->older_ms == 0 && filter->newer_ms == 0) {
        tqa_problem_set(reterr, "invalid-value",
                        "name the jobs to delete by state, kind, robot, older_than or newer_than; "
                        "all finished ones: ?state=succeeded,failed,cancelled");
        return false;
    }
    if ((filter->states & ~(unsigned)TQD_JOBS_FINISHED) != 0) {
        tqa_problem_set(reterr, "invalid-value",
                        "only finished jobs can be deleted, state=succeeded, failed or cancelled: "
                        "cancel the others first");
        return false;
    }
    filter->states = filter->states != 0 ? filter->states : TQD_JOBS_FINISHED;
    return true;
}

bool tqd_job_query_read(const tqd_head *head, bool is_deletion, tqd_job_query *ret,
                        tqa_problem *reterr)
{
    const char *query = head->query;
    char name[TQD_QUERY_TEXT];
    char value[TQD_QUERY_TEXT];
    bool bad = false;
    memset(ret, 0, sizeof *ret);
    ret->filter.limit = LIST_DEFAULT;
    while (tqd_query_next(&query, name, value, &bad)) {
        if (!read_parameter(tqd_identity_key(head->who), name, value, is_deletion, ret)) {
            refuse(name, value, is_deletion, reterr);
            return false;
        }
    }
    if (bad) {
        tqa_problem_set(reterr, "malformed", "the query is not a list of name=value");
    }
    return !bad && (!is_deletion || check_deletion(ret, reterr));
}
