/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_jobs.c - the life cycle of jobs through the store's interface, with
 * any engine. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/store/jobs.h"
#include "daemon/store/problem.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(jobs, .init = setup, .fini = teardown, .timeout = 100);

enum { LONG_MS = 1000000, GONE_MS = -1 }; /* a lease of GONE_MS has expired when it begins */

typedef struct wish {
    const char *client, *key, *digest, *body;
    int priority;
    int64_t deadline_ms;
    uint64_t queued_max, bytes_max;
    bool unpinned; /* the robot is no built-in */
} wish;

static const tqd_robot_row builtin = {
    .name = "panda", .digest = "d", .media = "m", .source = "urdf", .size = 1};

static tqd_job_submit submitted;
static char last_id[TQD_JOB_ID_TEXT];

static tqd_store_status submit(wish w)
{
    const char *body = w.body != NULL ? w.body : "{}";
    tqd_job_id_make(last_id);
    submitted = (tqd_job_submit){
        .write.kind = TQD_WRITE_JOB_SUBMIT,
        .id = last_id,
        .kind = "simulate",
        .robot = "panda",
        .robot_digest = "d",
        .client = w.client != NULL ? w.client : "me",
        .priority = w.priority,
        .deadline_ms = w.deadline_ms,
        .key = w.key,
        .digest = w.digest,
        .request = {.media = "application/json", .bytes = body, .size = strlen(body)},
        .queued_max = w.queued_max,
        .bytes_max = w.bytes_max,
        .builtin = w.unpinned ? NULL : &builtin,
        .builtin_bytes = "x"};
    return tqd_store_write(store, &submitted.write);
}

static tqd_job claimed;

static tqd_store_status claim(int64_t lease_ms)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "node-1", .lease_ms = lease_ms};
    tqd_store_write(store, &op.write);
    if (op.write.status == TQD_STORE_OK) {
        claimed = op.job;
    }
    return op.write.status;
}

static tqd_store_status beat(uint64_t fence, bool *ret_cancel)
{
    tqd_job_beat op = {.write.kind = TQD_WRITE_JOB_BEAT,
                       .id = claimed.id,
                       .fence = fence,
                       .lease_ms = LONG_MS,
                       .fraction = 0.25,
                       .eta_s = 3.5,
                       .step = "rk4"};
    tqd_store_write(store, &op.write);
    if (ret_cancel != NULL) {
        *ret_cancel = op.cancel_asked;
    }
    return op.write.status;
}

static tqd_store_status checkpoint(uint64_t fence, const char *bytes)
{
    tqd_job_checkpoint op = {
        .write.kind = TQD_WRITE_JOB_CHECKPOINT,
        .id = claimed.id,
        .fence = fence,
        .lease_ms = LONG_MS,
        .body = {.media = "application/octet-stream", .bytes = bytes, .size = strlen(bytes)}};
    return tqd_store_write(store, &op.write);
}

static tqd_store_status finish(uint64_t fence, tqd_job_state state, const char *result)
{
    tqd_job_finish op = {
        .write.kind = TQD_WRITE_JOB_FINISH, .id = claimed.id, .fence = fence, .state = state};
    if (result != NULL) {
        op.result =
            (tqd_body){.media = "application/json", .bytes = result, .size = strlen(result)};
    }
    return tqd_store_write(store, &op.write);
}

static tqd_store_status release(uint64_t fence)
{
    tqd_job_release op = {.write.kind = TQD_WRITE_JOB_RELEASE, .id = claimed.id, .fence = fence};
    return tqd_store_write(store, &op.write);
}

static tqd_store_status cancel(const char *id)
{
    tqd_job_cancel op = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = id};
    return tqd_store_write(store, &op.write);
}

static tqd_store_status delete_job(const char *id)
{
    tqd_job_delete op = {.write.kind = TQD_WRITE_JOB_DELETE, .id = id};
    return tqd_store_write(store, &op.write);
}

static uint32_t expire(const char *node, const char *blamed)
{
    tqd_job_expire op = {.write.kind = TQD_WRITE_JOB_EXPIRE,
                         .node = node,
                         .blamed = blamed,
                         .crashes_max = 3,
                         .limit = 64};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    return op.n_job;
}

