/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/problems.c - pages of TQA_PROBLEM_LIST, as JSON or for browsers. */
#include "daemon/service/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"
#include "api/problems/nearest.h"
#include "daemon/http/answer.h"
#include "daemon/robots/conditions.h"

enum { PAGE_BYTES = 4096, ROW_BYTES = 512 };

/* Texts of the list have no characters that JSON or HTML would escape. */
typedef struct text {
    char *out;
    size_t n, size;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(t->out + t->n, t->size - t->n, format, values);
    va_end(values);
    t->n += n > 0 && (size_t)n < t->size - t->n ? (size_t)n : 0;
}

static void put_example(text *t, const tqa_problem_kind *kind)
{
    put(t, "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}",
        kind->slug, kind->title, kind->status, kind->example);
}

static void put_json(text *t, const tqa_problem_kind *kind)
{
    put(t,
        "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%d,\"meaning\":\"%s\","
        "\"remedy\":\"%s\",\"example\":",
        kind->slug, kind->title, kind->status, kind->meaning, kind->remedy);
    put_example(t, kind);
    put(t, "}\n");
}

static void put_html_head(text *t, const char *title)
{
    put(t,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>"
        "<style>:root{color-scheme:light dark}body{font:16px/1.6 sans-serif;max-width:40em;"
        "margin:3em auto;padding:0 1em}pre{white-space:pre-wrap}</style></head>\n<body>"
        "<h1>%s</h1>\n",
        title, title);
}

static void put_html(text *t, const tqa_problem_kind *kind)
{
    put_html_head(t, kind->title);
    put(t,
        "<p><code>/problems/%s</code>, HTTP status %d</p>\n<h2>What it means</h2>\n<p>%s</p>\n"
        "<h2>How to mend it</h2>\n<p>%s</p>\n<h2>Example</h2>\n<pre>",
        kind->slug, kind->status, kind->meaning, kind->remedy);
    put_example(t, kind);
    put(t, "</pre>\n<p><a href=\"/problems\">All problems</a>, "
           "<a href=\"/docs\">documentation</a></p></body></html>\n");
}

static void put_list(text *t, bool is_page)
{
    size_t n = 0;
    const tqa_problem_kind *kinds = tqa_problem_kinds(&n);
    if (is_page) {
        put_html_head(t, "Problems");
    }
    put(t, is_page ? "<ul>\n" : "{\"problems\":[");
    for (size_t i = 0; i < n; i++) {
        if (is_page) {
            put(t, "<li>%d <a href=\"/problems/%s\">%s</a>: %s</li>\n", kinds[i].status,
                kinds[i].slug, kinds[i].slug, kinds[i].title);
        } else {
            put(t, "%s{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%d}", i > 0 ? "," : "",
                kinds[i].slug, kinds[i].title, kinds[i].status);
        }
    }
    put(t, is_page ? "</ul></body></html>\n" : "]}\n");
}

/* NULL: no such slug, and the reply is a problem itself. */
static const tqa_problem_kind *find(const tqd_head *head, tqd_reply *reply)
{
    size_t n = 0;
    const tqa_problem_kind *kinds = tqa_problem_kinds(&n);
    const char *slug = head->part[0];
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, slug, strlen(slug));
    for (size_t i = 0; i < n; i++) {
        if (strcmp(kinds[i].slug, slug) == 0) {
            return &kinds[i];
        }
        tqa_nearest_offer(&nearest, kinds[i].slug);
    }
    tqa_problem problem;
    if (nearest.best != NULL) {
        tqa_problem_set(&problem, "not-found",
                        "there is no problem \"%.64s\": did you mean /problems/%s?", slug,
                        nearest.best);
    } else {
        tqa_problem_set(&problem, "not-found",
                        "there is no problem \"%.64s\": GET /problems lists all", slug);
    }
    tqd_answer_problem(reply, head->request_id, &problem);
    return NULL;
}

/* The answer is made at open: no exchange is created. */
static void answer(const tqd_head *head, const tqa_problem_kind *kind, tqd_reply *reply)
{
    const char *accept = head->header(head, "Accept");
    const bool is_page =
        tqd_accept_weight(accept, "text/html") > tqd_accept_weight(accept, "application/json");
    size_t n_kind = 0;
    (void)tqa_problem_kinds(&n_kind);
    text t = {.size = PAGE_BYTES + (kind == NULL ? n_kind * ROW_BYTES : 0)};
    t.out = malloc(t.size);
    if (t.out == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return;
    }
    if (kind == NULL) {
        put_list(&t, is_page);
    } else if (is_page) {
        put_html(&t, kind);
    } else {
        put_json(&t, kind);
    }
    reply->status = 200;
    reply->media = is_page ? "text/html; charset=utf-8" : "application/json";
    reply->body = t.out;
    reply->n_body = t.n;
    tqd_answer_header(reply, "Vary", "Accept");
    if (is_page) {
        tqd_answer_header(reply, "Content-Security-Policy",
                          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                          "form-action 'none'; frame-ancestors 'none'");
    }
}

static bool open_problem(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx, (void)ret_exchange;
    const tqa_problem_kind *kind = find(head, reply);
    if (kind != NULL) {
        answer(head, kind, reply);
    }
    return false;
}

static bool open_list(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx, (void)ret_exchange;
    answer(head, NULL, reply);
    return false;
}

const tqd_handler tqd_problem_handler = {.open = open_problem};
const tqd_handler tqd_problem_list_handler = {.open = open_list};
