/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/pool.h - connections for reads, shared by all threads; private to this
 * folder. */
#ifndef TQD_STORE_POSTGRESQL_POOL_H
#define TQD_STORE_POSTGRESQL_POOL_H

#include <pthread.h>

#include "daemon/store/postgresql/postgresql.h"

typedef struct tqd_pool {
    const char *uri;
    pthread_mutex_t mutex; /* guards everything below */
    tqd_session *idle;
    size_t n_idle;
    size_t n_opening;
    bool is_down; /* the last attempt to connect has failed */
    int64_t retry_at_ms;
} tqd_pool;

void tqd_pool_init(tqd_pool *pool, const char *uri); /* keeps `uri` */
void tqd_pool_clear(tqd_pool *pool);

/* An idle connection, or a new one. NULL: the server cannot be reached. One thread a second tries;
 * for the others it is NULL at once, since an attempt may take seconds of a worker. */
tqd_session *tqd_pool_take(tqd_pool *pool);

/* One that has just answered. */
tqd_session *tqd_pool_take_live(tqd_pool *pool);

/* Gives it back. A lost one is closed, and all that are idle with it. */
void tqd_pool_give(tqd_pool *pool, tqd_session *session);

#endif
