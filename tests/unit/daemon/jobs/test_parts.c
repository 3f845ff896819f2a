/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_parts.c - a job in parts, its own runner and one who helps: which
 * failure decides, and what is computed again. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "api/version.h"
#include "daemon/jobs/parts.h"
#include "daemon/store/parts.h"
#include "tests/unit/daemon/store/fixture.h"

enum { N_PART = 6, N_BYTE = 40 };

static tqd_jobs *jobs;
static tqd_job_host own, other; /* of the job's runner, and of one who helps */
static tqa_host base;

/* A computation whose parts are filled with their number. */
typedef struct sum {
    char bytes[N_PART][N_BYTE];
    int n_run[N_PART];
    size_t refused[2]; /* parts that fail */
    int refused_by;    /* the last one that did */
} sum;
static sum mine, theirs;

static tqa_part_end run_part(void *arg, size_t part)
{
    sum *s = arg;
    s->n_run[part]++;
    if (part == s->refused[0] || part == s->refused[1]) {
        s->refused_by = (int)part;
        return TQA_PART_REFUSED;
    }
    memset(s->bytes[part], 'a' + (int)part, N_BYTE);
    return TQA_PART_DONE;
}

static void *bytes_of(void *arg, size_t part, size_t *ret_n)
{
    *ret_n = N_BYTE;
    return ((sum *)arg)->bytes[part];
}

static tqa_parts parts_of(sum *s)
{
    return (tqa_parts){.n = N_PART, .run = run_part, .bytes = bytes_of, .arg = s};
}

static void reset(sum *s)
{
    *s = (sum){.refused = {N_PART, N_PART}, .refused_by = -1};
}

static void setup_world(void)
{
    setup();
    const tqd_jobs_options options = {
        .store = store, .host = &base, .lease_ms = 100000, .n_runner = 2, .node = "n"};
    char why[TQD_STORE_WHY];
    static char id[TQD_JOB_ID_TEXT];
    jobs = tqd_jobs_new(&options, why);
    cr_assert(jobs != NULL);
    jobs->recovered = true;
    atomic_store(&jobs->n_started, 2);
    submit_job(id);
    tqd_job_claim claim = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "n", .lease_ms = 100000};
    cr_assert(eq(int, (int)tqd_store_write(store, &claim.write), TQD_STORE_OK));
    tqd_jobs_take(&jobs->runners[0], &claim.job, false);
    tqd_job_host_open(&own, &jobs->runners[0]);
    tqd_job_host_open(&other, &jobs->runners[1]);
    reset(&mine);
    reset(&theirs);
}

static void teardown_world(void)
{
    tqd_job_host_close(&own);
    tqd_job_host_close(&other);
    tqd_jobs_free(jobs);
    teardown();
}

TestSuite(parts_of_jobs, .init = setup_world, .fini = teardown_world, .timeout = 100);

static void open_parts(void)
{
    tqd_part_open op = {.write.kind = TQD_WRITE_PART_OPEN,
                        .id = own.runner->job.id,
                        .fence = own.runner->job.fence,
                        .version = TQA_VERSION,
                        .n = N_PART};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    tqd_jobs_parts_opened(jobs);
}

/* one part by the runner that helps; false: there was none */
static bool help(void)
{
    const tqa_parts parts = parts_of(&theirs);
    if (!tqd_jobs_help(other.runner)) {
        return false;
    }
    cr_assert(eq(str, (char *)other.runner->job.id, (char *)own.runner->job.id));
    cr_assert(not(tqd_parts_run(&other, &parts)), "the answer is for the job's own runner");
    tqd_parts_leave(other.runner);
    tqd_jobs_ended(other.runner);
    return true;
}

static void expect_all_bytes(void)
{
    for (int k = 0; k < N_PART; k++) {
        for (int i = 0; i < N_BYTE; i++) {
            cr_assert(eq(int, mine.bytes[k][i], 'a' + k), "part %d", k);
        }
    }
}

