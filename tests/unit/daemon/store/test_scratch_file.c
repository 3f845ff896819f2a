/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_scratch_file.c - the scratch file of a job: truncated, kept over a
 * restart, counted, taken over, removed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/store/files.h"
#include "daemon/store/jobs.h"
#include "daemon/store/scratch_file.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(scratch_file, .init = setup, .fini = teardown, .timeout = 100);

static tqd_scratch_file *open_aside(const char *job)
{
    tqd_store_status status = TQD_STORE_BROKEN;
    tqd_scratch_file *aside = tqd_scratch_file_open(store, job, 1, &status);
    cr_assert(eq(int, (int)status, TQD_STORE_OK));
    cr_assert(aside != NULL);
    return aside;
}

static void put(tqd_scratch_file *aside, uint64_t offset, const char *text)
{
    cr_assert(
        eq(int, (int)tqd_scratch_file_write(aside, offset, text, strlen(text)), TQD_STORE_OK));
}

static void holds(const tqd_scratch_file *aside, char *expected)
{
    char text[64] = "";
    const long n = tqd_scratch_file_read(aside, 0, text, sizeof text - 1);
    cr_assert(eq(long, n, (long)strlen(expected)));
    cr_assert(eq(str, text, expected));
}

Test(scratch_file, a_write_ends_the_file_after_it)
{
    tqd_scratch_file *aside = open_aside("job");
    put(aside, 0, "abcdef");
    holds(aside, "abcdef");
    put(aside, 2, "XY");
    holds(aside, "abXY");
    cr_assert(eq(u64, tqd_store_file_bytes(store), 4));
    cr_assert(eq(int, (int)tqd_scratch_file_write(aside, 5, "z", 1), TQD_STORE_MISMATCH), "a hole");
    char byte = 0;
    cr_assert(eq(long, tqd_scratch_file_read(aside, 9, &byte, 1), 0L));
    tqd_scratch_file_close(aside);
}

Test(scratch_file, stays_over_a_restart)
{
    only_sqlite();
    tqd_scratch_file *aside = open_aside("job");
    put(aside, 0, "kept");
    cr_assert(eq(int, (int)tqd_scratch_file_sync(aside), TQD_STORE_OK));
    tqd_scratch_file_close(aside);
    stop_store();
    start_store();
    cr_assert(eq(u64, tqd_store_file_bytes(store), 4), "counted at start");
    uint64_t removed = 0;
    cr_assert(eq(int, (int)tqt_store_sweep(store, &removed), TQD_STORE_OK));
    aside = open_aside("job");
    holds(aside, "kept");
    tqd_scratch_file_close(aside);
    tqd_scratch_file_remove(store, "job");
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
}

Test(scratch_file, run_that_lost_its_lease_cannot_reach_it)
{
    only_sqlite();
    tqd_scratch_file *former = open_aside("job");
    put(former, 0, "one two");
    tqd_scratch_file *present = open_aside("job");
    holds(present, "one two");
    put(former, 4, "stale");
    holds(present, "one two");
    put(present, 4, "three");
    holds(present, "one three");
    tqd_scratch_file_remove(store, "job");
    put(former, 0, "not visible yet");
    tqd_scratch_file_close(former);
    tqd_scratch_file_close(present);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
    present = open_aside("job");
    holds(present, "");
    tqd_scratch_file_close(present);
}

Test(scratch_file, quota_counts_it)
{
    stop_store();
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder, .file_bytes_max = 10};
    store = tqd_store_open(&options, why);
    cr_assert(store != NULL, "%s", why);
    pthread_create(&writer, NULL, write_loop, store);
    tqd_scratch_file *aside = open_aside("job");
    put(aside, 0, "12345678");
    cr_assert(eq(int, (int)tqd_scratch_file_write(aside, 8, "abc", 3), TQD_STORE_QUOTA));
    put(aside, 7, "abc"); /* truncated bytes free space */
    holds(aside, "1234567abc");
    tqd_scratch_file_close(aside);
}

Test(scratch_file, sweep_removes_what_has_no_job)
{
    char queued[TQD_JOB_ID_TEXT];
    submit_job(queued);
    tqd_scratch_file *aside = open_aside(queued);
    put(aside, 0, "stays");
    tqd_scratch_file_close(aside);
    aside = open_aside("NOSUCHJOB");
    put(aside, 0, "goes");
    tqd_scratch_file_close(aside);
    tqd_scratch_file_sweep(store);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 5));
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = queued};
    cr_assert(eq(int, (int)tqd_store_write(store, &cancel.write), TQD_STORE_OK));
    tqd_scratch_file_sweep(store);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
}
