/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/spin.h - bounded busy-polling before a thread blocks, off while cores are contended.
 * */
#ifndef TQD_QUEUE_SPIN_H
#define TQD_QUEUE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* A futex wake-up costs the waker 8 us (virtual core) and has 15 us latency: busy-polling for
 * TQD_SPIN_NS is cheaper when work is about to come. While threads wait for a core it is off: the
 * thread that we wait for needs ours. Any thread. */
enum { TQD_SPIN_NS = 100000 };

/* CLOCK_MONOTONIC, ns. */
int64_t tqd_spin_now(void);
/* End of a busy-poll that begins now; 0: do not, cores have been contended lately. */
int64_t tqd_spin_begin(void);
/* One step: yields the core. False: stop polling. */
bool tqd_spin_again(int64_t until_ns);

#endif
