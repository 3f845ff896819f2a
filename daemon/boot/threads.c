/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.c - starts and joins threads. */
#include "daemon/boot/threads.h"

#include <stdlib.h>

typedef struct start {
    void (*run)(void *);
    void *arg;
    const char *name;
} start;

static void *thread_main(void *arg)
{
    start job = *(start *)arg;
    free(arg);
    /* for debuggers and top; an error is ignored. Of itself a thread's name is prctl(2); of another
     * it is a file of /proc, which a confined process cannot write. */
    (void)pthread_setname_np(pthread_self(), job.name);
    job.run(job.arg);
    return NULL;
}

bool tqd_threads_start(tqd_threads *threads, const char *name, void (*run)(void *), void *arg)
{
    if (threads->n == TQD_THREADS_MAX) {
        return false;
    }
    start *job = malloc(sizeof *job);
    if (job == NULL) {
        return false;
    }
    *job = (start){run, arg, name};
    pthread_t *id = &threads->id[threads->n];
    if (pthread_create(id, NULL, thread_main, job) != 0) {
        free(job);
        return false;
    }
    threads->n++;
    return true;
}

void tqd_threads_join(tqd_threads *threads)
{
    while (threads->n > 0) {
        pthread_join(threads->id[--threads->n], NULL);
    }
}
