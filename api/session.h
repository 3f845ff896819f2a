/* SPDX-License-Identifier: Apache-2.0 */
/* api/session.h - the door to sessions: simulated robots that a client's own controller drives,
 * step by step. */
#ifndef TQA_SESSION_H
#define TQA_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/host.h"
#include "api/media.h"
#include "api/problem.h"

/* One simulated robot with its history. Not thread-safe: one thread at a time may hold it. */
typedef struct tqa_session tqa_session;

/* The body of a request, borrowed for the call: JSON, CBOR, or NONE. */
typedef struct tqa_session_body {
    tqa_media content;
    const char *bytes;
    size_t n;
} tqa_session_body;

enum {
    TQA_SESSION_BODY_MAX = 4 << 20, /* maximum size of the request that opens a session, bytes */
    TQA_SESSION_STEP_MAX = 1 << 20, /* maximum size of all other requests, bytes */
};

/* Opens a session; the robot comes from the host, which must outlive it. `bytes_max`: memory that
 * it may hold. NULL with the problem. For workers: it may read a robot from the disk. */
tqa_session *tqa_session_open(const tqa_session_body *body, const tqa_host *host, size_t bytes_max,
                              tqa_problem *reterr);
/* Forks `from` at one of its steps: a second session that continues from there. Returns and
 * threads as tqa_session_open. */
tqa_session *tqa_session_fork(const tqa_session *from, const tqa_session_body *body,
                              size_t bytes_max, tqa_problem *reterr);
void tqa_session_close(tqa_session *session); /* accepts NULL */

/* Memory of the session, bytes; constant. */
size_t tqa_session_bytes(const tqa_session *session);

/* Reads a request for steps, which tqa_session_step then makes. False: the problem is set, and
 * nothing has changed. */
bool tqa_session_read_step(tqa_session *session, const tqa_session_body *body, tqa_problem *reterr);
/* Estimated cost of the steps that tqa_session_read_step has read, microseconds. */
double tqa_session_cost_us(const tqa_session *session);
/* Makes the steps and returns their number. Cannot fail: a motion that ends is an answer. */
uint64_t tqa_session_step(tqa_session *session);

/* Rewinds the session. False: the problem is set, and nothing has changed. */
bool tqa_session_rewind(tqa_session *session, const tqa_session_body *body, tqa_problem *reterr);

/* Members of an answer that the process owns: id, time to expiry. */
typedef struct tqa_session_about {
    const char *id;
    int64_t expires_in_s;
} tqa_session_about;

/* The whole session, or (about NULL) its state: malloc'ed text of JSON or CBOR. NULL: memory is
 * short, or a number is not finite, with the problem. */
char *tqa_session_answer(tqa_session *session, const tqa_session_about *about, tqa_media accept,
                         size_t *ret_n, tqa_problem *reterr);

/* Names of robot and digest for a list. */
const char *tqa_session_robot(const tqa_session *session);
const char *tqa_session_robot_digest(const tqa_session *session);

#endif
