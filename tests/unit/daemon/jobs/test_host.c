/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_host.c - the data of a running job: spool with its checkpoint,
 * attachments, sources. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/datasets/source.h"
#include "daemon/jobs/checkpoint.h"
#include "daemon/jobs/host.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

static tqd_jobs *jobs;
static tqd_runner *runner;
static tqd_job_host w;
static tqa_host base;

static int base_look(void *ctx, const char *name, tqa_source *ret)
{
    return tqd_source_find(ctx, "", name, ret) == TQD_STORE_OK ? 0 : -1;
}

static long base_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    tqd_store_status status;
    return tqd_source_read(ctx, "", name, offset, bytes, n, &status);
}

/* claims a fresh job, as a runner does */
static void claim_one(void)
{
    static char id[TQD_JOB_ID_TEXT];
    submit_job(id);
    tqd_job_claim claim = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "n", .lease_ms = 100000};
    cr_assert(eq(int, (int)tqd_store_write(store, &claim.write), TQD_STORE_OK));
    runner->job = claim.job;
}

static void setup_world(void)
{
    setup();
    base = (tqa_host){.ctx = store, .dataset_look = base_look, .dataset_read = base_read};
    const tqd_jobs_options options = {.store = store, .host = &base, .lease_ms = 100000};
    char why[TQD_STORE_WHY];
    jobs = tqd_jobs_new(&options, why);
    cr_assert(jobs != NULL);
    runner = &jobs->runners[0];
    claim_one();
    tqd_job_host_open(&w, runner);
}

static void teardown_world(void)
{
    tqd_job_host_close(&w);
    tqd_jobs_free(jobs);
    teardown();
}

TestSuite(host, .init = setup_world, .fini = teardown_world, .timeout = 100);

static tqd_store_status finish(void)
{
    tqd_job_finish op = {.write.kind = TQD_WRITE_JOB_FINISH,
                         .id = runner->job.id,
                         .fence = runner->job.fence,
                         .state = TQD_JOB_SUCCEEDED,
                         .result = {.media = "application/json", .bytes = "{\"t\":[1]}", .size = 9},
                         .attachments = w.attachments,
                         .n_attachment = w.n_attachment};
    return tqd_store_write(store, &op.write);
}

Test(host, spool_outlives_the_run_as_its_checkpoint_does)
{
    const tqa_host *host = &w.host;
    cr_assert(eq(int, host->spool_write(host->ctx, 0, "row 1,row 2,", 12), 0));
    cr_assert(eq(int, host->checkpoint_save(host->ctx, "12", 2), 0));
    cr_assert(eq(int, host->spool_write(host->ctx, 12, "row 3,", 6), 0)); /* lost: not part of the
                                                                             checkpoint */
    tqd_job_host_close(&w);
    tqd_job_host_open(&w, runner); /* the next run */
    char text[32] = "";
    cr_assert(eq(sz, host->checkpoint_load(host->ctx, text, sizeof text), 2));
    cr_assert(eq(int, host->spool_write(host->ctx, 12, "ROW 3,", 6), 0));
    cr_assert(eq(long, host->spool_read(host->ctx, 0, text, sizeof text), 18L));
    cr_assert(eq(int, memcmp(text, "row 1,row 2,ROW 3,", 18), 0));
    cr_assert(eq(int, host->spool_write(host->ctx, 99, "x", 1), -1), "a hole");
    cr_assert(eq(int, (int)w.status, TQD_STORE_OK), "the store is not to blame for that");
}

/* A checkpoint larger than a row of the database is a file; the next one replaces it. */
Test(host, large_checkpoints_are_files)
{
    static char saved[TQD_JOB_ROW_BYTES + 4321], loaded[sizeof saved + 1];
    const tqa_host *host = &w.host;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof saved; i++) {
            saved[i] = (char)(i * 31 + (size_t)round);
        }
        cr_assert(eq(int, host->checkpoint_save(host->ctx, saved, sizeof saved), 0));
        tqd_job_host_close(&w);
        tqd_job_host_open(&w, runner); /* the next run */
        cr_assert(eq(sz, host->checkpoint_load(host->ctx, loaded, sizeof loaded), sizeof saved));
        cr_assert(eq(int, memcmp(saved, loaded, sizeof saved), 0));
        uint64_t removed = 0;
        cr_assert(eq(int, (int)tqt_store_sweep(store, &removed), TQD_STORE_OK));
        cr_assert(eq(u64, tqd_store_file_bytes(store), sizeof(tqd_checkpoint_head) + sizeof saved),
                  "the last one alone");
    }
    cr_assert(eq(sz, host->checkpoint_load(host->ctx, loaded, sizeof saved - 1), 0),
              "of no operation with a smaller limit");
    cr_assert(eq(int, host->checkpoint_save(host->ctx, "12", 2), 0));
    cr_assert(eq(sz, host->checkpoint_load(host->ctx, loaded, sizeof loaded), 2));
    runner->job.fence++;
    cr_assert(eq(int, host->checkpoint_save(host->ctx, saved, sizeof saved), -1));
    cr_assert(atomic_load(&runner->lost), "another has the lease");
    runner->job.fence--;
}

