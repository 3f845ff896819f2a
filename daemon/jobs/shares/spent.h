/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares/spent.h - the time that the jobs of each client have had of the runners of
 * this process. */
#ifndef TQD_JOBS_SPENT_H
#define TQD_JOBS_SPENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/jobs.h"

enum { TQD_SPENT_MAX = 256 }; /* as many as there are tokens */

/* A bucket for each client that has a quota: what its jobs take flows in, a quota an hour flows
 * out. A job that is longer than the quota is paid for afterwards. */
typedef struct tqd_spent {
    pthread_mutex_t mutex; /* a leaf; guards what follows */
    size_t n;
    struct {
        char client[TQD_JOB_CLIENT_TEXT];
        double level_s;
        int64_t at_ms; /* of the level */
    } rows[TQD_SPENT_MAX];
} tqd_spent;

/* Adds the seconds that a job of the client has run, under a quota (> 0) of seconds an hour.
 * now_ms: a clock that only advances. When the table is full, the row of the lowest level gives
 * way. Any thread. */
void tqd_spent_add(tqd_spent *spent, const char *client, uint64_t hourly_s, double s,
                   int64_t now_ms);

/* Seconds until the client is below the quota again; 0: it is. Any thread. */
double tqd_spent_wait(tqd_spent *spent, const char *client, uint64_t hourly_s, int64_t now_ms);

/* The client in row i; false: there is no such row. Any thread. */
bool tqd_spent_client(tqd_spent *spent, size_t i, char ret[TQD_JOB_CLIENT_TEXT]);

#endif
