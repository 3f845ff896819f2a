/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/main.c - the process from start to end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "api/memory.h"
#include "api/version.h"
#include "daemon/boot/confine.h"
#include "daemon/boot/credentials.h"
#include "daemon/boot/early.h"
#include "daemon/boot/listener.h"
#include "daemon/boot/process.h"
#include "daemon/boot/routes.h"
#include "daemon/boot/threads.h"
#include "daemon/boot/watchdog.h"
#include "daemon/observe/log.h"
#include "daemon/queue/scratch.h"
#include "daemon/queue/workers.h"
#include "daemon/service/check_store.h"
#include "daemon/store/archive/restore.h"
#include "daemon/store/check.h"

enum { EXIT_CONFIG = 78 };

/* Everything that lives as long as the process. */
static char state[TQD_STATE_DIR_TEXT]; /* path of the state folder */
static tqd_settings settings;
static tqd_settings settings_read; /* as read, without the values chosen at start */
static struct {
    int n;
    char **values;
} arguments;
static tqd_service service;
static tqd_routes routes;
static tqd_listener listener;
static tqd_tokens tokens;
static tqd_sessions sessions;
static tqd_compute_host computing;
static tqd_threads io_threads, worker_threads, job_threads, upload_threads, store_threads;
static tqd_threads scrub_threads;
static tqd_scrub scrub;
static tqd_threads audit_threads;
static tqd_audit audit;
static tqd_store *store;
static tqd_registry *registry;
static tqd_workers *workers;
static tqd_jobs *jobs;
static tqd_upload_queue *uploads;
static tqd_datasets datasets;
static tqd_lock_step_service lock_steps;
static tqd_server *server;
static tqd_watchdog watchdog;

static int refuse(int status, const char *why)
{
    fprintf(stderr, "torqued: %s\n", why);
    return status;
}

static bool submit(void *ctx, void (*run)(void *arg), void *arg)
{
    return tqd_workers_submit(ctx, run, arg);
}

static bool submit_soon(void *ctx, void (*run)(void *arg), void *arg)
{
    return tqd_workers_submit_soon(ctx, run, arg);
}

static bool withdraw(void *ctx, void (*run)(void *arg), void *arg)
{
    return tqd_workers_withdraw(ctx, run, arg);
}

static int64_t wait_ms(void *ctx)
{
    return tqd_workers_wait_ms(ctx);
}

static void write_store(void *ctx)
{
    tqd_store_write_loop(ctx);
}

static void warm_registry(void *ctx)
{
    tqd_registry_warm(ctx);
}

#ifndef TQD_SANITIZED
/* Runs before the libraries' constructors, which some limits would crash; sanitizers are not ready.
 * */
static void before_libraries(int argc, char **argv, char **envp)
{
    (void)argc;
    const char *why = tqd_early(argv, envp);
    if (why != NULL) {
        (void)!write(STDERR_FILENO, why, strlen(why));
        _exit(EXIT_FAILURE);
    }
}
__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(int, char **, char **) = before_libraries;
#endif

/* --check-config: prints the settings in effect on this machine. False: the process ends. */
static bool print_settings(int *ret_status)
{
    char why[TQD_SETTING_WHY];
    if (!tqd_settings_resolve(&settings, why)) {
        *ret_status = refuse(EXIT_CONFIG, why);
        return false;
    }
    static tqd_settings shown;
    shown = settings;
    tqd_store_uri_show(settings.store, shown.store, sizeof shown.store);
    tqd_settings_print(&shown, state, stdout);
    return false;
}

