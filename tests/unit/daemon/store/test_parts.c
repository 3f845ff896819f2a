/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_parts.c - parts of a running job: claims, leases, fences, failures,
 * their end with the job's; with any engine. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/store/parts.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(parts, .init = setup, .fini = teardown, .timeout = 100);

enum { LONG_MS = 1000000, GONE_MS = -1 }; /* a lease of GONE_MS has expired when it begins */

static tqd_job job;

static void claim_job(const char *node)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = node, .lease_ms = LONG_MS};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    job = op.job;
}

static tqd_store_status open_parts(uint32_t n, const char *version)
{
    tqd_part_open op = {.write.kind = TQD_WRITE_PART_OPEN,
                        .id = job.id,
                        .fence = job.fence,
                        .version = version,
                        .n = n};
    return tqd_store_write(store, &op.write);
}

/* a job that node "home" runs in n parts */
static void begin(uint32_t n)
{
    char id[TQD_JOB_ID_TEXT];
    submit_job(id);
    claim_job("home");
    cr_assert(eq(int, (int)open_parts(n, "1"), TQD_STORE_OK));
}

static tqd_part_claim claimed;

static tqd_store_status claim(const char *node, bool own, int64_t lease_ms)
{
    claimed = (tqd_part_claim){.write.kind = TQD_WRITE_PART_CLAIM,
                               .node = node,
                               .version = "1",
                               .id = own ? job.id : NULL,
                               .fence = own ? job.fence : 0,
                               .lease_ms = lease_ms};
    return tqd_store_write(store, &claimed.write);
}

static void expect_claim(const char *node, bool own, uint32_t part)
{
    cr_assert(eq(int, (int)claim(node, own, LONG_MS), TQD_STORE_OK));
    cr_assert(eq(u32, claimed.part, part));
    cr_assert(eq(str, (char *)claimed.job.id, (char *)job.id));
}

static tqd_store_status beat(uint32_t part, uint64_t fence)
{
    tqd_part_beat op = {.write.kind = TQD_WRITE_PART_BEAT,
                        .id = job.id,
                        .part = part,
                        .fence = fence,
                        .lease_ms = LONG_MS};
    return tqd_store_write(store, &op.write);
}

static tqd_store_status end(uint32_t part, uint64_t fence, tqd_part_state state, const char *bytes)
{
    tqd_part_end op = {.write.kind = TQD_WRITE_PART_END,
                       .id = job.id,
                       .part = part,
                       .fence = fence,
                       .state = state,
                       .bytes = bytes,
                       .size = bytes != NULL ? strlen(bytes) : 0};
    return tqd_store_write(store, &op.write);
}

static void expect_counts(uint32_t n_open, uint32_t n_running, uint32_t n_done, uint32_t n_failed)
{
    tqd_part_counts counts;
    cr_assert(eq(int, (int)tqd_store_parts(store, job.id, &counts), TQD_STORE_OK));
    cr_assert(eq(u32, counts.n_open, n_open));
    cr_assert(eq(u32, counts.n_running, n_running));
    cr_assert(eq(u32, counts.n_done, n_done));
    cr_assert(eq(u32, counts.n_failed, n_failed));
}

static void expect_bytes(uint32_t part, const char *text)
{
    char *bytes = NULL;
    uint64_t size = 0;
    cr_assert(eq(int, (int)tqd_store_part_bytes(store, job.id, part, &bytes, &size), TQD_STORE_OK));
    cr_assert(eq(u64, size, strlen(text)));
    cr_assert(eq(int, memcmp(bytes, text, strlen(text)), 0));
    free(bytes);
}

static void set_drained(bool drained)
{
    tqd_node_drain op = {.write.kind = TQD_WRITE_NODE_DRAIN, .name = "other", .drained = drained};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
}

