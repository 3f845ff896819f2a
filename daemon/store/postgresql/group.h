/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/group.h - the writer's connection, and groups of writes on it; private to
 * this folder. */
#ifndef TQD_STORE_POSTGRESQL_GROUP_H
#define TQD_STORE_POSTGRESQL_GROUP_H

#include "daemon/store/postgresql/postgresql.h"

/* Used by the writer's thread only. */
typedef struct tqd_writer {
    const char *uri;
    tqd_session *session; /* NULL: lost */
    int64_t retry_at_ms;  /* not to be connected before, CLOCK_MONOTONIC */
    uint64_t n_commit;    /* of the last commit */
    uint64_t n_lost;      /* commits seen before that another history has replaced */
} tqd_writer;

/* Runs a list of writes, in pieces of one transaction each, in order; sets the status of every one.
 * While there is no connection that is BROKEN at once, but for one attempt a second. */
void tqd_writer_run(tqd_writer *writer, tqd_write *list);

#endif
