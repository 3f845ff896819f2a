/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/problems.c - pages of TQA_PROBLEM_LIST, as JSON or for browsers. */
#include "daemon/service/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/problem.h"
#include "api/problems/nearest.h"
#include "daemon/http/answer.h"
#include "daemon/http/document.h"
#include "daemon/robots/conditions.h"

/* Texts of the list have no characters that HTML would escape. */
__attribute__((format(printf, 2, 3))) static void put(tqa_json_text *page, const char *format, ...)
{
    char text[2048];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    tqa_json_text_raw(page, text);
}

static void put_kind(tqa_writer *to, const tqa_problem_kind *kind)
{
    char type[80];
    (void)snprintf(type, sizeof type, "/problems/%s", kind->slug);
    tqa_writer_string(to, "type", type);
    tqa_writer_string(to, "title", kind->title);
    tqa_writer_integer(to, "status", kind->status);
}

/* A problem document of this kind. */
static void put_example(tqa_writer *to, const char *key, const tqa_problem_kind *kind)
{
    tqa_writer_object(to, key);
    put_kind(to, kind);
    tqa_writer_string(to, "detail", kind->example);
    tqa_writer_end(to);
}

static void put_json(tqa_writer *to, const tqa_problem_kind *kind)
{
    tqa_writer_object(to, NULL);
    put_kind(to, kind);
    tqa_writer_string(to, "meaning", kind->meaning);
    tqa_writer_string(to, "remedy", kind->remedy);
    put_example(to, "example", kind);
    tqa_writer_end(to);
}

static void put_json_list(tqa_writer *to)
{
    size_t n = 0;
    const tqa_problem_kind *kinds = tqa_problem_kinds(&n);
    tqd_document_list(to, "problems");
    for (size_t i = 0; i < n; i++) {
        tqa_writer_object(to, NULL);
        put_kind(to, &kinds[i]);
        tqa_writer_end(to);
    }
    tqd_document_list_end(to);
}

static void put_html_head(tqa_json_text *t, const char *title)
{
    put(t,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>"
        "<style>:root{color-scheme:light dark;background:light-dark(#fff,#14181d);"
        "color:light-dark(#111,#e6e8eb)}body{font:16px/1.6 sans-serif;max-width:40em;"
        "margin:3em auto;padding:0 1em}pre{white-space:pre-wrap;overflow-wrap:anywhere}"
        "a{color:light-dark(#0645ad,#8ab4f8)}</style></head>\n<body>"
        "<h1>%s</h1>\n",
        title, title);
}

static void put_html(tqa_json_text *t, const tqa_problem_kind *kind)
{
    put_html_head(t, kind->title);
    put(t,
        "<p><code>/problems/%s</code>, HTTP status %d</p>\n<h2>What it means</h2>\n<p>%s</p>\n"
        "<h2>How to mend it</h2>\n<p>%s</p>\n<h2>Example</h2>\n<pre>",
        kind->slug, kind->status, kind->meaning, kind->remedy);
    tqa_writer example = {.text = *t};
    put_example(&example, NULL, kind);
    *t = example.text;
    put(t, "</pre>\n<p><a href=\"/problems\">All problems</a>, "
           "<a href=\"/docs\">documentation</a></p></body></html>\n");
}

static void put_html_list(tqa_json_text *t)
{
    size_t n = 0;
    const tqa_problem_kind *kinds = tqa_problem_kinds(&n);
    put_html_head(t, "Problems");
    put(t, "<ul>\n");
    for (size_t i = 0; i < n; i++) {
        put(t, "<li>%d <a href=\"/problems/%s\">%s</a>: %s</li>\n", kinds[i].status, kinds[i].slug,
            kinds[i].slug, kinds[i].title);
    }
    put(t, "</ul></body></html>\n");
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
    tqa_writer json = {.cbor = false};
    if (kind == NULL && is_page) {
        put_html_list(&json.text);
    } else if (kind == NULL) {
        put_json_list(&json);
    } else if (is_page) {
        put_html(&json.text, kind);
    } else {
        put_json(&json, kind);
    }
    if (is_page) {
        reply->status = 200;
        reply->media = "text/html; charset=utf-8";
        reply->body = tqa_writer_take(&json, &reply->n_body);
    } else if (!tqd_document_answer(reply, head->request_id, 200, &json)) {
        return;
    }
    if (reply->body == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return;
    }
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
