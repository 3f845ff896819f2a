/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/parts.c - jobs in parts: the runner of the job takes one part after the other, idle
 * runners of all nodes take others, and the job goes on when the bytes of all are there. */
#include "daemon/jobs/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "api/version.h"
#include "daemon/observe/log.h"
#include "daemon/store/parts.h"

enum {
    LOOK_US = 5000, /* first wait for parts of others; it doubles */
    LOOK_MAX_US = 160000,
    RETRY_US = 500000, /* the store fails */
};

static bool is_over(const tqd_job_host *w)
{
    return w->host.cancelled(w->host.ctx);
}

/* ------------------------------------------------------------------------ a part in the store */

static tqd_store_status claim(tqd_runner *runner, bool own, tqd_part_claim *ret)
{
    tqd_jobs *jobs = runner->jobs;
    *ret = (tqd_part_claim){.write = {.kind = TQD_WRITE_PART_CLAIM},
                            .node = jobs->node,
                            .version = TQA_VERSION,
                            .id = own ? runner->job.id : NULL,
                            .fence = own ? runner->job.fence : 0,
                            .lease_ms = jobs->options.lease_ms};
    const tqd_store_status status = tqd_store_write(jobs->options.store, &ret->write);
    if (status == TQD_STORE_OK && own) {
        pthread_mutex_lock(&runner->mutex);
        runner->has_part = true;
        runner->part = ret->part;
        runner->part_fence = ret->part_fence;
        pthread_mutex_unlock(&runner->mutex);
    }
    return status;
}

/* Ends the claim of this runner's part. Retried while the store fails: the bytes are in memory, and
 * the lease is renewed until another has the part. */
static void end_part(const tqd_job_host *w, tqd_part_state state, const char *bytes, uint64_t size)
{
    tqd_runner *runner = w->runner;
    tqd_part_end end = {.id = runner->job.id,
                        .part = runner->part,
                        .fence = runner->part_fence,
                        .state = state,
                        .bytes = bytes,
                        .size = size};
    tqd_store_status status = TQD_STORE_OK;
    bool again = true;
    while (again) {
        end.write = (tqd_write){.kind = TQD_WRITE_PART_END};
        status = tqd_store_write(runner->jobs->options.store, &end.write);
        again = status > TQD_STORE_OWNED && state != TQD_PART_OPEN && !is_over(w);
        if (again) {
            usleep(RETRY_US);
        }
    }
    pthread_mutex_lock(&runner->mutex);
    runner->has_part = false;
    pthread_mutex_unlock(&runner->mutex);
}

/* What is stored of a part: XXH3 of its bytes, then they. NULL: memory is short. */
static char *seal(const void *bytes, size_t n)
{
    XXH64_canonical_t sum;
    char *sealed = malloc(sizeof sum + n);
    if (sealed != NULL) {
        XXH64_canonicalFromHash(&sum, XXH3_64bits(bytes, n));
        memcpy(sealed, &sum, sizeof sum);
        memcpy(sealed + sizeof sum, bytes, n);
    }
    return sealed;
}

/* Computes the part that this runner has claimed, and stores it. */
static tqa_part_end compute(const tqd_job_host *w, const tqa_parts *parts)
{
    const uint32_t part = w->runner->part;
    tqa_part_end done = part < parts->n ? parts->run(parts->arg, part) : TQA_PART_STOPPED;
    if (done == TQA_PART_REFUSED && is_over(w)) {
        done = TQA_PART_STOPPED; /* whatever a computation that is cut off calls it */
    }
    if (done == TQA_PART_DONE) {
        size_t n = 0;
        const void *bytes = parts->bytes(parts->arg, part, &n);
        char *sealed = seal(bytes, n);
        end_part(w, sealed != NULL ? TQD_PART_DONE : TQD_PART_OPEN, sealed,
                 sealed != NULL ? sizeof(XXH64_canonical_t) + n : 0);
        free(sealed);
    } else {
        end_part(w, done == TQA_PART_REFUSED ? TQD_PART_FAILED : TQD_PART_OPEN, NULL, 0);
    }
    return done;
}

