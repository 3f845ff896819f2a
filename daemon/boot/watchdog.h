/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/watchdog.h - systemd's watchdog, fed by the loops that do the work. */
#ifndef TQD_BOOT_WATCHDOG_H
#define TQD_BOOT_WATCHDOG_H

#include "daemon/queue/workers.h"
#include "daemon/serve/server.h"

/* A pulse goes to every I/O loop and, as a job, through the queue of the workers; the last one to
 * answer feeds the watchdog. While one of them hangs, or no worker takes a job, nobody does. */
typedef struct tqd_watchdog {
    tqd_server *server; /* NULL: somebody else asks its n_loop loops */
    tqd_workers *workers;
    unsigned n_loop;
    _Atomic unsigned missing; /* answers to the present pulse */
    bool unsent;              /* the queue was full: the workers have not been asked yet */
} tqd_watchdog;

/* The main thread, now and then: sends a pulse when the last one has been answered by all. */
void tqd_watchdog_pulse(void *watchdog);

/* One answer. Any thread. */
void tqd_watchdog_answer(void *watchdog);

#endif
