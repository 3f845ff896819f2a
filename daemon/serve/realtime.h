/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/realtime.h - a real-time class for an I/O thread, as long as it leaves time to
 * others. */
#ifndef TQD_SERVE_REALTIME_H
#define TQD_SERVE_REALTIME_H

#include <stdbool.h>
#include <stdint.h>

/* Of one thread, and used by it only. Zero: off. */
typedef struct tqd_realtime {
    bool wanted;          /* false: also where the system refused */
    bool on;              /* SCHED_RR now */
    int nice;             /* of the thread without it */
    int64_t at_ms;        /* of the last check */
    int64_t processor_ns; /* that the thread had used then */
} tqd_realtime;

/* SCHED_RR, the lowest priority, for the calling thread. It needs RLIMIT_RTPRIO or CAP_SYS_NICE;
 * false: the system refuses, and the thread stays as it is. Cost: three system calls. */
bool tqd_realtime_begin(tqd_realtime *realtime, int64_t now_ms);

/* To be called every tick: SCHED_OTHER after a second in which the thread used more than 6 of 10
 * parts of a core, SCHED_RR again after one with less. */
void tqd_realtime_check(tqd_realtime *realtime, int64_t now_ms);

#endif