Test(host, run_without_its_lease_writes_nothing)
{
    atomic_store(&runner->lost, true);
    cr_assert(eq(int, w.host.spool_write(w.host.ctx, 0, "x", 1), -1));
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
}

Test(host, attachments_come_and_go_with_the_job)
{
    static char large[TQD_JOB_ROW_BYTES + 1000];
    memset(large, 'l', sizeof large);
    const tqa_host *host = &w.host;
    cr_assert(eq(int, host->attach(host->ctx, "report", "text/html", "<p>", 3), 0));
    cr_assert(
        eq(int, host->attach(host->ctx, "a.urdf", "application/xml", large, sizeof large), 0));
    /* names with a meaning in a path, a header or the database's key */
    static const char *const bad[] = {"report", "", "a/b", "..%2f", "a b", "q\"", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert(eq(int, host->attach(host->ctx, bad[i], "text/plain", "x", 1), -1), "%s", bad[i]);
    }
    cr_assert(eq(sz, w.n_attachment, 2));
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *bytes = NULL;
    uint64_t size = 0;
    const char *id = runner->job.id;
    cr_assert(eq(int,
                 (int)tqd_store_job_attachment(store, id, "report", media, &bytes, file, &size),
                 TQD_STORE_NOT_FOUND),
              "not before the end");
    cr_assert(eq(int, (int)finish(), TQD_STORE_OK));
    tqd_job_host_close(&w);
    memset(&w, 0, sizeof w);
    uint64_t removed = 0;
    cr_assert(eq(int, (int)tqt_store_sweep(store, &removed), TQD_STORE_OK));
    cr_assert(eq(u64, removed, 0), "the row holds the file now");
    cr_assert(eq(int,
                 (int)tqd_store_job_attachment(store, id, "report", media, &bytes, file, &size),
                 TQD_STORE_OK));
    cr_assert(eq(str, media, (char *)(uintptr_t) "text/html"));
    cr_assert(eq(str, bytes, (char *)(uintptr_t) "<p>"));
    free(bytes);
    cr_assert(eq(int,
                 (int)tqd_store_job_attachment(store, id, "a.urdf", media, &bytes, file, &size),
                 TQD_STORE_OK));
    cr_assert(bytes == NULL);
    cr_assert(eq(u64, size, sizeof large));
    tqd_job_counts counts;
    cr_assert(eq(int, (int)tqd_store_job_counts(store, &counts), TQD_STORE_OK));
    cr_assert(eq(u64, counts.body_bytes, 2 + 9 + 3 + sizeof large));
    tqd_job_delete op = {.write.kind = TQD_WRITE_JOB_DELETE, .id = id};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    cr_assert(eq(int, (int)tqt_store_sweep(store, &removed), TQD_STORE_OK));
    cr_assert(eq(u64, removed, 1));
    cr_assert(eq(int, (int)tqd_store_job_counts(store, &counts), TQD_STORE_OK));
    cr_assert(eq(u64, counts.body_bytes, 0));
}

Test(host, results_of_jobs_are_sources)
{
    char name[64];
    char text[16] = "";
    tqa_source source;
    const tqa_host *host = &w.host;
    snprintf(name, sizeof name, "job:%s", runner->job.id);
    cr_assert(eq(int, host->dataset_look(host->ctx, name, &source), -1), "no result yet");
    cr_assert(eq(long, host->dataset_read(host->ctx, name, 0, text, 9), -1L));
    cr_assert(eq(int, (int)finish(), TQD_STORE_OK));
    cr_assert(eq(int, host->dataset_look(host->ctx, name, &source), 0));
    cr_assert(eq(u64, source.size, 9));
    cr_assert(eq(str, source.media, (char *)(uintptr_t) "application/json"));
    cr_assert(eq(long, host->dataset_read(host->ctx, name, 5, text, sizeof text), 4L));
    cr_assert(eq(int, memcmp(text, "[1]}", 4), 0));
    cr_assert(eq(long, host->dataset_read(host->ctx, name, 50, text, sizeof text), 0L));
    cr_assert(eq(int, host->dataset_look(host->ctx, "nothing", &source), -1));
}

