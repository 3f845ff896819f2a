/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/test_xml.c - elements in order, and each limit at its value. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/xml.h"

typedef struct journal {
    char text[4096];
    size_t used;
    int stop_at; /* index of the callback that refuses; -1: none */
    int calls;
} journal;

static bool go_on(journal *j)
{
    return j->calls++ != j->stop_at;
}

static bool on_open(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    journal *j = ctx;
    j->used += (size_t)snprintf(j->text + j->used, sizeof j->text - j->used, "%lu<%s", line, name);
    for (; *attributes != NULL; attributes += 2) {
        j->used += (size_t)snprintf(j->text + j->used, sizeof j->text - j->used, " %s=%s",
                                    attributes[0], attributes[1]);
    }
    return go_on(j);
}

static bool on_close(void *ctx, const char *name, const char *text)
{
    journal *j = ctx;
    j->used += (size_t)snprintf(j->text + j->used, sizeof j->text - j->used, "[%s]%s>", text, name);
    return go_on(j);
}

static bool on_any_open(void *ctx, unsigned long line, const char *name, const char *const *a)
{
    (void)line;
    (void)name;
    (void)a;
    ++*(size_t *)ctx;
    return true;
}

static bool on_any_close(void *ctx, const char *name, const char *text)
{
    (void)ctx;
    (void)name;
    (void)text;
    return true;
}

static tqa_xml_end read_text(const char *text, size_t n, journal *j, tqa_xml_error *error)
{
    const tqa_xml_reader reader = {.ctx = j, .open = on_open, .close = on_close};
    j->used = 0;
    j->calls = 0;
    j->text[0] = '\0';
    return tqa_xml_read(text, n, &reader, error);
}

typedef struct xml_case {
    const char *text;
    tqa_xml_end end;
    unsigned long line, column;
    const char *heard;
} xml_case;

/* clang-format off */
static const xml_case cases[] = {
    {"<a/>", TQA_XML_OK, 0, 0, "1<a[]a>"},
    {"<a>\n<b c='1' d=\"&lt;&amp;&#65;\"/>\n</a>", TQA_XML_OK, 0, 0, "1<a2<b c=1 d=<&A[]b>[\n\n]a>"},
    {"<a>x<b>y</b>z</a>", TQA_XML_OK, 0, 0, "1<a1<b[y]b>[xz]a>"},
    {"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>", TQA_XML_OK, 0, 0, "1<a[\xC3\xA9]a>"},
    {"<a><![CDATA[<b>]]></a>", TQA_XML_OK, 0, 0, "1<a[<b>]a>"},
    {"", TQA_XML_MALFORMED, 1, 1, ""},
    {"<a>\n <b></a>", TQA_XML_MALFORMED, 2, 7, "1<a2<b"},
    {"<a/><b/>", TQA_XML_MALFORMED, 1, 5, "1<a[]a>"},
    {"<a b='1' b='2'/>", TQA_XML_MALFORMED, 1, 10, ""},
    {"<a>&b;</a>", TQA_XML_MALFORMED, 1, 4, "1<a"},
    {"<a>\xFF</a>", TQA_XML_MALFORMED, 1, 4, "1<a"},
    {"<!DOCTYPE a><a/>", TQA_XML_DTD, 1, 1, ""},
    {"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", TQA_XML_DTD, 1, 1, ""},
    {"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", TQA_XML_DTD, 1, 1, ""},
};
/* clang-format on */

enum { N_CASE = sizeof cases / sizeof cases[0] };

ParameterizedTestParameters(xml, events)
{
    static size_t row[N_CASE];
    for (size_t i = 0; i < N_CASE; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_CASE);
}

ParameterizedTest(size_t *row, xml, events)
{
    const xml_case *c = &cases[*row];
    static journal j;
    tqa_xml_error error;
    j.stop_at = -1;
    const tqa_xml_end end = read_text(c->text, strlen(c->text), &j, &error);
    cr_assert(end == c->end, "%s: %d %s", c->text, (int)end, error.detail);
    cr_assert(strcmp(j.text, c->heard) == 0, "%s: %s", c->text, j.text);
    if (end != TQA_XML_OK) {
        cr_assert(error.detail != NULL);
        cr_assert(c->end == TQA_XML_DTD || (error.line == c->line && error.column == c->column),
                  "%s: line %lu column %lu", c->text, error.line, error.column);
    }
}

