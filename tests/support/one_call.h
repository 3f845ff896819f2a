/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/one_call.h - one request through the door of api, from bytes to bytes. */
#ifndef TQT_ONE_CALL_H
#define TQT_ONE_CALL_H

#include <stddef.h>

#include "api/operation.h"
#include "api/robots/parsed.h"

/* How a call is made. All zero: whole body, as JSON, in this thread. */
typedef struct tqt_call_options {
    const char *operation; /* NULL: inverse-dynamics */
    tqa_media content, accept;
    const char *query;
    size_t cut;           /* the body is fed in two pieces, cut here; 0: whole, and its length
                               stated before, as by a Content-Length */
    size_t step;          /* or in pieces of this many bytes */
    size_t room;          /* size of the buffer that reads; 0: 64 KiB */
    bool look;            /* takes what lies ready before each read */
    const tqa_host *host; /* NULL: one that only has parallel_for */
    bool backwards;       /* parallel_for runs the blocks from the last to the first */
    bool ahead;           /* computes blocks while the body is fed, the last published first */
    bool idle;            /* publishes such blocks, but computes one less */
} tqt_call_options;

/* What came of it. */
typedef struct tqt_answer {
    int status; /* 200, or the problem's */
    tqa_problem problem;
    char *text; /* malloc'ed and NUL-terminated; NULL when refused */
    size_t n;
    size_t n_ready;  /* blocks published early */
    size_t n_looked; /* bytes of the text that lay ready */
} tqt_answer;

/* Starts api on its first use. Pieces are exactly sized copies, so that AddressSanitizer detects
 * reads beyond them. */
tqt_answer tqt_call(const tqa_robot *robot, const char *body, size_t n, tqt_call_options options);
void tqt_answer_clear(tqt_answer *answer);

/* A parsed built-in robot; ends the test when there is none of this name. */
tqa_robot *tqt_builtin(const char *name);

/* Parses URDF text; ends the test when it is refused. */
tqa_robot *tqt_urdf(const char *text);

#endif
