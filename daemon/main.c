/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/main.c - the process from start to end, on one screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "api/version.h"
#include "daemon/boot/listener.h"
#include "daemon/boot/process.h"
#include "daemon/boot/routes.h"
#include "daemon/boot/threads.h"
#include "daemon/observe/log.h"
#include "daemon/queue/scratch.h"
#include "daemon/queue/workers.h"

enum { EXIT_CONFIG = 78 };

/* Everything that lives as long as the process. */
static tqd_settings settings;
static tqd_service service;
static tqd_routes routes;
static tqd_listener listener;
static tqd_threads io_threads, worker_threads;

static int refuse(int status, const char *why)
{
    fprintf(stderr, "torqued: %s\n", why);
    return status;
}

static bool submit(void *workers, void (*run)(void *arg), void *arg)
{
    return tqd_workers_submit(workers, run, arg);
}

static tqd_server *open_server(tqd_workers *workers, const char **reterr)
{
    tqd_server_options options = {
        .routes = routes.table,
        .n_route = routes.n,
        .sockets = listener.sockets,
        .n_socket = listener.n_socket,
        .n_loop = (size_t)settings.io_threads,
        .connections_max = (size_t)settings.connections,
        .body_budget_b = (uint64_t)settings.body_budget,
        .hosts = {.any = listener.is_unix, .extra = settings.hosts},
        .deadlines = {.header_ms = settings.header_timeout,
                      .idle_ms = settings.idle_timeout,
                      .body_ms = settings.body_timeout,
                      .run_ms = settings.run_timeout,
                      .grace_ms = settings.rate_grace,
                      .rate_min_b_s = (uint64_t)settings.rate_least},
        .log_requests = settings.log_requests != 0,
        .submit = submit,
        .submit_ctx = workers,
    };
    return tqd_server_open(&options, reterr);
}

static bool start_threads(tqd_server *server, tqd_workers *workers)
{
    bool good = true;
    for (int64_t i = 0; good && i < settings.workers; i++) {
        good = tqd_threads_start(&worker_threads, "worker", tqd_workers_run, workers);
    }
    for (int64_t i = 0; good && i < settings.io_threads; i++) {
        good = tqd_threads_start(&io_threads, "io", tqd_server_run,
                                 tqd_server_loop(server, (size_t)i));
    }
    return good;
}

/* Serves until a signal comes. True when every request has been answered. */
static bool serve(tqd_server *server, tqd_workers *workers)
{
    atomic_store(&service.server, server);
    /* all that can fail is done, but for the threads themselves */
    atomic_store(&service.state, TQD_SERVICE_READY);
    if (start_threads(server, workers)) {
        tqd_log(TQD_LOG_INFO, "listening", TQD_TEXT("url", listener.url),
                TQD_NUMBER("pid", getpid()), TQD_NUMBER("workers", settings.workers),
                TQD_NUMBER("io_threads", settings.io_threads));
        sd_notify(0, "READY=1");
        int signal = tqd_process_wait();
        tqd_log(TQD_LOG_INFO, "stopping", TQD_NUMBER("signal", signal));
    } else {
        tqd_log(TQD_LOG_ERROR, "no thread", TQD_NUMBER("workers", settings.workers));
    }
    sd_notify(0, "STOPPING=1");
    atomic_store(&service.state, TQD_SERVICE_STOPPING);
    tqd_server_drain(server, settings.stop_timeout);
    tqd_threads_join(&io_threads);
    if (!tqd_server_close(server)) {
        return false;
    }
    tqd_workers_stop(workers);
    tqd_threads_join(&worker_threads);
    tqd_workers_free(workers);
    return true;
}

int main(int argc, char **argv)
{
    char why[TQD_SETTING_WHY];
    char state[TQD_STATE_DIR_TEXT];
    if (!tqd_settings_read(&settings, argc, argv, why)) {
        return refuse(EXIT_CONFIG, why);
    }
    if (settings.help || settings.version) {
        if (settings.help) {
            tqd_settings_help(stdout);
        } else {
            puts("torqued " TQA_VERSION);
        }
        return 0;
    }
    if (!tqd_listener_check(settings.listen, why, sizeof why)) {
        return refuse(EXIT_CONFIG, why);
    }
    if (!tqd_state_dir(&settings, state, sizeof state)) {
        return refuse(EXIT_CONFIG, "--state-dir: no folder is given and HOME is not set");
    }
    if (settings.check_config) {
        return 0;
    }
    tqd_settings_resolve(&settings);
    tqd_process_prepare();
    tqd_log_level_set(tqd_log_level_named(settings.log_level));
    tqd_scratch_bound_set((size_t)settings.scratch);
    if (!tqd_listener_open(&listener, settings.listen, (size_t)settings.io_threads, why,
                           sizeof why)) {
        return refuse(1, why);
    }
    tqd_routes_init(&routes, &service);
    const char *reason = "there is no memory";
    tqd_workers *workers = tqd_workers_new((size_t)settings.queue);
    tqd_server *server = workers != NULL ? open_server(workers, &reason) : NULL;
    if (server == NULL) {
        return refuse(1, reason);
    }
    bool answered = serve(server, workers);
    tqd_listener_close(&listener);
    tqd_log(TQD_LOG_INFO, "stopped", TQD_NUMBER("all_answered", answered));
    if (!answered) {
        _exit(0); /* a worker still computes; nothing of what it does is kept */
    }
    return 0;
}
