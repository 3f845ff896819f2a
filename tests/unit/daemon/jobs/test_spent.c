/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_spent.c - the bucket of seconds against its formula. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "daemon/jobs/shares/spent.h"

static tqd_spent spent;

static void setup(void)
{
    memset(&spent, 0, sizeof spent);
    pthread_mutex_init(&spent.mutex, NULL);
}

TestSuite(spent, .init = setup, .timeout = 60);

static void assert_wait(const char *client, uint64_t hourly_s, int64_t at_ms, double wanted_s)
{
    const double got_s = tqd_spent_wait(&spent, client, hourly_s, at_ms);
    cr_assert_float_eq(got_s, wanted_s, 1e-6, "%s at %lld: %g, not %g", client, (long long)at_ms,
                       got_s, wanted_s);
}

/* q seconds at once, then q an hour: wait = (level - q) 3600 / q */
Test(spent, a_quota_may_be_taken_at_once_and_refills_in_an_hour)
{
    assert_wait("ann", 60, 0, 0.0);
    tqd_spent_add(&spent, "ann", 60, 60.0, 0);
    assert_wait("ann", 60, 0, 0.0);
    tqd_spent_add(&spent, "ann", 60, 1.5, 0);
    assert_wait("ann", 60, 0, 90.0);
    assert_wait("ann", 60, 30000, 60.0);
    assert_wait("bob", 60, 0, 0.0);
    assert_wait("ann", 60, 90000, 0.0);
    tqd_spent_add(&spent, "ann", 60, 3600.0, 90000); /* a long one is paid for */
    assert_wait("ann", 60, 90000, 60.0 * 3600.0);
}

/* an empty bucket stays empty however long it is left */
Test(spent, time_without_jobs_is_not_saved)
{
    tqd_spent_add(&spent, "ann", 10, 10.0, 0);
    assert_wait("ann", 10, 1000LL * 3600 * 24 * 365, 0.0);
    tqd_spent_add(&spent, "ann", 10, 11.0, 1000LL * 3600 * 24 * 365);
    assert_wait("ann", 10, 1000LL * 3600 * 24 * 365, 360.0);
}

/* raised or lowered by a reload: the level is the same, its brim another */
Test(spent, another_quota_holds_from_now_on)
{
    tqd_spent_add(&spent, "ann", 10, 20.0, 0);
    assert_wait("ann", 10, 0, 3600.0);
    assert_wait("ann", 40, 0, 0.0);
    assert_wait("ann", 5, 0, 15.0 * 3600.0 / 5.0);
}

Test(spent, the_fullest_rows_stay_in_a_full_table)
{
    char name[16];
    for (int i = 0; i < TQD_SPENT_MAX; i++) {
        snprintf(name, sizeof name, "c%d", i);
        tqd_spent_add(&spent, name, 1, i == 7 ? 0.5 : 2.0, 0);
    }
    tqd_spent_add(&spent, "new", 1, 3.0, 0);
    assert_wait("new", 1, 0, 7200.0);
    assert_wait("c8", 1, 0, 3600.0);
    size_t n = 0;
    bool has_lowest = false;
    while (tqd_spent_client(&spent, n, (char[TQD_JOB_CLIENT_TEXT]){0})) {
        has_lowest = has_lowest || strcmp(spent.rows[n].client, "c7") == 0;
        n++;
    }
    cr_assert(n == TQD_SPENT_MAX && !has_lowest);
}