static void interrupt_one(uint32_t most)
{
    tqd_job_expire op = {.write.kind = TQD_WRITE_JOB_EXPIRE,
                         .node = "node-1",
                         .crashes_max = 3,
                         .interruptions_max = most,
                         .limit = 64};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
    cr_assert(eq(u32, op.n_job, 1));
}

static tqd_job read_job(const char *id)
{
    tqd_job job;
    cr_assert(eq(int, (int)tqd_store_job(store, id, &job), TQD_STORE_OK));
    return job;
}

/* a body as text, "" if there is none */
static const char *read_body(const char *id, tqd_body_kind kind)
{
    static char text[512];
    char media[TQD_MEDIA_TEXT];
    char file[TQD_DIGEST_TEXT];
    char *bytes = NULL;
    uint64_t size = 0;
    text[0] = '\0';
    if (tqd_store_job_body(store, id, kind, media, &bytes, file, &size) == TQD_STORE_OK) {
        snprintf(text, sizeof text, "%.*s", (int)size, bytes);
    }
    free(bytes);
    return text;
}

#define ASSERT_STATUS(call, expected) cr_assert(eq(int, (int)(call), (int)(expected)))

Test(jobs, states_from_submission_to_result)
{
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(submit((wish){.body = "{\"q\":1}"}), TQD_STORE_OK);
    cr_assert(eq(str, submitted.job.id, last_id));
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_REQUEST), "{\"q\":1}"));
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
    cr_assert(eq(str, claimed.id, last_id));
    cr_assert(eq(u32, claimed.attempts, 1));
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(beat(claimed.fence, NULL), TQD_STORE_OK);
    tqd_job job = read_job(last_id);
    cr_assert(eq(int, (int)job.state, TQD_JOB_RUNNING));
    cr_assert(eq(dbl, job.fraction, 0.25));
    cr_assert(eq(dbl, job.eta_s, 3.5));
    cr_assert(eq(str, job.step, "rk4"));
    cr_assert(eq(str, job.node, "node-1"));
    ASSERT_STATUS(checkpoint(claimed.fence, "one"), TQD_STORE_OK);
    ASSERT_STATUS(checkpoint(claimed.fence, "two"), TQD_STORE_OK);
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_CHECKPOINT), "two"));
    ASSERT_STATUS(delete_job(last_id), TQD_STORE_MISMATCH);
    ASSERT_STATUS(finish(claimed.fence, TQD_JOB_SUCCEEDED, "{\"tau\":2}"), TQD_STORE_OK);
    ASSERT_STATUS(finish(claimed.fence, TQD_JOB_FAILED, NULL), TQD_STORE_MISMATCH);
    stop_store();
    start_store();
    job = read_job(last_id);
    cr_assert(eq(int, (int)job.state, TQD_JOB_SUCCEEDED));
    cr_assert(eq(dbl, job.fraction, 1.0));
    cr_assert(ge(i64, job.finished_ms, job.started_ms));
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_RESULT), "{\"tau\":2}"));
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_CHECKPOINT), ""));
    ASSERT_STATUS(cancel(last_id), TQD_STORE_MISMATCH);
    ASSERT_STATUS(delete_job(last_id), TQD_STORE_OK);
    ASSERT_STATUS(delete_job(last_id), TQD_STORE_NOT_FOUND);
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_RESULT), ""));
    tqd_job_counts counts;
    ASSERT_STATUS(tqd_store_job_counts(store, &counts), TQD_STORE_OK);
    cr_assert(eq(u64, counts.body_bytes, 0), "the memory of a job is released");
}

Test(jobs, stale_worker_changes_nothing)
{
    submit((wish){0});
    claim(GONE_MS);
    const uint64_t stale = claimed.fence;
    cr_assert(eq(u32, expire(NULL, NULL), 1));
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_QUEUED));
    ASSERT_STATUS(finish(stale, TQD_JOB_SUCCEEDED, "stale"), TQD_STORE_MISMATCH);
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
    cr_assert(ne(u64, claimed.fence, stale));
    cr_assert(eq(u32, expire(NULL, NULL), 0), "the new lease holds");
    ASSERT_STATUS(beat(stale, NULL), TQD_STORE_MISMATCH);
    ASSERT_STATUS(checkpoint(stale, "stale"), TQD_STORE_MISMATCH);
    ASSERT_STATUS(release(stale), TQD_STORE_MISMATCH);
    ASSERT_STATUS(finish(stale, TQD_JOB_SUCCEEDED, "stale"), TQD_STORE_MISMATCH);
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_CHECKPOINT), ""));
    ASSERT_STATUS(finish(claimed.fence, TQD_JOB_SUCCEEDED, "fresh"), TQD_STORE_OK);
    ASSERT_STATUS(finish(stale, TQD_JOB_SUCCEEDED, "stale"), TQD_STORE_MISMATCH);
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_RESULT), "fresh"));
    cr_assert(eq(u32, read_job(last_id).attempts, 2));
}

