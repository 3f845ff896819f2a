/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_watchdog.c - nobody feeds the watchdog while a loop is silent. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
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
    unlink(path); /* of a process of this number that crashed */
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

static void *work(void *arg)
{
    tqd_workers_run(arg);
    return NULL;
}

/* the workers' whole life: what waits is done */
static void run_workers(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, workers);
    tqd_workers_stop(workers);
    pthread_join(thread, NULL);
}

Test(watchdog, is_fed_when_all_have_answered)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 2};
    tqd_watchdog_pulse(&watchdog);
    tqd_watchdog_answer(&watchdog);
    tqd_watchdog_answer(&watchdog);
    cr_assert_eq(fed(), 0, "no worker has answered yet");
    tqd_watchdog_pulse(&watchdog);
    cr_assert_eq(tqd_workers_waiting(workers), 1, "no second question before an answer");
    run_workers();
    cr_assert_eq(fed(), 1);
}

Test(watchdog, starves_when_a_loop_hangs)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 2};
    tqd_watchdog_pulse(&watchdog);
    tqd_watchdog_answer(&watchdog);
    run_workers();
    for (int i = 0; i < 5; i++) {
        tqd_watchdog_pulse(&watchdog);
    }
    cr_assert_eq(fed(), 0);
    tqd_watchdog_answer(&watchdog);
    cr_assert_eq(fed(), 1, "the loop has come back");
}

static void nothing(void *arg)
{
    (void)arg;
}

Test(watchdog, starves_while_the_queue_is_full_and_asks_again)
{
    tqd_watchdog watchdog = {.workers = workers, .n_loop = 0};
    for (int i = 0; i < 4; i++) {
        cr_assert(tqd_workers_submit(workers, nothing, NULL));
    }
    tqd_watchdog_pulse(&watchdog);
    cr_assert(watchdog.unsent);
    run_workers();
    cr_assert_eq(fed(), 0);
    tqd_workers_free(workers);
    workers = tqd_workers_new(4);
    watchdog.workers = workers;
    tqd_watchdog_pulse(&watchdog);
    cr_assert(!watchdog.unsent);
    run_workers();
    cr_assert_eq(fed(), 1);
}
