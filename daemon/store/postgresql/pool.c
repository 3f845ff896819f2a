/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/pool.c - connections for reads. */
#include "daemon/store/postgresql/pool.h"

enum { IDLE_MAX = 8, RETRY_MS = 1000 };

void tqd_pool_init(tqd_pool *pool, const char *uri)
{
    *pool = (tqd_pool){.uri = uri};
    pthread_mutex_init(&pool->mutex, NULL);
}

static void drop_idle(tqd_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    tqd_session *first = pool->idle;
    pool->idle = NULL;
    pool->n_idle = 0;
    pthread_mutex_unlock(&pool->mutex);
    while (first != NULL) {
        tqd_session *next = first->next;
        tqd_session_close(first);
        first = next;
    }
}

void tqd_pool_clear(tqd_pool *pool)
{
    drop_idle(pool);
    pthread_mutex_destroy(&pool->mutex);
}

tqd_session *tqd_pool_take(tqd_pool *pool)
{
    char why[TQD_STORE_WHY];
    pthread_mutex_lock(&pool->mutex);
    tqd_session *session = pool->idle;
    const bool is_refused =
        pool->is_down && (pool->n_opening > 0 || tqd_pg_clock_ms() < pool->retry_at_ms);
    if (session != NULL) {
        pool->idle = session->next;
        pool->n_idle--;
    } else if (!is_refused) {
        pool->n_opening++;
    }
    pthread_mutex_unlock(&pool->mutex);
    if (session != NULL || is_refused) {
        return session;
    }
    session = tqd_session_open(pool->uri, why);
    pthread_mutex_lock(&pool->mutex);
    pool->n_opening--;
    pool->is_down = session == NULL;
    pool->retry_at_ms = tqd_pg_clock_ms() + RETRY_MS;
    pthread_mutex_unlock(&pool->mutex);
    return session;
}

tqd_session *tqd_pool_take_live(tqd_pool *pool)
{
    for (int i = 0; i < 2; i++) {
        tqd_session *session = tqd_pool_take(pool);
        if (session == NULL) {
            return NULL;
        }
        PQclear(tqd_query(session, "SELECT 1", NULL));
        if (tqd_session_is_good(session)) {
            return session;
        }
        tqd_pool_give(pool, session);
    }
    return NULL;
}

void tqd_pool_give(tqd_pool *pool, tqd_session *session)
{
    const bool good = tqd_session_is_good(session);
    session->silence_ms = TQD_SILENCE_MS;
    pthread_mutex_lock(&pool->mutex);
    const bool keep = good && pool->n_idle < IDLE_MAX;
    if (keep) {
        session->next = pool->idle;
        pool->idle = session;
        pool->n_idle++;
    } else if (session->is_unanswered) {
        pool->is_down = true;
        pool->retry_at_ms = tqd_pg_clock_ms() + RETRY_MS;
    }
    pthread_mutex_unlock(&pool->mutex);
    if (!keep) {
        tqd_session_close(session);
    }
    if (!good) {
        drop_idle(pool);
    }
}
