/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares.c - each client's share of the runners: the number of its concurrent jobs by
 * its token, and spare runners for clients without a running job while long jobs of others occupy
 * all runners.
 *
 * Spare runners are threads beyond the number of cores; the kernel shares the time. They claim
 * nothing while the others make progress, so that at most `n_runner` short jobs run concurrently.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/jobs/jobs_private.h"

enum {
    SHUT_MS = 500
}; /* time without progress of the other runners, after which spare runners
                           claim */

/* "\nann\nbob\n": a name for each runner at most */
enum { NAMES_TEXT = TQD_RUNNERS_MAX * TQD_JOB_CLIENT_TEXT + 2 };

bool tqd_jobs_is_spare(const tqd_runner *runner)
{
    return (size_t)(runner - runner->jobs->runners) >= runner->jobs->options.n_runner;
}

/* Lists the clients of running jobs, once for each job; returns their number. */
static size_t list_clients(tqd_jobs *jobs, char (*ret)[TQD_JOB_CLIENT_TEXT])
{
    size_t n = 0;
    const unsigned n_runner = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n_runner; i++) {
        tqd_runner *runner = &jobs->runners[i];
        pthread_mutex_lock(&runner->mutex);
        if (runner->busy) {
            memcpy(ret[n++], runner->job.client, sizeof ret[0]);
        }
        pthread_mutex_unlock(&runner->mutex);
    }
    return n;
}

/* Clients of which no further job may begin on this runner, as in tqd_job_claim; NULL: none. */
static const char *list_excluded(const tqd_runner *runner, char text[NAMES_TEXT])
{
    char clients[TQD_RUNNERS_MAX][TQD_JOB_CLIENT_TEXT];
    const tqd_jobs_options *options = &runner->jobs->options;
    const size_t n = list_clients(runner->jobs, clients);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t n_own = 0;
        for (size_t k = 0; k < n; k++) {
            n_own += strcmp(clients[k], clients[i]) == 0;
        }
        const uint64_t most = tqd_jobs_is_spare(runner) ? 1
                              : options->running_max == NULL
                                  ? 0
                                  : options->running_max(options->running_ctx, clients[i]);
        if (most != 0 && n_own >= most) {
            used += (size_t)snprintf(text + used, NAMES_TEXT - used, "%s%s\n",
                                     used == 0 ? "\n" : "", clients[i]);
        }
    }
    return used > 0 ? text : NULL;
}

static bool claim(tqd_runner *runner, const char *not_of, tqd_store_status *ret_status)
{
    tqd_jobs *jobs = runner->jobs;
    tqd_job_claim claim = {.write = {.kind = TQD_WRITE_JOB_CLAIM},
                           .node = jobs->node,
                           .not_of = not_of,
                           .lease_ms = jobs->options.lease_ms};
    *ret_status = tqd_store_write(jobs->options.store, &claim.write);
    if (*ret_status != TQD_STORE_OK) {
        return false;
    }
    atomic_store(&runner->cancelled, false);
    atomic_store(&runner->overdue, false);
    atomic_store(&runner->handed, false);
    atomic_store(&runner->lost, false);
    pthread_mutex_lock(&runner->mutex);
    runner->job = claim.job;
    runner->fraction = claim.job.fraction;
    runner->step[0] = '\0';
    runner->begun_ms = tqd_event_hub_now_ms();
    runner->moved = false;
    runner->busy = true;
    pthread_mutex_unlock(&runner->mutex);
    tqd_jobs_begun(runner);
    return true;
}

bool tqd_jobs_claim(tqd_runner *runner, tqd_store_status *ret_status)
{
    tqd_jobs *jobs = runner->jobs;
    const tqd_jobs_options *options = &jobs->options;
    const bool has_quotas =
        options->running_max != NULL && options->running_max(options->running_ctx, NULL) != 0;
    if (!tqd_jobs_is_spare(runner) && !has_quotas) {
        return claim(runner, NULL, ret_status);
    }
    char text[NAMES_TEXT];
    /* two runners must not both begin a job if the client may have only one more */
    pthread_mutex_lock(&jobs->choosing);
    pthread_mutex_lock(&jobs->mutex);
    jobs->held_back = true; /* set before the list is made: a job that ends afterwards wakes the
                               clients held back */
    pthread_mutex_unlock(&jobs->mutex);
    const bool good = claim(runner, list_excluded(runner, text), ret_status);
    pthread_mutex_unlock(&jobs->choosing);
    return good;
}

void tqd_jobs_begun(tqd_runner *runner)
{
    tqd_jobs *jobs = runner->jobs;
    if (tqd_jobs_is_spare(runner)) {
        return;
    }
    pthread_mutex_lock(&jobs->mutex);
    jobs->moved_ms = tqd_event_hub_now_ms();
    if (++jobs->n_busy >= jobs->options.n_runner && jobs->shut_awaited) {
        jobs->shut_awaited = false;
        pthread_cond_broadcast(&jobs->shut);
    }
    pthread_mutex_unlock(&jobs->mutex);
}

void tqd_jobs_ended(tqd_runner *runner)
{
    tqd_jobs *jobs = runner->jobs;
    pthread_mutex_lock(&runner->mutex);
    runner->busy = false;
    pthread_mutex_unlock(&runner->mutex);
    pthread_mutex_lock(&jobs->mutex);
    jobs->n_ended++;
    if (!tqd_jobs_is_spare(runner)) {
        jobs->n_busy--;
        jobs->moved_ms = tqd_event_hub_now_ms();
    }
    if (jobs->held_back && jobs->options.running_max != NULL) {
        jobs->held_back = false;
        jobs->n_queued++; /* another job of its client may begin now, on any runner */
        pthread_cond_broadcast(&jobs->queued);
    }
    pthread_mutex_unlock(&jobs->mutex);
}

bool tqd_jobs_await_shut(tqd_jobs *jobs, uint64_t *seen)
{
    pthread_mutex_lock(&jobs->mutex);
    while (!jobs->stopping) {
        const bool has_news = jobs->recovered && jobs->n_queued + jobs->n_ended != *seen &&
                              jobs->n_busy >= jobs->options.n_runner;
        const int64_t left_ms = jobs->moved_ms + SHUT_MS - tqd_event_hub_now_ms();
        if (has_news && left_ms <= 0) {
            break;
        }
        if (has_news) {
            struct timespec until;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_nsec += left_ms * 1000000;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&jobs->shut, &jobs->mutex, &until);
        } else {
            jobs->shut_awaited = true;
            pthread_cond_wait(&jobs->shut, &jobs->mutex);
        }
    }
    *seen = jobs->n_queued + jobs->n_ended;
    const bool goes_on = !jobs->stopping;
    pthread_mutex_unlock(&jobs->mutex);
    return goes_on;
}