Test(parts_of_jobs, alone_and_with_help_the_bytes_are_the_same)
{
    const tqa_parts parts = parts_of(&mine);
    cr_assert(not(help()), "nothing is open");
    open_parts();
    cr_assert(help());
    cr_assert(help());
    cr_assert(tqd_parts_run(&own, &parts));
    expect_all_bytes();
    for (int k = 0; k < N_PART; k++) {
        cr_assert(eq(int, mine.n_run[k], k >= 2));
        cr_assert(eq(int, theirs.n_run[k], k < 2));
    }
    cr_assert(eq(dbl, own.runner->fraction, 1.0));
    reset(&mine);
    cr_assert(tqd_parts_run(&own, &parts), "as the next run after a crash");
    expect_all_bytes();
    cr_assert(eq(int, mine.n_run[0] + mine.n_run[N_PART - 1], 0), "all is there");
}

Test(parts_of_jobs, the_lowest_failure_is_that_of_the_job)
{
    const tqa_parts parts = parts_of(&mine);
    theirs.refused[0] = mine.refused[0] = 1;
    theirs.refused[1] = mine.refused[1] = 4;
    open_parts();
    cr_assert(help());
    cr_assert(help());
    cr_assert(eq(int, theirs.refused_by, 1));
    cr_assert(not(help()), "no part after one that has failed");
    cr_assert(not(tqd_parts_run(&own, &parts)));
    cr_assert(eq(int, mine.refused_by, 1));
    cr_assert(eq(int, mine.n_run[1], 1));
    cr_assert(eq(int, mine.n_run[2], 0));
}

/* One who helps fails where the job's own runner does not, for want of memory perhaps. */
Test(parts_of_jobs, a_failure_that_only_one_runner_has_is_not_that_of_the_job)
{
    const tqa_parts parts = parts_of(&mine);
    theirs.refused[0] = 0;
    open_parts();
    cr_assert(help());
    cr_assert(tqd_parts_run(&own, &parts));
    expect_all_bytes();
}

Test(parts_of_jobs, damaged_bytes_are_computed_again)
{
    const tqa_parts parts = parts_of(&mine);
    open_parts();
    tqd_part_claim claim = {.write.kind = TQD_WRITE_PART_CLAIM,
                            .node = "m",
                            .version = TQA_VERSION,
                            .lease_ms = 100000};
    cr_assert(eq(int, (int)tqd_store_write(store, &claim.write), TQD_STORE_OK));
    static const char wrong[8 + N_BYTE] = "not the sum of these bytes";
    tqd_part_end end = {.write.kind = TQD_WRITE_PART_END,
                        .id = own.runner->job.id,
                        .part = claim.part,
                        .fence = claim.part_fence,
                        .state = TQD_PART_DONE,
                        .bytes = wrong,
                        .size = sizeof wrong};
    cr_assert(eq(int, (int)tqd_store_write(store, &end.write), TQD_STORE_OK));
    cr_assert(tqd_parts_run(&own, &parts));
    cr_assert(eq(int, mine.n_run[0], 1));
    expect_all_bytes();
}

Test(parts_of_jobs, a_run_that_is_over_leaves_its_part_to_others)
{
    const tqa_parts parts = parts_of(&theirs);
    open_parts();
    cr_assert(tqd_jobs_help(other.runner));
    tqd_jobs_stop_helpers(jobs, own.runner->job.id);
    cr_assert(atomic_load(&other.runner->lost));
    cr_assert(not(atomic_load(&own.runner->lost)));
    theirs.refused[0] = 0; /* as a computation that is cut off ends */
    cr_assert(not(tqd_parts_run(&other, &parts)));
    tqd_part_counts counts;
    cr_assert(eq(int, (int)tqd_store_parts(store, own.runner->job.id, &counts), TQD_STORE_OK));
    cr_assert(eq(u32, counts.n_open, N_PART));
    cr_assert(eq(u32, counts.n_failed, 0));
    tqd_jobs_ended(other.runner);
}

/* The lease of a part is kept by the keeper's beats; a cancelled job ends who helps. */
Test(parts_of_jobs, beats_notice_that_the_job_is_cancelled)
{
    open_parts();
    cr_assert(tqd_jobs_help(other.runner));
    tqd_jobs_beat_part(other.runner);
    cr_assert(not(atomic_load(&other.runner->lost)));
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = own.runner->job.id};
    cr_assert(eq(int, (int)tqd_store_write(store, &cancel.write), TQD_STORE_OK));
    tqd_jobs_beat_part(other.runner);
    cr_assert(atomic_load(&other.runner->lost));
    tqd_jobs_ended(other.runner);
    cr_assert(eq(int, atomic_load(&jobs->n_helping), 0));
}
