/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/observer.h - external torque by the generalised momentum. */
#ifndef TQ_IDENTIFY_WATCH_OBSERVER_H
#define TQ_IDENTIFY_WATCH_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"
#include "core/signal/experiment.h"

typedef struct tq_observer tq_observer;

/**
 * Begin an observer at rest; then blocks of samples in order.
 *
 *     p = M qd,   dp/dt = tau + C^T qd - gravity - friction - spring + external
 *     r = external through 1 / (s / gain + 1)
 *
 * Over a step h of samples, with u = tau + C^T qd - gravity - friction - spring and
 * a = exp(-gain h):
 *
 *     x_k = (p_k - p_k-1) / h - (u_k + u_k-1) / 2,   r_k = a r_k-1 + (1 - a) x_k
 *
 * exact for an external torque that is constant over each step. After a gap the observer restarts
 * at r = 0.
 *
 * Shapes   ret_r (nv x TQ_BLOCK_STRIDE).
 * Units    gain: 1/s. r: N m or N, as tau: positive where it moves the joint forward.
 * Memory   begin takes tq_observer_size bytes of `memory` until the caller rewinds it.
 * Returns  TQ_OK; TQ_ERR_RANGE "gain"; TQ_ERR_SCRATCH; push: statuses of the dynamics.
 * Cost     Two inverse dynamics and a Coriolis matrix a sample.
 * Source   A. De Luca, A. Albu-Schaeffer, S. Haddadin, G. Hirzinger, Collision detection and safe
 *          reaction with the DLR-III lightweight manipulator arm, IROS 2006; S. Haddadin, A. De
 *          Luca, A. Albu-Schaeffer, Robot collisions: a survey, IEEE TRO 33(6), 2017.
 * Checked  tests/contract/test_residual.py
 */
tq_status tq_observer_begin(const tq_mechanism *mechanism, double gain, tq_scratch *memory,
                            tq_observer **ret_observer, tq_error *reterr);
size_t tq_observer_size(const tq_mechanism *mechanism);
/* Another recording of samples `period` s apart. */
tq_status tq_observer_next(tq_observer *observer, double period, tq_error *reterr);
/* t: (n_sample) s. ret_begins[i]: sample i follows a gap, and r restarts at 0. */
tq_status tq_observer_push(tq_observer *observer, const tq_experiment_block *block, const double *t,
                           double *ret_r, bool *ret_begins, tq_error *reterr);
/* The factor a for one step. */
double tq_observer_keeps(const tq_observer *observer);

#endif
