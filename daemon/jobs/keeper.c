/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/keeper.c - the thread for periodic work: leases, events, expiry. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/jobs/crash.h"
#include "daemon/jobs/jobs_private.h"
#include "daemon/observe/log.h"
#include "daemon/store/files.h"
#include "daemon/store/lost.h"
#include "daemon/store/parts.h"
#include "daemon/store/scratch_file.h"

enum {
    TICK_MS = 250,  /* while a job runs or an exchange waits: four progress events a second */
    IDLE_MS = 5000, /* else: deadlines of queued jobs, leases of dead nodes */
    EXPIRE_MS = 1000,
    SECOND_MS = 1000,
    NODE_MS = 4000, /* below IDLE_MS, so that it is done at each tick of an idle keeper */
    RETAIN_MS = 60000,
    CLEAR_MS = 50,          /* time for removing files in each tick */
    INTERRUPTIONS_MAX = 16, /* of one job without a checkpoint in between: DECISIONS.md */
    AT_ONCE = 64,           /* jobs that one transaction changes */
    PAGE = 256,             /* events that one query reads */
};

static tqd_store_status expire(tqd_jobs *jobs, const char *node, const char *blamed)
{
    tqd_job_expire expire = {.node = node,
                             .any_node = !tqd_store_is_shared(jobs->options.store),
                             .blamed = blamed,
                             .crashes_max = jobs->options.crashes_max,
                             .interruptions_max = INTERRUPTIONS_MAX,
                             .limit = AT_ONCE};
    tqd_store_status status = TQD_STORE_OK;
    do {
        expire.write = (tqd_write){.kind = TQD_WRITE_JOB_EXPIRE};
        status = tqd_store_write(jobs->options.store, &expire.write);
        if (status == TQD_STORE_OK && expire.n_job > 0) {
            tqd_jobs_changed(jobs, true);
            if (node != NULL) {
                tqd_log(TQD_LOG_WARNING, "jobs interrupted by the end of a former process",
                        TQD_NUMBER("jobs", expire.n_job),
                        TQD_TEXT("crashed", blamed != NULL ? blamed : ""));
            }
        }
    } while (status == TQD_STORE_OK && expire.n_job >= AT_ONCE);
    return status;
}

/* Recovers the jobs that a former process of this node was running; of a store that no other
 * process has, those of any node: a container has a new host name at each start. */
static bool recover(tqd_jobs *jobs)
{
    char crashed[TQD_JOB_ID_TEXT];
    tqd_crash_read(jobs->options.state, crashed);
    const char *blamed = crashed[0] != '\0' ? crashed : NULL;
    tqd_part_drop drop = {.write = {.kind = TQD_WRITE_PART_DROP},
                          .node = jobs->node,
                          .any_node = !tqd_store_is_shared(jobs->options.store),
                          .blamed = blamed};
    tqd_store_status status = tqd_store_write(jobs->options.store, &drop.write);
    if (status == TQD_STORE_OK) {
        status = expire(jobs, jobs->node, blamed);
    }
    if (status != TQD_STORE_OK) {
        tqd_log(TQD_LOG_ERROR, "jobs of a former process cannot be recovered",
                TQD_TEXT("reason", tqd_store_status_text(status)));
        return false;
    }
    if (!tqd_crash_arm(jobs->options.state)) {
        tqd_log(TQD_LOG_WARNING, "crashes of jobs will not be counted",
                TQD_TEXT("reason", "no file can be created in the state folder"));
    }
    tqd_scratch_file_sweep(jobs->options.store);
    pthread_mutex_lock(&jobs->mutex);
    jobs->recovered = true;
    pthread_cond_broadcast(&jobs->queued);
    pthread_mutex_unlock(&jobs->mutex);
    return true;
}

/* --------------------------------------------------------------------------------------- news */

typedef struct page {
    size_t n;
    tqd_hub_event news[PAGE];
} page;

