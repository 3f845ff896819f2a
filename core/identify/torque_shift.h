/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/torque_shift.h - the time by which torque was recorded late, from the misfit of the
 * whole model. */
#ifndef TQ_IDENTIFY_TORQUE_SHIFT_H
#define TQ_IDENTIFY_TORQUE_SHIFT_H

#include "core/identify/regression/fit.h"
#include "core/signal/experiment.h"

#define TQ_SHIFT_FARTHEST 0.05 /* s, either way */

/* What the recordings show: torque(t) is the model's torque at t - late, or has passed
 * 1 / (lag s + 1). */
typedef struct tq_shift_found {
    double late;     /* s; negative: early */
    double gain;     /* nats, sum over the rows of log(sigma at 0 / sigma there) */
    double lag;      /* s, of the best first-order lag whose delay has been taken off before */
    double lag_gain; /* nats */
} tq_shift_found;

typedef struct tq_shift tq_shift;

/**
 * Begin; push the blocks of each recording; find.
 *
 * One pass gives the misfit of all times: beside its columns, each row of torque has the filtered
 * torque at times before and after the sample. It is band-limited, so that any time between is a
 * combination of these (Lagrange's, of six), and a lag the torque and its rate:
 *
 *     S(late) = sum_r log sigma_r,  of torque(t + late) against the columns at t
 *
 * All terms contribute, the reversals of friction as well; what is above the filter's cut-off
 * does not.
 *
 * Memory   begin takes tq_shift_size bytes of `memory` until the caller rewinds it. Sums above
 *          TQ_SHIFT_BYTES: none, *ret_shift NULL.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of tq_fit_push.
 * Cost     TQ_SHIFT_SAMPLES samples' columns, and their squares.
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
/* True once no more samples are needed: half of a long recording. */
bool tq_shift_has_enough(const tq_shift *shift);
tq_status tq_shift_find(tq_shift *shift, tq_shift_found *ret, tq_error *reterr);

#endif
