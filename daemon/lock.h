/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/lock.h - a mutex that I/O threads lock as well as others. */
#ifndef TQD_LOCK_H
#define TQD_LOCK_H

#include <pthread.h>

/* Priority inheritance: with io_realtime an I/O thread preempts whoever holds the mutex, and then
 * waits for it, while threads of normal priority run: 4 to 12 ms on a busy machine. The holder
 * runs at the waiter's priority instead. Uncontended it costs what any mutex does. */
static inline void tqd_lock_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
}

#endif
