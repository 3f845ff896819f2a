/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_jobs_model.c - random calls to the store and to a reference state
 * machine in an array: every result and every job must agree. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "daemon/store/jobs.h"
#include "tests/unit/daemon/store/fixture.h"
#include "tests/unit/daemon/store/sqlite_steps.h"

enum { JOBS = 400, STEPS = 1500, LONG_MS = 1000000, CRASHES = 2, SEEDS = 4 };

/* expected state of a job */
typedef struct model_job {
    char id[TQD_JOB_ID_TEXT];
    bool there;
    int client, priority, key; /* key 0: none */
    int digest;
    uint64_t tag, fence;
    tqd_job_state state;
    uint32_t attempts, crashes;
    bool cancel_asked, lease_gone;
    int node;
} model_job;

typedef struct model {
    model_job jobs[JOBS];
    size_t n;
    uint64_t clock;
    uint64_t random;
    size_t n_event;
} model;

static unsigned pick(model *m, unsigned n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (unsigned)((m->random >> 33) % n);
}

static model_job *some_job(model *m)
{
    return m->n == 0 ? NULL : &m->jobs[pick(m, (unsigned)m->n)];
}

static const char *const clients[] = {"ann", "bob", "eve"};
static const char *const nodes[] = {"north", "south"};
static const char *const keys[] = {NULL, "k1", "k2", "k3"};
static const char *const digests[] = {"d0", "d1"};

static void set_state(model *m, model_job *job, tqd_job_state state)
{
    m->n_event += job->state != state;
    job->state = state;
}

#define AGREE(call, expected) cr_assert(eq(int, (int)(call), (int)(expected)), "seed %zu", seed)
static size_t seed;

/* --------------------------------------------------------------------- one call of each kind */

static void submit(model *m)
{
    if (m->n == JOBS) {
        return;
    }
    model_job *job = &m->jobs[m->n];
    *job = (model_job){.there = true,
                       .client = (int)pick(m, 3),
                       .priority = (int)pick(m, 3),
                       .key = (int)pick(m, 4),
                       .digest = (int)pick(m, 2)};
    tqd_job_id_make(job->id);
    tqd_store_status expected = TQD_STORE_OK;
    const model_job *first = NULL;
    uint64_t tag = m->clock;
    for (size_t i = 0; i < m->n; i++) {
        const model_job *other = &m->jobs[i];
        if (!other->there || other->client != job->client) {
            continue;
        }
        if (job->key != 0 && other->key == job->key) {
            first = other;
            expected = other->digest == job->digest ? TQD_STORE_OK : TQD_STORE_MISMATCH;
        }
        if (other->state == TQD_JOB_QUEUED && other->tag > tag) {
            tag = other->tag;
        }
    }
    tqd_job_submit op = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                         .id = job->id,
                         .kind = "simulate",
                         .robot = "",
                         .robot_digest = "",
                         .client = clients[job->client],
                         .priority = job->priority,
                         .key = keys[job->key],
                         .digest = digests[job->digest],
                         .request = {"application/json", "{}", NULL, 2}};
    AGREE(tqd_store_write(store, &op.write), expected);
    if (first == NULL) {
        job->tag = tag + 1;
        m->n++;
        m->n_event++;
    } else if (expected == TQD_STORE_OK) {
        cr_assert(op.repeated && strcmp(op.job.id, first->id) == 0);
    }
}

static void claim(model *m)
{
    model_job *next = NULL;
    for (size_t i = 0; i < m->n; i++) {
        model_job *job = &m->jobs[i];
        if (job->there && job->state == TQD_JOB_QUEUED &&
            (next == NULL || job->priority > next->priority ||
             (job->priority == next->priority && job->tag < next->tag))) {
            next = job;
        }
    }
    const bool gone = pick(m, 3) == 0;
    const int node = (int)pick(m, 2);
    tqd_job_claim op = {
        .write.kind = TQD_WRITE_JOB_CLAIM, .node = nodes[node], .lease_ms = gone ? -1 : LONG_MS};
    AGREE(tqd_store_write(store, &op.write), next != NULL ? TQD_STORE_OK : TQD_STORE_NOT_FOUND);
    if (next != NULL) {
        cr_assert(eq(str, op.job.id, next->id), "seed %zu", seed);
        set_state(m, next, TQD_JOB_RUNNING);
        next->fence++;
        next->attempts++;
        next->lease_gone = gone;
        next->node = node;
        m->clock = next->tag > m->clock ? next->tag : m->clock;
        cr_assert(eq(u64, op.job.fence, next->fence));
    }
}

