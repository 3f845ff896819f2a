/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_owners.c - whose a row is, who may change it, and what each client
 * keeps: on both engines against a model that adds up by itself. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "daemon/store/sqlite/sqlite.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"
#include "tests/unit/daemon/store/sqlite_steps.h"

TestSuite(owners, .init = setup, .fini = teardown, .timeout = 300);

static const char trace[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

static void assert_status(tqd_store_status got, tqd_store_status wanted)
{
    cr_assert(eq(int, (int)got, (int)wanted));
}

/* ---------------------------------------------------------------------------------------- names */

static tqd_robot_put put_robot(const char *name, unsigned version, const char *owner,
                               const char *by)
{
    tqd_robot_row row = {.media = "application/xml", .source = "urdf", .nv = 1};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.digest, sizeof row.digest, "%064x", version);
    snprintf(row.owner, sizeof row.owner, "%s", owner);
    tqd_robot_put op = {
        .write.kind = TQD_WRITE_ROBOT_PUT, .row = &row, .by = by, .bytes = "robot", .n_byte = 5};
    (void)tqd_store_write(store, &op.write);
    op.row = NULL;
    return op;
}

static tqd_robot_delete delete_robot(const char *name, const char *by)
{
    tqd_robot_delete op = {.write.kind = TQD_WRITE_ROBOT_DELETE, .name = name, .by = by};
    (void)tqd_store_write(store, &op.write);
    return op;
}

static int note_owner(void *ctx, const tqd_robot_row *row)
{
    snprintf(ctx, TQD_OWNER_TEXT, "%s", row->owner);
    return 0;
}

Test(owners, a_robot_is_changed_by_its_owner_or_by_whoever_may_all)
{
    char listed[TQD_OWNER_TEXT] = "";
    tqd_robot_put made = put_robot("arm", 1, "ann", "ann");
    cr_assert(made.write.status == TQD_STORE_OK && made.created);
    cr_assert(eq(str, made.owner, (char *)"ann"));
    tqd_robot_put other = put_robot("arm", 2, "bob", "bob");
    assert_status(other.write.status, TQD_STORE_OWNED);
    cr_assert(eq(str, other.owner, (char *)"ann"));
    assert_status(put_robot("arm", 1, "bob", "bob").write.status, TQD_STORE_OK); /* as it is */
    assert_status(put_robot("arm", 2, "ann", "ann").write.status, TQD_STORE_OK);
    tqd_robot_put admin = put_robot("arm", 3, "root", NULL);
    cr_assert(admin.write.status == TQD_STORE_OK && !admin.created);
    cr_assert(eq(str, admin.owner, (char *)"ann"), "it stays hers");
    stop_store();
    start_store();
    tqd_robot_row row;
    assert_status(tqd_store_robot(store, "arm", NULL, &row, NULL), TQD_STORE_OK);
    cr_assert(eq(str, row.owner, (char *)"ann"));
    char digest[TQD_DIGEST_TEXT];
    snprintf(digest, sizeof digest, "%064x", 1);
    assert_status(tqd_store_robot(store, "arm", digest, &row, NULL), TQD_STORE_OK);
    cr_assert(eq(str, row.owner, (char *)"ann"));
    assert_status(tqd_store_robots(store, note_owner, listed), TQD_STORE_OK);
    cr_assert(eq(str, listed, (char *)"ann"));
    tqd_robot_delete gone = delete_robot("arm", "bob");
    assert_status(gone.write.status, TQD_STORE_OWNED);
    cr_assert(eq(str, gone.owner, (char *)"ann"));
    assert_status(delete_robot("arm", "ann").write.status, TQD_STORE_OK);
    assert_status(delete_robot("arm", "bob").write.status, TQD_STORE_NOT_FOUND);
    cr_assert(eq(str, put_robot("arm", 2, "bob", "bob").owner, (char *)"bob"), "a new one");
}

Test(owners, what_is_nobodys_is_everybodys)
{
    assert_status(put_robot("arm", 1, "", "ann").write.status, TQD_STORE_OK);
    tqd_robot_put next = put_robot("arm", 2, "bob", "bob");
    assert_status(next.write.status, TQD_STORE_OK);
    cr_assert(eq(str, next.owner, (char *)""));
    assert_status(delete_robot("arm", "cyd").write.status, TQD_STORE_OK);
}

