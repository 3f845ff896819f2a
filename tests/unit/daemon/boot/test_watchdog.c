/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_watchdog.c - notified while there is progress, and not while a loop
 * or all workers hang. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/boot/watchdog.h"

static int notify_fd;
static tqd_workers *workers;
static char path[64];

static void setup(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(path, sizeof path, "/tmp/torqued-watchdog-%d", getpid());
    memcpy(address.sun_path, path, sizeof path);
    unlink(path); /* left by a crashed process with the same id */
    notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(notify_fd, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", path, 1);
    workers = tqd_workers_new(4);
}

static void teardown(void)
{
    tqd_workers_free(workers);
    close(notify_fd);
    unlink(path);
}

TestSuite(watchdog, .init = setup, .fini = teardown, .timeout = 100);

static int fed(void)
{
    char text[64];
    int n = 0;
    while (recv(notify_fd, text, sizeof text, 0) > 0) {
        n++;
    }
    return n;
}

/* ------------------------------------------------------------------------------------- threads */

enum { N_THREAD = 2 };

static pthread_t threads[N_THREAD];
static _Atomic bool held, polls;
static _Atomic int n_inside, n_beat;

static void pause_ms(int ms)
{
    struct timespec t = {.tv_sec = 0, .tv_nsec = ms * 1000000L};
    nanosleep(&t, NULL);
}

static void *work(void *arg)
{
    tqd_workers_run(arg);
    return NULL;
}

static void start_workers(void)
{
    for (int i = 0; i < N_THREAD; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, work, workers), 0);
    }
}

static void end_workers(void)
{
    atomic_store(&held, false);
    tqd_workers_stop(workers);
    for (int i = 0; i < N_THREAD; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* a job that ends when the test lets it, and reports progress when the test requests it */
static void hold(void *arg)
{
    (void)arg;
    atomic_fetch_add(&n_inside, 1);
    while (atomic_load(&held)) {
        if (atomic_load(&polls)) {
            tqd_workers_beat();
            atomic_fetch_add(&n_beat, 1);
        }
        pause_ms(1);
    }
    atomic_fetch_sub(&n_inside, 1);
}

static void hold_workers(int n)
{
    atomic_store(&held, true);
    for (int i = 0; i < n; i++) {
        cr_assert(tqd_workers_submit(workers, hold, NULL));
    }
    while (atomic_load(&n_inside) < n) {
        pause_ms(1);
    }
}

/* n pulses, answered by all loops: returns the number of notifications */
static int pulses(tqd_watchdog *watchdog, int n)
{
    (void)fed();
    for (int k = 0; k < n; k++) {
        tqd_watchdog_pulse(watchdog);
        for (unsigned i = 0; i < watchdog->n_loop; i++) {
            tqd_watchdog_answer(watchdog);
        }
    }
    return fed();
}

/* --------------------------------------------------------------------------------------- tests */

Test(watchdog, is_fed_with_each_pulse_while_nothing_is_to_do)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 3};
    start_workers();
    cr_assert_eq(pulses(&watchdog, 5), 5);
    end_workers();
}

Test(watchdog, starves_while_a_loop_hangs)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 2};
    tqd_watchdog_pulse(&watchdog);
    tqd_watchdog_answer(&watchdog);
    (void)fed();
    for (int i = 0; i < 5; i++) {
        tqd_watchdog_pulse(&watchdog);
    }
    cr_assert_eq(fed(), 0);
    tqd_watchdog_answer(&watchdog);
    tqd_watchdog_pulse(&watchdog);
    cr_assert_eq(fed(), 1, "the loop has come back");
}

Test(watchdog, starves_while_all_workers_hang)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 1};
    start_workers();
    hold_workers(N_THREAD);
    (void)pulses(&watchdog,
                 2); /* the first observes the progress, the second that there was none since */
    cr_assert_eq(pulses(&watchdog, 5), 0, "nothing waits, but no thread could take it");
    cr_assert(tqd_workers_submit(workers, hold, NULL));
    cr_assert_eq(pulses(&watchdog, 5), 0);
    end_workers();
}

Test(watchdog, starves_when_no_worker_takes_what_waits)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 1};
    cr_assert(tqd_workers_submit(workers, hold, NULL));
    (void)pulses(&watchdog, 2);
    cr_assert_eq(pulses(&watchdog, 5), 0);
    start_workers();
    while (tqd_workers_waiting(workers) > 0) {
        pause_ms(1);
    }
    end_workers();
    cr_assert_eq(pulses(&watchdog, 5), 5);
}

Test(watchdog, is_fed_while_one_worker_is_left)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 1};
    start_workers();
    hold_workers(N_THREAD - 1);
    while (pulses(&watchdog, 2) != 2) { /* the remaining worker has begun to wait */
        pause_ms(1);
    }
    cr_assert_eq(pulses(&watchdog, 5), 5);
    end_workers();
}

/* A full queue, and jobs that do not end but poll for cancellation: busy, not hanging. */
Test(watchdog, is_fed_while_a_full_queue_moves)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 1};
    start_workers();
    atomic_store(&polls, true);
    hold_workers(N_THREAD);
    while (tqd_workers_submit(workers, hold, NULL)) {
    }
    (void)pulses(&watchdog, 2);
    for (int k = 0; k < 5; k++) {
        const int before = atomic_load(&n_beat);
        while (atomic_load(&n_beat) == before) {
            pause_ms(1);
        }
        cr_assert_eq(pulses(&watchdog, 1), 1);
    }
    atomic_store(&polls, false); /* they poll no longer: this is detected eventually */
    while (pulses(&watchdog, 1) > 0) {
        pause_ms(1);
    }
    end_workers();
}
