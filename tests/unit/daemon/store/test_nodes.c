/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_nodes.c - two nodes on one database: `store` and `other`. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdatomic.h>
#include <string.h>

#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "daemon/store/scratch_file.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

static tqd_store *other;
static pthread_t other_writer;
static char other_folder[sizeof folder + 8];

static void start_both(void)
{
    char why[TQD_STORE_WHY];
    setup();
    if (uri[0] == '\0') {
        return;
    }
    snprintf(other_folder, sizeof other_folder, "%s-other", folder);
    const tqd_store_options options = {.folder = other_folder, .uri = uri};
    other = tqd_store_open(&options, why);
    cr_assert(other != NULL, "%s", why);
    pthread_create(&other_writer, NULL, write_loop, other);
}

static void stop_both(void)
{
    if (other != NULL) {
        tqd_store_stop(other);
        pthread_join(other_writer, NULL);
        tqd_store_close(other);
        nftw(other_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    teardown();
}

static void only_nodes(void)
{
    if (uri[0] == '\0') {
        cr_skip("of several nodes: make check-cluster");
    }
}

TestSuite(nodes, .init = start_both, .fini = stop_both, .timeout = 100);

#define ASSERT_STATUS(call, expected) cr_assert(eq(int, (int)(call), (int)(expected)))

static tqd_job claim(tqd_store *of, const char *node, int64_t lease_ms)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = node, .lease_ms = lease_ms};
    ASSERT_STATUS(tqd_store_write(of, &op.write), TQD_STORE_OK);
    return op.job;
}

static tqd_store_status finish(tqd_store *of, const tqd_job *job, const char *result)
{
    tqd_job_finish op = {.write.kind = TQD_WRITE_JOB_FINISH,
                         .id = job->id,
                         .fence = job->fence,
                         .state = TQD_JOB_SUCCEEDED,
                         .result = {"m", result, NULL, strlen(result)}};
    return tqd_store_write(of, &op.write);
}

static uint32_t expire(tqd_store *of)
{
    tqd_job_expire op = {.write.kind = TQD_WRITE_JOB_EXPIRE, .crashes_max = 3, .limit = 64};
    ASSERT_STATUS(tqd_store_write(of, &op.write), TQD_STORE_OK);
    return op.n_job;
}

/* a node that was suspended beyond its lease changes nothing: no row, no chunk */
Test(nodes, frozen_node_changes_nothing)
{
    char id[TQD_JOB_ID_TEXT];
    char bytes[4] = "";
    tqd_store_status status = TQD_STORE_OK;
    only_nodes();
    submit_job(id);
    const tqd_job old = claim(store, "north", -1);
    tqd_scratch_file *stale = tqd_scratch_file_open(store, id, old.fence, &status);
    ASSERT_STATUS(tqd_scratch_file_write(stale, 0, "abc", 3), TQD_STORE_OK);
    ASSERT_STATUS(tqd_scratch_file_sync(stale), TQD_STORE_OK);
    cr_assert(eq(u32, expire(other), 1));
    const tqd_job job = claim(other, "south", 1000000);
    cr_assert(eq(str, (char *)job.id, id));
    tqd_scratch_file *fresh = tqd_scratch_file_open(other, id, job.fence, &status);
    cr_assert(eq(long, tqd_scratch_file_read(fresh, 0, bytes, 3), 3L), "what the former node left");
    cr_assert(eq(str, bytes, "abc"));
    ASSERT_STATUS(tqd_scratch_file_write(stale, 1, "zz", 2), TQD_STORE_OK);
    ASSERT_STATUS(tqd_scratch_file_sync(stale), TQD_STORE_MISMATCH);
    tqd_job_beat beat = {
        .write.kind = TQD_WRITE_JOB_BEAT, .id = id, .fence = old.fence, .lease_ms = 1000};
    ASSERT_STATUS(tqd_store_write(store, &beat.write), TQD_STORE_MISMATCH);
    ASSERT_STATUS(finish(store, &old, "stale"), TQD_STORE_MISMATCH);
    ASSERT_STATUS(tqd_scratch_file_write(fresh, 3, "def", 3), TQD_STORE_OK);
    ASSERT_STATUS(tqd_scratch_file_sync(fresh), TQD_STORE_OK);
    tqd_scratch_file_close(stale);
    tqd_scratch_file_close(fresh);
    fresh = tqd_scratch_file_open(store, id, job.fence, &status);
    char all[7] = "";
    cr_assert(eq(long, tqd_scratch_file_read(fresh, 0, all, 6), 6L));
    cr_assert(eq(str, all, "abcdef"));
    tqd_scratch_file_close(fresh);
    ASSERT_STATUS(finish(other, &job, "fresh"), TQD_STORE_OK);
    ASSERT_STATUS(finish(store, &old, "stale"), TQD_STORE_MISMATCH);
}