/* beat, checkpoint, finish or release, with the valid fencing token or an old one */
static void report(model *m)
{
    model_job *job = some_job(m);
    if (job == NULL) {
        return;
    }
    const uint64_t fence = job->fence - (pick(m, 4) == 0 ? 1 : 0);
    const bool held = job->there && job->state == TQD_JOB_RUNNING && fence == job->fence;
    const tqd_store_status expected = held ? TQD_STORE_OK : TQD_STORE_MISMATCH;
    tqd_job_beat beat = {.write.kind = TQD_WRITE_JOB_BEAT,
                         .id = job->id,
                         .fence = fence,
                         .lease_ms = LONG_MS,
                         .step = "s"};
    tqd_job_checkpoint checkpoint = {.write.kind = TQD_WRITE_JOB_CHECKPOINT,
                                     .id = job->id,
                                     .fence = fence,
                                     .lease_ms = LONG_MS,
                                     .body = {"m", "bytes", NULL, 5}};
    tqd_job_finish finish = {.write.kind = TQD_WRITE_JOB_FINISH,
                             .id = job->id,
                             .fence = fence,
                             .state = TQD_JOB_SUCCEEDED + pick(m, 3),
                             .result = {"m", "result", NULL, 6}};
    tqd_job_release release = {.write.kind = TQD_WRITE_JOB_RELEASE, .id = job->id, .fence = fence};
    switch (pick(m, 6)) {
    case 0:
        AGREE(tqd_store_write(store, &beat.write), expected);
        cr_assert(eq(int, beat.cancel_asked, held && job->cancel_asked));
        job->lease_gone = job->lease_gone && !held;
        break;
    case 1:
        AGREE(tqd_store_write(store, &checkpoint.write), expected);
        if (held) {
            job->crashes = 0;
            job->lease_gone = false;
        }
        break;
    case 2:
        AGREE(tqd_store_write(store, &release.write), expected);
        if (held) {
            set_state(m, job, job->cancel_asked ? TQD_JOB_CANCELLED : TQD_JOB_QUEUED);
        }
        break;
    default:
        AGREE(tqd_store_write(store, &finish.write), expected);
        if (held) {
            set_state(m, job, finish.state);
        }
    }
}

static void cancel_or_delete(model *m)
{
    model_job *job = some_job(m);
    if (job == NULL) {
        return;
    }
    const bool finished = job->state >= TQD_JOB_SUCCEEDED;
    if (pick(m, 2) == 0) {
        tqd_job_cancel op = {.write.kind = TQD_WRITE_JOB_CANCEL, .id = job->id};
        AGREE(tqd_store_write(store, &op.write), !job->there ? TQD_STORE_NOT_FOUND
                                                 : finished  ? TQD_STORE_MISMATCH
                                                             : TQD_STORE_OK);
        if (job->there && job->state == TQD_JOB_RUNNING) {
            job->cancel_asked = true;
        } else if (job->there && job->state == TQD_JOB_QUEUED) {
            set_state(m, job, TQD_JOB_CANCELLED);
        }
    } else {
        tqd_job_delete op = {.write.kind = TQD_WRITE_JOB_DELETE, .id = job->id};
        AGREE(tqd_store_write(store, &op.write), !job->there ? TQD_STORE_NOT_FOUND
                                                 : finished  ? TQD_STORE_OK
                                                             : TQD_STORE_MISMATCH);
        job->there = job->there && !finished;
    }
}

static void expire(model *m)
{
    const int node = (int)pick(m, 3) - 1; /* -1: expired leases */
    const model_job *blamed = some_job(m);
    for (int i = 0; blamed != NULL && blamed->state != TQD_JOB_RUNNING && i < 50; i++) {
        blamed = some_job(m);
    }
    uint32_t expected = 0;
    tqd_job_expire op = {.write.kind = TQD_WRITE_JOB_EXPIRE,
                         .node = node < 0 ? NULL : nodes[node],
                         .blamed = blamed != NULL ? blamed->id : NULL,
                         .crashes_max = CRASHES,
                         .limit = 64};
    for (size_t i = 0; i < m->n; i++) {
        model_job *job = &m->jobs[i];
        if (!job->there || job->state != TQD_JOB_RUNNING ||
            (node < 0 ? !job->lease_gone : job->node != node)) {
            continue;
        }
        expected++;
        job->crashes += job == blamed;
        set_state(m, job,
                  job->cancel_asked                          ? TQD_JOB_CANCELLED
                  : job == blamed && job->crashes >= CRASHES ? TQD_JOB_FAILED
                                                             : TQD_JOB_QUEUED);
    }
    AGREE(tqd_store_write(store, &op.write), TQD_STORE_OK);
    cr_assert(eq(u32, op.n_job, expected), "seed %zu", seed);
}