/* True when the settings are valid; else *ret_status is the exit status. */
static bool read_settings(int argc, char **argv, int *ret_status)
{
    char why[TQD_SETTING_WHY];
    *ret_status = 0;
    if (!tqd_settings_read(&settings, argc, argv, why)) {
        *ret_status = refuse(EXIT_CONFIG, why);
    } else if (settings.help) {
        tqd_settings_help(stdout);
    } else if (settings.version) {
        puts("torqued " TQA_VERSION);
    } else if (!tqd_credentials_read(settings.credentials, &tokens, why, sizeof why) ||
               !tqd_listener_check(settings.listen, tokens.n > 0, why, sizeof why)) {
        *ret_status = refuse(EXIT_CONFIG, why);
    } else if (!tqd_state_dir(&settings, state, sizeof state)) {
        *ret_status = refuse(EXIT_CONFIG, "--state-dir is not given and HOME is not set");
    } else if (settings.check_config) {
        return print_settings(ret_status);
    } else {
        settings_read = settings;
        arguments.n = argc;
        arguments.values = argv;
        return true;
    }
    return false;
}

static void log_notice(void *ctx, tqd_notice notice, const char *what, const char *detail)
{
    (void)ctx;
    tqd_log(notice == TQD_NOTICE_ERROR     ? TQD_LOG_ERROR
            : notice == TQD_NOTICE_WARNING ? TQD_LOG_WARNING
                                           : TQD_LOG_INFO,
            what, TQD_TEXT("detail", detail));
}

static bool open_store(char *why)
{
    tqd_store_options options = {.folder = state,
                                 .uri = settings.store,
                                 .file_bytes_max = (uint64_t)settings.files_size,
                                 .adopt = settings.adopt,
                                 .is_check = settings.check_store,
                                 .notice = log_notice};
    store = tqd_store_open(&options, why);
    if (store == NULL) {
        return false;
    }
    tqd_registry_options robots = {.store = store, .parser = &tqd_robot_parser_api};
    registry = tqd_registry_new(&robots, why);
    return registry != NULL;
}

/* Shown by systemctl status. */
static void report_jobs(void *ctx, uint64_t n_running, uint64_t n_queued)
{
    (void)ctx;
    atomic_store(&service.jobs_running, n_running);
    atomic_store(&service.jobs_queued, n_queued);
    sd_notifyf(0, "STATUS=Serving %s; jobs: %" PRIu64 " running, %" PRIu64 " queued", listener.url,
               n_running, n_queued);
}

/* The share of one client in a bound; at least 1. */
static int64_t share_of(int64_t all)
{
    const int64_t share =
        all / 100 * settings.client_share + all % 100 * settings.client_share / 100;
    return share > 0 ? share : 1;
}

static bool open_jobs(char *why)
{
    workers = tqd_workers_new((size_t)settings.queue);
    if (workers == NULL) {
        snprintf(why, TQD_STORE_WHY, "there is no memory");
        return false;
    }
    tqd_compute_host_init(&computing, registry, workers, store, (size_t)settings.reply_buffer);
    tqd_jobs_options options = {
        .store = store,
        .registry = registry,
        .host = &computing.host,
        .host_of = tqd_compute_host_of,
        .host_ctx = &computing,
        .state = state,
        .node = tqd_node_name(&settings, state),
        .n_runner = (size_t)settings.jobs,
        .n_spare = (size_t)settings.jobs_spare,
        .client_queued_max = (uint64_t)share_of(settings.jobs_queued),
        .running_max = tokens.n > 0 ? tqd_tokens_running : NULL,
        .cpu_max = tokens.n > 0 ? tqd_tokens_cpu_s : NULL,
        .running_ctx = &tokens,
        .lease_ms = settings.lease,
        .queued_max = (uint64_t)settings.jobs_queued,
        .bytes_max = (uint64_t)settings.jobs_bytes,
        .client_bytes_max = (uint64_t)share_of(settings.jobs_bytes),
        .keep_ms = settings.jobs_keep,
        .keep_waited_ms = settings.jobs_keep_waited,
        .wait_ms = settings.wait,
        .crashes_max = (uint32_t)settings.jobs_tries,
        .time_ms = settings.jobs_time,
        .watch_max = (size_t)settings.streams,
        .client_watch_max = (size_t)share_of(settings.streams),
        .report = report_jobs,
    };
    jobs = tqd_jobs_new(&options, why);
    computing.jobs = jobs;
    return jobs != NULL;
}