/* 3.5 chunks of 1 MiB, each byte by its position */
enum { SIZE = 3670016 + 5 };

static char byte_at(size_t i)
{
    return (char)(i * 2654435761u >> 24);
}

static void put_data(const char *name, char ret_digest[TQD_DIGEST_TEXT])
{
    tqd_store_status status = TQD_STORE_OK;
    static char bytes[SIZE];
    uint64_t size = 0;
    tqd_dataset_row row = {.media = "text/csv", .size = SIZE};
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = byte_at(i);
    }
    tqd_upload *upload = tqd_upload_open(store, &status);
    ASSERT_STATUS(tqd_upload_append(upload, bytes, SIZE), TQD_STORE_OK);
    ASSERT_STATUS(tqd_upload_finish(upload, ret_digest, &size), TQD_STORE_OK);
    snprintf(row.name, sizeof row.name, "%s", name);
    memcpy(row.digest, ret_digest, sizeof row.digest);
    tqd_dataset_put put = {.write.kind = TQD_WRITE_DATASET_PUT, .row = &row, .summary = ""};
    ASSERT_STATUS(tqd_store_write(store, &put.write), TQD_STORE_OK);
    tqd_upload_close(upload);
}

Test(nodes, bytes_are_everywhere_until_no_row_refers_to_them)
{
    char digest[TQD_DIGEST_TEXT];
    char part[100];
    tqd_store_status status = TQD_STORE_OK;
    only_nodes();
    put_data("run", digest);
    cr_assert(eq(u64, tqd_store_file_bytes(other), 0), "it has not asked for it yet");
    tqd_file *file = tqd_file_open_sized(other, digest, SIZE, &status);
    ASSERT_STATUS(status, TQD_STORE_OK);
    for (uint64_t at = 7; at + sizeof part < SIZE; at += 1000003) {
        cr_assert(eq(long, tqd_file_read(file, at, part, sizeof part), (long)sizeof part));
        for (size_t i = 0; i < sizeof part; i++) {
            cr_assert(eq(chr, part[i], byte_at(at + i)));
        }
    }
    tqd_file_close(file);
    tqd_dataset_delete gone = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = "run"};
    ASSERT_STATUS(tqd_store_write(other, &gone.write), TQD_STORE_OK);
    while (tqd_store_collect(other)) {
    }
    cr_assert(eq(i64, test_postgres_number(uri, "SELECT count(*) FROM file_chunk"), 4),
              "held a while, as after an upload whose row is still to come");
    test_postgres_run(uri, "UPDATE file SET held_until_ms = 0");
    while (tqd_store_collect(other)) {
    }
    cr_assert(eq(i64, test_postgres_number(uri, "SELECT count(*) FROM file_chunk"), 0));
    cr_assert(eq(i64, test_postgres_number(uri, "SELECT count(*) FROM garbage"), 0));
    uint64_t moved = 0;
    cr_assert(gt(u64, tqd_store_file_bytes(store), 0), "this node has its copy");
    ASSERT_STATUS(tqt_store_sweep(store, &moved), TQD_STORE_OK);
    cr_assert(eq(u64, tqd_store_file_bytes(store), 0));
    cr_assert(eq(u64, moved, 0), "nothing is lost");
}

/* -------------------------------------------------------------------------------- events */

typedef struct reader {
    uint64_t last;
    bool gap;
} reader;

