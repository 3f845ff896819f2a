/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_keeper.c - every event of the store is published, whenever the keeper
 * starts. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <time.h>

#include "daemon/jobs/jobs_private.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(keeper, .init = setup, .fini = teardown, .timeout = 100);

static tqd_jobs *new_jobs(void)
{
    static const tqa_host host;
    const tqd_jobs_options options = {
        .store = store, .host = &host, .state = folder, .lease_ms = 100000, .watch_max = 8};
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

/* A running keeper, and a job claimed by runner 0 with its fencing token. */
static tqd_jobs *claimed_jobs(pthread_t *ret_keeper, char id[TQD_JOB_ID_TEXT])
{
    tqd_jobs *jobs = new_jobs();
    jobs->options.lease_ms = 30; /* a heartbeat every 10 ms */
    cr_assert(eq(int, pthread_create(ret_keeper, NULL, keep, jobs), 0));
    pthread_mutex_lock(&jobs->mutex);
    while (!jobs->recovered) { /* it takes what is claimed before for a former process's */
        pthread_cond_wait(&jobs->queued, &jobs->mutex);
    }
    pthread_mutex_unlock(&jobs->mutex);
    submit_job(id);
    tqd_job_claim claim = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "n", .lease_ms = 100000};
    cr_assert(eq(int, (int)tqd_store_write(store, &claim.write), TQD_STORE_OK));
    pthread_mutex_lock(&jobs->runners[0].mutex);
    jobs->runners[0].job = claim.job;
    jobs->runners[0].busy = true;
    pthread_mutex_unlock(&jobs->runners[0].mutex);
    atomic_store(&jobs->n_started, 1);
    return jobs;
}

static void end_jobs(tqd_jobs *jobs, pthread_t keeper)
{
    jobs->runners[0].busy = false;
    tqd_jobs_stop(jobs);
    pthread_join(keeper, NULL);
    tqd_jobs_free(jobs);
}

/* A cancellation requested by another process in the store reaches the run by its heartbeat. */
Test(keeper, a_heartbeat_returns_a_cancellation)
{
    char id[TQD_JOB_ID_TEXT];
    pthread_t keeper;
    tqd_jobs *jobs = claimed_jobs(&keeper, id);
    cr_assert(not(atomic_load(&jobs->runners[0].cancelled)));
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = id};
    cr_assert(eq(int, (int)tqd_store_write(store, &cancel.write), TQD_STORE_OK));
    while (!atomic_load(&jobs->runners[0].cancelled)) { /* the suite's timeout ends it */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert(not(atomic_load(&jobs->runners[0].lost)));
    end_jobs(jobs, keeper);
}

Test(keeper, a_heartbeat_reports_a_lost_lease)
{
    char id[TQD_JOB_ID_TEXT];
    pthread_t keeper;
    tqd_jobs *jobs = claimed_jobs(&keeper, id);
    tqd_job_release release = {
        .write.kind = TQD_WRITE_JOB_RELEASE, .id = id, .fence = jobs->runners[0].job.fence};
    cr_assert(eq(int, (int)tqd_store_write(store, &release.write), TQD_STORE_OK));
    while (!atomic_load(&jobs->runners[0].lost)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert(not(atomic_load(&jobs->runners[0].cancelled)));
    end_jobs(jobs, keeper);
}

Test(keeper, a_job_submitted_before_the_keeper_started_is_published)
{
    char before[TQD_JOB_ID_TEXT];
    char first[TQD_JOB_ID_TEXT];
    submit_job(before); /* already published by a former process */
    tqd_jobs *jobs = new_jobs();
    uint64_t last_seq = 0;
    uint64_t seq = 0;
    uint64_t position = tqd_event_hub_end(&jobs->hub, &last_seq);
    submit_job(first); /* submitted by a connection's thread before the keeper starts */
    tqd_jobs_changed(jobs, true);
    pthread_t keeper;
    cr_assert(eq(int, pthread_create(&keeper, NULL, keep, jobs), 0));
    const uint64_t begin = position;
    while (tqd_event_hub_end(&jobs->hub, &seq) == begin) { /* the suite's timeout ends it */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    char text[2 * TQD_HUB_EVENT_BYTES];
    char queued[256];
    tqd_hub_page page = {.text = text, .size = sizeof text - 1};
    const tqd_head head = {.who = NULL};
    const tqd_watch all = {.head = &head};
    tqd_event_hub_read(&jobs->hub, &all, &position, &page);
    text[page.n_text] = '\0';
    (void)snprintf(queued, sizeof queued, "{\"job\":\"%s\",\"state\":\"queued\"", first);
    cr_assert(all(eq(sz, page.n_event, (size_t)1), not(page.lost)));
    cr_assert(ne(ptr, strstr(text, queued), NULL), "%s", text);
    cr_assert(all(eq(u64, page.last_seq, seq), gt(u64, seq, last_seq)));
    tqd_jobs_stop(jobs);
    pthread_join(keeper, NULL);
    tqd_jobs_free(jobs);
}