static void reopen(void)
{
    tqd_job_host_close(&w);
    tqd_job_host_open(&w, runner); /* the next run */
}

static size_t load(char text[32])
{
    return w.host.checkpoint_load(w.host.ctx, text, 32);
}

/* the spool as changed by another process, or by a disk */
static void harm_spool(uint64_t offset, const char *bytes)
{
    tqd_store_status status = TQD_STORE_OK;
    tqd_job_host_close(&w);
    tqd_scratch_file *file =
        tqd_scratch_file_open(store, runner->job.id, runner->job.fence, &status);
    cr_assert(file != NULL);
    cr_assert(
        eq(int, (int)tqd_scratch_file_write(file, offset, bytes, strlen(bytes)), TQD_STORE_OK));
    tqd_scratch_file_close(file);
    tqd_job_host_open(&w, runner);
}

Test(host, a_spool_with_another_checksum_is_refused)
{
    static const struct {
        uint64_t offset;
        const char *bytes; /* the file ends after these bytes */
        size_t loads;
    } harms[] = {{12, "more", 2},
                 {12, "", 2},
                 {11, "", 0},
                 {0, "", 0},
                 {0, "row 1,row 3,", 0},
                 {0, "Row 1,row 2,row 3", 0}};
    for (size_t i = 0; i < sizeof harms / sizeof harms[0]; i++) {
        char text[32] = "";
        cr_assert(eq(int, w.host.spool_write(w.host.ctx, 0, "row 1,", 6), 0));
        cr_assert(eq(int, w.host.spool_write(w.host.ctx, 6, "row 2,", 6), 0));
        cr_assert(eq(int, w.host.checkpoint_save(w.host.ctx, "12", 2), 0));
        reopen();
        cr_assert(eq(sz, load(text), 2));
        harm_spool(harms[i].offset, harms[i].bytes);
        cr_assert(eq(sz, load(text), harms[i].loads), "harm %zu", i);
        cr_assert(eq(int, (int)w.status, TQD_STORE_OK), "the job begins anew");
    }
}

/* a run goes back: the checksum is of the bytes written last */
Test(host, the_checksum_of_a_spool_is_that_of_the_last_bytes_written)
{
    char text[32] = "";
    cr_assert(eq(int, w.host.spool_write(w.host.ctx, 0, "row 1,row 2,", 12), 0));
    cr_assert(eq(int, w.host.checkpoint_save(w.host.ctx, "12", 2), 0));
    cr_assert(eq(int, w.host.spool_write(w.host.ctx, 6, "ROW 2,ROW 3,", 12), 0));
    cr_assert(eq(int, w.host.checkpoint_save(w.host.ctx, "13", 2), 0));
    reopen();
    cr_assert(eq(sz, load(text), 2));
    cr_assert(eq(int, w.host.spool_write(w.host.ctx, 12, "row three,", 10), 0));
    cr_assert(eq(int, w.host.checkpoint_save(w.host.ctx, "14", 2), 0));
    reopen();
    cr_assert(eq(sz, load(text), 2));
    cr_assert(eq(int, memcmp(text, "14", 2), 0));
    cr_assert(eq(long, w.host.spool_read(w.host.ctx, 0, text, sizeof text), 22L));
    cr_assert(eq(int, memcmp(text, "row 1,ROW 2,row three,", 22), 0));
}

Test(host, a_checkpoint_of_another_version_is_ignored)
{
    char text[32] = "", media[TQD_MEDIA_TEXT], file[TQD_DIGEST_TEXT];
    cr_assert(eq(int, w.host.checkpoint_save(w.host.ctx, "12", 2), 0));
    cr_assert(eq(sz, load(text), 2));
    char *bytes = NULL;
    uint64_t size = 0;
    cr_assert(eq(int,
                 (int)tqd_store_job_body(store, runner->job.id, TQD_BODY_CHECKPOINT, media, &bytes,
                                         file, &size),
                 TQD_STORE_OK));
    cr_assert(eq(u64, size, sizeof(tqd_checkpoint_head) + 2));
    tqd_checkpoint_head *head = (tqd_checkpoint_head *)(void *)bytes;
    head->version[0] ^= 1;
    tqd_job_checkpoint op = {.write.kind = TQD_WRITE_JOB_CHECKPOINT,
                             .id = runner->job.id,
                             .fence = runner->job.fence,
                             .lease_ms = 100000,
                             .body = {.media = media, .bytes = bytes, .size = size}};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    cr_assert(eq(sz, load(text), 0));
    free(bytes);
}