/* after any callback that refuses there is no further callback */
Test(xml, the_reader_may_refuse_anywhere)
{
    static journal j;
    tqa_xml_error error;
    const char *text = "<a><b/><c>x</c></a>";
    for (int k = 0; k < 6; k++) {
        j.stop_at = k;
        cr_assert(eq(int, (int)read_text(text, strlen(text), &j, &error), TQA_XML_REFUSED));
        cr_assert(eq(int, j.calls, k + 1));
        cr_assert(error.detail == NULL);
    }
}

/* every truncated file is malformed, and no byte beyond it is read */
Test(xml, every_cut_is_malformed)
{
    static journal j;
    tqa_xml_error error;
    const char *text = "<a b='1'><!-- c --><d>e</d>&lt;</a>";
    j.stop_at = -1;
    for (size_t n = 0; n < strlen(text); n++) {
        char *copy = malloc(n > 0 ? n : 1);
        cr_assert(copy != NULL);
        memcpy(copy, text, n);
        cr_assert(eq(int, (int)read_text(copy, n, &j, &error), TQA_XML_MALFORMED), "cut at %zu", n);
        free(copy);
    }
}

static tqa_xml_end count_elements(const char *text, size_t n, size_t *ret_count)
{
    tqa_xml_error error;
    const tqa_xml_reader reader = {.ctx = ret_count, .open = on_any_open, .close = on_any_close};
    *ret_count = 0;
    return tqa_xml_read(text, n, &reader, &error);
}

/* `depth` nested elements */
static char *nest(size_t depth)
{
    char *text = calloc(depth, 7);
    cr_assert(text != NULL);
    for (size_t i = 0; i < depth; i++) {
        memcpy(text + 3 * i, "<a>", 3);
        memcpy(text + 3 * depth + 4 * i, "</a>", 4);
    }
    return text;
}

Test(xml, depth_limit_is_exact)
{
    size_t count = 0;
    char *text = nest(TQA_XML_DEPTH_MAX);
    cr_assert(eq(int, (int)count_elements(text, 7 * TQA_XML_DEPTH_MAX, &count), TQA_XML_OK));
    cr_assert(eq(sz, count, TQA_XML_DEPTH_MAX));
    free(text);
    text = nest(TQA_XML_DEPTH_MAX + 1);
    cr_assert(
        eq(int, (int)count_elements(text, 7 * (TQA_XML_DEPTH_MAX + 1), &count), TQA_XML_LIMIT));
    free(text);
}

Test(xml, attribute_limit_is_exact)
{
    for (int n = TQA_XML_ATTRIBUTE_MAX; n <= TQA_XML_ATTRIBUTE_MAX + 1; n++) {
        char text[2048] = "<a";
        size_t used = 2;
        for (int i = 0; i < n; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, " a%d=''", i);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "/>");
        size_t count = 0;
        cr_assert(eq(int, (int)count_elements(text, used, &count),
                     n <= TQA_XML_ATTRIBUTE_MAX ? TQA_XML_OK : TQA_XML_LIMIT));
    }
}

/* 4 MiB + 8 n bytes are enough for any valid file; a million different names do not fit */
Test(xml, memory_is_bounded, .timeout = 100)
{
    const size_t n_name = 900000;
    char *text = malloc(n_name * 12 + 32);
    cr_assert(text != NULL);
    char *p = stpcpy(text, "<a>");
    for (size_t i = 0; i < n_name; i++) {
        p += snprintf(p, 16, "<b%zu/>", i);
    }
    p = stpcpy(p, "</a>");
    size_t count = 0;
    cr_assert(eq(int, (int)count_elements(text, (size_t)(p - text), &count), TQA_XML_LIMIT));
    cr_assert(lt(sz, count, n_name));
    free(text);
}

/* text is kept up to its limit, and the rest is dropped */
Test(xml, long_text_is_cut)
{
    static journal j;
    tqa_xml_error error;
    char text[1024];
    memset(text, 'x', sizeof text);
    memcpy(text, "<a>", 3);
    memcpy(text + sizeof text - 4, "</a>", 4);
    j.stop_at = -1;
    cr_assert(eq(int, (int)read_text(text, sizeof text, &j, &error), TQA_XML_OK));
    cr_assert(eq(sz, j.used, strlen("1<a[") + TQA_XML_TEXT_MAX + strlen("]a>")));
}
