/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/watchdog.c - systemd's watchdog, fed by the loops that do the work. */
#include "daemon/boot/watchdog.h"

#include <stdatomic.h>

#include <systemd/sd-daemon.h>

void tqd_watchdog_answer(void *arg)
{
    tqd_watchdog *watchdog = arg;
    if (atomic_fetch_sub(&watchdog->missing, 1) == 1) {
        sd_notify(0, "WATCHDOG=1");
    }
}

void tqd_watchdog_pulse(void *arg)
{
    tqd_watchdog *watchdog = arg;
    const bool idle = atomic_load(&watchdog->missing) == 0;
    if (idle) {
        atomic_store(&watchdog->missing, watchdog->n_loop + 1);
        watchdog->unsent = true;
        if (watchdog->server != NULL) {
            tqd_server_pulse(watchdog->server);
        }
    }
    if (watchdog->unsent) {
        watchdog->unsent = !tqd_workers_submit(watchdog->workers, tqd_watchdog_answer, watchdog);
    }
}
