/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/visible.h - what any motion of the robot could show of a combination of
 * columns: private to this folder. */
#ifndef TQ_IDENTIFY_REGRESSION_VISIBLE_H
#define TQ_IDENTIFY_REGRESSION_VISIBLE_H

#include "core/identify/regression/fit_private.h"

/**
 * Torque of one nominal size along each of n unidentified directions, over the torque of `value`,
 * both rms over random states within the robot's limits; of the row where it is largest.
 *
 * Rates go to the joints' limits, or 3 rad/s or m/s. Columns other than parameters of links and
 * joints (friction by load, Stribeck's) make it infinite.
 *
 * Shapes   noise (n_row): N m, added to a row's torque by squares. Sets `visible` of directions.
 * Memory   tq_fit_visible_size(fit) bytes of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 */
tq_status tq_fit_find_visible(const tq_fit *fit, const double *value, const double *noise, size_t n,
                              tq_unidentified *directions, tq_scratch *scratch, tq_error *reterr);
size_t tq_fit_visible_size(const tq_fit *fit);

#endif