static tqd_dataset_put put_data(const char *name, const char *text, const char *owner,
                                const char *by, uint64_t own_bytes_max)
{
    tqd_store_status status;
    tqd_dataset_row row = {.media = "text/csv", .n_row = 1, .n_column = 1};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.owner, sizeof row.owner, "%s", owner);
    tqd_upload *upload = tqd_upload_open(store, &status);
    cr_assert(upload != NULL);
    assert_status(tqd_upload_append(upload, text, strlen(text)), TQD_STORE_OK);
    assert_status(tqd_upload_finish(upload, row.digest, &row.size), TQD_STORE_OK);
    tqd_dataset_put op = {.write.kind = TQD_WRITE_DATASET_PUT,
                          .row = &row,
                          .by = by,
                          .summary = "\"rows\":1",
                          .n_summary = 8,
                          .own_bytes_max = own_bytes_max};
    (void)tqd_store_write(store, &op.write);
    tqd_upload_close(upload);
    op.row = NULL;
    return op;
}

static tqd_dataset_delete delete_data(const char *name, const char *by)
{
    tqd_dataset_delete op = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = name, .by = by};
    (void)tqd_store_write(store, &op.write);
    return op;
}

Test(owners, a_dataset_is_changed_by_its_owner_or_by_whoever_may_all)
{
    cr_assert(eq(str, put_data("run", "1\n", "ann", "ann", 0).owner, (char *)"ann"));
    assert_status(put_data("run", "2\n", "bob", "bob", 0).write.status, TQD_STORE_OWNED);
    assert_status(put_data("run", "3\n", "root", NULL, 0).write.status, TQD_STORE_OK);
    stop_store();
    start_store();
    tqd_dataset_row row;
    assert_status(tqd_store_dataset(store, "run", &row, NULL), TQD_STORE_OK);
    cr_assert(eq(str, row.owner, (char *)"ann"));
    tqd_dataset_delete gone = delete_data("run", "bob");
    assert_status(gone.write.status, TQD_STORE_OWNED);
    cr_assert(eq(str, gone.owner, (char *)"ann"));
    assert_status(delete_data("run", "ann").write.status, TQD_STORE_OK);
}

/* ----------------------------------------------------------------------------------------- jobs */

typedef struct wish {
    const char *client, *trace, *key;
    bool waited;
    const char *body;
    uint64_t jobs_max, bytes_max;
} wish;

static tqd_job_submit submit(wish w)
{
    static char id[TQD_JOB_ID_TEXT];
    tqd_job_id_make(id);
    const char *body = w.body != NULL ? w.body : "{}";
    tqd_job_submit op = {
        .write.kind = TQD_WRITE_JOB_SUBMIT,
        .id = id,
        .kind = "drive",
        .robot = "",
        .robot_digest = "",
        .client = w.client,
        .trace = w.trace,
        .waited = w.waited,
        .key = w.key,
        .digest = "d",
        .request = {.media = "application/json", .bytes = body, .size = strlen(body)},
        .own_jobs_max = w.jobs_max,
        .own_bytes_max = w.bytes_max};
    (void)tqd_store_write(store, &op.write);
    return op;
}

static tqd_job claim(void)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "n", .lease_ms = 1000000};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    return op.job;
}

static void finish(const tqd_job *job, const char *result)
{
    tqd_attachment attachment = {
        .name = "a.csv", .body = {.media = "text/csv", .bytes = result, .size = strlen(result)}};
    tqd_job_finish op = {
        .write.kind = TQD_WRITE_JOB_FINISH,
        .id = job->id,
        .fence = job->fence,
        .state = TQD_JOB_SUCCEEDED,
        .result = {.media = "application/json", .bytes = result, .size = strlen(result)},
        .attachments = &attachment,
        .n_attachment = 1};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
}

static tqd_job_delete delete_job(const char *id, const char *by)
{
    tqd_job_delete op = {.write.kind = TQD_WRITE_JOB_DELETE, .id = id, .by = by};
    (void)tqd_store_write(store, &op.write);
    return op;
}

