/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/answer.c - problems and headers of replies; queries and preferences of requests. */
#include "daemon/http/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PROBLEM_BYTES = 8192, WAIT_MAX_S = 86400 };

void tqd_answer_header(tqd_reply *reply, const char *name, const char *format, ...)
{
    if (reply->n_header == TQD_HEADERS_MAX) {
        return;
    }
    va_list values;
    va_start(values, format);
    reply->headers[reply->n_header].name = name;
    vsnprintf(reply->headers[reply->n_header].value, sizeof reply->headers[0].value, format,
              values);
    va_end(values);
    reply->n_header++;
}

void tqd_answer_problem(tqd_reply *reply, const char *request_id, const tqa_problem *problem)
{
    static const char no_memory[] =
        "{\"type\":\"/problems/busy\",\"title\":\"The service is busy\",\"status\":503,"
        "\"detail\":\"memory is short\"}\n";
    free(reply->body);
    memset(reply, 0, sizeof *reply);
    reply->media = "application/problem+json";
    reply->body = malloc(PROBLEM_BYTES);
    if (reply->body == NULL) {
        reply->status = 503;
        reply->constant = no_memory;
        reply->n_body = sizeof no_memory - 1;
        return;
    }
    reply->status = problem->status;
    reply->n_body = tqa_problem_print(problem, request_id, reply->body, PROBLEM_BYTES);
    if (problem->retry_after_s != 0) {
        tqd_answer_header(reply, "Retry-After", "%u", problem->retry_after_s);
    }
}

void tqd_answer_quota(tqd_reply *reply, const char *name, uint64_t most, uint64_t left)
{
    tqd_answer_header(reply, "RateLimit-Policy", "\"%s\";q=%llu", name, (unsigned long long)most);
    tqd_answer_header(reply, "RateLimit", "\"%s\";r=%llu", name, (unsigned long long)left);
}

void tqd_answer_no_memory(tqd_reply *reply, const char *request_id)
{
    tqa_problem problem;
    tqa_problem_set(&problem, "busy", "memory is short");
    tqd_answer_problem(reply, request_id, &problem);
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool decode(const char *text, size_t n, char out[TQD_QUERY_TEXT])
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 2 < n ? hex(text[i + 1]) : -1;
            const int low = high >= 0 ? hex(text[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0' || used + 1 >= TQD_QUERY_TEXT) {
            return false;
        }
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

bool tqd_query_rows(const char *value, uint64_t *ret_first, uint64_t *ret_end)
{
    uint64_t number[2] = {0};
    const char *p = value;
    for (size_t k = 0; k < 2; k++) {
        const char *begin = p;
        while (*p >= '0' && *p <= '9' && p - begin < 18) {
            number[k] = number[k] * 10 + (uint64_t)(*p++ - '0');
        }
        if (p == begin || *p++ != (k == 0 ? ',' : '\0')) {
            return false;
        }
    }
    *ret_first = number[0];
    *ret_end = number[1];
    return number[0] < number[1];
}

bool tqd_query_next(const char **query, char name[TQD_QUERY_TEXT], char value[TQD_QUERY_TEXT],
                    bool *ret_bad)
{
    *ret_bad = false;
    if (*query == NULL || **query == '\0') {
        return false;
    }
    const size_t n = strcspn(*query, "&");
    const char *equals = memchr(*query, '=', n);
    const size_t n_name = equals != NULL ? (size_t)(equals - *query) : n;
    *ret_bad = equals == NULL || !decode(*query, n_name, name) ||
               !decode(equals + 1, n - n_name - 1, value);
    *query += n + ((*query)[n] == '&');
    return !*ret_bad;
}

tqd_preference tqd_preference_read(const char *header)
{
    tqd_preference wish = {.async = false, .wait_s = -1};
    while (header != NULL && *header != '\0') {
        header += strspn(header, " \t,");
        const size_t n = strcspn(header, ",;");
        const size_t word = strcspn(header, " \t,;=");
        if (word == 13 && strncasecmp(header, "respond-async", 13) == 0) {
            wish.async = true;
        } else if (word == 4 && strncasecmp(header, "wait", 4) == 0 && header[4] == '=' &&
                   header[5] >= '0' && header[5] <= '9') {
            const unsigned long s = strtoul(header + 5, NULL, 10);
            wish.wait_s = s < WAIT_MAX_S ? (int64_t)s : WAIT_MAX_S;
        }
        header += n;
        header += strcspn(header, ",");
    }
    return wish;
}