static bool open_datasets(void)
{
    const tqd_upload_queue_options options = {.store = store,
                                              .workers = workers,
                                              .intakes_max = (size_t)settings.uploads,
                                              .client_max = (size_t)share_of(settings.uploads)};
    uploads = tqd_upload_queue_new(&options);
    datasets = (tqd_datasets){.store = store,
                              .uploads = uploads,
                              .dataset_bytes_max = (uint64_t)settings.dataset_size,
                              .file_bytes_max = (uint64_t)settings.files_size,
                              .datasets_max = (uint64_t)settings.datasets};
    return uploads != NULL;
}

static bool open_lock_steps(void)
{
    const tqd_lock_step_options options = {
        .sessions_max = (size_t)settings.sessions,
        .client_sessions_max = (size_t)share_of(settings.sessions),
        .bytes_max = (uint64_t)settings.sessions_size,
        .client_bytes_max = (uint64_t)share_of(settings.sessions_size),
        .idle_ms = settings.session_idle};
    lock_steps = (tqd_lock_step_service){.table = tqd_lock_steps_new(&options),
                                         .host_of = tqd_compute_host_of,
                                         .host_ctx = &computing};
    return lock_steps.table != NULL;
}

static bool open_server(const char **reterr)
{
    tqd_server_options options = {.routes = routes.table,
                                  .n_route = routes.n,
                                  .sockets = listener.sockets,
                                  .n_socket = listener.n_socket,
                                  .n_loop = (size_t)settings.io_threads,
                                  .connections_max = (size_t)settings.connections,
                                  .client_connections = (size_t)share_of(settings.connections),
                                  .body_budget_b = (uint64_t)settings.body_budget,
                                  .client_bodies_b = (uint64_t)share_of(settings.body_budget),
                                  .client_queue_max = (size_t)share_of(settings.queue),
                                  .turns_max = (unsigned)settings.workers + 1,
                                  .tokens = tokens.n > 0 ? &tokens : NULL,
                                  .sessions = &sessions,
                                  .origins = settings.origins,
                                  .hosts = {.any = listener.is_unix, .extra = settings.hosts},
                                  .deadlines = {.header_ms = settings.header_timeout,
                                                .idle_ms = settings.idle_timeout,
                                                .body_ms = settings.body_timeout,
                                                .run_ms = settings.run_timeout,
                                                .queue_ms = settings.queue_timeout,
                                                .grace_ms = settings.rate_grace,
                                                .rate_min_b_s = (uint64_t)settings.rate_least},
                                  .realtime = settings.io_realtime != 0,
                                  .log_requests = settings.log_requests != 0,
                                  .audit = settings.audit_size > 0 ? &audit : NULL,
                                  .submit = submit,
                                  .submit_soon = submit_soon,
                                  .withdraw = withdraw,
                                  .wait_ms = wait_ms,
                                  .submit_ctx = workers,
                                  .alive = tqd_watchdog_answer,
                                  .alive_ctx = &watchdog};
    server = tqd_server_open(&options, reterr);
    return server != NULL;
}

/* Called after commits of any node. */
static unsigned take_news(void *ctx, unsigned changes)
{
    (void)ctx;
    const bool missed = (changes & TQD_CHANGED_ROBOTS) != 0 && !tqd_registry_follow(registry);
    if ((changes & TQD_CHANGED_NODES) != 0) {
        tqd_jobs_nodes_changed(jobs);
    }
    if ((changes & TQD_CHANGED_PARTS) != 0) {
        tqd_jobs_parts_opened(jobs);
    }
    tqd_jobs_follow(jobs, (changes & TQD_CHANGED_QUEUE) != 0);
    return missed ? TQD_CHANGED_ROBOTS : 0;
}

