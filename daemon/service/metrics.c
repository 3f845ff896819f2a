/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/metrics.c - GET /metrics: the Prometheus text of server, queue, jobs, store and
 * process. Nothing here waits: the store's figures are kept in memory. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/version.h"
#include "daemon/observe/counters.h"
#include "daemon/service/service.h"

static void put_queue(tqd_service *service, tqd_text *out)
{
    tqd_metric_print(out, "queue_tasks", "gauge", "Tasks that wait for a worker.",
                     (double)tqd_workers_waiting(service->workers));
    tqd_metric_print(out, "queue_wait_seconds", "gauge",
                     "Expected time in the work queue of a request that comes now.",
                     (double)tqd_workers_wait_ms(service->workers) * 1e-3);
    tqd_metric_print(out, "queue_wait_limit_seconds", "gauge",
                     "Above it, /readyz answers 503 (setting: queue_timeout).",
                     (double)service->queue_ms * 1e-3);
    tqd_text_put(out,
                 "# HELP torqued_jobs Jobs that have not ended, by state.\n"
                 "# TYPE torqued_jobs gauge\n"
                 "torqued_jobs{state=\"queued\"} %llu\ntorqued_jobs{state=\"running\"} %llu\n",
                 (unsigned long long)atomic_load(&service->jobs_queued),
                 (unsigned long long)atomic_load(&service->jobs_running));
}

/* Losses and damage: normally all 0. */
static void put_store(tqd_store *store, tqd_text *out)
{
    tqd_store_health health;
    tqd_store_health_read(store, &health);
    tqd_metric_print(out, "store_commits_missing", "gauge",
                     "Commits acknowledged by a former process and not in the database.",
                     (double)health.n_commit_lost);
    tqd_metric_print(out, "store_files_lost", "gauge",
                     "Files in files/lost: the database does not refer to them.",
                     (double)health.n_file_lost);
    tqd_metric_print(out, "store_files_damaged", "gauge",
                     "Stored files found damaged or missing since the start.",
                     (double)health.n_file_damaged);
}

static void put_sessions(tqd_service *service, tqd_text *out)
{
    tqd_lock_steps_figures figures;
    tqd_lock_steps_count(service->lock_steps, &figures);
    tqd_metric_print(out, "sessions_open", "gauge",
                     "Sessions: simulated robots that clients drive step by step.",
                     (double)figures.open);
    tqd_metric_print(out, "sessions_bytes", "gauge", "Memory of all sessions.",
                     (double)figures.bytes);
    tqd_metric_print(out, "sessions_opened_total", "counter", "Sessions opened, forks included.",
                     (double)figures.opened);
    tqd_metric_print(out, "sessions_expired_total", "counter",
                     "Sessions that ended without a request for the setting session_idle.",
                     (double)figures.expired);
    tqd_metric_print(out, "session_steps_total", "counter", "Control periods computed.",
                     (double)figures.steps);
}

/* The second number of /proc/self/statm: resident pages. 0: unknown. */
static double resident_bytes(void)
{
    char text[128] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    const char *space = n > 0 ? strchr(text, ' ') : NULL;
    const unsigned long long resident = space != NULL ? strtoull(space, NULL, 10) : 0;
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* Names that every Prometheus client library uses, without our prefix. */
static void put_process(const tqd_service *service, tqd_text *out)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    tqd_text_put(out,
                 "# HELP process_cpu_seconds_total CPU time of the process.\n"
                 "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total %.6f\n"
                 "# HELP process_resident_memory_bytes Resident memory.\n"
                 "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes %.0f\n"
                 "# HELP process_start_time_seconds Start of the process, Unix time.\n"
                 "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %lld\n"
                 "# HELP torqued_build_info 1, with the version.\n"
                 "# TYPE torqued_build_info gauge\n"
                 "torqued_build_info{version=\"" TQA_VERSION "\"} 1\n",
                 (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9, resident_bytes(),
                 (long long)service->started_s);
}

static void reply_metrics(void *exchange, tqd_reply *reply)
{
    tqd_service *service = exchange;
    tqd_server *server = atomic_load(&service->server);
    tqd_text text = {.bytes = NULL};
    if (server != NULL) {
        tqd_server_metrics(server, &text);
    }
    put_queue(service, &text);
    put_store(service->store, &text);
    put_sessions(service, &text);
    if (service->audit != NULL) {
        tqd_metric_print(&text, "audit_lost", "gauge",
                         "Entries of the audit log that could not be written since the start.",
                         (double)tqd_audit_lost(service->audit));
    }
    put_process(service, &text);
    if (text.failed) {
        free(text.bytes);
        reply->status = 503;
        return;
    }
    reply->status = 200;
    reply->media = "text/plain; version=0.0.4";
    reply->body = text.bytes;
    reply->n_body = text.n;
}

/* The service itself is the exchange: there is nothing of this request to keep. */
static bool begin(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)head;
    (void)reply;
    *ret_exchange = ctx;
    return true;
}

static void end(void *exchange)
{
    (void)exchange;
}

const tqd_handler tqd_metrics_handler = {.open = begin, .reply = reply_metrics, .close = end};