Test(jobs, crash_three_times_and_fail)
{
    submit((wish){0});
    for (int i = 0; i < 3; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        cr_assert(eq(u32, expire("another-node", last_id), 0));
        cr_assert(eq(u32, expire("node-1", last_id), 1));
    }
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_NOT_FOUND);
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_FAILED));
    cr_assert(strstr(read_body(last_id, TQD_BODY_PROBLEM), "crashed the service") != NULL);
}

Test(jobs, crashes_are_forgiven_by_a_checkpoint)
{
    submit((wish){0});
    for (int i = 0; i < 12; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        if (i % 2 == 1) {
            ASSERT_STATUS(checkpoint(claimed.fence, "on"), TQD_STORE_OK);
        }
        expire("node-1", last_id);
    }
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_QUEUED));
    for (int i = 0; i < 2; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        expire("node-1", last_id);
    }
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_FAILED));
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_CHECKPOINT), ""));
}

/* SIGKILL leaves no note: out of memory it occurs at each run */
Test(jobs, interruptions_without_a_checkpoint_have_a_bound)
{
    enum { MOST = 5 };
    submit((wish){0});
    for (int i = 0; i < 4 * MOST; i++) { /* the job makes progress from time to time */
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        if (i % (MOST - 1) == MOST - 2) {
            ASSERT_STATUS(checkpoint(claimed.fence, "on"), TQD_STORE_OK);
        }
        interrupt_one(MOST);
        cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_QUEUED), "%d", i);
    }
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
    ASSERT_STATUS(checkpoint(claimed.fence, "on"), TQD_STORE_OK);
    ASSERT_STATUS(release(claimed.fence), TQD_STORE_OK);
    for (int i = 0; i < MOST; i++) { /* an orderly stop does not count */
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        ASSERT_STATUS(release(claimed.fence), TQD_STORE_OK);
    }
    for (int i = 1; i <= MOST; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        interrupt_one(MOST);
        cr_assert(eq(int, (int)read_job(last_id).state, i < MOST ? TQD_JOB_QUEUED : TQD_JOB_FAILED),
                  "%d", i);
    }
    cr_assert(strstr(read_body(last_id, TQD_BODY_PROBLEM), "want of memory") != NULL);
    cr_assert(eq(str, (char *)read_body(last_id, TQD_BODY_CHECKPOINT), ""));
}

/* this job is not blamed for the end of the process: neither for a crash without a job nor for that
 * of another job */
Test(jobs, interruptions_from_outside_are_never_the_jobs_fault)
{
    submit((wish){0});
    char id[TQD_JOB_ID_TEXT];
    memcpy(id, last_id, sizeof id);
    for (int i = 0; i < 100; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        if (i < 2) {
            expire("node-1", id);
        } else {
            expire(i % 2 == 0 ? "node-1" : NULL, i % 3 == 0 ? "01ANOTHERJOB00000000000000" : NULL);
            if (i % 2 != 0) { /* its lease has not expired */
                expire("node-1", NULL);
            }
        }
        cr_assert(eq(int, (int)read_job(id).state, TQD_JOB_QUEUED));
    }
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
    expire("node-1", id);
    cr_assert(eq(int, (int)read_job(id).state, TQD_JOB_FAILED), "its third own crash");
}

Test(jobs, an_orderly_release_counts_no_crash)
{
    submit((wish){0});
    for (int i = 0; i < 20; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        ASSERT_STATUS(release(claimed.fence), TQD_STORE_OK);
    }
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_QUEUED));
}

