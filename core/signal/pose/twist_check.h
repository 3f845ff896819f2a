/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pose/twist_check.h - recorded twists of spherical and floating joints against their
 * poses. */
#ifndef TQ_SIGNAL_POSE_TWIST_CHECK_H
#define TQ_SIGNAL_POSE_TWIST_CHECK_H

#include "core/signal/recording.h"

/**
 * Compare each recorded twist with the differences of its pose over 40 ms: in the axes of the
 * child, as it should be, and in those of the parent, which simulators and state estimators write.
 *
 * Shapes   even->n >= 16 unfiltered samples.
 * Returns  TQ_OK; TQ_ERR_RANGE: *ret_fault is TQ_FAULT_TWIST_FRAME where the parent's axes explain
 *          ten times more than the child's, else TQ_FAULT_TWIST_ANGULAR or _LINEAR where half of
 *          the differences is not in the twist.
 * Checked  tests/contract/test_calibrate_base.py
 */
tq_status tq_recording_check_twists(const tq_recording *recording, const tq_uniform *even,
                                    tq_recording_fault *ret_fault);

#endif
