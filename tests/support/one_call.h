/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/one_call.h - one request through api/operation.h, from bytes to bytes. */
#ifndef TQT_ONE_CALL_H
#define TQT_ONE_CALL_H

#include <stddef.h>

#include "api/operation.h"
#include "api/robots/parsed.h"

/* Options of a call. All zero: the whole body, as JSON, in this thread. */
typedef struct tqt_call_options {
    const char *operation; /* NULL: inverse-dynamics */
    tqa_media content, accept;
    const char *query;
    size_t cut;           /* the body is fed in two pieces, split at this byte; 0: whole, with its
                             length stated before as by a Content-Length */
    size_t step;          /* or in pieces of this many bytes */
    size_t room;          /* size of the buffer for the answer; 0: 64 KiB */
    bool look;            /* takes the bytes available in place before each read */
    const tqa_host *host; /* NULL: a host with parallel_for only */
    bool backwards;       /* parallel_for runs the blocks from the last to the first */
    bool ahead;           /* computes blocks while the body is fed, the last published block
                             first */
    bool idle;            /* publishes these blocks, but computes one less */
} tqt_call_options;

/* Result of a call. */
typedef struct tqt_answer {
    int status; /* 200, or the problem's */
    tqa_problem problem;
    char *text; /* malloc'ed and NUL-terminated; NULL when refused */
    size_t n;
    size_t n_ready;  /* blocks published early */
    size_t n_looked; /* bytes of the text that were available in place */
} tqt_answer;

/* Starts api at its first use. Pieces are copied to their exact size, so that AddressSanitizer
 * detects reads beyond them. */
tqt_answer tqt_call(const tqa_robot *robot, const char *body, size_t n, tqt_call_options options);
void tqt_answer_clear(tqt_answer *answer);

/* A parsed built-in robot; ends the test if there is none of this name. */
tqa_robot *tqt_builtin(const char *name);

/* Parses URDF text; ends the test on an error. */
tqa_robot *tqt_urdf(const char *text);

#endif
