/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/watchdog.h - systemd's watchdog, fed while all that serves moves on. */
#ifndef TQD_BOOT_WATCHDOG_H
#define TQD_BOOT_WATCHDOG_H

#include "daemon/queue/workers.h"
#include "daemon/serve/server.h"

/* The law: a sign of life goes out for each pulse unless
 *   an I/O loop has not made a turn since the pulse before (it answers one in its next turn), or
 *   the workers hang (tqd_workers_alive): there is work, and since the pulse before none of them
 *   has ended a job or an index of a loop, or asked whether its computation is still wanted.
 * It does not stand in the queue of the workers: minutes of work that waits are no sign of death,
 * and whoever can fill the queue could otherwise have the process killed. What computes for long
 * without asking, and hangs, is the same to an observer: so everything that may be long asks
 * (tqa_host.cancelled) between its steps. */
typedef struct tqd_watchdog {
    tqd_server *server; /* NULL: somebody else asks its n_loop loops */
    tqd_workers *workers;
    unsigned n_loop;
    _Atomic unsigned missing; /* loops that have not answered the last pulse */
} tqd_watchdog;

/* The main thread, four times in a period: looks, and asks the loops again. */
void tqd_watchdog_pulse(void *watchdog);

/* One loop's answer. Any thread. */
void tqd_watchdog_answer(void *watchdog);

#endif