static int add_event(void *ctx, const tqd_job_event *event)
{
    page *p = ctx;
    tqd_hub_event *news = &p->news[p->n++];
    memset(news, 0, sizeof *news);
    news->seq = event->seq;
    memcpy(news->id, event->id, sizeof news->id);
    memcpy(news->client, event->client, sizeof news->client);
    news->state = event->state;
    news->attempts = event->attempts;
    news->at_ms = event->at_ms;
    return p->n == PAGE;
}

/* False: the store could not be read; the next tick tries again. */
static bool publish_events(tqd_jobs *jobs, uint64_t *last_seq)
{
    page p;
    do {
        p.n = 0;
        if (tqd_store_events(jobs->options.store, NULL, *last_seq, PAGE, add_event, &p) !=
            TQD_STORE_OK) {
            return false;
        }
        if (p.n > 0) {
            *last_seq = p.news[p.n - 1].seq;
            for (size_t i = 0; i < p.n; i++) {
                if (p.news[i].state >= TQD_JOB_SUCCEEDED) {
                    tqd_jobs_stop_helpers(jobs, p.news[i].id);
                }
            }
            tqd_event_hub_publish(&jobs->hub, p.news, p.n);
        }
    } while (p.n == PAGE);
    return true;
}

static void publish_progress(tqd_jobs *jobs)
{
    page p = {.n = 0};
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        tqd_runner *runner = &jobs->runners[i];
        tqd_job job;
        pthread_mutex_lock(&runner->mutex);
        const bool moved = runner->busy && !runner->helps && runner->moved;
        job = runner->job;
        runner->moved = false;
        pthread_mutex_unlock(&runner->mutex);
        if (moved) {
            tqd_jobs_refresh(jobs, &job);
            tqd_hub_event *news = &p.news[p.n++];
            memset(news, 0, sizeof *news);
            memcpy(news->id, job.id, sizeof news->id);
            memcpy(news->client, job.client, sizeof news->client);
            news->state = TQD_JOB_RUNNING;
            news->attempts = job.attempts;
            news->fraction = job.fraction;
            news->eta_s = job.eta_s;
            memcpy(news->step, job.step, sizeof news->step);
        }
    }
    if (p.n > 0) {
        tqd_event_hub_publish(&jobs->hub, p.news, p.n);
    }
}

/* ------------------------------------------------------------------------------------- leases */

static void beat(tqd_jobs *jobs, tqd_runner *runner)
{
    tqd_job job;
    pthread_mutex_lock(&runner->mutex);
    const bool busy = runner->busy && !runner->helps;
    job = runner->job;
    pthread_mutex_unlock(&runner->mutex);
    if (!busy || atomic_load(&runner->lost)) {
        return;
    }
    tqd_jobs_refresh(jobs, &job);
    tqd_job_beat beat = {.write = {.kind = TQD_WRITE_JOB_BEAT},
                         .id = job.id,
                         .fence = job.fence,
                         .lease_ms = jobs->options.lease_ms,
                         .fraction = job.fraction,
                         .eta_s = job.eta_s,
                         .step = job.step};
    const tqd_store_status status = tqd_store_write(jobs->options.store, &beat.write);
    /* the runner may have begun another job: the fencing token identifies the run */
    pthread_mutex_lock(&runner->mutex);
    if (runner->busy && strcmp(runner->job.id, job.id) == 0 && runner->job.fence == job.fence) {
        if (status == TQD_STORE_MISMATCH) {
            atomic_store(&runner->lost, true);
        } else if (status == TQD_STORE_OK && beat.cancel_asked) {
            atomic_store(&runner->cancelled, true);
        }
    }
    pthread_mutex_unlock(&runner->mutex);
}

static bool beat_all(tqd_jobs *jobs, bool due)
{
    bool any = false;
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_lock(&jobs->runners[i].mutex);
        any = any || jobs->runners[i].busy;
        pthread_mutex_unlock(&jobs->runners[i].mutex);
        if (due) {
            beat(jobs, &jobs->runners[i]);
            tqd_jobs_beat_part(&jobs->runners[i]);
        }
    }
    return any;
}