Test(owners, a_job_is_cancelled_and_deleted_by_its_owner)
{
    tqd_job job = submit((wish){.client = "ann"}).job;
    tqd_job_cancel cancel = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = job.id, .by = "bob"};
    assert_status(tqd_store_write(store, &cancel.write), TQD_STORE_OWNED);
    cr_assert(eq(str, cancel.job.client, (char *)"ann"));
    assert_status(tqd_store_job(store, job.id, &job), TQD_STORE_OK);
    cr_assert(eq(int, (int)job.state, (int)TQD_JOB_QUEUED));
    cancel.by = "ann";
    assert_status(tqd_store_write(store, &cancel.write), TQD_STORE_OK);
    tqd_job_delete gone = delete_job(job.id, "bob");
    assert_status(gone.write.status, TQD_STORE_OWNED);
    cr_assert(eq(str, gone.owner, (char *)"ann"));
    assert_status(delete_job(job.id, "ann").write.status, TQD_STORE_OK);
    assert_status(delete_job(job.id, "ann").write.status, TQD_STORE_NOT_FOUND);
    job = submit((wish){.client = ""}).job; /* nobody's */
    cancel = (tqd_job_cancel){.write.kind = TQD_WRITE_JOB_CANCEL, .id = job.id, .by = "bob"};
    assert_status(tqd_store_write(store, &cancel.write), TQD_STORE_OK);
    assert_status(delete_job(job.id, NULL).write.status, TQD_STORE_OK);
}

static int count(void *ctx, const tqd_job *job)
{
    (void)job;
    ++*(int *)ctx;
    return 0;
}

static int count_jobs(const char *by)
{
    int n = 0;
    const tqd_job_filter filter = {.limit = 100, .by = by};
    assert_status(tqd_store_jobs(store, &filter, count, &n), TQD_STORE_OK);
    return n;
}

Test(owners, a_deletion_of_many_takes_the_own_ones_and_nobodys)
{
    static const char *const clients[] = {"ann", "bob", "", "ann"};
    for (size_t i = 0; i < 4; i++) {
        submit((wish){.client = clients[i]});
        const tqd_job job = claim();
        finish(&job, "{}");
    }
    cr_assert(count_jobs("ann") == 3 && count_jobs("bob") == 2 && count_jobs("cyd") == 1);
    tqd_job_purge op = {.write.kind = TQD_WRITE_JOB_PURGE, .filter = {.limit = 64, .by = "ann"}};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    cr_assert(eq(int, (int)op.n_job, 3));
    cr_assert(eq(int, count_jobs(NULL), 1));
}

Test(owners, a_job_keeps_the_trace_of_its_submission)
{
    tqd_job_submit made = submit((wish){.client = "ann", .trace = trace, .key = "k"});
    cr_assert(eq(str, made.job.trace, (char *)trace));
    const tqd_job_submit again = submit((wish){.client = "ann", .key = "k"});
    cr_assert(again.repeated);
    cr_assert(eq(str, (char *)again.job.trace, (char *)trace), "that of the first one");
    cr_assert(eq(str, submit((wish){.client = "ann"}).job.trace, (char *)""));
    stop_store();
    start_store();
    cr_assert(eq(str, claim().trace, (char *)trace));
}

/* ------------------------------------------------------------------------------ what is kept */

typedef struct kept {
    uint64_t jobs, bytes;
} kept;

/* by a submission that no bound of one byte admits */
static kept ask_kept(const char *client)
{
    const tqd_job_submit op = submit((wish){.client = client, .bytes_max = 1});
    assert_status(op.write.status, TQD_STORE_QUOTA);
    cr_assert(op.own_full && !op.queue_full);
    return (kept){op.own_jobs, op.own_bytes};
}

static void assert_kept(const char *client, uint64_t jobs, uint64_t bytes)
{
    const kept now = ask_kept(client);
    cr_assert(now.jobs == jobs && now.bytes == bytes, "%s: %llu jobs, %llu bytes, not %llu, %llu",
              client, (unsigned long long)now.jobs, (unsigned long long)now.bytes,
              (unsigned long long)jobs, (unsigned long long)bytes);
}

