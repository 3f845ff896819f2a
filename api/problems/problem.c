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

#include "api/codec/writer.h"

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

bool tqa_problem_set(tqa_problem *problem, const char *slug, const char *format, ...)
{
    assert(problem != NULL && slug != NULL && format != NULL);
    start(problem, slug);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem->detail, sizeof problem->detail, format, arguments);
    va_end(arguments);
    return false;
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

/* Bytes that one fault takes at most: every byte escaped to six, and its keys. */
static size_t fault_size_max(const tqa_fault *fault)
{
    return 6 * (strlen(fault->pointer) + strlen(fault->detail) + strlen(fault->hint)) + 64;
}

/* A fault is written whole or not at all: the document always closes. */
static void put_faults(tqa_writer *to, const tqa_problem *problem)
{
    bool open = false;
    for (size_t i = 0; i < problem->n_fault; i++) {
        const tqa_fault *fault = &problem->faults[i];
        if (to->text.n + fault_size_max(fault) + 8 > to->text.capacity) {
            continue;
        }
        if (!open) {
            tqa_writer_list(to, "errors");
        }
        open = true;
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "pointer", fault->pointer);
        tqa_writer_string(to, "detail", fault->detail);
        if (fault->hint[0] != '\0') {
            tqa_writer_string(to, "hint", fault->hint);
        }
        tqa_writer_end(to);
    }
    if (open) {
        tqa_writer_end(to);
    }
}

size_t tqa_problem_print(const tqa_problem *problem, const char *request_id, char *out, size_t size)
{
    assert(problem != NULL && problem->status != 0);
    assert(out != NULL && size >= 1024);
    char type[64];
    tqa_writer to = {.text = {.bytes = out, .capacity = size, .fixed = true}};
    (void)snprintf(type, sizeof type, "/problems/%s", problem->slug);
    tqa_writer_object(&to, NULL);
    tqa_writer_string(&to, "type", type);
    tqa_writer_string(&to, "title", problem->title);
    tqa_writer_integer(&to, "status", problem->status);
    if (problem->detail[0] != '\0' && to.text.n + 6 * strlen(problem->detail) + 256 < size) {
        tqa_writer_string(&to, "detail", problem->detail);
    }
    if (request_id != NULL && request_id[0] != '\0' && strlen(request_id) <= 64) {
        tqa_writer_string(&to, "request_id", request_id);
    }
    put_faults(&to, problem);
    tqa_writer_end(&to);
    tqa_writer_finish(&to);
    assert(!to.text.failed);
    out[to.text.n] = '\0';
    return to.text.n;
}