Test(jobs, cancel)
{
    submit((wish){0});
    ASSERT_STATUS(cancel("nobody"), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(cancel(last_id), TQD_STORE_OK);
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_CANCELLED));
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_NOT_FOUND);

    submit((wish){0});
    claim(LONG_MS);
    bool asked = true;
    ASSERT_STATUS(beat(claimed.fence, &asked), TQD_STORE_OK);
    cr_assert(not(asked));
    ASSERT_STATUS(cancel(last_id), TQD_STORE_OK);
    ASSERT_STATUS(beat(claimed.fence, &asked), TQD_STORE_OK);
    cr_assert(asked);
    ASSERT_STATUS(finish(claimed.fence, TQD_JOB_CANCELLED, NULL), TQD_STORE_OK);

    submit((wish){0});
    claim(LONG_MS);
    cancel(last_id);
    expire("node-1", NULL);
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_CANCELLED), "not tried again");
}

Test(jobs, idempotency_key)
{
    char first[TQD_JOB_ID_TEXT];
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "a"}), TQD_STORE_OK);
    cr_assert(not(submitted.repeated));
    memcpy(first, last_id, sizeof first);
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "a"}), TQD_STORE_OK);
    cr_assert(submitted.repeated);
    cr_assert(eq(str, submitted.job.id, first));
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "b"}), TQD_STORE_MISMATCH);
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "b", .client = "you"}), TQD_STORE_OK);
    cr_assert(not(submitted.repeated));
    claim(LONG_MS);
    finish(claimed.fence, TQD_JOB_SUCCEEDED, "r");
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "a"}), TQD_STORE_OK);
    cr_assert(submitted.repeated, "also when it is finished");
    cr_assert(eq(int, (int)submitted.job.state, TQD_JOB_SUCCEEDED));
    delete_job(first);
    ASSERT_STATUS(submit((wish){.key = "k", .digest = "b"}), TQD_STORE_OK);
    cr_assert(not(submitted.repeated), "the key goes with its job");
}

Test(jobs, order_is_by_priority_then_in_turn)
{
    const struct {
        const char *client;
        int priority;
        const char *body;
    } rows[] = {{"a", 0, "a1"}, {"a", 0, "a2"}, {"a", 0, "a3"}, {"b", 0, "b1"},
                {"b", 0, "b2"}, {"c", 5, "c1"}, {"c", -5, "c2"}};
    const char *order[] = {"c1", "a1", "b1", "a2", "b2", "d1", "a3", "c2"};
    for (size_t i = 0; i < 7; i++) {
        submit(
            (wish){.client = rows[i].client, .priority = rows[i].priority, .body = rows[i].body});
    }
    for (size_t i = 0; i < 8; i++) {
        ASSERT_STATUS(claim(LONG_MS), TQD_STORE_OK);
        cr_assert(eq(str, (char *)read_body(claimed.id, TQD_BODY_REQUEST), (char *)order[i]),
                  "place %zu", i);
        if (i == 1) {
            submit((wish){.client = "d", .body = "d1"}); /* a new client does not wait for all jobs
                                                            of a */
        }
    }
}

Test(jobs, bounds)
{
    ASSERT_STATUS(submit((wish){.queued_max = 2}), TQD_STORE_OK);
    ASSERT_STATUS(submit((wish){.queued_max = 2}), TQD_STORE_OK);
    ASSERT_STATUS(submit((wish){.queued_max = 2}), TQD_STORE_QUOTA);
    claim(LONG_MS);
    ASSERT_STATUS(submit((wish){.queued_max = 2}), TQD_STORE_OK);
    ASSERT_STATUS(submit((wish){.bytes_max = 7}), TQD_STORE_QUOTA); /* 3 of 2 bytes are there */
    ASSERT_STATUS(submit((wish){.bytes_max = 8}), TQD_STORE_OK);
}

Test(jobs, deadline)
{
    submit((wish){.deadline_ms = -1});
    ASSERT_STATUS(claim(LONG_MS), TQD_STORE_NOT_FOUND);
    cr_assert(eq(u32, expire(NULL, NULL), 1));
    cr_assert(eq(int, (int)read_job(last_id).state, TQD_JOB_FAILED));
    cr_assert(strstr(read_body(last_id, TQD_BODY_PROBLEM), "deadline") != NULL);
}