/* ------------------------------------------------------------------------ the runner of a job */

/* False: the run is over. */
static bool open_parts(tqd_job_host *w, size_t n)
{
    tqd_runner *runner = w->runner;
    tqd_part_open open = {
        .id = runner->job.id, .fence = runner->job.fence, .version = TQA_VERSION, .n = (uint32_t)n};
    tqd_store_status status = TQD_STORE_BROKEN;
    while (status > TQD_STORE_OWNED && !is_over(w)) {
        open.write = (tqd_write){.kind = TQD_WRITE_PART_OPEN};
        status = tqd_store_write(runner->jobs->options.store, &open.write);
        if (status > TQD_STORE_OWNED) {
            usleep(RETRY_US);
        }
    }
    if (status == TQD_STORE_MISMATCH) {
        atomic_store(&runner->lost, true);
    }
    if (status == TQD_STORE_OK) {
        tqd_jobs_parts_opened(runner->jobs);
    }
    return status == TQD_STORE_OK;
}

/* The bytes of a part that another runner has computed. False: there are none, or they are
 * damaged. */
static bool take_bytes(const tqd_job_host *w, const tqa_parts *parts, size_t part)
{
    tqd_runner *runner = w->runner;
    XXH64_canonical_t sum;
    char *stored = NULL;
    uint64_t size = 0;
    size_t n = 0;
    void *bytes = parts->bytes(parts->arg, part, &n);
    tqd_store_status status = TQD_STORE_BROKEN;
    while (status > TQD_STORE_OWNED && !is_over(w)) {
        status = tqd_store_part_bytes(runner->jobs->options.store, runner->job.id, (uint32_t)part,
                                      &stored, &size);
        if (status > TQD_STORE_OWNED) {
            usleep(RETRY_US);
        }
    }
    bool good = status == TQD_STORE_OK && size == sizeof sum + n;
    if (good) {
        memcpy(&sum, stored, sizeof sum);
        memcpy(bytes, stored + sizeof sum, n);
        good = XXH64_hashFromCanonical(&sum) == XXH3_64bits(bytes, n);
    }
    free(stored);
    return good;
}

/* Takes parts until all are done; `have`: whose bytes are in memory. */
static bool take_turns(tqd_job_host *w, const tqa_parts *parts, bool *have)
{
    tqd_runner *runner = w->runner;
    tqd_part_counts counts = {.n_done = 0};
    unsigned wait_us = LOOK_US;
    while (!is_over(w)) {
        tqd_store_status status =
            tqd_store_parts(runner->jobs->options.store, runner->job.id, &counts);
        if (status == TQD_STORE_OK) {
            w->host.progress(w->host.ctx, (double)counts.n_done / (double)parts->n, NULL);
            if (counts.n_done == parts->n) {
                return true;
            }
        }
        tqd_part_claim mine = {.is_first = false};
        const bool any = counts.n_open > 0 || (counts.n_failed > 0 && counts.n_running == 0);
        if (status == TQD_STORE_OK) {
            status = any ? claim(runner, true, &mine) : TQD_STORE_NOT_FOUND;
        }
        if (status == TQD_STORE_OK) {
            const tqa_part_end done = compute(w, parts);
            if (done == TQA_PART_STOPPED || (done == TQA_PART_REFUSED && mine.is_first)) {
                return false;
            }
            have[mine.part] = done == TQA_PART_DONE;
            wait_us = LOOK_US;
            continue;
        }
        usleep(status > TQD_STORE_OWNED ? RETRY_US : wait_us);
        wait_us = wait_us < LOOK_MAX_US ? 2 * wait_us : LOOK_MAX_US;
    }
    return false;
}