static void retain(tqd_jobs *jobs)
{
    tqd_job_retain retain = {.age_ms = jobs->options.keep_ms,
                             .age_waited_ms = jobs->options.keep_waited_ms,
                             .bytes_max = jobs->options.bytes_max / 2,
                             .limit = AT_ONCE};
    uint32_t n = 0;
    if (jobs->options.bytes_max == 0) {
        retain.bytes_max = UINT64_MAX;
    }
    do {
        retain.write = (tqd_write){.kind = TQD_WRITE_JOB_RETAIN};
        if (tqd_store_write(jobs->options.store, &retain.write) != TQD_STORE_OK) {
            break;
        }
        n += retain.n_job;
    } while (retain.n_job == AT_ONCE);
    if (n > 0) {
        tqd_log(TQD_LOG_INFO, "expired jobs removed", TQD_NUMBER("jobs", n));
    }
    const uint64_t n_file = tqd_store_lost_expire(jobs->options.store, jobs->options.keep_ms);
    if (n_file > 0) {
        tqd_log(TQD_LOG_INFO, "expired files removed from files/lost", TQD_NUMBER("files", n_file));
    }
    tqd_scratch_file_sweep(jobs->options.store); /* cancelled in the queue, failed by expiry */
}

/* One sweep after start, folder by folder, for files without a row, moved to files/lost. */
typedef struct file_sweep {
    unsigned shelf;
    uint64_t n_moved;
} file_sweep;

static void look_for_lost(tqd_jobs *jobs, file_sweep *l)
{
    (void)tqd_store_sweep_shelf(jobs->options.store, l->shelf++, &l->n_moved);
    if (l->shelf == TQD_STORE_SHELVES && l->n_moved > 0) {
        tqd_log(TQD_LOG_WARNING, "files without a row moved to files/lost",
                TQD_NUMBER("files", l->n_moved), TQD_NUMBER("kept_ms", jobs->options.keep_ms));
    }
}

/* Removes files without references, for up to CLEAR_MS; true when some may be left. */
static bool clear_files(tqd_jobs *jobs, file_sweep *l)
{
    const int64_t until_ms = tqd_event_hub_now_ms() + CLEAR_MS;
    bool more = true;
    while (more && tqd_event_hub_now_ms() < until_ms) {
        more = tqd_store_collect(jobs->options.store);
    }
    while (l->shelf < TQD_STORE_SHELVES && tqd_event_hub_now_ms() < until_ms) {
        look_for_lost(jobs, l);
    }
    return more || l->shelf < TQD_STORE_SHELVES;
}

/* Counters of running and queued jobs, for monitoring and for clients' shares of the queue. */
/* True: bodies take so much of bytes_max that finished jobs must go before the next minute. */
static bool report_counts(tqd_jobs *jobs)
{
    tqd_job_counts counts;
    if (tqd_store_job_counts(jobs->options.store, &counts) != TQD_STORE_OK) {
        return false;
    }
    atomic_store(&jobs->n_waiting, counts.n[TQD_JOB_QUEUED]);
    if (jobs->options.report != NULL) {
        jobs->options.report(jobs->options.report_ctx, counts.n[TQD_JOB_RUNNING],
                             counts.n[TQD_JOB_QUEUED]);
    }
    const uint64_t most = jobs->options.bytes_max;
    return most != 0 && counts.body_bytes > most / 4 * 3 &&
           counts.body_bytes - counts.queued_bytes > most / 2;
}

/* ----------------------------------------------------------------------------------- the loop */

