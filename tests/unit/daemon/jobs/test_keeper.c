/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_keeper.c - every event of the store becomes news, whenever the keeper
 * begins. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <time.h>

#include "daemon/jobs/inside.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(keeper, .init = setup, .fini = teardown, .timeout = 100);

static tqd_jobs *new_jobs(void)
{
    static const tqa_world world;
    const tqd_jobs_options options = {
        .store = store, .world = &world, .state = folder, .lease_ms = 100000, .watch_max = 8};
    char why[TQD_STORE_WHY];
    tqd_jobs *jobs = tqd_jobs_new(&options, why);
    cr_assert(jobs != NULL);
    return jobs;
}

static void *keep(void *jobs)
{
    tqd_jobs_keep(jobs);
    return NULL;
}

Test(keeper, a_job_that_came_before_the_keeper_is_news)
{
    char before[TQD_JOB_ID_TEXT];
    char first[TQD_JOB_ID_TEXT];
    submit_job(before); /* a former process told it */
    tqd_jobs *jobs = new_jobs();
    uint64_t told = 0;
    uint64_t seq = 0;
    uint64_t position = tqd_feed_end(&jobs->feed, &told);
    submit_job(first); /* a connection's thread was quicker than the keeper's */
    tqd_jobs_changed(jobs, true);
    pthread_t keeper;
    cr_assert(eq(int, pthread_create(&keeper, NULL, keep, jobs), 0));
    const uint64_t begin = position;
    while (tqd_feed_end(&jobs->feed, &seq) == begin) { /* the suite's timeout ends it */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    tqd_news news[2];
    bool lost = false;
    cr_assert(eq(sz, tqd_feed_read(&jobs->feed, "", &position, news, 2, &lost), 1));
    cr_assert(eq(str, news[0].id, first));
    cr_assert(eq(int, (int)news[0].state, TQD_JOB_QUEUED));
    cr_assert(news[0].seq == seq && seq > told && !lost);
    tqd_jobs_stop(jobs);
    pthread_join(keeper, NULL);
    tqd_jobs_free(jobs);
}
