/* SPDX-License-Identifier: Apache-2.0 */
/* api/problem.h - what went wrong, as an RFC 9457 problem document. */
#ifndef TQA_PROBLEM_H
#define TQA_PROBLEM_H

#include <stddef.h>

#include "core/base/status.h"

enum { TQA_PROBLEM_FAULTS = 8, TQA_PROBLEM_TEXT = 256, TQA_POINTER_TEXT = 128 };

/* One fault in a request body. */
typedef struct tqa_fault {
    char pointer[TQA_POINTER_TEXT]; /* RFC 6901, "" for the whole body */
    char detail[TQA_PROBLEM_TEXT];
    char
        hint[TQA_PROBLEM_TEXT]; /* what to change so that it works; "" if there is nothing to say */
} tqa_fault;

/* A plain value: no allocation, may be copied. */
typedef struct tqa_problem {
    int status;       /* HTTP; 0: no problem */
    const char *slug; /* constant; `type` in the document is "/problems/" + slug */
    const char *title;
    char detail[TQA_PROBLEM_TEXT];
    size_t n_fault; /* <= TQA_PROBLEM_FAULTS; later ones are dropped */
    tqa_fault faults[TQA_PROBLEM_FAULTS];
    unsigned retry_after_s; /* 0: no Retry-After */
    const char *allow;      /* for 405: the methods; else NULL */
} tqa_problem;

/* Starts a problem: slug must be one of the table in problem.c, which gives status and title.
 * Returns its HTTP status. */
int tqa_problem_set(tqa_problem *problem, const char *slug, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a fault with its place. `format` makes the detail; hint may be NULL. */
void tqa_problem_fault(tqa_problem *problem, const char *pointer, const char *hint,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Starts a problem from a core status (a switch without default: every new status needs its HTTP
 * code here). */
int tqa_problem_from_status(tqa_problem *problem, tq_status status, const tq_error *error);

/* Prints the document, with request_id, into `out` and returns its length (always < size; a
 * document is at most 8 KiB). */
size_t tqa_problem_print(const tqa_problem *problem, const char *request_id, char *out,
                         size_t size);

#endif
