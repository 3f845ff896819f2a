/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/jobs.c - the object that runners, keeper and handlers share; the runners' loop. */
#include "daemon/jobs/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/jobs/document.h"
#include "daemon/jobs/jobs_private.h"
#include "daemon/observe/log.h"
#include "daemon/queue/scratch.h"

enum { RETRY_MS = 1000 };

static void name_node(char node[TQD_JOB_NODE_TEXT], const char *given)
{
    if (given != NULL) {
        snprintf(node, TQD_JOB_NODE_TEXT, "%s", given);
    } else if (gethostname(node, TQD_JOB_NODE_TEXT) != 0) {
        snprintf(node, TQD_JOB_NODE_TEXT, "localhost");
    }
    node[TQD_JOB_NODE_TEXT - 1] = '\0';
    for (char *c = node; *c != '\0'; c++) {
        if (*c <= ' ' || *c > '~' || *c == '"' || *c == '\\') {
            *c = '-'; /* other characters are replaced */
        }
    }
}

tqd_jobs *tqd_jobs_new(const tqd_jobs_options *options, char *why)
{
    tqd_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    jobs->options = *options;
    name_node(jobs->node, options->node);
    jobs->started_ms = tqd_event_hub_now_ms();
    jobs->n_parts = 1; /* a job of another node may have some */
    /* before any job is submitted: events from then on belong to this process */
    uint64_t last_seq = 0;
    if (tqd_store_event_last(options->store, &last_seq) != TQD_STORE_OK) {
        snprintf(why, TQD_STORE_WHY, "events of jobs cannot be read");
        free(jobs);
        return NULL;
    }
    tqd_event_hub_init(&jobs->hub, options->watch_max, options->client_watch_max,
                       tqd_hub_event_print);
    tqd_event_hub_begin(&jobs->hub, last_seq);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_mutex_init(&jobs->choosing, NULL);
    pthread_mutex_init(&jobs->spent.mutex, NULL);
    pthread_cond_init(&jobs->queued, &monotonic);
    pthread_cond_init(&jobs->shut, &monotonic);
    pthread_cond_init(&jobs->news, &monotonic);
    pthread_cond_init(&jobs->gone, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (size_t i = 0; i < TQD_RUNNERS_MAX; i++) {
        jobs->runners[i].jobs = jobs;
        pthread_mutex_init(&jobs->runners[i].mutex, NULL);
    }
    return jobs;
}

void tqd_jobs_free(tqd_jobs *jobs)
{
    if (jobs == NULL) {
        return;
    }
    for (size_t i = 0; i < TQD_RUNNERS_MAX; i++) {
        pthread_mutex_destroy(&jobs->runners[i].mutex);
    }
    pthread_cond_destroy(&jobs->gone);
    pthread_cond_destroy(&jobs->news);
    pthread_cond_destroy(&jobs->shut);
    pthread_cond_destroy(&jobs->queued);
    pthread_mutex_destroy(&jobs->spent.mutex);
    pthread_mutex_destroy(&jobs->choosing);
    pthread_mutex_destroy(&jobs->mutex);
    tqd_event_hub_clear(&jobs->hub);
    free(jobs);
}

tqd_store *tqd_jobs_store(tqd_jobs *jobs)
{
    return jobs->options.store;
}

tqd_event_hub *tqd_jobs_event_hub(tqd_jobs *jobs)
{
    return &jobs->hub;
}

tqd_registry *tqd_jobs_registry(tqd_jobs *jobs)
{
    return jobs->options.registry;
}

const tqd_jobs_options *tqd_jobs_settings(const tqd_jobs *jobs)
{
    return &jobs->options;
}

void tqd_jobs_changed(tqd_jobs *jobs, bool queued)
{
    pthread_mutex_lock(&jobs->mutex);
    if (queued) {
        jobs->n_queued++;
        pthread_cond_signal(&jobs->queued);
        if (jobs->n_busy >= jobs->options.n_runner && jobs->shut_awaited) {
            jobs->shut_awaited = false;
            pthread_cond_broadcast(&jobs->shut);
        }
    }
    if (!jobs->changed) {
        jobs->changed = true;
        pthread_cond_signal(&jobs->news);
    }
    pthread_mutex_unlock(&jobs->mutex);
}

void tqd_jobs_follow(tqd_jobs *jobs, bool queued)
{
    pthread_mutex_lock(&jobs->mutex);
    if (queued) {
        jobs->n_queued++;
        pthread_cond_broadcast(&jobs->queued);
        pthread_cond_broadcast(&jobs->shut);
    }
    jobs->changed = true;
    pthread_cond_signal(&jobs->news);
    pthread_mutex_unlock(&jobs->mutex);
}

void tqd_jobs_nodes_changed(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->nodes_changed = true;
    jobs->changed = true;
    pthread_cond_signal(&jobs->news);
    pthread_mutex_unlock(&jobs->mutex);
}

size_t tqd_jobs_nodes(tqd_jobs *jobs, tqd_node ret[TQD_NODES_MAX])
{
    pthread_mutex_lock(&jobs->mutex);
    const size_t n = jobs->n_node;
    memcpy(ret, jobs->nodes, n * sizeof *ret);
    pthread_mutex_unlock(&jobs->mutex);
    return n;
}

void tqd_jobs_stop(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->stopping = true;
    pthread_cond_broadcast(&jobs->queued);
    pthread_cond_broadcast(&jobs->shut);
    pthread_cond_broadcast(&jobs->news);
    pthread_mutex_unlock(&jobs->mutex);
    tqd_event_hub_stop(&jobs->hub);
}

void tqd_jobs_enter(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->n_alive++;
    pthread_mutex_unlock(&jobs->mutex);
}

void tqd_jobs_leave(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->n_alive--;
    pthread_cond_broadcast(&jobs->gone);
    pthread_mutex_unlock(&jobs->mutex);
}

bool tqd_jobs_wait(tqd_jobs *jobs, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += (wait_ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&jobs->mutex);
    while (jobs->n_alive > 0 && pthread_cond_timedwait(&jobs->gone, &jobs->mutex, &until) == 0) {
    }
    const bool all = jobs->n_alive == 0;
    pthread_mutex_unlock(&jobs->mutex);
    return all;
}

bool tqd_jobs_stopping(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    const bool stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->mutex);
    return stopping;
}