static int see(void *ctx, const tqd_job_event *event)
{
    reader *r = ctx;
    r->gap = r->gap || event->seq != r->last + 1;
    r->last = event->seq;
    return 0;
}

static void *submit_one(void *arg)
{
    (void)arg;
    char id[TQD_JOB_ID_TEXT];
    submit_job(id);
    return NULL;
}

/* an event that is committed late cannot be missed by a reader that has passed its number */
Test(nodes, no_gap_beside_an_open_transaction)
{
    static const char first[] =
        "BEGIN; SELECT tqd_begin(); SELECT tqd_submit('late', 'k', '', '', 'c', false, 0, 0, NULL, '', 'm', 2,"
        " NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, 0)";
    pthread_t thread;
    reader r = {.last = 0};
    only_nodes();
    void *held = test_postgres_hold(uri, first);
    pthread_create(&thread, NULL, submit_one, NULL);
    /* the other writer waits for the lock, or starts later: in no order is there a gap */
    for (int i = 0; i < 50; i++) {
        ASSERT_STATUS(tqd_store_events(other, NULL, r.last, 100, see, &r), TQD_STORE_OK);
    }
    cr_assert(eq(u64, r.last, 0), "nothing is committed");
    test_postgres_end(held, "COMMIT");
    pthread_join(thread, NULL);
    ASSERT_STATUS(tqd_store_events(other, NULL, r.last, 100, see, &r), TQD_STORE_OK);
    cr_assert(eq(u64, r.last, 2));
    cr_assert(not(r.gap));
}

static _Atomic int n_writing;

static void *cycle(void *arg)
{
    tqd_store *of = arg;
    for (int i = 0; i < 60; i++) {
        char id[TQD_JOB_ID_TEXT];
        tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "n", .lease_ms = 1000000};
        submit_job(id);
        if (tqd_store_write(of, &op.write) == TQD_STORE_OK) {
            cr_assert(eq(int, (int)finish(of, &op.job, "r"), TQD_STORE_OK));
        }
    }
    atomic_fetch_sub(&n_writing, 1);
    return NULL;
}

Test(nodes, no_gap_and_no_job_twice_while_both_write)
{
    pthread_t threads[6];
    reader r = {.last = 0};
    tqd_job_counts counts;
    only_nodes();
    atomic_store(&n_writing, 6);
    for (int i = 0; i < 6; i++) {
        pthread_create(&threads[i], NULL, cycle, i % 2 == 0 ? store : other);
    }
    while (atomic_load(&n_writing) > 0) {
        ASSERT_STATUS(tqd_store_events(other, NULL, r.last, 100, see, &r), TQD_STORE_OK);
    }
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
    }
    ASSERT_STATUS(tqd_store_events(other, NULL, r.last, 1000, see, &r), TQD_STORE_OK);
    cr_assert(not(r.gap));
    ASSERT_STATUS(tqd_store_job_counts(other, &counts), TQD_STORE_OK);
    cr_assert(eq(u64, counts.n[TQD_JOB_SUCCEEDED] + counts.n[TQD_JOB_QUEUED], 360));
    cr_assert(eq(u64, r.last, 360 + 2 * counts.n[TQD_JOB_SUCCEEDED]), "each began and ended once");
}

/* the server closes all connections: later calls succeed without a restart */
Test(nodes, comes_back_after_its_connections_are_ended)
{
    char id[TQD_JOB_ID_TEXT];
    tqd_job job;
    only_nodes();
    submit_job(id);
    ASSERT_STATUS(tqd_store_job(store, id, &job), TQD_STORE_OK);
    test_postgres_run(
        uri,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')");
    ASSERT_STATUS(tqd_store_job(store, id, &job), TQD_STORE_OK);
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = id};
    tqd_store_status status = tqd_store_write(store, &cancel.write);
    for (int i = 0; i < 1000 && status == TQD_STORE_BROKEN; i++) {
        usleep(10000);
        status = tqd_store_write(store, &cancel.write);
    }
    ASSERT_STATUS(status, TQD_STORE_OK);
}
