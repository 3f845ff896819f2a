/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/scheduling.h - sched_setattr(2), for which the C library has no function;
 * linux/sched/types.h cannot be included beside sched.h everywhere. */
#ifndef TQD_SCHEDULING_H
#define TQD_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TQD_SHORT_SLICE_NS = 100000 }; /* of a thread whose work is waited for: `runtime` */

/* struct sched_attr */
typedef struct tqd_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} tqd_scheduling;

/* Of the calling thread; false: the system refuses. */
static inline bool tqd_scheduling_set(tqd_scheduling scheduling)
{
    scheduling.size = sizeof scheduling;
    return syscall(SYS_sched_setattr, 0, &scheduling, 0U) == 0;
}

#endif