Test(parts, own_runner_and_others_take_them_in_turn)
{
    begin(3);
    expect_counts(3, 0, 0, 0);
    expect_claim("home", true, 0);
    const uint64_t first = claimed.part_fence;
    cr_assert(claimed.is_first);
    set_drained(true);
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND));
    set_drained(false);
    expect_claim("other", false, 1);
    cr_assert(not(claimed.is_first));
    cr_assert(eq(str, (char *)claimed.job.kind, (char *)"simulate"));
    expect_counts(1, 2, 0, 0);
    cr_assert(eq(int, (int)beat(1, claimed.part_fence), TQD_STORE_OK));
    cr_assert(eq(int, (int)end(1, claimed.part_fence, TQD_PART_DONE, "one"), TQD_STORE_OK));
    cr_assert(eq(int, (int)end(1, claimed.part_fence, TQD_PART_DONE, "two"), TQD_STORE_MISMATCH));
    cr_assert(eq(int, (int)end(0, first, TQD_PART_OPEN, NULL), TQD_STORE_OK));
    expect_claim("other", false, 0);
    cr_assert(eq(int, (int)end(0, first, TQD_PART_DONE, "old"), TQD_STORE_MISMATCH), "fenced");
    cr_assert(eq(int, (int)beat(0, first), TQD_STORE_MISMATCH));
    cr_assert(eq(int, (int)end(0, claimed.part_fence, TQD_PART_DONE, "nil"), TQD_STORE_OK));
    expect_counts(1, 0, 2, 0);
    expect_bytes(0, "nil");
    expect_bytes(1, "one");
    char *bytes = NULL;
    uint64_t size = 0;
    cr_assert(
        eq(int, (int)tqd_store_part_bytes(store, job.id, 2, &bytes, &size), TQD_STORE_NOT_FOUND));
}

Test(parts, a_lease_that_runs_out_opens_a_part)
{
    begin(2);
    cr_assert(eq(int, (int)claim("other", false, GONE_MS), TQD_STORE_OK));
    const uint64_t old = claimed.part_fence;
    expect_counts(2, 0, 0, 0);
    expect_claim("home", true, 0);
    cr_assert(eq(int, (int)end(0, old, TQD_PART_DONE, "late"), TQD_STORE_MISMATCH));
    cr_assert(eq(int, (int)end(0, claimed.part_fence, TQD_PART_DONE, "good"), TQD_STORE_OK));
    expect_bytes(0, "good");
}

/* Every run of a request fails with the problem of its first part that fails. */
Test(parts, the_first_failure_decides)
{
    begin(4);
    expect_claim("other", false, 0);
    const uint64_t zero = claimed.part_fence;
    expect_claim("other", false, 1);
    const uint64_t one = claimed.part_fence;
    expect_claim("other", false, 2);
    cr_assert(eq(int, (int)end(2, claimed.part_fence, TQD_PART_FAILED, NULL), TQD_STORE_OK));
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND), "none after it");
    cr_assert(eq(int, (int)claim("home", true, LONG_MS), TQD_STORE_NOT_FOUND), "others run");
    cr_assert(eq(int, (int)end(1, one, TQD_PART_FAILED, NULL), TQD_STORE_OK));
    cr_assert(eq(int, (int)claim("home", true, LONG_MS), TQD_STORE_NOT_FOUND));
    cr_assert(eq(int, (int)end(0, zero, TQD_PART_DONE, "good"), TQD_STORE_OK));
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND));
    expect_claim("home", true, 1);
    cr_assert(claimed.is_first);
}

Test(parts, they_stay_for_the_next_run_of_the_same_program)
{
    begin(3);
    expect_claim("other", false, 0);
    cr_assert(eq(int, (int)end(0, claimed.part_fence, TQD_PART_DONE, "kept"), TQD_STORE_OK));
    expect_claim("other", false, 1);
    tqd_job_release release = {
        .write.kind = TQD_WRITE_JOB_RELEASE, .id = job.id, .fence = job.fence};
    cr_assert(eq(int, (int)tqd_store_write(store, &release.write), TQD_STORE_OK));
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND), "it waits");
    cr_assert(eq(int, (int)open_parts(3, "1"), TQD_STORE_MISMATCH), "an old fence");
    claim_job("next");
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND),
              "its present run has not opened them");
    cr_assert(eq(int, (int)open_parts(3, "1"), TQD_STORE_OK));
    expect_counts(1, 1, 1, 0);
    expect_bytes(0, "kept");
    expect_claim("other", false, 2);
    cr_assert(eq(int, (int)open_parts(3, "2"), TQD_STORE_OK));
    expect_counts(3, 0, 0, 0);
    cr_assert(eq(int, (int)claim("other", false, LONG_MS), TQD_STORE_NOT_FOUND),
              "parts of another version");
}

