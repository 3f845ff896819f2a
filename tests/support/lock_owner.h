/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/lock_owner.h - a mutex that is unlocked by a thread that has not locked it ends the
 * test. */
#ifndef TQT_LOCK_OWNER_H
#define TQT_LOCK_OWNER_H

/* For one file of a test program only: it is called before the C library's. glibc notes the owner
 * in every mutex, but checks it only for an error-checking one: a lock that was
 * left out is met by its unlock, without two threads that would have to meet. Sanitizers stand
 * there themselves. */

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*unlock)(pthread_mutex_t * mutex);
    if (unlock == NULL) { /* perhaps before any constructor of ours; the same for all threads */
        void *at = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        memcpy(&unlock, &at, sizeof at);
    }
    const int owner = mutex->__data.__owner;
    cr_assert(owner == gettid(), "a mutex of thread %d is unlocked by %d", owner, gettid());
    return unlock(mutex);
}

#endif
#endif
