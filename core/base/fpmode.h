/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/fpmode.h - the floating-point mode of kernels; how it is entered and left. */
#ifndef TQ_BASE_FPMODE_H
#define TQ_BASE_FPMODE_H

#include <stdint.h>

/* The mode of the calling thread before tq_fpmode_enter. */
typedef struct tq_fpmode {
    uint64_t control;
} tq_fpmode;

/* Saves the thread's mode and sets the mode of kernels: round to nearest, subnormal numbers flushed
 * to zero (they make some processors 65 times slower), no traps. Every batch entry of core/dynamics
 * calls it and tq_fpmode_leave; parsers and printers never run between the two. */
tq_fpmode tq_fpmode_enter(void);

/* Restore the mode that tq_fpmode_enter saved, sticky exception flags included. */
void tq_fpmode_leave(tq_fpmode before);

#endif
