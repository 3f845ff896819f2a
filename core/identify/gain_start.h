/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/gain_start.h - first values of a controller's unknown gains, by the torque that a
 * robot's model has along measured motion. */
#ifndef TQ_IDENTIFY_GAIN_START_H
#define TQ_IDENTIFY_GAIN_START_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"
#include "core/signal/experiment.h"
#include "core/signal/parallel_rows.h"
#include "core/signal/rows.h"

/* The channels of n_gain unknown gains as parallel rows of a pass: -e, -e' or -s, filtered as
 * torque; 0 in a recording that has none. */
tq_parallel_rows tq_gain_rows(const size_t *n_gain);

typedef struct tq_gain_start tq_gain_start;

/**
 * Begin; push the blocks of recordings, whose friction rows are those of tq_gain_rows and whose
 * torque is that of the present gains; end.
 *
 * Joint by joint, by least squares over the samples, with tau(model) of tq_inverse_dynamics:
 *
 *     tau(model) = tau(known gains and terms) + kp e + kd e' + ki s,   kp > 0, kd >= 0, ki >= 0
 *
 * A start only: an error of the model's masses is one of the gains.
 *
 * Shapes   gains, is_open (n_gain): `change` is set of open ones, no other. At most three of a row.
 * Memory   begin takes tq_gain_start_size(mechanism, n_gain) bytes of `scratch` until the caller
 *          rewinds it; gains are borrowed.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, the statuses of tq_inverse_dynamics.
 * Cost     An inverse dynamics of each sample.
 * Source   A. Janot, P. Vandanjon, M. Gautier, Identification of physical parameters and
 *          instrumental variables validation with two-stage least squares estimator, IEEE Trans.
 *          Control Systems Technology 21(4), 2013.
 * Checked  tests/unit/core/identify/test_gain_start.c
 */
tq_status tq_gain_start_begin(const tq_mechanism *mechanism, tq_unknown_gain *gains,
                              const bool *is_open, size_t n_gain, tq_scratch *scratch,
                              tq_gain_start **ret, tq_error *reterr);
size_t tq_gain_start_size(const tq_mechanism *mechanism, size_t n_gain);
tq_status tq_gain_start_push(tq_gain_start *start, const tq_experiment_block *block,
                             tq_error *reterr);
/* ret_share (nv): of the torque wanted of a row's open gains, squared, that these make; NaN: none
 * is open. Gains of a small share say nothing: friction that the model has not is most of the
 * torque. */
void tq_gain_start_end(tq_gain_start *start, double *ret_share);

#endif