/* Blocks until something changed or wait_ms have passed; true unless the jobs stop. */
static bool sleep_until_change(tqd_jobs *jobs, int64_t wait_ms, bool *ret_changed)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (wait_ms % 1000) * 1000000;
    until.tv_sec += wait_ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&jobs->mutex);
    while (!jobs->stopping && !jobs->changed &&
           pthread_cond_timedwait(&jobs->news, &jobs->mutex, &until) == 0) {
    }
    *ret_changed = jobs->changed;
    jobs->changed = false;
    const bool goes_on = !jobs->stopping;
    pthread_mutex_unlock(&jobs->mutex);
    return goes_on;
}

static bool take_nodes_changed(tqd_jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    const bool changed = jobs->nodes_changed;
    jobs->nodes_changed = false;
    pthread_mutex_unlock(&jobs->mutex);
    return changed;
}

static bool due(int64_t *last_ms, int64_t every_ms)
{
    const int64_t now_ms = tqd_event_hub_now_ms();
    if (now_ms - *last_ms < every_ms) {
        return false;
    }
    *last_ms = now_ms;
    return true;
}

void tqd_jobs_keep(void *arg)
{
    tqd_jobs *jobs = arg;
    tqd_jobs_enter(jobs);
    uint64_t last_seq = 0;
    (void)tqd_event_hub_end(&jobs->hub, &last_seq);
    bool recovered = recover(jobs);
    int64_t beat_ms = tqd_event_hub_now_ms();
    int64_t expire_ms = beat_ms;
    int64_t retain_ms = beat_ms;
    int64_t progress_ms = beat_ms;
    int64_t counts_ms = beat_ms;
    int64_t node_ms = beat_ms;
    int64_t second_ms = beat_ms;
    const int64_t keep_ms = jobs->options.keep_waited_ms;
    const int64_t retain_every_ms = keep_ms < RETAIN_MS ? keep_ms : RETAIN_MS;
    file_sweep lost = {.shelf = 0};
    int64_t tick_ms = TICK_MS;
    bool busy = true;
    bool changed = true;
    bool clearing = true;
    bool is_unpublished = false; /* events of the store are still unpublished */
    bool uncounted = false;      /* jobs have changed since the last count */
    bool crowded = false;        /* bodies take most of bytes_max */
    while (sleep_until_change(jobs, busy ? tick_ms : IDLE_MS, &changed)) {
        recovered = recovered || recover(jobs);
        if (changed || is_unpublished) {
            is_unpublished = !publish_events(jobs, &last_seq);
        }
        if (due(&progress_ms, TICK_MS)) {
            publish_progress(jobs);
        }
        const int64_t turn_ms = tqd_event_hub_tick(&jobs->hub);
        tick_ms = turn_ms >= 0 && turn_ms < TICK_MS ? turn_ms + TQD_HUB_STEP_MS : TICK_MS;
        busy = turn_ms >= 0;
        busy = beat_all(jobs, due(&beat_ms, jobs->options.lease_ms / 3)) || busy || !recovered;
        busy = tqd_jobs_charge_all(jobs, due(&second_ms, SECOND_MS)) || busy;
        if (recovered && due(&expire_ms, EXPIRE_MS)) {
            (void)expire(jobs, NULL, NULL);
            clearing = true;
        }
        clearing = clearing || changed; /* deleted jobs may have left files */
        if (recovered && clearing) {
            clearing = clear_files(jobs, &lost);
            busy = busy || clearing;
        }
        uncounted = uncounted || changed;
        if (uncounted && due(&counts_ms, EXPIRE_MS)) {
            crowded = report_counts(jobs);
            uncounted = false;
        }
        busy = busy || uncounted || is_unpublished;
        if (recovered && (due(&retain_ms, retain_every_ms) || crowded)) {
            crowded = false;
            retain(jobs);
        }
        /* a drained node reports at once that its last job has ended */
        if (due(&node_ms, NODE_MS) || take_nodes_changed(jobs) ||
            (changed && atomic_load(&jobs->drained))) {
            tqd_jobs_beat_node(jobs);
        }
    }
    tqd_jobs_leave(jobs);
}
