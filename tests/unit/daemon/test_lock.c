/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/test_lock.c - who holds a mutex runs at the priority of the real-time thread
 * that waits for it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/lock.h"

enum { RR_PRIORITY = 1, BOOSTED = -1 - RR_PRIORITY }; /* as /proc shows it */

static pthread_mutex_t mutex;
static atomic_bool refused;

/* Field 18 of /proc/thread-self/stat, the command's name is without spaces. */
static long own_priority(void)
{
    long priority = 0;
    FILE *stat = fopen("/proc/thread-self/stat", "r");
    cr_assert(stat != NULL);
    const int n = fscanf(
        stat, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld", &priority);
    fclose(stat);
    cr_assert(eq(int, n, 1));
    return priority;
}

static void *wait_for_it(void *arg)
{
    const struct sched_param rr = {.sched_priority = RR_PRIORITY};
    (void)arg;
    if (pthread_setschedparam(pthread_self(), SCHED_RR, &rr) != 0) {
        atomic_store(&refused, true);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

Test(lock, inherits_priority, .timeout = 60)
{
    pthread_t waiter;
    tqd_lock_init(&mutex);
    pthread_mutex_lock(&mutex);
    cr_assert(ge(long, own_priority(), 0L));
    cr_assert(eq(int, pthread_create(&waiter, NULL, wait_for_it, NULL), 0));
    while (own_priority() != BOOSTED && !atomic_load(&refused)) {
        sched_yield();
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(waiter, NULL);
    pthread_mutex_destroy(&mutex);
    if (atomic_load(&refused)) {
        cr_skip("no real-time class for this user");
    }
    cr_assert(ge(long, own_priority(), 0L));
}
