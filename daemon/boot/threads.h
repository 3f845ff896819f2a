/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.h - creates all threads of the process; daemon/README.md lists them. */
#ifndef TQD_BOOT_THREADS_H
#define TQD_BOOT_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { TQD_THREADS_MAX = 600 };

/* How threads share cores among themselves; the process as a whole has what it had. */
typedef enum tqd_turns {
    TQD_TURNS_EVEN,
    TQD_TURNS_SHORT, /* for short work that is waited for: a slice of 0.1 ms, not of 3, so that the
                        thread runs soon after it wakes (Linux 6.12 and later), and nice -10, nine
                        times the weight, where RLIMIT_NICE admits it */
    TQD_TURNS_LATE,  /* for work of minutes: nice 5, a third of the weight of the others */
    TQD_TURNS_BATCH, /* for work that no request waits for: SCHED_BATCH, which never preempts the
                        thread that woke it */
} tqd_turns;

/* Zero-initialised, but for `turns`, which holds for threads started afterwards; used by the main
 * thread only. */
typedef struct tqd_threads {
    pthread_t id[TQD_THREADS_MAX];
    size_t n;
    tqd_turns turns;
} tqd_threads;

/* Starts run(arg) on a new thread called `name` (at most 15 characters). Signals must be blocked
 * already, so that only the main thread receives them. False after pthread_create failed. */
bool tqd_threads_start(tqd_threads *threads, const char *name, void (*run)(void *), void *arg);

/* Joins all threads. */
void tqd_threads_join(tqd_threads *threads);

#endif
