/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.c - starts and joins threads. */
#include "daemon/boot/threads.h"

#include <stdlib.h>

typedef struct start {
    void (*run)(void *);
    void *arg;
} start;

static void *thread_main(void *arg)
{
    start job = *(start *)arg;
    free(arg);
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
    *job = (start){run, arg};
    pthread_t *id = &threads->id[threads->n];
    if (pthread_create(id, NULL, thread_main, job) != 0) {
        free(job);
        return false;
    }
    threads->n++;
    /* for debuggers and top only; an error is ignored */
    (void)pthread_setname_np(*id, name);
    return true;
}

void tqd_threads_join(tqd_threads *threads)
{
    while (threads->n > 0) {
        pthread_join(threads->id[--threads->n], NULL);
    }
}
