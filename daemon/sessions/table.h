/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/sessions/table.h - the open sessions of the process, by their id and their client. */
#ifndef TQD_SESSIONS_TABLE_H
#define TQD_SESSIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/writer.h"
#include "api/session.h"
#include "daemon/http/bearer.h"

enum { TQD_LOCK_STEP_ID = 33, TQD_LOCK_STEPS_MAX = 65536 };

typedef struct tqd_lock_step_options {
    /* open sessions, and bytes of their memory: in all, and of one named client that is alone
     * (share.h) */
    size_t sessions_max, client_sessions_max;
    uint64_t bytes_max, client_bytes_max;
    int64_t idle_ms; /* idle time after which a session ends */
} tqd_lock_step_options;

/* A session is held by one request at a time: between acquire and release no one else has it. */
typedef struct tqd_lock_steps tqd_lock_steps;

/* NULL: out of memory. */
tqd_lock_steps *tqd_lock_steps_new(const tqd_lock_step_options *options);
void tqd_lock_steps_free(tqd_lock_steps *table); /* accepts NULL; no session may be held */

/* Memory limit of a new session of this client. False: refused, and the problem is set. Any
 * thread. */
bool tqd_lock_steps_room(tqd_lock_steps *table, const tqd_identity *who, size_t *ret_bytes,
                         tqa_problem *reterr);

/* Adds a session and holds it. False: the table is full; the problem is set, and the caller still
 * owns the session. Any thread. */
bool tqd_lock_steps_add(tqd_lock_steps *table, const tqd_identity *who, tqa_session *session,
                        char ret_id[TQD_LOCK_STEP_ID], tqa_problem *reterr);

/* Holds the session of this id. NULL with the problem: 404 where the client has none, 409 while
 * another request holds it. Cost: a short lock. Any thread. */
tqa_session *tqd_lock_steps_acquire(tqd_lock_steps *table, const tqd_identity *who, const char *id,
                                    tqa_problem *reterr);
/* Releases a held session; `steps`: number of steps made, for the metrics. */
void tqd_lock_steps_release(tqd_lock_steps *table, const char *id, uint64_t steps);

/* Ends a session, at once or when the request that holds it is done. False: 404. Any thread. */
bool tqd_lock_steps_remove(tqd_lock_steps *table, const tqd_identity *who, const char *id,
                           tqa_problem *reterr);

/* Writes the sessions that the client may use, as objects of a list. */
void tqd_lock_steps_list(tqd_lock_steps *table, const tqd_identity *who, tqa_writer *list);

/* Idle time after which a session ends, s. */
int64_t tqd_lock_steps_idle_s(const tqd_lock_steps *table);

/* Gauges and counters for /metrics; ends expired sessions first. */
typedef struct tqd_lock_steps_figures {
    uint64_t open, bytes, opened, steps, expired;
} tqd_lock_steps_figures;
void tqd_lock_steps_count(tqd_lock_steps *table, tqd_lock_steps_figures *ret);

#endif