Test(owners, bounds_of_what_a_client_keeps)
{
    assert_status(submit((wish){.client = "ann", .jobs_max = 2}).write.status, TQD_STORE_OK);
    assert_status(submit((wish){.client = "ann", .waited = true, .jobs_max = 2}).write.status,
                  TQD_STORE_OK);
    assert_status(submit((wish){.client = "ann", .jobs_max = 2, .key = "k"}).write.status,
                  TQD_STORE_OK);
    const tqd_job_submit third = submit((wish){.client = "ann", .jobs_max = 2});
    cr_assert(third.write.status == TQD_STORE_QUOTA && third.own_full && third.own_jobs == 2);
    cr_assert(submit((wish){.client = "ann", .jobs_max = 2, .key = "k"}).repeated);
    assert_status(submit((wish){.client = "bob", .jobs_max = 2}).write.status, TQD_STORE_OK);
    assert_kept("ann", 2, 6);
    assert_status(submit((wish){.client = "ann", .bytes_max = 8}).write.status, TQD_STORE_OK);
    assert_status(submit((wish){.client = "ann", .bytes_max = 9}).write.status, TQD_STORE_QUOTA);
    tqd_dataset_put put = put_data("run", "1234\n", "ann", "ann", 12);
    cr_assert(put.write.status == TQD_STORE_QUOTA && put.own_full && put.own_bytes == 8);
    assert_status(put_data("run", "1234\n", "ann", "ann", 13).write.status, TQD_STORE_OK);
    assert_status(put_data("run", "12345\n", "ann", "ann", 13).write.status, TQD_STORE_QUOTA);
    assert_status(put_data("run", "1\n", "ann", "ann", 3).write.status, TQD_STORE_OK); /* less */
    assert_kept("ann", 3, 10);
    assert_status(put_data("run", "123456789\n", "bob", NULL, 1).write.status, TQD_STORE_OK);
    assert_kept("ann", 3, 18); /* hers still, whoever wrote it */
}

enum { CLIENTS = 3, JOBS = 40, NAMES = 4, STEPS = 400 };
static const char *const clients[CLIENTS] = {"ann", "bob", "cyd"};

typedef struct known_job {
    char id[TQD_JOB_ID_TEXT];
    size_t client;
    uint64_t bytes;
    bool waited, ended;
} known_job;

typedef struct model {
    known_job jobs[JOBS];
    size_t n_job;
    struct {
        uint64_t size;
        size_t owner;
    } data[NAMES];
} model;

static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
static unsigned state;

static unsigned draw(unsigned n)
{
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % n;
}

static void drop_job(model *m, size_t k)
{
    m->jobs[k] = m->jobs[--m->n_job];
}

static void add_job(model *m)
{
    known_job *job = &m->jobs[m->n_job];
    const char *body = text + draw(30);
    *job = (known_job){.client = draw(CLIENTS), .waited = draw(2) == 0, .bytes = strlen(body)};
    const tqd_job_submit op =
        submit((wish){.client = clients[job->client], .waited = job->waited, .body = body});
    assert_status(op.write.status, TQD_STORE_OK);
    memcpy(job->id, op.job.id, sizeof job->id);
    m->n_job++;
}

static void compare(const model *m)
{
    for (size_t c = 0; c < CLIENTS; c++) {
        kept sum = {0, 0};
        for (size_t k = 0; k < m->n_job; k++) {
            sum.jobs += m->jobs[k].client == c && !m->jobs[k].waited;
            sum.bytes += m->jobs[k].client == c ? m->jobs[k].bytes : 0;
        }
        for (size_t k = 0; k < NAMES; k++) {
            sum.bytes += m->data[k].owner == c ? m->data[k].size : 0;
        }
        assert_kept(clients[c], sum.jobs, sum.bytes);
    }
}

/* claims the next one, gives it a checkpoint that its end removes, and ends it */
static void run_job(model *m)
{
    const tqd_job job = claim();
    size_t k = 0;
    while (strcmp(m->jobs[k].id, job.id) != 0) {
        k++;
    }
    for (int i = 0; i < 2; i++) {
        const char *saved = text + draw(30);
        tqd_job_checkpoint op = {.write.kind = TQD_WRITE_JOB_CHECKPOINT,
                                 .id = job.id,
                                 .fence = job.fence,
                                 .lease_ms = 1000000,
                                 .body = {.media = "x", .bytes = saved, .size = strlen(saved)}};
        assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
        m->jobs[k].bytes += strlen(saved);
        compare(m);
        m->jobs[k].bytes -= strlen(saved);
    }
    const char *result = text + draw(30);
    finish(&job, result);
    m->jobs[k].bytes += 2 * strlen(result);
    m->jobs[k].ended = true;
}