/* the longest detail fits too: a problem omits text that may not fit */
Test(jobs, jobs_ended_without_a_runner_have_complete_problems)
{
    static const char *const details[] = {"its deadline\"}\n", ".../request\"}\n",
                                          "or send it again\"}\n"};
    for (tqd_job_end end = TQD_JOB_END_LATE; end <= TQD_JOB_END_INTERRUPTED; end++) {
        char text[TQD_JOB_END_TEXT];
        const size_t n = tqd_job_end_print(end, text), n_last = strlen(details[end]);
        cr_assert(eq(sz, n, strlen(text)));
        cr_assert(n > n_last && strcmp(text + n - n_last, details[end]) == 0, "%s", text);
        cr_assert(eq(int, strncmp(text, "{\"type\":\"/problems/", 19), 0));
    }
}

/* ------------------------------------------------------------------------------ reading many */

typedef struct seen {
    size_t n;
    uint64_t last;
    char states[64];
} seen;

static int see_job(void *ctx, const tqd_job *job)
{
    seen *s = ctx;
    cr_assert(s->n == 0 || job->seq < s->last, "newest first");
    s->last = job->seq;
    s->states[s->n++] = tqd_job_state_name(job->state)[0];
    return 0;
}

Test(jobs, list)
{
    for (int i = 0; i < 9; i++) {
        submit((wish){0});
    }
    for (int i = 0; i < 4; i++) {
        claim(LONG_MS);
        if (i > 1) {
            finish(claimed.fence, i == 2 ? TQD_JOB_SUCCEEDED : TQD_JOB_FAILED, NULL);
        }
    }
    const struct {
        unsigned states;
        const char *kind, *robot;
        int64_t older_ms, newer_ms;
        size_t n;
    } rows[] = {{0, NULL, NULL, 0, 0, 9},
                {1 << TQD_JOB_QUEUED, NULL, NULL, 0, 0, 5},
                {1 << TQD_JOB_RUNNING, NULL, NULL, 0, 0, 2},
                {1 << TQD_JOB_FAILED, NULL, NULL, 0, 0, 1},
                {1 << TQD_JOB_CANCELLED, NULL, NULL, 0, 0, 0},
                {TQD_JOBS_FINISHED, NULL, NULL, 0, 0, 2},
                {1 << TQD_JOB_QUEUED | 1 << TQD_JOB_RUNNING, "simulate", NULL, 0, 0, 7},
                {0, "simulate", "panda", 0, 0, 9},
                {0, "other", NULL, 0, 0, 0},
                {1 << TQD_JOB_QUEUED, NULL, "other", 0, 0, 0},
                {0, NULL, NULL, LONG_MS, 0, 0},
                {0, NULL, NULL, 0, LONG_MS, 9},
                {0, NULL, NULL, -LONG_MS, LONG_MS, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        seen s = {.n = 0};
        tqd_job_filter filter = {.states = rows[i].states,
                                 .kind = rows[i].kind,
                                 .robot = rows[i].robot,
                                 .older_ms = rows[i].older_ms,
                                 .newer_ms = rows[i].newer_ms,
                                 .limit = 2};
        size_t before;
        do { /* page by page */
            before = s.n;
            ASSERT_STATUS(tqd_store_jobs(store, &filter, see_job, &s), TQD_STORE_OK);
            filter.before_seq = s.last;
        } while (s.n > before);
        cr_assert(eq(sz, s.n, rows[i].n), "row %zu", i);
    }
    tqd_job_counts counts;
    tqd_store_job_counts(store, &counts);
    cr_assert(eq(u64, counts.n[TQD_JOB_QUEUED], 5));
    cr_assert(eq(u64, counts.n[TQD_JOB_RUNNING], 2));
    cr_assert(eq(u64, counts.n[TQD_JOB_SUCCEEDED], 1));
}

static int see_event(void *ctx, const tqd_job_event *event)
{
    seen *s = ctx;
    cr_assert(gt(u64, event->seq, s->last), "in order");
    s->last = event->seq;
    s->states[s->n++] = tqd_job_state_name(event->state)[0];
    return 0;
}

Test(jobs, events_miss_no_change)
{
    submit((wish){0});
    claim(LONG_MS);
    beat(claimed.fence, NULL);
    release(claimed.fence);
    claim(LONG_MS);
    expire("node-1", NULL);
    claim(LONG_MS);
    finish(claimed.fence, TQD_JOB_SUCCEEDED, NULL);
    char first[TQD_JOB_ID_TEXT];
    memcpy(first, last_id, sizeof first);
    submit((wish){0});
    cancel(last_id);
    seen all = {.n = 0};
    ASSERT_STATUS(tqd_store_events(store, NULL, 0, 100, see_event, &all), TQD_STORE_OK);
    cr_assert(eq(str, all.states, "qrqrqrsqc"));
    seen one = {.n = 0};
    tqd_store_events(store, first, 0, 3, see_event, &one);
    cr_assert(eq(str, one.states, "qrq"), "as many as asked for");
    tqd_store_events(store, first, one.last, 100, see_event, &one);
    cr_assert(eq(str, one.states, "qrqrqrs"), "and then on from there");
    delete_job(last_id);
    submit((wish){0});
    seen more = {.n = 0, .last = all.last};
    tqd_store_events(store, NULL, all.last, 100, see_event, &more);
    cr_assert(eq(str, more.states, "q"), "the number of a deleted event is not used again");
}

Test(jobs, retention)
{
    for (int i = 0; i < 10; i++) {
        submit((wish){.body = "0123456789"});
        claim(LONG_MS);
        if (i < 9) {
            finish(claimed.fence, TQD_JOB_SUCCEEDED, NULL);
        }
    }
    tqd_job_retain op = {.write.kind = TQD_WRITE_JOB_RETAIN,
                         .age_ms = LONG_MS,
                         .age_waited_ms = LONG_MS,
                         .bytes_max = 75,
                         .limit = 2};
    ASSERT_STATUS(tqd_store_write(store, &op.write), TQD_STORE_OK);
    cr_assert(eq(u32, op.n_job, 2), "bounded");
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 1), "no more than needed");
    op.age_ms = -1;
    op.limit = 100;
    tqd_store_write(store, &op.write);
    cr_assert(eq(u32, op.n_job, 6), "all finished ones are too old");
    tqd_job_counts counts;
    tqd_store_job_counts(store, &counts);
    cr_assert(eq(u64, counts.n[TQD_JOB_RUNNING], 1));
    cr_assert(eq(u64, counts.body_bytes, 10));
}