/* ---------------------------------------------------------------------------------- comparing */

static int count_event(void *ctx, const tqd_job_event *event)
{
    (void)event;
    ++*(size_t *)ctx;
    return 0;
}

/* rows of `usage` that disagree with a count of the waiting jobs and of their bytes */
#define WAITING                                                                                    \
    "SELECT 'queued:' || client, count(*), sum((SELECT sum(size) FROM job_body WHERE job = seq))"  \
    " FROM job WHERE state = 0 AND client <> '' GROUP BY client"
#define COUNTED "SELECT what, n, bytes FROM usage WHERE what LIKE 'queued:%'"
static const char differ_sql[] = "SELECT (SELECT count(*) FROM (" WAITING " EXCEPT " COUNTED ") a)"
                                 " + (SELECT count(*) FROM (" COUNTED " EXCEPT " WAITING ") b)";

static long n_differing(void)
{
    if (uri[0] != '\0') {
        return test_postgres_number(uri, differ_sql);
    }
    tqd_connection *connection = open_database();
    sqlite3_stmt *statement = tqd_sql(connection, differ_sql);
    cr_assert(statement != NULL && sqlite3_step(statement) == SQLITE_ROW);
    const long n = (long)sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    tqd_connection_close(connection);
    return n;
}

static void compare(const model *m)
{
    tqd_job_counts counts;
    uint64_t n[TQD_JOB_STATES] = {0};
    for (size_t i = 0; i < m->n; i++) {
        const model_job *job = &m->jobs[i];
        tqd_job real;
        AGREE(tqd_store_job(store, job->id, &real),
              job->there ? TQD_STORE_OK : TQD_STORE_NOT_FOUND);
        if (job->there) {
            n[job->state]++;
            cr_assert(eq(int, (int)real.state, (int)job->state), "seed %zu job %zu", seed, i);
            cr_assert(eq(u32, real.attempts, job->attempts), "seed %zu job %zu", seed, i);
            cr_assert(eq(u64, real.fence, job->fence), "seed %zu job %zu", seed, i);
            cr_assert(eq(int, real.cancel_asked, job->cancel_asked), "seed %zu job %zu", seed, i);
        }
    }
    AGREE(tqd_store_job_counts(store, &counts), TQD_STORE_OK);
    for (size_t i = 0; i < TQD_JOB_STATES; i++) {
        cr_assert(eq(u64, counts.n[i], n[i]), "seed %zu state %zu", seed, i);
    }
    cr_assert(eq(long, n_differing(), 0), "seed %zu", seed);
}

ParameterizedTestParameters(jobs_model, random_calls)
{
    static size_t seeds[SEEDS];
    for (size_t i = 0; i < SEEDS; i++) {
        seeds[i] = i + 1;
    }
    return cr_make_param_array(size_t, seeds, SEEDS);
}

ParameterizedTest(size_t *row, jobs_model, random_calls, .init = setup, .fini = teardown,
                  .timeout = 100)
{
    static model m;
    seed = *row;
    m.random = 0x9e3779b97f4a7c15u * seed;
    bool deleted = false;
    for (int step = 0; step < STEPS; step++) {
        const unsigned kind = pick(&m, 100);
        if (kind < 25) {
            submit(&m);
        } else if (kind < 50) {
            claim(&m);
        } else if (kind < 80) {
            report(&m);
        } else if (kind < 92) {
            cancel_or_delete(&m);
        } else if (kind < 98) {
            expire(&m);
        } else if (kind == 98) {
            stop_store();
            start_store();
        } else {
            compare(&m);
        }
    }
    compare(&m);
    /* no event is missing: those of deleted jobs are deleted with them, so events are counted if no
     * job is deleted */
    for (size_t i = 0; i < m.n; i++) {
        deleted = deleted || !m.jobs[i].there;
    }
    size_t n_event = 0;
    tqd_store_events(store, NULL, 0, 100000, count_event, &n_event);
    cr_assert(deleted ? n_event <= m.n_event : n_event == m.n_event, "%zu of %zu events", n_event,
              m.n_event);
}
