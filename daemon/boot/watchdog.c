/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/watchdog.c - notifies systemd's watchdog while all threads make progress. */
#include "daemon/boot/watchdog.h"

#include <stdatomic.h>

#include <systemd/sd-daemon.h>

void tqd_watchdog_answer(void *arg)
{
    tqd_watchdog *watchdog = arg;
    atomic_fetch_sub(&watchdog->missing, 1);
}

void tqd_watchdog_pulse(void *arg)
{
    tqd_watchdog *watchdog = arg;
    const bool works = tqd_workers_alive(watchdog->workers);
    if (atomic_load(&watchdog->missing) > 0) {
        return; /* a loop that recovers must answer the former pulse first */
    }
    if (works) {
        sd_notify(0, "WATCHDOG=1");
    }
    atomic_store(&watchdog->missing, watchdog->n_loop);
    if (watchdog->server != NULL) {
        tqd_server_pulse(watchdog->server);
    }
}
