/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/problem.c - every kind of problem: its HTTP status, its title, and the document it
 * makes. */
#include "api/problem.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* memory that is short and queues that are full seldom stay so */
enum { RETRY_SOON_S = 1 };

static const tqa_problem_kind kinds[] = {
#define KIND(slug, status, title, meaning, remedy, example)                                        \
    {slug, status, title, meaning, remedy, example},
    TQA_PROBLEM_LIST(KIND)
#undef KIND
};

const tqa_problem_kind *tqa_problem_kinds(size_t *ret_n)
{
    *ret_n = sizeof kinds / sizeof kinds[0];
    return kinds;
}

static const tqa_problem_kind *find_kind(const char *slug)
{
    const tqa_problem_kind *internal = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].slug, slug) == 0) {
            return &kinds[i];
        }
        if (kinds[i].status == 500) {
            internal = &kinds[i];
        }
    }
    return internal;
}

/* The text fields are not cleared as a whole: a problem is 5 KB and most calls have none. */
static void start(tqa_problem *problem, const char *slug)
{
    const tqa_problem_kind *kind = find_kind(slug);
    problem->status = kind->status;
    problem->slug = kind->slug;
    problem->title = kind->title;
    problem->detail[0] = '\0';
    problem->n_fault = 0;
    problem->retry_after_s = kind->status == 503 ? RETRY_SOON_S : 0;
    problem->allow = NULL;
}

int tqa_problem_set(tqa_problem *problem, const char *slug, const char *format, ...)
{
    assert(problem != NULL && slug != NULL && format != NULL);
    start(problem, slug);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem->detail, sizeof problem->detail, format, arguments);
    va_end(arguments);
    return problem->status;
}

void tqa_problem_fault(tqa_problem *problem, const char *pointer, const char *hint,
                       const char *format, ...)
{
    assert(problem != NULL && pointer != NULL && format != NULL);
    if (problem->n_fault == TQA_PROBLEM_FAULTS) {
        return;
    }
    tqa_fault *fault = &problem->faults[problem->n_fault++];
    (void)snprintf(fault->pointer, sizeof fault->pointer, "%s", pointer);
    (void)snprintf(fault->hint, sizeof fault->hint, "%s", hint != NULL ? hint : "");
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
    va_end(arguments);
}

void tqa_problem_too_large(tqa_problem *problem, size_t need, size_t most)
{
    const double mib = 1048576.0;
    (void)tqa_problem_set(problem, "too-large",
                          "the working arrays would take %.0f MiB, and a computation may have %.0f",
                          ceil((double)need / mib), floor((double)most / mib));
    tqa_problem_fault(problem, "", "a robot of fewer freedoms, fewer names in include",
                      "this takes more memory than one request may");
}

typedef struct printer {
    char *out;
    size_t size, used;
} printer;

static void put(printer *p, const char *text, size_t n)
{
    const size_t room = p->size - 1 - p->used;
    const size_t taken = n < room ? n : room;
    memcpy(p->out + p->used, text, taken);
    p->used += taken;
}

static void put_text(printer *p, const char *text)
{
    put(p, text, strlen(text));
}

/* Length of the well-formed UTF-8 sequence at s (a NUL ends the text), 0 if there is none: details
 * quote what a client sent, and may cut it. */
static size_t sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) {
        return 1;
    }
    const size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    const unsigned char lowest = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char highest = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < lowest || s[1] > highest) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return n;
}

/* A JSON string; bytes that are no UTF-8 become U+FFFD. */
static void put_quoted(printer *p, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)text;
    put(p, "\"", 1);
    while (*s != '\0') {
        const size_t n = sequence_length(s);
        if (*s == '"' || *s == '\\') {
            const char escaped[2] = {'\\', (char)*s};
            put(p, escaped, 2);
        } else if (*s < 0x20) {
            const char escaped[6] = {'\\', 'u', '0', '0', hex[*s >> 4], hex[*s & 15]};
            put(p, escaped, 6);
        } else if (n == 0) {
            put_text(p, "\\ufffd");
        } else {
            put(p, (const char *)s, n);
        }
        s += n == 0 ? 1 : n;
    }
    put(p, "\"", 1);
}

static void put_member(printer *p, const char *key, const char *text)
{
    put_text(p, ",\"");
    put_text(p, key);
    put_text(p, "\":");
    put_quoted(p, text);
}

/* Room that one fault can need at most: every byte escaped to six, and its keys. */
static size_t fault_size_max(const tqa_fault *fault)
{
    return 6 * (strlen(fault->pointer) + strlen(fault->detail) + strlen(fault->hint)) + 64;
}

size_t tqa_problem_print(const tqa_problem *problem, const char *request_id, char *out, size_t size)
{
    assert(problem != NULL && problem->status != 0);
    assert(out != NULL && size >= 1024);
    char number[16];
    printer p = {.out = out, .size = size};
    put_text(&p, "{\"type\":\"/problems/");
    put_text(&p, problem->slug);
    put_text(&p, "\"");
    put_member(&p, "title", problem->title);
    (void)snprintf(number, sizeof number, "%d", problem->status);
    put_text(&p, ",\"status\":");
    put_text(&p, number);
    if (problem->detail[0] != '\0' && p.used + 6 * strlen(problem->detail) + 256 < size) {
        put_member(&p, "detail", problem->detail);
    }
    if (request_id != NULL && request_id[0] != '\0' && strlen(request_id) <= 64) {
        put_member(&p, "request_id", request_id);
    }
    bool open = false;
    for (size_t i = 0; i < problem->n_fault; i++) {
        const tqa_fault *fault = &problem->faults[i];
        /* a fault is written whole or not at all: the document always closes */
        if (p.used + fault_size_max(fault) + 8 > size) {
            continue;
        }
        put_text(&p, open ? ",{\"pointer\":" : ",\"errors\":[{\"pointer\":");
        open = true;
        put_quoted(&p, fault->pointer);
        put_member(&p, "detail", fault->detail);
        if (fault->hint[0] != '\0') {
            put_member(&p, "hint", fault->hint);
        }
        put_text(&p, "}");
    }
    put_text(&p, open ? "]}\n" : "}\n");
    assert(p.used < size);
    out[p.used] = '\0';
    return p.used;
}