/* Blocks until a job may have been queued since `seen`, or for wait_ms if that is not negative.
 * False when the jobs stop. */
static bool await_change(tqd_jobs *jobs, uint64_t *seen, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    pthread_mutex_lock(&jobs->mutex);
    while (!jobs->stopping && (!jobs->recovered || jobs->n_queued == *seen)) {
        if (wait_ms < 0) {
            pthread_cond_wait(&jobs->queued, &jobs->mutex);
        } else if (pthread_cond_timedwait(&jobs->queued, &jobs->mutex, &until) != 0) {
            break;
        }
    }
    *seen = jobs->n_queued;
    const bool goes_on = !jobs->stopping;
    pthread_mutex_unlock(&jobs->mutex);
    return goes_on;
}

/* ------------------------------------------------------------------------------------ runners */

void tqd_jobs_run(void *arg)
{
    tqd_jobs *jobs = arg;
    tqd_runner *runner = &jobs->runners[atomic_fetch_add(&jobs->n_started, 1)];
    const bool is_spare = tqd_jobs_is_spare(runner);
    tqd_jobs_enter(jobs);
    uint64_t seen = UINT64_MAX; /* jobs queued by a former process count as new */
    int64_t wait_ms = -1;
    while (is_spare ? tqd_jobs_await_shut(jobs, &seen) : await_change(jobs, &seen, wait_ms)) {
        tqd_store_status status = TQD_STORE_OK;
        wait_ms = -1;
        while (!tqd_jobs_stopping(jobs) &&
               (tqd_jobs_claim(runner, &status) ||
                (!is_spare && status == TQD_STORE_NOT_FOUND && tqd_jobs_help(runner)))) {
            tqd_jobs_changed(jobs, false);
            tqd_execute(runner);
            tqd_jobs_ended(runner);
            tqd_jobs_changed(jobs, false);
            if (is_spare) {
                break; /* another job may have become claimable */
            }
        }
        if (status != TQD_STORE_NOT_FOUND && status != TQD_STORE_OK) {
            wait_ms = RETRY_MS; /* the store fails, as with a full disk: try later */
        }
    }
    tqd_scratch_free();
    tqd_jobs_leave(jobs);
}

static tqd_runner *find(tqd_jobs *jobs, const char *id)
{
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        tqd_runner *runner = &jobs->runners[i];
        pthread_mutex_lock(&runner->mutex);
        if (runner->busy && !runner->helps && strcmp(runner->job.id, id) == 0) {
            return runner; /* locked */
        }
        pthread_mutex_unlock(&runner->mutex);
    }
    return NULL;
}

void tqd_jobs_cancel_asked(tqd_jobs *jobs, const char *id)
{
    tqd_runner *runner = find(jobs, id);
    if (runner != NULL) {
        atomic_store(&runner->cancelled, true);
        pthread_mutex_unlock(&runner->mutex);
    }
    tqd_jobs_stop_helpers(jobs, id);
}

static int64_t expiry(const tqd_jobs_options *options, const tqd_job *job)
{
    const bool is_short = job->waited && options->keep_waited_ms < options->keep_ms;
    return job->finished_ms == 0
               ? 0
               : job->finished_ms + (is_short ? options->keep_waited_ms : options->keep_ms);
}

void tqd_jobs_refresh(tqd_jobs *jobs, tqd_job *job)
{
    job->expires_ms = expiry(&jobs->options, job);
    if (job->state != TQD_JOB_RUNNING) {
        return;
    }
    tqd_runner *runner = find(jobs, job->id);
    if (runner == NULL) {
        return;
    }
    job->fraction = runner->fraction;
    snprintf(job->step, sizeof job->step, "%s", runner->step);
    const double elapsed_s = 1e-3 * (double)(tqd_event_hub_now_ms() - runner->begun_ms);
    const double done = runner->fraction - runner->job.fraction;
    job->eta_s = done > 0.0 ? elapsed_s * (1.0 - runner->fraction) / done : -1.0;
    pthread_mutex_unlock(&runner->mutex);
}