bool tqd_parts_run(void *ctx, const tqa_parts *parts)
{
    tqd_job_host *w = ctx;
    if (w->runner->helps) {
        (void)compute(w, parts);
        return false;
    }
    bool *have = calloc(parts->n, sizeof *have);
    bool good = have != NULL && open_parts(w, parts->n) && take_turns(w, parts, have);
    for (size_t k = 0; good && k < parts->n; k++) {
        if (!have[k] && !take_bytes(w, parts, k)) {
            tqd_log(TQD_LOG_WARNING, "a part of a job is computed again",
                    TQD_TEXT("job", w->runner->job.id), TQD_NUMBER("part", k));
            good = !is_over(w) && parts->run(parts->arg, k) == TQA_PART_DONE;
        }
    }
    free(have);
    return good;
}

/* ------------------------------------------------------------------------------------ helping */

bool tqd_jobs_help(tqd_runner *runner)
{
    tqd_jobs *jobs = runner->jobs;
    pthread_mutex_lock(&jobs->mutex);
    const uint64_t news = jobs->n_parts;
    const bool any = jobs->n_parts_seen != news && jobs->recovered && !jobs->stopping;
    pthread_mutex_unlock(&jobs->mutex);
    tqd_part_claim theirs;
    const tqd_store_status status = any ? claim(runner, false, &theirs) : TQD_STORE_NOT_FOUND;
    if (any && status == TQD_STORE_NOT_FOUND) {
        pthread_mutex_lock(&jobs->mutex);
        jobs->n_parts_seen = news;
        pthread_mutex_unlock(&jobs->mutex);
    }
    if (status != TQD_STORE_OK) {
        return false;
    }
    pthread_mutex_lock(&runner->mutex);
    runner->part = theirs.part;
    runner->part_fence = theirs.part_fence;
    pthread_mutex_unlock(&runner->mutex);
    tqd_jobs_take(runner, &theirs.job, true);
    return true;
}

void tqd_parts_leave(tqd_runner *runner)
{
    tqd_jobs *jobs = runner->jobs;
    if (runner->has_part) { /* not computed at all: it is another's turn */
        tqd_part_end end = {.write = {.kind = TQD_WRITE_PART_END},
                            .id = runner->job.id,
                            .part = runner->part,
                            .fence = runner->part_fence,
                            .state = TQD_PART_OPEN};
        (void)tqd_store_write(jobs->options.store, &end.write);
        pthread_mutex_lock(&jobs->mutex);
        jobs->n_parts_seen = jobs->n_parts;
        pthread_mutex_unlock(&jobs->mutex);
    }
}

void tqd_jobs_parts_opened(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->n_parts++;
    jobs->n_queued++;
    pthread_cond_broadcast(&jobs->queued);
    pthread_mutex_unlock(&jobs->mutex);
}

void tqd_jobs_beat_part(tqd_runner *runner)
{
    pthread_mutex_lock(&runner->mutex);
    const bool has_part = runner->busy && runner->has_part;
    const tqd_job job = runner->job;
    const uint32_t part = runner->part;
    const uint64_t fence = runner->part_fence;
    pthread_mutex_unlock(&runner->mutex);
    if (!has_part) {
        return;
    }
    tqd_part_beat beat = {.write = {.kind = TQD_WRITE_PART_BEAT},
                          .id = job.id,
                          .part = part,
                          .fence = fence,
                          .lease_ms = runner->jobs->options.lease_ms};
    const tqd_store_status status = tqd_store_write(runner->jobs->options.store, &beat.write);
    pthread_mutex_lock(&runner->mutex);
    if (status == TQD_STORE_MISMATCH && runner->busy && runner->helps && runner->has_part &&
        runner->part == part && runner->part_fence == fence &&
        strcmp(runner->job.id, job.id) == 0) {
        atomic_store(&runner->lost, true);
    }
    pthread_mutex_unlock(&runner->mutex);
}

void tqd_jobs_stop_helpers(tqd_jobs *jobs, const char *id)
{
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n && atomic_load(&jobs->n_helping) > 0; i++) {
        tqd_runner *runner = &jobs->runners[i];
        pthread_mutex_lock(&runner->mutex);
        if (runner->busy && runner->helps && strcmp(runner->job.id, id) == 0) {
            atomic_store(&runner->lost, true);
        }
        pthread_mutex_unlock(&runner->mutex);
    }
}
