/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/lock_owner.h - ends the test if a mutex is unlocked by a thread that does not hold
 * it. */
#ifndef TQT_LOCK_OWNER_H
#define TQT_LOCK_OWNER_H

/* To be included by one file of a test program: it interposes pthread_mutex_unlock. glibc stores
 * the owner in every mutex, but checks it only in error-checking ones: so a missing lock is found
 * at its unlock, without a race between two threads. Not used under sanitizers, which interpose the
 * function themselves. */

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*unlock)(pthread_mutex_t * mutex);
    if (unlock == NULL) { /* possibly before any constructor of the test; the same value in all
                             threads */
        void *at = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        memcpy(&unlock, &at, sizeof at);
    }
    const int owner = mutex->__data.__owner;
    cr_assert(owner == gettid(), "a mutex of thread %d is unlocked by %d", owner, gettid());
    return unlock(mutex);
}

#endif
#endif