static void step(model *m)
{
    size_t n_queued = 0;
    for (size_t k = 0; k < m->n_job; k++) {
        n_queued += !m->jobs[k].ended;
    }
    const unsigned what = draw(10);
    if (what < 3 && m->n_job < JOBS) {
        add_job(m);
    } else if (what < 5 && n_queued > 0) {
        run_job(m);
    } else if (what < 6 && m->n_job > 0) {
        known_job *job = &m->jobs[draw((unsigned)m->n_job)];
        tqd_job_keep op = {.write.kind = TQD_WRITE_JOB_KEEP, .id = job->id};
        assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
        job->waited = false;
    } else if (what < 7 && m->n_job > 0) {
        const size_t k = draw((unsigned)m->n_job);
        if (m->jobs[k].ended) {
            assert_status(delete_job(m->jobs[k].id, NULL).write.status, TQD_STORE_OK);
            drop_job(m, k);
        }
    } else if (what < 9) {
        const size_t k = draw(NAMES);
        const size_t by = draw(CLIENTS);
        const char *bytes = text + draw(30);
        const char name[] = {(char)('a' + k), '\0'};
        assert_status(put_data(name, bytes, clients[by], NULL, 0).write.status, TQD_STORE_OK);
        m->data[k].owner = m->data[k].size == 0 ? by : m->data[k].owner;
        m->data[k].size = strlen(bytes);
    } else {
        const size_t k = draw(NAMES);
        const char name[] = {(char)('a' + k), '\0'};
        (void)delete_data(name, NULL);
        m->data[k].size = 0;
    }
}

Test(owners, what_is_kept_adds_up_whatever_happens)
{
    static model m;
    state = 20261128U;
    for (int i = 0; i < STEPS; i++) {
        step(&m);
        compare(&m);
    }
    /* all of one client's, and what a retention removes, is gone to the last byte */
    while (true) {
        size_t n_queued = 0;
        for (size_t k = 0; k < m.n_job; k++) {
            n_queued += !m.jobs[k].ended;
        }
        if (n_queued == 0) {
            break;
        }
        run_job(&m);
    }
    tqd_job_retain op = {.write.kind = TQD_WRITE_JOB_RETAIN, .bytes_max = 0, .limit = JOBS};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    m.n_job = 0;
    compare(&m);
    for (size_t k = 0; k < NAMES; k++) {
        const char name[] = {(char)('a' + k), '\0'};
        (void)delete_data(name, NULL);
        m.data[k].size = 0;
    }
    compare(&m);
    assert_kept("ann", 0, 0);
}

/* Bodies of 100, a result and an attachment of 3 bytes each: 106 a job. ann's came first, and her
 * dataset is larger than all of them. */
