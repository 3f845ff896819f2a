/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/torque_shift.h - the time by which torque was recorded late, from the misfit of the
 * whole model. */
#ifndef TQ_IDENTIFY_TORQUE_SHIFT_H
#define TQ_IDENTIFY_TORQUE_SHIFT_H

#include "core/identify/regression/fit.h"
#include "core/signal/experiment.h"

#define TQ_SHIFT_FARTHEST 0.05 /* s, either way */

/* torque(t) is the model's torque at t - late, or the model's torque after a low-pass 1 / (lag s +
 * 1). */
typedef struct tq_shift_found {
    double late;     /* s; negative: torque is early */
    double gain;     /* nats: sum over the rows of log(sigma at 0 / sigma at `late`) */
    double lag;      /* s, of the best first-order lag, whose delay is compensated */
    double lag_gain; /* nats */
} tq_shift_found;

typedef struct tq_shift tq_shift;

/**
 * Begin; push the blocks of each recording; find.
 *
 * One pass determines the misfit for all times: the Gram matrix of each row has, in addition to the
 * columns, the filtered torque at times before and after the sample. Torque is band-limited, so
 * that its value at any time between is a Lagrange interpolation of six of these; a first-order lag
 * adds its derivative:
 *
 *     S(late) = sum_r log sigma_r,  sigma_r residual of torque(t + late) on the columns at t
 *
 * All terms contribute, also the reversals of friction; components above the filter's cut-off do
 * not.
 *
 * Memory   begin takes tq_shift_size bytes of `memory` until the caller rewinds it. *ret_shift is
 *          NULL if the sums would exceed TQ_SHIFT_BYTES.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of tq_fit_push.
 * Cost     Columns of TQ_SHIFT_SAMPLES samples, and their Gram matrices.
 * Checked  tests/contract/test_calibrate_delay.py
 */
#define TQ_SHIFT_BYTES   ((size_t)24 << 20)
#define TQ_SHIFT_SAMPLES 1500
tq_status tq_shift_begin(const tq_fit *fit, const double *value, double period, size_t n_sample,
                         tq_scratch *memory, tq_shift **ret_shift, tq_error *reterr);
size_t tq_shift_size(const tq_fit *fit);
/* Another recording, or a gap. */
void tq_shift_next(tq_shift *shift);
tq_status tq_shift_push(tq_shift *shift, const tq_experiment_block *block, tq_error *reterr);
/* True if no more samples are needed: half of a long recording is enough. */
bool tq_shift_has_enough(const tq_shift *shift);
tq_status tq_shift_find(tq_shift *shift, tq_shift_found *ret, tq_error *reterr);

#endif
