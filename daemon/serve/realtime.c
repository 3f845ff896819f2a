/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/realtime.c - the scheduling class of an I/O thread follows what it uses. */
#include "daemon/serve/realtime.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "daemon/scheduling.h"

enum { WINDOW_MS = 1000, MS = 1000000, PARTS_MAX = 6, PARTS = 10 };

static bool set(tqd_realtime *realtime, bool on)
{
    const tqd_scheduling realtime_class = {.policy = SCHED_RR, .priority = 1};
    const tqd_scheduling without = {
        .policy = SCHED_OTHER, .nice = realtime->nice, .runtime = TQD_SHORT_SLICE_NS};
    const bool good = tqd_scheduling_set(on ? realtime_class : without);
    realtime->on = good ? on : realtime->on;
    return good;
}

static int64_t processor_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 * MS + used.tv_nsec;
}

bool tqd_realtime_begin(tqd_realtime *realtime, int64_t now_ms)
{
    *realtime = (tqd_realtime){
        .nice = getpriority(PRIO_PROCESS, 0), .at_ms = now_ms, .processor_ns = processor_ns()};
    realtime->wanted = set(realtime, true);
    return realtime->wanted;
}

void tqd_realtime_check(tqd_realtime *realtime, int64_t now_ms)
{
    const int64_t passed_ms = now_ms - realtime->at_ms;
    if (!realtime->wanted || passed_ms < WINDOW_MS) {
        return;
    }
    const int64_t now_ns = processor_ns();
    const bool is_much = (now_ns - realtime->processor_ns) * PARTS > passed_ms * MS * PARTS_MAX;
    realtime->at_ms = now_ms;
    realtime->processor_ns = now_ns;
    if (is_much == realtime->on) {
        (void)set(realtime, !is_much);
    }
}
