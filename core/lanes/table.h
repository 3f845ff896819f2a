/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/table.h - lane width: chosen once from the CPU, overridable for tests. */
#ifndef TQ_LANES_TABLE_H
#define TQ_LANES_TABLE_H

#include "core/base/status.h"

/**
 * Fill the table of kernels for this CPU. Call once before any other core function, from one
 * thread.
 *
 * width 0 takes the widest lanes the CPU has; 1, 2, 4 or 8 selects that width.
 *
 * Returns  TQ_OK, or TQ_ERR_RANGE when `width` is none of these or the CPU lacks it (the table is
 *          then unchanged).
 */
tq_status tq_lanes_select(unsigned width);

/* The width in use: 1, 2, 4 or 8; 0 before tq_lanes_select. */
unsigned tq_lanes_width(void);

/* The widest width that this CPU can run. */
unsigned tq_lanes_widest(void);

#endif
