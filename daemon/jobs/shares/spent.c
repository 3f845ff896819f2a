/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares/spent.c - a leaky bucket of seconds for each client. */
#include "daemon/jobs/shares/spent.h"

#include <assert.h>
#include <string.h>

static const double hour_s = 3600.0;

/* TQD_SPENT_MAX: it has no row. The caller holds the lock. */
static size_t find(const tqd_spent *spent, const char *client)
{
    for (size_t k = 0; k < spent->n; k++) {
        if (strcmp(spent->rows[k].client, client) == 0) {
            return k;
        }
    }
    return TQD_SPENT_MAX;
}

static size_t make_row(tqd_spent *spent, const char *client, int64_t now_ms)
{
    size_t k = 0;
    if (spent->n < TQD_SPENT_MAX) {
        k = spent->n++;
    } else {
        for (size_t i = 1; i < TQD_SPENT_MAX; i++) {
            k = spent->rows[i].level_s < spent->rows[k].level_s ? i : k;
        }
    }
    const size_t n = strnlen(client, TQD_JOB_CLIENT_TEXT - 1);
    memcpy(spent->rows[k].client, client, n);
    spent->rows[k].client[n] = '\0';
    spent->rows[k].level_s = 0.0;
    spent->rows[k].at_ms = now_ms;
    return k;
}

static void drain(tqd_spent *spent, size_t k, uint64_t hourly_s, int64_t now_ms)
{
    const double passed_s = 1e-3 * (double)(now_ms - spent->rows[k].at_ms);
    const double level_s = spent->rows[k].level_s - passed_s * (double)hourly_s / hour_s;
    spent->rows[k].level_s = level_s > 0.0 ? level_s : 0.0;
    spent->rows[k].at_ms = now_ms;
}

void tqd_spent_add(tqd_spent *spent, const char *client, uint64_t hourly_s, double s,
                   int64_t now_ms)
{
    assert(hourly_s > 0);
    pthread_mutex_lock(&spent->mutex);
    size_t k = find(spent, client);
    k = k < TQD_SPENT_MAX ? k : make_row(spent, client, now_ms);
    drain(spent, k, hourly_s, now_ms);
    spent->rows[k].level_s += s;
    pthread_mutex_unlock(&spent->mutex);
}

double tqd_spent_wait(tqd_spent *spent, const char *client, uint64_t hourly_s, int64_t now_ms)
{
    double over_s = 0.0;
    assert(hourly_s > 0);
    pthread_mutex_lock(&spent->mutex);
    const size_t k = find(spent, client);
    if (k < TQD_SPENT_MAX) {
        drain(spent, k, hourly_s, now_ms);
        over_s = spent->rows[k].level_s - (double)hourly_s;
    }
    pthread_mutex_unlock(&spent->mutex);
    return over_s > 0.0 ? over_s * hour_s / (double)hourly_s : 0.0;
}

bool tqd_spent_client(tqd_spent *spent, size_t i, char ret[TQD_JOB_CLIENT_TEXT])
{
    pthread_mutex_lock(&spent->mutex);
    const bool there = i < spent->n;
    if (there) {
        memcpy(ret, spent->rows[i].client, TQD_JOB_CLIENT_TEXT);
    }
    pthread_mutex_unlock(&spent->mutex);
    return there;
}
