/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/spin.c - adaptive busy-polling: a slow sched_yield shows that cores are contended,
 * and stops it for all threads. */
#include "daemon/queue/spin.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum {
    YIELD_NS = 20000,       /* a yield without contention takes less than 1 us */
    BACKOFF_NS = 100000000, /* no busy-polling for so long after contention */
};

static _Atomic int64_t contended_until_ns;

int64_t tqd_spin_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t tqd_spin_begin(void)
{
    const int64_t now_ns = tqd_spin_now();
    return now_ns < atomic_load_explicit(&contended_until_ns, memory_order_relaxed)
               ? 0
               : now_ns + TQD_SPIN_NS;
}

bool tqd_spin_again(int64_t until_ns)
{
    const int64_t before_ns = tqd_spin_now();
    if (before_ns >= until_ns) {
        return false;
    }
    sched_yield();
    const int64_t after_ns = tqd_spin_now();
    if (after_ns - before_ns > YIELD_NS) {
        atomic_store_explicit(&contended_until_ns, after_ns + BACKOFF_NS, memory_order_relaxed);
        return false;
    }
    return after_ns < until_ns;
}
