/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/metrics.c - GET /metrics: the Prometheus text of server, queue, jobs, store and
 * process. Nothing here blocks: the store's figures are kept in memory. */
#include <stdlib.h>
#include <time.h>

#include "api/version.h"
#include "daemon/jobs/jobs.h"
#include "daemon/observe/counters.h"
#include "daemon/observe/resident.h"
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

/* One metric family: a line for each node. */
static void put_family(tqd_text *out, const char *name, const char *help, const tqd_node *nodes,
                       size_t n, double (*value)(const tqd_node *node))
{
    tqd_text_put(out, "# HELP torqued_node_%s %s\n# TYPE torqued_node_%s gauge\n", name, help,
                 name);
    for (size_t i = 0; i < n; i++) {
        tqd_text_put(out, "torqued_node_%s{node=\"%s\"} %.10g\n", name, nodes[i].name,
                     value(&nodes[i]));
    }
}

static double running(const tqd_node *node)
{
    return node->n_running;
}

static double runners(const tqd_node *node)
{
    return node->n_runner;
}

static double drained(const tqd_node *node)
{
    return node->drained ? 1.0 : 0.0;
}

static double seen(const tqd_node *node)
{
    return 1e-3 * (double)node->seen_ms;
}

static double memory(const tqd_node *node)
{
    return (double)node->memory_bytes;
}

/* Every node reports all nodes of the store, so that a node that is down is noticed although it
 * cannot be scraped. */
static void put_nodes(tqd_jobs *jobs, tqd_text *out)
{
    tqd_node nodes[TQD_NODES_MAX];
    const size_t n = tqd_jobs_nodes(jobs, nodes);
    put_family(out, "jobs_running", "Jobs that a node runs, as it said last.", nodes, n, running);
    put_family(out, "runners", "Jobs that a node runs at most.", nodes, n, runners);
    put_family(out, "drained", "1: the node takes no jobs.", nodes, n, drained);
    put_family(out, "seen_timestamp_seconds", "When a node said so, Unix time of the store.", nodes,
               n, seen);
    put_family(out, "resident_memory_bytes", "Resident memory of a node.", nodes, n, memory);
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
                 (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9, (double)tqd_resident_bytes(),
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
    put_nodes(service->jobs, &text);
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

/* The service itself is the exchange: a request needs no state. */
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
