/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/spin.h - looking again for a bounded while before sleeping, unless others want the
 * core. */
#ifndef TQD_QUEUE_SPIN_H
#define TQD_QUEUE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* To wake a thread takes the waker 8 us of a virtual core, and the woken 15 until it runs: worth
 * looking for so long when more is about to come. Where threads wait for cores it is not, for they
 * are whom we wait for. Any thread. */
enum { TQD_SPIN_NS = 100000 };

/* Nanoseconds of the monotonic clock. */
int64_t tqd_spin_now(void);
/* Until when to look from now on; 0: not at all, others have wanted the core lately. */
int64_t tqd_spin_begin(void);
/* Lets others run that want to. False: do not look again. */
bool tqd_spin_again(int64_t until_ns);

#endif
