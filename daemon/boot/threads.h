/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.h - creates all threads of the process; daemon/README.md lists them. */
#ifndef TQD_BOOT_THREADS_H
#define TQD_BOOT_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { TQD_THREADS_MAX = 600 };

/* Zero-initialised; used by the main thread only. */
typedef struct tqd_threads {
    pthread_t id[TQD_THREADS_MAX];
    size_t n;
} tqd_threads;

/* Starts run(arg) on a new thread called `name` (at most 15 characters). Signals must be blocked
 * already, so that only the main thread receives them. False after pthread_create failed. */
bool tqd_threads_start(tqd_threads *threads, const char *name, void (*run)(void *), void *arg);

/* Joins all threads. */
void tqd_threads_join(tqd_threads *threads);

#endif