static void follow_store(void *arg)
{
    const tqd_changed changed = {.call = take_news};
    tqd_store_follow(arg, &changed);
}

static bool start_threads(void)
{
    store_threads.turns = TQD_TURNS_SHORT;
    bool good = tqd_threads_start(&store_threads, "store", write_store, store);
    store_threads.turns = TQD_TURNS_EVEN;
    if (strncmp(settings.store, "sqlite:", 7) != 0) {
        good = good && tqd_threads_start(&store_threads, "follow", follow_store, store);
    }
    for (int64_t i = 0; good && i < settings.workers; i++) {
        good = tqd_threads_start(&worker_threads, "worker", tqd_workers_run, workers);
    }
    worker_threads.turns = TQD_TURNS_SHORT;
    good = good && tqd_threads_start(&worker_threads, "soon", tqd_workers_run_soon, workers);
    good = good && tqd_threads_start(&job_threads, "keeper", tqd_jobs_keep, jobs);
    audit_threads.turns = scrub_threads.turns = TQD_TURNS_BATCH;
    job_threads.turns = TQD_TURNS_LATE;
    for (int64_t i = 0; good && i < settings.jobs + settings.jobs_spare; i++) {
        good = tqd_threads_start(&job_threads, "job", tqd_jobs_run, jobs);
    }
    good = good && tqd_threads_start(&upload_threads, "upload", tqd_upload_queue_run, uploads);
    good = good && (settings.audit_size == 0 ||
                    tqd_threads_start(&audit_threads, "audit", tqd_audit_run, &audit));
    good = good && tqd_threads_start(&scrub_threads, "scrub", tqd_scrub_run, &scrub);
    io_threads.turns = TQD_TURNS_SHORT;
    for (int64_t i = 0; good && i < settings.io_threads; i++) {
        good = tqd_threads_start(&io_threads, "io", tqd_server_run,
                                 tqd_server_loop(server, (size_t)i));
    }
    return good;
}

static void set_log(const tqd_settings *of)
{
    tqd_log_level_set(tqd_log_level_named(of->log_level));
    tqd_log_format_set(tqd_log_format_named(of->log_format));
}

/* SIGHUP. The log is on stderr: there is no file to reopen. A fault changes no setting. */
static void reload(void)
{
    static tqd_settings fresh;
    char why[TQD_SETTING_WHY];
    char rest[TQD_SETTING_TEXT];
    if (!tqd_settings_read(&fresh, arguments.n, arguments.values, why)) {
        tqd_log(TQD_LOG_ERROR, "not reloaded: the former settings stay in force",
                TQD_TEXT("reason", why));
        return;
    }
    if (!tqd_server_reload(server, fresh.origins, fresh.hosts)) {
        tqd_log(TQD_LOG_ERROR, "not reloaded: the former settings stay in force",
                TQD_TEXT("reason", "there is no memory"));
        return;
    }
    set_log(&fresh);
    tqd_settings_changed(&settings_read, &fresh, rest, sizeof rest);
    tqd_log(TQD_LOG_INFO, "settings reloaded", TQD_TEXT("origins", fresh.origins),
            TQD_TEXT("hosts", fresh.hosts), TQD_TEXT("log_level", fresh.log_level),
            TQD_TEXT("after_a_restart", rest));
    tqd_credentials_reload(settings.credentials, &tokens);
}

static void log_scrub(void *ctx, const tqd_check *check)
{
    (void)ctx;
    tqd_log(check->n_damaged > 0 ? TQD_LOG_ERROR : TQD_LOG_INFO, "stored files checked",
            TQD_NUMBER("files", check->n_file), TQD_NUMBER("bytes", check->n_byte),
            TQD_NUMBER("damaged", check->n_damaged));
}

static char confined[TQD_CONFINED_TEXT] = "off";