Test(parts, cancelled_deleted_and_finished_with_the_job)
{
    begin(2);
    expect_claim("other", false, 0);
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = job.id};
    cr_assert(eq(int, (int)tqd_store_write(store, &cancel.write), TQD_STORE_OK));
    cr_assert(eq(int, (int)beat(0, claimed.part_fence), TQD_STORE_MISMATCH), "who helps stops");
    cr_assert(eq(int, (int)claim("third", false, LONG_MS), TQD_STORE_NOT_FOUND));
    tqd_job_finish finish = {.write.kind = TQD_WRITE_JOB_FINISH,
                             .id = job.id,
                             .fence = job.fence,
                             .state = TQD_JOB_CANCELLED};
    cr_assert(eq(int, (int)tqd_store_write(store, &finish.write), TQD_STORE_OK));
    expect_counts(0, 0, 0, 0);
    cr_assert(eq(int, (int)end(0, claimed.part_fence, TQD_PART_DONE, "x"), TQD_STORE_MISMATCH));
    tqd_job_delete gone = {.write.kind = TQD_WRITE_JOB_DELETE, .id = job.id};
    cr_assert(eq(int, (int)tqd_store_write(store, &gone.write), TQD_STORE_OK));
}

static uint32_t expire(const char *node, const char *blamed)
{
    tqd_job_expire op = {.write.kind = TQD_WRITE_JOB_EXPIRE,
                         .node = node,
                         .blamed = blamed,
                         .crashes_max = 2,
                         .limit = 64};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    return op.n_job;
}

static void drop(const char *node, const char *blamed)
{
    tqd_part_drop op = {.write.kind = TQD_WRITE_PART_DROP, .node = node, .blamed = blamed};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
}

static tqd_job_state state_now(void)
{
    tqd_job now;
    cr_assert(eq(int, (int)tqd_store_job(store, job.id, &now), TQD_STORE_OK));
    return now.state;
}

/* The crash of one who helps is the first of the job, and no other runner is sent into it. */
Test(parts, a_crash_in_a_part_is_one_of_the_job)
{
    begin(2);
    expect_claim("other", false, 0);
    drop("third", job.id);
    expect_counts(1, 1, 0, 0);
    drop("other", job.id);
    expect_counts(2, 0, 0, 0);
    expect_claim("third", false, 1);
    cr_assert(eq(int, (int)end(1, claimed.part_fence, TQD_PART_DONE, "x"), TQD_STORE_OK));
    cr_assert(eq(int, (int)claim("third", false, LONG_MS), TQD_STORE_NOT_FOUND));
    expect_claim("home", true, 0);
    drop("home", job.id);
    cr_assert(eq(u32, expire("home", job.id), 1));
    cr_assert(eq(int, (int)state_now(), TQD_JOB_FAILED), "the second crash");
}

Test(parts, parts_that_end_well_forgive_crashes)
{
    begin(2);
    expect_claim("other", false, 0);
    drop("other", job.id);
    expect_claim("home", true, 0);
    cr_assert(eq(int, (int)end(0, claimed.part_fence, TQD_PART_DONE, "x"), TQD_STORE_OK));
    expect_claim("home", true, 1);
    drop("home", job.id);
    cr_assert(eq(u32, expire("home", job.id), 1));
    cr_assert(eq(int, (int)state_now(), TQD_JOB_QUEUED), "the first crash since");
}

/* Two clients' jobs share those who help. */
Test(parts, the_job_with_the_fewest_parts_running_comes_first)
{
    begin(4);
    const tqd_job one = job;
    begin(4);
    const tqd_job two = job;
    job = one;
    expect_claim("other", false, 0);
    job = two;
    expect_claim("other", false, 0);
    job = one;
    expect_claim("other", false, 1);
    job = two;
    expect_claim("other", false, 1);
}
