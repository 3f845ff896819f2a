/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/threads.c - starts and joins threads. */
#include "daemon/boot/threads.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct start {
    void (*run)(void *);
    void *arg;
    const char *name;
    tqd_turns turns;
} start;

enum { LATE_NICE = 5, SHORT_NICE = -10, NICE_MIN = -20, SHORT_SLICE_NS = 100000 };

/* struct sched_attr of sched_setattr(2), for which the C library has no function, and
 * linux/sched/types.h cannot be included beside sched.h everywhere */
typedef struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} attributes;

/* A thread whose work is waited for is runnable most of the time beside clients that send without
 * pause, and uses more than an equal share: with an equal weight it is not eligible (EEVDF) until
 * the others had theirs, whatever its slice. A nice value below that of the process needs
 * RLIMIT_NICE or CAP_SYS_NICE; without them the slice alone is set. */
static void set_short(int nice)
{
    attributes a = {.size = sizeof a, .policy = SCHED_OTHER, .runtime = SHORT_SLICE_NS};
    a.nice = nice + SHORT_NICE < NICE_MIN ? NICE_MIN : nice + SHORT_NICE;
    if (syscall(SYS_sched_setattr, 0, &a, 0U) != 0) {
        a.nice = nice;
        (void)syscall(SYS_sched_setattr, 0, &a, 0U);
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
        const attributes a = {.size = sizeof a, .policy = SCHED_BATCH, .nice = nice};
        (void)syscall(SYS_sched_setattr, 0, &a, 0U);
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
