/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_realtime.c - an I/O thread leaves the real-time class after a second
 * in which it used most of a core, and enters it again after one in which it did not. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <sched.h>
#include <time.h>

#include "daemon/serve/realtime.h"

static int64_t used_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void use(int64_t ms)
{
    for (const int64_t end = used_ms() + ms; used_ms() < end;) {
    }
}

/* The clock is the test's own; processor time is real. */
Test(realtime, is_left_by_a_thread_that_needs_its_core, .timeout = 60)
{
    tqd_realtime realtime;
    int64_t now_ms = 1000000;
    if (!tqd_realtime_begin(&realtime, now_ms)) {
        cr_skip("no real-time class for this user");
    }
    cr_assert(eq(int, sched_getscheduler(0), SCHED_RR));
    use(650);
    tqd_realtime_check(&realtime, now_ms + 999); /* the second is not over */
    cr_assert(eq(int, sched_getscheduler(0), SCHED_RR));
    tqd_realtime_check(&realtime, now_ms += 1000);
    cr_assert(eq(int, sched_getscheduler(0), SCHED_OTHER));
    use(700);
    tqd_realtime_check(&realtime, now_ms += 1000);
    cr_assert(eq(int, sched_getscheduler(0), SCHED_OTHER));
    use(100);
    tqd_realtime_check(&realtime, now_ms += 1000);
    cr_assert(eq(int, sched_getscheduler(0), SCHED_RR));
}

Test(realtime, is_not_entered_unless_wanted)
{
    tqd_realtime realtime = {.wanted = false};
    tqd_realtime_check(&realtime, 5000);
    cr_assert(not(realtime.on));
    cr_assert(eq(int, sched_getscheduler(0), SCHED_OTHER));
}
