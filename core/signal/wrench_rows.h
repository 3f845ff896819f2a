/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/wrench_rows.h - recorded external wrenches: their generalised forces are added to the
 * torque of each row. */
#ifndef TQ_SIGNAL_WRENCH_ROWS_H
#define TQ_SIGNAL_WRENCH_ROWS_H

#include "core/base/scratch.h"
#include "core/dynamics/inverse.h"
#include "core/signal/rows.h"

/* Where a recorded wrench acts on the robot. */
typedef struct tq_wrench_place {
    uint32_t link;
    tq_frame expressed_in;
    double at[3]; /* in the link frame, m */
} tq_wrench_place;

typedef struct tq_wrench_rows tq_wrench_rows;

/* Bytes of memory that tq_wrench_rows_begin takes. */
size_t tq_wrench_rows_size(const tq_mechanism *mechanism, size_t n);
/* Of n places. NULL: `memory` is too small. */
tq_wrench_rows *tq_wrench_rows_begin(const tq_mechanism *mechanism, const tq_wrench_place *places,
                                     size_t n, tq_scratch *memory);

/* Where the caller writes component k of wrench w (force x y z, moment x y z, on the robot; N,
 * N m): TQ_RAW_ROWS numbers beside the rows of the run; 0 where nothing is written. */
double *tq_wrench_row(const tq_wrench_rows *rows, size_t w, size_t k);

/**
 * Add the generalised forces of the wrenches to the torque of a run of rows,
 *
 *     tau <- tau + J(q)^T w,
 *
 * so that what is left is the torque of the robot's own motion: M qdd + C qd + g + ... = tau + J^T
 * w. Rows that are not TQ_ROW_GOOD are left as they are.
 *
 * Shapes   run: n rows with q and torque of `channels`; used (nv): torques that are read, the
 *          others are left as they are; NULL: all.
 * Units    rad, m, N, N m.
 * Memory   Nothing beside that of tq_wrench_rows_begin.
 * Returns  TQ_OK, or the status of tq_inverse_dynamics.
 * Cost     A tq_inverse_dynamics of the run.
 * Source   M. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, 2006, 4.10.
 * Checked  tests/unit/core/signal/test_wrench_rows.c, tests/contract/test_calibrate_wrenches.py
 */
tq_status tq_wrench_rows_add(tq_wrench_rows *rows, const tq_channels *channels, const bool *used,
                             const tq_raw_run *run, size_t n, tq_error *reterr);

#endif