/* From here on no file outside of the state folder can be written, and no program started. False:
 * confinement is required, and the kernel does not support it. */
static bool confine(void)
{
    if (strcmp(settings.confine, "off") == 0) {
        return true;
    }
    const tqd_confinement of = {.state = state,
                                .socket = listener.path,
                                .readable = {settings.config, settings.credentials},
                                .connects = strncmp(settings.store, "sqlite:", 7) != 0};
    const bool whole = tqd_confine(&of, confined);
    if (!whole && strcmp(settings.confine, "required") == 0) {
        tqd_log(TQD_LOG_ERROR, "not confined, and the setting confine says required",
                TQD_TEXT("confinement", confined));
        return false;
    }
    return true;
}

static void log_start(void)
{
    char credentials[32] = "none";
    char shown[TQD_SETTING_TEXT];
    tqd_store_uri_show(settings.store, shown, sizeof shown);
    if (tokens.n > 0) {
        snprintf(credentials, sizeof credentials, "%zu tokens", tokens.n);
    }
    tqd_log(TQD_LOG_INFO, "listening", TQD_TEXT("url", listener.url),
            TQD_TEXT("version", TQA_VERSION), TQD_NUMBER("pid", getpid()), TQD_TEXT("store", shown),
            TQD_TEXT("state", state),
            TQD_TEXT("settings", settings.config != NULL ? settings.config : "none: defaults"),
            TQD_TEXT("credentials", credentials), TQD_TEXT("confinement", confined),
            TQD_NUMBER("workers", settings.workers), TQD_NUMBER("io_threads", settings.io_threads));
}

/* Serves until a signal arrives. False if it could not start. */
static bool serve(void)
{
    service.store = store;
    tqd_scrub_init(&scrub, store, settings.scrub);
    scrub.done = log_scrub;
    atomic_store(&service.server, server);
    if (!confine()) {
        return false;
    }
    tqd_jobs_beat_node(jobs);
    /* only the creation of threads can fail from here on */
    atomic_store(&service.state, TQD_SERVICE_READY);
    if (!start_threads()) {
        tqd_log(TQD_LOG_ERROR, "no thread: raise the limit of tasks (ulimit -u) or of memory",
                TQD_NUMBER("workers", settings.workers));
        return false;
    }
    (void)tqd_workers_submit(workers, warm_registry, registry);
    log_start();
    watchdog.server = server;
    watchdog.workers = workers;
    watchdog.n_loop = (unsigned)settings.io_threads;
    sd_notifyf(0, "READY=1\nSTATUS=Serving %s", listener.url);
    int signal = tqd_process_wait(tqd_watchdog_pulse, &watchdog, reload);
    tqd_log(TQD_LOG_INFO, "stopping", TQD_NUMBER("signal", signal));
    return true;
}

/* Graceful shutdown: answers requests that have arrived. False when a computation did not end in
 * time: its worker cannot be joined, so the process exits once the store is closed. */
static bool stop(void)
{
    sd_notify(0, "STOPPING=1\nSTATUS=Draining: answering requests that have arrived");
    atomic_store(&service.state, TQD_SERVICE_STOPPING);
    const int64_t until_ms = tqd_event_hub_now_ms() + settings.stop_timeout;
    tqd_jobs_stop(jobs);
    tqd_server_drain(server, settings.stop_timeout);
    tqd_threads_join(&io_threads);
    atomic_store(&service.server, NULL);
    bool answered = tqd_server_close(server);
    const int64_t left_ms = until_ms - tqd_event_hub_now_ms();
    answered = tqd_jobs_wait(jobs, left_ms > 0 ? left_ms : 0) && answered;
    tqd_workers_stop(workers);
    if (answered) {
        tqd_threads_join(&worker_threads);
        tqd_threads_join(&job_threads);
    }
    tqd_scrub_stop(&scrub);
    tqd_threads_join(&scrub_threads);
    if (audit_threads.n > 0) {
        tqd_audit_stop(&audit);
        tqd_threads_join(&audit_threads);
        tqd_audit_clear(&audit);
    }
    tqd_upload_queue_stop(uploads);
    tqd_threads_join(&upload_threads);
    tqd_store_stop(store);
    tqd_threads_join(&store_threads);
    if (answered) {
        tqd_jobs_free(jobs);
        tqd_upload_queue_free(uploads);
        tqd_plots_clear(&datasets.plots);
        tqd_workers_free(workers);
        tqd_lock_steps_free(lock_steps.table);
        tqd_compute_host_clear(&computing);
        tqd_registry_free(registry);
        tqd_store_close(store);
    }
    tqd_listener_close(&listener);
    tqd_log(TQD_LOG_INFO, "stopped", TQD_NUMBER("all_answered", answered));
    return answered;
}

