/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares/shares.c - each client's share of the runners: the number of its concurrent
 * jobs and its seconds an hour by its token, and spare runners for clients without a running job
 * while long jobs of others occupy all runners.
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

/* "\nann\nbob\n": a name for each runner and each client that has a quota of seconds, at most */
enum { NAMES_TEXT = (TQD_RUNNERS_MAX + TQD_SPENT_MAX) * TQD_JOB_CLIENT_TEXT + 2 };

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
        if (runner->busy && !runner->helps) {
            memcpy(ret[n++], runner->job.client, sizeof ret[0]);
        }
        pthread_mutex_unlock(&runner->mutex);
    }
    return n;
}

static size_t add_name(char text[NAMES_TEXT], size_t used, const char *client)
{
    return used + (size_t)snprintf(text + used, NAMES_TEXT - used, "%s%s\n", used == 0 ? "\n" : "",
                                   client);
}

/* Appends the clients whose jobs have used their quota of seconds. */
static size_t list_spent(tqd_jobs *jobs, char text[NAMES_TEXT], size_t used)
{
    const tqd_jobs_options *options = &jobs->options;
    char client[TQD_JOB_CLIENT_TEXT];
    const size_t before = used;
    for (size_t i = 0; options->cpu_max != NULL && tqd_spent_client(&jobs->spent, i, client); i++) {
        const uint64_t most = options->cpu_max(options->running_ctx, client);
        if (most != 0 && tqd_jobs_spent_wait(jobs, client, most) > 0.0) {
            used = add_name(text, used, client);
        }
    }
    if (used > before) {
        pthread_mutex_lock(&jobs->mutex);
        jobs->held_by_time = true;
        pthread_mutex_unlock(&jobs->mutex);
    }
    return used;
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
            used = add_name(text, used, clients[i]);
        }
    }
    used = list_spent(runner->jobs, text, used);
    return used > 0 ? text : NULL;
}

/* a runner has begun a job */
static void note_begun(tqd_runner *runner)
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

void tqd_jobs_take(tqd_runner *runner, const tqd_job *job, bool helps)
{
    atomic_store(&runner->cancelled, false);
    atomic_store(&runner->overdue, false);
    atomic_store(&runner->handed, false);
    atomic_store(&runner->lost, false);
    pthread_mutex_lock(&runner->mutex);
    runner->job = *job;
    runner->fraction = job->fraction;
    runner->step[0] = '\0';
    runner->begun_ms = runner->charged_ms = tqd_event_hub_now_ms();
    runner->moved = false;
    runner->helps = runner->has_part = helps;
    runner->busy = true;
    pthread_mutex_unlock(&runner->mutex);
    if (helps) {
        atomic_fetch_add(&runner->jobs->n_helping, 1);
    }
    note_begun(runner);
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
    tqd_jobs_take(runner, &claim.job, false);
    return true;
}

bool tqd_jobs_claim(tqd_runner *runner, tqd_store_status *ret_status)
{
    tqd_jobs *jobs = runner->jobs;
    const tqd_jobs_options *options = &jobs->options;
    const bool has_quotas =
        (options->running_max != NULL && options->running_max(options->running_ctx, NULL) != 0) ||
        (options->cpu_max != NULL && options->cpu_max(options->running_ctx, NULL) != 0);
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

double tqd_jobs_spent_wait(tqd_jobs *jobs, const char *client, uint64_t hourly_s)
{
    return tqd_spent_wait(&jobs->spent, client, hourly_s, tqd_event_hub_now_ms());
}

/* Adds the time since it was charged last. */
static void charge(tqd_runner *runner)
{
    const tqd_jobs_options *options = &runner->jobs->options;
    char client[TQD_JOB_CLIENT_TEXT] = "";
    int64_t passed_ms = 0;
    if (options->cpu_max == NULL) {
        return;
    }
    const int64_t now_ms = tqd_event_hub_now_ms();
    pthread_mutex_lock(&runner->mutex);
    if (runner->busy) {
        memcpy(client, runner->job.client, sizeof client);
        passed_ms = now_ms - runner->charged_ms;
        runner->charged_ms = now_ms;
    }
    pthread_mutex_unlock(&runner->mutex);
    const uint64_t most = client[0] != '\0' ? options->cpu_max(options->running_ctx, client) : 0;
    if (most != 0) {
        tqd_spent_add(&runner->jobs->spent, client, most, 1e-3 * (double)passed_ms, now_ms);
    }
}

bool tqd_jobs_charge_all(tqd_jobs *jobs, bool is_second)
{
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        charge(&jobs->runners[i]);
    }
    pthread_mutex_lock(&jobs->mutex);
    const bool held = jobs->held_by_time;
    if (held && is_second) {
        jobs->held_by_time = false; /* whoever finds it so again says so */
        jobs->n_queued++;
        pthread_cond_broadcast(&jobs->queued);
        pthread_cond_broadcast(&jobs->shut);
    }
    pthread_mutex_unlock(&jobs->mutex);
    return held;
}

void tqd_jobs_ended(tqd_runner *runner)
{
    tqd_jobs *jobs = runner->jobs;
    charge(runner);
    if (runner->helps) {
        atomic_fetch_sub(&jobs->n_helping, 1);
    }
    pthread_mutex_lock(&runner->mutex);
    runner->busy = runner->helps = runner->has_part = false;
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