Test(owners, the_bytes_of_all_are_bounded_at_the_cost_of_the_client_with_most)
{
    enum { EACH = 106, ANN = 2, BOB = 6, NOBODY = 3, ALL = ANN + BOB + NOBODY };
    static const char *const clients[ALL] = {"ann", "ann", "",    "",    "",   "bob",
                                             "bob", "bob", "bob", "bob", "bob"};
    char body[101];
    char data[5001];
    char ids[ALL][TQD_JOB_ID_TEXT];
    memset(body, ' ', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    memset(data, '1', sizeof data - 1);
    data[sizeof data - 1] = '\0';
    assert_status(put_data("run", data, "ann", "ann", 0).write.status, TQD_STORE_OK);
    for (size_t i = 0; i < ALL; i++) {
        memcpy(ids[i], submit((wish){.client = clients[i], .body = body}).job.id, sizeof ids[i]);
        const tqd_job job = claim();
        finish(&job, "[1]");
    }
    /* a client that has none to be removed: what waits is not counted */
    char large[3001];
    memset(large, ' ', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    (void)submit((wish){.client = "cyd", .body = large});
    tqd_job_retain op = {.write.kind = TQD_WRITE_JOB_RETAIN,
                         .age_ms = 1000000,
                         .age_waited_ms = 1000000,
                         .bytes_max = 8 * EACH,
                         .limit = ALL};
    assert_status(tqd_store_write(store, &op.write), TQD_STORE_OK);
    cr_assert(eq(u32, op.n_job, 3), "no more than needed");
    static const bool stays[ALL] = {1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    for (size_t i = 0; i < ALL; i++) {
        tqd_job job;
        assert_status(tqd_store_job(store, ids[i], &job),
                      stays[i] ? TQD_STORE_OK : TQD_STORE_NOT_FOUND);
    }
}

/* Of schema 11, as its release left it. The sum of the last row fits neither before nor after. */
static const char former[] =
    "INSERT INTO job(id, kind, robot, robot_digest, client, state, priority, tag, created_ms,"
    "  changed_ms, finished_ms, waited) VALUES ('a', 'drive', '', '', 'ann', 2, 0, 1, 1, 1, 1, 0),"
    "  ('b', 'drive', '', '', 'ann', 2, 0, 2, 1, 1, 1, 1), ('c', 'drive', '', '', '', 2, 0, 3, 1, 1, 1, 0),"
    "  ('d', 'drive', '', '', 'eve', 0, 0, 4, 1, 1, 0, 0), ('e', 'drive', '', '', 'eve', 0, 0, 5, 1, 1, 0, 0);"
    "INSERT INTO job_body(job, what, media, size, bytes) SELECT seq, 0, 'x', 100, x'00' FROM job;"
    "INSERT INTO job_attachment(job, name, media, size, bytes) VALUES (1, 'a', 'x', 11, x'00');"
    "INSERT INTO job_input(job, name, media, size, bytes) VALUES (1, 'a', 'x', 5, x'00');"
    "INSERT INTO job_input(job, name, media, size, file) VALUES (1, 'f', 'x', 1000, 'f');"
    "INSERT INTO dataset(name, file, media, size, n_row, n_column, created_ms, summary, sum) VALUES"
    "  ('good', 'f', 'x', 7, 1, 1, 1, x'00', tqd_sum('good', 'f', 'x', 7, 1, 1, 1, x'00')),"
    "  ('older', 'f', 'x', 7, 1, 1, 1, x'00', NULL),"
    "  ('bad', 'f', 'x', 7, 1, 1, 1, x'00', tqd_sum('bad', 'f', 'x', 6, 1, 1, 1, x'00'))";

Test(owners, a_store_of_the_former_schema_steps_forward)
{
    char path[128];
    char why[TQD_STORE_WHY] = "";
    only_sqlite();
    stop_store();
    remove_folder();
    cr_assert(eq(int, mkdir(folder, 0700), 0));
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    tqd_connection *connection = tqd_connection_open(path, true, why);
    const tqd_schema eleven = {tqd_sqlite_schema.steps, 11};
    cr_assert(connection != NULL && tqd_sqlite_migrate(connection, &eleven, folder, why), "%s",
              why);
    cr_assert(eq(int, sqlite3_exec(connection->db, former, NULL, NULL, NULL), SQLITE_OK), "%s",
              sqlite3_errmsg(connection->db));
    tqd_connection_close(connection);
    start_store();
    connection = open_database();
    uint64_t n = 0, n_byte = 0;
    assert_status(tqd_sqlite_usage(connection,
                                   "SELECT n, bytes FROM usage WHERE what = 'queued:' || ?1", "eve",
                                   &n, &n_byte),
                  TQD_STORE_OK);
    cr_assert(n == 2 && n_byte == 200, "%d jobs of %d bytes wait", (int)n, (int)n_byte);
    tqd_connection_close(connection);
    assert_kept("ann", 1, 216); /* two requests, a file and an input in a row */
    assert_kept("", 0, 0);
    tqd_dataset_row row;
    assert_status(tqd_store_dataset(store, "good", &row, NULL), TQD_STORE_OK);
    cr_assert(eq(str, row.owner, (char *)""));
    assert_status(tqd_store_dataset(store, "older", &row, NULL), TQD_STORE_OK);
    assert_status(tqd_store_dataset(store, "bad", &row, NULL), TQD_STORE_DAMAGED);
    assert_status(delete_data("good", "bob").write.status, TQD_STORE_OK);
    assert_status(delete_job("a", "bob").write.status, TQD_STORE_OWNED);
    assert_status(delete_job("a", "ann").write.status, TQD_STORE_OK);
    assert_status(delete_job("c", "bob").write.status, TQD_STORE_OK);
    assert_kept("ann", 0, 100);
}
