/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_jobs_kept.c - retention of finished jobs, and deletion by a filter.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "daemon/store/jobs.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(jobs_kept, .init = setup, .fini = teardown, .timeout = 100);

enum { LONG_MS = 1000000 };

static void assert_status(tqd_store_status got, tqd_store_status wanted)
{
    cr_assert(eq(int, (int)got, (int)wanted));
}

static void submit(char ret_id[TQD_JOB_ID_TEXT], bool waited)
{
    tqd_job_id_make(ret_id);
    tqd_job_submit op = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                         .id = ret_id,
                         .kind = "drive",
                         .robot = "",
                         .robot_digest = "",
                         .client = "me",
                         .waited = waited,
                         .request = {.media = "application/json", .bytes = "{}", .size = 2}};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    cr_assert(eq(int, op.job.waited, waited));
}

static tqd_job claim(void)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "node-1", .lease_ms = LONG_MS};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    return op.job;
}

static void finish(const tqd_job *job, tqd_job_state state)
{
    tqd_job_finish op = {
        .write.kind = TQD_WRITE_JOB_FINISH, .id = job->id, .fence = job->fence, .state = state};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
}

/* However much waits: no deletion of finished jobs makes it less. */
Test(jobs_kept, waiting_jobs_displace_no_finished_one)
{
    char ids[5][TQD_JOB_ID_TEXT];
    submit(ids[0], false);
    const tqd_job claimed = claim();
    finish(&claimed, TQD_JOB_SUCCEEDED);
    for (int i = 1; i < 5; i++) {
        submit(ids[i], false);
    }
    tqd_job_retain op = {.write.kind = TQD_WRITE_JOB_RETAIN,
                         .age_ms = LONG_MS,
                         .age_waited_ms = LONG_MS,
                         .bytes_max = 2,
                         .limit = 9};
    tqd_store_write(store, &op.write); /* 10 bytes, 8 of them wait */
    cr_assert(eq(u32, op.n_job, 0));
    op.bytes_max = 1;
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 1));
}

/* Two that are waited for, one of them kept afterwards, and one that is not. */
Test(jobs_kept, retention_of_jobs_waited_for)
{
    char ids[3][TQD_JOB_ID_TEXT];
    for (int i = 0; i < 3; i++) {
        submit(ids[i], i < 2);
        const tqd_job claimed = claim();
        cr_assert(eq(int, claimed.waited, i < 2));
        finish(&claimed, TQD_JOB_SUCCEEDED);
    }
    tqd_job_keep keep = {.write.kind = TQD_WRITE_JOB_KEEP, .id = ids[1]};
    assert_status(tqd_store_write(store, &keep.write), TQD_STORE_OK);
    keep.id = "none";
    assert_status(tqd_store_write(store, &keep.write), TQD_STORE_NOT_FOUND);
    tqd_job_retain op = {.write.kind = TQD_WRITE_JOB_RETAIN,
                         .age_ms = LONG_MS,
                         .age_waited_ms = LONG_MS,
                         .bytes_max = UINT64_MAX,
                         .limit = 9};
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 0), "none is old enough");
    op.age_waited_ms = -1;
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 1));
    tqd_job job;
    assert_status(tqd_store_job(store, ids[0], &job), TQD_STORE_NOT_FOUND);
    assert_status(tqd_store_job(store, ids[1], &job), TQD_STORE_OK);
    assert_status(tqd_store_job(store, ids[2], &job), TQD_STORE_OK);
}

Test(jobs_kept, purge_deletes_finished_ones_in_steps)
{
    for (int i = 0; i < 9; i++) {
        char id[TQD_JOB_ID_TEXT];
        submit(id, false);
        if (i < 7) {
            const tqd_job claimed = claim();
            if (i < 6) {
                finish(&claimed, i % 3 == 0 ? TQD_JOB_FAILED : TQD_JOB_SUCCEEDED);
            }
        }
    }
    tqd_job_purge op = {.filter = {.states = 1 << TQD_JOB_SUCCEEDED, .limit = 3}};
    const uint32_t steps[] = {3, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        op.write = (tqd_write){.kind = TQD_WRITE_JOB_PURGE};
        assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
        cr_assert(eq(u32, op.n_job, steps[i]), "step %zu", i);
        op.filter.before_seq = op.last_seq;
    }
    op.filter = (tqd_job_filter){.limit = 100};
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 2), "any state: the finished ones");
    op.filter.states = 1 << TQD_JOB_RUNNING;
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 0));
    tqd_job_counts counts;
    tqd_store_job_counts(store, &counts);
    cr_assert(eq(u64, counts.n[TQD_JOB_RUNNING], 1));
    cr_assert(eq(u64, counts.n[TQD_JOB_QUEUED], 2));
}