/* ------------------------------------------------------------------------------- robots pinned */

Test(jobs, version_of_a_robot_must_exist)
{
    tqd_robot_row row;
    ASSERT_STATUS(submit((wish){.unpinned = true}), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(tqd_store_robot(store, "panda", "d", &row, NULL), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(submit((wish){.unpinned = false}), TQD_STORE_OK);
    ASSERT_STATUS(tqd_store_robot(store, "panda", "d", &row, NULL), TQD_STORE_OK);
    cr_assert(eq(str, row.media, "m"));
    /* not a robot of that name, only the version used by the job */
    ASSERT_STATUS(tqd_store_robot(store, "panda", NULL, &row, NULL), TQD_STORE_NOT_FOUND);
    ASSERT_STATUS(submit((wish){.unpinned = true}), TQD_STORE_OK);
}

Test(jobs, pinned_robot_versions_stay)
{
    tqd_robot_row row = {.name = "panda", .digest = "d", .media = "m", .source = "urdf"};
    tqd_robot_put put = {.write.kind = TQD_WRITE_ROBOT_PUT, .row = &row, .bytes = "x", .n_byte = 1};
    ASSERT_STATUS(tqd_store_write(store, &put.write), TQD_STORE_OK);
    submit((wish){0});
    snprintf(row.digest, sizeof row.digest, "e");
    tqd_store_write(store, &put.write);
    tqd_robot_delete delete = {.write.kind = TQD_WRITE_ROBOT_DELETE, .name = "panda"};
    ASSERT_STATUS(tqd_store_write(store, &delete.write), TQD_STORE_OK);
    ASSERT_STATUS(tqd_store_robot(store, "panda", "d", &row, NULL), TQD_STORE_OK);
    ASSERT_STATUS(tqd_store_robot(store, "panda", "e", &row, NULL), TQD_STORE_NOT_FOUND);
    cancel(last_id);
    delete_job(last_id);
    ASSERT_STATUS(tqd_store_robot(store, "panda", "d", &row, NULL), TQD_STORE_NOT_FOUND);
}