/* torqued --check-store: no service */
static int check_store(void)
{
    char why[TQD_STORE_WHY];
    if (!open_store(why)) {
        return refuse(EXIT_FAILURE, why);
    }
    const bool good = tqd_check_store(store, stdout);
    tqd_registry_free(registry);
    tqd_store_close(store);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* torqued --restore FOLDER: no service */
static int restore_store(void)
{
    char why[TQD_STORE_WHY];
    tqd_restored done;
    if (!open_store(why)) {
        return refuse(EXIT_FAILURE, why);
    }
    const bool good = tqd_store_restore(store, settings.restore, &done, why);
    if (good) {
        printf("restored: all rows, %" PRIu64 " files, %" PRIu64 " bytes\n", done.n_file,
               done.n_byte);
    }
    tqd_registry_free(registry);
    tqd_store_close(store);
    return good ? EXIT_SUCCESS : refuse(EXIT_FAILURE, why);
}

int main(int argc, char **argv)
{
    char why[TQD_SETTING_WHY];
    const char *reason = NULL;
    int status = 0;
    if (!read_settings(argc, argv, &status)) {
        return status;
    }
    if (!tqd_settings_resolve(&settings, why)) {
        return refuse(EXIT_FAILURE, why);
    }
    tqd_process_prepare();
    set_log(&settings);
    tqd_scratch_bound_set((size_t)settings.scratch);
    tqa_memory_bound_set((size_t)settings.sample_budget);
    reason = tqa_start((unsigned)settings.lane_width);
    if (reason != NULL) {
        return refuse(EXIT_FAILURE, reason);
    }
    if (settings.check_store) {
        return check_store();
    }
    if (settings.restore != NULL) {
        return restore_store();
    }
    if (!open_store(why) || !open_jobs(why) ||
        !tqd_listener_open(&listener, settings.listen, (size_t)settings.io_threads, tokens.n > 0,
                           why, sizeof why) ||
        !tqd_listener_admit(&listener, settings.socket_mode, settings.socket_group, why,
                            sizeof why)) {
        return refuse(EXIT_FAILURE, why);
    }
    tqd_sessions_init(&sessions);
    if (!open_datasets() || !open_lock_steps() ||
        (settings.audit_size > 0 &&
         !tqd_audit_init(&audit, state, (uint64_t)settings.audit_size))) {
        return refuse(EXIT_FAILURE, "there is no memory");
    }
    service.audit = settings.audit_size > 0 ? &audit : NULL;
    service.workers = workers;
    service.jobs = jobs;
    service.queue_ms = settings.queue_timeout;
    tqd_service_prepare(&service);
    service.lock_steps = lock_steps.table;
    tqd_routes_init(&routes, &service, &computing, &datasets, &lock_steps, &sessions);
    if (!open_server(&reason)) {
        return refuse(EXIT_FAILURE, reason != NULL ? reason : "there is no memory");
    }
    status = serve() ? EXIT_SUCCESS : EXIT_FAILURE;
    if (!stop()) {
        _exit(status);
    }
    return status;
}
