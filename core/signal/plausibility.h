/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/plausibility.h - plausibility of the units, signs and columns of a recording. */
#ifndef TQ_SIGNAL_PLAUSIBILITY_H
#define TQ_SIGNAL_PLAUSIBILITY_H

#include "core/signal/recording.h"

/**
 * Check a stretch of motion: positions against the joints' limits, velocities against the slopes of
 * positions, torques against limits of effort and gravity, and their signs by passivity.
 * recording->check says which units are not known.
 *
 * Shapes   even->n >= 64 unfiltered samples.
 * Memory   tq_recording_check_size(mechanism) bytes of scratch.
 * Returns  TQ_OK, TQ_ERR_RANGE with *ret_fault, or TQ_ERR_SCRATCH
 * Checked  tests/unit/core/signal/test_plausibility.c
 */
tq_status tq_recording_check(const tq_recording *recording, const tq_uniform *even,
                             tq_scratch *scratch, tq_recording_fault *ret_fault, tq_error *reterr);
size_t tq_recording_check_size(const tq_mechanism *mechanism);

#endif
