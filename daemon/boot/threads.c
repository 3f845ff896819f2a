/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.c - starts and joins threads. */
#include "daemon/boot/threads.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "daemon/scheduling.h"

typedef struct start {
    void (*run)(void *);
    void *arg;
    const char *name;
    tqd_turns turns;
} start;

enum { LATE_NICE = 5, SHORT_NICE = -10, NICE_MIN = -20 };

/* A thread whose work is waited for is runnable most of the time beside clients that send without
 * pause, and uses more than an equal share: with an equal weight it is not eligible (EEVDF) until
 * the others had theirs, whatever its slice. A nice value below that of the process needs
 * RLIMIT_NICE or CAP_SYS_NICE; without them the slice alone is set. */
static void set_short(int nice)
{
    tqd_scheduling a = {.policy = SCHED_OTHER, .runtime = TQD_SHORT_SLICE_NS};
    a.nice = nice + SHORT_NICE < NICE_MIN ? NICE_MIN : nice + SHORT_NICE;
    if (!tqd_scheduling_set(a)) {
        a.nice = nice;
        (void)tqd_scheduling_set(a);
    }
}

/* All calls concern the calling thread; where the system does not admit them turns are even. */
static void set_turns(tqd_turns turns)
{
    const int nice = getpriority(PRIO_PROCESS, 0);
    if (turns == TQD_TURNS_LATE) {
        (void)setpriority(PRIO_PROCESS, 0, nice + LATE_NICE);
    } else if (turns == TQD_TURNS_SHORT) {
        set_short(nice);
    } else if (turns == TQD_TURNS_BATCH) {
        (void)tqd_scheduling_set((tqd_scheduling){.policy = SCHED_BATCH, .nice = nice});
    }
}

static void *thread_main(void *arg)
{
    start job = *(start *)arg;
    free(arg);
    /* for debuggers and top; an error is ignored. Of itself a thread's name is prctl(2); of another
     * it is a file of /proc, which a confined process cannot write. */
    (void)pthread_setname_np(pthread_self(), job.name);
    set_turns(job.turns);
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
    *job = (start){run, arg, name, threads->turns};
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
