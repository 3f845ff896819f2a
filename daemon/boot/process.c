/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/process.c - state folder, signals, resource limits, cores. */
#include "daemon/boot/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "daemon/boot/cgroup.h"
#include "daemon/store/jobs.h"

enum { LARGE_BLOCK = 256 << 10, SCRATCH_LEAST = 4 << 20, REPLY_LEAST = 1 << 20 };

bool tqd_state_dir(const tqd_settings *settings, char *ret_path, size_t size)
{
    const char *systemd = getenv("STATE_DIRECTORY");
    const char *xdg = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int n;
    if (settings->state_dir[0] != '\0') {
        n = snprintf(ret_path, size, "%s", settings->state_dir);
    } else if (systemd != NULL && systemd[0] != '\0') {
        /* several folders are separated by colons; the first is ours */
        n = snprintf(ret_path, size, "%.*s", (int)strcspn(systemd, ":"), systemd);
    } else if (xdg != NULL && xdg[0] == '/') {
        n = snprintf(ret_path, size, "%s/torqued", xdg);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(ret_path, size, "%s/.local/state/torqued", home);
    } else {
        return false;
    }
    return n > 0 && (size_t)n < size;
}

const char *tqd_node_name(const tqd_settings *settings, const char *state_dir)
{
    static char node[TQD_JOB_NODE_TEXT];
    char host[TQD_JOB_NODE_TEXT - 10] = "";
    uint32_t sum = 2166136261U;
    if (settings->node[0] != '\0') {
        return settings->node;
    }
    if (strncmp(settings->store, "sqlite:", 7) == 0) {
        return NULL;
    }
    for (const char *c = state_dir; *c != '\0'; c++) {
        sum = (sum ^ (unsigned char)*c) * 16777619U;
    }
    (void)gethostname(host, sizeof host - 1);
    snprintf(node, sizeof node, "%s.%08" PRIx32, host, sum);
    return node;
}

/* Descriptors other than connections: the store, its files, epoll and event descriptors. */
static int64_t descriptors_kept(const tqd_settings *settings)
{
    return 24 + 4 * settings->io_threads + 2 * settings->workers;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Limits on the settings that were left at their defaults, as fractions of `memory`: samples 1/2,
 * scratch of all threads 1/4, bodies 1/8, replies of all workers 1/16. Values that the user has set
 * are not changed. */
static void fit_memory(tqd_settings *settings, int64_t memory)
{
    static tqd_settings preset;
    char name[] = "torqued";
    char *const none[] = {name, NULL};
    char why[TQD_SETTING_WHY];
    (void)tqd_settings_read(&preset, 1, none, why);
    const int64_t threads = settings->workers + settings->jobs + settings->jobs_spare + 1;
    if (settings->sample_budget == 0) {
        settings->sample_budget = memory / 2;
    }
    if (settings->body_budget == preset.body_budget) {
        settings->body_budget = least_of(preset.body_budget, memory / 8);
    }
    if (settings->scratch == preset.scratch) {
        const int64_t share = memory / 4 / threads;
        settings->scratch = least_of(preset.scratch, share < SCRATCH_LEAST ? SCRATCH_LEAST : share);
    }
    if (settings->reply_buffer == preset.reply_buffer) {
        const int64_t share = memory / 16 / settings->workers;
        settings->reply_buffer =
            least_of(preset.reply_buffer, share < REPLY_LEAST ? REPLY_LEAST : share);
    }
}

bool tqd_settings_resolve(tqd_settings *settings, char why[TQD_SETTING_WHY])
{
    cpu_set_t set;
    const int cores =
        tqd_cgroup_cores("", sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1);
    if (settings->workers == 0) {
        settings->workers = cores < 512 ? cores : 512;
    }
    if (settings->jobs == 0) {
        settings->jobs = settings->workers < 64 ? settings->workers : 64;
    }
    if (settings->io_threads == 0) {
        settings->io_threads = cores / 2 < 1 ? 1 : cores / 2 < 64 ? cores / 2 : 64;
    }
    fit_memory(settings, tqd_cgroup_memory(""));
    /* a surplus connection is closed at once; without a descriptor the store would stop */
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < INT64_MAX) {
        int64_t left = (int64_t)files.rlim_max - descriptors_kept(settings);
        if (left < 1) {
            snprintf(why, TQD_SETTING_WHY,
                     "%" PRIu64 " open files are allowed, %" PRId64
                     " are needed at least (ulimit -n, LimitNOFILE=)",
                     (uint64_t)files.rlim_max, descriptors_kept(settings) + 1);
            return false;
        }
        settings->connections = settings->connections < left ? settings->connections : left;
    }
    return true;
}

static void awaited_signals(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    sigaddset(ret_set, SIGTERM);
    sigaddset(ret_set, SIGINT);
    sigaddset(ret_set, SIGHUP);
}

/* The controlling terminal at start; -1: none, or SIGHUP was ignored (nohup). SIGHUP from a closed
 * terminal ends the process; any other SIGHUP reloads. */
static int terminal = -1;

static void keep_terminal(void)
{
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
}

/* The kernel marks a terminal's descriptors as hung up before it sends the signal. */
static bool has_lost_terminal(void)
{
    struct pollfd fd = {.fd = terminal};
    return terminal >= 0 && poll(&fd, 1, 0) == 1 && (fd.revents & POLLHUP) != 0;
}

/* Threads of libraries that start before main (OpenBLAS) have no signal blocked: a signal delivered
 * to one while main does not wait yet would end the process. */
static pthread_t main_thread;

static void pass_on(int number)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number); /* forwarded to the main thread, where it stays pending
                                              until sigwait */
    }
}

static void pass_on_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    main_thread = pthread_self();
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

/* Opens /dev/null for closed standard descriptors: else the next file opened would get the log. */
static void keep_standard_streams(void)
{
    int fd = 0;
    while (fd >= 0 && fd <= STDERR_FILENO) {
        fd = open("/dev/null", O_RDWR);
    }
    if (fd > STDERR_FILENO) {
        close(fd);
    }
}

void tqd_process_prepare(void)
{
    keep_standard_streams();
    umask(077); /* the state is private to the service's user */
    /* blocks of a large request return to the system when freed: by default glibc raises its mmap
     * threshold dynamically and keeps them, once for each arena */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    /* EFBIG instead: a file beyond RLIMIT_FSIZE fails one request, not the process */
    sigaction(SIGXFSZ, &ignore, NULL);
    keep_terminal();
    sigset_t set;
    awaited_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pass_on_signals();
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

int tqd_process_wait(void (*pulse)(void *ctx), void *ctx, void (*reload)(void))
{
    sigset_t set;
    uint64_t watchdog_us = 0;
    bool watched = sd_watchdog_enabled(0, &watchdog_us) > 0;
    awaited_signals(&set);
    for (;;) {
        uint64_t pause_us = watched ? watchdog_us / 4 : 3600u * 1000000u;
        struct timespec pause = {.tv_sec = (time_t)(pause_us / 1000000),
                                 .tv_nsec = (long)(pause_us % 1000000) * 1000};
        int got = sigtimedwait(&set, NULL, &pause);
        if (got == SIGHUP && !has_lost_terminal()) {
            reload();
        } else if (got > 0) {
            /* shutdown has its own time limit: further signals are ignored */
            struct sigaction ignore = {.sa_handler = SIG_IGN};
            sigaction(SIGTERM, &ignore, NULL);
            sigaction(SIGINT, &ignore, NULL);
            sigaction(SIGHUP, &ignore, NULL);
            return got;
        }
        if (watched) {
            pulse(ctx);
        }
    }
}
