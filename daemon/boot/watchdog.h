/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/watchdog.h - notifies systemd's watchdog while all threads make progress. */
#ifndef TQD_BOOT_WATCHDOG_H
#define TQD_BOOT_WATCHDOG_H

#include "daemon/queue/workers.h"
#include "daemon/serve/server.h"

/* Each pulse sends WATCHDOG=1 unless
 *   an I/O loop has not completed an iteration since the previous pulse, or
 *   the workers hang (tqd_workers_alive): there is work, and since the previous pulse no worker has
 *   ended a job or an index of a loop, or polled for cancellation.
 * The length of the work queue does not count: minutes of queued work are no failure, and a client
 * that fills the queue must not get the process killed. A long computation that does not poll
 * cannot be distinguished from a hang, so every long computation polls (tqa_host.cancelled) between
 * its steps. */
typedef struct tqd_watchdog {
    tqd_server *server; /* NULL: a test polls the n_loop loops itself */
    tqd_workers *workers;
    unsigned n_loop;
    _Atomic unsigned missing; /* loops that have not answered the last pulse */
} tqd_watchdog;

/* On the main thread, four times in a period: evaluates the last pulse, and starts the next. */
void tqd_watchdog_pulse(void *watchdog);

/* One loop's answer. Any thread. */
void tqd_watchdog_answer(void *watchdog);

#endif
